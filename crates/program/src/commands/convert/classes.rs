//! Classes of Godot that one version has and the other lacks.
//!
//! Source: the class lists of both engines, `api.json` of Godot 3.5 and `extension_api.json` of Godot 4.2 to 4.7. Only classes
//! whose objects can be in a file are listed: no editor classes, and none without instances.

/// The classes of Godot 3 that are called the same in Godot 4, with `3D` at the end.
const NOW_3D: &str = include_str!("now_3d.txt");

/// The other classes of Godot 3 that have another name in Godot 4, each with that after `>`; after `:`, a class that took its
/// place.
const RENAMED: &str = include_str!("renamed.txt");

/// The classes of Godot 3 that Godot 4 lacks. `*` matches any end.
const ONLY_3: &str = include_str!("only_3.txt");

/// The classes of Godot 4 that Godot 3 lacks. `*` matches any end.
const ONLY_4: &str = include_str!("only_4.txt");

/// The replacement in the other version for a class that it lacks.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Other {
    /// A class of this name.
    Class(String),
    /// Nothing.
    Nothing,
}

/// The replacement in version `to` for a class of the other version; `None` if `to` has the class itself, or if the class is not
/// one of the engine.
pub fn other(class: &str, to: u8) -> Option<Other> {
    // version 3 calls some classes `_File` in objects, and `File` in scripts
    let class = class.strip_prefix('_').unwrap_or(class);
    let mut renamed =
        RENAMED.split_whitespace().filter_map(|pair| Some((pair.contains('>'), pair.split_once(['>', ':'])?)));
    let mut in_3d = NOW_3D.split_whitespace();
    let (renamed, only) = if to == 4 {
        let in_3d = in_3d.find(|old| *old == class).map(|old| format!("{old}3D"));
        let renamed = || renamed.find(|(_, (old, _))| *old == class).map(|(_, (_, new))| new.to_owned());
        (in_3d.or_else(renamed), ONLY_3)
    } else {
        let in_3d = in_3d.find(|old| class.strip_suffix("3D") == Some(*old)).map(str::to_owned);
        let renamed = || renamed.find(|(both, (_, new))| *both && *new == class).map(|(_, (old, _))| old.to_owned());
        (in_3d.or_else(renamed), ONLY_4)
    };
    let is_missing = |name: &str| match name.strip_suffix('*') {
        Some(start) => class.starts_with(start),
        None => class == name,
    };
    renamed.map(Other::Class).or_else(|| only.split_whitespace().any(is_missing).then_some(Other::Nothing))
}

#[cfg(test)]
mod tests {
    use super::*;
    use pretty_assertions::assert_eq;

    #[test]
    fn each_version_names_what_it_has_instead() {
        let class = |name: &str| Some(Other::Class(name.to_owned()));
        for (three, four) in [
            ("Reference", "RefCounted"),
            ("Spatial", "Node3D"),
            ("RigidBody", "RigidBody3D"),
            ("Camera", "Camera3D"),
            ("Sprite", "Sprite2D"),
            ("DynamicFont", "FontFile"),
            ("File", "FileAccess"),
        ] {
            assert_eq!((other(three, 4), other(four, 3)), (class(four), class(three)));
            assert_eq!((other(four, 4), other(three, 3)), (None, None));
        }
        assert_eq!(other("_File", 4), class("FileAccess"));
        // a class took its place that both have
        assert_eq!((other("ToolButton", 4), other("Button", 3)), (class("Button"), None));
        for only_3 in ["FuncRef", "VisualScript", "VisualScriptFunction", "GDNative"] {
            assert_eq!((other(only_3, 4), other(only_3, 3)), (Some(Other::Nothing), None), "{only_3}");
        }
        for only_4 in ["CodeEdit", "OpenXRHand", "Parallax2D"] {
            assert_eq!((other(only_4, 3), other(only_4, 4)), (Some(Other::Nothing), None), "{only_4}");
        }
        for both in
            ["Node", "Node2D", "Resource", "GDScript", "Label", "Tween", "Image", "Thread", "_Thread", "MyOwn", ""]
        {
            assert_eq!((other(both, 3), other(both, 4)), (None, None), "{both}");
        }
    }

    /// A class has one place in the tables, so that what is said of it is one thing.
    #[test]
    fn no_class_is_listed_twice() {
        let renamed = RENAMED.split_whitespace().filter_map(|pair| pair.split_once(['>', ':']));
        let (old, _): (Vec<_>, Vec<_>) = renamed.unzip();
        let mut of_3: Vec<_> = NOW_3D.split_whitespace().chain(old).chain(ONLY_3.split_whitespace()).collect();
        of_3.sort_unstable();
        assert!(of_3.windows(2).all(|pair| pair[0] != pair[1]));
        let mut of_4: Vec<_> = ONLY_4.split_whitespace().collect();
        of_4.sort_unstable();
        assert!(of_4.windows(2).all(|pair| pair[0] != pair[1]));
    }
}
