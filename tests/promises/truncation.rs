//! Promise: input that ends too early is noticed wherever it ends, and never asks for more than is missing.

use crate::support;

#[test]
fn every_fixture_cut_at_every_byte() {
    support::fixtures().iter().for_each(|blob| support::truncation(&blob.bytes));
}
