import type { AttributeEntry, AttributeItem, Bytes, Float, Godot3Array, Godot3Dictionary, Godot3Object, Godot4Array, Godot4Dictionary, Godot4Object, LuaTable, ResourceArray, ResourceDictionary, ResourceObject } from "./types.js";

export interface AABB { position: Vector3; size: Vector3 }
export interface CFrame { position: Vector3; rotation: { id: number } | { matrix: Float[] } }
export interface Color { r: Float; g: Float; b: Float; a: Float }
export interface Color3 { r: Float; g: Float; b: Float }
export interface ColorSequenceKeypoint { envelope: Float; time: Float; value: Color3 }
export interface EnumItem { enum: Bytes; value: number }
export interface Font { weight: number; style: number; family: Bytes; cached_face_id: Bytes }
export interface JsonTemplate { uuid: string; json: Bytes }
export interface NodePath { absolute: boolean; names: Bytes[]; subnames: Bytes[] }
export interface NumberRange { min: Float; max: Float }
export interface NumberSequenceKeypoint { envelope: Float; time: Float; value: Float }
export interface PackedQuaternion { omitted: "x" | "y" | "z" | "w"; a: number; b: number; c: number }
export interface Plane { normal: Vector3; d: Float }
export interface Projection { x: Vector4; y: Vector4; z: Vector4; w: Vector4 }
export interface Quat { x: Float; y: Float; z: Float; w: Float }
export interface Quaternion { x: Float; y: Float; z: Float; w: Float }
export interface Ray { origin: Vector3; direction: Vector3 }
export interface Rect { min: Vector2; max: Vector2 }
export interface Rect2 { position: Vector2; size: Vector2 }
export interface Rect2i { position: Vector2i; size: Vector2i }
export interface Reference { peer: number; id: number }
export interface Region3 { min: Vector3; max: Vector3 }
export interface Region3int16 { min: Vector3int16; max: Vector3int16 }
export interface RemoteCFrame { position: Vector3; rotation: { id: number } | { quaternion: PackedQuaternion } }
export interface RemotePair { key: Bytes; value: RemoteValue }
export interface Signal { name: Bytes; object_id: bigint }
export interface Transform2D { x: Vector2; y: Vector2; origin: Vector2 }
export interface Transform3D { basis: Float[][]; origin: Vector3 }
export interface TweenInfo { time: Float; delay: Float; repeat_count: number; easing_style: number; easing_direction: number; reverses: boolean }
export interface UDim { scale: Float; offset: number }
export interface UDim2 { x: UDim; y: UDim }
export interface Vec3 { x: Float; y: Float; z: Float }
export interface Vector2 { x: Float; y: Float }
export interface Vector2i { x: number; y: number }
export interface Vector2int16 { x: number; y: number }
export interface Vector3 { x: Float; y: Float; z: Float }
export interface Vector3i { x: number; y: number; z: number }
export interface Vector3int16 { x: number; y: number; z: number }
export interface Vector4 { x: Float; y: Float; z: Float; w: Float }
export interface Vector4i { x: number; y: number; z: number; w: number }
export interface WeakScriptRef { ref_id: number; flag: boolean }

/** An attribute of Roblox without its key. */
export type AttributeValue =
  | { type: "String"; value: Bytes }
  | { type: "Bool"; value: boolean }
  | { type: "Int"; value: number }
  | { type: "Float"; value: Float }
  | { type: "Double"; value: Float }
  | { type: "Array"; value: AttributeItem[] }
  | { type: "Dictionary"; value: AttributeEntry[] }
  | { type: "UDim"; value: UDim }
  | { type: "UDim2"; value: UDim2 }
  | { type: "Ray"; value: Ray }
  | { type: "Faces"; value: number }
  | { type: "Axes"; value: number }
  | { type: "BrickColor"; value: number }
  | { type: "Color3"; value: Color3 }
  | { type: "Vector2"; value: Vector2 }
  | { type: "Vector3"; value: Vector3 }
  | { type: "Vector2int16"; value: Vector2int16 }
  | { type: "Vector3int16"; value: Vector3int16 }
  | { type: "CFrame"; value: CFrame }
  | { type: "EnumItem"; value: EnumItem }
  | { type: "NumberSequence"; value: NumberSequenceKeypoint[] }
  | { type: "NumberSequenceKeypoint"; value: NumberSequenceKeypoint }
  | { type: "ColorSequence"; value: ColorSequenceKeypoint[] }
  | { type: "ColorSequenceKeypoint"; value: ColorSequenceKeypoint }
  | { type: "NumberRange"; value: NumberRange }
  | { type: "Rect"; value: Rect }
  | { type: "Region3"; value: Region3 }
  | { type: "Region3int16"; value: Region3int16 }
  | { type: "Font"; value: Font }
  | { type: "TweenInfo"; value: TweenInfo }
  | { type: "Ref"; value: number };

