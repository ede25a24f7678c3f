//! Values that borrow from the input: texts, and lists that keep their bytes.

pub(crate) mod byte_string;
pub(crate) mod convert;
pub(crate) mod owned;
pub(crate) mod value_vec;
