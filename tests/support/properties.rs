//! The promises, for any bytes of any format. Each panics where it does not hold.

use std::io;

use allocation_counter::measure;
use arbitrary::Unstructured;
use bstr::ByteSlice;
use data_encoding::HEXLOWER_PERMISSIVE;
use enginewire::formats::{self, DecodeJsonError, Described, EditError, FormatOptions, JsonForm, JsonWriter};
use enginewire::json::Give;
use enginewire::wire::{self, Decoder, Format, Node, Tree, TreePart, TreeParts};
use enginewire::{DecodeError, DecodeOwnedError, Offset, Segment};
use nom::{Err, Needed};
use pretty_assertions::assert_eq;

use super::codec::{Codec, FormatOf, Options, Value};
use super::mutate::mutate;
use super::random::Random;
use super::unprintable::is_unprintable;
use super::Blob;

/// Memory that any decoding may take, however short the input.
pub(crate) const CONSTANT: usize = 64 * 1024;

/// Serde reads the same value from the bytes and from the decoded value, and gives the same error for bytes that cannot be
/// decoded. Fields that hold any value change nothing.
pub(crate) fn typed<C: Codec>(bytes: &[u8]) {
    for options in C::options() {
        let [read, in_memory] = C::typed(bytes, &options);
        assert_eq!(read, in_memory);
        match C::decode(bytes, &options) {
            Ok(value) => {
                assert!(read.is_ok(), "{read:?}");
                assert_eq!(C::encode(&C::exact(C::into_owned(value.clone()))), C::encode(&value));
            }
            Err(error) => assert_eq!(read, Err(error)),
        }
    }
}

/// Decoding, with and without keeping its input, agrees with checking. Both and streaming stay within their bounds of memory and
/// depth. Input that is cut is recognised as cut.
pub(crate) fn decode<C: Codec>(bytes: &[u8]) {
    for options in C::options() {
        let mut decoded = None;
        let peak = peak(|| decoded = Some(C::decode(bytes, &options)));
        let bound = CONSTANT + C::MEMORY * bytes.len();
        assert!(peak <= bound as u64, "decoding {} bytes takes {peak}, more than {bound}", bytes.len());

        let (mut owned, input) = (None, bytes.to_vec());
        let peak = measure(|| owned = Some(C::decode_owned(input, &options))).bytes_max;
        assert!(peak <= bound as u64, "decoding {} bytes and keeping them takes {peak}", bytes.len());
        let error = owned.and_then(Result::err).map(DecodeOwnedError::into_parts);
        let expected = decoded.as_ref().and_then(|decoded| decoded.as_ref().err());
        assert_eq!(error, expected.map(|error| (error.clone(), bytes.to_vec())), "what is not decoded comes back");

        let mut checked = None;
        let blocks = measure(|| checked = Some(C::check(bytes, &options))).count_total;
        match (decoded, checked) {
            (Some(Ok(value)), Some(Ok(_))) => {
                assert!(blocks <= C::CHECK_BLOCKS, "checking allocates {blocks} blocks");
                let depth = C::depth(&value);
                assert!(depth <= usize::from(C::max_depth()), "containers nest to {depth}");
                // a tree of more would take longer than all the rest
                if (1..1 << 14).contains(&bytes.len()) {
                    cut::<C>(bytes, &options, Random::of(bytes).below(bytes.len()));
                }
            }
            (Some(Err(error)), Some(Err(same))) => {
                assert_eq!(error, same);
                assert!(error.offset() <= (bytes.len() as u64).into(), "{error} lies beyond {} bytes", bytes.len());
            }
            (decoded, checked) => panic!("decoding gives {decoded:?}, and checking {checked:?}"),
        }

        let peak = measure(|| {
            let mut decoder = stream_decoder::<C>(&options);
            for piece in bytes.chunks(4096) {
                decoder.push(piece);
                while let Some(item) = decoder.next() {
                    drop(item);
                }
            }
        });
        let bound = CONSTANT + (3 + C::MEMORY) * bytes.len();
        assert!(peak.bytes_max <= bound as u64, "streaming {} bytes takes {peak:?}", bytes.len());
    }
}

