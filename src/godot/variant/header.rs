//! The header of a value.

use std::fmt;
use std::io::Write;
use std::marker::PhantomData;

use cookie_factory::WriteContext;
use nom::{Mode, OutputMode, PResult, Parser};

use crate::error::{EncodeFault, Fault, Radix};
use crate::godot::options::Options;
use crate::godot::version::Version;
use crate::godot::{v3, v4};
use crate::wire::{fault, gen_bytes, uint32, Le, Note, Source, TypeNumber, Unwritten, Valued, WireError};

/// The first four bytes of a value.
///
/// | bits | |
/// |---|---|
/// | 0 to 7 | the type |
/// | 16 | of int and float, and in version 4 of types made of reals: the numbers have 64 bits; of Object: it is an id |
/// | 16, 17 | in version 4, of Array and Dictionary: the kind of the [type](super::ContainerType) of elements or keys, 0 for none |
/// | 18, 19 | in version 4, of Dictionary: the kind of the type of values, 0 for none |
///
/// All other bits are 0 and mean nothing.
#[derive(Clone, Copy, PartialEq, Eq)]
pub struct Header {
    /// The type, as version 4 calls it.
    pub type_id: v4::TypeId,
    /// The bits from 16 on that mean something for this type, and [`OLD`].
    flags: u8,
}

/// A flag that is not in the input: the header is of version 3, and shows the number and name that its type has there.
const OLD: u8 = 0x80;

/// Why the options refuse an object.
pub(super) const FULL_OBJECT: &str = "objects are not allowed in their full form";

/// Bit 16, as a flag.
pub(in crate::godot) const WIDE: u8 = 1;

impl Header {
    /// Returns true if bit 16 is set, which means 64 bits or an id.
    #[must_use]
    pub const fn is_wide(self) -> bool {
        self.flags & WIDE != 0
    }

    /// The kinds of the declared types of a container: of an Array's elements or a Dictionary's keys, and of a Dictionary's values.
    pub(in crate::godot) const fn kinds(self) -> [u8; 2] {
        [self.flags & 3, self.flags >> 2 & 3]
    }
}

impl fmt::Debug for Header {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.flags & OLD {
            0 => write!(f, "{:?}", self.type_id)?,
            _ => write!(f, "{:?}", v3::TypeId::from_v4(self.type_id).ok_or(fmt::Error)?)?,
        }
        if self.flags & !OLD > 0 {
            write!(f, " with flags {:#b}", self.flags & !OLD)?;
        }
        Ok(())
    }
}

/// A type, and the flags that mean something for it.
type Row = Option<(v4::TypeId, u8)>;

/// The types of each version by number. One lookup is faster than a `match` for the type and another for its flags.
static V3: [Row; 64] = table(Version::V3);
static V4: [Row; 64] = table(Version::V4);

#[allow(clippy::indexing_slicing, clippy::arithmetic_side_effects, clippy::as_conversions)] // done by the compiler
const fn table(version: Version) -> [Row; 64] {
    let mut rows = [None; 64];
    let mut at = 0;
    while at < v4::TypeId::ALL.len() {
        let type_id = v4::TypeId::ALL[at];
        if let Some(id) = number(version, type_id) {
            rows[id as usize] = Some((type_id, flags_of(version, type_id)));
        }
        at += 1;
    }
    rows
}

/// The number of a type in a version.
#[cfg_attr(fast, inline(always))]
const fn number(version: Version, type_id: v4::TypeId) -> Option<u8> {
    match version {
        Version::V3 => match v3::TypeId::from_v4(type_id) {
            Some(type_id) => Some(type_id.id()),
            None => None,
        },
        Version::V4 => Some(type_id.id()),
    }
}

