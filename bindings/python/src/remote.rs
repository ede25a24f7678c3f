//! `enginewire.remote`: Roblox remote packets.

use enginewire::roblox::datatypes;
use enginewire::roblox::remote::{
    self, unverified, Component, Event, EventIds, EventName, Options, PackedQuaternion, Packet, PacketData, Pair, Value,
};
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;
use pyo3::types::{PyBool, PyBytes, PyDict, PyFloat, PyInt, PyList, PyTuple};
use pyo3::{Borrowed, IntoPyObjectExt};

use crate::attributes::{
    self, deeper, key_bytes, key_item, BrickColor, ColorSequence, Items, NumberSequence, Vector3, DEPTH, INT,
};
use crate::buffers::{detached, Input};
use crate::errors::{decode_error, encode_error, no_value, refused, within};
use crate::fields::{object, record, text, text_bytes, to_integer, Field, Keys, Real, Text, F32};
use crate::mapping::{entries_of, is_container, items_of, mapping, Class};
use crate::report::{report, Report};
use crate::tree::{tree_parts, TreeParts};

static FLOAT: Class = Class::new("enginewire._numbers", "Float");
static INT64: Class = Class::new("enginewire.remote", "Int64");
static BINARY_STRING: Class = Class::new("enginewire.remote", "BinaryString");
static TUPLE: Class = Class::new("enginewire.remote", "Tuple");
static MAP: Class = Class::new("enginewire.remote", "Map");
static NO_INSTANCE: Class = Class::new("enginewire.remote", "NoInstance");
static NO_PHYSICAL_PROPERTIES: Class = Class::new("enginewire.remote", "NoPhysicalProperties");
static DATA: Class = Class::new("enginewire.remote", "Data");

record! {
    /// An instance that both sides know. The peer is whose numbering the id belongs to: 1 is the server.
    "enginewire.remote" Ref "Ref" { peer: u32, id: u32 } check Ref::check
}

impl Ref {
    fn check(self) -> PyResult<Self> {
        match self.peer {
            0 => Err(PyValueError::new_err("peer 0 stands for no instance")),
            _ => Ok(self),
        }
    }

    fn to(&self) -> Option<remote::Ref> {
        Some(remote::Ref { peer: self.peer.try_into().ok()?, id: self.id })
    }
}

impl From<remote::Ref> for Ref {
    fn from(value: remote::Ref) -> Self {
        Ref { peer: value.peer.get(), id: value.id }
    }
}

record! {
    /// A rotation in 48 bits: three components of a quaternion, and the name of the one that is left out, `"x"` to `"w"`.
    "enginewire.remote" Quaternion "PackedQuaternion" { omitted: String, a: i16, b: i16, c: i16 } check Quaternion::check
}

impl Quaternion {
    fn check(self) -> PyResult<Self> {
        self.to().map(|_| self)
    }

    fn to(&self) -> PyResult<PackedQuaternion> {
        let omitted = match &self.omitted[..] {
            "x" => Component::X,
            "y" => Component::Y,
            "z" => Component::Z,
            "w" => Component::W,
            other => return Err(PyValueError::new_err(format!("{other:?} is not one of x, y, z, w"))),
        };
        let packed = PackedQuaternion::new(omitted, [self.a, self.b, self.c]);
        packed.map_err(|error| PyValueError::new_err(error.to_string()))
    }
}

impl From<PackedQuaternion> for Quaternion {
    fn from(packed: PackedQuaternion) -> Self {
        let omitted = match packed.omitted() {
            Component::X => "x",
            Component::Y => "y",
            Component::Z => "z",
            Component::W => "w",
        };
        let [a, b, c] = packed.fields();
        Quaternion { omitted: omitted.to_owned(), a, b, c }
    }
}

/// The rotation of a CFrame, in the form that it has in the bytes.
#[derive(Clone, Debug, PartialEq, Hash)]
pub enum Rotation {
    Id(u8),
    Quaternion(Quaternion),
}

