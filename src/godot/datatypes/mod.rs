//! Datatypes of Godot that hold no other values: one file each, with the table, the type, the parser, the generator and the
//! tests.

mod aabb;
mod basis;
mod color;
mod node_path;
mod number;
mod packed;
mod plane;
mod projection;
mod quaternion;
mod rect2;
mod rid;
mod scalar;
mod signal;
mod string;
mod transform2d;
mod transform3d;
mod vector2;
mod vector3;
mod vector4;

pub use aabb::{aabb, gen_aabb, Aabb};
pub use basis::{basis, gen_basis, Basis};
pub use color::{color, gen_color, Color};
pub use node_path::{gen_node_path, node_path, NodePath};
pub use number::{Number, Reals};
pub use packed::{
    gen_packed_array, gen_packed_byte_array, gen_packed_string_array, packed_array, packed_byte_array,
    packed_string_array,
};
pub use plane::{gen_plane, plane, Plane};
pub use projection::{gen_projection, projection, Projection};
pub use quaternion::{gen_quaternion, quaternion, Quaternion};
pub use rect2::{gen_rect2, rect2, Rect2};
pub use rid::{gen_rid, rid, Rid};
pub use scalar::{bool, float, gen_bool, gen_float, gen_int, int};
pub(crate) use scalar::{is_wide_float, is_wide_int};
pub use signal::{gen_signal, signal, Signal};
pub(crate) use string::{gen_length, length};
pub use string::{gen_string, gen_terminated_string, string, terminated_string};
pub(super) use string::{is_text, no_text, write_padded};
pub use transform2d::{gen_transform2d, transform2d, Transform2D};
pub use transform3d::{gen_transform3d, transform3d, Transform3D};
pub use vector2::{gen_vector2, vector2, Vector2};
pub use vector3::{gen_vector3, vector3, Vector3};
pub use vector4::{gen_vector4, vector4, Vector4};
