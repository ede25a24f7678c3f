//! Places that are far larger than the memory for them.

use std::fs::File;
use std::io::{Cursor, Read, Seek, SeekFrom, Write};

use allocation_counter::measure;
use bstr::BStr;
use enginewire::wire::generate_into;
use enginewire_files::roblox::model::binary::{
    gen_chunk, gen_header, gen_string_prop, Chunk, ChunkHeader, ChunkName, Compression, Header, PropHead, StringProp,
};
use enginewire_files::roblox::model::{
    edit_to, list_bytes, list_file, Change, InstancePlace, Kind, Listing, Options, Store, ValueError,
};

/// A file that is generated while it is read. Each part is some bytes, followed by a number of bytes of [`PATTERN`].
#[derive(Clone, Default)]
struct Made {
    parts: Vec<(Vec<u8>, u64)>,
    at: u64,
}

impl Made {
    fn length(&self) -> u64 {
        self.parts.iter().map(|(bytes, more)| bytes.len() as u64 + more).sum()
    }

    fn add(&mut self, bytes: Vec<u8>, more: u64) {
        self.parts.push((bytes, more));
    }

    /// A chunk that is not compressed: `data`, and more.
    fn chunk(&mut self, name: ChunkName, data: &[u8], more: u64) {
        let length = u32::try_from(data.len() as u64 + more).unwrap();
        let header = ChunkHeader { name, compressed_length: 0, length };
        let mut bytes = Vec::new();
        generate_into(gen_chunk(&Chunk { header, body: data }), &mut bytes).unwrap();
        self.add(bytes, more);
    }
}

/// The bytes that fill a file.
static PATTERN: [u8; 1 << 16] = [7; 1 << 16];

impl Read for Made {
    fn read(&mut self, room: &mut [u8]) -> std::io::Result<usize> {
        let mut at = self.at;
        for (bytes, more) in &self.parts {
            let source = match (at as usize) < bytes.len() {
                true => &bytes[at as usize..],
                false => &PATTERN[..PATTERN.len().min((bytes.len() as u64 + more).saturating_sub(at) as usize)],
            };
            if !source.is_empty() {
                let count = source.len().min(room.len());
                room[..count].copy_from_slice(&source[..count]);
                self.at += count as u64;
                return Ok(count);
            }
            at -= bytes.len() as u64 + more;
        }
        Ok(0)
    }
}

impl Seek for Made {
    fn seek(&mut self, to: SeekFrom) -> std::io::Result<u64> {
        self.at = match to {
            SeekFrom::Start(at) => at,
            SeekFrom::End(more) => self.length().checked_add_signed(more).unwrap(),
            SeekFrom::Current(more) => self.at.checked_add_signed(more).unwrap(),
        };
        Ok(self.at)
    }
}

/// A writer that compares.
struct Expected {
    file: Made,
    piece: Vec<u8>,
}

impl Expected {
    fn new(file: Made) -> Self {
        Expected { file, piece: vec![0; 1 << 16] }
    }
}

impl Write for Expected {
    fn write(&mut self, bytes: &[u8]) -> std::io::Result<usize> {
        let count = bytes.len().min(self.piece.len());
        let at = self.file.at;
        self.file.read_exact(&mut self.piece[..count])?;
        assert!(bytes[..count] == self.piece[..count], "the {count} bytes from {at} on");
        Ok(count)
    }

    fn flush(&mut self) -> std::io::Result<()> {
        Ok(())
    }
}

/// The start of the data of an INST chunk.
fn inst(class: u32, name: &str, count: u32) -> Vec<u8> {
    let length = name.len() as u32;
    [&class.to_le_bytes()[..], &length.to_le_bytes(), name.as_bytes(), &[0], &count.to_le_bytes()].concat()
}

/// The data of the tags of the folders.
fn tags(values: &[Vec<u8>]) -> Vec<u8> {
    let head = PropHead { class_id: 1, name: BStr::new("Tags").into() };
    let values = values.iter().map(|value| BStr::new(value).into()).collect();
    let mut data = Vec::new();
    generate_into(gen_string_prop(&StringProp { head, values }), &mut data).unwrap();
    data
}

