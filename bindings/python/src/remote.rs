//! `enginewire.remote`: Roblox remote packets.

use std::num::NonZeroU32;

use enginewire::roblox::remote::{
    self, gen_packet_data, gen_text, gen_value, Component, Event, EventIds, EventName, Options, PacketData, Pair, Value,
};
use enginewire::wire::{gen_varlength, generate_into, Limited, ValueVec};
use pyo3::prelude::*;
use pyo3::types::{PyBool, PyBytes, PyDict, PyFloat, PyInt, PyTuple};

use crate::attributes::{self, key_bytes, whole_double, Vector3};
use crate::direct::{count_of, write_items, Bytes, Direct};
use crate::errors::{encode_error, no_class, refused, within_object, wrong_type};
use crate::fields::{
    argument, checked, classes, either, object, record, text, text_bytes, through, value_error, Field, Keys, Of,
    Variants,
};
use crate::functions::functions;
use crate::mapping::{items_of_sequence, list_of, mapping_of, python_classes, Level, Objects};

python_classes! {
    "enginewire.remote":
    NO_INSTANCE "NoInstance", DATA "Data"
}

classes! {
    add_values "enginewire.remote" for Value<'_>, and of attributes:
        Vector3 Vector2 Vector2int16 Vector3int16;

    /// A position and a rotation, which is the id of one of the 24 that are along the axes, or a `PackedQuaternion`.
    record CFrame = remote::CFrame { position: Vector3, rotation: remote::Rotation };
}

classes! {
    add_others "enginewire.remote";

    /// An instance that both sides know. The peer is whose numbering the id belongs to: 1 is the server.
    record Ref = remote::Ref { peer: u32, id: u32 } check checked::<remote::Ref, _>;

    /// A rotation in 48 bits: three components of a quaternion, and the name of the one that is left out, `"x"` to `"w"`.
    record PackedQuaternion { omitted: String, a: i16, b: i16, c: i16 } check checked::<remote::PackedQuaternion, _>;
}

