//! Packets of `SceneMultiplayer`. Games made with Godot 4 use them to call methods and replicate nodes.

use std::fmt::{self, Debug};
use std::io::Write;
use std::iter;
use std::ops::ControlFlow;

use bstr::BStr;
use cookie_factory::{SerializeFn, WriteContext};
use nom::combinator::cond;
use nom::{IResult, Parser};
use serde_json::json;

use crate::address::{line as line_at, Address, Pattern, Syntax};
use crate::containers::{Container, ContainerError, Embedded, ValueChange};
use enginewire::error::{DecodeError, Fault};
use enginewire::godot::{encode_with, gen_variant, variant, Options, Variant, Version};
use enginewire::number::to_u64;
use enginewire::wire::lines;
use enginewire::wire::{
    all_consuming, bounded_length, field, flat_map, gen_int16, gen_int32, gen_int64, gen_int8, gen_uint8, int16, int32,
    int64, int8, item, length_delimited, repeat, run, take, uint16, uint32, uint64, uint8, verify, Instrumented, Le,
    Source, WireError,
};

/// The options of the values in packets.
const OPTIONS: Options = Options::new(Version::V4);

/// A packet.
///
/// | field | type |
/// |---|---|
/// | meta | uint8: bits 0 to 2 are the command, the others depend on it |
/// | body | what belongs to a packet of this command |
///
/// Specification: `docs/spec/godot-files.md`, section SceneMultiplayer.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub enum ScenePacket<'a> {
    /// 0: a method of a node is called.
    Rpc(Rpc<'a>),
    /// 1: a path gets a number. Later packets refer to the path by this number.
    SimplifyPath {
        /// The MD5 of the names of all methods that can be called, in hex digits.
        methods: &'a BStr,
        /// The number.
        id: u32,
        /// The path.
        path: &'a BStr,
    },
    /// 2: the number of a path was received.
    ConfirmPath {
        /// True if the methods are the same on both sides.
        valid: bool,
        /// The number.
        id: u32,
    },
    /// 3: bytes of the game itself, as by `send_bytes`.
    Raw(&'a BStr),
    /// 4: a node is added.
    Spawn(Spawn<'a>),
    /// 5: the node with this number is removed.
    Despawn(u32),
    /// 6: the properties of nodes; with bit 4, a delta: those that have changed.
    Sync {
        /// A counter of the sender, unless it is a delta.
        time: Option<u16>,
        /// The synchronizers; in a delta, each with the set of its properties that follow.
        nodes: Vec<Synced<'a>>,
    },
    /// 7: a message of the network itself.
    System {
        /// 0 authentication, 1 a peer was added, 2 a peer was removed, 3 a packet is for or from another peer.
        kind: u8,
        /// The bytes of the authentication, or the number of the peer as int32 and for kind 3 the packet.
        content: &'a BStr,
    },
}

/// Reads a [`ScenePacket`], which takes all of the input.
pub fn scene_packet<'a, I: Source<Bytes = &'a BStr>, E: WireError<I>>(
) -> impl Parser<I, Output = ScenePacket<'a>, Error = E> {
    flat_map(field("meta", uint8()), |meta| move |input| body(meta, input))
}

/// The rest of a packet, which `meta` describes.
fn body<'a, I: Source<Bytes = &'a BStr>, E: WireError<I>>(meta: u8, input: I) -> IResult<I, ScenePacket<'a>, E> {
    let id = || field("id", uint32::<Le, I, E>());
    let content = || field("content", rest);
    let path = || field("path", verify(rest, text));
    match meta & 7 {
        0 => rpc(meta).map(ScenePacket::Rpc).parse_complete(input),
        1 => (field("methods", verify(take(33), text)), id(), path())
            .map(|(methods, id, path)| ScenePacket::SimplifyPath { methods, id, path })
            .parse_complete(input),
        2 => (field("valid", uint8()), id())
            .map(|(valid, id)| ScenePacket::ConfirmPath { valid: valid != 0, id })
            .parse_complete(input),
        3 => content().map(ScenePacket::Raw).parse_complete(input),
        4 => spawn().map(ScenePacket::Spawn).parse_complete(input),
        5 => id().map(ScenePacket::Despawn).parse_complete(input),
        6 => {
            let is_delta = meta & 0x10 != 0;
            let time = cond(!is_delta, field("time", uint16::<Le, I, E>()));
            let nodes = field("nodes", to_end(move || synced(is_delta)));
            (time, nodes).map(|(time, nodes)| ScenePacket::Sync { time, nodes }).parse_complete(input)
        }
        _ => (field("kind", uint8()), content())
            .map(|(kind, content)| ScenePacket::System { kind, content })
            .parse_complete(input),
    }
}

