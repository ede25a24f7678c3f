//! Values in the form used by the engine in text files.
//!
//! The engine reads less than GDScript has, and writes other names and escapes. A text of it is first put into the notation of this
//! crate. What the engine refuses is an error then, too.
//!
//! | text | what |
//! |---|---|
//! | `Resource("res://a.tres")`, `Resource("uid://b", "res://a.tres")` | an Object of the class Resource, with `resource_path` and `resource_uid` |
//! | `#ff0000` | a Color |
//! | `&"x"`, `@"x"` | a StringName |
//! | `1e400` | infinity; `-0` is 0; `-inf` and `1E5` only in version 4 |
//! | `"\/\a"` | `/a`: a backslash before any other character than `b f n r t u U` counts for nothing |
//! | `Matrix32`, `Pool*Array`, `IntArray`, … | names of older versions |
//! | `ExtResource("1_a")`, `SubResource( 1 )` | references to resources, in text resources alone |
//! | `;` | a comment, up to the end of the line |

use std::ops::Range;

use nom::bytes::complete::tag;
use nom::character::complete::{char, digit0, digit1, one_of};
use nom::combinator::opt;
use nom::multi::many1;
use nom::sequence::preceded;
use nom::Parser;

use super::container::any_value;
use super::dialect::{character, GdScript};
use super::real;
use super::types::{is_constructed, is_in};
use crate::float::Float;
use crate::godot::datatypes::Color;
use crate::godot::json::{type_name, type_named};
use crate::godot::options::Options;
use crate::godot::v4::TypeId;
use crate::godot::variant::Variant;
use crate::godot::version::Version;
use crate::notation::{
    comma, escaped_char, expected, name, parenthesised, push, quoted, sign, space, word, Failure, Form, Read,
};
use crate::wire::ByteString;
use crate::TextError;

/// Words of the notation that engines do not read.
const ADDED: [&str; 4] = ["double", "EncodedObjectAsID", "Signal", "Class"];

/// Names of older versions for types that also have others.
const OLD: [(&str, TypeId); 6] = [
    ("Matrix32", TypeId::Transform2D),
    ("Matrix3", TypeId::Basis),
    ("Rect3", TypeId::AABB),
    ("FloatArray", TypeId::PackedFloat32Array),
    ("PackedRealArray", TypeId::PackedFloat32Array),
    ("PackedIntArray", TypeId::PackedInt32Array),
];

/// A string in the form written by engines.
fn saved_string(text: &str) -> String {
    format!("\"{}\"", text.replace('\\', "\\\\").replace('"', "\\\""))
}

/// The bytes of a string, by the rules of engines.
fn string(input: &str) -> Read<'_, String> {
    fn escape<'t>(input: &'t str, bytes: &mut Vec<u8>) -> Read<'t, ()> {
        let (mut chars, start) = (input.chars(), bytes.len());
        let read = match chars.next() {
            None => return expected(input, "`\"` at the end of a string"),
            Some('u') => character(4, chars.as_str(), bytes)?,
            Some('U') => character(6, chars.as_str(), bytes)?,
            Some(letter) => {
                push(escaped_char(letter).filter(|_| "bfnrt".contains(letter)).unwrap_or(letter), bytes);
                (chars.as_str(), ())
            }
        };
        if bytes.get(start) == Some(&0) {
            bytes.truncate(start);
            push('\u{fffd}', bytes);
        }
        Ok(read)
    }
    let (rest, bytes) = quoted(input, escape)?;
    Ok((rest, String::from_utf8_lossy(&bytes).into_owned()))
}

/// Types whose arguments are whole numbers.
const WHOLE: [TypeId; 9] = [
    TypeId::Vector2i,
    TypeId::Rect2i,
    TypeId::Vector3i,
    TypeId::Vector4i,
    TypeId::RID,
    TypeId::Callable,
    TypeId::PackedByteArray,
    TypeId::PackedInt32Array,
    TypeId::PackedInt64Array,
];

/// The texts that engines write: of a version, and with references to the resources of the file or without.
#[derive(Clone, Copy, Debug)]
#[doc(hidden)] // for the package of files
pub struct Saved {
    /// The version.
    pub version: Version,
    /// True for text resources.
    pub has_references: bool,
    /// True if real numbers are those nearest to their digits, which engines do not always read.
    pub is_by_digits: bool,
}

impl Saved {
    /// The real number that engines read in digits.
    #[must_use]
    pub fn number(digits: &str) -> f64 {
        real::read(digits)
    }
}

/// The contents of brackets.
#[derive(Clone, Copy)]
enum Inside {
    Values,
    /// The arguments of this type.
    Numbers(TypeId),
    Texts,
    /// The types of a container.
    Types,
}

/// A part of a text in the notation, and its place in the text.
type Part<'t> = (&'t str, Range<usize>);

/// A text of an engine, as far as it was put into the notation.
struct Translated<'t> {
    form: Saved,
    text: &'t str,
    out: String,
    /// The brackets that are open: the one that closes each, and where its contents begin.
    open: Vec<(char, Inside, usize)>,
    /// An offset in `out`, and the offset of the last part before it in `out` and in `text`.
    place: (usize, usize, usize),
    /// Those of all parts, if they are asked for.
    places: Option<Vec<(usize, usize)>>,
    /// The number of parts that engines read differently; of the first, its offset in `text` and a sentence.
    others: (usize, Option<(usize, String)>),
}

impl<'t> Translated<'t> {
    fn new(form: Saved, text: &'t str, offset: usize, places: Option<Vec<(usize, usize)>>) -> Result<Self, TextError> {
        let (open, out) = (Vec::new(), String::with_capacity(text.len()));
        let mut translated = Translated { form, text, out, open, place: (offset, 0, 0), places, others: (0, None) };
        let mut rest = text;
        while !rest.is_empty() {
            rest = match translated.token(rest) {
                Ok((rest, ())) => rest,
                Err(nom::Err::Error(failure) | nom::Err::Failure(failure)) => return Err(failure.into_error(text)),
                // these parsers read complete texts
                Err(nom::Err::Incomplete(_)) => return Err(TextError::new("the text ends too early")),
            };
        }
        Ok(translated)
    }

