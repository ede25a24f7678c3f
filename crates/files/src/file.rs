//! A file of any kind: its layers, its kind, and its values.
//!
//! ```
//! use enginewire::formats::{by_name, FormatOptions};
//! use enginewire_files::containers::{FileSource, ValueChange};
//! use enginewire_files::file::{Asked, File};
//!
//! // the layers are taken off, and the kind is detected
//! let options = &FormatOptions::new();
//! let source = FileSource::File("../../fixtures/godot-files/v4/gcpf/zstd/save.ini".into());
//! let file = File::open(source, &Asked::default(), options)?;
//! assert_eq!((file.layers().names().as_str(), file.kind_name()), ("GCPF (zstd)", "godot-config"));
//!
//! // all values; `File::values` has one of them in memory at a time
//! for value in file.list()? {
//!     println!("{}: {} bytes", value.address, value.bytes.map_or(0, |bytes| bytes.len()));
//! }
//!
//! // one value, in the notation of its engine
//! let format = by_name(file.formats()?[0]).unwrap();
//! let address = file.address("player/name")?;
//! let name = file.find(&address)?.unwrap();
//! assert_eq!(format.decode_notation(&name.bytes?, options)?, r#""Grüße""#);
//!
//! // the whole file with another value, in its layers
//! let bytes = format.encode_notation(r#""Bob""#, options)?;
//! let mut changed = Vec::new(); // a file, a socket, …
//! file.rewrite(&[ValueChange::Replace { address: &address, bytes: &bytes }], &mut changed)?;
//!
//! // a file that is said to be of a kind and a format is not detected
//! let again = File::open(FileSource::Bytes(changed), &"godot-config:godot-4".parse()?, options)?;
//! assert_eq!(again.find(&address)?.unwrap().bytes?, bytes);
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

use std::io::{Read, Write};
use std::ops::ControlFlow;
use std::path::PathBuf;
use std::str::FromStr;
use std::sync::LazyLock;

use enginewire::formats::{Confidence, FormatOptions, DETECTABLE};
use enginewire::godot::Framing;
use thiserror::Error;

use crate::address::{Address, Pattern, Syntax};
use crate::containers::{located, Container, ContainerError, ContainerKind, Embedded, FileSource, ValueChange};
use crate::godot::Layers;
use crate::guess::{by_name, guess, Guess, Kind};

/// A kind of file, a format, or both, as the option `-f` of the program takes them. The kind is not detected then, and neither is the
/// format of the values.
///
/// ```
/// use enginewire_files::containers::ContainerKind;
/// use enginewire_files::file::Asked;
///
/// let asked: Asked = "godot-project:godot-3".parse()?;
/// assert_eq!((asked.kind, asked.format), (Some(ContainerKind::Project), Some("godot-3")));
/// let error = "godot-pack:godot-3".parse::<Asked>().unwrap_err();
/// assert_eq!(error.to_string(), "a file of the kind godot-pack has no values of godot-3");
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Asked {
    /// The kind.
    pub kind: Option<ContainerKind>,
    /// The name of the format of its values.
    pub format: Option<&'static str>,
}

/// Why a text is not what a file may be.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
#[error("{0}")]
pub struct AskedError(String);

impl Asked {
    /// Every text that can be parsed.
    pub fn all() -> impl Iterator<Item = String> {
        let kinds = ContainerKind::all().flat_map(|kind| {
            let name = Some(kind.name().to_owned()).filter(|_| ContainerKind::named(kind.name()).count() == 1);
            name.into_iter().chain(kind.formats().iter().map(move |format| format!("{}:{format}", kind.name())))
        });
        DETECTABLE.iter().map(|format| format.name().to_owned()).chain(kinds)
    }
}

impl FromStr for Asked {
    type Err = AskedError;

    fn from_str(text: &str) -> Result<Self, AskedError> {
        let (name, format) = text.split_once(':').map_or((text, None), |(name, format)| (name, Some(format)));
        if let (Some(found), None) = (by_name(name), format) {
            return Ok(Asked { kind: None, format: Some(found.name()) });
        }
        let kinds: Vec<_> = ContainerKind::named(name).collect();
        let fits = |kind: &&ContainerKind| format.is_none_or(|format| kind.formats().contains(&format));
        match &kinds.iter().filter(fits).collect::<Vec<_>>()[..] {
            [kind] => Ok(Asked { kind: Some(**kind), format: format.and_then(by_name).map(|format| format.name()) }),
            [] if kinds.is_empty() => {
                let known = Asked::all().filter(|name| !name.contains(':')).collect::<Vec<_>>().join(", ");
                Err(AskedError(format!("{text:?} is neither a format nor a kind of file; expected one of {known}")))
            }
            [] => {
                let format = format.unwrap_or_default();
                Err(AskedError(format!("a file of the kind {name} has no values of {format}")))
            }
            several => {
                let named = several.iter().flat_map(|kind| kind.formats()).map(|format| format!("{name}:{format}"));
                Err(AskedError(format!("expected {}", named.collect::<Vec<_>>().join(" or "))))
            }
        }
    }
}

