/** The bytes of a sample. Its values light up in turn, to show at a glance what this page does. */

import type { JSX } from "preact";
import { useEffect, useState } from "preact/hooks";
import samples from "virtual:samples";
import { client } from "../client";
import { fromBase64 } from "../encodings";
import type { Selected } from "../protocol";
import { openSample } from "../state";
import { TreeModel } from "../tree";
import { colourIn } from "./Fields";

/** The place of its file in the worker. */
const SLOT = 2;
const COLUMNS = 16;
const PAUSE = 1800;

export function Specimen(): JSX.Element | null {
  const sample = samples[0];
  const [selected, setSelected] = useState<Selected | null>(null);
  const [turn, setTurn] = useState(0);
  const [pointed, setPointed] = useState<number | null>(null);
  useEffect(() => {
    if (sample === undefined) return;
    const bytes = fromBase64(sample.content) ?? new Uint8Array();
    client
      .call("open", [SLOT, bytes, sample.kind, ""])
      .then(() => client.call("select", [SLOT, 0]))
      .then(setSelected, () => undefined);
  }, []);
  useEffect(() => {
    if (matchMedia("(prefers-reduced-motion: reduce)").matches) return undefined;
    const timer = setInterval(() => setTurn((turn) => turn + 1), PAUSE);
    return () => clearInterval(timer);
  }, []);
  const bytes = selected?.bytes ?? new Uint8Array(13 * COLUMNS);
  const model = selected === null ? null : new TreeModel(selected);
  const entries = model === null ? [] : Array.from({ length: model.count }, (_, node) => node).filter((node) => model.isEntry(node));
  const entryAt = (byte: number): number | undefined => entries.find((node) => model !== null && model.start(node) <= byte && byte < model.byteEnd(node));
  const lit = (pointed === null ? undefined : entryAt(pointed)) ?? entries[(turn + 2) % Math.max(1, entries.length)];
  const [from, to] = model === null || lit === undefined ? [-1, -1] : [model.start(lit), model.byteEnd(lit)];
  const [, key, value, , type] = (lit === undefined ? undefined : selected?.texts[lit]) ?? ["", null, null, null, null];
  const colour = value === null ? null : colourIn(value);
  const rows = Array.from({ length: Math.ceil(bytes.length / COLUMNS) }, (_, row) => row * COLUMNS);
  return (
    <div
      class="specimen"
      aria-hidden="true"
      onClick={() => sample !== undefined && void openSample(sample)}
      onPointerMove={(event) => {
        const byte = (event.target as Element).getAttribute("data-at");
        setPointed(byte === null ? null : Number(byte));
      }}
      onPointerLeave={() => setPointed(null)}
    >
      <div class="specimen-grid">
        {rows.map((row) => (
          <div key={row}>
            {[...bytes.subarray(row, row + COLUMNS)].map((byte, column) => {
              const at = row + column;
              const field = model?.fieldsAt(at)[0];
              const kind = field === undefined || model === null ? "u" : model.kind(field)[0];
              const isOn = at >= from && at < to;
              return (
                <span key={at} data-at={at} class={`b ${kind} ${isOn ? "on" : ""} ${at === from ? "s" : ""} ${at === to - 1 ? "e" : ""}`}>
                  {model === null ? "··" : byte.toString(16).padStart(2, "0")}
                </span>
              );
            })}
          </div>
        ))}
      </div>
      <div class="specimen-value">
        <b>{key?.replace(/^"|"$/g, "") ?? "…"}</b>
        {type !== null && type !== undefined && <span class="class">{type}</span>}
        <code>
          {colour !== null && <span class="swatch" style={{ background: colour }} />}
          {value ?? ""}
        </code>
      </div>
    </div>
  );
}
