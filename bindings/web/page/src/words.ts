/** The words for what the program has names for. */

import type { About, Guess, KindRow } from "./protocol";

/** The files that hold values. The formats come from the library. */
export const CONTAINERS: readonly KindRow[] = [
  { kind: "rbxm", about: "Roblox model or place, binary" },
  { kind: "rbxmx", about: "Roblox model or place, XML" },
  { kind: "roblox-packets", about: "Several Roblox remote packets" },
  { kind: "roblox-packet-lines", about: "Roblox remote packets, each a line of hex" },
  { kind: "scrap-mechanic-blueprint", about: "Scrap Mechanic blueprint" },
  { kind: "scrap-mechanic-save", about: "Scrap Mechanic save" },
  { kind: "godot-project:godot-3", about: "Godot 3 project settings" },
  { kind: "godot-project:godot-4", about: "Godot 4 project settings" },
  { kind: "godot-config", about: "Godot ConfigFile" },
  { kind: "godot-text", about: "Godot scene or resource as text" },
  { kind: "godot-pack", about: "Godot pack" },
  { kind: "godot-scene", about: "Godot scene: its nodes" },
  { kind: "godot-script", about: "Godot compiled script: its constants" },
  { kind: "godot-uid-cache", about: "Godot unique ids: the paths of files" },
  { kind: "godot-frames-le:godot-3", about: "Godot 3 stream" },
  { kind: "godot-frames-le:godot-4", about: "Godot stream" },
  { kind: "godot-frames-be:godot-3", about: "Godot 3 stream, big-endian" },
  { kind: "godot-frames-be:godot-4", about: "Godot stream, big-endian" },
  { kind: "godot-values:godot-3", about: "Several Godot 3 values" },
  { kind: "godot-values:godot-4", about: "Several Godot values" },
];

const FORMATS: Readonly<Record<string, string>> = {
  "roblox-attributes": "Roblox attributes",
  "roblox-remote": "Roblox remote packet",
  "scrap-mechanic-lua": "Scrap Mechanic LuaObject",
  "godot-3": "Godot 3 Variant",
  "godot-4": "Godot Variant",
  "godot-resource": "Godot resource",
};

/** The name of each kind of file. */
export function kindName(kind: string): string {
  const [first = "", format = ""] = kind.split(" ");
  if (first === "document") return `${kindName(format)} as JSON`;
  if (first === "text") return `${kindName(format)} as text`;
  const exact = CONTAINERS.find((row) => row.kind === kind) ?? CONTAINERS.find((row) => row.kind === kind.split(":")[0]);
  return FORMATS[kind] ?? exact?.about ?? kind;
}

/** The number of values in a file. */
export function valuesOf({ rows, broken, end }: About): string {
  const all = `${rows.toLocaleString("en")} ${rows === 1 ? "value" : "values"}`;
  return `${all}${broken > 0 ? `, ${broken.toLocaleString("en")} broken` : ""}${end === null ? "" : `; ${end}`}`;
}

/** Why a file is taken for what it is. */
export function reasonOf(guess: Guess | undefined): string {
  if (guess === undefined) return "Chosen by hand";
  if (guess.confidence !== "certain") return `${guess.confidence === "likely" ? "Likely" : "Possible"}: ${guess.reason}`;
  return /\bbegins?\b|first bytes/.test(guess.reason) ? "Recognised by its first bytes" : `Recognised: ${guess.reason}`;
}
