//! Files: reading them within a limit, and replacing them safely.

pub mod atomic_write;
pub mod destination;
pub mod folder;
pub mod keep;
pub mod read;
pub mod signals;
pub mod temporary;
pub mod walk;
