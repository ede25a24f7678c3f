//! The value, and the containers that are values: Array, Dictionary, and Object in its full form.

use std::fmt;

use bstr::ByteSlice;

use super::container_type::ContainerType;
use super::table::type_table;
use crate::godot::datatypes::*;
#[cfg(feature = "text")]
use crate::godot::gdscript::write_type;
use crate::godot::resource::Reference;
use crate::godot::v4::TypeId;
use crate::wire::{ByteArray, ByteString, IntoByteString, IntoOwned, List};

/// Defines the enum of values.
macro_rules! variant {
    ($($id:ident $name:ident($type:ty) $field:literal $doc:literal;)*) => {
        /// A value of Godot 3 or 4.
        ///
        /// | field | type |
        /// |---|---|
        /// | header | [`Header`](super::Header) |
        /// | value | what belongs to a value of its type |
        ///
        /// The types have the names of version 4. [`v3::TypeId`](crate::godot::v3::TypeId) and
        /// [`v4::TypeId`](crate::godot::v4::TypeId) list the types of each version.
        #[doc(alias = "get_var")]
        #[doc(alias = "put_var")]
        #[doc(alias = "store_var")]
        #[doc(alias = "PoolByteArray")]
        #[doc(alias = "PoolIntArray")]
        #[doc(alias = "PoolRealArray")]
        #[doc(alias = "PoolStringArray")]
        #[derive(Default, PartialEq)]
        #[non_exhaustive]
        pub enum Variant<'a> {
            /// Nothing.
            #[default]
            Null,
            /// A function; in version 4 only. Only its type is written.
            Callable,
            /// An object.
            Object(Object<'a>),
            /// Values with keys.
            Dictionary(Dictionary<'a>),
            /// Values.
            Array(Array<'a>),
            $(
                #[doc = $doc]
                $name($type),
            )*
        }

        crate::wire::debug_value! {
            Variant { Null Callable; Object(value) Dictionary(value) Array(value) $($name(value))* }
        }

        impl Variant<'_> {
            /// The type, as version 4 calls it.
            #[must_use]
            pub const fn type_id(&self) -> TypeId {
                match self {
                    Variant::Null => TypeId::null,
                    Variant::Callable => TypeId::Callable,
                    Variant::Object(_) => TypeId::Object,
                    Variant::Dictionary(_) => TypeId::Dictionary,
                    Variant::Array(_) => TypeId::Array,
                    $(Variant::$name(_) => TypeId::$id,)*
                }
            }

            /// The same value, borrowing nothing.
            #[must_use]
            pub fn into_owned(self) -> Variant<'static> {
                match self {
                    Variant::Null => Variant::Null,
                    Variant::Callable => Variant::Callable,
                    Variant::Object(value) => outlined(|| Variant::Object(value.into_owned())),
                    Variant::Dictionary(value) => outlined(|| value.into_owned().into()),
                    Variant::Array(value) => outlined(|| value.into_owned().into()),
                    $(Variant::$name(value) => outlined(|| Variant::$name(IntoOwned::into_owned(value))),)*
                }
            }
        }

        impl Clone for Variant<'_> {
            fn clone(&self) -> Self {
                match self {
                    Variant::Null => Variant::Null,
                    Variant::Callable => Variant::Callable,
                    Variant::Object(value) => outlined(|| Variant::Object(value.clone())),
                    Variant::Dictionary(value) => outlined(|| Variant::Dictionary(value.clone())),
                    Variant::Array(value) => outlined(|| Variant::Array(value.clone())),
                    $(Variant::$name(value) => outlined(|| Variant::$name(value.clone())),)*
                }
            }
        }
    };
}

type_table!(variant);

/// Makes a value in a function of its own in debug builds. Otherwise each level of a recursion would take the stack that all
/// types need together.
#[cfg_attr(fast, inline(always))]
pub(in crate::godot) fn outlined<T>(make: impl FnOnce() -> T) -> T {
    make()
}

