/** Two files side by side: what was removed, added and changed. */

import type { JSX } from "preact";
import { aside, compared, file, other, view } from "../state";
import { Icon } from "./Icons";
import { Virtual } from "./Virtual";
import { colourIn } from "./Fields";

const WORDS = { "-": "removed", "+": "added", "~": "changed" } as const;

function Side({ text }: { readonly text: string | null }): JSX.Element {
  if (text === null) {
    return (
      <span class="side is-none">
        <span class="sr-only">none</span>
      </span>
    );
  }
  const colour = colourIn(text);
  return (
    <span class="side">
      {colour !== null && <span class="swatch" style={{ background: colour }} />}
      {text === "" ? <span class="quiet">(nothing)</span> : text}
    </span>
  );
}

export function Compare(): JSX.Element {
  const result = compared.value;
  const list = result?.differences ?? [];
  return (
    <main class="compare">
      <h1 class="sr-only">Comparison</h1>
      <div class="pane-head">
        <button type="button" class="ghost" onClick={() => (view.value = aside.value === null ? "file" : "how")}>
          <Icon name="close" /> Close
        </button>
        <h2>
          {list.length === 0 ? "No differences" : `${list.length.toLocaleString("en")}${result?.isCut === true ? " and more" : ""} differences`}
        </h2>
        <span class="quiet">{result === null ? "" : `${result.equal.toLocaleString("en")} values are equal. The order of keys makes no difference.`}</span>
      </div>
      <div class="compare-head">
        <span>where</span>
        <b>{file.value?.name}</b>
        <b>{other.value?.name}</b>
      </div>
      {list.length === 0 ? (
        <p class="empty">Both files have the same values.</p>
      ) : (
        <Virtual
          count={list.length}
          rowHeight={2.75}
          role="list"
          label="Differences"
          render={(at) => {
            const [sign, address, path, before, after] = list[at] ?? ["~", "", "", null, null];
            return (
              <div class={`difference is-${WORDS[sign]}`} role="listitem" aria-label={`${WORDS[sign]}: ${address} ${path}: ${before ?? ""} ${after ?? ""}`}>
                <span class="where">
                  <b>{sign}</b> <span>{path === "" ? "the value" : path}</span>
                  <small>{address}</small>
                </span>
                <Side text={before} />
                <Side text={after} />
              </div>
            );
          }}
        />
      )}
    </main>
  );
}
