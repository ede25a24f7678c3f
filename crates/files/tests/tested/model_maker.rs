//! Model and place files of every make, byte by byte and without the library: good ones, unusual ones and broken ones.

use arbitrary::Unstructured;

use crate::support::{list, rare, Codec, RobloxAttributes};

/// Any bytes or numbers, as [`Unstructured`] gives them.
type Any<'e, 'b> = &'e mut Unstructured<'b>;
type Made<T> = arbitrary::Result<T>;

/// The names of properties that are read.
pub(crate) const KINDS: [&str; 5] = [
    "AttributesSerialize",
    "PropertiesSerialize",
    "PropertyTransitionsSerialize",
    "Tags",
    "SerializedEmulatedPolicyInfo",
];

const CLASSES: [&str; 6] = ["Folder", "Part", "StyleRule", "Path2D", "Workspace", "PlayerEmulatorService"];

/// The compression of a chunk's data.
#[derive(Clone, Copy)]
pub(crate) enum Packing {
    None,
    Lz4,
    Zstd,
}

/// A chunk.
pub(crate) fn chunk(name: &[u8; 4], data: &[u8], packing: Packing) -> Vec<u8> {
    let body = match packing {
        Packing::None => data.to_vec(),
        Packing::Lz4 => lz4_flex::block::compress(data),
        Packing::Zstd => zstd(data),
    };
    let stored = if matches!(packing, Packing::None) { 0 } else { body.len() };
    head(name, stored as u32, data.len() as u32, &body)
}

/// A chunk whose header has any lengths, which may be wrong.
fn head(name: &[u8; 4], stored: u32, length: u32, body: &[u8]) -> Vec<u8> {
    [&name[..], &stored.to_le_bytes(), &length.to_le_bytes(), &[0; 4], body].concat()
}

/// A zstd frame of one segment: blocks of one byte that repeats, and blocks as they are.
pub(crate) fn zstd(data: &[u8]) -> Vec<u8> {
    let mut frame = b"\x28\xb5\x2f\xfd\xa0".to_vec();
    frame.extend((data.len() as u32).to_le_bytes());
    let mut blocks: Vec<(u32, &[u8])> = Vec::new();
    let mut rest = data;
    while !rest.is_empty() {
        let same = |rest: &[u8]| rest.iter().take(BLOCK).take_while(|byte| **byte == rest[0]).count();
        let run = same(rest);
        let (kind, size) = if run >= 16 {
            (1, run)
        } else {
            // up to where something repeats
            let ends = rest.windows(16).take(BLOCK).position(|part| part.iter().all(|byte| *byte == part[0]));
            (0, ends.unwrap_or(rest.len()).clamp(1, BLOCK))
        };
        let (block, after) = rest.split_at(size);
        blocks.push((kind, block));
        rest = after;
    }
    if blocks.is_empty() {
        blocks.push((0, &[]));
    }
    let last = blocks.len() - 1;
    for (index, (kind, block)) in blocks.into_iter().enumerate() {
        let header = (block.len() as u32) << 3 | kind << 1 | u32::from(index == last);
        frame.extend(&header.to_le_bytes()[..3]);
        frame.extend(if kind == 1 { &block[..1] } else { block });
    }
    frame
}

/// The most bytes of a block of a zstd frame.
const BLOCK: usize = 128 << 10;

/// A length, and the bytes.
pub(crate) fn string(bytes: &[u8]) -> Vec<u8> {
    [&(bytes.len() as u32).to_le_bytes()[..], bytes].concat()
}

/// First the first bytes of all numbers, then the second ones.
fn interleaved(numbers: &[u32]) -> Vec<u8> {
    (0..4).flat_map(|byte| numbers.iter().map(move |number| number.to_be_bytes()[byte])).collect()
}

