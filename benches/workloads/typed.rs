//! Structures of Rust that are read and written through serde.

use enginewire::godot::Vector3;
use enginewire::roblox::datatypes;
use serde::{Deserialize, Serialize};

/// A message that a client of Godot might send.
#[derive(Serialize, Deserialize)]
pub(crate) struct Message<'a> {
    #[serde(rename = "type")]
    kind: &'a str,
    id: i64,
    position: Vector3<f32>,
    rotation: Vector3<f32>,
    health: i32,
    speed: f64,
    moving: bool,
    pub(crate) name: &'a str,
    zone: &'a str,
    #[serde(borrow)]
    held_item: Item<'a>,
}

#[derive(Serialize, Deserialize)]
pub(crate) struct Item<'a> {
    id: &'a str,
    size: f32,
}

/// The data of a player that a place might keep.
#[derive(Serialize, Deserialize)]
pub(crate) struct Player<'a> {
    pub(crate) name: &'a str,
    team: &'a str,
    health: f64,
    coins: u32,
    level: u8,
    alive: bool,
    spawn: datatypes::Vector3,
    color: datatypes::Color3,
    title: Option<&'a str>,
    speed: f32,
}

/// A player.
pub(crate) fn player() -> Player<'static> {
    Player {
        name: "Ada",
        team: "Red",
        health: 87.5,
        coins: 1200,
        level: 7,
        alive: true,
        spawn: datatypes::Vector3 { x: 1.5, y: 0.25, z: -8.0 },
        color: datatypes::Color3 { r: 1.0, g: 0.5, b: 0.25 },
        title: Some("Captain"),
        speed: 16.5,
    }
}
