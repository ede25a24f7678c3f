//! Text and bytes are borrowed from the input.

use allocation_counter::measure;
use enginewire::godot::{self, Dictionary, Reals, Variant, Vector3, Version};
use enginewire::roblox::{attributes, remote};
use serde::Deserialize;

#[derive(Debug, PartialEq, Deserialize)]
struct Message<'a> {
    name: &'a str,
    #[serde(borrow)]
    raw: Raw<'a>,
    hp: i32,
    place: [f32; 3],
    #[serde(borrow)]
    inside: Inside<'a>,
}

#[derive(Debug, PartialEq, Deserialize)]
struct Raw<'a>(&'a [u8]);

#[derive(Debug, PartialEq, Deserialize)]
struct Inside<'a> {
    of: &'a str,
}

/// Reading allocates nothing at all.
#[test]
fn reading_from_bytes_of_godot_allocates_nothing() {
    let place = Variant::Vector3(Reals::Single(Vector3 { x: 1.0, y: 2.0, z: 3.0 }));
    let value = Dictionary::new([
        ("name".into(), "Ada".into()),
        ("raw".into(), vec![1, 2, 3].into()),
        ("hp".into(), 7.into()),
        ("skipped".into(), vec![Variant::Null; 10].into()),
        ("place".into(), place),
        ("inside".into(), Dictionary::new([("of".into(), "x".into())]).into()),
    ]);
    let bytes = godot::v4::encode(&value.into()).unwrap();
    let mut read = None;
    let allocations = measure(|| read = godot::from_bytes::<Message<'_>>(Version::V4, &bytes).ok());
    let expected =
        Message { name: "Ada", raw: Raw(&[1, 2, 3]), hp: 7, place: [1.0, 2.0, 3.0], inside: Inside { of: "x" } };
    assert_eq!(read, Some(expected));
    assert_eq!(allocations.count_total, 0);
    let input = bytes.as_ptr_range();
    assert!(input.contains(&read.unwrap().name.as_ptr()));
}

#[test]
fn text_of_attributes_is_borrowed() {
    #[derive(Deserialize)]
    struct Lamp<'a> {
        name: &'a str,
        raw: &'a [u8],
    }
    let blob = [("name", "Wall".as_bytes()), ("raw", b"\xff")].into_iter().collect();
    let bytes = attributes::encode(&blob).unwrap();
    let mut lamp = None;
    let allocations = measure(|| lamp = attributes::from_bytes(&bytes).ok());
    assert_eq!(allocations.count_total, 0);
    let lamp: Lamp<'_> = lamp.unwrap();
    assert_eq!((lamp.name, lamp.raw), ("Wall", &b"\xff"[..]));
    assert!(bytes.as_ptr_range().contains(&lamp.raw.as_ptr()));
    let lamp: Lamp<'_> = attributes::from_value(blob).unwrap();
    assert_eq!(lamp.name, "Wall");
}

/// A count that no input could hold reserves nothing.
#[test]
fn hostile_counts_take_no_memory() {
    let bytes = [&b"\x1c\0\0\0\xff\xff\xff\x7f"[..], &[0; 4000]].concat();
    let list = [&b"\x01\0\0\0\x01\0\0\0a\x07\xff\xff\xff\x7f"[..], &[0; 4000]].concat();
    let arguments = [&b"\xff\xff\xff\x7f"[..], &[0; 4000]].concat();
    let allocations = measure(|| {
        assert!(godot::from_bytes::<Vec<Option<u64>>>(Version::V4, &bytes).is_err());
    });
    assert!(allocations.bytes_max < 4096, "{}", allocations.bytes_max);
    let allocations = measure(|| {
        assert!(attributes::from_bytes::<std::collections::BTreeMap<&str, Vec<u64>>>(&list).is_err());
        assert!(remote::from_bytes::<Vec<Option<u64>>>(&arguments).is_err());
    });
    assert!(allocations.bytes_max < 8192, "{}", allocations.bytes_max);
}
