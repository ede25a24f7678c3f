//! Documents as objects of JavaScript: a serializer writes them onto a tape in linear memory, which `ts/tape.ts` reads.
//!
//! The tape is a list of 32-bit words. The lowest four bits of a word say what it is, the others are its argument. A value
//! comes before the list or object that holds it, so that the reader needs a stack of values and no recursion.
//!
//! | word | argument | words after it | |
//! |---|---|---|---|
//! | `END` | | | the value on the stack is the document |
//! | `CONSTANT` | 0, 1, 2 | | null, false, true |
//! | `SMALL` | a signed integer of 28 bits | | a number |
//! | `SINGLE` | | 1 | a number |
//! | `DOUBLE` | | 2 | a number |
//! | `SIGNED`, `UNSIGNED` | | 2 | a bigint |
//! | `SEEN` | a slot | | the string that stands in this slot |
//! | `SHORT` | a slot | 1, and its bytes | a string of ASCII, and where it stands from now on |
//! | `ASCII`, `TEXT` | the length in bytes | its bytes | a string |
//! | `BYTES` | the length | its bytes | a `Uint8Array` |
//! | `LIST` | how many | | takes so many values from the stack |
//! | `OBJECT` | a shape | | takes a value for each name of the shape |
//!
//! A shape is the list of the names of an object, in their order. [`shape_names`] says what they are.

use std::cell::RefCell;
use std::fmt;

use enginewire::json::serialize_members;
use serde::ser::{
    Impossible, SerializeMap, SerializeSeq, SerializeStruct, SerializeStructVariant, SerializeTuple,
    SerializeTupleStruct, SerializeTupleVariant,
};
use serde::{Serialize, Serializer};
use wasm_bindgen::prelude::wasm_bindgen;

use crate::errors::Failure;

const END: u32 = 0;
const CONSTANT: u32 = 1;
const SMALL: u32 = 2;
const SINGLE: u32 = 3;
const DOUBLE: u32 = 4;
const SIGNED: u32 = 5;
const UNSIGNED: u32 = 6;
const SEEN: u32 = 7;
const SHORT: u32 = 8;
const ASCII: u32 = 9;
const TEXT: u32 = 10;
const BYTES: u32 = 11;
const LIST: u32 = 12;
const OBJECT: u32 = 13;

/// Arguments are smaller than this.
const LIMIT: usize = 1 << 28;

/// How many short strings are remembered, and how long they may be.
const SLOTS: usize = 1024;
const SLOT_BYTES: usize = 24;

thread_local! {
    static TAPE: RefCell<Tape> = RefCell::new(Tape::new());
}

/// Writes a document onto the tape, and gives the address of its first word.
pub(crate) fn document(document: &impl Serialize) -> Result<usize, Failure> {
    TAPE.with_borrow_mut(|tape| {
        tape.words.clear();
        // a document may have taken much more than others will
        tape.words.shrink_to(1 << 18);
        tape.is_uuid = false;
        let written = serialize_members(document, Writer(tape));
        if let Err(error) = written {
            // strings that the reader will not see are not remembered
            tape.slots.iter_mut().for_each(|slot| slot.length = 0);
            return Err(Failure::of_file("too-large", &error, None));
        }
        tape.words.push(END);
        Ok(tape.words.as_ptr() as usize)
    })
}

/// The names of a shape, with line breaks between them.
#[wasm_bindgen]
pub fn shape_names(shape: usize) -> String {
    TAPE.with_borrow(|tape| {
        let mut names = Vec::new();
        let mut next = shape;
        while next != 0 {
            names.push(&*tape.shapes[next].name);
            next = tape.shapes[next].parent;
        }
        names.reverse();
        names.join("\n")
    })
}

/// A list of names: those of its parent and one more.
struct Shape {
    name: String,
    parent: usize,
    /// Each with the address and length of a name that it was asked for by: most names are where they were before.
    children: Vec<(*const u8, usize, usize)>,
}

/// A string that was written before.
#[derive(Clone, Copy)]
struct Slot {
    length: u8,
    bytes: [u8; SLOT_BYTES],
}

struct Tape {
    words: Vec<u32>,
    /// The first has no names.
    shapes: Vec<Shape>,
    slots: Box<[Slot]>,
    /// Whether the next bytes are a UUID, which is text.
    is_uuid: bool,
}

