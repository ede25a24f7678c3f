//! The exit status.

use std::process::ExitCode;

use enginewire::DecodeError;

/// How it went. Of several files the highest counts.
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
}

impl From<Status> for ExitCode {
    #[allow(clippy::as_conversions)] // the numbers are the point of the enum
    fn from(status: Status) -> Self {
        ExitCode::from(status as u8)
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
