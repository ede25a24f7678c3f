//! Which format input has, and the framing that the command line asks for.

use std::ops::ControlFlow;

use enginewire::containers::{Container, ContainerKind};
use enginewire::formats::{by_name, detect, detect_one, formats, AnyFormat, FormatOptions};
use enginewire::godot::{FramedFile, Framing};
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
    // the values of a stream come without their lengths
    let options = settings.formats.clone();
    let options = options.set("framing", "none").unwrap_or_else(|_| settings.formats.clone());
    if possible.len() > 1 {
        end = container.values(&mut |value| {
            if let Ok(bytes) = &value.bytes {
                possible.retain(|format| format.check(bytes, &options).is_ok());
            }
            if possible.is_empty() {
                ControlFlow::Break(())
            } else {
                ControlFlow::Continue(())
            }
        });
    }
    let named = |formats: &[&dyn AnyFormat]| {
        formats.iter().map(|format| format!("-f {}", format.name())).collect::<Vec<_>>().join(" or ")
    };
    match (&possible[..], end) {
        // what else is wrong with the container is told by the command
        ([format], _) => Ok(*format),
        (several, Err(error)) => {
            let advice = format!("for what is before, pass {}", named(several));
            Err((status(&error), format!("{}; {advice}", error_text(&error))))
        }
        ([], _) => Err((Status::Malformed, format!("not all values are valid in one format: pass {}", named(&known)))),
        (several, _) => {
            Err((Status::Usage, format!("the values are valid in several formats: pass {}", named(several))))
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
            if let Some(mut framed) = framed(head) {
                // a large file goes on behind its head
                framed.is_whole &= head.len() < HEAD;
                return (Status::Malformed, framed.advice());
            }
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

/// The format that was asked for and the length before each value, if there is one: values can be read one by one then.
pub fn of_stream(settings: &Settings) -> Option<(&'static dyn AnyFormat, Framing)> {
    let format = settings.format.as_deref().and_then(by_name)?;
    framing(format, &settings.formats).map(|framing| (format, framing))
}

/// What a file is whose values have their lengths before them.
pub struct Framed {
    pub framing: Framing,
    /// The formats in which its values are valid.
    pub formats: Vec<&'static dyn AnyFormat>,
    /// How many values are valid, from the first on.
    pub count: usize,
    /// Whether these are all.
    pub is_whole: bool,
}

/// Detects values with their lengths: all of the file is valid, or more than one from the first on.
pub fn framed(file: &[u8]) -> Option<Framed> {
    let framed = [Framing::LittleEndian, Framing::BigEndian].map(|framing| {
        let known = ContainerKind::Frames(framing).formats().iter().copied().filter_map(by_name);
        let (mut formats, mut count, mut is_whole): (Vec<_>, _, _) = (known.collect(), 0usize, true);
        let frames = FramedFile::new(file, framing);
        let end = frames.values(&mut |value| {
            let is_valid = |format: &&dyn AnyFormat| {
                value.bytes.as_ref().is_ok_and(|bytes| format.check(bytes, &FormatOptions::new()).is_ok())
            };
            let valid: Vec<_> = formats.iter().copied().filter(is_valid).collect();
            is_whole = !valid.is_empty();
            if !is_whole {
                return ControlFlow::Break(());
            }
            (formats, count) = (valid, count.saturating_add(1));
            ControlFlow::Continue(())
        });
        Framed { framing, formats, count, is_whole: is_whole && end.is_ok() }
    });
    framed.into_iter().filter(|framed| framed.count > usize::from(!framed.is_whole)).max_by_key(|framed| framed.count)
}

impl Framed {
    /// What the file consists of: "5 values with their lengths".
    pub fn content(&self) -> String {
        let (what, more) = match self.count {
            1 => ("value with its length", ""),
            _ => ("values with their lengths", if self.is_whole { "" } else { ", and more" }),
        };
        format!("{} {what}{more}", self.count)
    }

    /// What the file is, and the options with which it can be read.
    pub fn advice(&self) -> String {
        let formats: Vec<_> = self.formats.iter().map(|format| format!("-f {}", format.name())).collect();
        let (framing, formats) = (self.framing.name(), formats.join(" or "));
        format!("the file is a stream of {}: pass --framing {framing} and {formats}", self.content())
    }
}

/// Why a file is not valid as a single value, with the options for what it is instead.
pub fn with_advice(report: String, file: &[u8]) -> String {
    match framed(file) {
        Some(framed) => format!("{}\n  {}", report.trim_end(), framed.advice()),
        None => report,
    }
}

/// The names of all formats.
pub fn names() -> String {
    formats().iter().map(|format| format.name()).collect::<Vec<_>>().join(", ")
}