impl Tape {
    fn new() -> Self {
        Tape {
            words: Vec::new(),
            shapes: vec![Shape { name: String::new(), parent: 0, children: Vec::new() }],
            slots: vec![Slot { length: 0, bytes: [0; SLOT_BYTES] }; SLOTS].into(),
            is_uuid: false,
        }
    }

    fn word(&mut self, kind: u32, argument: usize) -> Result<(), TapeError> {
        if argument >= LIMIT {
            return Err(TapeError(
                "objects hold texts, bytes and lists of up to 2^28; toText has no such limit".to_owned(),
            ));
        }
        self.words.push(kind | (argument as u32) << 4);
        Ok(())
    }

    fn small(&mut self, number: i32) {
        if (number << 4) >> 4 == number {
            self.words.push(SMALL | (number as u32) << 4);
        } else {
            self.double(number.into());
        }
    }

    fn double(&mut self, number: f64) {
        self.wide(DOUBLE, number.to_bits());
    }

    fn wide(&mut self, kind: u32, bits: u64) {
        self.words.extend([kind, bits as u32, (bits >> 32) as u32]);
    }

    fn bytes(&mut self, bytes: &[u8]) {
        self.words.reserve(bytes.len() / 4 + 1);
        let (whole, rest) = bytes.as_chunks::<4>();
        self.words.extend(whole.iter().map(|word| u32::from_le_bytes(*word)));
        if !rest.is_empty() {
            let mut word = [0; 4];
            word[..rest.len()].copy_from_slice(rest);
            self.words.push(u32::from_le_bytes(word));
        }
    }

    fn text(&mut self, text: &str) -> Result<(), TapeError> {
        let bytes = text.as_bytes();
        let is_ascii = text.is_ascii();
        if bytes.is_empty() || bytes.len() > SLOT_BYTES || !is_ascii {
            self.word(if is_ascii { ASCII } else { TEXT }, bytes.len())?;
            self.bytes(bytes);
            return Ok(());
        }
        // whole words, for a loop over bytes takes longer than all else here
        let (whole, rest) = bytes.as_chunks::<4>();
        let mut hash = (bytes.len() as u32) << 24;
        for word in whole {
            hash = (hash ^ u32::from_le_bytes(*word)).wrapping_mul(0x9e37_79b1);
        }
        for byte in rest {
            hash = (hash ^ u32::from(*byte)).wrapping_mul(0x9e37_79b1);
        }
        let number = (hash >> 22) as usize % SLOTS;
        let slot = &mut self.slots[number];
        if slot.bytes[..usize::from(slot.length)] == *bytes {
            return self.word(SEEN, number);
        }
        slot.length = bytes.len() as u8;
        slot.bytes[..bytes.len()].copy_from_slice(bytes);
        self.word(SHORT, number)?;
        self.words.push(bytes.len() as u32);
        self.bytes(bytes);
        Ok(())
    }

    /// The shape with one more name, which is one of the program.
    fn longer(&mut self, shape: usize, name: &'static str) -> usize {
        let (address, length) = (name.as_ptr(), name.len());
        let mut children = self.shapes[shape].children.iter();
        match children.find(|child| child.0 == address && child.1 == length) {
            Some(child) => child.2,
            None => {
                let child = self.named(shape, name);
                self.shapes[shape].children.push((address, length, child));
                child
            }
        }
    }

    /// The same for a name that may be anywhere.
    fn named(&mut self, shape: usize, name: &str) -> usize {
        let mut children = self.shapes[shape].children.iter().map(|child| child.2);
        if let Some(child) = children.find(|child| self.shapes[*child].name == name) {
            return child;
        }
        let child = self.shapes.len();
        self.shapes.push(Shape { name: name.to_owned(), parent: shape, children: Vec::new() });
        // no name has this address
        self.shapes[shape].children.push((std::ptr::null(), 0, child));
        child
    }

    /// `{name: text}`
    fn single(&mut self, name: &'static str, text: &str) -> Result<(), TapeError> {
        self.text(text)?;
        let shape = self.longer(0, name);
        self.word(OBJECT, shape)
    }
}

/// Why a document cannot be written.
#[derive(Debug)]
pub(crate) struct TapeError(String);

impl fmt::Display for TapeError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

impl std::error::Error for TapeError {}

impl serde::ser::Error for TapeError {
    fn custom<T: fmt::Display>(message: T) -> Self {
        TapeError(message.to_string())
    }
}

