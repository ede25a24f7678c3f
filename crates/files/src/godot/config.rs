//! Files of `ConfigFile`, and others of its form: `project.godot`, `export_presets.cfg`, `*.import`.

use std::borrow::Cow;
use std::collections::{BTreeMap, HashMap, HashSet};
use std::fmt::Display;
use std::ops::{ControlFlow, Range};
use std::sync::OnceLock;

use bstr::ByteSlice;
use serde_json::json;

use crate::address::{Address, Component, Syntax};
use crate::containers::{append, texts_apart, Addition, Arranged, Container, ContainerError};
use crate::containers::{Embedded, Repeated, ValueChange};
use enginewire::godot::v4::TypeId;
use enginewire::godot::{decode_with, encode_with, v3, Options, Saved, Variant, Version};
use enginewire::number::to_u64;

/// A text of sections, keys and values as a [`Container`]. The address of a value is its section and its key: `display/width`, or
/// its key alone before the first section.
///
/// | part | form |
/// |---|---|
/// | section | `[name]`, in one line; `\]` is a `]` of the name in version 4 |
/// | value | a key, `=` and a value in the form of `var_to_str`, which may continue in other lines |
/// | key | all characters from the last value on but white space; or a string in quotes |
/// | comment | `;` and the rest of the line, outside strings |
///
/// Values have the version of the file: that of its `config_version`; without one it is 3 if it has names of types that only version
/// 3 has, and nothing that only version 4 has, else 4.
///
/// Specification: `docs/spec/godot-files.md`, section ConfigFile.
#[derive(Debug)]
pub struct ConfigFile {
    pub(super) text: Vec<u8>,
    version: Version,
    /// True if its values may refer to resources: those of text resources.
    is_resource: bool,
    /// The version that changed values are written for.
    written: Version,
    pub(super) max_memory: usize,
    /// Of the addresses.
    repeated: OnceLock<Repeated>,
}

/// A header or a value in the text.
#[derive(Debug)]
struct Part<'t> {
    section: Cow<'t, [u8]>,
    /// The key, and where the value is; `None` for a header.
    value: Option<(String, Range<usize>)>,
    /// The offset of the header or the key.
    start: usize,
    /// The number of the line with the start, from 1.
    line: usize,
    /// The value, or an error with its offset.
    read: Result<Variant<'static>, (ContainerError, usize)>,
    /// False if it is not certain where a value ends that cannot be read.
    is_certain: bool,
}

impl Part<'_> {
    /// The address of a value, if no later one has it too.
    fn address(&self) -> Option<Address> {
        let (key, _) = self.value.as_ref()?;
        let section = Some(&*self.section).filter(|section| !section.is_empty());
        Some(Address::new(Syntax::Settings, section.into_iter().chain([key.as_bytes()]).map(Component::name)))
    }
}

/// A value that a change keeps: its section, its key, and the text that it must have unless it is new.
type Kept<'t> = (Cow<'t, [u8]>, String, Option<&'t [u8]>);

/// The parts of a text.
struct Parts<'t> {
    file: &'t ConfigFile,
    at: usize,
    section: Cow<'t, [u8]>,
    /// A position, and the number of its line.
    line: (usize, usize),
    /// The bytes that may still be read to find the ends of values that do not end.
    effort: usize,
    /// The bytes that the sections of further parts may have together; 0 if they have more.
    left: usize,
    /// Why the text cannot be read any further, and the offset.
    broken: Option<(usize, &'static str)>,
}

/// True for a text with a number of more digits than all of 64 bits have.
fn has_long_number(text: &str) -> bool {
    text.as_bytes().chunk_by(|one, other| one.is_ascii_digit() && other.is_ascii_digit()).any(|run| run.len() > 18)
}

impl ConfigFile {
    /// The file with this text. The text and one value at a time may together take `max_memory` bytes.
    #[must_use]
    pub fn new(text: Vec<u8>, max_memory: usize) -> Self {
        let version = version_of(&text);
        ConfigFile { text, version, is_resource: false, written: version, max_memory, repeated: OnceLock::new() }
    }

    /// Reads values as this version does, also if the text tells another.
    #[must_use]
    pub fn of_version(self, version: Version) -> Self {
        ConfigFile { version, written: version, ..self }
    }

    /// Also reads references to resources, as text resources have them.
    pub(super) fn of_resource(self) -> Self {
        ConfigFile { is_resource: true, ..self }
    }

    /// Writes changed values for this version, whose bytes they must have. If not all are changed, the file is then of both.
    #[must_use]
    pub fn written_for(self, version: Version) -> Self {
        ConfigFile { written: version, ..self }
    }

    /// The version of the values.
    #[must_use]
    pub const fn version(&self) -> Version {
        self.version
    }

