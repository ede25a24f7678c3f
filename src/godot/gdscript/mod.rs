//! Values in GDScript, in the form written by `var_to_str`, in one line. `docs/notation.md` lists the form of each type.

mod arguments;
mod container;
mod dialect;
mod node_path;
mod real;
mod saved;
mod types;

use super::options::Options;
use super::v4::TypeId;
use super::variant::Variant;
use super::version::Version;
use super::versioned::Versioned;
use crate::limits::Limited;
use crate::notation::{read_nested, write_nested, written};
use crate::TextError;
pub(crate) use container::write_type;
use container::{Reader, Writer};
pub use saved::Saved;

impl<'a> Variant<'a> {
    /// The value in the GDScript of a version, in one line. [`from_gdscript`](Self::from_gdscript) gives the same value, bit for bit, if
    /// the version has it.
    ///
    /// ```
    /// use enginewire::godot::{Dictionary, Options, Variant, Version};
    ///
    /// let value = Variant::from(Dictionary::new([("hp".into(), 7.into()), ("name".into(), "Ada".into())]));
    /// assert_eq!(value.to_gdscript(Version::V4), r#"{ "hp": 7, "name": "Ada" }"#);
    /// assert_eq!(Variant::from_gdscript(r#"{ "hp": 7, "name": "Ada" }"#, None, &Options::new(Version::V4))?, value);
    /// # Ok::<(), enginewire::TextError>(())
    /// ```
    #[must_use]
    pub fn to_gdscript(&self, version: Version) -> String {
        written(|out| write_nested(&Writer::new(version), self, false, out))
    }

    /// Writes the notation that `Debug` uses in trees and paths: the types have their names of version 4.
    pub(crate) fn write_notation(&self, out: &mut dyn std::fmt::Write) -> std::fmt::Result {
        write_nested(&Writer::new(Version::V4), self, false, out)
    }

    /// Reads a value of this type, or of any type if it is `None`, in the version that the options name. A whole number is
    /// read as a float if that is the type.
    ///
    /// ```
    /// use enginewire::godot::{v4::TypeId, Options, Variant, Version};
    ///
    /// let options = Options::new(Version::V4);
    /// assert_eq!(Variant::from_gdscript("17", None, &options)?, Variant::Int(17));
    /// assert_eq!(Variant::from_gdscript("17", Some(TypeId::float), &options)?, Variant::Float(17.0));
    /// let error = Variant::from_gdscript("17", Some(TypeId::Vector2), &options).unwrap_err();
    /// assert_eq!(error.to_string(), "expected a Vector2 such as Vector2(1, 2), found 17");
    /// # Ok::<(), enginewire::TextError>(())
    /// ```
    ///
    /// # Errors
    ///
    /// If the text is not such a value. The error contains the place, the expected and the found text, and an example of
    /// the type.
    pub fn from_gdscript(
        text: &str,
        type_id: Option<TypeId>,
        options: &Options,
    ) -> Result<Variant<'static>, TextError> {
        let depth = Limited::limits(options).depth();
        read_nested(&Reader { version: options.version() }, text, type_id, depth)
    }
}

/// Reads a value of version 4 that lies in at most `depth` containers.
pub(super) fn read_within(text: &str, depth: u16) -> Result<Variant<'static>, TextError> {
    read_nested(&Reader { version: Version::V4 }, text, None, depth)
}

impl Versioned<'_> {
    /// The value in the GDScript of its version.
    #[must_use]
    pub fn to_gdscript(&self) -> String {
        self.value.to_gdscript(self.version)
    }
}
