//! `enginewire guess`

use std::io;
use std::ops::ControlFlow;
use std::path::PathBuf;

use enginewire::containers::{ContainerKind, Source};
use enginewire::formats::{by_name, detect, named, Confidence, FormatOptions};
use serde::Serialize;

use crate::exit_status::Status;
use crate::formats::framed;
use crate::input::containers;
use crate::input::each;
use crate::input::opened::Input;
use crate::output::console::Console;
use crate::output::name::Name;
use crate::output::styled_text::write_table;
use crate::settings::Settings;
use crate::text_encoding::TextEncoding;

/// List the formats that a file may have, the likeliest first, with the reason
#[derive(Debug, clap::Args)]
#[command(after_long_help = "\
Examples:
  enginewire guess unknown.bin
  enginewire guess --json *.bin
  pbpaste | enginewire guess
  enginewire guess --offset 16 capture.bin

Every format is tried, also after decoding hex, base64, a literal of C, Rust,
Python or Lua, and gzip. `certain`: the bytes begin with the signature of the
format. `likely`: all bytes are a value, or a stream of values with their lengths.
`possible`: some fields are valid, and then the bytes end or what follows is
invalid. The reason names the options that reading needs: --framing or --dump.")]
pub struct Args {
    /// Files to read; standard input if none, or for `-`
    #[arg(value_name = "FILE")]
    pub files: Vec<PathBuf>,

    /// Write JSON, one line per guess
    #[arg(long)]
    pub json: bool,
}

/// A format that bytes may have.
#[derive(Debug, Serialize)]
struct Guess {
    file: Name,
    /// The name of a format or container.
    format: &'static str,
    /// How the bytes are written.
    input: &'static str,
    confidence: &'static str,
    reason: String,
    #[serde(skip)]
    rank: (Confidence, usize),
}

pub fn run(args: &Args, settings: &Settings, console: &mut Console) -> io::Result<Status> {
    let is_of_many = args.files.len() > 1;
    each::each(&args.files, settings, console, |opened, console| {
        let input = match opened.all_consuming() {
            Ok(input) => input,
            Err(unreadable) => return Ok(Err(unreadable)),
        };
        let guesses = guesses(&input, settings);
        if guesses.is_empty() {
            let about = about(&input.bytes).map(|about| format!(": {about}")).unwrap_or_default();
            console.error(format_args!("no known format{about}\n  --> {}", input.name))?;
            return Ok(Ok(Status::Malformed));
        }
        if args.json {
            for guess in &guesses {
                writeln!(console.out(), "{}", serde_json::to_string(guess)?)?;
            }
            return Ok(Ok(Status::Fine));
        }
        if is_of_many {
            writeln!(console.out(), "{}:", input.name)?;
        }
        let rows = guesses.iter().map(|guess| {
            let Guess { format, input, confidence, reason, .. } = guess;
            let encoding = if *input == "raw" { String::new() } else { format!(" --input {input}") };
            (format!("{confidence:<9} {format}{encoding}"), reason.clone())
        });
        write_table(rows.collect(), console.out())?;
        Ok(Ok(Status::Fine))
    })
}

/// All that the bytes may be, likeliest first. What is merely possible counts only if nothing is likelier.
fn guesses(input: &Input, settings: &Settings) -> Vec<Guess> {
    let mut all = Vec::new();
    guess(&input.name, TextEncoding::Raw, &input.bytes, &mut all);
    if settings.input == TextEncoding::Raw {
        for encoding in TextEncoding::WRAPPED {
            if let Ok(bytes) = encoding.decode(input.bytes.clone(), settings.memory()) {
                guess(&input.name, encoding, &bytes, &mut all);
            }
        }
    }
    if settings.input == TextEncoding::Raw {
        dump(&input.name, TextEncoding::Hex, ContainerKind::PacketLines, &input.bytes, &mut all);
    }
    // of two guesses that are as sure, the one without an encoding comes first: sorting keeps the order
    all.sort_by_key(|guess| std::cmp::Reverse(guess.rank));
    if all.first().is_some_and(|first| first.rank.0 > Confidence::Possible) {
        all.retain(|guess| guess.rank.0 > Confidence::Possible);
    }
    all
}

/// A confidence as it is told.
const fn word(confidence: Confidence) -> &'static str {
    match confidence {
        Confidence::Likely => "likely",
        Confidence::Certain => "certain",
        _ => "possible",
    }
}

/// Adds what bytes may be that were written in an encoding.
fn guess(file: &Name, encoding: TextEncoding, bytes: &[u8], all: &mut Vec<Guess>) {
    let container =
        ContainerKind::detect(bytes).map(|kind| (containers::name(kind), "the file begins as such a container does"));
    let document = named(bytes).map(|format| (format.name(), "a JSON document, for `encode`"));
    if let Some((format, reason)) = document.or(container) {
        let (file, input, reason) = (file.clone(), encoding.name(), reason.to_owned());
        all.push(Guess { file, format, input, confidence: "certain", reason, rank: (Confidence::Certain, 1) });
    }
    dump(file, encoding, ContainerKind::Packets, bytes, all);
    if let Some(framed) = framed(bytes) {
        let reason = format!("--framing {}: {}", framed.framing.name(), framed.content());
        all.extend(framed.formats.iter().map(|format| {
            let (file, format, input, reason) = (file.clone(), format.name(), encoding.name(), reason.clone());
            let confidence = if framed.is_whole { Confidence::Likely } else { Confidence::Possible };
            // a value and its length have two fields at least
            let rank = (confidence, framed.count.saturating_mul(2));
            Guess { file, format, input, confidence: word(confidence), reason, rank }
        }));
    }
    all.extend(detect(bytes).into_iter().map(|(format, detection)| {
        let reason = match detection.fields {
            0 | 1 => detection.reason.clone(),
            fields => format!("{} ({fields} fields)", detection.reason),
        };
        let confidence = word(detection.confidence);
        let rank = (detection.confidence, detection.fields);
        Guess { file: file.clone(), format: format.name(), input: encoding.name(), confidence, reason, rank }
    }));
}

