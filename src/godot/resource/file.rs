//! The file: its head, its tables, and the resources in it.

use std::io::Write;
use std::marker::PhantomData;

use bstr::BStr;
use cookie_factory::{GenError, SerializeFn, WriteContext};
use nom::{Mode, OutputM, OutputMode, PResult, Parser};

use super::options::Options;
use super::strings::{gen_name, gen_text, name, text, Strings};
use super::value::{gen_value, value, Context};
use crate::error::{EncodeFault, Fault, Radix};
use crate::godot::variant::{Encoding, FullObject, Property};
use crate::godot::Options as VariantOptions;
use crate::number::to_u64;
use crate::structure::structure;
use crate::wire::{
    array, encode_fault, fault, field, flat_map, gen_bytes, gen_field, gen_item, gen_keyed, gen_repeat, keyed, magic,
    noted, ordered, repeat, uint32, uint64, unknown, verify, within, ByteString, Label, Le, Note, Ordered,
    OrderedError, Source, Valued, WireError,
};

/// The first and the last bytes of a file.
pub const MAGIC: &[u8] = b"RSRC";

/// The flag of files whose resources have names instead of numbers in their paths; since version 4.
pub const NAMED_IDS: u32 = 1;

/// The flag of files with unique ids.
pub const UIDS: u32 = 2;

/// The flag of files whose reals have 64 bits.
pub const DOUBLE_REALS: u32 = 4;

/// The flag of files with the class of a script.
pub const SCRIPT_CLASS: u32 = 8;

/// No unique id.
pub const NO_UID: u64 = u64::MAX;

/// The versions of the layout.
const VERSIONS: std::ops::RangeInclusive<u32> = 1..=6;

/// A file of resources.
///
/// | field | type |
/// |---|---|
/// | magic | `RSRC` |
/// | big_endian | uint32, little-endian: 1 if all numbers after `use_real64` are big-endian |
/// | use_real64 | uint32, little-endian: 0 |
/// | major, minor | uint32, uint32 |
/// | version | uint32 |
/// | class | string |
/// | importmd_ofs | uint64: 0, or from version 3 on any number |
/// | flags | uint32 |
/// | uid | uint64 |
/// | script_class | string, with [`SCRIPT_CLASS`] |
/// | reserved | 11 × uint32: 0 |
/// | strings | uint32 count, and as many strings |
/// | external | uint32 count, and as many [`External`] |
/// | index | uint32 count, and for each resource a string `path` and the uint64 `offset` of what follows |
/// | internal | for each resource a string `class`, a uint32 count, and as many properties: a name and a value |
/// | end | `RSRC` |
///
/// The offsets are not kept: each resource begins where the one before ends. Numbers other than 0 and 1 for booleans, and other
/// than 0 in reserved fields, are dropped, and are not canonical.
///
/// Specification: `docs/spec/godot-resource.md`, section File.
#[derive(Clone, Debug, PartialEq)]
pub struct Resource<'a> {
    /// The byte order of all numbers. Engines write bytes little-endian unless asked for the other.
    pub big_endian: bool,
    /// The version of the engine that wrote it: 4 of 4.6.
    pub major: u32,
    /// And the second part: 6 of 4.6.
    pub minor: u32,
    /// The version of the layout: 1 to 6. Engines of version 3 write 3, and those of version 4 at least 4.
    pub version: u32,
    /// The class of the main resource.
    pub class: ByteString<'a>,
    /// The place that import metadata had, which only Godot 2 wrote. The editor moves it by the change of length when it renames a
    /// dependency, so that it may be below 0. Nothing is there.
    pub importmd_ofs: u64,
    /// Flags: [`NAMED_IDS`], [`UIDS`], [`DOUBLE_REALS`], [`SCRIPT_CLASS`].
    pub flags: u32,
    /// The unique id of the file, or [`NO_UID`]. Files before version 4 have 0.
    pub uid: u64,
    /// The class of the script of the main resource; empty without [`SCRIPT_CLASS`].
    pub script_class: ByteString<'a>,
    /// The texts of names. A name that is not among them is written as text, which engines read too.
    pub strings: Vec<ByteString<'a>>,
    /// Resources in other files.
    pub external: Vec<External<'a>>,
    /// The resources in this file. The last is the main one.
    pub internal: Vec<Internal<'a>>,
}

structure! {
    /// A resource in another file.
    ///
    /// | field | type |
    /// |---|---|
    /// | class | string |
    /// | path | string |
    /// | uid | uint64, with [`UIDS`] |
    #[derive(Eq)]
    pub struct External<'a> {
        /// Its class.
        pub class: ByteString<'a>,
        /// The path of its file.
        pub path: ByteString<'a>,
        /// The unique id of its file, or [`NO_UID`].
        pub uid: u64,
    }
}

