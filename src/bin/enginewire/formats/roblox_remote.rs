//! Roblox remote packets.

use std::io::{self, Read};

use enginewire::roblox::remote::{self, Decoder, EventIds, Options, Packet, TypeId, Value};
use enginewire::wire::{ReadError, Tree};
use enginewire::{DecodeError, Limits};

use super::{Checked, Format, JsonOut, TypeRow, Unwritable};
use crate::args::Common;
use crate::stats::Counts;

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

    fn inspect(&self, bytes: &[u8], common: &Common) -> Tree {
        remote::inspect_within(bytes, &options(common), super::tree_memory(bytes, common))
    }

    fn decode(&self, bytes: &[u8], common: &Common, out: &mut JsonOut<'_>) -> Result<io::Result<()>, DecodeError> {
        remote::decode_with(bytes, &options(common)).map(|packet| out.write(&packet))
    }

    fn decode_partial(&self, bytes: &[u8], common: &Common, out: &mut JsonOut<'_>) -> io::Result<()> {
        let mut partial = remote::decode_partial(bytes, &options(common));
        partial.packet.packets.extend(partial.unfinished);
        out.write(&partial.packet)
    }

    fn count(&self, bytes: &[u8], common: &Common, counts: &mut Counts) -> Result<(), DecodeError> {
        for data in &remote::decode_with(bytes, &options(common))?.packets {
            counts.add(data.event.name().name(), 0);
            data.event.arguments().iter().for_each(|value| count(value, 0, counts));
        }
        Ok(())
    }

    fn encode(&self, document: &[u8], _: bool) -> Result<Vec<u8>, Unwritable> {
        encode(document, &EventIds::default())
    }

    fn encode_as_asked(&self, document: &[u8], _: bool, common: &Common) -> Result<Vec<u8>, Unwritable> {
        encode(document, &common.event_ids.unwrap_or_default())
    }

    fn check(&self, reader: &mut dyn Read, limit: usize, common: &Common) -> Result<Checked, ReadError> {
        let decoder = Decoder::with_options(options(common)).item_limit(limit);
        let (packets, findings) = decoder.check(reader, |_, _| {})?;
        Ok(Checked { entries: u64::try_from(packets.count()).ok(), empty: None, findings })
    }
}

fn encode(document: &[u8], ids: &EventIds) -> Result<Vec<u8>, Unwritable> {
    let packet = Packet::from_json(document, ids)?;
    Ok(remote::encode(&packet)?)
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

pub fn options(common: &Common) -> Options {
    Options::new()
        .limits(super::limits(common, Limits::MAX_DEPTH))
        .event_ids(common.event_ids.unwrap_or_default())
        .unverified_types(common.unverified_types)
        .trailing_bytes(common.allow_trailing)
}
