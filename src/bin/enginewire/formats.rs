//! Which format input has, and the framing that the command line asks for.

use std::ops::ControlFlow;

use enginewire::containers::Container;
use enginewire::formats::{by_name, detect, detect_one, formats, AnyFormat, FormatOptions};
use enginewire::godot::Framing;
use enginewire::roblox::model::FileKind;

use crate::commands::guess;
use crate::exit_status::Status;
use crate::input::containers::{error_text, status};
use crate::settings::Settings;

/// How many bytes are needed to detect the format.
pub const HEAD: usize = FileKind::HEAD;

/// The format that was asked for, else the one detected from the first bytes.
///
/// # Errors
///
/// That the format was not recognised, with those that it may have.
pub fn chosen(settings: &Settings, head: &[u8]) -> Result<&'static dyn AnyFormat, (Status, String)> {
    let asked = settings.format.as_deref().and_then(by_name);
    asked.or_else(|| detect_one(head)).ok_or_else(|| unrecognised(head))
}

/// The format of the values of a container: the one that was asked for, else the only one that they all have.
pub fn of_values(
    names: &[&'static str],
    container: &dyn Container,
    settings: &Settings,
) -> Result<&'static dyn AnyFormat, (Status, String)> {
    if let Some(format) = settings.format.as_deref().and_then(by_name) {
        return Ok(format);
    }
    let known: Vec<_> = names.iter().copied().filter_map(by_name).collect();
    let mut possible = known.clone();
    let mut end = Ok(());
    if possible.len() > 1 {
        end = container.values(&mut |value| {
            if let Ok(bytes) = &value.bytes {
                possible.retain(|format| format.check(bytes, &settings.formats).is_ok());
            }
            if possible.is_empty() {
                ControlFlow::Break(())
            } else {
                ControlFlow::Continue(())
            }
        });
    }
    let options = |formats: &[&dyn AnyFormat]| {
        formats.iter().map(|format| format!("-f {}", format.name())).collect::<Vec<_>>().join(" or ")
    };
    match (&possible[..], end) {
        // what else is wrong with the container is told by the command
        ([format], _) => Ok(*format),
        (several, Err(error)) => {
            let advice = format!("for what is before, pass {}", options(several));
            Err((status(&error), format!("{}; {advice}", error_text(&error))))
        }
        ([], _) => {
            Err((Status::Malformed, format!("not all values are valid in one format: pass {}", options(&known))))
        }
        (several, _) => {
            Err((Status::Usage, format!("the values are valid in several formats: pass {}", options(several))))
        }
    }
}

/// Why no format is chosen for bytes, and what the user can do.
fn unrecognised(head: &[u8]) -> (Status, String) {
    if head.is_empty() {
        return (Status::Malformed, "the file is empty, which does not tell its format: pass -f NAME".to_owned());
    }
    let found: Vec<_> = detect(head).into_iter().map(|(format, _)| format!("-f {}", format.name())).collect();
    match &found[..] {
        [] => {
            let about = guess::about(head).map(|about| format!(" ({about})")).unwrap_or_default();
            (Status::Malformed, format!("the format is not recognised{about}: pass -f NAME, or try `enginewire guess`"))
        }
        found => (Status::Usage, format!("the bytes are valid in several formats: pass {}", found.join(" or "))),
    }
}

/// The length before each value, if there is one and the format that was asked for takes it.
pub fn framing_of(settings: &Settings) -> Option<Framing> {
    match settings.format.as_deref().and_then(by_name) {
        Some(format) => framing(format, &settings.formats),
        None => Framing::given(&settings.formats),
    }
}

/// The length before each value, if there is one and the format takes it.
pub fn framing(format: &dyn AnyFormat, options: &FormatOptions) -> Option<Framing> {
    format.options().iter().any(|row| row.name == "framing").then(|| Framing::given(options)).flatten()
}

/// The names of all formats.
pub fn names() -> String {
    formats().iter().map(|format| format.name()).collect::<Vec<_>>().join(", ")
}
