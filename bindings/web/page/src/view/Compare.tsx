/** Two files side by side, with the values that were removed, added and changed. */

import type { JSX, TargetedKeyboardEvent, TargetedMouseEvent } from "preact";
import { useRef, useState } from "preact/hooks";
import type { Difference } from "../protocol";
import { alike, canTake, changes, closeCompare, compared, DIFFERENT, downloadDifferences, file, instances, isNarrow, other, own, showDifference, take, takeAll } from "../state";
import { Icon } from "./Icons";
import { Virtual } from "./Virtual";
import { colourIn } from "./Fields";

/** The number of common characters that are shown before a difference. */
const COMMON = 8;
/** Of a longer value, no more is shown. */
const MOST = 100_000;

const count = (number: number, one: string, many: string): string => `${number.toLocaleString("en")} ${number === 1 ? one : many}`;

/** The lengths of the common beginning and of the common end of two values, in characters. */
function common(before: string | null, after: string | null): readonly [number, number] {
  if (before === null || after === null) return [0, 0];
  const least = Math.min(before.length, after.length);
  let start = 0;
  while (start < least && before[start] === after[start]) start++;
  let end = 0;
  while (end < least - start && before.at(-1 - end) === after.at(-1 - end)) end++;
  return [start, end];
}

/** The types of a value in either file, if they differ. */
function typesOf({ types: [one, other] }: Difference): readonly [string | undefined, string | undefined] {
  return one === null || other === null || one === other ? [undefined, undefined] : [one, other];
}

/** The names of the two files, in the order of a pair. */
function namesOf(): readonly [string | undefined, string | undefined] {
  const names = [file.value?.name, other.value?.name] as const;
  return own() === 0 ? names : [names[1], names[0]];
}

function Side({ text, type, start }: { readonly text: string | null; readonly type: string | undefined; readonly start: number }): JSX.Element {
  if (text === null) return <span class="side is-none" aria-hidden="true" />;
  const colour = colourIn(text);
  return (
    <span class="side" aria-hidden="true" title={text.length > 2000 ? `${text.slice(0, 2000)}…` : text}>
      {type !== undefined && (
        <>
          <span class="class">{type}</span>{" "}
        </>
      )}
      {colour !== null && <span class="swatch" style={{ background: colour }} />}
      {text === "" ? <span class="quiet">(nothing)</span> : start > 3 * COMMON ? `…${text.slice(start - COMMON)}` : text}
    </span>
  );
}

/** All of a value, with what differs marked. */
function Whole({ name, text, type, ends }: { readonly name: string | undefined; readonly text: string | null; readonly type: string | undefined; readonly ends: readonly [number, number] }): JSX.Element {
  const whole = text ?? "";
  const [start, end] = [ends[0], whole.length - ends[1]];
  const part = (from: number, to: number): string => whole.slice(from, Math.min(to, MOST));
  return (
    <div>
      <b>{name}</b> {type !== undefined && <span class="class">{type}</span>}
      <p>
        {text === null ? (
          <span class="quiet">none</span>
        ) : text === "" ? (
          <span class="quiet">(nothing)</span>
        ) : (
          <>
            {part(0, start)}
            {end > start && <span class="differs">{part(start, end)}</span>}
            {part(end, whole.length)}
            {whole.length > MOST && <span class="quiet">… and {count(whole.length - MOST, "more character", "more characters")}</span>}
          </>
        )}
      </p>
    </div>
  );
}

/** Why a difference cannot be taken, and what can be done. */
function whyNot({ sign, nodes, isInstance, address }: Difference): string {
  const mine = file.value?.name;
  if (isInstance && sign === "~") return "The class of an instance is not changed here. Its values and tags can be taken one by one.";
  if (isInstance) return "Instances are not added or removed here: do that in Roblox Studio. What the instance holds is in this list.";
  if (instances.value !== null && nodes[own()] === null) return `${mine} has no instance ${address.replace(/:\w+$/, "")}: add it in Roblox Studio first.`;
  return "It cannot be taken: add or change it in the file.";
}