/// Writes one value.
struct Writer<'t>(&'t mut Tape);

type Written = Result<(), TapeError>;

impl<'t> Serializer for Writer<'t> {
    type Ok = ();
    type Error = TapeError;
    type SerializeSeq = List<'t>;
    type SerializeTuple = List<'t>;
    type SerializeTupleStruct = List<'t>;
    type SerializeTupleVariant = Object<'t>;
    type SerializeMap = Object<'t>;
    type SerializeStruct = Object<'t>;
    type SerializeStructVariant = Object<'t>;

    /// Numbers and bytes come as they are.
    fn is_human_readable(&self) -> bool {
        false
    }

    fn serialize_bool(self, value: bool) -> Written {
        self.0.word(CONSTANT, 1 + usize::from(value))
    }

    fn serialize_i8(self, number: i8) -> Written {
        self.serialize_i32(number.into())
    }

    fn serialize_i16(self, number: i16) -> Written {
        self.serialize_i32(number.into())
    }

    fn serialize_i32(self, number: i32) -> Written {
        self.0.small(number);
        Ok(())
    }

    fn serialize_i64(self, number: i64) -> Written {
        self.0.wide(SIGNED, number as u64);
        Ok(())
    }

    fn serialize_u8(self, number: u8) -> Written {
        self.serialize_i32(number.into())
    }

    fn serialize_u16(self, number: u16) -> Written {
        self.serialize_i32(number.into())
    }

    fn serialize_u32(self, number: u32) -> Written {
        match i32::try_from(number) {
            Ok(number) => self.0.small(number),
            Err(_) => self.0.double(number.into()),
        }
        Ok(())
    }

    fn serialize_u64(self, number: u64) -> Written {
        self.0.wide(UNSIGNED, number);
        Ok(())
    }

    /// JavaScript does not keep the bits of a NaN, so that all but one are objects.
    fn serialize_f32(self, number: f32) -> Written {
        let bits = number.to_bits();
        if number.is_nan() && bits != 0x7fc0_0000 {
            return self.0.single("bits", &format!("{bits:#010x}"));
        }
        self.0.words.extend([SINGLE, bits]);
        Ok(())
    }

    fn serialize_f64(self, number: f64) -> Written {
        let bits = number.to_bits();
        if number.is_nan() && bits != 0x7ff8_0000_0000_0000 {
            return self.0.single("bits", &format!("{bits:#018x}"));
        }
        self.0.wide(DOUBLE, bits);
        Ok(())
    }

    fn serialize_char(self, value: char) -> Written {
        self.serialize_str(value.encode_utf8(&mut [0; 4]))
    }

    fn serialize_str(self, text: &str) -> Written {
        self.0.text(text)
    }

    fn serialize_bytes(self, bytes: &[u8]) -> Written {
        match (self.0.is_uuid, <[u8; 16]>::try_from(bytes)) {
            #[cfg(feature = "scrap_mechanic")]
            (true, Ok(uuid)) => self.0.text(&enginewire::scrap_mechanic::lua_object::Uuid(uuid).to_string()),
            _ => {
                self.0.word(BYTES, bytes.len())?;
                self.0.bytes(bytes);
                Ok(())
            }
        }
    }

    fn serialize_none(self) -> Written {
        self.serialize_unit()
    }

    fn serialize_some<T: Serialize + ?Sized>(self, value: &T) -> Written {
        value.serialize(self)
    }

    fn serialize_unit(self) -> Written {
        self.0.word(CONSTANT, 0)
    }

    fn serialize_unit_struct(self, _: &'static str) -> Written {
        self.serialize_unit()
    }

    fn serialize_unit_variant(self, _: &'static str, _: u32, name: &'static str) -> Written {
        self.serialize_str(name)
    }

    fn serialize_newtype_struct<T: Serialize + ?Sized>(self, _: &'static str, value: &T) -> Written {
        value.serialize(self)
    }

    fn serialize_newtype_variant<T: Serialize + ?Sized>(
        self,
        _: &'static str,
        _: u32,
        name: &'static str,
        value: &T,
    ) -> Written {
        value.serialize(Writer(self.0))?;
        let shape = self.0.longer(0, name);
        self.0.word(OBJECT, shape)
    }

