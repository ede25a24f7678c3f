//! The table of types.

/// Gives the table of types to a macro, which makes one thing of it: the enum of values, its parser, its generator, or its
/// JSON form.
///
/// A row is a type: its name in version 4, its variant in `Variant` with the Rust type that this holds, the name of the
/// value in paths, and its documentation. Types that need special code have no row, and each macro handles them itself:
/// null and Callable, which are only a header, and Object, Dictionary and Array, which hold values.
///
/// This cannot be `value_table!` of `wire`, for three reasons:
///
/// - There a row has one number, a byte before the value. Here the two versions number the types differently, and the
///   number is part of a header, with flags that depend on the value: `Header`.
/// - There the parser of a container calls that of its values, and returns what they return. Here values nest 1024 deep, so
///   that `recursive` reads them in a loop, and puts each where it belongs while its container is still being read.
/// - There the JSON form of a value depends on its type alone. Here it also depends on the version, and on whether its
///   reals have 64 bits.
///
/// Both tables share what does not depend on this: `type_numbers!` for the numbers and names of types, and `IntoOwned`.
macro_rules! type_table {
    ($for_all:ident) => {
        $for_all! {
            bool Bool(bool) "bool" "True or false.";
            int Int(i64) "int" "An integer. It takes 32 bits where it can.";
            float Float(f64) "float" "A number. It takes 32 bits where they can say it.";
            String String(ByteString<'a>) "string" "Text.";
            Vector2 Vector2(Reals<Vector2<f32>, Vector2<f64>>) "vector2" "Two numbers.";
            Vector2i Vector2i(Vector2<i32>) "vector2i" "Two integers.";
            Rect2 Rect2(Reals<Rect2<f32>, Rect2<f64>>) "rect2" "A rectangle.";
            Rect2i Rect2i(Rect2<i32>) "rect2i" "A rectangle of integers.";
            Vector3 Vector3(Reals<Vector3<f32>, Vector3<f64>>) "vector3" "Three numbers.";
            Vector3i Vector3i(Vector3<i32>) "vector3i" "Three integers.";
            Transform2D Transform2D(Box<Reals<Transform2D<f32>, Transform2D<f64>>>) "transform2d"
                "A transformation of the plane.";
            Vector4 Vector4(Reals<Vector4<f32>, Vector4<f64>>) "vector4" "Four numbers.";
            Vector4i Vector4i(Vector4<i32>) "vector4i" "Four integers.";
            Plane Plane(Reals<Plane<f32>, Plane<f64>>) "plane" "A plane in space.";
            Quaternion Quaternion(Reals<Quaternion<f32>, Quaternion<f64>>) "quaternion"
                "A rotation; Quat in version 3.";
            AABB Aabb(Box<Reals<Aabb<f32>, Aabb<f64>>>) "aabb" "A box.";
            Basis Basis(Box<Reals<Basis<f32>, Basis<f64>>>) "basis" "A matrix of three by three.";
            Transform3D Transform3D(Box<Reals<Transform3D<f32>, Transform3D<f64>>>) "transform3d"
                "A transformation of space; Transform in version 3.";
            Projection Projection(Box<Reals<Projection<f32>, Projection<f64>>>) "projection"
                "A matrix of four by four.";
            Color Color(Color) "color" "A colour.";
            StringName StringName(ByteString<'a>) "string_name" "A name.";
            NodePath NodePath(Box<NodePath<'a>>) "node_path" "The way to a node or property.";
            RID Rid(Rid) "rid" "A resource.";
            Signal Signal(Box<Signal<'a>>) "signal" "A signal of an object.";
            PackedByteArray PackedByteArray(ByteArray<'a>) "packed_byte_array" "Bytes; PoolByteArray in version 3.";
            PackedInt32Array PackedInt32Array(List<'a, i32>) "packed_int32_array"
                "Integers of 32 bits; PoolIntArray in version 3.";
            PackedInt64Array PackedInt64Array(List<'a, i64>) "packed_int64_array" "Integers of 64 bits.";
            PackedFloat32Array PackedFloat32Array(List<'a, f32>) "packed_float32_array"
                "Numbers of 32 bits; PoolRealArray in version 3.";
            PackedFloat64Array PackedFloat64Array(List<'a, f64>) "packed_float64_array" "Numbers of 64 bits.";
            PackedStringArray PackedStringArray(Vec<ByteString<'a>>) "packed_string_array"
                "Texts; PoolStringArray in version 3.";
            PackedVector2Array PackedVector2Array(Reals<List<'a, Vector2<f32>>, List<'a, Vector2<f64>>>)
                "packed_vector2_array" "Vectors; PoolVector2Array in version 3.";
            PackedVector3Array PackedVector3Array(Reals<List<'a, Vector3<f32>>, List<'a, Vector3<f64>>>)
                "packed_vector3_array" "Vectors; PoolVector3Array in version 3.";
            PackedColorArray PackedColorArray(List<'a, Color>) "packed_color_array"
                "Colours; PoolColorArray in version 3.";
            PackedVector4Array PackedVector4Array(Reals<List<'a, Vector4<f32>>, List<'a, Vector4<f64>>>)
                "packed_vector4_array" "Vectors.";
        }
    };
}
pub(in crate::godot) use type_table;
