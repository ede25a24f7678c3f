//! Layers: files around other files, such as a compressed file in an encrypted one.

use std::borrow::Cow;
use std::fmt::Display;
use std::io::{self, Read};

use base64::prelude::{Engine, BASE64_STANDARD};
use flate2::bufread::{GzDecoder, MultiGzDecoder};
use flate2::write::DeflateEncoder;
use md5::{Digest, Md5};

use super::compressed::{self, written, Mode};
use super::encrypted::{self, Key};
use crate::containers::{within, ContainerError};
use crate::zstd;
use enginewire::budget::{Budget, OverBudget};
use enginewire::error::DecodeError;
use enginewire::formats::FormatOptions;
use enginewire::godot::resource;
use enginewire::godot::Version;
use enginewire::godot::{KEY, MAGIC, PASSWORD};
use enginewire::number::{to_u64, to_usize};

/// A file with the layers around it: `GCPF` and `RSCC` ([`compressed`]), `GDEC` ([`encrypted`]), gzip, zstd, the byte order mark of a
/// text, and base64 of one of them.
///
/// ```
/// use enginewire::formats::FormatOptions;
/// use enginewire_files::godot::Layers;
///
/// let file = b"GCPF\0\0\0\0\0\x10\0\0\x01\0\0\0\x11\0\0\0\x0ft\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0GCPF".to_vec();
/// let layers = Layers::peel(file.clone(), &FormatOptions::new())?;
/// assert_eq!((layers.names(), layers.inner()), ("GCPF (FastLZ)".to_owned(), &b"t"[..]));
/// assert_eq!(layers.wrap(b"t")?, file);
/// assert_eq!(Layers::peel(layers.wrap(b"more")?, &FormatOptions::new())?.inner(), b"more");
/// # Ok::<(), enginewire_files::containers::ContainerError>(())
/// ```
#[derive(Clone, Debug)]
pub struct Layers {
    /// The layers, outermost first.
    layers: Vec<Layer>,
    inner: Vec<u8>,
    /// The length and MD5 of the inner file, which may have been taken.
    known: (usize, [u8; 16]),
    is_broken: bool,
    max_memory: usize,
}

/// A layer, and the file that begins with it.
#[derive(Clone, Debug)]
struct Layer {
    kind: Kind,
    outer: Vec<u8>,
}

#[derive(Clone, Debug)]
enum Kind {
    Compressed { is_resource: bool, mode: Mode },
    Encrypted { magic: [u8; 4], version: Version, key: Key },
    Gzip,
    Zstd,
    Mark,
    Base64,
}

/// The most layers around a file.
const MOST: usize = 8;

/// The most memory that unpacking gzip takes beside its data.
const SCRATCH: usize = 128 << 10;

/// The first bytes of a gzip member with deflate, the only method.
const GZIP: &[u8] = b"\x1f\x8b\x08";

/// The byte order mark of UTF-8. That of an XML model is read with the model.
const MARK: &[u8] = b"\xef\xbb\xbf";

impl Layers {
    /// Removes the layers of a file, by their first bytes. A file without layers has none and is the inner file itself.
    ///
    /// The options `password` or `key` open an encrypted file, and `magic` names other first bytes than `GDEC`. If both are set,
    /// `key` holds. Text in base64 is a layer only if all of it is base64 of another layer.
    ///
    /// # Errors
    ///
    /// If a layer is broken, no key fits, there are more than 8 layers, or the file and all files inside together take more
    /// memory than the option `max_memory` allows.
    pub fn peel(file: Vec<u8>, options: &FormatOptions) -> Result<Self, ContainerError> {
        match Layers::peel_partial(file, options) {
            (layers, None) => Ok(layers),
            (_, Some(error)) => Err(error),
        }
    }

    /// The same for a file that may be broken: the layers and the inner file as far as they go, and why there is no more. If a
    /// layer is cut or broken, the inner file has the bytes before the fault. Those of an encrypted file are then not verified:
    /// they are noise if the key is wrong.
    #[must_use]
    pub fn peel_partial(file: Vec<u8>, options: &FormatOptions) -> (Self, Option<ContainerError>) {
        let max_memory = options.max_memory();
        let mut budget = Budget::with(max_memory, file.len());
        let mut layers =
            Layers { layers: Vec::new(), inner: file, known: Default::default(), is_broken: false, max_memory };
        let mut error = (layers.inner.len() > max_memory)
            .then_some(ContainerError::TooLarge { what: "the file is larger than", limit: max_memory });
        while error.is_none() || layers.is_broken {
            let peeled = match layers.peel_one(options, &mut budget) {
                Ok(Some(peeled)) if layers.layers.len() < MOST => Ok(peeled),
                Ok(Some(_)) => Err(ContainerError::TooMuch(format!("there are more than {MOST} layers"))),
                Ok(None) => break,
                Err(error) => Err(error),
            };
            // of several faults the first explains the others
            match peeled {
                Ok((kind, inner, fault)) => {
                    layers.is_broken |= fault.is_some();
                    error = error.or(fault);
                    layers.layers.push(Layer { kind, outer: std::mem::replace(&mut layers.inner, inner) });
                }
                Err(fault) => {
                    error = error.or(Some(fault));
                    break;
                }
            }
        }
        layers.is_broken = error.is_some();
        if !layers.is_empty() {
            layers.known = (layers.inner.len(), Md5::digest(&layers.inner).into());
        }
        (layers, error)
    }

    /// The file inside all layers.
    #[must_use]
    pub fn inner(&self) -> &[u8] {
        &self.inner
    }

    /// The file inside all layers.
    #[must_use]
    pub fn into_inner(self) -> Vec<u8> {
        self.inner
    }

    /// The same, leaving an empty one. The layers remain, to be put around another file.
    #[must_use]
    pub fn take_inner(&mut self) -> Vec<u8> {
        std::mem::take(&mut self.inner)
    }