/// Each as the difference to the one before, with the sign in the last bit.
pub(crate) fn referents(referents: &[i32]) -> Vec<u8> {
    let mut last = 0i32;
    let difference = |referent: &i32| {
        let difference = referent.wrapping_sub(last);
        last = *referent;
        (difference << 1 ^ difference >> 31) as u32
    };
    interleaved(&referents.iter().map(difference).collect::<Vec<u32>>())
}

pub(crate) fn inst(class: u32, name: &str, numbers: &[i32], is_service: bool) -> Vec<u8> {
    let markers = if is_service { vec![1; numbers.len()] } else { Vec::new() };
    let count = (numbers.len() as u32).to_le_bytes();
    [&class.to_le_bytes()[..], &string(name.as_bytes()), &[is_service.into()], &count, &referents(numbers), &markers]
        .concat()
}

/// The values of a property that are strings.
pub(crate) fn prop(class: u32, name: &str, values: &[Vec<u8>]) -> Vec<u8> {
    let values: Vec<u8> = values.iter().flat_map(|value| string(value)).collect();
    [&class.to_le_bytes()[..], &string(name.as_bytes()), &[1], &values].concat()
}

/// Those that are numbers of shared strings.
pub(crate) fn prop_shared(class: u32, name: &str, indices: &[u32]) -> Vec<u8> {
    [&class.to_le_bytes()[..], &string(name.as_bytes()), &[0x1c], &interleaved(indices)].concat()
}

pub(crate) fn sstr(strings: &[Vec<u8>]) -> Vec<u8> {
    sstr_of(0, strings)
}

/// Of version 0, each has a hash.
fn sstr_of(version: u32, strings: &[Vec<u8>]) -> Vec<u8> {
    let hash: &[u8] = if version == 0 { &[7; 16] } else { &[] };
    let strings_of: Vec<u8> = strings.iter().flat_map(|text| [hash, &string(text)].concat()).collect();
    [&version.to_le_bytes()[..], &(strings.len() as u32).to_le_bytes(), &strings_of].concat()
}

/// A property without a value type.
fn prop_untyped(class: u32, name: &str) -> Vec<u8> {
    [&class.to_le_bytes()[..], &string(name.as_bytes())].concat()
}

pub(crate) fn prnt(children: &[i32], parents: &[i32]) -> Vec<u8> {
    [&[0], &(children.len() as u32).to_le_bytes()[..], &referents(children), &referents(parents)].concat()
}

/// A file of these chunks, with the one that ends it.
pub(crate) fn file(classes: i32, instances: i32, chunks: &[Vec<u8>]) -> Vec<u8> {
    let mut file = b"<roblox!\x89\xff\r\n\x1a\n\0\0".to_vec();
    file.extend([classes, instances].iter().flat_map(|count| count.to_le_bytes()));
    file.extend([0; 8]);
    file.extend(chunks.concat());
    file.extend(chunk(b"END\0", b"</roblox>", Packing::None));
    file
}

/// The bytes of a property: mostly attributes.
fn value(entropy: Any<'_, '_>) -> Made<Vec<u8>> {
    Ok(match entropy.int_in_range(0..=9)? {
        0..=2 => Vec::new(),
        3 | 4 => b"\x01\0\0\0\x02\0\0\0On\x03\x01".to_vec(),
        5 => b"Hot\0Bright".to_vec(),
        6 => b"\x01\0\0\0\x01\0\0\0a\xff\0".to_vec(),
        7 => RobloxAttributes::encode(&RobloxAttributes::arbitrary(entropy)?).unwrap(),
        8 => vec![entropy.arbitrary()?; long(entropy)?],
        _ => crate::support::bytes(entropy)?,
    })
}

/// A length that is a lot now and then.
fn long(entropy: Any<'_, '_>) -> Made<usize> {
    Ok(*entropy.choose(&[1, 20, 300, 70_000, 400_000])?)
}