function Detail({ difference }: { readonly difference: Difference }): JSX.Element {
  const { sign, address, path, texts, numbers, nodes } = difference;
  const ends = common(...texts);
  const types = typesOf(difference);
  const names = namesOf();
  const isOriginal = other.value?.isOriginal === true;
  const all = alike(difference).length;
  return (
    <section class={`detail is-${DIFFERENT[sign]}`} aria-label="The selected difference" aria-live="polite" tabIndex={0}>
      <h2 class="wrap">
        {DIFFERENT[sign]}: {[address, path].filter((part) => part !== "").join(" ") || "the value"}
      </h2>
      <div class="actions">
        <button type="button" disabled={numbers[own()] === null && nodes[own()] === null} onClick={() => void showDifference(difference)}>
          Go to it
        </button>
        {canTake(difference) && (
          <button type="button" onClick={() => void take(difference)}>
            {isOriginal ? "Take back this change" : `Take ${difference.isTags ? "the tags" : "the value"} of ${other.value?.name}`}
          </button>
        )}
        {all > (canTake(difference) ? 1 : 0) && (
          <button type="button" onClick={() => void takeAll(difference)}>
            {isOriginal ? "Take back" : "Take"} all {all} of {instances.value === null ? "this value" : "this instance"}
          </button>
        )}
        {!canTake(difference) && <span class="quiet">{whyNot(difference)}</span>}
      </div>
      <Whole name={names[0]} text={texts[0]} type={types[0]} ends={ends} />
      <Whole name={names[1]} text={texts[1]} type={types[1]} ends={ends} />
    </section>
  );
}

export function Compare(): JSX.Element {
  const result = compared.value;
  const list = result?.differences ?? [];
  const [chosen, setChosen] = useState(0);
  const page = useRef(10);
  const at = Math.max(0, Math.min(chosen, list.length - 1));
  const selected = list[at];
  const names = namesOf();
  const onKeyDown = (event: TargetedKeyboardEvent<HTMLDivElement>): void => {
    if (event.key === "Enter" && selected !== undefined) return void showDifference(selected);
    const moves: Record<string, number> = { ArrowDown: at + 1, ArrowUp: at - 1, PageDown: at + page.current, PageUp: at - page.current, Home: 0, End: list.length - 1 };
    const wanted = moves[event.key];
    if (wanted === undefined) return;
    event.preventDefault();
    setChosen(Math.max(0, Math.min(list.length - 1, wanted)));
  };
  const onClick = (event: TargetedMouseEvent<HTMLDivElement>): void => {
    const row = (event.target as Element).closest("[data-place]");
    if (row !== null) setChosen(Number(row.getAttribute("data-place")));
  };
  return (
    <main class="compare">
      <h1 class="sr-only">Comparison</h1>
      <div class="pane-head">
        <button type="button" class="ghost" onClick={closeCompare}>
          <Icon name="close" /> Close
        </button>
        <h2>
          {list.length === 0 ? "No differences" : result?.isCut === true ? `${list.length.toLocaleString("en")} and more differences` : count(list.length, "difference", "differences")}
        </h2>
        {list.length > 0 && (
          <button type="button" class="ghost" title="Download the list of differences as CSV" onClick={downloadDifferences}>
            <Icon name="download" /> Download as CSV
          </button>
        )}
        <span class="quiet">{result === null ? "" : `${count(result.equal, "value is equal", "values are equal")}. The order of keys makes no difference.`}</span>
      </div>
      <div class="compare-head">
        <span>where</span>
        <b>{names[0]}</b>
        <b>{names[1]}</b>
      </div>
      {list.length === 0 ? (
        <p class="empty">{other.value?.isOriginal === true && changes.value.changed === 0 ? "Nothing has changed since the file was opened." : "Both files have the same instances and values."}</p>
      ) : (
        <Virtual
          count={list.length}
          rowHeight={isNarrow.value ? 4.75 : 2.75}
          role="list"
          label="Differences"
          id="differences"
          reveal={at}
          revealed={at}
          onKeyDown={onKeyDown}
          onClick={onClick}
          onDblClick={() => selected !== undefined && void showDifference(selected)}
          onPage={(rows) => (page.current = rows)}
          render={(place) => {
            const difference = list[place];
            if (difference === undefined) return null;
            const { sign, address, path, texts, isInstance, isTags } = difference;
            const types = typesOf(difference);
            const [start] = common(...texts);
            const told = texts.map((text, side) => [types[side], text].filter((part) => part != null).join(" "));
            return (
              <div
                class={`difference is-${DIFFERENT[sign]} ${place === at ? "is-selected" : ""}`}
                role="listitem"
                data-place={place}
                aria-current={place === at ? "true" : undefined}
                aria-setsize={list.length}
                aria-posinset={place + 1}
                aria-label={`${DIFFERENT[sign]}: ${address} ${path}: ${told.join(" ")}`}
              >
                <span class="where" aria-hidden="true">
                  <b>{sign}</b> <span title={path}>{isInstance ? "the instance" : isTags ? "the tags" : path === "" ? "the value" : path}</span>
                  <small title={address}>{address}</small>
                </span>
                <Side text={texts[0]} type={types[0]} start={start} />
                <Side text={texts[1]} type={types[1]} start={start} />
              </div>
            );
          }}
        />
      )}
      {selected !== undefined && <Detail difference={selected} />}
    </main>
  );
}
