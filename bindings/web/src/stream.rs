//! Values from bytes that come in pieces.

use std::cell::RefCell;
use std::marker::PhantomData;

use enginewire::formats::{Described, FormatOptions};
#[cfg(feature = "godot")]
use enginewire::godot::{FrameDecoder, Framing, GodotFormat};
use enginewire::wire::{Decoder, Format, ItemOf, ItemStream};
use enginewire::DecodeError;
use wasm_bindgen::prelude::{wasm_bindgen, JsValue};

use crate::errors::{or_zero, Failure};
use crate::{described, objects, Request};

/// Objects that TypeScript refers to by numbers, counted from 1.
pub(crate) struct Held<T>(RefCell<Vec<Option<T>>>);

impl<T> Held<T> {
    pub(crate) const fn new() -> Self {
        Held(RefCell::new(Vec::new()))
    }

    pub(crate) fn add(&self, thing: T) -> usize {
        let mut all = self.0.borrow_mut();
        match all.iter().position(Option::is_none) {
            Some(free) => {
                all[free] = Some(thing);
                free + 1
            }
            None => {
                all.push(Some(thing));
                all.len()
            }
        }
    }

    pub(crate) fn with<R>(&self, number: usize, work: impl FnOnce(&mut T) -> R) -> Result<R, Failure> {
        let mut all = self.0.borrow_mut();
        let thing = number.checked_sub(1).and_then(|index| all.get_mut(index)).and_then(Option::as_mut);
        thing.map(work).ok_or_else(|| Failure::of_options("it is freed already"))
    }

    pub(crate) fn take(&self, number: usize) -> Option<T> {
        let mut all = self.0.borrow_mut();
        number.checked_sub(1).and_then(|index| all.get_mut(index)).and_then(Option::take)
    }
}

/// A stream of any format.
trait Items {
    fn push(&mut self, bytes: &[u8]);
    /// The address of the next item.
    fn next(&mut self) -> Option<Result<usize, Failure>>;
    fn end(&mut self);
    fn finish(self: Box<Self>) -> Result<(), DecodeError>;
    fn offset(&self) -> u64;
}

struct Of<D, S> {
    decoder: Decoder<S>,
    format: PhantomData<D>,
}

impl<D, S> Items for Of<D, S>
where
    D: Described,
    S: for<'a> ItemStream<Item<'a> = ItemOf<'a, D::Format>>,
{
    fn push(&mut self, bytes: &[u8]) {
        self.decoder.push(bytes);
    }

    fn next(&mut self) -> Option<Result<usize, Failure>> {
        let item = self.decoder.next()?;
        let item = item.map_err(|error| Failure::of_error(&error));
        Some(item.and_then(|item| objects::document(&D::item_to_json(item))))
    }

    fn end(&mut self) {
        self.decoder.end();
    }

    fn finish(self: Box<Self>) -> Result<(), DecodeError> {
        self.decoder.finish()
    }

    fn offset(&self) -> u64 {
        self.decoder.offset()
    }
}

fn of<D, S>(decoder: Decoder<S>, item_limit: usize) -> Box<dyn Items>
where
    D: Described,
    S: for<'a> ItemStream<Item<'a> = ItemOf<'a, D::Format>> + 'static,
{
    Box::new(Of::<D, S> { decoder: decoder.item_limit(item_limit), format: PhantomData })
}

/// The stream of a format without a length before each value.
fn unframed<D: Described>(options: &FormatOptions, item_limit: usize) -> Box<dyn Items> {
    of::<D, <D::Format as Format>::Stream>(Decoder::with_options(D::options(options)), item_limit)
}

#[cfg(feature = "godot")]
fn framed<const VERSION: u8>(framing: Framing, options: &FormatOptions, item_limit: usize) -> Box<dyn Items> {
    let options = GodotFormat::<VERSION>::options(options);
    of::<GodotFormat<VERSION>, _>(FrameDecoder::framed(framing, options), item_limit)
}

thread_local! {
    static DECODERS: Held<Box<dyn Items>> = const { Held::new() };
}

/// A new stream, by its number.
#[wasm_bindgen]
pub fn decoder_new(format: usize, options: &str, item_limit: f64) -> Result<usize, JsValue> {
    let new = || {
        let Request { options, .. } = Request::parse(options)?;
        // the cast saturates, so that a larger number means no limit
        let item_limit = item_limit as usize;
        #[cfg(feature = "godot")]
        let framed = match (format, Framing::given(&options)) {
            (3, Some(framing)) => Some(framed::<3>(framing, &options, item_limit)),
            (4, Some(framing)) => Some(framed::<4>(framing, &options, item_limit)),
            _ => None,
        };
        #[cfg(not(feature = "godot"))]
        let framed = None;
        let items = match framed {
            Some(items) => items,
            None => described!(format, D => Ok::<_, Failure>(unframed::<D>(&options, item_limit)))?,
        };
        Ok(DECODERS.with(|all| all.add(items)))
    };
    new().map_err(|error: Failure| error.thrown())
}

/// Takes the next bytes.
#[wasm_bindgen]
pub fn decoder_push(decoder: usize, bytes: &[u8]) -> Result<(), JsValue> {
    DECODERS.with(|all| all.with(decoder, |items| items.push(bytes))).map_err(Failure::thrown)
}

/// The address of the next item; 1 if more bytes are needed, or the end or an error was reached.
#[wasm_bindgen]
pub fn decoder_next(decoder: usize) -> usize {
    let next = DECODERS.with(|all| all.with(decoder, |items| items.next()));
    or_zero(next.and_then(|item| item.unwrap_or(Ok(1))))
}

/// Marks the end of the input: no more bytes will come.
#[wasm_bindgen]
pub fn decoder_end(decoder: usize) -> Result<(), JsValue> {
    DECODERS.with(|all| all.with(decoder, |items| items.end())).map_err(Failure::thrown)
}

/// The number of bytes that are decoded.
#[wasm_bindgen]
pub fn decoder_offset(decoder: usize) -> Result<f64, JsValue> {
    DECODERS.with(|all| all.with(decoder, |items| items.offset() as f64)).map_err(Failure::thrown)
}

/// Ends the stream, and frees it.
#[wasm_bindgen]
pub fn decoder_finish(decoder: usize) -> Result<(), JsValue> {
    let items = DECODERS.with(|all| all.take(decoder));
    items.map_or(Ok(()), Items::finish).map_err(|error| Failure::of_error(&error).thrown())
}

/// Frees a stream.
#[wasm_bindgen]
pub fn decoder_free(decoder: usize) {
    drop(DECODERS.with(|all| all.take(decoder)));
}