    /// True if a file may begin with a layer, by its first bytes: [`HEAD`](Self::HEAD) of them, or fewer that are there so far.
    #[must_use]
    pub fn may_begin(head: &[u8], options: &FormatOptions) -> bool {
        let known = [compressed::MAGIC, compressed::RESOURCE_MAGIC, &encrypted::MAGIC, GZIP, &zstd::MAGIC, MARK];
        let own = Some(options.text(&MAGIC).as_bytes()).filter(|magic| !magic.is_empty());
        let is_xml = head.strip_prefix(MARK).is_some_and(|text| text.starts_with(b"<"));
        !is_xml
            && known.into_iter().chain(own).any(|start| {
                let text = start.get(..3).map(|start| BASE64_STANDARD.encode(start)); // four characters are three bytes
                let starts = |start: &[u8]| start.starts_with(head) || head.starts_with(start);
                starts(start) || text.is_some_and(|text| starts(text.as_bytes()))
            })
    }

    /// The number of bytes that show whether there may be a layer.
    pub const HEAD: usize = 4;

    /// Returns true if the file has no layers.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.layers.is_empty()
    }

    /// The layers for people, outermost first: `GCPF (zstd) > gzip`. Empty if there are none but a byte order mark.
    #[must_use]
    pub fn names(&self) -> String {
        let names = self.layers.iter().map(|layer| layer.kind.name()).filter(|name| !name.is_empty());
        names.collect::<Vec<_>>().join(" > ")
    }

    /// The place in the outermost file for an offset in the inner file: `in block 3 of GCPF, bytes 0x58 to 0x123 of the file`,
    /// both included. `None` if the file has no layers, or the offset is beyond the end. The end has the place of the last byte.
    #[must_use]
    pub fn place(&self, inner_offset: u64) -> Option<String> {
        // the inner file may have been taken
        let length = to_u64(self.inner.len().max(self.known.0));
        let last = length.checked_sub(1).filter(|_| inner_offset <= length && !self.layers.is_empty())?;
        let mut range = (inner_offset.min(last), inner_offset.min(last));
        let mut names = Vec::new();
        for layer in self.layers.iter().rev() {
            let (name, outer) = layer.place(range)?;
            range = outer;
            names.push(name);
        }
        let bytes = match range {
            (first, last) if first == last => format!("byte {first:#x}"),
            (first, last) => format!("bytes {first:#x} to {last:#x}"),
        };
        Some(format!("in {}, {bytes} of the file", names.join(" in ")))
    }

    /// The same layers for a version: encrypted layers are then encrypted for this version.
    #[must_use]
    pub fn for_version(mut self, to: Version) -> Self {
        for layer in &mut self.layers {
            if let Kind::Encrypted { version, .. } = &mut layer.kind
                && *version != to
            {
                // what is inside is written anew, also if it is the same
                (*version, self.known) = (to, Default::default());
            }
        }
        self
    }

    /// The outermost file with another inner file. With the same inner file, it is the original, byte for byte. Otherwise blocks
    /// of `GCPF` that are the same stay, an encrypted file has another IV (see [`encrypted`](encrypted::Encrypted::encrypted)), gzip becomes one
    /// member with the header of the first, zstd one frame, and base64 keeps its lines.
    ///
    /// # Errors
    ///
    /// If the file is broken, or a layer cannot hold the inner file, or the result is larger than `max_memory`.
    pub fn wrap(&self, inner: &[u8]) -> Result<Vec<u8>, ContainerError> {
        if self.is_broken {
            let reason = "a layer of the file is broken, so that a change would lose what cannot be read";
            return Err(ContainerError::Refused(reason.to_owned()));
        }
        if let Some(layer) = self.layers.first().filter(|_| self.known == (inner.len(), Md5::digest(inner).into())) {
            return Ok(layer.outer.clone());
        }
        let mut file = inner.to_vec();
        for layer in self.layers.iter().rev() {
            file = within(layer.wrapped(&file)?, self.max_memory)?;
        }
        Ok(file)
    }

    /// Removes one layer, if there is another. What is inside may end at a fault.
    fn peel_one(&self, options: &FormatOptions, budget: &mut Budget) -> Result<Option<Peeled>, ContainerError> {
        let magic = options.text(&MAGIC).as_bytes();
        match Signature::of(&self.inner, magic) {
            Some(Signature::Compressed) => self.decompress(budget).map(Some),
            Some(Signature::Encrypted(magic)) => self.decrypt(magic, options, budget).map(Some),
            Some(Signature::Gzip) => self.unpack(Kind::Gzip, SCRATCH, gunzip, budget).map(Some),
            Some(Signature::Zstd) => {
                let most = u32::try_from(budget.left()).unwrap_or(u32::MAX);
                let scratch = to_usize(zstd::memory(&self.inner, most));
                let unzstd = |file: &[u8], each: &mut Each<'_>| zstd::unpack_pieces(file, most, each);
                self.unpack(Kind::Zstd, scratch, unzstd, budget).map(Some)
            }
            Some(Signature::Mark) => {
                let text = self.inner.get(MARK.len()..).unwrap_or_default();
                budget.take(text.len()).map_err(too_large)?;
                Ok(Some((Kind::Mark, text.to_vec(), None)))
            }
            None => self.decode_base64(magic, budget),
        }
    }

    fn decompress(&self, budget: &mut Budget) -> Result<Peeled, ContainerError> {
        let magic = if self.inner.starts_with(compressed::RESOURCE_MAGIC) { "RSCC" } else { "GCPF" };
        let list = compressed::list_size(&self.inner);
        budget.room_for(list).map_err(too_large)?;
        let (parsed, fault) = compressed::decode_partial(&self.inner).map_err(|error| self.undecoded(magic, &error))?;
        let kind = Kind::Compressed { is_resource: parsed.is_resource, mode: parsed.mode };
        let name = kind.name();
        if parsed.mode == Mode::Brotli {
            return Err(ContainerError::Refused(format!("{name}: {}", compressed::BROTLI)));
        }
        budget.room_for(to_usize(parsed.memory()).saturating_add(list)).map_err(too_large)?;
        let (data, error) = parsed.unpack_partial();
        budget.take(data.capacity()).map_err(too_large)?;
        // a block that is broken comes before the end of a file that is cut
        let error =
            error.map(|error| ContainerError::Malformed(format!("{name}: {error}{}", self.within(error.offset))));
        let error = error.or_else(|| fault.map(|error| self.undecoded(&name, &error)));
        if !parsed.is_resource {
            return Ok((kind, data, error));
        }
        budget.take(data.len()).map_err(too_large)?;
        // an entry of 8 bytes in the tables before the first resource takes 56 when it is decoded
        budget.room_for(data.len().saturating_mul(7)).map_err(too_large)?;
        Ok((kind, with_magic(data), error))
    }

    fn decrypt(&self, magic: [u8; 4], options: &FormatOptions, budget: &mut Budget) -> Result<Peeled, ContainerError> {
        let (parsed, fault) = encrypted::decode_partial(&self.inner, magic)
            .map_err(|error| self.undecoded(&magic.escape_ascii().to_string(), &error))?;
        let name = encrypted_name(magic, parsed.version());
        let refused = |reason: &dyn Display| ContainerError::Refused(format!("{name}: {reason}"));
        let key = Key::given(options).ok_or_else(|| ContainerError::NeedsKey(format!("{name}: the file")))?;
        budget.take(parsed.content.len()).map_err(too_large)?;
        let data = match &fault {
            Some(_) => parsed.decrypted_unverified(&key),
            None => parsed.decrypted(&key).map_err(|error| refused(&error))?,
        };
        let fault = fault.map(|error| self.undecoded(&name, &error));
        Ok((Kind::Encrypted { magic, version: parsed.version(), key }, data, fault))
    }

    /// Unpacks a layer with a function that takes `scratch` bytes of memory beside the data.
    fn unpack(
        &self,
        kind: Kind,
        scratch: usize,
        unpack: impl Fn(&[u8], &mut Each<'_>) -> Option<(io::Error, u64)>,
        budget: &mut Budget,
    ) -> Result<Peeled, ContainerError> {
        budget.room_for(scratch).map_err(too_large)?;
        let (left, mut size) = (budget.left().saturating_sub(scratch), 0usize);
        // first only the size, because a Vec that grows takes twice as much
        let fault = unpack(&self.inner, &mut |bytes| {
            size = size.saturating_add(bytes.len());
            size <= left
        });
        budget.room_for(size.saturating_add(scratch)).map_err(too_large)?;
        budget.take(size).map_err(too_large)?;
        let mut data = Vec::with_capacity(size);
        let _ = unpack(&self.inner, &mut |bytes| {
            data.extend_from_slice(bytes);
            true
        });
        let fault = fault.map(|(error, offset)| {
            let text = format!("{}: {error}, at byte {offset:#x}{}", kind.name(), self.within(offset));
            match error.kind() {
                io::ErrorKind::UnexpectedEof => ContainerError::Truncated(text),
                _ => ContainerError::Malformed(text),
            }
        });
        Ok((kind, data, fault))
    }

    fn decode_base64(&self, magic: &[u8], budget: &mut Budget) -> Result<Option<Peeled>, ContainerError> {
        let head: Vec<u8> = digits(&self.inner).map(|(_, digit)| digit).take(8).collect();
        let head = BASE64_STANDARD.decode(&head).unwrap_or_default();
        if Signature::of(&head, magic).is_none() {
            return Ok(None);
        }
        // the digits without space, and the bytes that they encode
        budget.room_for(self.inner.len().saturating_mul(2)).map_err(too_large)?;
        let mut all = self.inner.clone();
        all.retain(|byte| !byte.is_ascii_whitespace());
        let Ok(data) = BASE64_STANDARD.decode(all) else { return Ok(None) };
        budget.take(data.capacity()).map_err(too_large)?;
        Ok(Some((Kind::Base64, data, None)))
    }

    /// The error of a header or block that cannot be read.
    fn undecoded(&self, name: &str, error: &DecodeError) -> ContainerError {
        let text = format!("{name}: {error}{}", self.within(error.offset().byte()));
        if error.is_truncated() {
            ContainerError::Truncated(text)
        } else {
            ContainerError::Malformed(text)
        }
    }

    /// The [`place`](Self::place) of an offset in brackets; empty if it has none.
    fn within(&self, offset: u64) -> String {
        self.place(offset).map(|place| format!(" ({place})")).unwrap_or_default()
    }
}