/// The call of a method.
///
/// | field | type |
/// |---|---|
/// | node | uint8, uint16 or uint32, as bits 4 and 5 of `meta` are 0, 1 or 2: a number, or bit 31 and the offset of a path in the packet |
/// | method | uint8, or uint16 if bit 6 of `meta` is set: the index among the methods of the node |
/// | count | uint8, unless bit 7 of `meta` is set |
/// | arguments | `count` × [`compressed`]; with bit 7 the bytes of the only argument, a PackedByteArray, or nothing |
/// | path | the path of the node and a NUL, if `node` has bit 31 |
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Rpc<'a> {
    /// The number of the node, or bit 31 and the offset of its path in the packet.
    pub node: u32,
    /// The index of the method.
    pub method: u16,
    /// The arguments.
    pub arguments: Vec<Variant<'a>>,
    /// The path, if there is one.
    pub path: Option<&'a BStr>,
}

/// Reads an [`Rpc`] after its `meta`.
fn rpc<'a, I: Source<Bytes = &'a BStr>, E: WireError<I>>(meta: u8) -> impl Parser<I, Output = Rpc<'a>, Error = E> {
    let (node_width, method_width) = (meta >> 4 & 3, meta >> 6 & 1);
    let ids = (field("node", number(node_width)), field("method", number(method_width)));
    flat_map(ids, move |(node, method): (u32, u32)| {
        let has_path = node_width == 2 && node & PATH != 0;
        let before = 1u32.saturating_add(1 << node_width).saturating_add(1 << method_width);
        let method = u16::try_from(method).unwrap_or(u16::MAX);
        // with bit 7 of `meta` the arguments are the bytes up to the path, or all that is left
        let raw = has_path.then(|| (node & !PATH).saturating_sub(before));
        let arguments = field("arguments", move |input: I| {
            if meta & 0x80 == 0 {
                let count = field("count", uint8());
                return flat_map(count, |count: u8| repeat(count.into(), 1, compressed())).parse_complete(input);
            }
            let bytes = take(raw.map_or(to_u64(input.remaining()), u64::from));
            let only = |bytes: &'a BStr| vec![Variant::PackedByteArray(AsRef::<[u8]>::as_ref(bytes).into())];
            bytes.map(|bytes: &BStr| if bytes.is_empty() { Vec::new() } else { only(bytes) }).parse_complete(input)
        });
        let path = cond(has_path, field("path", verify(rest, text)));
        (arguments, path).map(move |(arguments, path)| Rpc { node, method, arguments, path })
    })
}

/// The bit of a number that marks a path.
const PATH: u32 = 1 << 31;

/// A node that is added.
///
/// | field | type |
/// |---|---|
/// | scene | uint8: the index of the scene; 255 if a function of the game makes the node |
/// | spawner, id | uint32, uint32 |
/// | count, name_length | uint32, uint32 |
/// | synchronizers | `count` × uint32 |
/// | name | `name_length` bytes, the last of them a NUL |
/// | custom | if `scene` is 255: uint32 size, and a value [`compressed`] into as many bytes |
/// | values | [`compressed`] values, to the end |
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Spawn<'a> {
    /// The index of the scene, or 255.
    pub scene: u8,
    /// The number of the spawner.
    pub spawner: u32,
    /// The number that the node gets.
    pub id: u32,
    /// The numbers of its synchronizers.
    pub synchronizers: Vec<u32>,
    /// Its name.
    pub name: &'a BStr,
    /// The argument of the function that makes it.
    pub custom: Option<Variant<'a>>,
    /// Its properties.
    pub values: Vec<Variant<'a>>,
}

