//! A server that keeps the best score, for clients of Godot, under tokio. A client connects a `StreamPeerTCP`, calls
//! `put_var({"name": "Ada", "score": 7})`, and `get_var()` gives it `{"best": "Ada", "score": 7}`.
//! `cargo run --example godot_server_tokio -- 127.0.0.1:4242`

#![allow(clippy::print_stdout)] // what it is for

use std::error::Error;
use std::sync::{Arc, Mutex, PoisonError};

use enginewire::godot::{Dictionary, FrameCodec, Framing, Options, Variant, Version};
use futures_util::{SinkExt, StreamExt};
use tokio::net::{TcpListener, TcpStream};
use tokio_util::codec::Framed;

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

async fn serve(client: TcpStream, best: Arc<Mutex<Report>>) -> Result<(), Box<dyn Error + Send + Sync>> {
    let options = Options::new(Version::V4).objects(false);
    let mut client = Framed::new(client, FrameCodec::framed(Framing::LittleEndian, options).item_limit(1 << 16));
    while let Some(message) = client.next().await {
        client.send(&answer(&message?, &best).into()).await?;
    }
    Ok(())
}

#[tokio::main(flavor = "current_thread")]
async fn main() -> Result<(), Box<dyn Error>> {
    run(TcpListener::bind(std::env::args().nth(1).ok_or("expected an address such as 127.0.0.1:4242")?).await?).await
}

pub(crate) async fn run(listener: TcpListener) -> Result<(), Box<dyn Error>> {
    let best = Arc::new(Mutex::new(Report::default()));
    loop {
        let client = serve(listener.accept().await?.0, Arc::clone(&best));
        tokio::spawn(async move { client.await.unwrap_or_else(|error| println!("{error}")) });
    }
}