impl<'py> IntoPyObject<'py> for Rotation {
    type Target = PyAny;
    type Output = Bound<'py, PyAny>;
    type Error = PyErr;

    fn into_pyobject(self, py: Python<'py>) -> PyResult<Self::Output> {
        match self {
            Rotation::Id(id) => id.into_bound_py_any(py),
            Rotation::Quaternion(quaternion) => quaternion.into_bound_py_any(py),
        }
    }
}

impl FromPyObject<'_, '_> for Rotation {
    type Error = PyErr;

    fn extract(object: Borrowed<'_, '_, PyAny>) -> PyResult<Self> {
        match object.cast::<Quaternion>() {
            Ok(quaternion) => Ok(Rotation::Quaternion(quaternion.get().clone())),
            Err(_) => {
                let id = object.extract()?;
                let known = datatypes::RotationId::try_from(id);
                known.map(|_| Rotation::Id(id)).map_err(|error| PyValueError::new_err(error.to_string()))
            }
        }
    }
}

impl Field for Rotation {
    fn show(&self, py: Python<'_>) -> PyResult<String> {
        match self {
            Rotation::Id(id) => id.show(py),
            Rotation::Quaternion(quaternion) => quaternion.show(py),
        }
    }
}

record! {
    /// A position and a rotation, which is the id of one of the 24 that are along the axes, or a `PackedQuaternion`.
    "enginewire.remote" CFrame "CFrame" { position: Vector3, rotation: Rotation }
}

impl CFrame {
    fn to(&self) -> PyResult<remote::CFrame> {
        let rotation = match &self.rotation {
            Rotation::Quaternion(quaternion) => remote::Rotation::Quaternion(quaternion.to()?),
            Rotation::Id(id) => {
                let id = datatypes::RotationId::try_from(*id);
                remote::Rotation::Aligned(id.map_err(|error| PyValueError::new_err(error.to_string()))?)
            }
        };
        Ok(remote::CFrame { position: self.position.clone().into(), rotation })
    }
}

impl From<remote::CFrame> for CFrame {
    fn from(value: remote::CFrame) -> Self {
        let rotation = match value.rotation {
            remote::Rotation::Aligned(id) => Rotation::Id(id.into()),
            remote::Rotation::Quaternion(packed) => Rotation::Quaternion(packed.into()),
        };
        CFrame { position: value.position.into(), rotation }
    }
}

record! {
    /// A position and a rotation, as attributes have them: the id of a rotation, or the nine numbers of a matrix.
    "enginewire.remote" SimpleCFrame "SimpleCFrame" { position: Vector3, rotation: attributes::Rotation }
}

record! {
    /// An item of an enum, both by their numbers.
    "enginewire.remote" EnumItem "EnumItem" = unverified::EnumItem { enum_id: u16, value: u32 }
}

record! {
    /// A set of sides.
    "enginewire.remote" Faces "Faces" { bits: u32 }
}

record! {
    /// A set of axes.
    "enginewire.remote" Axes "Axes" { bits: u32 }
}

record! {
    /// A colour of 24 bits.
    "enginewire.remote" Color3uint8 "Color3uint8" = unverified::Color3uint8 { r: u8, g: u8, b: u8 }
}

record! {
    /// How a part behaves.
    "enginewire.remote" PhysicalProperties "PhysicalProperties" = unverified::PhysicalProperties {
        density: F32, friction: F32, elasticity: F32, friction_weight: F32, elasticity_weight: F32
    }
}

record! {
    /// A point of a path.
    "enginewire.remote" PathWaypoint "PathWaypoint" = unverified::PathWaypoint { position: Vector3, action: u32 }
}

record! {
    /// Milliseconds since the beginning of 1970.
    "enginewire.remote" DateTime "DateTime" { milliseconds: u64 }
}

record! {
    /// A peer.
    "enginewire.remote" SystemAddress "SystemAddress" { id: u64 }
}

record! {
    /// A string that has a place in a table, or that place.
    "enginewire.remote" OptimizedString "OptimizedString" { content: TextOrIndex }
}

