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
//! A field may be a list, a tuple or a structure with the parts of the type, in their order or with their names. It may also be
//! an `Option` of these, which `#[serde(default)]` then allows to be missing. In Godot the numbers decide: a `Vector3` of
//! integers is a `Vector3i`, and one of `f64` has 64 bits. If a format lacks the type, writing the field is an error. In other
//! formats, such as JSON, the modules do nothing.

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

/// Defines a module for each type: its name, the name of the type and the form of the field. A test reads back a field of this type
/// with this value, in a format that has it.
macro_rules! modules {
    ($($module:ident $name:literal $form:literal $format:ident($type:ty, $value:expr);)*) => {
        $(
            #[doc = concat!("For `#[serde(with = \"enginewire::typed::with::", stringify!($module), "\")]`: the type of the field is `", $name, "`.")]
            #[doc = ""]
            #[doc = concat!("The field may be ", $form, ".")]
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

        #[cfg(test)]
        #[cfg(all(feature = "roblox", feature = "godot", feature = "scrap_mechanic"))]
        mod tests {
            use pretty_assertions::assert_eq;
            use serde::{Deserialize, Deserializer, Serialize, Serializer};

            use crate::godot;
            use crate::roblox::datatypes::CFrame;
            use crate::roblox::{attributes, remote};
            use crate::scrap_mechanic::lua_object;

            macro_rules! read_back {
                (remote, $has:ident, $written:ident) => {
                    remote::from_arguments::<($has,)>(remote::to_arguments(&(&$written,)).unwrap()).unwrap().0
                };
                (lua, $has:ident, $written:ident) => {
                    read_back!(lua_object, $has, $written)
                };
                ($in:ident, $has:ident, $written:ident) => {
                    $in::from_value::<$has>($in::to_value(&$written).unwrap()).unwrap()
                };
            }

            $(
                #[test]
                fn $module() {
                    #[derive(Debug, PartialEq)]
                    struct Field($type);

                    impl Serialize for Field {
                        fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
                            super::$module::serialize(&self.0, serializer)
                        }
                    }

                    impl<'de> Deserialize<'de> for Field {
                        fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
                            super::$module::deserialize(deserializer).map(Field)
                        }
                    }

                    #[derive(Debug, PartialEq, Serialize, Deserialize)]
                    struct Has {
                        field: Field,
                    }
                    let written = Has { field: Field($value) };
                    assert_eq!(read_back!($format, Has, written), written);
                }
            )*
        }
    };
}

