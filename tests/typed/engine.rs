//! Types of the engines, as fields and by name.

use enginewire::godot::{self, Color, NodePath, Reals, Rid, Signal, Transform3D, Variant, Vector2, Vector3, Version};
use enginewire::roblox::attributes::{self, EnumItem, Font, IntoByteString, TweenInfo};
use enginewire::roblox::datatypes::{
    self, BrickColor, CFrame, Color3, NumberRange, NumberSequenceKeypoint, RotationId, UDim, UDim2,
};
use enginewire::roblox::remote;
use enginewire::scrap_mechanic::lua_object::{self, LuaSaveData, Userdata, Uuid, Vec3};
use enginewire::typed::with;
use pretty_assertions::assert_eq;
use serde::{Deserialize, Serialize};

fn text(text: &'static str) -> godot::ByteString<'static> {
    text.into_byte_string()
}

#[derive(Debug, PartialEq, Serialize, Deserialize)]
struct OfGodot {
    single: Vector3<f32>,
    double: Vector3<f64>,
    integers: Vector3<i32>,
    transform: Transform3D<f32>,
    color: Color,
    path: NodePath<'static>,
    rid: Rid,
    signal: Signal<'static>,
    #[serde(with = "with::vector2")]
    position: [f32; 2],
    #[serde(with = "with::vector2")]
    wide: [f64; 2],
    #[serde(with = "with::vector2")]
    cell: (i32, i32),
    #[serde(with = "with::packed_float32_array")]
    curve: Vec<f32>,
    #[serde(with = "with::packed_byte_array")]
    raw: Vec<u8>,
    #[serde(with = "with::packed_vector3_array")]
    points: Vec<[f32; 3]>,
    #[serde(with = "with::packed_string_array")]
    names: Vec<String>,
    #[serde(with = "with::string_name")]
    action: String,
    #[serde(with = "with::float")]
    speed: i32,
    #[serde(with = "with::color")]
    tint: [f32; 4],
    #[serde(with = "with::basis")]
    basis: [[f32; 3]; 3],
    #[serde(with = "with::vector3", default)]
    perhaps: Option<[f32; 3]>,
}

#[test]
fn types_of_godot() {
    let transform = Transform3D { origin: Vector3 { x: 0.5, y: f32::INFINITY, z: -0.0 }, ..Transform3D::default() };
    let written = OfGodot {
        single: Vector3 { x: 1.0, y: 2.0, z: 3.0 },
        double: Vector3 { x: 0.1, y: 2.0, z: 3.0 },
        integers: Vector3 { x: 1, y: 2, z: 3 },
        transform,
        color: Color { r: 1.0, g: 0.5, b: 0.0, a: 1.0 },
        path: NodePath { absolute: true, names: vec![text("a")], subnames: vec![] },
        rid: Rid(7),
        signal: Signal { name: text("s"), object_id: u64::MAX },
        position: [1.0, 2.0],
        wide: [0.1, 2.0],
        cell: (3, 4),
        curve: vec![0.1, 1.0],
        raw: vec![1, 2, 255],
        points: vec![[1.0, 2.0, 3.0]],
        names: vec!["a".to_owned(), String::new()],
        action: "jump".to_owned(),
        speed: 3,
        tint: [1.0, 0.5, 0.25, 1.0],
        basis: [[1.0, 2.0, 3.0], [4.0, 5.0, 6.0], [7.0, 8.0, 9.0]],
        perhaps: None,
    };
    let value = godot::to_value(&written).unwrap();
    let field = |name: &str| value.as_dictionary().unwrap().get(name).unwrap();
    assert_eq!(field("single"), &Variant::from(written.single));
    assert_eq!(field("double"), &Variant::Vector3(Reals::Double(Box::new(written.double))));
    assert_eq!(field("integers"), &Variant::Vector3i(written.integers));
    assert_eq!(field("transform"), &Variant::Transform3D(Box::new(Reals::Single(transform))));
    assert_eq!(field("color"), &Variant::Color(written.color));
    assert_eq!(field("path"), &Variant::NodePath(Box::new(written.path.clone())));
    assert_eq!(field("rid"), &Variant::Rid(Rid(7)));
    assert_eq!(field("signal"), &Variant::Signal(Box::new(written.signal.clone())));
    assert_eq!(field("position"), &Variant::from(Vector2 { x: 1.0_f32, y: 2.0 }));
    assert_eq!(field("wide"), &Variant::Vector2(Reals::Double(Box::new(Vector2 { x: 0.1, y: 2.0 }))));
    assert_eq!(field("cell"), &Variant::Vector2i(Vector2 { x: 3, y: 4 }));
    assert_eq!(field("curve"), &Variant::PackedFloat32Array(vec![0.1, 1.0].into()));
    assert_eq!(field("raw"), &Variant::from(vec![1, 2, 255]));
    let points = vec![Vector3 { x: 1.0, y: 2.0, z: 3.0 }];
    assert_eq!(field("points"), &Variant::PackedVector3Array(Reals::Single(points.into())));
    assert_eq!(field("names"), &Variant::from(vec![text("a"), text("")]));
    assert_eq!(field("action"), &Variant::StringName(text("jump")));
    assert_eq!(field("speed"), &Variant::Float(3.0));
    assert_eq!(field("tint"), &Variant::Color(Color { r: 1.0, g: 0.5, b: 0.25, a: 1.0 }));
    assert!(matches!(field("basis"), Variant::Basis(_)));
    assert_eq!(field("perhaps"), &Variant::Null);
    // a float is not read as an integer, so the leniency allows it
    let lenient = enginewire::typed::Leniency::new().float_to_int(true);
    assert_eq!(godot::from_value_with::<OfGodot>(value.clone(), lenient).unwrap(), written);
    let bytes = godot::v4::encode(&value).unwrap();
    let options = godot::Options::new(Version::V4);
    assert_eq!(godot::from_bytes_with::<OfGodot>(&bytes, &options, lenient).unwrap(), written);
}

#[derive(Debug, PartialEq, Serialize, Deserialize)]
struct OfAttributes {
    spawn: CFrame,
    color: Color3,
    brick: BrickColor,
    size: UDim2,
    range: NumberRange,
    key: NumberSequenceKeypoint,
    font: Font<'static>,
    tween: TweenInfo,
    material: EnumItem<'static>,
    #[serde(with = "with::vector3")]
    position: [f32; 3],
    #[serde(with = "with::enum_item")]
    other: (String, u32),
    #[serde(with = "with::number_sequence")]
    fade: Vec<(f32, f32, f32)>,
    #[serde(with = "with::brick_color")]
    paint: u32,
    #[serde(with = "with::roblox_int")]
    integer: i32,
    #[serde(with = "with::roblox_float")]
    single: f32,
    #[serde(with = "with::double")]
    double: f32,
}

#[test]
fn types_of_attributes() {
    let written = OfAttributes {
        spawn: CFrame { position: datatypes::Vector3::default(), rotation: RotationId::IDENTITY.into() },
        color: Color3 { r: 1.0, g: 0.5, b: 0.0 },
        brick: BrickColor(21),
        size: UDim2 { x: UDim { scale: 0.5, offset: 3 }, y: UDim { scale: 1.0, offset: -3 } },
        range: NumberRange { min: 0.0, max: f32::INFINITY },
        key: NumberSequenceKeypoint { envelope: 0.0, time: 0.5, value: 1.0 },
        font: Font { weight: 400, style: 0, family: text("F"), cached_face_id: text("") },
        tween: TweenInfo { delay: 0.5, repeat_count: -1, reverses: true, ..TweenInfo::default() },
        material: EnumItem { enum_name: text("Material"), value: 512 },
        position: [1.0, 2.0, 3.0],
        other: ("Material".to_owned(), 256),
        fade: vec![(0.0, 0.0, 1.0), (0.0, 1.0, 0.0)],
        paint: 24,
        integer: -7,
        single: 0.1,
        double: 0.5,
    };
    let blob = attributes::to_value(&written).unwrap();
    let field = |name: &str| blob.get(name).unwrap();
    assert_eq!(field("spawn").as_cframe(), Some(written.spawn));
    assert_eq!(field("color").as_color3(), Some(written.color));
    assert_eq!(field("brick").as_brick_color(), Some(BrickColor(21)));
    assert_eq!(field("size").as_udim2(), Some(written.size));
    assert_eq!(field("range").as_number_range(), Some(written.range));
    assert_eq!(field("key").as_number_sequence_keypoint(), Some(written.key));
    assert_eq!(field("tween").as_tween_info(), Some(written.tween));
    assert_eq!(field("font").as_font(), Some(&written.font));
    assert_eq!(field("material").as_enum_item(), Some(&written.material));
    assert_eq!(field("position").as_vector3(), Some(datatypes::Vector3 { x: 1.0, y: 2.0, z: 3.0 }));
    assert_eq!(field("other").as_enum_item().unwrap().value, 256);
    assert_eq!(field("fade").as_number_sequence().unwrap().len(), 2);
    assert_eq!(field("paint").as_brick_color(), Some(BrickColor(24)));
    assert_eq!(field("integer").as_int(), Some(-7));
    assert_eq!(field("single").as_float(), Some(0.1));
    assert_eq!(field("double").as_double(), Some(0.5));
    assert_eq!(attributes::from_bytes::<OfAttributes>(&attributes::encode(&blob).unwrap()).unwrap(), written);
}

#[test]
fn types_of_lua_objects_and_remotes() {
    #[derive(Debug, PartialEq, Serialize, Deserialize)]
    struct Part {
        uuid: Uuid,
        place: Vec3,
        #[serde(with = "with::uuid")]
        other: [u8; 16],
        #[serde(with = "with::vec3")]
        velocity: (f32, f32, f32),
        #[serde(with = "with::int32")]
        wide: i8,
    }
    let uuid: Uuid = "0f0e0d0c-0b0a-0908-0706-050403020100".parse().unwrap();
    let written =
        Part { uuid, place: Vec3 { x: 1.0, y: 2.0, z: 3.0 }, other: uuid.0, velocity: (0.0, 1.0, 0.0), wide: 7 };
    let object = lua_object::to_value(&written).unwrap();
    let field = |name: &str| object.data.as_table().unwrap().get(name).unwrap();
    assert_eq!(field("uuid"), &LuaSaveData::from(uuid));
    assert_eq!(field("other"), &LuaSaveData::from(uuid));
    assert_eq!(field("place"), &LuaSaveData::Userdata(Userdata::Vec3(written.place)));
    assert_eq!(field("wide"), &LuaSaveData::Int32(7));
    assert_eq!(lua_object::from_value::<Part>(object.clone()).unwrap(), written);

    let point = datatypes::Vector3 { x: 1.0, y: 2.0, z: 3.0 };
    let arguments = remote::to_arguments(&(point, remote::Ref::of_server(7).id)).unwrap();
    assert_eq!(arguments, [point.into(), 7.0.into()]);
    assert_eq!(remote::from_arguments::<([f32; 3], u32)>(arguments).unwrap(), ([1.0, 2.0, 3.0], 7));
}

/// Up to four numbers of one type take a way of their own, so here are others too.
#[test]
fn structures_of_numbers_of_any_kind() {
    struct At<T>(T);
    impl<T: Serialize> Serialize for At<T> {
        fn serialize<S: serde::Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
            with::vector2::serialize(&self.0, serializer)
        }
    }
    fn in_godot<T: Serialize>(value: T) -> Result<Variant<'static>, String> {
        let value = At(value);
        let built = godot::to_value(&value);
        let written = godot::to_bytes(Version::V4, &value);
        assert_eq!(written, built.clone().and_then(|built| godot::v4::encode(&built)));
        built.map_err(|error| error.to_string())
    }
    #[derive(Serialize)]
    #[serde(rename = "$enginewire::Vector2")]
    struct Backwards {
        y: f32,
        x: f32,
    }
    #[derive(Serialize)]
    #[serde(rename = "$enginewire::Vector2")]
    struct Mixed {
        x: f64,
        y: i64,
    }
    let single = Variant::from(Vector2 { x: 1.0_f32, y: 2.0 });
    let double = Variant::Vector2(Reals::Double(Box::new(Vector2 { x: 1.0, y: 2.0 })));
    assert_eq!(in_godot([1.0_f32, 2.0]), Ok(single.clone()));
    assert_eq!(in_godot((1.0_f32, 2.0_f64)), Ok(single.clone()));
    assert_eq!(in_godot((1.0_f64, 2.0_f32)), Ok(double.clone()));
    assert_eq!(in_godot((1.0_f64, 2)), Ok(double.clone()));
    assert_eq!(in_godot([1_u8, 2]), Ok(Variant::Vector2i(Vector2 { x: 1, y: 2 })));
    assert_eq!(godot::to_value(&Backwards { y: 2.0, x: 1.0 }), Ok(single));
    assert_eq!(godot::to_value(&Mixed { x: 1.0, y: 2 }), Ok(double));
    for error in [in_godot([1_i64 << 40, 2]), in_godot([0.0_f32; 3]), in_godot([0.0_f32; 5]), in_godot([(); 2])] {
        assert!(error.as_ref().is_err_and(|error| error.starts_with("as a Vector2")), "{error:?}");
    }
    #[derive(Serialize)]
    struct Wide {
        #[serde(with = "with::color3")]
        a: [f64; 3],
    }
    let blob = attributes::to_value(&Wide { a: [0.1, 0.5, 1.0] }).unwrap();
    assert_eq!(blob.get("a").unwrap().as_color3(), Some(Color3 { r: 0.1, g: 0.5, b: 1.0 }));
}

