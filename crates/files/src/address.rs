//! Addresses: the names of values in files.
//!
//! An [`Address`] is data; its text is made when it is shown. Different addresses have different texts, and the [`Syntax`], which
//! the kind of file chooses, is enough to read a text again:
//!
//! | syntax | addresses | bare names have, beside letters, digits and `_ - @ $ %` |
//! |---|---|---|
//! | [`Instances`](Syntax::Instances) | `Workspace.Torch`, `Workspace."Door.001"[2]`, `Torch:Tags` | |
//! | [`Nodes`](Syntax::Nodes) | `Player/Sprite`, `:root`, `:sub.Circle_1` | |
//! | [`Settings`](Syntax::Settings) | `player/name`, `"a/b"/c`, `""/b/c` without a section | `/` in keys, `.` |
//! | [`Keys`](Syntax::Keys) | `application/config/name` | `/`, `.` |
//! | [`Entries`](Syntax::Entries) | `res://project.binary`, `"res://a b.cfg"` | `:`, `/`, `.` |
//! | [`Items`](Syntax::Items) | `[3]`, `bodies[0].childs[3]`, `ScriptData[id=158]` | |
//!
//! Any other name is in quotes, with the escapes of a [`ValuePath`](enginewire::formats::ValuePath): also one with digits only, one
//! that begins with `-`, and that of an instance if it begins with `@`. A star in quotes is a star.
//!
//! A [`Pattern`] has the same form. `*` in a bare name fits any characters, and `**` as a whole name fits any number
//! of names. A name without a number fits all that are called so.
//!
//! ```
//! use enginewire_files::address::{Address, Pattern, Component, Syntax};
//!
//! let names = [("Workspace", None), ("Door.001", Some(2))];
//! let door = Address::new(Syntax::Instances, names.map(|(name, number)| Component::name(name).numbered(number)));
//! assert_eq!(door.to_string(), r#"Workspace."Door.001"[2]"#);
//! let fits = |text| Ok::<_, Box<dyn std::error::Error>>(Pattern::parse(Syntax::Instances, text)?.fits(&door));
//! assert!(fits(r#"Workspace."Door.001"[2]"#)? && fits("Workspace.*")? && fits("**")?);
//! assert!(!fits(r#"Workspace."Door.*""#)? && !fits("Workspace.Door.*")?);
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

use std::borrow::Cow;
use std::fmt::{self, Write};
use std::hash::{Hash, Hasher};

use bstr::{BStr, BString, ByteSlice};
use enginewire::formats::{leading_quoted, write_quoted};
use enginewire::number::to_u64;
use nom::branch::alt;
use nom::bytes::complete::{tag, take_while, take_while1};
use nom::character::complete::{char, digit1};
use nom::combinator::{all_consuming, map_res, not, opt, verify};
use nom::error::{ErrorKind, FromExternalError, ParseError};
use nom::sequence::{delimited, preceded, terminated};
use nom::{Finish, IResult, Parser};
use thiserror::Error;

/// The form of the addresses in a kind of file.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Syntax {
    /// Instances of a model or place: names with dots between them, and a property after a colon. Several instances with one name
    /// have numbers from 1. A referent such as `#12` and a place such as `@0x20:3` are those of one file.
    Instances,
    /// Nodes of a scene: names with slashes between them. `:root` is the first node.
    Nodes,
    /// Values of a `ConfigFile`: the section, a slash and the key.
    Settings,
    /// Settings of `project.binary`: one key.
    Keys,
    /// Files of a pack: one path.
    Entries,
    /// Values of streams, rows of saves, parts of blueprints: names with dots between them, and numbers from 0 or the columns of a
    /// row in brackets.
    Items,
}

impl Syntax {
    /// The character between two names.
    const fn separator(self) -> char {
        match self {
            Syntax::Nodes | Syntax::Settings => '/',
            Syntax::Instances | Syntax::Keys | Syntax::Entries | Syntax::Items => '.',
        }
    }

    /// True if a name may contain this character without quotes around it.
    fn is_bare(self, char: char) -> bool {
        let more = match self {
            Syntax::Instances | Syntax::Nodes | Syntax::Items => "",
            Syntax::Settings | Syntax::Keys => "/.",
            Syntax::Entries => ":/.",
        };
        char.is_alphanumeric() || "_-@$%".contains(char) || more.contains(char)
    }

    /// True if a name may stand without quotes.
    fn is_bare_name(self, name: &str) -> bool {
        let is_place = self == Syntax::Instances && name.starts_with('@');
        let is_other = name.starts_with('-') || name.bytes().all(|byte| byte.is_ascii_digit());
        !is_place && !is_other && name.chars().all(|char| self.is_bare(char))
    }
}

/// One name of an address, with the number or the columns that distinguish it from others of this name. Two are equal if their texts are.
#[derive(Clone, Debug)]
pub struct Component {
    name: Name,
    index: Option<Index>,
    also: Option<Index>,
}

#[derive(Clone, Debug, PartialEq, Eq, Hash)]
enum Name {
    /// There is only an index: `[3]`.
    None,
    Text(BString),
    /// A text that stands as it is: a referent, a place, `:root`.
    Sign(String),
}