modules! {
    bool_ "bool" "a `bool`" godot(bool, true);
    boolean "Boolean" "a `bool`" remote(bool, true);
    int "int" "any integer" godot(u8, 7);
    int8 "Int8" "any integer" lua(i8, 7);
    int16 "Int16" "any integer" lua(i16, 700);
    int32 "Int32" "any integer" lua(i32, 70_000);
    roblox_int "Int" "any integer" attributes(i32, 7);
    float "float" "`f32` or `f64`" godot(f32, 0.5);
    roblox_float "Float" "`f32`" attributes(f32, 0.5);
    double "Double" "`f64`" attributes(f64, 0.1);
    number "Number" "`f32` or `f64`" remote(f64, 0.1);
    string "String" "text" attributes(String, "Torch".to_owned());
    string_name "StringName" "text" godot(String, "idle".to_owned());
    node_path "NodePath" "a `(bool, Vec<String>, Vec<String>)`: absolute, names, subnames" godot((bool, Vec<String>, Vec<String>), (true, vec!["root".to_owned()], vec![]));
    rid "RID" "a `u64`" godot(u64, 7);
    signal "Signal" "a `(String, u64)`: name and number of the object" godot((String, u64), ("hit".to_owned(), 7));
    vector2 "Vector2" "`[f32; 2]`; of Godot also `[f64; 2]`, and `[i32; 2]` for a `Vector2i`" godot([f32; 2], [1.0, 2.0]);
    vector3 "Vector3" "`[f32; 3]`; of Godot also `[f64; 3]`, and `[i32; 3]` for a `Vector3i`" attributes([f32; 3], [1.0, 2.0, 3.0]);
    vector4 "Vector4" "`[f32; 4]`, `[f64; 4]`, and `[i32; 4]` for a `Vector4i`" godot([f64; 4], [1.0, 2.0, 3.0, 4.0]);
    vector2int16 "Vector2int16" "`[i16; 2]`" attributes([i16; 2], [1, -2]);
    vector3int16 "Vector3int16" "`[i16; 3]`" remote([i16; 3], [1, -2, 3]);
    vec3 "Vec3" "`[f32; 3]`" lua([f32; 3], [1.0, 2.0, 3.0]);
    quat "Quat" "`[f32; 4]`" lua([f32; 4], [0.0, 0.0, 0.0, 1.0]);
    quaternion "Quaternion" "`[f32; 4]` or `[f64; 4]`" godot([f32; 4], [0.0, 0.0, 0.0, 1.0]);
    plane "Plane" "`([f32; 3], f32)`: normal and distance" godot(([f32; 3], f32), ([0.0, 1.0, 0.0], 2.0));
    rect2 "Rect2" "`[[f32; 2]; 2]`: position and size" godot([[f32; 2]; 2], [[0.0, 0.0], [4.0, 3.0]]);
    aabb "AABB" "`[[f32; 3]; 2]`: position and size" godot([[f32; 3]; 2], [[0.0; 3], [1.0; 3]]);
    basis "Basis" "`[[f32; 3]; 3]`, row by row" godot([[f32; 3]; 3], [[1.0, 0.0, 0.0], [0.0, 1.0, 0.0], [0.0, 0.0, 1.0]]);
    transform2d "Transform2D" "`[[f32; 2]; 3]`" godot([[f32; 2]; 3], [[1.0, 0.0], [0.0, 1.0], [5.0, 6.0]]);
    transform3d "Transform3D" "`([[f32; 3]; 3], [f32; 3])`: basis and origin" godot(([[f32; 3]; 3], [f32; 3]), ([[1.0, 0.0, 0.0], [0.0, 1.0, 0.0], [0.0, 0.0, 1.0]], [5.0, 6.0, 7.0]));
    projection "Projection" "`[[f32; 4]; 4]`" godot([[f32; 4]; 4], [[1.0; 4], [2.0; 4], [3.0; 4], [4.0; 4]]);
    color "Color" "`[f32; 4]`" godot([f32; 4], [1.0, 0.5, 0.0, 1.0]);
    color3 "Color3" "`[f32; 3]`" attributes([f32; 3], [1.0, 0.5, 0.0]);
    brick_color "BrickColor" "the number" attributes(u32, 194);
    enum_item "EnumItem" "`(String, u32)`: enum and value" attributes((String, u32), ("Material".to_owned(), 256));
    udim "UDim" "`(f32, i32)`" attributes((f32, i32), (0.5, 10));
    udim2 "UDim2" "`[(f32, i32); 2]`" attributes([(f32, i32); 2], [(0.5, 10), (1.0, 0)]);
    cframe "CFrame" "`CFrame` of `roblox::datatypes`, or a structure with its fields" attributes(CFrame, CFrame::IDENTITY);
    ray "Ray" "`[[f32; 3]; 2]`" attributes([[f32; 3]; 2], [[0.0; 3], [0.0, 0.0, 1.0]]);
    rect "Rect" "`[[f32; 2]; 2]`" attributes([[f32; 2]; 2], [[0.0, 0.0], [4.0, 3.0]]);
    region3 "Region3" "`[[f32; 3]; 2]`" attributes([[f32; 3]; 2], [[0.0; 3], [1.0; 3]]);
    number_range "NumberRange" "`[f32; 2]`" attributes([f32; 2], [1.0, 2.0]);
    number_sequence "NumberSequence" "a list of `(f32, f32, f32)`: envelope, time and value" attributes(Vec<(f32, f32, f32)>, vec![(0.0, 0.0, 1.0), (0.0, 1.0, 0.5)]);
    color_sequence "ColorSequence" "a list of `(f32, f32, [f32; 3])`: envelope, time and colour" attributes(Vec<(f32, f32, [f32; 3])>, vec![(0.0, 0.0, [1.0, 1.0, 1.0]), (0.0, 1.0, [1.0, 0.0, 0.0])]);
    faces "Faces" "the bits" attributes(u32, 33);
    axes "Axes" "the bits" attributes(u32, 6);
    font "Font" "`(u16, u8, String, String)`" attributes((u16, u8, String, String), (400, 0, "Arial".to_owned(), String::new()));
    tween_info "TweenInfo" "`(f32, f32, i32, u32, u32, bool)`: time, delay, repeat count, easing style, easing direction and whether it reverses" attributes((f32, f32, i32, u32, u32, bool), (1.0, 0.0, 0, 3, 1, false));
    uuid "Uuid" "16 bytes, in the order in which they are written down" lua([u8; 16], [7; 16]);
    packed_byte_array "PackedByteArray" "bytes" godot(Vec<u8>, vec![1, 2]);
    packed_int32_array "PackedInt32Array" "a list of integers" godot(Vec<i32>, vec![1, -2]);
    packed_int64_array "PackedInt64Array" "a list of integers" godot(Vec<i64>, vec![1, -2]);
    packed_float32_array "PackedFloat32Array" "a list of `f32`" godot(Vec<f32>, vec![0.5]);
    packed_float64_array "PackedFloat64Array" "a list of `f64`" godot(Vec<f64>, vec![0.1]);
    packed_string_array "PackedStringArray" "a list of text" godot(Vec<String>, vec!["a".to_owned()]);
    packed_vector2_array "PackedVector2Array" "a list of `[f32; 2]`" godot(Vec<[f32; 2]>, vec![[1.0, 2.0]]);
    packed_vector3_array "PackedVector3Array" "a list of `[f32; 3]`" godot(Vec<[f32; 3]>, vec![[1.0, 2.0, 3.0]]);
    packed_vector4_array "PackedVector4Array" "a list of `[f32; 4]`" godot(Vec<[f32; 4]>, vec![[1.0, 2.0, 3.0, 4.0]]);
    packed_color_array "PackedColorArray" "a list of `[f32; 4]`" godot(Vec<[f32; 4]>, vec![[1.0, 0.5, 0.0, 1.0]]);
}
