//! The values of PROP chunks.

use bstr::BStr;

use super::file::at;
use super::prop::{prop_head, value_type, SHARED_STRING, STRING};
use super::referents::interleaved;
use enginewire::error::{DecodeError, Fault};
use enginewire::number::to_u64;
use enginewire::wire::{self, field, item, length_prefixed, Le, Source, Traceback};

/// A value of a property.
pub(super) enum Value<'a> {
    /// A string, and the offset of its first byte in the data.
    String(&'a BStr, u64),
    /// The index of a shared string.
    Shared(u32),
}

/// Calls `each` with every value of a PROP chunk of `count` instances, and its index. A property that is neither a string nor
/// a shared string has no values here, and neither has a chunk that ends before the value type.
pub(super) fn values<'a>(
    data: &'a [u8],
    count: usize,
    mut each: impl FnMut(u32, Value<'a>),
) -> Result<(), DecodeError> {
    let start = data;
    let located = |error: DecodeError, rest: &&[u8]| error.shifted(rest.offset_from(&start).byte());
    let (rest, _) = wire::run(data, prop_head())?;
    if rest.is_empty() {
        return Ok(());
    }
    let behind = rest;
    let (mut rest, value_type) =
        wire::run(rest, field("value_type", value_type())).map_err(|error| located(error, &behind))?;
    match value_type {
        STRING => {
            for index in 0..count {
                let before = rest;
                let string = field("values", item(index, length_prefixed::<Le, _, Traceback<&[u8]>>()));
                let (after, bytes) = wire::run(before, string).map_err(|error| located(error, &before))?;
                let offset = to_u64(start.len().saturating_sub(after.len()).saturating_sub(bytes.len()));
                each(u32::try_from(index).unwrap_or(u32::MAX), Value::String(bytes, offset));
                rest = after;
            }
        }
        SHARED_STRING => {
            let before = rest;
            let count = u32::try_from(count).unwrap_or(u32::MAX);
            let indices = field("values", interleaved::<_, Traceback<&[u8]>>(count));
            let (after, indices) = wire::run(before, indices).map_err(|error| located(error, &before))?;
            (0..).zip(indices).for_each(|(index, string)| each(index, Value::Shared(string)));
            rest = after;
        }
        _ => return Ok(()),
    }
    if rest.is_empty() {
        return Ok(());
    }
    Err(at(rest.offset_from(&start).byte(), [], Fault::Trailing))
}
