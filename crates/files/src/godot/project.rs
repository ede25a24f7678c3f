//! The settings of a project: `project.binary`, and other binary files of `ProjectSettings.save_custom`.

use std::borrow::Cow;
use std::io::Write;

use bstr::BStr;
use cookie_factory::multi::all;
use cookie_factory::sequence::tuple;
use cookie_factory::SerializeFn;
use nom::Parser;

use enginewire::error::{DecodeError, EncodeError};
use enginewire::godot::Options;
use enginewire::godot::Variant;
use enginewire::number::{to_u64, to_usize};
use enginewire::wire::{
    all_consuming, bounded_length, field, flat_map, gen_bytes, gen_length, gen_length_prefixed, generate_into,
    length_prefixed, magic, recover, repeat, run, take, uint32, ByteString, IntoByteString, Le, Source, WireError,
};

/// The first bytes of a file of settings.
pub const MAGIC: &[u8] = b"ECFG";

/// The settings of a project.
///
/// | field | type |
/// |---|---|
/// | magic | `ECFG` |
/// | count | uint32 |
/// | settings | `count` × [`Setting`] |
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Project<'a> {
    /// The settings, in their order.
    pub settings: Vec<Setting<'a>>,
}

/// A setting. Its value is kept as bytes, so that an invalid value does not hide the other settings.
///
/// | field | type |
/// |---|---|
/// | key | uint32 length, and as many bytes, without padding |
/// | value | uint32 length, and a [`Variant`] of as many bytes |
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Setting<'a> {
    /// Its name: `application/config/name`.
    pub key: ByteString<'a>,
    /// The bytes of its value.
    pub value: Cow<'a, [u8]>,
}

impl<'a> Project<'a> {
    /// Every setting with the offset of its value in the file.
    pub fn placed(&self) -> impl Iterator<Item = (u64, &Setting<'a>)> {
        let counts = to_u64(MAGIC.len()).saturating_add(4);
        self.settings.iter().scan(counts, |end, setting| {
            let start = end.saturating_add(to_u64(setting.key.len())).saturating_add(8);
            *end = start.saturating_add(to_u64(setting.value.len()));
            Some((start, setting))
        })
    }
}

impl<'a> Setting<'a> {
    /// A setting with this value.
    ///
    /// # Errors
    ///
    /// As for [`encode_with`](super::encode_with).
    #[inline]
    pub fn new(key: impl IntoByteString<'a>, value: &Variant<'_>, options: &Options) -> Result<Self, EncodeError> {
        Ok(Setting { key: key.into_byte_string(), value: super::encode_with(value, options)?.into() })
    }

    /// The value.
    ///
    /// # Errors
    ///
    /// As for [`decode_with`](super::decode_with), with offsets from the start of the value.
    #[inline]
    pub fn decode(&self, options: &Options) -> Result<Variant<'_>, DecodeError> {
        super::decode_with(&self.value, options).map_err(DecodeError::of_complete_input)
    }
}

/// Reads a [`Setting`].
///
/// Specification: `docs/spec/godot-variant.md`, section Setting.
#[inline]
pub fn setting<'a, I, E>() -> impl Parser<I, Output = Setting<'a>, Error = E>
where
    I: Source<Bytes = &'a BStr>,
    E: WireError<I>,
{
    let value = flat_map(field("length", bounded_length(1, uint32::<Le, I, E>())), |length| {
        field("content", take(u64::from(length)))
    });
    let key = length_prefixed::<Le, I, E>();
    (field("key", key), field("value", value))
        .map(|(key, value): (&BStr, &BStr)| Setting { key: key.into(), value: AsRef::<[u8]>::as_ref(value).into() })
}

/// Reads a [`Project`].
///
/// Specification: `docs/spec/godot-variant.md`, section project.binary.
#[inline]
pub fn project<'a, I, E>() -> impl Parser<I, Output = Project<'a>, Error = E>
where
    I: Source<Bytes = &'a BStr>,
    E: WireError<I>,
{
    let settings =
        flat_map(field("count", uint32::<Le, I, E>()), |count| field("settings", repeat(count, 8, setting())));
    (field("magic", magic(MAGIC)), settings).map(|(_, settings)| Project { settings })
}

/// Writes a [`Setting`].
pub fn gen_setting<'v, W: Write + 'v>(setting: &'v Setting<'_>) -> impl SerializeFn<W> + 'v {
    tuple((gen_length_prefixed::<Le, W>(&setting.key), gen_length_prefixed::<Le, W>(&setting.value)))
}

/// Writes a [`Project`].
pub fn gen_project<'v, W: Write + 'v>(project: &'v Project<'_>) -> impl SerializeFn<W> + 'v {
    let settings = project.settings.iter().map(gen_setting);
    tuple((gen_bytes(MAGIC), gen_length::<Le, W>(project.settings.len()), all(settings)))
}

/// Decodes settings, which borrow from the input. Their list takes at most as much memory as [`list_size`] says, which is six
/// to seven times the input or less.
///
/// ```
/// use enginewire::godot::{Options, Variant, Version};
/// use enginewire_files::godot::project;
///
/// let bytes = b"ECFG\x01\0\0\0\x04\0\0\0name\x0c\0\0\0\x04\0\0\0\x04\0\0\0demo";
/// let project = project::decode(bytes)?;
/// assert_eq!(project.settings[0].decode(&Options::new(Version::V4))?, Variant::from("demo"));
/// assert_eq!(project::encode(&project)?, bytes);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
///
/// # Errors
///
/// If the input does not begin with [`MAGIC`], ends too early, or continues after the last setting.
#[inline]
pub fn decode(input: &[u8]) -> Result<Project<'_>, DecodeError> {
    run(input, all_consuming(false, project())).map(|(_, project)| project)
}