/** An argument of a packet, or a value in one. */
export type RemoteValue =
  | { type: "Nil"; value: null }
  | { type: "String"; value: Bytes }
  | { type: "Boolean"; value: boolean }
  | { type: "Number"; value: Float }
  | { type: "Vector2"; value: Vector2 }
  | { type: "Vector3"; value: Vector3 }
  | { type: "Vector2int16"; value: Vector2int16 }
  | { type: "Vector3int16"; value: Vector3int16 }
  | { type: "CFrame"; value: RemoteCFrame }
  | { type: "Instance"; value: Reference | null }
  | { type: "Array"; value: RemoteValue[] }
  | { type: "Dictionary"; value: RemotePair[] };

/** A value of a script of Scrap Mechanic. */
export type LuaValue =
  | { type: "Nil"; value: null }
  | { type: "Boolean"; value: boolean }
  | { type: "Number"; value: Float }
  | { type: "String"; value: Bytes }
  | { type: "Table"; value: LuaTable }
  | { type: "Int32"; value: number }
  | { type: "Int16"; value: number }
  | { type: "Int8"; value: number }
  | { type: "Json"; value: Bytes }
  | { type: "Double"; value: Float }
  | { type: "JsonTemplate"; value: JsonTemplate }
  | { type: "Userdata"; value: Userdata }
  | { type: "WeakScriptRef"; value: WeakScriptRef };

/** A thing of the game by its handle, or a small value. */
export type Userdata =
  | ({ id: "Uuid" } & { uuid: string })
  | ({ id: "Vec3" } & Vec3)
  | ({ id: "Quat" } & Quat)
  | ({ id: "Color" } & Color)
  | ({ id: "Shape" } & { handle: number })
  | ({ id: "Body" } & { handle: number })
  | ({ id: "Interactable" } & { handle: number })
  | ({ id: "Container" } & { handle: number })
  | ({ id: "Harvestable" } & { handle: number })
  | ({ id: "World" } & { handle: number })
  | ({ id: "Unit" } & { handle: number })
  | ({ id: "Player" } & { handle: number })
  | ({ id: "Character" } & { handle: number })
  | ({ id: "Joint" } & { handle: number })
  | ({ id: "Portal" } & { handle: number })
  | ({ id: "PathNode" } & { handle: number })
  | ({ id: "Lift" } & { handle: number })
  | ({ id: "ScriptableObject" } & { handle: number })
  | ({ id: "Tool" } & { handle: number });

/** A Variant of Godot 3. */
export type Godot3Value =
  | { type: "null"; value: null }
  | { type: "bool"; value: boolean }
  | { type: "int"; value: bigint }
  | { type: "float"; value: Float }
  | { type: "String"; value: Bytes }
  | { type: "Vector2"; value: Vector2 }
  | { type: "Rect2"; value: Rect2 }
  | { type: "Vector3"; value: Vector3 }
  | { type: "Transform2D"; value: Transform2D }
  | { type: "Plane"; value: Plane }
  | { type: "Quat"; value: Quaternion }
  | { type: "AABB"; value: AABB }
  | { type: "Basis"; value: Float[][] }
  | { type: "Transform"; value: Transform3D }
  | { type: "Color"; value: Color }
  | { type: "NodePath"; value: NodePath }
  | { type: "RID"; value: null }
  | { type: "Object"; value: Godot3Object }
  | { type: "Dictionary"; value: Godot3Dictionary }
  | { type: "Array"; value: Godot3Array }
  | { type: "PoolByteArray"; value: Uint8Array }
  | { type: "PoolIntArray"; value: number[] }
  | { type: "PoolRealArray"; value: Float[] }
  | { type: "PoolStringArray"; value: Bytes[] }
  | { type: "PoolVector2Array"; value: Vector2[] }
  | { type: "PoolVector3Array"; value: Vector3[] }
  | { type: "PoolColorArray"; value: Color[] };

