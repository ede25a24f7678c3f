//! Values as deep as formats allow, on the usual stack of a thread.

use std::collections::BTreeMap;

use enginewire::godot::{self, Version};
use enginewire::Fault;
use serde::{Deserialize, Serialize};

#[derive(Debug, PartialEq, Serialize, Deserialize)]
struct Level {
    inner: Option<Box<Level>>,
}

#[derive(Debug, PartialEq, Serialize, Deserialize)]
#[serde(untagged)]
enum Kept {
    End(bool),
    List(Vec<Kept>),
    Map(BTreeMap<String, Kept>),
}

fn apart(work: impl FnOnce() + Send + 'static) {
    std::thread::Builder::new().stack_size(2 << 20).spawn(work).unwrap().join().unwrap();
}

#[test]
fn values_of_1024_levels() {
    apart(|| {
        let deep = (0..1023).fold(Level { inner: None }, |inner, _| Level { inner: Some(Box::new(inner)) });
        let bytes = godot::to_bytes(Version::V4, &deep).unwrap();
        assert_eq!(godot::from_bytes::<Level>(Version::V4, &bytes).unwrap(), deep);
        assert_eq!(godot::from_value::<Level>(godot::v4::decode(&bytes).unwrap()).unwrap(), deep);
        let error = godot::to_bytes(Version::V4, &Level { inner: Some(Box::new(deep)) }).unwrap_err();
        assert!(error.to_string().starts_with("containers are nested deeper than 1024 levels"), "{error}");
    });
}

/// Serde buffers untagged values with its own code, which takes more stack.
#[test]
fn untagged_values_of_200_levels() {
    apart(|| {
        let deep = (0..200).fold(Kept::End(true), |inner, _| Kept::List(vec![inner]));
        let bytes = godot::to_bytes(Version::V4, &deep).unwrap();
        assert_eq!(godot::from_bytes::<Kept>(Version::V4, &bytes).unwrap(), deep);
    });
}

/// One level more than the limit is the error of `decode`, wherever the type stops looking.
#[test]
fn one_level_too_many() {
    apart(|| {
        let bytes = |levels: usize| [b"\x1c\0\0\0\x01\0\0\0".repeat(levels), vec![0; 4]].concat();
        #[derive(Debug, Deserialize)]
        #[allow(dead_code)] // it is read
        struct List(Option<Box<(List,)>>);
        assert!(godot::from_bytes::<List>(Version::V4, &bytes(1024)).is_ok());
        assert!(godot::from_bytes::<serde::de::IgnoredAny>(Version::V4, &bytes(1024)).is_ok());
        assert!(godot::from_bytes::<(serde::de::IgnoredAny,)>(Version::V4, &bytes(1024)).is_ok());
        for levels in [1025, 5000] {
            let expected = godot::v4::decode(&bytes(levels)).unwrap_err();
            assert_eq!(expected.fault(), &Fault::TooDeep { limit: 1024 });
            assert_eq!(godot::from_bytes::<List>(Version::V4, &bytes(levels)).unwrap_err(), expected);
            let skipped = godot::from_bytes::<(serde::de::IgnoredAny,)>(Version::V4, &bytes(levels));
            assert_eq!(skipped.unwrap_err(), expected);
        }
    });
}

/// A count of remotes takes more bytes the greater it is.
#[test]
fn lists_of_every_length() {
    use enginewire::roblox::remote;

    for length in [0, 1, 127, 128, 129, 16_383, 16_384] {
        let value = (vec![vec![length; length], vec![]], "end".to_owned());
        let bytes = remote::to_bytes(&value).unwrap();
        let arguments = remote::to_arguments(&value).unwrap();
        let mut expected = Vec::new();
        let nesting = remote::Options::new().into();
        enginewire::wire::generate_into(remote::gen_tuple(nesting, &arguments), &mut expected).unwrap();
        assert_eq!(bytes, expected, "{length}");
        assert_eq!(remote::from_bytes::<(Vec<Vec<usize>>, String)>(&bytes).unwrap(), value);
    }
}
