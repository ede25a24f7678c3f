//! Promise: an edit changes the value that it names. All other bytes stay, also those that the generator would write otherwise.

use enginewire::formats::{at, change, formats, AnyFormat, Edit, EditError, FormatOptions, Node, ValuePath};
use enginewire::wire::Node as Field;

use crate::support::every;
use crate::support::fixtures;

/// With padding that is not 0, which LuaObject has between its values.
fn options() -> FormatOptions {
    FormatOptions::new().set("any_padding", true).unwrap()
}

/// The paths to the values that hold no others.
fn leaves(node: &dyn Node, format: &dyn AnyFormat, path: &ValuePath, found: &mut Vec<(ValuePath, String)>) {
    let steps = node.steps(format.notation());
    if steps.is_empty() && !path.0.is_empty() {
        found.push((path.clone(), node.text(format.notation())));
    }
    for (number, step) in steps.into_iter().enumerate() {
        if let Some(item) = node.item(number) {
            let path = ValuePath([&path.0[..], &[step]].concat());
            leaves(item, format, &path, found);
        }
    }
}

/// Another value of the same type.
fn other(text: &str) -> Option<String> {
    match text {
        "true" => Some("false".to_owned()),
        "false" => Some("true".to_owned()),
        text if text.starts_with('"') => Some("\"other\"".to_owned()),
        text => text.parse::<i32>().ok().map(|number| (number ^ 1).to_string()),
    }
}

/// A field that holds no others: its label, its bits, and the number of the node around it.
type Bits = (String, Vec<bool>, usize);

fn fields(format: &dyn AnyFormat, bytes: &[u8]) -> Vec<Bits> {
    let tree = format.inspect(bytes, &options());
    assert!(tree.error().is_none());
    let bits = |field: &Field<'_>| -> Vec<bool> {
        let bits = field.range.start.bits()..field.range.end.bits();
        bits.map(|bit| bytes[bit as usize / 8] & (0x80 >> (bit % 8)) != 0).collect()
    };
    let mut around = Vec::new();
    let mut found = Vec::new();
    for (number, node) in tree.nodes().enumerate() {
        around.truncate(node.depth);
        if tree.node(number + 1).is_none_or(|next| next.depth <= node.depth) {
            found.push((format!("{:?}", node.label), bits(&node), around.last().copied().unwrap_or_default()));
        }
        around.push(number);
    }
    // a list of no items is a field of no bits
    found.retain(|(_, bits, _)| !bits.is_empty());
    found
}

/// The bytes with one byte changed so that they are valid and not canonical.
fn not_canonical(format: &dyn AnyFormat, bytes: &[u8]) -> Vec<Vec<u8>> {
    let mut found = Vec::new();
    for place in (0..bytes.len()).step_by(bytes.len().div_ceil(400 / every(5)).max(1)) {
        for byte in [7, 0x80, bytes[place] ^ 1, bytes[place] ^ 0x80] {
            let mut changed = bytes.to_vec();
            changed[place] = byte;
            let is_valid = format.check(&changed, &options());
            found.extend(is_valid.ok().filter(|found| !found.findings.is_canonical()).map(|_| changed));
        }
    }
    found
}

/// Of the fields before the removed ones only a count changes, and those after them stay.
fn removes_one(old: &[Bits], new: &[Bits]) {
    let is_same = |(one, other): &(&Bits, &Bits)| one.1 == other.1;
    let count = old.iter().zip(new).take_while(is_same).count();
    assert_eq!(old[count].1.len(), new[count].1.len());
    let (old, new) = (&old[count + 1..], &new[count + 1..]);
    let first = old.iter().zip(new).take_while(is_same).count();
    let last = old[first..].iter().rev().zip(new[first..].iter().rev()).take_while(is_same).count();
    assert_eq!(first + last, new.len(), "{old:?}\n{new:?}");
}

#[test]
fn only_the_named_value_changes() {
    for format in formats().iter().copied() {
        let (mut edits, mut refused) = (0, 0);
        let small = fixtures(format.name()).into_iter().filter(|blob| blob.bytes.len() < 4000);
        for bytes in small.flat_map(|blob| not_canonical(format, &blob.bytes)) {
            let mut paths = Vec::new();
            let found = &mut |node: &dyn Node| leaves(node, format, &ValuePath::default(), &mut paths);
            format.visit(&bytes, &options(), found).unwrap();
            for (path, _) in paths.iter().step_by(paths.len().div_ceil(3).max(1)) {
                let work = &mut |node: &mut dyn Node| change(node, path, &Edit::Remove, format.notation());
                match format.edit(&bytes, &options(), work) {
                    // an array of Lua with a hole gets keys, and bits of padding move
                    _ if format.name() == "scrap-mechanic-lua" => {}
                    Ok(less) => removes_one(&fields(format, &bytes), &fields(format, &less)),
                    Err(error) => refused += usize::from(matches!(error, EditError::NotCanonical)),
                }
            }
            for (path, text) in paths.iter().step_by(paths.len().div_ceil(3).max(1)) {
                let Some(text) = other(text) else { continue };
                let edit = Edit::Set { type_name: None, text: text.clone() };
                let work = &mut |node: &mut dyn Node| change(node, path, &edit, format.notation());
                let changed = match format.edit(&bytes, &options(), work) {
                    Ok(changed) => changed,
                    Err(EditError::NotCanonical) => {
                        refused += 1;
                        continue;
                    }
                    // several keys
                    Err(_) => continue,
                };
                edits += 1;
                let mut is_set = false;
                let check = &mut |node: &dyn Node| {
                    is_set = at(node, path, format.notation()).is_ok_and(|found| found.text(format.notation()) == text);
                };
                format.visit(&changed, &options(), check).unwrap();
                assert!(is_set, "{} {path} = {text}: {bytes:02x?}", format.name());
                let (old, new) = (fields(format, &bytes), fields(format, &changed));
                let same = |(one, other): &(&Bits, &Bits)| (&one.0, &one.1) == (&other.0, &other.1);
                let first = old.iter().zip(&new).take_while(same).count();
                let last = old[first..].iter().rev().zip(new[first..].iter().rev()).take_while(same).count();
                let around: Vec<_> = old[first..old.len() - last].iter().map(|field| field.2).collect();
                // a type and its value, or a length and what it is of
                assert!(
                    around.windows(2).all(|two| two[0] == two[1]),
                    "{} {path} = {text}: {:?}\n{bytes:02x?}\n{changed:02x?}",
                    format.name(),
                    &old[first..old.len() - last]
                );
            }
        }
        println!("{}: {edits} edits, {refused} refused", format.name());
        // packets of remotes have one form only
        assert!(edits > 0 || format.name() == "roblox-remote", "{}", format.name());
        assert_eq!(refused, 0, "{}", format.name());
    }
}
