//! Types and their numbers: tables that select the parser of a value by its type.

use std::fmt::Debug;
use std::io::Write;
use std::marker::PhantomData;

use cookie_factory::{GenError, GenResult, SerializeFn, WriteContext};
use nom::{Mode, OutputMode, PResult, Parser};

use super::encode::encode_fault;
use super::field::{Builds, Valued};
use super::repeat::{put_built, Place};
use crate::error::{EncodeFault, Fault, Radix};
use crate::wire::{fault, Failed, Note, Source, WireError};

/// The evidence for a type.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[cfg_attr(feature = "text", derive(serde::Serialize), serde(rename_all = "lowercase"))]
#[non_exhaustive]
pub enum Provenance {
    /// It is in the specification.
    Spec,
    /// It is not in the specification, or only in a draft of it, but in files that the engine wrote.
    Real,
    /// It is documented, but was never seen in a file.
    Draft,
    /// One source describes it, and no file was seen that has it.
    Proposed,
}

impl Provenance {
    /// Returns true if it is in the specification or in real files. Such a type is always read.
    #[must_use]
    pub const fn is_settled(self) -> bool {
        matches!(self, Provenance::Spec | Provenance::Real)
    }
}

/// A number that identifies the type of a value: a row of a specification's table.
pub trait TypeNumber: Copy + Debug + 'static {
    /// Its name in errors: `"type id"`.
    const WHAT: &'static str;

    /// The base that the specification uses for the numbers.
    const RADIX: Radix;

    /// Every type, by ascending number.
    const ALL: &'static [Self];

    /// The type with this number.
    fn from_number(number: u32) -> Option<Self>;

    /// The type with this number, if it [is settled](Provenance::is_settled).
    fn settled(number: u32) -> Option<Self>;

    /// The number in the input.
    fn number(self) -> u32;

    /// The name, as the specification and the JSON form have it.
    fn name(self) -> &'static str;

    /// The evidence for the type.
    fn provenance(self) -> Provenance;
}

/// Writes a table of types as an enum.
macro_rules! type_numbers {
    (
        $(#[$meta:meta])*
        pub enum $type:ident($number:ident, $what:literal, $radix:ident) {
            $($id:literal $name:ident $provenance:ident $doc:expr;)*
        }
    ) => {
        $(#[$meta])*
        #[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
        #[non_exhaustive]
        pub enum $type {
            $(
                #[doc = concat!("`", stringify!($id), "`: ", $doc)]
                $name = $id,
            )*
        }

        impl $type {
            /// Every type, by ascending id.
            pub const ALL: &'static [Self] = &[$(Self::$name,)*];

            /// The type with this id.
            #[must_use]
            #[cfg_attr(fast, inline(always))]
            pub const fn from_id(id: $number) -> Option<Self> {
                match id {
                    $($id => Some(Self::$name),)*
                    _ => None,
                }
            }

            /// The id in the input.
            #[must_use]
            #[cfg_attr(fast, inline(always))]
            pub const fn id(self) -> $number {
                match self {
                    $(Self::$name => $id,)*
                }
            }

            /// The name, as the specification and the JSON form have it.
            #[must_use]
            pub const fn name(self) -> &'static str {
                match self {
                    $(Self::$name => stringify!($name),)*
                }
            }

            /// The evidence for the type.
            #[must_use]
            #[cfg_attr(fast, inline(always))]
            pub const fn provenance(self) -> $crate::wire::Provenance {
                match self {
                    $(Self::$name => $crate::wire::Provenance::$provenance,)*
                }
            }
        }

        $crate::type_doors! { $type { $($name stringify!($name),)* } }

        impl std::fmt::Debug for $type {
            fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
                f.write_str(match self {
                    $(Self::$name => concat!(stringify!($id), " ", stringify!($name)),)*
                })
            }
        }

        /// The name.
        impl std::fmt::Display for $type {
            fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
                f.pad(self.name())
            }
        }

        /// Parses the name, as returned by [`name`](Self::name).
        impl std::str::FromStr for $type {
            type Err = $crate::UnknownType;

            fn from_str(name: &str) -> Result<Self, $crate::UnknownType> {
                let found = Self::ALL.iter().find(|id| id.name() == name).copied();
                found.ok_or_else(|| $crate::UnknownType::name($what, name))
            }
        }

        /// By the id, as [`from_id`](Self::from_id).
        impl TryFrom<$number> for $type {
            type Error = $crate::UnknownType;

            fn try_from(id: $number) -> Result<Self, $crate::UnknownType> {
                Self::from_id(id).ok_or_else(|| $crate::UnknownType::number($what, $crate::Radix::$radix, id.into()))
            }
        }

        /// The id.
        impl From<$type> for $number {
            fn from(id: $type) -> Self {
                id.id()
            }
        }

        impl $crate::wire::TypeNumber for $type {
            const WHAT: &'static str = $what;
            const RADIX: $crate::Radix = $crate::Radix::$radix;
            const ALL: &'static [Self] = Self::ALL;

            #[cfg_attr(fast, inline(always))]
            fn from_number(number: u32) -> Option<Self> {
                number.try_into().ok().and_then(Self::from_id)
            }

            #[cfg_attr(fast, inline(always))]
            fn settled(number: u32) -> Option<Self> {
                match number {
                    $($id if $crate::wire::Provenance::$provenance.is_settled() => Some(Self::$name),)*
                    _ => None,
                }
            }

            #[cfg_attr(fast, inline(always))]
            fn number(self) -> u32 {
                self.id().into()
            }

            fn name(self) -> &'static str {
                self.name()
            }

            #[cfg_attr(fast, inline(always))]
            fn provenance(self) -> $crate::wire::Provenance {
                self.provenance()
            }
        }
    };
}
pub(crate) use type_numbers;

