//! Formats of Scrap Mechanic.

#[cfg(feature = "blueprints")]
#[cfg_attr(docsrs, doc(cfg(feature = "blueprints")))]
pub mod blueprint;
#[cfg(all(feature = "json", any(feature = "blueprints", feature = "saves")))]
mod container_file;
pub mod lua_object;
#[cfg(any(feature = "blueprints", feature = "save_rows"))]
mod packed;
#[cfg(feature = "saves")]
#[cfg_attr(docsrs, doc(cfg(feature = "saves")))]
pub mod save;
#[cfg(feature = "save_rows")]
#[cfg_attr(docsrs, doc(cfg(feature = "save_rows")))]
pub mod save_row;

#[cfg(any(feature = "blueprints", feature = "save_rows"))]
#[cfg_attr(docsrs, doc(cfg(any(feature = "blueprints", feature = "save_rows"))))]
pub use packed::{pack, unpack, UnpackError, MAX_UNPACKED};
