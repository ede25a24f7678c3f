//! Files of Godot: the layers around a file, and the values in it.

use std::cell::RefCell;
use std::collections::HashSet;
use std::ops::ControlFlow;

use enginewire::formats::{Described, FormatOptions};
use enginewire::godot::{resource, Framing, GodotFormat, Version};
use enginewire::json::{Give, Receiver, Scalar};
use enginewire_files::address::{Address, Component, Pattern, Syntax};
use enginewire_files::containers::{
    Addition, Container, ContainerError, ContainerKind, Embedded, FileSource, ValueChange,
};
use enginewire_files::godot::{FramedFile, Layers};
use serde_json::json;
use wasm_bindgen::prelude::{wasm_bindgen, JsValue};

use crate::errors::{or_zero, Failure};
use crate::stream::Held;
use crate::{objects, Request};

/// A file without its layers.
struct GodotFile {
    layers: Layers,
    /// Why a layer could not be read to its end.
    fault: Option<ContainerError>,
    /// `None` for a resource that is not a scene.
    kind: Option<ContainerKind>,
    container: Box<dyn Container>,
}

/// A resource as a file with one value.
#[derive(Debug)]
struct OneResource(Vec<u8>);

impl Container for OneResource {
    fn values(&self, each: &mut dyn FnMut(Embedded<'_>) -> ControlFlow<()>) -> Result<(), ContainerError> {
        let address = Address::new(Syntax::Items, [Component::number(0)]);
        let _ = each(Embedded::new(address, &["godot-resource"], Ok(&self.0[..])));
        Ok(())
    }

    fn changed(&self, changes: &[ValueChange<'_>]) -> Result<Vec<u8>, ContainerError> {
        match changes.first() {
            Some(ValueChange::Replace { bytes, .. }) => Ok(bytes.to_vec()),
            _ => Ok(self.0.clone()),
        }
    }
}

impl GodotFile {
    fn open(file: Vec<u8>, format: usize, options: &FormatOptions) -> Result<Self, Failure> {
        let (mut layers, fault) = Layers::peel_partial(file, options);
        let kind = kind_of(layers.inner(), format, options, fault.is_none());
        let opened = match kind {
            Some(kind) => kind.open(FileSource::Bytes(layers.take_inner()), options).map(|opened| (Some(kind), opened)),
            None if layers.inner().starts_with(resource::MAGIC) => {
                Ok((None, Box::new(OneResource(layers.take_inner())) as Box<dyn Container>))
            }
            None => Err(ContainerError::Malformed(unknown(layers.inner()))),
        };
        match opened {
            Ok((kind, container)) => Ok(GodotFile { layers, fault, kind, container }),
            // of several faults the first explains the others
            Err(error) => Err(Failure::of_container(fault.as_ref().unwrap_or(&error), None)),
        }
    }

    /// The whole file with other bytes for these addresses. Those that are not in it are added as the last ones.
    fn changed(&self, changes: &[(String, &[u8])]) -> Result<Vec<u8>, ContainerError> {
        let syntax = self.kind.map_or(Syntax::Items, ContainerKind::syntax);
        let address = |(text, _): &(String, &[u8])| {
            let pattern = Pattern::parse(syntax, text).map_err(|error| ContainerError::Refused(error.to_string()))?;
            pattern.address().ok_or_else(|| ContainerError::Refused(format!("{text} may name several values")))
        };
        let addresses = changes.iter().map(address).collect::<Result<Vec<_>, _>>()?;
        let mut there = HashSet::new();
        self.container.values(&mut |value| {
            there.insert(value.address);
            ControlFlow::Continue(())
        })?;
        let changes = changes.iter().zip(&addresses).map(|((_, bytes), address)| match there.contains(address) {
            true => ValueChange::Replace { address, bytes },
            false => ValueChange::Add(Addition { address, bytes, is_first: false }),
        });
        self.layers.wrap(&self.container.changed(&changes.collect::<Vec<_>>())?)
    }
}

/// The kind of a file: by its first bytes, or values of the format with this number, if there is one.
fn kind_of(file: &[u8], format: usize, options: &FormatOptions, is_whole: bool) -> Option<ContainerKind> {
    if let Some(kind) = ContainerKind::detect(file) {
        return Some(kind);
    }
    if let Some(framing) = Framing::given(options) {
        return Some(ContainerKind::Frames(framing));
    }
    let known =
        [Framing::LittleEndian, Framing::BigEndian].into_iter().find(|framing| is_framed(file, *framing, format));
    match (known, format) {
        (Some(framing), _) => Some(ContainerKind::Frames(framing)),
        (None, 3) if is_whole => Some(ContainerKind::Values(Version::V3)),
        (None, 4) if is_whole => Some(ContainerKind::Values(Version::V4)),
        _ => None,
    }
}

/// True if all of the file is values with their lengths: of this format, or of any if it is 0.
fn is_framed(file: &[u8], framing: Framing, format: usize) -> bool {
    let (mut is_valid, options) = (false, FormatOptions::new());
    let end = FramedFile::new(file, framing).values(&mut |value| {
        is_valid = value.bytes.is_ok_and(|bytes| {
            (format != 4 && GodotFormat::<3>::check(&bytes, &options).is_ok())
                || (format != 3 && GodotFormat::<4>::check(&bytes, &options).is_ok())
        });
        if is_valid {
            ControlFlow::Continue(())
        } else {
            ControlFlow::Break(())
        }
    });
    is_valid && end.is_ok()
}

fn unknown(file: &[u8]) -> String {
    let head = file.get(..4).unwrap_or(file).escape_ascii();
    format!("expected a file of Godot that is known, found one that begins with \"{head}\"; for values without a signature, set the option format")
}

thread_local! {
    static FILES: Held<GodotFile> = const { Held::new() };
}

fn with<R>(number: usize, work: impl FnOnce(&mut GodotFile) -> Result<R, Failure>) -> Result<R, Failure> {
    FILES.with(|all| all.with(number, work)).and_then(|result| result)
}

/// A file, by its number. The format is that of values in files that do not tell theirs, or 0.
#[wasm_bindgen]
pub fn file_open(file: Vec<u8>, format: usize, options: &str) -> Result<usize, JsValue> {
    let opened = Request::parse(options).and_then(|request| GodotFile::open(file, format, &request.options));
    let opened = opened.map_err(Failure::thrown)?;
    Ok(FILES.with(|all| all.add(opened)))
}

/// The layers, the kind and the format that the file tells, as JSON.
#[wasm_bindgen]
pub fn file_about(file: usize) -> Result<String, JsValue> {
    let about = with(file, |file| {
        let (layers, kind) = (file.layers.names(), file.kind.map_or("value", ContainerKind::name));
        Ok(json!({ "layers": layers, "kind": kind, "format": file.container.format() }).to_string())
    });
    about.map_err(Failure::thrown)
}

/// The values of a file as far as it can be read, and why there are no more.
struct Values<'f>(&'f GodotFile);

impl Give for Values<'_> {
    fn give(&self, to: &mut dyn Receiver) {
        let end = RefCell::new(None);
        to.structure("Values", 2);
        to.member("values", &List(self.0, &end));
        let fault = self.0.fault.as_ref().map(|fault| Failure::of_container(fault, None).text());
        to.member("error", &fault.or(end.take()).as_deref());
        to.end();
    }
}

