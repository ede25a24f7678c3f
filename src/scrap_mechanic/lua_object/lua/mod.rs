//! Values in Lua.
//!
//! A number or table without the name of a type has the type that the game would give it: `5` is an `Int8`, `0.5` a
//! `Number`, `{1, 2}` an array. Any other has its type around it: `Int32(5)`, `Pairs({[1] = true})`.

mod forms;
mod leaf;
mod read;
mod write;

use std::marker::PhantomData;

use super::object::LuaObject;
use super::options::Options;
use super::save_data::{LuaSaveData, LuaSaveDataType};
use crate::limits::Limited;
use crate::notation::{read_nested, write_nested, written};
use crate::TextError;
use read::LuaNotation;
use write::Writer;

impl<'a> LuaSaveData<'a> {
    /// The value in Lua, in one line, without its own type: [`from_lua`](Self::from_lua) with the type returns the same
    /// value, bit for bit. `docs/notation.md` lists the form of each type.
    ///
    /// ```
    /// use enginewire::scrap_mechanic::lua_object::{LuaSaveData, LuaSaveDataType, Table};
    ///
    /// assert_eq!(LuaSaveData::Int32(5).to_lua(), "5");
    /// assert_eq!(LuaSaveData::from_lua("5", Some(LuaSaveDataType::Int32))?, LuaSaveData::Int32(5));
    ///
    /// let table = Table::from_entries([("mode".into(), LuaSaveData::Int32(2)), ("on".into(), true.into())]);
    /// assert_eq!(LuaSaveData::from(table.clone()).to_lua(), "{mode = Int32(2), on = true}");
    /// assert_eq!(LuaSaveData::from_lua("{mode = Int32(2), on = true}", None)?, table.into());
    /// # Ok::<(), enginewire::TextError>(())
    /// ```
    #[must_use]
    pub fn to_lua(&self) -> String {
        written(|out| write_nested(&Writer(PhantomData), self, false, out))
    }

    /// Writes the notation that `Debug` uses in trees and paths.
    pub(crate) fn write_notation(&self, out: &mut dyn std::fmt::Write) -> std::fmt::Result {
        write_nested(&Writer(PhantomData), self, false, out)
    }

    /// The value in Lua, with its type if the text does not show it: [`from_lua`](Self::from_lua) without a type returns
    /// the same value, bit for bit.
    ///
    /// ```
    /// use enginewire::scrap_mechanic::lua_object::LuaSaveData;
    ///
    /// assert_eq!(LuaSaveData::Int8(5).to_typed_lua(), "5");
    /// assert_eq!(LuaSaveData::Int32(5).to_typed_lua(), "Int32(5)");
    /// ```
    #[must_use]
    pub fn to_typed_lua(&self) -> String {
        written(|out| write_nested(&Writer(PhantomData), self, true, out))
    }

    /// Reads a value of this type, or without one a value of the type that the game would give it: see
    /// [`number`](Self::number) and [`Table::from_entries`](super::Table::from_entries).
    ///
    /// # Errors
    ///
    /// If the text is not such a value. The error contains the place, the expected and the found text, and an example of
    /// the type.
    pub fn from_lua(text: &str, type_id: Option<LuaSaveDataType>) -> Result<LuaSaveData<'static>, TextError> {
        LuaSaveData::from_lua_with(text, type_id, &Options::new())
    }

    /// The same, with the [depth](Options::limits) of these options.
    ///
    /// # Errors
    ///
    /// As for [`from_lua`](Self::from_lua).
    pub fn from_lua_with(
        text: &str,
        type_id: Option<LuaSaveDataType>,
        options: &Options,
    ) -> Result<LuaSaveData<'static>, TextError> {
        read_nested(&LuaNotation, text, type_id, Limited::limits(options).depth())
    }
}

impl LuaObject<'_> {
    /// The value of the object in Lua, with its type where the text does not show it.
    #[must_use]
    pub fn to_lua(&self) -> String {
        self.data.to_typed_lua()
    }

    /// Reads what [`to_lua`](Self::to_lua) writes.
    ///
    /// # Errors
    ///
    /// As for [`LuaSaveData::from_lua`].
    pub fn from_lua(text: &str) -> Result<LuaObject<'static>, TextError> {
        LuaSaveData::from_lua(text, None).map(LuaObject::new)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::scrap_mechanic::lua_object::{Color, Table, Userdata};
    use pretty_assertions::assert_eq;

    #[test]
    fn a_color_is_written_with_digits_too() {
        let color = |text: &str| LuaSaveData::from_lua(&format!("sm.color.new(\"{text}\")"), None);
        let expected = Color { r: 1.0, g: 0.0, b: 0.2, a: 1.0 };
        for text in ["ff0033", "#ff0033", "FF0033ff"] {
            assert_eq!(color(text), Ok(LuaSaveData::Userdata(Userdata::Color(expected))), "{text}");
        }
    }

    #[test]
    fn types_are_written_where_the_text_does_not_show_them() {
        for (value, text) in [
            (LuaSaveData::Int8(5), "5"),
            (LuaSaveData::Int32(5), "Int32(5)"),
            (LuaSaveData::Number(0.5), "0.5"),
            (LuaSaveData::Double(0.1), "0.1"),
            (LuaSaveData::Double(0.5), "Double(0.5)"),
            (LuaSaveData::Table(Table::Array { offset: 1, elements: [].into() }), "Array(1, {})"),
        ] {
            assert_eq!(value.to_typed_lua(), text);
            assert_eq!(LuaSaveData::from_lua(text, None), Ok(value));
        }
        assert_eq!(LuaObject::from_lua("true"), Ok(LuaObject::new(true)));
    }
}
