//! Performance hints: what each kind of hint is for, and the functions that are hints themselves.
//!
//! Instruction counts hold what they are worth: `benches/instructions/run` counts them, and fails if one grows.
//! A hint that no count shows to matter is not kept.
//!
//! | hint | where | why |
//! |---|---|---|
//! | `cfg_attr(not(debug_assertions), inline(always))` | `process` of a combinator, hooks and steps of a source | A parser is dozens of small functions inside each other, and the compiler stops to inline long before the leaves. A debug build, which does not reuse stack, would take kilobytes of stack for each level of recursion. |
//! | `inline(never)` | functions that call themselves | A level of recursion takes the stack of one function and not of all that is inlined around it. |
//! | `cold`, with `inline(never)` where it is large | errors, notes and other rare paths | The usual path stays short and in registers. |
//! | [`outlined`] | a rare or long branch of a `match` | The usual branches stay small. |
//! | [`fill`], [`push_reserved`] | values in their final places | A value that could still have to be dropped is built elsewhere and moved. |
//! | a copy of what a `cold` function gets | [`fault`](super::fault()), [`keyed`](super::keyed()) | A variable that is lent or moved to a call is in memory from its beginning, on the usual path too. A copy made on the rare path leaves it in registers. This halved the instructions of "roblox-attributes check". |
//! | `repr(C)` on an enum of values | `Value` of attributes and remotes | Every payload has the same place, so that a value is written with one store. |
//! | options of one word | [`CommonOptions`](crate::limits) | Options are handed from value to value, in registers. |

/// Puts a value into a place that has only a default yet, which need not be dropped.
#[cfg_attr(not(debug_assertions), inline(always))]
pub(crate) fn fill<T>(place: &mut T, value: T) {
    std::mem::forget(std::mem::replace(place, value));
}

/// Pushes an item where room was made before, so that pushing cannot fail and the item is written to its place.
#[cfg_attr(not(debug_assertions), inline(always))]
pub(crate) fn push_reserved<T>(items: &mut Vec<T>, item: T) {
    debug_assert!(items.len() < items.capacity(), "room was made before the item was read");
    if items.len() < items.capacity() {
        items.push(item);
    } else {
        std::mem::forget(item);
    }
}
