import type { JSX } from "preact";

const shapes = {
  undo: "M9 7 4 12l5 5M4 12h10a5 5 0 0 1 0 10h-3",
  redo: "m15 7 5 5-5 5M20 12H10a5 5 0 0 0 0 10h3",
  download: "M12 4v11m-5-5 5 5 5-5M5 20h14",
  open: "M4 19V6a1 1 0 0 1 1-1h4l2 2h8a1 1 0 0 1 1 1v11a1 1 0 0 1-1 1H5a1 1 0 0 1-1-1Z",
  link: "M10 14a4 4 0 0 0 6 0l3-3a4 4 0 0 0-6-6l-1 1m2 4a4 4 0 0 0-6 0l-3 3a4 4 0 0 0 6 6l1-1",
  sun: "M12 8a4 4 0 1 0 0 8 4 4 0 0 0 0-8Zm0-6v3m0 14v3M2 12h3m14 0h3M5 5l2 2m10 10 2 2M5 19l2-2M17 7l2-2",
  moon: "M20 14A8 8 0 0 1 10 4a8 8 0 1 0 10 10Z",
  book: "M4 5a2 2 0 0 1 2-2h14v16H6a2 2 0 0 0-2 2V5Zm0 14a2 2 0 0 1 2-2h14",
  compare: "M12 3v18M8 7H3m5 5H3m5 5H3M21 7h-5m5 5h-5m5 5h-5",
  close: "m6 6 12 12M18 6 6 18",
  search: "M11 4a7 7 0 1 0 0 14 7 7 0 0 0 0-14Zm5 12 5 5",
  copy: "M9 9h11v11H9zM5 15H4V4h11v1",
  expand: "m7 9 5-5 5 5M7 15l5 5 5-5",
  collapse: "m7 4 5 5 5-5M7 20l5-5 5 5",
  alert: "M12 3 2 20h20L12 3Zm0 6v5m0 3v.5",
  more: "M12 4.5a.5.5 0 1 0 0 1 .5.5 0 0 0 0-1Zm0 7a.5.5 0 1 0 0 1 .5.5 0 0 0 0-1Zm0 7a.5.5 0 1 0 0 1 .5.5 0 0 0 0-1Z",
  keys: "M3 6h18v12H3zM6 10h1m3 0h1m3 0h1m3 0h.5M7 14h10",
  plus: "M12 5v14M5 12h14",
  trash: "M4 7h16M9 7V4h6v3m-8 0 1 13h8l1-13",
} as const;

export type IconName = keyof typeof shapes;

export function Icon({ name }: { readonly name: IconName }): JSX.Element {
  return (
    <svg class="icon" viewBox="0 0 24 24" aria-hidden="true" fill="none" stroke="currentColor" stroke-width="1.8" stroke-linecap="round" stroke-linejoin="round">
      <path d={shapes[name]} />
    </svg>
  );
}

/** The mark of the project: bytes that become a wire. */
export function Mark(): JSX.Element {
  return (
    <svg class="mark" viewBox="0 0 32 32" aria-hidden="true">
      <rect x="2" y="4" width="7" height="7" rx="1.5" class="m1" />
      <rect x="2" y="13" width="7" height="7" rx="1.5" class="m2" />
      <rect x="2" y="22" width="7" height="7" rx="1.5" class="m3" />
      <path d="M9 7.5h5c5 0 3 9 8 9h2M9 16.500h15M9 25.500h5c5 0 3-9 8-9" fill="none" class="m4" />
      <circle cx="27" cy="16.500" r="3" class="m5" />
    </svg>
  );
}