/// Reads a [`Spawn`].
fn spawn<'a, I: Source<Bytes = &'a BStr>, E: WireError<I>>() -> impl Parser<I, Output = Spawn<'a>, Error = E> {
    let number = uint32::<Le, I, E>;
    let head = (
        field("scene", uint8()),
        field("spawner", number()),
        field("id", number()),
        field("count", bounded_length(4, number())),
        field("name_length", bounded_length(1, number())),
    );
    flat_map(head, move |(scene, spawner, id, count, length): (_, _, _, u32, u32)| {
        let synchronizers = field("synchronizers", repeat(count, 4, number()));
        let name = field("name", verify(take(length.into()), text));
        let custom = length_delimited(number(), compressed());
        let custom = cond(scene == u8::MAX, field("custom", custom));
        let values = field("values", to_end(compressed));
        (synchronizers, name, custom, values).map(move |(synchronizers, name, custom, values)| Spawn {
            scene,
            spawner,
            id,
            synchronizers,
            name,
            custom,
            values,
        })
    })
}

/// The properties of a node.
///
/// | field | type |
/// |---|---|
/// | id | uint32 |
/// | changed | uint64, in a delta alone |
/// | values | uint32 size, and values [`compressed`] into as many bytes |
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Synced<'a> {
    /// The number of the synchronizer; with bit 31 the number of its path.
    pub id: u32,
    /// A bit for each property that is there; only in a delta.
    pub changed: Option<u64>,
    /// The properties.
    pub values: Vec<Variant<'a>>,
}

/// Reads a [`Synced`], with the set of properties if it is one of a delta.
fn synced<'a, I: Source<Bytes = &'a BStr>, E: WireError<I>>(
    is_delta: bool,
) -> impl Parser<I, Output = Synced<'a>, Error = E> {
    let changed = cond(is_delta, field("changed", uint64::<Le, I, E>()));
    let values = field("values", length_delimited(uint32::<Le, I, E>(), to_end(compressed)));
    let all = (field("id", uint32::<Le, I, E>()), changed, values);
    all.map(|(id, changed, values)| Synced { id, changed, values })
}

/// Reads a value in the form that packets have: a bool and an int are shorter than elsewhere.
///
/// | type | bytes |
/// |---|---|
/// | bool | uint8: 1, and bit 7 is the value |
/// | int | uint8: 2, and bits 6 and 7 are the width; int8, int16, int32 or int64, the first that holds it |
/// | any other | a [`Variant`] |
///
/// Specification: `docs/spec/godot-variant.md`, section RPC.
pub fn compressed<'a, I: Source<Bytes = &'a BStr>, E: WireError<I>>() -> impl Parser<I, Output = Variant<'a>, Error = E>
{
    |input: I| {
        let (rest, meta) = uint8().parse_complete(input.clone())?;
        match (meta & 0x3f, meta >> 6) {
            (1, bits) => Ok((rest, Variant::Bool(bits & 2 != 0))),
            (2, 0) => int8().map(|int| Variant::Int(int.into())).parse_complete(rest),
            (2, 1) => int16::<Le, I, E>().map(|int| Variant::Int(int.into())).parse_complete(rest),
            (2, 2) => int32::<Le, I, E>().map(|int| Variant::Int(int.into())).parse_complete(rest),
            (2, _) => int64::<Le, I, E>().map(Variant::Int).parse_complete(rest),
            _ => variant(OPTIONS).parse_complete(input),
        }
    }
}

/// Writes a value as [`compressed`] reads it.
pub fn gen_compressed<'v, W: Write + 'v>(value: &'v Variant<'_>) -> impl SerializeFn<W> + 'v {
    move |out: WriteContext<W>| match *value {
        Variant::Bool(value) => gen_uint8(if value { 0x81 } else { 1 })(out),
        Variant::Int(int) => match (i8::try_from(int), i16::try_from(int), i32::try_from(int)) {
            (Ok(int), ..) => gen_int8(int)(gen_uint8(0x02)(out)?),
            (_, Ok(int), _) => gen_int16::<Le, W>(int)(gen_uint8(0x42)(out)?),
            (.., Ok(int)) => gen_int32::<Le, W>(int)(gen_uint8(0x82)(out)?),
            _ => gen_int64::<Le, W>(int)(gen_uint8(0xc2)(out)?),
        },
        _ => gen_variant(OPTIONS, value)(out),
    }
}

/// Reads a number whose width is 0 for 8 bits, 1 for 16 and 2 for 32.
fn number<I: Source, E: WireError<I>>(width: u8) -> impl Parser<I, Output = u32, Error = E> {
    move |input| match width {
        0 => uint8().map(u32::from).parse_complete(input),
        1 => uint16::<Le, I, E>().map(u32::from).parse_complete(input),
        2 => uint32::<Le, I, E>().parse_complete(input),
        _ => {
            let reason = format!("no width of a node has the number {width}");
            Err(nom::Err::Error(E::fault(input, Fault::Other(reason))))
        }
    }
}

