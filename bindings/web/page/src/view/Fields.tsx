/** Middle: the layout of the bytes of a value, field by field. */

import type { JSX, TargetedKeyboardEvent, TargetedMouseEvent } from "preact";
import { useRef, useState } from "preact/hooks";
import { client } from "../client";
import { MORE_TAGS, copy, file, hasList, instance, instances, isWide, kept, lit, marks, node, open, panel, problem, properties, repair, replaceBytes, row, rowAt, select, selectNode, selected, setTag, showsBytes, tagProblem, tags, textAt, tool, tree, treeKnown, unfold, view, wantsBytes, wantsFocus } from "../state";
import type { TreeModel } from "../tree";
import { Icon } from "./Icons";
import { Seek } from "./Seek";
import { Virtual } from "./Virtual";
import { fromBase64, fromHex, wrongHex } from "../encodings";

export function place(byte: number, bit: number): string {
  return `${byte.toString(16).padStart(4, "0")}${bit > 0 ? `.${bit}` : ""}`;
}

/** The colour of a value by how it is written. */
export function styleOf(text: string): string {
  if (text.startsWith('"')) return "v-text";
  if (/^0x|^\d+ [A-Z]\w+$/.test(text)) return "v-id";
  if (/^(true|false|nil|null)$/.test(text)) return "v-word";
  if (/^[-\d]|^(NaN|inf)/.test(text)) return "v-number";
  return "v-other";
}