/// A resource in the file.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Internal<'a> {
    /// Its path: `local://` and a number or name, or that of its file.
    pub path: ByteString<'a>,
    /// Its class and properties. Properties with their default values are not written.
    pub object: FullObject<'a>,
}

impl Default for Resource<'_> {
    /// An empty file of version 4 of the engine, with neither strings nor resources.
    fn default() -> Self {
        Resource {
            big_endian: false,
            major: 4,
            minor: 6,
            version: 6,
            class: ByteString::default(),
            importmd_ofs: 0,
            flags: NAMED_IDS | UIDS,
            uid: NO_UID,
            script_class: ByteString::default(),
            strings: Vec::new(),
            external: Vec::new(),
            internal: Vec::new(),
        }
    }
}

impl<'a> Resource<'a> {
    /// The main resource.
    #[must_use]
    pub fn main(&self) -> Option<&FullObject<'a>> {
        self.internal.last().map(|main| &main.object)
    }

    /// The main resource, to be changed.
    pub fn main_mut(&mut self) -> Option<&mut FullObject<'a>> {
        self.internal.last_mut().map(|main| &mut main.object)
    }

    /// The same file, borrowing nothing.
    #[must_use]
    pub fn into_owned(self) -> Resource<'static> {
        Resource {
            big_endian: self.big_endian,
            major: self.major,
            minor: self.minor,
            version: self.version,
            class: self.class.into_owned(),
            importmd_ofs: self.importmd_ofs,
            flags: self.flags,
            uid: self.uid,
            script_class: self.script_class.into_owned(),
            strings: self.strings.into_iter().map(ByteString::into_owned).collect(),
            external: self.external.into_iter().map(External::into_owned).collect(),
            internal: self.internal.into_iter().map(Internal::into_owned).collect(),
        }
    }

    pub(super) fn has(&self, flag: u32) -> bool {
        self.flags & flag != 0
    }
}

impl Internal<'_> {
    /// The same resource, borrowing nothing.
    #[must_use]
    pub fn into_owned(self) -> Internal<'static> {
        Internal { path: self.path.into_owned(), object: self.object.into_owned() }
    }
}

/// Reads a [`Resource`].
///
/// ```
/// use enginewire::godot::resource::{encode, resource, Options, Resource};
/// use enginewire::wire::Traceback;
/// use nom::Parser;
///
/// let bytes = [encode(&Resource::default())?, b"rest".to_vec()].concat();
/// let mut parser = resource::<_, Traceback<&[u8]>>(Options::new());
/// let (rest, file) = parser.parse_complete(&bytes[..]).unwrap();
/// assert_eq!((file, rest), (Resource::default(), &b"rest"[..]));
/// # Ok::<(), enginewire::EncodeError>(())
/// ```
///
/// nom's `parse` is for streams: it returns `Incomplete` where the input ends. If all bytes are there, such as those of a part that
/// was cut out, call `parse_complete`. [`length_delimited`](crate::wire::length_delimited) knows that its part is complete.
///
/// The bytes `52 53 52 43 00 00 00 00` begin a file whose numbers are little-endian, and `52 53 52 43 01 00 00 00` one whose
/// numbers are big-endian. A file without its first or last [`MAGIC`] is refused, an unknown version of the format, import
/// metadata of Godot 2, a resource that is not where the index says, and a value of an unknown type. Text that is not UTF-8 is
/// refused too, unless [`Options::any_text`] allows it.
///
/// Specification: `docs/spec/godot-resource.md`, section File.
#[inline]
pub fn resource<'a, I, E>(options: Options) -> impl Parser<I, Output = Resource<'a>, Error = E>
where
    I: Source<Bytes = &'a BStr>,
    E: WireError<I>,
{
    FileParser { options, error: PhantomData }
}

struct FileParser<E> {
    options: Options,
    error: PhantomData<fn() -> E>,
}

/// Reads a number that must be below `end` to be canonical.
fn below<I: Source, E: WireError<I>>(end: u32, note: &'static str) -> impl Parser<I, Output = u32, Error = E> {
    noted(uint32::<Le, I, E>(), move |found: &u32| (*found >= end).then_some(Note::NonCanonical(note)))
}

impl<'a, I: Source<Bytes = &'a BStr>, E: WireError<I>> Parser<I> for FileParser<E> {
    type Output = Resource<'a>;
    type Error = E;

    fn process<OM: OutputMode>(&mut self, input: I) -> PResult<OM, I, Resource<'a>, E> {
        let options = self.options;
        let rest = match options.headless {
            true => input.clone(),
            false => field("magic", magic(MAGIC)).process::<Valued<OM>>(input.clone())?.0,
        };
        let order = below::<I, E>(2, "a byte order other than 0 and 1");
        let (rest, big_endian) = field("big_endian", order).process::<Valued<OM>>(rest)?;
        let (rest, _) =
            field("use_real64", below::<I, E>(1, "a reserved number other than 0")).process::<Valued<OM>>(rest)?;
        let big_endian = big_endian != 0;
        let start = Ordered::new(input, big_endian);
        ordered(big_endian, Body { options, big_endian, start, error: PhantomData }).process::<OM>(rest)
    }
}

