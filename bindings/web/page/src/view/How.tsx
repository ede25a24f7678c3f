/** The specification of a format, beside an example whose fields light up. */

import type { JSX } from "preact";
import samples from "virtual:samples";
import specs from "virtual:specs";
import { aside, closeHow, file, lit, node, panel, selectNode, showAside, showExample, showHow, spec, textAt, tree, treeKnown, type OpenFile } from "../state";
import { Icon } from "./Icons";

/** The name of the field whose row of a table this is. */
function nameAt(target: EventTarget | null): string | null {
  return (target as Element | null)?.closest("[data-field]")?.getAttribute("data-field") ?? null;
}

/** The specification whose name has the longest beginning in common with that of a format. */
export function specOf(format: string): (typeof specs)[number] | undefined {
  const common = (id: string): number => {
    const end = [...id].findIndex((letter, at) => letter !== format[at]);
    return end < 0 ? id.length : end;
  };
  return specs.toSorted((a, b) => common(b.id) - common(a.id))[0];
}

/** True if a file has the format of a specification, so that it can be its example. */
const isOf = (id: string, { about, kind }: OpenFile): boolean => specOf(about.format)?.id === id || (id === "roblox-model-files" && /^rbxmx?$/.test(kind));

export function How(): JSX.Element {
  const current = specs.find((other) => other.id === spec.value) ?? specs[0];
  treeKnown.value;
  const choose = async (id: string): Promise<void> => {
    const next = specs.find((other) => other.id === id);
    const sample = samples.find((sample) => sample.id === next?.sample);
    const [now, own] = [file.value, aside.value];
    if (own !== null && isOf(id, own.file)) {
      if (await showAside()) showHow(id);
    } else if (sample === undefined || now === null || now.sample === sample.id || (now.sample === null && isOf(id, now))) showHow(id);
    else await showExample(id, sample);
  };
  /** Goes to the next field of the example with this name. */
  const go = (name: string): void => {
    const model = tree.value;
    if (model === null) return;
    for (let step = 1; step <= model.count; step++) {
      const at = ((node.value ?? -1) + step) % model.count;
      if (textAt(at)?.[0] === name) return void selectNode(at);
    }
  };
  return (
    <section class="pane how" aria-label="How the format works">
      <div class="pane-head">
        <label class="choice">
          <span class="sr-only">Specification</span>
          <select value={current?.id} onChange={({ currentTarget }) => void choose(currentTarget.value).then(() => (currentTarget.value = spec.value ?? ""))}>
            {specs.map((spec) => (
              <option key={spec.id} value={spec.id}>
                {spec.title}
              </option>
            ))}
          </select>
        </label>
        <span class="spring" />
        <button type="button" class="ghost" aria-label="Close the specification" onClick={() => void closeHow()}>
          <Icon name="close" />
        </button>
      </div>
      <p class="hint">Point at a field in a table: it lights up in the example. Click to go to the next one.{aside.value !== null && ` ${aside.value.file.name} is shown again when the specification is closed.`}</p>
      <div
        class="spec"
        tabIndex={0}
        role="region"
        aria-label="Specification"
        onPointerOver={(event) => (lit.value = nameAt(event.target))}
        onPointerLeave={() => (lit.value = null)}
        onFocusCapture={(event) => (lit.value = nameAt(event.target))}
        onClick={(event) => {
          const name = nameAt(event.target);
          if (name === null) return;
          go(name);
          // where one part is shown at a time, the one with the field
          panel.value = "fields";
        }}
        // made from the repository's own pages when the page was built
        dangerouslySetInnerHTML={{ __html: current?.html ?? "" }}
      />
    </section>
  );
}
