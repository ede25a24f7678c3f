//! Encrypted files: those of `FileAccess.open_encrypted`, `open_encrypted_with_pass` and `ConfigFile.save_encrypted`.

use std::fmt::{self, Debug};
use std::io::Write;
use std::mem::replace;

use aes::cipher::{BlockCipherDecrypt, BlockCipherEncrypt, KeyInit};
use aes::{Aes256, Block};
use base16ct::{lower, mixed};
use bstr::BStr;
use cookie_factory::combinator::cond;
use cookie_factory::sequence::tuple;
use cookie_factory::SerializeFn;
use md5::{Digest, Md5};
use nom::Parser;
use thiserror::Error;

use enginewire::error::{DecodeError, Fault};
use enginewire::godot::Version;
use enginewire::number::{to_u64, to_usize};
use enginewire::wire::{
    all_consuming, field, fixed, flat_map, gen_bytes, gen_uint32, gen_uint64, generate_into, run, take, uint32, uint64,
    verify, Le, Source, WireError,
};

/// The first bytes of an encrypted file, unless a game uses others.
pub const MAGIC: [u8; 4] = *b"GDEC";

/// An encrypted file of Godot 3 or 4. Its content is kept encrypted.
///
/// | field | Godot 3 | Godot 4 |
/// |---|---|---|
/// | magic | `GDEC`, or that of a game | the same; absent inside a pack |
/// | mode | uint32, 1 | |
/// | md5 | 16 bytes | 16 bytes |
/// | length | uint64 | uint64 |
/// | iv | | 16 bytes |
/// | content | `length` bytes, padded with zeros to a multiple of 16: AES-256-ECB | the same: AES-256-CFB |
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Encrypted<'a> {
    /// The first bytes. `None` inside a pack.
    pub magic: Option<[u8; 4]>,
    /// The md5 of the plain bytes.
    pub md5: [u8; 16],
    /// The number of plain bytes.
    pub length: u64,
    /// The bytes that the first block of Godot 4 depends on. `None` in Godot 3.
    pub iv: Option<[u8; 16]>,
    /// The encrypted bytes.
    pub content: &'a [u8],
}

/// A key of 32 bytes. `Debug` does not show it.
#[derive(Clone, PartialEq, Eq)]
pub struct Key([u8; 32]);

impl Key {
    /// Derives the key from a password.
    #[must_use]
    pub fn from_password(password: &str) -> Self {
        let mut key = [0; 32];
        // the key is as long as the digits
        let _ = lower::encode(&Md5::digest(password), &mut key);
        Key(key)
    }

    /// The key in 64 hexadecimal digits. `None` if it is something else.
    #[must_use]
    pub fn from_hex(digits: &str) -> Option<Self> {
        let key = mixed::decode_vec(digits).ok()?;
        key.try_into().ok().map(Key)
    }

    /// An IV that only whoever has the key can make of these bytes.
    fn iv_of(&self, data: &[u8]) -> [u8; 16] {
        Md5::new_with_prefix(self.0).chain_update(data).finalize().into()
    }
}

impl From<[u8; 32]> for Key {
    fn from(key: [u8; 32]) -> Self {
        Key(key)
    }
}

impl Debug for Key {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Key(..)")
    }
}

/// A key that does not fit, or bytes that were changed after they were encrypted.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
#[error(
    "the password or key does not fit: the md5 of the decrypted bytes is {}, the file says {}",
    lower::encode_string(found),
    lower::encode_string(expected)
)]
#[non_exhaustive]
pub struct KeyError {
    /// The md5 of the decrypted bytes.
    pub found: [u8; 16],
    /// The md5 in the file.
    pub expected: [u8; 16],
}

