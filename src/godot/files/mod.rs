//! Files, streams and texts that hold values.

#[cfg(feature = "json")]
mod base64;
#[cfg(feature = "interop")]
mod codec;
#[cfg(feature = "json")]
mod container_file;
pub mod debugger;
mod frame;
pub mod project;
#[cfg(feature = "json")]
mod values_file;

#[cfg(feature = "json")]
pub use base64::{from_base64, to_base64, Base64Error};
#[cfg(feature = "interop")]
pub use codec::FrameCodec;
#[cfg(feature = "json")]
pub use container_file::{FramedFile, FramedReader, SettingsFile};
pub use frame::{encode_frame, frame, write_frame, FrameDecoder, Frames, Framing};
#[cfg(feature = "json")]
pub use values_file::ValuesFile;

use super::{decode_with, encode_with};
