//! The text of unique ids.

/// The characters of an id, by their numbers.
const DIGITS: &[u8; 34] = b"abcdefghijklmnopqrstuvwxy012345678";

/// The text of an id: `uid://` and its digits.
pub fn text_of(id: u64) -> String {
    if i64::try_from(id).is_err() {
        return "uid://<invalid>".to_owned();
    }
    let mut rest = Some(id);
    let digits = std::iter::from_fn(|| {
        let number = rest?;
        rest = number.checked_div(34).filter(|rest| *rest > 0);
        DIGITS.get(usize::try_from(number.checked_rem(34)?).ok()?).map(|digit| char::from(*digit))
    });
    let digits: Vec<_> = digits.collect();
    digits.into_iter().rev().fold("uid://".to_owned(), |text, digit| text + digit.encode_utf8(&mut [0; 4]))
}

/// The id with this text.
pub fn id_of(text: &[u8]) -> Option<u64> {
    let id = text.strip_prefix(b"uid://")?.iter().try_fold(0_u64, |id, byte| {
        let digit = DIGITS.iter().position(|digit| digit == byte)?;
        id.checked_mul(34)?.checked_add(crate::number::to_u64(digit))
    })?;
    (text_of(id).as_bytes() == text).then_some(id)
}
