/** The input that a file is chosen with. */

import type { JSX, RefObject } from "preact";

interface Props {
  readonly input: RefObject<HTMLInputElement | null>;
  readonly id?: string;
  readonly onFile: (chosen: File) => void;
}

export function Picker({ input, id, onFile }: Props): JSX.Element {
  return (
    <input
      ref={input}
      id={id}
      type="file"
      hidden
      onChange={({ currentTarget }) => {
        const chosen = currentTarget.files?.[0];
        // the same file can be chosen again, such as after it has changed
        currentTarget.value = "";
        if (chosen !== undefined) onFile(chosen);
      }}
    />
  );
}