/// A file without its layers.
///
/// A single value is a file with one value, whose address is that of the file. Unknown bytes in layers are listed in the same way.
#[derive(Debug)]
pub struct File {
    layers: Layers,
    /// Why a layer could not be read to its end.
    fault: Option<ContainerError>,
    /// The file itself, if only its beginning is in the layers.
    path: Option<PathBuf>,
    kind: Option<ContainerKind>,
    name: &'static str,
    /// The formats of its values, if they were asked for or it is one value.
    formats: Vec<&'static str>,
    options: FormatOptions,
}

impl File {
    /// Takes off the layers of a file, and detects its kind, unless it is asked for. Of a cut layer, the bytes before the cut are
    /// read.
    ///
    /// # Errors
    ///
    /// If a layer or the file is malformed, if its kind is not known, or if it has no values of the format that is asked for.
    pub fn open(source: FileSource, asked: &Asked, options: &FormatOptions) -> Result<Self, ContainerError> {
        let (path, file) = beginning(source, asked, options)?;
        let (layers, fault) = Layers::peel_partial(file, options);
        let detected = detect(&layers, asked, options);
        if let Some(fault) = &fault {
            let is_read = match (fault, &detected) {
                // noise, if it is another key
                (ContainerError::Truncated(_) | ContainerError::Malformed(_), Ok((Some(_), ..))) => true,
                (ContainerError::Truncated(_), Ok((None, _, formats))) => !formats.is_empty(),
                // of several faults the first explains the others
                _ => false,
            };
            if !is_read {
                return Err(fault.clone());
            }
        }
        let (kind, name, formats) = detected?;
        Ok(File { layers, fault, path, kind, name, formats, options: options.clone() })
    }

    /// The layers, with the file inside.
    #[must_use]
    pub fn layers(&self) -> &Layers {
        &self.layers
    }

    /// Its kind; `None` if it is one value, or in layers and not known.
    #[must_use]
    pub fn kind(&self) -> Option<ContainerKind> {
        self.kind
    }