struct List<'f>(&'f GodotFile, &'f RefCell<Option<String>>);

impl Give for List<'_> {
    fn give(&self, to: &mut dyn Receiver) {
        to.list(0);
        let end = self.0.container.values(&mut |value| {
            to.item(&Row(value));
            ControlFlow::Continue(())
        });
        to.end();
        *self.1.borrow_mut() = end.err().map(|error| Failure::of_container(&error, None).text());
    }
}

struct Row<'f>(Embedded<'f>);

impl Give for Row<'_> {
    fn give(&self, to: &mut dyn Receiver) {
        let value = &self.0;
        let error = value.bytes.as_ref().err().map(|error| Failure::of_container(error, value.broken_at).text());
        to.structure("Value", 5);
        to.member("address", &&*value.address.to_string());
        to.member("formats", &&*value.formats.join(" "));
        to.member("bytes", &value.bytes.as_ref().ok().map(|bytes| Bytes(bytes)));
        to.member("error", &error.as_deref());
        to.member("about", &value.about.stored().as_deref());
        to.end();
    }
}

struct Bytes<'f>(&'f [u8]);

impl Give for Bytes<'_> {
    fn give(&self, to: &mut dyn Receiver) {
        to.scalar(Scalar::Bytes(self.0));
    }
}

/// The values of a file, on the tape.
#[wasm_bindgen]
pub fn file_values(file: usize) -> usize {
    or_zero(with(file, |file| objects::document(&Values(file))))
}

/// The whole file, with other bytes for values: addresses, and the length of the bytes of each.
#[wasm_bindgen]
pub fn file_changed(file: usize, addresses: Vec<String>, lengths: &[u32], bytes: &[u8]) -> Result<Vec<u8>, JsValue> {
    let changed = with(file, |file| {
        let mut rest = bytes;
        let changes = addresses.into_iter().zip(lengths).map(|(address, length)| {
            let (bytes, after) = rest.split_at_checked(*length as usize).unwrap_or((rest, &[]));
            rest = after;
            (address, bytes)
        });
        file.changed(&changes.collect::<Vec<_>>()).map_err(|error| Failure::of_change(&error))
    });
    changed.map_err(Failure::thrown)
}

/// Frees a file.
#[wasm_bindgen]
pub fn file_free(file: usize) {
    drop(FILES.with(|all| all.take(file)));
}
