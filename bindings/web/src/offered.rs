//! The formats, with the methods that are used here: a table of `AnyFormat` would keep all methods of every format in the module.

use enginewire::formats::{
    AnyFormat, DecodeJsonError, Detectable, EditError, FormatOptions, JsonForm, JsonWriter, OptionRow, TypeRow, RESYNC,
};
#[cfg(feature = "godot_files")]
use enginewire::godot::resource::ResourceFormat;
#[cfg(feature = "godot")]
use enginewire::godot::GodotFormat;
#[cfg(feature = "attributes")]
use enginewire::roblox::attributes::AttributesFormat;
#[cfg(feature = "remote")]
use enginewire::roblox::remote::RemoteFormat;
#[cfg(feature = "scrap_mechanic")]
use enginewire::scrap_mechanic::lua_object::LuaObjectFormat;
use enginewire::wire::Tree;
use enginewire::DecodeError;

/// The formats of this module, each with its number.
pub(crate) static FORMATS: &[(usize, &dyn Offered)] = &[
    #[cfg(feature = "attributes")]
    (0, &AttributesFormat),
    #[cfg(feature = "remote")]
    (1, &RemoteFormat),
    #[cfg(feature = "scrap_mechanic")]
    (2, LUA_OBJECT),
    #[cfg(feature = "godot")]
    (3, &GodotFormat::<3>),
    #[cfg(feature = "godot")]
    (4, &GodotFormat::<4>),
    #[cfg(feature = "godot_files")]
    (5, &ResourceFormat),
];

/// The format of the objects in blueprints.
#[cfg(feature = "scrap_mechanic")]
pub(crate) static LUA_OBJECT: &dyn Offered = &LuaObjectFormat;

/// The options of a format that have an effect here. Nothing here continues after a broken value, and not every module opens
/// encrypted files.
pub(crate) fn heeded(format: &dyn Offered) -> impl Iterator<Item = &'static OptionRow> {
    let is_heeded = |name| name != RESYNC.name && (cfg!(feature = "godot_files") || !OF_FILES.contains(&name));
    format.options().iter().filter(move |option| is_heeded(option.name))
}

/// The options of encrypted files.
const OF_FILES: [&str; 3] = ["password", "key", "magic"];

/// Declares methods that are those of `AnyFormat`.
macro_rules! offered {
    ($(fn $method:ident(&self $(, $argument:ident: $type:ty)*) $(-> $result:ty)?;)*) => {
        /// A format. Its methods are those of `AnyFormat`.
        pub(crate) trait Offered: Detectable {
            $(fn $method(&self $(, $argument: $type)*) $(-> $result)?;)*
        }

        impl<F: AnyFormat> Offered for F {
            $(fn $method(&self $(, $argument: $type)*) $(-> $result)? {
                AnyFormat::$method(self $(, $argument)*)
            })*
        }
    };
}

offered! {
    fn about(&self) -> &'static str;
    fn found_in(&self) -> &'static str;
    fn notation_name(&self) -> &'static str;
    fn forms(&self) -> &'static [JsonForm];
    fn types(&self) -> Vec<TypeRow>;
    fn inspect(&self, bytes: &[u8], options: &FormatOptions) -> Tree;
    fn decode_json(&self, bytes: &[u8], options: &FormatOptions, out: &mut JsonWriter<'_>) -> Result<(), DecodeJsonError>;
    fn decode_notation(&self, bytes: &[u8], options: &FormatOptions) -> Result<String, DecodeError>;
    fn encode_notation(&self, text: &str, options: &FormatOptions) -> Result<Vec<u8>, EditError>;
    fn encode_form(
        &self,
        form: JsonForm,
        document: &[u8],
        like: Option<&[u8]>,
        options: &FormatOptions
    ) -> Result<Vec<u8>, EditError>;
}
