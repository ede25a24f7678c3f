//! `enginewire.godot`: Godot Variant, versions 3 and 4.

use std::rc::Rc;
use std::sync::Mutex;

use enginewire::godot::{
    self, ContainerType, Dictionary, EntryType, Framing, FullObject, Object, Options, Property, Reals, Variant, Version,
};
use enginewire::wire::{generate_into, Limited, List, Packed};
use pyo3::exceptions::{PyStopIteration, PyValueError};
use pyo3::prelude::*;
use pyo3::types::{PyBool, PyByteArray, PyBytes, PyFloat, PyInt, PyString, PyTuple};
use pyo3::IntoPyObjectExt;

use crate::buffers::{detached, locked, roomy, Input};
use crate::direct::{count_of, write, write_at, write_value, Bytes, Direct};
use crate::errors::{decode_error, encode_error, file_error, no_class, refused, within_object, wrong_type};
use crate::fields::{
    argument, by_fields, class, classes, object, record, show_real, text, text_bytes, to_integer, value_error, vector,
    Keys, Of, Real, Variants,
};
use crate::functions::functions;
use crate::mapping::{
    entries_of_mapping, is_container, items_of_sequence, key_item, list_of, mapping_of, name_of, python_classes, Level,
    Objects, ENTRIES,
};
use crate::packed::{about, to_array, PackedBytes};

python_classes! {
    "enginewire.godot":
    STRING_NAME "StringName", STRING "String", NODE_PATH "NodePath", RID "RID", SIGNAL "Signal",
    CALLABLE "Callable", OBJECT "Object", OBJECT_ID "ObjectID", NULL_OBJECT "NullObject", TYPED_ARRAY "TypedArray",
    TYPED_DICTIONARY "TypedDictionary", CLASS "Class", SCRIPT "Script", STRINGS "PackedStringArray", PACKED "Packed"
}

/// A class made of reals, which have 32 or 64 bits.
pub trait OfReals: Of<Self::Of<f32>> + Of<Self::Of<f64>> {
    /// The structure of the library.
    type Of<N>;

    fn is_double(&self) -> bool;
}

impl<C: OfReals> Of<Reals<C::Of<f32>, C::Of<f64>>> for C {
    fn of(value: &Reals<C::Of<f32>, C::Of<f64>>) -> Self {
        match value {
            Reals::Single(value) => C::of(value),
            Reals::Double(value) => C::of(&**value),
        }
    }

    fn to(&self) -> PyResult<Reals<C::Of<f32>, C::Of<f64>>> {
        Ok(match self.is_double() {
            true => Reals::Double(Box::new(self.to()?)),
            false => Reals::Single(self.to()?),
        })
    }
}

impl<C: OfReals> Of<Box<Reals<C::Of<f32>, C::Of<f64>>>> for C {
    fn of(value: &Box<Reals<C::Of<f32>, C::Of<f64>>>) -> Self {
        Of::of(&**value)
    }

    fn to(&self) -> PyResult<Box<Reals<C::Of<f32>, C::Of<f64>>>> {
        Of::to(self).map(Box::new)
    }
}

