//! `enginewire inspect --guess` and `--search`: what an unknown file may be.

use std::io;
use std::ops::ControlFlow;
use std::path::PathBuf;

use enginewire::formats::Confidence;
use enginewire::signature::Signature;
use enginewire_files::containers::ContainerKind;
use enginewire_files::guess::{self as library, certain, signature, Guess, Kind};
use serde::Serialize;

use crate::exit_status::{Done, Refusal, Status};
use crate::formats::{kind_name, other, with_options, HEAD};
use crate::input::each;
use crate::input::opened::Input;
use crate::input::opened::OpenFile;
use crate::output::console::Console;
use crate::output::name::Name;
use crate::output::styled_text::write_table;
use crate::settings::Settings;
use crate::text_encoding::TextEncoding;

/// The files, and the form of the answer.
#[derive(Debug)]
pub struct Args<'a> {
    pub files: &'a [PathBuf],
    pub json: bool,
    /// Looks for values that begin anywhere, not for the formats of the whole.
    pub search: bool,
}

/// A format that bytes may have, as JSON.
#[derive(Debug, Serialize)]
struct Row<'r> {
    file: &'r Name,
    /// The name of a format or container.
    format: &'static str,
    /// The encoding of the bytes.
    input: &'static str,
    confidence: String,
    reason: String,
}

pub fn run(args: &Args<'_>, settings: &Settings, console: &mut Console) -> Done {
    let is_of_many = args.files.len() > 1 || args.files.iter().any(|file| file.is_dir());
    each::each(OpenFile::open_partial, args.files, settings, console, |opened, console| {
        let input = if args.search { opened.all_consuming()? } else { enough(opened, settings)? };
        let mut writer = Writer { args, name: &input.name, is_of_many, rows: Vec::new() };
        if args.search {
            return search(&input, writer, settings, console);
        }
        let guesses = guesses(&input, settings);
        if let [] | [(_, Guess { kind: Kind::Other(_), .. })] = &guesses[..] {
            let about = guesses.first().map(|(_, guess)| match &guess.kind {
                Kind::Other(signature) if signature.name == "empty" => format!(": {}", signature.about),
                Kind::Other(signature) => format!(": {}", other(signature)),
                _ => String::new(),
            });
            let about = about.unwrap_or_else(|| "; try --search".to_owned());
            return Err(Status::Malformed.because(format!("no known format{about}")).at(&input.name).into());
        }
        for (encoding, guess) in &guesses {
            writer.write(*encoding, guess, console)?;
        }
        writer.end(console)?;
        Ok(Status::Fine)
    })
}

/// As much of a file as is needed: its first bytes, if they are certain.
fn enough(mut opened: OpenFile, settings: &Settings) -> Result<Input<'static>, Refusal> {
    if settings.input == TextEncoding::Raw {
        let head = opened.head(HEAD)?;
        // text and gzip may be encodings of other bytes, and zeros may be followed by other bytes
        let is_certain = certain(&head).is_some_and(|found| match found.kind {
            Kind::Other(found) => !may_stand_for_bytes(found) && found.name != "zeros",
            _ => !matches!(found.kind, Kind::Document(_)),
        });
        if is_certain {
            return Ok(Input::of_file(opened.name, head));
        }
    }
    opened.all_consuming()
}

fn may_stand_for_bytes(found: Signature) -> bool {
    matches!(found.name, "text" | "JSON" | "UTF-16" | "gzip")
}

/// Writes guesses, in lines of JSON or as a table.
struct Writer<'w> {
    args: &'w Args<'w>,
    name: &'w Name,
    is_of_many: bool,
    rows: Vec<(String, String)>,
}

