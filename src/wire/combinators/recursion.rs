//! Values inside values, with little stack for each level.
//!
//! There are two ways to nest, because neither does the other's work. With [`nested`](crate::wire::nested), a format's own parser calls
//! itself, and may be made of anything: structures, maps, parts packed in bits. In a debug build such a level takes the stack of
//! all combinators around it, 3.5 kB, so that the 128 levels of most formats fit into a thread of 2 MiB. The 1024 levels of Godot
//! would not fit. So here a format only reads the start of a value, and one function reads the items of all containers, with the
//! same labels, marks and bounds as [`field`](crate::wire::field()), [`keyed`](crate::wire::keyed) and [`repeat`](crate::wire::repeat()).
//!
//! A level then takes 1.1 kB. `cargo test vocabulary::stack -- --nocapture` measures both, and `cargo test all_that_recurses` checks
//! that 1024 levels fit.

use std::fmt::Debug;

use nom::{Err, Mode, OutputMode, PResult, Parser};

use super::field::{field, Builds, Unvalued, Valued};
use crate::error::{AsKey, Fault};
use crate::number::{to_u64, to_usize};
use crate::wire::{fill, within, Failed, Frame, Item, Kind, Label, Source, WireError};

/// The start of a value.
pub(crate) enum Head {
    /// It holds no others, and is complete.
    Value,
    /// It is a container of this many items, read up to the first item.
    Container(&'static Kind, u32),
}

/// The start of a value, and the input after it.
pub(crate) type HeadResult<OM, I, E> = Result<(I, Head), Failed<OM, E>>;

/// The input after the part of a container that was read, and the next container opened in it, unless it ends there.
type Next<OM, I, E> = Result<(I, Option<Frame>), Failed<OM, E>>;

/// A format whose values hold values.
///
/// A value is written to its final place when it is read, so that it is not moved from call to call.
pub(crate) trait Recursive<I: Source>: Copy {
    type Error: WireError<I>;
    /// The default fills a place until the value is read.
    type Value: Debug + Default;
    /// A container that is being read.
    type Container: Debug + Default;

    /// Reads a value that lies in `depth` containers, into `value`. Of a container, it reads the part before the items,
    /// into `container`, and [opens](Source::open) the field that the container is.
    fn head<OM: OutputMode>(
        self,
        input: I,
        depth: u16,
        value: &mut Self::Value,
        container: &mut Self::Container,
    ) -> HeadResult<OM, I, Self::Error>;

    /// Reads the name of a [named](Item::Named) item.
    fn name<OM: OutputMode>(self, input: I) -> PResult<OM, I, Self::Value, Self::Error>;

    /// Makes room for exactly `count` items.
    fn reserve(container: &mut Self::Container, count: usize);

    /// Adds an item, with its name if it is [named](Item::Named), and gives the place of its first value.
    fn begin(container: &mut Self::Container, name: Option<Self::Value>) -> Option<&mut Self::Value>;

    /// The place of the value that is being read: the last item, or the value of its key if `keyed`.
    fn place(container: &mut Self::Container, keyed: bool) -> Option<&mut Self::Value>;

    /// Drops all items but the first `count`.
    fn truncate(container: &mut Self::Container, count: usize);

    /// Calls `hear` with the key or name of the last item, as paths show it.
    fn key<T>(container: &Self::Container, hear: impl FnOnce(&dyn AsKey) -> T) -> T;

    /// A value as paths show it where it is a key.
    fn as_key(value: &Self::Value) -> impl AsKey + '_;

    /// The last item, as trees show it.
    fn last(container: &Self::Container) -> &dyn Debug;