/// Text, or a number.
#[derive(Clone, Debug, PartialEq, Hash)]
pub enum TextOrIndex {
    Text(Text),
    Index(u8),
}

impl<'py> IntoPyObject<'py> for TextOrIndex {
    type Target = PyAny;
    type Output = Bound<'py, PyAny>;
    type Error = PyErr;

    fn into_pyobject(self, py: Python<'py>) -> PyResult<Self::Output> {
        match self {
            TextOrIndex::Text(content) => Ok(text(py, &content.0)),
            TextOrIndex::Index(index) => index.into_bound_py_any(py),
        }
    }
}

impl FromPyObject<'_, '_> for TextOrIndex {
    type Error = PyErr;

    fn extract(object: Borrowed<'_, '_, PyAny>) -> PyResult<Self> {
        match object.is_instance_of::<PyInt>() {
            true => object.extract().map(TextOrIndex::Index),
            false => Text::extract(object).map(TextOrIndex::Text),
        }
    }
}

impl Field for TextOrIndex {
    fn show(&self, py: Python<'_>) -> PyResult<String> {
        match self {
            TextOrIndex::Text(content) => content.show(py),
            TextOrIndex::Index(index) => index.show(py),
        }
    }
}

/// A value as a Python object.
fn to_python<'py>(keys: &Keys<'py>, value: &Value<'_>) -> PyResult<Bound<'py, PyAny>> {
    match value {
        Value::Array(items) => list(keys, items),
        Value::Tuple(items) => TUPLE.call(keys.py, (list(keys, items)?,)),
        Value::Dictionary(pairs) => dictionary(keys, pairs),
        Value::Map(pairs) => MAP.call(keys.py, (dictionary(keys, pairs)?,)),
        leaf => leaf_to_python(keys.py, leaf),
    }
}

