/** How a format works: its specification beside an example of which the fields light up. */

import type { JSX } from "preact";
import samples from "virtual:samples";
import specs from "virtual:specs";
import { file, lit, node, openSample, panel, selectNode, showHow, spec, textAt, tree, treeKnown } from "../state";
import { Icon } from "./Icons";

/** The name of the field whose row of a table this is. */
function nameAt(target: EventTarget | null): string | null {
  return (target as Element | null)?.closest("[data-field]")?.getAttribute("data-field") ?? null;
}

export function How(): JSX.Element {
  const current = specs.find((other) => other.id === spec.value) ?? specs[0];
  treeKnown.value;
  const choose = (id: string): void => {
    const next = specs.find((other) => other.id === id);
    const sample = samples.find((sample) => sample.id === next?.sample);
    if (sample === undefined || file.value?.sample === sample.id) showHow(id);
    else void openSample(sample).then(() => showHow(id));
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
          <select value={current?.id} onChange={(event) => choose(event.currentTarget.value)}>
            {specs.map((spec) => (
              <option key={spec.id} value={spec.id}>
                {spec.title}
              </option>
            ))}
          </select>
        </label>
        <span class="spring" />
        <button type="button" class="ghost" aria-label="Close the specification" onClick={() => showHow(null)}>
          <Icon name="close" />
        </button>
      </div>
      <p class="hint">Point at a field in a table: it lights up in the example. Click to go to the next one.</p>
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
