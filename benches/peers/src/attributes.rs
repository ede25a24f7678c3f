//! 10,000 attributes of the types that most are of.

use std::hint::black_box;

use enginewire::roblox::attributes::{self, Attributes};
use enginewire::roblox::datatypes::{CFrame, NumberRange, Rotation};
use serde::{Deserialize, Serialize};

use crate::measure::Effort;
use crate::{Comparison, Data};

#[allow(dead_code)] // of the workloads, only one is used
#[path = "../../workloads/attributes.rs"]
mod workloads;

type Entries<'a> = Vec<Entry<'a>>;

#[derive(Serialize, Deserialize, bitcode::Encode, bitcode::Decode, rkyv::Archive, rkyv::Serialize)]
struct Entry<'a> {
    #[rkyv(with = rkyv::with::InlineAsBox)]
    key: &'a str,
    #[serde(borrow)]
    value: Value<'a>,
}

#[derive(Serialize, Deserialize, bitcode::Encode, bitcode::Decode, rkyv::Archive, rkyv::Serialize)]
enum Value<'a> {
    Text(#[rkyv(with = rkyv::with::InlineAsBox)] &'a str),
    Flag(bool),
    Number(f64),
    BrickColor(u32),
    Color([f32; 3]),
    Vector([f32; 3]),
    UDim2([(f32, i32); 2]),
    Range([f32; 2]),
    Keypoints(Vec<[f32; 3]>),
    Aligned([f32; 3], u8),
}

impl<'a> From<&'a attributes::Value<'_>> for Value<'a> {
    fn from(value: &'a attributes::Value<'_>) -> Self {
        use attributes::Value as Wire;
        match value {
            Wire::String(_) => Value::Text(value.as_str().unwrap()),
            Wire::Bool(flag) => Value::Flag(*flag),
            Wire::Double(number) => Value::Number(*number),
            Wire::BrickColor(color) => Value::BrickColor(color.0),
            Wire::Color3(color) => Value::Color([color.r, color.g, color.b]),
            Wire::Vector3(vector) => Value::Vector([vector.x, vector.y, vector.z]),
            Wire::UDim2(sizes) => Value::UDim2([sizes.x, sizes.y].map(|size| (size.scale, size.offset))),
            Wire::NumberRange(NumberRange { min, max }) => Value::Range([*min, *max]),
            Wire::NumberSequence(points) => {
                Value::Keypoints(points.iter().map(|at| [at.envelope, at.time, at.value]).collect())
            }
            Wire::CFrame(CFrame { position: at, rotation: Rotation::Aligned(id) }) => {
                Value::Aligned([at.x, at.y, at.z], (*id).into())
            }
            other => panic!("{other:?} is not among them"),
        }
    }
}

struct OfAttributes;

impl Data for OfAttributes {
    type Of<'a> = Entries<'a>;

    fn count(data: &Entries<'_>) -> usize {
        black_box(data).len()
    }
}

pub(crate) fn compare(effort: Effort) {
    let bytes = workloads::mixed(1_000);
    let ours: Attributes<'_> = attributes::decode(&bytes).unwrap();
    let data: Entries<'_> =
        ours.iter().map(|entry| Entry { key: entry.key.as_str().unwrap(), value: (&entry.value).into() }).collect();
    let count = data.len();
    let mut comparison = Comparison::new(effort, "attributes, 10,000 mixed", count);
    comparison.enter(
        "enginewire",
        count,
        || attributes::encode(black_box(&ours)).unwrap(),
        |bytes| black_box(&attributes::decode(bytes).unwrap()).len(),
    );
    comparison.enter(
        "bitcode",
        count,
        || bitcode::encode(black_box(&data)),
        |bytes| OfAttributes::count(&bitcode::decode(bytes).unwrap()),
    );
    comparison.enter(
        "rkyv",
        count,
        || rkyv::to_bytes::<rkyv::rancor::Error>(black_box(&data)).unwrap(),
        |bytes| rkyv::access::<rkyv::Archived<Entries<'_>>, rkyv::rancor::Error>(bytes).unwrap().len(),
    );
    comparison.enter_serde::<OfAttributes>(&data);
    comparison.print(count);
}
