//! Roblox attributes, as the promises see them.

use arbitrary::Unstructured;
use enginewire::roblox::attributes::{self, Attributes, Entries, Entry, EnumItem, Font, Options, TypeId, Value};
use enginewire::roblox::datatypes::*;
use enginewire::typed::Leniency;
use enginewire::wire::{ItemOf, Note, Tree};
use enginewire::TextError;
use enginewire::{DecodeError, EncodeError, Limits, Offset};
use nom::{Err, Parser};

use super::codec::{self, Codec};
use super::typed::Any;
use super::{bytes, hex, list, string, LARGE};

pub(crate) struct RobloxAttributes;

impl Codec for RobloxAttributes {
    type Described = attributes::AttributesFormat;
    const MEMORY: usize = 32;

    fn items<'a>(value: &codec::Value<'a, Self>) -> Vec<ItemOf<'a, codec::FormatOf<Self>>> {
        value.entries().to_vec()
    }

    fn show(value: &Attributes<'_>) -> String {
        format!("{:?}", value.entries())
    }

    fn options_as(options: Options, decoded: &Attributes<'_>) -> Options {
        options.empty(decoded.empty_form())
    }

    fn typed(bytes: &[u8], options: &Options) -> [Result<Any, DecodeError>; 2] {
        let read = attributes::from_bytes_with(bytes, options, Leniency::new());
        [read, attributes::decode_with(bytes, options).and_then(attributes::from_value)]
    }

    fn exact(value: Attributes<'static>) -> Attributes<'static> {
        #[derive(serde::Serialize, serde::Deserialize)]
        struct Field {
            field: Value<'static>,
        }
        let pass = |entry: Entry<'static>| {
            let written = attributes::to_value(&Field { field: entry.value }).unwrap();
            Entry { key: entry.key, value: attributes::from_value::<Field>(written).unwrap().field }
        };
        value.into_iter().map(pass).collect()
    }

    fn depth(value: &Attributes<'_>) -> usize {
        value.iter().map(|entry| depth(&entry.value)).max().unwrap_or_default()
    }

    fn notation(value: &codec::Value<'_, Self>) -> Vec<(String, Result<codec::Value<'static, Self>, TextError>)> {
        type Again = fn(&str, TypeId) -> Result<Value<'static>, TextError>;
        let with = |text: fn(&Value<'_>) -> String, again: Again| {
            let texts: Vec<String> = value.iter().map(|entry| text(&entry.value)).collect();
            let entries = value
                .iter()
                .zip(&texts)
                .map(|(entry, text)| Ok(Entry::new(entry.key.to_vec(), again(text, entry.value.type_id())?)));
            let again: Result<Attributes<'static>, TextError> = entries.collect();
            (texts.join("; "), again)
        };
        let text = value.to_luau();
        let again = Attributes::from_luau(&text);
        vec![
            (text, again),
            with(|value| value.to_luau(), |text, id| Value::from_luau(text, Some(id))),
            with(|value| value.to_typed_luau(), |text, id| Value::from_luau(text, Some(id))),
            with(|value| value.to_typed_luau(), |text, _| Value::from_luau(text, None)),
        ]
    }

    fn arbitrary(entropy: &mut Unstructured<'_>) -> arbitrary::Result<Attributes<'static>> {
        Ok(entries(entropy, 4)?.into_iter().collect())
    }

    fn deepest() -> [Vec<u8>; 2] {
        let depth = usize::from(Limits::MAX_DEPTH);
        [depth, depth + 1].map(|depth| {
            let mut bytes = hex("01 00 00 00 01 00 00 00 61");
            for level in 0..depth {
                bytes.extend(hex(if level % 2 == 0 { "07 01 00 00 00" } else { "08 01 00 00 00 00 00 00 00" }));
            }
            bytes.extend(hex("03 01"));
            bytes
        })
    }

    fn hostile() -> Vec<(String, Vec<u8>)> {
        let entry = |value: &[u8]| [&[1, 0, 0, 0, 1, 0, 0, 0, b'a'], value].concat();
        let mut inputs = vec![("a count without entries".to_owned(), hex("ff ff ff ff"))];
        // a length of 0xffffffff wherever there is one
        for value in [
            "02 ff ff ff ff",
            "07 ff ff ff ff",
            "08 ff ff ff ff",
            "08 01 00 00 00 ff ff ff ff",
            "15 ff ff ff ff",
            "17 ff ff ff ff",
            "19 ff ff ff ff",
            "21 00 00 00 ff ff ff ff",
            "21 00 00 00 00 00 00 00 ff ff ff ff",
        ] {
            inputs.push((format!("a length beyond the input: {value}"), entry(&hex(value))));
            let longer = [hex(value), vec![3; 1000]].concat();
            inputs.push((format!("a length beyond a longer input: {value}"), entry(&longer)));
        }
        let smallest = hex("00 00 00 00 03 01").repeat(LARGE / 6);
        let length = u32::try_from(LARGE / 6).unwrap().to_le_bytes();
        inputs.push(("the smallest entries".to_owned(), [&length[..], &smallest].concat()));
        inputs.push(("the smallest entries, and one too few".to_owned(), [&[0xff; 4][..], &smallest].concat()));
        let bools = hex("03 01").repeat(LARGE / 2);
        for (name, count) in [("exactly", LARGE as u32 / 2), ("with a count too great", u32::MAX)] {
            let head = [&[7][..], &count.to_le_bytes()].concat();
            inputs.push((format!("the smallest elements, {name}"), entry(&[&head[..], &bools].concat())));
        }
        for count in [1u32, 20, 100, 100_000, u32::MAX] {
            let head = [&[7][..], &count.to_le_bytes()].concat();
            let nested = entry(&[&head.repeat(63)[..], &bools].concat());
            inputs.push((format!("63 arrays in each other, each of {count}, cut"), nested[..1000].to_vec()));
            inputs.push((format!("63 arrays in each other, each of {count}"), nested));
            inputs.push((format!("arrays without end, each of {count}"), entry(&head.repeat(50_000))));
            let head = [&[8][..], &count.to_le_bytes(), &[0; 4]].concat();
            inputs.push((format!("dictionaries without end, each of {count}"), entry(&head.repeat(50_000))));
        }
        inputs
    }
}

