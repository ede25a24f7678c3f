/** Middle: the values, with their names and types. */

import type { JSX, TargetedKeyboardEvent, TargetedMouseEvent } from "preact";
import { useRef } from "preact/hooks";
import { foundIn, instances, isNarrow, isWide, node, panel, row, search, selectNode, selected, showsBytes, sought, table, textAt, tree, treeKnown, unfold, value, wantsFocus } from "../state";
import type { TreeModel, ValueTable } from "../tree";
import { Above, Head, NoFields, colourIn, styleOf } from "./Fields";
import { Seek } from "./Seek";
import { Virtual } from "./Virtual";

const nameOf = (model: TreeModel, at: number): string => {
  const text = model.texts[at];
  return text?.[1]?.replace(/^"|"$/g, "") ?? text?.[5] ?? text?.[0] ?? "";
};

/** A text, with what is searched in it marked. */
function Marked({ text }: { readonly text: string }): JSX.Element {
  const at = foundIn(text);
  if (at < 0) return <>{text}</>;
  const end = at + (sought.value || search.value).length;
  return (
    <>
      {text.slice(0, at)}
      <mark>{text.slice(at, end)}</mark>
      {text.slice(end)}
    </>
  );
}

/** A row, with what is typed in front of it as its place in the tree. */
function Row({ model, values, place, isSelected }: { readonly model: TreeModel; readonly values: ValueTable; readonly place: number; readonly isSelected: boolean }): JSX.Element {
  const at = values.node(place);
  const text = textAt(at);
  const count = values.counts[place] ?? 0;
  const hasInner = count > 0 || model.isFolded(at);
  const [, key, known, note, type] = text ?? ["", null, null, null, null];
  const shown = count > 0 ? `${count.toLocaleString("en")} ${count === 1 ? "value" : "values"}` : (known ?? (text === undefined ? "" : `${(model.byteEnd(at) - model.start(at)).toLocaleString("en")} bytes`));
  const colour = colourIn(shown);
  return (
    <div
      class={`row ${isSelected ? "is-selected" : ""} ${model.isBroken(at) ? "is-broken" : ""}`}
      role="treeitem"
      id={`value-${place}`}
      data-place={place}
      aria-level={(values.depths[place] ?? 0) + 1}
      aria-selected={isSelected}
      {...(hasInner ? { "aria-expanded": count > 0 && values.isOpen(place) } : {})}
    >
      <span class="row-name">
        <span class="indent" style={{ width: `${Math.min(values.depths[place] ?? 0, 24) * 0.9}rem` }} />
        <span aria-hidden="true" class={`twisty ${hasInner ? (count > 0 && values.isOpen(place) ? "is-open" : "is-closed") : ""}`} data-twisty={hasInner ? place : undefined}>
          {hasInner ? "▸" : ""}
        </span>
        {model.isChanged(at) && <i class="dot" title="changed" />}
        <span class="name">{key === null ? nameOf(model, at) : <Marked text={nameOf(model, at)} />}</span>
      </span>
      <span class="row-type">{type}</span>
      <span class={`row-value ${hasInner || known === null || known === "empty" ? "quiet" : styleOf(shown)}`}>
        {colour !== null && <span class="swatch" style={{ background: colour }} />}
        {count > 0 ? shown : <Marked text={shown} />}
        {note !== null && (
          <span class="note" title={note}>
            ! {note}
          </span>
        )}
        {model.isBroken(at) && count === 0 && <b class="cross"> ✗ broken</b>}
      </span>
    </div>
  );
}

/** The only value of a file, such as a number. */
function Single(): JSX.Element | null {
  const now = value.value;
  if (now === null || now.path !== "" || selected.value?.bytes.length === 0 || instances.value !== null) return <NoFields />;
  const colour = colourIn(now.text);
  return (
    <div class="row is-selected">
      <span class="row-name">
        <span class="twisty" />
        <span class="name">value</span>
      </span>
      <span class="row-type">{now.type}</span>
      <span class={`row-value ${styleOf(now.text)}`}>
        {colour !== null && <span class="swatch" style={{ background: colour }} />}
        {now.text}
      </span>
    </div>
  );
}

let typed = "";
let typedAt = 0;