    pub(super) const fn formats(&self) -> &'static [&'static str] {
        match self.version {
            Version::V3 => &["godot-3"],
            Version::V4 => &["godot-4"],
        }
    }

    fn repeated(&self) -> &Repeated {
        self.repeated.get_or_init(|| Repeated::of(self.parts().filter_map(|part| part.address())))
    }

    fn parts(&self) -> Parts<'_> {
        let effort = self.text.len().saturating_add(1024).saturating_mul(8);
        let left = self.text.len().saturating_add(1024).saturating_mul(SECTIONS);
        Parts { file: self, at: 0, section: Cow::Borrowed(b""), line: (0, 1), effort, left, broken: None }
    }

    /// The line and the column of an offset, from 1, if `line` is the number of the line with the offset `from`.
    fn place(&self, from: usize, line: usize, offset: usize) -> String {
        let before = self.text.get(from..offset).unwrap_or_default();
        let line = before.iter().filter(|byte| **byte == b'\n').count().saturating_add(line);
        let column = offset.saturating_sub(self.line_start(offset)).saturating_add(1);
        format!("in line {line}, column {column} (byte {offset:#x})")
    }

    pub(super) fn line_start(&self, offset: usize) -> usize {
        let before = self.text.get(..offset).unwrap_or_default();
        before.rfind_byte(b'\n').map_or(0, |end| end.saturating_add(1))
    }

    /// The offset of the end of a line, without the characters that end it.
    pub(super) fn line_end(&self, offset: usize) -> usize {
        let rest = self.text.get(offset..).unwrap_or_default();
        let line = rest.get(..rest.find_byte(b'\n').unwrap_or(rest.len())).unwrap_or_default();
        offset.saturating_add(line.strip_suffix(b"\r").unwrap_or(line).len())
    }

    /// The offset of the next line.
    pub(super) fn next_line(&self, offset: usize) -> usize {
        let end = self.line_end(offset);
        let rest = self.text.get(end..).unwrap_or_default();
        let ended = [b"\r\n", &b"\n"[..]].into_iter().find(|ending| rest.starts_with(ending));
        end.saturating_add(ended.unwrap_or_default().len())
    }

    /// The value in a part of the text, or an error with its offset in the part.
    pub(super) fn value(&self, text: &[u8]) -> Result<Variant<'static>, (ContainerError, usize)> {
        let separators = text.iter().filter(|byte| b",[{(:#".contains(byte)).count();
        let memory = separators.saturating_mul(ITEM).saturating_add(text.len().saturating_mul(4));
        if memory.saturating_add(self.text.len()) > self.max_memory {
            let what = "the text of a value may take more memory than";
            return Err((ContainerError::TooLarge { what, limit: self.max_memory }, 0));
        }
        let text = std::str::from_utf8(text)
            .map_err(|error| (ContainerError::malformed("the value is not UTF-8"), error.valid_up_to()))?;
        Variant::from_saved_text(text, self.form(self.version))
            .map_err(|error| (ContainerError::malformed(error.reason()), error.offset().unwrap_or_default()))
    }

    /// A warning about what engines read differently in a part of the text, or what one of them refuses, with the place of the first.
    pub(super) fn other_numbers(&self, part: &Range<usize>, place: impl FnOnce(usize) -> String) -> Option<String> {
        let text = self.text.get(part.clone()).and_then(|text| text.to_str().ok()).unwrap_or_default();
        // few values have any
        let is_of = |words: &[&str]| words.iter().any(|word| text.contains(word));
        let in_v3 = || self.version == Version::V3 && is_of(&["inf", "nan", "\\u", "RID"]);
        let may_have = is_of(&["Array", "i("]) || has_long_number(text) || in_v3();
        let (at, what) = may_have.then(|| Variant::other_numbers(text, self.form(self.version))).flatten()?;
        Some(format!("{what}, {}", place(part.start.saturating_add(at))))
    }

    const fn form(&self, version: Version) -> Saved {
        Saved { version, has_references: self.is_resource, is_by_digits: false }
    }

    /// The text for the bytes of a value, whose address is in the error. Of the text that it had, what does not differ stays.
    fn text_of(&self, address: &dyn Display, bytes: &[u8], old: &[u8]) -> Result<String, ContainerError> {
        let options = Options::new(self.written);
        let value = decode_with(bytes, &options).map_err(ContainerError::malformed)?;
        match encode_with(&value, &options) {
            Ok(again) if again == bytes => self.text(&value, old).map_err(|error| named(error, address)),
            _ => Err(named(self.unwritable(), address)),
        }
    }

    /// The text for a value, which must come back as the same value. Of the text that it had, what does not differ stays.
    pub(super) fn text(&self, value: &Variant<'_>, old: &[u8]) -> Result<String, ContainerError> {
        let text = self.text_in(self.form(self.written), value, old);
        text.ok_or_else(|| match self.text_by_digits(value) {
            Ok(_) => ContainerError::Refused(format!(
                "Godot {} reads no text as one of the real numbers of this value, only as its neighbours; set it with fewer digits",
                self.written
            )),
            Err(error) => error,
        })
    }

    /// The text for a value, whose real numbers engines may read as neighbours.
    pub(super) fn text_by_digits(&self, value: &Variant<'_>) -> Result<String, ContainerError> {
        let form = Saved { is_by_digits: true, ..self.form(self.written) };
        self.text_in(form, value, b"").ok_or_else(|| self.unwritable())
    }

    fn text_in(&self, form: Saved, value: &Variant<'_>, old: &[u8]) -> Option<String> {
        let options = Options::new(self.written);
        // references to resources have no bytes
        let is_same = |other: &Variant<'_>| match (encode_with(value, &options), encode_with(other, &options)) {
            (Ok(one), Ok(other)) => one == other,
            _ => value.to_gdscript(self.written) == other.to_gdscript(self.written),
        };
        let is_read = |text: &String| Variant::from_saved_text(text, form).is_ok_and(|again| is_same(&again));
        let whole = value.to_saved_text(form).map(|text| self.with_endings(&text));
        let old = old.to_str().ok().filter(|old| !old.is_empty() && self.version == self.written);
        let spliced = whole.as_ref().and_then(|new| Variant::spliced_text(old?, new, form)).filter(is_read);
        spliced.or_else(|| whole.filter(is_read))
    }

    fn unwritable(&self) -> ContainerError {
        let file = if self.is_resource { "text" } else { "ConfigFile" };
        ContainerError::Refused(format!("Godot {} cannot read this value from a {file}", self.written))
    }

    /// A text whose line ends outside strings are those of the file.
    fn with_endings(&self, text: &str) -> String {
        let (mut out, mut rest) = (String::with_capacity(text.len()), text);
        while !rest.is_empty() {
            let string = if rest.starts_with('"') { string_end(rest.as_bytes(), 0) } else { None };
            let length = string.unwrap_or_else(|| rest.find('"').unwrap_or(rest.len()));
            let (part, after) = rest.split_at_checked(length).unwrap_or((rest, ""));
            match string {
                Some(_) => out.push_str(part),
                None => out.push_str(&part.replace('\n', self.ending())),
            }
            rest = after;
        }
        out
    }

    /// The lines of a value, or the value alone if its lines have others.
    pub(super) fn removed(&self, start: usize, value: &Range<usize>) -> Range<usize> {
        let (before, after) = self.text.split_at_checked(start).unwrap_or_default();
        let indent = before.iter().rev().take_while(|byte| b" \t".contains(byte)).count();
        let from = start.saturating_sub(indent);
        let after = after.get(value.end.saturating_sub(start)..).unwrap_or_default();
        let next = after.iter().find(|byte| !b" \t\r".contains(byte));
        match from == self.line_start(from) && matches!(next, None | Some(b'\n' | b';')) {
            true => from..self.next_line(value.end),
            false => start..value.end,
        }
    }

    /// The text with other texts in these ranges.
    pub(super) fn spliced(&self, mut edits: Vec<(Range<usize>, Vec<u8>)>) -> Result<Vec<u8>, ContainerError> {
        edits.sort_by_key(|(range, _)| (range.start, range.end));
        let (mut file, mut at) = (Vec::new(), 0);
        for (range, text) in edits {
            append(&mut file, self.text.get(at..range.start).unwrap_or_default(), self.max_memory)?;
            append(&mut file, &text, self.max_memory)?;
            at = range.end;
        }
        append(&mut file, self.text.get(at..).unwrap_or_default(), self.max_memory)?;
        Ok(file)
    }

    /// The characters that end a line.
    pub(super) fn ending(&self) -> &'static str {
        let has_returns = self.text.get(self.line_end(0)..).is_some_and(|rest| rest.starts_with(b"\r"));
        if has_returns {
            "\r\n"
        } else {
            "\n"
        }
    }

    /// The sections, and that before the first.
    fn sections(&self) -> Result<HashMap<Vec<u8>, Section>, ContainerError> {
        let mut sections = HashMap::from([(Vec::new(), Section::default())]);
        let mut parts = self.parts();
        for part in parts.by_ref() {
            let section: &mut Section = sections.entry(part.section.into_owned()).or_default();
            section.end = part.value.as_ref().map_or(part.start.saturating_add(1), |(_, value)| value.end);
            section.keys.extend(part.value.map(|(key, _)| key));
        }
        sections
            .values_mut()
            .filter(|section| section.end > 0)
            .for_each(|section| section.end = self.next_line(section.end));
        parts.end().map(|()| sections)
    }

    /// The texts that add values, each with its offset.
    fn added(&self, additions: &[Addition<'_>]) -> Result<Vec<(Range<usize>, String)>, ContainerError> {
        if additions.is_empty() {
            return Ok(Vec::new());
        }
        let mut sections = self.sections()?;
        let (ending, length) = (self.ending(), self.text.len());
        let mut texts: BTreeMap<(usize, usize), String> = BTreeMap::new();
        for Addition { address, bytes, .. } in additions {
            let names: Vec<_> =
                address.components().iter().filter_map(Component::text).map(|name| name.to_str_lossy()).collect();
            let (section, key) = match &names[..] {
                [section, key] => (&**section, &**key),
                [key] => ("", &**key),
                _ => return Err(ContainerError::NoSuchValue(address.to_string())),
            };
            let has_escapes = self.written == Version::V4;
            if section.trim() != section || section.contains(['\n', '\r', if has_escapes { '\\' } else { ']' }]) {
                return Err(ContainerError::Refused(format!("a section cannot have the name {section:?}")));
            }
            let number = sections.len();
            let Section { end, number, keys } = sections
                .entry(section.as_bytes().to_vec())
                .or_insert_with(|| Section { end: length, number, keys: HashSet::new() });
            if !keys.insert(key.to_owned()) {
                return Err(ContainerError::Refused(format!("there is a value {address} already")));
            }
            let text = texts.entry((*end, *number)).or_default();
            if text.is_empty() && *number > 0 {
                *text += &format!("{ending}[{}]{ending}{ending}", section.replace(']', "\\]"));
            }
            *text += &format!("{}={}{ending}", key_text(section, key), self.text_of(address, bytes, b"")?);
        }
        if let Some(text) = texts.get_mut(&(0, 0)).filter(|_| length > 0) {
            *text += ending; // before the first section
        }
        let mut texts: Vec<_> = texts.into_iter().map(|((end, _), text)| (end..end, text)).collect();
        if let Some((_, text)) = texts.iter_mut().find(|(range, _)| range.end == length) {
            match self.text.ends_with(b"\n") {
                _ if length == 0 => *text = text.trim_start().to_owned(),
                true => {}
                false => text.insert_str(0, ending),
            }
        }
        Ok(texts)
    }
}

