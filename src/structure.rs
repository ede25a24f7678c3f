//! Structures of specifications.

/// Defines a structure of a specification: its fields, how to borrow nothing, and with the feature `json` its JSON
/// form.
macro_rules! structure {
    (
        $(#[$meta:meta])*
        pub struct $name:ident $(<$lifetime:lifetime>)? {
            $($(#[$field_meta:meta])* pub $field:ident: $type:ty,)*
        }
    ) => {
        $(#[$meta])*
        #[derive(Clone, Debug, PartialEq)]
        #[cfg_attr(feature = "json", derive(serde::Serialize, serde::Deserialize))]
        #[cfg_attr(feature = "json", serde(deny_unknown_fields))]
        pub struct $name $(<$lifetime>)? {
            $(
                $(#[$field_meta])*
                #[cfg_attr(feature = "json", serde(with = "crate::json::member"))]
                pub $field: $type,
            )*
        }

        crate::structure::owned!($name $(<$lifetime>)? { $($field)* });

        #[cfg(feature = "json")]
        crate::json::member_by_serde!($name $(<$lifetime>)?);
    };
}
pub(crate) use structure;

/// The same structure, borrowing nothing.
macro_rules! owned {
    ($name:ident { $($field:ident)* }) => {
        crate::wire::never_borrows!($name);
    };
    ($name:ident <$lifetime:lifetime> { $($field:ident)* }) => {
        impl $name<'_> {
            /// The same, borrowing nothing.
            #[must_use]
            pub fn into_owned(self) -> $name<'static> {
                $name { $($field: crate::wire::IntoOwned::into_owned(self.$field),)* }
            }
        }

        crate::wire::owned_by_method!($name);
    };
}
pub(crate) use owned;
