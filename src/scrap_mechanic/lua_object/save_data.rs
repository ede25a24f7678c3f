//! LuaSaveData: the table of types.

use bstr::{BStr, ByteSlice};
use nom::Parser;

use super::color::Color;
use super::json_template::JsonTemplate;
use super::options::{Nesting, Options};
use super::quat::Quat;
use super::table::Table;
use super::userdata::Userdata;
use super::uuid::Uuid;
use super::vec3::Vec3;
use super::weak_script_ref::WeakScriptRef;
use crate::wire::{
    bit, field_value, gen_bit, text_conversions, too_deep, type_number, uint8, value_table, verify, BitWriter, Bits,
    ByteString, Provenance, Source, TypePolicy, WireError,
};
use crate::TypeError;

value_table! {
    /// A value of Lua, with the width that it has on the wire.
    ///
    /// | field | bits | type |
    /// |---|---|---|
    /// | type | 8 | uint8, a [`LuaSaveDataType`] |
    /// | value | | as the type says |
    ///
    /// Specification: `docs/spec/scrap-mechanic-lua-object.md`, section LuaSaveData.
    #[derive(Clone, Default, PartialEq)]
    #[non_exhaustive]
    pub enum LuaSaveData<'a>;

    /// The type of a [`LuaSaveData`].
    pub enum LuaSaveDataType(u8, "type", Decimal);

    /// Reads a [`LuaSaveData`].
    ///
    /// A type without a meaning is [`Fault::Unknown`](crate::Fault::Unknown), a table too many
    /// [`Fault::TooDeep`](crate::Fault::TooDeep): both at the type.
    ///
    /// In big-endian, the bytes `07 ff fe` are `LuaSaveData::Int16(-2)`. A value that the parser of its type refuses is
    /// refused.
    pub fn lua_save_data(Options) -> Bits<I>, type_id;

    /// Writes a [`LuaSaveData`], as [`lua_save_data`] reads it. A type that the options forbid is refused, a table that is
    /// nested too deeply, and what is longer than its size can say.
    pub fn gen_lua_save_data(Options) -> BitWriter<W>, policy;

    impl access;

    #[default]
    unit 1 Nil Spec "nothing.";
    2 Boolean(bool) "boolean" *as_bool Spec "true or false, in a single bit.";
    3 Number(f32) "number" Spec "a number that an f32 can say." also Int16 Int8;
    4 String(ByteString<'a>) "string" &as_string(BStr) Spec "bytes, usually text.";
    5 Table(Table<'a>) "table" &as_table Spec "values with keys.";
    6 Int32(i32) "int32" Spec "an integer." also Int16 Int8;
    7 Int16(i16) "int16" Spec "an integer." also Int8;
    8 Int8(i8) "int8" Spec "an integer.";
    9 Json(ByteString<'a>) "json" Draft "JSON text, which is not looked into." without From;
    11 Double(f64) "double" Real "a number that an f32 cannot say; from version 28 on."
        also Number Int32 Int16 Int8;
    12 JsonTemplate(Box<JsonTemplate<'a>>) "json_template" Proposed "JSON text that belongs to something.";
    100 Userdata(Userdata) "userdata" *as_userdata Spec "an object of the game.";
    101 WeakScriptRef(WeakScriptRef) "weak_script_ref" Draft "a reference to a script.";
}

/// A type that the options allow, here.
#[inline]
fn type_id<I: Source, E: WireError<Bits<I>>>(
    nesting: Nesting,
) -> impl Parser<Bits<I>, Output = LuaSaveDataType, Error = E> {
    verify(type_number(uint8(), policy(nesting.options())), move |id| {
        match id == LuaSaveDataType::Table && nesting.deeper().is_none() {
            true => Err(too_deep(nesting.options())),
            false => Ok(id),
        }
    })
}

// a boolean is a single bit
field_value!(Options: bool = |nesting, value| bit(), gen_bit(*value));

/// Decides by the options which types are allowed.
#[cfg_attr(fast, inline(always))]
fn policy(options: Options) -> impl Fn(Provenance) -> TypePolicy + Copy {
    move |provenance| match provenance {
        Provenance::Draft | Provenance::Proposed if !options.unverified_types => TypePolicy::Unknown,
        _ => TypePolicy::Allowed,
    }
}

impl<'a> LuaSaveData<'a> {
    /// A number in the type and width that the game's scripts give it, from version 28 on: the narrowest integer that can
    /// say it, else a Number if that is exact, else a Double.
    ///
    /// ```
    /// use enginewire::scrap_mechanic::lua_object::LuaSaveData;
    ///
    /// assert_eq!(LuaSaveData::number(5.0), LuaSaveData::Int8(5));
    /// assert_eq!(LuaSaveData::number(300.0), LuaSaveData::Int16(300));
    /// assert_eq!(LuaSaveData::number(0.5), LuaSaveData::Number(0.5));
    /// assert_eq!(LuaSaveData::number(0.1), LuaSaveData::Double(0.1));
    /// ```
    #[must_use]
    #[allow(clippy::as_conversions, clippy::cast_possible_truncation)] // compared afterwards
    pub fn number(number: f64) -> Self {
        let (integer, narrow) = (number as i32, number as f32);
        if f64::from(integer).to_bits() == number.to_bits() {
            Self::integer(integer)
        } else if f64::from(narrow) == number || number.is_nan() {
            LuaSaveData::Number(narrow)
        } else {
            LuaSaveData::Double(number)
        }
    }

    /// An integer in the narrowest width that can say it, as the game's scripts write it.
    #[must_use]
    pub fn integer(integer: i32) -> Self {
        match (i8::try_from(integer), i16::try_from(integer)) {
            (Ok(integer), _) => LuaSaveData::Int8(integer),
            (_, Ok(integer)) => LuaSaveData::Int16(integer),
            _ => LuaSaveData::Int32(integer),
        }
    }

    /// The value of an integer of any width.
    #[must_use]
    pub fn as_integer(&self) -> Option<i32> {
        match self {
            LuaSaveData::Int8(value) => Some((*value).into()),
            LuaSaveData::Int16(value) => Some((*value).into()),
            LuaSaveData::Int32(value) => Some(*value),
            _ => None,
        }
    }

    /// True if it is this integer, in any width.
    pub(super) fn is_integer(&self, integer: i64) -> bool {
        self.as_integer().map(i64::from) == Some(integer)
    }

    /// The value of a number of any type and width.
    #[must_use]
    pub fn as_number(&self) -> Option<f64> {
        match self {
            LuaSaveData::Number(value) => Some((*value).into()),
            LuaSaveData::Double(value) => Some(*value),
            other => other.as_integer().map(f64::from),
        }
    }

    /// The bytes of a `String`.
    #[must_use]
    pub fn as_bytes(&self) -> Option<&[u8]> {
        match self {
            LuaSaveData::String(value) => Some(value.as_bytes()),
            _ => None,
        }
    }

    /// The text of a `String`, if it is UTF-8.
    #[must_use]
    pub fn as_str(&self) -> Option<&str> {
        self.as_bytes()?.to_str().ok()
    }
}

/// Structures as the values they are in; see [`LuaSaveData::number`] for the number that the game would write.
macro_rules! from {
    ($($type:ty: $value:ident => $data:expr;)*) => {$(
        impl<'a> From<$type> for LuaSaveData<'a> {
            fn from($value: $type) -> Self {
                $data
            }
        }
    )*};
}

from! {
    Uuid: value => LuaSaveData::Userdata(Userdata::Uuid(value));
    Vec3: value => LuaSaveData::Userdata(Userdata::Vec3(value));
    Quat: value => LuaSaveData::Userdata(Userdata::Quat(value));
    Color: value => LuaSaveData::Userdata(Userdata::Color(value));
    JsonTemplate<'a>: value => LuaSaveData::JsonTemplate(Box::new(value));
}

text_conversions!(LuaSaveData String);

/// Structures of the game out of the values they are in.
macro_rules! userdata {
    ($($name:ident)*) => {$(
        impl TryFrom<&LuaSaveData<'_>> for $name {
            type Error = TypeError;

            fn try_from(value: &LuaSaveData<'_>) -> Result<Self, TypeError> {
                match value {
                    LuaSaveData::Userdata(Userdata::$name(value)) => Ok(*value),
                    LuaSaveData::Userdata(other) => Err(TypeError::new::<Self>(other.type_id().name())),
                    other => Err(TypeError::new::<Self>(other.type_id().name())),
                }
            }
        }

        impl TryFrom<LuaSaveData<'_>> for $name {
            type Error = TypeError;

            fn try_from(value: LuaSaveData<'_>) -> Result<Self, TypeError> {
                $name::try_from(&value)
            }
        }
    )*};
}
userdata! { Uuid Vec3 Quat Color }

#[cfg(test)]
mod tests {
    use super::super::options::Options;
    use super::*;
    use crate::test::{both_ways, hex};
    use crate::wire::{bits, gen_bits, IntoByteString, Traceback};
    use crate::Fault;
    use nom::Err;
    use pretty_assertions::assert_eq;

    fn error(bytes: &[u8], options: Options) -> crate::DecodeError {
        match bits(lua_save_data::<_, _>(options.into())).parse_complete(bytes) {
            Err(Err::Error(error)) => Traceback::into_error(error, bytes),
            other => panic!("{other:?}"),
        }
    }

    #[test]
    fn worked_examples() {
        for (bytes, value) in [
            ("01", LuaSaveData::Nil),
            ("02 80", true.into()),
            ("03 3f 00 00 00", 0.5_f32.into()),
            ("04 00 00 00 01 61", "a".into()),
            ("05 00 00 00 00 00", Table::default().into()),
            ("06 ff ff ff fe", (-2_i32).into()),
            ("07 ff fe", (-2_i16).into()),
            ("08 fe", (-2_i8).into()),
            ("09 00 00 00 02 7b 7d", LuaSaveData::Json("{}".into_byte_string())),
            ("0b 3f e0 00 00 00 00 00 00", 0.5_f64.into()),
            ("64 00 00 27 25 00 00 00 07", Userdata::Shape(7).into()),
            ("65 00 00 00 07 80", WeakScriptRef { ref_id: 7, flag: true }.into()),
        ] {
            let generator = gen_bits(gen_lua_save_data(Nesting::default(), &value));
            both_ways(&hex(bytes), value.clone(), || bits(lua_save_data(Nesting::default())), generator);
            assert_eq!(value.clone().into_owned(), value);
        }
    }

    #[test]
    #[cfg(target_pointer_width = "64")]
    fn a_value_is_small() {
        assert_eq!(std::mem::size_of::<LuaSaveData<'_>>(), 4 * std::mem::size_of::<usize>());
    }

    #[test]
    fn numbers_take_the_width_that_the_game_gives_them() {
        for (number, value) in [
            (127.0, LuaSaveData::Int8(127)),
            (-129.0, LuaSaveData::Int16(-129)),
            (32768.0, LuaSaveData::Int32(32768)),
            (-2_147_483_648.0, LuaSaveData::Int32(i32::MIN)),
            (2_147_483_648.0, LuaSaveData::Number(2_147_483_648.0)),
            (2_147_483_649.0, LuaSaveData::Double(2_147_483_649.0)),
            (-0.0, LuaSaveData::Number(-0.0)),
            (f64::INFINITY, LuaSaveData::Number(f32::INFINITY)),
            (1e300, LuaSaveData::Double(1e300)),
        ] {
            let made = LuaSaveData::number(number);
            assert_eq!(format!("{made:?}"), format!("{value:?}"));
            assert_eq!(made.as_number(), Some(number));
        }
        assert!(matches!(LuaSaveData::number(f64::NAN), LuaSaveData::Number(number) if number.is_nan()));
    }

    #[test]
    fn integers_take_the_narrowest_width() {
        for (integer, value) in [
            (-128, LuaSaveData::Int8(i8::MIN)),
            (128, LuaSaveData::Int16(128)),
            (-32768, LuaSaveData::Int16(i16::MIN)),
            (-32769, LuaSaveData::Int32(-32769)),
        ] {
            let made = LuaSaveData::integer(integer);
            assert_eq!((&made, made.as_integer(), made.as_number()), (&value, Some(integer), Some(integer.into())));
            assert!(made.is_integer(integer.into()) && !made.is_integer(i64::from(integer) + 1));
        }
    }

    #[test]
    fn a_value_is_read_as_what_it_is_alone() {
        let text = LuaSaveData::from("text");
        assert_eq!((text.as_bytes(), text.as_str()), (Some(&b"text"[..]), Some("text")));
        assert_eq!((text.as_integer(), text.as_number(), text.is_integer(0)), (None, None, false));
        let bytes = LuaSaveData::from(&b"\xff"[..]);
        assert_eq!((bytes.as_bytes(), bytes.as_str()), (Some(&b"\xff"[..]), None));
        // JSON is text too, but no String
        for other in [LuaSaveData::Number(7.0), LuaSaveData::Double(7.0), LuaSaveData::Json("7".into_byte_string())] {
            assert_eq!((other.as_bytes(), other.as_str(), other.as_integer()), (None, None, None));
            assert!(!other.is_integer(7));
        }
    }

    /// Of numbers those that hold every number of the other; structures out of their userdata.
    #[test]
    fn values_are_taken_as_types_of_rust() {
        let int8 = LuaSaveData::Int8(7);
        assert_eq!((i8::try_from(&int8), i16::try_from(&int8), i32::try_from(&int8)), (Ok(7), Ok(7), Ok(7)));
        assert_eq!((f32::try_from(&int8), f64::try_from(int8)), (Ok(7.0), Ok(7.0)));
        assert_eq!(f64::try_from(LuaSaveData::Number(0.5)), Ok(0.5));
        assert_eq!(i16::try_from(LuaSaveData::Int32(1)), Err(TypeError::new::<i16>("Int32")));
        assert_eq!(f32::try_from(LuaSaveData::Int32(1)), Err(TypeError::new::<f32>("Int32")));
        let text = LuaSaveData::from("text");
        assert_eq!((<&str>::try_from(&text), text.as_string()), (Ok("text"), Some(BStr::new("text"))));
        assert_eq!(String::try_from(text), Ok("text".to_owned()));
        let point = Vec3 { x: 1.0, y: 2.0, z: 3.0 };
        assert_eq!((Vec3::try_from(&point.into()), Vec3::try_from(LuaSaveData::from(point))), (Ok(point), Ok(point)));
        assert_eq!(Uuid::try_from(LuaSaveData::from(point)).unwrap_err().to_string(), "expected Uuid, found Vec3");
        assert_eq!(Quat::try_from(LuaSaveData::Nil).unwrap_err().to_string(), "expected Quat, found Nil");
    }

    #[test]
    fn what_is_unknown_names_what_is_known() {
        assert_eq!(error(&[10], Options::new()).to_string(), "unknown type 10, at byte 0x0 in type");
        let expected = error(&[10], Options::new()).fault().expected().unwrap();
        assert_eq!(expected, "one of 1 2 3 4 5 6 7 8 9 11 12 100 101");
        let strict = Options::new().unverified_types(false);
        for id in [9, 12, 101] {
            assert!(matches!(error(&[id], Options::new()).fault(), Fault::Truncated { .. }));
            assert!(matches!(error(&[id], strict).fault(), Fault::Unknown { .. }));
        }
        assert_eq!(error(&[9], strict).fault().expected().unwrap(), "one of 1 2 3 4 5 6 7 8 11 100");
    }
}
