//! The WebAssembly module of the npm package `enginewire` and of its page.
//!
//! Formats are given by their number, options as JSON text, which is empty if every option has its default. A document is
//! returned as the address of a [tape](objects), and given as two parts of memory. The address 0 means an error, which
//! [`take_error`] returns.

#[cfg(feature = "scrap_mechanic")]
mod blueprint;
mod errors;
#[cfg(feature = "godot_files")]
mod godot_file;
mod inspect;
#[cfg(feature = "models")]
mod model;
mod objects;
mod offered;
#[cfg(feature = "page")]
mod page;
#[cfg(feature = "scrap_mechanic")]
mod save;
mod stream;

use std::borrow::Cow;

use enginewire::formats::{
    Accepts, Described, FormatOptions, JsonForm, JsonWriter, OptionError, OptionRow, OptionValue, TypeRow, RESYNC,
};
use enginewire::json::{Give, Input};
use enginewire::wire::{format, ByteArray, Provenance};
use serde::Serialize;
use serde_json::Value;
use wasm_bindgen::prelude::{wasm_bindgen, JsValue};

use errors::Failure;
use offered::{heeded, Offered, FORMATS};

/// The options of a call, and the name of the input in reports.
pub(crate) struct Request {
    pub(crate) options: FormatOptions,
    pub(crate) name: String,
}

impl Request {
    /// Reads options from JSON text: an object, with a member for each option that is set, and perhaps `name`.
    pub(crate) fn parse(text: &str) -> Result<Self, Failure> {
        let mut request = Request { options: FormatOptions::new(), name: "input".to_owned() };
        if text.is_empty() {
            return Ok(request);
        }
        let options = enginewire::json::value_from_slice(text.as_bytes(), 2).map_err(Failure::of_options)?;
        let Value::Object(members) = options else { return Err(Failure::of_options("expected an object")) };
        for (name, value) in members {
            if name == RESYNC.name {
                return Err(Failure::of_option(&OptionError::Unknown { name, known: Vec::new() }));
            }
            let value = match value {
                Value::String(text) if name == "name" => {
                    request.name = text;
                    continue;
                }
                Value::Bool(flag) => OptionValue::Flag(flag),
                Value::Number(number) => OptionValue::Number(number.as_u64().unwrap_or(u64::MAX)),
                Value::String(text) => OptionValue::Text(Cow::Owned(text)),
                _ => {
                    return Err(Failure::of_options(errors::invalid_option(
                        &name,
                        "expected a flag, a number or a text",
                    )))
                }
            };
            request.options = request.options.set(&name, value).map_err(|error| Failure::of_option(&error))?;
        }
        Ok(request)
    }
}

/// The format with this number.
pub(crate) fn numbered(format: usize) -> Result<&'static dyn Offered, Failure> {
    let found = FORMATS.iter().find(|(number, _)| *number == format);
    found.map(|(_, format)| *format).ok_or_else(|| Failure::of_options("this module has no such format"))
}

/// Calls a function with the type that describes the format of a number.
macro_rules! described {
    ($number:expr, $format:ident => $work:expr) => {
        match $number {
            #[cfg(feature = "attributes")]
            0 => {
                type $format = enginewire::roblox::attributes::AttributesFormat;
                $work
            }
            #[cfg(feature = "remote")]
            1 => {
                type $format = enginewire::roblox::remote::RemoteFormat;
                $work
            }
            #[cfg(feature = "scrap_mechanic")]
            2 => {
                type $format = enginewire::scrap_mechanic::lua_object::LuaObjectFormat;
                $work
            }
            #[cfg(feature = "godot")]
            3 => {
                type $format = enginewire::godot::GodotFormat<3>;
                $work
            }
            #[cfg(feature = "godot")]
            4 => {
                type $format = enginewire::godot::GodotFormat<4>;
                $work
            }
            #[cfg(feature = "godot_files")]
            5 => {
                type $format = enginewire::godot::resource::ResourceFormat;
                $work
            }
            _ => Err(crate::errors::Failure::of_options("this module has no such format")),
        }
    };
}
pub(crate) use described;

