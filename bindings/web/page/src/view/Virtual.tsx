/** A list of any number of rows of the same height. Only the rows in sight exist as elements. */

import type { ComponentChildren, JSX, AriaRole, TargetedKeyboardEvent, TargetedMouseEvent } from "preact";
import { useEffect, useLayoutEffect, useRef, useState } from "preact/hooks";

/** Browsers lose count of taller elements. */
const TALLEST = 8_000_000;

interface Props {
  readonly count: number;
  /** The height of a row in rem. */
  readonly rowHeight: number;
  readonly render: (row: number) => ComponentChildren;
  /** The row that must be in sight, whenever `revealed` changes. */
  readonly reveal?: number;
  readonly revealed?: unknown;
  readonly role: string;
  readonly label: string;
  readonly active?: string | undefined;
  readonly class?: string;
  readonly id?: string;
  readonly multi?: boolean;
  readonly onKeyDown?: (event: TargetedKeyboardEvent<HTMLDivElement>) => void;
  readonly onClick?: (event: TargetedMouseEvent<HTMLDivElement>) => void;
  readonly onDblClick?: () => void;
  /** Called with the number of rows that are in sight at once. */
  readonly onPage?: (rows: number) => void;
}

export function rem(): number {
  return Number.parseFloat(getComputedStyle(document.documentElement).fontSize) || 16;
}

export function Virtual(props: Props): JSX.Element {
  const box = useRef<HTMLDivElement>(null);
  const [scroll, setScroll] = useState(0);
  const [height, setHeight] = useState(600);
  const rowHeight = Math.round(props.rowHeight * rem());
  const total = props.count * rowHeight;
  const shown = Math.min(total, TALLEST);
  // of a taller list, the scroll bar moves over it in larger steps
  const scale = shown > height ? (total - height) / (shown - height) : 1;
  const top = scroll * scale;

  useLayoutEffect(() => {
    const element = box.current;
    if (element === null) return undefined;
    const observer = new ResizeObserver(() => {
      setHeight(element.clientHeight);
      props.onPage?.(Math.max(1, Math.floor(element.clientHeight / rowHeight) - 1));
    });
    observer.observe(element);
    return () => observer.disconnect();
  }, [rowHeight]);

  useEffect(() => {
    const element = box.current;
    if (element === null || props.reveal === undefined || props.reveal < 0) return;
    const now = element.scrollTop * scale;
    const start = props.reveal * rowHeight;
    if (start >= now + rowHeight && start + 2 * rowHeight <= now + element.clientHeight) return;
    const wanted = start < now + rowHeight ? start - rowHeight * 2 : start - element.clientHeight + rowHeight * 3;
    element.scrollTop = Math.max(0, Math.min(wanted, total - element.clientHeight)) / scale;
    // again when it comes into sight, as where one part of the page is shown at a time
  }, [props.revealed, props.reveal, height > 0]);

  const first = Math.max(0, Math.floor(top / rowHeight) - 4);
  const last = Math.min(props.count, Math.ceil((top + height) / rowHeight) + 4);
  const rows: JSX.Element[] = [];
  for (let row = first; row < last; row++) {
    rows.push(
      <div key={row} class="virtual-row" role="presentation" style={{ transform: `translateY(${scroll + row * rowHeight - top}px)`, height: `${rowHeight}px` }}>
        {props.render(row)}
      </div>,
    );
  }
  return (
    <div
      ref={box}
      id={props.id}
      class={`virtual ${props.class ?? ""}`}
      role={props.role as AriaRole}
      aria-label={props.label}
      aria-activedescendant={props.active}
      tabIndex={0}
      onScroll={(event) => setScroll(event.currentTarget.scrollTop)}
      onKeyDown={props.onKeyDown}
      onClick={props.onClick}
      onDblClick={props.onDblClick}
    >
      <div class="virtual-space" role="presentation" style={{ height: `${shown}px` }}>
        {rows}
      </div>
    </div>
  );
}