impl Writer<'_> {
    fn write(&mut self, encoding: TextEncoding, guess: &Guess, console: &mut Console) -> io::Result<()> {
        // lines of hex are read as such
        let is_lines = matches!(guess.kind, Kind::Values(ContainerKind::PacketLines, _));
        let encoding = if is_lines { TextEncoding::Hex } else { encoding };
        let (format, input, confidence) = (kind_name(guess), encoding.name(), guess.confidence.to_string());
        let mut reason = match guess.kind {
            Kind::Document(_) => format!("{}, for `encode`", guess.reason),
            _ if is_lines => with_options(guess).replacen(" --input hex", "", 1),
            _ => with_options(guess),
        };
        if guess.fields > 1 && matches!(guess.kind, Kind::Value(_)) {
            reason = format!("{reason} ({} fields)", guess.fields);
        }
        if self.args.json {
            let row = Row { file: self.name, format, input, confidence, reason };
            return writeln!(console.out(), "{}", serde_json::to_string(&row)?);
        }
        let encoding = if encoding == TextEncoding::Raw { String::new() } else { format!(" --input {input}") };
        self.rows.push((format!("{confidence:<9} {format}{encoding}"), reason));
        Ok(())
    }

    fn end(self, console: &mut Console) -> io::Result<()> {
        if self.args.json {
            return Ok(());
        }
        if self.is_of_many {
            writeln!(console.out(), "{}:", self.name)?;
        }
        write_table(self.rows, console.out())
    }
}

/// The most values that a table of a search lists.
const FOUND: usize = 10_000;

/// Lists the values that begin anywhere in a file.
fn search(input: &Input, mut writer: Writer<'_>, settings: &Settings, console: &mut Console) -> Done {
    let (mut count, mut written) = (0usize, Ok(()));
    let end = library::search(&input.bytes, &settings.formats, &mut |guess| {
        let is_asked = |asked: &String| guess.format().is_some_and(|format| format.name() == asked);
        if !settings.format.as_ref().is_none_or(is_asked) {
            return ControlFlow::Continue(());
        }
        count = count.saturating_add(1);
        if count <= FOUND {
            written = writer.write(TextEncoding::Raw, &guess, console);
        }
        if written.is_ok() && count <= FOUND {
            ControlFlow::Continue(())
        } else {
            ControlFlow::Break(())
        }
    });
    written?;
    writer.end(console)?;
    let stopped = match end {
        Some(offset) => Some(format!("the search ended at byte {offset:#x}, because too many places could be values")),
        None if count > FOUND => Some(format!("only the first {FOUND} values are listed")),
        None => None,
    };
    if let Some(reason) = stopped {
        return Err(Status::Malformed.because(format!("{reason}; search on with --offset")).at(&input.name).into());
    }
    if count == 0 {
        return Err(Status::Malformed.because("no value found").at(&input.name).into());
    }
    Ok(Status::Fine)
}

/// All that the bytes may be, likeliest first, and how they are written. What is merely possible counts only if nothing is
/// likelier.
fn guesses(input: &Input, settings: &Settings) -> Vec<(TextEncoding, Guess)> {
    let raw = library::guess(&input.bytes, &settings.formats);
    let mut all: Vec<_> = raw.into_iter().map(|guess| (TextEncoding::Raw, guess)).collect();
    let is_other = |(_, guess): &(_, Guess)| matches!(guess.kind, Kind::Other(_));
    if settings.input == TextEncoding::Raw && signature(&input.bytes).is_some_and(may_stand_for_bytes) {
        for encoding in TextEncoding::WRAPPED {
            let Some(bytes) = decoded(encoding, &input.bytes, settings.memory()) else { continue };
            let found = library::guess(&bytes, &settings.formats).into_iter();
            all.extend(found.map(|guess| (encoding, guess)).filter(|found| !is_other(found)));
        }
    }
    // what is written in the text says more than that it is text
    if !all.iter().all(is_other) {
        all.retain(|found| !is_other(found));
    }
    // of two guesses that are as sure, the one without an encoding comes first: sorting keeps the order
    all.sort_by_key(|(_, guess)| std::cmp::Reverse((guess.confidence, guess.fields)));
    if all.first().is_some_and(|(_, first)| first.confidence > Confidence::Possible) {
        all.retain(|(_, guess)| guess.confidence > Confidence::Possible);
    }
    all
}