/// All bytes that are left.
fn rest<I: Source, E: WireError<I>>(input: I) -> IResult<I, I::Bytes, E> {
    take(to_u64(input.remaining())).parse_complete(input)
}

/// Items up to the end of the input.
fn to_end<I: Source, P: Parser<I, Output: Debug, Error: WireError<I>>>(
    mut parser: impl FnMut() -> P,
) -> impl Parser<I, Output = Vec<P::Output>, Error = P::Error> {
    move |mut input: I| {
        let mut items = Vec::new();
        while input.remaining() > 0 {
            let (rest, value) = item(items.len(), parser()).parse_complete(input)?;
            (input, _) = (rest, items.push(value));
        }
        Ok((input, items))
    }
}

/// A text without the NUL at its end.
fn text(bytes: &BStr) -> Result<&BStr, Fault> {
    let text = bytes.strip_suffix(b"\0").ok_or_else(|| Fault::Other("expected a NUL after the text".to_owned()))?;
    Ok(text.into())
}

/// Decodes a packet.
///
/// ```
/// use enginewire::godot::Variant;
/// use enginewire_files::godot::multiplayer::{self, ScenePacket};
///
/// let packet = b"\x20\x0d\0\0\x80\0\x03\x02\x2a\x81\x42\x2c\x01Child\0";
/// let ScenePacket::Rpc(call) = multiplayer::decode(packet)? else { panic!() };
/// assert_eq!((call.path.unwrap().to_string(), call.method), ("Child".to_owned(), 0));
/// assert_eq!(call.arguments, [Variant::Int(42), Variant::Bool(true), Variant::Int(300)]);
/// # Ok::<(), enginewire::DecodeError>(())
/// ```
///
/// # Errors
///
/// If it ends too early or continues after its end, or one of its values is broken.
pub fn decode(packet: &[u8]) -> Result<ScenePacket<'_>, DecodeError> {
    // with the source that all values are read with where code has to be small
    run(Instrumented::whole(packet), all_consuming(false, scene_packet())).map(|(_, packet)| packet)
}

impl<'a> ScenePacket<'a> {
    /// The values in it, each with its path.
    #[must_use]
    pub fn values(&self) -> Vec<(String, &Variant<'a>)> {
        match self {
            ScenePacket::Rpc(call) => listed("arguments", &call.arguments),
            ScenePacket::Spawn(spawn) => {
                let custom = spawn.custom.iter().map(|value| ("custom".to_owned(), value));
                custom.chain(listed("values", &spawn.values)).collect()
            }
            ScenePacket::Sync { nodes, .. } => nodes
                .iter()
                .enumerate()
                .flat_map(|(n, node)| listed(&format!("nodes[{n}].values"), &node.values))
                .collect(),
            _ => Vec::new(),
        }
    }
}

fn listed<'v, 'a>(name: &str, values: &'v [Variant<'a>]) -> Vec<(String, &'v Variant<'a>)> {
    (0..).zip(values).map(|(number, value): (usize, _)| (format!("{name}[{number}]"), value)).collect()
}

/// Shows the action of a packet, without its values.
impl fmt::Display for ScenePacket<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            ScenePacket::Rpc(Rpc { node, method, arguments, path }) => {
                let node = path.map_or_else(|| node.to_string(), |path| format!("{path:?}"));
                write!(f, "call of method {method} of node {node}, arguments: {}", arguments.len())
            }
            ScenePacket::SimplifyPath { id, path, .. } => write!(f, "path {path:?} gets the number {id}"),
            ScenePacket::ConfirmPath { valid, id } => {
                write!(f, "number {id} of a path is confirmed{}", if *valid { "" } else { ", but its methods differ" })
            }
            ScenePacket::Raw(bytes) => write!(f, "bytes of the game: {}", bytes.len()),
            ScenePacket::Spawn(Spawn { id, name, values, .. }) => {
                write!(f, "node {name:?} is added as {id}, properties: {}", values.len())
            }
            ScenePacket::Despawn(id) => write!(f, "node {id} is removed"),
            ScenePacket::Sync { time, nodes } => {
                let changed = if time.is_none() { "changed " } else { "" };
                write!(f, "{changed}properties of nodes: {}", nodes.len())
            }
            ScenePacket::System { kind, content } => write!(f, "message {kind} of the network: {content:?}"),
        }
    }
}

