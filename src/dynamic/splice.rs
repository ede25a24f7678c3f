//! Changes of values that are not written as their generator writes them.
//!
//! Such a value has three forms: its own bytes, and the bytes that the generator writes before and after the change. A field that
//! the generator writes the same twice keeps its own bytes, and every other gets the new ones. The trees of the three forms show the
//! fields that belong together.

use std::ops::Range;

use crate::error::Segment;
use crate::number::{to_u64, to_usize};
use crate::stack::growing;
use crate::wire::{Node, Tree};

/// Bytes, and what they are.
pub(super) struct Form<'f> {
    bytes: &'f [u8],
    tree: &'f Tree,
}

/// A node with those in it, or bits between nodes.
#[derive(Clone)]
struct Part {
    /// In bits.
    range: Range<u64>,
    /// The nodes in it.
    inside: Range<usize>,
    depth: usize,
}

impl<'f> Form<'f> {
    /// The form of these bytes; `None` if the tree of them is not whole.
    pub(super) fn new(bytes: &'f [u8], tree: &'f Tree) -> Option<Self> {
        let is_whole = tree.limit().is_none() && tree.error().is_none();
        is_whole.then_some(Form { bytes, tree })
    }

    fn whole(&self) -> Part {
        Part { range: 0..to_u64(self.bytes.len()).saturating_mul(8), inside: 0..self.tree.nodes().len(), depth: 0 }
    }

    /// The parts of a part, in order and without a gap; none if it is one field.
    fn parts(&self, part: &Part) -> Vec<Part> {
        let (mut parts, mut at) = (Vec::new(), part.range.start);
        let between = |range: Range<u64>| Part { range, inside: 0..0, depth: 0 };
        let mut next = part.inside.start;
        while let Some(node) = self.tree.node(next).filter(|_| next < part.inside.end) {
            let first = next.saturating_add(1);
            next = first.saturating_add(self.tree.within(&node).len());
            let range = node.range.start.bits()..node.range.end.bits();
            if at < range.start {
                parts.push(between(at..range.start));
            }
            at = range.end;
            parts.push(Part { range, inside: first..next, depth: part.depth.saturating_add(1) });
        }
        if !parts.is_empty() && at < part.range.end {
            parts.push(between(at..part.range.end));
        }
        parts
    }

    /// The node that a part is.
    fn node(&self, part: &Part) -> Option<Node<'f>> {
        part.inside.start.checked_sub(1).filter(|_| part.depth > 0).and_then(|number| self.tree.node(number))
    }

    /// The name of a part, which of values of different types differs.
    fn label(&self, part: &Part) -> Option<Segment> {
        self.node(part).map(|node| node.label)
    }

    /// The key of an item of a map.
    fn key(&self, part: &Part) -> Option<&'f str> {
        self.node(part)?.key
    }

    /// Bits, if they are whole bytes.
    fn bytes(&self, range: &Range<u64>) -> Option<&'f [u8]> {
        let [start, end] = [range.start, range.end].map(|bit| (bit & 7 == 0).then(|| to_usize(bit.wrapping_shr(3))));
        self.bytes.get(start?..end?)
    }

    fn bits(&self, range: &Range<u64>) -> impl Iterator<Item = bool> + 'f {
        let bytes = self.bytes;
        range.clone().map(move |bit| {
            let byte = bytes.get(to_usize(bit.wrapping_shr(3))).copied().unwrap_or_default();
            byte & 0x80_u8.wrapping_shr(u32::try_from(bit & 7).unwrap_or_default()) != 0
        })
    }
}

/// True if two parts have the same bits.
fn same((one, part): (&Form<'_>, &Part), (other, like): (&Form<'_>, &Part)) -> bool {
    match (one.bytes(&part.range), other.bytes(&like.range)) {
        (Some(bytes), Some(others)) => bytes == others,
        _ => one.bits(&part.range).eq(other.bits(&like.range)),
    }
}

