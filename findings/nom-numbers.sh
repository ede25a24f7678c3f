#!/usr/bin/env bash
# nom 8.0.0 (crates.io), parsers of numbers in text, complete and with a sign.
#
# Guess: `double` reads what Rust writes and reads as an f64, so that a number that it reads also has a negative one. The parsers of
# integers take the same signs. What is no word of its own, such as "information", is an error.
#
# Seen: `double` and `float` read inf, infinity and nan, in any case, and refuse -inf, +inf and -nan, which Rust and many formats write. Of a
# longer word they take the beginning: "information" is infinity, with "ormation" left, so that `alt` with numbers before names
# reads names as numbers. `recognize_float` refuses all of these. `i64` reads +5, `u64` refuses it. 1e400 is infinity, without an error.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
cargo init --quiet --vcs none --name probe
cargo add --quiet nom@=8.0.0
cat >src/main.rs <<'RUST'
use nom::branch::alt;
use nom::character::complete::{alpha1, i64, u64};
use nom::combinator::map;
use nom::error::Error;
use nom::number::complete::{double, recognize_float};
use nom::{IResult, Parser};

#[derive(Debug, PartialEq)]
enum Value<'t> {
    Number(f64),
    Name(&'t str),
}

fn value(text: &str) -> IResult<&str, Value<'_>> {
    alt((map(double, Value::Number), map(alpha1, Value::Name))).parse(text)
}

fn main() {
    let number = |text| double::<_, Error<&str>>(text).ok();
    for text in ["inf", "INF", "infinity", "nan", "-0", "+1.", ".5"] {
        let (rest, read) = number(text).unwrap();
        let same: f64 = text.parse().unwrap();
        assert!(rest.is_empty() && (read == same || read.is_nan() && same.is_nan()), "{text}");
        println!("double reads {text:?} as {read}");
    }
    for text in ["-inf", "+inf", "-infinity", "-nan"] {
        assert!(number(text).is_none() && text.parse::<f64>().is_ok());
        println!("double refuses {text:?}, which Rust reads");
    }
    assert_eq!(number("1e400"), Some(("", f64::INFINITY)));
    assert!(recognize_float::<_, Error<&str>>("inf").is_err());
    for (text, rest) in [("information", "ormation"), ("nano", "o")] {
        let (left, read) = value(text).unwrap();
        assert!(matches!(read, Value::Number(number) if !number.is_finite()) && left == rest);
        println!("a number or a name: {text:?} is {read:?}, with {rest:?} left");
    }
    assert_eq!(value("name").unwrap(), ("", Value::Name("name")));
    assert_eq!(i64::<_, Error<&str>>("+5"), Ok(("", 5)));
    assert!(u64::<_, Error<&str>>("+5").is_err());
    println!("\"+5\" is an i64 and no u64");
}
RUST
cargo run --quiet