    /// The value that a container is. It has all its items, or those before the broken one.
    fn close(container: Self::Container) -> Self::Value;
}

/// Reads a value and all values in it, by the rules of `format`.
#[inline]
pub(crate) fn recursive<U>(format: U) -> RecursiveParser<U> {
    RecursiveParser(format)
}

/// A parser for values inside values. Made by [`recursive`].
#[derive(Clone, Copy, Debug)]
pub(crate) struct RecursiveParser<U>(U);

impl<I: Source, U: Recursive<I>> Parser<I> for RecursiveParser<U> {
    type Output = U::Value;
    type Error = U::Error;

    #[cfg_attr(fast, inline(always))]
    fn process<OM: OutputMode>(&mut self, input: I) -> PResult<OM, I, U::Value, U::Error> {
        let descent = Descent { format: self.0, start: &input };
        if !Builds::<OM>::VALUES
            && let Some((opened, rest)) = input.recall()
            && let [outermost, inside @ ..] = opened.as_slice()
        {
            return descent.items::<OM>(rest, 1, *outermost, U::Container::default(), inside);
        }
        match descent.value::<OM>(input.clone(), 0) {
            // the items of a container do not fit into the input: another run finds the error, which is further on
            Err(Err::Failure(error)) if descent.reserves::<OM>() => {
                descent.value::<Unvalued<OM>>(input.clone(), 0)?;
                Err(Err::Failure(error))
            }
            done => done,
        }
    }
}

/// A value that is being read, with all that it holds.
struct Descent<'s, I, U> {
    format: U,
    /// The input at its start.
    start: &'s I,
}