/// The peak memory of some work.
fn peak(work: impl FnOnce()) -> u64 {
    measure(work).bytes_max
}

/// The peak memory of decoding. All of it is freed, and that of copies too.
pub(crate) fn memory<C: Codec>(bytes: &[u8]) -> u64 {
    let [_, options] = C::options();
    let decoded = measure(|| drop(C::decode(bytes, &options)));
    let copied = measure(|| drop(C::decode(bytes, &options).map(|value| C::into_owned(value.clone()))));
    assert_eq!((decoded.bytes_current, copied.bytes_current), (0, 0), "memory that is never freed");
    decoded.bytes_max
}

/// Canonical bytes come back; others as canonical bytes of the same value.
pub(crate) fn roundtrip<C: Codec>(bytes: &[u8]) {
    for options in C::options() {
        let Ok(value) = C::decode(bytes, &options) else { continue };
        let encoded = C::encode_with(&value, &options).unwrap();
        assert_eq!(encoded == bytes, C::check(bytes, &options).unwrap(), "canonical or not?");
        assert_eq!(C::check(&encoded, &options), Ok(true), "what is encoded must be canonical");
        same::<C>(&C::decode(&encoded, &options).unwrap(), &value);
        same::<C>(&C::into_owned(value.clone()), &value);
        kept::<C>(bytes, &options, &value);
    }
}

/// A value that has its input with it is the same as one that borrows from it, and the input comes back.
fn kept<C: Codec>(bytes: &[u8], options: &Options<C>, value: &Value<'_, C>) {
    let kept = C::decode_owned(bytes.to_vec(), options).unwrap();
    let (clone, again) = (kept.clone(), value.clone());
    assert_eq!((kept.bytes(), clone.bytes()), (bytes, bytes));
    // with NaN, a value is not equal to itself
    assert_eq!(kept == clone, value == &again);
    assert_eq!(kept.into_bytes(), bytes);
    same::<C>(clone.value(), value);
    assert_eq!(clone.into_bytes(), bytes);
}

/// Any value comes back from its bytes; `entropy` decides which.
pub(crate) fn arbitrary<C: Codec>(entropy: &[u8]) {
    let Ok(value) = C::arbitrary(&mut Unstructured::new(entropy)) else { return };
    let [_, lenient] = C::options();
    let bytes = C::encode(&value).unwrap();
    assert_eq!(C::check(&bytes, &lenient), Ok(true), "what is encoded must be canonical");
    same::<C>(&C::decode(&bytes, &lenient).unwrap(), &value);
}

/// The depths around the limit of a format, and what is far beyond it.
fn depths<C: Codec>() -> [u16; 6] {
    let most = C::max_depth();
    [0, 1, most - 1, most, most + 1, u16::MAX]
}

/// With any options, a value that can be encoded can be decoded with the same options, and is the same. No requested
/// depth overflows the stack, or allows decoding a value that cannot be encoded.
pub(crate) fn depth<C: Codec>(entropy: &[u8]) {
    let Ok(value) = C::arbitrary(&mut Unstructured::new(entropy)) else { return };
    let any = Random::of(entropy).below(1 << 16) as u16;
    for given in [FormatOptions::new(), C::lenient()] {
        let asked = depths::<C>().into_iter().chain([any]);
        let asked = asked.map(|depth| given.clone().set("max_depth", depth).unwrap()).chain([given.clone()]);
        for options in asked.map(|given| C::Described::options(&given)) {
            if let Ok(bytes) = C::encode_with(&value, &options) {
                same::<C>(&C::decode(&bytes, &options).unwrap(), &value);
            }
        }
    }
    deepest_within::<C>(&[Some(any)]);
}

