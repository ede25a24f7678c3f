//! The JSON form of a file.

use super::file::{Internal, Resource};
use crate::godot::json::give_property;
use crate::godot::variant::{FullObject, Property, Variant};
use crate::godot::version::Version;
use crate::json::Document;
use crate::member::{field, serde_by_member, Give, Given, Member, Mismatch, Receiver, Shape};

impl Document for Resource<'_> {
    const FORMAT: &'static str = "godot-resource";

    /// As for a value, and six around it.
    const LEVELS: usize = 4 * 512 + 14;
}

/// `{"format": "godot-resource", "version": 6, …, "internal": […]}`
impl Give for Resource<'_> {
    fn give(&self, to: &mut dyn Receiver) {
        to.structure("Resource", if self.importmd_ofs == 0 { 12 } else { 13 });
        to.member("format", &Self::FORMAT);
        to.member("version", &self.version);
        to.member("big_endian", &self.big_endian);
        to.member("major", &self.major);
        to.member("minor", &self.minor);
        to.member("class", &self.class);
        if self.importmd_ofs != 0 {
            to.member("importmd_ofs", &self.importmd_ofs);
        }
        to.member("flags", &self.flags);
        to.member("uid", &self.uid);
        to.member("script_class", &self.script_class);
        to.member("strings", &self.strings);
        to.member("external", &self.external);
        to.member("internal", &self.internal);
        to.end();
    }
}

impl Member for Resource<'_> {
    const SHAPE: Shape = Shape::Any;

    fn take(given: Given<'_>) -> Result<Self, Mismatch> {
        let names = &[
            "format",
            "version",
            "big_endian",
            "major",
            "minor",
            "class",
            "importmd_ofs",
            "flags",
            "uid",
            "script_class",
            "strings",
            "external",
            "internal",
        ];
        let expected = "an object with format, version, and the parts of a file";
        let [format, version, big_endian, major, minor, class, importmd_ofs, flags, uid, script_class, strings, external, internal] =
            given.fields(expected, names)?;
        given.format(format, &[Self::FORMAT])?;
        Ok(Resource {
            version: field(given, "version", version)?,
            big_endian: field(given, "big_endian", big_endian)?,
            major: field(given, "major", major)?,
            minor: field(given, "minor", minor)?,
            class: field(given, "class", class)?,
            importmd_ofs: importmd_ofs.map_or(Ok(0), u64::take)?,
            flags: field(given, "flags", flags)?,
            uid: field(given, "uid", uid)?,
            script_class: field(given, "script_class", script_class)?,
            strings: field(given, "strings", strings)?,
            external: field(given, "external", external)?,
            internal: field(given, "internal", internal)?,
        })
    }
}

serde_by_member!([] Resource<'_>);

impl Give for Internal<'_> {
    fn give(&self, to: &mut dyn Receiver) {
        to.structure("Internal", 3);
        to.member("path", &self.path);
        to.member("class", &self.object.class);
        to.member("properties", &self.object.properties);
        to.end();
    }
}

impl Member for Internal<'_> {
    const SHAPE: Shape = Shape::Any;

    fn take(given: Given<'_>) -> Result<Self, Mismatch> {
        let names = &["path", "class", "properties"];
        let [path, class, properties] = given.fields("an object with path, class and properties", names)?;
        let (class, properties) = (field(given, "class", class)?, field(given, "properties", properties)?);
        Ok(Internal { path: field(given, "path", path)?, object: FullObject { class, properties } })
    }
}

/// With types of version 4.
impl Give for Property<'_> {
    fn give(&self, to: &mut dyn Receiver) {
        give_property(Version::V4, self, to);
    }
}

impl Member for Property<'_> {
    const SHAPE: Shape = Shape::Any;

    fn take(given: Given<'_>) -> Result<Self, Mismatch> {
        let [name, value] = given.fields("an object with name and value", &["name", "value"])?;
        Ok(Property { name: field(given, "name", name)?, value: field::<Variant<'_>>(given, "value", value)? })
    }
}