export function Values(): JSX.Element {
  const page = useRef(10);
  const [model, values] = [tree.value, table.value];
  treeKnown.value;
  const visible = values?.visible ?? new Int32Array(0);
  const row_ = node.value === null ? -1 : (values?.rowOf(node.value) ?? -1);
  const place = visible[row_] ?? -1;
  const go = (row: number): void => {
    const wanted = visible[Math.max(0, Math.min(visible.length - 1, row))];
    if (wanted !== undefined && values !== null) void selectNode(values.node(wanted));
  };
  const isFolded = (place: number): boolean => values !== null && model?.isFolded(values.node(place)) === true;
  const open = (place: number, isOpen: boolean): void => {
    if (values !== null && isFolded(place)) return void unfold(values.node(place));
    values?.setOpen(place, isOpen);
    treeKnown.value++;
  };
  /** The next value whose name begins with what is typed; one with this very name goes first. */
  const jump = (key: string): void => {
    if (model === null || values === null) return;
    const now = Date.now();
    typed = (now - typedAt > 900 ? key : typed + key).toLowerCase();
    typedAt = now;
    const from = Math.max(0, typed.length === 1 ? row_ + 1 : row_);
    const rows = Array.from(visible, (_, step) => (from + step) % visible.length);
    const name = (row: number): string => nameOf(model, values.node(visible[row] ?? 0)).toLowerCase();
    const found = rows.find((row) => name(row) === typed) ?? rows.find((row) => name(row).startsWith(typed));
    if (found !== undefined) go(found);
  };
  const onKeyDown = (event: TargetedKeyboardEvent<HTMLDivElement>): void => {
    if (event.ctrlKey || event.metaKey || event.altKey || values === null) return;
    const moves: Record<string, number> = { ArrowDown: row_ + 1, ArrowUp: row_ - 1, PageDown: row_ + page.current, PageUp: row_ - page.current, Home: 0, End: visible.length - 1 };
    const wanted = moves[event.key];
    const isGroup = (values.counts[place] ?? 0) > 0 || isFolded(place);
    if (event.key.length > 1) typed = "";
    if (wanted !== undefined) go(wanted);
    else if (event.key === "ArrowRight" && isGroup) values.isOpen(place) && !isFolded(place) ? go(row_ + 1) : open(place, true);
    else if (event.key === "ArrowLeft" && isGroup && values.isOpen(place) && !isFolded(place)) open(place, false);
    else if (event.key === "ArrowLeft" && values.parent(place) >= 0) void selectNode(values.node(values.parent(place)));
    else if (event.key === "Enter" || event.key === "F2") {
      panel.value = "value";
      wantsFocus.value = true;
    } else if (event.key === "*") {
      values.setAllOpen(true);
      treeKnown.value++;
    } else if (event.key.length === 1 && event.key !== " " && event.key !== "?") jump(event.key);
    else return;
    event.preventDefault();
  };
  const onClick = (event: TargetedMouseEvent<HTMLDivElement>): void => {
    const target = event.target as Element;
    const twisty = target.closest("[data-twisty]")?.getAttribute("data-twisty");
    if (twisty != null) return open(Number(twisty), values?.isOpen(Number(twisty)) !== true);
    const chosen = target.closest("[data-place]")?.getAttribute("data-place");
    if (chosen == null || values === null) return;
    void selectNode(values.node(Number(chosen)));
    // where there is room for one part only
    if (isNarrow.value && (values.counts[Number(chosen)] ?? 0) === 0) panel.value = "value";
  };
  const onDblClick = (): void => {
    panel.value = "value";
    wantsFocus.value = true;
  };
  // as wide as the longest names and types, as far as they are known
  const widths = [...(model?.entries.subarray(0, 2000) ?? [])].reduce(
    ([name, type], at, place) => [Math.max(name ?? 0, (values?.depths[place] ?? 0) * 1.6 + nameOf(model as TreeModel, at).length), Math.max(type ?? 0, model?.texts[at]?.[4]?.length ?? 0)],
    [8, 4],
  );
  const style = { "--name": `${(Math.min(60, widths[0] ?? 0) + 4) * 0.62}rem`, "--type": `${(Math.min(30, widths[1] ?? 0) + 1) * 0.5}rem` };
  return (
    <section class={`pane values ${isWide.value && showsBytes.value ? "is-beside" : ""}`} aria-label="Values">
      <Above />
      <Head title="Values" count={model?.entries.length ?? 0} onOpen={(isOpen) => (values?.setAllOpen(isOpen), treeKnown.value++)} />
      {model?.hasEntries === true && <Seek />}
      <div class="table" style={style} onDblClick={onDblClick}>
        <div class="row is-head" aria-hidden="true">
          <span class="row-name">Name</span>
          <span class="row-type">Type</span>
          <span class="row-value">Value</span>
        </div>
        {model !== null && values !== null && model.hasEntries ? (
          <Virtual
            key={row.value}
            count={visible.length}
            rowHeight={2}
            role="tree"
            label="Values"
            id="values"
            reveal={row_}
            revealed={node.value}
            active={place >= 0 ? `value-${place}` : undefined}
            onKeyDown={onKeyDown}
            onClick={onClick}
            onPage={(rows) => (page.current = rows)}
            render={(at) => <Row model={model} values={values} place={visible[at] ?? 0} isSelected={at === row_} />}
          />
        ) : (
          <Single />
        )}
      </div>
      {selected.value?.end.error != null && model?.hasEntries === true && <div class="pane-foot bad">The rest cannot be read: {selected.value.end.error.message}.</div>}
    </section>
  );
}
