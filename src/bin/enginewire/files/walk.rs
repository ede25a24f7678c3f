//! Walking folders: which files in them are read.

use std::path::PathBuf;

use enginewire::scan::{Shard, Walk};

use crate::exit_status::{Refusal, Status};
use crate::output::name::shown;

/// What is read in folders that is not read by default.
#[derive(Clone, Copy, Debug, Default, clap::Args)]
pub struct WalkArgs {
    /// In folders: also read hidden files and folders, whose names begin with a dot
    #[arg(long)]
    pub hidden: bool,

    /// In folders: also read what .gitignore, .ignore and the other rules named below exclude
    #[arg(long)]
    pub no_ignore: bool,
}

impl WalkArgs {
    /// Of all files, or of those of a shard.
    pub fn of(self, shard: Option<Shard>) -> Walk {
        Walk { hidden: self.hidden, no_ignore: self.no_ignore, shard }
    }
}

/// `I/N`
pub fn shard(text: &str) -> Result<Shard, String> {
    let numbers = text.split_once('/').and_then(|(number, of)| Some((number.parse().ok()?, of.parse().ok()?)));
    numbers
        .map(|(number, of)| Shard { number, of })
        .filter(|Shard { number, of }| (1..=*of).contains(number))
        .ok_or_else(|| "expected I/N, such as 1/8".to_owned())
}

/// The message for a path that cannot be read.
pub fn refused((path, reason): (PathBuf, String)) -> (PathBuf, Refusal) {
    let message = format!("cannot read {}: {reason}", shown(&path));
    (path, (Status::Io, message))
}