/// The error about a value that cannot be written, with its address or name before it.
pub(super) fn named(error: ContainerError, name: &dyn Display) -> ContainerError {
    match error {
        ContainerError::Refused(reason) => ContainerError::Refused(format!("{name}: {reason}")),
        error => error,
    }
}

/// Why a value that cannot be read stays as it is.
pub(super) fn uncertain(address: &str) -> ContainerError {
    ContainerError::Refused(format!(
        "{address} cannot be read, and is not replaced: it is not certain where its text ends"
    ))
}

/// The data of a section that a change needs.
#[derive(Debug, Default)]
struct Section {
    /// The offset after the line of its last value, or of its header.
    end: usize,
    /// 0 if it is in the file, else the number that orders new sections.
    number: usize,
    keys: HashSet<String>,
}

/// The memory that one item of a value may take while it is read, in bytes: a list that is full has twice the room, and three
/// times while it grows.
pub(super) const ITEM: usize = size_of::<Variant<'_>>().saturating_mul(4);

/// The names of sections, counted for each of their values, may be this many times the file.
const SECTIONS: usize = 64;

impl<'t> Iterator for Parts<'t> {
    type Item = Part<'t>;

    fn next(&mut self) -> Option<Part<'t>> {
        self.left = self.left.saturating_sub(self.section.len());
        let text = &self.file.text;
        let (mut key, mut start) = (Vec::new(), None);
        loop {
            let at = self.at;
            let byte = *text.get(at).filter(|_| self.left > 0)?;
            self.at = at.saturating_add(1);
            match byte {
                ..=b' ' => {}
                b';' => self.at = self.file.line_end(at),
                b'[' if start.is_none() => return self.header(at),
                b'=' => return Some(self.assigned(key, start.unwrap_or(at))),
                b'"' => {
                    let Some(end) = string_end(text, at) else {
                        self.broken = Some((at, "the string of a key does not end"));
                        self.at = text.len();
                        return None;
                    };
                    self.at = end;
                    key = unquoted(text.get(at..self.at).unwrap_or_default());
                    start = start.or(Some(at));
                }
                byte => {
                    key.push(byte);
                    start = start.or(Some(at));
                }
            }
        }
    }
}

impl<'t> Parts<'t> {
    /// The error of the text after the last part.
    fn end(&self) -> Result<(), ContainerError> {
        let place = |at| self.file.place(self.line.0, self.line.1, at);
        let sections = || format!("the sections of all values are together longer than {SECTIONS} times the file");
        match self.broken {
            _ if self.left == 0 => Err(ContainerError::TooMuch(sections())),
            Some((at, reason)) => Err(ContainerError::Malformed(format!("{reason}, {}", place(at)))),
            None => Ok(()),
        }
    }

    /// The number of the line with this offset, which is not before that of the last call.
    fn line(&mut self, offset: usize) -> usize {
        let passed = self.file.text.get(self.line.0..offset).unwrap_or_default();
        let lines = passed.iter().filter(|byte| **byte == b'\n').count();
        self.line = (offset, self.line.1.saturating_add(lines));
        self.line.1
    }

    /// The header that begins here.
    fn header(&mut self, start: usize) -> Option<Part<'t>> {
        let text = &self.file.text;
        let line = text.get(self.at..).unwrap_or_default();
        let mut pairs = std::iter::once(&b'[').chain(line).zip(line).take_while(|(_, byte)| **byte != b'\n');
        let has_escapes = self.file.version == Version::V4;
        let Some(length) = pairs.position(|(before, byte)| *byte == b']' && !(has_escapes && *before == b'\\')) else {
            self.broken = Some((start, "the name of a section does not end in its line"));
            self.at = text.len();
            return None;
        };
        let name = line.get(..length).unwrap_or_default().trim_ascii();
        self.at = self.at.saturating_add(length).saturating_add(1);
        // engines go on with the section before
        if !name.is_empty() {
            self.section = match has_escapes && name.contains(&b'\\') {
                true => {
                    let is_escape = |at: usize| name.get(at..).is_some_and(|rest| rest.starts_with(b"\\]"));
                    let kept = name.iter().enumerate().filter(|(at, _)| !is_escape(*at));
                    Cow::Owned(kept.map(|(_, byte)| *byte).collect())
                }
                false => Cow::Borrowed(name),
            };
        }
        let line = self.line(start);
        let (section, read) = (self.section.clone(), Ok(Variant::Null));
        Some(Part { section, value: None, start, line, read, is_certain: true })
    }

    /// The value after an `=`.
    fn assigned(&mut self, key: Vec<u8>, start: usize) -> Part<'t> {
        let (file, from) = (self.file, self.at);
        let line = self.line(start);
        let begins = after_space(&file.text, from);
        let end = term(&file.text, begins, &mut self.effort);
        let end = end.unwrap_or_else(|| file.line_end(begins.min(file.line_end(from))));
        let (value, read, is_certain) = match file.value(file.text.get(begins..end).unwrap_or_default()) {
            Ok(value) => (begins..end, Ok(value), true),
            Err((error, at)) => {
                let unread = unread(&file.text, from, &mut self.effort);
                let is_certain = unread.is_some();
                // the engine takes a value from a later line, but here that may be a header or a key
                let is_missing = begins > file.line_end(from);
                let value = unread.unwrap_or(if is_missing { from..from } else { begins..file.line_end(end) });
                let none = || file.value(b"").err().map(|(error, _)| (error, from));
                let error = none().filter(|_| is_missing).unwrap_or((error, begins.saturating_add(at)));
                (value, Err(error), is_certain)
            }
        };
        self.at = value.end;
        let read = read.map_err(|(error, offset)| match error {
            ContainerError::Malformed(text) => {
                (ContainerError::Malformed(format!("{text}, {}", file.place(start, line, offset))), offset)
            }
            error => (error, offset),
        });
        let key = String::from_utf8_lossy(&key).into_owned();
        Part { section: self.section.clone(), value: Some((key, value)), start, line, read, is_certain }
    }
}

/// The place of a value that cannot be read, after its `=`: its line, or more if brackets or strings continue in others. `None` if it
/// is not certain where it ends: quotes or brackets are open, or a line in it or after it could belong to it or to another value.
pub(super) fn unread(text: &[u8], from: usize, effort: &mut usize) -> Option<Range<usize>> {
    let rest = text.get(from..).filter(|_| *effort > 0)?;
    let start = from.saturating_add(rest.iter().take_while(|byte| b" \t".contains(byte)).count());
    let (mut at, mut end, mut depth) = (start, start, 0usize);
    let is_found = loop {
        let next = at.saturating_add(1);
        match text.get(at) {
            None => break depth == 0,
            Some(b'\n') if depth == 0 => break begins_part(text.get(after_space(text, at)..).unwrap_or_default()),
            Some(..=b' ') => {
                at = next;
                continue;
            }
            Some(b';') => {
                at = after_comment(text, at);
                continue;
            }
            Some(b'=') => break false,
            Some(b'"') => at = string_end(text, at).unwrap_or(text.len().saturating_add(1)),
            Some(byte) => {
                match byte {
                    b'(' | b'[' | b'{' => depth = depth.saturating_add(1),
                    b')' | b']' | b'}' if depth == 0 => break false,
                    b')' | b']' | b'}' => depth = depth.saturating_sub(1),
                    _ => {}
                }
                at = next;
            }
        }
        end = at;
    };
    *effort = effort.saturating_sub(at.saturating_sub(start));
    let value = text.get(start..end).filter(|value| is_found && !hides_parts(value))?;
    Some(start..start.saturating_add(value.len()))
}

