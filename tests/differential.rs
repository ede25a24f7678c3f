//! Compares the attributes with `rbx_types`, the reader and writer that most tools use: the same blobs, the same
//! values, the same bytes. Each intended difference has a row in [`DIFFERENCES`], which explains it; any other
//! difference fails.
//!
//! The rows predict the result of `rbx_types`, not only that it differs: our decoded attributes, changed by the rows,
//! are exactly its attributes, and its bytes are predicted in the same way.

use std::cell::RefCell;
use std::collections::BTreeSet;
use std::path::PathBuf;

use crate::support::{files, folder, hex, Codec, RobloxAttributes};
use bstr::{BStr, ByteSlice};
use enginewire::roblox::attributes::{self, Attributes, Entry, Options, Provenance, TypeId, Value};
use enginewire::roblox::datatypes::{BrickColor, ColorSequenceKeypoint, Rotation, RotationId};
use enginewire::{DecodeError, Fault, Segment};
use pretty_assertions::assert_eq;
use proptest::collection::vec;
use proptest::prelude::*;
use proptest::sample::{select, Index};
use proptest::test_runner::{TestError, TestRunner};
use rbx_types::Variant;

/// An intended difference between `rbx_types` and this crate.
struct Difference {
    what: &'static str,
    reason: &'static str,
    /// A blob that shows it, in hex.
    example: &'static str,
    they: They,
}

/// The behaviour of `rbx_types` and of this crate for such a blob. The function finds such blobs.
enum They {
    /// We refuse a blob as cut, where it is cut like this. They reserve memory for what it promises, and may take the
    /// whole process down: never run.
    Reserve(fn(&[u8], &DecodeError) -> bool),
    /// We refuse a blob with such a fault. They read it, as we do with [`Options::trailing_bytes`].
    Accept(fn(&Fault) -> bool),
    /// We decode a blob with such an entry. They refuse it.
    Refuse(fn(&Entry<'_>) -> bool),
    /// Both decode it. The function makes of our attributes what they have; for the example, those of the blob here.
    Read(&'static str, fn(&mut Attributes<'_>)),
    /// Both decode it alike. The function makes of our attributes what they write; for the example, the blob here.
    Write(&'static str, fn(&mut Attributes<'_>)),
}