impl<I: Source, U: Recursive<I>> Descent<'_, I, U> {
    /// Returns true if memory is reserved for items before they are read. Otherwise lists grow as they are read: if fields are
    /// traced, which must happen once, and in broken input, which may end anywhere.
    #[cfg_attr(fast, inline(always))]
    fn reserves<OM: OutputMode>(&self) -> bool {
        Builds::<OM>::VALUES && !self.start.is_traced() && !self.start.is_recovered()
    }

    /// Reads a value that lies in `depth` containers, outside of the items of any.
    #[cfg_attr(fast, inline(always))]
    fn value<OM: OutputMode>(&self, input: I, depth: u16) -> PResult<OM, I, U::Value, U::Error> {
        let (mut value, mut container) = (U::Value::default(), U::Container::default());
        let (rest, head) = self.format.head::<OM>(input, depth, &mut value, &mut container)?;
        match head {
            Head::Value => Ok((rest, OM::Output::bind(|| value))),
            Head::Container(kind, count) => {
                let at = self.open::<OM>(&rest, depth, 0, kind, count, &mut container)?;
                self.items::<OM>(rest, depth.saturating_add(1), at, container, &[])
            }
        }
    }

    /// Opens a container that lies in `depth` others, whose items that are still to come take at least `owed` bytes.
    #[cfg_attr(fast, inline(always))]
    fn open<OM: OutputMode>(
        &self,
        input: &I,
        depth: u16,
        owed: usize,
        kind: &'static Kind,
        count: u32,
        container: &mut U::Container,
    ) -> Result<Frame, Failed<OM, U::Error>> {
        let opened = Frame { kind, count, index: 0, keyed: false, left: input.remaining(), owed };
        input.open(Label::Field(kind.items));
        if self.reserves::<OM>() {
            let size = to_usize(count).saturating_mul(kind.smallest);
            if size > input.remaining().saturating_sub(owed) {
                return Err(no_room::<I, OM, U::Error>(input.clone(), size));
            }
            U::reserve(container, to_usize(count));
        } else if !Builds::<OM>::VALUES {
            input.remember(self.start, usize::from(depth), opened);
        }
        Ok(opened)
    }

    /// Reads the items of a container, which lie in `inside` containers, from the item `at` on. `opened` are the containers
    /// within that item that an earlier run did not read to their ends.
    ///
    /// Only this function calls itself.
    #[inline(never)]
    fn items<OM: OutputMode>(
        &self,
        mut input: I,
        inside: u16,
        mut at: Frame,
        mut container: U::Container,
        opened: &[Frame],
    ) -> PResult<OM, I, U::Value, U::Error> {
        let mut inner = U::Container::default();
        if let [next, deeper @ ..] = opened {
            match self.items::<OM>(input, inside.saturating_add(1), *next, U::Container::default(), deeper) {
                Ok((rest, _)) => {
                    input = rest;
                    self.add::<OM>(&input, inside, &mut at, &mut container);
                }
                Err(error) => return Err(self.name::<OM>(error, inside, at, &container)),
            }
        }
        loop {
            let error = match self.next::<OM>(input, inside, &mut at, &mut container, &mut inner) {
                Ok((rest, Some(opened))) => {
                    let inner = std::mem::take(&mut inner);
                    match self.items::<OM>(rest, inside.saturating_add(1), opened, inner, &[]) {
                        Ok((rest, value)) => {
                            input = rest;
                            self.put::<OM>(&input, value, inside, &mut at, &mut container);
                            continue;
                        }
                        Err(error) => error,
                    }
                }
                Ok((rest, None)) => return Ok(Self::close::<OM>(rest, container)),
                Err(error) => error,
            };
            if !self.start.is_recovered() {
                return Err(self.name::<OM>(error, inside, at, &container));
            }
            // the container ends before this item, and with it the input
            (at.count, at.keyed) = (at.index, false);
            U::truncate(&mut container, to_usize(at.index));
            input = self.start.clone().exhaust();
        }
    }

    /// Reads on, up to the next item that is a container too, which it opens, or to the end.
    #[cfg_attr(fast, inline(always))]
    fn next<OM: OutputMode>(
        &self,
        mut input: I,
        inside: u16,
        at: &mut Frame,
        container: &mut U::Container,
        inner: &mut U::Container,
    ) -> Next<OM, I, U::Error> {
        let mut nowhere = U::Value::default();
        while at.keyed || at.index < at.count {
            let place = match self.begin::<OM>(&mut input, at, container)? {
                Some(place) => place,
                // a place always exists if values are built
                None if Builds::<OM>::VALUES => break,
                None => &mut nowhere,
            };
            // a `?` would move the source once more
            match self.format.head::<OM>(input, inside, place, inner) {
                Ok((rest, Head::Value)) => input = rest,
                Ok((rest, Head::Container(kind, count))) => {
                    let opened = self.open::<OM>(&rest, inside, at.behind(), kind, count, inner)?;
                    return Ok((rest, Some(opened)));
                }
                Err(error) => return Err(error),
            }
            self.add::<OM>(&input, inside, at, container);
        }
        Ok((input, None))
    }

    /// The value that a container is.
    #[cfg_attr(fast, inline(always))]
    fn close<OM: OutputMode>(input: I, container: U::Container) -> (I, <OM::Output as Mode>::Output<U::Value>) {
        let value = OM::Output::bind(|| {
            input.close(&container);
            input.close(&container);
            U::close(container)
        });
        (input, value)
    }

    /// Puts a value that ends before `rest` in its place, and continues.
    #[cfg_attr(fast, inline(always))]
    fn put<OM: OutputMode>(
        &self,
        rest: &I,
        value: <OM::Output as Mode>::Output<U::Value>,
        inside: u16,
        at: &mut Frame,
        container: &mut U::Container,
    ) {
        OM::Output::map(value, |value| {
            if let Some(place) = U::place(container, at.keyed) {
                fill(place, value);
            }
        });
        self.add::<OM>(rest, inside, at, container);
    }

    /// Begins the next value, after its name if it has one: where it goes.
    #[cfg_attr(fast, inline(always))]
    fn begin<'c, OM: OutputMode>(
        &self,
        input: &mut I,
        at: &mut Frame,
        container: &'c mut U::Container,
    ) -> Result<Option<&'c mut U::Value>, Failed<OM, U::Error>> {
        if at.keyed {
            return Ok(U::place(container, true));
        }
        at.left = input.remaining();
        input.open(Label::Index(to_usize(at.index)));
        match at.kind.item {
            Item::Value => {}
            Item::Pair => input.open(Label::Field("key")),
            Item::Named => {
                let (rest, name) = field("name", Name(self.format)).process::<OM>(input.clone())?;
                OM::Output::map(name, |name| {
                    U::begin(container, Some(name));
                    U::key(container, |key| rest.key(&key));
                });
                rest.open(Label::Field("value"));
                *input = rest;
                at.keyed = true;
                return Ok(U::place(container, true));
            }
        }
        Ok(if Builds::<OM>::VALUES { U::begin(container, None) } else { None })
    }

    /// Continues after a value that is in its place and ends before `rest`.
    #[cfg_attr(fast, inline(always))]
    fn add<OM: OutputMode>(&self, rest: &I, inside: u16, at: &mut Frame, container: &mut U::Container) {
        let is_heard = Builds::<OM>::VALUES && rest.is_traced();
        if is_heard && let Some(value) = U::place(container, at.keyed) {
            rest.close(value);
        }
        if at.kind.item == Item::Pair && !at.keyed {
            at.keyed = true;
            if is_heard {
                U::key(container, |key| rest.key(&key));
            }
            rest.open(Label::Field("value"));
        } else {
            if at.kind.item != Item::Value {
                at.keyed = false;
                if is_heard {
                    rest.close(U::last(container));
                }
            }
            at.index = at.index.saturating_add(1);
        }
        if !Builds::<OM>::VALUES {
            rest.remember(self.start, usize::from(inside).saturating_sub(1), *at);
        }
    }

    /// An error in the item that is being read.
    #[cold]
    #[inline(never)]
    fn name<OM: OutputMode>(
        &self,
        mut error: Failed<OM, U::Error>,
        inside: u16,
        at: Frame,
        container: &U::Container,
    ) -> Failed<OM, U::Error> {
        // incomplete input is not an error yet, and where items do not fit, another run gives the error
        if !U::Error::LABELLED || matches!(error, Err::Incomplete(_) | Err::Failure(_)) {
            return error;
        }
        let Frame { kind, index, keyed, left, .. } = at;
        if keyed {
            error = within::<I, OM, U::Error>(error, Label::Field("value"));
            if Builds::<OM>::VALUES {
                error = U::key(container, |key| within::<I, OM, U::Error>(error, Label::Key(key)));
            } else {
                // nothing was built, so that the key is read once more
                let passed = self.start.remaining().saturating_sub(left);
                let start = self.start.bytes(passed).map_or_else(|| self.start.clone(), |(_, rest)| rest);
                let key = match kind.item {
                    Item::Named => field("name", Name(self.format)).process::<Valued<OM>>(start),
                    _ => self.value::<Valued<OM>>(start, inside),
                };
                if let Ok((_, key)) = key {
                    error = within::<I, OM, U::Error>(error, Label::Key(&U::as_key(&key)));
                }
            }
        } else if kind.item == Item::Pair {
            error = within::<I, OM, U::Error>(error, Label::Field("key"));
        }
        error = within::<I, OM, U::Error>(error, Label::Index(to_usize(index)));
        error = within::<I, OM, U::Error>(error, Label::Field(kind.items));
        within::<I, OM, U::Error>(error, Label::Field(kind.field))
    }
}