fn depth(value: &Value<'_>) -> usize {
    let inner: Vec<&Value<'_>> = match value {
        Value::Array(elements) => elements.iter().collect(),
        Value::Dictionary(entries) => entries.iter().map(|entry| &entry.value).collect(),
        _ => return 0,
    };
    1 + inner.into_iter().map(depth).max().unwrap_or_default()
}

/// Entries with up to `levels` containers inside each other.
fn entries(entropy: &mut Unstructured<'_>, levels: usize) -> arbitrary::Result<Vec<Entry<'static>>> {
    list(entropy, |entropy| Ok(Entry::new(bytes(entropy)?, value(entropy, levels)?)))
}

fn vector3(entropy: &mut Unstructured<'_>) -> arbitrary::Result<Vector3> {
    let (x, y, z) = entropy.arbitrary()?;
    Ok(Vector3 { x, y, z })
}

fn color3(entropy: &mut Unstructured<'_>) -> arbitrary::Result<Color3> {
    let (r, g, b) = entropy.arbitrary()?;
    Ok(Color3 { r, g, b })
}

fn number_keypoint(entropy: &mut Unstructured<'_>) -> arbitrary::Result<NumberSequenceKeypoint> {
    let (envelope, time, value) = entropy.arbitrary()?;
    Ok(NumberSequenceKeypoint { envelope, time, value })
}

fn color_keypoint(entropy: &mut Unstructured<'_>) -> arbitrary::Result<ColorSequenceKeypoint> {
    let (envelope, time) = entropy.arbitrary()?;
    Ok(ColorSequenceKeypoint { envelope, time, value: color3(entropy)? })
}

fn rotation(entropy: &mut Unstructured<'_>) -> arbitrary::Result<Rotation> {
    if entropy.ratio(1, 2)? {
        return Ok(Rotation::Matrix(entropy.arbitrary()?));
    }
    let ids: Vec<RotationId> = RotationId::all().collect();
    Ok(Rotation::Aligned(*entropy.choose(&ids)?))
}

/// A value of a type with fields only: its parser accepts any bytes.
fn parsed(entropy: &mut Unstructured<'_>, id: TypeId) -> arbitrary::Result<Value<'static>> {
    let mut bytes = [0; 64];
    entropy.fill_buffer(&mut bytes[1..])?;
    bytes[0] = id.id();
    let read = attributes::value::<_, ()>(Options::new().refs(true).into()).parse_complete(&bytes[..]);
    let Ok((_, value)) = read else { panic!("random bytes are not a {id:?}: it needs a line in `value`") };
    Ok(value.into_owned())
}

/// A value of any type, with up to `levels` containers inside each other.
fn value(entropy: &mut Unstructured<'_>, levels: usize) -> arbitrary::Result<Value<'static>> {
    Ok(match *entropy.choose(TypeId::ALL)? {
        TypeId::String => Value::String(string(entropy)?),
        TypeId::Bool => Value::Bool(entropy.arbitrary()?),
        TypeId::Int => Value::Int(entropy.arbitrary()?),
        TypeId::Float => Value::Float(entropy.arbitrary()?),
        TypeId::Double => Value::Double(entropy.arbitrary()?),
        TypeId::Array | TypeId::Dictionary if levels == 0 => Value::Array([].into()),
        TypeId::Array => Value::Array(list(entropy, |entropy| value(entropy, levels - 1))?.into()),
        TypeId::Dictionary => Value::Dictionary(entries(entropy, levels - 1)?.into()),
        TypeId::Color3 => Value::Color3(color3(entropy)?),
        TypeId::Vector3 => Value::Vector3(vector3(entropy)?),
        TypeId::CFrame => CFrame { position: vector3(entropy)?, rotation: rotation(entropy)? }.into(),
        TypeId::EnumItem => Value::EnumItem(EnumItem { enum_name: string(entropy)?, value: entropy.arbitrary()? }),
        TypeId::NumberSequence => Value::NumberSequence(list(entropy, number_keypoint)?.into()),
        TypeId::NumberSequenceKeypoint => Value::NumberSequenceKeypoint(number_keypoint(entropy)?),
        TypeId::ColorSequence => Value::ColorSequence(list(entropy, color_keypoint)?.into()),
        TypeId::ColorSequenceKeypoint => Value::ColorSequenceKeypoint(color_keypoint(entropy)?),
        TypeId::Font => Value::from(Font {
            weight: entropy.arbitrary()?,
            style: entropy.arbitrary()?,
            family: string(entropy)?,
            cached_face_id: string(entropy)?,
        }),
        TypeId::Ref => Value::Ref(entropy.arbitrary()?),
        other => parsed(entropy, other)?,
    })
}