/// The parser of the file after its byte order.
struct Body<I, E> {
    options: Options,
    big_endian: bool,
    /// The start of the file. Offsets count from here.
    start: Ordered<I>,
    error: PhantomData<fn() -> OrderedError<E>>,
}

/// The parser of all that is between the byte order and the resources. The mode `M` is that of the table of external resources.
struct Tables<'s, M, I, E> {
    options: Options,
    big_endian: bool,
    start: &'s I,
    types: PhantomData<fn() -> (M, E)>,
}

fn version<I: Source, E: WireError<I>>() -> impl Parser<I, Output = u32, Error = E> {
    verify(uint32::<Le, I, E>(), |found| match VERSIONS.contains(&found) {
        true => Ok(found),
        false => Err(unknown("version", Radix::Decimal, found, VERSIONS)),
    })
}

fn import_metadata<I: Source, E: WireError<I>>(version: u32) -> impl Parser<I, Output = u64, Error = E> {
    verify(uint64::<Le, I, E>(), move |offset| match offset {
        0 => Ok(0),
        moved if version > 2 => Ok(moved),
        _ => Err(Fault::Other("import metadata of Godot 2, which are not read".to_owned())),
    })
}

/// Reads a list with its count before it.
fn counted<I, E, P>(smallest: usize, item: impl Fn() -> P) -> impl Parser<I, Output = Vec<P::Output>, Error = E>
where
    I: Source,
    E: WireError<I>,
    P: Parser<I, Error = E, Output: std::fmt::Debug>,
{
    flat_map(field("count", uint32::<Le, I, E>()), move |count| field("items", repeat(count, smallest, item())))
}

/// Reads an [`External`].
fn external<'a, I, E>(flags: u32, options: Options) -> impl Parser<I, Output = External<'a>, Error = E>
where
    I: Source<Bytes = &'a BStr>,
    E: WireError<I>,
{
    let (class, path) = (text(options.of_values()), text(options.of_values()));
    let uid = nom::combinator::cond(flags & UIDS != 0, field("uid", uint64::<Le, I, E>()));
    (field("class", class), field("path", path), uid).map(|(class, path, uid)| External {
        class,
        path,
        uid: uid.unwrap_or(NO_UID),
    })
}

impl<'a, M: Mode, I: Source<Bytes = &'a BStr>, E: WireError<I>> Parser<I> for Tables<'_, M, I, E> {
    type Output = (Resource<'a>, M::Output<Vec<External<'a>>>, Vec<Entry<'a>>);
    type Error = E;

    fn process<OM: OutputMode>(&mut self, input: I) -> PResult<OM, I, Self::Output, E> {
        let (options, big_endian, start) = (self.options, self.big_endian, self.start);
        let values = options.of_values();
        let (rest, major) = field("major", uint32::<Le, _, _>()).process::<Valued<OM>>(input)?;
        let (rest, minor) = field("minor", uint32::<Le, _, _>()).process::<Valued<OM>>(rest)?;
        let (rest, version) = field("version", version()).process::<Valued<OM>>(rest)?;
        let (rest, class) = field("class", text(values)).process::<Valued<OM>>(rest)?;
        let (rest, importmd_ofs) = field("importmd_ofs", import_metadata(version)).process::<Valued<OM>>(rest)?;
        let (rest, flags) = field("flags", uint32::<Le, _, _>()).process::<Valued<OM>>(rest)?;
        let (rest, uid) = field("uid", uint64::<Le, _, _>()).process::<Valued<OM>>(rest)?;
        let has_script_class = flags & SCRIPT_CLASS != 0;
        let script_class = nom::combinator::cond(has_script_class, field("script_class", text(values)));
        let (rest, script_class) = { script_class }.process::<Valued<OM>>(rest)?;
        let reserved = array::<11, _>(below(1, "a reserved number other than 0"));
        let (rest, _) = field("reserved", reserved).process::<Valued<OM>>(rest)?;
        let (rest, strings) = field("strings", counted(4, || text(values))).process::<Valued<OM>>(rest)?;
        // broken input may end in a table: the next ones are empty
        let (rest, external) = match rest.is_exhausted() {
            true => (rest, M::bind(Vec::new)),
            false => field("external", counted(8, || external(flags, options)))
                .process::<OutputM<M, OM::Error, OM::Incomplete>>(rest)?,
        };
        let (rest, index) = match rest.is_exhausted() {
            true => (rest, Vec::new()),
            false => field("index", counted(12, || entry(values, start))).process::<Valued<OM>>(rest)?,
        };
        let script_class = script_class.unwrap_or_default();
        let (none, internal) = (Vec::new(), Vec::new());
        let file = Resource {
            big_endian,
            major,
            minor,
            version,
            class,
            importmd_ofs,
            flags,
            uid,
            script_class,
            strings,
            external: none,
            internal,
        };
        Ok((rest, OM::Output::bind(|| (file, external, index))))
    }
}