/// A list of values.
///
/// | field | type |
/// |---|---|
/// | type | [`ContainerType`], if the header has a kind of elements; in version 4 only |
/// | count | uint32, bit 31 is ignored |
/// | elements | `count` × [`Variant`] |
///
/// A count with bit 31 set is not canonical.
///
/// Specification: `docs/spec/godot-variant.md`, section Array.
#[derive(Clone, Default, PartialEq)]
pub struct Array<'a> {
    /// The declared type of the elements; in version 4 only.
    pub element_type: Option<Box<ContainerType<'a>>>,
    /// The values.
    pub elements: Vec<Variant<'a>>,
}

/// Values with keys, in the order of the input. A key can be of any type, and can occur more than once.
///
/// | field | type |
/// |---|---|
/// | key_type | [`ContainerType`], if the header has a kind of keys; in version 4 only |
/// | value_type | [`ContainerType`], if the header has a kind of values; in version 4 only |
/// | count | uint32, bit 31 is ignored |
/// | entries | `count` × a [`Variant`] and its [`Variant`] |
///
/// A count with bit 31 set is not canonical.
///
/// Specification: `docs/spec/godot-variant.md`, section Dictionary.
#[derive(Clone, Default, PartialEq)]
pub struct Dictionary<'a> {
    /// The declared types of keys and values; in version 4 only.
    pub types: Option<Box<EntryType<'a>>>,
    /// The entries.
    pub entries: Vec<Entry<'a>>,
}

/// The declared types of a [`Dictionary`]'s entries. At least one of them is there.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct EntryType<'a> {
    /// The type of the keys.
    pub key: Option<ContainerType<'a>>,
    /// The type of the values.
    pub value: Option<ContainerType<'a>>,
}

/// An entry of a [`Dictionary`].
#[derive(Clone, Debug, PartialEq)]
pub struct Entry<'a> {
    /// The key.
    pub key: Variant<'a>,
    /// The value.
    pub value: Variant<'a>,
}

/// An object, as plain data: nothing is instantiated, loaded or run.
///
/// | field | type |
/// |---|---|
/// | id | uint64, if the header has bit 16 |
/// | class | [`string`](crate::godot::string()), otherwise; if it is empty, it means null and ends the value |
/// | count | int32 |
/// | properties | `count` × a [`string`](crate::godot::string()) and a [`Variant`] |
///
/// Specification: `docs/spec/godot-variant.md`, section Object.
#[derive(Clone, Debug, PartialEq)]
pub enum Object<'a> {
    /// The instance id of an object in the engine that wrote it.
    Id(u64),
    /// No object: an empty class. Engines write a [`Variant::Null`] instead.
    Null,
    /// The class, which is not empty, and the properties.
    Full(Box<FullObject<'a>>),
    /// A resource; in [binary resources](crate::godot::resource) only.
    Resource(Box<Reference<'a>>),
}

/// The class and properties of an object.
#[derive(Clone, Default, PartialEq)]
pub struct FullObject<'a> {
    /// The name of its class.
    pub class: ByteString<'a>,
    /// Its properties.
    pub properties: Vec<Property<'a>>,
}

/// A property of an object.
#[derive(Clone, Debug, PartialEq)]
pub struct Property<'a> {
    /// Its name. In version 3 the property `script` holds code, which an engine would run.
    pub name: ByteString<'a>,
    /// Its value.
    pub value: Variant<'a>,
}

impl<'a> Array<'a> {
    /// A list without a type.
    pub fn new(elements: impl IntoIterator<Item = Variant<'a>>) -> Self {
        Array { element_type: None, elements: elements.into_iter().collect() }
    }

    /// The same list, borrowing nothing.
    #[must_use]
    pub fn into_owned(self) -> Array<'static> {
        let mut elements = Vec::with_capacity(self.elements.len());
        // a loop, because an adapter would take more stack for each level
        for element in self.elements {
            elements.push(element.into_owned());
        }
        Array { element_type: self.element_type.map(|id| Box::new(id.into_owned())), elements }
    }
}

impl<'a> Dictionary<'a> {
    /// Entries without types.
    pub fn new(entries: impl IntoIterator<Item = (Variant<'a>, Variant<'a>)>) -> Self {
        Dictionary { types: None, entries: entries.into_iter().map(|(key, value)| Entry { key, value }).collect() }
    }

