//! Changes to input that keep most of its layout, for any format. The tree of the input has the locations of lengths,
//! types and items.

use std::ops::Range;

use enginewire::wire::{Node, Tree};
use enginewire::{Offset, Segment};

use super::random::Random;

/// `bytes` with one change. `tree` is their tree.
pub(crate) fn mutate(bytes: &[u8], tree: &Tree, random: &mut Random) -> Vec<u8> {
    let layout = Layout::new(bytes, tree);
    match random.below(5) {
        0 => layout.change_number(random),
        1 => layout.remove_item(random),
        2 => layout.copy_item(random),
        3 => layout.resize_content(random),
        _ => layout.replace_part(random),
    }
    .map_or_else(|| scribble(bytes, random), |pieces| joined(&pieces))
}

/// One byte more, fewer or other.
pub(crate) fn scribble(bytes: &[u8], random: &mut Random) -> Vec<u8> {
    let mut changed = bytes.to_vec();
    let (at, byte) = (random.below(bytes.len() + 1), random.next() as u8);
    match random.below(3) {
        0 => changed.insert(at, byte),
        1 => changed.truncate(at),
        _ => changed.splice(at..(at + 1).min(bytes.len()), [byte]).for_each(drop),
    }
    changed
}

/// The bits of a part that has no parts itself.
#[derive(Clone)]
struct Piece {
    bits: Vec<bool>,
    /// True if it fills up a byte.
    is_padding: bool,
}

impl Piece {
    fn of(bytes: &[u8], range: &Range<Offset>, is_padding: bool) -> Self {
        let bit = |at: u64| bytes[(at / 8) as usize] >> (7 - at % 8) & 1 == 1;
        Piece { bits: (range.start.bits()..range.end.bits()).map(bit).collect(), is_padding }
    }

    fn of_bytes(bytes: &[u8]) -> Self {
        Piece::of(bytes, &(Offset::default()..(bytes.len() as u64).into()), false)
    }

    /// Its bytes. Unused bits of the last byte are 0.
    fn bytes(&self) -> Vec<u8> {
        joined(&[Piece { is_padding: false, ..self.clone() }])
    }
}

/// The bytes of joined pieces. Padding extends to the end of the byte, unless a change has set bits in it.
fn joined(pieces: &[Piece]) -> Vec<u8> {
    let mut bits: Vec<bool> = Vec::new();
    for piece in pieces {
        if piece.is_padding && !piece.bits.contains(&true) {
            bits.resize(bits.len().next_multiple_of(8), false);
        } else {
            bits.extend(&piece.bits);
        }
    }
    bits.chunks(8)
        .map(|byte| byte.iter().enumerate().fold(0, |sum, (at, bit)| sum | u8::from(*bit) << (7 - at)))
        .collect()
}

struct Layout<'t> {
    tree: &'t Tree,
    pieces: Vec<Piece>,
    /// The pieces of each node.
    places: Vec<Range<usize>>,
}

/// A length or count of up to eight bytes: which piece it is, and how it is written.
struct Prefix {
    piece: usize,
    value: u64,
    big_endian: bool,
}

impl<'t> Layout<'t> {
    fn new(bytes: &[u8], tree: &'t Tree) -> Self {
        let mut pieces = Vec::new();
        let mut places: Vec<Range<usize>> = Vec::new();
        let mut open: Vec<usize> = Vec::new();
        for (index, node) in tree.nodes().enumerate() {
            open.drain(node.depth..).for_each(|done: usize| places[done].end = pieces.len());
            open.push(index);
            places.push(pieces.len()..pieces.len());
            if tree.node(index + 1).is_none_or(|next| next.depth <= node.depth) {
                pieces.push(Piece::of(bytes, &node.range, node.label == Segment::Field("padding")));
            }
        }
        open.into_iter().for_each(|done| places[done].end = pieces.len());
        pieces.extend(tree.gap().map(|gap| Piece::of(bytes, &gap, false)));
        Layout { tree, pieces, places }
    }

    /// A number, or what may be one, becomes another: 0, -0.0 in either byte order, the greatest, a neighbour, or one from
    /// elsewhere that has the same name, as type ids have.
    fn change_number(&self, random: &mut Random) -> Option<Vec<Piece>> {
        let node = random.choose(&self.nodes(|index, node| self.is_leaf(index) && (1..=64).contains(&size(node))))?.0;
        let piece = self.places[node].start;
        let (label, width) = (self.node(node).label, self.pieces[piece].bits.len());
        let namesakes =
            self.nodes(|index, other| self.is_leaf(index) && other.label == label && size(other) == width as u64);
        let mut pieces = self.pieces.clone();
        let bits = &mut pieces[piece].bits;
        match random.below(6) {
            0 => bits.fill(false),
            1 => bits.fill(true),
            2 => {
                bits.fill(false);
                bits[[0, width.saturating_sub(8)][random.below(2)]] = true;
            }
            3 => bits.clone_from(&self.pieces[self.places[random.choose(&namesakes)?.0].start].bits),
            4 => bits.iter_mut().for_each(|bit| *bit = random.below(2) == 0),
            _ => {
                // one byte of it, or all of it, one more or less
                let mut bytes = pieces[piece].bytes();
                let at = random.below(bytes.len());
                let unused = (8 * bytes.len()).saturating_sub(width) % 8;
                let unit: u8 = 1 << unused;
                bytes[at] = bytes[at].wrapping_add([unit, unit.wrapping_neg(), random.next() as u8][random.below(3)]);
                let changed = Piece::of_bytes(&bytes).bits;
                pieces[piece].bits = changed[..width].to_vec();
            }
        }
        Some(pieces)
    }

