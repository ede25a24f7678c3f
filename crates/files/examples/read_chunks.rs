//! A parser of one's own for whole model files, made of the structures of this crate: it names every chunk, and shows what
//! INST, PROP and PRNT have. `cargo run --example read_chunks -- model.rbxm`

#![allow(clippy::print_stdout)] // what it is for

use std::error::Error;

use enginewire::wire::{self, Traceback};
use enginewire_files::roblox::model::binary::{chunk, header, inst, prnt, prop_head, unpack, ChunkName};
use nom::multi::many0;
use nom::Parser;

fn main() -> Result<(), Box<dyn Error>> {
    for path in std::env::args().skip(1) {
        let file = std::fs::read(path)?;
        // nom's combinators and ours go together
        let mut parser = (header::<&[u8], Traceback<_>>(false), many0(chunk(false)));
        let (rest, (header, chunks)) =
            parser.parse_complete(&file[..]).map_err(|error| format!("this is no model: {error:?}"))?;
        println!("{header:?}, {} chunks, {} bytes behind them", chunks.len(), rest.len());
        for chunk in chunks {
            let data = unpack(&chunk, 64 << 20)?;
            match chunk.header.name {
                ChunkName::INST => println!("INST {:?}", wire::run(&data[..], inst())?.1),
                ChunkName::PROP => println!("PROP {:?}", wire::run(&data[..], prop_head())?.1),
                ChunkName::PRNT => println!("PRNT {:?}", wire::run(&data[..], prnt())?.1),
                name => println!("{name} {} bytes", data.len()),
            }
        }
    }
    Ok(())
}
