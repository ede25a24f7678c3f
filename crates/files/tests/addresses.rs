//! The properties of addresses, which the fuzz target `addresses` tries too.

use proptest::collection::vec;
use proptest::prelude::*;

use crate::tested::addresses::hold;

proptest! {
    #[test]
    fn any_names(entropy in vec(any::<u8>(), 0..200)) {
        hold(&entropy);
    }
}
