//! Values as serde sees them.

use crate::godot::datatypes::*;
use crate::godot::encode_with;
use crate::godot::options::Options;
use crate::godot::resource::Reference;
use crate::godot::variant::{type_table, Object, Variant};
use crate::godot::version::Version;
use crate::member::{Child, Held, Holder, Member};
use crate::typed::look::{text, List as Made, Numbers, Rare, Record};
use crate::typed::{Look, Neutral, Rules, Value};
use crate::wire::{ByteArray, ByteString, List, Packed};

pub(super) const RULES: Rules = Rules {
    exact: "$enginewire::godot::Variant",
    whole: false,
    text_keys: false,
    tables: false,
    empty_unit: false,
    structures: false,
};

/// Gives what serde sees of the content of a [`Variant`].
pub(super) trait Show<'de> {
    fn show(self) -> Look<'de>;
}

macro_rules! shows {
    ($($type:ty: $value:ident => $look:expr;)*) => {$(
        impl<'de> Show<'de> for $type {
            #[inline]
            fn show(self) -> Look<'de> {
                let $value = self;
                $look
            }
        }
    )*};
}

shows! {
    bool: value => Look::Bool(value);
    i64: value => Look::Int(value);
    f64: value => Look::Double(value);
    ByteString<'de>: value => Look::Rare(Rare::Text(value.into()));
    Rid: value => Look::Uint(value.0);
    ByteArray<'de>: value => Look::Rare(Rare::Bytes(value.into()));
    Color: value => record(&["r", "g", "b", "a"], [value.r, value.g, value.b, value.a]);
    NodePath<'de>: value => Look::Rare(Rare::Neutral(Neutral::of_member(&value)));
    Signal<'de>: value => Look::Rare(Rare::Neutral(Neutral::of_member(&value)));
    Vec<ByteString<'de>>: value => Look::Rare(Rare::List(Made {
        length: value.len(),
        item: Box::new(move |index| value.get(index).map(|item| Neutral::Text(text(item)))),
    }));
}

impl<'de, T: Packed + Member> Show<'de> for List<'de, T> {
    fn show(self) -> Look<'de> {
        let length = self.len();
        let item = move |index| self.get(index).map(|item| Neutral::of_member(&item));
        Look::Rare(Rare::List(Made { length, item: Box::new(item) }))
    }
}

impl<'de, T: Show<'de>> Show<'de> for Box<T> {
    fn show(self) -> Look<'de> {
        (*self).show()
    }
}

impl<'de, S: Show<'de>, D: Show<'de>> Show<'de> for Reals<S, D> {
    #[inline]
    fn show(self) -> Look<'de> {
        match self {
            Reals::Single(value) => value.show(),
            Reals::Double(value) => value.show(),
        }
    }
}

/// Numbers with these names.
#[inline]
fn record<'de, N: Numeric, const L: usize>(names: &'static [&'static str; L], numbers: [N; L]) -> Look<'de> {
    let mut all = [N::default(); 4];
    all.iter_mut().zip(numbers).for_each(|(place, number)| *place = number);
    Look::Record(Record { names, numbers: N::numbers(all) })
}

/// A number in a record.
trait Numeric: Copy + Default {
    fn numbers(numbers: [Self; 4]) -> Numbers;
}

macro_rules! records {
    ($($number:ident $variant:ident;)*) => {$(
        impl Numeric for $number {
            #[inline]
            fn numbers(numbers: [Self; 4]) -> Numbers {
                Numbers::$variant(numbers)
            }
        }

        shows! {
            Vector2<$number>: value => record(&["x", "y"], [value.x, value.y]);
            Vector3<$number>: value => record(&["x", "y", "z"], [value.x, value.y, value.z]);
            Vector4<$number>: value => record(&["x", "y", "z", "w"], [value.x, value.y, value.z, value.w]);
            Quaternion<$number>: value => record(&["x", "y", "z", "w"], [value.x, value.y, value.z, value.w]);
            Rect2<$number>: value => Look::Rare(Rare::Neutral(Neutral::of_member(&value)));
            Plane<$number>: value => Look::Rare(Rare::Neutral(Neutral::of_member(&value)));
            Aabb<$number>: value => Look::Rare(Rare::Neutral(Neutral::of_member(&value)));
            Basis<$number>: value => Look::Rare(Rare::Neutral(Neutral::of_member(&value)));
            Transform2D<$number>: value => Look::Rare(Rare::Neutral(Neutral::of_member(&value)));
            Transform3D<$number>: value => Look::Rare(Rare::Neutral(Neutral::of_member(&value)));
            Projection<$number>: value => Look::Rare(Rare::Neutral(Neutral::of_member(&value)));
        }
    )*};
}

records! {
    f32 Single;
    f64 Double;
    i32 Int;
}

/// Defines what serde sees of the values of every type.
macro_rules! show_all {
    ($($id:ident $name:ident($type:ty) $field:literal $doc:literal;)*) => {
        /// The first look at a value.
        #[inline]
        pub(super) fn show(value: Variant<'_>) -> Look<'_> {
            match value {
                Variant::Null | Variant::Callable | Variant::Object(Object::Null) => Look::Unit,
                Variant::Object(Object::Id(id)) => Look::Uint(id),
                Variant::Object(Object::Resource(reference)) => match *reference {
                    Reference::Internal(number) | Reference::External(number) => Look::Uint(number.into()),
                    Reference::Path { path, .. } => path.show(),
                },
                Variant::Object(Object::Full(object)) => Look::Map { count: object.properties.len(), named: true },
                Variant::Dictionary(dictionary) => Look::Map { count: dictionary.entries.len(), named: false },
                Variant::Array(array) => Look::Seq(array.elements.len(), None),
                $(Variant::$name(value) => value.show(),)*
            }
        }
    };
}

type_table!(show_all);

impl<'a> Holder<'a> for Variant<'a> {
    fn held(&self) -> Held {
        match self {
            Variant::Object(Object::Full(object)) => Held::Map { length: object.properties.len(), named: true },
            Variant::Dictionary(dictionary) => Held::Map { length: dictionary.entries.len(), named: false },
            Variant::Array(array) => Held::List { first: None, length: array.elements.len() },
            _ => Held::Nothing,
        }
    }

    fn child(&self, index: usize) -> Option<Child<'_, 'a, Self>> {
        Some(match self {
            Variant::Object(Object::Full(object)) => match (object.properties.get(index / 2)?, index % 2) {
                (property, 0) => Child::Key(&property.name),
                (property, _) => Child::Value(&property.value),
            },
            Variant::Dictionary(dictionary) => {
                let entry = dictionary.entries.get(index / 2)?;
                Child::Value(if index.is_multiple_of(2) { &entry.key } else { &entry.value })
            }
            Variant::Array(array) => Child::Value(array.elements.get(index)?),
            _ => return None,
        })
    }
}

impl<'de> Value<'de> for Variant<'de> {
    const RULES: Rules = RULES;

    fn type_name(&self) -> &'static str {
        self.type_id().name()
    }

    fn is_unit(&self) -> bool {
        matches!(self, Variant::Null | Variant::Object(Object::Null))
    }

    fn look_of_leaf(&self) -> Look<'de> {
        show(self.clone())
    }

    fn to_exact(&self) -> Option<Vec<u8>> {
        encode_with(self, &Options::new(Version::V4).any_text(true)).ok()
    }
}