    /// The value of a String or StringName key. If the key occurs more than once, the last value, as in the engine.
    ///
    /// ```
    /// use enginewire::godot::{Dictionary, Variant};
    ///
    /// let dictionary = Dictionary::new([("hp".into(), Variant::Int(7))]);
    /// assert_eq!(dictionary.get("hp"), Some(&Variant::Int(7)));
    /// ```
    #[must_use]
    pub fn get(&self, key: impl AsRef<[u8]>) -> Option<&Variant<'a>> {
        let key = key.as_ref();
        self.entries.iter().rfind(|entry| entry.key.as_bytes() == Some(key)).map(|entry| &entry.value)
    }

    /// The same entries, borrowing nothing.
    #[must_use]
    pub fn into_owned(self) -> Dictionary<'static> {
        let mut entries = Vec::with_capacity(self.entries.len());
        for Entry { key, value } in self.entries {
            entries.push(Entry { key: key.into_owned(), value: value.into_owned() });
        }
        let types = self.types.map(|types| {
            let EntryType { key, value } = *types;
            Box::new(EntryType { key: key.map(ContainerType::into_owned), value: value.map(ContainerType::into_owned) })
        });
        Dictionary { types, entries }
    }
}

impl<'a> Object<'a> {
    /// The object of a class with these properties.
    pub fn new(class: impl IntoByteString<'a>, properties: impl IntoIterator<Item = Property<'a>>) -> Self {
        let class = class.into_byte_string();
        Object::Full(Box::new(FullObject { class, properties: properties.into_iter().collect() }))
    }

    /// The same object, borrowing nothing.
    #[must_use]
    pub fn into_owned(self) -> Object<'static> {
        match self {
            Object::Id(id) => Object::Id(id),
            Object::Null => Object::Null,
            Object::Full(object) => Object::Full(Box::new(object.into_owned())),
            Object::Resource(reference) => Object::Resource(Box::new(reference.into_owned())),
        }
    }
}

impl FullObject<'_> {
    /// The same object, borrowing nothing.
    #[must_use]
    pub fn into_owned(self) -> FullObject<'static> {
        let mut properties = Vec::with_capacity(self.properties.len());
        for Property { name, value } in self.properties {
            properties.push(Property { name: name.into_owned(), value: value.into_owned() });
        }
        FullObject { class: self.class.into_owned(), properties }
    }
}

/// As a list, after its type if there is one; and where the crate has notations, `{:-?}` writes the type as GDScript does.
impl fmt::Debug for Array<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        #[cfg(feature = "text")]
        if let Some(element_type) = self.element_type.as_ref().filter(|_| f.sign_minus()) {
            write!(f, "Array[{element_type:-?}](")?;
            f.debug_list().entries(&self.elements).finish()?;
            return f.write_str(")");
        }
        if let Some(element_type) = &self.element_type {
            write!(f, "{element_type:?} ")?;
        }
        f.debug_list().entries(&self.elements).finish()
    }
}

/// As a map, after its types if there are some; and where the crate has notations, `{:-?}` writes the types as GDScript does.
impl fmt::Debug for Dictionary<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let entries = || self.entries.iter().map(|entry| (&entry.key, &entry.value));
        #[cfg(feature = "text")]
        if let Some(types) = self.types.as_ref().filter(|_| f.sign_minus()) {
            f.write_str("Dictionary[")?;
            write_type(types.key.as_ref(), f)?;
            f.write_str(", ")?;
            write_type(types.value.as_ref(), f)?;
            f.write_str("](")?;
            f.debug_map().entries(entries()).finish()?;
            return f.write_str(")");
        }
        if let Some(types) = &self.types {
            write!(f, "{types:?} ")?;
        }
        f.debug_map().entries(entries()).finish()
    }
}

