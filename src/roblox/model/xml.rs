//! The XML form: `.rbxmx` and `.rbxlx`.
//!
//! ```xml
//! <roblox version="4">
//!   <Item class="Folder" referent="RBX1">
//!     <Properties>
//!       <BinaryString name="AttributesSerialize">AQAAAAIAAABPbgMB</BinaryString>
//!       <string name="Name">Torch</string>
//!     </Properties>
//!   </Item>
//!   <SharedStrings><SharedString md5="KEY">base64</SharedString></SharedStrings>
//! </roblox>
//! ```
//!
//! A property is a child of `Properties`, known by its `name`; the element may have any name of its own. One that is
//! `SharedString` has the key of a shared string for its text. Any other has base64 in it, as text, CDATA or both, with
//! whitespace anywhere.

use std::borrow::Cow;
use std::collections::{HashMap, HashSet};
use std::ops::Range;
use std::sync::Arc;

use bstr::{BString, ByteSlice};
use data_encoding::BASE64;
use quick_xml::escape::resolve_predefined_entity;
use quick_xml::events::{BytesRef, BytesStart, Event};
use quick_xml::Reader;

use super::edit::{spliced, Change, Site};
use super::error::{ModelError, ValueError};
use super::listing::{Instance, Kind, Listing, Place, Property, Referent, XmlPlace};
use super::options::Options;
use crate::wire::to_usize;

/// What a text in UTF-8 may begin with.
pub(super) const BOM: &[u8] = b"\xef\xbb\xbf";

/// An element that is open.
#[derive(Debug)]
enum Element {
    /// The outermost.
    Root,
    /// An instance.
    Item { instance: usize },
    /// The properties of an instance.
    Properties { instance: usize },
    /// A property that is wanted.
    Property(Box<OpenProperty>),
    /// The name of an instance.
    Name { instance: usize },
    /// Strings that properties share.
    SharedStrings,
    /// One of them.
    SharedString(Box<(BString, u64)>),
    /// Anything else.
    Other,
}

/// A property that is open: a text of many tags has many elements open, and few of these.
#[derive(Debug)]
struct OpenProperty {
    instance: usize,
    kind: Kind,
    start: u64,
    content: u64,
    is_shared: bool,
}

/// A property as it was found; its text is base64, or a key.
struct Found {
    instance: usize,
    kind: Kind,
    place: XmlPlace,
    text: BString,
}

struct Lister {
    options: Options,
    /// Whether there is more than may be listed.
    is_full: bool,
    open: Vec<Element>,
    /// The text of the property that is open.
    text: BString,
    listing: Listing,
    found: Vec<Found>,
    classes: HashMap<Vec<u8>, Arc<BString>>,
    /// The texts of shared strings, and where they stand.
    shared: HashMap<BString, (BString, u64)>,
    /// Where there is room for a property that an instance does not have.
    rooms: HashMap<usize, u64>,
}

/// What a file has; what comes before an error, if there is one.
pub(super) fn list(file: &[u8], options: &Options) -> Listing {
    let mut lister = Lister::new(*options);
    if let Err(error) = lister.read(file) {
        lister.listing.problems.push(error);
    }
    if lister.is_full {
        lister.listing.problems.push(ModelError::TooMany { limit: options.max_items });
    }
    lister.finish()
}

impl Lister {
    fn new(options: Options) -> Self {
        Lister {
            options,
            is_full: false,
            open: Vec::new(),
            text: BString::default(),
            listing: Listing::default(),
            found: Vec::new(),
            classes: HashMap::new(),
            shared: HashMap::new(),
            rooms: HashMap::new(),
        }
    }

