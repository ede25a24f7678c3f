//! The types of [`mint`]. glam, nalgebra, cgmath and others convert from and to them.

use mint::IntoMint;

#[cfg(any(feature = "roblox", feature = "godot"))]
use super::ConvertError;
#[cfg(feature = "godot")]
use crate::godot;
#[cfg(feature = "roblox")]
use crate::roblox::datatypes as roblox;
#[cfg(feature = "scrap_mechanic")]
use crate::scrap_mechanic::lua_object;

/// Structures of numbers, and the types of mint that are the same numbers in the same order; the first is the usual one. In
/// brackets is the type of the numbers, where it may be any.
macro_rules! numbers {
    ($($game:literal [$($number:ident)?] $ours:ty { $($field:ident)* } = $first:ident $($other:ident)* <$of:ty>;)*) => {$(
        #[cfg(feature = $game)]
        impl$(<$number>)? IntoMint for $ours {
            type MintType = mint::$first<$of>;
        }

        numbers!(@each $game [$($number)?] $ours, { $($field)* } = $of; $first $($other)*);
    )*};
    (@each $game:literal $number:tt $ours:ty, $fields:tt = $of:ty; $($theirs:ident)*) => {
        $(numbers!(@one $game $number $ours, $fields = $theirs $of);)*
    };
    (@one $game:literal [$($number:ident)?] $ours:ty, { $($field:ident)* } = $theirs:ident $of:ty) => {
        #[cfg(feature = $game)]
        impl$(<$number>)? From<$ours> for mint::$theirs<$of> {
            fn from(value: $ours) -> Self {
                [$(value.$field),*].into()
            }
        }

        #[cfg(feature = $game)]
        impl$(<$number>)? From<mint::$theirs<$of>> for $ours {
            fn from(value: mint::$theirs<$of>) -> Self {
                let [$($field),*] = value.into();
                Self { $($field),* }
            }
        }
    };
}

numbers! {
    "roblox" [] roblox::Vector2 { x y } = Vector2 Point2 <f32>;
    "roblox" [] roblox::Vector3 { x y z } = Vector3 Point3 <f32>;
    "roblox" [] roblox::Vector2int16 { x y } = Vector2 Point2 <i16>;
    "roblox" [] roblox::Vector3int16 { x y z } = Vector3 Point3 <i16>;
    "roblox" [] roblox::Color3 { r g b } = Vector3 <f32>;
    "godot" [N] godot::Vector2<N> { x y } = Vector2 Point2 <N>;
    "godot" [N] godot::Vector3<N> { x y z } = Vector3 Point3 <N>;
    "godot" [N] godot::Vector4<N> { x y z w } = Vector4 <N>;
    "godot" [N] godot::Quaternion<N> { x y z w } = Quaternion <N>;
    "godot" [] godot::Color { r g b a } = Vector4 <f32>;
    "scrap_mechanic" [] lua_object::Vec3 { x y z } = Vector3 Point3 <f32>;
    "scrap_mechanic" [] lua_object::Quat { x y z w } = Quaternion <f32>;
    "scrap_mechanic" [] lua_object::Color { r g b a } = Vector4 <f32>;
}

/// Matrices, and the columns that they are in mint; mint itself makes rows of them. How each is made of the other.
macro_rules! matrices {
    ($(
        $game:literal [$($number:ident)?] $ours:ty = $columns:ident / $rows:ident <$of:ty>,
        $value:ident => $to:expr, $($theirs:ident)|* => $from:expr;
    )*) => {$(
        #[cfg(feature = $game)]
        impl$(<$number>)? IntoMint for $ours {
            type MintType = mint::$columns<$of>;
        }

        #[cfg(feature = $game)]
        impl$(<$number>)? From<$ours> for mint::$columns<$of> {
            fn from($value: $ours) -> Self {
                $to
            }
        }

        #[cfg(feature = $game)]
        impl$(<$number>)? From<mint::$columns<$of>> for $ours {
            fn from(mint::$columns { $($theirs),* }: mint::$columns<$of>) -> Self {
                $from
            }
        }

        #[cfg(feature = $game)]
        impl$(<$number>)? From<$ours> for mint::$rows<$of> {
            fn from(value: $ours) -> Self {
                mint::$columns::from(value).into()
            }
        }

        #[cfg(feature = $game)]
        impl$(<$number>)? From<mint::$rows<$of>> for $ours {
            fn from(value: mint::$rows<$of>) -> Self {
                mint::$columns::from(value).into()
            }
        }
    )*};
}

