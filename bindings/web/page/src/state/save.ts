/** Gives the open file to the user: as a file, or in a link. */

import { client } from "../client";
import { pack, toBase64Url } from "../encodings";
import { link } from "./address";
import { changes, file, isUnsaved, type OpenFile } from "./shown";
import { areAllSet, drafts } from "./typed";
import { copy, doing, notice, problem, saveAs } from "./work";

/** A file up to this size goes along in a link. */
export const IN_LINK = 4096;
/** The name for the content of a file, which may be packed or written as text. */
function contentName({ name, input, about }: OpenFile): string {
  if (about.isDocument) return `${name.replace(/\.\w+$/, "")}.bin`;
  if (input === "raw") return name;
  const unpacked = input === "gzip" ? name.replace(/\.gz$/i, "") : name;
  return unpacked !== name && /\.\w+$/.test(unpacked) ? unpacked : `${unpacked.replace(/\.\w+$/, "")}.bin`;
}

/** The name under which a file is saved: another if it has changed. */
export function savedName(): string {
  const current = file.value;
  if (current === null) return "file.bin";
  const stem = contentName(current);
  if (changes.value.changed === 0) return stem;
  const dot = stem.lastIndexOf(".");
  return dot > 0 ? `${stem.slice(0, dot)}.changed${stem.slice(dot)}` : `${stem}.changed`;
}

export async function download(): Promise<void> {
  const current = file.value;
  if (current === null || !(await areAllSet("The file was not saved"))) return;
  // a change may have been made just now
  changes.value = await client.call("changes", [0]).catch(() => changes.value);
  // without changes, the original bytes, even of a broken file
  const isSame = changes.value.changed === 0 && current.input === "raw" && !current.about.isDocument;
  const bytes = isSame ? current.source : await doing("Writing the file", () => client.call("save", [0]));
  if (bytes === null) return;
  saveAs(savedName(), bytes);
  isUnsaved.value = false;
  notice.value = `${savedName()} was handed to the browser.`;
  const left = [...drafts.values()].map(({ path }) => (path === "" ? "the value" : path));
  if (left.length > 0) problem.value = `The file was saved without what was typed for ${left.join(", ")}, which could not be applied.`;
}

/** Copies the address of what is shown, with the file itself if it is small. Browsers do not send what follows # to a server. */
export async function copyLink(): Promise<void> {
  const current = file.value;
  if (current === null || !(await areAllSet("The link was not copied"))) return;
  link();
  const isChanged = changes.value.changed > 0;
  if (current.sample !== null && !isChanged) return copy("Link", location.href);
  const content = isChanged ? await doing("Writing the file", () => client.call("save", [0])) : current.source;
  if (content === null) return;
  const bytes = new Uint8Array(await new Blob([content as BlobPart]).arrayBuffer());
  if (bytes.length > IN_LINK) {
    const asked = isChanged ? "download it, and send it along" : `whoever opens the link is asked for ${current.name}`;
    return copy("Link", location.href, ` The file is too large to be in it, with more than 4 kB: ${asked}.`);
  }
  const address = new URL(location.href);
  const parts = new URLSearchParams(address.hash.slice(1));
  parts.delete("sample");
  parts.set("name", savedName());
  // changed, a document is written as bytes
  if (isChanged && current.about.isDocument) parts.set("format", current.about.format);
  address.hash = `${parts}&data=${toBase64Url(await pack(bytes))}`;
  await copy("Link", address.href, ` It holds the file${isChanged ? ", with your changes" : ""}.`);
}
