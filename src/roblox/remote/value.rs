//! Value: the table of types.

use bstr::{BStr, ByteSlice};
use nom::Parser;

use super::cframe::CFrame;
use super::dictionary::Pair;
use super::options::{Nesting, ValueOptions};
use super::reference::Ref;
use crate::roblox::datatypes::*;
use crate::wire::{
    list_conversions, text_conversions, too_deep, type_number, uint8, value_table, verify, ByteString, Provenance,
    Source, TypePolicy, ValueVec, WireError,
};

value_table! {
    /// A value: an argument, or part of one.
    ///
    /// | field | type | the documentation calls it |
    /// |---|---|---|
    /// | type | uint8, a [`TypeId`] | Type |
    /// | value | as the type says | Value |
    ///
    /// Specification: `docs/spec/roblox-remote-packets.md`, section Value.
    #[derive(Clone, Default, PartialEq)]
    #[repr(C)] // every payload in the same place, where it can be written at once
    #[non_exhaustive]
    pub enum Value<'a>;

    /// The type of a [`Value`].
    pub enum TypeId(u8, "type id", Hexadecimal);

    /// Reads a [`Value`].
    ///
    /// A type that was never captured is [`Fault::Unknown`](crate::Fault::Unknown). An array or dictionary that is nested
    /// too deeply is [`Fault::TooDeep`](crate::Fault::TooDeep), at its type.
    ///
    /// The bytes `09 01` are `Value::Boolean(true)`. The numbers of other types are big-endian, except for the id of a [`Ref`].
    pub fn value(ValueOptions) -> I, type_id;

    /// Writes a [`Value`], as [`value`] reads it. A container that is nested too deeply is refused, and what is longer than its
    /// length can say.
    pub fn gen_value(ValueOptions) -> W, policy;

    /// Access by type: the value if it has this type, `None` if it has another.
    ///
    /// ```
    /// use enginewire::roblox::remote::Value;
    ///
    /// assert_eq!(Value::from(82.1).as_number(), Some(82.1));
    /// assert_eq!(Value::from("82.1").as_number(), None);
    /// ```
    impl access;

    #[default]
    unit 0x01 Nil Spec "nothing.";
    0x02 String(ByteString<'a>) "string" &as_string(BStr) Spec "bytes, usually text.";
    0x09 Boolean(bool) "boolean" *as_boolean Spec "true or false.";
    0x0c Number(f64) "number" *as_number Spec "a number.";
    0x15 Vector2(Vector2) "vector2" *as_vector2 Spec "a point in the plane.";
    0x16 Vector3(Vector3) "vector3" *as_vector3 Spec "a point in space.";
    0x18 Vector2int16(Vector2int16) "vector2int16" *as_vector2int16 Spec "a point in the plane, in whole numbers.";
    0x19 Vector3int16(Vector3int16) "vector3int16" *as_vector3int16 Spec "a point in space, in whole numbers.";
    0x1b CFrame(CFrame) "cframe" *as_cframe Spec "a position and a rotation.";
    0x1c Instance(Option<Ref>) "instance" *as_instance Spec "an instance, or none.";
    0x1e Array(ValueVec<Value<'a>>) "array" &as_array([Value<'a>]) Spec "a table whose keys are 1, 2, 3, …";
    0x1f Dictionary(ValueVec<Pair<'a>>) "dictionary" &as_dictionary([Pair<'a>]) Spec "a table whose keys are strings.";
}

/// The fewest bytes that a value takes: its type.
pub(super) const SMALLEST_VALUE: u32 = 1;

/// The type, and no container that is one too many.
#[inline]
pub(super) fn type_id<I: Source, E: WireError<I>>(nesting: Nesting) -> impl Parser<I, Output = TypeId, Error = E> {
    verify(type_number(uint8(), policy(nesting.options())), move |id| {
        let is_container = matches!(id, TypeId::Array | TypeId::Dictionary);
        match is_container && nesting.deeper().is_none() {
            true => Err(too_deep(nesting.options())),
            false => Ok(id),
        }
    })
}

/// Every type of the table was captured.
fn policy(_: ValueOptions) -> impl Fn(Provenance) -> TypePolicy + Copy {
    |_| TypePolicy::Allowed
}

