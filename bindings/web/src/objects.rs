//! Documents as objects of JavaScript: values give their parts to a tape in linear memory, which `ts/tape.ts` reads; and documents
//! that are encoded come on such a tape, which `ts/write.ts` writes.
//!
//! The tape is a list of 32-bit words. The lowest four bits of a word are its kind, the others its argument. A value
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
//! | `SEEN` | a slot | | the string that is in this slot |
//! | `SHORT` | a slot | 1, and its bytes | a string of ASCII, which is in this slot from now on |
//! | `ASCII`, `TEXT` | the length in bytes | its bytes | a string |
//! | `BYTES` | the length | its bytes | a `Uint8Array` |
//! | `LIST` | a count | | takes this number of values from the stack |
//! | `OBJECT` | a shape | | takes a value for each name of the shape |
//! | `MAP` | a count | | takes this number of names and values, in turn |
//!
//! A shape is the list of the names of an object, in their order. [`shape_names`] returns it. Names that come from the bytes that were
//! decoded make a `MAP`, because shapes are kept.
//!
//! On the tape of a document that is encoded, `LIST` and `OBJECT` come before the values, and `END` comes after them. An object has
//! names and values in turn. Every string is `TEXT`, and its bytes are in a second memory, in order. Shapes, slots and `SINGLE` are
//! not used.

use std::cell::RefCell;

use enginewire::json::{self, Give, Receiver, Scalar, Tag};
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
const MAP: u32 = 14;

/// Arguments are smaller than this.
const LIMIT: usize = 1 << 28;

/// The number of short strings that are remembered, and the most bytes of one.
const SLOTS: usize = 1024;
const SLOT_BYTES: usize = 24;

thread_local! {
    static TAPE: RefCell<Tape> = RefCell::new(Tape::new());
}

/// Integers of 64 bits that a number of JavaScript holds exactly are smaller than this, and greater than its negative.
const EXACT: u64 = 1 << 53;

/// Writes a document onto the tape. Returns the address of its first word.
pub(crate) fn document(document: &dyn Give) -> Result<usize, Failure> {
    written(document, false)
}

/// The same, or a value in the plain form, where an integer of 64 bits is a number if it can be one.
pub(crate) fn written(document: &dyn Give, is_plain: bool) -> Result<usize, Failure> {
    TAPE.with_borrow_mut(|tape| {
        tape.is_plain = is_plain;
        tape.words.clear();
        // a large document must not keep its memory
        tape.words.shrink_to(1 << 18);
        document.give(tape);
        if let Some(reason) = tape.refused.take() {
            tape.forget();
            return Err(Failure::of_file("too-large", &reason, None));
        }
        tape.words.push(END);
        Ok(tape.words.as_ptr() as usize)
    })
}

/// Forgets the strings of a tape that JavaScript will not read.
pub(crate) fn forget() {
    TAPE.with_borrow_mut(Tape::forget);
}

/// The parts of a document that is encoded. After a word that means nothing, the rest is left out.
pub(crate) fn given<'t>(words: &'t [u8], text: &'t [u8]) -> json::Tape<'t> {
    // `ts/write.ts` refuses what UTF-8 cannot hold
    let (mut words, mut text) = (words, std::str::from_utf8(text).unwrap_or_default());
    let mut tape = json::Tape::with_capacity(words.len() / 4);
    let mut open = Vec::new();
    while let Some((word, rest)) = words.split_first_chunk() {
        words = rest;
        let word = u32::from_le_bytes(*word);
        let argument = word >> 4;
        let length = argument as usize;
        match word & 15 {
            END => open.pop().into_iter().for_each(|at| tape.close(at)),
            LIST | OBJECT => open.push(tape.open(word == OBJECT)),
            SMALL => tape.scalar(Scalar::I32(word as i32 >> 4)),
            TEXT => {
                let Some((string, rest)) = text.split_at_checked(length) else { break };
                text = rest;
                tape.scalar(Scalar::Text(string));
            }
            CONSTANT => tape.scalar(if argument == 0 { Scalar::Unit } else { Scalar::Bool(argument == 2) }),
            BYTES => {
                let Some((bytes, _)) = words.split_at_checked(length) else { break };
                words = words.get(length.next_multiple_of(4)..).unwrap_or_default();
                tape.scalar(Scalar::Bytes(bytes));
            }
            kind => {
                let Some((bits, rest)) = words.split_first_chunk() else { break };
                words = rest;
                let bits = u64::from_le_bytes(*bits);
                tape.scalar(match kind {
                    SIGNED => Scalar::I64(bits as i64),
                    UNSIGNED => Scalar::U64(bits),
                    _ => Scalar::F64(f64::from_bits(bits)),
                });
            }
        }
    }
    tape
}

