//! The input of the benchmark: the same bytes in every run.
//!
//! Everything here is also accepted by `rbx_types`: only types that it knows, colours of the palette, text for keys
//! and names. Keys ascend, as in files of Studio, so that `rbx_types`, which sorts, writes the same bytes.

use enginewire::roblox::attributes::{encode, Attributes, EnumItem, Font, IntoByteString, Value};
use enginewire::roblox::datatypes::{
    BrickColor, CFrame, Color3, ColorSequenceKeypoint, NumberRange, NumberSequenceKeypoint, Rect, Rotation, RotationId,
    UDim, UDim2, Vector2, Vector3,
};

/// A blob, and what it is called.
pub(crate) struct Workload {
    pub(crate) name: &'static str,
    pub(crate) bytes: Vec<u8>,
    pub(crate) entries: usize,
}

impl Workload {
    fn new(name: &'static str, attributes: &Attributes<'_>) -> Self {
        Workload { name, bytes: encode(attributes).unwrap(), entries: attributes.len() }
    }
}

/// The blobs that are both decoded and encoded.
pub(crate) fn workloads() -> [Workload; 5] {
    let ten: Attributes<'_> = Random::new().ten_mixed().into_iter().collect();
    [
        Workload::new("10 mixed", &ten),
        Workload { name: "10,000 mixed", bytes: mixed(1_000), entries: 10_000 },
        Workload::new("10,000 shuffled", &shuffled(10_000)),
        Workload::new("string-heavy", &string_heavy()),
        Workload::new("sequence-heavy", &sequence_heavy()),
    ]
}

/// The values of `10 mixed`, `tens` times, each time with other numbers and under other names.
pub(crate) fn mixed(tens: usize) -> Vec<u8> {
    // encoded in parts, because values take several times the memory of their bytes
    const PART: usize = 1_000;
    let mut random = Random::new();
    let mut bytes = u32::try_from(tens * 10).unwrap().to_le_bytes().to_vec();
    for first in (0..tens).step_by(PART) {
        let values = (first..tens.min(first + PART)).flat_map(|_| random.ten_mixed());
        let part: Attributes<'_> =
            values.enumerate().map(|(index, (_, value))| (format!("Value{:09}", first * 10 + index), value)).collect();
        bytes.extend(encode(&part).unwrap().into_iter().skip(4));
    }
    bytes
}

/// All types in no order, so that no processor can guess which comes next.
pub(crate) fn shuffled(entries: u32) -> Attributes<'static> {
    let mut random = Random::new();
    (0..entries).map(|index| (format!("Key{index:05}"), random.value())).collect()
}

/// 2,600 strings of 50 to 250 bytes.
fn string_heavy() -> Attributes<'static> {
    let mut random = Random::new();
    (0..2_600)
        .map(|index| {
            let length = 50 + random.below(200);
            (format!("Text{index:04}"), Value::from(random.text(length)))
        })
        .collect()
}

/// 100 sequences of 500 to 1,500 keypoints, of both types.
fn sequence_heavy() -> Attributes<'static> {
    let mut random = Random::new();
    (0..100)
        .map(|index| {
            let length = 500 + random.below(1000);
            let value = if index % 2 == 0 { random.number_sequence(length) } else { random.color_sequence(length) };
            (format!("Sequence{index:02}"), value)
        })
        .collect()
}

/// A blob with one entry of about `size` bytes: an array of arrays of small values.
pub(crate) fn nested_arrays(size: usize) -> Vec<u8> {
    // 5 bytes for an inner array and its type, and 2 for each Bool
    let inner = Value::from(vec![Value::from(true); 10]);
    let outer = Value::from(vec![inner; size / 25]);
    encode(&Attributes::from_iter([("Nested", outer)])).unwrap()
}

/// Random numbers, the same in every run: xorshift.
struct Random(u64);

impl Random {
    fn new() -> Self {
        Random(0x9e37_79b9_7f4a_7c15)
    }

    fn next(&mut self) -> u32 {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        u32::try_from(self.0 >> 32).unwrap()
    }

    fn below(&mut self, limit: u32) -> usize {
        usize::try_from(self.next() % limit).unwrap()
    }