    fn read(&mut self, file: &[u8]) -> Result<(), ModelError> {
        let text = file.strip_prefix(BOM).unwrap_or(file);
        let skipped = crate::wire::to_u64(file.len().saturating_sub(text.len()));
        let mut reader = Reader::from_reader(text);
        loop {
            let start = reader.buffer_position().saturating_add(skipped);
            let event = reader.read_event().map_err(|error| ModelError::Xml {
                offset: reader.error_position().saturating_add(skipped),
                reason: error.to_string(),
            })?;
            let end = reader.buffer_position().saturating_add(skipped);
            match event {
                Event::Start(tag) => self.open(&tag, start, end),
                Event::Empty(tag) => {
                    self.open(&tag, start, end);
                    self.close(start..end, None);
                }
                Event::End(_) => self.close(start..end, Some(start)),
                Event::Text(text) => self.take(text.as_bytes()),
                Event::CData(text) => self.take(text.as_bytes()),
                Event::GeneralRef(reference) => self.take(&resolved(&reference)),
                Event::Eof if self.open.is_empty() => return Ok(()),
                Event::Eof => {
                    return Err(ModelError::Xml { offset: end, reason: "the text ends within an element".to_owned() })
                }
                _ => {}
            }
        }
    }

    fn open(&mut self, tag: &BytesStart<'_>, start: u64, content: u64) {
        let element = match (self.open.last(), tag.name().as_ref()) {
            (None, _) => Element::Root,
            (Some(Element::Root | Element::Item { .. }), "Item") => self.item(tag),
            (Some(Element::Item { instance }), "Properties") => {
                let instance = *instance;
                self.rooms.entry(instance).or_insert(content);
                Element::Properties { instance }
            }
            (Some(Element::Properties { instance }), name) => {
                let instance = *instance;
                let property = attribute(tag, "name");
                match Kind::of(&property) {
                    Some(kind) => {
                        let is_shared = name == "SharedString";
                        Element::Property(Box::new(OpenProperty { instance, kind, start, content, is_shared }))
                    }
                    None if property == "Name" => Element::Name { instance },
                    None => Element::Other,
                }
            }
            (Some(Element::Root), "SharedStrings") => Element::SharedStrings,
            (Some(Element::SharedStrings), _) => Element::SharedString(Box::new((attribute(tag, "md5"), content))),
            _ => Element::Other,
        };
        self.text.clear();
        self.open.push(element);
    }

    fn item(&mut self, tag: &BytesStart<'_>) -> Element {
        if self.listing.instances.len() >= self.options.max_items {
            self.is_full = true;
            return Element::Other;
        }
        let class = attribute(tag, "class");
        let class = self.classes.entry(class.to_vec()).or_insert_with(|| Arc::new(class)).clone();
        let parent = match self.open.last() {
            Some(Element::Item { instance }) => Some(*instance),
            _ => None,
        };
        let referent = Referent::Text(attribute(tag, "referent"));
        self.listing.instances.push(Instance { class, referent, name: BString::default(), parent });
        Element::Item { instance: self.listing.instances.len().saturating_sub(1) }
    }

    fn take(&mut self, text: &[u8]) {
        let is_wanted =
            matches!(self.open.last(), Some(Element::Property(_) | Element::Name { .. } | Element::SharedString(_)));
        if is_wanted {
            self.text.extend_from_slice(text);
        }
    }

    /// The element opened last ends with `tag`; its content ends before `until`, unless it has only one tag.
    fn close(&mut self, tag: Range<u64>, until: Option<u64>) {
        let text = std::mem::take(&mut self.text);
        match self.open.pop() {
            Some(Element::Property(open)) => {
                let OpenProperty { instance, kind, start, content, is_shared } = *open;
                let content = until.map(|until| content..until);
                let place = XmlPlace { element: start..tag.end, content, is_shared };
                let is_wanted = self.options.empty || !text.trim_ascii().is_empty();
                let is_full = self.found.len() >= self.options.max_items;
                self.is_full |= is_wanted && is_full;
                if is_wanted && !is_full {
                    self.found.push(Found { instance, kind, place, text });
                }
            }
            Some(Element::Name { instance }) => {
                if let Some(instance) = self.listing.instances.get_mut(instance) {
                    instance.name = text;
                }
            }
            Some(Element::SharedString(open)) => {
                let (key, content) = *open;
                self.shared.entry(key).or_insert((text, content));
            }
            _ => {}
        }
    }