/// The content of brackets after a name.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum Index {
    /// A number.
    Number(u64),
    /// Columns of a row, with their values: `[id=158,channel=41]`.
    Columns(Vec<(Cow<'static, str>, String)>),
}

impl PartialEq for Component {
    fn eq(&self, other: &Self) -> bool {
        (&self.name, &self.index) == (&other.name, &other.index)
    }
}

impl Eq for Component {}

impl Hash for Component {
    fn hash<H: Hasher>(&self, state: &mut H) {
        (&self.name, &self.index).hash(state);
    }
}

impl Component {
    /// A name.
    #[must_use]
    pub fn name(name: impl AsRef<[u8]>) -> Self {
        Component { name: Name::Text(name.as_ref().into()), index: None, also: None }
    }

    /// A number without a name: `[3]`.
    #[must_use]
    pub fn number(number: u64) -> Self {
        Component { name: Name::None, index: Some(Index::Number(number)), also: None }
    }

    /// A text that stands as it is: a referent `#12`, a place `@0x20:3`, or `:root`.
    #[must_use]
    pub fn sign(text: impl Into<String>) -> Self {
        Component { name: Name::Sign(text.into()), index: None, also: None }
    }

    /// The sign of a kind of resource, and the name of one: `:sub.Circle_1`.
    pub(crate) fn resource(sign: &str, name: &[u8]) -> Self {
        Component::sign(named(sign, name))
    }

    /// The same with this number, if there is one.
    #[must_use]
    pub fn numbered(self, number: Option<u64>) -> Self {
        Component { index: number.map(Index::Number), ..self }
    }

    /// The same with this in brackets.
    #[must_use]
    pub fn indexed(self, index: Index) -> Self {
        Component { index: Some(index), ..self }
    }

    /// The same, which a pattern may also name by this in brackets. It is not written, because it may be that of another value when
    /// the file is saved again: the number of a row, or the shape of a part.
    #[must_use]
    pub fn also(self, index: Option<Index>) -> Self {
        Component { also: index, ..self }
    }

    /// The name, if there is one.
    #[must_use]
    pub fn text(&self) -> Option<&BStr> {
        match &self.name {
            Name::Text(name) => Some(name.as_bstr()),
            Name::None | Name::Sign(_) => None,
        }
    }

    /// The content of its brackets, if it has some.
    #[must_use]
    pub fn index(&self) -> Option<&Index> {
        self.index.as_ref()
    }

    /// The number, also one that is not written.
    #[must_use]
    pub fn own_number(&self) -> Option<u64> {
        let number = |index: &Index| if let Index::Number(number) = index { Some(*number) } else { None };
        [&self.index, &self.also].into_iter().flatten().find_map(number)
    }

    /// The text of a referent, a place or `:root`.
    #[must_use]
    pub fn sign_text(&self) -> Option<&str> {
        match &self.name {
            Name::Sign(text) => Some(text),
            Name::None | Name::Text(_) => None,
        }
    }

    fn write(&self, syntax: Syntax, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match &self.name {
            Name::None => {}
            Name::Text(name) => write_name(name.as_bstr(), syntax, f)?,
            Name::Sign(text) => f.write_str(text)?,
        }
        match &self.index {
            None => Ok(()),
            Some(Index::Number(number)) => write!(f, "[{number}]"),
            Some(Index::Columns(columns)) => {
                for (number, (column, value)) in columns.iter().enumerate() {
                    write!(f, "{}{column}={value}", if number == 0 { '[' } else { ',' })?;
                }
                f.write_str("]")
            }
        }
    }
}

pub(crate) fn write_name(name: &BStr, syntax: Syntax, f: &mut dyn fmt::Write) -> fmt::Result {
    // most names
    let is_plain = name.first().is_some_and(u8::is_ascii_alphabetic) && name.iter().all(u8::is_ascii_alphanumeric);
    match std::str::from_utf8(name) {
        Ok(text) if is_plain || syntax.is_bare_name(text) => f.write_str(text),
        _ => write_quoted(name, f),
    }
}

/// A sign and a name.
fn named(sign: &str, name: &[u8]) -> String {
    let mut text = format!("{sign}.");
    // writing to a string does not fail
    let _ = write_name(name.as_bstr(), Syntax::Nodes, &mut text);
    text
}

/// The address of a value in a file: names from the outermost on, and a property of an instance.
///
/// Its text, which [`Pattern::parse`] takes, is described in the [module](self).
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Address {
    syntax: Syntax,
    components: Vec<Component>,
    property: Option<BString>,
    earlier: Option<u64>,
}

impl Address {
    /// The address of these names.
    #[must_use]
    pub fn new(syntax: Syntax, components: impl IntoIterator<Item = Component>) -> Self {
        Address { syntax, components: components.into_iter().collect(), property: None, earlier: None }
    }

    /// The address of the file itself, for errors of all of it. Its text is `the file`.
    #[must_use]
    pub fn of_file() -> Self {
        Address::new(Syntax::Items, [])
    }

    /// True for the file itself.
    #[must_use]
    pub fn is_file(&self) -> bool {
        self.components.is_empty()
    }

    /// The address of a property of an instance; `None` for its attributes.
    #[must_use]
    pub fn with_property(self, property: Option<&[u8]>) -> Self {
        Address { property: property.map(Into::into), ..self }
    }

    /// The address of a value that a later one of the file has too: the first of them is `[#0]`. The last one needs no such number.
    #[must_use]
    pub fn earlier(self, number: Option<u64>) -> Self {
        Address { earlier: number, ..self }
    }

    /// True for a value that a later one of the file hides.
    #[must_use]
    pub fn is_hidden(&self) -> bool {
        self.earlier.is_some()
    }

    /// True if a text is this address without the quotes of its names: `Workspace.Spawn Location`. Numbers and the property may be
    /// left out.
    #[must_use]
    pub fn is_unquoted(&self, text: &str) -> bool {
        let name = |component: &Component, is_numbered: bool| {
            let name =
                component.text().map_or(component.sign_text().unwrap_or_default().into(), |name| name.to_str_lossy());
            match component.index() {
                Some(Index::Number(number)) if is_numbered => format!("{name}[{number}]"),
                _ => name.into_owned(),
            }
        };
        let separator = self.syntax.separator().to_string();
        let property = self.property().map(|property| format!(":{property}"));
        let names = property.and_then(|property| text.strip_suffix(&property)).unwrap_or(text);
        let is_it = |is_numbered| {
            let plain: Vec<_> = self.components.iter().map(|component| name(component, is_numbered)).collect();
            plain.join(&separator) == names
        };
        !self.is_hidden() && [true, false].into_iter().any(is_it)
    }

    /// The names without numbers, which several values may share.
    #[must_use]
    pub fn without_numbers(&self) -> Vec<Component> {
        self.components.iter().map(|component| component.clone().numbered(None)).collect()
    }

    /// Hashes what the same value in another file has, too: not what is not written, such as the number of a row, and not the
    /// number of an instance that is the first of its name, because it may be the only one there.
    pub fn hash_in_any_file(&self, state: &mut impl Hasher) {
        let is_only = |index: &Index| self.syntax == Syntax::Instances && *index == Index::Number(1);
        let mut all = Collected::new();
        for Component { name, index, .. } in &self.components {
            let (kind, text) = match name {
                Name::None => (0, &[][..]),
                Name::Text(text) => (TEXT, &text[..]),
                Name::Sign(text) => (2, text.as_bytes()),
            };
            hash_name((kind, text), index.as_ref().filter(|index| !is_only(index)), &mut all);
        }
        all.end(self.components.len(), self.property(), self.earlier, state);
    }

    /// About the number of bytes of its text.
    #[must_use]
    pub fn size(&self) -> usize {
        let names =
            self.components.iter().map(|component| component.text().map_or(0, |name| name.len()).saturating_add(8));
        names.fold(self.property.as_ref().map_or(0, |property| property.len()), usize::saturating_add)
    }

    /// The form of its text.
    #[must_use]
    pub fn syntax(&self) -> Syntax {
        self.syntax
    }

    /// The names.
    #[must_use]
    pub fn components(&self) -> &[Component] {
        &self.components
    }

    /// The property of an instance, unless it is that of its attributes.
    #[must_use]
    pub fn property(&self) -> Option<&BStr> {
        self.property.as_ref().map(|property| property.as_bstr())
    }
}

/// The kind of a name that is a text, in a hash.
pub(crate) const TEXT: u64 = 1;

/// Hashes a name and its index.
pub(crate) fn hash_name((kind, text): (u64, &[u8]), index: Option<&Index>, state: &mut impl Hasher) {
    let kind = if index.is_some() { kind | 4 } else { kind };
    state.write_u64(to_u64(text.len()).saturating_mul(8).saturating_add(kind));
    state.write(text);
    index.iter().for_each(|index| index.hash(state));
}

/// The bytes of an address that are hashed. A hasher takes much longer for many short writes than for one.
pub(crate) struct Collected(Vec<u8>);

impl Hasher for Collected {
    fn write(&mut self, bytes: &[u8]) {
        self.0.extend_from_slice(bytes);
    }

    fn finish(&self) -> u64 {
        0
    }
}

impl Collected {
    pub(crate) fn new() -> Self {
        Collected(Vec::with_capacity(128))
    }

    /// Hashes all of it, and what follows the names of an address.
    pub(crate) fn end(mut self, names: usize, property: Option<&BStr>, earlier: Option<u64>, state: &mut impl Hasher) {
        (names, property, earlier).hash(&mut self);
        state.write(&self.0);
    }
}

/// The address of a value of a stream: `[3]`.
pub(crate) fn item(number: usize) -> Address {
    Address::new(Syntax::Items, [Component::number(to_u64(number))])
}

/// The address of a packet in a line of hexadecimal digits: `lines[3]`.
pub(crate) fn line(number: usize) -> Address {
    Address::new(Syntax::Items, [Component::name("lines").numbered(Some(to_u64(number)))])
}

impl fmt::Display for Address {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if self.is_file() {
            return f.write_str("the file");
        }
        self.write_names(f)?;
        write_end(self.property(), self.earlier, self.syntax, f)
    }
}