    /// Removes an item from its list, and adjusts the count.
    fn remove_item(&self, random: &mut Random) -> Option<Vec<Piece>> {
        let (index, _) = *random.choose(&self.nodes(is_item))?;
        Some(self.edit(index, self.places[index].clone(), &[], -1))
    }

    /// Inserts a copy of an item, perhaps in another list, and adjusts the count.
    fn copy_item(&self, random: &mut Random) -> Option<Vec<Piece>> {
        let items = self.nodes(is_item);
        let (from, _) = *random.choose(&items)?;
        let (to, _) = *random.choose(&items)?;
        let before = self.places[to].start;
        Some(self.edit(to, before..before, &self.pieces[self.places[from].clone()], 1))
    }

    /// Makes a string longer or shorter, and adjusts its length.
    fn resize_content(&self, random: &mut Random) -> Option<Vec<Piece>> {
        let strings =
            self.nodes(|index, _| self.is_leaf(index) && self.prefix(index, |prefix, size| prefix == size).is_some());
        let (index, _) = *random.choose(&strings)?;
        let place = self.places[index].clone();
        let mut content = self.pieces[place.start].bytes();
        content.truncate(random.below(content.len() + 1));
        content.extend((0..random.below(5)).map(|_| random.next() as u8));
        Some(self.edit(index, place, &[Piece::of_bytes(&content)], 0))
    }

    /// A part takes the place of another one.
    fn replace_part(&self, random: &mut Random) -> Option<Vec<Piece>> {
        let all = self.nodes(|_, node| size(node) > 0);
        let (to, _) = *random.choose(&all)?;
        let (from, _) = *random.choose(&all)?;
        Some(self.edit(to, self.places[to].clone(), &self.pieces[self.places[from].clone()], 0))
    }

    /// `replaced`, which lies in node number `index`, becomes `by`; the list that the node is in has `more` items more
    /// then. Every length and count around it that was right stays right.
    fn edit(&self, index: usize, replaced: Range<usize>, by: &[Piece], more: i64) -> Vec<Piece> {
        let bits = |pieces: &[Piece]| pieces.iter().map(|piece| piece.bits.len() as i64).sum::<i64>();
        let grown = (bits(by) - bits(&self.pieces[replaced.clone()])) / 8;
        let mut pieces = self.pieces.clone();
        let mut around = Some(index);
        while let Some(part) = around {
            let items = self.children(part).filter(|node| matches!(node.label, Segment::Index(_))).count() as u64;
            let counts = Some(part) == self.parent(index) && more != 0;
            if let Some(prefix) = self.prefix(part, |prefix, _| counts && prefix == items) {
                prefix.write(&mut pieces, more);
            } else if let Some(prefix) = self.prefix(part, |prefix, size| prefix == size && size > 0) {
                prefix.write(&mut pieces, grown);
            }
            around = self.parent(part);
        }
        // all of these numbers are before the change
        pieces.splice(replaced, by.iter().cloned());
        pieces
    }

    /// The number before a part, in the same structure, that in either byte order `belongs` to the part's size in bytes.
    fn prefix(&self, index: usize, belongs: impl Fn(u64, u64) -> bool) -> Option<Prefix> {
        let node = &self.node(index);
        let before = self.tree.nodes().take(index).rev();
        let siblings = before.take_while(|other| other.depth >= node.depth);
        let numbers = siblings.filter(|other| {
            other.depth == node.depth && self.is_leaf(other.index) && [8, 16, 32, 64].contains(&size(other))
        });
        numbers
            .flat_map(|before| self.readings(self.places[before.index].start))
            .find(|number| belongs(number.value, size(node) / 8))
    }

    /// A piece as a number in either byte order.
    fn readings(&self, piece: usize) -> [Prefix; 2] {
        let bytes = self.pieces[piece].bytes();
        let little = bytes.iter().rev().fold(0, |number, byte| number << 8 | u64::from(*byte));
        let big = bytes.iter().fold(0, |number, byte| number << 8 | u64::from(*byte));
        [(little, false), (big, true)].map(|(value, big_endian)| Prefix { piece, value, big_endian })
    }

    fn node(&self, index: usize) -> Node<'t> {
        self.tree.node(index).unwrap()
    }

    fn nodes(&self, which: impl Fn(usize, &Node<'_>) -> bool) -> Vec<(usize, Node<'t>)> {
        self.tree.nodes().enumerate().filter(|(index, node)| which(*index, node)).collect()
    }

    fn is_leaf(&self, index: usize) -> bool {
        self.children(index).next().is_none()
    }

    fn children(&self, index: usize) -> impl Iterator<Item = Node<'t>> + use<'t> {
        self.tree.children(Some(&self.node(index)))
    }

    fn parent(&self, index: usize) -> Option<usize> {
        let depth = self.node(index).depth;
        self.tree.nodes().take(index).rposition(|node| node.depth < depth)
    }
}

impl Prefix {
    /// Writes the number with `change` added.
    fn write(&self, pieces: &mut [Piece], change: i64) {
        let number = self.value.wrapping_add_signed(change);
        let width = pieces[self.piece].bits.len() / 8;
        let bytes = if self.big_endian {
            number.to_be_bytes()[8 - width..].to_vec()
        } else {
            number.to_le_bytes()[..width].to_vec()
        };
        pieces[self.piece] = Piece::of_bytes(&bytes);
    }
}

fn is_item(_: usize, node: &Node) -> bool {
    matches!(node.label, Segment::Index(_))
}

/// In bits.
fn size(node: &Node) -> u64 {
    node.range.end.bits() - node.range.start.bits()
}