/** A colour in a text, to be shown beside it. */
export function colourIn(text: string): string | null {
  const found = /^(?:Color3\.new|Color)\(([-\d.e]+), ([-\d.e]+), ([-\d.e]+)/.exec(text);
  if (found !== null) {
    const part = (at: number): number => Math.round(Math.max(0, Math.min(1, Number(found[at]))) * 255);
    return `rgb(${part(1)} ${part(2)} ${part(3)})`;
  }
  const bytes = /^Color3\.fromRGB\((\d+), (\d+), (\d+)\)/.exec(text);
  return bytes === null ? null : `rgb(${bytes[1]} ${bytes[2]} ${bytes[3]})`;
}

function Field({ model, at }: { readonly model: TreeModel; readonly at: number }): JSX.Element {
  const text = textAt(at);
  const isSelected = node.value === at;
  const hasInner = model.hasInner(at) || model.isFolded(at);
  const isOpen = model.isOpen(at) && !model.isFolded(at);
  const isEntry = model.isEntry(at);
  const [label, key, value, own, type] = text ?? ["", null, null, null, null];
  const note = marks.value.get(at) ?? own;
  const isLit = lit.value !== null && label === lit.value;
  const colour = value === null ? null : colourIn(value);
  return (
    <div
      class={`field ${isSelected ? "is-selected" : ""} ${isEntry ? "is-entry" : ""} ${model.isBroken(at) ? "is-broken" : ""} ${isLit ? "is-lit" : ""} k-${model.kind(at)}`}
      role="treeitem"
      id={`node-${at}`}
      data-node={at}
      aria-level={model.depth(at) + 1}
      aria-selected={isSelected}
      {...(hasInner ? { "aria-expanded": isOpen } : {})}
    >
      <span class="indent" style={{ width: `${Math.min(model.depth(at), 24) * 0.9}rem` }} />
      <span aria-hidden="true" class={`twisty ${hasInner ? (isOpen ? "is-open" : "is-closed") : ""}`} data-twisty={hasInner ? at : undefined}>
        {hasInner ? "▸" : ""}
      </span>
      {key === null ? <span class="label">{label}</span> : <span class="key">{key.replace(/^"|"$/g, "")}</span>}
      {type != null && type !== "" && <span class="class">{type}</span>}
      {colour !== null && <span class="swatch" style={{ background: colour }} />}
      {value !== null && <span class={`value ${styleOf(value)}`}>{value}</span>}
      {note !== null && (
        <span class="note" title={note}>
          ! {note}
        </span>
      )}
      {model.isBroken(at) && !hasInner && <b class="cross">✗<span class="sr-only"> broken</span></b>}
      <span class="offset" aria-hidden="true">{place(model.start(at), model.startBit(at))}</span>
    </div>
  );
}

/** The error of a broken value, and the ways to repair it. */
function Broken(): JSX.Element | null {
  const replacement = useRef<HTMLTextAreaElement>(null);
  const [wrong, setWrong] = useState<string | null>(null);
  const end = selected.value?.end;
  const error = end?.error;
  if (error == null) {
    if (end?.limit != null) return <div class="banner is-note">The rest is not shown: more fields would take more than {end.limit.toLocaleString("en")} bytes of memory.</div>;
    return end?.note != null ? <div class="banner is-note">Not canonical: {end.note}</div> : null;
  }
  const put = (bytes: Uint8Array, from?: number, to?: number): void => void replaceBytes(bytes, from, to).then((wrong) => wrong !== null && (problem.value = wrong));
  const replace = (): void => {
    const text = replacement.current?.value ?? "";
    const odd = wrongHex(text);
    const bytes = odd === null ? (fromHex(text) ?? fromBase64(text)) : null;
    setWrong(bytes === null ? (odd ?? "Write the bytes as hex, such as 00 00 80 3f, or as base64, such as AACAPw==.") : null);
    if (bytes !== null) put(bytes);
  };
  const lost = (selected.value?.bytes.length ?? 0) - error.offset;
  // where the id of a rotation is
  const isRotation = error.code === "unknown-id" && /\brotation\b/.test(error.message) && error.bit === 0;
  return (
    <div class="banner is-bad" role="alert">
      <h2>
        <Icon name="alert" /> {error.message}
      </h2>
      <p>
        At byte <code>0x{place(error.offset, error.bit)}</code>
        {error.path !== "" && (
          <>
            {" "}
            in <code class="wrap">{error.path}</code>
          </>
        )}
        . {error.expected !== null && <>Expected {error.expected}.</>} {error.about !== error.message && error.about}
      </p>
      <p>
        {kept.value === null ? (
          "Nothing before the error can be kept as a value."
        ) : (
          <>
            What comes before it is a value: <code class="wrap">{kept.value.length > 240 ? `${kept.value.slice(0, 240)}…` : kept.value}</code> Cut loses the rest, {lost === 1 ? "1 byte" : `${lost.toLocaleString("en")} bytes`} or more.
          </>
        )}
      </p>
      <div class="actions">
        {isRotation && (
          <button type="button" title="All before and after it stays" onClick={() => put(Uint8Array.of(2), error.offset, error.offset + 1)}>
            Use rotation 02: not turned
          </button>
        )}
        <button type="button" disabled={kept.value === null} onClick={() => void repair("cut")}>
          Cut: keep what comes before
        </button>
        <button type="button" onClick={() => void repair("clear")}>
          Clear: keep nothing
        </button>
        <details>
          <summary>Replace the whole value</summary>
          <textarea ref={replacement} rows={2} aria-label="Bytes as hex or base64" placeholder="hex or base64" spellcheck={false} />
          <button type="button" onClick={replace}>
            Replace
          </button>
          {wrong !== null && <p class="bad">{wrong}</p>}
        </details>
      </div>
    </div>
  );
}

/** The reason for an empty list of fields. */
export function NoFields(): JSX.Element {
  const now = selected.value;
  const [address, , , state, about] = rowAt(row.value) ?? ["", "", 0, "value", ""];
  if (now === null || now.row !== row.value) return <p class="empty" />;
  // the bytes could not be got out of the file
  if (state === "broken" && now.bytes.length === 0 && about !== "") {
    return (
      <div class="banner is-bad" role="alert">
        <h2>
          <Icon name="alert" /> {about}
        </h2>
        <p>
          {instances.value === null
            ? "The value cannot be read from the file, and so it cannot be repaired here."
            : "Here the file is damaged, or its end is missing. What was read of it is in the list, but nothing can be changed: get a whole file, for example by saving it again in Roblox Studio."}
        </p>
      </div>
    );
  }
  if (instances.value !== null && (now.bytes.length === 0 || now.end.hasValues)) return <p class="empty">The instance has no attributes. One can be added as a value.</p>;
  if (file.value?.kind === "godot-pack" && now.bytes.length > 0) {
    return (
      <p class="empty">
        A file in the pack.{" "}
        <button type="button" class="link" onClick={() => void open(address.replace(/^.*\//, ""), new Blob([now.bytes as Uint8Array<ArrayBuffer>]))}>
          Open this file
        </button>
      </p>
    );
  }
  // it is one value, which is about to be shown
  if (now.end.hasValues && now.bytes.length > 0) return <p class="empty" />;
  return <p class="empty">{now.bytes.length === 0 ? "No bytes: a value that holds nothing." : "These bytes are not a value of the format."}</p>;
}

/** The tags of the instance. */
function Tags(): JSX.Element | null {
  const [text, setText] = useState("");
  const field = useRef<HTMLInputElement>(null);
  const tree = instances.value;
  // what is wrong with the file is of no instance
  if (tree === null || instance.value === null || properties.value[0]?.[1] === "") return null;
  const add = async (event: Event): Promise<void> => {
    event.preventDefault();
    // what was typed last may not be shown yet
    const wanted = field.current?.value ?? "";
    if (wanted !== "" && (await setTag(wanted, true))) setText("");
  };
  return (
    <div class="tags">
      <h2>Tags</h2>
      <ul>
        {tags.value.map((tag) => (
          <li key={tag}>
            <span>{tag}</span>
            {MORE_TAGS.test(tag) || (
              <button type="button" class="ghost" aria-label={`Remove the tag ${tag}`} title="Remove" onClick={() => void setTag(tag, false)}>
                <Icon name="close" />
              </button>
            )}
          </li>
        ))}
        {tags.value.length === 0 && <li class="is-none">none</li>}
      </ul>
      <form onSubmit={(event) => void add(event)}>
        <input ref={field} type="text" value={text} spellcheck={false} autocomplete="off" aria-label="A new tag" placeholder="new tag" onInput={(event) => setText(event.currentTarget.value)} />
        <button type="submit" disabled={text === ""}>
          Add tag
        </button>
      </form>
      {tagProblem.value !== null && (
        <p class="bad" role="alert">
          {tagProblem.value}
        </p>
      )}
    </div>
  );
}

/** The properties of the instance, if it has several with values. */
function Properties(): JSX.Element | null {
  if (properties.value.length < 2) return null;
  return (
    <div class="properties" role="group" aria-label="Properties">
      {properties.value.map(([number, name]) => (
        <button type="button" key={number} class="chip" aria-pressed={number === row.value} onClick={() => void select(number)}>
          {name}
        </button>
      ))}
    </div>
  );
}

async function copyJson(): Promise<void> {
  const json = await client.call("text", [0, row.value, "json"]).catch((error: Error) => {
    problem.value = error.message;
    return null;
  });
  if (json !== null) await copy("The JSON", json);
}

/** The part above the values: tags, properties and problems. */
export function Above(): JSX.Element {
  const [address, , , , about] = hasList.value && instances.value === null ? (rowAt(row.value) ?? []) : [];
  return (
    <>
      {(address ?? "") !== "" && (
        <p class="address">
          <code class="wrap">{address}</code> <span class="quiet">{about}</span>
        </p>
      )}
      <Tags />
      <Properties />
      <Survives />
      <Broken key={row.value} />
    </>
  );
}

/** The fields that another tool does not keep. */
function Survives(): JSX.Element | null {
  const tools = file.value?.about.tools ?? [];
  if (tools.length === 0 || selected.value === null) return null;
  return (
    <details class="survives" open={tool.value !== ""}>
      <summary>Will it survive?</summary>
      <label>
        In{" "}
        <select value={tool.value} onChange={(event) => (tool.value = event.currentTarget.value)}>
          <option value="">no other tool</option>
          {tools.map(([name, version]) => (
            <option key={name} value={name}>
              {version}
            </option>
          ))}
        </select>
      </label>
      {tool.value !== "" && <p role="status">{marks.value.size === 0 ? "Nothing is known that it would change, lose or refuse here." : "It does not keep all of this value:"}</p>}
      <ul>
        {[...marks.value].map(([at, sentence]) => (
          <li key={at}>
            <button type="button" class="link" onClick={() => void selectNode(at)}>
              {sentence}
            </button>
          </li>
        ))}
      </ul>
    </details>
  );
}

/** Shows the value that contains all others, and the form that adds one to it. */
function addBeside(): void {
  panel.value = "value";
  // its key, or if it has none its value
  void selectNode(0).then(() => requestAnimationFrame(() => document.querySelector<HTMLElement>("#editor .structure details[open] input")?.focus()));
}

/** The title of the values, or of their layout, with the switch between the two. */
export function Head({ title, count, onOpen }: { readonly title: string; readonly count: number; readonly onOpen: (isOpen: boolean) => void }): JSX.Element {
  // the values, if both are shown
  const isFirst = title === "Values" || !isWide.value;
  return (
    <div class="pane-head">
      <h2>{title}</h2>
      <span class="quiet">{count === 0 ? "" : count.toLocaleString("en")}</span>
      <span class="spring" />
      {isFirst && count > 0 && selected.value?.end.hasValues === true && (
        <button type="button" class="ghost" aria-label="Add" title="Add a value beside these" onClick={addBeside}>
          <Icon name="plus" /> <span class="wide-only">Add</span>
        </button>
      )}
      {isFirst && selected.value?.end.hasValues === true && (
        <button type="button" class="ghost" title="Copy the whole value as JSON" onClick={() => void copyJson()}>
          <Icon name="copy" /> JSON
        </button>
      )}
      <button type="button" class="ghost" aria-label="Open all fields" title="Open all (*)" onClick={() => onOpen(true)}>
        <Icon name="expand" />
      </button>
      <button type="button" class="ghost" aria-label="Close all values" title="Close all values" onClick={() => onOpen(false)}>
        <Icon name="collapse" />
      </button>
      {isFirst && view.value !== "how" && (
        <button type="button" class="ghost toggle" role="switch" aria-checked={showsBytes.value} title="Show the layout of the bytes (Ctrl+B)" onClick={toggleBytes}>
          <i aria-hidden="true" /> Bytes
        </button>
      )}
    </div>
  );
}

export function toggleBytes(): void {
  wantsBytes.value = !showsBytes.value;
  if (panel.value === "bytes") panel.value = "fields";
}

let typed = "";
let typedAt = 0;

export function Fields(): JSX.Element {
  const page = useRef(10);
  const model = tree.value;
  treeKnown.value;
  const visible = model?.visible ?? new Int32Array(0);
  const current = node.value;
  const at = model === null || current === null ? -1 : model.rowOf(current);
  const go = (place: number): void => {
    const wanted = visible[Math.max(0, Math.min(visible.length - 1, place))];
    if (wanted !== undefined) void selectNode(wanted);
  };
  const toggle = (number: number, isOpen: boolean): void => {
    if (model?.isFolded(number) === true) return void unfold(number);
    model?.setOpen(number, isOpen);
    treeKnown.value++;
  };
  /** The next field whose name begins with what is typed. */
  const jump = (key: string): void => {
    const now = Date.now();
    typed = now - typedAt > 900 ? key : typed + key;
    typedAt = now;
    const start = typed.length === 1 ? at + 1 : at;
    const wanted = typed.toLowerCase();
    let first: number | null = null;
    for (let step = 0; step < visible.length; step++) {
      const number = visible[(Math.max(0, start) + step) % visible.length] ?? 0;
      const text = model?.texts[number];
      const name = (text?.[1]?.replace(/^"|"$/g, "") ?? text?.[0] ?? "").toLowerCase();
      // all of a name goes before the beginning of another
      if (name === wanted) return void selectNode(number);
      if (first === null && name.startsWith(wanted)) first = number;
    }
    if (first !== null) void selectNode(first);
  };
  const onKeyDown = (event: TargetedKeyboardEvent<HTMLDivElement>): void => {
    if (model === null || event.ctrlKey || event.metaKey || event.altKey) return;
    const moves: Record<string, number> = { ArrowDown: at + 1, ArrowUp: at - 1, PageDown: at + page.current, PageUp: at - page.current, Home: 0, End: visible.length - 1 };
    const wanted = moves[event.key];
    // other keys end the name that is being typed
    if (event.key.length > 1) typed = "";
    if (wanted !== undefined) go(wanted);
    else if (current === null) return;
    else if (event.key === "ArrowRight") {
      if (model.isFolded(current) || (model.hasInner(current) && !model.isOpen(current))) toggle(current, true);
      else if (model.hasInner(current)) go(at + 1);
    } else if (event.key === "ArrowLeft") {
      if (model.hasInner(current) && model.isOpen(current)) toggle(current, false);
      else if ((model.parents[current] ?? -1) >= 0) void selectNode(model.parents[current] ?? 0);
    } else if (event.key === "*") {
      model.setAllOpen(true);
      treeKnown.value++;
    } else if (event.key === "Enter" || event.key === "F2") {
      panel.value = "value";
      wantsFocus.value = true;
    } else if (event.key.length === 1 && event.key !== " " && event.key !== "?") jump(event.key);
    else return;
    event.preventDefault();
  };
  const onClick = (event: TargetedMouseEvent<HTMLDivElement>): void => {
    const target = event.target as Element;
    const twisty = target.closest("[data-twisty]");
    if (twisty !== null && model !== null) {
      const number = Number(twisty.getAttribute("data-twisty"));
      return toggle(number, !model.isOpen(number));
    }
    const field = target.closest("[data-node]");
    if (field !== null) void selectNode(Number(field.getAttribute("data-node")));
  };
  const gap = selected.value?.end.gap;
  return (
    <section class="pane fields" aria-label="Fields">
      {!isWide.value && <Above />}
      <Head title="Layout" count={model?.count ?? 0} onOpen={(isOpen) => (model?.setAllOpen(isOpen), treeKnown.value++)} />
      {!isWide.value && model?.hasEntries === true && <Seek />}
      {model !== null && model.count > 0 ? (
        <Virtual
          key={row.value}
          count={visible.length}
          rowHeight={1.625}
          role="tree"
          label="Fields of the value"
          id="fields"
          reveal={at}
          revealed={current}
          active={at >= 0 ? `node-${current}` : undefined}
          onKeyDown={onKeyDown}
          onClick={onClick}
          onPage={(rows) => (page.current = rows)}
          render={(place) => <Field model={model} at={visible[place] ?? 0} />}
        />
      ) : (
        <NoFields />
      )}
      {gap != null && (
        <div class="pane-foot">
          {gap[2] - gap[0] === 1 && gap[1] === 0 ? "Byte" : "Bytes"} <code>{place(gap[0], gap[1])}</code>
          {gap[2] - gap[0] > 1 && <> to <code>{place(gap[2] - 1, 0)}</code></>} {gap[2] - gap[0] === 1 ? "was" : "were"} not read.
        </div>
      )}
    </section>
  );
}
