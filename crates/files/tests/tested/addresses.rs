//! The properties of addresses, for any names. [`containers`](super::containers) has those of the addresses in files.

use arbitrary::Unstructured;
use enginewire_files::address::{Address, Component, Index, Pattern, Syntax};
use pretty_assertions::assert_eq;

use crate::support::{bytes, list};

type Any<'e, 'b> = &'e mut Unstructured<'b>;
type Made<T> = arbitrary::Result<T>;

const SYNTAXES: [Syntax; 6] =
    [Syntax::Instances, Syntax::Nodes, Syntax::Settings, Syntax::Keys, Syntax::Entries, Syntax::Items];

/// Characters with a meaning in addresses.
const SIGNS: &[u8] = b"abc.:/\"\\*#@012[] =,-";

/// Any name; half of them look like parts of an address.
pub(crate) fn name(entropy: Any<'_, '_>) -> Made<Vec<u8>> {
    if entropy.ratio(1, 2)? {
        return bytes(entropy);
    }
    list(entropy, |entropy| entropy.choose(SIGNS).copied())
}

/// A name, and what may be in brackets after it.
fn component(entropy: Any<'_, '_>, syntax: Syntax) -> Made<Component> {
    let component = Component::name(name(entropy)?);
    let number = u64::from(entropy.int_in_range(1..=20u8)?);
    Ok(match (syntax, entropy.int_in_range(0..=4)?) {
        (Syntax::Items, 0) => Component::number(number - 1),
        (Syntax::Items, 1) => {
            let value = *entropy.choose(&["158", "78d2FF", "lua:Int8(7)"])?;
            let columns = vec![("id".into(), value.to_owned()), ("key".into(), number.to_string())];
            component.indexed(Index::Columns(columns))
        }
        (Syntax::Instances | Syntax::Items, 2) => component.numbered(Some(number)),
        _ => component,
    })
}

/// Any address that a file may have.
fn address(entropy: Any<'_, '_>) -> Made<Address> {
    let syntax = *entropy.choose(&SYNTAXES)?;
    let most = match syntax {
        Syntax::Keys | Syntax::Entries => 1,
        Syntax::Settings => 2,
        _ => 3,
    };
    let mut components = Vec::new();
    for _ in 0..entropy.int_in_range(1..=most)? {
        components.push(component(entropy, syntax)?);
    }
    // without a section there is only the key
    if syntax == Syntax::Settings && components.len() > 1 && components[0].text().is_some_and(|name| name.is_empty()) {
        components.remove(0);
    }
    let property = Some(name(entropy)?).filter(|name| syntax == Syntax::Instances && name.len() % 2 == 1);
    let earlier = if entropy.ratio(1, 4)? { Some(entropy.int_in_range(0..=9)?) } else { None };
    Ok(Address::new(syntax, components).with_property(property.as_deref()).earlier(earlier))
}

/// Panics if a property does not hold; `entropy` decides which names it is tried with.
pub(crate) fn hold(entropy: &[u8]) {
    let _ = held(&mut Unstructured::new(entropy));
}

fn held(entropy: Any<'_, '_>) -> Made<()> {
    let (one, other) = (address(entropy)?, address(entropy)?);
    let text = comes_back(&one);
    fits_alone(&one, &other);
    is_read_or_refused(&text.replacen(|_| true, "", 1));
    is_read_or_refused(&String::from_utf8_lossy(&name(entropy)?));
    goes_name_by_name(entropy)
}

/// An address is read from its own text.
pub(crate) fn comes_back(address: &Address) -> String {
    let text = address.to_string();
    let pattern = Pattern::parse(address.syntax(), &text).unwrap_or_else(|error| panic!("{text}: {error}"));
    assert_eq!(pattern.address().as_ref(), Some(address), "{text}");
    assert!(pattern.fits(address), "{text}");
    text
}

/// The text of an address fits no other, unless it has the same names with numbers.
fn fits_alone(one: &Address, other: &Address) {
    let pattern = Pattern::parse(one.syntax(), &one.to_string()).unwrap();
    let names = |address: &Address| (address.syntax(), address.without_numbers());
    assert!(names(one) == names(other) || one.syntax() != other.syntax() || !pattern.fits(other), "{one} fits {other}");
    assert_eq!(one == other, one.syntax() == other.syntax() && one.to_string() == other.to_string(), "{one} {other}");
}

/// A text is an address with a text of its own, or it is refused.
fn is_read_or_refused(text: &str) {
    for syntax in SYNTAXES {
        if let Some(address) = Pattern::parse(syntax, text).ok().and_then(|pattern| pattern.address()) {
            comes_back(&address);
        }
    }
}

/// A part of a pattern.
enum Wanted {
    Names,
    AnyName,
    Name(Component),
}

/// A pattern fits if its parts fit the names in order.
fn goes_name_by_name(entropy: Any<'_, '_>) -> Made<()> {
    let (syntax, separator) =
        *entropy.choose(&[(Syntax::Instances, "."), (Syntax::Nodes, "/"), (Syntax::Items, ".")])?;
    let (mut names, mut wanted) = (Vec::new(), Vec::new());
    for _ in 0..entropy.int_in_range(1..=4)? {
        let name = component(entropy, syntax)?;
        match entropy.int_in_range(0..=7)? {
            0 => wanted.push(Wanted::Names),
            1 => wanted.extend([Wanted::Names, Wanted::Names]),
            2 => wanted.push(Wanted::AnyName),
            3 => wanted.push(Wanted::Name(name.clone().numbered(None))),
            4 => wanted.push(Wanted::Name(component(entropy, syntax)?)),
            5 => {}
            _ => wanted.push(Wanted::Name(name.clone())),
        }
        names.push(name);
    }
    // numbers alone have no text without them
    wanted.retain(|wanted| !matches!(wanted, Wanted::Name(name) if name.text().is_none() && name.index().is_none()));
    let text = |wanted: &Wanted| match wanted {
        Wanted::Names => "**".to_owned(),
        Wanted::AnyName => "*".to_owned(),
        Wanted::Name(name) => Address::new(syntax, [name.clone()]).to_string(),
    };
    let pattern = wanted.iter().map(text).collect::<Vec<_>>().join(separator);
    let expected = fits(&wanted, &names);
    let address = Address::new(syntax, names);
    if !wanted.is_empty() {
        let found = Pattern::parse(syntax, &pattern).unwrap_or_else(|error| panic!("{error}")).fits(&address);
        assert_eq!(found, expected, "{pattern} and {address}");
    }
    Ok(())
}

fn fits(wanted: &[Wanted], names: &[Component]) -> bool {
    match (wanted.split_first(), names.split_first()) {
        (None, None) => true,
        (Some((Wanted::Names, rest)), None) => fits(rest, names),
        (Some((Wanted::Names, rest)), Some((_, after))) => fits(rest, names) || fits(wanted, after),
        (Some((Wanted::AnyName, rest)), Some((_, after))) => fits(rest, after),
        (Some((Wanted::Name(name), rest)), Some((found, after))) => {
            let is_first = matches!((name.index(), found.index()), (Some(Index::Number(1)), None));
            let is_index = name.index().is_none() || name.index() == found.index() || is_first;
            name.text() == found.text() && is_index && fits(rest, after)
        }
        _ => false,
    }
}
