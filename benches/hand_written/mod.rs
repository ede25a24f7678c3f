//! Attributes read and written without any library: what decoding and encoding cost at the least.
//!
//! It borrows all it can, and an error has no details.

/// The value of an attribute, of any type that `rbx_types` knows.
pub(crate) enum Value<'a> {
    String(&'a [u8]),
    Bool(bool),
    Int(i32),
    Float(f32),
    Double(f64),
    UDim(UDim),
    UDim2([UDim; 2]),
    BrickColor(u32),
    Color3([f32; 3]),
    Vector2([f32; 2]),
    Vector3([f32; 3]),
    Aligned {
        position: [f32; 3],
        rotation: u8,
    },
    CFrame {
        position: [f32; 3],
        rotation: [f32; 9],
    },
    EnumItem {
        name: &'a [u8],
        value: u32,
    },
    /// Keypoints of 12 bytes.
    NumberSequence(&'a [u8]),
    /// Keypoints of 20 bytes.
    ColorSequence(&'a [u8]),
    NumberRange([f32; 2]),
    Rect([f32; 4]),
    Font {
        weight: u16,
        style: u8,
        family: &'a [u8],
        cached_face_id: &'a [u8],
    },
}

pub(crate) struct UDim {
    scale: f32,
    offset: i32,
}

/// The entries of a blob, in order, or `None` if it is broken anywhere.
pub(crate) fn decode(input: &[u8]) -> Option<Vec<(&[u8], Value<'_>)>> {
    let mut reader = Reader(input);
    let count = reader.length()?;
    // a count may lie: an entry takes 6 bytes or more
    let mut entries = Vec::with_capacity(count.min(input.len() / 6));
    for _ in 0..count {
        entries.push((reader.string()?, reader.value()?));
    }
    reader.0.is_empty().then_some(entries)
}

struct Reader<'a>(&'a [u8]);

impl<'a> Reader<'a> {
    fn value(&mut self) -> Option<Value<'a>> {
        Some(match self.byte()? {
            0x02 => Value::String(self.string()?),
            0x03 => Value::Bool(self.byte()? != 0),
            0x04 => Value::Int(i32::from_le_bytes(self.array()?)),
            0x05 => Value::Float(self.float()?),
            0x06 => Value::Double(f64::from_le_bytes(self.array()?)),
            0x09 => Value::UDim(self.udim()?),
            0x0a => Value::UDim2([self.udim()?, self.udim()?]),
            0x0e => Value::BrickColor(u32::from_le_bytes(self.array()?)),
            0x0f => Value::Color3(self.floats()?),
            0x10 => Value::Vector2(self.floats()?),
            0x11 => Value::Vector3(self.floats()?),
            0x14 => {
                let position = self.floats()?;
                match self.byte()? {
                    0 => Value::CFrame { position, rotation: self.floats()? },
                    rotation if is_aligned(rotation) => Value::Aligned { position, rotation },
                    _ => return None,
                }
            }
            0x15 => Value::EnumItem { name: self.string()?, value: u32::from_le_bytes(self.array()?) },
            0x17 => Value::NumberSequence(self.keypoints(12)?),
            0x19 => Value::ColorSequence(self.keypoints(20)?),
            0x1b => Value::NumberRange(self.floats()?),
            0x1c => Value::Rect(self.floats()?),
            0x21 => Value::Font {
                weight: u16::from_le_bytes(self.array()?),
                style: self.byte()?,
                family: self.string()?,
                cached_face_id: self.string()?,
            },
            _ => return None,
        })
    }

    fn bytes(&mut self, count: usize) -> Option<&'a [u8]> {
        if count > self.0.len() {
            return None;
        }
        let (bytes, rest) = self.0.split_at(count);
        self.0 = rest;
        Some(bytes)
    }

    fn array<const N: usize>(&mut self) -> Option<[u8; N]> {
        let (array, rest) = self.0.split_first_chunk()?;
        self.0 = rest;
        Some(*array)
    }

    fn byte(&mut self) -> Option<u8> {
        self.array().map(|[byte]| byte)
    }

    fn length(&mut self) -> Option<usize> {
        usize::try_from(u32::from_le_bytes(self.array()?)).ok()
    }

    fn string(&mut self) -> Option<&'a [u8]> {
        let length = self.length()?;
        self.bytes(length)
    }

    fn keypoints(&mut self, size: usize) -> Option<&'a [u8]> {
        let count = self.length()?;
        self.bytes(count.checked_mul(size)?)
    }

    fn float(&mut self) -> Option<f32> {
        self.array().map(f32::from_le_bytes)
    }

    fn floats<const N: usize>(&mut self) -> Option<[f32; N]> {
        let mut floats = [0.0; N];
        for float in &mut floats {
            *float = self.float()?;
        }
        Some(floats)
    }

    fn udim(&mut self) -> Option<UDim> {
        Some(UDim { scale: self.float()?, offset: i32::from_le_bytes(self.array()?) })
    }
}