fn list<'py>(keys: &Keys<'py>, items: &[Value<'_>]) -> PyResult<Bound<'py, PyAny>> {
    let items: PyResult<Vec<_>> = items.iter().map(|item| to_python(keys, item)).collect();
    Ok(PyList::new(keys.py, items?)?.into_any())
}

fn dictionary<'py>(keys: &Keys<'py>, pairs: &[Pair<'_>]) -> PyResult<Bound<'py, PyAny>> {
    let pairs = pairs.iter().map(|pair| Ok((keys.get(&pair.key), to_python(keys, &pair.value)?)));
    mapping(keys.py, pairs.collect::<PyResult<_>>()?)
}

/// A function of its own, so that a level of nesting takes little stack.
#[inline(never)]
fn leaf_to_python<'py>(py: Python<'py>, value: &Value<'_>) -> PyResult<Bound<'py, PyAny>> {
    match value {
        Value::Nil => Ok(py.None().into_bound(py)),
        Value::String(bytes) => Ok(text(py, bytes)),
        Value::Boolean(value) => object(py, *value),
        Value::Number(value) => object(py, *value),
        Value::Int(value) => INT.wrap(object(py, *value)?),
        Value::Int64(value) => INT64.wrap(object(py, *value)?),
        Value::Float(value) => attributes::wide_float(py, &FLOAT, *value),
        Value::BinaryString(bytes) => BINARY_STRING.call(py, (PyBytes::new(py, bytes),)),
        Value::EnumItem(value) => object(py, EnumItem::from(*value)),
        Value::UDim(value) => object(py, attributes::UDim::from(*value)),
        Value::UDim2(value) => object(py, attributes::UDim2::from(*value)),
        Value::Ray(value) => object(py, attributes::Ray::from(*value)),
        Value::Faces(value) => object(py, Faces { bits: value.0 }),
        Value::Axes(value) => object(py, Axes { bits: value.0 }),
        Value::BrickColor(number) => object(py, BrickColor { number: (*number).into() }),
        Value::Color3(value) => object(py, attributes::Color3::from(*value)),
        Value::Color3uint8(value) => object(py, Color3uint8::from(*value)),
        Value::Vector2(value) => object(py, attributes::Vector2::from(*value)),
        Value::Vector3(value) => object(py, Vector3::from(*value)),
        Value::Vector2int16(value) => object(py, attributes::Vector2int16::from(*value)),
        Value::Vector3int16(value) => object(py, attributes::Vector3int16::from(*value)),
        Value::SimpleCFrame(value) => {
            let attributes::CFrame { position, rotation } = (**value).into();
            object(py, SimpleCFrame { position, rotation })
        }
        Value::CFrame(value) => object(py, CFrame::from(*value)),
        Value::Instance(Some(value)) => object(py, Ref::from(*value)),
        Value::Instance(None) => NO_INSTANCE.call(py, ()),
        Value::SystemAddress(id) => object(py, SystemAddress { id: *id }),
        Value::NumberSequence(value) => {
            object(py, NumberSequence { keypoints: Items(value.iter().copied().map(Into::into).collect()) })
        }
        Value::NumberSequenceKeypoint(value) => object(py, attributes::NumberSequenceKeypoint::from(*value)),
        Value::ColorSequence(value) => {
            object(py, ColorSequence { keypoints: Items(value.iter().copied().map(Into::into).collect()) })
        }
        Value::ColorSequenceKeypoint(value) => object(py, attributes::ColorSequenceKeypoint::from(*value)),
        Value::NumberRange(value) => object(py, attributes::NumberRange::from(*value)),
        Value::Rect(value) => object(py, attributes::Rect::from(*value)),
        Value::PhysicalProperties(Some(value)) => object(py, PhysicalProperties::from(*value)),
        Value::PhysicalProperties(None) => NO_PHYSICAL_PROPERTIES.call(py, ()),
        Value::Region3(value) => object(py, attributes::Region3::from(*value)),
        Value::Region3int16(value) => object(py, attributes::Region3int16::from(*value)),
        Value::PathWaypoint(value) => object(py, PathWaypoint::from(*value)),
        Value::DateTime(milliseconds) => object(py, DateTime { milliseconds: *milliseconds }),
        Value::OptimizedString(value) => {
            let content = match value {
                unverified::OptimizedString::Text(bytes) => TextOrIndex::Text(Text(bytes.to_vec())),
                unverified::OptimizedString::Index(index) => TextOrIndex::Index(*index),
            };
            object(py, OptimizedString { content })
        }
        other => Err(crate::errors::file_error(py, format!("{} has no class", other.type_id().name()), 0, "other")),
    }
}

/// A Python object as a value, with `depth` levels of containers left.
fn from_python(value: &Bound<'_, PyAny>, depth: u16) -> PyResult<Value<'static>> {
    let py = value.py();
    if let Some(items) = items_of(value) {
        return values(&items, deeper(py, depth)?).map(Value::Array);
    }
    if !is_container(value) {
        if let Some(leaf) = leaf_from_python(value)? {
            return Ok(leaf);
        }
    }
    if let Some(entries) = entries_of(value)? {
        return pairs(&entries, deeper(py, depth)?).map(Value::Dictionary);
    }
    if TUPLE.has(value)? {
        let inner = value.getattr("values")?;
        let items = items_of(&inner).ok_or_else(|| crate::errors::wrong_type("list", &inner))?;
        return values(&items, deeper(py, depth)?).map(Value::Tuple);
    }
    if MAP.has(value)? {
        let inner = value.getattr("entries")?;
        let entries = entries_of(&inner)?.ok_or_else(|| crate::errors::wrong_type("dict or Entries", &inner))?;
        return pairs(&entries, deeper(py, depth)?).map(Value::Map);
    }
    Err(no_value("Roblox remotes", value))
}

fn values(items: &[Bound<'_, PyAny>], depth: u16) -> PyResult<Vec<Value<'static>>> {
    let items = items.iter().enumerate().map(|(index, item)| {
        from_python(item, depth).map_err(|error| within(item.py(), error, || format!("[{index}]")))
    });
    items.collect()
}

fn pairs(entries: &[(Bound<'_, PyAny>, Bound<'_, PyAny>)], depth: u16) -> PyResult<Vec<Pair<'static>>> {
    let pairs = entries.iter().map(|(key, value)| {
        let pair = || Ok(Pair { key: key_bytes(key)?.into(), value: from_python(value, depth)? });
        pair().map_err(|error| within(key.py(), error, || key_item(key)))
    });
    pairs.collect()
}

#[inline(never)]
fn leaf_from_python(value: &Bound<'_, PyAny>) -> PyResult<Option<Value<'static>>> {
    let py = value.py();
    if value.is_none() {
        return Ok(Some(Value::Nil));
    }
    if let Some(bytes) = text_bytes(value)? {
        return Ok(Some(Value::String(bytes.into())));
    }
    if let Ok(value) = value.cast::<PyBool>() {
        return Ok(Some(Value::Boolean(value.is_true())));
    }
    if let Ok(number) = value.cast::<PyFloat>() {
        return Ok(Some(match FLOAT.narrows::<PyFloat>(value)? {
            true => Value::Float(f32::nearest(number.value())),
            false => Value::Number(number.value()),
        }));
    }
    if value.is_instance_of::<PyInt>() {
        return integer(value).map(Some);
    }
    macro_rules! records {
        (own $($name:ident)*) => {
            $(if let Ok(found) = value.cast::<$name>() {
                return Ok(Some(Value::$name(found.get().clone().into())));
            })*
        };
        ($($name:ident)*) => {
            $(if let Ok(found) = value.cast::<attributes::$name>() {
                return Ok(Some(Value::$name(found.get().clone().into())));
            })*
        };
    }
    records! {
        Vector3 Vector2 Vector2int16 Vector3int16 Color3 UDim UDim2 Ray NumberSequenceKeypoint ColorSequenceKeypoint
        NumberRange Rect Region3 Region3int16
    }
    records! { own EnumItem Color3uint8 PathWaypoint }
    if let Ok(found) = value.cast::<CFrame>() {
        return Ok(Some(Value::CFrame(found.get().to()?)));
    }
    if let Ok(found) = value.cast::<Ref>() {
        return Ok(Some(Value::Instance(found.get().to())));
    }
    if NO_INSTANCE.has(value)? {
        return Ok(Some(Value::Instance(None)));
    }
    if let Ok(found) = value.cast::<SimpleCFrame>() {
        let SimpleCFrame { position, rotation } = found.get().clone();
        return Ok(Some(Value::SimpleCFrame(Box::new(attributes::CFrame { position, rotation }.try_into()?))));
    }
    if let Ok(found) = value.cast::<Faces>() {
        return Ok(Some(Value::Faces(unverified::Faces(found.get().bits))));
    }
    if let Ok(found) = value.cast::<Axes>() {
        return Ok(Some(Value::Axes(unverified::Axes(found.get().bits))));
    }
    if let Ok(found) = value.cast::<BrickColor>() {
        let number = found.get().number;
        let number = number.try_into().map_err(|_| refused(py, format!("BrickColor {number} does not fit 16 bits")))?;
        return Ok(Some(Value::BrickColor(number)));
    }
    if let Ok(found) = value.cast::<NumberSequence>() {
        return Ok(Some(Value::NumberSequence(found.get().keypoints.0.iter().cloned().map(Into::into).collect())));
    }
    if let Ok(found) = value.cast::<ColorSequence>() {
        return Ok(Some(Value::ColorSequence(found.get().keypoints.0.iter().cloned().map(Into::into).collect())));
    }
    if let Ok(found) = value.cast::<PhysicalProperties>() {
        return Ok(Some(Value::PhysicalProperties(Some(found.get().clone().into()))));
    }
    if NO_PHYSICAL_PROPERTIES.has(value)? {
        return Ok(Some(Value::PhysicalProperties(None)));
    }
    if let Ok(found) = value.cast::<DateTime>() {
        return Ok(Some(Value::DateTime(found.get().milliseconds)));
    }
    if let Ok(found) = value.cast::<SystemAddress>() {
        return Ok(Some(Value::SystemAddress(found.get().id)));
    }
    if let Ok(found) = value.cast::<OptimizedString>() {
        return Ok(Some(Value::OptimizedString(match &found.get().content {
            TextOrIndex::Text(bytes) => unverified::OptimizedString::Text(bytes.0.clone().into()),
            TextOrIndex::Index(index) => unverified::OptimizedString::Index(*index),
        })));
    }
    if BINARY_STRING.has(value)? {
        let bytes: Vec<u8> = value.getattr("bytes")?.extract()?;
        return Ok(Some(Value::BinaryString(bytes.into())));
    }
    Ok(None)
}

/// A Python `int`: a Number, if a float is the same number, unless its class says otherwise.
fn integer(value: &Bound<'_, PyAny>) -> PyResult<Value<'static>> {
    if INT.narrows::<PyInt>(value)? {
        return to_integer(value).map(Value::Int);
    }
    if INT64.narrows::<PyInt>(value)? {
        return to_integer(value).map(Value::Int64);
    }
    attributes::whole_double(value).map(Value::Number)
}

/// The ids of events, from a `dict` of ids and names.
fn event_ids(ids: Option<&Bound<'_, PyDict>>) -> PyResult<EventIds> {
    let Some(ids) = ids else { return Ok(EventIds::captured()) };
    let mut table = EventIds::none();
    let wrong = |error: remote::EventIdsError| PyValueError::new_err(error.to_string());
    for (id, name) in ids {
        let name: EventName = name.extract::<String>()?.parse().map_err(wrong)?;
        table = table.with(id.extract()?, name).map_err(wrong)?;
    }
    Ok(table)
}

fn options(ids: Option<&Bound<'_, PyDict>>, unverified_types: bool) -> PyResult<Options> {
    Ok(Options::new().event_ids(event_ids(ids)?).unverified_types(unverified_types))
}

fn reference<'py>(py: Python<'py>, reference: Option<remote::Ref>) -> PyResult<Bound<'py, PyAny>> {
    object(py, reference.map(Ref::from))
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
    let reference = object.cast::<Ref>().map_err(|_| crate::errors::wrong_type("Ref or None", object))?;
    Ok(reference.get().to())
}

fn data_from_python(data: &Bound<'_, PyAny>) -> PyResult<PacketData<'static>> {
    let py = data.py();
    if !DATA.has(data)? {
        return Err(crate::errors::wrong_type("Data", data));
    }
    let field = |name: &str| data.getattr(name);
    let name: String = field("event")?.extract()?;
    let name: EventName = name.parse().map_err(|error: remote::EventIdsError| refused(py, error))?;
    let call: Option<i32> = field("call")?.extract()?;
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
    let arguments = field("arguments")?;
    let items = items_of(&arguments).ok_or_else(|| crate::errors::wrong_type("list", &arguments))?;
    let arguments = values(&items, DEPTH).map_err(|error| within(py, error, || "arguments".to_owned()))?;
    let event = match name {
        EventName::OnClientEvent => Event::OnClientEvent { arguments },
        EventName::OnServerEvent => Event::OnServerEvent { player, arguments },
        EventName::RemoteOnInvokeClient => Event::RemoteOnInvokeClient { call, arguments },
        EventName::RemoteOnInvokeServer => Event::RemoteOnInvokeServer { call, player, arguments },
        EventName::RemoteOnInvokeSuccess => Event::RemoteOnInvokeSuccess { call, arguments },
        EventName::RemoteOnInvokeError if arguments.is_empty() => {
            Event::RemoteOnInvokeError { call, message: key_bytes(&message)?.into() }
        }
        other => return Err(refused(py, format!("{other} has no arguments"))),
    };
    let remote = reference_from_python(&field("remote")?)?;
    Ok(PacketData { remote, event_id: field("event_id")?.extract()?, event })
}

/// Decodes a packet: the list of what is in it. `event_ids` names what the ids stand for, which differs from build to build.
#[pyfunction]
#[pyo3(signature = (buffer, *, event_ids = None, unverified_types = false))]
fn loads<'py>(
    buffer: &Bound<'py, PyAny>,
    event_ids: Option<&Bound<'py, PyDict>>,
    unverified_types: bool,
) -> PyResult<Bound<'py, PyList>> {
    let (py, input, options) = (buffer.py(), Input::of(buffer)?, options(event_ids, unverified_types)?);
    let decoded = detached(py, input.bytes(), |bytes| remote::decode_with(bytes, &options));
    let packet = decoded.map_err(|error| decode_error(py, &error))?;
    let keys = Keys::new(py);
    let packets: PyResult<Vec<_>> = packet.packets.iter().map(|data| data_to_python(&keys, data)).collect();
    PyList::new(py, packets?)
}

/// Encodes a packet.
#[pyfunction]
#[pyo3(signature = (packet, *, event_ids = None))]
fn dumps<'py>(packet: &Bound<'py, PyAny>, event_ids: Option<&Bound<'py, PyDict>>) -> PyResult<Bound<'py, PyBytes>> {
    let (py, options) = (packet.py(), options(event_ids, true)?);
    let items = items_of(packet).ok_or_else(|| crate::errors::wrong_type("list of Data", packet))?;
    let packets = items
        .iter()
        .enumerate()
        .map(|(index, data)| data_from_python(data).map_err(|error| within(py, error, || format!("[{index}]"))));
    let packet = Packet { packets: packets.collect::<PyResult<_>>()? };
    let bytes = remote::encode_with(&packet, &options).map_err(|error| encode_error(py, &error))?;
    Ok(PyBytes::new(py, &bytes))
}

/// Checks a packet without decoding it to objects. Other threads run meanwhile.
#[pyfunction]
#[pyo3(signature = (buffer, *, event_ids = None, unverified_types = false))]
fn check(buffer: &Bound<'_, PyAny>, event_ids: Option<&Bound<'_, PyDict>>, unverified_types: bool) -> PyResult<Report> {
    let (py, input, options) = (buffer.py(), Input::of(buffer)?, options(event_ids, unverified_types)?);
    report(py, detached(py, input.bytes(), |bytes| remote::check_with(bytes, &options, |_, _| {})))
}

/// Every field of the bytes, with its place.
#[pyfunction]
#[pyo3(signature = (buffer, *, event_ids = None, unverified_types = false))]
fn tree(
    buffer: &Bound<'_, PyAny>,
    event_ids: Option<&Bound<'_, PyDict>>,
    unverified_types: bool,
) -> PyResult<TreeParts> {
    let options = options(event_ids, unverified_types)?;
    let (py, input) = (buffer.py(), Input::of(buffer)?);
    Ok(tree_parts(py, input.bytes(), |bytes| remote::inspect_with(bytes, &options)))
}

/// Adds the classes and functions to a module.
pub fn add(module: &Bound<'_, PyModule>) -> PyResult<()> {
    module.add_class::<Ref>()?;
    module.add_class::<Quaternion>()?;
    module.add_class::<CFrame>()?;
    module.add_class::<SimpleCFrame>()?;
    module.add_class::<EnumItem>()?;
    module.add_class::<Faces>()?;
    module.add_class::<Axes>()?;
    module.add_class::<Color3uint8>()?;
    module.add_class::<PhysicalProperties>()?;
    module.add_class::<PathWaypoint>()?;
    module.add_class::<DateTime>()?;
    module.add_class::<SystemAddress>()?;
    module.add_class::<OptimizedString>()?;
    let ids = EventIds::captured();
    let ids = ids.iter().map(|(id, name)| (id, name.name()).into_pyobject(module.py()));
    let ids = PyTuple::new(module.py(), ids.collect::<PyResult<Vec<_>>>()?)?;
    module.add("EVENT_IDS", PyDict::from_sequence(&ids)?)?;
    module.add_function(wrap_pyfunction!(loads, module)?)?;
    module.add_function(wrap_pyfunction!(dumps, module)?)?;
    module.add_function(wrap_pyfunction!(check, module)?)?;
    module.add_function(wrap_pyfunction!(tree, module)?)
}
