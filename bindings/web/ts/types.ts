/** What documents are made of: the parts that the types of several formats share. */

import type { AttributeEntry, AttributeValue, FormatName, Godot3Value, Godot4Type, Godot4Value, LuaValue, RemoteValue } from "./generated.js";

/** A string if the bytes are UTF-8, else the bytes. */
export type Bytes = string | Uint8Array;

/**
 * A number, exactly as it is: one of 32 bits is widened. A NaN with other bits than the usual ones is an object with the
 * bits, as hexadecimal digits, because JavaScript does not keep them.
 */
export type Float = number | { bits: string };

export interface Vector2 { x: Float; y: Float }
export interface Vector3 { x: Float; y: Float; z: Float }
/** A vector or quaternion. */
export interface Vector4 { x: Float; y: Float; z: Float; w: Float }
export interface IntegerVector2 { x: number; y: number }
export interface IntegerVector3 { x: number; y: number; z: number }
export interface IntegerVector4 { x: number; y: number; z: number; w: number }
export interface Color3 { r: Float; g: Float; b: Float }
export interface IntegerColor3 { r: number; g: number; b: number }
export interface Color { r: Float; g: Float; b: Float; a: Float }

export interface UDim { scale: Float; offset: number }
export interface UDim2 { x: UDim; y: UDim }
export interface Ray { origin: Vector3; direction: Vector3 }
export interface Rect { min: Vector2; max: Vector2 }
export interface NumberRange { min: Float; max: Float }
export interface Region3 { min: Vector3; max: Vector3 }
export interface Region3int16 { min: IntegerVector3; max: IntegerVector3 }
export interface NumberSequenceKeypoint { envelope: Float; time: Float; value: Float }
export interface ColorSequenceKeypoint { envelope: Float; time: Float; value: Color3 }
/** The rotation is one of the 24 with right angles, by its id, or a matrix of 9 numbers, row by row. */
export interface CFrame { position: Vector3; rotation: { id: number } | { matrix: Float[] } }
export interface EnumItem { enum: Bytes; value: number }
export interface Font { weight: number; style: number; family: Bytes; cached_face_id: Bytes }

/** The numbers of the style and the direction are those of `Enum.EasingStyle` and `Enum.EasingDirection`. */
export interface TweenInfo {
  time: Float;
  delay: Float;
  repeat_count: number;
  easing_style: number;
  easing_direction: number;
  reverses: boolean;
}

/** An item of an array in attributes: a value without a key. */
export type AttributeItem = AttributeValue & { key?: never };

/** Attributes of an instance of Roblox. */
export interface RobloxAttributes {
  format: "roblox-attributes";
  entries: AttributeEntry[];
}

/** An instance in a packet. */
export interface Reference { peer: number; id: number }
export interface RemoteEnumItem { enum: number; value: number }
/** The numbers of a quaternion are integers of 15 bits, which lose nothing. */
export interface RemoteCFrame {
  position: Vector3;
  rotation: { id: number } | { quaternion: { omitted: "x" | "y" | "z" | "w"; a: number; b: number; c: number } };
}
export interface RemotePair { key: Bytes; value: RemoteValue }
export interface PhysicalProperties {
  density: Float;
  friction: Float;
  elasticity: Float;
  friction_weight: Float;
  elasticity_weight: Float;
}
export interface PathWaypoint { position: Vector3; action: number }
export type OptimizedString = Bytes | { index: number };

interface PacketHead {
  remote: Reference | null;
  /** The number of the event. Where it is missing, the table of the options must have exactly one for the name. */
  event_id?: number;
}

/** What happens to a remote. */
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
export interface JsonTemplate { uuid: string; json: Bytes }
export interface WeakScriptRef { ref_id: number; flag: boolean }

/** A value of a script of Scrap Mechanic. */
export type ScrapMechanicLua = { format: "scrap-mechanic-lua"; version: 1 } & LuaValue;

export interface Rect2 { position: Vector2; size: Vector2 }
export interface IntegerRect2 { position: IntegerVector2; size: IntegerVector2 }
export interface AABB { position: Vector3; size: Vector3 }
export interface Plane { normal: Vector3; d: Float }
export interface Transform2D { x: Vector2; y: Vector2; origin: Vector2 }
/** Three rows of three numbers. */
export type Basis = Float[][];
export interface Transform3D { basis: Basis; origin: Vector3 }
export interface Projection { x: Vector4; y: Vector4; z: Vector4; w: Vector4 }
export interface NodePath { absolute: boolean; names: Bytes[]; subnames: Bytes[] }
export interface Signal { name: Bytes; object_id: bigint }
/** An object by its id, or with all of its properties. */
export type GodotObject<Value> = { id: bigint } | { class: Bytes; properties: { name: Bytes; value: Value }[] };
/** Keys may repeat, and need not be strings. */
export interface GodotEntry<Value> { key: Value; value: Value }
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

/** The document of each format. */
export interface Documents {
  "roblox-attributes": RobloxAttributes;
  "roblox-remote": RobloxRemote;
  "scrap-mechanic-lua": ScrapMechanicLua;
  "godot-3": Godot3;
  "godot-4": Godot4;
}

/** What `encode` takes for each format: a document, or one without the name of its format. */
export interface Encodable {
  "roblox-attributes": RobloxAttributes | Omit<RobloxAttributes, "format">;
  "roblox-remote": RobloxRemote | Omit<RobloxRemote, "format">;
  "scrap-mechanic-lua": ScrapMechanicLua | LuaValue;
  "godot-3": Godot3 | Godot3Value;
  "godot-4": Godot4 | Godot4Value;
}

/** The items that a stream of each format gives. */
export interface Items {
  "roblox-attributes": AttributeEntry;
  "roblox-remote": PacketData;
  "scrap-mechanic-lua": ScrapMechanicLua;
  "godot-3": Godot3;
  "godot-4": Godot4;
}

/** A document of any format. */
export type AnyDocument = Documents[FormatName];