matrices! {
    "roblox" [] roblox::Rotation = ColumnMatrix3 / RowMatrix3 <f32>,
        rotation => mint::RowMatrix3::from(rotation.matrix()).into(),
        x | y | z => roblox::Rotation::Matrix(mint::RowMatrix3::from(mint::ColumnMatrix3 { x, y, z }).into());
    "roblox" [] roblox::CFrame = ColumnMatrix3x4 / RowMatrix3x4 <f32>,
        cframe => {
            let mint::ColumnMatrix3 { x, y, z } = cframe.rotation.into();
            mint::ColumnMatrix3x4 { x, y, z, w: cframe.position.into() }
        },
        x | y | z | w => roblox::CFrame { position: w.into(), rotation: mint::ColumnMatrix3 { x, y, z }.into() };
    "godot" [N] godot::Basis<N> = ColumnMatrix3 / RowMatrix3 <N>,
        basis => mint::RowMatrix3::from(basis.rows).into(),
        x | y | z => godot::Basis { rows: mint::RowMatrix3::from(mint::ColumnMatrix3 { x, y, z }).into() };
    "godot" [N] godot::Transform2D<N> = ColumnMatrix2x3 / RowMatrix2x3 <N>,
        transform => {
            mint::ColumnMatrix2x3 { x: transform.x.into(), y: transform.y.into(), z: transform.origin.into() }
        },
        x | y | z => godot::Transform2D { x: x.into(), y: y.into(), origin: z.into() };
    "godot" [N] godot::Transform3D<N> = ColumnMatrix3x4 / RowMatrix3x4 <N>,
        transform => {
            let mint::ColumnMatrix3 { x, y, z } = transform.basis.into();
            mint::ColumnMatrix3x4 { x, y, z, w: transform.origin.into() }
        },
        x | y | z | w => godot::Transform3D { basis: mint::ColumnMatrix3 { x, y, z }.into(), origin: w.into() };
    "godot" [N] godot::Projection<N> = ColumnMatrix4 / RowMatrix4 <N>,
        projection => {
            let godot::Projection { x, y, z, w } = projection;
            mint::ColumnMatrix4 { x: x.into(), y: y.into(), z: z.into(), w: w.into() }
        },
        x | y | z | w => godot::Projection { x: x.into(), y: y.into(), z: z.into(), w: w.into() };
}

/// Transformations as matrices of four by four, whose last row is 0, 0, 0, 1.
macro_rules! homogeneous {
    ($($game:literal [$($number:ident)?] $ours:ty, $name:literal, <$of:ty>;)*) => {$(
        #[cfg(feature = $game)]
        impl$(<$number: From<u8>>)? From<$ours> for mint::ColumnMatrix4<$of> {
            fn from(value: $ours) -> Self {
                let mint::ColumnMatrix3x4 { x, y, z, w } = value.into();
                let column = |mint::Vector3 { x, y, z }, w: u8| mint::Vector4 { x, y, z, w: w.into() };
                mint::ColumnMatrix4 { x: column(x, 0), y: column(y, 0), z: column(z, 0), w: column(w, 1) }
            }
        }

        #[cfg(feature = $game)]
        impl$(<$number: From<u8>>)? From<$ours> for mint::RowMatrix4<$of> {
            fn from(value: $ours) -> Self {
                mint::ColumnMatrix4::from(value).into()
            }
        }

        /// # Errors
        ///
        /// If the last row is not 0, 0, 0, 1.
        #[cfg(feature = $game)]
        impl$(<$number: From<u8> + PartialEq + std::fmt::Debug>)? TryFrom<mint::ColumnMatrix4<$of>> for $ours {
            type Error = ConvertError;

            fn try_from(matrix: mint::ColumnMatrix4<$of>) -> Result<Self, ConvertError> {
                let mint::RowMatrix4 { x, y, z, w } = matrix.into();
                let last: [$of; 4] = w.into();
                match last == [0, 0, 0, 1_u8].map(<$of>::from) {
                    true => Ok(mint::RowMatrix3x4 { x, y, z }.into()),
                    false => {
                        Err(ConvertError::of_part($name, "ColumnMatrix4", format_args!("the last row {last:?}")))
                    }
                }
            }
        }

        /// # Errors
        ///
        /// If the last row is not 0, 0, 0, 1.
        #[cfg(feature = $game)]
        impl$(<$number: From<u8> + PartialEq + std::fmt::Debug>)? TryFrom<mint::RowMatrix4<$of>> for $ours {
            type Error = ConvertError;

            fn try_from(matrix: mint::RowMatrix4<$of>) -> Result<Self, ConvertError> {
                mint::ColumnMatrix4::from(matrix).try_into()
            }
        }
    )*};
}

homogeneous! {
    "roblox" [] roblox::CFrame, "a CFrame", <f32>;
    "godot" [N] godot::Transform3D<N>, "a Transform3D", <N>;
}
