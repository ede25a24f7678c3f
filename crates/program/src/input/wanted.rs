//! ADDRESS: the values that the command line or a line names.

use std::fmt;

use enginewire_files::address::{Address, AddressError, Component, Index, Pattern, Syntax};

use crate::exit_status::{usage, Refusal};

/// An address, a pattern, or a text that is an address without its quotes.
#[derive(Clone, Debug)]
pub struct Wanted {
    text: String,
    read: Result<Pattern, AddressError>,
}

impl Wanted {
    /// Reads a text as a kind of file writes its addresses.
    ///
    /// # Errors
    ///
    /// If the text cannot be a name either: its quote does not end, for example.
    pub fn parse(syntax: Syntax, text: &str) -> Result<Self, Refusal> {
        let wanted = Self::perhaps(syntax, text);
        match &wanted.read {
            Err(error) if error.is_certain() => Err(usage(error.to_string())),
            _ => Ok(wanted),
        }
    }

    /// The same where such a text may also be meant for something else.
    pub fn perhaps(syntax: Syntax, text: &str) -> Self {
        Wanted { text: text.to_owned(), read: Pattern::parse(syntax, text) }
    }

    /// The pattern that was read; `None` if the text lacks quotes.
    pub fn pattern(&self) -> Option<&Pattern> {
        self.read.as_ref().ok()
    }

    /// Why the text is not an address as it stands.
    pub fn error(&self) -> Option<&AddressError> {
        self.read.as_ref().err()
    }

    /// The one address that it is; `None` for a pattern and for a text that lacks quotes.
    pub fn address(&self) -> Option<Address> {
        self.pattern()?.address()
    }

    /// True if it is the address of an instance, and no property of it.
    pub fn has_no_property(&self) -> bool {
        self.pattern().is_some_and(|pattern| pattern.property().is_none())
    }

    /// True if it may fit several values.
    pub fn is_pattern(&self) -> bool {
        self.pattern().is_some_and(|pattern| pattern.address().is_none())
    }

    /// True if it is the whole address of a value: all columns of a row, or its number in this file.
    pub fn is_exactly(&self, address: &Address) -> bool {
        let is_number = |component: &Component| matches!(component.index(), Some(Index::Number(_)));
        let is_whole = |wanted: Address| wanted == *address || wanted.components().last().is_some_and(is_number);
        !self.is_pattern() && self.fits(address) && self.address().is_none_or(is_whole)
    }

    /// True if it names a value.
    pub fn fits(&self, address: &Address) -> bool {
        match self.pattern() {
            Some(pattern) => pattern.fits(address),
            None => address.is_unquoted(&self.text),
        }
    }
}

impl fmt::Display for Wanted {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.text)
    }
}
