//! Which format input has, and the framing that the command line asks for.

use enginewire::formats::{by_name, formats, AnyFormat, Dynamic, FormatOptions};
use enginewire::godot::Framing;
use enginewire::roblox::attributes::AttributesFormat;
use enginewire::roblox::model::FileKind;

/// The format of bytes whose format cannot be detected.
static DEFAULT: &dyn AnyFormat = &Dynamic(AttributesFormat);

/// How many bytes are needed to detect the format.
pub const HEAD: usize = FileKind::HEAD;

/// The format with this name, else the one detected from the first bytes, else the default.
pub fn chosen(name: Option<&str>, head: &[u8]) -> &'static dyn AnyFormat {
    let has_magic = |format: &&dyn AnyFormat| !format.magic().is_empty() && head.starts_with(format.magic());
    let detected = || formats().iter().copied().find(has_magic);
    name.and_then(by_name).or_else(detected).unwrap_or(DEFAULT)
}

/// The length before each value, if there is one and the format takes it.
pub fn framing(format: &dyn AnyFormat, options: &FormatOptions) -> Option<Framing> {
    format.options().iter().any(|row| row.name == "framing").then(|| Framing::given(options)).flatten()
}

/// The names of all formats.
pub fn names() -> String {
    formats().iter().map(|format| format.name()).collect::<Vec<_>>().join(", ")
}
