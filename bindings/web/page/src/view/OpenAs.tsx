/** Asks for the password or the format of a file that could not be opened. */

import type { JSX } from "preact";
import { useEffect, useRef } from "preact/hooks";
import { kinds, openAs, openWith, unopened } from "../state";
import { kindName } from "../words";

export function OpenAs(): JSX.Element | null {
  const waiting = unopened.value;
  const secret = useRef<HTMLInputElement>(null);
  useEffect(() => {
    // after the dialog has given the focus back
    requestAnimationFrame(() => secret.current?.select());
  }, [waiting]);
  if (waiting === null || kinds.value.length === 0) return null;
  if (waiting.isEncrypted) {
    return (
      <form
        class="choice wide"
        onSubmit={(event) => {
          event.preventDefault();
          void openWith(String(new FormData(event.currentTarget).get("secret")));
        }}
      >
        <label>
          <span>Password or key of {waiting.name}</span>
          <input ref={secret} type="text" name="secret" spellcheck={false} autocomplete="off" />
        </label>
        <button type="submit">Open</button>
      </form>
    );
  }
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
            {kindName(kind.kind)}
          </option>
        ))}
      </select>
    </label>
  );
}
