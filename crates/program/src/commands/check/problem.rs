//! Problems of files in the formats of other programs: workflow commands of GitHub, and SARIF 2.1.0.
//!
//! Both list what makes the exit status other than 0.

use std::ops::Range;
use std::path::{Component, Path};

use enginewire::{Fault, Offset};
use enginewire_files::containers::Member;
use serde_json::{json, Value};

use super::verdict::{Outcome, Verdict};
use crate::exit_status::Status;
use crate::settings::Part;

/// The kinds of problems besides the faults of values, with a sentence about each: [`Fault::CODES`] has the others.
const RULES: [(&str, &str); 8] = [
    ("malformed", "The bytes are not valid in the format of the file."),
    ("not-canonical", "Encoding the decoded value gives other bytes."),
    ("not-read", "The file cannot be read, or its format is not known."),
    ("script", "A script or library is inside or is named, and runs when the file is loaded."),
    ("object", "An object is made when the file is loaded."),
    ("changed", "Another tool changes the value."),
    ("lost", "Another tool loses the value."),
    ("refused", "Another tool refuses the value."),
];

/// All kinds of problems.
fn rules() -> impl Iterator<Item = &'static (&'static str, &'static str)> {
    Fault::CODES.iter().chain(&RULES)
}

/// The kind of problem that makes the exit status of a verdict other than 0.
fn rule(verdict: &Verdict<'_>) -> &'static str {
    match (&verdict.outcome, verdict.status) {
        (Outcome::Invalid(error), _) => error.fault().code(),
        (Outcome::Refused(object), _) => object.why.code(),
        (_, Status::Malformed) => "malformed",
        (_, Status::Truncated) => "truncated",
        (_, Status::Differs) => "not-canonical",
        _ => "not-read",
    }
}

/// The range of bytes of the file that a problem is about, if it is known: its start and its length.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Region {
    start: u64,
    length: u64,
}

/// A problem of a file.
#[derive(Debug)]
pub struct Problem {
    rule: &'static str,
    /// `None` is standard input.
    path: Option<Vec<u8>>,
    /// The part of the file, and the address in it.
    address: Option<String>,
    /// The field at fault.
    field: Option<String>,
    region: Option<Region>,
    message: String,
}

impl Problem {
    /// The problem that makes the exit status of a verdict other than 0. `raw`: the bytes that were checked are those of the
    /// file. `part`: the part of them that was checked.
    pub fn of(verdict: &Verdict<'_>, raw: bool, part: Part) -> Option<Self> {
        if verdict.status == Status::Fine {
            return None;
        }
        let (mut field, mut at) = (None, None);
        match &verdict.outcome {
            Outcome::Invalid(error) => {
                field = Some(error.path().to_string()).filter(|field| !field.is_empty());
                let Range { start, end } = error.range();
                at = Some((error.offset(), end.saturating_sub(start)));
            }
            Outcome::Valid(checked) => at = checked.findings.non_canonical.first.map(|first| (first.offset, 1)),
            Outcome::Refused(object) => {
                field = Some(object.path.to_string()).filter(|field| !field.is_empty());
                at = object.at.map(|at| (at, 1));
            }
            Outcome::Unread(..) | Outcome::Empty => {}
        }
        let address = joined([part.place(), verdict.address.as_ref().map(ToString::to_string)], ": ");
        let region = match &verdict.outcome {
            // counted from the start of the file already
            Outcome::Unread(_, at) => at.map(|at| Region { start: part.offset.saturating_add(at), length: 1 }),
            _ => at.and_then(|(offset, length)| region(verdict, offset, length)),
        };
        let is_input = verdict.file != Path::new("-");
        Some(Problem {
            rule: rule(verdict),
            path: is_input.then(|| plain(verdict.file)),
            address,
            field,
            region: region.filter(|_| raw),
            message: verdict.message(),
        })
    }

    /// A workflow command of GitHub: `::error file=a.rbxm,title=unknown-id::…`
    pub fn github(&self) -> String {
        let file = self.path.as_ref().map(|path| format!("file={},", property(&String::from_utf8_lossy(path))));
        let address = self.address.as_ref().map(|address| format!("{address}: ")).unwrap_or_default();
        let message = data(&format!("{address}{}", self.message));
        format!("::error {}title={}::{message}", file.unwrap_or_default(), self.rule)
    }

    /// A result of SARIF.
    fn result(&self) -> Value {
        let mut location = serde_json::Map::new();
        if let Some(path) = &self.path {
            let mut physical = json!({ "artifactLocation": { "uri": uri(path) } });
            if let (Some(Region { start, length }), Some(physical)) = (self.region, physical.as_object_mut()) {
                physical.insert("region".to_owned(), json!({ "byteOffset": start, "byteLength": length }));
            }
            location.insert("physicalLocation".to_owned(), physical);
        }
        if let Some(place) = joined([self.address.clone(), self.field.clone()], " ") {
            location.insert("logicalLocations".to_owned(), json!([{ "fullyQualifiedName": place }]));
        }
        let locations = if location.is_empty() { json!([]) } else { json!([location]) };
        json!({
            "ruleId": self.rule,
            "ruleIndex": rules().position(|(name, _)| *name == self.rule),
            "level": "error",
            "message": { "text": self.message },
            "locations": locations,
        })
    }
}

