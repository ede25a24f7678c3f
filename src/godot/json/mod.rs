//! The JSON form of a value.

mod payload;
mod read;
mod write;

pub(super) use read::read_leaf;
pub(super) use write::Bare;
pub(super) use write::{give_property, Typed};

use super::v3;
use super::v4::TypeId;
use super::version::Version;
use super::versioned::Versioned;
use crate::json::Document;

/// As `{"format": "godot-variant", "version": 3, "type": …, "value": …}`.
impl Document for Versioned<'_> {
    const FORMAT: &'static str = "godot-variant";

    /// Up to four objects and lists for each level of containers, and a few for the innermost value.
    const LEVELS: usize = 4 * 1024 + 8;
}

/// The name of a type in a version. A type that the version lacks has its name in version 4.
pub(super) fn type_name(version: Version, id: TypeId) -> &'static str {
    match version {
        Version::V3 => v3::TypeId::from_v4(id).map_or(id.name(), v3::TypeId::name),
        Version::V4 => id.name(),
    }
}

/// The type with this name in a version.
pub(super) fn type_named(version: Version, name: &str) -> Option<TypeId> {
    match version {
        Version::V3 => v3::TypeId::ALL.iter().find(|id| id.name() == name).map(|id| id.to_v4()),
        Version::V4 => TypeId::ALL.iter().find(|id| id.name() == name).copied(),
    }
}

#[cfg(test)]
mod tests {
    use super::super::variant::{Array, ContainerType, Dictionary, EntryType, Object, Property, Variant};
    use super::super::{datatypes::*, ByteString, IntoByteString};
    use super::*;
    use crate::json::{from_slice, to_string};
    use crate::wire::List;
    use pretty_assertions::assert_eq;

