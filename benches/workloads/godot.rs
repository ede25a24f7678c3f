//! Values of Godot, the same in every run.

use enginewire::godot::{Dictionary, Variant, Vector3};

/// A message that a client might send.
pub(crate) fn message() -> Variant<'static> {
    let place = Vector3 { x: 1.5, y: 0.25, z: -8.0 };
    Dictionary::new([
        ("type".into(), "player_update".into()),
        ("id".into(), Variant::Int(76_561_198_000_000_000)),
        ("position".into(), place.into()),
        ("rotation".into(), place.into()),
        ("health".into(), 100.into()),
        ("speed".into(), Variant::Float(4.2)),
        ("moving".into(), true.into()),
        ("name".into(), "Ada".into()),
        ("zone".into(), "main_zone".into()),
        ("held_item".into(), Dictionary::new([("id".into(), "rod".into()), ("size".into(), 1.5_f32.into())]).into()),
    ])
    .into()
}

/// Dictionaries in dictionaries.
pub(crate) fn nested(levels: u32) -> Variant<'static> {
    if levels == 0 {
        return message();
    }
    let children = (0..6).map(|index| (Variant::from(format!("child {index}")), nested(levels - 1)));
    Dictionary::new(children).into()
}
