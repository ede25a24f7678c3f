//! Formats of Scrap Mechanic.

#[cfg(feature = "files")]
pub mod blueprint;
#[cfg(feature = "files")]
mod container_file;
pub mod lua_object;
#[cfg(feature = "files")]
mod packed;
#[cfg(feature = "saves")]
pub mod save;
#[cfg(feature = "files")]
pub mod save_row;

#[cfg(feature = "files")]
pub use packed::{pack, unpack, UnpackError, MAX_UNPACKED};
