//! Editing the properties of a file.

use std::borrow::Cow;
use std::io::{Cursor, Read, Seek, Write};

use super::binary::Store;
use super::change::{Change, Edits, Piece};
use super::error::ModelError;
use super::listing::Made;
use super::options::Options;
use super::window::Window;
use super::{binary, list_bytes, xml, FileKind};
use enginewire::number::to_u64;

/// The file with these pieces replaced, which are in the order of the file.
fn spliced<'f>(file: &'f [u8], pieces: Vec<Piece>, options: &Options) -> Result<Cow<'f, [u8]>, ModelError> {
    if pieces.is_empty() {
        return Ok(Cow::Borrowed(file));
    }
    let size = pieces
        .iter()
        .fold(file.len(), |size, (range, piece)| size.saturating_sub(range.len()).saturating_add(piece.len()));
    let held = pieces.iter().fold(size, |held, (_, piece)| held.saturating_add(piece.capacity()));
    options.budget().room_for(held)?;
    let mut bytes = Vec::with_capacity(size);
    let mut done = 0;
    for (range, piece) in pieces {
        bytes.extend_from_slice(file.get(done..range.start).unwrap_or_default());
        bytes.extend_from_slice(&piece);
        done = range.end;
    }
    bytes.extend_from_slice(file.get(done..).unwrap_or_default());
    Ok(Cow::Owned(bytes))
}

/// Lists both files, and fails if they differ in anything but these values.
fn verify(file: &[u8], changed: &[u8], made: &[Made], options: &Options) -> Result<(), ModelError> {
    let options = options.taken(changed.len());
    let summary = |bytes: &[u8], options: &Options| {
        let mut listing = list_bytes(bytes, &options.all_instances(true).empty(false))?;
        match listing.problems.iter().position(ModelError::is_of_limit) {
            // what was not listed cannot be compared
            Some(place) => Err(listing.problems.swap_remove(place)),
            None => Ok(listing.summary(options.budget())?),
        }
    };
    let expected = summary(file, &options)?.with(made);
    if summary(changed, &options.taken(expected.memory()))? != expected {
        return Err(ModelError::NotOnly);
    }
    Ok(())
}

/// The file with new bytes for some properties. If nothing changes, this is the file itself.
///
/// In an XML file only the elements of these properties change, in a binary file only the chunks with their values; `store`
/// determines how these chunks are compressed. A property that was a shared string becomes an ordinary one, and so do the
/// others in its chunk. The changed file is listed again: any difference from the file except the changes is an error.
///
/// ```
/// use enginewire::roblox::attributes::Options as AttributeOptions;
/// use enginewire_files::roblox::model::{edit, list_bytes, Change, Options, Store};
///
/// let file = br#"<roblox version="4"><Item class="Folder" referent="A"><Properties>
/// <BinaryString name="AttributesSerialize">AQAAAAIAAABPbgMB</BinaryString><string name="Name">Torch</string>
/// </Properties></Item></roblox>"#;
/// let listing = list_bytes(file, &Options::new())?;
/// let property = listing.properties().next().unwrap();
/// assert_eq!(listing.path(property.instance), "Torch");
///
/// let mut attributes = property.decode(&AttributeOptions::new())?;
/// attributes.insert("On", false);
/// let bytes = property.kind.encode(&attributes, &AttributeOptions::new())?;
/// let changed = edit(file, &[Change::of(&property, &bytes)], Store::AsBefore, &Options::new())?;
/// assert_eq!(changed.as_ref(), String::from_utf8_lossy(file).replace("AQAAAAIAAABPbgMB", "AQAAAAIAAABPbgMA").as_bytes());
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
///
/// # Errors
///
/// If the file cannot be read, a property is missing or is changed twice, or the changed file would differ in anything else.
pub fn edit<'f>(
    file: &'f [u8],
    changes: &[Change<'_>],
    store: Store,
    options: &Options,
) -> Result<Cow<'f, [u8]>, ModelError> {
    let Edits { pieces, made } = match FileKind::of(file) {
        Some(FileKind::Binary) => binary::edit(file, changes, store, options)?,
        Some(FileKind::Xml) => xml::edit(&mut Window::open(Cursor::new(file))?, changes, options)?,
        None => return Err(ModelError::NotAModel),
    };
    let changed = spliced(file, pieces, options)?;
    if let Cow::Owned(changed) = &changed {
        verify(file, changed, &made, options)?;
    }
    Ok(changed)
}