/** A Variant of Godot 4. With `double`, its reals have 64 bits. */
export type Godot4Value =
  | { type: "null"; value: null }
  | { type: "bool"; value: boolean }
  | { type: "int"; value: bigint }
  | { type: "float"; value: Float }
  | { type: "String"; value: Bytes }
  | { type: "Vector2"; double?: true; value: Vector2 }
  | { type: "Vector2i"; value: Vector2i }
  | { type: "Rect2"; double?: true; value: Rect2 }
  | { type: "Rect2i"; value: Rect2i }
  | { type: "Vector3"; double?: true; value: Vector3 }
  | { type: "Vector3i"; value: Vector3i }
  | { type: "Transform2D"; double?: true; value: Transform2D }
  | { type: "Vector4"; double?: true; value: Vector4 }
  | { type: "Vector4i"; value: Vector4i }
  | { type: "Plane"; double?: true; value: Plane }
  | { type: "Quaternion"; double?: true; value: Quaternion }
  | { type: "AABB"; double?: true; value: AABB }
  | { type: "Basis"; double?: true; value: Float[][] }
  | { type: "Transform3D"; double?: true; value: Transform3D }
  | { type: "Projection"; double?: true; value: Projection }
  | { type: "Color"; value: Color }
  | { type: "StringName"; value: Bytes }
  | { type: "NodePath"; value: NodePath }
  | { type: "RID"; value: bigint }
  | { type: "Object"; value: Godot4Object }
  | { type: "Callable"; value: null }
  | { type: "Signal"; value: Signal }
  | { type: "Dictionary"; value: Godot4Dictionary }
  | { type: "Array"; value: Godot4Array }
  | { type: "PackedByteArray"; value: Uint8Array }
  | { type: "PackedInt32Array"; value: number[] }
  | { type: "PackedInt64Array"; value: bigint[] }
  | { type: "PackedFloat32Array"; value: Float[] }
  | { type: "PackedFloat64Array"; value: Float[] }
  | { type: "PackedStringArray"; value: Bytes[] }
  | { type: "PackedVector2Array"; double?: true; value: Vector2[] }
  | { type: "PackedVector3Array"; double?: true; value: Vector3[] }
  | { type: "PackedColorArray"; value: Color[] }
  | { type: "PackedVector4Array"; double?: true; value: Vector4[] };

/** A value of a resource of Godot. With `double`, its reals have 64 bits. */
export type ResourceValue =
  | { type: "null"; value: null }
  | { type: "bool"; value: boolean }
  | { type: "int"; value: bigint }
  | { type: "float"; value: Float }
  | { type: "String"; value: Bytes }
  | { type: "Vector2"; double?: true; value: Vector2 }
  | { type: "Rect2"; double?: true; value: Rect2 }
  | { type: "Vector3"; double?: true; value: Vector3 }
  | { type: "Plane"; double?: true; value: Plane }
  | { type: "Quaternion"; double?: true; value: Quaternion }
  | { type: "AABB"; double?: true; value: AABB }
  | { type: "Basis"; double?: true; value: Float[][] }
  | { type: "Transform3D"; double?: true; value: Transform3D }
  | { type: "Transform2D"; double?: true; value: Transform2D }
  | { type: "Color"; value: Color }
  | { type: "NodePath"; value: NodePath }
  | { type: "RID"; value: bigint }
  | { type: "Object"; value: ResourceObject }
  | { type: "Dictionary"; value: ResourceDictionary }
  | { type: "Array"; value: ResourceArray }
  | { type: "PackedByteArray"; value: Uint8Array }
  | { type: "PackedInt32Array"; value: number[] }
  | { type: "PackedFloat32Array"; value: Float[] }
  | { type: "PackedStringArray"; value: Bytes[] }
  | { type: "PackedVector3Array"; double?: true; value: Vector3[] }
  | { type: "PackedColorArray"; value: Color[] }
  | { type: "PackedVector2Array"; double?: true; value: Vector2[] }
  | { type: "Callable"; value: null }
  | { type: "Signal"; value: Signal }
  | { type: "StringName"; value: Bytes }
  | { type: "Vector2i"; value: Vector2i }
  | { type: "Rect2i"; value: Rect2i }
  | { type: "Vector3i"; value: Vector3i }
  | { type: "PackedInt64Array"; value: bigint[] }
  | { type: "PackedFloat64Array"; value: Float[] }
  | { type: "Vector4"; double?: true; value: Vector4 }
  | { type: "Vector4i"; value: Vector4i }
  | { type: "Projection"; double?: true; value: Projection }
  | { type: "PackedVector4Array"; double?: true; value: Vector4[] };