/// A resource in the index.
#[derive(Debug)]
struct Entry<'a> {
    path: ByteString<'a>,
    /// The offset of the resource in the file.
    offset: u64,
    /// The place of this offset in the file.
    at: u64,
}

fn entry<'a, I, E>(options: VariantOptions, start: &I) -> impl Parser<I, Output = Entry<'a>, Error = E>
where
    I: Source<Bytes = &'a BStr>,
    E: WireError<I>,
{
    let at = |input: I| Ok((input.clone(), input.offset_from(start).byte()));
    let offset = field("offset", uint64::<Le, _, _>());
    (field("path", text(options)), at, offset).map(|(path, at, offset)| Entry { path, offset, at })
}

impl<'a, J, E> Parser<Ordered<J>> for Body<J, E>
where
    J: Source<Bytes = &'a BStr>,
    E: WireError<J>,
{
    type Output = Resource<'a>;
    type Error = OrderedError<E>;

    fn process<OM: OutputMode>(&mut self, input: Ordered<J>) -> PResult<OM, Ordered<J>, Resource<'a>, OrderedError<E>> {
        let Body { options, big_endian, ref start, error: _ } = *self;
        let tables = Tables::<OM::Output, _, _> { options, big_endian, start, types: PhantomData };
        let (rest, (file, external, index)) = { tables }.process::<Valued<OM>>(input)?;
        let strings = Strings::new(&file.strings);
        let (version, double) = (file.version, file.has(DOUBLE_REALS));
        let context = Context { options: options.of_values(), strings: &strings, big_endian, double, version };
        let count = u32::try_from(index.len()).unwrap_or(u32::MAX);
        let items = Item { context, start, index: &index, error: PhantomData };
        let (rest, internal) = field("internal", repeat(count, 8, items)).process::<OM>(rest)?;
        let rest = match rest.is_exhausted() {
            true => rest,
            false => field("end", magic(MAGIC)).process::<Valued<OM>>(rest)?.0,
        };
        let file =
            OM::Output::combine(external, internal, |external, internal| Resource { external, internal, ..file });
        Ok((rest, file))
    }
}

/// Adds the length of the magic to the offsets in the index of a file that lacks it, or takes it away again.
///
/// # Errors
///
/// If the file is broken before its first resource.
pub fn move_offsets(headless: &mut [u8], add: bool) -> Result<(), crate::error::DecodeError> {
    use crate::number::to_usize;
    use crate::wire::{run, Instrumented};

    let big_endian = headless.iter().take(4).any(|byte| *byte != 0);
    let options = Options::new().any_text(true);
    let input = Instrumented::whole(headless);
    let Some((_, rest)) = input.bytes(8) else { return Ok(()) };
    // as files are decoded, so that the parser is compiled once
    let start = Ordered::new(input, big_endian);
    let tables = Tables::<nom::Emit, _, _> { options, big_endian, start: &start, types: PhantomData };
    let (_, (_, _, index)) = run(rest, ordered(big_endian, tables))?;
    let length = to_u64(MAGIC.len());
    let moved = |offset: u64| if add { offset.wrapping_add(length) } else { offset.wrapping_sub(length) };
    let moved: Vec<_> = index.iter().map(|entry| (to_usize(entry.at), moved(entry.offset))).collect();
    for (at, offset) in moved {
        let bytes = if big_endian { offset.to_be_bytes() } else { offset.to_le_bytes() };
        if let Some(place) = headless.get_mut(at..).and_then(|rest| rest.first_chunk_mut()) {
            *place = bytes;
        }
    }
    Ok(())
}

/// A resource, which begins at one of the offsets.
struct Item<'s, 'a, I, E> {
    context: Context<'s, 'a>,
    start: &'s I,
    index: &'s [Entry<'a>],
    error: PhantomData<fn() -> E>,
}

impl<'a, I: Source<Bytes = &'a BStr>, E: WireError<I>> Parser<I> for Item<'_, 'a, I, E> {
    type Output = Internal<'a>;
    type Error = E;

