// A Vite plug-in: importing a model, or a file of attributes, gives its values. They are read when the page is built, so that browsers
// load no WebAssembly. In vite.config.mjs:
//   import enginewire from "./vite-plugin.mjs";
//   export default { plugins: [enginewire()] };
// and in the page:
//   import instances from "./place.rbxm";       // [{ path: "Workspace.Lamp", class: "Part", tags: [], attributes: { Fuel: 42 } }]
//   import torch from "./torch.attributes";     // { Fuel: 42 }
import { readFileSync } from "node:fs";

import { Model, toText } from "enginewire";

const attributesOf = (bytes) => JSON.parse(toText(bytes, { format: "roblox-attributes", form: "plain" }));

function instancesOf(file) {
  const model = Model.open(file);
  const listed = model.instances().filter(({ hasAttributes, hasTags }) => hasAttributes || hasTags);
  return listed.map(({ index, class: name, hasAttributes }) => ({
    path: model.path(index),
    class: name,
    tags: model.tags(index),
    attributes: hasAttributes ? attributesOf(model.bytes(index)) : {},
  }));
}

export default function enginewire() {
  return {
    name: "enginewire",
    load(id) {
      if (!/\.(rbx[ml]x?|attributes)$/.test(id)) return null;
      this.addWatchFile(id);
      const file = readFileSync(id);
      return `export default ${JSON.stringify(id.endsWith(".attributes") ? attributesOf(file) : instancesOf(file))};`;
    },
  };
}
