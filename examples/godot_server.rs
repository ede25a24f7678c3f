//! A server that keeps the best score, for clients of Godot, with the standard library alone. A client connects a
//! `StreamPeerTCP`, calls `put_var({"name": "Ada", "score": 7})`, and `get_var()` gives it `{"best": "Ada", "score": 7}`.
//!
//! `cargo run --example godot_server -- 127.0.0.1:4242`

#![allow(clippy::print_stdout)] // what it is for

use std::error::Error;
use std::net::{TcpListener, TcpStream};
use std::sync::{Arc, Mutex, PoisonError};

use enginewire::godot::{write_frame, Dictionary, FrameDecoder, Framing, Options, Variant, Version};

/// The values that a client sends.
#[derive(Default)]
struct Report {
    name: String,
    score: i64,
}

impl Report {
    fn read(message: &Variant<'_>) -> Option<Self> {
        let fields = message.as_dictionary()?;
        Some(Report { name: fields.get("name")?.as_str()?.to_owned(), score: fields.get("score")?.as_int()? })
    }
}

fn answer(message: &Variant<'_>, best: &Mutex<Report>) -> Dictionary<'static> {
    let Some(report) = Report::read(message) else {
        return Dictionary::new([("error".into(), "expected a name and a score".into())]);
    };
    let mut best = best.lock().unwrap_or_else(PoisonError::into_inner);
    if report.score > best.score {
        *best = report;
    }
    Dictionary::new([("best".into(), best.name.clone().into()), ("score".into(), best.score.into())])
}

fn serve(client: &TcpStream, best: &Mutex<Report>) -> Result<(), Box<dyn Error>> {
    let (framing, options) = (Framing::LittleEndian, Options::new(Version::V4).objects(false));
    for message in FrameDecoder::framed(framing, options).item_limit(1 << 16).read(client) {
        write_frame(&answer(&message?, best).into(), framing, &options, client)?;
    }
    Ok(())
}

pub(crate) fn run(listener: &TcpListener) -> Result<(), Box<dyn Error>> {
    let best = Arc::new(Mutex::new(Report::default()));
    for client in listener.incoming() {
        let (client, best) = (client?, Arc::clone(&best));
        std::thread::spawn(move || serve(&client, &best).unwrap_or_else(|error| println!("{error}")));
    }
    Ok(())
}

fn main() -> Result<(), Box<dyn Error>> {
    run(&TcpListener::bind(std::env::args().nth(1).ok_or("expected an address such as 127.0.0.1:4242")?)?)
}
