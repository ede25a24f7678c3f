//! Table.

use std::fmt;
use std::io::Write;
use std::marker::PhantomData;

use bstr::{BStr, ByteSlice};
use cookie_factory::{SerializeFn, WriteContext};
use nom::{Mode, OutputMode, PResult, Parser};

use super::options::{Nesting, Options};
use super::save_data::{gen_lua_save_data, lua_save_data, LuaSaveData};
use crate::error;
use crate::number::{to_u64, to_usize};
use crate::wire::{
    bit, field, field_value, gen_bit, gen_field, gen_int32, gen_keyed, gen_length, gen_nested, gen_repeat, int32,
    keyed, nested, owned_by_method, repeat_values, switch_to, truncated_with, uint32, AsKey, Be, BitWriter, Bits, Puts,
    Source, ValueVec, Valued, WireError,
};

/// A table of Lua, in one of its two forms.
///
/// | field | bits | type |
/// |---|---|---|
/// | count | 32 | uint32, big-endian |
/// | is_array | 1 | bit |
/// | offset | 32 | int32, big-endian; only of an array |
/// | elements | | `count` × [`LuaSaveData`] of an array, else `count` × [`TableKeyValuePair`] |
///
/// If fewer bits are left than the smallest elements would take, the error is at the count.
#[derive(Clone, Debug, PartialEq)]
pub enum Table<'a> {
    /// Values whose keys are consecutive integers.
    Array {
        /// The key of the first element.
        offset: i32,
        /// The values.
        elements: ValueVec<LuaSaveData<'a>>,
    },
    /// Values with keys, in the order of the wire. The game gives their order no meaning.
    Pairs(ValueVec<TableKeyValuePair<'a>>),
}

/// A key and its value.
///
/// | field | type |
/// |---|---|
/// | key | [`LuaSaveData`] |
/// | value | [`LuaSaveData`] |
#[derive(Clone, Debug, PartialEq)]
pub struct TableKeyValuePair<'a> {
    /// The key: usually a String or an integer, but any value can be one.
    pub key: LuaSaveData<'a>,
    /// The value.
    pub value: LuaSaveData<'a>,
}

impl Default for Table<'_> {
    /// The empty table in the form that the game writes.
    fn default() -> Self {
        Table::Pairs(ValueVec::new())
    }
}

impl<'a> Table<'a> {
    /// A list, with keys from 1 on, as in Lua.
    pub fn list(elements: impl IntoIterator<Item = LuaSaveData<'a>>) -> Self {
        Table::Array { offset: 1, elements: elements.into_iter().collect() }
    }

    /// The table with these entries in the form that the game gives it: an array if the keys are consecutive integers,
    /// and pairs if they are not, or there are none.
    ///
    /// ```
    /// use enginewire::scrap_mechanic::lua_object::{LuaSaveData, Table};
    ///
    /// let entry = |key: i8| (LuaSaveData::Int8(key), LuaSaveData::Boolean(true));
    /// assert!(matches!(Table::from_entries([entry(-2), entry(-1)]), Table::Array { offset: -2, .. }));
    /// assert!(matches!(Table::from_entries([entry(1), entry(3)]), Table::Pairs(_)));
    /// ```
    pub fn from_entries(entries: impl IntoIterator<Item = (LuaSaveData<'a>, LuaSaveData<'a>)>) -> Self {
        let pairs: Vec<_> = entries.into_iter().map(|(key, value)| TableKeyValuePair { key, value }).collect();
        let offset = pairs.first().and_then(|pair| pair.key.as_integer());
        let consecutive = |offset: i32| (i64::from(offset)..).zip(&pairs).all(|(key, pair)| pair.key.is_integer(key));
        match offset {
            Some(offset) if consecutive(offset) => {
                Table::Array { offset, elements: pairs.into_iter().map(|pair| pair.value).collect() }
            }
            _ => Table::Pairs(pairs.into()),
        }
    }

    /// The number of values.
    #[must_use]
    pub fn len(&self) -> usize {
        match self {
            Table::Array { elements, .. } => elements.len(),
            Table::Pairs(pairs) => pairs.len(),
        }
    }

