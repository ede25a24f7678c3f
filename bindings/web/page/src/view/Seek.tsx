/** The search in the value that is shown. */

import type { JSX } from "preact";
import { panel, paths, places, seek, sought } from "../state";
import { Icon } from "./Icons";

/** Goes to the search in the value, from anywhere. */
export function goToSeek(): void {
  panel.value = "fields";
  requestAnimationFrame(() => document.querySelector<HTMLElement>(".seek input")?.focus());
}

export function Seek(): JSX.Element {
  const found = places.value;
  const at = found?.indexOf(paths.value[1] ?? "") ?? -1;
  const count = found === null ? "…" : found.length === 0 ? "nothing found" : `${at < 0 ? "" : `${(at + 1).toLocaleString("en")} of `}${found.length.toLocaleString("en")}`;
  return (
    <div class="seek">
      <div class="search">
        <Icon name="search" />
        <input
          type="search"
          placeholder="Key, text or number"
          aria-label="Search in this value"
          value={sought.value}
          onInput={(event) => (sought.value = event.currentTarget.value)}
          onKeyDown={(event) => {
            if (event.key === "ArrowDown") document.querySelector<HTMLElement>("#values, #fields")?.focus();
            else if (event.key === "Enter") void seek(event.shiftKey ? -1 : 1);
            else return;
            event.preventDefault();
          }}
        />
      </div>
      <span class="quiet" role="status">
        {sought.value === "" ? "" : count}
      </span>
      {sought.value !== "" && found !== null && found.length > 0 && (
        <>
          <button type="button" class="ghost" title="Shift+Enter" onClick={() => void seek(-1)}>
            Previous
          </button>
          <button type="button" class="ghost" title="Enter" onClick={() => void seek(1)}>
            Next
          </button>
        </>
      )}
    </div>
  );
}