// the others are in `to_python` and `leaf_to_python`
const _: () = assert!(remote::TypeId::ALL.len() == <Value<'_> as Variants>::CLASSES + 7, "a type has no class");

through! {
    u32 = NonZeroU32: |peer| peer.get(), |peer| (*peer).try_into().map_err(|_| {
        value_error("peer 0 stands for no instance")
    });
    remote::Rotation = remote::Rotation: |rotation| *rotation, |rotation| Ok(*rotation);
}

either!(remote::Rotation: PackedQuaternion => Quaternion(PackedQuaternion), else Aligned(u8));

const COMPONENTS: [(&str, Component); 4] =
    [("x", Component::X), ("y", Component::Y), ("z", Component::Z), ("w", Component::W)];

impl Of<remote::PackedQuaternion> for PackedQuaternion {
    fn of(packed: &remote::PackedQuaternion) -> Self {
        let [a, b, c] = packed.fields();
        let omitted = COMPONENTS.iter().find(|(_, component)| *component == packed.omitted());
        PackedQuaternion { omitted: omitted.map_or("", |(name, _)| name).to_owned(), a, b, c }
    }

    fn to(&self) -> PyResult<remote::PackedQuaternion> {
        let omitted = COMPONENTS.iter().find(|(name, _)| *name == self.omitted);
        let (_, omitted) =
            omitted.ok_or_else(|| value_error(format_args!("{:?} is not one of x, y, z, w", self.omitted)))?;
        remote::PackedQuaternion::new(*omitted, [self.a, self.b, self.c]).map_err(value_error)
    }
}

/// A value as a Python object.
fn to_python<'py>(keys: &Keys<'py>, value: &Value<'_>) -> PyResult<Bound<'py, PyAny>> {
    match value {
        Value::Array(items) => list(keys, items),
        Value::Dictionary(pairs) => dictionary(keys, pairs),
        leaf => leaf_to_python(keys.py, leaf),
    }
}

fn list<'py>(keys: &Keys<'py>, items: &[Value<'_>]) -> PyResult<Bound<'py, PyAny>> {
    list_of(keys.py, items, |item| to_python(keys, item))
}

fn dictionary<'py>(keys: &Keys<'py>, pairs: &[Pair<'_>]) -> PyResult<Bound<'py, PyAny>> {
    mapping_of(keys.py, pairs, |pair| Ok((keys.get(&pair.key), to_python(keys, &pair.value)?)))
}

/// A function of its own, so that a level of nesting takes little stack.
#[inline(never)]
fn leaf_to_python<'py>(py: Python<'py>, value: &Value<'_>) -> PyResult<Bound<'py, PyAny>> {
    match value {
        Value::Nil => Ok(py.None().into_bound(py)),
        Value::String(bytes) => Ok(text(py, bytes)),
        Value::Boolean(value) => object(py, *value),
        Value::Number(value) => object(py, *value),
        Value::Instance(Some(value)) => object(py, Ref::of(value)),
        Value::Instance(None) => NO_INSTANCE.call(py, ()),
        other => other.to_class(py)?.ok_or_else(|| no_class(py, other.type_id().name())),
    }
}

type Written = Bytes<Options>;

impl Written {
    /// Puts a count at the end, where that of an empty container is.
    fn open(&mut self, py: Python<'_>, count: u32) -> PyResult<()> {
        self.bytes.pop();
        generate_into(gen_varlength(count as usize), &mut self.bytes).map_err(|error| encode_error(py, &error))
    }
}

impl Direct for Written {
    const FORMAT: &'static str = "Roblox remotes";
    type Value<'v> = Value<'v>;

    fn scalar<'a>(value: &'a Bound<'_, PyAny>) -> PyResult<Option<Value<'a>>> {
        Ok(Some(if value.is_none() {
            Value::Nil
        } else if let Some(bytes) = text_bytes(value)? {
            Value::String(bytes)
        } else if let Ok(value) = value.cast::<PyBool>() {
            Value::Boolean(value.is_true())
        } else if let Ok(number) = value.cast::<PyFloat>() {
            Value::Number(number.value())
        } else if value.is_instance_of::<PyInt>() {
            Value::Number(whole_double(value)?)
        } else {
            return Ok(None);
        }))
    }

    #[inline(never)]
    fn put(&mut self, py: Python<'_>, value: &Value<'_>) -> PyResult<()> {
        generate_into(gen_value(self.options.into(), value), &mut self.bytes).map_err(|error| encode_error(py, &error))
    }

    #[inline(never)]
    fn put_object(&mut self, object: &Bound<'_, PyAny>, _: Level<'_, '_>) -> PyResult<bool> {
        let value = if let Some(found) = Value::from_class(object)? {
            found
        } else if let Ok(found) = object.cast::<Ref>() {
            Value::Instance(Some(found.get().to()?))
        } else if NO_INSTANCE.has(object)? {
            Value::Instance(None)
        } else {
            return Ok(false);
        };
        self.put(object.py(), &value).map(|()| true)
    }

    fn list(&mut self, py: Python<'_>, _first: i32, count: u32) -> PyResult<()> {
        self.put(py, &Value::Array(ValueVec::new())).and_then(|()| self.open(py, count))
    }

    fn dictionary(&mut self, py: Python<'_>, count: u32) -> PyResult<()> {
        self.put(py, &Value::Dictionary(ValueVec::new())).and_then(|()| self.open(py, count))
    }

    fn key<'py>(&mut self, key: &Bound<'py, PyAny>, _: Level<'_, 'py>) -> PyResult<()> {
        let written = generate_into(gen_text(&key_bytes(key)?), &mut self.bytes);
        written.map_err(|error| encode_error(key.py(), &error))
    }
}

/// The ids of events, from a `dict` of ids and names.
fn event_ids_of(ids: Option<&Bound<'_, PyDict>>) -> PyResult<EventIds> {
    let Some(ids) = ids else { return Ok(EventIds::captured()) };
    let mut table = EventIds::none();
    let wrong = |error: remote::EventIdsError| value_error(error);
    for (id, name) in ids {
        let name: EventName = name.extract::<String>()?.parse().map_err(wrong)?;
        table = table.with(id.extract()?, name).map_err(wrong)?;
    }
    Ok(table)
}

fn reference<'py>(py: Python<'py>, reference: Option<remote::Ref>) -> PyResult<Bound<'py, PyAny>> {
    object(py, reference.as_ref().map(Ref::of))
}

fn data_to_python<'py>(keys: &Keys<'py>, data: &PacketData<'_>) -> PyResult<Bound<'py, PyAny>> {
    let py = keys.py;
    let message = match &data.event {
        Event::RemoteOnInvokeError { message, .. } => text(py, message),
        _ => py.None().into_bound(py),
    };
    let (event, arguments) = (data.event.name().name(), list(keys, data.event.arguments())?);
    let player = reference(py, data.event.player().flatten())?;
    DATA.call(py, (reference(py, data.remote)?, event, data.event_id, arguments, data.event.call(), player, message))
}

fn reference_from_python(object: &Bound<'_, PyAny>) -> PyResult<Option<remote::Ref>> {
    if object.is_none() {
        return Ok(None);
    }
    object.cast::<Ref>().map_err(|_| wrong_type("Ref or None", object))?.get().to().map(Some)
}

