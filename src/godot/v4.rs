//! Values of Godot 4: the functions for them, and their types.

use super::{Options, VariantFormat, Version};
use crate::wire::{default_functions, type_numbers};

default_functions!(VariantFormat, Options::new(Version::V4));

type_numbers! {
    /// The type of a value in version 4.
    #[allow(non_camel_case_types)] // the engine's own names
    pub enum TypeId(u8, "type", Decimal) {
        0 null Spec "nothing.";
        1 bool Spec "true or false.";
        2 int Spec "an integer of 64 bits.";
        3 float Spec "a number of 64 bits.";
        4 String Spec "text.";
        5 Vector2 Spec "two numbers.";
        6 Vector2i Spec "two integers.";
        7 Rect2 Spec "a rectangle.";
        8 Rect2i Spec "a rectangle of integers.";
        9 Vector3 Spec "three numbers.";
        10 Vector3i Spec "three integers.";
        11 Transform2D Spec "a transformation of the plane.";
        12 Vector4 Spec "four numbers.";
        13 Vector4i Spec "four integers.";
        14 Plane Spec "a plane in space.";
        15 Quaternion Spec "a rotation.";
        16 AABB Spec "a box.";
        17 Basis Spec "a matrix of three by three.";
        18 Transform3D Spec "a transformation of space.";
        19 Projection Spec "a matrix of four by four.";
        20 Color Spec "a colour.";
        21 StringName Spec "a name.";
        22 NodePath Spec "the way to a node or property.";
        23 RID Spec "a resource.";
        24 Object Spec "an object.";
        25 Callable Spec "a function, which is not written.";
        26 Signal Spec "a signal of an object.";
        27 Dictionary Spec "values with keys.";
        28 Array Spec "values.";
        29 PackedByteArray Spec "bytes.";
        30 PackedInt32Array Spec "integers of 32 bits.";
        31 PackedInt64Array Spec "integers of 64 bits.";
        32 PackedFloat32Array Spec "numbers of 32 bits.";
        33 PackedFloat64Array Spec "numbers of 64 bits.";
        34 PackedStringArray Spec "texts.";
        35 PackedVector2Array Spec "vectors.";
        36 PackedVector3Array Spec "vectors.";
        37 PackedColorArray Spec "colours.";
        38 PackedVector4Array Real "vectors; from 4.3 on.";
    }
}
