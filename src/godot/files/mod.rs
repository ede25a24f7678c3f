//! Files, streams and texts that hold values.

#[cfg(feature = "json")]
mod base64;
#[cfg(feature = "interop")]
mod codec;
#[cfg(feature = "files")]
pub mod compressed;
#[cfg(feature = "json")]
mod config;
#[cfg(feature = "json")]
mod container_file;
pub mod debugger;
#[cfg(feature = "files")]
pub mod encrypted;
#[cfg(feature = "files")]
mod fastlz;
mod frame;
#[cfg(feature = "files")]
mod layers;
#[cfg(feature = "json")]
pub mod multiplayer;
#[cfg(feature = "files")]
mod pack;
pub mod project;
#[cfg(feature = "files")]
mod script;
#[cfg(feature = "json")]
mod values_file;

#[cfg(feature = "json")]
pub use base64::{from_base64, to_base64, Base64Error};
#[cfg(feature = "interop")]
pub use codec::FrameCodec;
#[cfg(feature = "json")]
pub use config::{is_config, ConfigFile};
#[cfg(feature = "json")]
pub use container_file::{FramedFile, FramedReader, SettingsFile};
pub use frame::{encode_frame, frame, write_frame, FrameDecoder, Frames, Framing};
#[cfg(feature = "files")]
pub use layers::Layers;
#[cfg(feature = "files")]
pub use pack::{
    gen_pack_directory, gen_pack_entry, gen_pack_header, pack_directory, pack_entry, pack_header, safe_path, PackEntry,
    PackFile, PackHeader, PACK_MAGIC,
};
#[cfg(feature = "files")]
pub(crate) use script::is_script;
#[cfg(feature = "files")]
pub use script::ScriptFile;
#[cfg(feature = "json")]
pub use values_file::ValuesFile;

use super::{decode_with, encode_with};
