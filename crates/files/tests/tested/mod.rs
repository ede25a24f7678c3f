//! Files made for tests, and what must hold for every kind.
#![allow(dead_code)] // no test needs all of it

pub(crate) mod addresses;
pub(crate) mod containers;
pub(crate) mod hostile;
pub(crate) mod model;
pub(crate) mod model_maker;
pub(crate) mod model_manifest;
