//! Files of Scrap Mechanic that hold values.

pub mod blueprint;
mod container_file;
mod packed;
#[cfg(feature = "saves")]
pub mod save;
pub mod save_row;

pub use packed::{pack, unpack, UnpackError, MAX_UNPACKED};
