//! Formats of Scrap Mechanic.

#[cfg(feature = "blueprints")]
#[cfg_attr(docsrs, doc(cfg(feature = "blueprints")))]
pub mod blueprint;
#[cfg(all(feature = "json", any(feature = "blueprints", feature = "saves")))]
mod container_file;
pub mod lua_object;
#[cfg(any(feature = "blueprints", feature = "saves"))]
mod packed;
#[cfg(feature = "saves")]
#[cfg_attr(docsrs, doc(cfg(feature = "saves")))]
pub mod save;

#[cfg(any(feature = "blueprints", feature = "saves"))]
#[cfg_attr(docsrs, doc(cfg(any(feature = "blueprints", feature = "saves"))))]
pub use packed::{pack, unpack, UnpackError, MAX_UNPACKED};