impl Encrypted<'_> {
    /// The version of the engine that writes such a file.
    #[must_use]
    pub const fn version(&self) -> Version {
        if self.iv.is_some() {
            Version::V4
        } else {
            Version::V3
        }
    }

    /// The number of bytes before the content.
    #[must_use]
    pub fn header_length(&self) -> u64 {
        let magic = if self.magic.is_some() { 4 } else { 0 };
        let more = if self.iv.is_some() { 16 } else { 4 };
        u64::saturating_add(magic, 24).saturating_add(more)
    }

    /// The plain bytes.
    ///
    /// # Errors
    ///
    /// If their md5 is another than the file says.
    pub fn decrypted(&self, key: &Key) -> Result<Vec<u8>, KeyError> {
        let (data, expected) = (self.decrypted_unverified(key), self.md5);
        let found = Md5::digest(&data).into();
        if found == expected {
            Ok(data)
        } else {
            Err(KeyError { found, expected })
        }
    }

    /// The plain bytes, also if the key is wrong or some of them are missing.
    pub(super) fn decrypted_unverified(&self, key: &Key) -> Vec<u8> {
        let cipher = Aes256::new(&key.0.into());
        let (mut data, mut before) = (self.content.to_vec(), self.iv);
        for bytes in data.as_chunks_mut::<16>().0 {
            let mut block = Block::from(*bytes);
            match &mut before {
                None => {
                    cipher.decrypt_block(&mut block);
                    *bytes = block.into();
                }
                Some(before) => *bytes = mask(&cipher, replace(before, *bytes), *bytes),
            }
        }
        data.truncate(to_usize(self.length));
        data
    }

    /// The file with other plain bytes, in the same version.
    ///
    /// In version 4 the IV is made of the key and the plain bytes, unless one is given: of two files with the same key and IV, everybody
    /// sees where they begin to differ, and how the plain bytes of that block differ. Version 3 has no IV, so that equal blocks can
    /// always be recognised.
    #[must_use]
    pub fn encrypted(&self, data: &[u8], key: &Key, iv: Option<[u8; 16]>) -> Vec<u8> {
        let cipher = Aes256::new(&key.0.into());
        let iv = self.iv.map(|_| iv.unwrap_or_else(|| key.iv_of(data)));
        let (mut content, mut before) = (Vec::with_capacity(data.len().next_multiple_of(16)), iv);
        content.extend_from_slice(data);
        content.resize(data.len().next_multiple_of(16), 0);
        for bytes in content.as_chunks_mut::<16>().0 {
            match &mut before {
                None => {
                    let mut block = Block::from(*bytes);
                    cipher.encrypt_block(&mut block);
                    *bytes = block.into();
                }
                Some(before) => {
                    *bytes = mask(&cipher, *before, *bytes);
                    *before = *bytes;
                }
            }
        }
        let (md5, length) = (Md5::digest(data).into(), to_u64(data.len()));
        encode(&Encrypted { magic: self.magic, md5, length, iv, content: &content })
    }
}

/// Encrypts or decrypts a block of CFB. The `before` of the next block is the encrypted one: the result if this encrypts, else
/// `bytes`.
fn mask(cipher: &Aes256, before: [u8; 16], bytes: [u8; 16]) -> [u8; 16] {
    let mut block = Block::from(before);
    cipher.encrypt_block(&mut block);
    for (byte, other) in block.iter_mut().zip(bytes) {
        *byte ^= other;
    }
    block.into()
}

/// Reads an [`Encrypted`] of Godot 3, with this magic.
///
/// Specification: `docs/spec/godot-files.md`, section Encrypted file.
#[inline]
pub fn encrypted_v3<'a, I, E>(magic: [u8; 4]) -> impl Parser<I, Output = Encrypted<'a>, Error = E>
where
    I: Source<Bytes = &'a BStr>,
    E: WireError<I>,
{
    flat_map(head_v3(magic), content)
}

/// Reads an [`Encrypted`] of Godot 4, with this magic, or without one inside a pack.
///
/// Specification: `docs/spec/godot-files.md`, section Encrypted file.
#[inline]
pub fn encrypted_v4<'a, I, E>(magic: Option<[u8; 4]>) -> impl Parser<I, Output = Encrypted<'a>, Error = E>
where
    I: Source<Bytes = &'a BStr>,
    E: WireError<I>,
{
    flat_map(head_v4(magic), content)
}

/// Reads the fields before the content, in version 3.
fn head_v3<'a, I: Source, E: WireError<I>>(magic: [u8; 4]) -> impl Parser<I, Output = Encrypted<'a>, Error = E> {
    let mode = verify(uint32::<Le, I, E>(), |mode| match mode {
        1 => Ok(()),
        _ => Err(Fault::Other(format!("expected the mode 1, found {mode}"))),
    });
    let md5 = field("md5", fixed::<16, I, E>());
    (field("magic", game_magic(magic)), field("mode", mode), md5, field("length", uint64::<Le, I, E>()))
        .map(|(magic, (), md5, length)| Encrypted { magic: Some(magic), md5, length, iv: None, content: &[] })
}