/// The same for the deepest inputs, which are large.
pub(crate) fn deepest<C: Codec>() {
    let asked: Vec<_> = depths::<C>().into_iter().map(Some).chain([None]).collect();
    deepest_within::<C>(&asked);
}

fn deepest_within<C: Codec>(depths: &[Option<u16>]) {
    let inputs = C::deepest();
    for given in [FormatOptions::new(), C::lenient()] {
        for depth in depths {
            let asked = depth.map_or(given.clone(), |depth| given.clone().set("max_depth", depth).unwrap());
            let options = C::Described::options(&asked);
            for deep in &inputs {
                if let Ok(value) = C::decode(deep, &options) {
                    assert_eq!(C::encode_with(&value, &options).as_ref(), Ok(deep));
                }
            }
        }
    }
}

fn stream_decoder<C: Codec>(options: &Options<C>) -> Decoder<<FormatOf<C> as Format>::Stream> {
    Decoder::with_options(*options)
}

/// Cut in any way, the same items and the same error come out as from one call.
pub(crate) fn chunking<C: Codec>(bytes: &[u8]) {
    for options in C::options() {
        chunking_with::<C>(bytes, &options);
    }
}

pub(crate) fn chunking_with<C: Codec>(bytes: &[u8], options: &Options<C>) {
    let expected = C::decode_partial(bytes, options);
    match C::decode(bytes, options) {
        Ok(value) => assert_eq!(expected, (C::items_bytes(&value), None)),
        Err(error) => assert_eq!(expected.1, Some(error)),
    }
    let decoder = || stream_decoder::<C>(options);
    let pieces = |size: usize| bytes.chunks(size.min(bytes.len().max(1)));
    for size in [1, 7, usize::MAX] {
        assert_eq!(streamed::<C>(decoder(), pieces(size)), expected, "pieces of {size}");
    }
    let mut random = Random::of(bytes);
    let limit = random.below(bytes.len() + 1);
    let limited = streamed::<C>(decoder().item_limit(limit), pieces(usize::MAX));
    for _ in 0..2 {
        let pieces = uneven(bytes, &mut random);
        let sizes: Vec<usize> = pieces.iter().map(|piece| piece.len()).collect();
        assert_eq!(streamed::<C>(decoder(), pieces.iter().copied()), expected, "pieces of {sizes:?}");
        let again = streamed::<C>(decoder().item_limit(limit), pieces.into_iter());
        assert_eq!(again, limited, "pieces of {sizes:?}, items of at most {limit}");
    }

    let reader = || Dribble { bytes, interrupted: false };
    let (mut items, mut error) = (Vec::new(), None);
    for item in decoder().read(reader()) {
        match item {
            Ok(item) => items.push(C::item_bytes(item)),
            Err(found) => error = Some(found.to_string()),
        }
    }
    assert_eq!((items, error), (expected.0, expected.1.map(|error| error.to_string())), "read");

    let mut notes = Vec::new();
    let checked = decoder().check(reader(), |offset, note| notes.push((offset, note)));
    let checked = checked.map(|_| notes).map_err(|error| error.to_string());
    assert_eq!(checked, C::notes(bytes, options).map_err(|error| error.to_string()), "checked");
}

/// A value comes back from its document, and a document that may be anything is survived.
pub(crate) fn json<C: Codec>(bytes: &[u8]) {
    for options in C::options() {
        if let Ok(value) = C::decode(bytes, &options) {
            let text = C::to_json(value.clone());
            same::<C>(&C::from_json(text.as_bytes()).unwrap(), &value);
        }
    }
    if let Ok(value) = C::from_json(bytes) {
        // a document may nest deeper than a value can be written
        if C::encode(&value).is_ok() {
            same::<C>(&C::from_json(C::to_json(value.clone()).as_bytes()).unwrap(), &value);
        }
    }
}

