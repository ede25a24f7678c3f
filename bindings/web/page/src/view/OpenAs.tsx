/** Asks for the format of a file that could not be opened. */

import type { JSX } from "preact";
import { kinds, openAs, unopened } from "../state";

export function OpenAs(): JSX.Element | null {
  const waiting = unopened.value;
  if (waiting === null || kinds.value.length === 0) return null;
  return (
    <label class="choice wide">
      <span>Open {waiting.name} as</span>
      <select
        value=""
        onChange={(event) => {
          const kind = event.currentTarget.value;
          // if it cannot be opened so, the same format can be chosen again
          event.currentTarget.value = "";
          void openAs(kind);
        }}
      >
        <option value="">choose a format…</option>
        {kinds.value.map((kind) => (
          <option key={kind.kind} value={kind.kind}>
            {kind.kind}: {kind.about}
          </option>
        ))}
      </select>
    </label>
  );
}
