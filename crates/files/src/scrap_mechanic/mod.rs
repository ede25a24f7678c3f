//! Files of Scrap Mechanic that hold values.

pub mod blueprint;
mod blueprint_file;
mod packed;
#[cfg(feature = "saves")]
pub mod save;
#[cfg(feature = "saves")]
mod save_file;
pub mod save_row;

pub use packed::{pack, unpack, UnpackError, MAX_UNPACKED};
