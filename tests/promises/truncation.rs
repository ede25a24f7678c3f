//! Promise: input that ends too early is noticed wherever it ends, and never asks for more than is missing.

use crate::support::{fixtures, FORMATS};

#[test]
fn every_fixture_cut_at_every_byte() {
    for format in FORMATS {
        fixtures(format.name).iter().for_each(|blob| (format.truncation)(&blob.bytes));
    }
}
