//! The format of `examples/own_format.rs` keeps the promises that it did nothing for.

#[path = "../../examples/own_format.rs"]
#[allow(dead_code)]
mod example;

use allocation_counter::measure;
use enginewire::scrap_mechanic::lua_object;
use enginewire::wire::{format, Decoder, Limited, Nesting, Single};
use enginewire::{EncodeFault, Fault, Limits};
use example::{Options, Tree, TreeFormat};

fn nest(levels: usize) -> Tree {
    (0..levels).fold(Tree::Number(7), |inner, _| Tree::List(vec![Tree::Number(1), inner]))
}

fn options(depth: u16) -> Options {
    Options::new(Limits::new().with_depth(depth))
}

#[test]
fn it_decodes_what_it_encodes_and_knows_its_depth() {
    let bytes = format::encode::<TreeFormat>(&nest(3), &options(3)).unwrap();
    assert_eq!(format::decode::<TreeFormat>(&bytes, &options(3)), Ok(nest(3)));
    let refused = format::encode::<TreeFormat>(&nest(3), &options(2)).unwrap_err();
    assert_eq!(refused.reason(), &EncodeFault::TooDeep { limit: 2 });
    assert_eq!(refused.path().to_string(), "list.values[1].list.values[1].list");
    let error = format::decode::<TreeFormat>(&bytes, &options(2)).unwrap_err();
    assert_eq!(error.fault(), &Fault::TooDeep { limit: 2 });
    assert_eq!(error.path().to_string(), refused.path().to_string());
    assert_eq!(Nesting::from(options(2)).options().limits().depth(), 2);
}

#[test]
fn its_values_have_their_bytes_with_them() {
    let bytes = format::encode::<TreeFormat>(&nest(3), &options(3)).unwrap();
    let kept = format::decode_owned::<TreeFormat>(bytes.clone(), &options(3)).unwrap();
    let other = format::decode_owned::<TreeFormat>(vec![0; 5], &options(3)).unwrap();
    assert_eq!(kept.value(), &nest(3));
    assert!(kept == kept.clone() && kept != other);
    assert_eq!(kept.into_bytes(), bytes);
    let error = format::decode_owned::<TreeFormat>(bytes.clone(), &options(2)).unwrap_err();
    assert_eq!((error.error().fault(), error.bytes()), (&Fault::TooDeep { limit: 2 }, &bytes[..]));
}

#[test]
fn cut_anywhere_it_says_where() {
    let bytes = format::encode::<TreeFormat>(&nest(3), &options(9)).unwrap();
    for at in 0..bytes.len() {
        let partial = format::decode_partial::<TreeFormat>(&bytes[..at], &options(9));
        let error = partial.error.unwrap();
        assert!(error.is_truncated() && error.offset() <= (at as u64).into(), "{error}");
        assert_eq!(format::check::<TreeFormat>(&bytes[..at], &options(9), &mut |_, _| {}), Err(error.clone()));
        assert_eq!(format::inspect::<TreeFormat>(&bytes[..at], &options(9), 1 << 20).error(), Some(&error));
    }
}

#[test]
fn a_count_is_no_promise_to_reserve_memory_for() {
    let error = format::decode::<TreeFormat>(b"\x01\xff\xff\xff\xff\0\x07\0\0\0", &options(9)).unwrap_err();
    assert_eq!(error.to_string(), "input ends too early: 1 byte needed, 0 left, at byte 0xa in list.values[1].type");
}

/// However many lists count on the same bytes, memory is reserved for one of them.
#[test]
fn lists_inside_lists_count_on_no_byte_twice() {
    let mut bytes = [&[1][..], &500_u32.to_le_bytes()].concat().repeat(60);
    bytes.extend([0, 7, 0, 0, 0].repeat(200));
    let peak = measure(|| {
        let error = format::decode::<TreeFormat>(&bytes, &options(99)).unwrap_err();
        assert!(error.is_truncated(), "{error}");
    });
    let list = 500 * size_of::<Tree>() as u64;
    assert!((list..2 * list).contains(&peak.bytes_max), "{peak:?} where a list takes {list}");
}

/// A value is all that its stream has, and what is not there or comes after it is an error.
#[test]
fn a_stream_is_one_value() {
    let mut bytes = format::encode::<TreeFormat>(&nest(3), &options(3)).unwrap();
    let read = |bytes: &[u8]| {
        let mut decoder = Decoder::<Single<TreeFormat>>::with_options(options(3));
        decoder.push(bytes);
        (decoder.next().and_then(Result::ok), decoder.finish().map_err(|error| error.to_string()))
    };
    assert_eq!(read(&bytes), (Some(nest(3)), Ok(())));
    assert_eq!(read(&[]), (None, Err("input ends too early: 1 byte needed, 0 left, at byte 0x0 in type".to_owned())));
    let checked = Decoder::<Single<TreeFormat>>::with_options(options(3)).check(&bytes[..], |_, _| {}).unwrap();
    assert_eq!((checked.items, checked.is_canonical()), (None, true));
    assert_eq!(format::check::<TreeFormat>(&bytes, &options(3), &mut |_, _| {}), Ok(checked));

    bytes.push(0);
    let error = Err(format!("unexpected bytes after the end of the value, at byte {:#x}", bytes.len() - 1));
    assert_eq!(read(&bytes), (Some(nest(3)), error.clone()));
    assert_eq!(
        format::decode::<TreeFormat>(&bytes, &options(3)).map_err(|error| error.to_string()),
        error.map(|()| nest(3))
    );
}

/// Unless the options allow bytes after it, which are ignored then.
#[test]
fn a_stream_may_have_bytes_after_its_value() {
    let mut decoder = lua_object::Decoder::with_options(lua_object::Options::new().trailing_bytes(true));
    decoder.push(b"LUA\0\0\0\x01\x01");
    assert!(decoder.next().unwrap().is_ok());
    decoder.push(b"more");
    assert!(decoder.next().is_none() && decoder.unused().is_empty());
    assert_eq!(decoder.finish(), Ok(()));
}
