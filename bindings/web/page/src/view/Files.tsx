/** All files that are open, and what a search finds in them. */

import type { JSX, TargetedKeyboardEvent, TargetedMouseEvent } from "preact";
import { useRef, useState } from "preact/hooks";
import type { Hit } from "../protocol";
import { closeFiles, file, findInFiles, hits, isChangedListed, listed, type Listed, MOST, openFiles, openListed, showHit, soughtInFiles, unsearched } from "../state";
import { kindName } from "../words";
import { Icon } from "./Icons";
import { size } from "./List";
import { Picker } from "./Picker";
import { Virtual } from "./Virtual";

function FileEntry({ one }: { readonly one: Listed }): JSX.Element {
  const isRead = one.kind !== null;
  const state = one.about === null ? "not read yet" : isRead ? one.about : `Not readable: ${one.about}`;
  return (
    <>
      <span class="entry-name">
        {isChangedListed(one) && <i class="dot" title="changed" />}
        {!isRead && one.about !== null && <b class="cross">✗</b>}
        <span class="name">{one.name}</span>
        {one.kind !== null && <span class="class">{kindName(one.kind)}</span>}
        <span class="size">{size(one.source.size)}</span>
      </span>
      <span class="entry-path" title={state}>
        {isChangedListed(one) && "changed · "}
        {state}
      </span>
    </>
  );
}

function HitEntry({ one, hit: [row, path, address, text] }: { readonly one: Listed; readonly hit: Hit }): JSX.Element {
  const where = row === null && path === "" ? "" : address;
  return (
    <>
      <span class="entry-name">
        <span class="name">{row === null || path === "" ? address || one.name : path}</span>
        <span class="hit">{text}</span>
      </span>
      <span class="entry-path">{[one.name, where].filter((part) => part !== "").join(" · ")}</span>
    </>
  );
}

export function Files(): JSX.Element {
  const picker = useRef<HTMLInputElement>(null);
  const [chosen, setChosen] = useState(0);
  const page = useRef(10);
  const isSearching = soughtInFiles.value !== "";
  const [files, found] = [listed.value, hits.value];
  const count = isSearching ? found.length : files.length;
  const at = Math.max(0, Math.min(chosen, count - 1));
  const unread = files.filter(({ kind, about }) => kind === null && about !== null).length;
  const go = (place: number): void => setChosen(Math.max(0, Math.min(count - 1, place)));
  const enter = (place: number): void => {
    const hit = found[place];
    if (!isSearching) void openListed(files[place]);
    else if (hit !== undefined) void showHit(hit);
  };
  const onKeyDown = (event: TargetedKeyboardEvent<HTMLDivElement>): void => {
    const moves: Record<string, number> = { ArrowDown: at + 1, ArrowUp: at - 1, PageDown: at + page.current, PageUp: at - page.current, Home: 0, End: count - 1 };
    const wanted = moves[event.key];
    if (wanted !== undefined) go(wanted);
    else if (event.key === "Enter") enter(at);
    else return;
    event.preventDefault();
  };
  const onSearchKey = (event: TargetedKeyboardEvent<HTMLInputElement>): void => {
    if (event.key === "Enter" && count > 0) enter(at);
    else if (event.key === "ArrowDown") document.getElementById("files")?.focus();
    else return;
    event.preventDefault();
  };
  const onClick = (event: TargetedMouseEvent<HTMLDivElement>): void => {
    const place = (event.target as Element).closest("[data-place]")?.getAttribute("data-place");
    if (place == null) return;
    go(Number(place));
    enter(Number(place));
  };
  const all = `${files.length.toLocaleString("en")} files${unread === 0 ? "" : `, ${unread.toLocaleString("en")} not readable`}`;
  const matches = `${count === MOST ? "The first " : ""}${count.toLocaleString("en")} ${count === 1 ? "match" : "matches"}`;
  return (
    <main class="files">
      <h1 class="sr-only">Files</h1>
      <div class="pane-head">
        {file.value !== null && (
          <button type="button" class="ghost" onClick={closeFiles}>
            <Icon name="close" /> Close
          </button>
        )}
        <div class="search">
          <Icon name="search" />
          <input
            type="search"
            placeholder="Name, key, text or number in all files"
            aria-label="Search all files"
            value={soughtInFiles.value}
            onInput={(event) => {
              setChosen(0);
              findInFiles(event.currentTarget.value);
            }}
            onKeyDown={onSearchKey}
          />
        </div>
        <button type="button" class="ghost" onClick={() => picker.current?.click()}>
          <Icon name="plus" /> Add files
        </button>
        <Picker input={picker} onFiles={(chosen) => void openFiles(chosen)} />
      </div>
      <Virtual
        key={String(isSearching)}
        count={count}
        rowHeight={2.75}
        role="listbox"
        label={isSearching ? "Matches" : "Files"}
        id="files"
        reveal={at}
        revealed={at}
        active={count > 0 ? `file-${at}` : undefined}
        onKeyDown={onKeyDown}
        onClick={onClick}
        onPage={(rows) => (page.current = rows)}
        render={(place) => {
          const [one, hit] = isSearching ? (found[place] ?? []) : [files[place]];
          if (one === undefined) return null;
          return (
            <div class={`entry ${place === at ? "is-selected" : ""}`} role="option" aria-selected={place === at} aria-setsize={count} aria-posinset={place + 1} id={`file-${place}`} data-place={place}>
              {hit === undefined ? <FileEntry one={one} /> : <HitEntry one={one} hit={hit} />}
            </div>
          );
        }}
      />
      <div class="pane-foot" role="status">
        {!isSearching ? all : unsearched.value > 0 ? `${matches} so far; ${unsearched.value.toLocaleString("en")} files are still searched` : count === 0 ? `Nothing matches ${soughtInFiles.value} in ${all}.` : `${matches} in ${all}`}
      </div>
    </main>
  );
}
