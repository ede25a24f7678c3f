//! Several threads that read files. Their batches come in the order of the files.

use std::io;
use std::iter;
use std::ops::ControlFlow;

use arrow_array::RecordBatch;
use arrow_schema::ArrowError;
use enginewire_files::scan::{text_or_hex, Ordered, Scan, Turn, Walked};

use super::file::{Reading, Source};
use super::schema::{Columns, Rows};

/// A thread takes files until they have this many bytes together, …
const BYTES: u64 = 4 << 20;

/// … or until there are this many.
const FILES: usize = 256;

/// The batches of all files. Up to twice the limit of the scan is taken for what is read, besides the batches.
pub fn batches(
    mut files: Box<dyn Iterator<Item = Walked> + Send>,
    columns: Columns,
    scan: Scan,
    threads: usize,
) -> io::Result<impl Iterator<Item = Result<RecordBatch, ArrowError>> + Send> {
    let tasks = iter::from_fn(move || {
        let (mut task, mut bytes) = (Vec::new(), 0u64);
        while bytes < BYTES && task.len() < FILES {
            let Some(file) = files.next() else { break };
            let size = file.as_ref().ok().and_then(|path| path.metadata().ok()).map_or(0, |about| about.len());
            bytes = bytes.saturating_add(size);
            task.push(file);
        }
        (!task.is_empty()).then_some(task)
    });
    let share = scan.limit.most() / threads.max(1);
    let work = move |files: Vec<Walked>, turn: &Turn<'_, _>| {
        let mut rows = Rows::new(&columns);
        for file in files {
            let (path, source) = match file {
                Ok(path) => (path.clone(), Source::Path(path)),
                Err((path, reason)) => (path, Source::Unread(reason)),
            };
            let name = text_or_hex(path.as_os_str().as_encoded_bytes()).into_owned();
            // one file at a time may take all: that whose rows are next
            let mut reading = Reading::new(name, &source, (&scan, &columns), share, || turn.wait())?;
            while reading.step(&mut rows) {
                if rows.is_full() {
                    turn.give(rows.take())?;
                }
            }
        }
        if !rows.is_empty() {
            turn.give(rows.take())?;
        }
        ControlFlow::Continue(())
    };
    let batches = Ordered::new(tasks, threads, threads.saturating_mul(2), work)?;
    Ok(batches.map(|batch| batch.unwrap_or_else(|error| Err(error.into()))))
}
