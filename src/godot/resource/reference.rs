//! References to resources.

use std::io::Write;
use std::marker::PhantomData;

use bstr::BStr;
use cookie_factory::{SerializeFn, WriteContext};
use nom::{Mode, OutputMode, PResult, Parser};

use super::strings::{gen_text, text};
use super::value::Context;
use crate::error::{EncodeFault, Radix};
use crate::godot::variant::Object;
use crate::wire::{
    encode_fault, field, gen_field, switch_to, uint32, unknown, verify, ByteString, Le, Source, Valued, WireError,
};

/// A reference to a resource instead of an object.
///
/// | form | fields |
/// |---|---|
/// | 1 | class and path: two strings |
/// | 2 | uint32, of a resource in the same file |
/// | 3 | uint32, of an external resource |
///
/// Form 0 is null.
///
/// Specification: `docs/spec/godot-resource.md`, section Object.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Reference<'a> {
    /// A resource in the same file: its index, or in files without [`NAMED_IDS`](super::NAMED_IDS) the number in its path, such
    /// as 3 of `local://3`.
    Internal(u32),
    /// The index of an external resource.
    External(u32),
    /// A resource in another file. Engines since 2 write [`External`](Self::External) instead.
    Path {
        /// The class of the resource.
        class: ByteString<'a>,
        /// The path of its file.
        path: ByteString<'a>,
    },
}

impl Reference<'_> {
    /// The same reference, borrowing nothing.
    #[must_use]
    pub fn into_owned(self) -> Reference<'static> {
        match self {
            Reference::Internal(number) => Reference::Internal(number),
            Reference::External(number) => Reference::External(number),
            Reference::Path { class, path } => Reference::Path { class: class.into_owned(), path: path.into_owned() },
        }
    }
}

/// The object that is this resource.
impl<'a> From<Reference<'a>> for Object<'a> {
    fn from(reference: Reference<'a>) -> Self {
        Object::Resource(Box::new(reference))
    }
}

/// As `{"internal": …}`, `{"external": …}`, or `{"class": …, "path": …}`.
#[cfg(feature = "text")]
impl crate::member::Give for Reference<'_> {
    fn give(&self, to: &mut dyn crate::member::Receiver) {
        match self {
            Reference::Internal(number) => {
                to.structure("Object", 1);
                to.member("internal", number);
            }
            Reference::External(number) => {
                to.structure("Object", 1);
                to.member("external", number);
            }
            Reference::Path { class, path } => {
                to.structure("Object", 2);
                to.member("class", class);
                to.member("path", path);
            }
        }
        to.end();
    }
}

/// Reads an [`Object`]: none, or a [`Reference`].
pub(super) fn object<'a, I, E>(context: Context<'_, 'a>) -> impl Parser<I, Output = Object<'a>, Error = E>
where
    I: Source<Bytes = &'a BStr>,
    E: WireError<I>,
{
    ObjectParser { context, error: PhantomData }
}

struct ObjectParser<'s, 'a, E> {
    context: Context<'s, 'a>,
    error: PhantomData<fn() -> E>,
}

/// Reads the number of a form.
fn form<I: Source, E: WireError<I>>() -> impl Parser<I, Output = u32, Error = E> {
    verify(uint32::<Le, I, E>(), |found| match found {
        0..=3 => Ok(found),
        _ => Err(unknown("form of an object", Radix::Decimal, found, 0..=3_u32)),
    })
}

impl<'a, I: Source<Bytes = &'a BStr>, E: WireError<I>> Parser<I> for ObjectParser<'_, 'a, E> {
    type Output = Object<'a>;
    type Error = E;

    fn process<OM: OutputMode>(&mut self, input: I) -> PResult<OM, I, Object<'a>, E> {
        let options = self.context.options;
        let (rest, form) = field("form", form()).process::<Valued<OM>>(input)?;
        match form {
            0 => Ok((rest, OM::Output::bind(|| Object::Null))),
            1 => switch_to::<OM, _, _>(rest, || {
                let reference = (field("class", text::<I, E>(options)), field("path", text(options)));
                reference.map(|(class, path)| Reference::Path { class, path }.into())
            }),
            2 => switch_to::<OM, _, _>(rest, || {
                field("internal", uint32::<Le, I, E>()).map(|number| Reference::Internal(number).into())
            }),
            _ => switch_to::<OM, _, _>(rest, || {
                field("external", uint32::<Le, I, E>()).map(|number| Reference::External(number).into())
            }),
        }
    }
}

/// Writes an [`Object`]. Fails if it is neither none nor a [`Reference`].
pub(super) fn gen_object<'v, W: Write + 'v>(
    context: Context<'v, 'v>,
    object: &'v Object<'_>,
) -> impl SerializeFn<W> + 'v {
    move |out: WriteContext<W>| {
        let reference = match object {
            Object::Null => return context.uint32(0)(out),
            Object::Resource(reference) => &**reference,
            Object::Id(_) | Object::Full(_) => {
                let (what, reason) = ("Object", "resources have references to other resources alone");
                return Err(encode_fault(EncodeFault::Refused { what, reason }));
            }
        };
        match reference {
            Reference::Path { class, path } => {
                let out = gen_field("class", gen_text(context, class))(context.uint32(1)(out)?)?;
                gen_field("path", gen_text(context, path))(out)
            }
            Reference::Internal(number) => context.uint32(*number)(context.uint32(2)(out)?),
            Reference::External(number) => context.uint32(*number)(context.uint32(3)(out)?),
        }
    }
}
