//! Changes of the list of files in a pack.

use std::cell::Cell;
use std::ops::ControlFlow;
use std::path::Path;

use enginewire_files::address::{Address, Syntax};
use enginewire_files::containers::ContainerKind;

use super::to_change::{ChangedValues, FileToChange};
use super::NEEDS_ALL;
use crate::exit_status::{usage, Refusal, Status};
use crate::files::atomic_write::is_standard_output;
use crate::files::destination::{preview, Destination, Make};
use crate::files::read::is_pack;
use crate::input::opened::{refused, OpenFile};
use crate::input::wanted::Wanted;
use crate::output::console::Console;
use crate::output::escape::escaped;
use crate::output::name::shown;
use crate::output::text::number;
use crate::settings::Settings;

/// True for a pack: a file of its own, in a layer, or at the end of a program.
pub fn is_any_pack(file: &Path, settings: &Settings) -> bool {
    let any = &Settings { format: None, kind: None, ..settings.clone() };
    let container = || OpenFile::open(file, any).and_then(|mut opened| opened.container(any));
    is_pack(file) || (file.is_file() && matches!(container(), Ok(Some(ContainerKind::Pack))))
}

/// A pack, and where it is written with changes; nowhere with --dry-run.
pub struct PackChange<'p> {
    pub file: &'p Path,
    pub destination: &'p Destination,
    pub dry_run: bool,
    pub settings: &'p Settings,
}

impl PackChange<'_> {
    /// Makes changes, and reports their number.
    pub fn write(
        &self,
        console: &mut Console,
        make: &mut Make<'_>,
        done: impl Fn() -> (usize, &'static str),
    ) -> Result<(), Refusal> {
        let PackChange { file, destination, dry_run, settings } = self;
        // it may be at the end of a program
        let settings = &Settings { kind: Some(ContainerKind::Pack), ..(*settings).clone() };
        match dry_run {
            true => preview(file, settings, make)?,
            false => destination.write(file, settings, console, make)?,
        }
        let (count, done) = done();
        let would = if *dry_run { "would be " } else { "" };
        let is_data = !dry_run && !destination.in_place && destination.of(file).is_ok_and(is_standard_output);
        // a closed standard output is reported where output is written to it
        let _ = console.done(format_args!("{} {would}{done}", number(count, "file")), is_data);
        Ok(())
    }

    /// Removes the files with these paths, or that these patterns fit if `all` may change.
    pub fn remove(&self, paths: &[String], all: bool, console: &mut Console) -> Result<(), Refusal> {
        let wanted = paths.iter().map(|path| Wanted::parse(Syntax::Entries, path)).collect::<Result<Vec<_>, _>>()?;
        if wanted.iter().any(Wanted::is_pattern) && !all {
            return Err(usage(NEEDS_ALL));
        }
        let count = Cell::new(0);
        let make = &mut |opened: &FileToChange| {
            let mut there: Vec<Address> = Vec::new();
            let listed = opened.container().map_or(Ok(()), |(_, pack)| {
                pack.values(&mut |value| {
                    there.push(value.address.into_address());
                    ControlFlow::Continue(())
                })
            });
            listed.map_err(|error| refused(&shown(self.file), &error))?;
            if let Some(missing) = wanted.iter().find(|wanted| !there.iter().any(|address| wanted.fits(address))) {
                let reason = format!("no file {} in the pack", escaped(missing));
                return Err(Status::NotFound.because(reason).at(shown(self.file)));
            }
            there.retain(|address| wanted.iter().any(|wanted| wanted.fits(address)));
            count.set(there.len());
            Ok(ChangedValues { removed: there, ..ChangedValues::default() })
        };
        self.write(console, make, || (count.get(), "removed"))
    }
}