/// True if a text is empty or begins as a tag or a property does.
fn begins_part(text: &[u8]) -> bool {
    let line = text.lines().next().unwrap_or_default();
    let is_name = |byte: &u8| !b"=\";[]{}(),:".contains(byte);
    let name = match line.first() {
        Some(b'"') => string_end(line, 0).unwrap_or_default(),
        _ => line.iter().take_while(|byte| is_name(byte)).count(),
    };
    let after = line.get(name..).unwrap_or_default().trim_ascii_start();
    text.is_empty() || text.starts_with(b"[") || (name > 0 && after.starts_with(b"="))
}

/// True if a line after the first begins as a tag or a property does: then a quote that is open may have its end in another value.
pub(super) fn hides_parts(text: &[u8]) -> bool {
    let mut lines = text.lines().skip(1).map(<[u8]>::trim_ascii_start).filter(|line| !line.is_empty());
    lines.any(|line| match line {
        [b'[', rest @ ..] => rest.first().is_some_and(u8::is_ascii_alphabetic),
        line => begins_part(line),
    })
}

/// The offset of what follows white space and comments.
pub(super) fn after_space(text: &[u8], mut at: usize) -> usize {
    while let Some(byte) = text.get(at) {
        match byte {
            ..=b' ' => at = at.saturating_add(1),
            b';' => at = after_comment(text, at),
            _ => break,
        }
    }
    at
}

/// The offset of the end of the line.
fn after_comment(text: &[u8], at: usize) -> usize {
    let rest = text.get(at..).unwrap_or_default();
    rest.find_byte(b'\n').map_or(text.len(), |length| at.saturating_add(length))
}

/// The offset of the end of the string whose first quote is at `at`; `None` if it does not end.
pub(super) fn string_end(text: &[u8], at: usize) -> Option<usize> {
    let mut at = at.saturating_add(1);
    loop {
        let special = text.get(at..)?.iter().position(|byte| matches!(byte, b'"' | b'\\'))?;
        at = at.saturating_add(special);
        match text.get(at) {
            Some(b'"') => return Some(at.saturating_add(1)),
            _ => at = at.saturating_add(2),
        }
    }
}

/// The bytes of a string in quotes.
pub(super) fn unquoted(text: &[u8]) -> Vec<u8> {
    let string = std::str::from_utf8(text).ok();
    let form = Saved { version: Version::V4, has_references: false, is_by_digits: false };
    let value = string.and_then(|text| Variant::from_saved_text(text, form).ok());
    let inside = || text.get(1..text.len().saturating_sub(1)).unwrap_or_default();
    value.as_ref().and_then(Variant::as_bytes).unwrap_or_else(inside).to_vec()
}

/// The offset of the end of the value at `start`, found by its brackets and strings. `None` if it does not end. A value has no
/// `=` outside its strings.
pub(super) fn term(text: &[u8], start: usize, effort: &mut usize) -> Option<usize> {
    if *effort == 0 {
        return None;
    }
    let (mut at, mut depth) = (start, 0usize);
    let is_word = |byte: &u8| byte.is_ascii_alphanumeric() || b"_.+-#".contains(byte) || !byte.is_ascii();
    let found = loop {
        let after = at.saturating_add(1);
        at = match text.get(at) {
            None => break None,
            Some(b'"') => match string_end(text, at) {
                Some(end) => end,
                None => {
                    at = text.len();
                    break None;
                }
            },
            Some(b'(' | b'[' | b'{') => {
                depth = depth.saturating_add(1);
                after
            }
            Some(b')' | b']' | b'}') => match depth.checked_sub(1) {
                Some(outside) => {
                    depth = outside;
                    after
                }
                None => break None,
            },
            Some(b';') => after_comment(text, at),
            Some(b'=' | b'\\') => break None,
            Some(b'&' | b'^' | b'@') if depth == 0 => {
                at = after;
                continue;
            }
            Some(byte) if is_word(byte) => {
                let rest = text.get(at..).unwrap_or_default();
                let length = rest.iter().position(|byte| !is_word(byte)).unwrap_or(rest.len());
                at.saturating_add(length)
            }
            Some(_) if depth == 0 => break None,
            Some(_) => after,
        };
        if depth > 0 {
            continue;
        }
        // a constructor has arguments, and a typed container its types before them
        let head = text.get(start..at).unwrap_or_default();
        let next = after_space(text, at);
        let is_type = [&b"Array"[..], b"Dictionary"].contains(&head);
        let opens = match text.get(next) {
            Some(b'(') => head.first().is_some_and(u8::is_ascii_uppercase) && !head.ends_with(b")"),
            Some(b'[') => is_type,
            _ => false,
        };
        if !opens {
            break Some(at);
        }
        at = next;
    };
    if found.is_none() {
        *effort = effort.saturating_sub(at.saturating_sub(start));
    }
    found
}

/// The version that a text tells: by its `config_version`, which is 5 from version 4 on, before its first section; else 3 if it has
/// names of types that only version 3 has, each before a parenthesis, and nothing that only version 4 has, which reads both.
fn version_of(text: &[u8]) -> Version {
    let mut lines = text.lines().map(<[u8]>::trim_ascii).take_while(|line| !line.starts_with(b"["));
    let told = lines.find_map(|line| line.strip_prefix(b"config_version")?.trim_ascii_start().strip_prefix(b"="));
    let told = told.and_then(|told| told.split(|byte| *byte == b';').next()?.trim_ascii().to_str().ok()?.parse().ok());
    match told {
        Some(..=4_u8) => return Version::V3,
        Some(5) => return Version::V4,
        _ => {}
    }
    let (mut at, mut version) = (0, Version::V4);
    while let Some(byte) = text.get(at) {
        let rest = text.get(at..).unwrap_or_default();
        let length = rest.iter().position(|byte| !byte.is_ascii_alphanumeric() && *byte != b'_').unwrap_or(rest.len());
        let (word, after) = rest.split_at_checked(length).unwrap_or_default();
        let is_v3 = || v3::TypeId::ALL.iter().any(|id| id.name().as_bytes() == word);
        let is_v4 = || TypeId::ALL.iter().any(|id| id.name().as_bytes() == word);
        match after {
            [b'(', ..] if is_v3() && !is_v4() => version = Version::V3,
            [b'(', ..] if is_v4() && !is_v3() => return Version::V4,
            [b'[', ..] if [&b"Array"[..], b"Dictionary"].contains(&word) => return Version::V4,
            _ => {}
        }
        at = match byte {
            b'&' if rest.starts_with(b"&\"") => return Version::V4,
            b'"' => string_end(text, at).unwrap_or(text.len()),
            b';' => after_comment(text, at),
            _ => at.saturating_add(length.max(1)),
        };
    }
    version
}

/// A key as it is written. More keys are in quotes than engines need, so that [`is_config`] finds no other text in them.
pub(super) fn key_text<'k>(section: &str, key: &'k str) -> Cow<'k, str> {
    let is_plain = |byte: u8| is_key(!section.is_empty(), byte) && byte.is_ascii_graphic();
    match !key.is_empty() && key.bytes().all(is_plain) {
        true => Cow::Borrowed(key),
        false => Cow::Owned(format!("\"{}\"", key.replace('\\', "\\\\").replace('"', "\\\""))),
    }
}

