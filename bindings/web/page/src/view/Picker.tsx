/** The input that a file is chosen with. */

import type { JSX, RefObject } from "preact";

interface Props {
  readonly input: RefObject<HTMLInputElement | null>;
  readonly id?: string;
  /** The choice: one file, several, or all files of a folder. */
  readonly of?: "file" | "files" | "folder";
  readonly onFiles: (chosen: readonly File[]) => void;
}

export function Picker({ input, id, of = "files", onFiles }: Props): JSX.Element {
  return (
    <input
      ref={input}
      id={id}
      type="file"
      hidden
      multiple={of === "files"}
      {...{ webkitdirectory: of === "folder" }}
      onChange={({ currentTarget }) => {
        const chosen = [...(currentTarget.files ?? [])];
        // the same file can be chosen again, such as after it has changed
        currentTarget.value = "";
        onFiles(chosen);
      }}
    />
  );
}
