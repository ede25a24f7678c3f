// Writes ts/generated.ts: the types of documents, from the tables of the formats. A type that a table has and that is
// not written down here stops the build, and so does one that no table has.

const NUMBER = "number";
const FLOAT = "Float";
const BYTES = "Bytes";
const list = (of) => `${of}[]`;

/** The value of each type of each format, as TypeScript. */
const VALUES = {
  "roblox-attributes": {
    String: BYTES,
    Bool: "boolean",
    Int: NUMBER,
    Float: FLOAT,
    Double: FLOAT,
    Array: list("AttributeItem"),
    Dictionary: list("AttributeEntry"),
    UDim: "UDim",
    UDim2: "UDim2",
    Ray: "Ray",
    Faces: NUMBER,
    Axes: NUMBER,
    BrickColor: NUMBER,
    Color3: "Color3",
    Vector2: "Vector2",
    Vector3: "Vector3",
    Vector2int16: "IntegerVector2",
    Vector3int16: "IntegerVector3",
    CFrame: "CFrame",
    EnumItem: "EnumItem",
    NumberSequence: list("NumberSequenceKeypoint"),
    NumberSequenceKeypoint: "NumberSequenceKeypoint",
    ColorSequence: list("ColorSequenceKeypoint"),
    ColorSequenceKeypoint: "ColorSequenceKeypoint",
    NumberRange: "NumberRange",
    Rect: "Rect",
    Region3: "Region3",
    Region3int16: "Region3int16",
    Font: "Font",
    TweenInfo: "TweenInfo",
    Ref: NUMBER,
  },
  "roblox-remote": {
    Nil: "null",
    String: BYTES,
    EnumItem: "RemoteEnumItem",
    BinaryString: BYTES,
    Boolean: "boolean",
    Int: NUMBER,
    Float: FLOAT,
    Number: FLOAT,
    UDim: "UDim",
    UDim2: "UDim2",
    Ray: "Ray",
    Faces: NUMBER,
    Axes: NUMBER,
    BrickColor: NUMBER,
    Color3: "Color3",
    Color3uint8: "IntegerColor3",
    Vector2: "Vector2",
    Vector3: "Vector3",
    Vector2int16: "IntegerVector2",
    Vector3int16: "IntegerVector3",
    SimpleCFrame: "CFrame",
    CFrame: "RemoteCFrame",
    Instance: "Reference | null",
    Tuple: list("RemoteValue"),
    Array: list("RemoteValue"),
    Dictionary: list("RemotePair"),
    Map: list("RemotePair"),
    SystemAddress: "bigint",
    NumberSequence: list("NumberSequenceKeypoint"),
    NumberSequenceKeypoint: "NumberSequenceKeypoint",
    NumberRange: "NumberRange",
    ColorSequence: list("ColorSequenceKeypoint"),
    ColorSequenceKeypoint: "ColorSequenceKeypoint",
    Rect: "Rect",
    PhysicalProperties: "PhysicalProperties | null",
    Region3: "Region3",
    Region3int16: "Region3int16",
    Int64: "bigint",
    PathWaypoint: "PathWaypoint",
    DateTime: "bigint",
    OptimizedString: "OptimizedString",
  },
  "scrap-mechanic-lua": {
    Nil: "null",
    Boolean: "boolean",
    Number: FLOAT,
    String: BYTES,
    Table: "LuaTable",
    Int32: NUMBER,
    Int16: NUMBER,
    Int8: NUMBER,
    Json: BYTES,
    Double: FLOAT,
    JsonTemplate: "JsonTemplate",
    Userdata: "Userdata",
    WeakScriptRef: "WeakScriptRef",
  },
  "godot-3": {
    null: "null",
    bool: "boolean",
    int: "bigint",
    float: FLOAT,
    String: BYTES,
    Vector2: "Vector2",
    Rect2: "Rect2",
    Vector3: "Vector3",
    Transform2D: "Transform2D",
    Plane: "Plane",
    Quat: "Vector4",
    AABB: "AABB",
    Basis: "Basis",
    Transform: "Transform3D",
    Color: "Color",
    NodePath: "NodePath",
    RID: "null",
    Object: "GodotObject<Godot3Value> | null",
    Dictionary: "GodotEntry<Godot3Value>[]",
    Array: list("Godot3Value"),
    PoolByteArray: "Uint8Array",
    PoolIntArray: list(NUMBER),
    PoolRealArray: list(FLOAT),
    PoolStringArray: list(BYTES),
    PoolVector2Array: list("Vector2"),
    PoolVector3Array: list("Vector3"),
    PoolColorArray: list("Color"),
  },
  "godot-4": {
    null: "null",
    bool: "boolean",
    int: "bigint",
    float: FLOAT,
    String: BYTES,
    Vector2: "Vector2",
    Vector2i: "IntegerVector2",
    Rect2: "Rect2",
    Rect2i: "IntegerRect2",
    Vector3: "Vector3",
    Vector3i: "IntegerVector3",
    Transform2D: "Transform2D",
    Vector4: "Vector4",
    Vector4i: "IntegerVector4",
    Plane: "Plane",
    Quaternion: "Vector4",
    AABB: "AABB",
    Basis: "Basis",
    Transform3D: "Transform3D",
    Projection: "Projection",
    Color: "Color",
    StringName: BYTES,
    NodePath: "NodePath",
    RID: "bigint",
    Object: "GodotObject<Godot4Value> | null",
    Callable: "null",
    Signal: "Signal",
    Dictionary: "GodotEntry<Godot4Value>[] | TypedDictionary",
    Array: "Godot4Value[] | TypedArray",
    PackedByteArray: "Uint8Array",
    PackedInt32Array: list(NUMBER),
    PackedInt64Array: list("bigint"),
    PackedFloat32Array: list(FLOAT),
    PackedFloat64Array: list(FLOAT),
    PackedStringArray: list(BYTES),
    PackedVector2Array: list("Vector2"),
    PackedVector3Array: list("Vector3"),
    PackedColorArray: list("Color"),
    PackedVector4Array: list("Vector4"),
  },
};

