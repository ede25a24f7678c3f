//! Godot Variant: each version is a format of its own.

use std::io::{self, Read};

use enginewire::godot::{self, v3, v4, Decoder, FrameDecoder, Framing, Object, Options, Variant, Version, Versioned};
use enginewire::json;
use enginewire::wire::{ReadError, Tree};
use enginewire::DecodeError;

use super::{Checked, Counts, Format, FormatOptions, JsonOut, TypeRow, Unwritable};

#[derive(Debug)]
pub struct Godot(pub Version);

impl Format for Godot {
    fn name(&self) -> &'static str {
        match self.0 {
            Version::V3 => "godot-3",
            Version::V4 => "godot-4",
        }
    }

    fn about(&self) -> &'static str {
        match self.0 {
            Version::V3 => "values of Godot 3",
            Version::V4 => "values of Godot 4",
        }
    }

    fn found_in(&self) -> &'static str {
        "store_var, put_var, var2bytes"
    }

    fn magic(&self) -> Option<&'static [u8]> {
        None
    }

    fn types(&self) -> Vec<TypeRow> {
        match self.0 {
            Version::V3 => super::type_rows::<v3::TypeId>(),
            Version::V4 => super::type_rows::<v4::TypeId>(),
        }
    }

    fn inspect(&self, bytes: &[u8], given: &FormatOptions) -> Tree {
        godot::inspect_within(bytes, &options(self.0, given), super::tree_memory(bytes, given))
    }

    fn decode(
        &self,
        bytes: &[u8],
        given: &FormatOptions,
        out: &mut JsonOut<'_>,
    ) -> Result<io::Result<()>, DecodeError> {
        let value = godot::decode_with(bytes, &options(self.0, given))?;
        Ok(out.write(&Versioned { version: self.0, value }))
    }

    fn decode_partial(&self, bytes: &[u8], given: &FormatOptions, out: &mut JsonOut<'_>) -> io::Result<()> {
        let partial = godot::decode_partial(bytes, &options(self.0, given));
        partial.value.or(partial.unfinished).map_or(Ok(()), |value| out.write(&Versioned { version: self.0, value }))
    }

    fn count(&self, bytes: &[u8], given: &FormatOptions, counts: &mut Counts) -> Result<(), DecodeError> {
        let value = godot::decode_with(bytes, &options(self.0, given))?;
        count(self.0, &value, counts);
        Ok(())
    }

    fn encode(&self, document: &[u8], _: &FormatOptions) -> Result<Vec<u8>, Unwritable> {
        let versioned: Versioned<'_> = json::from_slice(document)?;
        Ok(godot::encode_with(&versioned.value, &Options::new(versioned.version).any_text(true))?)
    }

    fn check(&self, reader: &mut dyn Read, limit: usize, given: &FormatOptions) -> Result<Checked, ReadError> {
        let options = options(self.0, given);
        let report = match given.framing {
            None => Decoder::with_options(options).item_limit(limit).check(reader, |_, _| {})?,
            Some(framing) => FrameDecoder::framed(framing, options).item_limit(limit).check(reader, |_, _| {})?,
        };
        Ok(Checked { entries: report.items, empty: None, findings: report.findings })
    }

    fn framing(&self, given: &FormatOptions) -> Option<Framing> {
        given.framing
    }
}

/// Keys too.
fn count(version: Version, value: &Variant<'_>, counts: &mut Counts) {
    // values nest deeper than there may be stack for
    let mut work = vec![(value, 0)];
    while let Some((value, depth)) = work.pop() {
        let inside = u64::saturating_add(depth, 1);
        match value {
            Variant::Array(array) => work.extend(array.elements.iter().map(|element| (element, inside))),
            Variant::Dictionary(dictionary) => {
                let entries = dictionary.entries.iter();
                work.extend(entries.flat_map(|entry| [(&entry.key, inside), (&entry.value, inside)]));
            }
            Variant::Object(Object::Full(object)) => {
                work.extend(object.properties.iter().map(|property| (&property.value, inside)));
            }
            _ => {}
        }
        let id = value.type_id();
        let name = match version {
            Version::V3 => v3::TypeId::from_v4(id).map_or(id.name(), v3::TypeId::name),
            Version::V4 => id.name(),
        };
        counts.add(name, depth);
    }
}

fn options(version: Version, given: &FormatOptions) -> Options {
    Options::new(version)
        .limits(super::limits(given, Options::MAX_DEPTH))
        .objects(!given.no_objects)
        .any_text(given.any_text)
        .trailing_bytes(given.allow_trailing)
}