/// A structure of the engine is read into one of the crate only if it has the same fields, and into one of the user in any
/// way that it asks for.
#[test]
fn structures_of_numbers_are_read_by_their_names() {
    struct Sum(f32);
    impl<'de> Deserialize<'de> for Sum {
        fn deserialize<D: serde::Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
            struct Fields;
            impl<'de> serde::de::Visitor<'de> for Fields {
                type Value = Sum;

                fn expecting(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
                    f.write_str("fields")
                }

                fn visit_map<A: serde::de::MapAccess<'de>>(self, mut map: A) -> Result<Sum, A::Error> {
                    let mut sum = Sum(0.0);
                    while let Some((_, number)) = map.next_entry::<String, f32>()? {
                        sum.0 += number;
                    }
                    Ok(sum)
                }
            }
            deserializer.deserialize_struct("Sum", &["x", "y", "z"], Fields)
        }
    }
    let vector = Variant::from(Vector3 { x: 1.0_f32, y: 2.0, z: 4.0 });
    let bytes = godot::v4::encode(&vector).unwrap();
    assert_eq!(godot::from_bytes::<Sum>(Version::V4, &bytes).unwrap().0, 7.0);
    assert_eq!(godot::from_bytes::<Vector3<f64>>(Version::V4, &bytes).unwrap(), Vector3 { x: 1.0, y: 2.0, z: 4.0 });
    let blob = [("a", datatypes::Vector3 { x: 1.0, y: 2.0, z: 4.0 })].into_iter().collect();
    let error = attributes::from_value::<std::collections::BTreeMap<String, Color3>>(blob).unwrap_err();
    assert!(error.to_string().starts_with("unknown field `x`"), "{error}");
}

