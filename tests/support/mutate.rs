//! Changes to bytes that leave most of their layout as it is, for any format: the tree of the bytes says where lengths,
//! types and items are.

use std::ops::Range;

use enginewire::wire::{Node, Tree};
use enginewire::Segment;

use super::random::Random;

/// `bytes`, of which `tree` is the tree, with one change.
pub(crate) fn mutate(bytes: &[u8], tree: &Tree, random: &mut Random) -> Vec<u8> {
    let layout = Layout { bytes, tree };
    match random.below(5) {
        0 => layout.change_number(random),
        1 => layout.remove_item(random),
        2 => layout.copy_item(random),
        3 => layout.resize_content(random),
        _ => layout.replace_part(random),
    }
    .unwrap_or_else(|| scribble(bytes, random))
}

/// One byte more, fewer or other.
fn scribble(bytes: &[u8], random: &mut Random) -> Vec<u8> {
    let mut changed = bytes.to_vec();
    let (at, byte) = (random.below(bytes.len() + 1), random.next() as u8);
    match random.below(3) {
        0 => changed.insert(at, byte),
        1 => changed.truncate(at),
        _ => changed.splice(at..(at + 1).min(bytes.len()), [byte]).for_each(drop),
    }
    changed
}

struct Layout<'b> {
    bytes: &'b [u8],
    tree: &'b Tree,
}

/// A length or count of up to eight bytes: where it is, and how it is written.
struct Prefix {
    place: Range<usize>,
    value: u64,
    big_endian: bool,
}

