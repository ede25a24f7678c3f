//! Roblox attributes.

use std::io::{self, Read};

use enginewire::json;
use enginewire::roblox::attributes::{self, Attributes, Decoder, Empty, Options, TypeId, Value};
use enginewire::wire::{ReadError, Tree};
use enginewire::{DecodeError, Limits};

use super::{Checked, Counts, Format, FormatOptions, JsonOut, TypeRow, Unwritable};

#[derive(Debug)]
pub struct RobloxAttributes;

impl Format for RobloxAttributes {
    fn name(&self) -> &'static str {
        "roblox-attributes"
    }

    fn about(&self) -> &'static str {
        "attributes of a Roblox instance"
    }

    fn found_in(&self) -> &'static str {
        "AttributesSerialize in .rbxm, .rbxl"
    }

    fn magic(&self) -> Option<&'static [u8]> {
        None
    }

    fn types(&self) -> Vec<TypeRow> {
        super::type_rows::<TypeId>()
    }

    fn inspect(&self, bytes: &[u8], given: &FormatOptions) -> Tree {
        attributes::inspect_within(bytes, &options(given), super::tree_memory(bytes, given))
    }

    fn decode(
        &self,
        bytes: &[u8],
        given: &FormatOptions,
        out: &mut JsonOut<'_>,
    ) -> Result<io::Result<()>, DecodeError> {
        attributes::decode_with(bytes, &options(given)).map(|attributes| out.write(&attributes))
    }

    fn decode_partial(&self, bytes: &[u8], given: &FormatOptions, out: &mut JsonOut<'_>) -> io::Result<()> {
        let partial = attributes::decode_partial(bytes, &options(given));
        out.write(&partial.value.unwrap_or_default())
    }

    fn count(&self, bytes: &[u8], given: &FormatOptions, counts: &mut Counts) -> Result<(), DecodeError> {
        let attributes = attributes::decode_with(bytes, &options(given))?;
        attributes.iter().for_each(|entry| count(&entry.value, 0, counts));
        Ok(())
    }

    fn encode(&self, document: &[u8], given: &FormatOptions) -> Result<Vec<u8>, Unwritable> {
        let attributes: Attributes<'_> = json::from_slice(document)?;
        let empty = if given.zero_length { Empty::ZeroLength } else { Empty::NoBytes };
        Ok(attributes::encode_with(&attributes, &Options::new().refs(true).empty(empty))?)
    }

    fn check(&self, reader: &mut dyn Read, limit: usize, given: &FormatOptions) -> Result<Checked, ReadError> {
        let report = Decoder::with_options(options(given)).item_limit(limit).check(reader, |_, _| {})?;
        let is_zero_length = report.findings.non_canonical.count > 0;
        let empty = (report.items == Some(0)).then_some(match is_zero_length {
            false => ("no bytes", "no-bytes"),
            true => ("a length of 0", "zero-length"),
        });
        Ok(Checked { entries: report.items, empty, findings: report.findings })
    }
}

fn count(value: &Value<'_>, depth: u64, counts: &mut Counts) {
    let inside = depth.saturating_add(1);
    match value {
        Value::Array(elements) => elements.iter().for_each(|element| count(element, inside, counts)),
        Value::Dictionary(entries) => entries.iter().for_each(|entry| count(&entry.value, inside, counts)),
        _ => {}
    }
    counts.add(value.type_id().name(), depth);
}

pub fn options(given: &FormatOptions) -> Options {
    Options::new()
        .limits(super::limits(given, Limits::DEFAULT_DEPTH))
        .draft_types(!given.no_draft_types)
        .refs(given.refs)
        .trailing_bytes(given.allow_trailing)
}