/// The number of parts for this many bytes of filling. Each takes 4 bytes of the INST chunk.
fn parts(filling: u64) -> u32 {
    (filling / 8) as u32
}

/// The location of folder number `index` in such a place. Its INST chunk is after that of the parts.
fn folder(filling: u64, index: u32) -> InstancePlace {
    let before = 32 + 16 + inst(0, "Part", 0).len() as u64 + u64::from(parts(filling)) * 4;
    InstancePlace { offset: before, index: Some(index) }
}

/// A place with parts without tags, chunks of other properties, and folders with these tags. The bytes `added`, such as a chunk,
/// come after the tags.
fn place(filling: u64, values: &[Vec<u8>], before: Compression, added: &[u8]) -> Made {
    let parts = parts(filling);
    let mut file = Made::default();
    let mut header = Vec::new();
    let counts = Header { version: 0, class_count: 2, instance_count: (parts as usize + values.len()) as i32 };
    generate_into(gen_header(counts), &mut header).unwrap();
    file.add(header, 0);
    file.chunk(ChunkName::INST, &inst(0, "Part", parts), u64::from(parts) * 4);
    file.chunk(ChunkName::INST, &inst(1, "Folder", values.len() as u32), values.len() as u64 * 4);
    let other = b"\0\0\0\0\x04\0\0\0Size\x0e";
    for _ in 0..filling / 2 / (4 << 20) {
        file.chunk(ChunkName::PROP, other, 4 << 20);
    }
    let mut chunk = Vec::new();
    generate_into(gen_chunk(&Store::AsBefore.pack(ChunkName::PROP, tags(values), before).unwrap()), &mut chunk)
        .unwrap();
    file.add(chunk, 0);
    file.chunk(ChunkName::PROP, other, 1 << 20);
    file.add(added.to_vec(), 0);
    file.chunk(ChunkName::PRNT, b"\0", u64::from(parts) * 8);
    file.chunk(ChunkName::END, b"</roblox>", 0);
    file
}

/// Tags of this many folders, with this many bytes in total.
fn values(count: usize, bytes: usize) -> Vec<Vec<u8>> {
    (0..count).map(|number| number.to_string().into_bytes().repeat(bytes / count / 6)).collect()
}

/// Changes a value. Returns the peak memory of the edit.
fn peak(filling: u64, values: &[Vec<u8>], before: Compression) -> u64 {
    let file = place(filling, values, before, b"");
    let mut changed = values.to_vec();
    changed[3] = b"Lamp".to_vec();
    let mut expected = Expected::new(place(filling, &changed, before, b""));
    let change = [Change::at(folder(filling, 3), Kind::Tags, b"Lamp")];
    let edited = || edit_to(file, &mut expected, &change, Store::AsBefore, &Options::new()).unwrap();
    let peak = measure(edited).bytes_max;
    assert_eq!(expected.file.at, expected.file.length(), "all of it is written");
    peak
}

/// The memory is that of the chunk that changes.
#[test]
fn a_place_of_any_size_is_edited_in_little_memory() {
    for before in [Compression::None, Compression::Lz4] {
        for bytes in [100_000, 4 << 20] {
            let values = values(1000, bytes);
            let chunk = tags(&values).len() as u64;
            let [small, large] = [16 << 20, 96 << 20].map(|filling| peak(filling, &values, before));
            println!("{chunk} bytes in {}: {small} and {large} bytes of memory", before.name());
            assert!(large <= 3 * chunk + (1 << 20), "{large} for {chunk}");
            assert!(large <= small + (1 << 16), "{small} and {large}");
            assert!(large <= chunk + (64 << 20));
        }
    }
}

