/** The types of documents, and the types that `generated.ts` uses but does not define. */

import type { AttributeValue, FormatName, Godot3Value, Godot4Value, LuaValue, Reference, RemoteValue, ResourceValue } from "./generated.js";

/** A string if the bytes are UTF-8, else the bytes. */
export type Bytes = string | Uint8Array;

/**
 * A number, exactly as it is: one of 32 bits is widened. A NaN with other bits than the usual ones is an object with the
 * bits, as hexadecimal digits, because JavaScript does not keep them.
 */
export type Float = number | { bits: string };

/**
 * A value without its type, as in plain JSON: a structure is an object with the names of its parts, a key that is not text is in
 * brackets, and text that is not UTF-8 is bytes. An integer of 64 bits is a number if that is exact, else a bigint.
 */
export type Plain = null | boolean | number | bigint | string | Uint8Array | Plain[] | { [name: string]: Plain };

/** A value without its type, for `encode`: also a `Map` with strings as keys, and arrays of numbers of any kind. */
export type PlainInput =
  | null
  | boolean
  | number
  | bigint
  | string
  | ArrayBufferView
  | readonly PlainInput[]
  | ReadonlyMap<string, PlainInput>
  | { readonly [name: string]: PlainInput | undefined };

/** An attribute of Roblox. */
export type AttributeEntry = { key: Bytes } & AttributeValue;

/** An item of an array in attributes: a value without a key. */
export type AttributeItem = AttributeValue & { key?: never };

/** Attributes of an instance of Roblox. */
export interface RobloxAttributes {
  format: "roblox-attributes";
  entries: AttributeEntry[];
}

interface PacketHead {
  remote: Reference | null;
  /** The number of the event. Where it is missing, the table of the options must have exactly one for the name. */
  event_id?: number;
}

/** An event or a call of a remote. */
export type PacketData = PacketHead &
  (
    | { event: "OnClientEvent"; arguments: RemoteValue[] }
    | { event: "OnServerEvent"; player: Reference | null; arguments: RemoteValue[] }
    | { event: "RemoteOnInvokeClient"; call: number; arguments: RemoteValue[] }
    | { event: "RemoteOnInvokeServer"; call: number; player: Reference | null; arguments: RemoteValue[] }
    | { event: "RemoteOnInvokeError"; call: number; message: Bytes }
    | { event: "RemoteOnInvokeSuccess"; call: number; arguments: RemoteValue[] }
  );

/** A packet of RemoteEvents and RemoteFunctions. */
export interface RobloxRemote {
  format: "roblox-remote";
  packets: PacketData[];
}

export interface LuaPair { key: LuaValue; value: LuaValue }
/** A table with consecutive keys from `offset` on, or any other. */
export type LuaTable =
  | { array: true; offset: number; elements: LuaValue[] }
  | { array: false; entries: LuaPair[] };

/** A value of a script of Scrap Mechanic. */
export type ScrapMechanicLua = { format: "scrap-mechanic-lua"; version: 1 } & LuaValue;

/** An object by its id, or with all of its properties; or none. */
export type GodotObject<Value> = { id: bigint } | { class: Bytes; properties: { name: Bytes; value: Value }[] } | null;
export type Godot3Object = GodotObject<Godot3Value>;
export type Godot4Object = GodotObject<Godot4Value>;
/** Keys may repeat, and need not be strings. */
export interface GodotEntry<Value> { key: Value; value: Value }
export type Godot3Dictionary = GodotEntry<Godot3Value>[];
export type Godot4Dictionary = GodotEntry<Godot4Value>[] | TypedDictionary;
export type Godot3Array = Godot3Value[];
export type Godot4Array = Godot4Value[] | TypedArray;
/** The name of a type of Godot 4. */
export type Godot4Type = Godot4Value["type"];
export type ContainerType = { builtin: Godot4Type } | { class: Bytes } | { script: Bytes };
export interface TypedArray { typed: ContainerType; elements: Godot4Value[] }
export interface TypedDictionary {
  typed: { key: ContainerType | null; value: ContainerType | null };
  entries: GodotEntry<Godot4Value>[];
}

/** A Variant of Godot 3 with the name of its format. */
export type Godot3 = { format: "godot-variant"; version: 3 } & Godot3Value;
/** A Variant of Godot 4 with the name of its format. */
export type Godot4 = { format: "godot-variant"; version: 4 } & Godot4Value;

/** A resource by its place in the file or its path, or none. */
export type ResourceObject = { internal: number } | { external: number } | { class: Bytes; path: Bytes } | null;
export type ResourceDictionary = GodotEntry<ResourceValue>[];
export type ResourceArray = ResourceValue[];

/** A binary resource of Godot: a file with a table of strings, resources of other files, and its own. The last of these is the main one. */
export interface GodotResource {
  format: "godot-resource";
  /** The version of the layout. */
  version: number;
  big_endian: boolean;
  /** The version of the engine. */
  major: number;
  minor: number;
  class: Bytes;
  /** The place of the import metadata, which engines do not read; only if it is not 0. */
  importmd_ofs?: bigint;
  flags: number;
  uid: bigint;
  script_class: Bytes;
  strings: Bytes[];
  external: { class: Bytes; path: Bytes; uid: bigint }[];
  internal: { path: Bytes; class: Bytes; properties: { name: Bytes; value: ResourceValue }[] }[];
}

/** The document of each format. */
export interface Documents {
  "roblox-attributes": RobloxAttributes;
  "roblox-remote": RobloxRemote;
  "scrap-mechanic-lua": ScrapMechanicLua;
  "godot-3": Godot3;
  "godot-4": Godot4;
  "godot-resource": GodotResource;
}

/** The documents that `encode` takes for each format: complete, or without the name of the format. */
export interface Encodable {
  "roblox-attributes": RobloxAttributes | Omit<RobloxAttributes, "format">;
  "roblox-remote": RobloxRemote | Omit<RobloxRemote, "format">;
  "scrap-mechanic-lua": ScrapMechanicLua | LuaValue;
  "godot-3": Godot3 | Godot3Value;
  "godot-4": Godot4 | Godot4Value;
  "godot-resource": GodotResource | Omit<GodotResource, "format">;
}

/** The items that a stream of each format gives. */
export interface Items {
  "roblox-attributes": AttributeEntry;
  "roblox-remote": PacketData;
  "scrap-mechanic-lua": ScrapMechanicLua;
  "godot-3": Godot3;
  "godot-4": Godot4;
  "godot-resource": GodotResource;
}

/** A document of any format. */
export type AnyDocument = Documents[FormatName];