    /// Returns true if the table is empty.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// The values in order, without their keys.
    pub fn values(&self) -> impl Iterator<Item = &LuaSaveData<'a>> {
        let (elements, pairs) = match self {
            Table::Array { elements, .. } => (&elements[..], &[][..]),
            Table::Pairs(pairs) => (&[][..], &pairs[..]),
        };
        elements.iter().chain(pairs.iter().map(|pair| &pair.value))
    }

    /// The value of a key that is a string: of several, the first.
    ///
    /// ```
    /// # use enginewire::scrap_mechanic::lua_object::{LuaSaveData, Table};
    /// let table = Table::from_entries([("mode".into(), LuaSaveData::Int8(2))]);
    /// assert_eq!(table.get("mode"), Some(&LuaSaveData::Int8(2)));
    /// ```
    #[must_use]
    pub fn get(&self, key: impl AsRef<[u8]>) -> Option<&LuaSaveData<'a>> {
        match self {
            Table::Array { .. } => None,
            Table::Pairs(pairs) => {
                let key = key.as_ref();
                let has_key = |pair: &&TableKeyValuePair<'_>| pair.key.as_bytes() == Some(key);
                pairs.iter().find(has_key).map(|pair| &pair.value)
            }
        }
    }

    /// The value of a key that is an integer of any width: of several, the first.
    ///
    /// ```
    /// # use enginewire::scrap_mechanic::lua_object::{LuaSaveData, Table};
    /// let table = Table::list([LuaSaveData::Int8(7), LuaSaveData::Nil]);
    /// assert_eq!(table.at(1), Some(&LuaSaveData::Int8(7)));
    /// assert_eq!(table.at(0), None);
    /// ```
    #[must_use]
    pub fn at(&self, key: i64) -> Option<&LuaSaveData<'a>> {
        match self {
            Table::Array { offset, elements } => {
                let index = key.checked_sub(i64::from(*offset))?;
                elements.get(usize::try_from(index).ok()?)
            }
            Table::Pairs(pairs) => pairs.iter().find(|pair| pair.key.is_integer(key)).map(|pair| &pair.value),
        }
    }

    /// The same table, borrowing nothing.
    #[must_use]
    pub fn into_owned(self) -> Table<'static> {
        match self {
            Table::Array { offset, elements } => {
                Table::Array { offset, elements: elements.into_iter().map(LuaSaveData::into_owned).collect() }
            }
            Table::Pairs(pairs) => Table::Pairs(pairs.into_iter().map(TableKeyValuePair::into_owned).collect()),
        }
    }
}

impl TableKeyValuePair<'_> {
    /// The same pair, borrowing nothing.
    #[must_use]
    pub fn into_owned(self) -> TableKeyValuePair<'static> {
        TableKeyValuePair { key: self.key.into_owned(), value: self.value.into_owned() }
    }
}

/// The fewest bytes' worth of bits that a value takes: its type. It need not be a whole byte.
const SMALLEST_VALUE: u32 = 1;

/// And a pair of them.
const SMALLEST_PAIR: u32 = 2;

/// Reads a [`Table`].
///
/// In big-endian, the bytes `00 00 00 02 80 00 00 00 84 02 84 7f 00` are the array of `LuaSaveData::Int8(5)` and
/// `LuaSaveData::Int8(-2)`, whose first key is 1. A value that [`lua_save_data`] refuses is refused.
///
/// Specification: `docs/spec/scrap-mechanic-lua-object.md`, section Table.
#[inline]
pub fn table<'a, I, E>(nesting: Nesting) -> impl Parser<Bits<I>, Output = Table<'a>, Error = E>
where
    I: Source<Bytes = &'a BStr>,
    E: WireError<Bits<I>>,
{
    TableParser { nesting, error: PhantomData }
}

struct TableParser<E> {
    nesting: Nesting,
    error: PhantomData<fn() -> E>,
}

