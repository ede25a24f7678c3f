//! ADDRESS: the values that the command line or a line names.

use std::fmt;

use enginewire_files::address::{Address, Component, Index, Pattern, Syntax};

use crate::exit_status::{usage, Refusal};

/// An address, a pattern, or a text that is an address without its quotes.
#[derive(Clone, Debug)]
pub struct Wanted {
    text: String,
    pattern: Option<Pattern>,
}

impl Wanted {
    /// Reads a text as a kind of file writes its addresses.
    ///
    /// # Errors
    ///
    /// If the text cannot be a name either: its quote does not end, for example.
    pub fn parse(syntax: Syntax, text: &str) -> Result<Self, Refusal> {
        let pattern = match Pattern::parse(syntax, text) {
            Ok(pattern) => Some(pattern),
            Err(error) if error.is_certain() => return Err(usage(error.to_string())),
            Err(_) => None,
        };
        Ok(Wanted { text: text.to_owned(), pattern })
    }

    /// The same where such a text may also be meant for something else.
    pub fn perhaps(syntax: Syntax, text: &str) -> Self {
        Wanted { text: text.to_owned(), pattern: Pattern::parse(syntax, text).ok() }
    }

    /// The pattern that was read; `None` if the text lacks quotes.
    pub fn pattern(&self) -> Option<&Pattern> {
        self.pattern.as_ref()
    }

    /// The one address that it is; `None` for a pattern and for a text that lacks quotes.
    pub fn address(&self) -> Option<Address> {
        self.pattern.as_ref()?.address()
    }

    /// True if it is the address of an instance, and no property of it.
    pub fn has_no_property(&self) -> bool {
        self.pattern.as_ref().is_some_and(|pattern| pattern.property().is_none())
    }

    /// True if it may fit several values.
    pub fn is_pattern(&self) -> bool {
        self.pattern.as_ref().is_some_and(|pattern| pattern.address().is_none())
    }

    /// True if it is the whole address of a value: all columns of a row, or its number in this file.
    pub fn is_exactly(&self, address: &Address) -> bool {
        let is_number = |component: &Component| matches!(component.index(), Some(Index::Number(_)));
        let is_whole = |wanted: Address| {
            wanted == address.clone().as_written() || wanted.components().last().is_some_and(is_number)
        };
        !self.is_pattern() && self.fits(address) && self.address().is_none_or(is_whole)
    }

    /// True if it names a value.
    pub fn fits(&self, address: &Address) -> bool {
        match &self.pattern {
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
