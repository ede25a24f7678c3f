//! Types that one description of 2020 has and no capture shows. Nothing here is to be relied on.

mod axes;
mod color3uint8;
mod color_sequence;
mod enum_item;
mod faces;
mod number_sequence;
mod optimized_string;
mod path_waypoint;
mod physical_properties;

pub use axes::{axes, gen_axes, Axes};
pub use color3uint8::{color3uint8, gen_color3uint8, Color3uint8};
pub use color_sequence::{color_keypoint, color_sequence, gen_color_keypoint, gen_color_sequence};
pub use enum_item::{enum_item, gen_enum_item, EnumItem};
pub use faces::{faces, gen_faces, Faces};
pub use number_sequence::{gen_number_keypoint, gen_number_sequence, number_keypoint, number_sequence};
pub use optimized_string::{gen_optimized_string, optimized_string, OptimizedString};
pub use path_waypoint::{gen_path_waypoint, path_waypoint, PathWaypoint};
pub use physical_properties::{gen_physical_properties, physical_properties, PhysicalProperties};

/// The encoding of keypoints that begin with the time; those of attributes begin with the envelope.
pub(super) enum TimeFirst {}
