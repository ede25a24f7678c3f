/** The keys of the page. */

import { signal } from "@preact/signals";
import type { JSX } from "preact";
import { useLayoutEffect, useRef } from "preact/hooks";

export const showsKeys = signal(false);

const KEYS = [
  ["Ctrl+O", "Open a file"],
  ["Ctrl+S", "Download the file"],
  ["Ctrl+Z, Ctrl+Y", "Undo, and do again"],
  ["Ctrl+K", "Search"],
  ["Enter, Shift+Enter", "In the search: go to the next hit, to the one before"],
  ["Ctrl+B", "Show or hide the layout of the bytes"],
  ["↑ ↓ ← →", "Move; open and close"],
  ["A letter", "Go to the value with that name"],
  ["Enter", "Change the value"],
  ["Ctrl+Enter", "Apply a text"],
  ["Esc", "Drop what was typed"],
  ["?", "Show the keys"],
] as const;

function Dialog(): JSX.Element {
  const dialog = useRef<HTMLDialogElement>(null);
  useLayoutEffect(() => {
    const element = dialog.current;
    element?.showModal();
    return () => element?.close();
  }, []);
  return (
    <dialog ref={dialog} class="keys" aria-label="Keys" onClose={() => (showsKeys.value = false)}>
      <h2>Keys</h2>
      <dl>
        {KEYS.map(([keys, what]) => (
          <div key={keys}>
            <dt>{keys}</dt>
            <dd>{what}</dd>
          </div>
        ))}
      </dl>
      <button type="button" onClick={() => (showsKeys.value = false)} autofocus>
        Close
      </button>
    </dialog>
  );
}

export const Keys = (): JSX.Element | null => (showsKeys.value ? <Dialog /> : null);