/// The error names a type that the format lacks, or the type that was found instead of the expected one.
#[test]
fn types_that_are_not_there() {
    let color = Color { r: 0.0, g: 0.0, b: 0.0, a: 0.0 };
    let error = attributes::to_bytes(&std::collections::BTreeMap::from([("a", color)])).unwrap_err();
    assert_eq!(error.to_string(), r#"the format of attributes has no type Color in "a""#);
    #[derive(Debug, Serialize, Deserialize)]
    struct Has {
        #[serde(with = "with::vector3")]
        place: Vec<f32>,
    }
    let error = attributes::to_bytes(&Has { place: vec![1.0] }).unwrap_err();
    assert_eq!(error.to_string(), "as a Vector3: expected a list of 3 items, found 1 item in place");
    let list =
        godot::to_bytes(Version::V4, &std::collections::BTreeMap::from([("place", vec![1.0, 2.0, 3.0])])).unwrap();
    let error = godot::from_bytes::<Has>(Version::V4, &list).unwrap_err();
    assert_eq!(
        error.to_string(),
        r#"expected Vector3, found Array, at byte 0x1c in dictionary.entries[0] "place".value.array"#
    );
}

/// In other formats the modules are not there.
#[test]
fn other_formats_see_the_field_alone() {
    #[derive(Serialize, Deserialize, PartialEq, Debug)]
    struct Has {
        #[serde(with = "with::vector3")]
        place: [f32; 3],
        color: Color,
        brick: BrickColor,
    }
    let has = Has { place: [1.0, 2.0, 3.0], color: Color { r: 1.0, g: 0.5, b: 0.0, a: 1.0 }, brick: BrickColor(21) };
    let text = serde_json::to_string(&has).unwrap();
    assert_eq!(text, r#"{"place":[1.0,2.0,3.0],"color":{"r":1,"g":0.5,"b":0,"a":1},"brick":21}"#);
    assert_eq!(serde_json::from_str::<Has>(&text).unwrap(), has);
}
