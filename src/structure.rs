//! Structures of specifications.

/// Defines a structure of a specification: its fields, and with the feature `json` its JSON form.
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

        #[cfg(feature = "json")]
        crate::json::member_by_serde!($name $(<$lifetime>)?);
    };
}
pub(crate) use structure;
