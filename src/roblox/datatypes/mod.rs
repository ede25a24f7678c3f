//! Datatypes of Roblox whose layout is the same in several formats, except for the byte order: one file each, with the
//! table, the type, the parser, the generator and the tests.

mod axes;
mod bit_set;
mod brick_color;
mod cframe;
mod color3;
mod color_sequence_keypoint;
mod faces;
mod number_range;
mod number_sequence_keypoint;
pub(crate) mod quaternion;
mod ray;
mod rect;
mod region3;
mod region3int16;
mod rotation_id;
mod udim;
mod udim2;
mod vector2;
mod vector2int16;
mod vector3;
mod vector3int16;

pub use axes::{axes, gen_axes, Axes};
pub use brick_color::{brick_color, gen_brick_color, BrickColor};
pub use cframe::{cframe, gen_cframe, gen_rotation, rotation, CFrame, Rotation};
pub(crate) use cframe::{rotation_form, Form};
pub use color3::{color3, gen_color3, Color3};
pub use color_sequence_keypoint::{color_sequence_keypoint, gen_color_sequence_keypoint, ColorSequenceKeypoint};
pub use faces::{faces, gen_faces, Faces};
pub use number_range::{gen_number_range, number_range, NumberRange};
pub use number_sequence_keypoint::{gen_number_sequence_keypoint, number_sequence_keypoint, NumberSequenceKeypoint};
pub use ray::{gen_ray, ray, Ray};
pub use rect::{gen_rect, rect, Rect};
pub use region3::{gen_region3, region3, Region3};
pub use region3int16::{gen_region3int16, region3int16, Region3int16};
pub use rotation_id::{RotationId, UnknownRotationId};
pub use udim::{gen_udim, udim, UDim};
pub use udim2::{gen_udim2, udim2, UDim2};
pub use vector2::{gen_vector2, vector2, Vector2};
pub use vector2int16::{gen_vector2int16, vector2int16, Vector2int16};
pub use vector3::{gen_vector3, vector3, Vector3};
pub use vector3int16::{gen_vector3int16, vector3int16, Vector3int16};
