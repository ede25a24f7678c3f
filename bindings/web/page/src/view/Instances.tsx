/** Left: the instances of a model file. */

import type { JSX, TargetedKeyboardEvent, TargetedMouseEvent } from "preact";
import { useRef } from "preact/hooks";
import type { InstanceTree } from "../instances";
import { file, find, instance, instancesKnown, nodeTextAt, onlyBroken, panel, search, selectInstance } from "../state";
import { Icon } from "./Icons";
import { Found, enterValues, size } from "./List";
import { Virtual } from "./Virtual";

function Entry({ tree, row }: { readonly tree: InstanceTree; readonly row: number }): JSX.Element {
  const place = tree.visible[row] ?? 0;
  const known = nodeTextAt(tree.nodeAt(place));
  const isSelected = instance.value === tree.nodeAt(place);
  const hasInner = tree.hasInner(place);
  const isOpen = tree.isOpen(place);
  const [position, count] = tree.position(row);
  const [name, type, bytes, isBroken, isChanged, tags] = known ?? ["", "", 0, false, false, []];
  return (
    <div
      class={`entry is-node ${isBroken ? "is-broken" : ""} ${isSelected ? "is-selected" : ""}`}
      role="treeitem"
      id={`instance-${place}`}
      data-place={row}
      aria-level={tree.depth(place) + 1}
      aria-setsize={count}
      aria-posinset={position}
      aria-selected={isSelected}
      aria-label={known == null ? "loading" : undefined}
      {...(hasInner ? { "aria-expanded": isOpen } : {})}
    >
      <span class="indent" style={{ width: `${Math.min(tree.depth(place), 24) * 0.8}rem` }} />
      <span aria-hidden="true" class={`twisty ${hasInner ? (isOpen ? "is-open" : "is-closed") : ""}`} data-twisty={hasInner ? place : undefined}>
        {hasInner ? "▸" : ""}
      </span>
      {isChanged && <i class="dot" title="changed" />}
      {isBroken && <b class="cross">✗<span class="sr-only"> broken</span></b>}
      <span class="name">{name === "" ? "\u00a0" : name}</span>
      {type !== "" && type !== name && <span class="class">{type}</span>}
      {tags.length > 0 && <span class="tag" title={tags.join(", ")}>{tags.join(", ")}</span>}
      {bytes > 0 && <span class="size">{size(bytes)}</span>}
    </div>
  );
}

export function Instances({ tree }: { readonly tree: InstanceTree }): JSX.Element {
  const page = useRef(10);
  const field = useRef<HTMLInputElement>(null);
  instancesKnown.value;
  const { visible } = tree;
  const current = instance.value === null ? -1 : tree.placeOf(instance.value);
  const at = current < 0 ? -1 : tree.rowOf(current);
  const go = (row: number): void => {
    const place = visible[Math.max(0, Math.min(visible.length - 1, row))];
    if (place !== undefined) void selectInstance(tree.nodeAt(place));
  };
  const toggle = (place: number, isOpen: boolean): void => {
    tree.setOpen(place, isOpen);
    instancesKnown.value++;
  };
  const onKeyDown = (event: TargetedKeyboardEvent<HTMLDivElement>): void => {
    if (event.ctrlKey || event.metaKey || event.altKey) return;
    const moves: Record<string, number> = { ArrowDown: at + 1, ArrowUp: at - 1, PageDown: at + page.current, PageUp: at - page.current, Home: 0, End: visible.length - 1 };
    const wanted = moves[event.key];
    if (wanted !== undefined) go(wanted);
    else if (event.key === "*") {
      tree.setAllOpen(true);
      instancesKnown.value++;
    } else if (event.key.length === 1 && event.key !== " " && event.key !== "?") {
      // what is typed is searched for
      field.current?.focus();
      return;
    } else if (at < 0) return;
    else if (event.key === "ArrowRight") {
      if (!tree.hasInner(current)) return;
      if (tree.isOpen(current)) go(at + 1);
      else toggle(current, true);
    } else if (event.key === "ArrowLeft") {
      if (tree.hasInner(current) && tree.isOpen(current)) toggle(current, false);
      else if (tree.parent(current) >= 0) void selectInstance(tree.nodeAt(tree.parent(current)));
    } else if (event.key === "Enter") enterValues();
    else return;
    event.preventDefault();
  };
  const onClick = (event: TargetedMouseEvent<HTMLDivElement>): void => {
    const target = event.target as Element;
    const twisty = target.closest("[data-twisty]");
    if (twisty !== null) {
      const place = Number(twisty.getAttribute("data-twisty"));
      return toggle(place, !tree.isOpen(place));
    }
    const entry = target.closest("[data-place]");
    if (entry === null) return;
    go(Number(entry.getAttribute("data-place")));
    panel.value = "fields";
  };
  const onSearchKey = (event: TargetedKeyboardEvent<HTMLInputElement>): void => {
    const hit = event.key === "Enter" ? tree.hit(current, event.shiftKey) : null;
    if (hit !== null) void selectInstance(tree.nodeAt(hit));
    else if (event.key === "ArrowDown" || event.key === "ArrowUp") {
      document.getElementById("rows")?.focus();
      go(at < 0 ? 0 : event.key === "ArrowDown" ? at + 1 : at - 1);
    } else return;
    event.preventDefault();
  };
  const showAll = (isAll: boolean): void => {
    tree.setAll(isAll);
    if (isSearching) find(search.value, onlyBroken.value);
    instancesKnown.value++;
  };
  const isSearching = search.value !== "" || onlyBroken.value;
  const total = tree.isAll ? tree.count : tree.withSome;
  const what = `${total === 1 ? "instance" : "instances"}${tree.isAll ? "" : " with attributes or tags"}`;
  return (
    <section class="pane list" aria-label="Instances of the file">
      <div class="pane-head">
        <div class="search">
          <Icon name="search" />
          <input ref={field} type="search" placeholder="Name, class or text" aria-label="Search the instances" value={search.value} onInput={(event) => find(event.currentTarget.value, onlyBroken.value)} onKeyDown={onSearchKey} />
        </div>
        {tree.broken > 0 && (
          <button type="button" class="chip is-bad" aria-pressed={onlyBroken.value} onClick={() => find(search.value, !onlyBroken.value)}>
            {tree.broken.toLocaleString("en")} broken
          </button>
        )}
      </div>
      <label class="only">
        <input
          type="checkbox"
          checked={!tree.isAll}
          onChange={(event) => showAll(!event.currentTarget.checked)}
        />
        Only with attributes or tags
      </label>
      <Virtual
        count={visible.length}
        rowHeight={1.75}
        role="tree"
        label="Instances"
        id="rows"
        reveal={at}
        revealed={instance.value}
        active={at >= 0 ? `instance-${current}` : undefined}
        onKeyDown={onKeyDown}
        onClick={onClick}
        onPage={(rows) => (page.current = rows)}
        render={(row) => <Entry tree={tree} row={row} />}
      />
      <div class="pane-foot" role="status">
        <Found count={tree.foundCount} all={total} what={what} isSearching={isSearching} onMore={tree.isAll || tree.withSome === tree.count || onlyBroken.value ? undefined : () => showAll(true)} />
        {!tree.isAll && tree.count > total && (
          <p>
            {(tree.count - total).toLocaleString("en")} other {tree.count - total === 1 ? "instance has" : "instances have"} no attributes:{" "}
            <button type="button" class="link" onClick={() => showAll(true)}>
              show them
            </button>
          </p>
        )}
        {file.value?.about.end != null && <span class="bad"> · {file.value.about.end}</span>}
      </div>
    </section>
  );
}