/// The flags that mean something for a type.
#[cfg_attr(fast, inline(always))]
const fn flags_of(version: Version, id: v4::TypeId) -> u8 {
    use v4::TypeId as T;
    match (version, id) {
        (_, T::int | T::float | T::Object) => WIDE,
        (Version::V3, _) => 0,
        (_, T::Array) => 0b11,
        (_, T::Dictionary) => 0b1111,
        (_, T::Vector2 | T::Rect2 | T::Vector3 | T::Transform2D | T::Vector4 | T::Plane | T::Quaternion) => WIDE,
        (_, T::AABB | T::Basis | T::Transform3D | T::Projection) => WIDE,
        (_, T::PackedVector2Array | T::PackedVector3Array | T::PackedVector4Array) => WIDE,
        _ => 0,
    }
}

/// Reads the [`Header`] of a value inside `depth` containers.
///
/// An unknown type is [`Fault::Unknown`], a value in too many containers [`Fault::TooDeep`], and an object in its full form
/// [`Fault::Refused`] if the options do not allow it.
///
/// In little-endian, the bytes `02 00 01 00` are the header of an int of 64 bits.
///
/// Specification: `docs/spec/godot-variant.md`, section Header.
#[inline]
pub fn header<I: Source, E: WireError<I>>(options: Options, depth: u16) -> impl Parser<I, Output = Header, Error = E> {
    HeaderParser { options, depth, error: PhantomData }
}

struct HeaderParser<E> {
    options: Options,
    depth: u16,
    error: PhantomData<fn() -> E>,
}

impl<I: Source, E: WireError<I>> Parser<I> for HeaderParser<E> {
    type Output = Header;
    type Error = E;

    #[cfg_attr(fast, inline(always))]
    fn process<OM: OutputMode>(&mut self, input: I) -> PResult<OM, I, Header, E> {
        let (rest, word) = uint32::<Le, I, E>().process::<Valued<OM>>(input.clone())?;
        let [id, _, flags, _] = word.to_le_bytes();
        let (table, mark) = match self.options.version() {
            Version::V3 => (&V3, OLD),
            Version::V4 => (&V4, 0),
        };
        let Some((type_id, meaning)) = table.get(usize::from(id)).copied().flatten() else {
            return Err(fault::<I, OM, E>(input, unknown(self.options.version(), id)));
        };
        if self.depth > self.options.depth() {
            return Err(fault::<I, OM, E>(input, Fault::TooDeep { limit: self.options.depth() }));
        }
        let flags = flags & meaning;
        let header = Header { type_id, flags: flags | mark };
        if word != u32::from_le_bytes([id, 0, flags, 0]) {
            input.note(Note::NonCanonical("bits of a header without a meaning"));
        }
        if type_id == v4::TypeId::Object
            && let Some(refused) = refused(id, header, self.options)
        {
            return Err(fault::<I, OM, E>(input, refused));
        }
        Ok((rest, OM::Output::bind(|| header)))
    }
}

/// The error of an object that the options refuse. `id` is its number in the version of the options.
#[inline(never)]
fn refused(id: u8, header: Header, options: Options) -> Option<Fault> {
    let is_refused = !header.is_wide() && !options.objects;
    let (found, name) = (id.into(), header.type_id.name());
    let reason = FULL_OBJECT;
    is_refused.then_some(Fault::Refused { found, radix: Radix::Decimal, name, reason })
}

#[cold]
fn unknown(version: Version, found: u8) -> Fault {
    let known = match version {
        Version::V3 => v3::TypeId::ALL.iter().map(|id| id.number()).collect(),
        Version::V4 => v4::TypeId::ALL.iter().map(|id| id.number()).collect(),
    };
    Fault::Unknown { what: "type", found: found.into(), radix: Radix::Decimal, known }
}

/// The output after a value, or why the value cannot be written. The error is boxed so that the result fits registers.
pub(in crate::godot) type Written<W> = Result<WriteContext<W>, Box<Unwritten>>;