    /// The name of its kind: `"value"` if it is one value, and that of its signature or `"bytes"` if it is not known.
    #[must_use]
    pub fn kind_name(&self) -> &'static str {
        self.name
    }

    /// The form of the addresses of its values.
    #[must_use]
    pub fn syntax(&self) -> Syntax {
        self.kind.map_or(Syntax::Items, ContainerKind::syntax)
    }

    /// The address with this text.
    ///
    /// # Errors
    ///
    /// If it is not an address of such a file, or a pattern.
    pub fn address(&self, text: &str) -> Result<Address, ContainerError> {
        if text.is_empty() && self.kind.is_none() {
            return Ok(Address::of_file());
        }
        let pattern =
            Pattern::parse(self.syntax(), text).map_err(|error| ContainerError::Refused(error.to_string()))?;
        pattern.address().ok_or_else(|| ContainerError::Refused(format!("{text} may name several values")))
    }

    /// The text of the address of one of its values: empty if the file is one value.
    #[must_use]
    pub fn text_of(&self, address: &Address) -> String {
        self.kind.map_or_else(String::new, |_| address.to_string())
    }

    /// The name of the format of all values, if the file specifies it.
    ///
    /// # Errors
    ///
    /// If the file cannot be read.
    pub fn format(&self) -> Result<Option<&'static str>, ContainerError> {
        Ok(self.container()?.format())
    }

    /// The names of the formats that its values can have: the one that was asked for, or that the file specifies; else those in which all
    /// of them are valid; else all of its kind. Those of one value are less, if its [`Embedded::formats`] are.
    ///
    /// # Errors
    ///
    /// If the file cannot be read.
    pub fn formats(&self) -> Result<Vec<&'static str>, ContainerError> {
        let Some(kind) = self.kind.filter(|_| self.formats.is_empty()) else { return Ok(self.formats.clone()) };
        if let Some(format) = self.format()? {
            return Ok(vec![format]);
        }
        let mut possible = kind.formats().to_vec();
        if possible.len() > 1 {
            let options = self.options.clone().set("framing", "none").unwrap_or_default();
            // an error after the values is reported when they are read
            let _ = self.values(&mut |value| {
                if let (Ok(bytes), [_, ..]) = (&value.bytes, value.formats) {
                    possible.retain(|name| by_name(name).is_some_and(|format| format.check(bytes, &options).is_ok()));
                }
                if possible.is_empty() {
                    ControlFlow::Break(())
                } else {
                    ControlFlow::Continue(())
                }
            });
        }
        Ok(if possible.is_empty() { kind.formats().to_vec() } else { possible })
    }

    /// Calls `each` with every value: see [`Container::values`].
    ///
    /// # Errors
    ///
    /// If the rest of the file, or of one of its layers, cannot be read.
    pub fn values(&self, each: &mut dyn FnMut(Embedded<'_>) -> ControlFlow<()>) -> Result<(), ContainerError> {
        let mut flow = ControlFlow::Continue(());
        let end = self.container()?.values(&mut |value| {
            flow = each(value);
            flow
        });
        match &self.fault {
            Some(fault) if flow.is_continue() => Err(fault.clone()),
            _ => end,
        }
    }

    /// Every value, in the order of the file: see [`Container::list`].
    ///
    /// # Errors
    ///
    /// As for [`values`](Self::values).
    pub fn list(&self) -> Result<Vec<Embedded<'static>>, ContainerError> {
        let mut all = Vec::new();
        self.values(&mut |value| {
            all.push(value.into_owned());
            ControlFlow::Continue(())
        })?;
        Ok(all)
    }

    /// The value with this address; `None` if the file lacks it.
    ///
    /// # Errors
    ///
    /// If several values have the address, or it is not among those before an error of [`values`](Self::values).
    pub fn find(&self, address: &Address) -> Result<Option<Embedded<'static>>, ContainerError> {
        let mut found = Vec::new();
        let end = self.values(&mut |value| {
            found.extend((value.address == *address).then(|| value.into_owned()));
            ControlFlow::Continue(())
        });
        match (found.pop(), found.is_empty()) {
            (None, _) => end.map(|()| None),
            (found, true) => Ok(found),
            _ => Err(ContainerError::Refused(format!("{address} names several values"))),
        }
    }

    /// The whole file with these changes, in its layers: see [`Container::changed`]. Without any, it is as it was.
    ///
    /// # Errors
    ///
    /// As there, or if one of its layers is cut or cannot hold it.
    pub fn changed(&self, changes: &[ValueChange<'_>]) -> Result<Vec<u8>, ContainerError> {
        let mut file = Vec::new();
        self.rewrite(changes, &mut file)?;
        Ok(file)
    }

    /// Writes what [`changed`](Self::changed) gives: see [`Container::rewrite`].
    ///
    /// # Errors
    ///
    /// The same, or if writing fails. A part of the file may then be written.
    pub fn rewrite(&self, changes: &[ValueChange<'_>], to: &mut dyn Write) -> Result<(), ContainerError> {
        if let Some(fault) = &self.fault {
            return Err(fault.clone());
        }
        match &self.path {
            Some(path) if changes.is_empty() && !self.kind.is_some_and(ContainerKind::has_log) => {
                std::io::copy(&mut std::fs::File::open(path)?, to).map(|_| ())?
            }
            None if self.layers.is_empty() && changes.is_empty() => to.write_all(self.layers.inner())?,
            _ if self.layers.is_empty() => self.container()?.rewrite(changes, to)?,
            _ if changes.is_empty() => to.write_all(&self.layers.wrap(self.layers.inner())?)?,
            _ => to.write_all(&self.layers.wrap(&self.container()?.changed(changes)?)?)?,
        }
        Ok(())
    }

    fn container(&self) -> Result<Box<dyn Container + '_>, ContainerError> {
        let inner = self.layers.inner();
        let source = || self.path.clone().map_or_else(|| FileSource::Bytes(inner.to_vec()), FileSource::File);
        Ok(match self.kind {
            Some(kind) => kind.open(source(), self.formats.first().copied(), &self.options)?,
            None => Box::new(One(inner, if self.formats.is_empty() { &[] } else { &ALL })),
        })
    }
}

/// A file as one value, or as bytes of no format.
#[derive(Debug)]
struct One<'f>(&'f [u8], &'static [&'static str]);

/// The names of all formats: which of them a value has, the file knows.
static ALL: LazyLock<Vec<&'static str>> = LazyLock::new(|| DETECTABLE.iter().map(|format| format.name()).collect());

