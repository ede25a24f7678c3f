/** Typed text that is not applied yet. */

import { changed } from "./select";
import { aside, file, isUnsaved, type Listed, listed, listedOf } from "./shown";
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

const hasTyped = (): boolean => typed.size > 0 || setting.size > 0 || drafts.size > 0;

/** True if closing the file would lose changes. */
export const hasUnsaved = (): boolean => isUnsaved.value || hasTyped();

/** The files of the list that are not open, with changes that were not downloaded. */
export const unsavedListed = (): readonly Listed[] => listed.value.filter((one) => one.isUnsaved && one.source !== file.value?.source);

/** True if the user agrees to lose changes, or there are none: of the file shown, of the one that is set aside, and with `all` of the list. */
export function mayClose(staysAside = false, all = false): boolean {
  // a file of a list keeps its changes there
  const loses = all || listedOf(file.value) === undefined ? hasUnsaved() : hasTyped();
  const files = [loses ? file.value : null, !staysAside && aside.value?.isUnsaved === true ? aside.value.file : null, ...(all ? unsavedListed() : [])];
  return files.every((changed) => changed === null || confirm(`${changed.name} has changes that were not downloaded. Close it all the same?`));
}
