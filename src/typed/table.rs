//! Implementations of the traits of readers, writers and serde for a table of types.

/// The parts of the values of a table, by type.
macro_rules! value_doors {
    ($value:ident $type_id:ident { $($unit:ident)*; $($name:ident($type:ty))* }) => {
        impl<'a> crate::member::typed::Typed for $value<'a> {
            type Type = $type_id;

            fn type_of(&self) -> $type_id {
                self.type_id()
            }

            fn bare(&self) -> &dyn crate::member::Give {
                match self {
                    $($value::$unit => &(),)*
                    $($value::$name(value) => value,)*
                }
            }

            fn take_of(id: $type_id, given: crate::member::Given<'_>) -> Result<Self, crate::member::Mismatch> {
                let taken = match id {
                    $($type_id::$unit => crate::member::Member::take(given).map(|()| $value::$unit),)*
                    $($type_id::$name => crate::member::Member::take(given).map($value::$name),)*
                };
                taken.map_err(|mismatch| mismatch.of(given, crate::wire::TypeNumber::name(id)))
            }

            fn shape_of(id: $type_id) -> crate::member::Shape {
                match id {
                    $($type_id::$unit => crate::member::Shape::Null,)*
                    $($type_id::$name => <$type as crate::member::Member>::SHAPE,)*
                }
            }
        }

        impl crate::member::Give for $value<'_> {
            fn give(&self, to: &mut dyn crate::member::Receiver) {
                match to.takes_bytes() {
                    true => crate::typed::exact::give(self, to),
                    false => crate::member::typed::give(self, to),
                }
            }
        }

        crate::member::serialize_by_give!([] $value<'_>);

        impl<'de> serde::Deserialize<'de> for $value<'_> {
            fn deserialize<D: serde::Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
                crate::typed::exact::deserialize::<$value<'static>, D>(deserializer)
            }
        }

        impl crate::member::Member for $value<'_> {
            const SHAPE: crate::member::Shape = crate::member::Shape::Form(stringify!($value));

            fn take(given: crate::member::Given<'_>) -> Result<Self, crate::member::Mismatch> {
                crate::member::typed::take_value(given)
            }
        }
    };
}
pub(crate) use value_doors;
