/** What was typed and is not applied yet. */

import { changed } from "./select";
import { aside, file, isUnsaved } from "./shown";
import { problem } from "./work";

/** A control of a value with text that was typed and is not applied yet. */
export interface Typed {
  readonly control: HTMLInputElement | HTMLTextAreaElement;
  readonly apply: () => void;
}

export const typed = new Set<Typed>();

/** Texts that were typed and cannot be applied, by their value. Each is shown again with its value. */
export const drafts = new Map<string, { readonly path: string; readonly text: string }>();

/** Applies what was typed last. */
export function applyTyped(): void {
  for (const { apply } of [...typed]) apply();
}

/** The values that are being set; each promise gives its error, or `null`. */
export const setting = new Set<Promise<string | null>>();

/** Applies what was typed last, and waits for all values that are being set. Returns the first error, or `null`. */
async function allSet(): Promise<string | null> {
  applyTyped();
  const wrong = (await Promise.all(setting)).find((error) => error !== null);
  return wrong ?? (typed.size > 0 ? "what was typed is no such value" : null);
}

/** True if all typed text could be applied. Otherwise it shows a problem that begins with `notDone`. */
export async function areAllSet(notDone: string): Promise<boolean> {
  const wrong = await allSet();
  if (wrong !== null) problem.value = `${notDone}, because a value that was typed cannot be applied: ${wrong}. Correct it, or press Escape in its field to drop it.`;
  return wrong === null;
}

/** True if closing the file would lose changes. */
export const hasUnsaved = (): boolean => isUnsaved.value || typed.size > 0 || setting.size > 0 || drafts.size > 0;

/** True if the user agrees to lose changes, or there are none: of the file shown, and of the one that is set aside. */
export function mayClose(staysAside = false): boolean {
  const files = [hasUnsaved() ? file.value : null, !staysAside && aside.value?.isUnsaved === true ? aside.value.file : null];
  return files.every((changed) => changed === null || confirm(`${changed.name} has changes that were not downloaded. Close it all the same?`));
}