impl<'a> Value<'a> {
    /// The text of a `String`, if it is UTF-8.
    #[must_use]
    pub fn as_str(&self) -> Option<&str> {
        self.as_string()?.to_str().ok()
    }

    /// The value of a key in a `Dictionary`: of several, the first.
    #[must_use]
    pub fn get(&self, key: impl AsRef<[u8]>) -> Option<&Value<'a>> {
        let has_key = |pair: &&Pair<'_>| pair.key.as_bytes() == key.as_ref();
        self.as_dictionary()?.iter().find(has_key).map(|pair| &pair.value)
    }

    /// Its approximate size in bytes. A value that holds many bytes counts in full.
    pub(super) fn size_hint(&self) -> usize {
        match self {
            Value::Nil => 1,
            Value::String(text) => text.len().wrapping_add(4),
            Value::Number(_) => 9,
            _ => 16,
        }
    }
}

text_conversions!(Value String);
list_conversions!(Value: Array(Value), Dictionary(Pair));

#[cfg(test)]
mod tests {
    use super::*;
    use crate::test::{both_ways, hex};
    use crate::wire::run;
    use crate::{Fault, Radix};
    use pretty_assertions::assert_eq;

    /// As the reference has them.
    #[test]
    fn worked_examples() {
        let quaternion = super::super::PackedQuaternion::from_bytes(hex("54009391a6cc").try_into().unwrap()).unwrap();
        for (bytes, read) in [
            ("01", Value::Nil),
            ("09 01", true.into()),
            ("09 00", false.into()),
            ("0c c014000000000000", (-5.0).into()),
            ("02 05 73776f7573", "swous".into()),
            ("15 40a00000 bf800000", Vector2 { x: 5.0, y: -1.0 }.into()),
            ("16 426ccccd bf8ced91 4114cccd", Vector3 { x: 59.2, y: -1.101, z: 9.3 }.into()),
            ("18 fffb 0007", Vector2int16 { x: -5, y: 7 }.into()),
            ("19 fffb 0007 0009", Vector3int16 { x: -5, y: 7, z: 9 }.into()),
            (
                "1b 446a8000 00000000 c0000000 02",
                CFrame { position: Vector3 { x: 938.0, y: 0.0, z: -2.0 }, rotation: RotationId::IDENTITY.into() }
                    .into(),
            ),
            (
                "1b 00000000 00000000 00000000 00 5400 9391a6cc",
                CFrame { position: Vector3::default(), rotation: quaternion.into() }.into(),
            ),
            ("1c 01 90c80600", Some(Ref::of_server(444_560)).into()),
            ("1c 00", None.into()),
            ("1e 00", Value::Array([].into())),
            ("1f 01 01 61 1e 01 01", vec![Pair::new("a", vec![Value::Nil])].into()),
        ] {
            let generator = gen_value(Nesting::default(), &read);
            both_ways(&hex(bytes), read.clone(), || value(Nesting::default()), generator);
        }
    }

    #[test]
    fn a_type_that_was_never_captured_is_unknown() {
        let known: Vec<u32> = TypeId::ALL.iter().map(|id| id.id().into()).collect();
        for id in (0..=u8::MAX).filter(|id| TypeId::from_id(*id).is_none()) {
            let error = run(&[id; 30][..], value(Nesting::default())).unwrap_err();
            let expected =
                Fault::Unknown { what: "type id", found: id.into(), radix: Radix::Hexadecimal, known: known.clone() };
            assert_eq!((error.offset(), error.fault()), (0.into(), &expected));
        }
        assert_eq!(known.len(), 12);
    }

    #[test]
    #[cfg(target_pointer_width = "64")]
    fn a_value_takes_32_bytes() {
        assert_eq!(std::mem::size_of::<Value<'_>>(), 32);
    }

    #[test]
    fn values_are_found_by_their_keys() {
        let pairs = vec![Pair::new("a", 1.0), Pair::new("b", "x"), Pair::new("a", 2.0)];
        let table = Value::from(pairs);
        assert_eq!(table.get("a").and_then(Value::as_number), Some(1.0));
        assert_eq!(table.get("b").and_then(Value::as_str), Some("x"));
        assert_eq!((table.get("c"), Value::Nil.get("a")), (None, None));
    }
}
