//! Model files, byte by byte and without the library, the same in every run: folders in folders, every one with attributes.

/// An attribute "On" that is true.
const ON: &[u8] = b"\x01\0\0\0\x02\0\0\0On\x03\x01";

/// The same, but false.
pub(crate) const OFF: &[u8] = b"\x01\0\0\0\x02\0\0\0On\x03\0";

/// The place of the folder around each: ten are in one.
fn parent(folder: i32) -> Option<i32> {
    (folder > 0).then(|| (folder - 1) / 10)
}

/// A binary file of `folders` folders, its chunks packed with LZ4.
pub(crate) fn binary(folders: i32) -> Vec<u8> {
    binary_with(folders, ON)
}

/// The same with other attributes.
pub(crate) fn binary_with(folders: i32, attributes: &[u8]) -> Vec<u8> {
    let numbers = || 0..folders;
    let names: Vec<u8> = numbers().flat_map(|number| string(format!("Torch{number}").as_bytes())).collect();
    let count = folders.to_le_bytes();
    let inst = [&[0; 4], &string(b"Folder")[..], &[0], &count, &referents(numbers())].concat();
    let property = |name: &[u8], values: &[u8]| [&[0; 4], &string(name)[..], &[1], values].concat();
    let parents = referents(numbers().map(|number| parent(number).unwrap_or(-1)));
    [
        &b"<roblox!\x89\xff\r\n\x1a\n\0\0\x01\0\0\0"[..],
        &count,
        &[0; 8],
        &chunk(b"INST", &inst),
        &chunk(b"PROP", &property(b"AttributesSerialize", &string(attributes).repeat(folders as usize))),
        &chunk(b"PROP", &property(b"Name", &names)),
        &chunk(b"PRNT", &[&[0], &count[..], &referents(numbers()), &parents].concat()),
        b"END\0\0\0\0\0\x09\0\0\0\0\0\0\0</roblox>",
    ]
    .concat()
}

fn string(bytes: &[u8]) -> Vec<u8> {
    [&(bytes.len() as u32).to_le_bytes()[..], bytes].concat()
}

/// Differences with the sign in the last bit: first the first bytes of all, then the second ones.
fn referents(referents: impl Iterator<Item = i32>) -> Vec<u8> {
    let mut last = 0;
    let differences: Vec<[u8; 4]> = referents
        .map(|referent| {
            let difference: i32 = referent - last;
            last = referent;
            (difference << 1 ^ difference >> 31).to_be_bytes()
        })
        .collect();
    (0..4).flat_map(|byte| differences.iter().map(move |bytes| bytes[byte])).collect()
}

fn chunk(name: &[u8; 4], data: &[u8]) -> Vec<u8> {
    let packed = lz4_flex::block::compress(data);
    let lengths = [packed.len(), data.len(), 0].map(|length| (length as u32).to_le_bytes());
    [name, &lengths.concat()[..], &packed].concat()
}

/// An XML file of the same folders.
pub(crate) fn xml(folders: i32) -> Vec<u8> {
    let mut text = "<roblox version=\"4\">\n".to_owned();
    item(&mut text, 0, folders);
    (text + "</roblox>").into_bytes()
}

/// A folder with those inside it.
fn item(text: &mut String, number: i32, folders: i32) {
    let on = data_encoding::BASE64.encode(ON);
    *text += &format!(
        "<Item class=\"Folder\" referent=\"RBX{number}\"><Properties>\n\
         <BinaryString name=\"AttributesSerialize\">{on}</BinaryString>\n\
         <string name=\"Name\">Torch{number}</string></Properties>\n"
    );
    for inside in number * 10 + 1..(number * 10 + 11).min(folders) {
        item(text, inside, folders);
    }
    *text += "</Item>\n";
}
