/** A border between two panes that can be moved, by the pointer and by the arrow keys. */

import { signal } from "@preact/signals";
import type { JSX } from "preact";
import { rem } from "./Virtual";

/** The widths that were chosen, in rem. */
export const widths = signal<Readonly<Record<string, number>>>({});

interface Props {
  readonly name: "list" | "side";
  readonly label: string;
}

export function Splitter({ name, label }: Props): JSX.Element {
  const set = (width: number): void => {
    widths.value = { ...widths.value, [name]: Math.max(12, Math.min(60, width)) };
  };
  // the pane is before or after the border
  const pane = (border: HTMLElement): Element | null => (name === "list" ? border.previousElementSibling : border.nextElementSibling);
  const width = (border: HTMLElement): number => (pane(border)?.getBoundingClientRect().width ?? 0) / rem();
  const drag = (event: PointerEvent & { readonly currentTarget: HTMLElement }): void => {
    const border = event.currentTarget;
    if (!border.hasPointerCapture(event.pointerId)) return;
    const box = pane(border)?.getBoundingClientRect();
    if (box !== undefined) set((name === "list" ? event.clientX - box.left : box.right - event.clientX) / rem());
  };
  return (
    <div
      class="splitter"
      role="separator"
      aria-orientation="vertical"
      aria-label={label}
      aria-valuenow={Math.round(widths.value[name] ?? 24)}
      aria-valuemin={12}
      aria-valuemax={60}
      tabIndex={0}
      onPointerDown={(event) => event.currentTarget.setPointerCapture(event.pointerId)}
      onPointerMove={drag}
      onKeyDown={(event) => {
        const step = { ArrowLeft: -1, ArrowRight: 1 }[event.key];
        if (step === undefined) return;
        event.preventDefault();
        set(width(event.currentTarget) + (name === "list" ? step : -step));
      }}
    />
  );
}
