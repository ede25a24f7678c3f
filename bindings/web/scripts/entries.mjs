// The entry points of the package. Each has a module of its own, with the formats of a feature of Cargo: the first has all.
//
// `inlining` is how large a function may be that is compiled into those that call it: LLVM's own threshold for speed is 225, and for
// size 5. `most` is how large a module may be in bytes: as it is, and by brotli. The aim for the engines is 950,000 and 280,000. What
// brotli makes of a module differs from machine to machine by some hundreds, which is allowed for where it is close to that.
export const ENTRIES = [
  { name: "enginewire", source: "index", glue: "build/glue", dist: "dist", inlining: 50, most: [2_050_000, 575_000] },
  part("roblox-attributes", "attributes", 25, [840_000, 267_000]),
  part("roblox-models", "models", 25, [1_260_000, 398_000]),
  part("roblox-remote", "remote", 25, [820_000, 267_000]),
  part("godot", "godot", 50, [815_000, 242_000]),
  part("scrap-mechanic", "scrap_mechanic", 50, [650_000, 217_000]),
];

function part(name, feature, inlining, most) {
  return { name, feature, source: name, glue: `build/${name}`, dist: `dist/${name}`, inlining, most };
}

/** How an entry point is imported. */
export const importedAs = ({ name, feature }) => (feature === undefined ? name : `enginewire/${name}`);

/** The file of its module. */
export const moduleOf = ({ name, dist }) => `${dist}/${name}.wasm`;