/// A function that gets what a layer unpacks to, piece by piece, until it returns false.
type Each<'e> = dyn FnMut(&[u8]) -> bool + 'e;

/// A layer, the bytes inside, and the error if they are incomplete.
type Peeled = (Kind, Vec<u8>, Option<ContainerError>);

fn too_large(error: OverBudget) -> ContainerError {
    ContainerError::TooLarge { what: "the file and what is inside take more memory than", limit: error.limit }
}

/// The first bytes of a layer.
enum Signature {
    Compressed,
    Encrypted([u8; 4]),
    Gzip,
    Zstd,
    Mark,
}

impl Signature {
    fn of(file: &[u8], magic: &[u8]) -> Option<Self> {
        if file == MARK {
            return Some(Signature::Mark);
        }
        let (first, _) = file.split_first_chunk::<4>()?;
        match &first[..] {
            compressed::MAGIC | compressed::RESOURCE_MAGIC => Some(Signature::Compressed),
            bytes if *first == encrypted::MAGIC || bytes == magic => Some(Signature::Encrypted(*first)),
            bytes if bytes.starts_with(GZIP) => Some(Signature::Gzip),
            _ if *first == zstd::MAGIC => Some(Signature::Zstd),
            [0xef, 0xbb, 0xbf, next] if *next != b'<' => Some(Signature::Mark),
            _ => None,
        }
    }
}

