//! Filters for the values that addresses and paths name.

use std::cmp::Ordering;
use std::collections::BTreeSet;
use std::fmt;

use enginewire::formats::{nearest, Node, Notation};
use enginewire::roblox::Tags;
use enginewire_files::roblox::model::{Kind, Listing};

use crate::input::pattern::{is_like_text, is_pattern};

/// The options that choose values. In each, `*` matches any characters.
#[derive(Clone, Debug, Default, clap::Args)]
pub struct Filter {
    /// Only in instances of this class, such as '*Light'
    #[arg(long, value_name = "CLASS")]
    class: Option<String>,

    /// Only in instances with this tag
    #[arg(long, value_name = "TAG")]
    tag: Option<String>,

    /// Only values of this type, such as Color3
    #[arg(long = "type", value_name = "TYPE")]
    type_name: Option<String>,

    /// Only values equal to VALUE, such as true, or '>5'
    #[arg(long, value_name = "VALUE", allow_hyphen_values = true)]
    value: Option<String>,
}

/// The options as they are given: ` --class "*Light"`.
impl fmt::Display for Filter {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Filter { class, tag, type_name, value } = self;
        for (name, value) in [("class", class), ("tag", tag), ("type", type_name), ("value", value)] {
            if let Some(value) = value {
                write!(f, " --{name} {value:?}")?;
            }
        }
        Ok(())
    }
}

impl Filter {
    /// The options, and types with similar names if no format has the one that is asked for.
    pub fn unfit(&self) -> String {
        let known = enginewire::formats().iter().flat_map(|format| format.types()).map(|row| row.name);
        let (known, name) = (known.collect::<BTreeSet<_>>(), self.type_name.as_deref().unwrap_or_default());
        match known.iter().any(|known| known.eq_ignore_ascii_case(name)) || is_pattern(name) {
            false if !name.is_empty() => match &nearest(name, known.into_iter())[..] {
                [] => self.to_string(),
                similar => format!("{self}; did you mean {}?", similar.join(" or ")),
            },
            _ => self.to_string(),
        }
    }

    /// Returns true if no option is given, so that it takes everything.
    pub fn is_all(&self) -> bool {
        self.class.is_none() && self.tag.is_none() && self.takes_all_values()
    }

    /// Returns true if it takes all values of the instances that it takes.
    pub fn takes_all_values(&self) -> bool {
        self.type_name.is_none() && self.value.is_none()
    }

    /// Returns true if it asks for something that only instances have.
    pub fn is_of_instances(&self) -> bool {
        self.class.is_some() || self.tag.is_some()
    }

    /// Returns true if it takes an instance of this class without tags.
    pub fn takes_class(&self, class: &str) -> bool {
        self.tag.is_none() && self.takes_any_of_class(class)
    }

    /// Returns true if it asks for a tag.
    pub fn is_of_tags(&self) -> bool {
        self.tag.is_some()
    }

    /// Returns true if it takes an instance of this class, whatever its tags.
    pub fn takes_any_of_class(&self, class: &str) -> bool {
        self.class.as_ref().is_none_or(|wanted| is_like_text(&class.to_ascii_lowercase(), &wanted.to_ascii_lowercase()))
    }

    /// Returns true if it takes an instance with one of these tags.
    pub fn takes_tags(&self, tags: impl IntoIterator<Item = impl ToString>) -> bool {
        let is_taken = |wanted: &String| tags.into_iter().any(|tag| is_like_text(&tag.to_string(), wanted));
        self.tag.as_ref().is_none_or(is_taken)
    }

    /// Returns true if it takes this instance.
    pub fn takes_instance(&self, listing: &Listing, index: usize) -> bool {
        let class = || listing.instance(index).map(|instance| instance.class.to_string()).unwrap_or_default();
        let tags = || listing.property(index, Kind::Tags).and_then(|property| property.bytes.ok()).unwrap_or_default();
        (self.class.is_none() || self.takes_any_of_class(&class()))
            && (self.tag.is_none() || self.takes_tags(Tags::from_bytes(tags()).iter()))
    }

    /// Returns true if it takes this value.
    pub fn takes(&self, node: &dyn Node, notation: Notation) -> bool {
        // what `help types` lists as userdata has two names; no value of Godot has
        let types = || enginewire::formats().iter().flat_map(|format| format.types());
        let kind = || types().find_map(|row| row.kind_of.filter(|_| row.name == node.type_name(notation)));
        let is_called = |name: &String| {
            let is_like = |found: &str| is_like_text(&found.to_ascii_lowercase(), &name.to_ascii_lowercase());
            let is_kind = || notation.version == 0 && is_like("userdata") && kind().is_some();
            is_like(node.type_name(notation)) || is_kind()
        };
        self.type_name.as_ref().is_none_or(is_called)
            && self.value.as_ref().is_none_or(|value| is_value(value, &node.text(notation), node.bytes()))
    }
}

/// True if a value in the notation of its engine is the one that is asked for. A text fits with and without its quotes. A number is
/// compared: `>5`.
fn is_value(wanted: &str, text: &str, bytes: Option<&[u8]>) -> bool {
    for (sign, orders) in [
        (">=", &[Ordering::Greater, Ordering::Equal][..]),
        ("<=", &[Ordering::Less, Ordering::Equal]),
        (">", &[Ordering::Greater]),
        ("<", &[Ordering::Less]),
    ] {
        if let Some(Ok(limit)) = wanted.strip_prefix(sign).map(str::trim).map(str::parse::<f64>) {
            // not all large integers are doubles
            let whole = || {
                let [number, limit] =
                    [text, wanted.trim_start_matches(['<', '>', '='])].map(|text| text.trim().parse::<i128>().ok());
                Some(number?.cmp(&limit?))
            };
            let order = whole().or_else(|| text.parse::<f64>().ok()?.partial_cmp(&limit));
            return order.is_some_and(|order| orders.contains(&order));
        }
    }
    is_like_text(text, wanted) || bytes.is_some_and(|bytes| is_like_text(&String::from_utf8_lossy(bytes), wanted))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_are_compared_and_texts_need_no_quotes() {
        let number = |wanted: &str, text: &str| is_value(wanted, text, None);
        assert!(
            number(">5", "6") && number("> 5", "5.5") && number(">=5", "5") && number("<-1", "-2") && number("5", "5")
        );
        assert!(!number(">5", "5") && !number("<5", "nan") && !number(">5", "\"6\"") && !number(">5", "Vector2(6, 6)"));
        assert!(
            number(">9223372036854775806", "9223372036854775807") && !number(">9007199254740993", "9007199254740992")
        );
        let text = |wanted: &str| is_value(wanted, "\"Torch 5\"", Some(b"Torch 5"));
        assert!(text("Torch*") && text("\"Torch*") && text("\"Torch 5\"") && !text("Torch") && !text(">5"));
        // in quotes it is a text
        assert!(is_value("\"5\"", "\"5\"", Some(b"5")) && !number("\"5\"", "5"));
        // no number follows
        assert!(is_value("<b>*", "\"<b>x\"", Some(b"<b>x")));
    }
}