/// Writes a header. Fails if the version does not have the type, or the flags for it.
#[cfg_attr(fast, inline(always))]
pub(super) fn write_header<W: Write>(
    version: Version,
    type_id: v4::TypeId,
    flags: u8,
    out: WriteContext<W>,
) -> Written<W> {
    match number(version, type_id) {
        None => Err(EncodeFault::NotInVersion { version: version.number(), what: type_id.name() }.into()),
        Some(_) if flags & !flags_of(version, type_id) != 0 => Err(flagged(version, type_id).into()),
        Some(id) => Ok(gen_bytes([id, 0, flags, 0])(out)?),
    }
}

#[cold]
fn flagged(version: Version, type_id: v4::TypeId) -> EncodeFault {
    let what = match type_id {
        v4::TypeId::Array | v4::TypeId::Dictionary => "containers with types",
        _ => "reals of 64 bits",
    };
    EncodeFault::NotInVersion { version: version.number(), what }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::godot::{decode_with, encode_with, Array, Dictionary, Variant};
    use crate::test::hex;
    use crate::wire::combinators::encode::generated;
    use crate::wire::Traceback;
    use pretty_assertions::assert_eq;

    fn read(word: u32, options: Options, depth: u16) -> Result<Header, String> {
        let bytes = word.to_le_bytes();
        let read = header::<_, Traceback<&[u8]>>(options, depth).parse_complete(&bytes[..]);
        match read {
            Ok((rest, header)) => {
                assert_eq!(rest, b"");
                Ok(header)
            }
            Err(nom::Err::Error(error)) => Err(error.into_error(&bytes[..]).to_string()),
            Err(other) => panic!("{other:?}"),
        }
    }

    fn shown(word: u32, version: Version) -> String {
        format!("{:?}", read(word, Options::new(version), 0).unwrap())
    }

    /// The number and name are those of the version; flags are shown if they mean something for the type.
    #[test]
    fn headers_as_people_see_them() {
        for (word, in_3, in_4) in [
            (0x0000_0000, "0 null", "0 null"),
            (0x0000_0002, "2 int", "2 int"),
            (0x0001_0002, "2 int with flags 0b1", "2 int with flags 0b1"),
            (0xffff_ff02, "2 int with flags 0b1", "2 int with flags 0b1"),
            (0x0001_0005, "5 Vector2", "5 Vector2 with flags 0b1"),
            (0x0001_0006, "6 Rect2", "6 Vector2i"),
            (0x0001_0010, "16 RID", "16 AABB with flags 0b1"),
            (0x0002_0010, "16 RID", "16 AABB"),
        ] {
            assert_eq!(
                (shown(word, Version::V3).as_str(), shown(word, Version::V4).as_str()),
                (in_3, in_4),
                "{word:#x}"
            );
        }
        let bytes = hex("02 00 01 00");
        let (_, wide) = header::<_, ()>(Options::new(Version::V4), 0).parse_complete(&bytes[..]).unwrap();
        assert_eq!((wide.type_id, wide.is_wide()), (v4::TypeId::int, true));
        assert_eq!(shown(0x00ff_001c, Version::V4), "28 Array with flags 0b11");
        assert_eq!(shown(0x00ff_001b, Version::V4), "27 Dictionary with flags 0b1111");
        assert_eq!(shown(0x00ff_0013, Version::V3), "19 Array");
    }

    #[test]
    fn kinds_of_container_types() {
        let kinds = |word| {
            let header = read(word, Options::new(Version::V4), 0).unwrap();
            header.kinds()
        };
        assert_eq!(kinds(0x0002_001c), [2, 0]);
        assert_eq!(kinds(0x0001_001b), [1, 0]);
        assert_eq!(kinds(0x0008_001b), [0, 2]);
        assert_eq!(kinds(0x000d_001b), [1, 3]);
        let is_wide = |word| read(word, Options::new(Version::V4), 0).unwrap().is_wide();
        assert!(is_wide(0x0001_0002) && !is_wide(0x0002_0002) && !is_wide(0x0000_0002));
    }

    /// Bit 16 says 64 bits for exactly these types of version 4, beside int, float and Object in both.
    #[test]
    fn types_with_64_bits() {
        let wide = |version| {
            let types = v4::TypeId::ALL.iter().filter(|id| flags_of(version, **id) == WIDE);
            types.map(|id| id.name()).collect::<Vec<_>>().join(" ")
        };
        assert_eq!(wide(Version::V3), "int float Object");
        assert_eq!(
            wide(Version::V4),
            "int float Vector2 Rect2 Vector3 Transform2D Vector4 Plane Quaternion AABB Basis Transform3D Projection \
             Object PackedVector2Array PackedVector3Array PackedVector4Array"
        );
    }

    #[test]
    fn types_without_a_meaning() {
        for (version, last) in [(Version::V3, 26), (Version::V4, 38)] {
            assert!(read(last, Options::new(version), 0).is_ok());
            for number in [last + 1, 63, 64, 255] {
                let error = read(number, Options::new(version), 0).unwrap_err();
                assert_eq!(error, format!("unknown type {number}, at byte 0x0"));
            }
            let error = decode_with(b"\xff\0\0\0", &Options::new(version)).unwrap_err();
            let known: Vec<_> = (0..=last).map(|number| number.to_string()).collect();
            assert_eq!(error.fault().expected(), Some(format!("one of {}", known.join(" "))));
        }
    }

    #[test]
    fn limits_and_refusals() {
        for (version, number) in [(Version::V3, 17), (Version::V4, 24)] {
            let strict = Options::new(version).objects(false);
            assert!(read(0x0001_0000 | number, strict, 0).is_ok(), "an id is not an object in its full form");
            let refused = read(number, strict, 0).unwrap_err();
            assert_eq!(refused, format!("type {number} Object is refused: {FULL_OBJECT}, at byte 0x0"));
        }
        assert!(read(0x0000_0018, Options::new(Version::V4), 0).is_ok());
    }

    #[test]
    fn bits_without_a_meaning_are_not_canonical() {
        for (bytes, version, is_canonical) in [
            (b"\x02\0\0\0\x01\0\0\0", Version::V4, true),
            (b"\x02\x01\0\0\x01\0\0\0", Version::V4, false),
            (b"\x02\0\x02\0\x01\0\0\0", Version::V4, false),
            (b"\x02\0\0\x01\x01\0\0\0", Version::V3, false),
            (b"\x13\0\x01\0\0\0\0\0", Version::V3, false),
        ] {
            let report = crate::godot::check_with(bytes, &Options::new(version), |_, _| {}).unwrap();
            assert_eq!(report.is_canonical(), is_canonical, "{bytes:?}");
            let value = decode_with(bytes, &Options::new(version)).unwrap();
            assert_eq!(encode_with(&value, &Options::new(version)).unwrap() == bytes, is_canonical, "{bytes:?}");
        }
    }

    #[test]
    fn headers_that_a_version_cannot_write() {
        let write = |version, type_id, flags| {
            let header = |out| Ok(write_header(version, type_id, flags, out)?);
            generated(header).map_err(|error| error.to_string())
        };
        use v4::TypeId as T;
        assert_eq!(write(Version::V3, T::Object, WIDE), Ok(vec![17, 0, 1, 0]));
        assert_eq!(write(Version::V4, T::Dictionary, 0b1001), Ok(vec![27, 0, 9, 0]));
        let none = |what: &str| Err(format!("version 3 has no {what}"));
        assert_eq!(write(Version::V3, T::Vector2i, 0), none("Vector2i"));
        assert_eq!(write(Version::V3, T::Array, 1), none("containers with types"));
        assert_eq!(write(Version::V3, T::Dictionary, 4), none("containers with types"));
        assert_eq!(write(Version::V3, T::Plane, WIDE), none("reals of 64 bits"));
        let typed = Array { element_type: None, elements: vec![Dictionary::default().into()] };
        assert_eq!(encode_with(&Variant::from(typed), &Options::new(Version::V3)).unwrap().len(), 16);
    }
}
