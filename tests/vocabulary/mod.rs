//! The promises of the combinators to parsers that are built with them. They are separate from the other promises,
//! because this test compiles every way to run a parser.

mod larger_parsers;
mod own_format;
mod runs;
mod stack;