/// Every intended difference, in the order of application.
const DIFFERENCES: &[Difference] = &[
    Difference {
        what: "a string longer than its blob",
        reason: "A length is a promise, and we look before we believe it. They first make a string of zeros of that \
                 length, 4 GiB for 14 bytes.",
        example: "01000000 01000000 61 02 ffffffff",
        they: They::Reserve(|_, error| {
            matches!(error.fault(), Fault::Truncated { needed, .. } if *needed > PROMISE)
                && error.path().segments().last() == Some(&Segment::Field("content"))
        }),
    },
    Difference {
        what: "a sequence longer than its blob",
        reason: "As for strings. They reserve room for the keypoints, 48 or 64 GiB for 14 bytes; where that is not to \
                 be had, the process aborts.",
        example: "01000000 01000000 61 17 ffffffff",
        they: They::Reserve(|bytes, error| {
            error.is_truncated()
                && error.path().segments().contains(&Segment::Field("keypoints"))
                && last_length(bytes) * KEYPOINT > PROMISE
        }),
    },
    Difference {
        what: "bytes after the last entry",
        reason: "They would be lost on encoding, so we want to be asked to drop them. They never look.",
        example: "01000000 01000000 61 03 01 dead",
        they: They::Accept(|fault| *fault == Fault::Trailing),
    },
    Difference {
        what: "a draft type, an Array or a TweenInfo",
        reason:
            "The layouts are written down and no source contradicts them, and real files have arrays; unread, they \
                 lose all that follows. To them the type id is an invalid one.",
        example: "01000000 01000000 61 0c 05000000",
        they: They::Refuse(|entry| !is_read_by_them(entry.value.type_id())),
    },
    Difference {
        what: "a key that is not UTF-8",
        reason: "A key is bytes, and the specification names no encoding. Their keys are Rust strings.",
        example: "01000000 01000000 ff 03 01",
        they: They::Refuse(|entry| !is_text(&entry.key)),
    },
    Difference {
        what: "the name of an enum that is not UTF-8",
        reason: "It is a String, which may hold any bytes. They have a Rust string here, though not for String itself.",
        example: "01000000 01000000 61 15 01000000 ff 00020000",
        they: They::Refuse(|entry| matches!(&entry.value, Value::EnumItem(item) if !is_text(&item.enum_name))),
    },
    Difference {
        what: "a font's family or face that is not UTF-8",
        reason: "As for enums.",
        example: "01000000 01000000 61 21 9001 00 01000000 46 01000000 ff",
        they: They::Refuse(|entry| match &entry.value {
            Value::Font(font) => !is_text(&font.family) || !is_text(&font.cached_face_id),
            _ => false,
        }),
    },
    Difference {
        what: "a BrickColor that the palette lacks",
        reason: "The specification gives it the default colour, so the blob is sound, and we keep the number. They \
                 refuse the blob.",
        example: "01000000 01000000 61 0e 04000000",
        they: They::Refuse(|entry| match entry.value {
            Value::BrickColor(BrickColor(number)) => !BrickColor(number & 0xffff).is_known(),
            _ => false,
        }),
    },
    Difference {
        what: "a BrickColor of more than 16 bits",
        reason: "The number has 32 bits, and this one the palette lacks. They cut it to 16 bits and find a colour.",
        example: "01000000 01000000 61 0e c2000100",
        they: They::Read("01000000 01000000 61 0e c2000000", |attributes| {
            change(attributes, |value| {
                if let Value::BrickColor(BrickColor(number)) = value {
                    *number &= 0xffff;
                }
            });
        }),
    },
    Difference {
        what: "the envelope of a colour",
        reason: "It is a field of the specification like any other. They take it to be zero, and drop it.",
        example: "01000000 01000000 61 19 01000000 0000e040 00000000 0000803f 00000000 00000000",
        they: They::Read(
            "01000000 01000000 61 19 01000000 00000000 00000000 0000803f 00000000 00000000",
            |attributes| {
                change(attributes, |value| {
                    if let Value::ColorSequence(keypoints) = value {
                        *keypoints =
                            keypoints.iter().map(|point| ColorSequenceKeypoint { envelope: 0.0, ..point }).collect();
                    }
                });
            },
        ),
    },
    Difference {
        what: "the weight of a font, other than a whole hundred from 100 to 900",
        reason: "What a number means is not ours to judge, and Roblox may add to its enums. They take an unknown \
                 weight for Regular.",
        example: "01000000 01000000 61 21 c201 00 01000000 46 00000000",
        they: They::Read("01000000 01000000 61 21 9001 00 01000000 46 00000000", |attributes| {
            change(attributes, |value| match value {
                Value::Font(font) if !(1..=9).any(|hundreds| font.weight == hundreds * 100) => font.weight = 400,
                _ => {}
            });
        }),
    },
    Difference {
        what: "the style of a font, other than 0 and 1",
        reason: "As for the weight; they take an unknown style for Normal.",
        example: "01000000 01000000 61 21 9001 09 01000000 46 00000000",
        they: They::Read("01000000 01000000 61 21 9001 00 01000000 46 00000000", |attributes| {
            change(attributes, |value| match value {
                Value::Font(font) if font.style > 1 => font.style = 0,
                _ => {}
            });
        }),
    },
    Difference {
        what: "the minus zeros of a rotation id",
        reason: "Studio has them where the cross product of right and up does, and so do we. Their matrices have \
                 plain zeros.",
        example: "01000000 01000000 61 14 00000000 00000000 00000000 06",
        they: They::Read(
            "01000000 01000000 61 14 00000000 00000000 00000000 00
             0000803f 00000000 00000000 00000000 00000000 0000803f 00000000 000080bf 00000000",
            |attributes| {
                change_rotations(attributes, |rotation| match rotation {
                    Rotation::Aligned(id) if bits(id.matrix()) != bits(plain_zeros(id.matrix())) => {
                        Rotation::Matrix(plain_zeros(id.matrix()))
                    }
                    same => same,
                });
            },
        ),
    },
    Difference {
        what: "the entries of a key that comes again",
        reason: "We keep them all, and get() gives the first, the only rule that a specification states. They keep \
                 the last, which get_last() gives.",
        example: "02000000 01000000 61 03 01 01000000 61 03 00",
        they: They::Read("01000000 01000000 61 03 00", |attributes| {
            let all = attributes.clone();
            let is_last = |entry: &&Entry<'_>| std::ptr::eq(all.get_last(&entry.key[..]).unwrap(), &entry.value);
            *attributes.entries_mut() = all.iter().filter(is_last).cloned().collect();
        }),
    },
    Difference {
        what: "the order of the entries",
        reason: "It is part of the bytes, and sorting is the caller's to ask for. Their map is always sorted.",
        example: "02000000 01000000 62 03 01 01000000 61 03 00",
        they: They::Read("02000000 01000000 61 03 00 01000000 62 03 01", |attributes| attributes.sort()),
    },
    Difference {
        what: "a length of 0",
        reason: "Some properties must have it, so what decoded from it can be written back to it. They always write \
                 no bytes.",
        example: "00000000",
        they: They::Write("", |attributes| {
            if attributes.is_empty() {
                *attributes = Attributes::new();
            }
        }),
    },
    Difference {
        what: "an axis-aligned matrix",
        reason: "Both forms are on the wire, and encoding gives the one that was decoded; the shorter one is to be \
                 asked for. They always write the id.",
        example: "01000000 01000000 61 14 00000000 00000000 00000000 00
                  0000803f 00000000 00000000 00000000 0000803f 00000000 00000000 00000000 0000803f",
        they: They::Write("01000000 01000000 61 14 00000000 00000000 00000000 02", |attributes| {
            change_rotations(attributes, |rotation| {
                RotationId::from_matrix(&rotation.matrix()).map_or(rotation, Rotation::Aligned)
            });
        }),
    },
    Difference {
        what: "a matrix that they take for axis-aligned",
        reason: "A number that is not 0 or ±1 is kept. To them all between counts as 1, so that a matrix of halves \
                 is written as the identity: a fault of this version. Only they can tell for which matrices.",
        example: "01000000 01000000 61 14 00000000 00000000 00000000 00
                  0000003f 00000000 00000000 00000000 0000003f 00000000 00000000 00000000 0000003f",
        they: They::Write("01000000 01000000 61 14 00000000 00000000 00000000 02", |attributes| {
            change_rotations(attributes, |rotation| match rotation {
                Rotation::Matrix(matrix) if RotationId::from_matrix(&matrix).is_none() => {
                    let id = their_matrix(matrix).to_basic_rotation_id();
                    id.map_or(rotation, |id| Rotation::Aligned(id.try_into().unwrap()))
                }
                same => same,
            });
        }),
    },
];

