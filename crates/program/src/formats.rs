//! Format detection, and the framing that the command line asks for.

use std::cmp::Reverse;
use std::ops::ControlFlow;

use enginewire::formats::{by_name, detect, detect_one, formats, AnyFormat, Confidence, Detectable, FormatOptions};
use enginewire::godot::Framing;
use enginewire::signature::Signature;
use enginewire::Fault;
use enginewire_files::containers::Container;
use enginewire_files::guess::{self, certain, framed, instead, Guess, Kind};
use enginewire_files::roblox::model::FileKind;

use crate::exit_status::{usage, Refusal, Status};
use crate::output::console::print_remark_once;
use crate::output::name::Name;
use crate::settings::Settings;

/// The number of bytes needed to detect the format.
pub const HEAD: usize = FileKind::HEAD;

/// The format that was asked for, else the one detected from all bytes.
///
/// # Errors
///
/// That the format was not recognised, with those that it may have.
pub fn chosen(settings: &Settings, file: &[u8]) -> Result<&'static dyn AnyFormat, Refusal> {
    let asked = settings.format.as_deref().and_then(by_name);
    asked.or_else(|| detect_one(file)).or_else(|| allowed(file, settings)).ok_or_else(|| {
        // without the given options except the memory limit, so that the error names the options that help
        unrecognised(&guess::guess(
            file,
            &FormatOptions::new().set("max_memory", settings.memory()).unwrap_or_default(),
        ))
    })
}

/// The possible format whose value takes the most of the bytes, which must be valid with the given options. `None` if two values
/// are as long.
fn allowed(file: &[u8], settings: &Settings) -> Option<&'static dyn AnyFormat> {
    let possible = detect(file).into_iter().filter(|(_, found)| found.confidence == Confidence::Possible);
    let valid = possible.map(|(format, _)| format).filter(|format| format.check(file, &settings.formats).is_ok());
    let strict = settings.formats.clone().set("trailing_bytes", false).unwrap_or_default();
    let length = |format: &'static dyn AnyFormat| match format.check(file, &strict) {
        Err(error) if *error.fault() == Fault::Trailing => error.offset().byte(),
        _ => u64::MAX,
    };
    let mut valid: Vec<_> = valid.map(|format| (length(format), format)).collect();
    valid.sort_by_key(|(length, _)| Reverse(*length));
    match &valid[..] {
        [(length, _), (other, _), ..] if length == other => None,
        valid => valid.first().map(|(_, format)| *format),
    }
}

/// The format that was asked for, or else the one detected from the first bytes of a longer file. Detection succeeds if they are
/// valid so far in only one format.
///
/// # Errors
///
/// That the format was not recognised, with those that it may have.
pub fn chosen_by_head(settings: &Settings, head: &[u8]) -> Result<&'static dyn AnyFormat, Refusal> {
    if let Some(format) = settings.format.as_deref().and_then(by_name).or_else(|| detect_one(head)) {
        return Ok(format);
    }
    if let Some(found) = certain(head) {
        return Err(unrecognised(&[found]));
    }
    // of a small file these are all bytes
    if let Some(format) = allowed(head, settings).filter(|_| head.len() < HEAD) {
        return Ok(format);
    }
    let is_valid = |format: &&'static dyn AnyFormat| {
        format.check(head, &settings.formats).map_or_else(|error| error.is_truncated(), |_| true)
    };
    let valid: Vec<_> = detect(head).into_iter().map(|(format, _)| format).filter(is_valid).collect();
    match &valid[..] {
        [format] => Ok(*format),
        [] => Err(unrecognised(&guess::guess(head, &settings.formats))),
        several => Err(usage(format!("the bytes are valid in several formats: pass {}", named(several)))),
    }
}

/// `-f godot-3 or -f godot-4`
fn named<F: Detectable + ?Sized>(formats: &[&F]) -> String {
    formats.iter().map(|format| format!("-f {}", format.name())).collect::<Vec<_>>().join(" or ")
}

