//! What a format gives to the promises, so that each of them is written once for all formats.

use std::fmt::Debug;

use arbitrary::Unstructured;
use enginewire::json::JsonError;
use enginewire::wire::{ItemStream, Note, Tree};
use enginewire::{DecodeError, EncodeError, Offset};
use nom::Err;

use super::godot::Godot;
use super::mutate::mutate;
use super::properties;
use super::random::Random;
use super::roblox_attributes::RobloxAttributes;
use super::roblox_remote::RobloxRemote;
use super::scrap_mechanic_lua::ScrapMechanicLua;

/// Every format. A new one is a file with its [`Codec`], and a line here.
pub(crate) static FORMATS: &[Format] = &[
    Format::of::<RobloxAttributes>(),
    Format::of::<ScrapMechanicLua>(),
    Format::of::<RobloxRemote>(),
    Format::of::<Godot<3>>(),
    Format::of::<Godot<4>>(),
];

/// The library's face of one format.
pub(crate) trait Codec {
    /// As the program and the folders with fixtures have it.
    const NAME: &'static str;

    /// The peak memory of decoding: so many bytes for each byte of input, and [`CONSTANT`](properties::CONSTANT).
    const MEMORY: usize;

    /// How deep containers may nest, with either options.
    const DEPTHS: [u16; 2];

    type Options: Copy + Debug;
    type Value<'a>: Clone + Debug + PartialEq;
    type ItemStream: ItemStream;

    /// The default options first, then such as allow all there is.
    fn options() -> [Self::Options; 2];

    fn decode<'a>(bytes: &'a [u8], options: &Self::Options) -> Result<Self::Value<'a>, DecodeError>;

    /// The items before an error, and the error.
    fn decode_partial(bytes: &[u8], options: &Self::Options) -> (Vec<Vec<u8>>, Option<DecodeError>);

    /// Whether the bytes are canonical.
    fn check(bytes: &[u8], options: &Self::Options) -> Result<bool, DecodeError>;

    /// Everything remarkable, with its offset.
    fn notes(bytes: &[u8], options: &Self::Options) -> Result<Vec<(Offset, Note)>, DecodeError>;

    fn inspect(bytes: &[u8], options: &Self::Options) -> Tree;

    /// What the format's outermost parser says to bytes that may go on.
    fn parse_streaming(bytes: &[u8], options: &Self::Options) -> Result<(), Err<()>>;

    fn stream(options: &Self::Options) -> Self::ItemStream;

    /// An item of the stream as bytes, to be compared bit by bit.
    fn item_bytes(item: &<Self::ItemStream as ItemStream>::Item<'_>) -> Vec<u8>;

    /// What [`ItemStream::into_owned`] makes of an item, as bytes.
    fn owned_bytes(item: &<Self::ItemStream as ItemStream>::Owned) -> Vec<u8>;

    /// The items that a value is streamed as, as bytes.
    fn items(value: &Self::Value<'_>) -> Vec<Vec<u8>>;

    fn encode(value: &Self::Value<'_>) -> Result<Vec<u8>, EncodeError>;

    /// The bytes that the value was decoded from, also where there is another way to write it. The document says
    /// nothing about that.
    fn encode_as(value: &Self::Value<'_>, decoded: &Self::Value<'_>) -> Result<Vec<u8>, EncodeError>;

    /// All that the bytes say about a value.
    fn show(value: &Self::Value<'_>) -> String;

    fn into_owned(value: Self::Value<'_>) -> Self::Value<'static>;

    fn to_json(value: Self::Value<'_>) -> String;

    fn from_json(text: &[u8]) -> Result<Self::Value<'static>, JsonError>;

    /// How deep containers nest in a value.
    fn depth(value: &Self::Value<'_>) -> usize;

    /// Any value.
    fn arbitrary(entropy: &mut Unstructured<'_>) -> arbitrary::Result<Self::Value<'static>>;

    /// Containers inside each other, as many as there may be, and one more.
    fn deepest() -> [Vec<u8>; 2];

    /// Inputs that ask for as much memory or time as they can, each with its name.
    fn hostile() -> Vec<(String, Vec<u8>)>;
}

/// A property, which must hold for any bytes at all.
#[derive(Clone, Copy)]
pub(crate) struct Property {
    pub(crate) name: &'static str,
    /// Panics where it does not hold.
    pub(crate) hold: fn(&[u8]),
}

/// A [`Codec`] with its types gone.
pub(crate) struct Format {
    pub(crate) name: &'static str,
    pub(crate) properties: [Property; 6],
    pub(crate) lossless: fn(&super::Blob),
    /// Cut at every byte.
    pub(crate) truncation: fn(&[u8]),
    pub(crate) hostile: fn() -> Vec<(String, Vec<u8>)>,
    pub(crate) deepest: fn() -> [Vec<u8>; 2],
    /// The peak memory of decoding.
    pub(crate) memory: fn(&[u8]) -> u64,
    /// Whether bytes decode, with all that the options allow.
    pub(crate) is_valid: fn(&[u8]) -> bool,
    pub(crate) is_canonical: fn(&[u8]) -> bool,
    /// The bytes of any value.
    pub(crate) sample: fn(&[u8]) -> Vec<u8>,
    /// Other bytes of nearly the same layout.
    pub(crate) mutate: fn(&[u8], &mut Random) -> Vec<u8>,
}

impl Format {
    const fn of<C: Codec>() -> Self {
        Format {
            name: C::NAME,
            properties: [
                Property { name: "decode", hold: properties::decode::<C> },
                Property { name: "roundtrip", hold: properties::roundtrip::<C> },
                Property { name: "arbitrary", hold: properties::arbitrary::<C> },
                Property { name: "chunking", hold: properties::chunking::<C> },
                Property { name: "json", hold: properties::json::<C> },
                Property { name: "inspect", hold: properties::inspect::<C> },
            ],
            lossless: properties::lossless::<C>,
            truncation: properties::truncation::<C>,
            hostile: C::hostile,
            deepest: C::deepest,
            memory: properties::memory::<C>,
            is_valid: |bytes| C::decode(bytes, &C::options()[1]).is_ok(),
            is_canonical: |bytes| C::check(bytes, &C::options()[0]).unwrap(),
            sample: properties::sample::<C>,
            mutate: |bytes, random| mutate(bytes, &C::inspect(bytes, &C::options()[1]), random),
        }
    }

    pub(crate) fn hold(&self, name: &str, bytes: &[u8]) {
        let property = self.properties.iter().find(|property| property.name == name);
        (property.unwrap_or_else(|| panic!("there is no property {name}")).hold)(bytes);
    }

    pub(crate) fn hold_all(&self, bytes: &[u8]) {
        self.properties.iter().for_each(|property| (property.hold)(bytes));
    }

    pub(crate) fn by_name(name: &str) -> Option<&'static Format> {
        FORMATS.iter().find(|format| format.name == name)
    }
}
