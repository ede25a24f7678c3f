/** Shows a specification with its example, beside the file of the user. */

import { batch } from "@preact/signals";
import type { Sample } from "virtual:samples";
import { client } from "../client";
import { link } from "./address";
import { closeAll, open, openSample } from "./open";
import { forgetRows } from "./rows";
import { select, selectInstance } from "./select";
import { aside, changes, file, hasList, instance, instances, isUnsaved, lit, node, panel, row, spec, view } from "./shown";
import { ASIDE, steps } from "./steps";
import { areAllSet, mayClose } from "./typed";

/** Opens the file that is open as something else. */
export async function reopen(kind: string): Promise<void> {
  const current = file.value;
  if (current === null) return;
  const how = aside.value === null ? null : spec.value;
  await open(current.name, current.source, { kind, secret: current.secret, sample: current.sample, isExample: how !== null });
  // the file that is set aside comes back when the specification is closed
  if (how !== null) showHow(how);
}

export function showHow(id: string | null): void {
  batch(() => {
    spec.value = id;
    view.value = id === null ? "file" : "how";
    panel.value = id !== null || hasList.value ? "list" : "fields";
    lit.value = null;
  });
  link();
}

/** Shows a specification with its example. A file of the user, or one with changes, is set aside for it. */
export async function showExample(id: string, sample: Sample): Promise<void> {
  if (!(await areAllSet("The example was not opened"))) return;
  const own = file.value;
  const isMoved = own !== null && aside.value === null && (own.sample === null || isUnsaved.value);
  if (isMoved) {
    await client.call("move", [0, ASIDE]);
    batch(() => {
      aside.value = { file: own, instances: instances.value, changes: changes.value, isUnsaved: isUnsaved.value, steps: steps.value, instance: instance.value, row: row.value, node: node.value };
      isUnsaved.value = false;
    });
  }
  if (await openSample(sample, { isExample: true })) return showHow(id);
  const back = aside.value;
  if (!isMoved || back === null || file.value !== own) return;
  // the file is still shown; if this was cancelled, it has slot 0 in the new worker already
  batch(() => {
    aside.value = null;
    isUnsaved.value = back.isUnsaved;
  });
  await client.call("move", [ASIDE, 0]).catch(() => undefined);
}

let isComingBack = false;

/** Shows the file again that was set aside, with its changes. */
export async function showAside(): Promise<boolean> {
  const back = aside.value;
  if (back === null || isComingBack || !mayClose(true)) return false;
  isComingBack = true;
  // if it was cancelled, the new worker has both files in their old slots
  const isMoved = await client.call("move", [ASIDE, 0]).then(() => true, () => false);
  isComingBack = false;
  if (!isMoved) return false;
  forgetRows();
  steps.value = back.steps;
  batch(() => {
    closeAll();
    aside.value = null;
    file.value = back.file;
    instances.value = back.instances;
    changes.value = back.changes;
    isUnsaved.value = back.isUnsaved;
    panel.value = hasList.value ? "list" : "fields";
  });
  if (back.instance !== null) await selectInstance(back.instance, back.row, back.node);
  else if (back.file.about.rows > 0) await select(back.row, back.node);
  return true;
}

export async function closeHow(): Promise<void> {
  if (aside.value === null) showHow(null);
  else await showAside();
}
