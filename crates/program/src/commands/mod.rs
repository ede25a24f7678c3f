//! The commands: each has its arguments, `Args`, and does its work in `run`.

pub mod check;
pub mod completions;
pub mod convert;
pub mod copy;
pub mod decode;
pub mod diff;
pub mod edit;
pub mod encode;
pub mod get;
pub mod get_many;
pub mod guess;
pub mod help;
pub mod inspect;
pub mod ls;
pub mod man;
pub mod set;
