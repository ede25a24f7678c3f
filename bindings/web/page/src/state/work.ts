/** Work that may take long, its messages, and what is given to the user. */

import { signal } from "@preact/signals";
import { client, Stopped } from "../client";

/** The work in progress, as text; `null` when idle. */
export const busy = signal<string | null>(null);
export const problem = signal<string | null>(null);
/** A short message that something was done. */
export const notice = signal<string | null>(null);

client.onProgress = (text) => {
  if (busy.value !== null) busy.value = text;
};

export const text = (error: unknown): string => (error instanceof Error ? error.message : String(error));

/** Counts up whenever something begins that may take long. */
let latestWork = 0;

/** Does work that may take long, and shows its error. */
export async function doing<T>(what: string, work: () => Promise<T>): Promise<T | null> {
  const turn = ++latestWork;
  busy.value = what;
  try {
    return await work();
  } catch (error) {
    if (!(error instanceof Stopped)) problem.value = text(error);
    return null;
  } finally {
    // unless other work was begun after this was cancelled
    if (turn === latestWork) busy.value = null;
  }
}

/** Gives the user a file. */
export function saveAs(name: string, bytes: Blob | Uint8Array | string): void {
  const address = URL.createObjectURL(bytes instanceof Blob ? bytes : new Blob([bytes as Uint8Array<ArrayBuffer> | string]));
  const anchor = document.createElement("a");
  anchor.href = address;
  anchor.download = name;
  anchor.click();
  setTimeout(() => URL.revokeObjectURL(address), 10_000);
}

export async function copy(what: string, content: string, about = ""): Promise<void> {
  try {
    await navigator.clipboard.writeText(content);
  } catch {
    // without permission to write to the clipboard, such as on file://
    const area = document.createElement("textarea");
    area.value = content;
    document.body.append(area);
    area.select();
    document.execCommand("copy");
    area.remove();
  }
  notice.value = `${what} copied.${about}`;
}
