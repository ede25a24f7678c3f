//! Sets that are written as a number, with a bit for each member.

/// The type of a set, from its members and the bit of each: `pub struct Axes { x: 0, y: 1, z: 2 }`.
macro_rules! bit_set {
    ($(#[$meta:meta])* pub struct $name:ident { $($member:ident: $bit:literal),* $(,)? }) => {
        $(#[$meta])*
        #[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
        pub struct $name(pub u32);

        impl $name {
            $(
                #[doc = concat!("Whether bit ", $bit, " is set.")]
                #[must_use]
                pub const fn $member(self) -> bool {
                    self.0 & 1 << $bit != 0
                }
            )*
        }

        #[cfg(feature = "text")]
        crate::member::by_part!([] stringify!($name), $name { 0: u32 });
        crate::wire::never_borrows!($name);
    };
}
pub(crate) use bit_set;