impl Kind {
    fn name(&self) -> String {
        match self {
            Kind::Compressed { is_resource: false, mode } => format!("GCPF ({})", mode.name()),
            Kind::Compressed { is_resource: true, mode } => format!("RSCC ({})", mode.name()),
            Kind::Encrypted { magic, version, .. } => encrypted_name(*magic, *version),
            Kind::Gzip => "gzip".to_owned(),
            Kind::Zstd => "zstd".to_owned(),
            Kind::Mark => String::new(),
            Kind::Base64 => "base64".to_owned(),
        }
    }
}

/// The resource of a compressed file as a file of its own: after the magic, which its offsets then count. The offsets of a broken
/// resource stay as they are.
fn with_magic(mut body: Vec<u8>) -> Vec<u8> {
    let _ = resource::move_offsets(&mut body, true);
    [resource::MAGIC, &body].concat()
}

/// The reverse.
fn without_magic(file: &[u8]) -> Result<Vec<u8>, String> {
    let body = file.strip_prefix(resource::MAGIC).ok_or("the file inside is not a resource")?;
    let mut body = body.to_vec();
    resource::move_offsets(&mut body, false).map_err(|error| error.to_string())?;
    Ok(body)
}

fn encrypted_name(magic: [u8; 4], version: Version) -> String {
    format!("{} (Godot {version})", magic.escape_ascii())
}

impl Layer {
    /// The name of the part of this layer with the bytes from `first` to `last` of what is inside, and where this part is in the
    /// file around it.
    fn place(&self, (first, last): (u64, u64)) -> Option<(String, (u64, u64))> {
        let end = to_u64(self.outer.len()).saturating_sub(1);
        match &self.kind {
            Kind::Compressed { is_resource, .. } => {
                let magic = if *is_resource { to_u64(resource::MAGIC.len()) } else { 0 };
                let (first, last) = (first.saturating_sub(magic), last.saturating_sub(magic));
                let compressed = compressed::decode_partial(&self.outer).ok()?.0;
                let number = |offset: u64| offset.checked_div(compressed.block_size.into()).map(to_usize);
                let (from, to) = (number(first)?, number(last)?);
                let mut blocks = compressed.placed().skip(from).take(to.saturating_sub(from).saturating_add(1));
                let (start, _, block) = blocks.next()?;
                let (last, _, block) = blocks.last().unwrap_or((start, 0, block));
                let name = if from == to { format!("block {from}") } else { format!("blocks {from} to {to}") };
                let magic = compressed.magic().escape_ascii();
                let last = last.saturating_add(to_u64(block.len())).saturating_sub(1);
                Some((format!("{name} of {magic}"), (start, last)))
            }
            Kind::Encrypted { magic, .. } => {
                let header = encrypted::decode_partial(&self.outer, *magic).ok()?.0.header_length();
                let name = magic.escape_ascii().to_string();
                Some((name, (header.saturating_add(first), header.saturating_add(last))))
            }
            Kind::Gzip | Kind::Zstd => Some((self.kind.name(), (0, end))),
            Kind::Mark => Some(("UTF-8".to_owned(), (first.saturating_add(3), last.saturating_add(3)))),
            Kind::Base64 => {
                // three bytes are four digits; the bits of a byte are in the two digits around it
                let digit = |offset: u64, more: u64| {
                    let number = offset.saturating_mul(4).checked_div(3)?.saturating_add(more);
                    digits(&self.outer).nth(to_usize(number)).map(|(at, _)| to_u64(at))
                };
                Some(("base64".to_owned(), (digit(first, 0)?, digit(last, 1)?)))
            }
        }
    }

    /// This layer around another file.
    fn wrapped(&self, inner: &[u8]) -> Result<Vec<u8>, ContainerError> {
        match &self.kind {
            Kind::Compressed { is_resource, .. } => {
                let compressed = compressed::decode(&self.outer).map_err(ContainerError::malformed)?;
                let refused = |error: &dyn Display| ContainerError::Refused(format!("{}: {error}", self.kind.name()));
                let inner = match is_resource {
                    true => Cow::Owned(without_magic(inner).map_err(|error| refused(&error))?),
                    false => Cow::Borrowed(inner),
                };
                compressed.repacked(&inner).map_err(|error| refused(&error))
            }
            Kind::Encrypted { magic, key, version } => {
                let mut encrypted = encrypted::decode(&self.outer, *magic).map_err(ContainerError::malformed)?;
                // only whether there is an IV counts: `encrypted` makes it
                encrypted.iv = (*version == Version::V4).then_some([0; 16]);
                Ok(encrypted.encrypted(inner, key, None))
            }
            Kind::Gzip => {
                // a new decoder reads the header, and nothing else
                let behind = GzDecoder::new(&*self.outer).into_inner();
                let header = self.outer.get(..self.outer.len().saturating_sub(behind.len())).unwrap_or_default();
                let encoder = DeflateEncoder::new(header.to_vec(), flate2::Compression::default());
                let mut file = written(encoder, inner, DeflateEncoder::finish)
                    .ok_or_else(|| ContainerError::Refused("gzip: the data cannot be compressed".to_owned()))?;
                let mut crc = flate2::Crc::new();
                crc.update(inner);
                // the length counts modulo 2^32, as that of the checksum does
                file.extend([crc.sum().to_le_bytes(), crc.amount().to_le_bytes()].as_flattened());
                Ok(file)
            }
            Kind::Zstd => zstd::pack_like(&self.outer, inner)
                .ok_or_else(|| ContainerError::Refused("zstd: the data cannot be compressed".to_owned())),
            Kind::Mark => Ok([MARK, inner].concat()),
            Kind::Base64 => Ok(self.lines_of(BASE64_STANDARD.encode(inner).as_bytes())),
        }
    }

