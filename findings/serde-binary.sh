#!/usr/bin/env bash
# ciborium 0.2.2 and rmp-serde 1.3.1 (crates.io, CBOR and MessagePack for serde), beside postcard 1.2.0 and bincode 1.3.3, on values of Rust.
#
# Guess: a value comes back as it was, as the types are known on both sides. A whole number is read where a float is asked for, as
# serde_json reads it, since writers in JavaScript write 2.0 as the integer 2. A number too large for an f32 is an error.
#
# Seen: Some(None) and Some(()) are written as null by the first two, and come back as None; ciborium does it to Some of a unit struct too.
# postcard and bincode keep all three. ciborium refuses the integer 2 as an f64, "expected float", and rmp-serde reads it. Both
# read 1e300 as an f32 that is infinite. All four ignore bytes after the value.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
cargo init --quiet --vcs none --name probe
cargo add --quiet ciborium@=0.2.2 rmp-serde@=1.3.1 bincode@=1.3.3
cargo add --quiet postcard@=1.2.0 --features alloc
cargo add --quiet serde@1 --features derive
cat >src/main.rs <<'RUST'
use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};

#[derive(Serialize, Deserialize, PartialEq)]
struct Unit;

fn cbor<T: Serialize>(value: &T) -> Vec<u8> {
    let mut bytes = Vec::new();
    ciborium::into_writer(value, &mut bytes).unwrap();
    bytes
}

/// True for each of ciborium, rmp-serde, postcard and bincode that gives the value back.
fn kept<T: Serialize + DeserializeOwned + PartialEq>(value: &T) -> [bool; 4] {
    [
        ciborium::from_reader::<T, _>(&cbor(value)[..]).unwrap() == *value,
        rmp_serde::from_slice::<T>(&rmp_serde::to_vec(value).unwrap()).unwrap() == *value,
        postcard::from_bytes::<T>(&postcard::to_allocvec(value).unwrap()).unwrap() == *value,
        bincode::deserialize::<T>(&bincode::serialize(value).unwrap()).unwrap() == *value,
    ]
}

fn show<T: std::fmt::Debug + PartialEq>(name: &str, found: T, expected: T) {
    assert_eq!(found, expected, "{name}");
    println!("{name}: {found:?}");
}

fn main() {
    println!("kept by ciborium, rmp-serde, postcard, bincode");
    show("Some(5)", kept(&Some(Some(5_u8))), [true; 4]);
    show("Some(None)", kept(&Some(None::<u8>)), [false, false, true, true]);
    show("Some(())", kept(&Some(())), [false, false, true, true]);
    show("Some(Unit)", kept(&Some(Unit)), [false, true, true, true]);

    let error = ciborium::from_reader::<f64, _>(&[2][..]).unwrap_err().to_string();
    assert!(error.contains("expected float"), "{error}");
    println!("ciborium, 2 as an f64: {error}");
    show("rmp-serde, 2 as an f64", rmp_serde::from_slice::<f64>(&[2]).unwrap(), 2.0);
    show("ciborium, 1e300 as an f32", ciborium::from_reader(&cbor(&1e300)[..]).unwrap(), f32::INFINITY);
    show("rmp-serde, 1e300 as an f32", rmp_serde::from_slice(&rmp_serde::to_vec(&1e300).unwrap()).unwrap(), f32::INFINITY);

    let bytes = [1, 2];
    let read = [
        ciborium::from_reader::<u8, _>(&bytes[..]).unwrap(),
        rmp_serde::from_slice::<u8>(&bytes).unwrap(),
        postcard::from_bytes::<u8>(&bytes).unwrap(),
        bincode::deserialize::<u8>(&bytes).unwrap(),
    ];
    show("1 with a byte after it", read, [1; 4]);
}
RUST
cargo run --quiet