fn write_data<'py>(to: &mut Written, data: &Bound<'py, PyAny>, level: Level<'_, 'py>) -> PyResult<()> {
    let py = data.py();
    if !DATA.has(data)? {
        return Err(wrong_type("Data", data));
    }
    let field = |name: &str| data.getattr(name);
    let name: String = field("event")?.extract()?;
    let name: EventName = name.parse().map_err(|error: remote::EventIdsError| refused(py, error))?;
    let call = Some(field("call")?).filter(|call| !call.is_none());
    let call: Option<i32> = call.map(|call| argument("call", &call)).transpose()?;
    let player = reference_from_python(&field("player")?)?;
    let message = field("message")?;
    for (there, allowed, what) in [
        (call.is_some(), name.has_call(), "call"),
        (player.is_some(), name.has_player(), "player"),
        (!message.is_none(), name == EventName::RemoteOnInvokeError, "message"),
    ] {
        if there && !allowed {
            return Err(refused(py, format!("{name} has no {what}")));
        }
    }
    let call = match (name.has_call(), call) {
        (true, None) => return Err(refused(py, format!("{name} needs a call"))),
        (_, call) => call.unwrap_or_default(),
    };
    let given = items_of_sequence("list", &field("arguments")?)?;
    let arguments = ValueVec::new();
    let event = match name {
        EventName::OnClientEvent => Event::OnClientEvent { arguments },
        EventName::OnServerEvent => Event::OnServerEvent { player, arguments },
        EventName::RemoteOnInvokeClient => Event::RemoteOnInvokeClient { call, arguments },
        EventName::RemoteOnInvokeServer => Event::RemoteOnInvokeServer { call, player, arguments },
        EventName::RemoteOnInvokeSuccess => Event::RemoteOnInvokeSuccess { call, arguments },
        EventName::RemoteOnInvokeError if given.is_empty() => {
            Event::RemoteOnInvokeError { call, message: key_bytes(&message)? }
        }
        other => return Err(refused(py, format!("{other} has no arguments"))),
    };
    let remote = reference_from_python(&field("remote")?)?;
    let data = PacketData { remote, event_id: argument("event_id", &field("event_id")?)?, event };
    let written = generate_into(gen_packet_data(to.options, &data), &mut to.bytes);
    written.map_err(|error| encode_error(py, &error))?;
    if given.is_empty() {
        return Ok(());
    }
    to.open(py, count_of(py, given.len())?)?;
    let named = |error| within_object(py.None().bind(py), error, || "arguments".to_owned());
    write_items(to, &given, level).map_err(named)
}

functions! {
    add_functions(remote::Options = Options::new().event_ids(event_ids_of(event_ids)?));
    event_ids: Option<&Bound<'_, PyDict>> = None;

    /// Decodes a packet into the list of its items. `event_ids` maps ids, which differ from build to build, to names of
    /// events.
    loads(buffer, input, value) => {
        let keys = Keys::new(buffer.py());
        list_of(buffer.py(), &value.packets, |data| data_to_python(&keys, data))
    };

    /// Checks a packet without decoding it to objects. Other threads run meanwhile.
    check;
}

/// Encodes a packet. `default` is called with each argument of a type that is not known, and returns one to encode instead.
#[pyfunction]
#[pyo3(signature = (packet, *, event_ids = None, default = None))]
fn dumps<'py>(
    packet: &Bound<'py, PyAny>,
    event_ids: Option<&Bound<'py, PyDict>>,
    default: Option<Bound<'py, PyAny>>,
) -> PyResult<Bound<'py, PyBytes>> {
    let options = Options::new().event_ids(event_ids_of(event_ids)?);
    let (mut to, objects) = (Bytes::new(options), Objects::new(default));
    let level = objects.level(Limited::limits(&options).depth());
    to.bytes.push(remote::PACKET_TYPE);
    for (index, data) in items_of_sequence("list of Data", packet)?.iter().enumerate() {
        let named = |error| within_object(data, error, || format!("[{index}]"));
        write_data(&mut to, data, level).map_err(named)?;
    }
    to.bytes.push(remote::DELIMITER);
    Ok(PyBytes::new(packet.py(), &to.bytes))
}

/// Adds the classes and functions to a module.
pub fn add(module: &Bound<'_, PyModule>) -> PyResult<()> {
    add_values(module)?;
    add_others(module)?;
    add_functions(module)?;
    let ids = EventIds::captured();
    let ids = ids.iter().map(|(id, name)| (id, name.name()).into_pyobject(module.py()));
    let ids = PyTuple::new(module.py(), ids.collect::<PyResult<Vec<_>>>()?)?;
    module.add("EVENT_IDS", PyDict::from_sequence(&ids)?)?;
    module.add_function(wrap_pyfunction!(dumps, module)?)
}
