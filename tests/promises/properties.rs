//! Promises for values and bytes that nobody thought of.

use enginewire::json;
use enginewire::roblox::attributes::{self, Attributes, Entry, EnumItem, Font, Options, Value};
use enginewire::roblox::datatypes::*;
use proptest::collection::vec;
use proptest::prelude::*;

use crate::support::chunking;

fn float() -> impl Strategy<Value = f32> {
    prop_oneof![any::<u32>().prop_map(f32::from_bits), (-8i16..8).prop_map(f32::from)]
}

fn bytes() -> impl Strategy<Value = Vec<u8>> {
    prop_oneof![vec(any::<u8>(), 0..8), "[a-zA-Z_ä]{0,8}".prop_map(String::into_bytes)]
}

fn vector2() -> impl Strategy<Value = Vector2> {
    (float(), float()).prop_map(|(x, y)| Vector2 { x, y })
}

fn vector3() -> impl Strategy<Value = Vector3> {
    (float(), float(), float()).prop_map(|(x, y, z)| Vector3 { x, y, z })
}

fn vector3int16() -> impl Strategy<Value = Vector3int16> {
    any::<(i16, i16, i16)>().prop_map(|(x, y, z)| Vector3int16 { x, y, z })
}

fn udim() -> impl Strategy<Value = UDim> {
    (float(), any::<i32>()).prop_map(|(scale, offset)| UDim { scale, offset })
}

fn color3() -> impl Strategy<Value = Color3> {
    (float(), float(), float()).prop_map(|(r, g, b)| Color3 { r, g, b })
}

fn rotation() -> impl Strategy<Value = Rotation> {
    let ids: Vec<RotationId> = RotationId::all().collect();
    let matrix = vec(float(), 9).prop_map(|numbers| Rotation::Matrix(numbers.try_into().unwrap()));
    prop_oneof![proptest::sample::select(ids).prop_map(Rotation::Aligned), matrix]
}

fn number_keypoint() -> impl Strategy<Value = NumberSequenceKeypoint> {
    vector3().prop_map(|Vector3 { x, y, z }| NumberSequenceKeypoint { envelope: x, time: y, value: z })
}

fn color_keypoint() -> impl Strategy<Value = ColorSequenceKeypoint> {
    (float(), float(), color3()).prop_map(|(envelope, time, value)| ColorSequenceKeypoint { envelope, time, value })
}

fn scalar() -> BoxedStrategy<Value<'static>> {
    let small = prop_oneof![
        bytes().prop_map(Value::from),
        any::<bool>().prop_map(Value::from),
        any::<i32>().prop_map(Value::from),
        float().prop_map(Value::from),
        any::<u64>().prop_map(|bits| Value::from(f64::from_bits(bits))),
        udim().prop_map(Value::from),
        any::<u32>().prop_map(|number| Value::from(BrickColor(number))),
        any::<u32>().prop_map(|bits| Value::from(Faces(bits))),
        any::<u32>().prop_map(|bits| Value::from(Axes(bits))),
    ];
    let numbers = prop_oneof![
        (udim(), udim()).prop_map(|(x, y)| Value::from(UDim2 { x, y })),
        color3().prop_map(Value::from),
        vector2().prop_map(Value::from),
        vector3().prop_map(Value::from),
        any::<(i16, i16)>().prop_map(|(x, y)| Value::from(Vector2int16 { x, y })),
        vector3int16().prop_map(Value::from),
        number_keypoint().prop_map(Value::from),
        color_keypoint().prop_map(Value::from),
        vector2().prop_map(|Vector2 { x, y }| Value::from(NumberRange { min: x, max: y })),
    ];
    let structures = prop_oneof![
        (vector3(), rotation()).prop_map(|(position, rotation)| Value::from(CFrame { position, rotation })),
        (vector3(), vector3()).prop_map(|(origin, direction)| Value::from(Ray { origin, direction })),
        (vector2(), vector2()).prop_map(|(min, max)| Value::from(Rect { min, max })),
        (vector3(), vector3()).prop_map(|(min, max)| Value::from(Region3 { min, max })),
        (vector3int16(), vector3int16()).prop_map(|(min, max)| Value::from(Region3int16 { min, max })),
        vec(number_keypoint(), 0..4).prop_map(|keypoints| Value::NumberSequence(keypoints.into())),
        vec(color_keypoint(), 0..4).prop_map(|keypoints| Value::ColorSequence(keypoints.into())),
        (bytes(), any::<u32>()).prop_map(|(name, value)| {
            let Value::String(enum_name) = Value::from(name) else { unreachable!() };
            Value::from(EnumItem { enum_name, value })
        }),
        (any::<(u16, u8)>(), bytes(), bytes()).prop_map(|((weight, style), family, face)| {
            let [Value::String(family), Value::String(cached_face_id)] = [family, face].map(Value::from) else {
                unreachable!()
            };
            Value::from(Font { weight, style, family, cached_face_id })
        }),
    ];
    prop_oneof![small, numbers, structures].boxed()
}

