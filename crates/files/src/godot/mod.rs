//! Files, streams and texts of Godot that hold values.

pub mod compressed;
mod config;
pub mod debugger;
pub mod encrypted;
mod fastlz;
mod framed_file;
mod layers;
pub mod multiplayer;
mod pack;
pub mod project;
mod scene_file;
mod script;
mod settings_file;
mod text_resource;
mod uid_cache;
mod values_file;

pub use config::{is_config, ConfigFile};
pub use framed_file::{FramedFile, FramedReader};
pub use layers::Layers;
pub use pack::{
    gen_pack_directory, gen_pack_entry, gen_pack_header, pack_directory, pack_entry, pack_header, safe_path, Extracted,
    PackEntry, PackFile, PackHeader, PACK_MAGIC,
};
pub use scene_file::SceneFile;
pub(crate) use script::is_script;
pub use script::ScriptFile;
pub use settings_file::SettingsFile;
pub use text_resource::{is_text_resource, resource_to_text, text_to_resource, ConvertedResource, TextResource};
pub(crate) use uid_cache::is_uid_cache;
pub use uid_cache::UidCache;
pub use values_file::ValuesFile;

use enginewire::godot::{decode_with, encode_with};