/// The plain form keeps everything if the value itself provides the types. Any text is accepted or refused without a panic. If it
/// changes another value, the result is the value in the text.
pub(crate) fn plain<C: Codec>(bytes: &[u8]) {
    let format = formats::by_name(C::Described::NAME).unwrap();
    let written = |bytes: &[u8], given: &FormatOptions| {
        let mut text = Vec::new();
        let mut out = JsonWriter::new(&mut text).form(JsonForm::Plain);
        format.decode_json(bytes, given, &mut out).map(|()| text)
    };
    let made = C::arbitrary(&mut Unstructured::new(bytes)).map(|value| C::encode(&value).unwrap());
    for bytes in made.iter().map(Vec::as_slice).chain([bytes]) {
        for given in [FormatOptions::new(), C::lenient()] {
            let Ok(text) = written(bytes, &given) else { continue };
            let encoded = |like: &[u8]| format.encode_form(JsonForm::Plain, &text, Some(like), &given);
            assert_eq!(encoded(bytes).unwrap(), bytes, "{}", String::from_utf8_lossy(&text));
            // a key that is there several times has a place, which is another where others are missing
            if text.contains_str("\"[#") {
                continue;
            }
            let tree = C::inspect(bytes, &C::Described::options(&given));
            let other = mutate(bytes, &tree, &mut Random::new(bytes.len() as u64));
            if let Ok(changed) = encoded(&other) {
                assert_eq!(without_widths(&written(&changed, &given).unwrap()), without_widths(&text));
            }
        }
    }
    if let Ok(encoded) = format.encode_form(JsonForm::Plain, bytes, None, &C::lenient()) {
        assert_eq!(without_widths(&written(&encoded, &C::lenient()).unwrap()), without_widths(bytes));
    }
}

/// A JSON text without the differences that depend on a type: a number may be rounded, an integer of 64 bits may be a text, and
/// bytes may be text. `None` if it nests too deeply for `serde_json` alone.
fn without_widths(text: &[u8]) -> Option<serde_json::Value> {
    fn narrow(json: &mut serde_json::Value) {
        match json {
            serde_json::Value::Array(items) => items.iter_mut().for_each(narrow),
            serde_json::Value::Object(members) => match members.get("hex").and_then(|hex| text_of_hex(hex.as_str()?)) {
                Some(text) if members.len() == 1 => {
                    *json = text.into();
                    narrow(json);
                }
                _ => members.values_mut().for_each(narrow),
            },
            serde_json::Value::Number(number) => *json = (number.as_f64().unwrap() as f32).to_string().into(),
            serde_json::Value::String(text) => {
                if let Ok(number) = text.parse::<i128>() {
                    *json = (number as f32).to_string().into();
                }
            }
            _ => {}
        }
    }
    fn text_of_hex(digits: &str) -> Option<String> {
        String::from_utf8(HEXLOWER_PERMISSIVE.decode(digits.as_bytes()).ok()?).ok()
    }
    let mut json = serde_json::from_slice(text).ok()?;
    narrow(&mut json);
    Some(json)
}

/// The text of a value in its engine's notation is one line, and is read as the same value.
pub(crate) fn notation<C: Codec>(bytes: &[u8]) {
    let decoded = C::options().into_iter().filter_map(|options| C::decode(bytes, &options).ok());
    let made = C::arbitrary(&mut Unstructured::new(bytes)).ok();
    for value in decoded.map(C::into_owned).chain(made) {
        for (text, again) in C::notation(&value) {
            assert!(!text.contains(is_unprintable), "{text:?}");
            let again = again.unwrap_or_else(|error| panic!("{error}: {text}"));
            assert_eq!(C::encode(&again).unwrap(), C::encode(&value).unwrap(), "{text}");
        }
    }
    if let Ok(text) = std::str::from_utf8(bytes) {
        let format = formats::by_name(C::Described::NAME).unwrap();
        if let Err(EditError::Invalid(error)) = format.encode_notation(text, &C::lenient()) {
            assert!(error.offset().is_none_or(|offset| text.is_char_boundary(offset)), "{error}");
            assert!(!error.to_string().contains(is_unprintable), "{error:?}");
        }
    }
}

