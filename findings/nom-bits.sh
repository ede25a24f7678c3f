#!/usr/bin/env bash
# nom 8.0.0 (crates.io), parsers of bits from input that comes in pieces, and of numbers in text.
#
# Guess: `Needed::Size` is the number of missing bytes in every streaming parser, so that a reader can wait for exactly these. A
# number that is not one is an `Error`, after which `alt` tries the next parser.
#
# Seen: `be_u32` and `bytes::take` say what is missing. `bits::take(20)` says 20, the bits it wants and not those that are missing, and
# `bits()` turns its number into whole bytes and one more: for 16 bits, of which 8 are there, it asks for 3 bytes where 1 is missing. A
# reader that waits for them waits for bytes that do not belong to the value, at the end of a stream for ever. `complete::double` of
# "1e" is a `Failure`, so that `alt` does not try a name after it.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
cargo init --quiet --vcs none --name probe
cargo add --quiet nom@=8.0.0
cat >src/main.rs <<'RUST'
use nom::branch::alt;
use nom::character::complete::alphanumeric1;
use nom::combinator::{map, recognize};
use nom::error::Error;
use nom::{Err, IResult, Needed, Parser};

type Bits<'b> = (&'b [u8], usize);

fn needed<I, O>(result: IResult<I, O>) -> usize {
    match result {
        Err(Err::Incomplete(Needed::Size(size))) => size.get(),
        _ => panic!("the input is too short"),
    }
}

fn main() {
    let one = &[1u8][..];
    let number = nom::number::streaming::be_u32::<_, Error<&[u8]>>;
    let mut bytes = nom::bytes::streaming::take::<_, _, Error<&[u8]>>(4usize);
    assert_eq!((needed(number(one)), needed(bytes(one))), (3, 3));
    println!("of 4 bytes with 1 there: 3 needed");

    let bits = nom::bits::streaming::take::<_, u32, _, Error<Bits>>(20usize);
    assert_eq!((needed(bits((one, 0))), needed(bits((one, 4)))), (20, 20));
    println!("of 20 bits with 8 or 4 there: 20 needed");
    let whole = |count: usize| {
        let parser = nom::bits::streaming::take::<_, u32, _, Error<Bits>>(count);
        needed(nom::bits::bits::<_, u32, _, Error<&[u8]>, _>(parser)(one))
    };
    assert_eq!([whole(9), whole(16), whole(24)], [2, 3, 4]);
    println!("of 9, 16 and 24 bits in bytes with 1 there: 2, 3 and 4 needed, and 1, 1 and 2 are missing");

    let text = |text: &'static str| {
        let number = recognize(map(nom::number::complete::double::<_, Error<&str>>, drop));
        alt((number, alphanumeric1)).parse(text)
    };
    assert_eq!(text("1x").unwrap(), ("x", "1"));
    assert_eq!(text("e1").unwrap(), ("", "e1"));
    assert!(matches!(text("1e"), Err(Err::Failure(_))));
    println!("\"1e\" as a number or a word: a failure");
}
RUST
cargo run --quiet
