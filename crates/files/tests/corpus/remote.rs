use std::path::Path;

use enginewire::json::Input;
use enginewire::roblox::datatypes::RotationId;
use enginewire::roblox::remote::{
    check_with, decode_with, encode_with, gen_packet_data, gen_value, inspect_with, packet_data, value, EventIds,
    Options, PackedQuaternion, Packet, PacketData, Value as RemoteValue,
};
use enginewire::wire::{all_consuming, generate_into, Tree};
use enginewire::wire::{run, Checker, Log};
use enginewire::{DecodeError, Fault};
use libtest_mimic::Trial;
use pretty_assertions::assert_eq;
use serde_json::Value;

use crate::support::{hex, Codec, RobloxRemote, FORMATS};

pub(crate) fn trials(corpus: &Path) -> Vec<Trial> {
    let folder = corpus.join(RobloxRemote::NAME);
    let read = |name: &str| -> Value { serde_json::from_slice(&std::fs::read(folder.join(name)).unwrap()).unwrap() };
    let cases = |name: &str| read(name).as_array().unwrap().clone();
    let trial = |case: Value, test: fn(&Value)| {
        let name = case.get("name").or(case.get("label")).unwrap_or(&case["id"]);
        Trial::test(format!("remote case: {name}"), move || {
            test(&case);
            Ok(())
        })
    };
    let captures = cases("captures.json").into_iter().chain(cases("captures-synthetic.json"));
    let mut trials: Vec<Trial> = captures.map(|case| trial(case, capture)).collect();
    trials.extend(cases("invalid.json").into_iter().map(|case| trial(case, invalid)));
    let rotations = read("rotations.json");
    let part = |name: &str| rotations[name].as_array().unwrap().clone();
    trials.extend(part("ids").into_iter().map(|case| trial(case, rotation_id)));
    trials.extend(part("quaternions").into_iter().map(|case| trial(case, quaternion)));
    trials
}

/// The document of a capture, and its bytes written again. A capture starts at a packet, at data, or at a value.
fn decoded(case: &Value, bytes: &[u8], options: Options) -> Result<(Value, Vec<u8>), DecodeError> {
    let mut written = Vec::new();
    let document = match case["level"].as_str().unwrap() {
        "packet" => {
            let packet = decode_with(bytes, &options)?;
            written = encode_with(&packet, &options).unwrap();
            serde_json::to_string(&packet)
        }
        "data" => {
            let (_, data) = run(bytes, all_consuming(false, packet_data(options)))?;
            generate_into(gen_packet_data(options, &data), &mut written).unwrap();
            serde_json::to_string(&data)
        }
        "value" => {
            let (_, value) = run(bytes, all_consuming(false, value(options.into())))?;
            generate_into(gen_value(options.into(), &value), &mut written).unwrap();
            serde_json::to_string(&value)
        }
        other => panic!("{other}"),
    };
    // by way of text, which has the shortest digits of each number
    Ok((serde_json::from_str(&document.unwrap()).unwrap(), written))
}

fn tree(case: &Value, bytes: &[u8], options: Options) -> Tree {
    match case["level"].as_str().unwrap() {
        "packet" => inspect_with(bytes, &options),
        "data" => Log::default().trace(bytes, all_consuming(false, packet_data(options))),
        _ => Log::default().trace(bytes, all_consuming(false, value(options.into()))),
    }
}

fn checked(case: &Value, bytes: &[u8], options: Options) -> Result<u64, DecodeError> {
    let findings = match case["level"].as_str().unwrap() {
        "packet" => check_with(bytes, &options, |_, _| {})?.findings,
        "data" => Checker::new(bytes, &mut |_, _| {}).check(all_consuming(false, packet_data(options)))?,
        _ => Checker::new(bytes, &mut |_, _| {}).check(all_consuming(false, value(options.into())))?,
    };
    Ok(findings.non_canonical.count + findings.drafts.count)
}

/// The default table, and the ids that a case adds to it.
fn event_ids(case: &Value) -> EventIds {
    let added = case["events"].as_object().into_iter().flatten();
    added.fold(EventIds::captured(), |ids, (id, name)| {
        let id = u16::from_str_radix(id.strip_prefix("0x").unwrap(), 16).unwrap();
        ids.with(id, name.as_str().unwrap().parse().unwrap()).unwrap()
    })
}