/// Writes what follows the names of an address.
pub(crate) fn write_end(
    property: Option<&BStr>,
    earlier: Option<u64>,
    syntax: Syntax,
    f: &mut dyn fmt::Write,
) -> fmt::Result {
    if let Some(property) = property {
        f.write_str(":")?;
        write_name(property, syntax, f)?;
    }
    earlier.map_or(Ok(()), |number| write!(f, "[#{number}]"))
}

impl Address {
    fn write_names(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let has_slash = |component: &Component| component.text().is_some_and(|name| name.contains(&b'/'));
        match (self.syntax, &self.components[..]) {
            // else its beginning would be a section
            (Syntax::Settings, [key]) if has_slash(key) => f.write_str("\"\"/")?,
            // and this slash would be the first of the key
            (Syntax::Settings, [section, key]) if has_slash(section) => {
                write_quoted(section.text().unwrap_or_default(), f)?;
                f.write_str("/")?;
                return key.write(self.syntax, f);
            }
            _ => {}
        }
        for (number, component) in self.components.iter().enumerate() {
            if number > 0 {
                f.write_char(self.syntax.separator())?;
            }
            component.write(self.syntax, f)?;
        }
        Ok(())
    }
}

/// A text that names values: an address, or the addresses that have names like it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Pattern {
    syntax: Syntax,
    pieces: Vec<Piece>,
    property: Option<BString>,
    earlier: Option<u64>,
}