    /// Writes the notation of the text at this place.
    fn put(&mut self, at: &str, text: &str) {
        let (start, place) = (self.out.len(), self.text.len().saturating_sub(at.len()));
        if start <= self.place.0 {
            self.place = (self.place.0, start, place);
        }
        self.places.iter_mut().for_each(|places| places.push((start, place)));
        self.out.push_str(text);
    }

    /// The parts that count, without a comma before an end: each in the notation, and its place in the text.
    fn parts(&self) -> Vec<Part<'_>> {
        let places = self.places.as_deref().unwrap_or_default();
        let ends = places.iter().skip(1).copied().chain([(self.out.len(), self.text.len())]);
        let parts =
            places.iter().zip(ends).map(|((start, place), (end, next))| (self.out.get(*start..end), *place..next));
        let mut parts: Vec<_> =
            parts.filter_map(|(part, place)| Some((part.filter(|part| !part.trim().is_empty())?, place))).collect();
        let ends = |part: Option<&Part<'_>>| part.is_some_and(|(part, _)| part.starts_with([']', '}', ')']));
        let is_last: Vec<_> =
            (1..).zip(&parts).map(|(next, (part, _))| *part == "," && ends(parts.get(next))).collect();
        let mut is_last = is_last.into_iter();
        parts.retain(|_| is_last.next() == Some(false));
        parts
    }

    /// Writes what opens here.
    fn open(&mut self, (at, rest): (&'t str, &'t str), name: &str, signs: [char; 2], inside: Inside) -> Read<'t, ()> {
        let (rest, ()) = sign(signs[0])(rest)?;
        self.put(at, name);
        self.out.push(signs[0]);
        self.open.push((signs[1], inside, self.out.len()));
        Ok((rest, ()))
    }

    /// Reads the next part of the text.
    fn token(&mut self, at: &'t str) -> Read<'t, ()> {
        let inside = self.open.last().map_or(Inside::Values, |(_, inside, _)| *inside);
        let first = at.chars().next().unwrap_or_default();
        let rest = at.get(first.len_utf8()..).unwrap_or_default();
        match (first, inside) {
            ('\u{1}'..=' ', _) => {
                self.put(at, " ");
                return Ok((rest.trim_start_matches(|char| ('\u{1}'..=' ').contains(&char)), ()));
            }
            (';', _) => {
                self.put(at, "");
                return Ok((rest.find('\n').and_then(|end| rest.get(end..)).unwrap_or_default(), ()));
            }
            ('"', Inside::Values | Inside::Texts) => {
                let (rest, text) = string(at)?;
                let raw = at.get(..at.len().saturating_sub(rest.len())).unwrap_or_default();
                if self.form.version == Version::V3 && !text.is_ascii() && raw.replace("\\\\", "").contains("\\u") {
                    self.note_other(at, || "Godot 3 may read other characters for \\u in this string".to_owned());
                }
                self.put(at, &saved_string(&text));
                return Ok((rest, ()));
            }
            ('&' | '@', Inside::Values) if rest.starts_with('"') => self.put(at, "&"),
            ('#', Inside::Values) => {
                let rest = rest.trim_start_matches(|char: char| char.is_ascii_hexdigit());
                let color = at.get(..at.len().saturating_sub(rest.len())).unwrap_or_default();
                let color =
                    Variant::from_gdscript(&format!("Color(\"{color}\")"), None, &Options::new(self.form.version));
                let Ok(Variant::Color(Color { r, g, b, a })) = color else {
                    return expected(at, "a color such as #ff0000");
                };
                // in the parts that it has as numbers
                self.put(at, "Color(");
                for (number, after) in [(r, ","), (g, ","), (b, ","), (a, ")")] {
                    self.put(rest, &format!("{number:?}"));
                    self.put(rest, after);
                }
                return Ok((rest, ()));
            }
            ('-' | '0'..='9', Inside::Values | Inside::Numbers(_)) => return self.number(at, inside),
            ('a'..='z' | 'A'..='Z' | '_', _) => return self.word(at, inside),
            ('[', Inside::Values) => return self.open((at, at), "", ['[', ']'], Inside::Values),
            ('{', Inside::Values) => return self.open((at, at), "", ['{', '}'], Inside::Values),
            (']' | '}' | ')', _) => return self.close(at, first, rest),
            (',', _) | (':', Inside::Values) => self.put(at, first.encode_utf8(&mut [0; 4])),
            (_, Inside::Values) => return expected(at, any_value(self.form.version)),
            (_, Inside::Numbers(_)) => return expected(at, "a number"),
            (_, Inside::Texts) => return expected(at, "a string in quotes"),
            (_, Inside::Types) => return expected(at, "a type"),
        }
        Ok((rest, ()))
    }

    fn number(&mut self, at: &'t str, inside: Inside) -> Read<'t, ()> {
        let is_v4 = self.form.version == Version::V4;
        if let Some((rest, _)) = preceded(char('-'), name("inf")).parse(at).ok().filter(|_| is_v4) {
            self.put(at, "inf_neg");
            return Ok((rest, ()));
        }
        let exponent = (one_of(if is_v4 { "eE" } else { "e" }), opt(one_of("+-")), digit1::<_, Failure<'_>>);
        let read = (opt(char('-')), digit1, opt((char('.'), digit0)), opt(exponent)).parse(at);
        let rest = match read {
            Ok((rest, _)) if word(rest).is_err() && !rest.starts_with('.') => rest,
            _ => return expected(at, "a number"),
        };
        let digits = at.get(..at.len().saturating_sub(rest.len())).unwrap_or_default();
        // a whole number is one of 64 bits first, without a sign of 0
        let whole = (!digits.contains(['.', 'e', 'E'])).then(|| integer(digits));
        let text = whole.map_or_else(|| digits.to_owned(), |whole| whole.to_string());
        let number = match whole {
            None if !self.form.is_by_digits => real::read(&text),
            _ => text.parse().unwrap_or_default(),
        };
        let text = match (inside, whole) {
            _ if number.is_nan() => "nan".to_owned(),
            (Inside::Numbers(TypeId::PackedFloat64Array), _) => format!("{number:?}"),
            (Inside::Numbers(id), None) if !WHOLE.contains(&id) => format!("{:?}", f32::nearest(number)),
            (Inside::Numbers(id), Some(_)) if !WHOLE.contains(&id) => {
                format!("{:?}", text.parse::<f32>().unwrap_or_default())
            }
            (Inside::Numbers(id), whole) => match whole
                .or_else(|| truncated(number))
                .and_then(|whole| wrapped(id, whole))
            {
                Some(whole) => whole.to_string(),
                None => return expected(at, "a whole number, because processors differ in what they read for this"),
            },
            (_, None) => format!("{number:?}"),
            (_, Some(_)) => text,
        };
        let is_same = match (inside, whole) {
            (Inside::Numbers(id), None) if WHOLE.contains(&id) => (number + 0.0).to_string() == text,
            (Inside::Numbers(id), Some(_)) if WHOLE.contains(&id) => plain(digits) == text,
            _ => whole.is_none_or(|whole| plain(digits) == whole.to_string()),
        };
        if !is_same {
            self.note_other(at, || format!("{digits} is read as {text}"));
        }
        self.put(at, if text == "-inf" { "inf_neg" } else { &text });
        Ok((rest, ()))
    }

    fn word(&mut self, at: &'t str, inside: Inside) -> Read<'t, ()> {
        let (rest, name) = word(at)?;
        let version = self.form.version;
        let has = |id| is_in(id, version);
        let texts = (string, opt(preceded(comma, string)));
        let plain = match (inside, name) {
            (Inside::Values | Inside::Types, "ExtResource" | "SubResource") if self.form.has_references => {
                let id = nom::branch::alt((
                    (|input| digit1(space(input))).map(str::to_owned),
                    string.map(|text| saved_string(&text)),
                ));
                let (rest, id) = parenthesised(id).parse(rest)?;
                self.put(at, &format!("{name}({id})"));
                return Ok((rest, ()));
            }
            (Inside::Types, "Resource") if sign('(')(rest).is_ok() => {
                let (rest, (first, second)) = parenthesised(texts).parse(rest)?;
                let texts: Vec<_> = [Some(first), second].iter().flatten().map(|text| saved_string(text)).collect();
                self.put(at, &format!("Resource({})", texts.join(", ")));
                return Ok((rest, ()));
            }
            (Inside::Types, _) | (Inside::Values, "true" | "false" | "null" | "nil") => name,
            (Inside::Values | Inside::Numbers(_), "inf" | "inf_neg" | "nan") => {
                if self.form.version == Version::V3 && (matches!(inside, Inside::Numbers(_)) || name == "inf_neg") {
                    self.note_other(at, || format!("Godot 3.2.3 refuses {name} here, and 3.6.2 reads it"));
                }
                name
            }
            (Inside::Numbers(_), _) => return expected(at, "a number"),
            (Inside::Texts, _) => return expected(at, "a string in quotes"),
            (Inside::Values, "Array" | "Dictionary") if self.form.version == Version::V4 => {
                return self.open((at, rest), name, ['[', ']'], Inside::Types);
            }
            (Inside::Values, "Object") => {
                let (inner, ()) = sign('(')(rest)?;
                let (after, class) = word(space(inner))?;
                comma(after)?;
                return self.open((at, rest), name, ['(', ')'], Inside::Values).map(|_| {
                    self.put(inner, class);
                    (after, ())
                });
            }
            (Inside::Values, "Resource") => {
                let (rest, (first, second)) = parenthesised(texts).parse(rest)?;
                let is_uid = |text: &str| text.starts_with("uid://");
                if second.as_ref().is_some_and(|second| is_uid(second) == is_uid(&first)) {
                    return expected(at, "a path and a uid such as Resource(\"uid://b\", \"res://a.tres\")");
                }
                let mut object = "Object(Resource".to_owned();
                for text in [Some(first), second].into_iter().flatten() {
                    let property = if is_uid(&text) { "resource_uid" } else { "resource_path" };
                    object += &format!(", \"{property}\": {}", saved_string(&text));
                }
                self.put(at, &(object + ")"));
                return Ok((rest, ()));
            }
            (Inside::Values, "NodePath") => return self.open((at, rest), name, ['(', ')'], Inside::Texts),
            (Inside::Values, "Callable") if has(TypeId::Callable) => {
                return self.open((at, rest), name, ['(', ')'], Inside::Numbers(TypeId::Callable));
            }
            (Inside::Values, "Signal") if has(TypeId::Signal) => {
                let (rest, _) = (sign('('), sign(')')).parse(rest)?;
                self.put(at, NO_SIGNAL);
                return Ok((rest, ()));
            }
            (Inside::Values, _) => {
                let is_packed = version == Version::V3 && name.starts_with("Packed");
                let id = match (is_packed, type_named(Version::V4, name)) {
                    (true, Some(TypeId::PackedInt64Array)) => Some(TypeId::PackedInt32Array),
                    (true, Some(TypeId::PackedFloat64Array)) => Some(TypeId::PackedFloat32Array),
                    (true, id) => id,
                    (false, _) => {
                        let old = || OLD.iter().find(|(old, _)| *old == name).map(|(_, id)| *id);
                        let pool = || type_named(Version::V3, &format!("Pool{name}"));
                        let named = type_named(version, name).or_else(|| type_named(Version::V3, name));
                        named.or_else(old).or_else(pool)
                    }
                };
                if is_packed {
                    self.note_other(at, || format!("Godot 3.2.3 refuses {name} here, and 3.6.2 reads it"));
                }
                if version == Version::V3
                    && (name, sign('(')(rest).and_then(|(rest, ())| sign(')')(rest)).is_ok()) == ("RID", true)
                {
                    self.note_other(at, || "Godot 3 refuses RID()".to_owned());
                }
                let Some(id) = id.filter(|id| is_constructed(*id) && has(*id)) else {
                    return expected(at, any_value(self.form.version));
                };
                let is_base64 = id == TypeId::PackedByteArray && self.form.version == Version::V4;
                let is_quoted = || sign('(')(rest).is_ok_and(|(inner, ())| space(inner).starts_with('"'));
                let is_texts = id == TypeId::PackedStringArray || (is_base64 && is_quoted());
                let inside = if is_texts { Inside::Texts } else { Inside::Numbers(id) };
                return self.open((at, rest), type_name(self.form.version, id), ['(', ')'], inside);
            }
        };
        self.put(at, plain);
        Ok((rest, ()))
    }

    /// Leaves out the last numbers of an array that make no element.
    fn leave_out(&mut self, at: &str, id: TypeId, start: usize) {
        let size = match id {
            TypeId::PackedVector2Array => 2,
            TypeId::PackedVector3Array => 3,
            TypeId::PackedColorArray | TypeId::PackedVector4Array => 4,
            _ => return,
        };
        let arguments = self.out.get(start..).unwrap_or_default();
        if arguments.trim().is_empty() {
            return;
        }
        let count = arguments.matches(',').count().saturating_add(1);
        let over = count.checked_rem(size).unwrap_or_default();
        if over == 0 {
            return;
        }
        let end = match count.saturating_sub(over) {
            0 => 0,
            kept => arguments.match_indices(',').nth(kept.saturating_sub(1)).map_or(0, |(end, _)| end),
        };
        self.out.truncate(start.saturating_add(end));
        self.note_other(at, || format!("of the {count} numbers before this, engines leave out the last {over}"));
    }

    fn note_other(&mut self, at: &str, text: impl FnOnce() -> String) {
        let place = self.text.len().saturating_sub(at.len());
        self.others.0 = self.others.0.saturating_add(1);
        self.others.1.get_or_insert_with(|| (place, text()));
    }

    fn close(&mut self, at: &'t str, found: char, rest: &'t str) -> Read<'t, ()> {
        match self.open.pop() {
            None => return expected(at, "the end of the value"),
            Some((close, ..)) if close != found => return expected(at, format_args!("`,` or `{close}`")),
            Some((_, Inside::Types, _)) => return self.open((at, rest), "]", ['(', ')'], Inside::Values),
            Some((_, Inside::Numbers(id), start)) => {
                let arguments = self.out.get(start..).unwrap_or_default();
                if arguments.trim_end().ends_with(',') {
                    return expected(at, "a number");
                }
                if id == TypeId::Color && arguments.matches(',').count() != 3 {
                    return expected(at, "the 4 numbers of a Color");
                }
                self.leave_out(at, id, start);
            }
            Some(_) => {}
        }
        self.put(at, found.encode_utf8(&mut [0; 4]));
        Ok((rest, ()))
    }
}

/// A whole number without blanks, a sign of 0 and zeros before it.
fn plain(digits: &str) -> String {
    let sign = if digits.starts_with('-') { "-" } else { "" };
    match digits.trim_start_matches('-').trim_start_matches('0') {
        "" => "0".to_owned(),
        digits => format!("{sign}{digits}"),
    }
}

/// The whole number that engines read from digits. Beyond 64 bits it is the largest one, but the last digit may wrap.
fn integer(digits: &str) -> i64 {
    let (is_negative, mut number) = (digits.starts_with('-'), 0i64);
    for digit in digits.bytes().filter(u8::is_ascii_digit) {
        if number > i64::MAX.wrapping_div(10) {
            return if is_negative { i64::MIN } else { i64::MAX };
        }
        number = number.wrapping_mul(10).wrapping_add(i64::from(digit.wrapping_sub(b'0')));
    }
    if is_negative {
        number.wrapping_neg()
    } else {
        number
    }
}

/// A real number without its fraction, if it is one of 32 bits: of others, processors make different numbers.
fn truncated(number: f64) -> Option<i64> {
    let whole = format!("{:.0}", number.trunc()).parse::<i32>().ok()?;
    Some(whole.into())
}

/// The low bits of a whole number that the numbers of a type have.
fn wrapped(id: TypeId, number: i64) -> Option<i64> {
    let [a, b, c, d, ..] = number.to_le_bytes();
    Some(match id {
        TypeId::PackedByteArray => a.into(),
        TypeId::PackedInt64Array | TypeId::Callable => number,
        TypeId::RID => return u64::try_from(number).ok().map(|_| number),
        _ => i32::from_le_bytes([a, b, c, d]).into(),
    })
}

/// A signal of nothing, in the notation.
const NO_SIGNAL: &str = "Signal(\"\", 0)";

/// The texts of a `Resource`, in the notation.
fn resource(input: &str) -> Read<'_, Vec<String>> {
    let property = nom::branch::alt((tag("\"resource_path\""), tag("\"resource_uid\"")));
    let property = preceded((comma, tag(" "), property, sign(':')), <ByteString<'_> as Form<GdScript>>::read);
    let (rest, texts) = parenthesised(preceded(name("Resource"), many1(property))).parse(input)?;
    Ok((rest, texts.iter().map(|text| String::from_utf8_lossy(text).into_owned()).collect()))
}

impl Variant<'_> {
    /// Reads a value as an engine does. The offset of an error is in the text.
    ///
    /// # Errors
    ///
    /// If the engine refuses the text. A class or a file that does not exist is not known here.
    #[doc(hidden)] // for the package of files
    pub fn from_saved_text(text: &str, form: Saved) -> Result<Variant<'static>, TextError> {
        let notation = Translated::new(form, text, 0, None)?;
        Variant::from_gdscript(&notation.out, None, &Options::new(form.version)).map_err(|error| {
            let Some(offset) = error.offset() else { return error };
            let (_, start, place) = Translated::new(form, text, offset, None).map_or((0, 0, 0), |again| again.place);
            error.at(Some(place.saturating_add(offset.saturating_sub(start)).min(text.len())), "")
        })
    }

    /// The first part of a text that engines read differently, because of the widths of types, or that one of them refuses: its offset,
    /// and a sentence.
    #[doc(hidden)] // for the package of files
    #[must_use]
    pub fn other_numbers(text: &str, form: Saved) -> Option<(usize, String)> {
        let (count, first) = Translated::new(form, text, 0, None).ok()?.others;
        let (offset, text) = first?;
        let more = if count > 1 { format!(" (and {} more)", count.saturating_sub(1)) } else { String::new() };
        Some((offset, format!("{text}{more}")))
    }

    /// The text of a value with other bytes only where the text of the new value is another: all between the first and the last
    /// difference. What is blank, comments and spellings stay elsewhere. `None` if one of them is not a value.
    #[doc(hidden)] // for the package of files
    pub fn spliced_text(old: &str, new: &str, form: Saved) -> Option<String> {
        let [before, after] = [old, new].map(|text| Translated::new(form, text, 0, Some(Vec::new())).ok());
        let (before, after) = (before?, after?);
        let (before, after) = (before.parts(), after.parts());
        let is_same = |((one, _), (other, _)): &(&Part<'_>, &Part<'_>)| one == other;
        let first = before.iter().zip(&after).take_while(is_same).count();
        let most = before.len().min(after.len()).saturating_sub(first);
        let last = before.iter().rev().zip(after.iter().rev()).take(most).take_while(is_same).count();
        // the place of what differs, of what is before it and of what is after it
        let places = |parts: &[Part<'_>], text: &str| {
            let end = parts.len().checked_sub(last)?;
            let before = first.checked_sub(1).and_then(|last| parts.get(last)).map_or(0, |(_, place)| place.end);
            let after = parts.get(end).map_or(text.len(), |(_, place)| place.start);
            let changed = parts.get(first..end)?;
            let changed = changed.first().zip(changed.last()).map(|((_, first), (_, last))| first.start..last.end);
            Some((before, changed, after))
        };
        let ((old_before, removed, old_after), (new_before, added, new_after)) =
            (places(&before, old)?, places(&after, new)?);
        let is_comma = before.get(first).is_some_and(|(part, _)| *part == ",");
        let (removed, added) = match (removed, added) {
            (None, None) => return Some(old.to_owned()),
            (Some(removed), Some(added)) => (removed, added),
            (Some(removed), None) if is_comma => (removed, 0..0),
            (Some(removed), None) => (removed.start..old_after, 0..0),
            (None, Some(_)) if old_before == old_after => (old_before..old_after, new_before..new_after),
            (None, Some(added)) => (old_before..old_before, new_before..added.end),
        };
        Some([old.get(..removed.start)?, new.get(added)?, old.get(removed.end..)?].concat())
    }

    /// The value as `ConfigFile.save` of a version writes it, with a line for each entry of a Dictionary, and line ends and tabs in
    /// strings as they are. `None` if the engine would not read the text.
    #[doc(hidden)] // for the package of files
    pub fn to_saved_text(&self, form: Saved) -> Option<String> {
        let version = form.version;
        let text = self.to_gdscript(version);
        let is_v3 = version == Version::V3;
        let (mut out, mut rest) = (String::with_capacity(text.len()), &*text);
        // the brackets that are open, each with whether its items are apart from it; an Object has the sign `O`
        let mut open: Vec<(char, bool)> = Vec::new();
        // whether the numbers of the constructor that is open have 64 bits
        let mut is_wide = false;
        while let Some(char) = rest.chars().next() {
            let (all, after) = (rest, rest.get(char.len_utf8()..).unwrap_or_default());
            rest = after;
            let inside = open.last().map_or(' ', |(bracket, _)| *bracket);
            match char {
                '"' => {
                    let (behind, string) = <ByteString<'_> as Form<GdScript>>::read(all).ok()?;
                    let string = std::str::from_utf8(&string).ok().filter(|string| !string.contains('\0'))?;
                    out.push_str(&saved_string(string));
                    rest = behind;
                }
                '{' => {
                    out.push_str(if is_v3 || !after.starts_with('}') { "{\n" } else { "{" });
                    rest = after.strip_prefix(' ').unwrap_or(after);
                    open.push(('{', is_v3 || !after.starts_with('}')));
                }
                '(' if out.ends_with("Object") => {
                    let (behind, class) = word(after).ok()?;
                    out.push_str(&format!("({class},"));
                    rest = behind.strip_prefix(", ").unwrap_or(behind);
                    open.push(('O', false));
                }
                '[' | '(' => {
                    let before = out.trim_end_matches(|char: char| char.is_ascii_alphanumeric());
                    let name = out.get(before.len()..).unwrap_or_default();
                    let is_apart = is_v3 && !["NodePath", "Resource"].contains(&name);
                    is_wide = name == "PackedFloat64Array";
                    out.push(char);
                    out.push_str(if is_apart { " " } else { "" });
                    open.push((char, is_apart));
                }
                ' ' if inside == '{' && after.starts_with('}') => {}
                '}' | ']' | ')' => {
                    let is_apart = open.pop()?.1;
                    out.push_str(if !is_apart {
                        ""
                    } else if char == '}' {
                        "\n"
                    } else {
                        " "
                    });
                    out.push(char);
                    // the end of the line of a value is not part of it
                    out.push_str(if inside == 'O' && !open.is_empty() { "\n" } else { "" });
                }
                ',' | ':' if inside == 'O' => {
                    out.push(char);
                    rest = after.strip_prefix(' ').unwrap_or(after);
                }
                ',' if inside == '{' => {
                    out.push_str(",\n");
                    rest = after.strip_prefix(' ').unwrap_or(after);
                }
                // a whole number has no sign of 0
                '-' if after.strip_prefix('0').is_some_and(|after| !after.starts_with(['.', 'e'])) => {
                    out.push_str("-0.0");
                    rest = after.get(1..).unwrap_or_default();
                }
                '-' | '0'..='9' => {
                    let end =
                        all.find(|char: char| !char.is_ascii_digit() && !"+-.e".contains(char)).unwrap_or(all.len());
                    let (digits, behind) = all.split_at_checked(end)?;
                    match digits.contains(['.', 'e']) && !form.is_by_digits {
                        true => out.push_str(&real::written(digits, inside == '(' && !is_wide)),
                        false => out.push_str(digits),
                    }
                    rest = behind;
                }
                'A'..='Z' | 'a'..='z' | '_' => {
                    let (behind, name) = word(all).ok()?;
                    rest = behind;
                    if let ("Object", Ok((behind, texts))) = (name, resource(behind)) {
                        let texts: Vec<_> = texts.iter().map(|text| saved_string(text)).collect();
                        out.push_str(&format!("Resource({}{})", if is_v3 { " " } else { "" }, texts.join(", ")));
                        rest = behind;
                    } else if let Some(behind) = all.strip_prefix(NO_SIGNAL) {
                        out.push_str("Signal()");
                        rest = behind;
                    } else if is_v3 && (name == "inf_neg" || (["inf", "nan"].contains(&name) && inside == '(')) {
                        // 3.2.3 reads no other form here
                        out.push_str(match name {
                            "inf" => "1e400",
                            "nan" => "-0e400",
                            _ => "-1e400",
                        });
                    } else if ADDED.contains(&name)
                        || (name == "Object" && behind.starts_with("(null)"))
                        || (is_v3 && name == "RID" && !form.has_references)
                    {
                        return None;
                    } else {
                        out.push_str(name);
                    }
                }
                _ => out.push(char),
            }
        }
        Some(out)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::godot::Options;
    use pretty_assertions::assert_eq;

    fn of(version: Version) -> Saved {
        Saved { version, has_references: false, is_by_digits: false }
    }

    #[test]
    fn values_are_laid_out_as_by_the_engine() {
        for (text, v3, v4) in [
            ("{}", "{\n\n}", "{}"),
            ("[]", "[  ]", "[]"),
            (
                "[1, {\"k\": [2.5], 3: {}}]",
                "[ 1, {\n\"k\": [ 2.5 ],\n3: {\n\n}\n} ]",
                "[1, {\n\"k\": [2.5],\n3: {}\n}]",
            ),
            ("Vector2(1, -2)", "Vector2( 1, -2 )", "Vector2(1, -2)"),
            ("NodePath(\"a/b:c\")", "NodePath(\"a/b:c\")", "NodePath(\"a/b:c\")"),
            (
                "[SubResource(1), ExtResource(2)]",
                "[ SubResource( 1 ), ExtResource( 2 ) ]",
                "[SubResource(1), ExtResource(2)]",
            ),
            ("[SubResource(\"1\"), null]", "[ SubResource( \"1\" ), null ]", "[SubResource(\"1\"), null]"),
            (r#""a\n\t\"\\\u0001{, }""#, "\"a\n\t\\\"\\\\\u{1}{, }\"", "\"a\n\t\\\"\\\\\u{1}{, }\""),
        ] {
            for (version, expected) in [(Version::V3, v3), (Version::V4, v4)] {
                let options = Options::new(version);
                let value = Variant::from_gdscript(text, None, &options).unwrap();
                let saved = value.to_saved_text(of(version)).unwrap();
                assert_eq!(saved, expected);
                let form = Saved { has_references: true, ..of(version) };
                assert_eq!(Variant::from_saved_text(&saved, form).unwrap(), value);
                let has_none = !text.contains("SubResource");
                assert_eq!(Variant::from_saved_text(&saved, of(version)).is_ok(), has_none, "{text}");
            }
        }
    }

    /// The same text in both versions; only spaces differ.
    #[test]
    fn objects_and_zeros_are_laid_out_as_by_the_engine() {
        for (text, expected) in [
            ("Vector2(-0, 1)", "Vector2(-0.0, 1)"),
            ("Object(Node)", "Object(Node,)"),
            ("[Object(A, \"x\": -1, \"y\": Object(B)), 2]", "[Object(A,\"x\":-1,\"y\":Object(B,)\n)\n, 2]"),
            ("Object(A, \"x\": { \"k\": [1, 2] })", "Object(A,\"x\":{\n\"k\": [1, 2]\n})"),
            ("[Object(Resource, \"resource_path\": \"res://a\")]", "[Resource(\"res://a\")]"),
            (
                "Object(Resource, \"resource_uid\": \"uid://b\", \"resource_path\": \"res://\\\"\")",
                "Resource(\"uid://b\", \"res://\\\"\")",
            ),
            ("Signal(\"\", 0)", "Signal()"),
        ] {
            let value = Variant::from_gdscript(text, None, &Options::new(Version::V4)).unwrap();
            let saved = value.to_saved_text(of(Version::V4)).unwrap();
            assert_eq!(saved, expected);
            assert_eq!(Variant::from_saved_text(&saved, of(Version::V4)).unwrap(), value);
            let v3 = value.to_saved_text(of(Version::V3)).unwrap();
            assert_eq!(v3.replace(' ', ""), expected.replace(' ', ""));
        }
    }

    #[test]
    fn texts_are_read_as_by_the_engine() {
        for (text, v3, v4) in [
            ("Resource(\"res://a\")", Some("Object(Resource, \"resource_path\": \"res://a\")"), None),
            (
                "Array[Gradient]([Resource( \"uid://b\" , \"res://a\" ), null])",
                Some(""),
                Some("Array[Gradient]([Object(Resource, \"resource_uid\": \"uid://b\", \"resource_path\": \"res://a\"), null])"),
            ),
            ("Array[Resource(\"res://a.gd\")]([])", Some(""), Some("Array[Resource(\"res://a.gd\")]([])")),
            ("#ff0000", Some("Color(1, 0, 0, 1)"), None),
            ("[#ff000080,#f00]", Some("[Color(0, 0, 0.5019608, 1), Color(1, 0, 0, 1)]"), Some("[Color(1, 0, 0, 0.5019608), Color(1, 0, 0, 1)]")),
            ("[@\"x\", &\"y\"]", Some(""), Some("[&\"x\", &\"y\"]")),
            ("[1e400, -1e400, 1., 1e+2]", Some("[inf, inf_neg, 1.0, 100.0]"), None),
            ("[1E+2, -inf]", Some(""), Some("[100.0, inf_neg]")),
            ("15.25", Some("15.25"), None),
            ("-1.5e3", Some("-1500.0"), None),
            ("7", Some("7"), None),
            ("Vector2(1e39, -inf)", Some(""), Some("Vector2(inf, inf_neg)")),
            ("Vector2(1e39, inf_neg)", Some("Vector2(inf, inf_neg)"), None),
            ("[-0, -0.0, -00, Vector2(-0, -0.0)]", Some("[0, -0.0, 0, Vector2(0, -0)]"), None),
            (r#""\/\a\q\x41\u0000\ud83d\ude00""#, Some("\"/aqx41\u{fffd}\u{1f600}\""), None),
            ("\"a\\\nb\r\n\\t\"", Some(r#""a\nb\r\n\t""#), None),
            ("Object(A,)", Some("Object(A)"), None),
            ("Object( A , \"x\":1,\"y\":[#fff]\n)", Some("Object(A, \"x\": 1, \"y\": [Color(1, 1, 1, 1)])"), None),
            ("[1, ; #\n2,\r\n;\"\n]", Some("[1, 2]"), None),
            ("Matrix32 (1,0,0,1,0,0)", Some("Transform2D(1, 0, 0, 1, 0, 0)"), None),
            ("IntArray(1)", Some("PoolIntArray(1)"), Some("PackedInt32Array(1)")),
            ("PoolStringArray ( \"a\", )", Some("PoolStringArray(\"a\")"), Some("PackedStringArray(\"a\")")),
            ("[FloatArray(), Rect3(0,0,0,1,1,1), ]", Some("[PoolRealArray(), AABB(0, 0, 0, 1, 1, 1)]"), Some("[PackedFloat32Array(), AABB(0, 0, 0, 1, 1, 1)]")),
            ("[Signal(), Callable(), PackedByteArray(\"AQI=\")]", Some(""), Some("[Signal(\"\", 0), Callable(), PackedByteArray(1, 2)]")),
            ("PackedByteArray()", Some("PoolByteArray()"), Some("PackedByteArray()")),
            (
                "[9223372036854775808, -9223372036854775809, 92233720368547758080, 99999999999999999999, 007]",
                Some("[-9223372036854775808, 9223372036854775807, 0, 9223372036854775807, 7]"),
                None,
            ),
            ("Vector2(9223372036854775808, 18446744073709551616)", Some("Vector2(-9.223372e18, 9.223372e18)"), None),
            ("PoolByteArray(256, -1, 300.7, -1.5)", Some("PoolByteArray(0, 255, 44, 255)"), Some("PackedByteArray(0, 255, 44, 255)")),
            ("PoolIntArray(3000000000, -1.5, 9223372036854775808)", Some("PoolIntArray(-1294967296, -1, 0)"), Some("PackedInt32Array(-1294967296, -1, 0)")),
            ("[Vector2i(1.5, -2.5), PackedInt64Array(1.5)]", Some(""), Some("[Vector2i(1, -2), PackedInt64Array(1)]")),
            ("[PoolVector2Array(1, 2, 3), PoolVector2Array(1)]", Some("[PoolVector2Array(1, 2), PoolVector2Array()]"), Some("[PackedVector2Array(1, 2), PackedVector2Array()]")),
            ("[PoolVector3Array(1, 2, 3, 4), PoolColorArray(1, 2, 3, 4, 5)]", Some("[PoolVector3Array(1, 2, 3), PoolColorArray(1, 2, 3, 4)]"), Some("[PackedVector3Array(1, 2, 3), PackedColorArray(1, 2, 3, 4)]")),
        ] {
            for (version, expected) in [(Version::V3, v3), (Version::V4, v4.or(v3))] {
                let found = Variant::from_saved_text(text, of(version)).map(|value| value.to_gdscript(version));
                assert_eq!(found.unwrap_or_default(), expected.unwrap(), "{text} {version}");
            }
        }
    }

    #[test]
    fn what_one_engine_refuses_is_told_with_its_version() {
        let told = |text| Variant::other_numbers(text, of(Version::V3));
        for (text, offset, what) in [
            ("Vector2(1, inf)", 11, "Godot 3.2.3 refuses inf here, and 3.6.2 reads it"),
            ("[inf_neg]", 1, "Godot 3.2.3 refuses inf_neg here, and 3.6.2 reads it"),
            ("[PackedInt64Array(1)]", 1, "Godot 3.2.3 refuses PackedInt64Array here, and 3.6.2 reads it"),
            ("RID( )", 0, "Godot 3 refuses RID()"),
            ("\"\\u00e4\"", 0, "Godot 3 may read other characters for \\u in this string"),
        ] {
            assert_eq!(told(text), Some((offset, what.to_owned())), "{text}");
            assert_eq!(Variant::other_numbers(text, of(Version::V4)), None, "{text}");
        }
        for text in ["PackedRealArray(1)", "PackedVector4Array()", "Vector2i(1, 2)"] {
            assert!(Variant::from_saved_text(text, of(Version::V3)).is_err(), "{text}");
        }
        for text in ["[inf, nan, 1e400]", "Vector2(1e400, 1)", "PoolIntArray(1)", r#"["ä", "\u0041", "ä\\u"]"#] {
            assert_eq!(told(text), None, "{text}");
        }
    }

    /// Parts that are equal stay as they are.
    #[test]
    fn numbers_that_are_read_as_others_are_told() {
        let told = |text| Variant::other_numbers(text, of(Version::V4));
        for (text, offset, what) in [
            ("[1, 99999999999999999999]", 4, "99999999999999999999 is read as 9223372036854775807"),
            ("PackedByteArray(1, 256, -1)", 19, "256 is read as 0 (and 1 more)"),
            ("Vector2i(1.5, 2)", 9, "1.5 is read as 1"),
            ("PackedVector2Array(1, 2, 3)", 26, "of the 3 numbers before this, engines leave out the last 1"),
        ] {
            assert_eq!(told(text), Some((offset, what.to_owned())), "{text}");
        }
        for text in ["[-0, 007, 1e400, 9223372036854775807]", "PackedByteArray(255, 1.0)", "Vector2i(-0, 2)", "x"] {
            assert_eq!(told(text), None, "{text}");
        }
    }

    #[test]
    fn a_changed_text_has_the_bytes_of_the_old_one() {
        for (old, new, expected) in [
            ("[ 1 ,2, ; c\n#f00 ]", "[5, 2, Color(1, 0, 0, 1)]", "[ 5 ,2, ; c\n#f00 ]"),
            ("[1, ; c\r\n\t2.50, ]", "[1, 2.5, \"x\"]", "[1, ; c\r\n\t2.50, \"x\", ]"),
            ("[1, 2,]", "[1]", "[1,]"),
            ("[1, 2]", "[2]", "[2]"),
            ("[1,2]", "[1, 3, 2]", "[1, 3, 2]"),
            ("[ 1 ]", "[]", "[ ]"),
            ("{}", "{\n\"a\": 1\n}", "{\n\"a\": 1\n}"),
            ("{\n\"a\" :1,\n\"b\":2 ; c\n}", "{\n\"a\": 1\n}", "{\n\"a\" :1 ; c\n}"),
            ("{\"a\":1,\"b\":2}", "{\n\"b\": 2\n}", "{\"b\":2}"),
            ("{\"a\":1e+20}", "{\n\"a\": 1e20,\n\"b\": 2\n}", "{\"a\":1e+20,\n\"b\": 2\n}"),
            (
                "PoolStringArray ( \"\\/\", \"b\" )",
                "PackedStringArray(\"/\", \"c\")",
                "PoolStringArray ( \"\\/\", \"c\" )",
            ),
            ("Vector2( 1.0, 2 )", "Vector2(1, 3)", "Vector2( 1.0, 3 )"),
            ("[Resource( \"a\" ), @\"x\", 1]", "[Resource(\"a\"), &\"x\", 2]", "[Resource( \"a\" ), @\"x\", 2]"),
            ("Object(A,\"x\":1)", "Object(A,\"x\":1,\"y\":2)", "Object(A,\"x\":1,\"y\":2)"),
            ("Array[int]( [1] )", "Array[int]([1, 2])", "Array[int]( [1, 2] )"),
            ("1", "\"x\"", "\"x\""),
            (" 1 ; c", "1", " 1 ; c"),
        ] {
            let spliced = Variant::spliced_text(old, new, of(Version::V4)).unwrap();
            assert_eq!(spliced, expected);
            let read = |text| Variant::from_saved_text(text, of(Version::V4)).unwrap();
            assert_eq!(read(&spliced), read(new), "{old}");
        }
        assert_eq!(Variant::spliced_text("x", "1", of(Version::V4)), None);
    }

    /// With the offset in the text, not in what it was put into.
    #[test]
    fn what_the_engine_refuses_is_an_error() {
        for (text, offset) in [
            ("Color(\"red\")", 6),
            ("Color(1, 0, 0)", 13),
            ("Color.RED", 5),
            ("[#f00, #12345]", 7),
            ("[#f00, #f00, 'x']", 13),
            ("Resource(\"res://a\", \"res://b\")", 0),
            ("[Resource(\"res://a\"), ExtResource(1)]", 22),
            ("[#f00, \"\\/\", 1 2]", 15),
            ("[#f00, Vector2(1, 2, 3)]", 19),
            ("PoolIntArray(1, 1e20)", 16),
            ("[Matrix3(1)]", 10),
            ("^\"x\"", 0),
            ("@x", 0),
            ("-.5", 0),
            ("[0x10]", 1),
            ("1_0", 0),
            ("INF", 0),
            ("Vector2(1, 2,)", 13),
            ("Object(A)", 8),
            ("Object(\"A\",)", 7),
            ("Object(null,)", 11),
            ("Signal(\"a\", 1)", 7),
            ("EncodedObjectAsID(1)", 0),
            ("double(Vector2(1, 2))", 0),
            ("[1}", 2),
            ("1)", 1),
            ("[\"a", 3),
            ("\"\\u12\"", 3),
            ("[1, \0]", 4),
        ] {
            let error = Variant::from_saved_text(text, of(Version::V4)).unwrap_err();
            assert_eq!(error.offset(), Some(offset), "{text}: {error}");
        }
    }

    #[test]
    fn infinities_are_written_as_the_version_reads_them() {
        for (text, v3, v4) in [
            ("[inf, inf_neg, nan]", "[ inf, -1e400, nan ]", "[inf, inf_neg, nan]"),
            ("Color(inf, inf_neg, nan, 0)", "Color( 1e400, -1e400, -0e400, 0 )", "Color(inf, inf_neg, nan, 0)"),
        ] {
            for (version, expected) in [(Version::V3, v3), (Version::V4, v4)] {
                let value = Variant::from_gdscript(text, None, &Options::new(version)).unwrap();
                assert_eq!(value.to_saved_text(of(version)).unwrap(), expected);
                let again = Variant::from_saved_text(expected, of(version)).unwrap();
                assert_eq!(again.to_gdscript(version), value.to_gdscript(version));
                // what was read is not written anew
                let spliced = Variant::spliced_text(text, expected, of(version)).unwrap();
                assert_eq!(spliced, text, "{version}");
            }
        }
    }

    /// A byte that is not UTF-8, the end of strings in the engine, and forms of this crate.
    #[test]
    fn what_the_engine_does_not_read_is_not_written() {
        for text in [r#""\xff""#, r#""a\u0000""#, "[Object(null)]", "double(Vector2(1, 2))", "Signal(\"pressed\", 255)"]
        {
            let value = Variant::from_gdscript(text, None, &Options::new(Version::V4)).unwrap();
            assert_eq!(value.to_saved_text(of(Version::V4)), None, "{text}");
        }
    }
}