/// The names of a shape, with line breaks between them.
#[wasm_bindgen]
pub fn shape_names(shape: usize) -> String {
    TAPE.with_borrow(|tape| {
        let mut names = Vec::new();
        let mut next = shape;
        while next != 0 {
            names.push(tape.shapes[next].name);
            next = tape.shapes[next].parent;
        }
        names.reverse();
        names.join("\n")
    })
}

/// A list of names: those of its parent and one more.
struct Shape {
    name: &'static str,
    parent: usize,
    /// Each with the address and length of a name that was used for it: most names are found by these, without comparing bytes.
    children: Vec<(*const u8, usize, usize)>,
}

/// A string that was written before.
#[derive(Clone, Copy)]
struct Slot {
    length: u8,
    bytes: [u8; SLOT_BYTES],
}

/// A list or map with the number of its items so far, or an object with the names of a shape.
#[derive(Clone, Copy)]
enum Open {
    List(usize),
    Map(usize),
    Object(usize),
}

impl Open {
    fn shape(self) -> usize {
        match self {
            Open::Object(shape) => shape,
            _ => 0,
        }
    }

    /// The same with one more item.
    fn and_one(self) -> Self {
        match self {
            Open::List(count) => Open::List(count + 1),
            Open::Map(count) => Open::Map(count + 1),
            object => object,
        }
    }
}

struct Tape {
    words: Vec<u32>,
    /// The first has no names.
    shapes: Vec<Shape>,
    slots: Box<[Slot]>,
    /// The list or object that is being written.
    open: Open,
    is_plain: bool,
    /// Why the document cannot be written.
    refused: Option<String>,
}

impl Tape {
    fn new() -> Self {
        Tape {
            words: Vec::new(),
            shapes: vec![Shape { name: "", parent: 0, children: Vec::new() }],
            slots: vec![Slot { length: 0, bytes: [0; SLOT_BYTES] }; SLOTS].into(),
            open: Open::List(0),
            is_plain: false,
            refused: None,
        }
    }

    /// Remembers no string.
    fn forget(&mut self) {
        self.slots.iter_mut().for_each(|slot| slot.length = 0);
    }

    fn word(&mut self, kind: u32, argument: usize) {
        if argument >= LIMIT {
            return self.refuse("objects hold texts, bytes and lists of up to 2^28; toText has no such limit");
        }
        self.words.push(kind | (argument as u32) << 4);
    }

    fn small(&mut self, number: i32) {
        if (number << 4) >> 4 == number {
            self.words.push(SMALL | (number as u32) << 4);
        } else {
            self.double(number.into());
        }
    }

