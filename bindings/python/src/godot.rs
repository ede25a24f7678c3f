//! `enginewire.godot`: Godot Variant, versions 3 and 4.

use enginewire::godot::{
    self, ContainerType, Dictionary, Entry, EntryType, Framing, FullObject, Number, Object, Options, Property, Reals,
    Variant, Version,
};
use enginewire::wire::List;
use pyo3::exceptions::{PyStopIteration, PyValueError};
use pyo3::prelude::*;
use pyo3::types::{PyBool, PyByteArray, PyBytes, PyFloat, PyInt, PyList, PyString, PyTuple};
use pyo3::IntoPyObjectExt;

use crate::attributes::{deeper, key_item, Items};
use crate::buffers::{detached, Input};
use crate::errors::{about_value, decode_error, encode_error, no_value, refused, within};
use crate::fields::{narrow, object, record, show_real, text, text_bytes, to_integer, Field, Keys, Real, F32};
use crate::mapping::{entries_of, is_container, items_of, mapping, Class, Pair, ENTRIES};
use crate::packed::{to_array, PackedBytes};
use crate::report::{report, Report};
use crate::tree::{tree_parts, TreeParts};

macro_rules! classes {
    ($($static:ident $name:literal;)*) => {
        $(static $static: Class = Class::new("enginewire.godot", $name);)*
    };
}

classes! {
    STRING_NAME "StringName";
    STRING "String";
    NODE_PATH "NodePath";
    RID "RID";
    SIGNAL "Signal";
    CALLABLE "Callable";
    OBJECT "Object";
    OBJECT_ID "ObjectID";
    NULL_OBJECT "NullObject";
    TYPED_ARRAY "TypedArray";
    TYPED_DICTIONARY "TypedDictionary";
    CLASS "Class";
    SCRIPT "Script";
    STRINGS "PackedStringArray";
    PACKED "Packed";
}

/// A class made of reals, which have 32 or 64 bits.
trait OfReals: Sized {
    /// The structure of the library.
    type Of<N>;

    fn of<N: Real>(value: Self::Of<N>) -> Self;

    fn to<N: Real>(&self) -> Self::Of<N>;

    fn is_double(&self) -> bool;
}