/// Returns true if a text begins like a file of `ConfigFile`. The first line after comments is the name of a section or an
/// assignment, without spaces around the `=`. The first value has the form of `var_to_str`. The first 4,096 bytes have a line
/// with only the name of a section. The key of a value before that line is in quotes, or has only letters, digits, `_` and `/`.
///
/// Some files are known without that: those of extensions and plugins may have spaces around the `=`. No section is needed after
/// a longer text that begins with `config_version`, in the checksums of imported files, and where the first value is a typed
/// container, or a list of objects with a `StringName`.
///
/// ```
/// use enginewire_files::godot::is_config;
///
/// assert!(is_config(b"; settings\n[video]\n\nsize=Vector2(1280, 720)\n"));
/// assert!(!is_config(b"[Desktop Entry]\nName=Game\n"));
/// ```
#[must_use]
pub fn is_config(head: &[u8]) -> bool {
    let lines = head.get(..HEAD).unwrap_or(head).split(|byte| *byte == b'\n').map(<[u8]>::trim_ascii);
    let is_section = |line: &[u8]| {
        let mut parts = line.strip_prefix(b"[").unwrap_or_default().splitn(2, |byte| *byte == b']');
        let is_end = |rest: &[u8]| matches!(rest.trim_ascii_start().first(), None | Some(b';'));
        let is_name = |name: &[u8]| !name.is_empty() && !name.iter().any(|byte| b"=\"[]{}".contains(byte));
        parts.next().is_some_and(is_name) && parts.next().is_some_and(is_end)
    };
    let mut begun = lines.filter(|line| !line.is_empty() && !line.starts_with(b";")).peekable();
    let (mut has_section, mut is_spaced) = (false, false);
    while let Some(line) = begun.next_if(|line| is_section(line) || *line == b"[]") {
        has_section = true;
        is_spaced |= SPACED.iter().any(|(section, known)| line == *section && has(head, known));
    }
    let Some(line) = begun.next() else { return false };
    let key = match line.starts_with(b"\"") {
        true => string_end(line, 0).unwrap_or_default(),
        false => line.iter().position(|byte| !is_key(has_section, *byte)).unwrap_or_default(),
    };
    let (key, value) = line.split_at_checked(key).unwrap_or_default();
    let Some(value) = value.strip_prefix(b"=") else { return false };
    let (key, value) = if is_spaced { (key.trim_ascii(), value.trim_ascii()) } else { (key, value) };
    let is_value = !key.is_empty() && !key.ends_with(b" ") && begins_value(value);
    let is_known = || match key {
        b"config_version" => head.len() >= HEAD,
        b"source_md5" => has(head, b"dest_md5=\""),
        _ if [&b"[{"[..], b"[ {"].iter().any(|start| value.starts_with(start)) => has(head, b"&\""),
        _ => ["Array[", "Dictionary["].iter().any(|start| value.starts_with(start.as_bytes())),
    };
    is_value && (has_section || begun.any(is_section) || is_known())
}

/// Sections of files whose lines may have spaces around the `=`, and what these files have.
const SPACED: [(&[u8], &[u8]); 2] = [(b"[configuration]", b"entry_symbol"), (b"[plugin]", b".gd\"")];

/// True if these bytes are somewhere in a text.
pub(super) fn has(text: &[u8], bytes: &[u8]) -> bool {
    text.windows(bytes.len()).any(|window| window == bytes)
}

/// True for a byte that a key without quotes has in such a file, after the name of a section or before any.
fn is_key(has_section: bool, byte: u8) -> bool {
    match has_section {
        true => !b"=\";[]{}()<>:,#".contains(&byte),
        false => byte.is_ascii_alphanumeric() || b"_/".contains(&byte),
    }
}

/// The bytes that show whether a text is a file of `ConfigFile`.
const HEAD: usize = 4096;

/// Returns true if a line begins as a value.
fn begins_value(line: &[u8]) -> bool {
    let length = line.iter().position(|byte| b" \t;".contains(byte)).unwrap_or(line.len());
    let word = line.get(..length).and_then(|word| std::str::from_utf8(word).ok()).unwrap_or_default();
    let is_number =
        || word.starts_with(|char: char| char.is_ascii_digit() || char == '-') && word.parse::<f64>().is_ok();
    let is_type = |name: &str| {
        TypeId::ALL.iter().any(|id| id.name() == name) || v3::TypeId::ALL.iter().any(|id| id.name() == name)
    };
    ["true", "false", "null", "inf", "inf_neg", "nan"].contains(&word)
        || is_number()
        || [&b"\""[..], b"[", b"{", b"&\"", b"^\""].iter().any(|start| line.starts_with(start))
        || word.split_once('(').is_some_and(|(name, _)| is_type(name) || name == "Resource")
        || ["Array[", "Dictionary["].iter().any(|start| word.starts_with(start))
}

