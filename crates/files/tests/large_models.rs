//! Editing a place that is far larger than the memory for it.

use std::io::{Read, Seek, SeekFrom, Write};

use allocation_counter::measure;
use bstr::BStr;
use enginewire::wire::generate_into;
use enginewire_files::roblox::model::binary::{
    gen_chunk, gen_header, gen_string_prop, Chunk, ChunkHeader, ChunkName, Compression, Header, PropHead, StringProp,
};
use enginewire_files::roblox::model::{edit_to, Change, InstancePlace, Kind, Options, Store};

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