#[derive(Clone, Debug, PartialEq, Eq)]
enum Piece {
    /// `**`
    Names,
    One {
        name: Glob,
        brackets: Brackets,
    },
    Sign(String),
}

/// The brackets after a name of a pattern.
#[derive(Clone, Debug, PartialEq, Eq)]
enum Brackets {
    /// None, which fits any.
    None,
    /// `[*]`
    Any,
    Index(Index),
}

/// The parts of a name between its stars.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
struct Glob(Vec<BString>);

impl Glob {
    /// A name without stars.
    fn exact(name: BString) -> Self {
        Glob(vec![name])
    }

    fn of(text: &str) -> Self {
        Glob(text.split('*').map(BString::from).collect())
    }

    fn fits(&self, name: &[u8]) -> bool {
        let Some((first, rest)) = self.0.split_first() else { return name.is_empty() };
        let Some(mut left) = name.strip_prefix(&first[..]) else { return false };
        let Some((last, between)) = rest.split_last() else { return left.is_empty() };
        for part in between {
            let Some(at) = left.find(part) else { return false };
            left = left.get(at.saturating_add(part.len())..).unwrap_or_default();
        }
        left.ends_with(last)
    }
}

/// The error of a text that is not an address.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
#[error("expected {expected} at byte {offset} of the address {text:?}")]
pub struct AddressError {
    text: String,
    offset: usize,
    expected: Cow<'static, str>,
    is_certain: bool,
}

impl AddressError {
    /// False if the text may be a name that lacks its quotes: `Workspace.Spawn Location`.
    #[must_use]
    pub fn is_certain(&self) -> bool {
        self.is_certain
    }
}

const QUOTED: &str = "a name, with quotes around it if it has other characters than letters, digits and _ - @ $ %,";

/// The text that a parser expected, and the number of bytes left.
#[derive(Debug)]
struct Failure {
    left: usize,
    expected: Cow<'static, str>,
}

impl ParseError<&str> for Failure {
    fn from_error_kind(input: &str, _: ErrorKind) -> Self {
        Failure { left: input.len(), expected: if input.is_empty() { "a name" } else { QUOTED }.into() }
    }

    fn append(_: &str, _: ErrorKind, other: Self) -> Self {
        other
    }
}

impl<E> FromExternalError<&str, E> for Failure {
    fn from_external_error(input: &str, kind: ErrorKind, _: E) -> Self {
        Failure::from_error_kind(input, kind)
    }
}

type Parsed<'t, T> = IResult<&'t str, T, Failure>;

fn certain<T>(input: &str, expected: &str) -> Result<T, nom::Err<Failure>> {
    Err(nom::Err::Failure(Failure { left: input.len(), expected: expected.to_owned().into() }))
}

/// A name in quotes.
fn quoted(input: &str) -> Parsed<'_, BString> {
    char('"').parse(input)?;
    leading_quoted(input).map(|(name, rest)| (rest, name)).or_else(|error| {
        let left = input.get(error.offset().unwrap_or_default()..).unwrap_or_default();
        certain(left, error.reason().trim_start_matches("expected "))
    })
}

/// A name without quotes, which may have stars.
fn bare<'t>(syntax: Syntax) -> impl Parser<&'t str, Output = &'t str, Error = Failure> {
    let is_bare = move |char| syntax.is_bare(char) || char == '*';
    verify(take_while1(is_bare), move |name: &str| syntax.is_bare_name(&name.replace('*', "x")))
}

/// A name of a pattern.
fn name<'t>(syntax: Syntax) -> impl Parser<&'t str, Output = Glob, Error = Failure> {
    alt((quoted.map(Glob::exact), bare(syntax).map(Glob::of)))
}

