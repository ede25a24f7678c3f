//! The interface of a format to the promises, so that each promise is written once for all formats.

use arbitrary::Unstructured;
use enginewire::formats::{Accepts, Described, FormatOptions, OptionsOf, ValueOf, MAX_DEPTH};
use enginewire::json::{Give, Input};
use enginewire::wire::{self, format, Decoded, ItemOf, KeepsInput, Note, Tree};
use enginewire::TextError;
use enginewire::{DecodeError, DecodeOwnedError, EncodeError, Offset};
use nom::{Err, Parser};

use super::godot::Godot;
use super::godot_resource::GodotResource;
use super::mutate::mutate;
use super::properties;
use super::random::Random;
use super::roblox_attributes::RobloxAttributes;
use super::roblox_remote::RobloxRemote;
use super::scrap_mechanic_lua::ScrapMechanicLua;
use super::typed::Any;

/// Every format. A new one is a file with its [`Codec`], and a line here.
pub(crate) static FORMATS: &[Format] = &[
    Format::of::<RobloxAttributes>(),
    Format::of::<ScrapMechanicLua>(),
    Format::of::<RobloxRemote>(),
    Format::of::<Godot<3>>(),
    Format::of::<Godot<4>>(),
    Format::of::<GodotResource>(),
];

/// The facts about a format that the promises need, besides those in its [`Described`].
pub(crate) trait Codec {
    /// The format.
    type Described: Described<Format: KeepsInput>;

    /// The name of the format in the program and of its folder with fixtures.
    const NAME: &'static str = Self::Described::NAME;

    /// The peak memory of decoding, in bytes for each byte of input. [`CONSTANT`](properties::CONSTANT) is added.
    const MEMORY: usize;

    /// The most blocks of memory that checking a valid value allocates.
    const CHECK_BLOCKS: u64 = 0;

    /// Options by name that allow everything.
    fn lenient() -> FormatOptions {
        every_flag::<Self::Described>()
    }

    /// The default options first, then those that allow all there is.
    fn options() -> [Options<Self>; 2] {
        [FormatOptions::new(), Self::lenient()].map(|given| Self::Described::options(&given))
    }

    /// The maximum nesting depth of containers.
    fn max_depth() -> u16 {
        let row = Self::Described::OPTIONS.iter().find(|row| row.name == MAX_DEPTH.name).unwrap();
        FormatOptions::new().limits(row).depth()
    }