/// Decodes settings as far as they go: those that are whole, and why there are no more.
#[must_use]
#[inline]
pub fn decode_partial(input: &[u8]) -> (Project<'_>, Option<DecodeError>) {
    match decode(input) {
        Ok(project) => (project, None),
        Err(error) => (recover(input, project()).unwrap_or_default(), Some(error)),
    }
}

/// The most memory, in bytes, that the list of settings made by [`decode`] takes for this input. Settings that the input
/// claims, but is too short to hold at 8 bytes each, do not count.
#[must_use]
pub fn list_size(input: &[u8]) -> usize {
    let head = MAGIC.len().saturating_add(4);
    let claimed = input.get(MAGIC.len()..head).and_then(|count| count.first_chunk::<4>()).copied();
    let claimed = to_usize(claimed.map(u32::from_le_bytes).unwrap_or_default());
    let possible = input.len().saturating_sub(head).checked_div(8).unwrap_or_default();
    claimed.min(possible).saturating_mul(size_of::<Setting<'_>>())
}

/// Encodes settings.
///
/// # Errors
///
/// If a key or value, or the list, is too long for its length.
#[inline]
pub fn encode(project: &Project<'_>) -> Result<Vec<u8>, EncodeError> {
    let mut bytes = Vec::new();
    generate_into(gen_project(project), &mut bytes)?;
    Ok(bytes)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::test::hex;
    use enginewire::godot::Version;
    use pretty_assertions::assert_eq;

    fn demo() -> Project<'static> {
        let number = Setting::new("width", &Variant::Int(1024), &Options::new(Version::V4)).unwrap();
        let name = Setting::new("application/config/name", &"demo".into(), &Options::new(Version::V4)).unwrap();
        Project { settings: vec![name, number] }
    }

    #[test]
    fn settings_come_back() {
        let bytes = encode(&demo()).unwrap();
        assert!(bytes.starts_with(&hex("45434647 02000000 17000000 6170706c")));
        let project = decode(&bytes).unwrap();
        assert_eq!(project, demo());
        for (offset, setting) in project.placed() {
            assert!(bytes[to_usize(offset)..].starts_with(&setting.value));
        }
        assert_eq!(project.settings[1].decode(&Options::new(Version::V4)), Ok(Variant::Int(1024)));
        assert_eq!(decode(b"ECFG\0\0\0\0"), Ok(Project::default()));
    }

    /// Values are after the magic, the count, and the keys and values before, each with its length.
    #[test]
    fn offsets_of_values() {
        let project = demo();
        let [name, width] = &project.settings[..] else { panic!() };
        let places: Vec<_> = project.placed().map(|(offset, setting)| (offset, &setting.key)).collect();
        assert_eq!((name.key.len(), name.value.len(), width.key.len()), (23, 12, 5));
        assert_eq!(places, [(8 + 4 + 23 + 4, &name.key), (8 + 4 + 23 + 4 + 12 + 4 + 5 + 4, &width.key)]);
    }

    #[test]
    fn the_list_is_bounded_by_the_input() {
        let setting = size_of::<Setting<'_>>();
        assert!(setting <= 7 * 8);
        let bytes = encode(&demo()).unwrap();
        assert_eq!(list_size(&bytes), 2 * setting);
        let hostile = [&hex("45434647 ffffffff")[..], &[0; 8 * 5 + 7]].concat();
        assert_eq!(list_size(&hostile), 5 * setting);
        for (cut, size) in [(8, 0), (7, 0), (0, 0), (16, setting), (23, setting)] {
            assert_eq!(list_size(&hostile[..cut]), size, "{cut}");
        }
    }

    #[test]
    fn every_cut_is_an_error_with_its_place() {
        let bytes = encode(&demo()).unwrap();
        for cut in 0..bytes.len() {
            let error = decode(&bytes[..cut]).unwrap_err();
            assert!(error.is_truncated() && error.offset().byte() <= to_u64(cut), "{cut}: {error}");
            // 8 bytes of magic and count, and 43 of the first setting
            let whole = demo().settings.into_iter().take(usize::from(cut >= 51)).collect();
            assert_eq!(decode_partial(&bytes[..cut]), (Project { settings: whole }, Some(error)), "{cut}");
        }
        assert_eq!(decode_partial(&bytes), (demo(), None));
        let longer = [&bytes[..], b"!"].concat();
        assert_eq!(decode_partial(&longer).0, demo());
        let error = decode(&longer).unwrap_err();
        assert_eq!((error.is_truncated(), error.offset().byte()), (false, to_u64(bytes.len())));
        let error = decode(b"GDPC\0\0\0\0").unwrap_err();
        assert_eq!(error.to_string(), r#"expected "ECFG", found "GDPC", at byte 0x0 in magic"#);
        let hostile = hex("45434647 ffffffff 01000000 61 ffffffff");
        let path = decode(&hostile).unwrap_err().path().to_string();
        assert_eq!(path, "settings[0].value.length");
    }
}
