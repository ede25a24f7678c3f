//! Structures of up to four numbers, which most structures of engines are. They are written without memory of their own.

use super::look::{Number, Numbers};
use super::plain::Neutral;

/// Up to four numbers of one type.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Row {
    numbers: Numbers,
    count: usize,
    /// The names of the numbers; `None` in a list.
    names: Option<[&'static str; 4]>,
}

impl Default for Row {
    fn default() -> Self {
        Row { numbers: Numbers::Single([0.0; 4]), count: 0, names: None }
    }
}

impl Row {
    /// Adds a number with its name. Returns false if it has another type than the others, or does not fit.
    #[inline]
    pub(crate) fn push_named(&mut self, name: &'static str, number: Number) -> bool {
        if let Some(place) = self.names.get_or_insert_default().get_mut(self.count) {
            *place = name;
        }
        self.push(number)
    }

    /// Adds a number.
    #[inline]
    pub(crate) fn push(&mut self, number: Number) -> bool {
        let index = self.count;
        if index == 0 {
            self.numbers = match number {
                Number::Single(_) => Numbers::Single([0.0; 4]),
                Number::Double(_) => Numbers::Double([0.0; 4]),
                Number::Int(_) => Numbers::Int([0; 4]),
            };
        }
        let is_pushed = match (&mut self.numbers, number) {
            (Numbers::Single(numbers), Number::Single(number)) => set(numbers, index, Some(number)),
            (Numbers::Double(numbers), Number::Double(number)) => set(numbers, index, Some(number)),
            (Numbers::Int(numbers), Number::Int(number)) => set(numbers, index, i32::try_from(number).ok()),
            _ => false,
        };
        self.count = index.saturating_add(is_pushed.into());
        is_pushed
    }

    /// The numbers, if they are these members, in this order.
    #[inline]
    pub(crate) fn of<const L: usize>(&self, names: [&str; L]) -> Option<Numbers> {
        let is_named = match &self.names {
            Some(found) => names.iter().zip(found).all(|(name, found)| name == found),
            None => true,
        };
        (self.count == L && is_named).then_some(self.numbers)
    }

    /// The same of numbers of 32 bits.
    pub(crate) fn singles<const L: usize>(&self, names: [&str; L]) -> Option<[f32; 4]> {
        match self.of(names)? {
            Numbers::Single(numbers) => Some(numbers),
            _ => None,
        }
    }

    /// The numbers with their names.
    pub(crate) fn members(&self) -> impl Iterator<Item = (&'static str, Neutral<'static>)> {
        let numbers = match self.numbers {
            Numbers::Single(numbers) => numbers.map(Neutral::Single),
            Numbers::Double(numbers) => numbers.map(Neutral::Double),
            Numbers::Int(numbers) => numbers.map(|number| Neutral::Int(number.into())),
        };
        self.names.unwrap_or_default().into_iter().zip(numbers).take(self.count)
    }
}

/// Sets a number of a row. Returns false if the number or its place is missing.
#[inline]
fn set<N>(numbers: &mut [N; 4], index: usize, number: Option<N>) -> bool {
    match (numbers.get_mut(index), number) {
        (Some(place), Some(number)) => {
            *place = number;
            true
        }
        _ => false,
    }
}
