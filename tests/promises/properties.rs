//! Every promise for random bytes and values, for every format. The fuzz targets run the same properties for any
//! duration.

use std::fs;
use std::path::Path;

use proptest::collection::vec;
use proptest::prelude::*;

use crate::support::random::Random;
use crate::support::{files, folder, FORMATS};

proptest! {
    #[test]
    fn any_bytes(bytes in vec(any::<u8>(), 0..64)) {
        FORMATS.iter().for_each(|format| format.hold_all(&bytes));
    }

    #[test]
    fn any_value(entropy in vec(any::<u8>(), 0..600)) {
        for format in FORMATS {
            format.hold_all(&(format.sample)(&entropy));
            format.hold_all(&entropy);
        }
    }

    /// Bytes that are nearly right reach further.
    #[test]
    fn nearly_right_bytes(entropy in vec(any::<u8>(), 0..600), seed in any::<u64>(), changes in 1..6) {
        let mut random = Random::new(seed);
        for format in FORMATS {
            let bytes = (0..changes).fold((format.sample)(&entropy), |bytes, _| (format.mutate)(&bytes, &mut random));
            format.hold_all(&bytes);
        }
    }
}

/// The fixtures of each format, the bad ones too, and what once broke a property.
#[test]
fn bytes_in_files() {
    for format in FORMATS {
        let crashes = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/crashes").join(format.name);
        let fixtures = folder(format.name);
        let mut count = 0;
        for folder in [&fixtures, &fixtures.join("bad"), &crashes].into_iter().filter(|folder| folder.is_dir()) {
            for extension in ["bin", "json"] {
                for file in files(folder, extension) {
                    format.hold_all(&fs::read(&file).unwrap());
                    count += 1;
                }
            }
        }
        assert!(count >= 10, "{} has only {count} files", format.name);
    }
}

/// A change keeps most of what there is: else it would reach no further than bytes at random.
#[test]
fn mutations_are_often_valid() {
    for format in FORMATS {
        let valid = |bytes: &[u8]| (format.is_valid)(bytes);
        let samples: Vec<Vec<u8>> = (0..200).map(|seed| (format.sample)(&entropy(seed))).collect();
        let samples: Vec<&Vec<u8>> = samples.iter().filter(|sample| sample.len() > 20).collect();
        assert!(samples.len() > 100 && samples.iter().all(|sample| valid(sample)));
        let mut random = Random::new(1);
        let mutated: Vec<Vec<u8>> = samples.iter().map(|sample| (format.mutate)(sample, &mut random)).collect();
        let good = mutated.iter().filter(|bytes| valid(bytes)).count();
        assert!((mutated.len() / 3..mutated.len()).contains(&good), "{good} of {} are valid", mutated.len());
        assert!(
            mutated.iter().zip(&samples).filter(|(mutated, sample)| mutated != *sample).count() > samples.len() / 2
        );
    }
}

fn entropy(seed: u64) -> Vec<u8> {
    let mut random = Random::new(seed);
    (0..400).map(|_| random.next() as u8).collect()
}
