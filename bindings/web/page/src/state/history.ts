/** The beginning of a visit, and the way back through the history of the browser. */

import samples from "virtual:samples";
import { client } from "../client";
import { fromBase64, unpack } from "../encodings";
import { type Kept, visited } from "../kept";
import { CONTAINERS } from "../words";
import { entry, known, type Place, remember, wantedOf } from "./address";
import { compareOriginal, openOther } from "./compare";
import { closeHow, showAside, showExample, showHow } from "./how";
import { openListed } from "./files";
import { close, open, openKept, openSample } from "./open";
import { IN_LINK } from "./save";
import { aside, awaited, file, kept, kinds, listed, listedOf, other, panel, view } from "./shown";
import { problem } from "./work";

export async function start(): Promise<void> {
  const known = client.call("kinds", []);
  const kept = await visited();
  if (kept === null || !(await openVisit(kept))) await openLink();
  if (file.value === null) {
    entry.place = { number: 0, view: "file", spec: null, panel: null };
    history.replaceState(entry.place, "");
  }
  const formats = await known.catch(() => client.call("kinds", [])).catch(() => []);
  kinds.value = formats.length === 0 ? [] : [...formats, ...CONTAINERS];
}

/** Opens what this tab had open before a reload. False if the address is that of something else. */
async function openVisit(kept: Kept): Promise<boolean> {
  const parts = new URLSearchParams(location.hash.slice(1));
  const [wanted, before] = [wantedOf(parts), history.state as Place | null];
  const [how, sample] = [parts.get("how"), samples.find((sample) => sample.id === parts.get("sample"))];
  const isSame = !parts.has("data") && (sample?.id ?? null) === kept.file.sample && (sample !== undefined || parts.get("name") === kept.file.name);
  // or it was set aside for an example
  if (!isSame && (how === null || sample === undefined)) return false;
  if (!(await openKept(kept, isSame ? { ...wanted, number: before?.number || 1 } : {}))) return false;
  if (how !== null && sample !== undefined && !isSame) await showExample(how, sample);
  else if (how !== null) showHow(how);
  // these have their entry in the history already
  else if (before?.view === "compare") {
    entry.place = null;
    await (kept.other === null ? compareOriginal() : openOther(new File([kept.other.source], kept.other.name)));
  } else if (before?.panel != null) {
    entry.place = null;
    panel.value = before.panel;
  }
  return true;
}

addEventListener("popstate", async ({ state }) => {
  const wanted = state as Place | null;
  // an address that was typed has no place
  if (wanted === null) return;
  [entry.place, entry.hash] = [wanted, location.hash];
  entry.moving++;
  const isShown = await showPlace(wanted).finally(() => entry.moving--);
  if (!isShown) remember(entry.hash);
});

async function showPlace(wanted: Place): Promise<boolean> {
  if (wanted.view === "files" && listed.value.length > 0) {
    view.value = "files";
    return true;
  }
  if (wanted.number !== file.value?.number && !(await goTo(wanted))) return false;
  if (wanted.number === 0 || file.value === null) return true;
  if (wanted.view === "how") showHow(wanted.spec);
  else if (wanted.view === "compare" && other.value !== null) view.value = "compare";
  else if (view.value === "how") await closeHow();
  else view.value = "file";
  panel.value = wanted.panel ?? panel.value;
  return true;
}

/** Opens the file of a place, or closes that which is open. */
async function goTo({ number }: Place): Promise<boolean> {
  if (number === 0) return close();
  if (aside.value?.file.number === number) return showAside();
  const before = known.get(number);
  const one = listedOf(before ?? null);
  const wanted = { ...wantedOf(new URLSearchParams(location.hash.slice(1))), kind: before?.kind ?? null, number };
  if (one !== undefined) return openListed(one, wanted);
  return before !== undefined && open(before.name, before.source, { ...wanted, secret: before.secret, sample: before.sample });
}

async function openLink(): Promise<void> {
  const parts = new URLSearchParams(location.hash.slice(1));
  const wanted = wantedOf(parts);
  const sample = samples.find((sample) => sample.id === parts.get("sample"));
  const data = parts.get("data");
  const name = parts.get("name") ?? "value.bin";
  if (sample !== undefined) {
    await openSample(sample, wanted);
    const how = parts.get("how");
    if (how !== null) showHow(how);
  } else if (data !== null) {
    const bytes = await unpack(fromBase64(data) ?? new Uint8Array(), IN_LINK).catch(() => null);
    if (bytes === null) problem.value = "The file in this link is damaged.";
    else await open(name, new Blob([bytes as Uint8Array<ArrayBuffer>]), wanted);
  } else if (parts.has("name")) awaited.value = { name, wanted };
}

addEventListener("hashchange", () => {
  if (location.hash === entry.hash || location.hash === "") return;
  // the browser has made an entry for it
  entry.place = null;
  void openLink();
});