/// The brackets after a name: a number, columns, or a star for any of them.
fn index(syntax: Syntax) -> impl Fn(&str) -> Parsed<'_, Brackets> {
    move |input| {
        let (inside, _) = (char('['), not(char('#'))).parse(input)?;
        let numbers: Parsed<'_, &str> = terminated(digit1, char(']')).parse(inside);
        if let Ok((rest, digits)) = numbers {
            return match (digits.parse(), syntax) {
                _ if digits.len() > 1 && digits.starts_with('0') => certain(inside, "a number without zeros before it"),
                (Ok(0), Syntax::Instances) => certain(inside, "a number from 1 on"),
                (Ok(number), _) => Ok((rest, Brackets::Index(Index::Number(number)))),
                (Err(_), _) => certain(inside, "a smaller number"),
            };
        }
        if let Some(rest) = inside.strip_prefix("*]") {
            return Ok((rest, Brackets::Any));
        }
        let Some((columns, rest)) = inside.split_once(']').filter(|_| syntax == Syntax::Items) else {
            return certain(inside, "a number and a closing bracket");
        };
        let column = |column: &str| {
            let (name, value) = column.split_once('=')?;
            Some((name.trim().to_owned().into(), value.trim().to_owned()))
        };
        match columns.split(',').map(column).collect() {
            Some(columns) => Ok((rest, Brackets::Index(Index::Columns(columns)))),
            None => certain(inside, "a number, or columns such as id=158"),
        }
    }
}

/// A name and what is in brackets after it; or, where the syntax has numbers alone, only that.
fn piece(syntax: Syntax) -> impl Fn(&str) -> Parsed<'_, Vec<Piece>> {
    move |input| {
        let (rest, mut pieces) = match bare(syntax).parse(input) {
            Ok((rest, "**")) => (rest, vec![Piece::Names]),
            _ => (input, Vec::new()),
        };
        let is_any = !pieces.is_empty();
        let (rest, name) = match rest {
            // `**[shape=…]` is what has this, wherever it is
            _ if is_any => (rest, Glob::of("*")),
            _ if syntax == Syntax::Items && rest.starts_with('[') => (rest, Glob::default()),
            _ => name(syntax).parse(rest)?,
        };
        let (rest, brackets) = opt(index(syntax)).parse(rest)?;
        if !is_any || brackets.is_some() {
            pieces.push(Piece::One { name, brackets: brackets.unwrap_or(Brackets::None) });
        }
        Ok((rest, pieces))
    }
}

/// A section and a key, or a key alone.
fn setting(input: &str) -> Parsed<'_, Vec<Piece>> {
    let one = |name| Piece::One { name, brackets: Brackets::None };
    let key = || name(Syntax::Settings);
    if let (rest, Some(section)) = opt(terminated(quoted, char('/'))).parse(input)? {
        let (rest, key) = key().parse(rest)?;
        let section = Some(section).filter(|section| !section.is_empty()).map(Glob::exact);
        return Ok((rest, section.into_iter().chain([key]).map(one).collect()));
    }
    let (rest, begin) = key().parse(input)?;
    if input.starts_with('"') {
        return Ok((rest, vec![one(begin)]));
    }
    let bare = input.get(..input.len().saturating_sub(rest.len())).unwrap_or_default();
    match bare.split_once('/') {
        None if bare == "**" => Ok((rest, vec![Piece::Names])),
        None => Ok((rest, vec![one(begin)])),
        Some(("", _)) => Err(nom::Err::Error(Failure::from_error_kind(input, ErrorKind::Char))),
        // the key is in quotes
        Some((section, "")) => {
            let (rest, key) = quoted(rest)?;
            Ok((rest, vec![one(Glob::of(section)), one(Glob::exact(key))]))
        }
        Some((section, key)) => Ok((rest, vec![one(Glob::of(section)), one(Glob::of(key))])),
    }
}

/// The referent or place of an instance, or `:root` and its like. The name of a property may follow after a colon.
fn sign(syntax: Syntax) -> impl Fn(&str) -> Parsed<'_, Piece> {
    move |input| {
        let (rest, text) = match syntax {
            Syntax::Instances if input.starts_with('#') => {
                // a referent of an XML file may be any text
                let (referent, _) = input.rsplit_once(':').or(input.rsplit_once("[#")).unwrap_or((input, ""));
                let length = referent.len();
                (input.get(length..).unwrap_or_default(), referent)
            }
            Syntax::Instances => {
                let is_digit = |char: char| char.is_ascii_hexdigit();
                let index = preceded(char(':'), digit1::<&str, Failure>);
                let mut place = (tag("@0x"), take_while1(is_digit), opt(index));
                let (rest, _) = place.parse(input)?;
                (rest, input.get(..input.len().saturating_sub(rest.len())).unwrap_or_default())
            }
            Syntax::Nodes => {
                let (rest, _) = preceded(char(':'), take_while(char::is_alphanumeric)).parse(input)?;
                let name = verify(bare(syntax), |name: &str| !name.contains('*')).map(BString::from);
                let (left, name) = opt(preceded(char('.'), alt((quoted, name)))).parse(rest)?;
                let sign = input.get(..input.len().saturating_sub(rest.len())).unwrap_or_default();
                match name {
                    Some(name) => return Ok((left, Piece::Sign(named(sign, &name)))),
                    None => (rest, sign),
                }
            }
            _ => return Err(nom::Err::Error(Failure::from_error_kind(input, ErrorKind::Char))),
        };
        Ok((rest, Piece::Sign(text.to_owned())))
    }
}

