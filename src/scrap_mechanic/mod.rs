//! Formats of Scrap Mechanic.

pub mod lua_object;
