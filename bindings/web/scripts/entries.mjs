// The entry points of the package. Each has a module of its own, with the formats of a feature of Cargo: the first has all except resources.
//
// `inlining` is LLVM's inline threshold. LLVM's default for speed is 225, and for size 5. `most` is the limit for a module in
// bytes, uncompressed and by brotli. The aim for the engines is 950,000 and 280,000. Sizes by brotli differ between machines by
// some hundreds of bytes; a limit that is close to the size allows for that.
export const ENTRIES = [
  { name: "enginewire", source: "index", glue: "build/glue", dist: "dist", inlining: 50, most: [1_785_700, 543_200] },
  part("roblox-attributes", "attributes", 25, [701_000, 244_500]),
  part("roblox-models", "models", 25, [1_092_500, 371_900]),
  part("roblox-remote", "remote", 25, [519_500, 196_500]),
  part("godot", "godot", 50, [725_500, 233_000]),
  part("godot-files", "godot_files", 25, [1_597_500, 514_000]),
  part("scrap-mechanic", "scrap_mechanic", 50, [538_500, 198_500]),
];

function part(name, feature, inlining, most) {
  return { name, feature, source: name, glue: `build/${name}`, dist: `dist/${name}`, inlining, most };
}

/** The name of an entry point in imports. */
export const importedAs = ({ name, feature }) => (feature === undefined ? name : `enginewire/${name}`);

/** The file of its module. */
export const moduleOf = ({ name, dist }) => `${dist}/${name}.wasm`;
