//! The stack that a level of nesting takes, in each of the two ways to nest.

use std::cell::Cell;

use bstr::BStr;
use enginewire::wire::Source;
use enginewire::{godot, roblox::attributes, Offset};
use nom::Parser;

thread_local! {
    /// The lowest address at which a source was read from.
    static LOWEST: Cell<usize> = const { Cell::new(usize::MAX) };
}

/// Bytes that note where the stack is when they are read.
#[derive(Clone, Debug)]
struct Sounding<'a>(&'a [u8]);

impl<'a> Source for Sounding<'a> {
    type Bytes = &'a BStr;

    fn remaining(&self) -> usize {
        self.0.remaining()
    }

    fn offset_from(&self, start: &Self) -> Offset {
        self.0.offset_from(&start.0)
    }

    #[inline(never)]
    fn chunk<const N: usize>(&self) -> Option<([u8; N], Self)> {
        let here = 0_u8;
        LOWEST.set(LOWEST.get().min(std::ptr::from_ref(&here) as usize));
        self.0.chunk().map(|(bytes, rest)| (bytes, Sounding(rest)))
    }

    fn bytes(&self, count: usize) -> Option<(&'a BStr, Self)> {
        Source::bytes(&self.0, count).map(|(bytes, rest)| (bytes, Sounding(rest)))
    }

    fn part(&self, length: usize) -> Option<(Self, Self)> {
        self.0.part(length).map(|(part, rest)| (Sounding(part), Sounding(rest)))
    }
}

/// The bytes of stack that `parser` takes for each level more of `level`, which is an array of one item.
fn per_level<'a, P: Parser<Sounding<'a>>>(mut parser: P, level: &[u8], innermost: &[u8]) -> usize {
    let mut lowest = |levels: usize| {
        let bytes: &'static [u8] = Vec::leak([&level.repeat(levels), innermost].concat());
        LOWEST.set(usize::MAX);
        assert!(parser.parse_complete(Sounding(bytes)).is_ok());
        LOWEST.get()
    };
    let (few, many) = (lowest(20), lowest(120));
    (few - many) / 100
}

/// The highest depth takes at most three quarters of the 2 MiB of a thread: 128 levels of `nested`, 1024 levels of Godot.
/// `cargo test vocabulary::stack -- --nocapture` shows how much a level takes.
#[test]
#[allow(clippy::print_stdout)] // for whoever asks with --nocapture
fn a_level_takes_little_stack() {
    let nested = per_level(attributes::value::<_, ()>(attributes::Nesting::default()), &[7, 1, 0, 0, 0], &[3, 1]);
    let options = godot::Options::new(godot::Version::V4);
    let recursive = per_level(godot::variant::<_, ()>(options), &[28, 0, 0, 0, 1, 0, 0, 0], &[0; 4]);
    println!("bytes of stack for a level: nested {nested}, recursive {recursive}");
    assert!(nested < (3 << 19) / 128, "{nested}");
    assert!(recursive < (3 << 19) / 1024, "{recursive}");
}
