//! Values of Godot 3: the functions for them, and their types.

use super::{v4, Options, VariantFormat, Version};
use crate::wire::{default_functions, type_numbers};

default_functions!(VariantFormat, Options::new(Version::V3));

type_numbers! {
    /// The type of a value in version 3.
    #[allow(non_camel_case_types)] // the engine's own names
    pub enum TypeId(u8, "type", Decimal) {
        0 null Spec "nothing.";
        1 bool Spec "true or false.";
        2 int Spec "an integer of 64 bits.";
        3 float Spec "a number of 64 bits.";
        4 String Spec "text.";
        5 Vector2 Spec "two numbers.";
        6 Rect2 Spec "a rectangle.";
        7 Vector3 Spec "three numbers.";
        8 Transform2D Spec "a transformation of the plane.";
        9 Plane Spec "a plane in space.";
        10 Quat Spec "a rotation.";
        11 AABB Spec "a box.";
        12 Basis Spec "a matrix of three by three.";
        13 Transform Spec "a transformation of space.";
        14 Color Spec "a colour.";
        15 NodePath Spec "the way to a node or property.";
        16 RID Real "a resource, which is not written.";
        17 Object Real "an object.";
        18 Dictionary Spec "values with keys.";
        19 Array Spec "values.";
        20 PoolByteArray Spec "bytes.";
        21 PoolIntArray Spec "integers of 32 bits.";
        22 PoolRealArray Spec "numbers of 32 bits.";
        23 PoolStringArray Spec "texts.";
        24 PoolVector2Array Spec "vectors.";
        25 PoolVector3Array Spec "vectors.";
        26 PoolColorArray Spec "colours.";
    }
}

/// The same types in both versions.
macro_rules! same {
    ($($three:ident $four:ident;)*) => {
        impl TypeId {
            /// The same type in version 4.
            #[must_use]
            pub const fn to_v4(self) -> v4::TypeId {
                match self {
                    $(TypeId::$three => v4::TypeId::$four,)*
                }
            }

            /// The same type as one of version 4, if there is one.
            #[must_use]
            pub const fn from_v4(id: v4::TypeId) -> Option<Self> {
                match id {
                    $(v4::TypeId::$four => Some(TypeId::$three),)*
                    _ => None,
                }
            }
        }
    };
}

same! {
    null null;
    bool bool;
    int int;
    float float;
    String String;
    Vector2 Vector2;
    Rect2 Rect2;
    Vector3 Vector3;
    Transform2D Transform2D;
    Plane Plane;
    Quat Quaternion;
    AABB AABB;
    Basis Basis;
    Transform Transform3D;
    Color Color;
    NodePath NodePath;
    RID RID;
    Object Object;
    Dictionary Dictionary;
    Array Array;
    PoolByteArray PackedByteArray;
    PoolIntArray PackedInt32Array;
    PoolRealArray PackedFloat32Array;
    PoolStringArray PackedStringArray;
    PoolVector2Array PackedVector2Array;
    PoolVector3Array PackedVector3Array;
    PoolColorArray PackedColorArray;
}

#[cfg(test)]
mod tests {
    use super::*;
    use pretty_assertions::assert_eq;

    #[test]
    fn types_are_the_same_both_ways() {
        for id in TypeId::ALL {
            assert_eq!(TypeId::from_v4(id.to_v4()), Some(*id));
        }
        assert_eq!(v4::TypeId::ALL.iter().filter_map(|id| TypeId::from_v4(*id)).count(), TypeId::ALL.len());
    }
}