    fn process<OM: OutputMode>(&mut self, input: I) -> PResult<OM, I, Internal<'a>, E> {
        let here = input.offset_from(self.start).byte();
        let (context, next) = (&self.context, self.index.partition_point(|entry| entry.offset < here));
        let path = match self.index.get(next) {
            Some(entry) if entry.offset == here => &entry.path,
            Some(entry) => return Err(fault::<I, OM, E>(input, misplaced(entry.offset))),
            None => return Err(fault::<I, OM, E>(input, misplaced(0))),
        };
        input.key(path);
        let property = || keyed(field("name", name::<I, E>(*context)), field("value", value(context)), property);
        let properties = flat_map(field("count", uint32::<Le, I, E>()), move |count| {
            field("properties", repeat(count, 8, property()))
        });
        let class = field("class", text::<I, E>(context.options)).process::<Valued<OM>>(input);
        let done =
            class.and_then(|(rest, class)| { properties }.process::<OM>(rest).map(|(rest, list)| (rest, class, list)));
        match done {
            Ok((rest, class, properties)) => {
                let internal = OM::Output::map(properties, |properties| Internal {
                    path: path.clone(),
                    object: FullObject { class, properties },
                });
                Ok((rest, internal))
            }
            Err(error) => Err(within::<I, OM, E>(error, Label::Key(path))),
        }
    }
}

fn property<'a>(name: ByteString<'a>, value: crate::godot::Variant<'a>) -> Property<'a> {
    Property { name, value }
}

/// The fault of a resource that is not where the index says.
#[cold]
fn misplaced(offset: u64) -> Fault {
    Fault::Other(format!("resources do not follow each other: the index has the offset {offset:#x} for the next"))
}

/// Writes a [`Resource`], as [`resource`] reads it.
///
/// Fails if resources have no such value, or something is too long or nested too deep, or the flags lack what the file has.
pub fn gen_resource<'v, W: Write + 'v>(options: Options, file: &'v Resource<'_>) -> impl SerializeFn<W> + 'v {
    move |out: WriteContext<W>| {
        let strings = Strings::new(&file.strings);
        let double = file.has(DOUBLE_REALS);
        let Resource { big_endian, version, .. } = *file;
        let context = Context { options: options.of_values(), strings: &strings, big_endian, double, version };
        let (mut head, mut content, mut ends) = (Vec::new(), Vec::new(), Vec::new());
        gen_head(options, context, file)(WriteContext::from(&mut head))?;
        for (number, internal) in file.internal.iter().enumerate() {
            let item = gen_keyed(&internal.path, gen_internal(context, internal));
            gen_field("internal", gen_item(number, item))(WriteContext::from(&mut content))?;
            ends.push(content.len());
        }
        // a string takes 5 bytes beside its text, and an offset 8
        let places = file.internal.iter().map(|internal| internal.path.len().saturating_add(13));
        let offset = places.fold(head.len(), usize::saturating_add);
        let starts = std::iter::once(0).chain(ends).map(|end| to_u64(offset.saturating_add(end)));
        let mut out = gen_bytes(&head)(out)?;
        for (internal, start) in file.internal.iter().zip(starts) {
            out = gen_field("index", gen_text(context, &internal.path))(out)?;
            out = context.number(start.to_le_bytes())(out)?;
        }
        gen_bytes(MAGIC)(gen_bytes(&content)(out)?)
    }
}

/// Writes everything up to the entries of the index.
fn gen_head<'v, W: Write + 'v>(
    options: Options,
    context: Context<'v, 'v>,
    file: &'v Resource<'_>,
) -> impl SerializeFn<W> + 'v {
    move |out: WriteContext<W>| {
        let out = gen_bytes(if options.headless { &[] } else { MAGIC })(out)?;
        let out = gen_bytes([file.big_endian.into(), 0, 0, 0, 0, 0, 0, 0])(out)?;
        if !VERSIONS.contains(&file.version) {
            return Err(inconsistent(format!("unknown version {}", file.version)));
        }
        let numbers = [file.major, file.minor, file.version];
        let out = numbers.into_iter().try_fold(out, |out, number| context.uint32(number)(out))?;
        let out = gen_field("class", gen_text(context, &file.class))(out)?;
        if file.version <= 2 && file.importmd_ofs != 0 {
            return Err(inconsistent("import metadata of Godot 2 are not written".to_owned()));
        }
        let out = context.uint32(file.flags)(context.number(file.importmd_ofs.to_le_bytes())(out)?)?;
        let mut out = context.number(file.uid.to_le_bytes())(out)?;
        if file.has(SCRIPT_CLASS) {
            out = gen_field("script_class", gen_text(context, &file.script_class))(out)?;
        } else if !file.script_class.is_empty() {
            return Err(inconsistent(format!("a script class needs the flag {SCRIPT_CLASS}")));
        }
        out = gen_bytes([0; 44])(out)?;
        out = context.count(file.strings.len())(out)?;
        out = gen_field("strings", gen_repeat(&file.strings, |string| gen_text(context, string)))(out)?;
        out = context.count(file.external.len())(out)?;
        let has_uids = file.has(UIDS);
        out = gen_field("external", gen_repeat(&file.external, |item| gen_external(context, has_uids, item)))(out)?;
        context.count(file.internal.len())(out)
    }
}

