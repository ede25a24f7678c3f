//! The table of types: how each is written, and an example.

use std::fmt;

use bstr::ByteSlice;
use nom::sequence::preceded;
use nom::Parser;

use super::arguments::{read_arguments, write_arguments};
use super::dialect::GdScript;
use crate::godot::json::{type_name, type_named};
use crate::godot::resource::Reference;
use crate::godot::v4::TypeId;
use crate::godot::{v3, NodePath, Object, Property, Variant, Version};
use crate::notation::{
    call, comma, expected, is_whole, name, parenthesised, sign, space, word, write_float, write_quoted, Dialect,
    Example, Form, Read,
};
use crate::wire::ByteString;

/// Writes the table of types, each with an example. A type is written as it is (`literals`), as its name and arguments in parentheses
/// (`constructors`), or holds others (`containers`).
macro_rules! types {
    (
        literals { $($literal:ident $literal_example:literal;)* }
        constructors { $($id:ident $example:literal $($v3_example:literal)?;)* }
        containers { $($container:ident $container_example:literal;)* }
    ) => {
        /// A type, and an example of it in a version.
        pub(super) fn shape(id: TypeId, version: Version) -> Example {
            let (v3, v4) = match id {
                $(TypeId::$literal => (None, $literal_example),)*
                $(TypeId::$id => ([$($v3_example)?].first().copied(), $example),)*
                $(TypeId::$container => (None, $container_example),)*
            };
            Example { name: type_name(version, id), example: v3.filter(|_| version == Version::V3).unwrap_or(v4) }
        }

        /// True if values of a type are written as its name and arguments.
        pub(super) fn is_constructed(id: TypeId) -> bool {
            matches!(id, $(TypeId::$id)|*)
        }
    };
}

types! {
    literals {
        null "null";
        bool "true";
        int "17";
        float "17.5";
        String "\"text\"";
        StringName "&\"name\"";
        NodePath "NodePath(\"/root/Player:position\")";
        Callable "Callable()";
    }
    constructors {
        Vector2 "Vector2(1, 2)";
        Vector2i "Vector2i(1, 2)";
        Rect2 "Rect2(1, 2, 3, 4)";
        Rect2i "Rect2i(1, 2, 3, 4)";
        Vector3 "Vector3(1, 2, 3)";
        Vector3i "Vector3i(1, 2, 3)";
        Transform2D "Transform2D(1, 0, 0, 1, 5, 6)";
        Vector4 "Vector4(1, 2, 3, 4)";
        Vector4i "Vector4i(1, 2, 3, 4)";
        Plane "Plane(0, 1, 0, 5)";
        Quaternion "Quaternion(0, 0, 0, 1)" "Quat(0, 0, 0, 1)";
        AABB "AABB(1, 2, 3, 4, 5, 6)";
        Basis "Basis(1, 0, 0, 0, 1, 0, 0, 0, 1)";
        Transform3D "Transform3D(1, 0, 0, 0, 1, 0, 0, 0, 1, 5, 6, 7)"
            "Transform(1, 0, 0, 0, 1, 0, 0, 0, 1, 5, 6, 7)";
        Projection "Projection(1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1)";
        Color "Color(1, 0.5, 0, 1)";
        RID "RID(1)" "RID()";
        Signal "Signal(\"pressed\", 255)";
        PackedByteArray "PackedByteArray(1, 2, 255)" "PoolByteArray(1, 2, 255)";
        PackedInt32Array "PackedInt32Array(1, 2, 3)" "PoolIntArray(1, 2, 3)";
        PackedInt64Array "PackedInt64Array(1, 2, 3)";
        PackedFloat32Array "PackedFloat32Array(0.5, 1)" "PoolRealArray(0.5, 1)";
        PackedFloat64Array "PackedFloat64Array(0.5, 1)";
        PackedStringArray "PackedStringArray(\"a\", \"b\")" "PoolStringArray(\"a\", \"b\")";
        PackedVector2Array "PackedVector2Array(1, 2, 3, 4)" "PoolVector2Array(1, 2, 3, 4)";
        PackedVector3Array "PackedVector3Array(1, 2, 3)" "PoolVector3Array(1, 2, 3)";
        PackedColorArray "PackedColorArray(1, 0.5, 0, 1)" "PoolColorArray(1, 0.5, 0, 1)";
        PackedVector4Array "PackedVector4Array(1, 2, 3, 4)";
    }
    containers {
        Object "Object(Node, \"name\": \"Player\")";
        Dictionary "{ \"k\": 1 }";
        Array "[1, 2]";
    }
}

/// True if a version has a type.
pub(super) fn is_in(id: TypeId, version: Version) -> bool {
    version == Version::V4 || v3::TypeId::from_v4(id).is_some()
}

