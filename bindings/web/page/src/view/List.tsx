/** Left: the values of a container. */

import type { JSX, TargetedKeyboardEvent, TargetedMouseEvent } from "preact";
import { useRef } from "preact/hooks";
import { file, find, found, onlyBroken, panel, row, rowAt, rowCount, search, select, wantsFocus } from "../state";
import { Icon } from "./Icons";
import { Virtual } from "./Virtual";

const number = (place: number): number => found.value?.[place] ?? place;

/** The position of the selected row in the list. */
function placeOfSelected(): number {
  const list = found.value;
  return list === null ? row.value : list.indexOf(row.value);
}

export function size(bytes: number): string {
  if (bytes < 1000) return `${bytes} B`;
  if (bytes < 1_000_000) return `${(bytes / 1000).toFixed(1)} kB`;
  return `${(bytes / 1_000_000).toFixed(1)} MB`;
}

/** The names that the page shows for properties of an instance. */
const ABOUT: Readonly<Record<string, string>> = {
  Tags: "tags",
  PropertiesSerialize: "style properties",
  PropertyTransitionsSerialize: "style transitions",
};

/** An address in two parts: the last name, and what is before it. */
function parts(address: string): readonly [string, string, string] {
  const [, path, property] = /^(.*?)(?::(Tags|PropertiesSerialize|PropertyTransitionsSerialize))?$/s.exec(address) ?? [];
  const whole = path ?? address;
  // a dot in quotes is part of a name
  const name = /(?:"(?:[^"\\]|\\.)*"|[^."])*$/s.exec(whole)?.[0] ?? "";
  const dot = whole.startsWith("res://") ? whole.lastIndexOf("/") : whole.length - name.length - 1;
  const about = ABOUT[property ?? ""] ?? "";
  return [whole.slice(dot + 1), whole.slice(0, Math.max(0, dot)), about];
}

function Entry({ place }: { readonly place: number }): JSX.Element {
  const known = rowAt(number(place));
  const isSelected = number(place) === row.value;
  if (known === undefined || known === null) return <div class="entry" role="option" aria-selected={false} id={`row-${place}`} aria-label="loading" />;
  const [address, type, bytes, state, about, isChanged] = known;
  const [name, before, property] = parts(address);
  return (
    <div
      class={`entry is-${state} ${isSelected ? "is-selected" : ""}`}
      role="option"
      aria-selected={isSelected}
      aria-setsize={rowCount.value}
      aria-posinset={place + 1}
      id={`row-${place}`}
      data-place={place}
    >
      <span class="entry-name">
        {isChanged && <i class="dot" title="changed" />}
        {state === "broken" && <b class="cross">✗<span class="sr-only"> broken</span></b>}
        <span class="name">{name}</span>
        {type !== "" && <span class="class">{type}</span>}
        {property !== "" && <span class="class">{property}</span>}
        <span class="size">{size(bytes)}</span>
      </span>
      <span class={`entry-path ${about === "" ? "is-path" : ""}`}>{[before, about].filter((part) => part !== "").join(" · ") || "\u00a0"}</span>
    </div>
  );
}

/** Goes on by the keyboard in the values of what is chosen, or if there is a single one, in its control. */
export function enterValues(): void {
  const values = document.querySelector<HTMLElement>("#values, #fields");
  panel.value = values === null ? "value" : "fields";
  if (values === null) wantsFocus.value = true;
  else values.focus();
}

/** The number of what is listed, or what to do if nothing matches. */
export function Found({ count, all, what, isSearching, onMore }: { readonly count: number; readonly all: number; readonly what: string; readonly isSearching: boolean; readonly onMore?: (() => void) | undefined }): JSX.Element {
  if (isSearching && count === 0) {
    return (
      <>
        Nothing matches {search.value === "" ? "" : <b>{search.value}</b>}.
        <button type="button" class="link" onClick={onMore ?? (() => find("", false))}>
          {onMore === undefined ? "Show all" : "Search all instances"}
        </button>
      </>
    );
  }
  return <>{`${isSearching ? `${count.toLocaleString("en")} of ` : ""}${all.toLocaleString("en")} ${what}`}</>;
}

export function List(): JSX.Element {
  const page = useRef(10);
  const count = rowCount.value;
  const broken = file.value?.about.broken ?? 0;
  const all = file.value?.about.rows ?? 0;
  const go = (place: number): void => {
    const bound = Math.max(0, Math.min(count - 1, place));
    if (count > 0) void select(number(bound));
  };
  const onKeyDown = (event: TargetedKeyboardEvent<HTMLDivElement>): void => {
    const at = placeOfSelected();
    const moves: Record<string, number> = { ArrowDown: at + 1, ArrowUp: at - 1, PageDown: at + page.current, PageUp: at - page.current, Home: 0, End: count - 1 };
    const wanted = moves[event.key];
    if (wanted !== undefined) go(wanted);
    else if (event.key === "Enter") enterValues();
    else return;
    event.preventDefault();
  };
  const onClick = (event: TargetedMouseEvent<HTMLDivElement>): void => {
    const entry = (event.target as Element).closest("[data-place]");
    if (entry === null) return;
    go(Number(entry.getAttribute("data-place")));
    panel.value = "fields";
  };
  const onSearchKey = (event: TargetedKeyboardEvent<HTMLInputElement>): void => {
    const at = placeOfSelected();
    if (event.key === "Enter") go(event.shiftKey ? at - 1 : at + 1 >= count ? 0 : at + 1);
    else if (event.key === "ArrowDown" || event.key === "ArrowUp") {
      go(event.key === "ArrowDown" ? at + 1 : at - 1);
      document.getElementById("rows")?.focus();
    } else return;
    event.preventDefault();
  };
  const place = placeOfSelected();
  return (
    <section class="pane list" aria-label="Values of the file">
      <div class="pane-head">
        <div class="search">
          <Icon name="search" />
          <input type="search" placeholder="Name or text" aria-label="Search the values" value={search.value} onInput={(event) => find(event.currentTarget.value, onlyBroken.value)} onKeyDown={onSearchKey} />
        </div>
        {broken > 0 && (
          <button type="button" class="chip is-bad" aria-pressed={onlyBroken.value} onClick={() => find(search.value, !onlyBroken.value)}>
            {broken.toLocaleString("en")} broken
          </button>
        )}
      </div>
      <Virtual
        count={count}
        rowHeight={2.75}
        role="listbox"
        label="Values"
        id="rows"
        reveal={place}
        revealed={row.value}
        active={place >= 0 ? `row-${place}` : undefined}
        onKeyDown={onKeyDown}
        onClick={onClick}
        onPage={(rows) => (page.current = rows)}
        render={(at) => <Entry place={at} />}
      />
      <div class="pane-foot" role="status">
        <Found count={count} all={all} what={all === 1 ? "value" : "values"} isSearching={found.value !== null} />
        {file.value?.about.end != null && <span class="bad"> · {file.value.about.end}</span>}
      </div>
    </section>
  );
}