    /// Digits of base64 in lines as long as the first, with the space before and after them as it is.
    fn lines_of(&self, text: &[u8]) -> Vec<u8> {
        let (trimmed, is_space) = (self.outer.trim_ascii(), u8::is_ascii_whitespace);
        let start = self.outer.len().saturating_sub(self.outer.trim_ascii_start().len());
        let (before, rest) = self.outer.split_at_checked(start).unwrap_or_default();
        let after = rest.get(trimmed.len()..).unwrap_or_default();
        let width = trimmed.iter().position(is_space).unwrap_or(usize::MAX);
        let space = trimmed.get(width..).unwrap_or_default();
        let space = space.get(..space.iter().position(|byte| !is_space(byte)).unwrap_or_default()).unwrap_or_default();
        let lines = text.chunks(width.max(1)).collect::<Vec<_>>().join(space);
        [before, &lines, after].concat()
    }
}

impl Key {
    /// The key that the option `key` or `password` gives.
    #[must_use]
    pub fn given(options: &FormatOptions) -> Option<Self> {
        let password = || options.is_set(&PASSWORD).then(|| Key::from_password(options.text(&PASSWORD)));
        Key::from_hex(options.text(&KEY)).or_else(password)
    }
}

/// The characters of a text that are not space, with their places.
fn digits(text: &[u8]) -> impl Iterator<Item = (usize, u8)> + '_ {
    text.iter().copied().enumerate().filter(|(_, byte)| !byte.is_ascii_whitespace())
}

