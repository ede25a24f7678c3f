//! Results of `check`, and the rows of `check --json`.

use std::borrow::Cow;
use std::path::Path;

use enginewire::formats::Checked;
use enginewire::wire::FindingSummary;
use enginewire::{DecodeError, Fault, Offset};
use serde::Serialize;

use crate::exit_status::Status;
use crate::input::containers::Place;
use crate::input::objects::{Object, Why};
use crate::output::name::BytesJson;
use crate::settings::Part;

/// The result for a file, or for a value in it.
pub struct Verdict<'v> {
    /// `-` is standard input.
    pub file: &'v Path,
    /// The address in the file, if the file is a container; also that of the file in a pack.
    pub address: Option<Place<'v>>,
    /// The name of the format, if it is known.
    pub format: Option<&'static str>,
    pub status: Status,
    pub outcome: Outcome<'v>,
}

/// The result for a value.
pub enum Outcome<'v> {
    Valid(&'v Checked),
    Invalid(&'v DecodeError),
    /// Not read: the message, and the offset in the file if it is known.
    Unread(String, Option<u64>),
    /// A script or an object, which is refused, or a field that a tool does not keep.
    Refused(&'v Object),
    /// A container without values.
    Empty,
}

impl Verdict<'_> {
    /// The result as text, for messages.
    pub fn message(&self) -> String {
        match &self.outcome {
            Outcome::Valid(verdict) => sentence(verdict),
            Outcome::Invalid(error) => format!("{error}{}", advice(error)),
            Outcome::Unread(message, _) => message.clone(),
            Outcome::Refused(object) => {
                let at = object.at.map(|at| format!(", at {at}")).unwrap_or_default();
                let path = object.path.to_string();
                let path = match (path.is_empty(), object.at) {
                    (true, _) => path,
                    (false, Some(_)) => format!(" in {path}"),
                    (false, None) => format!(", in {path}"),
                };
                format!("{}{at}{path}", object.why.text())
            }
            Outcome::Empty => "no values".to_owned(),
        }
    }

    /// Returns true if it is read without an error.
    pub fn is_ok(&self) -> bool {
        matches!(self.outcome, Outcome::Valid(_) | Outcome::Empty)
    }

    /// The row of JSON; `part` is what was read of the file.
    pub fn json(&self, part: Part) -> serde_json::Result<String> {
        serde_json::to_string(&JsonRow {
            file: BytesJson(self.file.as_os_str().as_encoded_bytes().into()),
            part: (!part.is_all()).then_some(part),
            address: self.address.as_ref().map(ToString::to_string),
            members: self.address.as_ref(),
            format: self.format,
            ok: self.is_ok(),
            status: self.status.code(),
            outcome: self.outcome_json(),
        })
    }

    fn outcome_json(&self) -> JsonOutcome<'_> {
        let truncated = self.status == Status::Truncated;
        match &self.outcome {
            Outcome::Valid(Checked { entries, empty, findings, .. }) => JsonOutcome::Valid {
                entries: *entries,
                empty: empty.map(|form| form.name),
                canonical: findings.is_canonical(),
                non_canonical: (&findings.non_canonical).into(),
                draft_types: (&findings.drafts).into(),
            },
            Outcome::Invalid(error) => JsonOutcome::Invalid { error: JsonError::Decoding(error) },
            Outcome::Unread(message, at) => {
                let (message, path, at) = (message.into(), String::new(), at.map(Offset::from));
                JsonOutcome::Invalid { error: JsonError::Other { message, path, at, harm: None, truncated } }
            }
            Outcome::Refused(object) => {
                let (message, path, at) = (object.why.text().into(), object.path.to_string(), object.at);
                let harm = match object.why {
                    Why::Harmed(tool, effect, _) => Some(JsonHarm { tool, effect: effect.name() }),
                    _ => None,
                };
                JsonOutcome::Invalid { error: JsonError::Other { message, path, at, harm, truncated } }
            }
            Outcome::Empty => JsonOutcome::Empty { values: 0 },
        }
    }
}

/// Advice for the user about an error.
fn advice(error: &DecodeError) -> &'static str {
    match error.fault() {
        Fault::TooLarge { .. } => "; raise the limit with --max-memory",
        _ => "",
    }
}

fn sentence(verdict: &Checked) -> String {
    let Checked { entries, empty, findings, .. } = verdict;
    let count = match (entries, empty) {
        (_, Some(form)) => format!("no entries ({}), ", form.about),
        (Some(1), None) => "1 entry, ".to_owned(),
        (Some(count), None) => format!("{count} entries, "),
        (None, None) => String::new(),
    };
    let canonical = match remark(&findings.non_canonical) {
        Some(remark) => format!("not canonical: {remark}"),
        None => "canonical".to_owned(),
    };
    let drafts = remark(&findings.drafts).map(|remark| format!("; draft types: {remark}")).unwrap_or_default();
    format!("{count}{canonical}{drafts}")
}

/// `a bool that is neither 0 nor 1 at 0xa (and 2 more)`
fn remark(FindingSummary { count, first, .. }: &FindingSummary) -> Option<String> {
    let first = first.as_ref()?;
    let more = match count.saturating_sub(1) {
        0 => String::new(),
        more => format!(" (and {more} more)"),
    };
    Some(format!("{} at {}{more}", first.what, first.offset))
}

#[derive(Serialize)]
struct JsonRow<'r> {
    file: BytesJson<'r>,
    #[serde(skip_serializing_if = "Option::is_none")]
    part: Option<Part>,
    #[serde(skip_serializing_if = "Option::is_none")]
    address: Option<String>,
    #[serde(flatten)]
    members: Option<&'r Place<'r>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    format: Option<&'r str>,
    ok: bool,
    status: u8,
    #[serde(flatten)]
    outcome: JsonOutcome<'r>,
}

#[derive(Serialize)]
#[serde(untagged)]
enum JsonOutcome<'r> {
    Valid {
        #[serde(skip_serializing_if = "Option::is_none")]
        entries: Option<u64>,
        #[serde(skip_serializing_if = "Option::is_none")]
        empty: Option<&'static str>,
        canonical: bool,
        non_canonical: JsonRemark,
        draft_types: JsonRemark,
    },
    Invalid {
        error: JsonError<'r>,
    },
    Empty {
        values: u64,
    },
}

#[derive(Serialize)]
#[serde(untagged)]
enum JsonError<'v> {
    Decoding(&'v DecodeError),
    Other {
        message: Cow<'v, str>,
        #[serde(skip_serializing_if = "String::is_empty")]
        path: String,
        #[serde(flatten)]
        at: Option<Offset>,
        #[serde(flatten)]
        harm: Option<JsonHarm>,
        truncated: bool,
    },
}

/// The harm that a tool does to a value.
#[derive(Serialize)]
struct JsonHarm {
    tool: &'static str,
    effect: &'static str,
}

#[derive(Serialize)]
struct JsonRemark {
    count: u64,
    #[serde(skip_serializing_if = "Option::is_none")]
    first: Option<JsonFound>,
}

#[derive(Serialize)]
struct JsonFound {
    #[serde(flatten)]
    at: Offset,
    what: &'static str,
}

impl From<&FindingSummary> for JsonRemark {
    fn from(remark: &FindingSummary) -> Self {
        let first = remark.first.map(|found| JsonFound { at: found.offset, what: found.what });
        JsonRemark { count: remark.count, first }
    }
}
