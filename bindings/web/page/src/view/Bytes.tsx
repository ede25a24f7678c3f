/** Right: the bytes, as hex and as text. */

import type { JSX, TargetedKeyboardEvent, TargetedMouseEvent } from "preact";
import { useEffect, useLayoutEffect, useRef, useState } from "preact/hooks";
import { fromHex, toHex, wrongHex } from "../encodings";
import { byte, copy, file, lit, node, replaceBytes, row, selectByte, selected, tree, treeKnown } from "../state";
import type { FieldKind, TreeModel } from "../tree";
import { place } from "./Fields";
import { Icon } from "./Icons";
import { Virtual, rem } from "./Virtual";

const HEX = Array.from({ length: 256 }, (_, value) => value.toString(16).padStart(2, "0"));
/** The width of a byte in characters, as hex and as text. */
const HEX_CELL = 2.6;
const TEXT_CELL = 1.1;
const LETTER: Record<FieldKind, string> = { other: "o", id: "i", length: "l", text: "t", number: "n", word: "w" };

/** The bytes of one line. */
function Line({ bytes, start, width, model, from, to, error }: LineProps): JSX.Element {
  const hex: JSX.Element[] = [];
  const text: JSX.Element[] = [];
  const end = Math.min(bytes.length, start + width);
  let fields: number[] = [];
  let until = -1;
  for (let at = start; at < end; at++) {
    if (model !== null && at >= until) {
      fields = model.fieldsAt(at);
      const first = fields[0];
      until = fields.length === 1 && first !== undefined ? model.byteEnd(first) : at + 1;
    }
    const field = fields[0];
    const kind = field === undefined || model === null ? "u" : LETTER[model.kind(field)];
    const value = bytes[at] ?? 0;
    const isError = error !== null && at >= error[0] && at < Math.max(error[1], error[0] + 1);
    const isSelected = at >= from && at < to;
    const isLit = field !== undefined && lit.value !== null && model?.texts[field]?.[0] === lit.value;
    const edge = (isSelected && at === from ? " s" : "") + (isSelected && at === to - 1 ? " e" : "");
    const name = `b ${kind}${isSelected ? ` on${edge}` : ""}${byte.value === at ? " cursor" : ""}${isError ? " bad" : ""}${isLit ? " lit" : ""}${at % 8 === 0 && at !== start ? " gap" : ""}`;
    hex.push(
      <span key={at} class={name} data-byte={at}>
        {HEX[value]}
      </span>,
    );
    text.push(
      <span key={at} class={name} data-byte={at}>
        {value >= 0x20 && value < 0x7f ? String.fromCharCode(value) : "·"}
      </span>,
    );
  }
  return (
    <>
      <span class="line-at">{place(start, 0)}</span>
      <span class="line-hex" style={{ width: `${width * HEX_CELL + Math.max(0, width / 8 - 1)}ch` }}>
        {hex}
      </span>
      <span class="line-text">{text}</span>
    </>
  );
}

interface LineProps {
  readonly bytes: Uint8Array;
  readonly start: number;
  readonly width: number;
  readonly model: TreeModel | null;
  readonly from: number;
  readonly to: number;
  readonly error: readonly [number, number] | null;
}

/** The bits of a field that does not begin and end with whole bytes. */
function Bits({ model, at, bytes }: { readonly model: TreeModel; readonly at: number; readonly bytes: Uint8Array }): JSX.Element | null {
  if (model.startBit(at) === 0 && model.endBit(at) === 0) return null;
  const first = model.start(at);
  const last = model.byteEnd(at);
  const [from, to] = [first * 8 + model.startBit(at), model.end(at) * 8 + model.endBit(at)];
  const groups: JSX.Element[] = [];
  for (let byte = first; byte < Math.min(last, first + 6); byte++) {
    const bits: JSX.Element[] = [];
    for (let bit = 0; bit < 8; bit++) {
      const place = byte * 8 + bit;
      bits.push(<i class={place >= from && place < to ? "on" : ""}>{((bytes[byte] ?? 0) >> (7 - bit)) & 1}</i>);
    }
    groups.push(<span class="bits-byte">{bits}</span>);
  }
  return (
    <div class="bits" role="img" aria-label={`bits ${from - first * 8} to ${to - first * 8 - 1} from byte ${first.toString(16)}`}>
      {groups}
      {last - first > 6 && <span>…</span>}
      <span class="quiet">{to - from} bits</span>
    </div>
  );
}

/** The most bytes that can be changed as hex. */
const MOST = 256;

