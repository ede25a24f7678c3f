//! Time and memory of several ways to do the same work, as a table of text.

use std::hint::black_box;
use std::io::Write;
use std::time::{Duration, Instant};

use allocation_counter::{measure, opt_out};

/// The effort that a measurement takes.
#[derive(Clone, Copy)]
pub(crate) struct Effort {
    /// The number of samples; the median counts.
    samples: usize,
    /// The least time of a sample. Short work is repeated until it takes so long.
    sample_time: Duration,
    pub(crate) quick: bool,
}

impl Effort {
    /// Quick with the argument `--quick`, or when run as a test.
    pub(crate) fn from_arguments() -> Self {
        let quick = std::env::args().any(|argument| argument == "--quick" || argument == "--test");
        let (samples, sample_time) = if quick { (3, Duration::ZERO) } else { (21, Duration::from_millis(4)) };
        Effort { samples, sample_time, quick }
    }
}

/// Work that takes so long is exact with five samples, and with three if it takes ten times as long.
const LONG: Duration = Duration::from_millis(100);

/// Ways to do the same work.
pub(crate) struct Contest<'c> {
    work: String,
    effort: Effort,
    contestants: Vec<Contestant<'c>>,
}

struct Contestant<'c> {
    name: &'static str,
    /// Does the work this many times, and returns its result, the same for all.
    work: Box<dyn FnMut(u32) -> usize + 'c>,
}

/// The cost of one way, each time.
pub(crate) struct Cost {
    pub(crate) name: &'static str,
    pub(crate) nanoseconds: f64,
    pub(crate) allocations: u64,
    pub(crate) peak_bytes: u64,
}

impl<'c> Contest<'c> {
    /// `work` is what `benches/table` calls it.
    pub(crate) fn new(effort: Effort, work: impl Into<String>) -> Self {
        Contest { work: work.into(), effort, contestants: Vec::new() }
    }

    /// Enters `work`, which must give the same result as every other.
    pub(crate) fn enter(&mut self, name: &'static str, mut work: impl FnMut() -> usize + 'c) {
        // repeated in here, so that calling through a pointer costs next to nothing
        let work = Box::new(move |times| (0..times).map(|_| black_box(work())).last().unwrap_or_default());
        self.contestants.push(Contestant { name, work });
    }

    /// Checks that all of them give `result`, and measures them.
    ///
    /// The samples are taken in turns, so that whatever slows the machine down for a while slows down all of them.
    pub(crate) fn run(mut self, result: usize) -> Vec<Cost> {
        keep_memory();
        let mut costs = Vec::new();
        let mut repetitions = Vec::new();
        let mut count = self.effort.samples;
        for Contestant { name, work } in &mut self.contestants {
            assert_eq!(work(1), result, "the result of {name}");
            let memory = measure(|| {
                work(1);
            });
            let (allocations, peak_bytes) = (memory.count_total, memory.bytes_max);
            costs.push(Cost { name, nanoseconds: 0.0, allocations, peak_bytes });
            let (times, taken) = self.effort.repetitions(work);
            if taken >= LONG {
                count = count.min(if taken >= 10 * LONG { 3 } else { 5 });
            }
            repetitions.push(times);
        }
        let mut samples = vec![Vec::new(); costs.len()];
        for _ in 0..count {
            for ((contestant, times), samples) in self.contestants.iter_mut().zip(&repetitions).zip(&mut samples) {
                // once before the time counts: an allocator tidies up what the one before has left
                (contestant.work)(1);
                samples.push(time(&mut contestant.work, *times).as_secs_f64() / f64::from(*times) * 1e9);
            }
        }
        for (cost, mut samples) in costs.iter_mut().zip(samples) {
            samples.sort_by(f64::total_cmp);
            cost.nanoseconds = samples.get(samples.len() / 2).copied().unwrap_or_default();
            record(&self.work, cost.name, cost.nanoseconds, Some(cost.peak_bytes));
        }
        costs
    }
}

