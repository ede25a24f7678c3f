//! The exit status.

use std::fmt;
use std::io;
use std::process::ExitCode;

use enginewire::DecodeError;

/// The exit status of a run. With several files, the highest of their statuses counts.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
#[repr(u8)]
pub enum Status {
    Fine = 0,
    /// Not canonical, where that was asked for.
    Differs = 1,
    Usage = 2,
    /// Something cannot be read or written.
    Io = 3,
    Malformed = 4,
    Truncated = 5,
    /// A file to change was changed by another program after it was read.
    ChangedMeanwhile = 6,
    /// There is no such instance, value or key in the file.
    NotFound = 7,
}

/// Why something is not done.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Refusal {
    pub status: Status,
    /// The reason, and what helps.
    pub message: String,
    /// The lines and files that it is about.
    pub places: Vec<String>,
}

impl Refusal {
    /// The same at this place: a file, or a line of it.
    #[must_use]
    pub fn at(mut self, place: impl fmt::Display) -> Self {
        self.places.push(place.to_string());
        self
    }

    /// The same with this status, if its own is lower.
    #[must_use]
    pub fn at_least(self, status: Status) -> Self {
        Refusal { status: self.status.max(status), ..self }
    }

    /// The same of the value with this address.
    #[must_use]
    pub fn inside(self, address: impl fmt::Display) -> Self {
        Refusal { message: format!("{}, in {address}", self.message), ..self }
    }

    /// The same with what helps.
    #[must_use]
    pub fn hint(mut self, hint: &str) -> Self {
        self.message.push_str(hint);
        self
    }
}

impl fmt::Display for Refusal {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.message)?;
        self.places.iter().try_for_each(|place| write!(f, "\n  --> {place}"))
    }
}

/// Results whose errors get places.
pub trait Placed {
    /// The same, a refusal [at this place](Refusal::at).
    #[must_use]
    fn at(self, place: impl fmt::Display) -> Self;
}

impl<T> Placed for Result<T, Refusal> {
    fn at(self, place: impl fmt::Display) -> Self {
        self.map_err(|refusal| refusal.at(place))
    }
}

/// Refuses what is asked, if it is so.
pub fn refuse_if(is_so: bool, reason: &str) -> Result<(), Refusal> {
    (!is_so).then_some(()).ok_or_else(|| usage(reason))
}

/// That the command cannot be done as asked.
pub fn usage(message: impl Into<String>) -> Refusal {
    Status::Usage.because(message)
}

/// Why the work on a file, or the command, ends.
#[derive(Debug)]
pub enum Failure {
    /// Standard output cannot be written to.
    Output(io::Error),
    Refused(Refusal),
}

impl From<io::Error> for Failure {
    fn from(error: io::Error) -> Self {
        Failure::Output(error)
    }
}

impl From<serde_json::Error> for Failure {
    fn from(error: serde_json::Error) -> Self {
        Failure::Output(error.into())
    }
}

impl From<Refusal> for Failure {
    fn from(refusal: Refusal) -> Self {
        Failure::Refused(refusal)
    }
}

/// The highest status of what was done.
pub type Done = Result<Status, Failure>;

impl Status {
    /// A refusal with this status.
    pub fn because(self, message: impl Into<String>) -> Refusal {
        Refusal { status: self, message: message.into(), places: Vec::new() }
    }

    /// The number.
    #[allow(clippy::as_conversions)] // the numbers are the point of the enum
    pub fn code(self) -> u8 {
        self as u8
    }
}

impl From<Status> for ExitCode {
    fn from(status: Status) -> Self {
        ExitCode::from(status.code())
    }
}

impl From<&DecodeError> for Status {
    fn from(error: &DecodeError) -> Self {
        if error.is_truncated() {
            Status::Truncated
        } else {
            Status::Malformed
        }
    }
}
