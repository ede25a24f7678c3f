//! Filters for the values that addresses and paths name.

use std::cmp::Ordering;
use std::collections::BTreeSet;
use std::fmt;
use std::sync::{Arc, Mutex};

use enginewire::formats::{nearest, Node, Notation};
use enginewire::roblox::Tags;
use enginewire_files::roblox::model::{Kind, Listing};

use crate::input::pattern::{is_like_text, is_pattern};
use crate::output::escape::escaped;

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

    /// What a filter left out: shared with its copies, for a message if it takes nothing.
    #[arg(skip)]
    seen: Arc<Mutex<Seen>>,
}

/// Classes, tags and types.
#[derive(Clone, Debug, Default)]
struct Seen {
    classes: Names,
    tags: Names,
    types: Names,
}

/// The names that a filter left out, and whether it took any.
#[derive(Clone, Debug, Default)]
struct Names {
    others: BTreeSet<String>,
    has_taken: bool,
}

impl Names {
    /// Notes names, and returns `is_taken`.
    fn noted(&mut self, names: impl IntoIterator<Item = impl ToString>, is_taken: bool) -> bool {
        self.has_taken |= is_taken;
        if !self.has_taken && self.others.len() < MOST.0 {
            self.others.extend(names.into_iter().map(|name| name.to_string()));
        }
        is_taken
    }
}

/// The most names that are kept of what a filter left out, and the most that a message has.
const MOST: (usize, usize) = (1000, 6);

/// The options as they are given: ` --class "*Light"`.
impl fmt::Display for Filter {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Filter { class, tag, type_name, value, .. } = self;
        for (name, value) in [("class", class), ("tag", tag), ("type", type_name), ("value", value)] {
            if let Some(value) = value {
                write!(f, " --{name} {value:?}")?;
            }
        }
        Ok(())
    }
}

impl Filter {
    /// The options, with what is there instead.
    pub fn unfit(&self) -> String {
        self.similar() + &self.there()
    }

    /// The classes that are there, if the filter took none of them; or else the tags, or the types.
    pub fn there(&self) -> String {
        let Ok(seen) = self.seen.lock() else { return String::new() };
        let all = [("classes", &seen.classes), ("tags", &seen.tags), ("types", &seen.types)];
        let found = all.into_iter().find(|(_, names)| !names.has_taken && !names.others.is_empty());
        let Some((what, Names { others, .. })) = found else { return String::new() };
        let more = others.len().saturating_sub(MOST.1);
        let more = if more > 0 { format!(" and {more} others") } else { String::new() };
        let names: Vec<_> = others.iter().take(MOST.1).map(escaped).collect();
        format!("; {what} there: {}{more}", names.join(", "))
    }

    /// Notes whether something is taken, and returns it.
    fn noted(&self, is_taken: bool, note: impl FnOnce(&mut Seen, bool) -> bool) -> bool {
        self.seen.lock().map_or(is_taken, |mut seen| note(&mut seen, is_taken))
    }

    /// The options, and types with similar names if no format has the one that is asked for.
    fn similar(&self) -> String {
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
        let is_like = |wanted: &String| is_like_text(&class.to_ascii_lowercase(), &wanted.to_ascii_lowercase());
        let is_taken = |wanted| self.noted(is_like(wanted), |seen, is_taken| seen.classes.noted([class], is_taken));
        self.class.as_ref().is_none_or(is_taken)
    }

    /// Returns true if it takes an instance with one of these tags.
    pub fn takes_tags(&self, tags: impl IntoIterator<Item = impl ToString>) -> bool {
        let Some(wanted) = &self.tag else { return true };
        let tags: Vec<_> = tags.into_iter().map(|tag| tag.to_string()).collect();
        let is_taken = tags.iter().any(|tag| is_like_text(tag, wanted));
        self.noted(is_taken, |seen, is_taken| seen.tags.noted(tags, is_taken))
    }

    /// Returns true if it takes this instance.
    pub fn takes_instance(&self, listing: &Listing, index: usize) -> bool {
        let class = || listing.instance(index).map(|instance| instance.class.to_string()).unwrap_or_default();
        let tags = || {
            let property = listing.property(index, Kind::Tags);
            property.and_then(|property| listing.read(&property).ok()).unwrap_or_default()
        };
        (self.class.is_none() || self.takes_any_of_class(&class()))
            && (self.tag.is_none() || self.takes_tags(Tags::from_bytes(&tags()).iter()))
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
        if self.takes_all_values() {
            return true;
        }
        let is_taken = self.type_name.as_ref().is_none_or(is_called)
            && self.value.as_ref().is_none_or(|value| is_value(value, &node.text(notation), node.bytes()));
        self.noted(is_taken, |seen, is_taken| seen.types.noted([node.type_name(notation)], is_taken))
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
