//! The programs of `examples` that a user would copy.
#![allow(clippy::unwrap_used, clippy::panic, clippy::print_stdout)] // a test may panic

#[allow(dead_code)] // its own main
#[path = "../examples/godot_server.rs"]
mod godot_server;
#[allow(dead_code)]
#[path = "../examples/godot_server_tokio.rs"]
mod godot_server_tokio;
#[allow(dead_code)]
#[path = "../examples/place_sweep.rs"]
mod place_sweep;
#[allow(dead_code)]
#[path = "../examples/save_editor.rs"]
mod save_editor;
#[allow(unreachable_pub)] // it is also a program
#[path = "../examples/typed_attributes.rs"]
mod typed_attributes;

use std::io::Read;
use std::net::{SocketAddr, TcpListener, TcpStream};
use std::path::Path;

use enginewire::godot::{write_frame, Dictionary, FrameDecoder, Framing, Options, Variant, Version};
use enginewire::roblox::attributes::{Attributes, Value};
use enginewire::roblox::model;
use enginewire::scrap_mechanic::save::Save;
use pretty_assertions::assert_eq;

/// None is longer than what fits a page.
#[test]
fn they_are_short() {
    for name in ["godot_server", "godot_server_tokio", "place_sweep", "save_editor", "typed_attributes", "with_rbx_dom"]
    {
        let path = Path::new(env!("CARGO_MANIFEST_DIR")).join(format!("examples/{name}.rs"));
        let lines = std::fs::read_to_string(path).unwrap().lines().count();
        assert!(lines <= 60, "{name} has {lines} lines");
    }
}

fn dictionary(pairs: [(&'static str, Variant<'static>); 2]) -> Variant<'static> {
    Dictionary::new(pairs.map(|(key, value)| (key.into(), value))).into()
}

