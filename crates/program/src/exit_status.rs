//! The exit status.

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

/// The exit status and the message of an error.
pub type Refusal = (Status, String);

/// That the command cannot be done as asked.
pub fn usage(message: impl Into<String>) -> Refusal {
    (Status::Usage, message.into())
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