/// True if `rotation` is one of the 24 ids: 6 × the right direction + the up direction + 1, on two different axes.
fn is_aligned(rotation: u8) -> bool {
    (1..=36).contains(&rotation) && (rotation - 1) / 6 % 3 != (rotation - 1) % 3
}

/// The bytes of `entries`, which are known to be `size` bytes long.
pub(crate) fn encode(entries: &[(&[u8], Value<'_>)], size: usize) -> Option<Vec<u8>> {
    let mut out = Writer(Vec::with_capacity(size));
    out.length(entries.len())?;
    for (key, value) in entries {
        out.string(key)?;
        out.value(value)?;
    }
    Some(out.0)
}

struct Writer(Vec<u8>);

impl Writer {
    fn value(&mut self, value: &Value<'_>) -> Option<()> {
        match value {
            Value::String(string) => {
                self.0.push(0x02);
                self.string(string)?;
            }
            Value::Bool(value) => self.0.extend([0x03, u8::from(*value)]),
            Value::Int(value) => {
                self.0.push(0x04);
                self.array(value.to_le_bytes());
            }
            Value::Float(value) => {
                self.0.push(0x05);
                self.array(value.to_le_bytes());
            }
            Value::Double(value) => {
                self.0.push(0x06);
                self.array(value.to_le_bytes());
            }
            Value::UDim(value) => {
                self.0.push(0x09);
                self.udim(value);
            }
            Value::UDim2([x, y]) => {
                self.0.push(0x0a);
                self.udim(x);
                self.udim(y);
            }
            Value::BrickColor(value) => {
                self.0.push(0x0e);
                self.array(value.to_le_bytes());
            }
            Value::Color3(value) => {
                self.0.push(0x0f);
                self.floats(value);
            }
            Value::Vector2(value) => {
                self.0.push(0x10);
                self.floats(value);
            }
            Value::Vector3(value) => {
                self.0.push(0x11);
                self.floats(value);
            }
            Value::Aligned { position, rotation } => {
                self.0.push(0x14);
                self.floats(position);
                self.0.push(*rotation);
            }
            Value::CFrame { position, rotation } => {
                self.0.push(0x14);
                self.floats(position);
                self.0.push(0);
                self.floats(rotation);
            }
            Value::EnumItem { name, value } => {
                self.0.push(0x15);
                self.string(name)?;
                self.array(value.to_le_bytes());
            }
            Value::NumberSequence(keypoints) => {
                self.0.push(0x17);
                self.keypoints(keypoints, 12)?;
            }
            Value::ColorSequence(keypoints) => {
                self.0.push(0x19);
                self.keypoints(keypoints, 20)?;
            }
            Value::NumberRange(value) => {
                self.0.push(0x1b);
                self.floats(value);
            }
            Value::Rect(value) => {
                self.0.push(0x1c);
                self.floats(value);
            }
            Value::Font { weight, style, family, cached_face_id } => {
                self.0.push(0x21);
                self.array(weight.to_le_bytes());
                self.0.push(*style);
                self.string(family)?;
                self.string(cached_face_id)?;
            }
        }
        Some(())
    }

    fn array<const N: usize>(&mut self, bytes: [u8; N]) {
        self.0.extend_from_slice(&bytes);
    }

    fn length(&mut self, length: usize) -> Option<()> {
        self.array(u32::try_from(length).ok()?.to_le_bytes());
        Some(())
    }

    fn string(&mut self, string: &[u8]) -> Option<()> {
        self.length(string.len())?;
        self.0.extend_from_slice(string);
        Some(())
    }

    fn keypoints(&mut self, keypoints: &[u8], size: usize) -> Option<()> {
        self.length(keypoints.len() / size)?;
        self.0.extend_from_slice(keypoints);
        Some(())
    }

    fn floats(&mut self, floats: &[f32]) {
        for float in floats {
            self.array(float.to_le_bytes());
        }
    }

    fn udim(&mut self, udim: &UDim) {
        self.array(udim.scale.to_le_bytes());
        self.array(udim.offset.to_le_bytes());
    }
}
