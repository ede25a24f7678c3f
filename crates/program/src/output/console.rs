//! Destinations of output: data goes to standard output, everything else to standard error.

use std::cell::RefCell;
use std::collections::{BTreeSet, HashSet};
use std::fmt::Display;
use std::hash::{DefaultHasher, Hash, Hasher};
use std::io::{self, BufWriter, IsTerminal, Write};
use std::rc::Rc;
use std::sync::Mutex;

use anstream::{AutoStream, ColorChoice};
use anstyle::Style;

use crate::exit_status::{Done, Failure, Refusal, Status};
use crate::output::escape::{escaped, escaped_within, printable_json, SHOWN};
use crate::output::theme::{ERROR, WARNING};

/// Buffered standard output, and standard error, in the right order.
pub struct Console {
    out: Box<dyn Write>,
    styled: bool,
    quiet: bool,
    color: ColorChoice,
    /// The hashes of the warnings that were printed.
    warned: HashSet<u64>,
    /// The refusal that was printed last, if nothing follows it.
    refused: Option<Refusal>,
    /// Receives the messages, if they are not printed.
    messages: Option<Box<dyn FnMut(Message)>>,
}

/// A message that is not printed at once.
pub enum Message {
    Error(String),
    Warning(String),
}

impl Console {
    /// Output that is written as it is; for a terminal, control characters are escaped.
    pub fn plain(quiet: bool, color: ColorChoice) -> Self {
        let out = io::stdout().lock();
        let out: Box<dyn Write> = if out.is_terminal() {
            Box::new(BufWriter::new(Printable::new(out)))
        } else {
            Box::new(BufWriter::new(out))
        };
        Console { out, styled: false, quiet, color, warned: HashSet::new(), refused: None, messages: None }
    }

    /// Output and messages that wait for their turn.
    pub fn waiting(out: Box<dyn Write>, messages: Box<dyn FnMut(Message)>) -> Self {
        let (quiet, color) = (false, ColorChoice::Never);
        Console { out, styled: false, quiet, color, warned: HashSet::new(), refused: None, messages: Some(messages) }
    }

    /// Output with styles where they are wanted: see [`is_styled`](Self::is_styled).
    pub fn painted(quiet: bool, color: ColorChoice) -> Self {
        let choice = match color {
            ColorChoice::Auto => AutoStream::choice(&io::stdout()),
            choice => choice,
        };
        if choice == ColorChoice::Never {
            return Console::plain(quiet, color);
        }
        let out = Box::new(BufWriter::new(AutoStream::new(io::stdout().lock(), choice)));
        Console { out, styled: true, quiet, color, warned: HashSet::new(), refused: None, messages: None }
    }

    /// Returns true if text has styles.
    pub fn is_styled(&self) -> bool {
        self.styled
    }

    /// Standard output.
    pub fn out(&mut self) -> &mut dyn Write {
        self.refused = None;
        &mut self.out
    }

    /// Collects the text that `work` writes to standard output, without printing it. Its errors are printed unless `quiet`.
    pub fn collected<T>(
        &mut self,
        quiet: bool,
        work: impl FnOnce(&mut Console) -> Result<T, Failure>,
    ) -> Result<(T, Vec<u8>), Failure> {
        self.out.flush()?;
        let lines = Lines::default();
        let quiet = quiet || self.quiet;
        let (color, warned) = (self.color, std::mem::take(&mut self.warned));
        let mut console = Console {
            out: Box::new(lines.clone()),
            styled: false,
            quiet,
            color,
            warned,
            refused: None,
            messages: None,
        };
        let result = work(&mut console);
        self.warned = std::mem::take(&mut console.warned);
        let result = result?;
        drop(console);
        Ok((result, lines.0.take()))
    }

    /// Returns true if only data is wanted.
    pub fn is_quiet(&self) -> bool {
        self.quiet
    }

    pub fn flush(&mut self) -> io::Result<()> {
        self.out.flush()
    }

    /// Prints an error, after everything that was written before it.
    pub fn error(&mut self, message: impl Display) -> io::Result<()> {
        self.out().flush()?;
        match &mut self.messages {
            Some(take) => take(Message::Error(message.to_string())),
            None => print_error(self.quiet, self.color, message),
        }
        Ok(())
    }

    /// The status, or that of an error, which is printed.
    pub fn told(&mut self, done: Done) -> io::Result<Status> {
        self.told_or(done, |status| status)
    }

    /// What was done, or what the status of an error gives; the error is printed.
    pub fn told_or<T>(&mut self, done: Result<T, Failure>, other: impl FnOnce(Status) -> T) -> io::Result<T> {
        match done {
            Ok(done) => Ok(done),
            Err(Failure::Refused(refusal)) => self.refused(refusal).map(other),
            Err(Failure::Output(error)) => Err(error),
        }
    }

    /// Prints why something is not done, and gives the status. A reason that several files have in turn is printed once, before all
    /// of them.
    pub fn refused(&mut self, refusal: Refusal) -> io::Result<Status> {
        let status = refusal.status;
        match self.refused.take().filter(|last| last.message == refusal.message) {
            Some(last) => {
                for place in refusal.places.iter().filter(|place| !self.quiet && !last.places.contains(place)) {
                    // a closed standard error is not an error
                    let _ = writeln!(io::stderr(), "  --> {}", printable(place));
                }
            }
            None => self.error(&refusal)?,
        }
        self.refused = Some(refusal).filter(|_| self.messages.is_none());
        Ok(status)
    }