fn value() -> impl Strategy<Value = Value<'static>> {
    scalar().prop_recursive(3, 12, 4, |inner| {
        prop_oneof![
            vec(inner.clone(), 0..4).prop_map(Value::Array),
            vec((bytes(), inner).prop_map(|(key, value)| Entry::new(key, value)), 0..4).prop_map(Value::Dictionary),
        ]
    })
}

fn some_attributes() -> impl Strategy<Value = Attributes<'static>> {
    vec((bytes(), value()), 0..6).prop_map(Attributes::from_iter)
}

proptest! {
    /// A value comes back from its bytes, from its JSON, and from any pieces. Compared as bytes and as text, because
    /// NaN is not equal to itself.
    #[test]
    fn any_value_survives(value in some_attributes()) {
        let bytes = attributes::encode(&value).unwrap();
        let decoded = attributes::decode(&bytes).unwrap();
        prop_assert_eq!(format!("{decoded:?}"), format!("{value:?}"));
        prop_assert_eq!(attributes::encode(&decoded).unwrap(), &bytes[..]);
        prop_assert!(attributes::check(&bytes).unwrap().is_canonical());
        prop_assert!(attributes::inspect(&bytes).error().is_none());

        let text = json::to_string(&value.clone().into_owned()).unwrap();
        let read: Attributes<'_> = json::from_slice(text.as_bytes()).unwrap();
        prop_assert_eq!(attributes::encode(&read).unwrap(), &bytes[..]);
        chunking(&bytes, Options::new());
    }

    /// Bytes that may be anything never do harm; if they decode and are canonical, they come back.
    #[test]
    fn any_bytes_are_survived(bytes in vec(any::<u8>(), 0..64)) {
        bytes_are_survived(&bytes)?;
    }

    /// Bytes that are nearly right reach further.
    #[test]
    fn nearly_right_bytes_are_survived(
        value in some_attributes(),
        changes in vec((any::<prop::sample::Index>(), any::<u8>()), 1..4),
        cut in any::<prop::sample::Index>(),
    ) {
        let mut bytes = attributes::encode(&value).unwrap();
        if !bytes.is_empty() {
            for (place, byte) in changes {
                let place = place.index(bytes.len());
                bytes[place] = byte;
            }
            bytes_are_survived(&bytes)?;
            bytes.truncate(cut.index(bytes.len()));
            bytes_are_survived(&bytes)?;
        }
    }
}

fn bytes_are_survived(bytes: &[u8]) -> Result<(), TestCaseError> {
    let decoded = attributes::decode(bytes);
    let checked = attributes::check(bytes);
    let tree = attributes::inspect(bytes);
    prop_assert_eq!(tree.error(), decoded.as_ref().err());
    match decoded {
        Ok(decoded) => {
            let encoded = attributes::encode(&decoded).unwrap();
            prop_assert_eq!(encoded == bytes, checked.unwrap().is_canonical());
            let again = attributes::decode(&encoded).unwrap();
            prop_assert_eq!(format!("{again:?}"), format!("{decoded:?}"));
        }
        Err(error) => {
            prop_assert!(error.offset() <= bytes.len() as u64);
            prop_assert_eq!(checked, Err(error));
        }
    }
    chunking(bytes, Options::new());
    Ok(())
}
