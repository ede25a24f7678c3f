//! What a good blob and a bad one must do, whichever test brings them.
#![allow(dead_code)] // no test needs all of it

use std::path::{Path, PathBuf};

use enginewire::roblox::attributes::{self, Attributes, Decoder, Entry, Options};
use enginewire::wire::Traceback;
use enginewire::{json, DecodeError, Segment};
use nom::{Err, Needed, Parser};
use pretty_assertions::assert_eq;

/// Bytes written in hex.
pub(crate) fn hex(text: &str) -> Vec<u8> {
    let digits: String = text.split_whitespace().collect();
    data_encoding::HEXLOWER_PERMISSIVE.decode(digits.as_bytes()).unwrap()
}

/// A blob and the document it decodes to.
pub(crate) struct Blob {
    pub(crate) name: String,
    pub(crate) bytes: Vec<u8>,
    pub(crate) document: Vec<u8>,
}

/// Every `NAME.bin` of a folder with its `NAME.json`.
pub(crate) fn blobs(folder: &Path) -> Vec<Blob> {
    let mut files: Vec<PathBuf> = std::fs::read_dir(folder)
        .unwrap_or_else(|error| panic!("{}: {error}", folder.display()))
        .map(|file| file.unwrap().path())
        .filter(|path| path.extension().is_some_and(|extension| extension == "bin"))
        .collect();
    files.sort();
    files
        .iter()
        .map(|path| Blob {
            name: path.file_stem().unwrap().to_string_lossy().into_owned(),
            bytes: std::fs::read(path).unwrap(),
            document: std::fs::read(path.with_extension("json")).unwrap(),
        })
        .collect()
}

/// The blobs in this repository.
pub(crate) fn fixtures() -> Vec<Blob> {
    let blobs = blobs(&Path::new(env!("CARGO_MANIFEST_DIR")).join("fixtures/roblox-attributes"));
    assert!(blobs.len() >= 5, "there are only {} fixtures", blobs.len());
    blobs
}

/// The bytes decode to the document, and the document and the value encode to the bytes.
///
/// Bytes are compared and not values, because NaN is not equal to itself; two values with the same bytes are the same.
pub(crate) fn lossless(blob: &Blob) {
    let decoded = attributes::decode(&blob.bytes).unwrap();
    let report = attributes::check(&blob.bytes).unwrap();
    let expected: Attributes<'_> = json::from_slice(&blob.document).unwrap();
    assert_eq!(attributes::encode_with(&expected, decoded.empty_form()).unwrap(), blob.bytes);
    assert_eq!(attributes::encode_with(&decoded, decoded.empty_form()).unwrap(), blob.bytes);
    assert_eq!(attributes::encode(&decoded).unwrap() == blob.bytes, report.is_canonical());
    let owned = decoded.clone().into_owned();
    assert_eq!(attributes::encode_with(&owned, decoded.empty_form()).unwrap(), blob.bytes);
    let again: Attributes<'_> = json::from_slice(json::to_string(&owned).unwrap().as_bytes()).unwrap();
    assert_eq!(attributes::encode_with(&again, decoded.empty_form()).unwrap(), blob.bytes);
    assert!(attributes::inspect(&blob.bytes).error().is_none());
}

/// Cut anywhere, the bytes are seen to be cut: streaming asks for no more than is missing, and the error of a
/// complete input names a field and a place inside it.
pub(crate) fn truncation(bytes: &[u8]) {
    for cut in 1..bytes.len() {
        let part = &bytes[..cut];
        match attributes::attributes::<_, Traceback<_>>(Options::new().into()).parse(part) {
            Err(Err::Incomplete(Needed::Size(needed))) => assert!(cut + needed.get() <= bytes.len(), "cut at {cut}"),
            other => panic!("cut at {cut}: {other:?}"),
        }
        let error = attributes::decode(part).expect_err("it is cut");
        assert!(error.is_truncated() && error.offset() <= cut as u64, "cut at {cut}: {error}");
        let last = error.path().segments().last();
        assert!(matches!(last, Some(Segment::Field(_) | Segment::Index(_))), "cut at {cut}: {error}");
        assert_eq!(attributes::check(part), Err(error.clone()));
        assert_eq!(attributes::inspect(part).error(), Some(&error));
        assert_eq!(attributes::decode_partial(part, &Options::new()).error, Some(error));
    }
}

/// Pushed in any pieces, good bytes or bad, the same entries and the same error come out as from one call.
pub(crate) fn chunking(bytes: &[u8], options: Options) {
    let expected = attributes::decode_partial(bytes, &options);
    let expected = (bits(expected.attributes.entries()), expected.error);
    for size in [1, 2, 3, 7, 64, usize::MAX] {
        assert_eq!(streamed(bytes.chunks(size.min(bytes.len().max(1))), options), expected, "pieces of {size}");
    }
    for seed in 0..4 {
        assert_eq!(streamed(uneven(bytes, seed).into_iter(), options), expected, "uneven pieces, seed {seed}");
    }
    let decoder = Decoder::with_options(options);
    let read: Vec<_> = decoder.read(Dribble(bytes)).collect();
    let (entries, errors): (Vec<_>, Vec<_>) = read.into_iter().partition(Result::is_ok);
    let entries: Vec<Entry<'_>> = entries.into_iter().map(Result::unwrap).collect();
    let error = errors.into_iter().next().map(|error| error.unwrap_err().to_string());
    assert_eq!((bits(&entries), error), (expected.0, expected.1.map(|error| error.to_string())), "read");
}

/// Entries as bytes, to be compared bit by bit.
fn bits(entries: &[Entry<'_>]) -> Vec<Vec<u8>> {
    let one = |entry: &Entry<'_>| attributes::encode(&Attributes::from_iter([entry.clone()])).unwrap();
    entries.iter().map(one).collect()
}

fn streamed<'p>(pieces: impl Iterator<Item = &'p [u8]>, options: Options) -> (Vec<Vec<u8>>, Option<DecodeError>) {
    let mut decoder = Decoder::with_options(options);
    let mut entries = Vec::new();
    let mut error = None;
    for piece in pieces {
        decoder.push(piece);
        while let Some(entry) = decoder.next() {
            match entry {
                Ok(entry) => entries.extend(bits(&[entry])),
                Err(found) => error = Some(found),
            }
        }
    }
    let end = decoder.finish().err();
    assert!(error.is_none() || error == end, "the error comes again at the end");
    (entries, end)
}

/// Pieces of 0 to 40 bytes.
fn uneven(mut bytes: &[u8], seed: u64) -> Vec<&[u8]> {
    let mut state = seed;
    let mut pieces = Vec::new();
    while !bytes.is_empty() {
        state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        let (piece, rest) = bytes.split_at(((state >> 33) as usize % 41).min(bytes.len()));
        pieces.push(piece);
        bytes = rest;
    }
    pieces
}

/// A reader that gives five bytes at a time, and is interrupted before each.
struct Dribble<'b>(&'b [u8]);

impl std::io::Read for Dribble<'_> {
    fn read(&mut self, buffer: &mut [u8]) -> std::io::Result<usize> {
        static INTERRUPTED: std::sync::atomic::AtomicBool = std::sync::atomic::AtomicBool::new(false);
        if !INTERRUPTED.fetch_xor(true, std::sync::atomic::Ordering::Relaxed) {
            return Err(std::io::ErrorKind::Interrupted.into());
        }
        let (now, later) = self.0.split_at(5.min(self.0.len()).min(buffer.len()));
        buffer[..now.len()].copy_from_slice(now);
        self.0 = later;
        Ok(now.len())
    }
}