fn name(entropy: Any<'_, '_>) -> Made<Vec<u8>> {
    Ok(match entropy.int_in_range(0..=9)? {
        0..=4 => entropy.choose(&["Torch", "a", "b"])?.as_bytes().to_vec(),
        5 => entropy.choose(&["#1", "#0", "a.b", ".", ""])?.as_bytes().to_vec(),
        6 => b"Fire \xff\x1b[31m\n".to_vec(),
        7 => vec![b'n'; long(entropy)?],
        _ => super::addresses::name(entropy)?,
    })
}

/// A referent: mostly one of those that there are.
fn referent(entropy: Any<'_, '_>, next: &mut i32) -> Made<i32> {
    Ok(match entropy.int_in_range(0..=19)? {
        0 if *next > 0 => entropy.int_in_range(0..=*next)?,
        1 => *entropy.choose(&[i32::MIN, -1, -2, i32::MAX, 1000])?,
        _ => {
            *next += 1;
            *next
        }
    })
}

/// A binary file: classes, shared strings, properties, parents, in any order and stored in any way; mostly as they should
/// be.
pub(crate) fn binary(entropy: Any<'_, '_>) -> Made<Vec<u8>> {
    let mut next = -1;
    let mut chunks: Vec<([u8; 4], Vec<u8>)> = Vec::new();
    let mut all = Vec::new();
    let shared: Vec<Vec<u8>> = list(entropy, value)?;
    if !shared.is_empty() {
        let version = *entropy.choose(&[0, 0, 0, 0, 1, 1, 1, 2])?;
        chunks.push((*b"SSTR", sstr_of(version, &shared)));
    }
    let mut classes: Vec<(u32, &str, Vec<i32>)> = Vec::new();
    for index in 0..entropy.int_in_range(0..=4)? {
        let id = if rare(entropy, 20)? { entropy.int_in_range(0..=5)? } else { index };
        let mut numbers = Vec::new();
        for _ in 0..entropy.int_in_range(0..=4)? {
            numbers.push(referent(entropy, &mut next)?);
        }
        if rare(entropy, 40)? {
            numbers.extend(std::iter::repeat_n(0, long(entropy)? / 4));
        }
        let class = *entropy.choose(&CLASSES)?;
        chunks.push((*b"INST", inst(id, class, &numbers, class == "Workspace")));
        all.extend(&numbers);
        classes.push((id, class, numbers));
    }
    for (id, _, numbers) in &classes {
        for property in ["Name", KINDS[0], KINDS[1], KINDS[2], "Size"] {
            // two of one now and then
            for _ in 0..*entropy.choose(&[0, 1, 1, 1, 1, 1, 2])? {
                let count = if rare(entropy, 30)? { entropy.int_in_range(0..=6)? } else { numbers.len() };
                if rare(entropy, 20)? {
                    chunks.push((*b"PROP", prop_untyped(*id, property)));
                } else if !shared.is_empty() && property != "Name" && rare(entropy, 3)? {
                    let most = shared.len() as u32 - u32::from(!rare(entropy, 20)?);
                    let mut indices = Vec::new();
                    for _ in 0..count {
                        indices.push(entropy.int_in_range(0..=most)?);
                    }
                    chunks.push((*b"PROP", prop_shared(*id, property, &indices)));
                } else {
                    let mut values = Vec::new();
                    for _ in 0..count {
                        values.push(if property == "Name" { name(entropy)? } else { value(entropy)? });
                    }
                    chunks.push((*b"PROP", prop(*id, property, &values)));
                }
            }
        }
    }
    let mut parents = Vec::new();
    for index in 0..all.len().min(40) {
        parents.push(match entropy.int_in_range(0..=9)? {
            0..=3 => -1,
            4..=7 => all[..=index].get(index.wrapping_sub(1)).copied().unwrap_or(-1),
            // perhaps itself, or one that is in it
            8 => *entropy.choose(&all)?,
            _ => *entropy.choose(&[-2, 999, i32::MAX])?,
        });
    }
    let children = &all[..parents.len()];
    for _ in 0..*entropy.choose(&[1, 1, 1, 1, 1, 1, 1, 0, 2])? {
        chunks.push((*b"PRNT", prnt(children, &parents)));
    }
    let others: [([u8; 4], &[u8]); 3] = [(*b"META", b"\0\0\0\0"), (*b"SIGN", b"\0\0\0\0"), (*b"WHAT", b"ever")];
    for (name, data) in others {
        if rare(entropy, 5)? {
            let at = entropy.int_in_range(0..=chunks.len())?;
            chunks.insert(at, (name, data.to_vec()));
        }
    }
    // orders that no engine writes
    while !chunks.is_empty() && !entropy.is_empty() && rare(entropy, 4)? {
        let [from, to] = [entropy.int_in_range(0..=chunks.len() - 1)?, entropy.int_in_range(0..=chunks.len() - 1)?];
        if rare(entropy, 4)? {
            chunks.insert(to, chunks[from].clone());
        } else {
            chunks.swap(from, to);
        }
    }
    let mut packed = Vec::new();
    for (name, data) in &chunks {
        let packing = *entropy.choose(&[Packing::None, Packing::Lz4, Packing::Zstd])?;
        packed.push(match rare(entropy, 60)? {
            // a header with wrong lengths
            true => head(name, entropy.arbitrary()?, entropy.arbitrary()?, data),
            false => chunk(name, data, packing),
        });
    }
    let mut file = file(classes.len() as i32, all.len() as i32, &packed);
    if rare(entropy, 30)? {
        file.truncate(file.len() - entropy.int_in_range(0..=file.len().min(40))?);
    }
    if rare(entropy, 30)? {
        file.extend(crate::support::bytes(entropy)?);
    }
    Ok(file)
}

