//! Files of Godot: the layers around a file, and the values in it.

use std::cell::RefCell;
use std::collections::HashSet;
use std::ops::ControlFlow;

use enginewire::json::{Give, Receiver, Scalar};
use enginewire_files::containers::{Addition, ContainerError, Embedded, FileSource, ValueChange};
use enginewire_files::file::{Asked, File};
use serde_json::json;
use wasm_bindgen::prelude::{wasm_bindgen, JsValue};

use crate::errors::{or_zero, Failure};
use crate::offered::FORMATS;
use crate::stream::Held;
use crate::{objects, Request};

/// The whole file with other bytes for these addresses. Those that are not in it are added as the last ones.
fn changed(file: &File, changes: &[(String, &[u8])]) -> Result<Vec<u8>, ContainerError> {
    let addresses = changes.iter().map(|(text, _)| file.address(text)).collect::<Result<Vec<_>, _>>()?;
    let mut there = HashSet::new();
    file.values(&mut |value| {
        there.insert(value.address.into_address());
        ControlFlow::Continue(())
    })?;
    let changes = changes.iter().zip(&addresses).map(|((_, bytes), address)| match there.contains(address) {
        true => ValueChange::Replace { address, bytes },
        false => ValueChange::Add(Addition { address, bytes, about: &[], is_first: false }),
    });
    file.changed(&changes.collect::<Vec<_>>())
}

thread_local! {
    static FILES: Held<File> = const { Held::new() };
}

fn with<R>(number: usize, work: impl FnOnce(&mut File) -> Result<R, Failure>) -> Result<R, Failure> {
    FILES.with(|all| all.with(number, work)).and_then(|result| result)
}

/// A file, by its number. `asked` is what the file is said to be, or empty.
#[wasm_bindgen]
pub fn file_open(file: Vec<u8>, asked: &str, options: &str) -> Result<usize, JsValue> {
    let opened = Request::parse(options).and_then(|request| {
        let asked = if asked.is_empty() { Asked::default() } else { asked.parse().map_err(Failure::of_options)? };
        let is_own = |name: &str| FORMATS.iter().any(|(_, format)| format.name() == name);
        if let Some(other) = asked.format.filter(|format| !is_own(format)) {
            return Err(Failure::of_options(format!("there is no format {other:?} for files of Godot")));
        }
        let opened = File::open(FileSource::Bytes(file), &asked, &request.options);
        opened.map_err(|error| Failure::of_container(&error, None))
    });
    let opened = opened.map_err(Failure::thrown)?;
    Ok(FILES.with(|all| all.add(opened)))
}

/// The layers, the kind and the formats that the values of the file may have, as JSON.
#[wasm_bindgen]
pub fn file_about(file: usize) -> Result<String, JsValue> {
    let about = with(file, |file| {
        let formats = file.formats().map_err(|error| Failure::of_container(&error, None))?;
        let (layers, kind) = (file.layers().names(), file.kind_name());
        Ok(json!({ "layers": layers, "kind": kind, "formats": formats }).to_string())
    });
    about.map_err(Failure::thrown)
}

/// The values of a file as far as it can be read, and why there are no more.
struct Values<'f>(&'f File);

impl Give for Values<'_> {
    fn give(&self, to: &mut dyn Receiver) {
        let end = RefCell::new(None);
        to.structure("Values", 2);
        to.member("values", &List(self.0, &end));
        to.member("error", &end.take().as_deref());
        to.end();
    }
}

struct List<'f>(&'f File, &'f RefCell<Option<String>>);

impl Give for List<'_> {
    fn give(&self, to: &mut dyn Receiver) {
        to.list(0);
        let end = self.0.values(&mut |value| {
            let address = self.0.text_of(&value.address);
            to.item(&Row(value, address));
            ControlFlow::Continue(())
        });
        to.end();
        *self.1.borrow_mut() = end.err().map(|error| Failure::of_container(&error, None).text());
    }
}

struct Row<'f>(Embedded<'f>, String);

impl Give for Row<'_> {
    fn give(&self, to: &mut dyn Receiver) {
        let value = &self.0;
        let error = value.bytes.as_ref().err().map(|error| Failure::of_container(error, value.broken_at).text());
        to.structure("Value", 5);
        to.member("address", &&*self.1);
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
        changed(file, &changes.collect::<Vec<_>>()).map_err(|error| Failure::of_change(&error))
    });
    changed.map_err(Failure::thrown)
}

/// Frees a file.
#[wasm_bindgen]
pub fn file_free(file: usize) {
    drop(FILES.with(|all| all.take(file)));
}