fn pieces(syntax: Syntax) -> impl Fn(&str) -> Parsed<'_, Vec<Piece>> {
    move |input| match syntax {
        Syntax::Settings => setting(input),
        Syntax::Keys | Syntax::Entries => piece(syntax)(input),
        _ => alt((sign(syntax).map(|sign| vec![sign]), listed(syntax))).parse(input),
    }
}

/// Names with separators between them. What follows a separator has to be a name.
fn listed<'t>(syntax: Syntax) -> impl Parser<&'t str, Output = Vec<Piece>, Error = Failure> {
    move |input: &'t str| {
        let (mut rest, mut all) = piece(syntax)(input)?;
        while let Some(after) = rest.strip_prefix(syntax.separator()) {
            let (left, next) = piece(syntax)(after)?;
            all.extend(next);
            rest = left;
        }
        Ok((rest, all))
    }
}

impl Pattern {
    /// Reads an address or a pattern.
    ///
    /// # Errors
    ///
    /// If the text is something else. [`AddressError::is_certain`] is false where only the quotes of a name may be missing.
    pub fn parse(syntax: Syntax, text: &str) -> Result<Self, AddressError> {
        let property = |input| match syntax {
            Syntax::Instances | Syntax::Nodes => {
                opt(preceded(char(':'), alt((quoted, bare(syntax).map(BString::from))))).parse(input)
            }
            _ => Ok((input, None)),
        };
        let earlier = opt(delimited(tag("[#"), digit1, char(']')));
        let earlier = map_res(earlier, |digits: Option<&str>| digits.map(str::parse).transpose());
        let parsed: Parsed<'_, _> = all_consuming((pieces(syntax), property, earlier)).parse(text);
        let is_certain = matches!(parsed, Err(nom::Err::Failure(_)));
        match parsed.finish() {
            Ok((_, (pieces, property, earlier))) => Ok(Pattern { syntax, pieces, property, earlier }),
            Err(Failure { left, expected }) => {
                let offset = text.len().saturating_sub(left);
                Err(AddressError { text: text.to_owned(), offset, expected, is_certain })
            }
        }
    }

    /// The one address that it names; `None` if it has stars.
    #[must_use]
    pub fn address(&self) -> Option<Address> {
        let component = |piece: &Piece| match piece {
            Piece::Names => None,
            Piece::Sign(text) => Some(Component::sign(text.as_str())),
            Piece::One { name: Glob(parts), brackets } => {
                let index = match brackets {
                    Brackets::None => None,
                    Brackets::Any => return None,
                    Brackets::Index(index) => Some(index.clone()),
                };
                let name = match &parts[..] {
                    [] => Name::None,
                    [name] => Name::Text(name.clone()),
                    _ => return None,
                };
                Some(Component { name, index, also: None })
            }
        };
        let components = self.pieces.iter().map(component).collect::<Option<_>>()?;
        let property = self.property.clone().filter(|property| property != USUAL);
        Some(Address { syntax: self.syntax, components, property, earlier: self.earlier })
    }

    /// The property of an instance that it names.
    #[must_use]
    pub fn property(&self) -> Option<&BStr> {
        self.property.as_ref().map(|property| property.as_bstr())
    }

    /// True if it fits this address. Without a property it fits all of an instance. A value that a later one of the file hides is
    /// only found by its number.
    #[must_use]
    pub fn fits(&self, address: &Address) -> bool {
        let found = || address.property().unwrap_or(USUAL.into());
        self.earlier == address.earlier
            && self.property().is_none_or(|property| property == found())
            && self.fits_names(address)
    }

    /// True if it fits the names of this address. The property makes no difference.
    #[must_use]
    pub fn fits_names(&self, address: &Address) -> bool {
        // after how many names the pieces so far can end
        let mut ends = vec![false; address.components.len().saturating_add(1)];
        if let Some(first) = ends.first_mut() {
            *first = true;
        }
        for piece in &self.pieces {
            let mut before = false;
            for (end, component) in ends.iter_mut().zip([None].into_iter().chain(address.components.iter().map(Some))) {
                let was = *end;
                *end = match (piece, component) {
                    (Piece::Names, _) => was || before,
                    (_, None) => false,
                    (piece, Some(component)) => before && piece.fits(component),
                };
                before = if matches!(piece, Piece::Names) { *end } else { was };
            }
        }
        ends.last() == Some(&true)
    }
}

/// The property of an instance that need not be named.
const USUAL: &str = "AttributesSerialize";

impl Piece {
    /// True if it fits one name.
    fn fits(&self, component: &Component) -> bool {
        match (self, &component.name) {
            (Piece::Names, _) => true,
            (Piece::Sign(text), Name::Sign(found)) => text == found,
            (Piece::Sign(_), _) | (Piece::One { .. }, Name::Sign(_)) => false,
            (Piece::One { name, .. }, found) if name.0.len() < 2 && name.0.is_empty() != (*found == Name::None) => {
                false
            }
            (Piece::One { name, brackets }, found) => {
                let found: &[u8] = if let Name::Text(found) = found { found } else { b"" };
                let fits = |index: &Index| {
                    index.fits(component.index.as_ref())
                        || component.also.as_ref().is_some_and(|also| index.fits(Some(also)))
                };
                name.fits(found) && if let Brackets::Index(index) = brackets { fits(index) } else { true }
            }
        }
    }
}