    fn pick<T: Copy>(&mut self, from: &[T]) -> T {
        let index = self.below(u32::try_from(from.len()).unwrap());
        *from.get(index).unwrap()
    }

    fn float(&mut self) -> f32 {
        f32::from(u16::try_from(self.next() >> 16).unwrap()) / 64.0
    }

    fn number(&mut self) -> i32 {
        i32::try_from(self.below(1_000_000)).unwrap()
    }

    fn text(&mut self, length: usize) -> String {
        (0..length).map(|_| char::from(self.pick(b"abcdefghijklmnopqrstuvwxyz     "))).collect()
    }

    fn udim(&mut self) -> UDim {
        UDim { scale: self.float(), offset: self.number() }
    }

    fn color(&mut self) -> Color3 {
        Color3 { r: self.float(), g: self.float(), b: self.float() }
    }

    fn plane(&mut self) -> Vector2 {
        Vector2 { x: self.float(), y: self.float() }
    }

    fn vector(&mut self) -> Vector3 {
        Vector3 { x: self.float(), y: self.float(), z: self.float() }
    }

    /// The types that attributes are mostly of.
    fn ten_mixed(&mut self) -> [(&'static str, Value<'static>); 10] {
        [
            ("Accent", Value::from(self.color())),
            ("Active", Value::from(true)),
            ("Damage", Value::from(NumberRange { min: self.float(), max: self.float() })),
            ("Fade", self.number_sequence(2)),
            ("Health", Value::from(f64::from(self.float()))),
            ("Home", Value::from(CFrame { position: self.vector(), rotation: RotationId::IDENTITY.into() })),
            ("Name", Value::from(self.text(10))),
            ("Paint", Value::from(BrickColor(194))),
            ("Size", Value::from(UDim2 { x: self.udim(), y: self.udim() })),
            ("Spawn", Value::from(self.vector())),
        ]
    }

    fn number_sequence(&mut self, length: usize) -> Value<'static> {
        let keypoint = |_| NumberSequenceKeypoint { envelope: self.float(), time: self.float(), value: self.float() };
        Value::NumberSequence((0..length).map(keypoint).collect())
    }

    fn color_sequence(&mut self, length: usize) -> Value<'static> {
        // rbx_types does not keep the envelope
        let keypoint = |_| ColorSequenceKeypoint { envelope: 0.0, time: self.float(), value: self.color() };
        Value::ColorSequence((0..length).map(keypoint).collect())
    }

    fn value(&mut self) -> Value<'static> {
        match self.below(18) {
            0 => {
                let length = self.below(24);
                Value::from(self.text(length))
            }
            1 => Value::from(self.next().is_multiple_of(2)),
            2 => Value::from(self.number()),
            3 => Value::from(self.float()),
            4 => Value::from(f64::from(self.float())),
            5 => Value::from(self.udim()),
            6 => Value::from(UDim2 { x: self.udim(), y: self.udim() }),
            7 => Value::from(BrickColor(self.pick(&[1, 21, 23, 26, 106, 194, 199, 1001, 1032]))),
            8 => Value::from(self.color()),
            9 => Value::from(self.plane()),
            10 => Value::from(self.vector()),
            11 => {
                let rotation = match self.pick(&[0, 2, 3, 5, 10, 20]) {
                    0 => Rotation::Matrix([(); 9].map(|()| self.float())),
                    id => RotationId::try_from(id).unwrap().into(),
                };
                Value::from(CFrame { position: self.vector(), rotation })
            }
            12 => {
                let enum_name = self.pick(&["Material", "Font", "EasingStyle"]).into_byte_string();
                Value::from(EnumItem { enum_name, value: self.next() % 2048 })
            }
            13 => self.number_sequence(2),
            14 => self.color_sequence(2),
            15 => Value::from(NumberRange { min: self.float(), max: self.float() }),
            16 => Value::from(Rect { min: self.plane(), max: self.plane() }),
            _ => Value::from(Font {
                weight: self.pick(&[400, 500, 700]),
                style: self.pick(&[0, 1]),
                family: "rbxasset://fonts/families/Arial.json".into_byte_string(),
                cached_face_id: "".into_byte_string(),
            }),
        }
    }
}