/// A binary file with one change: of a byte, or of the chunks.
pub(crate) fn mutated_binary(file: &[u8], random: &mut crate::support::random::Random) -> Vec<u8> {
    let mut pieces = pieces(file);
    if pieces.len() < 2 || random.below(2) == 0 {
        return crate::support::mutate::scribble(file, random);
    }
    let [from, to] = [1 + random.below(pieces.len() - 1), 1 + random.below(pieces.len() - 1)];
    match random.below(4) {
        0 => drop(pieces.remove(from)),
        1 => pieces.insert(to, pieces[from]),
        2 => pieces.swap(from, to),
        _ => {
            let changed = crate::support::mutate::scribble(pieces[from], random);
            pieces[from] = &[];
            return [pieces[..from].concat(), changed, pieces[from..].concat()].concat();
        }
    }
    pieces.concat()
}

/// The header of a binary file, its chunks, and the bytes after them.
pub(crate) fn pieces(file: &[u8]) -> Vec<&[u8]> {
    let (head, mut rest) = file.split_at(file.len().min(32));
    let mut pieces = vec![head];
    while let Some(head) = rest.get(..16) {
        let number = |at: usize| u32::from_le_bytes(head[at..at + 4].try_into().unwrap()) as usize;
        let size = if number(4) == 0 { number(8) } else { number(4) };
        let (piece, after) = rest.split_at(size.saturating_add(16).min(rest.len()));
        pieces.push(piece);
        rest = after;
        if piece.starts_with(b"END\0") {
            break;
        }
    }
    if !rest.is_empty() {
        pieces.push(rest);
    }
    pieces
}

/// An attribute of an element: with quotes of either kind, or none; with an entity in it now and then, or another attribute that is
/// no valid XML before it.
fn attribute(entropy: Any<'_, '_>, name: &str, value: &str) -> Made<String> {
    let value = match rare(entropy, 40)? {
        true if !value.is_empty() => format!("&#{};{}", value.as_bytes()[0], &value[1..]),
        _ => value.to_owned(),
    };
    let odd = match rare(entropy, 40)? {
        true => *entropy.choose(&[" odd", " odd=1", " odd=\"a & b\"", " odd=\"&odd;\" odd=\"\"", " a= a=\"\""])?,
        false => "",
    };
    Ok(odd.to_owned()
        + &match entropy.int_in_range(0..=39)? {
            0 => format!(" {name}={value}"),
            1..=3 => format!(" {name}='{value}'"),
            4 => format!("\n\t{name} = \"{value}\""),
            _ => format!(" {name}=\"{value}\""),
        })
}