impl Index {
    /// True if it fits what is in brackets. The only one of its name is the first of several. Of columns, some are enough, and they
    /// may have stars.
    fn fits(&self, found: Option<&Index>) -> bool {
        match (self, found) {
            (Index::Number(1), None) => true,
            (Index::Columns(wanted), Some(Index::Columns(found))) => wanted.iter().all(|(name, value)| {
                let value = Glob::of(&value.to_ascii_lowercase());
                found.iter().any(|(other, text)| other == name && value.fits(text.to_ascii_lowercase().as_bytes()))
            }),
            (wanted, found) => Some(wanted) == found,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use pretty_assertions::assert_eq;

    fn names(syntax: Syntax, names: &[&str]) -> Address {
        Address::new(syntax, names.iter().map(Component::name))
    }

    fn parsed(syntax: Syntax, text: &str) -> Address {
        Pattern::parse(syntax, text).unwrap().address().unwrap()
    }

    #[test]
    fn names_are_quoted_where_they_must_be() {
        use Syntax::{Entries, Instances, Items, Keys, Nodes, Settings};
        let numbered = |name, number| Component::name(name).numbered(Some(number));
        for (address, text) in [
            (names(Instances, &["Workspace", "Torch"]), "Workspace.Torch"),
            (Address::new(Instances, [Component::name("W"), numbered("Door.001", 2)]), r#"W."Door.001"[2]"#),
            (names(Instances, &["W", ""]), r#"W."""#),
            (names(Instances, &["Torch Tags"]), r#""Torch Tags""#),
            (names(Instances, &["Torch"]).with_property(Some(b"Tags")), "Torch:Tags"),
            (names(Instances, &["*"]), r#""*""#),
            (names(Instances, &["#1"]), r##""#1""##),
            (names(Instances, &["@0x20"]), r#""@0x20""#),
            (names(Instances, &["-x"]), r#""-x""#),
            (names(Instances, &["001"]), r#""001""#),
            (names(Instances, &["[0]"]), r#""[0]""#),
            (names(Instances, &["a=b", "a/b", "x:y"]), r#""a=b"."a/b"."x:y""#),
            (names(Instances, &["gr\u{fc}n", "a_b-c@d$e%"]), "gr\u{fc}n.a_b-c@d$e%"),
            (Address::new(Instances, [Component::name(b"a\nb"), Component::name(b"\xff")]), r#""a\nb"."\xff""#),
            (Address::new(Instances, [Component::sign("#12")]), "#12"),
            (Address::new(Instances, [Component::sign("@0x20:3")]).with_property(Some(b"Tags")), "@0x20:3:Tags"),
            (names(Instances, &["A"]).with_property(Some(b"Tags")).earlier(Some(0)), "A:Tags[#0]"),
            (Address::new(Instances, [Component::sign("#a b")]).earlier(Some(0)), "#a b[#0]"),
            (names(Settings, &["a", "b"]).earlier(Some(2)), "a/b[#2]"),
            (names(Nodes, &["Player", "Left Arm"]), r#"Player/"Left Arm""#),
            (Address::new(Nodes, [Component::sign(":root")]), ":root"),
            (Address::new(Nodes, [Component::resource(":sub", b"Circle_1")]), ":sub.Circle_1"),
            (Address::new(Nodes, [Component::resource(":sub", b"res://a b::*")]), r#":sub."res://a b::*""#),
            (names(Settings, &["a", "b/c"]), "a/b/c"),
            (names(Settings, &["a/b", "c"]), r#""a/b"/c"#),
            (names(Settings, &["display", "window/size.mobile"]), "display/window/size.mobile"),
            (names(Settings, &["a", "x y/z"]), r#"a/"x y/z""#),
            (names(Settings, &["b/c"]), r#"""/b/c"#),
            (names(Settings, &["key"]), "key"),
            (names(Settings, &["x y"]), r#""x y""#),
            (names(Settings, &[":root", "y"]), r#"":root"/y"#),
            (names(Keys, &["application/config/name"]), "application/config/name"),
            (names(Entries, &["res://a.cfg"]), "res://a.cfg"),
            (names(Entries, &["res://a b.cfg"]), r#""res://a b.cfg""#),
            (Address::new(Items, [Component::number(3)]), "[3]"),
            (Address::new(Items, [numbered("bodies", 0), numbered("childs", 3)]), "bodies[0].childs[3]"),
            (
                Address::new(
                    Items,
                    [Component::name("ScriptData").indexed(Index::Columns(vec![
                        ("id".into(), "158".to_owned()),
                        ("channel".into(), "41".to_owned()),
                    ]))],
                ),
                "ScriptData[id=158,channel=41]",
            ),
        ] {
            assert_eq!(address.to_string(), text);
            assert_eq!(parsed(address.syntax, text), address);
        }
    }

    #[test]
    fn what_is_no_address_is_named() {
        use Syntax::{Entries, Instances, Items, Nodes, Settings};
        for (syntax, text, error, is_certain) in [
            (Instances, "", "expected a name at byte 0", false),
            (Instances, "Workspace.Spawn Location", "expected a name, with quotes around it", false),
            (Instances, "Model.Cube.001", "digits and _ - @ $ %, at byte 11", false),
            (Instances, "-x", "digits and _ - @ $ %, at byte 0", false),
            (Instances, "Part[0]", "expected a number from 1 on at byte 5", true),
            (Instances, "Part[99999999999999999999]", "expected a smaller number at byte 5", true),
            (Instances, "Part[01]", "expected a number without zeros before it at byte 5", true),
            (Instances, "Part[x]", "expected a number and a closing bracket at byte 5", true),
            (Instances, "W.\"Door", "expected a closing quote at byte 7", true),
            (Instances, r#"W."\q""#, r#"expected one of \" \\ \n \r \t \xff \u{1f600} at byte 4"#, true),
            (Instances, "a/b", "digits and _ - @ $ %, at byte 1", false),
            (Items, "ScriptData[id]", "expected a number, or columns such as id=158 at byte 11", true),
            (Settings, "/key", "digits and _ - @ $ %, at byte 0", false),
            (Nodes, "Player.Arm", "digits and _ - @ $ %, at byte 6", false),
            (Entries, "res://a b", "digits and _ - @ $ %, at byte 7", false),
        ] {
            let found = Pattern::parse(syntax, text).unwrap_err();
            assert!(found.to_string().contains(error), "{found}");
            assert_eq!(found.is_certain(), is_certain, "{text}");
        }
    }

    #[test]
    fn a_pattern_goes_name_by_name() {
        let torch = names(Syntax::Instances, &["W", "A", "B", "Torch"]);
        let door =
            Address::new(Syntax::Instances, [Component::name("W"), Component::name("Door.001").numbered(Some(2))]);
        let row = Component::name("ScriptData").indexed(Index::Columns(vec![("uid".into(), "78D2ff".to_owned())]));
        let row = row.also(Some(Index::Number(12)));
        let row = Address::new(Syntax::Items, [row]);
        let child = Component::name("childs").numbered(Some(3));
        let child = child.also(Some(Index::Columns(vec![("shape".into(), "3C1C".to_owned())])));
        let part = Address::new(Syntax::Items, [Component::name("bodies").numbered(Some(0)), child]);
        let setting = names(Syntax::Settings, &["application", "config/name"]);
        for (address, fit, unfit) in [
            (
                &torch,
                &["W.A.B.Torch", "**", "**.Torch", "W.**", "W.**.Torch", "W.*.*.T*ch", "*.A.**", "W.A[1].**", "**.*o*"]
                    [..],
                &["W", "W.*", "*.Torch", "**.Torches", "W.A.B.Torch.**.*", "W.A[2].**", "\"W.A.B.Torch\"", "\"*\".**"]
                    [..],
            ),
            (
                &door,
                &["W.*", "W.Door*", "W.*001", "W.\"Door.001\"", "W.*[2]", "**", "W.*[*]"],
                &["W.Door.*", "W.Door", "W.*[1]", "W.\"Door*\""],
            ),
            (
                &part,
                &["bodies[0].childs[3]", "**[shape=3c*]", "bodies[*].childs[shape=3c1c]", "bodies.*", "**"],
                &["bodies[0].childs[2]", "**[shape=4]", "childs[3]", "bodies[shape=3c1c]"],
            ),
            (
                &row,
                &["ScriptData[12]", "ScriptData[uid=78d2ff]", "ScriptData[uid=78*]", "**[uid=*2FF]", "ScriptData"],
                &["ScriptData[id=*]", "*[uid=78]"],
            ),
            (
                &setting,
                &["application/config/name", "application/*", "app*/config/*", "**", "*/*name"],
                &["*", "config/name", "\"\"/application/config/name", "application/config"],
            ),
        ] {
            for pattern in fit {
                assert!(Pattern::parse(address.syntax, pattern).unwrap().fits(address), "{pattern} {address}");
            }
            for pattern in unfit {
                assert!(!Pattern::parse(address.syntax, pattern).unwrap().fits(address), "{pattern} {address}");
            }
        }
        let tags = torch.clone().with_property(Some(b"Tags"));
        let fits = |text| {
            let pattern = Pattern::parse(Syntax::Instances, text).unwrap();
            [&torch, &tags].map(|address| pattern.fits(address))
        };
        assert_eq!(fits("**.Torch"), [true, true]);
        assert_eq!(fits("**.Torch:Tags"), [false, true]);
        assert_eq!(fits("**.Torch:AttributesSerialize"), [true, false]);
    }

    #[test]
    fn the_first_of_its_name_may_be_the_only_one_in_another_file() {
        let hash = |text: &str| {
            let mut state = std::hash::DefaultHasher::new();
            parsed(Syntax::Instances, text).hash_in_any_file(&mut state);
            state.finish()
        };
        assert_eq!(hash("A[1].B"), hash("A.B[1]"));
        let all = ["A", "A.B", "A[2].B", "A.B[2]", "B.A", "AB", "A.B:Tags", "#12", r#""\u{9}A".B"#];
        let hashes: std::collections::HashSet<_> = all.into_iter().map(hash).collect();
        assert_eq!(hashes.len(), all.len());
    }
}