    fn serialize_seq(self, _: Option<usize>) -> Result<List<'t>, TapeError> {
        Ok(List { tape: self.0, length: 0 })
    }

    fn serialize_tuple(self, _: usize) -> Result<List<'t>, TapeError> {
        self.serialize_seq(None)
    }

    fn serialize_tuple_struct(self, _: &'static str, _: usize) -> Result<List<'t>, TapeError> {
        self.serialize_seq(None)
    }

    fn serialize_tuple_variant(
        self,
        _: &'static str,
        _: u32,
        name: &'static str,
        _: usize,
    ) -> Result<Object<'t>, TapeError> {
        Err(TapeError(format!("a document has no list {name}")))
    }

    fn serialize_map(self, _: Option<usize>) -> Result<Object<'t>, TapeError> {
        Ok(Object { tape: self.0, shape: 0, variant: None })
    }

    fn serialize_struct(self, _: &'static str, _: usize) -> Result<Object<'t>, TapeError> {
        self.serialize_map(None)
    }

    fn serialize_struct_variant(
        self,
        _: &'static str,
        _: u32,
        name: &'static str,
        _: usize,
    ) -> Result<Object<'t>, TapeError> {
        Ok(Object { tape: self.0, shape: 0, variant: Some(name) })
    }
}

struct List<'t> {
    tape: &'t mut Tape,
    length: usize,
}

impl List<'_> {
    fn item<T: Serialize + ?Sized>(&mut self, value: &T) -> Written {
        self.length += 1;
        value.serialize(Writer(self.tape))
    }
}

impl SerializeSeq for List<'_> {
    type Ok = ();
    type Error = TapeError;

    fn serialize_element<T: Serialize + ?Sized>(&mut self, value: &T) -> Written {
        self.item(value)
    }

    fn end(self) -> Written {
        self.tape.word(LIST, self.length)
    }
}

impl SerializeTuple for List<'_> {
    type Ok = ();
    type Error = TapeError;

    fn serialize_element<T: Serialize + ?Sized>(&mut self, value: &T) -> Written {
        self.item(value)
    }

    fn end(self) -> Written {
        SerializeSeq::end(self)
    }
}

impl SerializeTupleStruct for List<'_> {
    type Ok = ();
    type Error = TapeError;

    fn serialize_field<T: Serialize + ?Sized>(&mut self, value: &T) -> Written {
        self.item(value)
    }

    fn end(self) -> Written {
        SerializeSeq::end(self)
    }
}

struct Object<'t> {
    tape: &'t mut Tape,
    shape: usize,
    /// The name of the member that the object is in, where it is a variant.
    variant: Option<&'static str>,
}

impl Object<'_> {
    fn member<T: Serialize + ?Sized>(&mut self, value: &T) -> Written {
        value.serialize(Writer(self.tape))
    }

    fn named<T: Serialize + ?Sized>(&mut self, name: &'static str, value: &T) -> Written {
        self.shape = self.tape.longer(self.shape, name);
        if name != "uuid" {
            return self.member(value);
        }
        self.tape.is_uuid = true;
        let written = self.member(value);
        self.tape.is_uuid = false;
        written
    }

    fn finish(self) -> Written {
        self.tape.word(OBJECT, self.shape)?;
        match self.variant {
            Some(name) => {
                let shape = self.tape.longer(0, name);
                self.tape.word(OBJECT, shape)
            }
            None => Ok(()),
        }
    }
}

impl SerializeStruct for Object<'_> {
    type Ok = ();
    type Error = TapeError;

    fn serialize_field<T: Serialize + ?Sized>(&mut self, name: &'static str, value: &T) -> Written {
        self.named(name, value)
    }

    fn end(self) -> Written {
        self.finish()
    }
}

impl SerializeStructVariant for Object<'_> {
    type Ok = ();
    type Error = TapeError;

    fn serialize_field<T: Serialize + ?Sized>(&mut self, name: &'static str, value: &T) -> Written {
        self.named(name, value)
    }

    fn end(self) -> Written {
        self.finish()
    }
}

impl SerializeTupleVariant for Object<'_> {
    type Ok = ();
    type Error = TapeError;

    fn serialize_field<T: Serialize + ?Sized>(&mut self, value: &T) -> Written {
        self.member(value)
    }

    fn end(self) -> Written {
        self.finish()
    }
}