/// Text between tags: as it is, escaped, in CDATA, with a comment or with whitespace in it.
fn text(entropy: Any<'_, '_>, text: &[u8]) -> Made<Vec<u8>> {
    let half = text.len() / 2;
    Ok(match entropy.int_in_range(0..=9)? {
        0 => [b"<![CDATA[", text, b"]]>"].concat(),
        1 => [&text[..half], b"<!-- a > b -->", &text[half..]].concat(),
        2 => [b"\n\t", &text[..half], b"\n ", &text[half..], b"\r\n"].concat(),
        3 => [&text[..half], b"<![CDATA[", &text[half..], b"]]>"].concat(),
        4 if text.len() < 1000 => text.iter().flat_map(|byte| format!("&#{byte};").into_bytes()).collect(),
        _ => text.to_vec(),
    })
}

fn base64(bytes: &[u8]) -> Vec<u8> {
    data_encoding::BASE64.encode(bytes).into_bytes()
}

/// An XML file: prolog, comments, items within each other, shared strings; mostly as they should be.
pub(crate) fn xml(entropy: Any<'_, '_>) -> Made<Vec<u8>> {
    let mut file = Vec::new();
    if rare(entropy, 6)? {
        file.extend(b"\xef\xbb\xbf");
    }
    for before in ["<?xml version=\"1.0\" encoding=\"utf-8\"?>", "\n", "<!-- <roblox > -->", "<!DOCTYPE roblox>", " "] {
        if rare(entropy, 6)? {
            file.extend(before.bytes());
        }
    }
    file.extend(b"<roblox");
    file.extend(attribute(entropy, "version", "4")?.into_bytes());
    file.extend(b">\n<Meta name=\"ExplicitAutoJoints\">true</Meta><External>null</External>");
    let shared: Vec<Vec<u8>> = list(entropy, value)?;
    let is_first = rare(entropy, 4)?;
    let strings = |entropy: Any<'_, '_>, file: &mut Vec<u8>| -> Made<()> {
        file.extend(b"<SharedStrings>");
        for (index, bytes) in shared.iter().enumerate() {
            file.extend(b"<SharedString");
            file.extend(attribute(entropy, "md5", &format!("KEY{index}"))?.into_bytes());
            file.extend(b">");
            file.extend(text(entropy, &base64(bytes))?);
            file.extend(b"</SharedString>\n");
        }
        file.extend(b"</SharedStrings>");
        Ok(())
    };
    if is_first {
        strings(entropy, &mut file)?;
    }
    let mut next = -1;
    for _ in 0..entropy.int_in_range(0..=4)? {
        item(entropy, &mut file, &mut next, shared.len(), 3)?;
    }
    if !is_first {
        strings(entropy, &mut file)?;
    }
    file.extend(b"</roblox>\n");
    if rare(entropy, 40)? {
        file.truncate(file.len() - entropy.int_in_range(0..=file.len().min(60))?);
    }
    if rare(entropy, 20)? {
        file.extend(b"<!-- after -->\n");
    }
    Ok(file)
}

