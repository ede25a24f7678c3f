//! Dictionaries in dictionaries.

use std::hint::black_box;

use enginewire::godot::{v4, Reals, Variant};
use serde::{Deserialize, Serialize};

use crate::measure::Effort;
use crate::{Comparison, Data};

#[allow(dead_code)] // of the workloads, only one is used
#[path = "../../workloads/godot.rs"]
mod workloads;

#[derive(Serialize, Deserialize, rkyv::Archive, rkyv::Serialize)]
#[rkyv(serialize_bounds(__S: rkyv::ser::Writer + rkyv::ser::Allocator, __S::Error: rkyv::rancor::Source))]
#[rkyv(bytecheck(bounds(__C: rkyv::validation::ArchiveContext, __C::Error: rkyv::rancor::Source)))]
enum Value<'a> {
    Text(#[rkyv(with = rkyv::with::InlineAsBox)] &'a str),
    Flag(bool),
    Integer(i64),
    Number(f64),
    Vector([f32; 3]),
    Dictionary(
        #[serde(borrow)]
        #[rkyv(omit_bounds)]
        Vec<Entry<'a>>,
    ),
}

#[derive(Serialize, Deserialize, rkyv::Archive, rkyv::Serialize)]
struct Entry<'a> {
    #[rkyv(with = rkyv::with::InlineAsBox)]
    key: &'a str,
    value: Value<'a>,
}

impl<'a> From<&'a Variant<'_>> for Value<'a> {
    fn from(value: &'a Variant<'_>) -> Self {
        match value {
            Variant::Bool(flag) => Value::Flag(*flag),
            Variant::Int(number) => Value::Integer(*number),
            Variant::Float(number) => Value::Number(*number),
            Variant::String(_) => Value::Text(value.as_str().unwrap()),
            Variant::Vector3(Reals::Single(vector)) => Value::Vector([vector.x, vector.y, vector.z]),
            Variant::Dictionary(dictionary) => Value::Dictionary(
                dictionary
                    .entries
                    .iter()
                    .map(|entry| Entry { key: entry.key.as_str().unwrap(), value: (&entry.value).into() })
                    .collect(),
            ),
            other => panic!("{other:?} is not among them"),
        }
    }
}

/// The number of values in a value, itself included, without keys.
fn count(value: &Value<'_>) -> usize {
    match value {
        Value::Dictionary(entries) => 1 + entries.iter().map(|entry| count(&entry.value)).sum::<usize>(),
        _ => 1,
    }
}

/// The number of entries of the outermost dictionary.
fn size(value: &Variant<'_>) -> usize {
    black_box(value).as_dictionary().unwrap().entries.len()
}

struct OfGodot;

impl Data for OfGodot {
    type Of<'a> = Value<'a>;

    fn count(data: &Value<'_>) -> usize {
        match black_box(data) {
            Value::Dictionary(entries) => entries.len(),
            _ => 0,
        }
    }
}

pub(crate) fn compare(effort: Effort) {
    let ours = workloads::nested(5);
    let data = Value::from(&ours);
    let entries = size(&ours);
    let mut comparison = Comparison::new(effort, "Godot, nested", count(&data));
    comparison.enter(
        "enginewire",
        entries,
        || v4::encode(black_box(&ours)).unwrap(),
        |bytes| size(&v4::decode(bytes).unwrap()),
    );
    comparison.enter(
        "rkyv",
        entries,
        || rkyv::to_bytes::<rkyv::rancor::Error>(black_box(&data)).unwrap(),
        |bytes| match rkyv::access::<ArchivedValue<'_>, rkyv::rancor::Error>(bytes).unwrap() {
            ArchivedValue::Dictionary(entries) => entries.len(),
            _ => 0,
        },
    );
    comparison.enter_serde::<OfGodot>(&data);
    comparison.print(entries);
}