impl<'a, I: Source<Bytes = &'a BStr>, E: WireError<Bits<I>>> Parser<Bits<I>> for TableParser<E> {
    type Output = Table<'a>;
    type Error = E;

    #[cfg_attr(fast, inline(always))]
    fn process<OM: OutputMode>(&mut self, input: Bits<I>) -> PResult<OM, Bits<I>, Table<'a>, E> {
        let (rest, (count, offset)) = head::<Valued<OM>, I, E>(input)?;
        let nesting = self.nesting;
        match offset {
            Some(offset) => switch_to::<OM, _, _>(rest, || {
                let elements = repeat_values(nesting, count, to_usize(SMALLEST_VALUE), lua_save_data);
                field("elements", elements).map(move |elements| Table::Array { offset, elements })
            }),
            None => switch_to::<OM, _, _>(rest, || {
                let elements = repeat_values(nesting, count, to_usize(SMALLEST_PAIR), table_key_value_pair);
                field("elements", elements).map(Table::Pairs)
            }),
        }
    }
}

/// The count, and the offset of an array.
#[cfg_attr(fast, inline(always))]
fn head<OM, I, E>(input: Bits<I>) -> PResult<OM, Bits<I>, (u32, Option<i32>), E>
where
    OM: OutputMode,
    I: Source,
    E: WireError<Bits<I>>,
{
    let (rest, count) = field("count", Count(PhantomData)).process::<Valued<OM>>(input)?;
    let (rest, is_array) = field("is_array", bit()).process::<Valued<OM>>(rest)?;
    if !is_array {
        return Ok((rest, OM::Output::bind(|| (count, None))));
    }
    let (rest, offset) = field("offset", int32::<Be, _, E>()).process::<Valued<OM>>(rest)?;
    Ok((rest, OM::Output::bind(|| (count, Some(offset)))))
}

/// A count of elements that the input can hold.
struct Count<E>(PhantomData<fn() -> E>);

impl<I: Source, E: WireError<Bits<I>>> Parser<Bits<I>> for Count<E> {
    type Output = u32;
    type Error = E;

    #[cfg_attr(fast, inline(always))]
    fn process<OM: OutputMode>(&mut self, input: Bits<I>) -> PResult<OM, Bits<I>, u32, E> {
        let (rest, count) = uint32::<Be, _, E>().process::<Valued<OM>>(input.clone())?;
        // what follows decides how large the elements are; where it is missing, that is the error
        let smallest = match bit::<_, ()>().parse_complete(rest.clone()) {
            Ok((rest, false)) => Some((SMALLEST_PAIR, rest.remaining())),
            Ok((rest, true)) => rest.chunk::<4>().map(|(_, rest)| (SMALLEST_VALUE, rest.remaining())),
            Err(_) => None,
        };
        if let Some((smallest, left)) = smallest.filter(|_| !input.is_recovered()) {
            let (needed, left) = (u64::from(count).saturating_mul(smallest.into()), to_u64(left));
            if needed > left {
                return Err(truncated_with::<Bits<I>, OM, E>(input, needed, left));
            }
        }
        Ok((rest, OM::Output::bind(|| count)))
    }
}

/// Reads a [`TableKeyValuePair`]. Errors in the value name the key.
///
/// At a whole byte, in big-endian, the bytes `04 00 00 00 01 61 08 05` are the key `"a"` and the value `LuaSaveData::Int8(5)`.
/// A key or value that [`lua_save_data`] refuses is refused.
///
/// Specification: `docs/spec/scrap-mechanic-lua-object.md`, section Table.
#[inline]
pub fn table_key_value_pair<'a, I, E>(nesting: Nesting) -> impl Puts<Bits<I>, Output = TableKeyValuePair<'a>, Error = E>
where
    I: Source<Bytes = &'a BStr>,
    E: WireError<Bits<I>>,
{
    let key = field("key", lua_save_data(nesting)).map(Key);
    keyed(key, field("value", lua_save_data(nesting)), |Key(key), value| TableKeyValuePair { key, value })
}