/// Adds that bytes may be several packets, if they are.
fn dump(file: &Name, encoding: TextEncoding, kind: ContainerKind, bytes: &[u8], all: &mut Vec<Guess>) {
    let options = FormatOptions::new();
    let format = kind.formats().first().and_then(|name| by_name(name));
    let container = kind.open(Source::Bytes(bytes.to_vec()), &options);
    let (Some(format), Ok(container)) = (format, container) else { return };
    let (mut count, mut is_whole) = (0usize, true);
    let listed = container.values(&mut |value| {
        is_whole = value.bytes.as_ref().is_ok_and(|bytes| format.check(bytes, &options).is_ok());
        match is_whole {
            true => {
                count = count.saturating_add(1);
                ControlFlow::Continue(())
            }
            false => ControlFlow::Break(()),
        }
    });
    if count < 2 || listed.is_err() {
        return;
    }
    let confidence = if is_whole { Confidence::Likely } else { Confidence::Possible };
    let lines = if kind == ContainerKind::PacketLines { ", each a line" } else { "" };
    let more = if is_whole { "" } else { ", and more" };
    let reason = format!("--dump: {count} packets{lines}{more}");
    let (file, input, rank) = (file.clone(), encoding.name(), (confidence, count.saturating_mul(2)));
    all.push(Guess { file, format: format.name(), input, confidence: word(confidence), reason, rank });
}

/// What bytes are that have no format of ours, if that can be told.
pub fn about(bytes: &[u8]) -> Option<&'static str> {
    const SIGNATURES: [(&[u8], &str); 10] = [
        (b"\x1f\x8b", "the bytes begin as gzip does; try --input gzip"),
        (b"\x28\xb5\x2f\xfd", "the bytes begin as zstd does; unpack the file first"),
        (b"PK\x03\x04", "the bytes begin as a ZIP archive does; unpack the file first"),
        (b"\x89PNG", "the bytes begin as a PNG picture does"),
        (b"GDPC", "the bytes begin as a Godot package (.pck) does; unpack the file first"),
        (b"RSRC", "the bytes begin as a Godot resource (.res, .scn) does, which holds values in another form"),
        (b"RSCC", "the bytes begin as a compressed Godot resource does, which holds values in another form"),
        (b"GCPF", "the bytes begin as a compressed Godot file does; unpack the file first"),
        (b"[gd_", "the bytes begin as a Godot text scene or resource does"),
        (b"<?xml", "the bytes begin as XML does"),
    ];
    if bytes.is_empty() {
        return Some("the file is empty");
    }
    let signature = SIGNATURES.iter().find(|(signature, _)| bytes.starts_with(signature));
    let is_text = || std::str::from_utf8(bytes).is_ok_and(|text| !text.contains('\0'));
    signature.map(|(_, about)| *about).or_else(|| is_text().then_some("the file is text"))
}

#[cfg(test)]
mod tests {
    use std::path::Path;

    use enginewire::formats::FormatOptions;
    use pretty_assertions::assert_eq;

    use super::*;
    use crate::settings::Part;

    fn found(bytes: &[u8]) -> Vec<String> {
        let name = Name::new(Path::new("a"));
        let input = Input::of_file(name, bytes.to_vec());
        let settings = Settings {
            format: None,
            input: TextEncoding::Raw,
            part: Part::default(),
            dump: false,
            formats: FormatOptions::new(),
        };
        let rows = guesses(&input, &settings);
        rows.iter().map(|guess| format!("{} {} {}", guess.confidence, guess.format, guess.input)).collect()
    }

    #[test]
    fn the_likeliest_comes_first_whatever_the_bytes_are_written_in() {
        let blob = b"\x01\0\0\0\x04\0\0\0Fuel\x06\0\0\0\0\0\0\x45\x40";
        assert_eq!(found(blob), ["likely roblox-attributes raw"]);
        let hex: String = blob.iter().map(|byte| format!("{byte:02x}")).collect();
        assert_eq!(found(hex.as_bytes())[0], "likely roblox-attributes hex");
        assert_eq!(found(b"AQAAAAQAAABGdWVsBgAAAAAAAEVA"), ["likely roblox-attributes base64"]);
        assert_eq!(found(br#""\x4c\x55\x41\x00\x00\x00\x01\x01""#)[0], "certain scrap-mechanic-lua literal");
        assert_eq!(found(b"<roblox!\x89\xff\r\n\x1a\n\0\0"), ["certain rbxm raw"]);
    }

    #[test]
    fn what_is_none_of_them_is_not_guessed() {
        for bytes in [&b""[..], b"Just a text about this and that.\n", b"\x89PNG\r\n\x1a\n\0\0\0\rIHDR"] {
            assert_eq!(found(bytes), [""; 0]);
            assert!(about(bytes).is_some());
        }
        assert_eq!(about(b"\xff\xfe\xfd"), None);
    }
}
