// The entry points of the package. Each has a module of its own, with the formats of a feature of Cargo: the first has all.
// `most` is how large a module may be in bytes: as it is, and by brotli.
export const ENTRIES = [
  { name: "enginewire", source: "index", glue: "build/glue", dist: "dist", most: [2_500_000, 640_000] },
  part("roblox-attributes", "attributes", [1_450_000, 430_000]),
  part("roblox-remote", "remote", [1_100_000, 320_000]),
  part("godot", "godot", [1_100_000, 290_000]),
  part("scrap-mechanic", "scrap_mechanic", [830_000, 250_000]),
];

function part(name, feature, most) {
  return { name, feature, source: name, glue: `build/${name}`, dist: `dist/${name}`, most };
}

/** How an entry point is imported. */
export const importedAs = ({ name, feature }) => (feature === undefined ? name : `enginewire/${name}`);

/** The file of its module. */
export const moduleOf = ({ name, dist }) => `${dist}/${name}.wasm`;