/// A format that is chosen at run time gives the same results as its types.
pub(crate) fn dynamic<C: Codec>(bytes: &[u8]) {
    let format = formats::by_name(C::Described::NAME).unwrap();
    for given in [FormatOptions::new(), C::lenient()] {
        let options = C::Described::options(&given);
        let mut document = Vec::new();
        let written = format.decode_json(bytes, &given, &mut JsonWriter::new(&mut document));
        match (C::decode(bytes, &options), written) {
            (Ok(value), Ok(())) => {
                let encoded = format.encode_json(&document, &given).unwrap();
                same::<C>(&C::decode(&encoded, &options).unwrap(), &value);
                assert_eq!(String::from_utf8(document).unwrap(), C::to_json(value));
            }
            (Err(error), Err(DecodeJsonError::Decode(same))) => {
                assert_eq!(same, error);
                assert!(document.is_empty(), "nothing is written of what is broken");
            }
            (value, written) => panic!("decoding gives {value:?}, and {written:?} as JSON"),
        }
        match (C::decode(bytes, &options), format.decode_notation(bytes, &given)) {
            (Ok(value), Ok(text)) => {
                let encoded = format.encode_notation(&text, &given).unwrap();
                same::<C>(&C::decode(&encoded, &options).unwrap(), &value);
            }
            (Err(error), Err(same)) => assert_eq!(same, error),
            (value, text) => panic!("decoding gives {value:?}, and {text:?} as text"),
        }
        let checked = format.check(bytes, &given).map(|checked| checked.findings);
        assert_eq!(checked.map(|findings| findings.is_canonical()), C::check(bytes, &options));
        assert_eq!(format.inspect(bytes, &given).error(), C::inspect(bytes, &options).error());

        let (mut items, mut stream) = (Vec::new(), format.stream(usize::MAX, &given));
        for piece in bytes.chunks(100) {
            stream.push(piece);
            items.extend(std::iter::from_fn(|| stream.next()?.ok()));
        }
        stream.end();
        items.extend(std::iter::from_fn(|| stream.next()?.ok()));
        let partial = wire::format::decode_partial::<FormatOf<C>>(bytes, &options);
        assert_eq!(stream.finish().err(), partial.error);
        let expected = partial.value.iter().flat_map(C::items).map(C::Described::item_to_json);
        assert_eq!(items, expected.map(|item| serde_json::to_string::<dyn Give>(&item).unwrap()).collect::<Vec<_>>());
    }
}

/// The tree never fails. Its ranges lie side by side and within each other, and cover the input; it knows of the same
/// error as decoding, at the same place.
pub(crate) fn inspect<C: Codec>(bytes: &[u8]) {
    for options in C::options() {
        let tree = C::inspect(bytes, &options);
        covers(&tree, bytes.len() as u64);
        let decoded = C::decode(bytes, &options);
        assert_eq!(tree.error(), decoded.as_ref().err());
        let broken = tree.nodes().rfind(|node| node.broken);
        match (&broken, tree.error()) {
            (Some(broken), Some(error)) => {
                assert_eq!(tree.path(broken).to_string(), error.path().to_string());
                assert!(broken.range.contains(&error.offset()) || broken.range.end == error.offset(), "{error}");
            }
            (None, Some(error)) => assert!(error.path().segments().is_empty(), "no part is broken, and yet {error}"),
            (Some(broken), None) => panic!("{broken:?} is broken, but nothing is wrong"),
            (None, None) => {}
        }
        parts::<C>(bytes, &options, &tree);
    }
}