/// So is that of a chunk that is added.
#[test]
fn a_property_is_added_in_little_memory() {
    let values = values(1000, 100_000);
    let file = place(64 << 20, &values, Compression::None, b"");
    let change = [Change::at(folder(64 << 20, 1), Kind::AttributesSerialize, b"new")];
    let mut data = b"\x01\0\0\0\x13\0\0\0AttributesSerialize\x01\0\0\0\0\x03\0\0\0new".to_vec();
    data.resize(data.len() + 998 * 4, 0);
    let mut chunk = Vec::new();
    generate_into(gen_chunk(&Store::Raw.pack(ChunkName::PROP, data, Compression::None).unwrap()), &mut chunk).unwrap();
    let mut expected = Expected::new(place(64 << 20, &values, Compression::None, &chunk));
    let edited = || edit_to(file, &mut expected, &change, Store::AsBefore, &Options::new()).unwrap();
    let peak = measure(edited).bytes_max;
    assert_eq!(expected.file.at, expected.file.length(), "all of it is written");
    assert!(peak <= 1 << 20, "{peak}");
}

/// The memory for the places below, whose attributes take half of it.
const LITTLE: usize = 4 << 20;

/// A place of folders with these bytes as attributes. No two of them are equal.
fn dense(values: &[Vec<u8>], before: Compression) -> Vec<u8> {
    let count = values.len() as u32;
    let mut file = Vec::new();
    let counts = Header { version: 0, class_count: 1, instance_count: count as i32 };
    generate_into(gen_header(counts), &mut file).unwrap();
    let prop = |name: &str, values: &[Vec<u8>]| {
        let head = PropHead { class_id: 1, name: BStr::new(name).into() };
        let values = values.iter().map(|value| BStr::new(value).into()).collect();
        let mut data = Vec::new();
        generate_into(gen_string_prop(&StringProp { head, values }), &mut data).unwrap();
        data
    };
    let names: Vec<_> = (0..values.len()).map(|number| format!("Folder{number}").into_bytes()).collect();
    // the first referent is 0, and each next is one more
    let mut referents = vec![0; 4 * values.len()];
    referents[3 * values.len() + 1..].fill(2);
    for (name, data, before) in [
        (ChunkName::INST, [inst(1, "Folder", count), referents].concat(), Compression::Lz4),
        (ChunkName::PROP, prop("Name", &names), Compression::Lz4),
        (ChunkName::PROP, prop("AttributesSerialize", values), before),
        (ChunkName::END, b"</roblox>".to_vec(), Compression::None),
    ] {
        generate_into(gen_chunk(&Store::AsBefore.pack(name, data, before).unwrap()), &mut file).unwrap();
    }
    file
}

fn dense_values() -> Vec<Vec<u8>> {
    (0..5000).map(|number| if number % 7 == 3 { Vec::new() } else { format!("{number:0450}").into_bytes() }).collect()
}

fn file_of(bytes: &[u8]) -> (tempfile::NamedTempFile, File) {
    let file = tempfile::NamedTempFile::new().unwrap();
    std::fs::write(file.path(), bytes).unwrap();
    let opened = File::open(file.path()).unwrap();
    (file, opened)
}

fn values_of(listing: &Listing) -> Vec<Vec<u8>> {
    listing.properties().map(|property| listing.read(&property).unwrap().to_vec()).collect()
}

/// Values that do not fit into the memory are read when they are requested, in any order.
#[test]
fn values_are_read_when_they_are_asked_for() {
    let (values, little) = (dense_values(), Options::new().max_memory(LITTLE).empty(true));
    for before in [Compression::None, Compression::Lz4] {
        let bytes = dense(&values, before);
        let refused = list_bytes(&bytes, &little).unwrap();
        assert!(refused.problems.iter().any(|problem| problem.is_of_limit()));
        let (_file, opened) = file_of(&bytes);
        let mut listing = None;
        let peak = measure(|| listing = Some(list_file(opened, &little).unwrap())).bytes_max;
        assert!(peak <= LITTLE as u64, "{peak}");
        let (listing, whole) = (listing.unwrap(), list_bytes(&bytes, &Options::new().empty(true)).unwrap());
        assert!(listing.problems.is_empty() && listing.instances().eq(whole.instances()));
        for (found, kept) in listing.properties().zip(whole.properties()) {
            assert_eq!((found.instance, found.kind, found.place), (kept.instance, kept.kind, kept.place));
            let length = kept.bytes.unwrap().len() as u32;
            assert_eq!(found.bytes.err(), (length > 0).then_some(ValueError::Later { length }));
        }
        assert!(values_of(&listing) == values);
        for index in [4999, 0, 2500, 2500, 2499] {
            let property = listing.property(index, Kind::AttributesSerialize).unwrap();
            assert!(*listing.read(&property).unwrap() == *values[index]);
            listing.with_bytes(property, |property| assert!(property.bytes == Ok(BStr::new(&values[index]))));
        }
        let some = list_file(file_of(&bytes).1, &little.empty(false)).unwrap();
        assert!(values_of(&some).iter().eq(values.iter().filter(|value| !value.is_empty())));
    }
}