fn item(entropy: Any<'_, '_>, file: &mut Vec<u8>, next: &mut i32, shared: usize, levels: usize) -> Made<()> {
    file.extend(b"<Item");
    let class = *entropy.choose(&CLASSES)?;
    file.extend(attribute(entropy, "class", class)?.into_bytes());
    if !rare(entropy, 8)? {
        let referent = referent(entropy, next)?;
        file.extend(attribute(entropy, "referent", &format!("RBX{referent}"))?.into_bytes());
    }
    file.extend(b">");
    // the properties are sometimes after the nested items, sometimes there twice, and sometimes missing
    let places = *entropy.choose(&[(1, 0), (1, 0), (1, 0), (1, 0), (0, 1), (0, 0), (1, 1), (2, 0)])?;
    for _ in 0..places.0 {
        properties(entropy, file, shared)?;
    }
    if levels > 0 {
        for _ in 0..*entropy.choose(&[0, 0, 0, 1, 2])? {
            item(entropy, file, next, shared, levels - 1)?;
        }
    }
    for _ in 0..places.1 {
        properties(entropy, file, shared)?;
    }
    file.extend(b"</Item>\n");
    Ok(())
}

fn properties(entropy: Any<'_, '_>, file: &mut Vec<u8>, shared: usize) -> Made<()> {
    if rare(entropy, 12)? {
        file.extend(b"<Properties/>");
        return Ok(());
    }
    file.extend(entropy.choose(&[&b"<Properties>"[..], b"<Properties>\n\t\t", b"<Properties >\n"])?.iter());
    for property in ["Name", KINDS[0], KINDS[1], KINDS[2], "Size"] {
        for _ in 0..*entropy.choose(&[0, 0, 1, 1, 1, 1, 1, 2])? {
            let is_shared = property != "Name" && shared > 0 && rare(entropy, 5)?;
            let element = match property {
                _ if is_shared => "SharedString",
                "Name" => "string",
                _ => *entropy.choose(&["BinaryString", "BinaryString", "ProtectedString", "string"])?,
            };
            file.extend(format!("<{element}").into_bytes());
            file.extend(attribute(entropy, "name", property)?.into_bytes());
            if rare(entropy, 10)? {
                file.extend(entropy.choose(&[&b"/>"[..], b" />", b"></ELEMENT>"])?.to_vec());
                if file.ends_with(b"ELEMENT>") {
                    file.truncate(file.len() - "ELEMENT>".len());
                    file.extend(format!("{element}>").into_bytes());
                }
                continue;
            }
            file.extend(b">");
            let content = match property {
                _ if is_shared => {
                    let most = shared - usize::from(!rare(entropy, 9)?);
                    format!("KEY{}", entropy.int_in_range(0..=most)?).into_bytes()
                }
                "Name" => name(entropy)?.into_iter().filter(|byte| !b"<\0".contains(byte)).collect(),
                "Size" => b"<X>1</X><Y>2</Y><Item class=\"Part\"/>".to_vec(),
                _ if rare(entropy, 20)? => b"####".to_vec(),
                _ => base64(&value(entropy)?),
            };
            if property == "Size" {
                file.extend(content);
            } else {
                file.extend(text(entropy, &content)?);
            }
            file.extend(format!("</{element}>\n").into_bytes());
            if rare(entropy, 40)? {
                file.extend(
                    entropy.choose(&[&b">"[..], b"&", b"&odd;", b"]]>", b"<string name=\"a\">&#65 b</string>"])?.iter(),
                );
            }
        }
    }
    file.extend(b"</Properties>\n");
    Ok(())
}

/// An XML file with one change: of a byte, or of the elements.
pub(crate) fn mutated_xml(file: &[u8], random: &mut crate::support::random::Random) -> Vec<u8> {
    let tags: Vec<usize> = file.iter().enumerate().filter(|(_, byte)| **byte == b'<').map(|(at, _)| at).collect();
    if tags.len() < 3 || random.below(2) == 0 {
        return crate::support::mutate::scribble(file, random);
    }
    let mut at = || tags[random.below(tags.len())];
    let (one, other, to) = (at(), at(), at());
    let part = &file[one.min(other)..one.max(other)];
    match random.below(2) {
        0 => [&file[..one.min(other)], &file[one.max(other)..]].concat(),
        _ => [&file[..to], part, &file[to..]].concat(),
    }
}