    fn finish(self) -> Listing {
        let Lister { options, mut listing, found, shared, .. } = self;
        for Found { instance, kind, place, text } in found {
            let bytes = match (place.is_shared, shared.get(text.trim_ascii().as_bstr())) {
                (true, Some((text, content))) => unarmoured(text, *content),
                (true, None) => Err(ValueError::SharedString(text)),
                (false, _) => {
                    unarmoured(&text, place.content.as_ref().map_or(place.element.start, |content| content.start))
                }
            };
            if options.empty || !bytes.as_ref().is_ok_and(|bytes| bytes.is_empty()) {
                listing.properties.push(Property { instance, kind, place: Place::Xml(place), bytes });
            }
        }
        if !options.all_instances {
            listing.without_others();
        }
        listing
    }
}

/// The value of an attribute, without its entities resolved: those that matter have none.
fn attribute(tag: &BytesStart<'_>, name: &str) -> BString {
    let mut attributes = tag.attributes();
    let found = attributes.with_checks(false).flatten().find(|attribute| attribute.key.as_ref() == name);
    found.map(|attribute| attribute.value.into_owned().into()).unwrap_or_default()
}

/// What a reference to a character stands for: itself, if nothing is known of it.
fn resolved(reference: &BytesRef<'_>) -> Vec<u8> {
    let mut bytes = [0; 4];
    if let Ok(Some(char)) = reference.resolve_char_ref() {
        return char.encode_utf8(&mut bytes).as_bytes().to_owned();
    }
    match resolve_predefined_entity(reference) {
        Some(text) => text.as_bytes().to_owned(),
        None => format!("&{};", &**reference).into_bytes(),
    }
}

/// The bytes of a text in base64 that begins at `offset`.
fn unarmoured(text: &[u8], offset: u64) -> Result<BString, ValueError> {
    let digits: Vec<u8> = text.iter().copied().filter(|byte| !byte.is_ascii_whitespace()).collect();
    BASE64.decode(&digits).map(BString::from).map_err(|_| ValueError::Base64 { offset })
}

/// Characters of base64 on a line, where there are several.
const LINE: usize = 72;

/// Bytes as Studio writes them: base64, if long in lines within CDATA.
fn armoured(bytes: &[u8]) -> Vec<u8> {
    let digits = BASE64.encode(bytes).into_bytes();
    if digits.len() <= LINE {
        return digits;
    }
    let lines: Vec<&[u8]> = digits.chunks(LINE).collect();
    [b"<![CDATA[", &lines.join(&b'\n')[..], b"]]>"].concat()
}

