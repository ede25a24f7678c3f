//! A server that speaks `put_var` and `get_var` with Godot: it sends back every value that it is sent.
//!
//! `cargo run --example godot_echo -- 3` waits on a free port of this machine for clients of Godot 3, and prints the port. A
//! client connects a `StreamPeerTCP` to it.

#![allow(clippy::print_stdout)] // what it is for

use std::error::Error;
use std::io::{Read, Write};
use std::net::{TcpListener, TcpStream};

use enginewire::godot::{encode_frame, FrameDecoder, Framing, Options, Version};

/// The longest value that a client may send.
const LONGEST: usize = 1 << 16;

fn main() -> Result<(), Box<dyn Error>> {
    let number = std::env::args().nth(1).and_then(|number| number.parse().ok()).unwrap_or(4);
    let version = Version::from_number(number).ok_or("the version is 3 or 4")?;
    let listener = TcpListener::bind("127.0.0.1:0")?;
    println!("listening on {}", listener.local_addr()?);
    for client in listener.incoming() {
        if let Err(error) = serve(client?, version) {
            println!("{error}");
        }
    }
    Ok(())
}

/// Sends back every value that a client sends.
pub(crate) fn serve(mut client: TcpStream, version: Version) -> Result<(), Box<dyn Error>> {
    let framing = Framing::LittleEndian;
    let mut decoder = FrameDecoder::framed(framing, Options::new(version).objects(false)).item_limit(LONGEST);
    let mut piece = [0; 4096];
    let mut answer = Vec::new();
    loop {
        let count = client.read(&mut piece)?;
        if count == 0 {
            return Ok(decoder.finish()?);
        }
        decoder.push(piece.get(..count).unwrap_or_default());
        while let Some(value) = decoder.next() {
            let value = value?;
            println!("{value:?}");
            encode_frame(&value, framing, &Options::new(version), &mut answer)?;
        }
        client.write_all(&answer)?;
        answer.clear();
    }
}
