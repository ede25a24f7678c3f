//! Modules for `#[serde(with = "…")]`: the type of an engine that a field is written as, and that it must be when it is read.
//!
//! ```
//! # #[cfg(feature = "godot")] {
//! use enginewire::godot::{self, Variant, Vector3};
//! use enginewire::typed::with;
//! use serde::{Deserialize, Serialize};
//!
//! #[derive(Serialize, Deserialize)]
//! struct Ship {
//!     #[serde(with = "with::vector3")]
//!     position: [f32; 3],
//!     #[serde(with = "with::packed_float32_array")]
//!     fuel: Vec<f32>,
//! }
//!
//! let value = godot::to_value(&Ship { position: [1.0, 2.0, 3.0], fuel: vec![0.5] })?;
//! let position = value.as_dictionary().and_then(|fields| fields.get("position"));
//! assert_eq!(position, Some(&Variant::from(Vector3 { x: 1.0_f32, y: 2.0, z: 3.0 })));
//! assert_eq!(godot::from_value::<Ship>(value)?.fuel, [0.5]);
//! # }
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! A field may be a list, a tuple or a structure with the parts of the type, in their order or with their names, and an
//! `Option` of it, which `#[serde(default)]` then lets be missing. In Godot the numbers decide: of integers a `Vector3` is a
//! `Vector3i`, and of `f64` it has 64 bits. A format that lacks the type says so when the field is written. In other formats,
//! such as JSON, the modules do nothing.

use std::fmt;
use std::marker::PhantomData;

use serde::de::Visitor;
use serde::{Deserialize, Deserializer};

/// Reads a value of the type with this name.
fn of_type<'de, T: Deserialize<'de>, D: Deserializer<'de>>(name: &'static str, deserializer: D) -> Result<T, D::Error> {
    deserializer.deserialize_newtype_struct(name, OfType { name, value: PhantomData })
}

struct OfType<T> {
    name: &'static str,
    value: PhantomData<T>,
}

impl<'de, T: Deserialize<'de>> Visitor<'de> for OfType<T> {
    type Value = T;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(super::type_of_name(self.name).unwrap_or(self.name))
    }

    fn visit_newtype_struct<D: Deserializer<'de>>(self, deserializer: D) -> Result<T, D::Error> {
        T::deserialize(deserializer)
    }
}

/// Defines a module for each type: its name and that of the type.
macro_rules! modules {
    ($($module:ident $name:literal $form:literal;)*) => {
        $(
            #[doc = concat!("For `#[serde(with = \"enginewire::typed::with::", stringify!($module), "\")]`: the field is a `", $name, "`.")]
            #[doc = ""]
            #[doc = concat!("The field may be ", $form, ". The [module](super) has an example.")]
            pub mod $module {
                use serde::{Deserialize, Deserializer, Serialize, Serializer};

                const NAME: &str = concat!("$enginewire::", $name);

                #[doc = concat!("Writes a `", $name, "`.")]
                ///
                /// # Errors
                ///
                /// If the format has no such type, or no value of it has this form.
                pub fn serialize<T: Serialize + ?Sized, S: Serializer>(
                    value: &T,
                    serializer: S,
                ) -> Result<S::Ok, S::Error> {
                    serializer.serialize_newtype_struct(NAME, value)
                }

                #[doc = concat!("Reads a `", $name, "`.")]
                ///
                /// # Errors
                ///
                /// If the value is of another type, or has another form than the field.
                pub fn deserialize<'de, T: Deserialize<'de>, D: Deserializer<'de>>(
                    deserializer: D,
                ) -> Result<T, D::Error> {
                    super::of_type(NAME, deserializer)
                }
            }
        )*
    };
}

modules! {
    bool_ "bool" "a `bool`";
    boolean "Boolean" "a `bool`";
    int "int" "any integer";
    int8 "Int8" "any integer";
    int16 "Int16" "any integer";
    int32 "Int32" "any integer";
    int64 "Int64" "any integer";
    roblox_int "Int" "any integer";
    float "float" "`f32` or `f64`";
    roblox_float "Float" "`f32`";
    double "Double" "`f64`";
    number "Number" "`f32` or `f64`";
    string "String" "text";
    binary_string "BinaryString" "text or bytes";
    string_name "StringName" "text";
    node_path "NodePath" "a `(bool, Vec<String>, Vec<String>)`: absolute, names, subnames";
    rid "RID" "a `u64`";
    signal "Signal" "a `(String, u64)`: name and number of the object";
    vector2 "Vector2" "`[f32; 2]`; of Godot also `[f64; 2]`, and `[i32; 2]` for a `Vector2i`";
    vector3 "Vector3" "`[f32; 3]`; of Godot also `[f64; 3]`, and `[i32; 3]` for a `Vector3i`";
    vector4 "Vector4" "`[f32; 4]`, `[f64; 4]`, and `[i32; 4]` for a `Vector4i`";
    vector2int16 "Vector2int16" "`[i16; 2]`";
    vector3int16 "Vector3int16" "`[i16; 3]`";
    vec3 "Vec3" "`[f32; 3]`";
    quat "Quat" "`[f32; 4]`";
    quaternion "Quaternion" "`[f32; 4]` or `[f64; 4]`";
    plane "Plane" "`([f32; 3], f32)`: normal and distance";
    rect2 "Rect2" "`[[f32; 2]; 2]`: position and size";
    aabb "AABB" "`[[f32; 3]; 2]`: position and size";
    basis "Basis" "`[[f32; 3]; 3]`, row by row";
    transform2d "Transform2D" "`[[f32; 2]; 3]`";
    transform3d "Transform3D" "`([[f32; 3]; 3], [f32; 3])`: basis and origin";
    projection "Projection" "`[[f32; 4]; 4]`";
    color "Color" "`[f32; 4]`";
    color3 "Color3" "`[f32; 3]`";
    brick_color "BrickColor" "the number";
    enum_item "EnumItem" "`(String, u32)`: enum and value";
    udim "UDim" "`(f32, i32)`";
    udim2 "UDim2" "`[(f32, i32); 2]`";
    cframe "CFrame" "[`CFrame`](crate::roblox::datatypes::CFrame), or a structure with its fields";
    ray "Ray" "`[[f32; 3]; 2]`";
    rect "Rect" "`[[f32; 2]; 2]`";
    region3 "Region3" "`[[f32; 3]; 2]`";
    number_range "NumberRange" "`[f32; 2]`";
    number_sequence "NumberSequence" "a list of `(f32, f32, f32)`: envelope, time and value";
    color_sequence "ColorSequence" "a list of `(f32, f32, [f32; 3])`: envelope, time and colour";
    faces "Faces" "the bits";
    axes "Axes" "the bits";
    font "Font" "`(u16, u8, String, String)`";
    uuid "Uuid" "16 bytes, in the order in which they are written down";
    packed_byte_array "PackedByteArray" "bytes";
    packed_int32_array "PackedInt32Array" "a list of integers";
    packed_int64_array "PackedInt64Array" "a list of integers";
    packed_float32_array "PackedFloat32Array" "a list of `f32`";
    packed_float64_array "PackedFloat64Array" "a list of `f64`";
    packed_string_array "PackedStringArray" "a list of text";
    packed_vector2_array "PackedVector2Array" "a list of `[f32; 2]`";
    packed_vector3_array "PackedVector3Array" "a list of `[f32; 3]`";
    packed_vector4_array "PackedVector4Array" "a list of `[f32; 4]`";
    packed_color_array "PackedColorArray" "a list of `[f32; 4]`";
}