/// The number of bytes of text decoded to see if they are in an encoding.
const SAMPLE: usize = 4096;

/// The maximum memory for decoding text, in bytes per byte of the text.
const MEMORY_OF_TEXT: usize = 40;

/// The bytes that a text in an encoding represents. If there is not enough memory, only those of its first part.
fn decoded(encoding: TextEncoding, text: &[u8], memory: usize) -> Option<Vec<u8>> {
    if encoding == TextEncoding::Gzip {
        return encoding.decode(text.to_vec(), memory).ok();
    }
    let is_cut = |length: usize| length < text.len() && encoding != TextEncoding::Literal;
    let part = |length: usize| {
        let part = text.get(..length).unwrap_or(text);
        let line = part.iter().rposition(|byte| *byte == b'\n').filter(|_| is_cut(length));
        let part = line.and_then(|line| part.get(..line)).unwrap_or(part);
        // a cut may leave half of a digit
        let ends = if is_cut(length) { 4 } else { 1 };
        let mut parts = (0..ends).filter_map(|less| part.get(..part.len().saturating_sub(less)));
        parts.find_map(|part| encoding.decode(part.to_vec(), memory).ok())
    };
    let most = memory / MEMORY_OF_TEXT;
    if encoding == TextEncoding::Literal && text.len() > most {
        return None;
    }
    part(SAMPLE).and_then(|sample| if text.len() <= SAMPLE { Some(sample) } else { part(most.min(text.len())) })
}

#[cfg(test)]
mod tests {
    use std::path::Path;

    use enginewire::formats::FormatOptions;
    use pretty_assertions::assert_eq;

    use super::*;
    use crate::settings::Part;
    use enginewire_files::scan::Walk;

    fn found(bytes: &[u8]) -> Vec<String> {
        let name = Name::new(Path::new("a"));
        let input = Input::of_file(name, bytes.to_vec());
        let settings = Settings {
            format: None,
            kind: None,
            input: TextEncoding::Raw,
            part: Part::default(),
            entry: None,
            written_for: None,
            replaces_inside: false,
            dump: false,
            walk: Walk::default(),
            formats: FormatOptions::new(),
            finds_objects: false,
            quiet: false,
        };
        let rows = guesses(&input, &settings);
        let told = |(encoding, guess): &_| {
            let (encoding, guess): (&TextEncoding, &Guess) = (encoding, guess);
            format!("{} {} {}", guess.confidence, kind_name(guess), encoding.name())
        };
        rows.iter().map(told).collect()
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
    fn what_is_none_of_them_is_named() {
        assert_eq!(found(b""), ["certain empty raw"]);
        assert_eq!(found(b"Just a text about this and that.\n"), ["certain text raw"]);
        assert_eq!(found(b"\x89PNG\r\n\x1a\n\0\0\0\rIHDR"), ["certain PNG raw"]);
        assert_eq!(found(b"\xff\xfe\xfd"), [""; 0]);
    }

    /// Text too large for the memory, and bytes that are not text.
    #[test]
    fn text_is_decoded_as_far_as_memory_allows() {
        let blob = b"\x01\0\0\0\x04\0\0\0Fuel\x06\0\0\0\0\0\0\x45\x40";
        let hex: String = blob.iter().cycle().take(blob.len() * 1000).map(|byte| format!("{byte:02x}")).collect();
        let length = |text: &[u8], memory| decoded(TextEncoding::Hex, text, memory).map(|bytes| bytes.len());
        assert_eq!(length(hex.as_bytes(), 1 << 30), Some(blob.len() * 1000));
        assert_eq!(length(hex.as_bytes(), 400_000), Some(5000));
        assert_eq!(length(&[0xee; 10_000], 1 << 30), None);
    }
}