/// The format for reading the values of a container. If they are valid in several formats and have the same meaning in all of
/// them, it is the last one.
pub fn of_values(
    names: &[&'static str],
    container: &dyn Container,
    settings: &Settings,
) -> Result<&'static dyn AnyFormat, Refusal> {
    let several = match only(names, container, settings) {
        Err(Uncertain { several, .. }) if several.len() > 1 => several,
        result => return result.map_err(|uncertain| uncertain.refusal),
    };
    let options = settings.formats.clone().set("framing", "none").unwrap_or_else(|_| settings.formats.clone());
    let mut is_same = true;
    let listed = container.values(&mut |value| {
        let text = |format: &&'static dyn AnyFormat| format.decode_notation(value.bytes.as_ref().ok()?, &options).ok();
        is_same = several.windows(2).all(|pair| matches!(pair, [one, other] if text(one) == text(other)));
        if is_same {
            ControlFlow::Continue(())
        } else {
            ControlFlow::Break(())
        }
    });
    let last = several.last().copied().filter(|_| is_same && listed.is_ok());
    last.ok_or_else(|| of_several(&several))
}

/// Why none of the formats that values have is chosen.
pub fn of_several(several: &[&'static dyn AnyFormat]) -> Refusal {
    usage(format!("the values are valid in several formats: pass {}", named(several)))
}

/// The formats that the values of a container may have, and why none of them is chosen.
struct Uncertain {
    several: Vec<&'static dyn AnyFormat>,
    refusal: Refusal,
}

/// The format of the values of a container, to change them: the one that was asked for, else the only one that they all have.
/// Values that are the same in two formats may be changed to what differs in them.
pub fn of_changed_values(
    names: &[&'static str],
    container: &dyn Container,
    settings: &Settings,
) -> Result<&'static dyn AnyFormat, Refusal> {
    only(names, container, settings).map_err(|uncertain| uncertain.refusal)
}

/// The formats that values from or for a container may have: the one that its values tell, else the one that was asked for, else
/// all in which its values are valid. Two files may tell different ones.
pub fn of_copied_values(
    names: &[&'static str],
    container: &dyn Container,
    settings: &Settings,
) -> Result<Vec<&'static dyn AnyFormat>, Refusal> {
    let asked = settings.format.as_deref().filter(|asked| names.contains(asked)).and_then(by_name);
    match (only(names, container, &Settings { format: None, ..settings.clone() }), asked) {
        (Ok(told), _) => Ok(vec![told]),
        (Err(_), Some(asked)) => Ok(vec![asked]),
        (Err(Uncertain { several, .. }), None) if !several.is_empty() => Ok(several),
        (Err(Uncertain { refusal, .. }), None) => Err(refusal),
    }
}

fn only(
    names: &[&'static str],
    container: &dyn Container,
    settings: &Settings,
) -> Result<&'static dyn AnyFormat, Uncertain> {
    // a value whose bytes are made as it is read is of the format that they are made in
    let mut made = None;
    if names.len() > 1 {
        // an error is reported when the values are read
        let _ = container.values(&mut |value| {
            made = value.formats.first().filter(|_| value.formats.len() == 1).copied();
            ControlFlow::Break(())
        });
    }
    if let Some(format) = made.or(settings.format.as_deref()).and_then(by_name) {
        return Ok(format);
    }
    // what holds no values of any format is not decoded
    let told = container.format().and_then(by_name).or_else(|| formats().first().copied().filter(|_| names.is_empty()));
    if let Some(format) = told {
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
    let refused = |refusal| Err(Uncertain { several: Vec::new(), refusal });
    match (&possible[..], end) {
        // the command reports anything else that is wrong with the container
        ([format], _) => Ok(*format),
        (several, Err(error)) => {
            let advice = format!("; for what is before, pass {}", named(several));
            refused(Refusal::from(error).hint(&advice))
        }
        ([], _) => refused(
            Status::Malformed.because(format!("not all values are valid in one format: pass {}", named(&known))),
        ),
        (several, _) => Err(Uncertain { refusal: of_several(several), several: possible }),
    }
}

/// Why no format is chosen for bytes that may be these, and what the user can do.
fn unrecognised(found: &[Guess]) -> Refusal {
    let Some(first) = found.first() else {
        let advice = "pass -f NAME, or try `enginewire inspect --guess` or `--search`";
        return Status::Malformed.because(format!("the format is not recognised: {advice}"));
    };
    let is_plain = |guess: &&Guess| matches!(guess.kind, Kind::Value(_)) && options(guess).is_empty();
    let values: Vec<_> = found.iter().filter(is_plain).filter_map(Guess::format).collect();
    Status::Malformed.because(match (first.kind, first.confidence) {
        (Kind::Other(found), _) => format!("the format is not recognised: {}", other(&found)),
        (Kind::Document(format), _) => {
            let name = format.name();
            format!("the file is a JSON document of the format {name}; `enginewire encode` gives its bytes")
        }
        (Kind::Container(kind), _) => {
            format!("the format is not recognised: the file is a container, {}", kind.name())
        }
        (_, Confidence::Possible) if !values.is_empty() => {
            let line = |guess: &Guess| {
                let format = guess.format().map_or(String::new(), |format| format!("-f {} ", format.name()));
                format!("\n  {}: {}", (format + &options(guess)).trim_end(), guess.reason)
            };
            let lines = found.iter().map(line).collect::<String>();
            format!("the format is not certain; likeliest first, pass{lines}")
        }
        (_, Confidence::Possible) => sentence(found, true),
        _ if values.len() > 1 => {
            return usage(format!("the bytes are valid in several formats: pass {}", named(&values)));
        }
        _ => sentence(found, true),
    })
}

/// The description of a file of another kind.
pub fn other(found: &Signature) -> String {
    match found.name {
        "text" => format!("{}; if it encodes bytes, pass --input hex, base64 or literal", found.about),
        _ => found.to_string(),
    }
}

/// The name of a guess: for a format, the name that `-f` takes.
pub fn kind_name(guess: &Guess) -> &'static str {
    match guess.kind {
        Kind::Other(signature) => signature.name,
        Kind::Container(kind) => kind.name(),
        _ => guess.format().map_or("", |format| format.name()),
    }
}

/// The options beside -f that are needed to read a guess: `--framing le`.
pub fn options(guess: &Guess) -> String {
    let mut options = Vec::new();
    if let Kind::Values(kind, _) = guess.kind {
        options.push(match kind {
            enginewire_files::containers::ContainerKind::Frames(framing) => format!("--framing {}", framing.name()),
            enginewire_files::containers::ContainerKind::PacketLines => "--dump --input hex".to_owned(),
            _ => "--dump".to_owned(),
        });
    }
    if guess.offset > 0 {
        options.push(format!("--offset {}", guess.offset));
    }
    options.extend(guess.length.map(|length| format!("--length {length}")));
    options.extend(guess.option.map(|option| {
        let option = match option {
            "unpadded_bytes" => "--allow padding",
            "any_text" => "--allow text",
            "any_padding" => "--allow padding",
            "refs" => "--allow refs",
            "event_ids" => "--event-ids FILE",
            other => other,
        };
        option.to_owned()
    }));
    options.join(" ")
}

/// The reason of a guess, with the options that are needed to read it.
pub fn with_options(guess: &Guess) -> String {
    match (&guess.kind, options(guess)) {
        (_, options) if options.is_empty() => guess.reason.clone(),
        (Kind::Values(..), options) => format!("{options}: {}", guess.reason),
        (_, options) => format!("{}: {options}", guess.reason),
    }
}

/// One sentence about the first guess and others like it, with the options that are needed to read the bytes, and the format if
/// `has_format` is set.
fn sentence(found: &[Guess], has_format: bool) -> String {
    let Some(first) = found.first() else { return String::new() };
    let alike = found.iter().filter(|guess| options(guess) == options(first) && guess.confidence == first.confidence);
    let formats: Vec<_> = alike.filter_map(Guess::format).collect();
    let format = if has_format { named(&formats) } else { String::new() };
    let all = [options(first), format].into_iter().filter(|part| !part.is_empty()).collect::<Vec<_>>();
    let (options, reason) = (all.join(" "), &first.reason);
    let pass = all.join(" and ");
    match (&first.kind, &formats[..]) {
        (Kind::Other(signature), _) => other(signature),
        (Kind::Document(_), _) => "the file is a JSON document; `enginewire encode` gives its bytes".to_owned(),
        (Kind::Container(kind), _) => format!("the file is a container: {}", kind.name()),
        (Kind::Values(..), [one]) if reason.starts_with("1 value with its length") => {
            let rest = reason.trim_start_matches("1 value with its length");
            format!("it is a whole {}, with its length before it{rest}: {options}", value_name(*one))
        }
        (Kind::Values(..), _) if reason.contains("packet") => format!("the file is a dump of {reason}: pass {pass}"),
        (Kind::Values(..), _) if reason.starts_with("1 ") => format!("the file is {reason}: pass {pass}"),
        (Kind::Values(..), _) => format!("the file is a stream of {reason}: pass {pass}"),
        (Kind::Value(_), [one]) if first.option.is_none() && first.offset == 0 && first.length.is_none() => {
            format!("it is a whole {}: {options}", value_name(*one))
        }
        _ => format!("{reason}: {options}"),
    }
}

/// The name of a value of a format, for users.
fn value_name(format: &dyn Detectable) -> &'static str {
    match format.name() {
        "godot-3" => "Godot 3 value",
        "godot-4" => "Godot 4 value",
        "roblox-attributes" => "list of Roblox attributes",
        "roblox-remote" => "Roblox remote packet",
        "scrap-mechanic-lua" => "Scrap Mechanic value",
        other => other,
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
    takes_framing(format).then(|| Framing::given(options)).flatten()
}

fn takes_framing(format: &dyn AnyFormat) -> bool {
    format.options().iter().any(|row| row.name == "framing")
}

/// The format that was asked for and the length before each value, if there is one: values can be read one by one then.
pub fn of_stream(settings: &Settings) -> Option<(&'static dyn AnyFormat, Framing)> {
    let format = settings.format.as_deref().and_then(by_name)?;
    framing(format, &settings.formats).map(|framing| (format, framing))
}

/// True if the command line leaves open whether a file is a stream.
pub fn may_be_stream(settings: &Settings) -> bool {
    let asked = settings.format.as_deref().map(by_name);
    let is_asked = asked.is_none_or(|format| format.is_some_and(takes_framing));
    is_asked && !settings.dump && framing_of(settings).is_none()
}

/// The length before each value, if a file as a whole is a stream, not a single value, and the command line names no framing. A
/// message informs the user.
pub fn found_framing(file: &[u8], name: &Name, settings: &Settings) -> Option<Framing> {
    if !may_be_stream(settings) {
        return None;
    }
    let framed = framed(file, &settings.formats).filter(|framed| framed.is_whole)?;
    let is_other = match settings.format.as_deref().and_then(by_name) {
        Some(asked) => {
            let is_framed = framed.formats.iter().any(|format| format.name() == asked.name());
            !is_framed || asked.check(file, &settings.formats).is_ok()
        }
        None => {
            let is_certain = certain(file).is_some();
            is_certain || formats().iter().any(|format| format.check(file, &settings.formats).is_ok())
        }
    };
    if is_other {
        return None;
    }
    let (content, framing) = (framed.content(), framed.framing);
    print_remark_once(settings.quiet, format!("{name}: {content}, read as with --framing {}", framing.name()));
    Some(framing)
}

/// Why a file is not valid as a single value, with the options for what it is instead.
pub fn with_advice(report: String, file: &[u8], format: &dyn AnyFormat, settings: &Settings) -> String {
    let lines = [report.trim_end().to_owned()].into_iter().chain(advice(file, format, settings));
    lines.collect::<Vec<_>>().join("\n  ")
}

/// Hints for a file that is not a valid value of this format: that the format was detected, and another way to read it.
pub fn advice(file: &[u8], format: &dyn AnyFormat, settings: &Settings) -> Vec<String> {
    let mut lines = Vec::new();
    if settings.format.is_none() {
        lines.push(format!("the format {} was detected; -f chooses another", format.name()));
    }
    // the values of a stream are reported one by one
    let found =
        instead(file, format.name(), &settings.formats).filter(|_| framing(format, &settings.formats).is_none());
    if let Some(found) = found {
        let is_same = found.format().is_some_and(|found| found.name() == format.name());
        let is_known = is_same && (settings.format.is_some() || !format.magic().is_empty());
        lines.push(sentence(&[found], !is_known));
    }
    lines
}

/// The report about an invalid value in a container, with the format or the option that accepts it.
pub fn with_other_format(report: String, value: &[u8], format: &dyn AnyFormat) -> String {
    let options = FormatOptions::new();
    // only containers of Godot hold values of several formats
    let names = if takes_framing(format) { &["godot-3", "godot-4"][..] } else { &[] };
    let others = names.iter().filter(|name| **name != format.name()).filter_map(|name| by_name(name));
    match others.into_iter().find(|other| other.check(value, &options).is_ok()) {
        Some(other) => {
            format!("{}\n  it is a whole {}: -f {}", report.trim_end(), value_name(other), other.name())
        }
        None => match instead(value, format.name(), &options).filter(|found| found.option.is_some()) {
            Some(found) => format!("{}\n  {}", report.trim_end(), sentence(&[found], false)),
            None => report,
        },
    }
}

/// The names of all formats.
pub fn names() -> String {
    formats().iter().map(|format| format.name()).collect::<Vec<_>>().join(", ")
}