/// Defines a class of reals. `double=True` says that they have 64 bits.
macro_rules! reals {
    ($module:literal $(#[$meta:meta])* $name:ident { $($field:ident),* }) => {
        class! {
            $module $(#[$meta])* #[pyo3(sequence)] $name { $($field: f64,)* double: bool }
            match { $($field),* }

            #[new]
            #[pyo3(signature = ($($field),*, double = false))]
            fn new($($field: &Bound<'_, PyAny>,)* double: bool) -> PyResult<Self> {
                Ok($name {
                    $($field: match double {
                        true => argument(stringify!($field), $field)?,
                        false => argument::<f32>(stringify!($field), $field)?.wide(),
                    },)*
                    double,
                })
            }

            fn __len__(&self) -> usize {
                [$(stringify!($field)),*].len()
            }

            fn __getitem__<'py>(&self, index: &Bound<'py, PyAny>) -> PyResult<Bound<'py, PyAny>> {
                crate::fields::tuple(index.py(), &[$(&self.$field),*])?.as_any().get_item(index)
            }

            fn __iter__<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, pyo3::types::PyIterator>> {
                crate::fields::tuple(py, &[$(&self.$field),*])?.try_iter()
            }

            fn __repr__(&self, py: Python<'_>) -> PyResult<String> {
                let fields = [$(show_real(py, self.$field, self.double)?),*].join(", ");
                Ok(format!("{}({fields}{})", stringify!($name), if self.double { ", double=True" } else { "" }))
            }
        }

        by_fields! { [N: Real] $name { $($field)*, double: N::DOUBLE } = godot::$name<N> }

        impl OfReals for $name {
            type Of<N> = godot::$name<N>;

            fn is_double(&self) -> bool {
                self.double
            }
        }
    };
}

/// Defines a class of others, which all have reals of the same width.
macro_rules! composed {
    (
        $module:literal
        $(#[$meta:meta])* $name:ident $(as $title:literal)? { $($field:ident: $type:ty),* }
    ) => {
        composed! { $module $(#[$meta])* $name $(as $title)? { $($field: $type),* } check |new: $name| {
            match true $(&& new.$field.is_double() == new.is_double())* {
                true => Ok(new),
                false => Err(PyValueError::new_err("some parts are double and some are not")),
            }
        } }
    };
    (
        $module:literal
        $(#[$meta:meta])* $name:ident $(as $title:literal)? { $first:ident: $one:ty $(, $field:ident: $type:ty)* }
        check $check:expr
    ) => {
        record! { $module $(#[$meta])* $name $(as $title)? { $first: $one $(, $field: $type)* } check $check }

        by_fields! { [N: Real] $name { $first $($field)* } = godot::$name<N> }

        impl OfReals for $name {
            type Of<N> = godot::$name<N>;

            fn is_double(&self) -> bool {
                self.$first.is_double()
            }
        }
    };
}

/// Defines a matrix of three columns.
macro_rules! columns {
    ($($class:tt)*) => {
        record! {
            methods {
                /// The rows.
                #[getter]
                fn rows<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyTuple>> {
                    let Self { x, y, z } = self.transposed();
                    PyTuple::new(py, [x, y, z])
                }

                /// The matrix with these three rows.
                #[staticmethod]
                fn from_rows(rows: &Bound<'_, PyAny>) -> PyResult<Self> {
                    let rows: Vec<Vector3> = argument("rows", rows)?;
                    let count = rows.len();
                    let rows = rows.try_into().map_err(|_| value_error(format_args!("expected 3 rows, found {count}")));
                    let [x, y, z] = rows?;
                    Ok(Self { x, y, z }.check()?.transposed())
                }
            }
            $($class)* check Self::check
        }
    };
}

classes! {
    add_classes "enginewire.godot" for Variant<'_>;

    /// Two numbers.
    reals Vector2 { x, y };

    /// Three numbers.
    reals Vector3 { x, y, z };

    /// Four numbers.
    reals Vector4 { x, y, z, w };

    /// A rotation; Quat in version 3.
    reals Quaternion { x, y, z, w };

    /// A rectangle.
    composed Rect2 { position: Vector2, size: Vector2 };

    /// A transformation of the plane, by its columns.
    composed Transform2D { x: Vector2, y: Vector2, origin: Vector2 };

    /// A box.
    composed Aabb as "AABB" { position: Vector3, size: Vector3 };

    /// A plane in space. Its distance has as many bits as its normal.
    composed Plane { normal: Vector3, d: f64 } check Plane::check;

    /// A matrix of three by three, by its columns.
    columns Basis { x: Vector3, y: Vector3, z: Vector3 };

    /// A transformation of space; Transform in version 3.
    composed Transform3D { basis: Basis, origin: Vector3 };

    /// A matrix of four by four, by its columns.
    composed Projection { x: Vector4, y: Vector4, z: Vector4, w: Vector4 };

    /// A colour: each part from 0 to 1, or beyond.
    vector Color = godot::Color { r: f32, g: f32, b: f32, a: f32 };

    /// Two integers.
    vector Vector2i = godot::Vector2<i32> { x: i32, y: i32 };

    /// Three integers.
    vector Vector3i = godot::Vector3<i32> { x: i32, y: i32, z: i32 };

    /// Four integers.
    vector Vector4i = godot::Vector4<i32> { x: i32, y: i32, z: i32, w: i32 };

    /// A rectangle of integers.
    record Rect2i = godot::Rect2<i32> { position: Vector2i, size: Vector2i };
}

// the others are in `object`, `leaf` and `packed`
const _: () = assert!(godot::v4::TypeId::ALL.len() == <Variant<'_> as Variants>::CLASSES + 23, "a type has no class");

impl Plane {
    fn check(self) -> PyResult<Self> {
        let d = if self.normal.double { self.d } else { f32::narrow(self.d)?.wide() };
        Ok(Plane { d, ..self })
    }
}

impl Basis {
    fn check(self) -> PyResult<Self> {
        match self.x.double == self.y.double && self.y.double == self.z.double {
            true => Ok(self),
            false => Err(PyValueError::new_err("some parts are double and some are not")),
        }
    }

    /// The columns as rows.
    fn transposed(&self) -> Self {
        let Basis { x, y, z } = self;
        let row = |part: fn(&Vector3) -> f64| Vector3 { x: part(x), y: part(y), z: part(z), double: x.double };
        Basis { x: row(|column| column.x), y: row(|column| column.y), z: row(|column| column.z) }
    }
}

impl<N: Real> Of<godot::Basis<N>> for Basis {
    fn of(value: &godot::Basis<N>) -> Self {
        let [x, y, z] = value.rows.map(|[x, y, z]| Vector3::of(&godot::Vector3 { x, y, z }));
        Basis { x, y, z }.transposed()
    }

    fn to(&self) -> PyResult<godot::Basis<N>> {
        let Basis { x, y, z } = self.transposed();
        let row = |row: Vector3| PyResult::Ok([row.x.to()?, row.y.to()?, row.z.to()?]);
        Ok(godot::Basis { rows: [row(x)?, row(y)?, row(z)?] })
    }
}

impl OfReals for Basis {
    type Of<N> = godot::Basis<N>;

    fn is_double(&self) -> bool {
        self.x.double
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
    fn view(&self, kind: &'static str, bytes: &[u8], item: char, columns: usize) -> PyResult<Bound<'py, PyAny>> {
        let offset = (bytes.as_ptr() as usize).wrapping_sub(self.start);
        let (array, is_exact) = to_array(self.owner, offset, bytes.len(), item, columns)?;
        match kind == "PackedVector4Array" || !is_exact {
            true => PACKED.call(self.py, (kind, array)),
            false => Ok(array),
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
        let elements = list_of(self.py, &array.elements, |element| self.object(element))?;
        match &array.element_type {
            None => Ok(elements),
            Some(of) => TYPED_ARRAY.call(self.py, (self.container_type(Some(of))?, elements)),
        }
    }

    fn dictionary(&self, dictionary: &Dictionary<'_>) -> PyResult<Bound<'py, PyAny>> {
        let entries = mapping_of(self.py, &dictionary.entries, |entry| {
            let key = match &entry.key {
                // a key that is not UTF-8 is converted like any other value
                Variant::String(bytes) if bytes.as_str().is_some() => self.keys.get(bytes),
                other => self.object(other)?,
            };
            Ok((key, self.object(&entry.value)?))
        })?;
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
        let make = |property: &Property<'_>| Ok((self.keys.get(&property.name), self.object(&property.value)?));
        OBJECT.call(self.py, (text(self.py, &full.class), mapping_of(self.py, &full.properties, make)?))
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
                None => STRING.call(py, (PyBytes::new(py, bytes), false)),
            },
            Variant::StringName(bytes) => match bytes.as_str() {
                Some(text) => STRING_NAME.wrap(PyString::new(py, text).into_any()),
                None => STRING.call(py, (PyBytes::new(py, bytes), true)),
            },
            Variant::NodePath(path) => {
                let names = |names: &[godot::ByteString<'_>]| PyTuple::new(py, names.iter().map(|name| text(py, name)));
                NODE_PATH.call(py, (names(&path.names)?, names(&path.subnames)?, path.absolute))
            }
            Variant::Rid(rid) => RID.call(py, (rid.0,)),
            Variant::Signal(signal) => SIGNAL.call(py, (text(py, &signal.name), signal.object_id)),
            Variant::Object(Object::Id(id)) => OBJECT_ID.call(py, (*id,)),
            Variant::Object(Object::Null) => NULL_OBJECT.call(py, ()),
            Variant::PackedByteArray(bytes) => self.view("PackedByteArray", bytes, 'B', 1),
            Variant::PackedStringArray(strings) => {
                STRINGS.wrap(PyTuple::new(py, strings.iter().map(|string| text(py, string)))?.into_any())
            }
            other => match other.to_class(py)? {
                Some(object) => Ok(object),
                None => self.packed(other),
            },
        }
    }
}

/// The version with this number.
fn version_of(number: i64) -> PyResult<Version> {
    let version = number.try_into().ok().and_then(Version::from_number);
    version.ok_or_else(|| value_error(format_args!("expected version 3 or 4, found {number}")))
}

fn container_type(of: &Bound<'_, PyAny>) -> PyResult<Option<ContainerType<'static>>> {
    let name = |field| name_of(&of.getattr(field)?).map(godot::ByteString::into_owned);
    Ok(Some(if of.is_none() {
        return Ok(None);
    } else if CLASS.has(of)? {
        ContainerType::Class(name("name")?)
    } else if SCRIPT.has(of)? {
        ContainerType::Script(name("path")?)
    } else {
        let name: String = of.extract()?;
        let id = godot::v4::TypeId::ALL.iter().find(|id| id.name() == name);
        ContainerType::Builtin(*id.ok_or_else(|| refused(of.py(), format!("unknown type {name}")))?)
    }))
}

fn names_of(names: &Bound<'_, PyAny>) -> PyResult<Vec<godot::ByteString<'static>>> {
    if text_bytes(names)?.is_some() {
        return Err(wrong_type("a sequence of names", names));
    }
    names.try_iter()?.map(|name| Ok(name_of(&name?)?.into_owned())).collect()
}

/// The settings for writing values.
struct Settings {
    options: Options,
    /// The container with declared types for the next value; true if the value is a key in it.
    declared: Option<(Rc<Variant<'static>>, bool)>,
}

type Written = Bytes<Settings>;

impl Written {
    /// Writes what is before the items of a container.
    fn open(&mut self, py: Python<'_>, empty: &Variant<'_>, count: u32) -> PyResult<()> {
        self.put(py, empty).map(|()| self.count(count))
    }

    /// Writes a container of a class of the module, or returns false.
    #[inline(never)]
    fn put_container<'py>(&mut self, value: &Bound<'py, PyAny>, level: Level<'_, 'py>) -> PyResult<bool> {
        let py = value.py();
        if TYPED_ARRAY.has(value)? {
            let items = items_of_sequence("list", &value.getattr("elements")?)?;
            let element_type = container_type(&value.getattr("type")?)?.map(Box::new);
            let typed = Rc::new(Variant::Array(godot::Array { element_type, elements: Vec::new() }));
            self.open(py, &typed, count_of(py, items.len())?)?;
            for (index, item) in items.iter().enumerate() {
                self.options.declared = Some((typed.clone(), false));
                write_at(self, item, level.deeper(py)?, || format!("[{index}]"))?;
            }
        } else if TYPED_DICTIONARY.has(value)? {
            let [key, item] = [value.getattr("key_type")?, value.getattr("value_type")?];
            let types = EntryType { key: container_type(&key)?, value: container_type(&item)? };
            let types = (types.key.is_some() || types.value.is_some()).then(|| Box::new(types));
            let entries = entries_of_mapping(&value.getattr("entries")?)?;
            let typed = Rc::new(Variant::Dictionary(Dictionary { types, entries: Vec::new() }));
            self.open(py, &typed, count_of(py, entries.len())?)?;
            for (key, item) in &entries {
                for (part, is_key) in [(key, true), (item, false)] {
                    self.options.declared = Some((typed.clone(), is_key));
                    let written = write(self, part, level.deeper(py)?);
                    written.map_err(|error| within_object(item, error, || key_item(key)))?;
                }
            }
        } else if OBJECT.has(value)? {
            let properties = entries_of_mapping(&value.getattr("properties")?)?;
            let class = name_of(&value.getattr("class_name")?)?.into_owned();
            self.open(py, &Object::new(class, []).into(), count_of(py, properties.len())?)?;
            for (key, item) in &properties {
                let name = name_of(key).and_then(|name| {
                    let written = generate_into(godot::gen_string(self.options.options, &name), &mut self.bytes);
                    written.map_err(|error| encode_error(py, &error))
                });
                name.map_err(|error| within_object(item, error, || key_item(key)))?;
                write_at(self, item, level.deeper(py)?, || key_item(key))?;
            }
        } else {
            return Ok(false);
        }
        Ok(true)
    }
}

impl Direct for Written {
    const FORMAT: &'static str = "Godot";
    const COUNTS_EMPTY: bool = false;
    type Value<'v> = Variant<'v>;

    #[inline(always)] // a scalar goes to its place, and is not copied from a result
    fn scalar<'a>(value: &'a Bound<'_, PyAny>) -> PyResult<Option<Variant<'a>>> {
        Ok(Some(if value.is_none() {
            Variant::Null
        } else if let Ok(text) = value.cast_exact::<PyString>() {
            Variant::String(text.to_str()?.into())
        } else if let Ok(number) = value.cast_exact::<PyFloat>() {
            Variant::Float(number.value())
        } else if let Ok(text) = value.cast::<PyString>() {
            let bytes = text.to_str()?.into();
            match STRING_NAME.narrows::<PyString>(value)? {
                true => Variant::StringName(bytes),
                false => Variant::String(bytes),
            }
        } else if let Ok(value) = value.cast::<PyBool>() {
            Variant::Bool(value.is_true())
        } else if value.is_instance_of::<PyInt>() {
            Variant::Int(to_integer(value)?)
        } else if let Ok(number) = value.cast::<PyFloat>() {
            Variant::Float(number.value())
        } else {
            return Ok(None);
        }))
    }

    #[inline(never)]
    fn put(&mut self, py: Python<'_>, value: &Variant<'_>) -> PyResult<()> {
        if let Some((container, is_key)) = self.options.declared.take() {
            let (key, item) = if is_key { (Some(value), None) } else { (None, Some(value)) };
            container.check_entry(key, item).map_err(|error| refused(py, error))?;
        }
        generate_into(godot::gen_variant(self.options.options, value), &mut self.bytes)
            .map_err(|error| encode_error(py, &error))
    }

    #[inline(never)]
    fn put_object<'py>(&mut self, object: &Bound<'py, PyAny>, level: Level<'_, 'py>) -> PyResult<bool> {
        if is_container(object) || ENTRIES.has(object)? {
            return Ok(false);
        }
        match leaf_from_python(object)? {
            Some(value) => self.put(object.py(), &value).map(|()| true),
            None => self.put_container(object, level),
        }
    }

    fn list(&mut self, py: Python<'_>, _first: i32, count: u32) -> PyResult<()> {
        self.open(py, &godot::Array::default().into(), count)
    }

    fn dictionary(&mut self, py: Python<'_>, count: u32) -> PyResult<()> {
        self.open(py, &Dictionary::default().into(), count)
    }

    #[inline]
    fn key<'py>(&mut self, key: &Bound<'py, PyAny>, level: Level<'_, 'py>) -> PyResult<()> {
        self.once(key, |bytes| write(bytes, key, level))
    }
}

/// A list of items that are kept as their bytes.
fn list<T: Packed>(py: Python<'_>, bytes: Vec<u8>) -> PyResult<List<'static, T>> {
    List::from_bytes(bytes).ok_or_else(|| refused(py, "the bytes of the array are not a whole number of items"))
}

/// The kinds of packed arrays of numbers: the type of an item, which may be either of the two for reals, and how many columns
/// there are.
macro_rules! packed {
    (numbers { $($name:ident $item:literal $columns:literal;)* } reals { $($either:ident $either_columns:literal;)* }) => {
        impl<'py> Source<'_, 'py> {
            fn packed(&self, value: &Variant<'_>) -> PyResult<Bound<'py, PyAny>> {
                match value {
                    $(Variant::$name(list) => self.view(stringify!($name), list.as_bytes(), $item, $columns),)*
                    $(Variant::$either(list) => {
                        let (bytes, item) = match list {
                            Reals::Single(list) => (list.as_bytes(), 'f'),
                            Reals::Double(list) => (list.as_bytes(), 'd'),
                        };
                        self.view(stringify!($either), bytes, item, $either_columns)
                    })*
                    other => Err(no_class(self.py, other.type_id().name())),
                }
            }
        }

        /// A packed array of this kind, or of the kind that the shape and type of the items say.
        fn packed_from_python(py: Python<'_>, kind: Option<&str>, packed: PackedBytes) -> PyResult<Variant<'static>> {
            let PackedBytes { bytes, item, columns } = packed;
            let kind = match (kind, item, columns) {
                (Some(kind), ..) => kind,
                (_, 'B', 1) => "PackedByteArray",
                $((_, $item, $columns) => stringify!($name),)*
                // four columns of 64 bits cannot be colours, and nothing shows that they are vectors
                $((_, 'f' | 'd', columns) if columns == $either_columns && columns < 4 => stringify!($either),)*
                _ => return Err(refused(py, format!("no packed array has {columns} columns of type {}", about(item).1))),
            };
            Ok(match (kind, item, columns) {
                ("PackedByteArray", 'B', _) => Variant::PackedByteArray(bytes.into()),
                $((stringify!($name), $item, $columns) => Variant::$name(list(py, bytes)?),)*
                $(
                    (stringify!($either), 'f', $either_columns) => Variant::$either(Reals::Single(list(py, bytes)?)),
                    (stringify!($either), 'd', $either_columns) => Variant::$either(Reals::Double(Box::new(list(py, bytes)?))),
                )*
                _ => return Err(refused(py, format!("{kind} cannot have {columns} columns of type {}", about(item).1))),
            })
        }
    };
}

packed! {
    numbers {
        PackedInt32Array 'i' 1;
        PackedInt64Array 'q' 1;
        PackedFloat32Array 'f' 1;
        PackedFloat64Array 'd' 1;
        PackedColorArray 'f' 4;
    }
    reals {
        PackedVector2Array 2;
        PackedVector3Array 3;
        PackedVector4Array 4;
    }
}

/// A value of an object that is not a container.
#[inline(never)]
fn leaf_from_python<'a>(value: &'a Bound<'_, PyAny>) -> PyResult<Option<Variant<'a>>> {
    let py = value.py();
    Ok(Some(if let Some(found) = Variant::from_class(value)? {
        found
    } else if let Ok(bytes) = value.cast::<PyBytes>() {
        Variant::PackedByteArray(bytes.as_bytes().into())
    } else if let Ok(bytes) = value.cast::<PyByteArray>() {
        Variant::PackedByteArray(bytes.to_vec().into())
    } else if STRINGS.has(value)? {
        Variant::PackedStringArray(names_of(value)?)
    } else if STRING.has(value)? {
        let bytes = godot::ByteString::from(value.getattr("bytes")?.extract::<Vec<u8>>()?);
        match value.getattr("is_name")?.is_truthy()? {
            true => Variant::StringName(bytes),
            false => Variant::String(bytes),
        }
    } else if NODE_PATH.has(value)? {
        let [names, subnames] =
            ["names", "subnames"].map(|name| value.getattr(name).and_then(|names| names_of(&names)));
        let absolute = value.getattr("absolute")?.extract()?;
        Variant::NodePath(Box::new(godot::NodePath { absolute, names: names?, subnames: subnames? }))
    } else if RID.has(value)? {
        Variant::Rid(godot::Rid(argument("id", &value.getattr("id")?)?))
    } else if SIGNAL.has(value)? {
        let name = name_of(&value.getattr("name")?)?.into_owned();
        let object_id = argument("object_id", &value.getattr("object_id")?)?;
        Variant::Signal(Box::new(godot::Signal { name, object_id }))
    } else if CALLABLE.has(value)? {
        Variant::Callable
    } else if OBJECT_ID.has(value)? {
        Variant::Object(Object::Id(argument("id", &value.getattr("id")?)?))
    } else if NULL_OBJECT.has(value)? {
        Variant::Object(Object::Null)
    } else if PACKED.has(value)? {
        let kind: String = value.getattr("kind")?.extract()?;
        let packed = PackedBytes::of(&value.getattr("data")?)?.ok_or_else(|| refused(py, "data has no buffer"))?;
        packed_from_python(py, Some(&kind), packed)?
    } else {
        return PackedBytes::of(value)?.map(|packed| packed_from_python(py, None, packed)).transpose();
    }))
}

functions! {
    add_functions(
        godot::Options = Options::new(version_of(version)?).any_text(any_text).unpadded_bytes(unpadded_bytes)
    );
    [version: i64 = 4] any_text: bool = false, unpadded_bytes: bool = false;

    /// Decodes a value. Packed arrays are views of the buffer, or of a copy if it can change. With `type`, the value is an object
    /// of that type, such as a dataclass.
    loads(buffer, input, value) => {
        let start = input.bytes().as_ptr() as usize;
        Source { py: buffer.py(), owner: input.owner(), start, keys: Keys::new(buffer.py()) }.object(value)
    };

    /// Checks a value without decoding it to objects. Other threads run meanwhile.
    check;
}

/// Encodes a value. `default` is called with each object of a type that is not known, and returns one to encode instead.
#[pyfunction]
#[pyo3(signature = (value, version = 4, *, default = None))]
fn dumps<'py>(
    value: &Bound<'py, PyAny>,
    version: i64,
    default: Option<Bound<'py, PyAny>>,
) -> PyResult<Bound<'py, PyBytes>> {
    let options = Options::new(version_of(version)?).any_text(true);
    let mut to = Bytes::new(Settings { options, declared: None });
    write_value(&mut to, value, &Objects::new(default), Limited::limits(&options).depth())?;
    Ok(PyBytes::new(value.py(), &to.bytes))
}

/// Decodes values that come in pieces, each with its length before it. It is an iterator of the values that are there.
#[pyclass(frozen, module = "enginewire.godot")]
pub struct FrameDecoder {
    options: Options,
    framing: Framing,
    max_frame: usize,
    stream: Mutex<Stream>,
}

#[derive(Default)]
struct Stream {
    /// The pushed bytes, from the first frame that is not decoded yet.
    buffer: Vec<u8>,
    /// The number of bytes of the buffer that are decoded.
    taken: usize,
    /// The number of bytes that were decoded before the buffer.
    before: u64,
}

impl FrameDecoder {
    /// The range of the next frame's value in the buffer, if all of it is there.
    fn frame(&self, py: Python<'_>, stream: &Stream) -> PyResult<Option<(usize, usize)>> {
        let rest = stream.buffer.get(stream.taken..).unwrap_or_default();
        let Some(length) = rest.first_chunk::<4>() else { return Ok(None) };
        let length = self.framing.length(*length) as usize;
        if length > self.max_frame {
            let message = format!("a frame of {length} bytes is larger than the limit of {}", self.max_frame);
            return Err(file_error(py, message, stream.offset(), "too-large"));
        }
        let start = stream.taken + 4;
        Ok((rest.len() - 4 >= length).then_some((start, start + length)))
    }
}

impl Stream {
    /// The offset of the next frame in the stream.
    fn offset(&self) -> u64 {
        self.before + self.taken as u64
    }
}

#[pymethods]
impl FrameDecoder {
    #[new]
    #[pyo3(signature = (version = 4, *, big_endian = false, max_frame = 67108864))]
    fn new(version: i64, big_endian: bool, max_frame: usize) -> PyResult<Self> {
        let options = Options::new(version_of(version)?);
        let framing = if big_endian { Framing::BigEndian } else { Framing::LittleEndian };
        Ok(FrameDecoder { options, framing, max_frame, stream: Mutex::default() })
    }

    /// Takes more bytes of the stream.
    fn push(&self, buffer: &Bound<'_, PyAny>) -> PyResult<()> {
        let input = Input::of(buffer)?;
        let stream = &mut *locked(buffer.py(), &self.stream)?;
        stream.before = stream.offset();
        stream.buffer.drain(..stream.taken);
        stream.taken = 0;
        stream.buffer.extend_from_slice(input.bytes());
        Ok(())
    }

    fn __iter__(slf: Bound<'_, Self>) -> Bound<'_, Self> {
        slf
    }

    /// The next value; no more for now where none is complete.
    fn __next__<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        let mut stream = locked(py, &self.stream)?;
        let Some((start, end)) = self.frame(py, &stream)? else { return Err(PyStopIteration::new_err(())) };
        // a copy, because arrays are views of it
        let owner = PyBytes::new(py, stream.buffer.get(start..end).unwrap_or_default());
        let offset = stream.offset() + 4;
        let bytes = owner.as_bytes();
        let decoded = detached(py, bytes, |bytes| godot::decode_with(bytes, &self.options));
        let decoded = decoded.map_err(|error| decode_error(py, &error.of_complete_input().shifted(offset)))?;
        stream.taken = end;
        // other threads may go on: to make objects may run any code
        drop(stream);
        let source = Source { py, owner: owner.as_any(), start: bytes.as_ptr() as usize, keys: Keys::new(py) };
        let object = source.object(&decoded);
        roomy(|| drop(decoded));
        object
    }

    /// The number of bytes of a frame that is not complete.
    #[getter]
    fn pending(&self, py: Python<'_>) -> PyResult<usize> {
        let stream = locked(py, &self.stream)?;
        Ok(stream.buffer.len() - stream.taken)
    }

    /// The end of the stream: an error if it is within a frame.
    fn finish(&self, py: Python<'_>) -> PyResult<()> {
        match self.pending(py)? {
            0 => Ok(()),
            left => {
                let message = format!("the stream ends within a frame, of which {left} bytes are there");
                Err(file_error(py, message, locked(py, &self.stream)?.offset(), "truncated"))
            }
        }
    }
}

/// Adds the classes and functions to a module.
pub fn add(module: &Bound<'_, PyModule>) -> PyResult<()> {
    add_classes(module)?;
    add_functions(module)?;
    module.add_class::<FrameDecoder>()?;
    module.add_function(wrap_pyfunction!(dumps, module)?)
}
