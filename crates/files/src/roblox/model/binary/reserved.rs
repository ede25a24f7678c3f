//! Reserved bytes.

use nom::Parser;

use enginewire::error::Fault;
use enginewire::wire::{fixed, noted, verify, Note, Source, WireError};

/// `N` reserved bytes, which must be 0 unless `any` is true.
pub(super) fn reserved<const N: usize, I: Source, E: WireError<I>>(
    any: bool,
) -> impl Parser<I, Output = [u8; N], Error = E> {
    let zero = move |bytes: [u8; N]| match any || bytes == [0; N] {
        true => Ok(bytes),
        false => Err(Fault::Other("reserved bytes are not 0".to_owned())),
    };
    let other = |bytes: &[u8; N]| (*bytes != [0; N]).then_some(Note::NonCanonical("reserved bytes that are not 0"));
    noted(verify(fixed::<N, I, E>(), zero), other)
}

#[cfg(test)]
mod tests {
    use super::*;
    use enginewire::wire::Checker;
    use enginewire::Offset;
    use pretty_assertions::assert_eq;

    #[test]
    fn reserved_bytes_are_0_or_noted() {
        let check = |any, bytes: [u8; 4]| {
            let mut notes = Vec::new();
            let mut each = |offset: Offset, note| notes.push((offset.to_string(), note));
            let checker = Checker::new(&bytes[..], &mut each);
            let done = checker.check(reserved::<4, _, _>(any)).map(drop).map_err(|error| error.to_string());
            (done, notes)
        };
        assert_eq!([false, true].map(|any| check(any, [0; 4])), [(Ok(()), vec![]), (Ok(()), vec![])]);
        let error = "reserved bytes are not 0, at byte 0x0".to_owned();
        assert_eq!(check(false, [0, 0, 1, 0]), (Err(error), vec![]));
        let note = Note::NonCanonical("reserved bytes that are not 0");
        assert_eq!(check(true, [0, 0, 1, 0]), (Ok(()), vec![("0x0".to_owned(), note)]));
    }
}