/// Writes a value that holds no others.
pub(super) fn write_leaf(value: &Variant<'_>, version: Version, out: &mut dyn fmt::Write) -> fmt::Result {
    match value {
        Variant::Null => out.write_str("null"),
        Variant::Callable => out.write_str("Callable()"),
        Variant::Bool(value) => Form::<GdScript>::write(value, out),
        Variant::Int(value) => Form::<GdScript>::write(value, out),
        Variant::Float(value) => write_float::<GdScript, f64>(*value, ".0", out),
        Variant::String(text) => Form::<GdScript>::write(text, out),
        Variant::StringName(name) => {
            out.write_char('&')?;
            write_quoted(name.as_bytes(), GdScript::PRINTABLE, out)
        }
        Variant::NodePath(path) => path.write(out),
        Variant::Object(Object::Null) => out.write_str("Object(null)"),
        Variant::Object(Object::Id(id)) => write!(out, "EncodedObjectAsID({id})"),
        Variant::Object(Object::Resource(reference)) => match &**reference {
            Reference::Internal(number) => write!(out, "SubResource({number})"),
            Reference::External(number) => write!(out, "ExtResource({number})"),
            Reference::Path { class, path } => {
                out.write_str("Resource(")?;
                write_quoted(class, GdScript::PRINTABLE, out)?;
                out.write_str(", ")?;
                write_quoted(path, GdScript::PRINTABLE, out)?;
                out.write_char(')')
            }
        },
        value => {
            let is_double = value.is_double();
            write!(out, "{}{}(", if is_double { "double(" } else { "" }, type_name(version, value.type_id()))?;
            write_arguments(value, out)?;
            out.write_str(if is_double { "))" } else { ")" })
        }
    }
}

/// The type that a text shows, if it is one of those that hold no others.
pub(super) fn shown(input: &str, version: Version) -> Option<TypeId> {
    let first = input.chars().next()?;
    let number = || if is_whole(input) { TypeId::int } else { TypeId::float };
    match (first, word(input).map_or("", |(_, name)| name)) {
        ('"' | '\'', _) => Some(TypeId::String),
        ('&', _) => Some(TypeId::StringName),
        ('^', _) => Some(TypeId::NodePath),
        ('0'..='9' | '-' | '.', _) => Some(number()),
        (_, "null" | "nil") => Some(TypeId::null),
        (_, "true" | "false") => Some(TypeId::bool),
        (_, "inf" | "INF" | "inf_neg" | "nan" | "NAN") => Some(TypeId::float),
        (_, "EncodedObjectAsID" | "SubResource" | "ExtResource" | "Resource") => Some(TypeId::Object),
        (_, "double") => {
            let inside = sign('(')(word(input).ok()?.0).ok()?.0;
            type_named(version, word(space(inside)).ok()?.1).filter(|id| is_constructed(*id))
        }
        (_, name) => type_named(version, name),
    }
}