/// The policy of the options for types that are not [settled](Provenance::is_settled).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum TypePolicy {
    /// They are read.
    Allowed,
    /// They are refused for this reason.
    Refused(&'static str),
    /// Their numbers are unknown, like those without a type.
    Unknown,
}

/// The type whose number `number` reads, if the type is settled or `policy` allows its [`Provenance`]. A type that is not
/// settled gets a note.
///
/// A number without a type is [`Fault::Unknown`], which lists the known numbers. A type that is not allowed is
/// [`Fault::Refused`].
#[inline]
pub fn type_number<T, I, P>(
    number: P,
    policy: impl Fn(Provenance) -> TypePolicy + Copy,
) -> impl Parser<I, Output = T, Error = P::Error>
where
    T: TypeNumber,
    I: Source,
    P: Parser<I>,
    P::Output: Into<u32>,
    P::Error: WireError<I>,
{
    Typed { number, policy, types: PhantomData }
}

struct Typed<T, P, F> {
    number: P,
    policy: F,
    types: PhantomData<fn() -> T>,
}

impl<T, I, P, F> Parser<I> for Typed<T, P, F>
where
    T: TypeNumber,
    I: Source,
    P: Parser<I>,
    P::Output: Into<u32>,
    P::Error: WireError<I>,
    F: Fn(Provenance) -> TypePolicy + Copy,
{
    type Output = T;
    type Error = P::Error;

    #[cfg_attr(fast, inline(always))]
    fn process<OM: OutputMode>(&mut self, input: I) -> PResult<OM, I, T, P::Error> {
        let (rest, number) = self.number.process::<Valued<OM>>(input.clone())?;
        let number = number.into();
        let found = match T::settled(number) {
            Some(found) => found,
            None => match unsettled::<T>(number, self.policy) {
                Ok(found) => {
                    input.note(Note::Draft(found.name()));
                    found
                }
                Err(reason) => return Err(fault::<I, OM, P::Error>(input, reason)),
            },
        };
        Ok((rest, OM::Output::bind(|| found)))
    }
}

/// The type with this number, which is not settled. The policy is passed by value: see [`perf`](crate::wire::perf).
#[cold]
fn unsettled<T: TypeNumber>(number: u32, policy: impl Fn(Provenance) -> TypePolicy) -> Result<T, Fault> {
    let unknown = || unknown::<T>(number, &policy);
    let found = T::from_number(number).ok_or_else(unknown)?;
    match policy(found.provenance()) {
        TypePolicy::Allowed => Ok(found),
        TypePolicy::Refused(reason) => {
            Err(Fault::Refused { found: number, radix: T::RADIX, name: found.name(), reason })
        }
        TypePolicy::Unknown => Err(unknown()),
    }
}