impl Effort {
    /// The number of times to do `work` for one sample, and the time that takes.
    fn repetitions(self, work: &mut dyn FnMut(u32) -> usize) -> (u32, Duration) {
        let mut times = 1;
        loop {
            let taken = time(work, times);
            if taken >= self.sample_time {
                return (times, taken);
            }
            // half as much again as it seems to need, and ten times as much at the most
            let needed = self.sample_time.as_secs_f64() / taken.as_secs_f64().max(1e-9) * 1.5;
            times = (f64::from(times) * needed.clamp(1.5, 10.0)).ceil() as u32;
        }
    }
}

/// Makes the allocator keep what is freed, as it does in a program that has run for a while. It would give every large
/// piece of memory back to the system otherwise, which then takes more time than most of what is measured here.
///
/// The allocator of glibc keeps twice as much as the largest piece that was freed.
fn keep_memory() {
    drop(black_box(Vec::<u8>::with_capacity(32_000_000)));
}

/// The time for doing `work` so often. Allocations are not counted meanwhile: that would slow them down.
fn time(work: &mut dyn FnMut(u32) -> usize, times: u32) -> Duration {
    let mut taken = Duration::ZERO;
    opt_out(|| {
        let start = Instant::now();
        black_box(work(times));
        taken = start.elapsed();
    });
    taken
}

/// Adds a line to the file that `ENGINEWIRE_TIMES` names: the work, who did it, the nanoseconds it took, and the most memory at
/// once, if that was measured. `benches/table` makes its tables from this file.
pub(crate) fn record(work: &str, name: &str, nanoseconds: f64, peak_bytes: Option<u64>) {
    let Some(file) = std::env::var_os("ENGINEWIRE_TIMES") else { return };
    let mut file = std::fs::OpenOptions::new().create(true).append(true).open(file).unwrap();
    let peak_bytes = peak_bytes.map(|bytes| bytes.to_string()).unwrap_or_default();
    writeln!(file, "{work}\t{name}\t{nanoseconds}\t{peak_bytes}").unwrap();
}

/// Prints rows of text in columns: the first to the left, the others to the right.
pub(crate) fn print_table<const N: usize>(heads: [&str; N], rows: &[[String; N]]) {
    let heads = heads.map(str::to_owned);
    let mut widths = [0; N];
    for row in rows.iter().chain([&heads]) {
        for (width, cell) in widths.iter_mut().zip(row) {
            *width = cell.chars().count().max(*width);
        }
    }
    for row in [&heads].into_iter().chain(rows) {
        let mut line = String::new();
        for (column, (cell, width)) in row.iter().zip(widths).enumerate() {
            let cell = if column == 0 { format!("{cell:<width$}") } else { format!("   {cell:>width$}") };
            line.push_str(&cell);
        }
        println!("{line}");
    }
    println!();
}

/// A time with its unit: `163 µs`.
pub(crate) fn time_text(nanoseconds: f64) -> String {
    match nanoseconds {
        ..1e3 => format!("{} ns", digits(nanoseconds)),
        1e3..1e6 => format!("{} µs", digits(nanoseconds / 1e3)),
        _ => format!("{} ms", digits(nanoseconds / 1e6)),
    }
}

/// A number with three digits that count.
pub(crate) fn digits(number: f64) -> String {
    match number {
        ..10.0 => format!("{number:.2}"),
        10.0..100.0 => format!("{number:.1}"),
        _ => grouped(number.round() as u64),
    }
}

/// A whole number with a comma before every three digits.
pub(crate) fn grouped(number: u64) -> String {
    let text = number.to_string();
    let mut grouped = String::new();
    for (index, digit) in text.chars().enumerate() {
        if index > 0 && (text.len() - index).is_multiple_of(3) {
            grouped.push(',');
        }
        grouped.push(digit);
    }
    grouped
}