/// The names of members are those of the JSON form: none comes from the bytes that were decoded.
impl SerializeMap for Object<'_> {
    type Ok = ();
    type Error = TapeError;

    fn serialize_key<T: Serialize + ?Sized>(&mut self, name: &T) -> Written {
        let shape = name.serialize(Name { tape: self.tape, shape: self.shape })?;
        self.tape.is_uuid = self.tape.shapes[shape].name == "uuid";
        self.shape = shape;
        Ok(())
    }

    fn serialize_value<T: Serialize + ?Sized>(&mut self, value: &T) -> Written {
        let written = self.member(value);
        self.tape.is_uuid = false;
        written
    }

    fn end(self) -> Written {
        self.finish()
    }
}

/// Takes the name of a member, and gives the shape with it.
struct Name<'t> {
    tape: &'t mut Tape,
    shape: usize,
}

/// No other value can be a name.
macro_rules! no_names {
    ($($method:ident($type:ty);)*) => {$(
        fn $method(self, _: $type) -> Result<usize, TapeError> {
            Err(no_name())
        }
    )*};
}

#[cold]
fn no_name() -> TapeError {
    TapeError("the name of a member is no text".to_owned())
}

impl Serializer for Name<'_> {
    type Ok = usize;
    type Error = TapeError;
    type SerializeSeq = Impossible<usize, TapeError>;
    type SerializeTuple = Impossible<usize, TapeError>;
    type SerializeTupleStruct = Impossible<usize, TapeError>;
    type SerializeTupleVariant = Impossible<usize, TapeError>;
    type SerializeMap = Impossible<usize, TapeError>;
    type SerializeStruct = Impossible<usize, TapeError>;
    type SerializeStructVariant = Impossible<usize, TapeError>;

    no_names! {
        serialize_bool(bool);
        serialize_i8(i8);
        serialize_i16(i16);
        serialize_i32(i32);
        serialize_i64(i64);
        serialize_u8(u8);
        serialize_u16(u16);
        serialize_u32(u32);
        serialize_u64(u64);
        serialize_f32(f32);
        serialize_f64(f64);
        serialize_char(char);
        serialize_bytes(&[u8]);
        serialize_unit_struct(&'static str);
    }

    fn serialize_str(self, name: &str) -> Result<usize, TapeError> {
        Ok(self.tape.named(self.shape, name))
    }

    fn serialize_none(self) -> Result<usize, TapeError> {
        Err(no_name())
    }

    fn serialize_some<T: Serialize + ?Sized>(self, _: &T) -> Result<usize, TapeError> {
        Err(no_name())
    }

    fn serialize_unit(self) -> Result<usize, TapeError> {
        Err(no_name())
    }

    fn serialize_unit_variant(self, _: &'static str, _: u32, name: &'static str) -> Result<usize, TapeError> {
        self.serialize_str(name)
    }

    fn serialize_newtype_struct<T: Serialize + ?Sized>(self, _: &'static str, name: &T) -> Result<usize, TapeError> {
        name.serialize(self)
    }

    fn serialize_newtype_variant<T: Serialize + ?Sized>(
        self,
        _: &'static str,
        _: u32,
        _: &'static str,
        _: &T,
    ) -> Result<usize, TapeError> {
        Err(no_name())
    }

    fn serialize_seq(self, _: Option<usize>) -> Result<Self::SerializeSeq, TapeError> {
        Err(no_name())
    }

    fn serialize_tuple(self, _: usize) -> Result<Self::SerializeTuple, TapeError> {
        Err(no_name())
    }

    fn serialize_tuple_struct(self, _: &'static str, _: usize) -> Result<Self::SerializeTupleStruct, TapeError> {
        Err(no_name())
    }

    fn serialize_tuple_variant(
        self,
        _: &'static str,
        _: u32,
        _: &'static str,
        _: usize,
    ) -> Result<Self::SerializeTupleVariant, TapeError> {
        Err(no_name())
    }

    fn serialize_map(self, _: Option<usize>) -> Result<Self::SerializeMap, TapeError> {
        Err(no_name())
    }

    fn serialize_struct(self, _: &'static str, _: usize) -> Result<Self::SerializeStruct, TapeError> {
        Err(no_name())
    }

    fn serialize_struct_variant(
        self,
        _: &'static str,
        _: u32,
        _: &'static str,
        _: usize,
    ) -> Result<Self::SerializeStructVariant, TapeError> {
        Err(no_name())
    }
}
