//! Rust types in and out of every format.

mod borrowed;
mod engine;
mod errors;
mod exact;
mod lenient;
mod nested;
mod said;
mod shapes;
mod table;

use std::fmt::Debug;

use enginewire::godot::{self, Version};
use enginewire::roblox::{attributes, remote};
use enginewire::scrap_mechanic::lua_object;
use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};

/// A value written as every format, and read again, both from bytes and from the value in memory, is the same.
fn both_ways<T: Serialize + DeserializeOwned + PartialEq + Debug>(value: &T) {
    for version in [Version::V3, Version::V4] {
        let bytes = godot::to_bytes(version, value).unwrap();
        assert_eq!(&godot::from_bytes::<T>(version, &bytes).unwrap(), value, "Godot {version:?}");
        let tree = godot::decode_with(&bytes, &godot::Options::new(version)).unwrap();
        assert_eq!(tree, godot::to_value(value).unwrap());
        assert_eq!(&godot::from_value::<T>(tree).unwrap(), value, "Godot, in memory");
    }
    let object = lua_object::to_value(value).unwrap();
    let bytes = lua_object::to_bytes(value).unwrap();
    assert_eq!(lua_object::decode(&bytes).unwrap(), object);
    assert_eq!(&lua_object::from_bytes::<T>(&bytes).unwrap(), value, "LuaObject");
    assert_eq!(&lua_object::from_value::<T>(object).unwrap(), value, "LuaObject, in memory");
    let arguments = remote::to_arguments(&(value,)).unwrap();
    let bytes = remote::to_bytes(&(value,)).unwrap();
    assert_eq!(&remote::from_bytes::<(T,)>(&bytes).unwrap().0, value, "remote");
    assert_eq!(&remote::from_arguments::<(T,)>(arguments).unwrap().0, value, "remote, in memory");
    in_attributes(value);
}

/// The same for attributes, as a field of a structure.
fn in_attributes<T: Serialize + DeserializeOwned + PartialEq + Debug>(value: &T) {
    #[derive(Serialize)]
    struct Writes<'t, T> {
        field: &'t T,
    }
    #[derive(Deserialize)]
    struct Reads<T> {
        field: T,
    }
    let blob = attributes::to_value(&Writes { field: value }).unwrap();
    let bytes = attributes::to_bytes(&Writes { field: value }).unwrap();
    assert_eq!(attributes::decode(&bytes).unwrap(), blob);
    assert_eq!(&attributes::from_bytes::<Reads<T>>(&bytes).unwrap().field, value, "attributes");
    assert_eq!(&attributes::from_value::<Reads<T>>(blob).unwrap().field, value, "attributes, in memory");
}