/** The bytes of the selected field, to be changed. */
function Change({ bytes, from, to }: { readonly bytes: Uint8Array; readonly from: number; readonly to: number }): JSX.Element {
  const shown = toHex(bytes.subarray(from, to), " ");
  const [text, setText] = useState(shown);
  const [wrong, setWrong] = useState<string | null>(null);
  useLayoutEffect(() => {
    setText(shown);
    setWrong(null);
  }, [shown, from, to]);
  const apply = async (event: Event): Promise<void> => {
    event.preventDefault();
    const wanted = text.trim() === "" ? new Uint8Array() : wrongHex(text) === null ? fromHex(text) : null;
    setWrong(wanted === null ? (wrongHex(text) ?? "Write the bytes as hex, such as 00 00 80 3f.") : await replaceBytes(wanted, from, to));
  };
  return (
    <form class="change" onSubmit={(event) => void apply(event)}>
      <input
        type="text"
        aria-label="Bytes of the field, as hex"
        aria-invalid={wrong !== null}
        value={text}
        spellcheck={false}
        autocomplete="off"
        onInput={(event) => setText(event.currentTarget.value)}
        onKeyDown={(event) => event.key === "Escape" && (setText(shown), setWrong(null))}
      />
      <button type="submit" disabled={text === shown}>
        Set bytes
      </button>
      {wrong !== null && (
        <p class="bad" role="alert">
          {wrong}
        </p>
      )}
    </form>
  );
}

export function Bytes(): JSX.Element {
  const box = useRef<HTMLElement>(null);
  const probe = useRef<HTMLElement>(null);
  const [width, setWidth] = useState(16);
  const model = tree.value;
  treeKnown.value;
  const bytes = selected.value?.bytes ?? new Uint8Array();
  useEffect(() => {
    const element = box.current;
    if (element === null) return undefined;
    const measure = (): void => {
      const character = (probe.current?.getBoundingClientRect().width ?? 78) / 10;
      // what each byte takes, as hex and as text, and what offset and edges take, as in the style
      const room = (element.clientWidth - 1.6 * rem()) / character - 6.5;
      const fits = Math.floor(room / (HEX_CELL + TEXT_CELL + 1 / 8) / 8) * 8;
      if (element.clientWidth > 0) setWidth(Math.max(8, Math.min(32, fits)));
    };
    const observer = new ResizeObserver(measure);
    observer.observe(element);
    return () => observer.disconnect();
  }, []);
  const at = node.value;
  const isField = model !== null && at !== null && at < model.count;
  const [from, to] = isField ? [model.start(at), model.byteEnd(at)] : byte.value === null ? [-1, -1] : [byte.value, byte.value + 1];
  const problem = selected.value?.end.error ?? null;
  const error: readonly [number, number] | null = problem === null ? null : [problem.start, problem.end];
  // a field that was not read has no bytes: then those of the error
  const editable = error !== null && to <= from ? [error[0], Math.min(bytes.length, Math.max(error[1], error[0] + 1))] as const : [from, to] as const;
  const lines = Math.ceil(bytes.length / width);
  const shown = byte.value ?? (problem !== null && isField && model.isBroken(at) ? problem.start : from);
  const onKeyDown = (event: TargetedKeyboardEvent<HTMLDivElement>): void => {
    const now = byte.value ?? Math.max(0, from);
    const moves: Record<string, number> = { ArrowLeft: now - 1, ArrowRight: now + 1, ArrowUp: now - width, ArrowDown: now + width, Home: 0, End: bytes.length - 1 };
    const wanted = moves[event.key];
    if (wanted === undefined || bytes.length === 0) return;
    event.preventDefault();
    selectByte(Math.max(0, Math.min(bytes.length - 1, wanted)));
  };
  const onClick = (event: TargetedMouseEvent<HTMLDivElement>): void => {
    const target = (event.target as Element).closest("[data-byte]");
    if (target !== null) selectByte(Number(target.getAttribute("data-byte")));
  };
  const isWithin = file.value?.about.container !== null;
  return (
    <section class="pane bytes" aria-label="Bytes" ref={box}>
      <span class="probe" ref={probe} aria-hidden="true">
        0000000000
      </span>
      <div class="pane-head">
        <h2>Bytes</h2>
        <span class="quiet">{isField && to > from ? `${to - from} of ${bytes.length.toLocaleString("en")}` : bytes.length.toLocaleString("en")}</span>
        <span class="spring" />
        {isWithin && <span class="quiet" title="Offsets count from the first byte of the value, unpacked, and not from that of the file.">offsets in the value</span>}
        <button type="button" class="ghost" title="Copy all bytes of the value as hex" onClick={() => void copy("The hex", toHex(bytes))}>
          <Icon name="copy" /> Hex
        </button>
      </div>
      <Virtual
        key={`${row.value} ${width}`}
        class="hex"
        count={lines}
        rowHeight={1.5}
        role="group"
        label="Hex and text of the value. Arrow keys move from byte to byte."
        id="bytes"
        reveal={shown < 0 ? -1 : Math.floor(shown / width)}
        revealed={`${at} ${shown}`}
        onKeyDown={onKeyDown}
        onClick={onClick}
        render={(line) => (
          <div class="line">
            <Line bytes={bytes} start={line * width} width={width} model={model} from={from} to={to} error={error} />
          </div>
        )}
      />
      {isField && <Bits model={model} at={at} bytes={bytes} />}
      {isField && editable[1] > editable[0] && editable[1] - editable[0] <= MOST && <Change bytes={bytes} from={editable[0]} to={editable[1]} />}
      <p class="sr-only" role="status">
        {byte.value === null ? "" : `Byte ${byte.value.toString(16)} is ${HEX[bytes[byte.value] ?? 0]}`}
      </p>
    </section>
  );
}