/// Writes the file with new bytes for some properties. Of a binary file of any size, only one chunk is in memory at a time,
/// and the chunks that do not change are copied.
///
/// The changes and the resulting bytes are those of [`edit()`]. Each changed chunk is unpacked again and compared before it
/// is written. That takes a little more memory than twice its data, or up to four times its data if it was zstd; everything
/// else takes less than 1 MiB. [`Options::max_memory`] limits all of this, and must have room for three times the data, or
/// four. Of an XML file, one piece and the places of all instances are in memory, and each new element is read again before
/// it is written.
///
/// All properties are found before anything is written. After an error of another kind, a part of the file may be written. The
/// writer must be another file than the reader.
///
/// ```
/// use std::io::Cursor;
/// use enginewire_files::roblox::model::{edit_to, list, Options, Store};
///
/// let file = std::fs::read("../../fixtures/roblox-model/tags.rbxm")?;
/// let mut reader = Cursor::new(&file); // a File; a buffer is not needed
/// let listing = list(&mut reader, &Options::new())?;
/// let mut changes = Vec::new();
/// for instance in listing.instances_with_tag("My") {
///     let mut tags = listing.tags_of(instance)?;
///     tags.add("Lamp")?;
///     changes.push(listing.set_tags(instance, &tags)?);
/// }
/// let mut changed = Vec::new(); // a File, a socket, …
/// edit_to(reader, &mut changed, &changes, Store::AsBefore, &Options::new())?;
/// assert!(changed.len() > file.len());
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
///
/// # Errors
///
/// As for [`edit()`], or if writing fails.
pub fn edit_to<R: Read + Seek, W: Write>(
    file: R,
    mut writer: W,
    changes: &[Change<'_>],
    store: Store,
    options: &Options,
) -> Result<(), ModelError> {
    let mut file = Window::open(file)?;
    match FileKind::of(file.view(0, to_u64(FileKind::HEAD))?) {
        Some(FileKind::Binary) => binary::edit_to(file, &mut writer, changes, store, options)?,
        Some(FileKind::Xml) => xml::edit_to(&mut file, &mut writer, changes, options)?,
        None => return Err(ModelError::NotAModel),
    }
    Ok(writer.flush()?)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::roblox::model::kind::Kind;
    use bstr::ByteSlice;

    fn file(tags: &str, name: &str) -> Vec<u8> {
        let properties = format!("<S name=\"Tags\">{tags}</S><string name=\"Name\">{name}</string>");
        format!("<roblox ><Item class=\"A\" referent=\"R\"><Properties>{properties}</Properties></Item></roblox>")
            .into()
    }

    /// A change that changes more than it claims is detected.
    #[test]
    fn only_what_was_to_change_may_differ() {
        let options = Options::new();
        let made = |old: &[u8], new| [Made::new(0, Kind::Tags, &Ok(old.into()), new)];
        let verified = |changed: &[u8], made: &[Made]| match verify(&file("YQ==", "n"), changed, made, &options) {
            Ok(()) => true,
            Err(ModelError::NotOnly) => false,
            Err(error) => panic!("{error}"),
        };
        let as_meant = file("Yg==", "n");
        assert!(verified(&as_meant, &made(b"a", b"b")));
        assert!(verified(&file("YQ==", "n"), &[]));
        assert!(!verified(&as_meant, &[]));
        assert!(!verified(&as_meant, &made(b"a", b"c")));
        assert!(!verified(&as_meant, &made(b"x", b"b")));
        assert!(!verified(&file("Yg==", "m"), &made(b"a", b"b")));
        assert!(!verified(&file("YQ==", "n"), &made(b"a", b"b")));
        assert!(verified(&file("", "n"), &made(b"a", b"")));
        // another referent
        assert!(!verified(&as_meant.replace("\"R\"", "\"Q\""), &made(b"a", b"b")));
    }

    #[test]
    fn what_both_files_take_is_counted() {
        let (file, changed) = (file("YQ==", "n"), file("Yg==", "n"));
        let made = [Made::new(0, Kind::Tags, &Ok("a".into()), b"b")];
        let within = |limit| verify(&file, &changed, &made, &Options::new().max_memory(limit)).is_ok();
        let least = (0..20_000).find(|limit| within(*limit)).unwrap();
        assert!(least > changed.len() + 500, "{least}");
        assert!((least..least + 300).all(within));
    }
}