/// The document of SARIF 2.1.0.
pub fn sarif(problems: &[Problem], status: Status) -> Value {
    let rules: Vec<_> =
        rules().map(|(name, about)| json!({ "id": name, "shortDescription": { "text": about } })).collect();
    let driver = json!({ "name": "enginewire", "version": env!("CARGO_PKG_VERSION"), "rules": rules });
    json!({
        "$schema": "https://docs.oasis-open.org/sarif/sarif/v2.1.0/errata01/os/schemas/sarif-schema-2.1.0.json",
        "version": "2.1.0",
        "runs": [{
            "tool": { "driver": driver },
            "invocations": [{ "executionSuccessful": true, "exitCode": status.code() }],
            "results": problems.iter().map(Problem::result).collect::<Vec<_>>(),
        }],
    })
}

/// The location of the field in the file. It is known if the value is the file, or is stored in it unchanged.
fn region(verdict: &Verdict<'_>, offset: Offset, length: u64) -> Option<Region> {
    let is_place = |(name, value): &Member| ["file_offset", "offset"].contains(name) && value.is_u64();
    let is_known = verdict.address.as_ref().is_none_or(|address| address.members().iter().any(is_place));
    is_known.then_some(Region { start: offset.byte(), length })
}

/// Those that there are, with `between` between them.
fn joined(parts: [Option<String>; 2], between: &str) -> Option<String> {
    parts.into_iter().flatten().reduce(|all, part| format!("{all}{between}{part}"))
}

/// A path with `/` between its parts, and without `.` among them.
fn plain(path: &Path) -> Vec<u8> {
    let has_drive = matches!(path.components().next(), Some(Component::Prefix(_)));
    let parts = path.components().filter(|part| *part != Component::CurDir);
    let parts: Vec<&[u8]> = parts
        .filter(|part| !(has_drive && *part == Component::RootDir))
        .map(|part| match part {
            Component::RootDir => b"".as_slice(),
            part => part.as_os_str().as_encoded_bytes(),
        })
        .collect();
    parts.join(&b'/')
}

/// A path as a URI: a relative one is relative to the folder that the program runs in.
fn uri(path: &[u8]) -> String {
    let (mut uri, rest) = match path {
        [b'/', ..] => ("file://".to_owned(), path),
        [b'\\', b'\\', rest @ ..] if cfg!(windows) => ("file://".to_owned(), rest),
        [drive, b':', rest @ ..] if cfg!(windows) => (format!("file:///{}:", char::from(*drive)), rest),
        _ => (String::new(), path),
    };
    for byte in rest {
        match byte {
            b'a'..=b'z' | b'A'..=b'Z' | b'0'..=b'9' | b'-' | b'.' | b'_' | b'~' | b'/' => uri.push(char::from(*byte)),
            b'\\' if cfg!(windows) => uri.push('/'),
            other => uri.push_str(&format!("%{other:02X}")),
        }
    }
    uri
}

/// The text of a workflow command, in one line.
fn data(text: &str) -> String {
    text.replace('%', "%25").replace('\r', "%0D").replace('\n', "%0A")
}

/// A property of a workflow command.
fn property(text: &str) -> String {
    data(text).replace(':', "%3A").replace(',', "%2C")
}

#[cfg(test)]
mod tests {
    use super::*;
    use pretty_assertions::assert_eq;

    #[test]
    fn paths_are_uris() {
        let uri_of = |path: &str| uri(&plain(Path::new(path)));
        assert_eq!(uri_of("./a b/c#1%.rbxm"), "a%20b/c%231%25.rbxm");
        assert_eq!(uri_of("ä:x.bin"), "%C3%A4%3Ax.bin");
        assert_eq!(uri_of("../x.bin"), "../x.bin");
        #[cfg(unix)]
        assert_eq!([uri_of("/a/x.bin"), uri_of("a:/x.bin")], ["file:///a/x.bin", "a%3A/x.bin"]);
        #[cfg(windows)]
        assert_eq!(uri_of(r"C:\a b\x.bin"), "file:///C:/a%20b/x.bin");
        #[cfg(windows)]
        assert_eq!(uri_of(r"places\x.bin"), "places/x.bin");
        #[cfg(windows)]
        assert_eq!(uri_of(r"\\server\all\x.bin"), "file://server/all/x.bin");
    }

    #[test]
    fn workflow_commands_are_one_line_with_no_more_properties() {
        let path = Some(b"a,b:c\n%.bin".to_vec());
        let message = "two\nlines: 100%".to_owned();
        let problem = Problem { rule: "malformed", path, address: None, field: None, region: None, message };
        let command = "::error file=a%2Cb%3Ac%0A%25.bin,title=malformed::A: two%0Alines: 100%25";
        assert_eq!(Problem { address: Some("A".to_owned()), ..problem }.github(), command);
    }
}