impl Layout<'_> {
    /// A number, or what may be one, becomes another: 0, the greatest, a neighbour, or one from elsewhere that has the
    /// same name, as type ids have.
    fn change_number(&self, random: &mut Random) -> Option<Vec<u8>> {
        let node = random.choose(&self.nodes(|index, node| self.is_leaf(index) && (1..=8).contains(&size(node))))?.1;
        let old = &self.bytes[place(node)];
        let namesakes = self.nodes(|_, other| other.label == node.label && size(other) == size(node));
        let new = match random.below(5) {
            0 => vec![0; old.len()],
            1 => vec![0xff; old.len()],
            2 => self.bytes[place(random.choose(&namesakes)?.1)].to_vec(),
            3 => old.iter().map(|_| random.next() as u8).collect(),
            _ => {
                let mut new = old.to_vec();
                let at = random.below(new.len());
                new[at] = new[at].wrapping_add([1, 0xff, random.next() as u8][random.below(3)]);
                new
            }
        };
        Some(self.splice(place(node), &new))
    }

    /// An item leaves its list, and the count says so.
    fn remove_item(&self, random: &mut Random) -> Option<Vec<u8>> {
        let (index, node) = *random.choose(&self.nodes(is_item))?;
        Some(self.edit(index, place(node), &[], -1))
    }

    /// An item comes once more, perhaps in another list, and the count says so.
    fn copy_item(&self, random: &mut Random) -> Option<Vec<u8>> {
        let items = self.nodes(is_item);
        let (_, from) = *random.choose(&items)?;
        let (index, to) = *random.choose(&items)?;
        let before = place(to).start;
        Some(self.edit(index, before..before, &self.bytes[place(from)], 1))
    }

    /// A string gets longer or shorter, and its length says so.
    fn resize_content(&self, random: &mut Random) -> Option<Vec<u8>> {
        let strings =
            self.nodes(|index, _| self.is_leaf(index) && self.prefix(index, |prefix, size| prefix == size).is_some());
        let (index, node) = *random.choose(&strings)?;
        let content = place(node);
        let cut = content.start + random.below(content.len() + 1)..content.end;
        let more: Vec<u8> = (0..random.below(5)).map(|_| random.next() as u8).collect();
        Some(self.edit(index, cut, &more, 0))
    }

    /// A part takes the place of another one.
    fn replace_part(&self, random: &mut Random) -> Option<Vec<u8>> {
        let all = self.nodes(|_, node| size(node) > 0);
        let (index, to) = *random.choose(&all)?;
        let (_, from) = *random.choose(&all)?;
        Some(self.edit(index, place(to), &self.bytes[place(from)], 0))
    }

    /// `replaced`, which lies in node number `index`, becomes `by`; the list that the node is in has `more` items more
    /// then. Every length and count around it that was right stays right.
    fn edit(&self, index: usize, replaced: Range<usize>, by: &[u8], more: i64) -> Vec<u8> {
        let grown = by.len() as i64 - replaced.len() as i64;
        let mut prefixes: Vec<(Prefix, i64)> = Vec::new();
        let mut around = Some(index);
        while let Some(part) = around {
            let items = self.children(part).filter(|node| matches!(node.label, Segment::Index(_))).count() as u64;
            let counts = Some(part) == self.parent(index) && more != 0;
            if let Some(prefix) = self.prefix(part, |prefix, _| counts && prefix == items) {
                prefixes.push((prefix, more));
            } else if let Some(prefix) = self.prefix(part, |prefix, size| prefix == size && size > 0) {
                prefixes.push((prefix, grown));
            }
            around = self.parent(part);
        }
        let mut changed = self.splice(replaced, by);
        // all of them stand before the change, so that their places are the same
        for (Prefix { place, value, big_endian }, change) in prefixes {
            let number = value.wrapping_add_signed(change);
            let width = place.len();
            if big_endian {
                changed[place].copy_from_slice(&number.to_be_bytes()[8 - width..]);
            } else {
                changed[place].copy_from_slice(&number.to_le_bytes()[..width]);
            }
        }
        changed
    }

    /// The number right before a part, if in either byte order it `belongs` to the part's size in bytes.
    fn prefix(&self, index: usize, belongs: impl Fn(u64, u64) -> bool) -> Option<Prefix> {
        let node = &self.tree.nodes()[index];
        let before = self.tree.nodes()[..index].iter().rposition(|other| other.depth <= node.depth)?;
        let prefix = &self.tree.nodes()[before];
        if prefix.depth != node.depth || !self.is_leaf(before) || !(1..=8).contains(&size(prefix)) {
            return None;
        }
        let bytes = &self.bytes[place(prefix)];
        let little = bytes.iter().rev().fold(0, |number, byte| number << 8 | u64::from(*byte));
        let big = bytes.iter().fold(0, |number, byte| number << 8 | u64::from(*byte));
        [(little, false), (big, true)]
            .into_iter()
            .find(|(value, _)| belongs(*value, size(node)))
            .map(|(value, big_endian)| Prefix { place: place(prefix), value, big_endian })
    }

    fn splice(&self, replaced: Range<usize>, by: &[u8]) -> Vec<u8> {
        [&self.bytes[..replaced.start], by, &self.bytes[replaced.end..]].concat()
    }

    fn nodes(&self, which: impl Fn(usize, &Node) -> bool) -> Vec<(usize, &Node)> {
        self.tree.nodes().iter().enumerate().filter(|(index, node)| which(*index, node)).collect()
    }

    fn is_leaf(&self, index: usize) -> bool {
        self.children(index).next().is_none()
    }

    fn children(&self, index: usize) -> impl Iterator<Item = &Node> {
        let depth = self.tree.nodes()[index].depth;
        let below = self.tree.nodes()[index + 1..].iter().take_while(move |node| node.depth > depth);
        below.filter(move |node| node.depth == depth + 1)
    }

    fn parent(&self, index: usize) -> Option<usize> {
        let depth = self.tree.nodes()[index].depth;
        self.tree.nodes()[..index].iter().rposition(|node| node.depth < depth)
    }
}

fn is_item(_: usize, node: &Node) -> bool {
    matches!(node.label, Segment::Index(_))
}

fn place(node: &Node) -> Range<usize> {
    node.range.start as usize..node.range.end as usize
}

fn size(node: &Node) -> u64 {
    node.range.end - node.range.start
}