/// Defines a frozen class of reals. `double=True` says that they have 64 bits.
macro_rules! reals {
    ($(#[$meta:meta])* $name:ident $title:literal { $($field:ident),* }) => {
        $(#[$meta])*
        #[pyclass(frozen, eq, hash, module = "enginewire.godot", name = $title)]
        #[derive(Clone, Debug, PartialEq, Hash)]
        pub struct $name {
            $(#[pyo3(get)] pub $field: crate::fields::F64,)*
            #[pyo3(get)]
            pub double: bool,
        }

        #[pymethods]
        impl $name {
            #[new]
            #[pyo3(signature = ($($field),*, double = false))]
            fn new($($field: f64,)* double: bool) -> PyResult<Self> {
                $(let $field = if double { $field } else { narrow($field)?.wide() };)*
                Ok($name { $($field: $field.into(),)* double })
            }

            fn __repr__(&self, py: Python<'_>) -> PyResult<String> {
                let fields = [$(show_real(py, self.$field.0, self.double)?),*].join(", ");
                Ok(format!("{}({fields}{})", $title, if self.double { ", double=True" } else { "" }))
            }

            fn __reduce__<'py>(slf: &Bound<'py, Self>) -> PyResult<(Bound<'py, PyAny>, Bound<'py, PyTuple>)> {
                let (py, this) = (slf.py(), slf.get());
                let fields = vec![$(object(py, this.$field),)* object(py, this.double)];
                Ok((slf.get_type().into_any(), crate::fields::arguments(py, fields)?))
            }

            #[classattr]
            fn __match_args__(py: Python<'_>) -> PyResult<Py<PyTuple>> {
                PyTuple::new(py, [$(stringify!($field)),*]).map(Bound::unbind)
            }
        }

        impl Field for $name {
            fn show(&self, py: Python<'_>) -> PyResult<String> {
                self.__repr__(py)
            }
        }

        impl OfReals for $name {
            type Of<N> = godot::$name<N>;

            fn of<N: Real>(value: godot::$name<N>) -> Self {
                $name { $($field: value.$field.wide().into(),)* double: N::DOUBLE }
            }

            fn to<N: Real>(&self) -> godot::$name<N> {
                godot::$name { $($field: N::nearest(self.$field.0)),* }
            }

            fn is_double(&self) -> bool {
                self.double
            }
        }
    };
}

reals! {
    /// Two numbers.
    Vector2 "Vector2" { x, y }
}

reals! {
    /// Three numbers.
    Vector3 "Vector3" { x, y, z }
}

reals! {
    /// Four numbers.
    Vector4 "Vector4" { x, y, z, w }
}

reals! {
    /// A rotation; Quat in version 3.
    Quaternion "Quaternion" { x, y, z, w }
}

/// Defines a frozen class of others, which all have reals of the same width.
macro_rules! composed {
    ($(#[$meta:meta])* $name:ident $title:literal $of:ident { $first:ident: $one:ty $(, $field:ident: $type:ty)* }) => {
        record! {
            $(#[$meta])*
            "enginewire.godot" $name $title { $first: $one $(, $field: $type)* } check $name::check
        }

        impl $name {
            fn check(self) -> PyResult<Self> {
                match true $(&& self.$field.is_double() == self.is_double())* {
                    true => Ok(self),
                    false => Err(PyValueError::new_err("some parts are double and some are not")),
                }
            }
        }

        impl OfReals for $name {
            type Of<N> = godot::$of<N>;

            fn of<N: Real>(value: godot::$of<N>) -> Self {
                $name { $first: <$one>::of(value.$first) $(, $field: <$type>::of(value.$field))* }
            }

            fn to<N: Real>(&self) -> godot::$of<N> {
                godot::$of { $first: self.$first.to() $(, $field: self.$field.to())* }
            }

            fn is_double(&self) -> bool {
                self.$first.is_double()
            }
        }
    };
}

composed! {
    /// A rectangle.
    Rect2 "Rect2" Rect2 { position: Vector2, size: Vector2 }
}

composed! {
    /// A transformation of the plane, by its columns.
    Transform2D "Transform2D" Transform2D { x: Vector2, y: Vector2, origin: Vector2 }
}

composed! {
    /// A box.
    Aabb "AABB" Aabb { position: Vector3, size: Vector3 }
}

composed! {
    /// A transformation of space; Transform in version 3.
    Transform3D "Transform3D" Transform3D { basis: Basis, origin: Vector3 }
}

composed! {
    /// A matrix of four by four, by its columns.
    Projection "Projection" Projection { x: Vector4, y: Vector4, z: Vector4, w: Vector4 }
}

record! {
    /// A plane in space. Its distance has as many bits as its normal.
    "enginewire.godot" Plane "Plane" { normal: Vector3, d: crate::fields::F64 } check Plane::check
}

impl Plane {
    fn check(self) -> PyResult<Self> {
        let d = if self.normal.double { self.d.0 } else { narrow(self.d.0)?.wide() };
        Ok(Plane { d: d.into(), ..self })
    }
}

impl OfReals for Plane {
    type Of<N> = godot::Plane<N>;

    fn of<N: Real>(value: godot::Plane<N>) -> Self {
        Plane { normal: Vector3::of(value.normal), d: value.d.wide().into() }
    }

    fn to<N: Real>(&self) -> godot::Plane<N> {
        godot::Plane { normal: self.normal.to(), d: N::nearest(self.d.0) }
    }

    fn is_double(&self) -> bool {
        self.normal.double
    }
}

record! {
    /// A matrix of three by three, by its rows.
    "enginewire.godot" Basis "Basis" { rows: Items<Vector3> } check Basis::check
}

impl Basis {
    fn check(self) -> PyResult<Self> {
        match &self.rows.0[..] {
            [a, b, c] if a.double == b.double && b.double == c.double => Ok(self),
            [_, _, _] => Err(PyValueError::new_err("some rows are double and some are not")),
            other => Err(PyValueError::new_err(format!("expected 3 rows, found {}", other.len()))),
        }
    }
}

impl OfReals for Basis {
    type Of<N> = godot::Basis<N>;

    fn of<N: Real>(value: godot::Basis<N>) -> Self {
        Basis { rows: Items(value.rows.map(|[x, y, z]| Vector3::of(godot::Vector3 { x, y, z })).into()) }
    }

    fn to<N: Real>(&self) -> godot::Basis<N> {
        let row = |index: usize| {
            let row = self.rows.0.get(index);
            let part = |part: fn(&Vector3) -> f64| N::nearest(row.map_or(0.0, part));
            [part(|row| row.x.0), part(|row| row.y.0), part(|row| row.z.0)]
        };
        godot::Basis { rows: [row(0), row(1), row(2)] }
    }

    fn is_double(&self) -> bool {
        self.rows.0.first().is_some_and(|row| row.double)
    }
}

record! {
    /// Two integers.
    "enginewire.godot" Vector2i "Vector2i" { x: i32, y: i32 }
}

record! {
    /// Three integers.
    "enginewire.godot" Vector3i "Vector3i" { x: i32, y: i32, z: i32 }
}

record! {
    /// Four integers.
    "enginewire.godot" Vector4i "Vector4i" { x: i32, y: i32, z: i32, w: i32 }
}

record! {
    /// A rectangle of integers.
    "enginewire.godot" Rect2i "Rect2i" { position: Vector2i, size: Vector2i }
}

record! {
    /// A colour: each part from 0 to 1, or beyond.
    "enginewire.godot" Color "Color" = godot::Color { r: F32, g: F32, b: F32, a: F32 }
}

/// The object of a class for reals of either width.
fn real<'py, C, S, D>(py: Python<'py>, value: &Reals<S, D>) -> PyResult<Bound<'py, PyAny>>
where
    C: OfReals + IntoPyObject<'py>,
    C: OfReals<Of<f32> = S, Of<f64> = D>,
    S: Copy,
    D: Copy,
{
    object(
        py,
        match value {
            Reals::Single(value) => C::of::<f32>(*value),
            Reals::Double(value) => C::of::<f64>(**value),
        },
    )
}

/// The reals of an object.
fn reals_of<C: OfReals>(value: &C) -> Reals<C::Of<f32>, C::Of<f64>> {
    match value.is_double() {
        true => Reals::Double(Box::new(value.to())),
        false => Reals::Single(value.to()),
    }
}

/// The source of packed arrays.
struct Source<'s, 'py> {
    py: Python<'py>,
    /// The object with the input.
    owner: &'s Bound<'py, PyAny>,
    /// The address of its first byte.
    start: usize,
    keys: Keys<'py>,
}

impl<'py> Source<'_, 'py> {
    /// A packed array as a view of the input.
    fn view(
        &self,
        kind: &'static str,
        bytes: &[u8],
        item: (char, usize),
        columns: usize,
    ) -> PyResult<Bound<'py, PyAny>> {
        let offset = (bytes.as_ptr() as usize).wrapping_sub(self.start);
        let array = to_array(self.owner, offset, bytes.len(), item, columns)?;
        match kind == "PackedVector4Array" || !array.is_exact {
            true => PACKED.call(self.py, (kind, array.object)),
            false => Ok(array.object),
        }
    }

    fn views<S, D>(
        &self,
        kind: &'static str,
        columns: usize,
        value: &Reals<List<'_, S>, List<'_, D>>,
    ) -> PyResult<Bound<'py, PyAny>>
    where
        S: enginewire::wire::Packed,
        D: enginewire::wire::Packed,
    {
        match value {
            Reals::Single(list) => self.view(kind, list.as_bytes(), ('f', 4), columns),
            Reals::Double(list) => self.view(kind, list.as_bytes(), ('d', 8), columns),
        }
    }

    fn container_type(&self, of: Option<&ContainerType<'_>>) -> PyResult<Bound<'py, PyAny>> {
        let py = self.py;
        match of {
            None => Ok(py.None().into_bound(py)),
            Some(ContainerType::Builtin(id)) => id.name().into_bound_py_any(py),
            Some(ContainerType::Class(name)) => CLASS.call(py, (text(py, name),)),
            Some(ContainerType::Script(path)) => SCRIPT.call(py, (text(py, path),)),
        }
    }

    /// A value as a Python object.
    fn object(&self, value: &Variant<'_>) -> PyResult<Bound<'py, PyAny>> {
        match value {
            Variant::Array(array) => self.list(array),
            Variant::Dictionary(dictionary) => self.dictionary(dictionary),
            Variant::Object(Object::Full(full)) => self.full_object(full),
            leaf => self.leaf(leaf),
        }
    }

    fn list(&self, array: &godot::Array<'_>) -> PyResult<Bound<'py, PyAny>> {
        let mut elements = Vec::with_capacity(array.elements.len());
        for element in &array.elements {
            elements.push(self.object(element)?);
        }
        let elements = PyList::new(self.py, elements)?.into_any();
        match &array.element_type {
            None => Ok(elements),
            Some(of) => TYPED_ARRAY.call(self.py, (self.container_type(Some(of))?, elements)),
        }
    }

    fn dictionary(&self, dictionary: &Dictionary<'_>) -> PyResult<Bound<'py, PyAny>> {
        let mut entries = Vec::with_capacity(dictionary.entries.len());
        for entry in &dictionary.entries {
            let key = match &entry.key {
                // one that is not UTF-8 is no key like the others
                Variant::String(bytes) if bytes.as_str().is_some() => self.keys.get(bytes),
                other => self.object(other)?,
            };
            entries.push((key, self.object(&entry.value)?));
        }
        let entries = mapping(self.py, entries)?;
        match &dictionary.types {
            None => Ok(entries),
            Some(types) => {
                let (key, value) =
                    (self.container_type(types.key.as_ref())?, self.container_type(types.value.as_ref())?);
                TYPED_DICTIONARY.call(self.py, (key, value, entries))
            }
        }
    }

    fn full_object(&self, full: &FullObject<'_>) -> PyResult<Bound<'py, PyAny>> {
        let mut properties = Vec::with_capacity(full.properties.len());
        for property in &full.properties {
            properties.push((self.keys.get(&property.name), self.object(&property.value)?));
        }
        OBJECT.call(self.py, (text(self.py, &full.class), mapping(self.py, properties)?))
    }

    /// A function of its own, so that a level of nesting takes little stack.
    #[inline(never)]
    fn leaf(&self, value: &Variant<'_>) -> PyResult<Bound<'py, PyAny>> {
        let py = self.py;
        match value {
            Variant::Null => Ok(py.None().into_bound(py)),
            Variant::Callable => CALLABLE.call(py, ()),
            Variant::Bool(value) => object(py, *value),
            Variant::Int(value) => object(py, *value),
            Variant::Float(value) => object(py, *value),
            Variant::String(bytes) => match bytes.as_str() {
                Some(text) => Ok(PyString::new(py, text).into_any()),
                None => STRING.call(py, (PyBytes::new(py, bytes),)),
            },
            Variant::StringName(bytes) => match bytes.as_str() {
                Some(text) => STRING_NAME.wrap(PyString::new(py, text).into_any()),
                None => Err(decode_text(py)),
            },
            Variant::Vector2(value) => real::<Vector2, _, _>(py, value),
            Variant::Vector2i(value) => object(py, Vector2i { x: value.x, y: value.y }),
            Variant::Rect2(value) => real::<Rect2, _, _>(py, value),
            Variant::Rect2i(value) => {
                let [position, size] = [value.position, value.size].map(|value| Vector2i { x: value.x, y: value.y });
                object(py, Rect2i { position, size })
            }
            Variant::Vector3(value) => real::<Vector3, _, _>(py, value),
            Variant::Vector3i(value) => object(py, Vector3i { x: value.x, y: value.y, z: value.z }),
            Variant::Transform2D(value) => real::<Transform2D, _, _>(py, value),
            Variant::Vector4(value) => real::<Vector4, _, _>(py, value),
            Variant::Vector4i(value) => object(py, Vector4i { x: value.x, y: value.y, z: value.z, w: value.w }),
            Variant::Plane(value) => real::<Plane, _, _>(py, value),
            Variant::Quaternion(value) => real::<Quaternion, _, _>(py, value),
            Variant::Aabb(value) => real::<Aabb, _, _>(py, value),
            Variant::Basis(value) => real::<Basis, _, _>(py, value),
            Variant::Transform3D(value) => real::<Transform3D, _, _>(py, value),
            Variant::Projection(value) => real::<Projection, _, _>(py, value),
            Variant::Color(value) => object(py, Color::from(*value)),
            Variant::NodePath(path) => {
                let names = |names: &[godot::ByteString<'_>]| PyTuple::new(py, names.iter().map(|name| text(py, name)));
                NODE_PATH.call(py, (names(&path.names)?, names(&path.subnames)?, path.absolute))
            }
            Variant::Rid(rid) => RID.call(py, (rid.0,)),
            Variant::Signal(signal) => SIGNAL.call(py, (text(py, &signal.name), signal.object_id)),
            Variant::Object(Object::Id(id)) => OBJECT_ID.call(py, (*id,)),
            Variant::Object(Object::Null) => NULL_OBJECT.call(py, ()),
            Variant::PackedByteArray(bytes) => self.view("PackedByteArray", bytes, ('B', 1), 1),
            Variant::PackedInt32Array(list) => self.view("PackedInt32Array", list.as_bytes(), ('i', 4), 1),
            Variant::PackedInt64Array(list) => self.view("PackedInt64Array", list.as_bytes(), ('q', 8), 1),
            Variant::PackedFloat32Array(list) => self.view("PackedFloat32Array", list.as_bytes(), ('f', 4), 1),
            Variant::PackedFloat64Array(list) => self.view("PackedFloat64Array", list.as_bytes(), ('d', 8), 1),
            Variant::PackedStringArray(strings) => {
                STRINGS.wrap(PyTuple::new(py, strings.iter().map(|string| text(py, string)))?.into_any())
            }
            Variant::PackedVector2Array(list) => self.views("PackedVector2Array", 2, list),
            Variant::PackedVector3Array(list) => self.views("PackedVector3Array", 3, list),
            Variant::PackedVector4Array(list) => self.views("PackedVector4Array", 4, list),
            Variant::PackedColorArray(list) => self.view("PackedColorArray", list.as_bytes(), ('f', 4), 4),
            other => Err(crate::errors::file_error(py, format!("{} has no class", other.type_id().name()), 0, "other")),
        }
    }
}

/// A StringName has to be text.
fn decode_text(py: Python<'_>) -> PyErr {
    crate::errors::file_error(py, "a StringName is not UTF-8", 0, "invalid-text")
}

/// The version with this number.
fn version(number: u8) -> PyResult<Version> {
    Version::from_number(number)
        .ok_or_else(|| PyValueError::new_err(format!("there is no version {number}, only 3 and 4")))
}

fn container_type(of: &Bound<'_, PyAny>) -> PyResult<Option<ContainerType<'static>>> {
    let py = of.py();
    if of.is_none() {
        return Ok(None);
    }
    if CLASS.has(of)? {
        return Ok(Some(ContainerType::Class(name_of(&of.getattr("name")?)?.into())));
    }
    if SCRIPT.has(of)? {
        return Ok(Some(ContainerType::Script(name_of(&of.getattr("path")?)?.into())));
    }
    let name: String = of.extract()?;
    let id = godot::v4::TypeId::ALL.iter().find(|id| id.name() == name);
    Ok(Some(ContainerType::Builtin(*id.ok_or_else(|| refused(py, format!("there is no type {name}")))?)))
}

/// The bytes of a name.
fn name_of(name: &Bound<'_, PyAny>) -> PyResult<Vec<u8>> {
    text_bytes(name)?.ok_or_else(|| crate::errors::wrong_type("str or bytes", name))
}

fn names_of(names: &Bound<'_, PyAny>) -> PyResult<Vec<godot::ByteString<'static>>> {
    names.try_iter()?.map(|name| Ok(name_of(&name?)?.into())).collect()
}

/// A Python object as a value, with `depth` levels of containers left.
fn from_python(value: &Bound<'_, PyAny>, depth: u16) -> PyResult<Variant<'static>> {
    if let Some(items) = items_of(value) {
        return Ok(godot::Array::new(elements(&items, deeper(value.py(), depth)?)?).into());
    }
    if !is_container(value) {
        if let Some(leaf) = leaf_from_python(value)? {
            return Ok(leaf);
        }
    }
    match container_from_python(value, depth)? {
        Some(container) => Ok(container),
        None => Err(no_value("Godot", value)),
    }
}

/// A function of its own, as those below, so that a level of nesting takes little stack.
#[inline(never)]
fn elements(items: &[Bound<'_, PyAny>], depth: u16) -> PyResult<Vec<Variant<'static>>> {
    let mut elements = Vec::with_capacity(items.len());
    for (index, item) in items.iter().enumerate() {
        let element = from_python(item, depth);
        elements.push(element.map_err(|error| within(item.py(), error, || format!("[{index}]")))?);
    }
    Ok(elements)
}

#[inline(never)]
fn entries(pairs: &[Pair<'_>], depth: u16) -> PyResult<Vec<Entry<'static>>> {
    let mut entries = Vec::with_capacity(pairs.len());
    for (key, value) in pairs {
        let entry = from_python(key, depth).and_then(|key| Ok(Entry { key, value: from_python(value, depth)? }));
        entries.push(entry.map_err(|error| within(key.py(), error, || key_item(key)))?);
    }
    Ok(entries)
}

/// The entries of an attribute that is a `dict` or `Entries`.
fn pairs_of<'py>(object: &Bound<'py, PyAny>) -> PyResult<Vec<Pair<'py>>> {
    entries_of(object)?.ok_or_else(|| crate::errors::wrong_type("dict or Entries", object))
}

#[inline(never)]
fn container_from_python(value: &Bound<'_, PyAny>, depth: u16) -> PyResult<Option<Variant<'static>>> {
    let py = value.py();
    if let Some(pairs) = entries_of(value)? {
        let entries = entries(&pairs, deeper(py, depth)?)?;
        return Ok(Some(Variant::Dictionary(Dictionary { types: None, entries })));
    }
    if TYPED_ARRAY.has(value)? {
        let items = value.getattr("elements")?;
        let items = items_of(&items).ok_or_else(|| crate::errors::wrong_type("list", &items))?;
        let element_type = container_type(&value.getattr("type")?)?.map(Box::new);
        return Ok(Some(Variant::Array(godot::Array {
            element_type,
            elements: elements(&items, deeper(py, depth)?)?,
        })));
    }
    if TYPED_DICTIONARY.has(value)? {
        let [key, value_type] = [value.getattr("key_type")?, value.getattr("value_type")?];
        let types = EntryType { key: container_type(&key)?, value: container_type(&value_type)? };
        let entries = entries(&pairs_of(&value.getattr("entries")?)?, deeper(py, depth)?)?;
        let types = (types.key.is_some() || types.value.is_some()).then(|| Box::new(types));
        return Ok(Some(Variant::Dictionary(Dictionary { types, entries })));
    }
    if OBJECT.has(value)? {
        let depth = deeper(py, depth)?;
        let mut properties = Vec::new();
        for (name, value) in pairs_of(&value.getattr("properties")?)? {
            let property =
                name_of(&name).and_then(|key| Ok(Property { name: key.into(), value: from_python(&value, depth)? }));
            properties.push(property.map_err(|error| within(py, error, || key_item(&name)))?);
        }
        let class = name_of(&value.getattr("class_name")?)?.into();
        return Ok(Some(Variant::Object(Object::Full(Box::new(FullObject { class, properties })))));
    }
    Ok(None)
}

/// A list of items that are kept as their bytes.
fn list<T: enginewire::wire::Packed>(py: Python<'_>, bytes: Vec<u8>) -> PyResult<List<'static, T>> {
    List::from_bytes(bytes).ok_or_else(|| refused(py, "the bytes of the array are not a whole number of items"))
}

/// A packed array of this kind, or of the kind that the shape and type of the items say.
fn packed_from_python(py: Python<'_>, kind: Option<&str>, packed: PackedBytes) -> PyResult<Variant<'static>> {
    let PackedBytes { bytes, item, columns } = packed;
    let kind = match (kind, item, columns) {
        (Some(kind), ..) => kind,
        (_, 'B', 1) => "PackedByteArray",
        (_, 'i', 1) => "PackedInt32Array",
        (_, 'q', 1) => "PackedInt64Array",
        (_, 'f', 1) => "PackedFloat32Array",
        (_, 'd', 1) => "PackedFloat64Array",
        (_, 'f' | 'd', 2) => "PackedVector2Array",
        (_, 'f' | 'd', 3) => "PackedVector3Array",
        (_, 'f', 4) => "PackedColorArray",
        _ => return Err(refused(py, format!("no packed array has {columns} columns of type {item}"))),
    };
    macro_rules! either {
        ($name:ident $columns:literal) => {
            match (item, columns) {
                ('f', $columns) => Variant::$name(Reals::Single(list(py, bytes)?)),
                ('d', $columns) => Variant::$name(Reals::Double(Box::new(list(py, bytes)?))),
                _ => return Err(mismatch(py, kind, item, columns)),
            }
        };
    }
    macro_rules! one {
        ($name:ident $item:literal $columns:literal) => {
            match (item, columns) {
                ($item, $columns) => Variant::$name(list(py, bytes)?),
                _ => return Err(mismatch(py, kind, item, columns)),
            }
        };
    }
    Ok(match kind {
        "PackedByteArray" if item == 'B' => Variant::PackedByteArray(bytes.into()),
        "PackedInt32Array" => one!(PackedInt32Array 'i' 1),
        "PackedInt64Array" => one!(PackedInt64Array 'q' 1),
        "PackedFloat32Array" => one!(PackedFloat32Array 'f' 1),
        "PackedFloat64Array" => one!(PackedFloat64Array 'd' 1),
        "PackedVector2Array" => either!(PackedVector2Array 2),
        "PackedVector3Array" => either!(PackedVector3Array 3),
        "PackedVector4Array" => either!(PackedVector4Array 4),
        "PackedColorArray" => one!(PackedColorArray 'f' 4),
        other => return Err(mismatch(py, other, item, columns)),
    })
}

fn mismatch(py: Python<'_>, kind: &str, item: char, columns: usize) -> PyErr {
    refused(py, format!("{kind} cannot have {columns} columns of type {item}"))
}

#[inline(never)]
fn leaf_from_python(value: &Bound<'_, PyAny>) -> PyResult<Option<Variant<'static>>> {
    let py = value.py();
    if value.is_none() {
        return Ok(Some(Variant::Null));
    }
    if let Ok(text) = value.cast::<PyString>() {
        let bytes = text.to_str()?.as_bytes().to_vec().into();
        return Ok(Some(if STRING_NAME.narrows::<PyString>(value)? {
            Variant::StringName(bytes)
        } else {
            Variant::String(bytes)
        }));
    }
    if let Ok(value) = value.cast::<PyBool>() {
        return Ok(Some(Variant::Bool(value.is_true())));
    }
    if value.is_instance_of::<PyInt>() {
        return Ok(Some(Variant::Int(to_integer(value)?)));
    }
    if let Ok(number) = value.cast::<PyFloat>() {
        return Ok(Some(Variant::Float(number.value())));
    }
    if let Ok(bytes) = value.cast::<PyBytes>() {
        return Ok(Some(Variant::PackedByteArray(bytes.as_bytes().to_vec().into())));
    }
    if let Ok(bytes) = value.cast::<PyByteArray>() {
        return Ok(Some(Variant::PackedByteArray(bytes.to_vec().into())));
    }
    macro_rules! reals {
        ($($name:ident)*) => {
            $(if let Ok(found) = value.cast::<$name>() {
                return Ok(Some(Variant::$name(reals_of(found.get()).into())));
            })*
        };
    }
    reals! { Vector2 Vector3 Vector4 Quaternion Rect2 Transform2D Aabb Plane Basis Transform3D Projection }
    if let Ok(found) = value.cast::<Color>() {
        return Ok(Some(Variant::Color(found.get().clone().into())));
    }
    if let Ok(found) = value.cast::<Vector2i>() {
        return Ok(Some(Variant::Vector2i(two(found.get()))));
    }
    if let Ok(found) = value.cast::<Vector3i>() {
        let Vector3i { x, y, z } = *found.get();
        return Ok(Some(Variant::Vector3i(godot::Vector3 { x, y, z })));
    }
    if let Ok(found) = value.cast::<Vector4i>() {
        let Vector4i { x, y, z, w } = *found.get();
        return Ok(Some(Variant::Vector4i(godot::Vector4 { x, y, z, w })));
    }
    if let Ok(found) = value.cast::<Rect2i>() {
        let Rect2i { position, size } = found.get();
        return Ok(Some(Variant::Rect2i(godot::Rect2 { position: two(position), size: two(size) })));
    }
    if STRINGS.has(value)? {
        return Ok(Some(Variant::PackedStringArray(names_of(value)?)));
    }
    if ENTRIES.has(value)? {
        return Ok(None);
    }
    if STRING.has(value)? {
        let bytes: Vec<u8> = value.getattr("bytes")?.extract()?;
        return Ok(Some(Variant::String(bytes.into())));
    }
    if NODE_PATH.has(value)? {
        let [names, subnames] =
            ["names", "subnames"].map(|name| value.getattr(name).and_then(|names| names_of(&names)));
        let absolute = value.getattr("absolute")?.extract()?;
        let path = godot::NodePath { absolute, names: names?, subnames: subnames? };
        return Ok(Some(Variant::NodePath(Box::new(path))));
    }
    if RID.has(value)? {
        return Ok(Some(Variant::Rid(godot::Rid(value.getattr("id")?.extract()?))));
    }
    if SIGNAL.has(value)? {
        let name = name_of(&value.getattr("name")?)?.into();
        let object_id = value.getattr("object_id")?.extract()?;
        return Ok(Some(Variant::Signal(Box::new(godot::Signal { name, object_id }))));
    }
    if CALLABLE.has(value)? {
        return Ok(Some(Variant::Callable));
    }
    if OBJECT_ID.has(value)? {
        return Ok(Some(Variant::Object(Object::Id(value.getattr("id")?.extract()?))));
    }
    if NULL_OBJECT.has(value)? {
        return Ok(Some(Variant::Object(Object::Null)));
    }
    if PACKED.has(value)? {
        let kind: String = value.getattr("kind")?.extract()?;
        let packed = PackedBytes::of(&value.getattr("data")?)?.ok_or_else(|| refused(py, "data has no buffer"))?;
        return packed_from_python(py, Some(&kind), packed).map(Some);
    }
    match PackedBytes::of(value)? {
        Some(packed) => packed_from_python(py, None, packed).map(Some),
        None => Ok(None),
    }
}

fn two(value: &Vector2i) -> godot::Vector2<i32> {
    godot::Vector2 { x: value.x, y: value.y }
}

/// Checks that the bound of the library's numbers is met.
const _: fn() = || {
    fn number<N: Number>() {}
    number::<f32>();
    number::<f64>();
};

/// How deep Python containers may nest: deeper than Godot allows, which is left to the encoder to say.
const DEPTH: u16 = Options::MAX_DEPTH + 8;

fn options(version_number: u8, any_text: bool, unpadded_bytes: bool) -> PyResult<Options> {
    Ok(Options::new(version(version_number)?).any_text(any_text).unpadded_bytes(unpadded_bytes))
}

/// Decodes a value. Packed arrays are views of the buffer.
#[pyfunction]
#[pyo3(signature = (buffer, version = 4, *, any_text = false, unpadded_bytes = false))]
fn loads<'py>(
    buffer: &Bound<'py, PyAny>,
    version: u8,
    any_text: bool,
    unpadded_bytes: bool,
) -> PyResult<Bound<'py, PyAny>> {
    let options = options(version, any_text, unpadded_bytes)?;
    let (py, input) = (buffer.py(), Input::of(buffer)?);
    let bytes = input.bytes();
    let decoded = detached(py, bytes, |bytes| godot::decode_with(bytes, &options));
    let owner = input.owner(buffer);
    let source = Source { py, owner: &owner, start: bytes.as_ptr() as usize, keys: Keys::new(py) };
    source.object(&decoded.map_err(|error| decode_error(py, &error))?)
}

/// Encodes a value.
#[pyfunction]
#[pyo3(signature = (value, version = 4))]
fn dumps<'py>(py: Python<'py>, value: &Bound<'py, PyAny>, version: u8) -> PyResult<Bound<'py, PyBytes>> {
    let options = options(version, true, false)?;
    let value = from_python(value, DEPTH).map_err(|error| about_value(py, error))?;
    let bytes = godot::encode_with(&value, &options).map_err(|error| encode_error(py, &error))?;
    Ok(PyBytes::new(py, &bytes))
}

/// Checks a value without decoding it to objects. Other threads run meanwhile.
#[pyfunction]
#[pyo3(signature = (buffer, version = 4, *, any_text = false, unpadded_bytes = false))]
fn check(buffer: &Bound<'_, PyAny>, version: u8, any_text: bool, unpadded_bytes: bool) -> PyResult<Report> {
    let options = options(version, any_text, unpadded_bytes)?;
    let (py, input) = (buffer.py(), Input::of(buffer)?);
    report(py, detached(py, input.bytes(), |bytes| godot::check_with(bytes, &options, |_, _| {})))
}

/// Every field of the bytes, with its place.
#[pyfunction]
#[pyo3(signature = (buffer, version = 4, *, any_text = false, unpadded_bytes = false))]
fn tree(buffer: &Bound<'_, PyAny>, version: u8, any_text: bool, unpadded_bytes: bool) -> PyResult<TreeParts> {
    let options = options(version, any_text, unpadded_bytes)?;
    let (py, input) = (buffer.py(), Input::of(buffer)?);
    Ok(tree_parts(py, input.bytes(), |bytes| godot::inspect_with(bytes, &options)))
}

/// Encodes a value with its length before it, as a stream of Godot has it.
#[pyfunction]
#[pyo3(signature = (value, version = 4, *, big_endian = false))]
fn dump_frame<'py>(
    py: Python<'py>,
    value: &Bound<'py, PyAny>,
    version: u8,
    big_endian: bool,
) -> PyResult<Bound<'py, PyBytes>> {
    let options = options(version, true, false)?;
    let value = from_python(value, DEPTH).map_err(|error| about_value(py, error))?;
    let mut bytes = Vec::new();
    godot::encode_frame(&value, framing(big_endian), &options, &mut bytes).map_err(|error| encode_error(py, &error))?;
    Ok(PyBytes::new(py, &bytes))
}

fn framing(big_endian: bool) -> Framing {
    match big_endian {
        true => Framing::BigEndian,
        false => Framing::LittleEndian,
    }
}

/// Decodes values that come in pieces, each with its length before it. It is an iterator of the values that are there.
#[pyclass(module = "enginewire.godot")]
pub struct FrameDecoder {
    options: Options,
    big_endian: bool,
    max_frame: usize,
    /// What was pushed, from the first frame on that is not decoded yet.
    buffer: Vec<u8>,
    /// How many bytes of the buffer are decoded.
    taken: usize,
    /// How many bytes were decoded before the buffer began.
    before: u64,
}

impl FrameDecoder {
    /// The range of the next frame's value in the buffer, if all of it is there.
    fn frame(&self, py: Python<'_>) -> PyResult<Option<(usize, usize)>> {
        let rest = self.buffer.get(self.taken..).unwrap_or_default();
        let Some(length) = rest.first_chunk::<4>() else { return Ok(None) };
        let length = framing(self.big_endian).length(*length) as usize;
        if length > self.max_frame {
            let message = format!("a frame of {length} bytes is larger than the limit of {}", self.max_frame);
            return Err(crate::errors::file_error(py, message, self.offset(), "too-large"));
        }
        let start = self.taken + 4;
        Ok((rest.len() - 4 >= length).then_some((start, start + length)))
    }

    /// The offset of the next frame in the stream.
    fn offset(&self) -> u64 {
        self.before + self.taken as u64
    }
}

#[pymethods]
impl FrameDecoder {
    #[new]
    #[pyo3(signature = (version = 4, *, big_endian = false, max_frame = 67108864))]
    fn new(version: u8, big_endian: bool, max_frame: usize) -> PyResult<Self> {
        let options = options(version, false, false)?;
        Ok(FrameDecoder { options, big_endian, max_frame, buffer: Vec::new(), taken: 0, before: 0 })
    }

    /// Takes more bytes of the stream.
    fn push(&mut self, buffer: &Bound<'_, PyAny>) -> PyResult<()> {
        let input = Input::of(buffer)?;
        self.before = self.offset();
        self.buffer.drain(..self.taken);
        self.taken = 0;
        self.buffer.extend_from_slice(input.bytes());
        Ok(())
    }

    fn __iter__(slf: Bound<'_, Self>) -> Bound<'_, Self> {
        slf
    }

    /// The next value; no more for now where none is complete.
    fn __next__<'py>(&mut self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        let Some((start, end)) = self.frame(py)? else { return Err(PyStopIteration::new_err(())) };
        // a copy, because arrays are views of it
        let owner = PyBytes::new(py, self.buffer.get(start..end).unwrap_or_default());
        let offset = self.offset() + 4;
        let bytes = owner.as_bytes();
        let decoded = detached(py, bytes, |bytes| godot::decode_with(bytes, &self.options));
        let decoded = decoded.map_err(|error| decode_error(py, &error.of_complete_input().shifted(offset)))?;
        self.taken = end;
        Source { py, owner: owner.as_any(), start: bytes.as_ptr() as usize, keys: Keys::new(py) }.object(&decoded)
    }

    /// How many bytes are there of a frame that is not complete.
    #[getter]
    fn pending(&self) -> usize {
        self.buffer.len() - self.taken
    }

    /// The end of the stream: an error if it is within a frame.
    fn finish(&self, py: Python<'_>) -> PyResult<()> {
        match self.pending() {
            0 => Ok(()),
            left => {
                let message = format!("the stream ends within a frame, of which {left} bytes are there");
                Err(crate::errors::file_error(py, message, self.offset(), "truncated"))
            }
        }
    }
}

/// Adds the classes and functions to a module.
pub fn add(module: &Bound<'_, PyModule>) -> PyResult<()> {
    module.add_class::<Vector2>()?;
    module.add_class::<Vector3>()?;
    module.add_class::<Vector4>()?;
    module.add_class::<Quaternion>()?;
    module.add_class::<Rect2>()?;
    module.add_class::<Transform2D>()?;
    module.add_class::<Aabb>()?;
    module.add_class::<Plane>()?;
    module.add_class::<Basis>()?;
    module.add_class::<Transform3D>()?;
    module.add_class::<Projection>()?;
    module.add_class::<Color>()?;
    module.add_class::<Vector2i>()?;
    module.add_class::<Vector3i>()?;
    module.add_class::<Vector4i>()?;
    module.add_class::<Rect2i>()?;
    module.add_class::<FrameDecoder>()?;
    module.add_function(wrap_pyfunction!(loads, module)?)?;
    module.add_function(wrap_pyfunction!(dumps, module)?)?;
    module.add_function(wrap_pyfunction!(dump_frame, module)?)?;
    module.add_function(wrap_pyfunction!(check, module)?)?;
    module.add_function(wrap_pyfunction!(tree, module)?)
}
