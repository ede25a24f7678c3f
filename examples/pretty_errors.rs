//! An error beneath the bytes around it, drawn by ariadne and by miette: `cargo run --example pretty_errors`
//!
//! Both draw beneath text: the excerpt is text, with the place of the error in it.

#![allow(clippy::print_stdout)] // what it is for

use ariadne::{Color, Config, IndexType, Label, Report, ReportKind, Source};
use enginewire::{roblox::attributes, DecodeError};
use miette::{GraphicalReportHandler, GraphicalTheme, LabeledSpan, MietteDiagnostic, NamedSource};

/// As ariadne draws it.
pub(crate) fn by_ariadne(error: &DecodeError, name: &str, input: &[u8]) -> std::io::Result<Vec<u8>> {
    let excerpt = error.excerpt(input);
    let place = (name, excerpt.span());
    let label = format!("byte {} in {}", error.offset(), error.path());
    let mut report = Report::build(ReportKind::Error, place.clone())
        .with_config(Config::default().with_index_type(IndexType::Byte))
        .with_code(error.fault().code())
        .with_message(error.fault())
        .with_label(Label::new(place).with_message(label).with_color(Color::Red));
    if let Some(expected) = error.fault().expected() {
        report.set_help(format!("expected {expected}"));
    }
    let mut drawn = Vec::new();
    report.finish().write((name, Source::from(excerpt.text())), &mut drawn)?;
    Ok(drawn)
}

/// The error for miette: what `?` returns from a function with a `miette::Result`.
fn report(error: &DecodeError, name: &str, input: &[u8]) -> miette::Report {
    let excerpt = error.excerpt(input);
    let place = format!("byte {} in {}", error.offset(), error.path());
    let mut diagnostic = MietteDiagnostic::new(error.fault().to_string())
        .with_code(format!("enginewire::{}", error.fault().code()))
        .with_label(LabeledSpan::new_with_span(Some(place), excerpt.span()));
    diagnostic.help = error.fault().expected().map(|expected| format!("expected {expected}"));
    miette::Report::new(diagnostic).with_source_code(NamedSource::new(name, excerpt.text().to_owned()))
}

/// As miette draws it.
pub(crate) fn by_miette(error: &DecodeError, name: &str, input: &[u8]) -> Result<String, std::fmt::Error> {
    let mut drawn = String::new();
    let theme = GraphicalTheme::unicode();
    GraphicalReportHandler::new_themed(theme).render_report(&mut drawn, report(error, name, input).as_ref())?;
    Ok(drawn)
}

/// The place of a spawn point, whose rotation has an id that no rotation has.
pub(crate) const BROKEN: &[u8] = b"\x01\0\0\0\x05\0\0\0Spawn\x14\0\0\x80\x3f\0\0\0\x40\0\0\x40\x40\x04";

#[allow(dead_code)] // the test of the picture calls the functions itself
fn main() -> Result<(), Box<dyn std::error::Error>> {
    if let Err(error) = attributes::decode(BROKEN) {
        println!("{}", String::from_utf8_lossy(&by_ariadne(&error, "spawn.bin", BROKEN)?));
        println!("{}", by_miette(&error, "spawn.bin", BROKEN)?);
    }
    Ok(())
}