/** Types of Godot 4 whose reals may have 64 bits. */
const DOUBLES = new Set(
  ("Vector2 Vector3 Vector4 Quaternion Rect2 AABB Plane Transform2D Basis Transform3D Projection " +
    "PackedVector2Array PackedVector3Array PackedVector4Array").split(" "),
);

/** The userdata that holds values; all others hold a handle. */
const USERDATA = {
  Uuid: "uuid: string",
  Vec3: "x: Float; y: Float; z: Float",
  Quat: "x: Float; y: Float; z: Float; w: Float",
  Color: "r: Float; g: Float; b: Float; a: Float",
};

/** Options of streams alone. */
const STREAMS = new Set(["framing"]);

const camel = (name) => name.replace(/_(.)/g, (_, letter) => letter.toUpperCase());

/** The union of all values of a format, each with its type; `head` are members before the type. */
function union(name, format, types, head = "") {
  const values = VALUES[format];
  const names = new Set(types);
  for (const type of Object.keys(values)) if (!names.has(type)) throw new Error(`${format} has no type ${type}`);
  const members = types.map((type) => {
    if (!(type in values)) throw new Error(`scripts/types.mjs does not say what a ${type} of ${format} is`);
    const double = format === "godot-4" && DOUBLES.has(type) ? "double?: true; " : "";
    return `  | { ${head}type: ${JSON.stringify(type)}; ${double}value: ${values[type]} }`;
  });
  return `export type ${name} =\n${members.join("\n")};\n`;
}

/** The text of ts/generated.ts, with the names and options of those formats that an entry point has. */
export function generated(formats, own = formats) {
  const types = Object.fromEntries(formats.map((format) => [format.name, format.types.map((type) => type.name)]));
  const isUserdata = (type) => Number(type.id) > 10000;
  const lua = formats.find((format) => format.name === "scrap-mechanic-lua").types;
  const userdata = lua.filter(isUserdata).map((type) => type.name);
  const luaTypes = lua.filter((type) => !isUserdata(type)).map((type) => type.name);
  const options = new Map();
  for (const format of own) {
    for (const option of format.options) {
      const known = options.get(option.name) ?? { ...option, formats: [], defaults: new Map() };
      known.formats.push(format.name);
      const unset = JSON.stringify(option.default);
      known.defaults.set(unset, [...(known.defaults.get(unset) ?? []), format.name]);
      options.set(option.name, known);
    }
  }
  const lines = (are) => [...options.values()].filter(({ name }) => are(name)).map(({ name, about, accepts, defaults, formats }) => {
    const type = Array.isArray(accepts) ? accepts.map((text) => JSON.stringify(text)).join(" | ") : accepts;
    const unset = [...defaults].map(([text, of]) => (defaults.size === 1 ? text : `${text} of ${of.join(", ")}`)).join("; ");
    return `  /** ${about}. Default: ${unset}. Heeded by ${formats.join(", ")}. */\n  ${camel(name)}?: ${type};\n`;
  }).join("");
  return `// Written by scripts/types.mjs from the tables of the formats.

import type {
  AABB, AttributeItem, Basis, Bytes, CFrame, Color, Color3, ColorSequenceKeypoint, EnumItem, Float, Font, GodotEntry, GodotObject,
  IntegerColor3, IntegerRect2, IntegerVector2, IntegerVector3, IntegerVector4, JsonTemplate, LuaTable, NodePath, NumberRange,
  NumberSequenceKeypoint, OptimizedString, PathWaypoint, PhysicalProperties, Plane, Projection, Ray, Rect, Rect2, Reference,
  Region3, Region3int16, RemoteCFrame, RemoteEnumItem, RemotePair, Signal, Transform2D, Transform3D, TweenInfo, TypedArray, TypedDictionary,
  UDim, UDim2, Vector2, Vector3, Vector4, WeakScriptRef,
} from "./types.js";

/** The names of the formats. */
export type FormatName = ${own.map((format) => JSON.stringify(format.name)).join(" | ")};

/** What reading and writing allow. A format heeds those that it has. */
export interface FormatOptions {
${lines((name) => !STREAMS.has(name))}}

/** What reading of several values one after the other allows, beside that. */
export interface StreamFormatOptions {
${lines((name) => STREAMS.has(name))}}

/** An attribute of Roblox without its key. */
${union("AttributeValue", "roblox-attributes", types["roblox-attributes"])}
/** An attribute of Roblox. */
export type AttributeEntry = { key: Bytes } & AttributeValue;

/** An argument of a packet, or a value in one. */
${union("RemoteValue", "roblox-remote", types["roblox-remote"])}
/** A value of a script of Scrap Mechanic. */
${union("LuaValue", "scrap-mechanic-lua", luaTypes)}
/** What only the game knows, by its handle; or a small value. */
export type Userdata =
${userdata.map((name) => `  | { id: ${JSON.stringify(name)}; ${USERDATA[name] ?? "handle: number"} }`).join("\n")};

/** A Variant of Godot 3. */
${union("Godot3Value", "godot-3", types["godot-3"])}
/** A Variant of Godot 4. With \`double\`, its reals have 64 bits. */
${union("Godot4Value", "godot-4", types["godot-4"])}
/** The name of a type of Godot 4. */
export type Godot4Type = Godot4Value["type"];
`;
}
