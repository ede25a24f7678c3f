//! Rules for the names of attributes.

use bstr::BStr;

/// Rules for the names of attributes.
///
/// | rule | |
/// |---|---|
/// | length | at most 100 bytes |
/// | bytes | letters, digits and underscore; Roblox now also takes `.`, `-` and `/` |
/// | reserved | must not begin with `RBX`, except in names that Roblox itself gives |
///
/// Specification: `docs/spec/roblox-attributes.md`, section Key rules.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct KeyRules {
    punctuation: bool,
    reserved: bool,
}

impl KeyRules {
    /// As the specification has them.
    pub const SPEC: Self = KeyRules { punctuation: false, reserved: false };

    /// As Roblox has them now: `.`, `-` and `/` are allowed too.
    pub const CURRENT: Self = KeyRules { punctuation: true, reserved: false };

    /// The same rules, but `RBX` may begin a name, as in names that Roblox itself gives.
    #[must_use]
    pub const fn allow_reserved(self) -> Self {
        KeyRules { reserved: true, ..self }
    }

    /// The rule that `key` breaks, if any.
    #[must_use]
    pub fn broken_by(self, key: &BStr) -> Option<KeyRule> {
        let allowed =
            |byte: &u8| byte.is_ascii_alphanumeric() || *byte == b'_' || (self.punctuation && b".-/".contains(byte));
        if key.len() > 100 {
            Some(KeyRule::Length)
        } else if !key.iter().all(allowed) {
            Some(KeyRule::Bytes)
        } else if !self.reserved && key.starts_with(b"RBX") {
            Some(KeyRule::Reserved)
        } else {
            None
        }
    }
}

/// A rule for names.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum KeyRule {
    /// At most 100 bytes.
    #[error("is longer than 100 bytes")]
    Length,
    /// Only certain bytes.
    #[error("has a byte that names may not have")]
    Bytes,
    /// `RBX` is reserved.
    #[error("begins with RBX, which is reserved for Roblox")]
    Reserved,
}

/// A key that breaks a rule for names.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("the key {key:?} of entry {index} {rule}")]
#[non_exhaustive]
pub struct KeyError {
    /// The index of the entry that has it.
    pub index: usize,
    /// The key.
    pub key: bstr::BString,
    /// The rule.
    pub rule: KeyRule,
}

#[cfg(test)]
mod tests {
    use super::super::blob::Attributes;
    use super::*;
    use pretty_assertions::assert_eq;

    #[test]
    fn keys_are_checked_on_request_only() {
        let broken = |rules: KeyRules, key: &str| rules.broken_by(BStr::new(key));
        assert_eq!(broken(KeyRules::SPEC, "Health_1"), None);
        assert_eq!(broken(KeyRules::SPEC, &"a".repeat(101)), Some(KeyRule::Length));
        assert_eq!(broken(KeyRules::SPEC, "a.b"), Some(KeyRule::Bytes));
        assert_eq!(broken(KeyRules::CURRENT, "a.b-c/d"), None);
        assert_eq!(broken(KeyRules::CURRENT, "RBX_x"), Some(KeyRule::Reserved));
        assert_eq!(broken(KeyRules::CURRENT.allow_reserved(), "RBX_x"), None);
        let attributes: Attributes<'_> = [("fine", 1), ("not fine", 2)].into_iter().collect();
        assert_eq!(
            attributes.validate_keys(KeyRules::SPEC).unwrap_err().to_string(),
            "the key \"not fine\" of entry 1 has a byte that names may not have",
        );
    }

    #[test]
    fn a_key_may_have_100_bytes() {
        let key = |length| "k".repeat(length);
        assert_eq!(KeyRules::SPEC.broken_by(key(100).as_str().into()), None);
        assert_eq!(KeyRules::SPEC.broken_by(key(101).as_str().into()), Some(KeyRule::Length));
    }
}