/// The bytes of the file with the changes made, or those it has.
pub(super) fn edit<'f>(file: &'f [u8], changes: &[Change<'_>], options: &Options) -> Result<Cow<'f, [u8]>, ModelError> {
    let mut lister = Lister::new(options.empty(true).all_instances(true));
    lister.read(file)?;
    if lister.is_full {
        return Err(ModelError::TooMany { limit: options.max_items });
    }
    let rooms = std::mem::take(&mut lister.rooms);
    let listing = lister.finish();
    let items = listing.instances.iter().enumerate().rev().map(|(index, instance)| (&instance.referent, index));
    let items: HashMap<&Referent, usize> = items.collect();
    let mut pieces: Vec<(Range<usize>, Vec<u8>)> = Vec::new();
    for change in changes {
        let property = match &change.site {
            Site::Element { element } => {
                let is_it =
                    |property: &&Property| matches!(&property.place, Place::Xml(place) if place.element == *element);
                let found = listing.properties.iter().find(is_it);
                Some(
                    found.ok_or_else(|| {
                        ModelError::NoPlace(format!("there is no property at byte {:#x}", element.start))
                    })?,
                )
            }
            Site::Item { referent, kind } => {
                let instance = items.get(&Referent::Text(referent.clone())).copied();
                let instance =
                    instance.ok_or_else(|| ModelError::NoPlace(format!("there is no instance {referent}")))?;
                let property = listing.property(instance, *kind);
                if property.is_none() && !change.bytes.is_empty() {
                    let room = rooms.get(&instance).copied();
                    let room =
                        room.ok_or_else(|| ModelError::NoPlace(format!("instance {referent} has no properties")))?;
                    pieces.push(new_element(file, to_usize(room), *kind, change.bytes)?);
                }
                property
            }
            _ => return Err(ModelError::NoPlace("the file is in XML".to_owned())),
        };
        if let Some(property) = property {
            // the same bytes keep their text
            if property.bytes.as_ref().map(|bytes| &bytes[..]) != Ok(change.bytes) {
                pieces.extend(element(file, property, change.bytes));
            }
        }
    }
    let mut starts = HashSet::new();
    if !pieces.iter().filter(|(range, _)| !range.is_empty()).all(|(range, _)| starts.insert(range.start)) {
        return Err(ModelError::NoPlace("a property is changed twice".to_owned()));
    }
    Ok(spliced(file, pieces))
}

/// What takes the place of a property, or of its content.
fn element(file: &[u8], property: &Property, bytes: &[u8]) -> Option<(Range<usize>, Vec<u8>)> {
    let Place::Xml(place) = &property.place else { return None };
    let range = |range: &Range<u64>| to_usize(range.start)..to_usize(range.end);
    let text = armoured(bytes);
    match &place.content {
        Some(content) if !place.is_shared => Some((range(content), text)),
        None if !place.is_shared => {
            // `<name …/>`
            let tag = file.get(range(&place.element))?.strip_suffix(b"/>")?.trim_ascii_end();
            let name = tag.strip_prefix(b"<")?.split(u8::is_ascii_whitespace).next()?;
            Some((range(&place.element), [tag, b">", &text, b"</", name, b">"].concat()))
        }
        _ => Some((range(&place.element), whole_element(property.kind, &text))),
    }
}

fn whole_element(kind: Kind, text: &[u8]) -> Vec<u8> {
    let name = kind.name().as_bytes();
    [b"<BinaryString name=\"", name, b"\">", text, b"</BinaryString>"].concat()
}

/// A property behind the tag that opens all properties, with the whitespace that follows that.
fn new_element(file: &[u8], room: usize, kind: Kind, bytes: &[u8]) -> Result<(Range<usize>, Vec<u8>), ModelError> {
    let behind = file.get(room..).unwrap_or_default();
    if file.get(..room).is_some_and(|before| before.ends_with(b"/>")) {
        return Err(ModelError::NoPlace("the instance has no properties at all".to_owned()));
    }
    let space = behind.len().saturating_sub(behind.trim_ascii_start().len());
    let space = behind.get(..space).unwrap_or_default();
    // before the tag that closes, one step less is indented
    let space = if behind.trim_ascii_start().starts_with(b"</") { [space, b"\t"].concat() } else { space.to_owned() };
    Ok((room..room, [&space[..], &whole_element(kind, &armoured(bytes))].concat()))
}

#[cfg(test)]
mod tests {
    use super::*;
    use pretty_assertions::assert_eq;

    const FILE: &str = r#"<roblox version="4">
  <Item class="Folder" referent="A"><Properties>
    <BinaryString name="AttributesSerialize"><![CDATA[AQAA
AAIA]]>AABP bgMB</BinaryString>
    <string name="Name">a &amp; &#98;&lt;<![CDATA[<c>]]>&other;</string>
    <Other name="Tags"/>
  </Properties>
  <Item class="StyleRule" referent="B"><Properties>
    <SharedString name="PropertiesSerialize">KEY</SharedString>
    <BinaryString name="Tags">####</BinaryString>
    <Vector3 name="Name2"><X>1</X><Item/></Vector3>
  </Properties></Item>
  </Item>
  <Item class="Model" referent="C"><Properties></Properties></Item>
  <SharedStrings><SharedString md5="KEY">AAAAAA==</SharedString></SharedStrings>
</roblox>"#;

    #[test]
    fn properties_are_found_wherever_they_are() {
        let listing = list(FILE.as_bytes(), &Options::new().empty(true).all_instances(true));
        assert!(listing.problems.is_empty(), "{:?}", listing.problems);
        let found: Vec<_> = listing.properties.iter().map(|found| (found.kind, found.bytes.clone())).collect();
        let offset = u64::try_from(FILE.find("####").unwrap()).unwrap();
        assert_eq!(
            found,
            [
                (Kind::AttributesSerialize, Ok(b"\x01\0\0\0\x02\0\0\0On\x03\x01".into())),
                (Kind::Tags, Ok(b"".into())),
                (Kind::PropertiesSerialize, Ok([0; 4].into())),
                (Kind::Tags, Err(ValueError::Base64 { offset })),
            ],
        );
        let paths: Vec<_> = (0..3).map(|index| listing.path(index).to_string()).collect();
        assert_eq!(paths, ["a & b<<c>&other;", "a & b<<c>&other;.", ""]);
        assert_eq!(listing.find("#B".into()), [1]);
        let others = list(FILE.as_bytes(), &Options::new());
        assert_eq!((others.instances.len(), others.properties.len()), (2, 3));
    }

    #[test]
    fn no_more_is_listed_than_may_be() {
        let options = Options::new().empty(true).all_instances(true);
        for (limit, instances, properties, is_full) in [(0, 0, 0, true), (2, 2, 2, true), (4, 3, 4, false)] {
            let listing = list(FILE.as_bytes(), &options.max_items(limit));
            assert_eq!((listing.instances.len(), listing.properties.len()), (instances, properties), "{limit}");
            let told = matches!(listing.problems[..], [ModelError::TooMany { limit: told }] if told == limit);
            assert_eq!((told, listing.problems.len()), (is_full, usize::from(is_full)), "{limit}");
            assert_eq!(edit(FILE.as_bytes(), &[], &options.max_items(limit)).is_err(), is_full, "{limit}");
        }
    }

    #[test]
    fn only_what_changes_changes() {
        let listing = list(FILE.as_bytes(), &Options::new().empty(true).all_instances(true));
        let [on, tags, shared, broken] = &listing.properties[..] else { panic!("there are others") };
        let edited = |changes: &[Change<'_>]| {
            let edited = edit(FILE.as_bytes(), changes, &Options::new()).unwrap();
            String::from_utf8(edited.into_owned()).unwrap()
        };
        assert_eq!(edited(&[Change::of(on, b"\x01\0\0\0\x02\0\0\0On\x03\x01"), Change::of(tags, b"")]), FILE);
        let expected = FILE.replace("<Other name=\"Tags\"/>", "<Other name=\"Tags\">YQBi</Other>");
        assert_eq!(edited(&[Change::of(tags, b"a\0b")]), expected);
        let own = "<BinaryString name=\"PropertiesSerialize\">/w==</BinaryString>";
        let expected = FILE.replace("<SharedString name=\"PropertiesSerialize\">KEY</SharedString>", own);
        assert_eq!(edited(&[Change::of(shared, b"\xff")]), expected);
        assert_eq!(edited(&[Change::of(broken, b"")]), FILE.replace("####", ""));
        let new = "<Properties><BinaryString name=\"Tags\">YQ==</BinaryString></Properties>";
        let change = Change::of_instance(&listing.instances[2], Kind::Tags, b"a");
        assert_eq!(edited(&[change]), FILE.replace("<Properties></Properties>", &new.replace("><B", ">\t<B")));
    }

    #[test]
    fn long_values_are_written_in_lines() {
        assert_eq!(armoured(&[0; 54]).len(), 72);
        let long = String::from_utf8(armoured(&[0; 55])).unwrap();
        assert_eq!(long, format!("<![CDATA[{}\nAA==]]>", "A".repeat(72)));
    }

    #[test]
    fn broken_text_keeps_what_comes_before() {
        let cut = FILE.find("<SharedString name").unwrap();
        for (text, reason) in [
            (FILE[..cut].to_owned(), "the text ends within an element"),
            (FILE.replace("</string>", "</strin>"), "ill-formed"),
        ] {
            let listing = list(text.as_bytes(), &Options::new());
            assert_eq!(listing.properties.len(), 1);
            let message = listing.problems[0].to_string();
            assert!(message.contains(reason), "{message}");
            assert!(edit(text.as_bytes(), &[], &Options::new()).is_err());
        }
    }
}