/// Reads the fields before the content, in version 4.
fn head_v4<'a, I, E>(magic: Option<[u8; 4]>) -> impl Parser<I, Output = Encrypted<'a>, Error = E>
where
    I: Source,
    E: WireError<I>,
{
    let magic = nom::combinator::cond(magic.is_some(), field("magic", game_magic(magic.unwrap_or_default())));
    let (md5, iv) = (field("md5", fixed::<16, I, E>()), field("iv", fixed::<16, I, E>()));
    (magic, md5, field("length", uint64::<Le, I, E>()), iv).map(|(magic, md5, length, iv)| Encrypted {
        magic,
        md5,
        length,
        iv: Some(iv),
        content: &[],
    })
}

/// Reads the content of a file whose header this is.
fn content<'a, I, E>(head: Encrypted<'a>) -> impl Parser<I, Output = Encrypted<'a>, Error = E>
where
    I: Source<Bytes = &'a BStr>,
    E: WireError<I>,
{
    let content = field("content", take(padded(head.length)));
    content.map(move |content: &'a BStr| Encrypted { content, ..head.clone() })
}

/// A length with its padding.
fn padded(length: u64) -> u64 {
    length.checked_next_multiple_of(16).unwrap_or(u64::MAX)
}

/// Reads four bytes that have to be these.
fn game_magic<I: Source, E: WireError<I>>(expected: [u8; 4]) -> impl Parser<I, Output = [u8; 4], Error = E> {
    verify(fixed::<4, I, E>(), move |found: [u8; 4]| match found == expected {
        true => Ok(found),
        false => Err(Fault::Magic { found: found.into(), expected: expected.into() }),
    })
}

/// Writes an [`Encrypted`].
pub fn gen_encrypted<'v, W: Write + 'v>(encrypted: &'v Encrypted<'_>) -> impl SerializeFn<W> + 'v {
    tuple((
        gen_bytes(encrypted.magic.as_ref().map_or(&[][..], |magic| magic)),
        cond(encrypted.iv.is_none(), gen_uint32::<Le, W>(1)),
        gen_bytes(encrypted.md5),
        gen_uint64::<Le, W>(encrypted.length),
        gen_bytes(encrypted.iv.as_ref().map_or(&[][..], |iv| iv)),
        gen_bytes(encrypted.content),
    ))
}

/// Decodes an encrypted file of either version with this magic, which is [`MAGIC`] for most games. The content borrows from the
/// input.
///
/// ```
/// use enginewire_files::godot::encrypted::{self, Key};
///
/// let file = b"GDEC\x01\0\0\0\xd4\x1d\x8c\xd9\x8f\0\xb2\x04\xe9\x80\x09\x98\xec\xf8\x42\x7e\0\0\0\0\0\0\0\0";
/// let encrypted = encrypted::decode(file, encrypted::MAGIC)?;
/// let changed = encrypted.encrypted(b"score=7", &Key::from_password("pass"), None);
/// let changed = encrypted::decode(&changed, encrypted::MAGIC)?;
/// assert_eq!(changed.decrypted(&Key::from_password("pass"))?, b"score=7");
/// assert!(changed.decrypted(&Key::from_password("other")).is_err());
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
///
/// # Errors
///
/// If the input does not begin with the magic, ends too early, or continues after the content.
pub fn decode(input: &[u8], magic: [u8; 4]) -> Result<Encrypted<'_>, DecodeError> {
    let (_, encrypted) = match version(input) {
        Version::V3 => run(input, all_consuming(false, encrypted_v3(magic)))?,
        Version::V4 => run(input, all_consuming(false, encrypted_v4(Some(magic))))?,
    };
    Ok(encrypted)
}

/// Decodes an encrypted file as far as its content goes, in whole blocks, and why there is no more.
///
/// # Errors
///
/// If its header is broken.
pub fn decode_partial(input: &[u8], magic: [u8; 4]) -> Result<(Encrypted<'_>, Option<DecodeError>), DecodeError> {
    let error = match decode(input, magic) {
        Ok(encrypted) => return Ok((encrypted, None)),
        Err(error) => error,
    };
    let (rest, head) = match version(input) {
        Version::V3 => run(input, head_v3(magic))?,
        Version::V4 => run(input, head_v4(Some(magic)))?,
    };
    Ok((in_whole_blocks(head, rest), Some(error)))
}

/// A header with the content after it, as far as it goes.
fn in_whole_blocks<'a>(head: Encrypted<'a>, rest: &'a [u8]) -> Encrypted<'a> {
    let length = to_usize(padded(head.length)).min(rest.len());
    let content = rest.get(..length).unwrap_or_default().as_chunks::<16>().0.as_flattened();
    Encrypted { content, ..head }
}