    /// An integer that is a number.
    fn integer(&mut self, number: f64) {
        match number as i32 {
            small if f64::from(small) == number => self.small(small),
            _ => self.double(number),
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

    fn text(&mut self, text: &str) {
        let bytes = text.as_bytes();
        let is_ascii = text.is_ascii();
        if bytes.is_empty() || bytes.len() > SLOT_BYTES || !is_ascii {
            self.word(if is_ascii { ASCII } else { TEXT }, bytes.len());
            return self.bytes(bytes);
        }
        // whole words: a loop over bytes would take longer than the rest of this function
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
        self.word(SHORT, number);
        self.words.push(bytes.len() as u32);
        self.bytes(bytes);
    }

    /// The shape with one more name, which is one of the program.
    fn longer(&mut self, shape: usize, name: &'static str) -> usize {
        let (address, length) = (name.as_ptr(), name.len());
        let mut children = self.shapes[shape].children.iter();
        match children.find(|child| child.0 == address && child.1 == length) {
            Some(child) => child.2,
            None => {
                // the same name may be at several addresses
                let mut same = self.shapes[shape].children.iter().map(|child| child.2);
                let child = same.find(|child| self.shapes[*child].name == name).unwrap_or_else(|| {
                    self.shapes.push(Shape { name, parent: shape, children: Vec::new() });
                    self.shapes.len() - 1
                });
                self.shapes[shape].children.push((address, length, child));
                child
            }
        }
    }

    /// A number with these bits, which JavaScript does not keep if it is another NaN than the usual one.
    fn bits(&mut self, digits: usize, bits: u64) {
        self.text(&format!("0x{bits:0digits$x}"));
        let shape = self.longer(0, "bits");
        self.word(OBJECT, shape);
    }

    /// A value in a list or object.
    #[inline(always)] // a function less for each level
    fn part(&mut self, value: &dyn Give) {
        if self.refused.is_none() {
            value.give(self);
        }
    }
}

/// Numbers and bytes come as they are.
impl Receiver for Tape {
    fn scalar(&mut self, scalar: Scalar<'_>) {
        match scalar {
            Scalar::Unit | Scalar::None => self.word(CONSTANT, 0),
            Scalar::Bool(value) => self.word(CONSTANT, 1 + usize::from(value)),
            Scalar::U8(number) => self.small(number.into()),
            Scalar::U16(number) => self.small(number.into()),
            Scalar::U32(number) => match i32::try_from(number) {
                Ok(number) => self.small(number),
                Err(_) => self.double(number.into()),
            },
            Scalar::U64(number) if self.is_plain && number < EXACT => self.integer(number as f64),
            Scalar::I64(number) if self.is_plain && number.unsigned_abs() < EXACT => self.integer(number as f64),
            Scalar::U64(number) => self.wide(UNSIGNED, number),
            Scalar::I8(number) => self.small(number.into()),
            Scalar::I16(number) => self.small(number.into()),
            Scalar::I32(number) => self.small(number),
            Scalar::I64(number) => self.wide(SIGNED, number as u64),
            Scalar::F32(number) => match number.to_bits() {
                bits if number.is_nan() && bits != 0x7fc0_0000 && !self.is_plain => self.bits(8, bits.into()),
                bits => self.words.extend([SINGLE, bits]),
            },
            Scalar::F64(number) => match number.to_bits() {
                bits if number.is_nan() && bits != 0x7ff8_0000_0000_0000 && !self.is_plain => self.bits(16, bits),
                bits => self.wide(DOUBLE, bits),
            },
            Scalar::Text(text) | Scalar::Name(_, _, text) => self.text(text),
            Scalar::Bytes(bytes) => {
                self.word(BYTES, bytes.len());
                self.bytes(bytes);
            }
        }
    }

    fn tagged(&mut self, tag: Tag, value: &dyn Give) {
        value.give(self);
        if let Tag::Variant(_, _, name) = tag {
            let shape = self.longer(0, name);
            self.word(OBJECT, shape);
        }
    }

    fn list(&mut self, _: usize) {
        self.open = Open::List(0);
    }

    fn item(&mut self, value: &dyn Give) {
        let open = self.open;
        self.part(value);
        self.open = open.and_one();
    }

    fn structure(&mut self, _: &'static str, _: usize) {
        self.open = Open::Object(0);
    }

    fn member(&mut self, name: &'static str, value: &dyn Give) {
        let shape = self.open.shape();
        let shape = self.longer(shape, name);
        self.part(value);
        self.open = Open::Object(shape);
    }

    fn map(&mut self, _: Option<usize>) {
        self.open = Open::Map(0);
    }

    fn entry(&mut self, name: &str, value: &dyn Give) {
        let open = self.open;
        self.text(name);
        self.part(value);
        self.open = open.and_one();
    }

    fn end(&mut self) {
        match self.open {
            Open::List(length) => self.word(LIST, length),
            Open::Map(length) => self.word(MAP, length),
            Open::Object(shape) => self.word(OBJECT, shape),
        }
    }

    fn refuse(&mut self, reason: &str) {
        self.refused.get_or_insert_with(|| reason.to_owned());
    }
}