/// The bytes of a value after a change. The forms are: its bytes, and what the generator writes for it before and after. `None` if
/// the parts that belong together are not certain.
pub(super) fn spliced(forms: [&Form<'_>; 3]) -> Option<Vec<u8>> {
    let mut splice = Splice { forms, bytes: Vec::new(), bits: 0 };
    splice.merge(forms.map(Form::whole)).then_some(splice.bytes)
}

struct Splice<'s, 'f> {
    forms: [&'s Form<'f>; 3],
    bytes: Vec<u8>,
    /// The number of bits written.
    bits: u64,
}

impl Splice<'_, '_> {
    fn push(&mut self, form: &Form<'_>, part: &Part) {
        if let (Some(bytes), 0) = (form.bytes(&part.range), self.bits & 7) {
            self.bytes.extend_from_slice(bytes);
            self.bits = self.bits.saturating_add(to_u64(bytes.len()).saturating_mul(8));
            return;
        }
        for bit in form.bits(&part.range) {
            let place = u32::try_from(self.bits & 7).unwrap_or_default();
            if place == 0 {
                self.bytes.push(0);
            }
            if let Some(last) = self.bytes.last_mut().filter(|_| bit) {
                *last |= 0x80_u8.wrapping_shr(place);
            }
            self.bits = self.bits.saturating_add(1);
        }
    }

    /// Writes a part, as it is or changed. Returns false if that is not certain.
    fn merge(&mut self, [old, before, after]: [Part; 3]) -> bool {
        let [own, of_before, of_after] = self.forms;
        if same((of_before, &before), (of_after, &after)) {
            self.push(own, &old);
            return true;
        }
        let parts = [own.parts(&old), of_before.parts(&before), of_after.parts(&after)];
        // a value and its type, or nothing to be kept
        let is_flat = parts[0].iter().all(|part| part.inside.is_empty());
        let is_other = of_before.label(&before) != of_after.label(&after);
        if is_flat || is_other || same((own, &old), (of_before, &before)) {
            self.push(of_after, &after);
            return true;
        }
        growing(|| self.merge_parts(parts))
    }

    fn merge_parts(&mut self, [old, before, after]: [Vec<Part>; 3]) -> bool {
        let [own, of_before, of_after] = self.forms;
        if old.len() != before.len() {
            return false;
        }
        let is_same = |(one, other): &(&Part, &Part)| same((of_before, one), (of_after, other));
        let first = before.iter().zip(&after).take_while(is_same).count();
        let most = before.len().min(after.len()).saturating_sub(first);
        let last = before.iter().rev().zip(after.iter().rev()).take(most).take_while(is_same).count();
        let middle = |parts: &[Part]| {
            parts.get(first..parts.len().saturating_sub(last)).map(<[Part]>::to_vec).unwrap_or_default()
        };
        let [kept, left, new] = [middle(&old), middle(&before), middle(&after)];
        old.iter().take(first).for_each(|part| self.push(own, part));
        // none was added or removed, but keys may have changed
        let is_in_place = |(one, other): (&Part, &Part)| {
            let key = of_after.key(other);
            of_before.key(one) == key || left.iter().all(|part| key.is_none() || of_before.key(part) != key)
        };
        let is_certain = match left.len() == new.len() && left.iter().zip(&new).all(is_in_place) {
            true => kept.into_iter().zip(left).zip(new).all(|((old, before), after)| self.merge([old, before, after])),
            false => self.merge_items([kept, left, new]),
        };
        old.iter().skip(old.len().saturating_sub(last)).for_each(|part| self.push(own, part));
        is_certain
    }

    /// Writes items. Some were added or removed. Those of a map belong together by their keys.
    fn merge_items(&mut self, [kept, left, new]: [Vec<Part>; 3]) -> bool {
        let [own, of_before, of_after] = self.forms;
        let has_keys = left.iter().all(|part| of_before.key(part).is_some());
        let is_canonical = || kept.iter().zip(&left).all(|(one, other)| same((own, one), (of_before, other)));
        // added, removed, or both where nothing is to be kept
        let mut is_certain = has_keys || new.is_empty() || is_canonical();
        // their order is the same
        let mut next = 0;
        for part in new {
            let is_it = |before: &Part| of_after.key(&part).is_some_and(|key| of_before.key(before) == Some(key));
            let place = left.iter().skip(next).position(is_it).map(|place| next.saturating_add(place));
            match place.and_then(|place| Some((place, kept.get(place)?.clone(), left.get(place)?.clone()))) {
                Some((place, old, before)) => {
                    next = place.saturating_add(1);
                    is_certain &= self.merge([old, before, part]);
                }
                None => self.push(of_after, &part),
            }
        }
        is_certain
    }
}