/// The parser of a name.
#[derive(Clone, Copy)]
struct Name<U>(U);

impl<I: Source, U: Recursive<I>> Parser<I> for Name<U> {
    type Output = U::Value;
    type Error = U::Error;

    #[cfg_attr(fast, inline(always))]
    fn process<OM: OutputMode>(&mut self, input: I) -> PResult<OM, I, U::Value, U::Error> {
        self.0.name::<OM>(input)
    }
}

/// The error of a container whose items take more bytes than there are. Another run finds the item that is missing.
#[cold]
#[inline(never)]
fn no_room<I: Source, OM: OutputMode, E: WireError<I>>(at: I, needed: usize) -> Failed<OM, E> {
    let left = to_u64(at.remaining());
    Err::Failure(E::fault(at, Fault::Truncated { needed: to_u64(needed), left }))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::wire::error::fault;
    use crate::wire::{moved, run, uint8, Checker, Decoder, ItemStream, Log, Next, Puts};
    use bstr::BStr;
    use pretty_assertions::assert_eq;
    use std::cell::Cell;
    use std::marker::PhantomData;

    thread_local! {
        /// The number of values whose reading began, and the number of items that memory was reserved for.
        static WORK: Cell<(usize, usize)> = const { Cell::new((0, 0)) };
    }

    static LIST: Kind = Kind { field: "list", items: "items", item: Item::Value, smallest: 1 };
    static MAP: Kind = Kind { field: "map", items: "entries", item: Item::Pair, smallest: 2 };
    static RECORD: Kind = Kind { field: "record", items: "members", item: Item::Named, smallest: 2 };

    /// A letter, or a list, map or record, which begins with a bracket and a digit: the number of its items.
    struct Letters<E>(PhantomData<fn() -> E>);

    impl<E> Clone for Letters<E> {
        fn clone(&self) -> Self {
            *self
        }
    }

    impl<E> Copy for Letters<E> {}

    #[derive(Debug, Default, PartialEq)]
    enum Value {
        #[default]
        Nothing,
        Letter(char),
        /// The values of a list, or the keys or names and the values.
        Container(Vec<(Value, Value)>),
    }

    impl AsKey for Value {}

    impl crate::wire::IntoOwned for Value {
        type Owned = Self;

        fn into_owned(self) -> Self {
            self
        }
    }

    #[derive(Debug, Default)]
    struct Building {
        is_map: bool,
        items: Vec<(Value, Value)>,
    }

    impl<I: Source, E: WireError<I>> Recursive<I> for Letters<E> {
        type Error = E;
        type Value = Value;
        type Container = Building;

        fn head<OM: OutputMode>(
            self,
            input: I,
            _depth: u16,
            value: &mut Value,
            container: &mut Building,
        ) -> HeadResult<OM, I, E> {
            WORK.set((WORK.get().0.saturating_add(1), WORK.get().1));
            let (rest, found) = uint8().process::<Valued<OM>>(input.clone())?;
            let kind = match found {
                b'a'..=b'z' => {
                    *value = Value::Letter(found.into());
                    return Ok((rest, Head::Value));
                }
                b'[' => &LIST,
                b'{' => &MAP,
                b'(' => &RECORD,
                _ => return Err(fault::<I, OM, E>(input, Fault::ReservedBit)),
            };
            rest.open(Label::Field(kind.field));
            let (rest, count) = field("count", uint8()).process::<Valued<OM>>(rest)?;
            *container = Building { is_map: kind.item == Item::Pair, items: Vec::new() };
            Ok((rest, Head::Container(kind, count.saturating_sub(b'0').into())))
        }

        fn name<OM: OutputMode>(self, input: I) -> PResult<OM, I, Value, E> {
            uint8().map(|name: u8| Value::Letter(name.into())).process::<OM>(input)
        }

        fn reserve(container: &mut Building, count: usize) {
            WORK.set((WORK.get().0, WORK.get().1.saturating_add(count)));
            container.items.reserve_exact(count);
        }

        fn begin(container: &mut Building, name: Option<Value>) -> Option<&mut Value> {
            container.items.push((name.unwrap_or_default(), Value::Nothing));
            <Self as Recursive<I>>::place(container, false)
        }

        fn place(container: &mut Building, keyed: bool) -> Option<&mut Value> {
            let (key, value) = container.items.last_mut()?;
            Some(if container.is_map && !keyed { key } else { value })
        }

        fn truncate(container: &mut Building, count: usize) {
            container.items.truncate(count);
        }

        fn key<T>(container: &Building, hear: impl FnOnce(&dyn AsKey) -> T) -> T {
            hear(&container.items.last().map(|(key, _)| key))
        }

        fn as_key(value: &Value) -> impl AsKey + '_ {
            Some(value)
        }

        fn last(container: &Building) -> &dyn Debug {
            &container.items
        }

        fn close(container: Building) -> Value {
            Value::Container(container.items)
        }
    }

    fn letters<I: Source, E: WireError<I>>() -> impl Parser<I, Output = Value, Error = E> {
        recursive(Letters(PhantomData))
    }

    /// A stream of values.
    #[derive(Clone, Copy, Debug, Default)]
    struct Stream;

    impl ItemStream for Stream {
        type Item<'a> = Value;
        type Options = ();

        fn new((): ()) -> Self {
            Stream
        }

        fn next(&self) -> Next {
            Next::Item
        }

        fn item<'a, I: Source<Bytes = &'a BStr>, E: WireError<I>>(self) -> impl Puts<I, Output = Value, Error = E> {
            moved(letters())
        }

        fn advance(&mut self) {}
    }

    /// In every run, an error has the same path: the key or name of an item is known wherever its value is broken.
    #[test]
    fn errors_are_found_in_their_containers() {
        const INNERMOST: &str = "list.items[0].record.members[1] Some(Letter('M')).value.map.entries[0] \
                                 Some(Container([(Nothing, Letter('k'))])).value";
        for (text, offset, path) in [
            ("[2a!", 3, "list.items[1]"),
            ("{1!a", 2, "map.entries[0].key"),
            ("{2aab!", 5, "map.entries[1] Some(Letter('b')).value"),
            ("(1N!", 3, "record.members[0] Some(Letter('N')).value"),
            ("[1(2NaM{1[1k!", 12, INNERMOST),
        ] {
            let input = text.as_bytes();
            let error = run(input, letters()).unwrap_err();
            assert_eq!((error.offset(), error.path().to_string()), (offset.into(), path.to_owned()), "{text}");
            assert_eq!(Checker::new(input, &mut |_, _| {}).check(letters()), Err(error.clone()), "{text}");
            assert_eq!(Log::default().trace(input, letters()).error(), Some(&error), "{text}");
        }
    }

    /// Memory is reserved only for items that can be there, even if nested containers claim more.
    #[test]
    fn memory_is_reserved_once_for_each_byte() {
        let reserved = |bytes: &[u8]| {
            WORK.set((0, 0));
            let value = run(bytes, letters());
            (WORK.get().1, value.map(|(_, value)| value))
        };
        let (items, value) = reserved(b"[2[1a[3bcd");
        assert_eq!((items, value.is_ok()), (6, true));
        let Value::Container(list) = value.unwrap() else { panic!("no list") };
        assert_eq!((list.len(), list.capacity()), (2, 2));
        // each list has as many items as there are bytes after its count
        let nested: Vec<u8> =
            (1..=50).flat_map(|level| [b'[', b'0' + 2 * (50 - level) + 10]).chain([b'a'; 10]).collect();
        let (items, error) = reserved(&nested);
        assert_eq!((items, error.unwrap_err().is_truncated()), (108, true));
    }

    /// If a value comes byte by byte, the bytes that were there are not read again.
    #[test]
    fn work_is_linear_in_the_bytes() {
        let bytes = [&b"[2".repeat(100)[..], &[b'a'; 101]].concat();
        let mut decoder = Decoder::<Stream>::new();
        WORK.set((0, 0));
        for byte in &bytes {
            assert!(decoder.next().is_none());
            decoder.push(&[*byte]);
        }
        assert!(decoder.next().unwrap().is_ok());
        // each value is begun when it is missing, when it is there, and to be built; a list also when its count is missing
        assert_eq!(WORK.get().0, 4 * 100 + 3 * 101);
    }
}
