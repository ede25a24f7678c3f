//! The programs of `examples` that a user would copy.

#[allow(dead_code)] // its own main
#[path = "../examples/godot_server.rs"]
mod godot_server;
#[allow(dead_code)]
#[path = "../examples/godot_server_tokio.rs"]
mod godot_server_tokio;
#[allow(dead_code)]
#[path = "../examples/larger_parser.rs"]
mod larger_parser;
#[allow(unreachable_pub)] // it is also a program
#[path = "../examples/typed_attributes.rs"]
mod typed_attributes;

use std::io::Read;
use std::net::{SocketAddr, TcpListener, TcpStream};

use enginewire::godot::{write_frame, Dictionary, FrameDecoder, Framing, Options, Variant, Version};
use pretty_assertions::assert_eq;

/// None is longer than what fits a page.
#[test]
fn they_are_short() {
    let of_files =
        ["place_sweep", "save_editor", "with_rbx_dom"].map(|name| format!("crates/files/examples/{name}.rs"));
    let others = ["godot_server", "godot_server_tokio", "typed_attributes"].map(|name| format!("examples/{name}.rs"));
    for name in of_files.iter().chain(&others) {
        let path = crate::support::root().join(name);
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

/// The text of a fault has its place in the whole file and the fields around it.
#[test]
fn a_larger_parser_reads_models() {
    let printed = |name: &str| {
        let mut out = Vec::new();
        let path = crate::support::root().join("fixtures/roblox-model").join(name);
        let ended = larger_parser::print(path.to_str().unwrap(), &mut out).map_err(|error| error.to_string());
        (String::from_utf8(out).unwrap(), ended)
    };
    let (attributes, ended) = printed("attributes.rbxm");
    assert!(attributes.starts_with("[Entry { key: \"NaN\", value: Double(NaN) }"), "{attributes}");
    assert_eq!((&attributes, ended), (&printed("attributes.none.rbxm").0, Ok(())));
    let broken = "invalid values at byte 0x175: input ends too early: 200 bytes needed, 0 left\n\
                  invalid values.entries.value.type at byte 0x1ec: unknown type id 0xff\n";
    assert_eq!(printed("bad/chunk.rbxm"), (broken.to_owned(), Ok(())));
    assert_eq!(printed("bad/cut.rbxm"), (attributes, Err("the file ends at byte 0x225, inside a chunk".to_owned())));
    assert_eq!(printed("tags.rbxmx"), (String::new(), Err("invalid header at byte 0x0".to_owned())));
}
