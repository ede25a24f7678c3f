//! Roblox remote packets.

use std::io::{self, Read};

use enginewire::roblox::remote::{self, Decoder, Options, Packet, TypeId, Value};
use enginewire::wire::{ReadError, Tree};
use enginewire::{DecodeError, Limits};

use super::{Checked, Counts, Format, FormatOptions, JsonOut, TypeRow, Unwritable};

#[derive(Debug)]
pub struct RobloxRemote;

impl Format for RobloxRemote {
    fn name(&self) -> &'static str {
        "roblox-remote"
    }

    fn about(&self) -> &'static str {
        "RemoteEvents and RemoteFunctions of Roblox"
    }

    fn found_in(&self) -> &'static str {
        "packet 0x83, decrypted"
    }

    /// One byte is too little: attributes may begin with it.
    fn magic(&self) -> Option<&'static [u8]> {
        None
    }

    fn types(&self) -> Vec<TypeRow> {
        super::type_rows::<TypeId>()
    }

    fn inspect(&self, bytes: &[u8], given: &FormatOptions) -> Tree {
        remote::inspect_within(bytes, &options(given), super::tree_memory(bytes, given))
    }

    fn decode(
        &self,
        bytes: &[u8],
        given: &FormatOptions,
        out: &mut JsonOut<'_>,
    ) -> Result<io::Result<()>, DecodeError> {
        remote::decode_with(bytes, &options(given)).map(|packet| out.write(&packet))
    }

    fn decode_partial(&self, bytes: &[u8], given: &FormatOptions, out: &mut JsonOut<'_>) -> io::Result<()> {
        let partial = remote::decode_partial(bytes, &options(given));
        let mut packet = partial.value.unwrap_or_default();
        packet.packets.extend(partial.unfinished);
        out.write(&packet)
    }

    fn count(&self, bytes: &[u8], given: &FormatOptions, counts: &mut Counts) -> Result<(), DecodeError> {
        for data in &remote::decode_with(bytes, &options(given))?.packets {
            counts.add(data.event.name().name(), 0);
            data.event.arguments().iter().for_each(|value| count(value, 0, counts));
        }
        Ok(())
    }

    fn encode(&self, document: &[u8], given: &FormatOptions) -> Result<Vec<u8>, Unwritable> {
        let packet = Packet::from_json(document, &given.event_ids)?;
        let options = Options::new().event_ids(given.event_ids).unverified_types(true);
        Ok(remote::encode_with(&packet, &options)?)
    }

    fn check(&self, reader: &mut dyn Read, limit: usize, given: &FormatOptions) -> Result<Checked, ReadError> {
        let decoder = Decoder::with_options(options(given)).item_limit(limit);
        let report = decoder.check(reader, |_, _| {})?;
        Ok(Checked { entries: report.items, empty: None, findings: report.findings })
    }
}

fn count(value: &Value<'_>, depth: u64, counts: &mut Counts) {
    let inside = depth.saturating_add(1);
    match value {
        Value::Array(elements) | Value::Tuple(elements) => {
            elements.iter().for_each(|element| count(element, inside, counts));
        }
        Value::Dictionary(pairs) | Value::Map(pairs) => {
            pairs.iter().for_each(|pair| count(&pair.value, inside, counts));
        }
        _ => {}
    }
    counts.add(value.type_id().name(), depth);
}

pub fn options(given: &FormatOptions) -> Options {
    Options::new()
        .limits(super::limits(given, Limits::MAX_DEPTH))
        .event_ids(given.event_ids)
        .unverified_types(given.unverified_types)
        .trailing_bytes(given.allow_trailing)
}