/// Packets, each a line of hexadecimal digits, as a [`Container`]. A packet is listed with what it does, and the values in it
/// follow. The address of a value is its line and its path: `lines[3].arguments[0]`. Nothing can be changed.
#[derive(Clone, Debug)]
pub struct PacketLines(Vec<u8>);

impl PacketLines {
    /// The packets in this text.
    #[must_use]
    pub fn new(text: Vec<u8>) -> Self {
        PacketLines(text)
    }
}

impl Container for PacketLines {
    fn values(&self, each: &mut dyn FnMut(Embedded<'_>) -> ControlFlow<()>) -> Result<(), ContainerError> {
        for line in lines(&self.0) {
            let number = ("line", json!(line.number));
            let bytes = line.bytes.map_err(ContainerError::malformed);
            let packet = bytes.and_then(|bytes| match decode(&bytes) {
                Ok(packet) => {
                    let stored = |value| encode_with(value, &OPTIONS).map_err(ContainerError::malformed);
                    let values = packet.values().into_iter().map(|(path, value)| (path, stored(value)));
                    Ok((packet.to_string(), values.collect(), bytes))
                }
                Err(error) => Err(ContainerError::malformed(error.of_complete_input())),
            });
            let (bytes, about, values) = match packet {
                Ok((about, values, bytes)) => (Ok(bytes), Some(about), values),
                Err(error) => (Err(error), None, Vec::new()),
            };
            let packet =
                Embedded::new(line_at(line.number), &[], bytes).with_members(vec![number.clone()]).with_stored(about);
            let values = values.into_iter().map(|(path, bytes)| {
                let within = Pattern::parse(Syntax::Items, &path).ok().and_then(|path| path.address());
                let line = line_at(line.number);
                let names = line.components().iter().chain(within.iter().flat_map(Address::components)).cloned();
                let members = vec![number.clone(), ("path", json!(path))];
                Embedded::new(Address::new(Syntax::Items, names), &["godot-4"], bytes).with_members(members)
            });
            if iter::once(packet).chain(values).try_for_each(&mut *each).is_break() {
                break;
            }
        }
        Ok(())
    }

    fn changed(&self, _: &[ValueChange<'_>]) -> Result<Vec<u8>, ContainerError> {
        Err(ContainerError::Refused("packets of SceneMultiplayer are not changed".to_owned()))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::test::hex;
    use enginewire::wire::generate_into;
    use pretty_assertions::assert_eq;

    fn error(packet: &str) -> String {
        decode(&hex(packet)).unwrap_err().to_string()
    }

    #[test]
    fn calls() {
        let rpc = |packet: &str| match decode(&hex(packet)) {
            Ok(ScenePacket::Rpc(rpc)) => {
                (rpc.node, rpc.method, format!("{:?}", rpc.arguments), rpc.path.map(BStr::to_string))
            }
            other => panic!("{other:?}"),
        };
        let child = || Some("Child".to_owned());
        // packets written by the engine
        let call = "20 25000080 00 03 022a 04000000 02000000 68690000 1c000000 01000000 01000000 01000000 4368696c6400";
        assert_eq!(rpc(call), (0x8000_0025, 0, r#"[Int(42), String("hi"), Array([Bool(true)])]"#.to_owned(), child()));
        assert_eq!(rpc("a0 06000080 01 4368696c6400"), (0x8000_0006, 1, "[]".to_owned(), child()));
        assert_eq!(
            rpc("a0 09000080 02 090807 4368696c6400"),
            (0x8000_0009, 2, "[PackedByteArray([9, 8, 7])]".to_owned(), child())
        );
        // numbers of 8 and 16 bits
        assert_eq!(rpc("00 05 07 00"), (5, 7, "[]".to_owned(), None));
        assert_eq!(rpc("50 0501 0702 01 81"), (0x105, 0x207, "[Bool(true)]".to_owned(), None));
        assert_eq!(rpc("80 05 07"), (5, 7, "[]".to_owned(), None));
        assert_eq!(rpc("80 05 07 ff"), (5, 7, "[PackedByteArray([255])]".to_owned(), None));
        assert_eq!(error("30 05 07 00"), "no width of a node has the number 3, at byte 0x1 in node");
        assert_eq!(
            error("00 05 07 02 022a"),
            "input ends too early: 1 byte needed, 0 left, at byte 0x6 in arguments[1]"
        );
        assert_eq!(error("00 05 07 00 00"), "unexpected bytes after the end of the value, at byte 0x4");
        assert_eq!(error("a0 06000080 01 4368"), "expected a NUL after the text, at byte 0x6 in path");
    }

    #[test]
    fn packets_of_the_engine() {
        let text = include_str!("../../../../fixtures/godot-files/v4/packets.hex");
        let kind = |line: &str| {
            let shown = format!("{:?}", decode(&hex(line)).unwrap());
            shown.split([' ', '(']).next().unwrap_or_default().to_owned()
        };
        let kinds: Vec<_> = text.lines().filter(|line| !line.starts_with('#')).map(kind).collect();
        let sent = "SimplifyPath Rpc Rpc Rpc Rpc Raw SimplifyPath Spawn Sync Sync Sync Sync Despawn";
        assert_eq!(kinds.join(" "), sent);
    }

    #[test]
    fn every_other_command() {
        let packet = |text: &str| format!("{:?}", decode(&hex(text)).unwrap());
        let md5 = "30".repeat(32);
        assert_eq!(
            packet(&format!("01 {md5} 00 07000000 2f6100")),
            format!(r#"SimplifyPath {{ methods: "{}", id: 7, path: "/a" }}"#, "0".repeat(32))
        );
        assert_eq!(packet("02 01 07000000"), "ConfirmPath { valid: true, id: 7 }");
        assert_eq!(packet("03 0102"), r#"Raw("\x01\x02")"#);
        assert_eq!(packet("05 07000000"), "Despawn(7)");
        assert_eq!(packet("07 01 02000000"), r#"System { kind: 1, content: "\x02\0\0\0" }"#);
        assert_eq!(
            packet("06 0100 07000000 03000000 0205 81"),
            "Sync { time: Some(1), nodes: [Synced { id: 7, changed: None, values: [Int(5), Bool(true)] }] }"
        );
        // a delta
        assert_eq!(
            packet("16 07000000 0300000000000000 03000000 0205 81"),
            "Sync { time: None, nodes: [Synced { id: 7, changed: Some(3), values: [Int(5), Bool(true)] }] }"
        );
        let spawn = "04 00 07000000 08000000 01000000 02000000 09000000 6100 0205";
        assert_eq!(
            packet(spawn),
            r#"Spawn(Spawn { scene: 0, spawner: 7, id: 8, synchronizers: [9], name: "a", custom: None, values: [Int(5)] })"#
        );
        let custom = "04 ff 07000000 08000000 00000000 02000000 6100 02000000 0206";
        assert!(packet(custom).ends_with("custom: Some(Int(6)), values: [] })"));
        let longer = "06 0100 07000000 04000000 0205 81";
        assert_eq!(error(longer), "input ends too early: 4 bytes needed, 3 left, at byte 0xb in nodes[0].values");
        let hostile = "04 00 07000000 08000000 ffffffff 02000000 6100";
        assert_eq!(error(hostile), "input ends too early: 17179869180 bytes needed, 6 left, at byte 0xa in count");
    }

    #[test]
    fn values_are_as_short_as_they_can_be() {
        for (value, bytes) in [
            (Variant::Bool(true), "81"),
            (Variant::Bool(false), "01"),
            (Variant::Int(42), "022a"),
            (Variant::Int(300), "422c01"),
            (Variant::Int(-70_000), "8290eefeff"),
            (Variant::Int(1 << 32), "c20000000001000000"),
            (Variant::Null, "00000000"),
            ("hi".into(), "04000000 02000000 68690000"),
        ] {
            let mut written = Vec::new();
            generate_into(gen_compressed(&value), &mut written).unwrap();
            assert_eq!(written, hex(bytes));
            assert_eq!(run(&written[..], compressed()).unwrap(), (&[][..], value));
        }
    }

    /// Bytes of any kind are a packet or an error, and no more memory is taken than they can hold.
    #[test]
    fn hostile_packets() {
        let call =
            hex("20 25000080 00 03 022a 04000000 02000000 68690000 1c000000 01000000 01000000 01000000 4368696c6400");
        for cut in 0..call.len() {
            assert!(decode(&call[..cut]).is_err(), "{cut}");
            for byte in 0..=u8::MAX {
                let mut changed = call.clone();
                changed[cut] = byte;
                let _ = decode(&changed);
            }
        }
    }
}