/// Bytes that a length may promise beyond the input, for `rbx_types` to be given it all the same.
const PROMISE: u64 = 64 * 1024;

/// Bytes of the larger of the two keypoints.
const KEYPOINT: u64 = 20;

/// The last length that can be read of a blob that is cut.
fn last_length(bytes: &[u8]) -> u64 {
    let tree = attributes::inspect(bytes);
    let length = tree.nodes().rfind(|node| node.label == Segment::Field("length")).unwrap();
    let start = usize::try_from(length.range.start.byte()).unwrap();
    u32::from_le_bytes(bytes[start..start + 4].try_into().unwrap()).into()
}

fn is_text(bytes: &BStr) -> bool {
    std::str::from_utf8(bytes).is_ok()
}

fn change(attributes: &mut Attributes<'_>, each: fn(&mut Value<'_>)) {
    attributes.entries_mut().iter_mut().for_each(|entry| each(&mut entry.value));
}

fn change_rotations(attributes: &mut Attributes<'_>, change: fn(Rotation) -> Rotation) {
    for entry in attributes.entries_mut() {
        if let Value::CFrame(cframe) = &mut entry.value {
            cframe.rotation = change(cframe.rotation);
        }
    }
}

/// −0 plus 0 is 0.
fn plain_zeros(matrix: [f32; 9]) -> [f32; 9] {
    matrix.map(|number| number + 0.0)
}

fn their_matrix([a, b, c, d, e, f, g, h, i]: [f32; 9]) -> rbx_types::Matrix3 {
    let row = rbx_types::Vector3::new;
    rbx_types::Matrix3::new(row(a, b, c), row(d, e, f), row(g, h, i))
}

/// Floats to be compared bit by bit: NaN equals itself, and −0 does not equal 0.
fn bits<const N: usize>(numbers: [f32; N]) -> [u32; N] {
    numbers.map(f32::to_bits)
}

