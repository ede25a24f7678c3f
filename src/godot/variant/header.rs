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

/// What a value begins with.
///
/// | bits | |
/// |---|---|
/// | 0 to 7 | the type |
/// | 16 | 64 bits: of int and float, in version 4 of what is made of reals; of an Object, that it is an id |
/// | 16, 17 | in version 4, what the type of an Array's elements or a Dictionary's keys is written as |
/// | 18, 19 | in version 4, what the type of a Dictionary's values is written as |
///
/// All others are 0 and mean nothing.
#[derive(Clone, Copy, PartialEq, Eq)]
pub struct Header {
    /// The type, as version 4 calls it.
    pub type_id: v4::TypeId,
    /// The bits from 16 on that mean something for this type, and [`OLD`].
    flags: u8,
}

/// Not in the input: that version 3 gives the type its number and name.
const OLD: u8 = 0x80;

/// Why options refuse objects.
pub(super) const FULL_OBJECT: &str = "objects are not allowed in their full form";

/// Bit 16, as a flag.
pub(super) const WIDE: u8 = 1;

impl Header {
    /// Whether bit 16 is set, which means 64 bits or an id.
    #[must_use]
    pub const fn is_wide(self) -> bool {
        self.flags & WIDE != 0
    }

    /// The kind of an Array's or Dictionary's first type.
    pub(super) const fn first_kind(self) -> u8 {
        self.flags & 3
    }

    const fn version(self) -> Version {
        if self.flags & OLD != 0 {
            Version::V3
        } else {
            Version::V4
        }
    }

    /// The kind of a Dictionary's second type.
    pub(super) const fn second_kind(self) -> u8 {
        self.flags >> 2 & 3
    }
}

impl fmt::Debug for Header {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.version() {
            Version::V3 => write!(f, "{:?}", v3::TypeId::from_v4(self.type_id).ok_or(fmt::Error)?)?,
            Version::V4 => write!(f, "{:?}", self.type_id)?,
        }
        if self.flags & !OLD > 0 {
            write!(f, " with flags {:#b}", self.flags & !OLD)?;
        }
        Ok(())
    }
}

/// A type, and the flags that mean something for it.
type Row = Option<(v4::TypeId, u8)>;

/// The types of a version by number: told sooner than by a `match` for the type and one for its flags.
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
#[cfg_attr(not(debug_assertions), inline(always))]
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
#[cfg_attr(not(debug_assertions), inline(always))]
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

/// Reads a [`Header`] of a value that lies in `depth` containers.
///
/// A type without a meaning is [`Fault::Unknown`], a value that lies too deep [`Fault::TooDeep`], an object in its full
/// form where the options forbid it [`Fault::Refused`].
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

    #[cfg_attr(not(debug_assertions), inline(always))]
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
        if type_id == v4::TypeId::Object {
            if let Some(refused) = refused(header, self.options) {
                return Err(fault::<I, OM, E>(input, refused));
            }
        }
        Ok((rest, OM::Output::bind(|| header)))
    }
}

/// Why an object is not read, if it is not.
#[inline(never)]
fn refused(header: Header, options: Options) -> Option<Fault> {
    let is_refused = !header.is_wide() && !options.objects;
    let (found, name) = (header.type_id.number(), header.type_id.name());
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

/// The output behind a value, or why it cannot be written. In a box, so that the output is handed on in registers.
pub(super) type Written<W> = Result<WriteContext<W>, Box<Unwritten>>;

/// Writes a header, if the version has such values.
#[cfg_attr(not(debug_assertions), inline(always))]
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