/// Such a chunk has the same error as one that is kept, and the same other values are listed.
#[test]
fn what_is_broken_is_told_as_if_it_was_kept() {
    let bytes = dense(&dense_values(), Compression::None);
    let at = bytes.windows(4).position(|window| window == b"0042").unwrap();
    // the length before a value, and bytes after the last value
    for (place, new) in [(at / 454 * 454, 0xff), (bytes.len() - 16 - 9 - 454, 1)] {
        let mut bytes = bytes.clone();
        bytes[place..place + 4].fill(new);
        let listing = list_file(file_of(&bytes).1, &Options::new().max_memory(LITTLE)).unwrap();
        let whole = list_bytes(&bytes, &Options::new()).unwrap();
        let problems = |listing: &Listing| listing.problems.iter().map(ToString::to_string).collect::<Vec<_>>();
        assert_eq!(problems(&listing), problems(&whole));
        assert_eq!(listing.properties().len(), whole.properties().len());
    }
}

#[test]
fn a_file_that_changes_is_not_misread() {
    let values = dense_values();
    let bytes = dense(&values, Compression::None);
    let (file, opened) = file_of(&bytes);
    let listing = list_file(opened, &Options::new().max_memory(LITTLE)).unwrap();
    let last = listing.properties().last().unwrap();
    std::fs::write(file.path(), &bytes[..bytes.len() / 2]).unwrap();
    assert!(matches!(listing.read(&last), Err(ValueError::Again(_))));
    let mut other = bytes.clone();
    let length = bytes.len() - 16 - 9 - 454;
    other[length] = 7;
    std::fs::write(file.path(), &other).unwrap();
    assert!(matches!(listing.read(&last), Err(ValueError::Again(_))), "{:?}", listing.read(&last));
}

/// The new chunk is one LZ4 block as before, with the changes and nothing else changed.
#[test]
fn values_are_changed_where_there_is_no_room_for_all() {
    let mut values = dense_values();
    let bytes = dense(&values, Compression::Lz4);
    let listing = list_bytes(&bytes, &Options::new().empty(true)).unwrap();
    let new = [(3, b"Lamp".to_vec()), (77, Vec::new()), (4999, vec![b'x'; 100_000])];
    let changes: Vec<_> = new
        .iter()
        .map(|(index, bytes)| {
            Change::of_instance(&listing.instance(*index).unwrap(), Kind::AttributesSerialize, &bytes[..])
        })
        .collect();
    for (index, bytes) in &new {
        values[*index] = bytes.clone();
    }
    let mut changed = Vec::new();
    let little = Options::new().max_memory(LITTLE);
    edit_to(Cursor::new(&bytes), &mut changed, &changes, Store::AsBefore, &little).unwrap();
    let after = list_bytes(&changed, &Options::new().empty(true)).unwrap();
    assert!(after.problems.is_empty() && after.instances().eq(listing.instances()));
    assert!(values_of(&after) == values);
    assert!(changed.len() < bytes.len() + bytes.len() / 8, "{} and {}", changed.len(), bytes.len());
    // what stays as it is, is not packed anew
    let mut same = Vec::new();
    let again = Change::of_instance(&after.instance(3).unwrap(), Kind::AttributesSerialize, b"Lamp");
    edit_to(Cursor::new(&changed), &mut same, &[again], Store::AsBefore, &little).unwrap();
    assert!(same == changed);
}