/// True if their value has the same type as ours, and is equal.
fn same(ours: &Value<'_>, theirs: &Variant) -> bool {
    match (ours, theirs) {
        (Value::String(a), Variant::BinaryString(b)) => a.as_bytes() == AsRef::<[u8]>::as_ref(b),
        (Value::Bool(a), Variant::Bool(b)) => a == b,
        (Value::Int(a), Variant::Int32(b)) => a == b,
        (Value::Float(a), Variant::Float32(b)) => bits([*a]) == bits([*b]),
        (Value::Double(a), Variant::Float64(b)) => a.to_bits() == b.to_bits(),
        (Value::UDim(a), Variant::UDim(b)) => bits([a.scale]) == bits([b.scale]) && a.offset == b.offset,
        (Value::UDim2(a), Variant::UDim2(b)) => {
            bits([a.x.scale, a.y.scale]) == bits([b.x.scale, b.y.scale])
                && [a.x.offset, a.y.offset] == [b.x.offset, b.y.offset]
        }
        (Value::BrickColor(a), Variant::BrickColor(b)) => a.0 == *b as u32,
        (Value::Color3(a), Variant::Color3(b)) => bits([a.r, a.g, a.b]) == bits([b.r, b.g, b.b]),
        (Value::Vector2(a), Variant::Vector2(b)) => bits([a.x, a.y]) == bits([b.x, b.y]),
        (Value::Vector3(a), Variant::Vector3(b)) => bits([a.x, a.y, a.z]) == bits([b.x, b.y, b.z]),
        (Value::CFrame(a), Variant::CFrame(b)) => {
            let (at, [x, y, z]) = (b.position, [b.orientation.x, b.orientation.y, b.orientation.z]);
            bits([a.position.x, a.position.y, a.position.z]) == bits([at.x, at.y, at.z])
                && bits(a.rotation.matrix()) == bits([x.x, x.y, x.z, y.x, y.y, y.z, z.x, z.y, z.z])
        }
        (Value::EnumItem(a), Variant::EnumItem(b)) => *a.enum_name == b.ty.as_bytes() && a.value == b.value,
        (Value::NumberSequence(a), Variant::NumberSequence(b)) => {
            let ours = a.iter().map(|point| bits([point.envelope, point.time, point.value]));
            ours.eq(b.keypoints.iter().map(|point| bits([point.envelope, point.time, point.value])))
        }
        (Value::ColorSequence(a), Variant::ColorSequence(b)) => {
            let ours = a.iter().map(|p| bits([p.envelope, p.time, p.value.r, p.value.g, p.value.b]));
            ours.eq(b.keypoints.iter().map(|p| bits([0.0, p.time, p.color.r, p.color.g, p.color.b])))
        }
        (Value::NumberRange(a), Variant::NumberRange(b)) => bits([a.min, a.max]) == bits([b.min, b.max]),
        (Value::Rect(a), Variant::Rect(b)) => {
            bits([a.min.x, a.min.y, a.max.x, a.max.y]) == bits([b.min.x, b.min.y, b.max.x, b.max.y])
        }
        (Value::Font(a), Variant::Font(b)) => {
            (a.weight, a.style) == (b.weight.as_u16(), b.style.as_u8())
                && *a.family == b.family.as_bytes()
                // no face and an empty one are the same bytes
                && *a.cached_face_id == b.cached_face_id.as_deref().unwrap_or_default().as_bytes()
        }
        _ => false,
    }
}

/// True if theirs have the same entries in the same order.
fn all_same(ours: &Attributes<'_>, theirs: &rbx_types::Attributes) -> bool {
    ours.len() == theirs.len()
        && ours.iter().zip(theirs).all(|(a, (key, value))| *a.key == key.as_bytes() && same(&a.value, value))
}

/// The bytes they were decoded from, if those were canonical.
fn written(attributes: &Attributes<'_>) -> Vec<u8> {
    attributes::encode_with(attributes, &Options::new().refs(true).empty(attributes.empty_form())).unwrap()
}

fn read_by_them(bytes: &[u8]) -> Result<rbx_types::Attributes, rbx_types::Error> {
    rbx_types::Attributes::from_reader(bytes)
}

fn written_by_them(attributes: &rbx_types::Attributes) -> Vec<u8> {
    let mut bytes = Vec::new();
    attributes.to_writer(&mut bytes).unwrap();
    bytes
}