/// It decodes to its document, both encode to it, and every byte of it has a name.
fn capture(case: &Value) {
    let bytes = hex(case["hex"].as_str().unwrap());
    let ids = event_ids(case);
    let options = Options::new().event_ids(ids);
    FORMATS.iter().for_each(|format| format.hold_all(&bytes));
    let (document, written) = decoded(case, &bytes, options).unwrap();
    assert_eq!(written, bytes);
    assert_eq!(checked(case, &bytes, options), Ok(0));

    let expected = case["document"].to_string();
    let mut again = Vec::new();
    match case["level"].as_str() {
        Some("value") => {
            let expected: RemoteValue<'_> = serde_json::from_str(&expected).unwrap();
            generate_into(gen_value(options.into(), &expected), &mut again).unwrap();
        }
        Some("data") => {
            let expected: PacketData<'_> = serde_json::from_str(&expected).unwrap();
            generate_into(gen_packet_data(options, &expected), &mut again).unwrap();
        }
        _ => {
            let expected = Packet::from_json(Input::Text(expected.as_bytes()), &ids).unwrap();
            again = encode_with(&expected, &options).unwrap();
            // the ids by name, where the table has one for each
            let mut nameless = case["document"].clone();
            let data = nameless["packets"].as_array_mut().unwrap().iter_mut();
            data.for_each(|data| drop(data.as_object_mut().unwrap().remove("event_id")));
            match Packet::from_json(Input::Text(nameless.to_string().as_bytes()), &ids) {
                Ok(named) => assert_eq!(named, expected),
                Err(error) => assert!(case.get("events").is_some() && error.path().ends_with("event_id"), "{error}"),
            }
        }
    }
    assert_eq!(again, bytes);
    // numbers are written otherwise here and there, but they are the same
    assert_eq!(plain(&document), plain(&case["document"]));

    let tree = tree(case, &bytes, options);
    assert_eq!((tree.error(), tree.gap()), (None, None));
    let leaves = tree.nodes().filter(|node| tree.children(Some(node)).next().is_none());
    assert_eq!(leaves.map(|leaf| leaf.range.end.byte() - leaf.range.start.byte()).sum::<u64>(), bytes.len() as u64);
}

/// A document with each number as a double.
fn plain(document: &Value) -> Value {
    match document {
        Value::Number(number) => Value::from(number.as_f64().unwrap()),
        Value::Array(items) => items.iter().map(plain).collect(),
        Value::Object(members) => {
            Value::Object(members.iter().map(|(name, member)| (name.clone(), plain(member))).collect())
        }
        other => other.clone(),
    }
}

/// An input to refuse, with the kind of its error and its first byte.
fn invalid(case: &Value) {
    let bytes = hex(case["hex"].as_str().unwrap());
    FORMATS.iter().for_each(|format| format.hold_all(&bytes));
    let error = decoded(case, &bytes, Options::new()).unwrap_err();
    let field = error.path().to_string();
    let at = error.offset().byte() as usize;
    // whether the integer at the error is all there, so that not it is cut, but what it counts
    let is_whole = bytes[at..].iter().any(|byte| *byte < 0x80);
    let kind = match error.fault() {
        Fault::Truncated { .. } if is_whole && field.ends_with("length") => "length",
        Fault::Truncated { .. } if is_whole && field.ends_with("count") => "count",
        Fault::Truncated { .. } => "truncated",
        Fault::Unknown { what: "packet type", .. } => "packet",
        Fault::Unknown { what: "packet subtype", .. } => "subpacket",
        Fault::Unknown { what: "event id", .. } => "event",
        Fault::Unknown { what: "type id", .. } => "type",
        Fault::Unknown { what: "boolean", .. } => "bool",
        Fault::Unknown { what: "rotation id", .. } | Fault::ReservedBit => "rotation",
        Fault::Overlong | Fault::TooManyBits { .. } => "varint",
        Fault::TooDeep { .. } => "depth",
        Fault::Trailing => "trailing",
        other => panic!("{other}"),
    };
    assert_eq!((case["error"].as_str(), case["byte"].as_u64()), (Some(kind), Some(at as u64)), "{error}");
    assert_eq!(checked(case, &bytes, Options::new()), Err(error.clone()));
    assert_eq!(tree(case, &bytes, Options::new()).error(), Some(&error));
}

fn numbers<const N: usize>(value: &Value) -> [f64; N] {
    let numbers: Vec<f64> = value.as_array().unwrap().iter().map(|number| number.as_f64().unwrap()).collect();
    numbers.try_into().unwrap()
}

fn near<const N: usize>(one: [f64; N], other: [f64; N]) -> bool {
    one.iter().zip(other).all(|(one, other)| (one - other).abs() < 1e-6)
}

fn rotation_id(case: &Value) {
    let id = RotationId::try_from(u8::try_from(case["id"].as_u64().unwrap()).unwrap()).unwrap();
    assert_eq!(id.matrix().map(f64::from), numbers(&case["matrix"]));
}

fn quaternion(case: &Value) {
    let bytes: [u8; 6] = hex(case["hex"].as_str().unwrap()).try_into().unwrap();
    let packed = PackedQuaternion::from_bytes(bytes).unwrap();
    assert_eq!(packed.to_bytes(), bytes);
    let field = |name: &str| i16::try_from(case[name].as_i64().unwrap()).unwrap();
    assert_eq!(serde_json::to_value(packed.omitted()).unwrap(), case["omitted"]);
    assert_eq!(packed.fields(), [field("a"), field("b"), field("c")]);
    assert!(near(packed.to_quaternion(), numbers(&case["decoded"])));
    assert!(near(packed.to_matrix(), numbers(&case["matrix"])));
    if let Some(input) = case.get("input_quaternion") {
        assert_eq!(PackedQuaternion::from_quaternion(numbers(input)), Some(packed));
    }
    if case.get("canonical") != Some(&Value::Bool(false)) {
        assert_eq!(PackedQuaternion::from_quaternion(numbers(&case["decoded"])), Some(packed));
        assert_eq!(PackedQuaternion::from_matrix(&numbers(&case["matrix"])), Some(packed));
    }
}