/// Decodes an encrypted entry of a pack of Godot 4, which begins where these bytes do. What follows it is ignored.
///
/// # Errors
///
/// If the input ends too early.
pub fn decode_in_pack(input: &[u8]) -> Result<Encrypted<'_>, DecodeError> {
    run(input, encrypted_v4(None)).map(|(_, encrypted)| encrypted)
}

/// The same as far as the content goes, and why there is no more.
pub(super) fn decode_in_pack_partial(input: &[u8]) -> Result<(Encrypted<'_>, Option<DecodeError>), DecodeError> {
    let (rest, head) = run(input, head_v4(None))?;
    Ok((in_whole_blocks(head, rest), decode_in_pack(input).err()))
}

/// The version of a file: 3 if it has the mode of that version, unless its size is that of version 4 alone.
fn version(input: &[u8]) -> Version {
    let length = |at: usize| input.get(at..).and_then(|bytes| bytes.first_chunk()).copied().map(u64::from_le_bytes);
    let fits =
        |at, header: u64| length(at).and_then(|length| header.checked_add(padded(length))) == Some(to_u64(input.len()));
    let has_mode = input.get(4..8) == Some(&[1, 0, 0, 0][..]);
    if has_mode && (fits(24, 32) || !fits(20, 44)) {
        Version::V3
    } else {
        Version::V4
    }
}