/// The differences that a blob shows. An error if `rbx_types` does anything with it that these do not explain.
fn explain<'d>(
    bytes: &[u8],
    differences: impl IntoIterator<Item = &'d Difference> + Clone,
) -> Result<BTreeSet<&'static str>, String> {
    let mut met = BTreeSet::new();
    let mut meet = |difference: &Difference, applies| {
        if applies {
            met.insert(difference.what);
        }
    };
    let applied = |attributes: &mut Attributes<'_>, change: fn(&mut Attributes<'_>)| {
        let before = written(attributes);
        change(attributes);
        written(attributes) != before
    };

    let ours = attributes::decode(bytes);
    // what they will read; nothing, if they will refuse it
    let mut expected = ours.clone().ok();
    for difference in differences.clone() {
        let applies = match &difference.they {
            They::Reserve(cut) if ours.as_ref().is_err_and(|error| cut(bytes, error)) => {
                return Ok(BTreeSet::from([difference.what]));
            }
            They::Accept(fault) if ours.as_ref().is_err_and(|error| fault(error.fault())) => {
                expected = attributes::decode_with(bytes, &Options::new().trailing_bytes(true)).ok();
                true
            }
            They::Refuse(entry) if expected.as_ref().is_some_and(|attributes| attributes.iter().any(entry)) => {
                expected = None;
                true
            }
            They::Read(_, change) => expected.as_mut().is_some_and(|attributes| applied(attributes, *change)),
            _ => false,
        };
        meet(difference, applies);
    }

    let theirs = read_by_them(bytes);
    let unexplained = |what: &str| {
        let hex = data_encoding::HEXLOWER.encode(bytes);
        Err(format!("{what}: {hex}\nours: {ours:?}\ntheirs: {theirs:?}\nexpected: {expected:?}"))
    };
    match (&expected, &theirs) {
        (None, Err(_)) => {}
        (None, Ok(_)) => return unexplained("only they decode"),
        (Some(_), Err(_)) => return unexplained("only we decode"),
        (Some(expected), Ok(theirs)) if !all_same(expected, theirs) => return unexplained("not the same values"),
        (Some(expected), Ok(theirs)) => {
            if let Err(what) = convert(expected, theirs) {
                return unexplained(what);
            }
            let mut expected = expected.clone();
            for difference in differences {
                let applies = matches!(&difference.they, They::Write(_, change) if applied(&mut expected, *change));
                meet(difference, applies);
            }
            if written_by_them(theirs) != written(&expected) {
                return unexplained("not the same bytes");
            }
        }
    }
    Ok(met)
}