/// A key as shown in paths and trees: a string or number without its type.
struct Key<'a>(LuaSaveData<'a>);

/// The same for a borrowed value.
struct KeyRef<'k, 'a>(&'k LuaSaveData<'a>);

impl fmt::Debug for Key<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        KeyRef(&self.0).fmt(f)
    }
}

impl fmt::Debug for KeyRef<'_, '_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.0 {
            LuaSaveData::String(key) => fmt::Debug::fmt(key.as_bstr(), f),
            key => match (key.as_integer(), key.as_number()) {
                (Some(key), _) => fmt::Debug::fmt(&key, f),
                (None, Some(key)) => fmt::Debug::fmt(&key, f),
                (None, None) => fmt::Debug::fmt(key, f),
            },
        }
    }
}

impl AsKey for Key<'_> {
    fn to_key(&self) -> error::Key {
        KeyRef(&self.0).to_key()
    }
}

impl AsKey for KeyRef<'_, '_> {
    fn to_key(&self) -> error::Key {
        match self.0 {
            LuaSaveData::String(key) => key.to_key(),
            key => key.as_integer().map_or_else(|| error::Key::shown(self), |key| key.to_key()),
        }
    }
}

/// Writes a [`Table`], as [`table`] reads it. Too many elements are refused, and a value that [`gen_lua_save_data`] refuses.
pub fn gen_table<'v, W: Write + 'v>(nesting: Nesting, table: &'v Table<'_>) -> impl SerializeFn<BitWriter<W>> + 'v {
    move |out: WriteContext<BitWriter<W>>| match table {
        Table::Array { offset, elements } => {
            let out = gen_bit(true)(gen_length::<Be, _>(elements.len())(out)?)?;
            let out = gen_int32::<Be, _>(*offset)(out)?;
            gen_field("elements", gen_repeat(elements, move |element| gen_lua_save_data(nesting, element)))(out)
        }
        Table::Pairs(pairs) => {
            let out = gen_bit(false)(gen_length::<Be, _>(pairs.len())(out)?)?;
            gen_field("elements", gen_repeat(pairs, move |pair| gen_table_key_value_pair(nesting, pair)))(out)
        }
    }
}

/// Writes a [`TableKeyValuePair`], as [`table_key_value_pair`] reads it. A key or value that [`gen_lua_save_data`] refuses is
/// refused.
#[cfg_attr(fast, inline(always))]
pub fn gen_table_key_value_pair<'v, W: Write + 'v>(
    nesting: Nesting,
    pair: &'v TableKeyValuePair<'_>,
) -> impl SerializeFn<BitWriter<W>> + 'v {
    move |out: WriteContext<BitWriter<W>>| {
        let out = gen_field("key", gen_lua_save_data(nesting, &pair.key))(out)?;
        gen_keyed(&KeyRef(&pair.key), gen_field("value", gen_lua_save_data(nesting, &pair.value)))(out)
    }
}

#[cfg(feature = "text")]
mod json {
    use super::*;
    use crate::member::{Give, Given, Member, Mismatch, Receiver, Shape};

    /// `{"array": true, "offset": 1, "elements": […]}` or `{"array": false, "entries": [{"key": …, "value": …}, …]}`
    impl Give for Table<'_> {
        fn give(&self, to: &mut dyn Receiver) {
            let is_array = matches!(self, Table::Array { .. });
            to.structure("Form", if is_array { 3 } else { 2 });
            to.member("array", &is_array);
            match self {
                Table::Array { offset, elements } => {
                    to.member("offset", offset);
                    to.member("elements", elements);
                }
                Table::Pairs(pairs) => to.member("entries", pairs),
            }
            to.end();
        }
    }

    impl Member for Table<'_> {
        const SHAPE: Shape = Shape::Form("Table");

        fn take(given: Given<'_>) -> Result<Self, Mismatch> {
            let names = &["array", "offset", "elements", "entries"];
            let [array, offset, elements, entries] = given.structure("", names)?;
            match (crate::member::field(given, "array", array)?, offset, elements, entries) {
                (true, Some(offset), Some(elements), None) => {
                    Ok(Table::Array { offset: Member::take(offset)?, elements: Member::take(elements)? })
                }
                (false, None, None, Some(entries)) => Member::take(entries).map(Table::Pairs),
                (true, ..) => Err(given.custom("an array has offset and elements, and no entries")),
                (false, ..) => Err(given.custom("a table that is not an array has entries only")),
            }
        }
    }

    crate::structure::by_members!(['a] TableKeyValuePair, TableKeyValuePair<'a> { key: LuaSaveData<'a>, value: LuaSaveData<'a>, });
}