impl Container for One<'_> {
    fn values(&self, each: &mut dyn FnMut(Embedded<'_>) -> ControlFlow<()>) -> Result<(), ContainerError> {
        let _ = each(Embedded { is_open: true, ..Embedded::new(Address::of_file(), self.1, Ok(self.0)) });
        Ok(())
    }

    fn changed(&self, changes: &[ValueChange<'_>]) -> Result<Vec<u8>, ContainerError> {
        Ok(located(self, changes)?.remove(&0).unwrap_or(self.0).to_vec())
    }
}

/// The bytes of a file; or its path and its first bytes, if it has no layers and is read in parts.
fn beginning(
    source: FileSource,
    asked: &Asked,
    options: &FormatOptions,
) -> Result<(Option<PathBuf>, Vec<u8>), ContainerError> {
    if let FileSource::File(path) = &source {
        let mut head = Vec::new();
        std::fs::File::open(path)?.take(HEAD).read_to_end(&mut head)?;
        let is_known = asked.kind.is_some() || ContainerKind::detect(&head).is_some();
        if is_known && !Layers::may_begin(&head, options) {
            return Ok((Some(path.clone()), head));
        }
    }
    Ok((None, source.bytes(options.max_memory())?))
}

/// The first bytes of a file that tell its kind and its layers.
const HEAD: u64 = 4096;

type Detected = (Option<ContainerKind>, &'static str, Vec<&'static str>);

/// The kind of the file in the layers, its name, and the formats that its values have, if they are known.
fn detect(layers: &Layers, asked: &Asked, options: &FormatOptions) -> Result<Detected, ContainerError> {
    let (inner, format) = (layers.inner(), asked.format);
    let asked_formats = Vec::from_iter(format);
    let detected = ContainerKind::detect(inner);
    let of_kind = |kind: ContainerKind| match format {
        Some(format) if !kind.formats().contains(&format) => {
            let reason = format!("the file is of the kind {}, which holds no values of {format}", kind.name());
            Err(ContainerError::Unknown(reason))
        }
        _ => Ok((Some(kind), kind.name(), asked_formats.clone())),
    };
    if let Some(reason) = asked.kind.and_then(|kind| kind.refusal(inner)) {
        return Err(ContainerError::Malformed(reason));
    }
    if let Some(kind) = asked.kind.or(detected).or_else(|| Framing::given(options).map(ContainerKind::Frames)) {
        return of_kind(kind);
    }
    let guesses = guess(inner, options);
    let is_plain = |guess: &&Guess| {
        let is_whole = guess.offset == 0 && guess.length.is_none() && guess.option.is_none();
        is_whole && guess.confidence > Confidence::Possible
    };
    let is_asked = |guess: &&Guess| format.is_none_or(|name| guess.format().is_some_and(|found| found.name() == name));
    let plain = || guesses.iter().filter(is_plain).filter(is_asked);
    // of a format that was asked for, one value before several
    let is_value = |guess: &&Guess| format.is_some() && matches!(guess.kind, Kind::Value(_));
    match plain().find(is_value).or_else(|| plain().next()).map(|guess| guess.kind) {
        Some(Kind::Values(kind, _)) => of_kind(kind),
        _ if format.is_some() => Ok((None, "value", asked_formats)),
        Some(Kind::Value(_)) => {
            let values = plain().filter(|guess| matches!(guess.kind, Kind::Value(_)));
            Ok((None, "value", values.filter_map(|guess| Some(guess.format()?.name())).collect()))
        }
        found if !layers.is_empty() => {
            Ok((None, if let Some(Kind::Other(signature)) = found { signature.name } else { "bytes" }, Vec::new()))
        }
        _ => {
            let reason = guesses.first().map_or("no known kind of file", |guess| &guess.reason);
            let what = "the file holds no values that can be listed";
            Err(ContainerError::Unknown(format!("{what}: {reason}")))
        }
    }
}

#[cfg(test)]
#[cfg(all(feature = "roblox", feature = "scrap_mechanic"))]
mod tests {
    use super::*;
    use pretty_assertions::assert_eq;

    fn open(bytes: &[u8], asked: &str) -> Result<File, ContainerError> {
        let asked = if asked.is_empty() { Asked::default() } else { asked.parse().unwrap() };
        File::open(FileSource::Bytes(bytes.to_vec()), &asked, &FormatOptions::new())
    }

    fn fixture(name: &str) -> Vec<u8> {
        std::fs::read(std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("../../fixtures/godot-files").join(name))
            .unwrap()
    }

    #[test]
    fn a_file_from_a_path_is_that_from_its_bytes() {
        for name in ["v4/config/small.cfg", "v4/pck/plain.pck", "v4/gcpf/zstd/save.ini", "v4/plain/save.var"] {
            let path = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("../../fixtures/godot-files").join(name);
            let of_path = File::open(FileSource::File(path), &Asked::default(), &FormatOptions::new()).unwrap();
            let of_bytes = open(&fixture(name), "").unwrap();
            let listed = |file: &File| {
                let all = file.list().unwrap();
                all.into_iter().map(|value| (value.address, value.bytes.ok())).collect::<Vec<_>>()
            };
            assert_eq!(listed(&of_path), listed(&of_bytes), "{name}");
            assert_eq!(of_path.changed(&[]).unwrap(), fixture(name));
            assert_eq!(of_bytes.changed(&[]).unwrap(), fixture(name));
        }
    }

    /// Also where a value was listed with more than its address.
    #[test]
    fn a_value_is_changed_by_the_text_of_its_address() {
        let path = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("../../fixtures/scrap-mechanic-lua");
        let file = open(&std::fs::read(path.join("logic.blueprint.json")).unwrap(), "").unwrap();
        let (values, address) = (file.list().unwrap(), file.address("bodies[0].childs[0]").unwrap());
        let bytes = values[2].bytes.as_deref().unwrap();
        let changed = file.changed(&[ValueChange::Replace { address: &address, bytes }]).unwrap();
        assert_eq!(open(&changed, "").unwrap().list().unwrap()[0].bytes.as_deref().unwrap(), bytes);
    }

    #[test]
    fn one_value_has_the_address_of_the_file() {
        let value = b"\x02\0\0\0\x07\0\0\0";
        let file = open(value, "godot-3").unwrap();
        assert_eq!((file.kind(), file.kind_name(), file.formats().unwrap()), (None, "value", vec!["godot-3"]));
        assert_eq!(file.find(&file.address("").unwrap()).unwrap().unwrap().bytes.unwrap(), &value[..]);
        let address = &file.address("").unwrap();
        let changed = file.changed(&[ValueChange::Replace { address, bytes: b"\0\0\0\0" }]).unwrap();
        assert_eq!(changed, b"\0\0\0\0");
        assert!(matches!(file.changed(&[ValueChange::Remove(address)]), Err(ContainerError::Refused(_))));
        let values = open(&[value.as_slice(), value].concat(), "godot-values:godot-4").unwrap();
        assert_eq!((values.list().unwrap().len(), values.formats().unwrap()), (2, vec!["godot-4"]));
    }

    /// What does not fit is an error of what was asked for, never another guess.
    #[test]
    fn what_is_asked_for_is_not_guessed() {
        let config = fixture("v4/config/small.cfg");
        for (asked, reason) in [
            ("rbxm", "not an rbxm file: the file is of the kind godot-config"),
            ("godot-pack", "not a godot-pack file: the file is of the kind godot-config"),
            ("scrap-mechanic-lua", "the file is of the kind godot-config, which holds no values of scrap-mechanic-lua"),
        ] {
            assert_eq!(open(&config, asked).unwrap_err().to_string(), reason);
        }
        let file = open(b"a=1\n", "godot-config").unwrap();
        let found = |address: &str| file.find(&file.address(address).unwrap()).unwrap();
        assert_eq!(found("a").unwrap().address.to_string(), "a");
        assert!(found("b").is_none());
        for (asked, reason) in [
            ("godot-values", "expected godot-values:godot-3 or godot-values:godot-4"),
            ("godot-config:lua", "a file of the kind godot-config has no values of lua"),
            ("pack", "\"pack\" is neither a format nor a kind of file"),
        ] {
            let error = asked.parse::<Asked>().unwrap_err().to_string();
            assert!(error.starts_with(reason), "{error}");
        }
        for text in Asked::all() {
            assert!(text.parse::<Asked>().is_ok(), "{text}");
        }
    }

    #[test]
    fn of_a_cut_layer_what_is_before_the_cut_is_read() {
        let whole = fixture("v4/gcpf/zstd/save.ini");
        let file = open(whole.get(..whole.len() - 6).unwrap(), "godot-config").unwrap();
        let mut count = 0;
        let end = file.values(&mut |_| {
            count += 1;
            ControlFlow::Continue(())
        });
        assert!(end.is_err(), "{count}");
        assert!(file.changed(&[]).is_err());
        let first = file.values(&mut |_| ControlFlow::Break(()));
        assert!(first.is_ok() || count == 0);
    }
}