/// The names of all formats, in the order of their numbers.
#[wasm_bindgen]
pub fn format_names() -> Vec<String> {
    FORMATS.iter().map(|(_, format)| format.name().to_owned()).collect()
}

/// The descriptions of all formats, as JSON.
#[wasm_bindgen]
pub fn describe_formats() -> String {
    let described = FORMATS.iter().map(|(_, format)| Description {
        name: format.name(),
        about: format.about(),
        found_in: format.found_in(),
        magic: String::from_utf8_lossy(format.magic()),
        notation: format.notation_name(),
        forms: format.forms().iter().map(|form| form.name()).collect(),
        options: heeded(*format).map(Opt::from).collect(),
        types: format.types().into_iter().map(Type::from).collect(),
    });
    serde_json::to_string(&described.collect::<Vec<_>>()).unwrap_or_default()
}

/// A format.
#[derive(Serialize)]
struct Description {
    name: &'static str,
    about: &'static str,
    found_in: &'static str,
    magic: Cow<'static, str>,
    notation: &'static str,
    forms: Vec<&'static str>,
    options: Vec<Opt>,
    types: Vec<Type>,
}

/// An option of a format. `accepts` is the name of a type of JavaScript, or the list of allowed texts.
#[derive(Serialize)]
struct Opt {
    name: &'static str,
    about: &'static str,
    default: &'static OptionValue,
    accepts: Accepted,
}

#[derive(Serialize)]
#[serde(untagged)]
enum Accepted {
    Any(&'static str),
    OneOf(&'static [&'static str]),
}

impl From<&'static OptionRow> for Opt {
    fn from(row: &'static OptionRow) -> Self {
        let accepts = match row.accepts {
            Accepts::Flag => Accepted::Any("boolean"),
            Accepts::Number { .. } => Accepted::Any("number"),
            Accepts::OneOf(texts) => Accepted::OneOf(texts),
            _ => Accepted::Any("string"),
        };
        Opt { name: row.name, about: row.about, default: &row.default, accepts }
    }
}

/// A type of a format.
#[derive(Serialize)]
struct Type {
    id: String,
    name: &'static str,
    status: Provenance,
}

impl From<TypeRow> for Type {
    fn from(TypeRow { id, name, status, .. }: TypeRow) -> Self {
        Type { id, name, status }
    }
}

/// The number of the format of a JSON document; -1 if it names none, and -2 if it names one that is not here.
#[wasm_bindgen]
pub fn format_of_document(document: &str) -> i32 {
    let Some(name) = enginewire::json::format_of(document.as_bytes()) else { return -1 };
    let found = FORMATS.iter().find(|(_, format)| format.reads(&name, document.as_bytes()));
    found.and_then(|(number, _)| i32::try_from(*number).ok()).unwrap_or(-2)
}

/// The error of the last call that returned 0, as JSON.
#[wasm_bindgen]
pub fn take_error() -> String {
    errors::take()
}

/// Decodes a value onto the tape, as its document or in the plain form.
#[wasm_bindgen]
pub fn decode(format: usize, bytes: &[u8], options: &str, is_plain: bool) -> usize {
    fn of<D: Described>(bytes: &[u8], request: &Request, is_plain: bool) -> Result<usize, Failure> {
        let mut written = None;
        let mut write = |value: &dyn Give| {
            if written.is_some() {
                objects::forget();
            }
            written = Some(objects::written(value, is_plain));
        };
        let decoded = D::decode_to(bytes, &request.options, is_plain, &mut write);
        decoded.map_err(|error| {
            objects::forget();
            Failure::of_bytes(&error, bytes, &request.name)
        })?;
        written.unwrap_or(Ok(0))
    }
    let decoded =
        Request::parse(options).and_then(|request| described!(format, D => of::<D>(bytes, &request, is_plain)));
    errors::or_zero(decoded)
}