/// The error of a file whose parts do not fit each other.
#[cold]
fn inconsistent(reason: String) -> GenError {
    encode_fault(EncodeFault::Other(reason))
}

/// Writes an [`External`].
fn gen_external<'v, W: Write + 'v>(
    context: Context<'v, 'v>,
    has_uids: bool,
    external: &'v External<'_>,
) -> impl SerializeFn<W> + 'v {
    move |out: WriteContext<W>| {
        let out = gen_field("class", gen_text(context, &external.class))(out)?;
        let out = gen_field("path", gen_text(context, &external.path))(out)?;
        match (has_uids, external.uid) {
            (true, uid) => context.number(uid.to_le_bytes())(out),
            (false, NO_UID) => Ok(out),
            (false, _) => Err(inconsistent(format!("unique ids need the flag {UIDS}"))),
        }
    }
}

/// Writes the content of an [`Internal`].
fn gen_internal<'v, W: Write + 'v>(context: Context<'v, 'v>, internal: &'v Internal<'_>) -> impl SerializeFn<W> + 'v {
    move |out: WriteContext<W>| {
        let FullObject { class, properties } = &internal.object;
        let out = gen_field("class", gen_text(context, class))(out)?;
        let out = context.count(properties.len())(out)?;
        let property = move |Property { name, value }: &'v Property<'_>| {
            let value = gen_keyed(name, gen_field("value", gen_value(context, value)));
            cookie_factory::sequence::pair(gen_field("name", gen_name(context, name)), value)
        };
        gen_field("properties", gen_repeat(properties, property))(out)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::godot::resource::{check_with, decode, decode_partial, decode_with, encode, Reference};
    use crate::godot::{Dictionary, IntoByteString, NodePath, Object, Reals, Rid, Variant, Vector2};
    use crate::test::hex;
    use pretty_assertions::assert_eq;

    const SCENE: &[u8] = include_bytes!("../../../fixtures/godot-resource/scene.bin");

    /// The bytes before the table of strings.
    const HEAD: &str = "52535243 00000000 00000000 04000000 06000000 06000000 02000000 4300 0000000000000000 03000000 \
                        ffffffffffffffff 0000000000000000000000000000000000000000000000000000000000000000000000000000000000000000";

    /// The tables of strings `p` and `q`, and one resource with one property `p`, up to its value.
    const TABLES: &str = "02000000 02000000 7000 02000000 7100 00000000 01000000 02000000 6100 8400000000000000 \
                          02000000 4300 01000000 00000000";

    fn file(value: impl Into<Variant<'static>>) -> Resource<'static> {
        let properties = vec![Property { name: "p".into(), value: value.into() }];
        let internal = vec![Internal { path: "a".into(), object: FullObject { class: "C".into(), properties } }];
        Resource { class: "C".into(), strings: vec!["p".into(), "q".into()], internal, ..Resource::default() }
    }

    fn bytes(value: &str) -> Vec<u8> {
        hex(&format!("{HEAD} {TABLES} {value} 52535243"))
    }

    fn reference(reference: Reference<'static>) -> Variant<'static> {
        Object::from(reference).into()
    }

    #[test]
    fn worked_examples() {
        let path = |names: &[&'static str]| NodePath {
            absolute: true,
            names: names.iter().map(|name| name.into_byte_string()).collect(),
            subnames: vec!["q".into()],
        };
        for (value, example) in [
            (Variant::Null, "01000000"),
            (true.into(), "02000000 01000000"),
            ((-2).into(), "03000000 feffffff"),
            (0x1_0000_0000_i64.into(), "28000000 0000000001000000"),
            (0.5.into(), "04000000 0000003f"),
            (0.1.into(), "29000000 9a9999999999b93f"),
            ("ab".into(), "05000000 03000000 616200"),
            (Variant::StringName("ab".into()), "2c000000 03000000 616200"),
            (path(&["p"]).into(), "16000000 0100 0180 00000000 01000000"),
            (path(&["x"]).into(), "16000000 0100 0180 02000080 7800 01000000"),
            (Variant::Rid(Rid(7)), "17000000 07000000"),
            (Object::Null.into(), "18000000 00000000"),
            (reference(Reference::Internal(3)), "18000000 02000000 03000000"),
            (reference(Reference::External(0)), "18000000 03000000 00000000"),
            (
                reference(Reference::Path { class: "T".into(), path: "b".into() }),
                "18000000 01000000 02000000 5400 02000000 6200",
            ),
            (Dictionary::new([(1.into(), Variant::Null)]).into(), "1a000000 01000000 03000000 01000000 01000000"),
            (vec![Variant::Callable].into(), "1e000000 01000000 2a000000"),
            (vec![1_u8, 2, 3, 4, 5].into(), "1f000000 05000000 0102030405 000000"),
            (Variant::PackedInt32Array([1, -2].into()), "20000000 02000000 01000000 feffffff"),
            (Variant::PackedStringArray(vec!["a".into(), "".into()]), "22000000 02000000 02000000 6100 01000000 00"),
            (Vector2 { x: 1, y: -2 }.into(), "2d000000 01000000 feffffff"),
        ] {
            let bytes = bytes(example);
            assert_eq!(decode(&bytes), Ok(file(value.clone())), "{example}");
            assert_eq!(encode(&file(value)).as_ref(), Ok(&bytes), "{example}");
            assert!(check_with(&bytes, &Options::new(), |_, _| {}).unwrap().is_canonical(), "{example}");
        }
    }

    /// All numbers after the byte order are reversed, those of arrays too, and no text.
    #[test]
    fn big_endian_files() {
        let doubles = Reals::Double(Box::new([Vector2 { x: 1.0, y: -2.0 }].into()));
        for value in [
            Variant::Int(1 << 40),
            Variant::Float(0.1),
            Variant::PackedInt64Array([1, -2].into()),
            Variant::PackedVector2Array(doubles),
            Variant::from("text"),
        ] {
            let little = Resource { flags: DOUBLE_REALS, ..file(value) };
            let big = Resource { big_endian: true, ..little.clone() };
            let [one, other] = [&little, &big].map(|file| encode(file).unwrap());
            assert_eq!(decode(&other), Ok(big));
            assert_eq!((one.len(), one == other), (other.len(), false));
        }
        let heads = [false, true].map(|big_endian| encode(&Resource { big_endian, ..Resource::default() }).unwrap());
        assert_eq!(heads[0][..8], hex("52 53 52 43 00 00 00 00"));
        assert_eq!(heads[1][..8], hex("52 53 52 43 01 00 00 00"));
        for (value, flags, expected) in [
            (Variant::PackedInt32Array([1, -2].into()), 0, "00000020 00000002 00000001 fffffffe"),
            (Vector2 { x: 1, y: -2 }.into(), 0, "0000002d 00000001 fffffffe"),
            (
                crate::godot::Color { r: 1.0, g: 0.0, b: 0.0, a: 0.5 }.into(),
                0,
                "00000014 3f800000 00000000 00000000 3f000000",
            ),
            (
                Variant::Vector2(Reals::Double(Vector2 { x: 1.0, y: -2.0 }.into())),
                DOUBLE_REALS,
                "0000000a 3ff0000000000000 c000000000000000",
            ),
        ] {
            let bytes = encode(&Resource { big_endian: true, flags, ..file(value) }).unwrap();
            assert!(bytes.ends_with(&hex(&format!("{expected} 52535243"))), "{expected}");
        }
    }

    /// Bytes that decode but come back as others, with the places of the findings.
    #[test]
    fn what_is_not_canonical() {
        let value = hex(&format!("{HEAD} {TABLES}")).len();
        for (example, canonical, at) in [
            ("02000000 02000000", "02000000 01000000", 4),
            ("28000000 0100000000000000", "03000000 01000000", 4),
            ("29000000 000000000000e03f", "04000000 0000003f", 4),
            ("04000000 0000c07f", "29000000 000000000000f87f", 4),
            ("05000000 01000000 61", "05000000 02000000 6100", 8),
            ("05000000 00000000", "05000000 01000000 00", 8),
            ("16000000 0100 0000 02000080 7000", "16000000 0100 0000 00000000", 8),
            ("1e000000 00000080", "1e000000 00000000", 4),
            ("1f000000 01000000 01 000001", "1f000000 01000000 01 000000", 9),
        ] {
            let mut places = Vec::new();
            let report = check_with(&bytes(example), &Options::new(), |place, _| places.push(place.byte())).unwrap();
            assert!(!report.is_canonical(), "{example}");
            assert_eq!(places, [to_u64(value + at)], "{example}");
            assert_eq!(encode(&decode(&bytes(example)).unwrap()), Ok(bytes(canonical)), "{example}");
        }
        // the second of two equal strings
        let twice = Resource { strings: vec!["p".into(), "p".into()], ..file(Variant::Null) };
        let mut bytes = encode(&twice).unwrap();
        let name = bytes.len() - 12;
        bytes[name] = 1;
        assert!(!check_with(&bytes, &Options::new(), |_, _| {}).unwrap().is_canonical());
        assert_eq!(decode(&bytes), Ok(twice));
    }

    /// From version 3 on, the place of import metadata is any number, which is kept.
    #[test]
    fn import_metadata_that_is_not_there() {
        for big_endian in [false, true] {
            let moved = Resource { importmd_ofs: 14_u64.wrapping_neg(), version: 3, big_endian, ..file(7) };
            let bytes = encode(&moved).unwrap();
            assert!(bytes.windows(8).any(|part| part.iter().filter(|byte| **byte == 0xff).count() == 7));
            assert_eq!(decode(&bytes).as_ref(), Ok(&moved));
            assert!(check_with(&bytes, &Options::new(), |_, _| {}).unwrap().is_canonical());
            assert_eq!(Resource::from_gdscript(&moved.to_gdscript()).as_ref(), Ok(&moved));
            assert_eq!(
                crate::json::from_slice(crate::json::to_string(&moved).unwrap().as_bytes()).as_ref(),
                Ok(&moved)
            );
            let mut old = bytes;
            old[if big_endian { 23 } else { 20 }] = 2;
            let error = "import metadata of Godot 2, which are not read, at byte 0x1e in importmd_ofs";
            assert_eq!(decode(&old).unwrap_err().to_string(), error);
            let error = encode(&Resource { version: 2, ..moved }).unwrap_err();
            assert_eq!(error.to_string(), "import metadata of Godot 2 are not written");
        }
    }

    #[test]
    fn what_is_rejected() {
        let message = |bytes: &[u8]| decode(bytes).unwrap_err().to_string();
        for (example, error) in [
            ("13000000", r#"unknown type 19, at byte 0x92 in internal[0] "a".properties[0] "p".value.type"#),
            (
                "18000000 04000000",
                r#"unknown form of an object 4, at byte 0x96 in internal[0] "a".properties[0] "p".value.object.form"#,
            ),
            (
                "16000000 0100 0000 09000000",
                "the table of strings has no string 9, at byte 0x9a in internal[0] \"a\".properties[0] \"p\".value.\
                 node_path.names[0].index",
            ),
        ] {
            assert_eq!(message(&bytes(example)), error);
        }
        let mut moved = bytes("01000000");
        let offset = hex(&format!("{HEAD} {TABLES}")).len() - 22;
        moved[offset] += 1;
        assert_eq!(
            message(&moved),
            "resources do not follow each other: the index has the offset 0x85 for the next, at byte 0x84 in internal[0]"
        );
        let mut other = bytes("01000000");
        other[20] = 7;
        assert_eq!(message(&other), "unknown version 7, at byte 0x14 in version");
    }

    #[test]
    fn what_is_not_written() {
        let message = |file: &Resource<'_>| encode(file).unwrap_err().to_string();
        let place = r#"in internal[0] "a".properties[0] "p".value"#;
        let wide = Variant::Vector2(Reals::Double(Box::default()));
        assert_eq!(message(&file(wide)), format!("reals of 64 bits in a file whose reals have 32 {place}.vector2"));
        let reason = "resources have references to other resources alone";
        let error = message(&file(Variant::from(Object::Id(1))));
        assert_eq!(error, format!("the options refuse Object: {reason} {place}.object"));
        let error = message(&file(Variant::Rid(Rid(1 << 32))));
        assert_eq!(error, format!("a RID in a resource has 32 bits {place}.rid"));
        let script = Resource { script_class: "Player".into(), ..file(Variant::Null) };
        assert_eq!(message(&script), "a script class needs the flag 8");
        let external = External { class: "C".into(), path: "b".into(), uid: 1 };
        let external = Resource { flags: NAMED_IDS, external: vec![external], ..file(Variant::Null) };
        assert_eq!(message(&external), "unique ids need the flag 2 in external[0]");
    }

    /// Every cut is an error, and what is before it is kept.
    #[test]
    fn every_cut_of_a_scene() {
        let whole = decode(SCENE).unwrap();
        assert_eq!(encode(&whole).unwrap(), SCENE);
        for cut in 0..SCENE.len() {
            let error = decode(&SCENE[..cut]).unwrap_err();
            assert!(error.is_truncated() && error.offset().byte() <= to_u64(cut), "{cut}: {error}");
            let partial = decode_partial(&SCENE[..cut], &Options::new());
            assert_eq!(partial.error, Some(error), "{cut}");
            if let Some(read) = partial.unfinished {
                assert!(whole.internal.len() >= read.internal.len() && whole.external.len() >= read.external.len());
                assert!(read.strings.iter().zip(&whole.strings).all(|(read, whole)| read == whole));
            }
        }
        // the properties of the first resource, and of the second all that its Dictionary has
        let cut = decode_partial(&SCENE[..900], &Options::new()).unfinished.unwrap();
        assert_eq!((cut.internal.len(), &cut.internal[0]), (2, &whole.internal[0]));
        let headless = Options::new().headless(true);
        assert!(decode_with(SCENE, &headless).is_err());
    }
}