    /// Prints warnings about a file, each of them only once.
    pub fn warnings(&mut self, file: impl Display, texts: &[String]) -> io::Result<()> {
        self.out.flush()?;
        for text in texts {
            self.refused = None;
            if let Some(take) = &mut self.messages {
                take(Message::Warning(text.clone()));
                continue;
            }
            let message = format!("{}\n  --> {file}", escaped(text));
            let mut hasher = DefaultHasher::new();
            message.hash(&mut hasher);
            if self.warned.insert(hasher.finish()) {
                print_message(self.quiet, self.color, (WARNING, "warning"), message);
            }
        }
        Ok(())
    }

    /// Says what was done: to standard error if standard output is for data.
    pub fn done(&mut self, message: impl Display, is_data: bool) -> io::Result<()> {
        match is_data {
            true => self.remark(message),
            false if self.quiet => Ok(()),
            false => writeln!(self.out(), "{message}"),
        }
    }

    /// Prints a remark to standard error.
    pub fn remark(&mut self, message: impl Display) -> io::Result<()> {
        self.out().flush()?;
        print_remark(self.quiet, message);
        Ok(())
    }
}

/// Prints a remark, unless `quiet`.
pub fn print_remark(quiet: bool, message: impl Display) {
    if !quiet {
        // a closed standard error is not an error
        let _ = writeln!(io::stderr(), "{}", escaped(message));
    }
}

/// Prints a remark about a file that is opened several times.
pub fn print_remark_once(quiet: bool, message: String) {
    static PRINTED: Mutex<BTreeSet<String>> = Mutex::new(BTreeSet::new());
    if PRINTED.lock().is_ok_and(|mut printed| printed.insert(message.clone())) {
        print_remark(quiet, message);
    }
}

/// Output that is collected.
#[derive(Clone, Default)]
struct Lines(Rc<RefCell<Vec<u8>>>);

impl Write for Lines {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.0.borrow_mut().extend_from_slice(bytes);
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

/// The most bytes in a line of a message.
const LINE: usize = 4 * SHOWN;

/// Prints an error, unless `quiet`.
pub fn print_error(quiet: bool, color: ColorChoice, message: impl Display) {
    print_message(quiet, color, (ERROR, "error"), message);
}

fn print_message(quiet: bool, color: ColorChoice, (style, kind): (Style, &str), message: impl Display) {
    if quiet {
        return;
    }
    let mut stderr = AutoStream::new(io::stderr().lock(), color);
    // a closed standard error is not an error
    let _ = writeln!(stderr, "{style}{kind}:{style:#} {}", printable(&message.to_string()));
}

/// A message without what a terminal would obey. Its own lines go on: they are indented, or a dump of bytes. Any other line end is in
/// the text of a file or of the command line, and is escaped.
fn printable(message: &str) -> String {
    let mut lines: Vec<String> = Vec::new();
    for line in message.trim_end().split('\n') {
        match lines.last_mut().filter(|_| !is_own(line)) {
            Some(last) => last.extend(["\n", line]),
            None => lines.push(line.to_owned()),
        }
    }
    let lines: Vec<_> = lines.iter().map(|line| escaped_within(line.as_bytes(), LINE)).collect();
    lines.join("\n")
}

/// Returns true for a line that goes on with a message, such as its place or the bytes there.
fn is_own(line: &str) -> bool {
    let digits = line.bytes().take_while(u8::is_ascii_hexdigit).count();
    line.starts_with("  ") || (digits >= 6 && line.get(digits..).is_some_and(|rest| rest.starts_with([' ', '['])))
}

/// Writes JSON, or text of a file, to a terminal: control characters are escaped as in JSON (`\u009b`). All other text
/// is escaped before it gets here.
#[derive(Debug)]
struct Printable<W> {
    out: W,
    /// The start of an incomplete character.
    begun: Vec<u8>,
}

impl<W> Printable<W> {
    fn new(out: W) -> Self {
        Printable { out, begun: Vec::new() }
    }
}

impl<W: Write> Write for Printable<W> {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        let mut text = std::mem::take(&mut self.begun);
        text.extend_from_slice(bytes);
        if let Err(error) = std::str::from_utf8(&text)
            && error.error_len().is_none()
        {
            self.begun = text.split_off(error.valid_up_to());
        }
        let mut printable = String::with_capacity(text.len());
        for chunk in text.utf8_chunks() {
            printable.push_str(&printable_json(chunk.valid()));
            chunk.invalid().iter().for_each(|byte| printable.push_str(&format!("\\x{byte:02x}")));
        }
        self.out.write_all(printable.as_bytes())?;
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        self.out.flush()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use pretty_assertions::assert_eq;

    #[test]
    fn a_line_end_in_a_name_begins_no_line_of_a_message() {
        assert_eq!(printable("no a\nb\r\nerror: c\n  --> file"), "no a\\nb\\r\\nerror: c\n  --> file");
        let dump = "unknown type\n  in a\n00000010  61[ff]00\n";
        assert_eq!(printable(dump), dump.trim_end());
    }

    #[test]
    fn what_a_terminal_would_obey_is_escaped_wherever_it_is_cut() {
        let json = "[\"ä\u{7f}\u{9b}31m\u{61c}\u{202e}木\u{2028}\"]\n\t".as_bytes();
        let expected = "[\"ä\\u007f\\u009b31m\\u061c\\u202e木\\u2028\"]\n\t";
        for size in 1..=json.len() {
            let mut out = Printable::new(Vec::new());
            json.chunks(size).for_each(|piece| out.write_all(piece).unwrap());
            assert_eq!(String::from_utf8(out.out).unwrap(), expected);
        }
        let mut out = Printable::new(Vec::new());
        out.write_all(b"\x1b\xff\x9b!").unwrap();
        assert_eq!(out.out, br"\u001b\xff\x9b!");
    }
}