    /// `value` and the members `type`, perhaps `double`, and `value` of its document are the same, both ways.
    fn both_ways(version: Version, value: impl Into<Variant<'static>>, members: &str) {
        let versioned = Versioned::new(version, value);
        let text = format!(r#"{{"format":"godot-variant","version":{version},{members}}}"#);
        assert_eq!(to_string(&versioned).unwrap(), text);
        assert_eq!(from_slice::<Versioned<'_>>(text.as_bytes()), Ok(versioned), "{text}");
    }

    fn in_4(value: impl Into<Variant<'static>>, members: &str) {
        both_ways(Version::V4, value, members);
    }

    fn text(text: &'static str) -> ByteString<'static> {
        text.into_byte_string()
    }

    #[test]
    fn scalars_and_text() {
        in_4(Variant::Null, r#""type":"null","value":null"#);
        in_4(Variant::Callable, r#""type":"Callable","value":null"#);
        in_4(true, r#""type":"bool","value":true"#);
        in_4(-7, r#""type":"int","value":-7"#);
        in_4(i64::MIN, r#""type":"int","value":"-9223372036854775808""#);
        in_4(0.5, r#""type":"float","value":0.5"#);
        in_4("a", r#""type":"String","value":"a""#);
        in_4(Variant::StringName(text("a")), r#""type":"StringName","value":"a""#);
        in_4(vec![0xff, 0], r#""type":"PackedByteArray","value":{"hex":"ff00"}"#);
        in_4(
            Variant::PackedStringArray(vec![text("a"), b"\xff".to_vec().into_byte_string()]),
            r#""type":"PackedStringArray","value":["a",{"hex":"ff"}]"#,
        );
        let signal = Signal { name: text("s"), object_id: u64::MAX };
        in_4(
            Variant::Signal(Box::new(signal)),
            r#""type":"Signal","value":{"name":"s","object_id":"18446744073709551615"}"#,
        );
        let path = NodePath { absolute: true, names: vec![text("a")], subnames: vec![text("b")] };
        in_4(path, r#""type":"NodePath","value":{"absolute":true,"names":["a"],"subnames":["b"]}"#);
    }

    /// A RID is a number in version 4. Version 3 writes none, and a value that it cannot say is still shown.
    #[test]
    fn rids() {
        in_4(Variant::Rid(Rid(0)), r#""type":"RID","value":0"#);
        in_4(Variant::Rid(Rid(7)), r#""type":"RID","value":7"#);
        both_ways(Version::V3, Variant::Rid(Rid(0)), r#""type":"RID","value":null"#);
        let other = to_string(&Versioned::new(Version::V3, Variant::Rid(Rid(7)))).unwrap();
        assert_eq!(other, r#"{"format":"godot-variant","version":3,"type":"RID","value":7}"#);
    }

    /// Types have the names of the version, and those that version 3 lacks have theirs of version 4.
    #[test]
    fn names_of_types() {
        let array = || Variant::PackedInt32Array([1, 2].into_iter().collect());
        in_4(array(), r#""type":"PackedInt32Array","value":[1,2]"#);
        both_ways(Version::V3, array(), r#""type":"PoolIntArray","value":[1,2]"#);
        let name = to_string(&Versioned::new(Version::V3, Variant::StringName(text("a")))).unwrap();
        assert_eq!(name, r#"{"format":"godot-variant","version":3,"type":"StringName","value":"a"}"#);
    }

    #[test]
    fn reals_of_either_width() {
        let single = Vector2 { x: 0.1_f32, y: f32::NAN };
        let text = to_string(&Versioned::new(Version::V4, single)).unwrap();
        assert_eq!(text, r#"{"format":"godot-variant","version":4,"type":"Vector2","value":{"x":0.1,"y":"NaN"}}"#);
        in_4(Vector2 { x: 1, y: -2 }, r#""type":"Vector2i","value":{"x":1,"y":-2}"#);
        let double = |value| Variant::Vector2(Reals::Double(Box::new(value)));
        in_4(double(Vector2 { x: 0.1, y: -1.5 }), r#""type":"Vector2","double":true,"value":{"x":0.1,"y":-1.5}"#);
        let list: List<'_, Vector2<f64>> = List::default();
        in_4(
            Variant::PackedVector2Array(Reals::Double(Box::new(list))),
            r#""type":"PackedVector2Array","double":true,"value":[]"#,
        );
        let transform = Transform2D::<f64>::default();
        in_4(
            Variant::Transform2D(Box::new(Reals::Double(Box::new(transform)))),
            r#""type":"Transform2D","double":true,"value":{"x":{"x":0,"y":0},"y":{"x":0,"y":0},"origin":{"x":0,"y":0}}"#,
        );
        let basis = Basis { rows: [[1.0_f32, 2.0, 3.0], [4.0, 5.0, 6.0], [7.0, 8.0, 9.0]] };
        in_4(Variant::Basis(Box::new(Reals::Single(basis))), r#""type":"Basis","value":[[1,2,3],[4,5,6],[7,8,9]]"#);
        // `double` is said of each value, not of its container
        let inside = vec![double(Vector2 { x: 0.0, y: 0.0 }), Variant::Null];
        in_4(
            inside,
            r#""type":"Array","value":[{"type":"Vector2","double":true,"value":{"x":0,"y":0}},{"type":"null","value":null}]"#,
        );
    }

    #[test]
    fn containers_with_and_without_types() {
        let element_type = |type_| Some(Box::new(type_));
        in_4(Array::new([1.into()]), r#""type":"Array","value":[{"type":"int","value":1}]"#);
        for (element_type, member) in [
            (element_type(ContainerType::Builtin(TypeId::Vector3i)), r#"{"builtin":"Vector3i"}"#),
            (element_type(ContainerType::Class(text("Node"))), r#"{"class":"Node"}"#),
            (element_type(ContainerType::Script(text("res://a.gd"))), r#"{"script":"res://a.gd"}"#),
        ] {
            let members = format!(r#""type":"Array","value":{{"typed":{member},"elements":[]}}"#);
            in_4(Array { element_type, elements: vec![] }, &members);
        }
        let entries = || Dictionary::new([("k".into(), true.into())]);
        let entry = r#"[{"key":{"type":"String","value":"k"},"value":{"type":"bool","value":true}}]"#;
        in_4(entries(), &format!(r#""type":"Dictionary","value":{entry}"#));
        for (key, value, members) in [
            (true, false, r#"{"key":{"builtin":"int"},"value":null}"#),
            (false, true, r#"{"key":null,"value":{"builtin":"int"}}"#),
            (true, true, r#"{"key":{"builtin":"int"},"value":{"builtin":"int"}}"#),
        ] {
            let type_of = |is_typed: bool| is_typed.then_some(ContainerType::Builtin(TypeId::int));
            let types = Some(Box::new(EntryType { key: type_of(key), value: type_of(value) }));
            let members = format!(r#""type":"Dictionary","value":{{"typed":{members},"entries":{entry}}}"#);
            in_4(Dictionary { types, ..entries() }, &members);
        }
    }

    #[test]
    fn objects_of_every_form() {
        in_4(Object::Null, r#""type":"Object","value":null"#);
        in_4(Object::Id(5), r#""type":"Object","value":{"id":5}"#);
        in_4(Object::Id(1 << 53), r#""type":"Object","value":{"id":"9007199254740992"}"#);
        in_4(Object::new("C", []), r#""type":"Object","value":{"class":"C","properties":[]}"#);
        let property = Property { name: text("p"), value: Variant::Null };
        in_4(
            Object::new("C", [property]),
            r#""type":"Object","value":{"class":"C","properties":[{"name":"p","value":{"type":"null","value":null}}]}"#,
        );
    }
}