fn report(name: &'static str, score: i64) -> Variant<'static> {
    dictionary([("name", name.into()), ("score", score.into())])
}

fn best(name: &'static str, score: i64) -> Variant<'static> {
    dictionary([("best", name.into()), ("score", score.into())])
}

/// Both servers answer alike, also one client beside another, and after one that sends nonsense.
fn keeps_the_best_score(address: SocketAddr) {
    let options = Options::new(Version::V4);
    let client = || TcpStream::connect(address).unwrap();
    let send = |client: &TcpStream, message: &Variant<'_>| {
        write_frame(message, Framing::LittleEndian, &options, client).unwrap();
        let mut answers = FrameDecoder::framed(Framing::LittleEndian, options).read(client);
        answers.next().unwrap().unwrap()
    };
    let [ada, bob] = [client(), client()];
    assert_eq!(send(&ada, &report("Ada", 7)), best("Ada", 7));
    assert_eq!(send(&bob, &report("Bob", 3)), best("Ada", 7));
    assert_eq!(send(&bob, &report("Bob", 9)), best("Bob", 9));
    assert_eq!(send(&ada, &report("Ada", 8)), best("Bob", 9));
    let error: Variant<'_> = Dictionary::new([("error".into(), "expected a name and a score".into())]).into();
    for nonsense in [Variant::Null, "Ada".into(), best("Ada", 7)] {
        assert_eq!(send(&ada, &nonsense), error);
    }
    // a message that is not a value, and one that is too long: the server closes only this connection
    for bytes in [&[4, 0, 0, 0, 99, 0, 0, 0], &[255; 8]] {
        let mut client = client();
        std::io::Write::write_all(&mut client, bytes).unwrap();
        // it may end with a reset
        let _ = client.read_to_end(&mut Vec::new());
        assert_eq!(send(&ada, &report("Ada", 1)), best("Bob", 9));
    }
}

#[test]
fn the_server_with_threads() {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let address = listener.local_addr().unwrap();
    std::thread::spawn(move || godot_server::run(&listener).unwrap());
    keeps_the_best_score(address);
}

#[test]
fn the_server_under_tokio() {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    listener.set_nonblocking(true).unwrap();
    let address = listener.local_addr().unwrap();
    std::thread::spawn(move || {
        let runtime = tokio::runtime::Builder::new_current_thread().enable_io().build().unwrap();
        runtime.block_on(async move {
            let listener = tokio::net::TcpListener::from_std(listener).unwrap();
            godot_server_tokio::run(listener).await.unwrap();
        });
    });
    keeps_the_best_score(address);
}

/// The example itself asserts that it reads back its output, and that one of its fuels is too much.
#[test]
fn the_typed_attributes() {
    typed_attributes::main().unwrap();
}

#[test]
fn the_sweep_of_a_place() {
    let item = |class: &str, name: &str, tags: &[u8]| {
        let tags = data_encoding::BASE64.encode(tags);
        format!(
            "<Item class=\"{class}\" referent=\"{name}\"><Properties><string name=\"Name\">{name}</string>\
             <BinaryString name=\"Tags\">{tags}</BinaryString></Properties></Item>"
        )
    };
    let items = [
        item("Part", "A", b"Lamp"),
        item("Model", "B", b"Lamp"),
        item("Part", "C", b"Lamps"),
        item("Part", "D", b"Old\0Lamp"),
    ];
    let folder = tempfile::tempdir().unwrap();
    let [old, new] = ["old.rbxlx", "new.rbxlx"].map(|name| folder.path().join(name).to_str().unwrap().to_owned());
    std::fs::write(&old, format!("<roblox version=\"4\">{}</roblox>", items.concat())).unwrap();
    assert_eq!(place_sweep::sweep(&old, &new).unwrap(), 2);
    let listing = model::list_bytes(&std::fs::read(&new).unwrap(), &model::Options::new()).unwrap();
    let brightness = |instance| {
        let attributes: Attributes<'_> = listing.attributes_of(instance).unwrap();
        attributes.get("Brightness").and_then(Value::as_double)
    };
    assert_eq!([0, 1, 2, 3].map(brightness), [Some(2.0), None, None, Some(2.0)]);
    // the new file is not overwritten
    assert!(place_sweep::sweep(&old, &new).is_err());
}

#[test]
fn the_editor_of_saves() {
    let folder = tempfile::tempdir().unwrap();
    let save = folder.path().join("save.db").to_str().unwrap().to_owned();
    std::fs::copy(Path::new(env!("CARGO_MANIFEST_DIR")).join("fixtures/scrap-mechanic-lua/save-v26.db"), &save)
        .unwrap();
    save_editor::show(&save).unwrap();
    let objects = || -> Vec<_> {
        let opened = Save::open(&save).unwrap();
        let rows = opened.rows().unwrap().map(Result::unwrap);
        rows.map(|row| (row.table(), row.rowid(), row.decode().ok().flatten())).collect()
    };
    let before = objects();
    let is_wanted = |object: &enginewire::scrap_mechanic::lua_object::LuaObject<'_>| {
        object.data.as_table().is_some_and(|table| table.get("tedu").is_some())
    };
    let place = before.iter().position(|(_, _, object)| object.as_ref().is_some_and(is_wanted)).unwrap();
    let (table, row, _) = &before[place];
    save_editor::set(&save, table, *row, "tedu", "51").unwrap();
    let after = objects();
    let changed: Vec<_> = (0..before.len()).filter(|index| before[*index] != after[*index]).collect();
    assert_eq!(changed, [place]);
    let object = after[place].2.as_ref().unwrap();
    assert_eq!(object.data.as_table().unwrap().get("tedu").unwrap().as_integer(), Some(51));
    for (table, row, path, value) in [
        ("Nowhere", *row, "tedu", "51"),
        (*table, -1, "tedu", "51"),
        (*table, *row, "a.b", "51"),
        (*table, *row, "tedu", "5 1"),
    ] {
        assert!(save_editor::set(&save, table, row, path, value).is_err(), "{table} {row} {path} {value}");
        assert_eq!(objects(), after);
    }
}