/// As a map, after its class.
impl fmt::Debug for FullObject<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{:?} ", self.class.as_bstr())?;
        let properties = self.properties.iter();
        f.debug_map().entries(properties.map(|property| (property.name.as_bstr(), &property.value))).finish()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use pretty_assertions::assert_eq;

    fn text(text: &str) -> ByteString<'_> {
        text.into_byte_string()
    }

    #[test]
    fn a_key_gives_its_last_value() {
        let name = Variant::StringName(text("name"));
        let dictionary = Dictionary::new([
            ("hp".into(), 1.into()),
            (Variant::Int(5), 2.into()),
            ("hp".into(), 3.into()),
            (name, 4.into()),
        ]);
        assert_eq!(dictionary.get("hp"), Some(&Variant::Int(3)));
        assert_eq!(dictionary.get(b"name"), Some(&Variant::Int(4)));
        assert_eq!((dictionary.get("5"), dictionary.get("h")), (None, None));
    }

    #[test]
    fn containers_as_people_see_them() {
        let array = Array::new([1.into(), Variant::Null]);
        assert_eq!(format!("{array:?}"), "[Int(1), Null]");
        let typed = Array { element_type: Some(Box::new(ContainerType::Builtin(TypeId::int))), ..array };
        assert_eq!(format!("{typed:?}"), "Builtin(2 int) [Int(1), Null]");
        #[cfg(feature = "text")]
        assert_eq!(format!("{typed:-?}"), "Array[int]([1, null])");
        let dictionary = Dictionary::new([("a".into(), true.into())]);
        assert_eq!(format!("{dictionary:?}"), r#"{String("a"): Bool(true)}"#);
        let types = EntryType { key: None, value: Some(ContainerType::Class(text("Node"))) };
        let typed = Dictionary { types: Some(Box::new(types)), ..dictionary };
        assert_eq!(
            format!("{typed:?}"),
            r#"EntryType { key: None, value: Some(Class("Node")) } {String("a"): Bool(true)}"#
        );
        let object = Object::new("Node", [Property { name: text("p"), value: Variant::Null }]);
        assert_eq!(format!("{object:?}"), r#"Full("Node" {"p": Null})"#);
    }

    /// A copy that borrows nothing is the same value, of every type.
    #[test]
    fn owned_values_are_equal() {
        let types = EntryType { key: Some(ContainerType::Script(text("a.gd"))), value: None };
        let typed = Array { element_type: Some(Box::new(ContainerType::Class(text("C")))), elements: vec![] };
        let path = NodePath { absolute: true, names: vec![text("a")], subnames: vec![text("b"), text("c")] };
        let reals: List<'_, Vector2<f64>> = [Vector2 { x: 1.0, y: 2.0 }].into_iter().collect();
        let value = Array::new([
            Variant::Null,
            Variant::Callable,
            "text".into(),
            Variant::StringName(text("name")),
            Variant::Rid(Rid(7)),
            Variant::Vector3(Reals::Double(Box::new(Vector3 { x: 1.0, y: 2.0, z: 3.0 }))),
            Variant::Rect2i(Rect2 { position: Vector2 { x: 1, y: 2 }, size: Vector2 { x: 3, y: 4 } }),
            Variant::Basis(Box::new(Reals::Single(Basis { rows: [[1.0; 3], [2.0; 3], [3.0; 3]] }))),
            Variant::Color(Color { r: 1.0, g: 2.0, b: 3.0, a: 4.0 }),
            Variant::Signal(Box::new(Signal { name: text("s"), object_id: 9 })),
            path.into(),
            (&[1, 2, 3][..]).into(),
            Variant::PackedInt64Array([1, -2].into_iter().collect()),
            Variant::PackedStringArray(vec![text("x"), text("y")]),
            Variant::PackedVector2Array(Reals::Double(Box::new(reals))),
            typed.into(),
            Dictionary { types: Some(Box::new(types)), ..Dictionary::new([("k".into(), "v".into())]) }.into(),
            Object::Id(5).into(),
            Object::Null.into(),
            Object::new("C", [Property { name: text("p"), value: "v".into() }]).into(),
        ]);
        assert_eq!(value.clone().into_owned(), value);
        let value = Variant::from(value);
        assert_eq!(value.clone().into_owned(), value);
    }
}