/// Converts our attributes to theirs, and theirs to ours. Both are exact, except that a matrix that has an id becomes
/// the id.
fn convert(ours: &Attributes<'_>, theirs: &rbx_types::Attributes) -> Result<(), &'static str> {
    let converted = rbx_types::Attributes::try_from(ours).map_err(|_| "they are not converted to theirs")?;
    if !all_same(ours, &converted) || written_by_them(&converted) != written_by_them(theirs) {
        return Err("they are converted to others");
    }
    let mut expected = ours.clone();
    change_rotations(&mut expected, |rotation| {
        RotationId::from_matrix(&rotation.matrix()).map_or(rotation, Rotation::Aligned)
    });
    let expected = attributes::encode(&expected).unwrap();
    let back = Attributes::try_from(theirs).map_err(|_| "they are not converted back")?;
    match attributes::encode(&back).unwrap() == expected {
        true => Ok(()),
        false => Err("others are converted back"),
    }
}

#[test]
fn every_difference_is_what_its_row_says() {
    for Difference { what, reason, example, they } in DIFFERENCES {
        let bytes = hex(example);
        let ours = attributes::decode(&bytes);
        assert!(!what.is_empty() && reason.ends_with('.'));
        match they {
            // `rbx_types` is not run here; another test covers what it would do
            They::Reserve(_) => assert!(ours.unwrap_err().is_truncated(), "{what}"),
            They::Accept(_) => assert!(ours.is_err() && read_by_them(&bytes).is_ok(), "{what}"),
            They::Refuse(_) => assert!(ours.is_ok() && read_by_them(&bytes).is_err(), "{what}"),
            They::Read(instead, _) => {
                let (ours, theirs) = (ours.unwrap(), read_by_them(&bytes).unwrap());
                assert!(!all_same(&ours, &theirs), "{what}");
                assert!(all_same(&attributes::decode(&hex(instead)).unwrap(), &theirs), "{what}");
                assert_eq!(written(&ours), bytes, "{what}");
            }
            They::Write(instead, _) => {
                let (ours, theirs) = (ours.unwrap(), read_by_them(&bytes).unwrap());
                assert!(all_same(&ours, &theirs), "{what}");
                assert_eq!(written(&ours), bytes, "{what}");
                assert_eq!(written_by_them(&theirs), hex(instead), "{what}");
            }
        }
    }
}

#[test]
fn every_difference_has_a_row_and_no_row_is_idle() {
    for difference in DIFFERENCES {
        let bytes = hex(difference.example);
        assert!(explain(&bytes, DIFFERENCES).unwrap().contains(difference.what));
        if !matches!(difference.they, They::Reserve(_)) {
            let others = DIFFERENCES.iter().filter(|other| other.what != difference.what);
            assert!(explain(&bytes, others).is_err(), "{} is explained by another row", difference.what);
        }
    }
}

/// With lengths small enough to be granted.
#[test]
fn they_reserve_what_a_length_says_and_we_do_not() {
    for (id, length, bytes_of_one) in [(0x02, 60_000, 1), (0x17, 3_000, 12), (0x19, 3_000, 16)] {
        let blob = [&hex("01000000 01000000 61")[..], &[id], &u32::to_le_bytes(length)].concat();
        let theirs = allocation_counter::measure(|| assert!(read_by_them(&blob).is_err()));
        assert!(theirs.bytes_max >= u64::from(length * bytes_of_one), "{id:#04x}: {theirs:?}");
        let ours = allocation_counter::measure(|| assert!(attributes::decode(&blob).is_err()));
        assert!(ours.bytes_max < 4096, "{id:#04x}: {ours:?}");
    }
}

#[test]
fn where_one_might_doubt_it_they_agree() {
    for (what, blob) in [
        ("no bytes", ""),
        ("a cut count", "010000"),
        ("a count without entries", "ffffffff"),
        ("no key", "01000000 00000000 03 01"),
        ("a key that breaks the rules for names", "01000000 05000000 5242582021 03 01"),
        ("a String that is not UTF-8", "01000000 01000000 61 02 03000000 ff00c3"),
        ("a Bool of 2", "01000000 01000000 61 03 02"),
        ("a signalling NaN", "01000000 01000000 61 05 0123a07f"),
        ("the NaN of Studio", "01000000 01000000 61 06 000000000000f8ff"),
        ("minus zero", "01000000 01000000 61 06 0000000000000080"),
        ("a number that overflows", "01000000 01000000 61 1b 0000807f 000080ff"),
        ("no keypoints", "01000000 01000000 61 17 00000000"),
        ("a sequence that is cut", "01000000 01000000 61 17 02000000 00000000 00000000 00000000 00000000"),
        ("the envelope of a number", "01000000 01000000 61 17 01000000 0000e040 00000000 00000000"),
        ("a font without a face", "01000000 01000000 61 21 9001 01 01000000 46 00000000"),
        ("an enum that there is not", "01000000 01000000 61 15 00000000 ffffffff"),
        ("a Ref, which is read on request only", "01000000 01000000 61 25 01000000"),
        (
            "a matrix that mirrors",
            "01000000 01000000 61 14 00000000 00000000 00000000 00
            0000803f 00000000 00000000 00000000 0000803f 00000000 00000000 00000000 000080bf",
        ),
    ] {
        assert_eq!(explain(&hex(blob), DIFFERENCES), Ok(BTreeSet::new()), "{what}");
    }
}

#[test]
fn every_id_and_number_has_the_same_meaning() {
    let blob = |value: &[u8]| [&hex("01000000 01000000 61")[..], value].concat();
    for id in 0..=u8::MAX {
        // long enough for any type
        explain(&blob(&[&[id], &[0; 64][..]].concat()), DIFFERENCES).unwrap();
        explain(&blob(&[&hex("14 00000000 00000000 00000000"), &[id][..], &[0; 36]].concat()), DIFFERENCES).unwrap();
        explain(&blob(&[&hex("21 9001"), &[id][..], &[0; 8]].concat()), DIFFERENCES).unwrap();
    }
    // past the last of the palette, and the heaviest of fonts
    for number in 0..1100u16 {
        explain(&blob(&[&[0x0e], &number.to_le_bytes()[..], &[0; 2]].concat()), DIFFERENCES).unwrap();
        explain(&blob(&[&[0x21], &number.to_le_bytes()[..], &[0; 9]].concat()), DIFFERENCES).unwrap();
    }
}

/// They have values of most draft types, but no id to write them with.
#[test]
fn what_they_do_not_read_they_do_not_write() {
    let (point, corner) = (rbx_types::Vector3::new(1.0, 2.0, 3.0), rbx_types::Vector3int16::new(1, 2, 3));
    for value in [
        Variant::Ray(rbx_types::Ray::new(point, point)),
        Variant::Faces(rbx_types::Faces::all()),
        Variant::Axes(rbx_types::Axes::all()),
        Variant::Vector2int16(rbx_types::Vector2int16::new(1, 2)),
        Variant::Vector3int16(corner),
        Variant::Region3(rbx_types::Region3::new(point, point)),
        Variant::Region3int16(rbx_types::Region3int16::new(corner, corner)),
        Variant::Attributes(rbx_types::Attributes::new()),
    ] {
        let theirs = rbx_types::Attributes::new().with("a", value.clone());
        assert!(theirs.to_writer(Vec::new()).is_err(), "{value:?}");
    }
    // text is a String, though they never read it as text
    let theirs = rbx_types::Attributes::new().with("a", Variant::String("text".to_owned()));
    let ours: Attributes<'_> = [("a", "text")].into_iter().collect();
    assert_eq!(written_by_them(&theirs), written(&ours));
}

#[test]
fn fixtures_and_real_blobs_have_no_other_differences() {
    let fixtures = folder(RobloxAttributes::NAME);
    let mut paths = [files(&fixtures, "bin"), files(&fixtures.join("bad"), "bin")].concat();
    assert!(paths.len() >= 10, "there are only {} fixtures", paths.len());
    if let Some(corpus) = std::env::var_os("ENGINEWIRE_CORPUS") {
        paths.extend(files(&PathBuf::from(corpus).join(RobloxAttributes::NAME), "bin"));
    }
    for path in paths {
        explain(&std::fs::read(&path).unwrap(), DIFFERENCES)
            .unwrap_or_else(|error| panic!("{}: {error}", path.display()));
    }
}

/// True if they know the id of a type.
fn is_read_by_them(id: TypeId) -> bool {
    !matches!(id, TypeId::Array | TypeId::TweenInfo) && id.provenance() != Provenance::Draft
}

/// Bytes that somebody may have written, made without our encoder.
type Bytes = BoxedStrategy<Vec<u8>>;

fn joined<const N: usize>(parts: [Bytes; N]) -> Bytes {
    Vec::from(parts).prop_map(|parts| parts.concat()).boxed()
}

/// Items after their number, which now and then is a wrong one.
fn counted(item: Bytes) -> Bytes {
    let wrong_by = prop_oneof![80 => Just(0), 1 => any::<u32>()];
    (vec(item, 0..5), wrong_by)
        .prop_map(|(items, wrong_by)| {
            let count = u32::try_from(items.len()).unwrap().wrapping_add(wrong_by);
            [&count.to_le_bytes()[..], &items.concat()].concat()
        })
        .boxed()
}

fn string() -> Bytes {
    let content = prop_oneof![10 => "[abä]{0,2}".prop_map(String::into_bytes), 1 => vec(any::<u8>(), 1..4)];
    let length = |content: &[u8]| u32::try_from(content.len()).unwrap().to_le_bytes();
    content.prop_map(move |content| [&length(&content)[..], &content].concat()).boxed()
}

/// A float as in rotations, or close to one.
fn number() -> Bytes {
    let numbers = [0.0, -0.0, 1.0, -1.0, 0.5, -0.25, 1e-8, 0.999_999_9, 1.000_000_1, f32::NAN, f32::INFINITY];
    select(numbers.map(|number| number.to_le_bytes().to_vec()).to_vec()).boxed()
}

/// Words of 32 bits.
fn words(count: usize) -> Bytes {
    let word = prop_oneof![any::<[u8; 4]>().prop_map(Vec::from), number()];
    vec(word, count).prop_map(|words| words.concat()).boxed()
}

fn brick_color() -> Bytes {
    let number = prop_oneof![5 => 0u16..400, 2 => 1000u16..1040, 1 => any::<u16>()];
    let beyond = prop_oneof![3 => Just(0), 1 => any::<u16>()];
    (number, beyond).prop_map(|(number, beyond)| [number.to_le_bytes(), beyond.to_le_bytes()].concat()).boxed()
}

fn rotation() -> Bytes {
    let ids = || select(RotationId::all().collect::<Vec<_>>());
    let scale = prop_oneof![Just(1.0), select(vec![0.5, 1e-3, 0.999_999_9, 1.000_000_1, 2.0])];
    let scaled = (ids(), scale).prop_map(|(id, scale)| id.matrix().map(|number| (number * scale).to_le_bytes()));
    let one_changed = (scaled.clone(), any::<Index>(), number()).prop_map(|(mut matrix, place, number)| {
        matrix[place.index(9)].copy_from_slice(&number);
        matrix
    });
    let matrix = prop_oneof![scaled, one_changed].prop_map(|matrix| matrix.concat());
    let zero = || Just(vec![0]).boxed();
    prop_oneof![
        3 => ids().prop_map(|id| vec![id.into()]),
        1 => (1..=u8::MAX).prop_map(|id| vec![id]),
        3 => joined([zero(), matrix.boxed()]),
        1 => joined([zero(), words(9)]),
    ]
    .boxed()
}

fn weight_and_style() -> Bytes {
    let weight = prop_oneof![3 => (1u16..=9).prop_map(|hundreds| hundreds * 100), 1 => any::<u16>()];
    let style = prop_oneof![3 => 0u8..2, 1 => any::<u8>()];
    (weight, style).prop_map(|(weight, style)| [&weight.to_le_bytes()[..], &[style]].concat()).boxed()
}

/// The bytes of a value of this type after its id.
fn payload(id: u8) -> Bytes {
    match id {
        0x02 => string(),
        0x03 => vec(any::<u8>(), 1).boxed(),
        0x07 => counted(Just(hex("03 01")).boxed()),
        0x08 => counted(joined([string(), Just(hex("03 01")).boxed()])),
        0x0e => brick_color(),
        0x13 => vec(any::<u8>(), 6).boxed(),
        0x14 => joined([words(3), rotation()]),
        0x15 => joined([string(), words(1)]),
        0x17 => counted(words(3)),
        0x19 => counted(words(5)),
        0x21 => joined([weight_and_style(), string(), string()]),
        0x04 | 0x05 | 0x0c | 0x0d | 0x12 => words(1),
        0x06 | 0x09 | 0x10 | 0x1b => words(2),
        0x0f | 0x11 | 0x18 | 0x20 => words(3),
        0x0a | 0x1c => words(4),
        0x1a => words(5),
        0x0b | 0x1f => words(6),
        _ => vec(any::<u8>(), 0..8).boxed(),
    }
}

fn value() -> Bytes {
    let ids = |is_read: bool| {
        let ids = TypeId::ALL.iter().filter(|id| **id != TypeId::Ref && is_read_by_them(**id) == is_read);
        select(ids.map(|id| id.id()).collect::<Vec<_>>())
    };
    // those that there is more to say about, oftener than the rest
    let special = select(vec![0x0e, 0x14, 0x14, 0x15, 0x17, 0x19, 0x21]);
    prop_oneof![30 => ids(true), 15 => special, 1 => ids(false), 1 => any::<u8>()]
        .prop_flat_map(|id| joined([Just(vec![id]).boxed(), payload(id)]))
        .boxed()
}

fn blob() -> Bytes {
    let trailing = prop_oneof![9 => Just(Vec::new()), 1 => vec(any::<u8>(), 1..4)].boxed();
    let whole = joined([counted(joined([string(), value()])), trailing]);
    let change = (any::<Index>(), any::<u8>());
    let broken = (whole.clone(), vec(change, 0..3), any::<Index>()).prop_map(|(mut bytes, changes, cut)| {
        for (place, byte) in changes {
            let place = place.index(bytes.len());
            bytes[place] = byte;
        }
        // often nothing is cut
        bytes.truncate(cut.index(2 * bytes.len()));
        bytes
    });
    prop_oneof![3 => whole, 2 => broken].boxed()
}

/// Also, every difference occurs, so that none goes untested because no input reaches it.
#[test]
fn any_blob_has_no_other_differences() {
    let met = RefCell::new(BTreeSet::new());
    let config = ProptestConfig { cases: 5000, failure_persistence: None, ..ProptestConfig::default() };
    let result = TestRunner::new(config).run(&blob(), |bytes| {
        met.borrow_mut().extend(explain(&bytes, DIFFERENCES).map_err(TestCaseError::fail)?);
        Ok(())
    });
    match result {
        Ok(()) => assert_eq!(met.into_inner(), DIFFERENCES.iter().map(|difference| difference.what).collect()),
        Err(TestError::Fail(reason, _)) => panic!("{reason}"),
        Err(TestError::Abort(reason)) => panic!("gave up: {reason}"),
    }
}