/// Reads a value of a type that holds no others.
pub(super) fn read_leaf(id: TypeId, version: Version, input: &str) -> Read<'_, Variant<'static>> {
    fn of<'t, T: Form<GdScript>>(
        input: &'t str,
        make: impl FnOnce(T) -> Variant<'static>,
    ) -> Read<'t, Variant<'static>> {
        T::read(input).map(|(rest, value)| (rest, make(value)))
    }
    match id {
        TypeId::null => nom::branch::alt((name("null"), name("nil"))).map(|()| Variant::Null).parse(input),
        TypeId::Callable => preceded(name("Callable"), (sign('('), sign(')'))).map(|_| Variant::Callable).parse(input),
        TypeId::bool => of(input, Variant::Bool),
        TypeId::int => of(input, Variant::Int),
        TypeId::float => of(input, Variant::Float),
        TypeId::String => of(input, Variant::String),
        TypeId::StringName => match input.strip_prefix('&') {
            Some(quoted) => of::<ByteString<'_>>(quoted, Variant::StringName),
            None => expected(input, shape(id, version)),
        },
        TypeId::NodePath => of::<NodePath<'_>>(input, |path| Variant::NodePath(Box::new(path))),
        TypeId::Object => {
            let number = <u32 as Form<GdScript>>::read;
            let text = <ByteString<'static> as Form<GdScript>>::read;
            // as text files have them
            let named = |class: &'static str, name: &'static str| {
                move |text| Object::new(class, [Property { name: name.into(), value: Variant::String(text) }])
            };
            let object = nom::branch::alt((
                call("EncodedObjectAsID", <u64 as Form<GdScript>>::read).map(Object::Id),
                call("SubResource", number).map(|number| Reference::Internal(number).into()),
                call("SubResource", text).map(named("SubResource", "id")),
                call("ExtResource", number).map(|number| Reference::External(number).into()),
                call("ExtResource", text).map(named("ExtResource", "id")),
                call("Resource", (text, comma, text)).map(|(class, (), path)| Reference::Path { class, path }.into()),
                call("Resource", text).map(named("Resource", "resource_path")),
            ));
            object.map(Variant::Object).parse(input)
        }
        id => {
            let of_name = |double, input| match word(space(input)) {
                Ok((rest, found)) if found == type_name(version, id) => read_arguments(id, double, version, rest),
                _ => expected(space(input), type_name(version, id)),
            };
            match name("double")(input) {
                Ok((rest, ())) => parenthesised(|input| of_name(true, input)).parse(rest),
                Err(_) => of_name(false, input),
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::godot::{Color, Options, Vector2};
    use pretty_assertions::assert_eq;

    #[test]
    fn constants() {
        let read = |text: &str, version| Variant::from_gdscript(text, None, &Options::new(version));
        let color = |r, g, b, a| Variant::from(Color { r, g, b, a });
        let blue = [240.0_f32, 248.0].map(|part| part / 255.0);
        for (text, v3, v4) in [
            ("Color.ALICE_BLUE", color(0.94, 0.97, 1.0, 1.0), color(blue[0], blue[1], 1.0, 1.0)),
            ("Color.aliceblue", color(0.94, 0.97, 1.0, 1.0), color(blue[0], blue[1], 1.0, 1.0)),
            ("Color.TRANSPARENT", color(1.0, 1.0, 1.0, 0.0), color(1.0, 1.0, 1.0, 0.0)),
            ("Vector2.UP", Vector2 { x: 0.0, y: -1.0 }.into(), Vector2 { x: 0.0, y: -1.0 }.into()),
        ] {
            assert_eq!((read(text, Version::V3), read(text, Version::V4)), (Ok(v3), Ok(v4)), "{text}");
        }
        assert_eq!(
            read("[Vector3i.MIN]", Version::V4).unwrap().to_gdscript(Version::V4),
            format!("[Vector3i({0}, {0}, {0})]", i32::MIN)
        );
        assert_eq!(read("Quat.IDENTITY", Version::V3).unwrap().to_gdscript(Version::V3), "Quat(0, 0, 0, 1)");
        for (text, same) in [
            ("Color(\"alice_blue\")", "Color.ALICE_BLUE"),
            ("Color(\"#f0f8ff\")", "Color.ALICE_BLUE"),
            ("Color(\"f0f8ffff\")", "Color.ALICE_BLUE"),
            ("Color(\"#0f0\")", "Color(0, 1, 0)"),
            ("Color(0, 1, 0)", "Color(0, 1, 0, 1)"),
            ("PackedColorArray([Color.RED, Color(0, 1, 0)])", "PackedColorArray(1, 0, 0, 1, 0, 1, 0, 1)"),
            ("PackedVector2Array([Vector2.UP, Vector2(1, 2)])", "PackedVector2Array(0, -1, 1, 2)"),
            ("Transform2D(Vector2(1, 2), Vector2(3, 4), Vector2.ZERO)", "Transform2D(1, 2, 3, 4, 0, 0)"),
            ("Rect2i(Vector2i(1, 2), Vector2i(3, 4))", "Rect2i(1, 2, 3, 4)"),
            ("Plane(Vector3.UP, 5)", "Plane(0, 1, 0, 5)"),
        ] {
            assert_eq!(read(text, Version::V4).unwrap(), read(same, Version::V4).unwrap(), "{text}");
        }
        let with_alpha = "Color(\"#80ff0000\")";
        assert_eq!(read(with_alpha, Version::V3).unwrap().to_gdscript(Version::V3), "Color(1, 0, 0, 0.5019608)");
        assert_eq!(read(with_alpha, Version::V4).unwrap().to_gdscript(Version::V4), "Color(0.5019608, 1, 0, 0)");
        for text in [
            &"Vector2(".repeat(100_000),
            "Vector2(Vector2(1, 2))",
            "PackedColorArray(1, 0, 0)",
            "Color(1, 0)",
            "Color(\"\")",
            "Color(\"#ff00\", 1)",
            "Plane(Vector2.UP, 5)",
        ] {
            assert!(read(text, Version::V4).is_err(), "{text}");
        }
        for text in ["Color.REDD", "Color.", "Color.RE", "Vector2.RED", "Color.RED()", "Vector2i.INF"] {
            assert!(read(text, Version::V4).is_err(), "{text}");
        }
        assert_eq!(
            read("Color.REDD", Version::V4).unwrap_err().to_string(),
            "expected a constant of Color, found REDD, at offset 6, in a Color such as Color(1, 0.5, 0, 1)"
        );
    }

    #[test]
    fn every_constant_is_a_value() {
        let rows = include_str!("constants.txt").lines().map(|row| row.split_once(' ').unwrap().0);
        for name in rows.clone() {
            let (type_name, constant) = name.split_once('.').unwrap();
            let type_name = if type_name.is_empty() { "Color" } else { type_name };
            let id = TypeId::ALL.iter().find(|id| id.name().eq_ignore_ascii_case(type_name)).unwrap();
            assert!(read_leaf(*id, Version::V4, &format!("{}.{constant}", id.name())).is_ok(), "{name}");
        }
        // Godot 4 has 146 names of colors
        assert_eq!(rows.filter(|name| name.starts_with('.')).count(), 146);
    }
}