/// Encodes a document to bytes on the tape.
#[wasm_bindgen]
pub fn encode(format: usize, words: &[u8], text: &[u8], options: &str) -> usize {
    fn of<D: Described>(document: Input<'_>, options: &FormatOptions) -> Result<Vec<u8>, Failure> {
        let (value, options) = D::from_json(document, options)?;
        Ok(format::encode::<D::Format>(&value, &options)?)
    }
    let encoded = Request::parse(options).and_then(|request| {
        let tape = objects::given(words, text);
        let bytes = described!(format, D => of::<D>(Input::Tape(&tape), &request.options))?;
        objects::document(&ByteArray::from(bytes))
    });
    errors::or_zero(encoded)
}

/// Encodes a value without types to bytes on the tape: with the types of the values in `like`, else those that a Rust type without
/// names of types has.
#[wasm_bindgen]
pub fn encode_plain(format: usize, words: &[u8], text: &[u8], options: &str, like: Option<Box<[u8]>>) -> usize {
    let encoded = Request::parse(options).and_then(|request| {
        let (tape, options) = (objects::given(words, text), &request.options);
        let no_types = || Failure::of_options("like: this format needs the bytes of a value that has the types");
        let bytes = match &like {
            Some(like) => {
                let mut document = Vec::new();
                JsonWriter::new(&mut document).give(&tape).map_err(Failure::of_options)?;
                numbered(format)?.encode_form(JsonForm::Plain, &document, Some(like), options)?
            }
            None => described!(format, D => D::encode_untyped(&tape, options).ok_or_else(no_types))??,
        };
        objects::document(&ByteArray::from(bytes))
    });
    errors::or_zero(encoded)
}

fn form(name: &str) -> Result<JsonForm, Failure> {
    let forms = [JsonForm::Exact, JsonForm::Plain, JsonForm::Rojo];
    let found = forms.into_iter().find(|form| form.name() == name);
    found.ok_or_else(|| Failure::of_options("the form must be \"exact\", \"plain\" or \"rojo\""))
}

/// Decodes a value to JSON text.
#[wasm_bindgen]
pub fn decode_text(
    format: usize,
    bytes: &[u8],
    options: &str,
    form_name: &str,
    pretty: bool,
) -> Result<String, JsValue> {
    let decode = || {
        let (format, request, form) = (numbered(format)?, Request::parse(options)?, form(form_name)?);
        let mut text = Vec::new();
        let mut writer = JsonWriter::new(&mut text).form(form).pretty(pretty);
        let written = format.decode_json(bytes, &request.options, &mut writer);
        written.map_err(|error| Failure::of_json(error, bytes, &request.name))?;
        String::from_utf8(text).map_err(Failure::of_options)
    };
    decode().map_err(Failure::thrown)
}

/// Encodes JSON text. In the plain form, values have the types of those in `like`.
#[wasm_bindgen]
pub fn encode_text(
    format: usize,
    text: &str,
    options: &str,
    form_name: &str,
    like: Option<Box<[u8]>>,
) -> Result<Vec<u8>, JsValue> {
    let encode = || {
        let (format, request, form) = (numbered(format)?, Request::parse(options)?, form(form_name)?);
        let like = like.as_deref();
        format.encode_form(form, text.as_bytes(), like, &request.options).map_err(Failure::from)
    };
    encode().map_err(Failure::thrown)
}

/// Decodes a value to text in the notation of its engine.
#[wasm_bindgen]
pub fn decode_notation(format: usize, bytes: &[u8], options: &str) -> Result<String, JsValue> {
    let decode = || {
        let (format, request) = (numbered(format)?, Request::parse(options)?);
        let text = format.decode_notation(bytes, &request.options);
        text.map_err(|error| Failure::of_bytes(&error, bytes, &request.name))
    };
    decode().map_err(Failure::thrown)
}

/// Encodes text in the notation of its engine.
#[wasm_bindgen]
pub fn encode_notation(format: usize, text: &str, options: &str) -> Result<Vec<u8>, JsValue> {
    let encode = || {
        let (format, request) = (numbered(format)?, Request::parse(options)?);
        format.encode_notation(text, &request.options).map_err(Failure::of_notation)
    };
    encode().map_err(Failure::thrown)
}