/// Calls `each` with what all members of a gzip file unpack to, piece by piece, until it returns false. Returns the error and how
/// many bytes were read before it.
fn gunzip(file: &[u8], each: &mut Each<'_>) -> Option<(io::Error, u64)> {
    let mut decoder = MultiGzDecoder::new(file);
    let mut buffer = [0; 8192];
    loop {
        match decoder.read(&mut buffer) {
            Ok(0) => return None,
            Ok(count) if each(buffer.get(..count).unwrap_or_default()) => {}
            Ok(_) => return None,
            Err(error) => return Some((error, to_u64(file.len().saturating_sub(decoder.get_ref().len())))),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::test::hex;
    use allocation_counter::measure;
    use enginewire::godot::{FullObject, Property};
    use flate2::write::GzEncoder;
    use pretty_assertions::assert_eq;
    use proptest::collection::vec;
    use proptest::prelude::{any, prop_assert, prop_assert_eq, proptest};

    const TEXT: &[u8] = b"what is inside, of 40 bytes and no more.";

    fn options() -> FormatOptions {
        FormatOptions::new().set("password", "pass").unwrap()
    }

    fn peel(file: &[u8]) -> Layers {
        Layers::peel(file.to_vec(), &options()).unwrap()
    }

    fn error(file: &[u8], options: &FormatOptions) -> String {
        Layers::peel(file.to_vec(), options).unwrap_err().to_string()
    }

    fn gcpf(mode: Mode, block_size: u32, data: &[u8]) -> Vec<u8> {
        compressed::Compressed { mode, block_size, ..Default::default() }.repacked(data).unwrap()
    }

    fn gdec(iv: Option<[u8; 16]>, data: &[u8]) -> Vec<u8> {
        let magic = Some(encrypted::MAGIC);
        let new = encrypted::Encrypted { magic, md5: [0; 16], length: 0, iv, content: &[] };
        new.encrypted(data, &Key::from_password("pass"), None)
    }

    fn gzip(data: &[u8]) -> Vec<u8> {
        written(GzEncoder::new(Vec::new(), flate2::Compression::default()), data, GzEncoder::finish).unwrap()
    }

    /// The header of a zstd frame with a checksum.
    const CHECKED: &[u8] = b"\x28\xb5\x2f\xfd\x24\0";

    /// In lines of 76 digits.
    fn base64(data: &[u8]) -> Vec<u8> {
        let text = BASE64_STANDARD.encode(data);
        let lines: Vec<_> = text.as_bytes().chunks(76).collect();
        [&lines.join(&b"\r\n"[..])[..], b"\n"].concat()
    }

    /// The name of a layer, and what makes it.
    type Around = (&'static str, fn(&[u8]) -> Vec<u8>);

    /// One layer of each kind.
    fn kinds() -> [Around; 9] {
        [
            ("GCPF (FastLZ)", |data| gcpf(Mode::FastLz, 17, data)),
            ("GCPF (zlib)", |data| gcpf(Mode::Zlib, 16, data)),
            ("GCPF (zstd)", |data| gcpf(Mode::Zstd, 16, data)),
            ("GCPF (gzip)", |data| gcpf(Mode::Gzip, 16, data)),
            ("GDEC (Godot 3)", |data| gdec(None, data)),
            ("GDEC (Godot 4)", |data| gdec(Some([7; 16]), data)),
            ("gzip", gzip),
            ("zstd", |data| zstd::pack_like(CHECKED, data).unwrap()),
            ("", |data| [MARK, data].concat()),
        ]
    }

    #[test]
    fn layers_in_any_order() {
        let mut other = TEXT.to_vec();
        other.extend(b"or more");
        for (outer, around) in kinds() {
            for (inner, within) in kinds() {
                let file = around(&within(TEXT));
                for (file, names) in [(file.clone(), ["", outer, inner]), (base64(&file), ["base64", outer, inner])] {
                    let names = names.into_iter().filter(|name| !name.is_empty()).collect::<Vec<_>>().join(" > ");

                    let layers = peel(&file);
                    assert_eq!((layers.names(), layers.inner()), (names.clone(), TEXT));
                    assert_eq!(layers.wrap(TEXT).unwrap(), file, "{names}");
                    let changed = peel(&layers.wrap(&other).unwrap());
                    assert_eq!((changed.names(), changed.inner()), (names, &other[..]));
                    assert!(!layers.is_empty());
                    assert_eq!(peel(&layers.wrap(b"").unwrap()).into_inner(), b"");
                }
            }
        }
        let plain = peel(TEXT);
        assert_eq!((plain.names(), plain.is_empty(), plain.place(0)), (String::new(), true, None));
        assert_eq!(plain.wrap(b"other").unwrap(), b"other");
    }

    /// Files of the reports: zstd without a content size, and an encrypted file whose password is not known.
    #[test]
    fn files_that_people_reported() {
        let file = hex(
            "47435046 02000000 00100000 20000000 2d000000 28b52ffd045801 01001c0000001b0000000100000004000000020000006870 \
             00000200000007000000f186c2a3 47435046",
        );
        let layers = peel(&file);
        assert_eq!(layers.names(), "GCPF (zstd)");
        assert_eq!(layers.inner(), hex("1c000000 1b000000 01000000 04000000 02000000 68700000 02000000 07000000"));
        assert_eq!(layers.wrap(layers.inner()).unwrap(), file);
        let secret = hex("47444543 01000000 9dd4e461268c8034f5c8564e155c67a6 1400000000000000 \
             8e35c2cd3bf6641bdb0e2050b76932cbb2e6034a0ddacc1d9bea82a6ba57f7cf");
        let needed = "the file is encrypted; set the option password, or key to its 64 hexadecimal digits";
        assert_eq!(error(&secret, &FormatOptions::new()), format!("GDEC (Godot 3): {needed}"));
        let wrong = error(&secret, &options());
        assert!(
            wrong.starts_with("GDEC (Godot 3): the password or key does not fit: the md5 of the decrypted bytes is ")
        );
        assert!(wrong.ends_with("the file says 9dd4e461268c8034f5c8564e155c67a6"), "{wrong}");
    }

    #[test]
    fn keys_and_magics_are_options() {
        let mut file = gdec(Some([1; 16]), TEXT);
        let key = "3161316463393163393037333235633639323731646466306339343462633732";
        let by_key = FormatOptions::new().set("key", key).unwrap().set("password", "another").unwrap();
        assert_eq!(Layers::peel(file.clone(), &by_key).unwrap().inner(), TEXT);
        file[..4].copy_from_slice(b"GAME");
        assert!(peel(&file).is_empty());
        let named = options().set("magic", "GAME").unwrap();
        let layers = Layers::peel(base64(&file), &named).unwrap();
        assert_eq!((layers.names(), layers.inner()), ("base64 > GAME (Godot 4)".to_owned(), TEXT));
        assert!(layers.place(0).unwrap().starts_with("in GAME in base64, bytes "));
        assert!(Layers::peel(layers.wrap(b"other").unwrap(), &named).is_ok());
        let error = |name, value: &'static str| FormatOptions::new().set(name, value).unwrap_err().to_string();
        assert_eq!(error("key", "12"), "invalid value for the option key: expected 64 hexadecimal digits");
        assert_eq!(error("magic", "ÄÖ"), "invalid value for the option magic: expected four ASCII characters");
    }

    #[test]
    fn places_in_the_outermost_file() {
        let place = |file: &[u8], at| peel(file).place(at);
        let file = gcpf(Mode::FastLz, 32, TEXT);
        // 2 blocks after 24 bytes: 32 literals, then 8 and padding
        assert_eq!(place(&file, 0).as_deref(), Some("in block 0 of GCPF, bytes 0x18 to 0x38 of the file"));
        assert_eq!(place(&file, 31), place(&file, 0));
        assert_eq!(place(&file, 32).unwrap().split(", ").next(), Some("in block 1 of GCPF"));
        assert_eq!((place(&file, 40), place(&file, 41)), (place(&file, 39), None));
        assert_eq!(place(&gdec(None, TEXT), 5).as_deref(), Some("in GDEC, byte 0x25 of the file"));
        assert_eq!(place(&gdec(Some([0; 16]), TEXT), 5).as_deref(), Some("in GDEC, byte 0x31 of the file"));
        let end = gzip(TEXT).len() - 1;
        assert_eq!(place(&gzip(TEXT), 5), Some(format!("in gzip, bytes 0x0 to {end:#x} of the file")));
        let nested = gdec(None, &file);
        assert_eq!(place(&nested, 0).as_deref(), Some("in block 0 of GCPF in GDEC, bytes 0x38 to 0x58 of the file"));
        // 32 + 5 bytes are 49 digits and a third; the line ends after 76
        let text = base64(&gdec(None, TEXT));
        assert_eq!(place(&text, 5).as_deref(), Some("in GDEC in base64, bytes 0x31 to 0x32 of the file"));
        assert_eq!(place(&text, 32).as_deref(), Some("in GDEC in base64, bytes 0x57 to 0x58 of the file"));
        let spanning = gcpf(Mode::FastLz, 32, &gcpf(Mode::FastLz, 32, TEXT));
        assert!(place(&spanning, 0).unwrap().starts_with("in block 0 of GCPF in blocks 0 to 1 of GCPF, bytes 0x"));
    }

    /// A header with everything it can have, and two members.
    #[test]
    fn gzip_keeps_its_header() {
        let encoder = flate2::GzBuilder::new().filename("name").comment("text").extra(*b"xy").mtime(7);
        let first = written(encoder.write(Vec::new(), flate2::Compression::best()), TEXT, GzEncoder::finish).unwrap();
        let two = [&first[..], &gzip(b" And more.")].concat();
        let layers = peel(&two);
        assert_eq!(layers.inner(), [TEXT, b" And more."].concat());
        assert_eq!(layers.wrap(layers.inner()).unwrap(), two);
        let changed = layers.wrap(b"new").unwrap();
        let header = 10 + 2 + 2 + 5 + 5;
        assert_eq!((&changed[..header], peel(&changed).inner()), (&two[..header], &b"new"[..]));
        // zeros after the last member
        let padded = [&two[..], &[0; 16]].concat();
        let (layers, error) = Layers::peel_partial(padded, &options());
        assert_eq!(layers.inner(), [TEXT, b" And more."].concat());
        assert!(error.unwrap().to_string().starts_with("gzip: invalid gzip header, at byte 0x"));
    }

    #[test]
    fn only_base64_of_a_layer_is_a_layer() {
        let text = BASE64_STANDARD.encode(gzip(TEXT));
        for (file, is_layer) in [
            (text.clone(), true),
            (format!("\n  {text}\n\n"), true),
            (format!("{} {}", &text[..3], &text[3..]), true),
            (format!("{text}."), false),
            (text[1..].to_owned(), false),
            (text[..text.len() - 1].to_owned(), false),
            ("AgAAACoAAAA=".to_owned(), false),
            (String::new(), false),
            ("R0NQRg==".to_owned(), true),
        ] {
            let (layers, _) = Layers::peel_partial(file.clone().into_bytes(), &options());
            assert_eq!(layers.names().starts_with("base64"), is_layer, "{file}");
        }
        let lines = format!("  {}\r\n{}\r\n{}\n", &text[..20], &text[20..40], &text[40..]);
        let changed = peel(lines.as_bytes()).wrap(&TEXT.repeat(2)).unwrap();
        let again: Vec<_> = std::str::from_utf8(&changed).unwrap().split("\r\n").collect();
        assert!(
            again[0].starts_with("  H4sI") && again[0].len() == 22 && again[1].len() == 20 && changed.ends_with(b"\n")
        );
        assert_eq!(peel(&changed).inner(), TEXT.repeat(2));
    }

    /// The bytes inside a compressed resource look like a layer, but are not.
    /// A compressed resource gives the same file as an uncompressed one.
    #[test]
    fn a_compressed_resource_is_a_resource_inside() {
        let health = |health: i64| {
            let property = Property { name: "health".into(), value: health.into() };
            let object = FullObject { class: "Resource".into(), properties: vec![property] };
            let main = resource::Internal { path: "local://1".into(), object };
            resource::Resource {
                class: "Resource".into(),
                strings: vec!["health".into()],
                internal: vec![main],
                ..Default::default()
            }
        };
        let packed =
            compressed::Compressed { is_resource: true, mode: Mode::Zstd, block_size: 4096, ..Default::default() };
        let body = resource::encode_with(&health(7), &resource::Options::new().headless(true)).unwrap();
        let file = gzip(&packed.repacked(&body).unwrap());
        let layers = peel(&file);
        assert_eq!(layers.names(), "gzip > RSCC (zstd)");
        assert_eq!(layers.inner(), resource::encode(&health(7)).unwrap());
        assert_eq!(layers.wrap(layers.inner()).unwrap(), file);
        assert_eq!(layers.place(0).unwrap().split(',').next(), Some("in block 0 of RSCC in gzip"));
        let other = resource::encode(&health(300)).unwrap();
        assert_eq!(peel(&layers.wrap(&other).unwrap()).inner(), other);
        let error = layers.wrap(b"body").unwrap_err().to_string();
        assert_eq!(error, "RSCC (zstd): the file inside is not a resource");
        // a broken resource is inside as it is
        let broken = packed.repacked(&body[..body.len() - 6]).unwrap();
        let inner = resource::encode(&health(7)).unwrap();
        assert_eq!(peel(&broken).inner(), &inner[..inner.len() - 6]);
        let broken = packed.repacked(&body[..20]).unwrap();
        assert_eq!(peel(&broken).inner(), [resource::MAGIC, &body[..20]].concat());
    }

    #[test]
    fn every_cut_keeps_what_was_before() {
        let long = TEXT.repeat(3);
        // a text may end anywhere
        for (name, around) in kinds().into_iter().filter(|(name, _)| !name.is_empty()) {
            for file in [around(&long), around(&gcpf(Mode::FastLz, 32, &long))] {
                for cut in 4..file.len() {
                    let (layers, error) = Layers::peel_partial(file[..cut].to_vec(), &options());
                    let error = error.unwrap();
                    // the magic is not a header, and what is inside may be cut within its own
                    let is_inner = layers.names() == name || layers.names().ends_with("GCPF (FastLZ)");
                    let inner = layers.inner();
                    let begins =
                        long.starts_with(inner) || b"GCPF\0\0\0\0\x20\0\0\0".starts_with(&inner[..inner.len().min(12)]);
                    assert!(if is_inner { begins } else { inner == &file[..cut] }, "{name} {cut}");
                    assert!(matches!(error, ContainerError::Truncated(_)), "{name} {cut}: {error}");
                    assert!(matches!(layers.wrap(inner), Err(ContainerError::Refused(_))));
                    assert_eq!(
                        Layers::peel(file[..cut].to_vec(), &options()).unwrap_err().to_string(),
                        error.to_string()
                    );
                }
            }
        }
        // the last block and the end are missing
        let file = gcpf(Mode::Zlib, 32, &long);
        let (layers, error) = Layers::peel_partial(file[..file.len() - 8].to_vec(), &options());
        assert_eq!(layers.inner(), &long[..96]);
        assert!(error.unwrap().to_string().starts_with("GCPF (zlib): input ends too early: "));
    }

    #[test]
    fn faults_are_placed_in_the_file() {
        let mut inner = gcpf(Mode::Gzip, 16, TEXT);
        inner[16 + 12] ^= 0xff;
        let text = error(&inner, &options());
        assert!(text.starts_with("GCPF (gzip): block 0 at byte 0x1c: invalid gzip data: "), "{text}");
        let text = error(&gdec(None, &inner), &options());
        assert!(text.ends_with(" (in GDEC, byte 0x3c of the file)"), "{text}");
        inner[8..12].fill(0);
        let zero = "GCPF: the block size is 0, at byte 0x8 in block_size";
        assert_eq!(error(&inner, &options()), zero);
        assert_eq!(error(&gdec(None, &inner), &options()), format!("{zero} (in GDEC, byte 0x28 of the file)"));
        inner[4] = 4;
        inner[8] = 16;
        assert_eq!(error(&inner, &options()), "GCPF (brotli): brotli is not supported: no engine writes it");
        let mut broken = gzip(TEXT);
        let crc = broken.len() - 8;
        broken[crc] ^= 1;
        let (layers, fault) = Layers::peel_partial(broken, &options());
        assert_eq!((layers.inner(), layers.names()), (TEXT, "gzip".to_owned()));
        let text = fault.unwrap().to_string();
        assert!(text.starts_with("gzip: corrupt gzip stream does not have a matching checksum, at byte 0x"), "{text}");
        let mut broken = zstd::pack_like(CHECKED, TEXT).unwrap();
        *broken.last_mut().unwrap() ^= 1;
        let end = broken.len();
        let text = error(&broken, &options());
        assert!(text.starts_with(&format!("zstd: its checksum is that of other data, at byte {end:#x}")), "{text}");
        let mut deep = TEXT.to_vec();
        for _ in 0..MOST {
            deep = gzip(&deep);
        }
        assert_eq!(peel(&deep).inner(), TEXT);
        assert_eq!(error(&gzip(&deep), &options()), "there are more than 8 layers");
    }

    /// Bombs, alone and in layers: no more memory than allowed, and no more than a file of its size can unpack to.
    #[test]
    fn memory_is_bounded() {
        let megabytes = vec![0; 4 << 20];
        let mut files: Vec<Vec<u8>> =
            vec![gzip(&gzip(&megabytes)), base64(&gzip(&megabytes)), gdec(None, &gzip(&megabytes))];
        let packed = zstd::pack_like(CHECKED, &megabytes).unwrap();
        // without its length, a frame may refer back to all that it can unpack to
        let [magic, blocks] = [&packed[..4], &packed[10..]];
        files.extend([gzip(&packed), [magic, &[0x04, 0x38], blocks].concat(), [magic, &[0x04, 0xff], blocks].concat()]);
        files.extend([packed, [MARK, &megabytes].concat()]);
        for mode in [Mode::FastLz, Mode::Zlib, Mode::Zstd, Mode::Gzip] {
            files.push(gcpf(mode, 4 << 20, &megabytes));
            files.push(gzip(&gcpf(mode, 1 << 16, &megabytes)));
            // 1 kB that claims 4 GB
            let mut liar = gcpf(mode, 4096, b"");
            liar[8..16].fill(0xff);
            liar.splice(20..20, [0; 1000]);
            files.push(liar);
        }
        // a compressed resource with a table of the smallest entries
        let words = |words: &[u32]| words.iter().flat_map(|word| word.to_le_bytes()).collect::<Vec<_>>();
        let head = words(&[&[0, 0, 4, 6, 6, 0][..], &[0; 2 + 1 + 2 + 11 + 1], &[1 << 19]].concat());
        let body = [head, vec![0; 4 << 20]].concat();
        let packed =
            compressed::Compressed { is_resource: true, mode: Mode::Zstd, block_size: 1 << 20, ..Default::default() };
        files.push(packed.repacked(&body).unwrap());
        for file in files {
            for limit in [0, 1 << 10, 200 << 10, 2 << 20, 4 << 20, 6 << 20, 16 << 20, 32 << 20] {
                let options = options().set("max_memory", limit).unwrap();
                let given = file.clone();
                let mut result = None;
                let peak = measure(|| result = Some(Layers::peel_partial(given, &options).1)).bytes_max;
                assert!(
                    usize::try_from(peak).unwrap() + file.len() <= usize::max(limit, file.len()) + (8 << 10),
                    "{peak} of {limit}"
                );
                let is_small = file.len() + (4 << 20) > limit;
                assert!(!is_small || result.unwrap().is_some(), "{limit}");
            }
        }
        let options = options().set("max_memory", 1000).unwrap();
        assert_eq!(error(&[0; 1001], &options), "the file is larger than the limit of 1000 bytes");
        let text = "the file and what is inside take more memory than the limit of 1000 bytes";
        assert_eq!(error(&gdec(None, &[0; 800]), &options), text);
        assert!(matches!(
            Layers::peel(gdec(None, &[]), &options).unwrap().wrap(&[0; 1000]),
            Err(ContainerError::TooLarge { .. })
        ));
    }

    proptest! {
        #[test]
        fn random_files_never_panic(data in vec(any::<u8>(), 0..200), kind in 0usize..11, around in 0usize..9, at in any::<u64>()) {
            let heads = [
                &b"GCPF\0\0\0\0\x10\0\0\0\x20\0\0\0"[..], b"RSCC\x02\0\0\0\x10\0\0\0", b"GCPF\x01\0\0\0", b"GCPF\x03\0\0\0\x08\0\0\0",
                b"GDEC\x01\0\0\0", b"GDEC", GZIP, b"H4sI", CHECKED, MARK, b"",
            ];
            let file = (kinds()[around].1)(&[heads[kind], &data].concat());
            let (layers, _) = Layers::peel_partial(file.clone(), &options());
            let _ = layers.place(at);
            if let Ok(changed) = layers.wrap(&data) {
                let again = Layers::peel_partial(changed, &options()).0;
                prop_assert!(again.names().starts_with(&layers.names()));
            }
            if let Ok(same) = layers.wrap(layers.inner()) {
                prop_assert_eq!(same, file);
            }
        }

        /// One byte of a file in layers is another.
        #[test]
        fn mutations_never_panic(outer in 0usize..9, inner in 0usize..9, at in any::<proptest::sample::Index>(), byte in any::<u8>()) {
            let mut file = (kinds()[outer].1)(&(kinds()[inner].1)(TEXT));
            let at = at.index(file.len());
            file[at] = byte;
            let (layers, error) = Layers::peel_partial(file, &options());
            prop_assert_eq!(layers.wrap(b"new").is_err(), error.is_some());
        }
    }
}
