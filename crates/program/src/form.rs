//! The JSON form that the command line asks for.

use clap::ValueEnum;
use enginewire::formats::{AnyFormat, JsonForm};

/// The JSON form of values.
#[derive(Clone, Copy, Debug, Default, clap::Args)]
pub struct Form {
    /// Form of the JSON: exact, plain or rojo [default: exact]
    #[arg(long = "as", value_name = "FORM", conflicts_with = "plain", hide_possible_values = true)]
    form: Option<FormName>,

    /// Short for --as plain
    #[arg(long)]
    plain: bool,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
#[value(rename_all = "lower")]
enum FormName {
    Exact,
    Plain,
    Rojo,
}

impl Form {
    /// The form that is asked for.
    pub fn form(self) -> JsonForm {
        match self.form {
            _ if self.plain => JsonForm::Plain,
            Some(FormName::Plain) => JsonForm::Plain,
            Some(FormName::Rojo) => JsonForm::Rojo,
            Some(FormName::Exact) | None => JsonForm::Exact,
        }
    }

    /// Why values of a format cannot be in this form.
    pub fn refusal(self, format: &dyn AnyFormat) -> Option<String> {
        let forms: Vec<_> = format.forms().iter().map(|form| form.name()).collect();
        let name = self.form().name();
        (!forms.contains(&name))
            .then(|| format!("{} has no form {name}; expected {}", format.name(), forms.join(" or ")))
    }
}