/// Encodes an encrypted file.
#[must_use]
pub fn encode(encrypted: &Encrypted<'_>) -> Vec<u8> {
    let mut bytes = Vec::with_capacity(encrypted.content.len().saturating_add(44));
    // nothing in it has a length that could be too long, and memory takes all
    let _ = generate_into(gen_encrypted(encrypted), &mut bytes);
    bytes
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::test::hex;
    use pretty_assertions::assert_eq;
    use proptest::collection::vec;
    use proptest::prelude::{any, prop_assert_eq, proptest};

    const SECRET: &[u8] = b"a secret of 21 bytes!";

    /// Made with OpenSSL 3, independently of any engine: the plain bytes padded with zeros to 32, the key of the password
    /// `pass`, `openssl enc -aes-256-ecb -nopad -K 3161…3732`.
    fn version_3() -> Vec<u8> {
        let head = "47444543 01000000 6d90e255c68dedbb4e6450c16723ccec 1500000000000000";
        hex(&format!("{head} eb5ab17b58b04ecd05b7d43f187759d860f766642d2b203ab688493fdb2e6874"))
    }

    /// `openssl enc -aes-256-cfb -K 3161…3732 -iv 0001…0e0f`
    fn version_4() -> Vec<u8> {
        let head = "47444543 6d90e255c68dedbb4e6450c16723ccec 1500000000000000 000102030405060708090a0b0c0d0e0f";
        hex(&format!("{head} 948a87eb0984aa36b17f73e5c8e56f8034cb85f24553a75b4f2a0c7d80b10b66"))
    }

    #[test]
    fn known_answers_of_both_versions() {
        let key = Key::from_password("pass");
        let digits = "3161316463393163393037333235633639323731646466306339343462633732";
        assert_eq!(Key::from_hex(digits), Some(key.clone()));
        assert_eq!(Key::from(*b"1a1dc91c907325c69271ddf0c944bc72"), key);
        assert_eq!([Key::from_hex("00"), Key::from_hex(&"g".repeat(64))], [None, None]);
        assert_eq!(format!("{key:?}"), "Key(..)");
        for (file, version, header) in [(version_3(), Version::V3, 32), (version_4(), Version::V4, 44)] {
            let encrypted = decode(&file, MAGIC).unwrap();
            assert_eq!((encrypted.version(), encrypted.header_length()), (version, header));
            assert_eq!(encrypted.decrypted(&key), Ok(SECRET.to_vec()));
            assert_eq!(encode(&encrypted), file);
            let other = encrypted.encrypted(b"0123456789abcdef", &key, None);
            assert_eq!(to_u64(other.len()), header + 16);
            let other = decode(&other, MAGIC).unwrap();
            assert_eq!(other.decrypted(&key).unwrap(), b"0123456789abcdef");
            // other bytes have another IV
            assert_eq!(other.iv != encrypted.iv, version == Version::V4);
            assert_eq!(other.encrypted(SECRET, &key, encrypted.iv), file);
            let new_iv = encrypted.encrypted(SECRET, &key, Some([9; 16]));
            assert_eq!(new_iv == file, version == Version::V3);
            assert_eq!(decode(&new_iv, MAGIC).unwrap().decrypted(&key), Ok(SECRET.to_vec()));
        }
        // inside a pack, with other bytes after it
        let entry = [&version_4()[4..], b"next"].concat();
        let encrypted = decode_in_pack(&entry).unwrap();
        assert_eq!((encrypted.header_length(), encrypted.decrypted(&key)), (40, Ok(SECRET.to_vec())));
        assert_eq!(encode(&encrypted), entry[..72]);
    }

    /// From Godot 3.2.3: no bytes, and the bytes 0 to 15.
    #[test]
    fn files_of_the_engine() {
        let key = Key::from_password("pass");
        for (file, data) in [
            ("47444543 01000000 d41d8cd98f00b204e9800998ecf8427e 0000000000000000", vec![]),
            (
                "47444543 01000000 1ac1ef01e96caf1be0d329331a4fc2a8 1000000000000000 f5aaf48e6af6cf42911015c5fad44fe2",
                (0..16).collect(),
            ),
        ] {
            assert_eq!(decode(&hex(file), MAGIC).unwrap().decrypted(&key), Ok(data));
        }
    }

    #[test]
    fn exact_errors() {
        let wrong = decode(&version_3(), MAGIC).unwrap().decrypted(&Key::from([0; 32])).unwrap_err();
        let text = wrong.to_string();
        assert!(text.starts_with("the password or key does not fit: the md5 of the decrypted bytes is "), "{text}");
        assert!(text.ends_with(", the file says 6d90e255c68dedbb4e6450c16723ccec"), "{text}");
        let error = |file: &[u8], magic| decode(file, magic).unwrap_err().to_string();
        assert_eq!(error(&version_4(), *b"GAME"), r#"expected "GAME", found "GDEC", at byte 0x0 in magic"#);
        let longer = [&version_3()[..], b"!"].concat();
        assert_eq!(error(&longer, MAGIC), "unexpected bytes after the end of the value, at byte 0x40");
        let mut huge = version_4();
        huge[20..28].fill(0xff);
        let needed = "input ends too early: 18446744073709551615 bytes needed, 32 left, at byte 0x2c in content";
        assert_eq!(error(&huge, MAGIC), needed);
        let other = [b"GAME", &version_4()[4..]].concat();
        assert_eq!(decode(&other, *b"GAME").unwrap().magic, Some(*b"GAME"));
        assert_eq!(
            run(&version_4()[..], encrypted_v3(MAGIC)).unwrap_err().to_string(),
            "expected the mode 1, found 1440911469, at byte 0x4 in mode"
        );
    }

    /// An md5 that begins like the mode of version 3.
    #[test]
    fn sizes_tell_the_versions_apart() {
        let mut file = version_4();
        file[4..8].copy_from_slice(&[1, 0, 0, 0]);
        assert_eq!(decode(&file, MAGIC).unwrap().version(), Version::V4);
    }

    #[test]
    fn every_cut_keeps_what_was_before() {
        let key = Key::from_password("pass");
        for (file, header) in [(version_3(), 32), (version_4(), 44)] {
            for cut in 0..file.len() {
                let part = decode_partial(&file[..cut], MAGIC);
                let error = decode(&file[..cut], MAGIC).unwrap_err();
                assert!(error.is_truncated() && error.offset().byte() <= to_u64(cut), "{cut}: {error}");
                assert_eq!(part.is_ok(), cut >= header, "{cut}");
                let found = part.map(|(part, _)| part.decrypted_unverified(&key)).unwrap_or_default();
                let blocks = cut.saturating_sub(header) / 16 * 16;
                assert_eq!(found, SECRET[..blocks], "{cut}");
            }
        }
    }

    proptest! {
        #[test]
        fn what_is_encrypted_comes_back(data in vec(any::<u8>(), 0..100), key in any::<[u8; 32]>(), iv in any::<[u8; 16]>()) {
            for file in [version_3(), version_4()] {
                let new = decode(&file, MAGIC).unwrap().encrypted(&data, &key.into(), Some(iv));
                prop_assert_eq!(decode(&new, MAGIC).unwrap().decrypted(&key.into()), Ok(data.clone()));
            }
        }

        #[test]
        fn random_bytes_never_panic(mut data in vec(any::<u8>(), 0..100), is_3 in any::<bool>()) {
            let head: &[u8] = if is_3 { b"GDEC\x01\0\0\0" } else { b"GDEC" };
            data.splice(0..0, head.iter().copied());
            if let Ok((part, _)) = decode_partial(&data, MAGIC) {
                prop_assert_eq!(part.decrypted_unverified(&Key([0; 32])).len() <= data.len(), true);
            }
        }
    }
}