impl Container for ConfigFile {
    fn values(&self, each: &mut dyn FnMut(Embedded<'_>) -> ControlFlow<()>) -> Result<(), ContainerError> {
        let repeated = self.repeated();
        let mut number = 0usize;
        let mut parts = self.parts();
        for part in parts.by_ref() {
            let (Some(address), Some((key, value))) = (part.address(), part.value) else { continue };
            let text = self.text.get(value).filter(|_| part.read.is_err() && part.is_certain).map(Cow::Borrowed);
            let address = address.earlier(repeated.earlier(number));
            number = number.saturating_add(1);
            let section = String::from_utf8_lossy(&part.section);
            let members = [("section", json!(section)), ("key", json!(key)), ("offset", json!(part.start))];
            let options = Options::new(self.version);
            let malformed = |error| (ContainerError::malformed(error), part.start);
            let encoded = part.read.and_then(|value| encode_with(&value, &options).map_err(malformed));
            let broken_at = encoded.as_ref().err().map(|(_, offset)| to_u64(*offset));
            let encoded = encoded.map_err(|(error, _)| error);
            let embedded = Embedded::new(address, self.formats(), encoded).with_members(members.to_vec());
            let embedded = embedded.with_stored(Some(format!("line {}", part.line)));
            if each(Embedded { broken_at, unread: text, ..embedded }).is_break() {
                return Ok(());
            }
        }
        parts.end()
    }

    fn changed(&self, changes: &[ValueChange<'_>]) -> Result<Vec<u8>, ContainerError> {
        let (mut texts, changes) = texts_apart(changes)?;
        let changes = Arranged::new(self, &changes)?;
        if !changes.first.is_empty() {
            return Err(ContainerError::Refused("a value is added as the last of its section".to_owned()));
        }
        let edits = self.added(&changes.last)?;
        let mut edits: Vec<_> = edits.into_iter().map(|(range, text)| (range, text.into_bytes())).collect();
        // the values that stay, each with the text that it must have; `None` for a new one
        let (mut expected, mut is_checked, repeated) = (Vec::new(), !texts.is_empty(), self.repeated());
        for (number, part) in self.parts().filter(|part| part.value.is_some()).enumerate() {
            let (is_unread, address) = (part.read.is_err(), part.address());
            let (Some((key, value)), Some(address)) = (part.value, address) else { continue };
            let address = address.earlier(repeated.earlier(number)).to_string();
            let old = self.text.get(value.clone()).unwrap_or_default();
            let text = match (texts.remove(&address), changes.values.get(&number)) {
                (None, None) => Some(old),
                (Some(_), Some(_)) => return Err(ContainerError::ChangedTwice(address)),
                (Some((_, text)), None) => {
                    edits.push((value, text.to_vec()));
                    Some(text)
                }
                (None, Some(Some(_))) if !part.is_certain => return Err(uncertain(&address)),
                (None, Some(Some(bytes))) => {
                    is_checked |= is_unread;
                    let after = self.text.get(value.end).filter(|byte| **byte > b' ' && **byte != b';');
                    let space = if after.is_some() { " " } else { "" };
                    let old = if is_unread { b"" } else { old };
                    edits.push((value, (self.text_of(&address, bytes, old)? + space).into_bytes()));
                    None
                }
                (None, Some(None)) => {
                    edits.push((self.removed(part.start, &value), Vec::new()));
                    continue;
                }
            };
            expected.push((part.section, key, text));
        }
        if let Some((address, _)) = texts.pop_first() {
            return Err(ContainerError::NoSuchValue(address));
        }
        let file = self.spliced(edits)?;
        if changes.last.is_empty() && !is_checked {
            return Ok(file);
        }
        let again = ConfigFile::new(file, self.max_memory.saturating_mul(2)).of_version(self.version);
        let found: HashSet<_> = again.parts().filter_map(|part| part.address()).collect();
        if let Some(Addition { address, .. }) = changes.last.iter().find(|added| !found.contains(added.address)) {
            return Err(ContainerError::Refused(format!("{address} cannot be added: two sections share a line")));
        }
        if is_checked {
            let is_new = |part: &Part<'_>| changes.last.iter().any(|new| part.address().as_ref() == Some(new.address));
            let kept: Vec<_> = again.parts().filter(|part| part.value.is_some() && !is_new(part)).collect();
            let is_same = |(part, expected): (&Part<'_>, &Kept<'_>)| {
                let (section, key, text) = expected;
                let Some((name, value)) = &part.value else { return false };
                let is_text = || text.is_none_or(|text| again.text.get(value.clone()) == Some(text));
                (&part.section, name) == (section, key) && is_text()
            };
            if kept.len() != expected.len() || !kept.iter().zip(&expected).all(is_same) {
                return Err(ContainerError::Refused("the change would change another value, too".to_owned()));
            }
        }
        Ok(again.text)
    }

    /// Numbers that engines read as others.
    fn warnings(&self) -> Vec<String> {
        let parts = self.parts().filter_map(|part| Some((part.start, part.line, part.value?.1)));
        let told = |(start, line, value): (usize, usize, Range<usize>)| {
            self.other_numbers(&value, |offset| self.place(start, line, offset))
        };
        parts.filter_map(told).collect()
    }

    fn format(&self) -> Option<&'static str> {
        self.formats().first().copied()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::address::Pattern;
    use enginewire::budget::DEFAULT;
    use pretty_assertions::assert_eq;

    fn open(text: &str) -> ConfigFile {
        ConfigFile::new(text.as_bytes().to_vec(), DEFAULT)
    }

    /// Each value as its address, and its notation or its error.
    fn listed(text: &str) -> Vec<(String, String)> {
        let file = open(text);
        let notation =
            |bytes: &[u8]| decode_with(bytes, &Options::new(file.version)).unwrap().to_gdscript(file.version);
        let shown = |value: Embedded<'_>| match &value.bytes {
            Ok(bytes) => (value.address.to_string(), notation(bytes)),
            Err(error) => (value.address.to_string(), format!("{error}; {:#x}", value.broken_at.unwrap())),
        };
        let mut all = Vec::new();
        let end = file.values(&mut |value| {
            all.push(shown(value));
            ControlFlow::Continue(())
        });
        all.extend(end.err().map(|error| ("the file".to_owned(), error.to_string())));
        all
    }

    fn encoded(text: &str, version: Version) -> Vec<u8> {
        let options = Options::new(version);
        encode_with(&Variant::from_gdscript(text, None, &options).unwrap(), &options).unwrap()
    }

    /// The text after values were replaced, removed (an empty text) and added.
    fn changed(text: &str, replaced: &[(&str, &str)], added: &[(&str, &str)]) -> Result<String, String> {
        let file = open(text);
        let bytes: Vec<_> = replaced
            .iter()
            .chain(added)
            .map(|(_, value)| if value.is_empty() { Vec::new() } else { encoded(value, file.version) })
            .collect();
        let addresses: Vec<_> = file.list().unwrap().into_iter().map(|value| value.address).collect();
        let address = |wanted: &str| addresses.iter().find(|address| address.to_string() == wanted).unwrap();
        let of = |(text, _): &(&str, &str)| Pattern::parse(Syntax::Settings, text).unwrap().address().unwrap();
        let new: Vec<_> = added.iter().map(of).collect();
        let mut new = new.iter();
        let changes =
            replaced.iter().chain(added).zip(&bytes).enumerate().map(|(number, ((name, value), bytes))| match value {
                _ if number >= replaced.len() => {
                    ValueChange::Add(Addition { address: new.next().unwrap(), bytes, about: &[], is_first: false })
                }
                &"" => ValueChange::Remove(address(name)),
                _ => ValueChange::Replace { address: address(name), bytes },
            });
        let changed = file.changed(&changes.collect::<Vec<_>>()).map_err(|error| error.to_string())?;
        Ok(String::from_utf8(changed).unwrap())
    }

    /// As the engine reads them: see `tests/godot_engine.rs`.
    #[test]
    fn values_are_read_as_by_the_engine() {
        for (text, expected) in [
            ("a=1", &[("a", "1")][..]),
            ("[s] ; c\r\na = 1 ; c\r\nb=2", &[("s/a", "1"), ("s/b", "2")]),
            ("[s]a=1 b=2\n", &[("s/a", "1"), ("s/b", "2")]),
            ("[ s ]\n\"a \\\"b\"=1", &[(r#"s/"a \"b""#, "1")]),
            ("[s]\na=1\n[]\nb=2\n[t]\n[ ]\nc=3", &[("s/a", "1"), ("s/b", "2"), ("t/c", "3")]),
            ("a b=\n; c\n 1", &[("ab", "1")]),
            ("[s]\na=[1,; ]x\n2]", &[("s/a", "[1, 2]")]),
            (
                "a={\n\"x\": [ 1 ],\n\"y\": null\n}\nb=\"1;\n\t2\"",
                &[("a", r#"{ "x": [1], "y": null }"#), ("b", r#""1;\n\t2""#)],
            ),
            ("[s]\na=1\n[t]\n[s]\na=2", &[("s/a[#0]", "1"), ("s/a", "2")]),
            ("x=1 [t/u]\ny=2", &[("x", "1"), ("\"t/u\"/y", "2")]),
            ("[s\\]x]\na=&\"n\" b=Array[int]([1])", &[("\"s]x\"/a", "&\"n\""), ("\"s]x\"/b", "Array[int]([1])")]),
            ("a=true\n(b=Vector2\n( 1, 2 )", &[("a", "true"), ("\"(b\"", "Vector2(1, 2)")]),
            (
                "a=PoolIntArray( 1 )\nb=Transform2D( 1, 0, 0, 1, 0, 0 )",
                &[("a", "PoolIntArray(1)"), ("b", "Transform2D(1, 0, 0, 1, 0, 0)")],
            ),
            ("[a\\]b]\nc=1", &[("\"a]b\"/c", "1")]),
            ("[a\\]b=Quat( 0, 0, 0, 1 )", &[("\"a\\\\\"/b", "Quat(0, 0, 0, 1)")]),
            ("", &[]),
            ("; only\n[s]\n", &[]),
        ] {
            let found = listed(text);
            let found: Vec<_> = found.iter().map(|(address, value)| (&**address, &**value)).collect();
            assert_eq!(found, expected, "{text}");
        }
    }

    #[test]
    fn the_version_is_that_of_the_file() {
        for (text, version) in [
            ("a=1", Version::V4),
            ("a=[Quat( 0, 0, 0, 1 )]", Version::V3),
            ("a=\"Quat(\" ; Quat(\nb=Transform2D(1, 0, 0, 1, 0, 0)", Version::V4),
            ("a=Transform( 1, 0, 0, 0, 1, 0, 0, 0, 1, 0, 0, 0 )", Version::V3),
            ("a=PoolByteArray(  )", Version::V3),
            ("a=PackedByteArray()", Version::V4),
            ("config_version=5\n[s]\na=PoolIntArray(1)", Version::V4),
            (" config_version = 4 ; c\r\n[s]\na=PackedInt32Array(1)", Version::V3),
            ("config_version=6\na=PoolIntArray(1)", Version::V3),
            ("[s]\nconfig_version=5\na=PoolIntArray(1)", Version::V3),
            ("a=PoolIntArray(1)\nb=Vector2i(1, 2)", Version::V4),
            ("a=PoolIntArray(1)\nb=[&\"x\"]", Version::V4),
            ("a=PoolIntArray(1)\nb=Array[int]([])", Version::V4),
            ("a=PoolIntArray(1)\nb=\"&Vector2i(\" ; &\"x\"", Version::V3),
        ] {
            assert_eq!(open(text).version(), version, "{text}");
        }
        assert_eq!(open("a=PoolByteArray(  )").format(), Some("godot-3"));
    }

    #[test]
    fn a_broken_value_does_not_hide_the_others() {
        let broken =
            |text: &str| listed(text).iter().map(|(address, value)| format!("{address}: {value}")).collect::<Vec<_>>();
        assert_eq!(
            broken("[s]\na=x y\nb=[1,\nc=Vector2(1,\n  x)\nrid=\n\n[t]\nd=\"end\ne=2\n"),
            [
                "s/a: expected a value of Godot 4 such as 17, \"text\", [1, 2] or Vector2(1, 2), found x, in line 2, column 3 (byte 0x6); 0x6",
                "s/b: expected a value of Godot 4 such as 17, \"text\", [1, 2] or Vector2(1, 2), found the end, in line 3, column 6 (byte 0xf); 0xf",
                "s/c: expected a number, found x, in line 5, column 3 (byte 0x1f); 0x1f",
                "s/rid: expected a value of Godot 4 such as 17, \"text\", [1, 2] or Vector2(1, 2), found the end, in line 6, column 5 (byte 0x26); 0x26",
                "t/d: expected `\"` at the end of a string, found the end, in line 9, column 7 (byte 0x32); 0x32",
                "t/e: 2",
            ]
        );
        assert_eq!(
            broken("a=1\n[s\n")[1],
            "the file: the name of a section does not end in its line, in line 2, column 1 (byte 0x4)"
        );
        assert_eq!(
            broken("a=1\n\"s\n")[1],
            "the file: the string of a key does not end, in line 2, column 1 (byte 0x4)"
        );
    }

    #[test]
    fn a_change_writes_the_value_alone() {
        let text = "; c\r\nz = 1\r\n\r\n[s]\r\n\r\na=\"x\ny\" ; c\r\nb={ \"k\":1 }c=3\r\n;d=1\r\n";
        for (replaced, expected) in [
            (("z", "2.0"), text.replace("z = 1", "z = 2.0")),
            (("s/a", r#""1\n2""#), text.replace("\"x\ny\"", "\"1\n2\"")),
            (("s/b", "[1, {\"k\": 2}]"), text.replace("{ \"k\":1 }", "[1, {\r\n\"k\": 2\r\n}] ")),
            (("s/c", "null"), text.replace("c=3", "c=null")),
            (("z", ""), text.replace("z = 1\r\n", "")),
            (("s/a", ""), text.replace("a=\"x\ny\" ; c\r\n", "")),
            (("s/b", ""), text.replace("b={ \"k\":1 }", "")),
        ] {
            assert_eq!(changed(text, &[replaced], &[]), Ok(expected));
        }
        let text = "[s]\r\na = [ 1, ; c\r\n#f00,\t{\"k\":@\"v\"}, ]\r\nb=PoolIntArray( 1 )\r\nc=Vector2i(1, 2)\r\n";
        for (replaced, expected) in [
            (("s/a", "[2, Color(1, 0, 0), {\"k\": &\"v\"}]"), text.replace("[ 1", "[ 2")),
            (("s/a", "[1, Color(1, 0, 0), {\"k\": 3}]"), text.replace("@\"v\"", "3")),
            (("s/b", "PackedInt32Array(1, 2)"), text.replace("( 1 )", "( 1, 2 )")),
            (("s/c", "Vector2i(1, 3)"), text.replace("(1, 2)", "(1, 3)")),
        ] {
            assert_eq!(changed(text, &[replaced], &[]), Ok(expected));
        }
        let v3 = changed("a=Quat( 0, 0, 0, 1 )\nb=1", &[("b", "[Vector2(1, 2)]")], &[]);
        assert_eq!(v3, Ok("a=Quat( 0, 0, 0, 1 )\nb=[ Vector2( 1, 2 ) ]".to_owned()));
        let broken = changed("a=x y ; c\nb=\n\n[s]", &[("a", "1"), ("b", "2")], &[]);
        assert_eq!(broken, Ok("a=1 ; c\nb=2\n\n[s]".to_owned()));
        for (text, replaced) in [
            ("a='x' ; c\nb=1", "a=7 ; c\nb=1"),
            ("a=Vector2(1, 2]\n\n; c\n\"b\"=1", "a=7\n\n; c\n\"b\"=1"),
            ("a= \r\n[b]", "a= 7\r\n[b]"),
            ("a=F(1,\n \"two\nthree\")", "a=7"),
            ("a=x", "a=7"),
        ] {
            assert_eq!(changed(text, &[("a", "7")], &[]), Ok(replaced.to_owned()), "{text}");
            let unread = open(text).list().unwrap().swap_remove(0).unread.unwrap();
            let (file, address) = (open(replaced), &open(text).list().unwrap()[0].address);
            let again = file.changed(&[ValueChange::Text { address, text: &unread }]).unwrap();
            assert_eq!(String::from_utf8(again).unwrap(), text);
        }
        assert_eq!(changed("b=1\na=x y ; c\nc=2", &[("a", "")], &[]), Ok("b=1\nc=2".to_owned()));
        let uncertain = "a cannot be read, and is not replaced: it is not certain where its text ends";
        for text in ["a=[1,\nb=2", "a=\"x\nb=2", "a=x\ny\nb=2", "a=F(\"x)\nb=1\nc=\")", "a=x)\nb=2", "a=\n'x'\nb=2"] {
            assert_eq!(changed(text, &[("a", "7")], &[]), Err(uncertain.to_owned()), "{text}");
            assert_eq!(open(text).list().unwrap()[0].unread, None, "{text}");
        }
        let file = open("a=1\nb=x");
        let list = file.list().unwrap();
        let [a, b] = [0, 1].map(|number| &list[number].address);
        let text = |address, text| ValueChange::Text { address, text };
        for (changes, reason) in [
            (vec![text(a, &b"2\nc=3"[..])], "the change would change another value, too"),
            (vec![text(b, b"x"), text(b, b"y")], "b is changed twice"),
            (vec![text(b, b"x"), ValueChange::Replace { address: b, bytes: b"\0\0\0\0" }], "b is changed twice"),
        ] {
            assert_eq!(file.changed(&changes).unwrap_err().to_string(), reason);
        }
        assert_eq!(open("b=1").changed(&[text(a, b"x")]).unwrap_err().to_string(), "the file has no value a");
    }

    #[test]
    fn values_are_added_to_their_section() {
        for (text, added, expected) in [
            ("[s]\n\na=1\n\n[t]\nb=2", &[("s/c", "3"), ("t/d", "4")][..], "[s]\n\na=1\nc=3\n\n[t]\nb=2\nd=4\n"),
            ("", &[(r#"s/"a b""#, "1")], "[s]\n\n\"a b\"=1\n"),
            (
                "[s]\r\na=1",
                &[("n/a", "1"), ("m/a", "1"), ("s/b", "1"), ("n/b", "1")],
                "[s]\r\na=1\r\nb=1\r\n\r\n[n]\r\n\r\na=1\r\nb=1\r\n\r\n[m]\r\n\r\na=1\r\n",
            ),
            ("[s]\na=1\n", &[("top", "1")], "top=1\n\n[s]\na=1\n"),
            ("a=1\n[s]\n", &[("b", "1"), ("s/c/d", "1")], "a=1\nb=1\n[s]\nc/d=1\n"),
            ("[s/t]\n[s]\n", &[(r#""s/t"/k"#, "1")], "[s/t]\nk=1\n[s]\n"),
        ] {
            let found = changed(text, &[], added).unwrap();
            assert_eq!(found, expected);
            let values = listed(&found);
            assert!(added.iter().all(|(address, _)| values.iter().any(|(found, _)| found == address)), "{values:?}");
        }
        for (text, added, reason) in [
            ("[s]\na=1\n", "s/a", "there is a value s/a already"),
            ("", r#""s\\"/a"#, r#"a section cannot have the name "s\\""#),
            ("[s]a=1[t]b=1", "s/c", "s/c cannot be added: two sections share a line"),
        ] {
            assert_eq!(changed(text, &[], &[(added, "1")]), Err(reason.to_owned()));
        }
    }

    #[test]
    fn what_does_not_come_back_is_not_written() {
        let file = open("a=1");
        let address = &file.list().unwrap().remove(0).address;
        for (bytes, reason) in [
            (encoded(r#""a\u0000""#, Version::V4), "a: Godot 4 cannot read this value from a ConfigFile"),
            (b"\x01\0\0\0\x02\0\0\0".to_vec(), "a: Godot 4 cannot read this value from a ConfigFile"),
            (b"\x02\0\0\0".to_vec(), "input ends too early: 4 bytes needed, 0 left, at byte 0x4 in int"),
        ] {
            let error = file.changed(&[ValueChange::Replace { address, bytes: &bytes }]).unwrap_err();
            assert_eq!(error.to_string(), reason);
        }
    }

    #[test]
    fn every_cut_gives_the_values_before_it() {
        let text = "[s]\na=[1, {\"k\": \"v\"}]\nb=Vector2(1, 2)\nc=3\n";
        let whole = listed(text);
        for cut in 0..text.len() {
            let count = [23, 39, 43].iter().filter(|end| **end <= cut).count();
            let found = listed(&text[..cut]);
            assert_eq!(found.get(..count), Some(&whole[..count]), "{cut}");
            assert!(found.len() <= count + 1, "{cut}: {found:?}");
        }
    }

    /// Values end with their line after the search for their ends is given up.
    #[test]
    fn every_text_is_read_to_its_end() {
        for line in ["a=(\\\"\n", "a=(;\"\n\"=\n", "[a]", "a=1 ", "a=x\n", "\"\\", "a=[{(\n"] {
            let file = open(&line.repeat(100_000 / line.len()));
            let mut parts = file.parts();
            let count = parts.by_ref().count();
            assert!(count <= file.text.len() && parts.at == file.text.len(), "{line}: {count}");
        }
    }

    #[test]
    fn a_value_takes_no_more_memory_than_allowed() {
        let text = format!("a=[{}]\nb=1", "0,".repeat(10_000));
        let file = ConfigFile::new(text.into_bytes(), 1 << 20);
        let values = file.list().unwrap();
        let error = values[0].bytes.as_ref().unwrap_err().to_string();
        assert_eq!(error, "the text of a value may take more memory than the limit of 1048576 bytes");
        assert!(values[1].bytes.is_ok());
    }

    /// Whatever key is added, the file is found to be one again, and has that key.
    #[test]
    fn a_file_with_a_new_key_is_still_one() {
        let value = encode_with(&1.into(), &Options::new(Version::V4)).unwrap();
        for byte in b' '..=b'~' {
            for name in [
                format!("{0}", char::from(byte)),
                format!("a{}b", char::from(byte)),
                format!("{}:x é", char::from(byte)),
            ] {
                for (text, names) in [
                    ("[a]\n\nbase=3\n", vec![&*name]),
                    ("[a]\n\nbase=3\n", vec!["a", &name]),
                    ("[a]\n", vec!["a", &name]),
                ] {
                    let address = &Address::new(Syntax::Settings, names.into_iter().map(Component::name));
                    let add = Addition { address, bytes: &value, about: &[], is_first: false };
                    let Ok(changed) = open(text).changed(&[ValueChange::Add(add)]) else { panic!("{name}") };
                    let changed = String::from_utf8(changed).unwrap();
                    assert!(is_config(changed.as_bytes()), "{changed}");
                    let found = open(&changed).list().unwrap();
                    assert!(found.iter().any(|value| value.address == *address), "{changed}");
                }
            }
        }
    }

    #[test]
    fn sections_are_not_copied_without_a_limit() {
        let text = format!("[{}]\n{}", "s".repeat(10_000), "a=1\n".repeat(2500));
        let (mut count, file) = (0, open(&text));
        let error = file.values(&mut |_| {
            count += 1;
            ControlFlow::Continue(())
        });
        assert_eq!(
            error.unwrap_err().to_string(),
            "the sections of all values are together longer than 64 times the file"
        );
        assert!((100..200).contains(&count), "{count}");
        let address = &Address::new(Syntax::Settings, ["s", "new"].map(Component::name));
        let added =
            file.changed(&[ValueChange::Add(Addition { address, bytes: b"\0\0\0\0", about: &[], is_first: false })]);
        assert!(matches!(added, Err(ContainerError::TooMuch(_))), "{added:?}");
    }

    #[test]
    fn files_are_detected_by_their_first_value() {
        for (head, expected) in [
            ("; Engine configuration file.\n\nconfig_version=5\n\n[application]\n\nconfig/name=\"a\"", true),
            ("config_version=5\r\n\r\n[application]\r\n", true),
            ("config_version=5\n", false),
            ("[remap]\n\nimporter=\"texture\"", true),
            ("[empty]\n[preset.0]\r\nname=\"a\"\r\n", true),
            ("\"a b\"=Vector2( 1, 2 )\n[s]", true),
            ("\"a b\"=Vector2( 1, 2 )", false),
            ("a_1/b=Array[int]([1])\n; c\n [s] \n", true),
            ("a=-1.5e3 ; c\nb=[\n1]\n[s]", true),
            ("a.b=1\n[s]", false),
            ("[s]\na.b=1", true),
            ("./a.rbxm\tFolder\tNumber=7\n[s]", false),
            ("./a.rbxm\tFolder\tNumber=7\n", false),
            ("level=7\nname=\"a\"\n", false),
            ("level=7\n[]\n[\"a\"]\n[{}]\n[a=1]\n", false),
            ("[gd_scene load_steps=2 format=2]\na=1", false),
            ("[gd_resource type=\"A\"]\n", false),
            ("[Desktop Entry]\nName=Game\n", false),
            ("[package]\nname = \"a\"\n", false),
            ("version=1.2.3", false),
            ("date=2020-01-02", false),
            ("# c\na=1", false),
            ("[\"a\", 1]", false),
            ("{\"a\": 1}", false),
            ("<a b=\"1\">", false),
            ("[s]\npath=[", true),
            ("[s]\n", false),
            ("=1", false),
            ("[s] ; c\na=1\n", true),
            ("[s] c\na=1\n", false),
            ("[]\n\nlevel=7\n", true),
            ("[]\n", false),
            ("[configuration]\n\nentry_symbol = \"a\"\n", true),
            ("[configuration]\n\nsymbol = \"a\"\n", false),
            ("[plugin]\nname  = \"a\"\nscript = \"a.gd\"\n", true),
            ("[plugin]\nname = a\nscript = \"a.gd\"\n", false),
            ("[[plugin]]\nname = \"a\"\nscript = \"a.gd\"\n", false),
            ("list=Array[Dictionary]([{\n\"base\": &\"Node\"\n}])\n", true),
            ("list=[{\n\"base\": &\"Node\"\n}]\n", true),
            ("list=[{\n\"base\": \"Node\"\n}]\n", false),
            ("list=[{ a = 1 }]\n", false),
            ("source_md5=\"5f\"\ndest_md5=\"5f\"\n", true),
            ("source_md5=\"5f\"\n", false),
            ("", false),
        ] {
            assert_eq!(is_config(head.as_bytes()), expected, "{head}");
        }
        let section_at = |at: usize| format!("a={}\n[s]", "1".repeat(at - 3));
        assert!(is_config(section_at(4093).as_bytes()) && !is_config(section_at(4094).as_bytes()));
        let project = |length: usize| format!("; c\nconfig_version=5\n{}", "b=1\n".repeat(length));
        assert!(is_config(project(1100).as_bytes()) && !is_config(project(1000).as_bytes()));
    }
}