owned_by_method!(Table, TableKeyValuePair { key value });
field_value!(Options: Table<'a> = |nesting, value| nested(nesting, table), gen_nested(nesting, value, |n, v| gen_table(n, v)));

#[cfg(test)]
mod tests {
    use super::*;
    use crate::test::{both_ways, hex};
    use crate::wire::{bits, gen_bits};
    use pretty_assertions::assert_eq;

    fn check(bytes: &str, value: &Table<'_>) {
        let generator = gen_bits(gen_table(Nesting::default(), value));
        both_ways(&hex(bytes), value.clone(), || bits(table(Nesting::default())), generator);
    }

    #[test]
    fn worked_examples() {
        check("00 00 00 00 00", &Table::default());
        let value = Table::list([LuaSaveData::Int8(5), LuaSaveData::Int8(-2)]);
        check("00 00 00 02 80 00 00 00 84 02 84 7f 00", &value);
        let value = Table::list([LuaSaveData::Boolean(true), "a".into()]);
        check("00 00 00 02 80 00 00 00 81 41 00 00 00 00 40 61", &value);
        let elements = vec![LuaSaveData::Boolean(true), LuaSaveData::Double(0.1)];
        check(
            "00 00 00 02 ff ff ff ff 01 42 cf ee 66 66 66 66 66 66 80",
            &Table::Array { offset: -2, elements: elements.into() },
        );
        let value = Table::from_entries([("mode".into(), LuaSaveData::Int8(0))]);
        check("00 00 00 01 02 00 00 00 02 00 6d 6f 64 65 08 00", &value);
        let pair = TableKeyValuePair { key: "a".into(), value: LuaSaveData::Int8(5) };
        let generator = gen_bits(gen_table_key_value_pair(Nesting::default(), &pair));
        let parser = || bits(table_key_value_pair(Nesting::default()));
        both_ways(&hex("04 00 00 00 01 61 08 05"), pair.clone(), parser, generator);
    }

    #[test]
    fn the_keys_decide_the_form() {
        let table =
            |keys: &[i32]| Table::from_entries(keys.iter().map(|key| (LuaSaveData::integer(*key), true.into())));
        let array = |offset, length| Table::Array { offset, elements: vec![LuaSaveData::Boolean(true); length].into() };
        // of several widths, too
        assert_eq!(table(&[127, 128, 129]), array(127, 3));
        assert_eq!(table(&[-1, 0]), array(-1, 2));
        for keys in [&[1, 1][..], &[2, 1], &[1, 2, 4]] {
            assert!(matches!(table(keys), Table::Pairs(pairs) if pairs.len() == keys.len()), "{keys:?}");
        }
        assert_eq!(table(&[]), Table::default());
        let mixed = [(1.into(), true.into()), ("b".into(), true.into())];
        assert!(matches!(Table::from_entries(mixed), Table::Pairs(_)));
        assert!(matches!(Table::from_entries([(1.0_f32.into(), true.into())]), Table::Pairs(_)));
    }

    #[test]
    fn values_are_found_in_both_forms() {
        let values = ["x", "y", "z"].map(LuaSaveData::from);
        let list = Table::list(values.clone());
        let keys = ["b".into(), 3.into(), 3.into()];
        let pairs = Table::from_entries(keys.into_iter().zip(values.clone()));
        for table in [&list, &pairs] {
            assert_eq!((table.len(), table.is_empty()), (3, false));
            assert_eq!(table.values().collect::<Vec<_>>(), values.iter().collect::<Vec<_>>());
            assert_eq!(&table.clone().into_owned(), table);
        }
        assert!(Table::default().is_empty() && Table::list([]).is_empty());
        assert_eq!((list.at(0), list.at(1), list.at(3), list.at(4)), (None, Some(&values[0]), Some(&values[2]), None));
        // of several values with the key, the first
        assert_eq!((pairs.at(3), pairs.at(1)), (Some(&values[1]), None));
        assert_eq!((pairs.get("b"), pairs.get("c"), list.get("b")), (Some(&values[0]), None, None));
    }

    fn error(bytes: &str) -> crate::DecodeError {
        crate::wire::run(&hex(bytes)[..], bits(table(Nesting::default()))).unwrap_err()
    }

    /// A pair takes two bytes at least, and an element of an array one.
    #[test]
    fn a_count_beyond_the_input_is_at_fault() {
        for bytes in ["00 00 00 01 00 80 80", "00 00 00 02 80 00 00 00 80 80 80"] {
            assert_eq!(
                crate::wire::run(&hex(bytes)[..], bits(table(Nesting::default()))).map(|_| ()),
                Ok(()),
                "{bytes}"
            );
        }
        for (bytes, needed, left) in [("00 00 00 02 00 80 80 80", 4, 3), ("00 00 00 03 80 00 00 00 80 80 80", 3, 2)] {
            let error = error(bytes);
            assert_eq!((error.offset().bits(), error.path().to_string()), (0, "count".to_owned()), "{bytes}");
            let told = error.fault().to_string();
            assert!(told.contains(&needed.to_string()) && told.contains(&left.to_string()), "{told}");
        }
        // a field that determines the size of the elements is missing: that is the error
        assert_eq!(error("ff ff ff ff").path().to_string(), "is_array");
        assert_eq!(error("ff ff ff ff 80").path().to_string(), "offset");
    }

    /// A string or number appears without its type, any other value in its usual form.
    #[test]
    fn errors_show_the_key() {
        let is_true = if cfg!(feature = "text") { "true" } else { "Boolean(true)" };
        for (key, shown) in [
            (LuaSaveData::from("a"), "\"a\""),
            (LuaSaveData::Int16(300), "300"),
            (LuaSaveData::Number(0.5), "0.5"),
            (LuaSaveData::Boolean(true), is_true),
        ] {
            assert_eq!(
                (format!("{:-?}", KeyRef(&key)), format!("{:-?}", Key(key.clone()))),
                (shown.into(), shown.into())
            );
            let deep = (0..200).fold(LuaSaveData::Nil, |inner, _| Table::list([inner]).into());
            let table = Table::Pairs([TableKeyValuePair { key, value: deep }].into());
            let error = super::super::encode(&super::super::LuaObject::new(table)).unwrap_err();
            let path = error.path().to_string();
            assert!(path.starts_with(&format!("data.table.elements[0] {shown}.value.")), "{path}");
        }
    }

    #[test]
    #[cfg(feature = "text")]
    fn a_document_has_the_members_of_its_form() {
        let read =
            |text: &str| crate::member::deserialize::<Table<'_>, _>(&mut serde_json::Deserializer::from_str(text));
        let element = r#"[{"type": "Int8", "value": 7}]"#;
        let array = Table::Array { offset: 3, elements: [LuaSaveData::Int8(7)].into() };
        assert_eq!(read(&format!(r#"{{"array": true, "offset": 3, "elements": {element}}}"#)).unwrap(), array);
        assert_eq!(read(r#"{"array": false, "entries": []}"#).unwrap(), Table::default());
    }

    #[test]
    fn keys_may_pass_the_greatest_integer() {
        let value = Table::Array { offset: i32::MAX, elements: [LuaSaveData::Nil, LuaSaveData::Boolean(true)].into() };
        assert_eq!(value.at(i64::from(i32::MAX) + 1), Some(&LuaSaveData::Boolean(true)));
        assert_eq!(value.at(i64::MIN), None);
    }
}