/// Fails if a value of this type must not be written: [`type_number`] would not read it with the same policy.
///
/// # Errors
///
/// [`EncodeFault::Refused`] in a [`GenError`].
#[cfg_attr(fast, inline(always))]
pub fn gen_type<T: TypeNumber>(written: T, policy: impl Fn(Provenance) -> TypePolicy) -> Result<(), GenError> {
    if written.provenance().is_settled() {
        return Ok(());
    }
    gen_unsettled(written, policy(written.provenance()))
}

#[cold]
fn gen_unsettled<T: TypeNumber>(written: T, policy: TypePolicy) -> Result<(), GenError> {
    let reason = match policy {
        TypePolicy::Allowed => return Ok(()),
        TypePolicy::Refused(reason) => reason,
        TypePolicy::Unknown => "no engine is known to write this type, and they do not ask for it",
    };
    Err(encode_fault(EncodeFault::Refused { what: written.name(), reason }))
}

#[cold]
fn unknown<T: TypeNumber>(found: u32, policy: impl Fn(Provenance) -> TypePolicy) -> Fault {
    let allowed = |provenance: Provenance| provenance.is_settled() || policy(provenance) == TypePolicy::Allowed;
    let known = T::ALL.iter().filter(|id| allowed(id.provenance())).map(|id| id.number()).collect();
    Fault::Unknown { what: T::WHAT, found, radix: T::RADIX, known }
}

/// Runs one branch of a `match` on a type id: the parser that `branch` makes.
///
/// An optimised build inlines the parser, unless it builds values of an [instrumented](Source::INSTRUMENTED) source. A debug
/// build would keep room on the stack for all branches, at each level of recursion, so there each branch is a call of its own.
///
/// # Errors
///
/// Those of the parser.
#[cfg_attr(fast, inline(always))]
pub fn switch_to<OM, I, P>(input: I, branch: impl FnOnce() -> P) -> PResult<OM, I, P::Output, P::Error>
where
    OM: OutputMode,
    I: Source,
    P: Parser<I>,
{
    if I::INSTRUMENTED && Builds::<OM>::VALUES {
        return switch_outlined::<OM, I, P>(input, branch);
    }
    branch().process::<OM>(input)
}

/// The same for the branch of a type. One that is not [settled](Provenance::is_settled) is rare: its parser is not inlined, so
/// that those of the others have the registers for themselves. What is constant is compiled only where it is used.
#[cfg_attr(fast, inline(always))]
pub(crate) fn switch_to_type<OM, I, P, const SETTLED: bool>(
    input: I,
    branch: impl FnOnce() -> P,
) -> PResult<OM, I, P::Output, P::Error>
where
    OM: OutputMode,
    I: Source,
    P: Parser<I>,
{
    // not by a call of `switch_to`, which would be compiled again for each type
    if !SETTLED || I::INSTRUMENTED && Builds::<OM>::VALUES {
        return switch_outlined::<OM, I, P>(input, branch);
    }
    branch().process::<OM>(input)
}

/// The same, and puts the value into its place: see [`Puts`](crate::wire::Puts).
#[cfg_attr(fast, inline(always))]
pub(crate) fn put_type<OM, I, P, const SETTLED: bool>(
    input: I,
    branch: impl FnOnce() -> P,
    place: impl Place<I, P::Output>,
) -> Result<I, Failed<OM, P::Error>>
where
    OM: OutputMode,
    I: Source,
    P: Parser<I>,
{
    let (rest, value) = switch_to_type::<OM, I, P, SETTLED>(input, branch)?;
    put_built::<OM, I, P::Output>(&rest, value, place);
    Ok(rest)
}

/// The same as a call of its own: for a branch that is rare or long. Small functions are also compiled faster.
#[inline(never)]
pub(crate) fn switch_outlined<OM, I, P>(input: I, branch: impl FnOnce() -> P) -> PResult<OM, I, P::Output, P::Error>
where
    OM: OutputMode,
    P: Parser<I>,
{
    branch().process::<OM>(input)
}

/// The same for generators: runs one branch of a `match` on a value.
///
/// # Errors
///
/// Those of the generator.
#[cfg_attr(fast, inline(always))]
pub fn gen_switch_to<W, G>(out: WriteContext<W>, branch: impl FnOnce() -> G) -> GenResult<W>
where
    W: Write,
    G: SerializeFn<W>,
{
    branch()(out)
}