/// The parts of a tree make up the whole tree, however it is divided, except for the values of the nodes around the
/// items.
fn parts<C: Codec>(bytes: &[u8], options: &Options<C>, tree: &Tree) {
    // the number of a node is that in its part
    fn plain(mut node: Node<'_>) -> Node<'_> {
        node.index = 0;
        node
    }
    let parts = |whole| TreeParts::<FormatOf<C>>::new(bytes, options, 256 << 20).whole_within(whole);
    let whole: Vec<_> = parts(usize::MAX).map(|part| part.tree).collect();
    assert_eq!(&whole[..], std::slice::from_ref(tree));
    let (mut nodes, mut around, mut last) = (Vec::new(), Vec::new(), None);
    let parts: Vec<_> = parts(0).collect();
    for TreePart { tree: part, repeated, .. } in &parts {
        let ended = last.replace(part);
        assert!(ended.is_none_or(|part: &Tree| (part.error(), part.gap(), part.limit()) == (None, None, None)));
        assert_eq!(part.length(), tree.length());
        around.extend(part.nodes().take(*repeated).map(plain));
        nodes.extend(part.nodes().skip(*repeated).map(plain));
    }
    let last = last.unwrap();
    assert_eq!((last.error(), last.gap(), last.note()), (tree.error(), tree.gap(), tree.note()));
    assert_eq!(nodes.len(), tree.nodes().len());
    for (mut node, whole) in nodes.into_iter().zip(tree.nodes().map(plain)) {
        if around.contains(&node) {
            node.value = whole.value;
        }
        assert_eq!(node, whole);
    }
}

/// Every byte belongs to one part that has no parts itself, or to the gap at the end.
fn covers(tree: &Tree, length: u64) {
    let mut covered = Offset::default();
    let mut around: Vec<Offset> = Vec::new();
    let mut nodes = tree.nodes().peekable();
    while let Some(node) = nodes.next() {
        assert!(node.depth <= around.len(), "{node:?} skips a level");
        around.drain(node.depth..).rev().for_each(|end| assert_eq!(end, covered, "a part ends before {node:?}"));
        assert_eq!(node.range.start, covered, "{node:?} leaves a gap or overlaps");
        if nodes.peek().is_none_or(|next| next.depth <= node.depth) {
            covered = node.range.end;
        }
        assert!(around.last().is_none_or(|end| node.range.end <= *end), "{node:?} reaches out of its parent");
        around.push(node.range.end);
    }
    around.iter().rev().for_each(|end| assert_eq!(*end, covered, "the last parts end together"));
    assert_eq!(tree.length(), length);
    let length = Offset::from(length);
    assert_eq!(tree.gap(), (covered < length).then_some(covered..length));
}

/// The bytes decode to the document, and both encode to the bytes.
///
/// Bytes are compared and not values, because NaN is not equal to itself; two values with the same bytes are the same.
pub(crate) fn lossless<C: Codec>(blob: &Blob) {
    let [_, options] = C::options();
    let decoded = C::decode(&blob.bytes, &options).unwrap();
    let expected = C::from_json(&blob.document).unwrap();
    assert_eq!(C::encode_as(&expected, &decoded).unwrap(), blob.bytes);
    assert_eq!(C::encode_as(&decoded, &decoded).unwrap(), blob.bytes);
    let owned = C::into_owned(decoded.clone());
    assert_eq!(C::encode_as(&owned, &decoded).unwrap(), blob.bytes);
    let again = C::from_json(C::to_json(owned).as_bytes()).unwrap();
    assert_eq!(C::encode_as(&again, &decoded).unwrap(), blob.bytes);
}

/// Input that is cut at any byte is recognised as cut. For input that is cut between the bits of a byte, with zeros for
/// the missing bits, the tree has the same error as decoding.
pub(crate) fn truncation<C: Codec>(bytes: &[u8]) {
    let [options, _] = C::options();
    // every byte of a small input, and fewer of a large one, because each cut takes longer there too
    let step = (bytes.len() * bytes.len() / 1_500_000).max(super::every(4));
    for at in (0..bytes.len()).step_by(step) {
        cut::<C>(bytes, &options, at);
        for bit in if bytes.len() < 250 { 1..8 } else { 1..1 } {
            let mut part = bytes[..=at].to_vec();
            part[at] &= !(0xff >> bit);
            assert_eq!(C::inspect(&part, &options).error(), C::decode(&part, &options).as_ref().err());
        }
    }
}

/// Of bytes that decode, those before `at`: streaming asks for no more than is missing, and the error of a complete
/// input names a field and a place inside it.
fn cut<C: Codec>(bytes: &[u8], options: &Options<C>, at: usize) {
    let part = &bytes[..at];
    match C::parse_streaming(part, options) {
        Err(Err::Incomplete(Needed::Size(needed))) => {
            // a stream waits for what the options allow to be missing at the end, too
            let missing = match C::parse_streaming(bytes, options) {
                Err(Err::Incomplete(Needed::Size(missing))) => missing.get(),
                _ => 0,
            };
            assert!(at + needed.get() <= bytes.len() + missing, "cut at {at}");
        }
        // what was cut off is not part of the value: the options allow it
        Ok(()) => assert!(C::decode(part, options).is_ok(), "cut at {at}"),
        other => panic!("cut at {at}: {other:?}"),
    }
    // nothing at all may be a value too
    let Err(error) = C::decode(part, options) else { return };
    assert!(error.is_truncated() && error.offset() <= (at as u64).into(), "cut at {at}: {error}");
    let last = error.path().segments().last();
    assert!(matches!(last, Some(Segment::Field(_) | Segment::Index(_))), "cut at {at}: {error}");
    assert_eq!(C::check(part, options), Err(error.clone()));
    assert_eq!(C::inspect(part, options).error(), Some(&error));
    assert_eq!(C::decode_partial(part, options).1, Some(error));
}

/// The bytes of any value.
pub(crate) fn sample<C: Codec>(entropy: &[u8]) -> Vec<u8> {
    let value = C::arbitrary(&mut Unstructured::new(entropy));
    value.map(|value| C::encode(&value).unwrap()).unwrap_or_default()
}

/// The same value, bit by bit: NaN is not equal to itself, and does not show its bits.
fn same<C: Codec>(one: &Value<'_, C>, other: &Value<'_, C>) {
    assert_eq!(C::encode(one).unwrap(), C::encode(other).unwrap());
    assert_eq!(C::show(one), C::show(other));
}

/// The items and the error of `decoder` for `pieces`.
fn streamed<'p, C: Codec>(
    mut decoder: Decoder<<FormatOf<C> as Format>::Stream>,
    pieces: impl Iterator<Item = &'p [u8]>,
) -> (Vec<Vec<u8>>, Option<DecodeError>) {
    let (mut items, mut error) = (Vec::new(), None);
    for piece in pieces {
        decoder.push(piece);
        while let Some(item) = decoder.next() {
            match item {
                Ok(item) => items.push(C::item_bytes(item)),
                Err(found) => error = Some(found),
            }
        }
    }
    decoder.end();
    while let Some(item) = decoder.next() {
        match item {
            Ok(item) => items.push(C::item_bytes(item)),
            Err(found) => error = Some(found),
        }
    }
    assert_eq!(decoder.finish().err(), error, "the error comes again at the end");
    (items, error)
}

/// Pieces of 0 to 40 bytes.
fn uneven<'b>(mut bytes: &'b [u8], random: &mut Random) -> Vec<&'b [u8]> {
    let mut pieces = Vec::new();
    while !bytes.is_empty() {
        let (piece, rest) = bytes.split_at(random.below(41).min(bytes.len()));
        pieces.push(piece);
        bytes = rest;
    }
    pieces
}

/// A reader that gives five bytes at a time, and is interrupted before each.
struct Dribble<'b> {
    bytes: &'b [u8],
    interrupted: bool,
}

impl io::Read for Dribble<'_> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        self.interrupted = !self.interrupted;
        if self.interrupted {
            return Err(io::ErrorKind::Interrupted.into());
        }
        let (now, later) = self.bytes.split_at(5.min(self.bytes.len()).min(buffer.len()));
        buffer[..now.len()].copy_from_slice(now);
        self.bytes = later;
        Ok(now.len())
    }
}