    /// The items that a value is streamed as.
    fn items<'a>(value: &Value<'a, Self>) -> Vec<ItemOf<'a, FormatOf<Self>>>;

    /// All that the bytes say about a value.
    fn show(value: &Value<'_, Self>) -> String {
        format!("{value:?}")
    }

    /// Options that encode a value to the bytes that it was decoded from, if it can be written in several ways. The
    /// document does not record which.
    fn options_as(options: Options<Self>, _decoded: &Value<'_, Self>) -> Options<Self> {
        options
    }

    fn to_json(value: Value<'_, Self>) -> String {
        serde_json::to_string::<dyn Give>(&Self::Described::to_json(value)).unwrap()
    }

    fn from_json(text: &[u8]) -> Result<Value<'static, Self>, TextError> {
        Self::Described::from_json(Input::Text(text), &Self::lenient()).map(|(value, _)| value)
    }

    /// Converts a value to text and back: each text, with the value that is read from it. Parts that the text lacks are
    /// added.
    fn notation(value: &Value<'_, Self>) -> Vec<(String, Result<Value<'static, Self>, TextError>)>;

    /// The value that serde reads, from the bytes and from the value in memory.
    fn typed(bytes: &[u8], options: &Options<Self>) -> [Result<Any, DecodeError>; 2];

    /// A value by way of fields that hold any value, read and written.
    fn exact(value: Value<'static, Self>) -> Value<'static, Self>;

    /// The nesting depth of the containers in a value.
    fn depth(value: &Value<'_, Self>) -> usize;

    /// Any value, of more than 20 bytes most of the time.
    fn arbitrary(entropy: &mut Unstructured<'_>) -> arbitrary::Result<Value<'static, Self>>;

    /// Nested containers: one value of the maximum depth, and one that is a level deeper. Where values do not nest: a value, and
    /// broken bytes.
    fn deepest() -> [Vec<u8>; 2];

    /// Inputs that ask for as much memory or time as they can, each with its name.
    fn hostile() -> Vec<(String, Vec<u8>)>;

    fn decode<'a>(bytes: &'a [u8], options: &Options<Self>) -> Result<Value<'a, Self>, DecodeError> {
        format::decode::<FormatOf<Self>>(bytes, options)
    }

    /// The value with its bytes.
    fn decode_owned(bytes: Vec<u8>, options: &Options<Self>) -> Result<Decoded<FormatOf<Self>>, DecodeOwnedError> {
        format::decode_owned::<FormatOf<Self>>(bytes, options)
    }

    /// The items before an error, and the error.
    fn decode_partial(bytes: &[u8], options: &Options<Self>) -> (Vec<Vec<u8>>, Option<DecodeError>) {
        let partial = format::decode_partial::<FormatOf<Self>>(bytes, options);
        (partial.value.iter().flat_map(Self::items_bytes).collect(), partial.error)
    }

    /// Checks the bytes. Returns true if they are canonical.
    fn check(bytes: &[u8], options: &Options<Self>) -> Result<bool, DecodeError> {
        format::check::<FormatOf<Self>>(bytes, options, &mut |_, _| {}).map(|report| report.is_canonical())
    }

    /// Every finding, with its offset.
    fn notes(bytes: &[u8], options: &Options<Self>) -> Result<Vec<(Offset, Note)>, DecodeError> {
        let mut notes = Vec::new();
        format::check::<FormatOf<Self>>(bytes, options, &mut |offset, note| notes.push((offset, note))).map(|_| notes)
    }

    fn inspect(bytes: &[u8], options: &Options<Self>) -> Tree {
        format::inspect::<FormatOf<Self>>(bytes, options, 256 << 20)
    }

    /// Runs the outermost parser on bytes that more may follow.
    fn parse_streaming(bytes: &[u8], options: &Options<Self>) -> Result<(), Err<()>> {
        <FormatOf<Self> as wire::Format>::parser(*options).parse(bytes).map(drop)
    }

    /// An item of the stream as bytes, to be compared bit by bit.
    fn item_bytes(item: ItemOf<'_, FormatOf<Self>>) -> Vec<u8> {
        Self::encode(&<FormatOf<Self> as wire::Format>::from_items(vec![item]).unwrap()).unwrap()
    }

    fn items_bytes(value: &Value<'_, Self>) -> Vec<Vec<u8>> {
        Self::items(value).into_iter().map(Self::item_bytes).collect()
    }

    /// Encodes a value of any type.
    fn encode(value: &Value<'_, Self>) -> Result<Vec<u8>, EncodeError> {
        Self::encode_with(value, &Self::options()[1])
    }

    fn encode_with(value: &Value<'_, Self>, options: &Options<Self>) -> Result<Vec<u8>, EncodeError> {
        format::encode::<FormatOf<Self>>(value, options)
    }

    fn encode_as(value: &Value<'_, Self>, decoded: &Value<'_, Self>) -> Result<Vec<u8>, EncodeError> {
        Self::encode_with(value, &Self::options_as(Self::options()[1], decoded))
    }

    fn into_owned(value: Value<'_, Self>) -> Value<'static, Self> {
        wire::IntoOwned::into_owned(value)
    }
}

/// Options that are all true which can be.
pub(crate) fn every_flag<D: Described>() -> FormatOptions {
    let flags = D::OPTIONS.iter().filter(|row| matches!(row.accepts, Accepts::Flag));
    flags.fold(FormatOptions::new(), |options, flag| options.set_row(flag, true).unwrap())
}

/// The implementation that reads and writes the bytes of a format.
pub(crate) type FormatOf<C> = <<C as Codec>::Described as Described>::Format;

/// The options of a format.
pub(crate) type Options<C> = OptionsOf<<C as Codec>::Described>;

/// A value of a format.
pub(crate) type Value<'a, C> = ValueOf<'a, <C as Codec>::Described>;

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
    pub(crate) properties: [Property; 11],
    pub(crate) lossless: fn(&super::Blob),
    /// Cut at every byte.
    pub(crate) truncation: fn(&[u8]),
    pub(crate) hostile: fn() -> Vec<(String, Vec<u8>)>,
    pub(crate) deepest: fn() -> [Vec<u8>; 2],
    /// Runs the deepest inputs with every depth around the limit.
    pub(crate) depths: fn(),
    /// The peak memory of decoding.
    pub(crate) memory: fn(&[u8]) -> u64,
    /// True if bytes decode with options that allow everything.
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
                Property { name: "plain", hold: properties::plain::<C> },
                Property { name: "notation", hold: properties::notation::<C> },
                Property { name: "dynamic", hold: properties::dynamic::<C> },
                Property { name: "inspect", hold: properties::inspect::<C> },
                Property { name: "typed", hold: properties::typed::<C> },
                Property { name: "depth", hold: properties::depth::<C> },
            ],
            lossless: properties::lossless::<C>,
            truncation: properties::truncation::<C>,
            hostile: C::hostile,
            deepest: C::deepest,
            depths: properties::deepest::<C>,
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
