//! Rules for the values of attributes.

use std::collections::HashSet;

use super::{Attributes, Entry, Value};
use crate::roblox::luau::is_of_palette;

/// A rule of Roblox for the values of attributes. No script can set a value that breaks one; files may hold it all the same.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, thiserror::Error)]
#[non_exhaustive]
pub enum ValueRule {
    /// `SetAttribute` takes no arrays, dictionaries, rays, faces, axes, vectors of whole numbers, regions, single keypoints and
    /// tweens.
    #[error("is of a type that scripts cannot set")]
    Type,
    /// A BrickColor is one of the palette. Roblox takes any other for Medium stone grey.
    #[error("is not a colour of the palette")]
    Palette,
    /// A sequence has at least two keypoints.
    #[error("has fewer than two keypoints")]
    Few,
    /// The keypoints of a sequence are in the order of their times.
    #[error("has keypoints that are not in the order of their times")]
    Unsorted,
    /// The least number of a range is not greater than the greatest.
    #[error("has its greatest number first")]
    Turned,
}

impl Value<'_> {
    /// The rule that the value breaks, if any. Decoding and encoding do not check it.
    ///
    /// ```
    /// use enginewire::roblox::attributes::{Value, ValueRule};
    ///
    /// let broken = |text| Value::from_luau(text, None).map(|value| value.broken_rule());
    /// assert_eq!(broken("NumberRange.new(5, 10)")?, None);
    /// assert_eq!(broken("NumberRange.new(10, 5)")?, Some(ValueRule::Turned));
    /// # Ok::<(), enginewire::TextError>(())
    /// ```
    #[must_use]
    pub fn broken_rule(&self) -> Option<ValueRule> {
        let of_sequence = |count: usize, is_sorted: bool| match count {
            0 | 1 => Some(ValueRule::Few),
            _ => (!is_sorted).then_some(ValueRule::Unsorted),
        };
        match self {
            Value::Array(_)
            | Value::Dictionary(_)
            | Value::Ray(_)
            | Value::Faces(_)
            | Value::Axes(_)
            | Value::Vector2int16(_)
            | Value::Vector3int16(_)
            | Value::NumberSequenceKeypoint(_)
            | Value::ColorSequenceKeypoint(_)
            | Value::Region3(_)
            | Value::Region3int16(_)
            | Value::TweenInfo(_) => Some(ValueRule::Type),
            Value::BrickColor(color) => (!is_of_palette(*color)).then_some(ValueRule::Palette),
            Value::NumberSequence(keypoints) => {
                of_sequence(keypoints.len(), keypoints.iter().map(|one| one.time).is_sorted())
            }
            Value::ColorSequence(keypoints) => {
                of_sequence(keypoints.len(), keypoints.iter().map(|one| one.time).is_sorted())
            }
            Value::NumberRange(range) => (range.min > range.max).then_some(ValueRule::Turned),
            _ => None,
        }
    }
}

impl<'a> Attributes<'a> {
    /// The first attribute whose value breaks a rule, and the rule. Those that `before` has so already do not count: neither a value
    /// under another key, nor another value that breaks the same rule.
    #[must_use]
    pub fn newly_broken(&self, before: &Attributes<'_>) -> Option<(&Entry<'a>, ValueRule)> {
        let known: HashSet<_> = before.iter().filter_map(|old| Some((&*old.key, old.value.broken_rule()?))).collect();
        let mut broken = self.iter().filter_map(|entry| Some((entry, entry.value.broken_rule()?)));
        broken.find(|(entry, rule)| {
            !known.contains(&(&*entry.key, *rule)) && !before.iter().any(|old| old.value == entry.value)
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use pretty_assertions::assert_eq;

    #[test]
    fn what_scripts_cannot_set() {
        for (text, expected) in [
            ("\"text\"", None),
            ("Int(7)", None),
            ("Float(0.5)", None),
            ("Enum.Material.Grass", None),
            ("Font.new(\"rbxasset://a.json\", Enum.FontWeight.Regular, Enum.FontStyle.Normal)", None),
            ("CFrame.new(1, 2, 3)", None),
            ("BrickColor.new(194)", None),
            ("BrickColor.new(5000)", Some(ValueRule::Palette)),
            ("{1, 2}", Some(ValueRule::Type)),
            ("{a = 1}", Some(ValueRule::Type)),
            ("Ray.new(Vector3.zero, Vector3.one)", Some(ValueRule::Type)),
            ("Vector3int16.new(1, 2, 3)", Some(ValueRule::Type)),
            ("NumberSequence.new(1)", None),
            ("NumberSequence.new({NumberSequenceKeypoint.new(0, 1)})", Some(ValueRule::Few)),
            (
                "NumberSequence.new({NumberSequenceKeypoint.new(1, 1), NumberSequenceKeypoint.new(0, 1)})",
                Some(ValueRule::Unsorted),
            ),
            (
                "ColorSequence.new({ColorSequenceKeypoint.new(0, Color3.new(0, 0, 0)), ColorSequenceKeypoint.new(0, Color3.new(0, 0, 0))})",
                None,
            ),
            ("NumberRange.new(1, 1)", None),
            ("NumberRange.new(1, 0.5)", Some(ValueRule::Turned)),
            ("NumberRange.new(0/0, 0.5)", None),
        ] {
            assert_eq!(Value::from_luau(text, None).unwrap().broken_rule(), expected, "{text}");
        }
    }
}
