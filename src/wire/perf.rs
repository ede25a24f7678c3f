//! Performance hints: what each kind of hint is for, and the functions that are hints themselves.
//!
//! `benches/instructions/run` counts the instructions of each workload, and fails if a count grows. To see what a hint is
//! worth, remove it and count again. A hint that changes no count can go.
//!
//! | hint | where | why |
//! |---|---|---|
//! | `cfg_attr(fast, inline(always))` | `process` of a combinator, hooks and steps of a source | A parser is dozens of small functions inside each other, and the compiler stops inlining long before the leaves: without these hints in `bits.rs`, `check.rs`, `nest.rs`, `source.rs`, `table.rs` and the macro of `switch.rs`, "scrap-mechanic-lua check" takes more than twice as many instructions. A debug build does not reuse stack, so that inlining there would take kilobytes of stack for each level of recursion. WebAssembly is loaded from a network, and a quarter smaller without these hints. `build.rs` sets `fast` in all other builds. |
//! | `inline(never)` | functions that call themselves | A level of recursion takes the stack of one function and not of all that is inlined around it. |
//! | `cold`, with `inline(never)` where it is large | errors, notes and other rare paths | The usual path stays short and in registers. |
//! | `switch_outlined` | a rare or long branch of a `match`; in a table of types, those that are not settled | The usual branches stay small, and have the registers for themselves. |
//! | [`Puts`](super::Puts), with a [`Place`](super::Place) | a list of values of a table of types, and the items of a stream | A value that all branches of a `match` return is put together where they meet, in memory, and copied from there. What was written in small pieces and is read in large ones makes a processor wait, which no count of instructions shows. Each branch writes it to its place in the list instead: `cargo bench --bench attributes` shows what that saves. A closure would not always be inlined, so a place is a type. |
//! | a sum that is made where it is needed | `following` in `nest.rs` | Most values are not lists and do not need to know how much room is left. |
//! | [`fill`], [`push_reserved`] | values in their final places | A value that could still have to be dropped is built elsewhere and moved. |
//! | a copy of what a `cold` function gets | [`fault`](super::fault()), [`keyed`](super::keyed()) | A variable that is lent or moved to a call is in memory from its beginning, on the usual path too. A copy made on the rare path leaves it in registers. Without it "roblox-attributes check" takes nearly twice as many instructions. |
//! | `repr(C)` on an enum of values | `Value` of attributes and remotes | Every payload has the same place, so that a value is written with one store. |
//! | options of one word | `limits.rs` | Options are handed from value to value, in registers. |

/// Puts a value into a place that has only a default yet, which need not be dropped.
#[cfg_attr(fast, inline(always))]
pub(crate) fn fill<T>(place: &mut T, value: T) {
    std::mem::forget(std::mem::replace(place, value));
}

/// Pushes an item where room was made before, so that pushing cannot fail and the item is written to its place.
#[cfg_attr(fast, inline(always))]
pub(crate) fn push_reserved<T>(items: &mut Vec<T>, item: T) {
    debug_assert!(items.len() < items.capacity(), "room was made before the item was read");
    if items.len() < items.capacity() {
        items.push(item);
    } else {
        std::mem::forget(item);
    }
}
