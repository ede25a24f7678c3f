//! Changes of values in containers that are no models.

use std::borrow::Cow;
use std::collections::HashMap;
use std::ops::ControlFlow;
use std::path::Path;

use enginewire::containers::{Address, Container, ContainerKind, Replacement, Source};
use enginewire::formats::AnyFormat;

use super::{not_edited, not_edited_inside, usage, FileChange, NEEDS_ALL};
use crate::commands::encode::save_rows;
use crate::exit_status::Status;
use crate::files::destination::Destination;
use crate::formats;
use crate::input::containers::{error_text, more, only_address, status};
use crate::input::models::Refusal;
use crate::input::pattern::{is_like, is_pattern};
use crate::output::console::Console;
use crate::output::escape::escaped;
use crate::settings::Settings;
use crate::size::size_text;
use crate::text_encoding::utf_8;

/// The values of a container that get other bytes.
pub type Replaced = Vec<(Address, Vec<u8>)>;

impl FileChange<'_> {
    /// A container that is no model, with the changes made.
    pub(super) fn changed_container(&self, kind: ContainerKind, source: Source) -> Result<Vec<u8>, Refusal> {
        replaced(kind, source, self.settings, |container, format| {
            self.replaced_values(container, format, only_address(kind, container))
        })
    }

    /// A save with the changes made.
    pub(super) fn write_save(
        &self,
        out: &Path,
        destination: &Destination,
        console: &mut Console,
    ) -> Result<(), Refusal> {
        let work = |container: &dyn Container, format: &dyn AnyFormat| self.replaced_values(container, format, None);
        write_save((self.file, out), destination, self.settings, console, work).map_err(|refusal| self.at(refusal))
    }

    /// The new bytes of every value that changes. A change without an address is about `only`.
    fn replaced_values(
        &self,
        container: &dyn Container,
        format: &dyn AnyFormat,
        only: Option<&str>,
    ) -> Result<Vec<(Address, Vec<u8>)>, Refusal> {
        let &FileChange { changes, how, settings, .. } = self;
        self.without_instances()?;
        let mut exact: HashMap<&str, Vec<usize>> = HashMap::new();
        let mut patterns = Vec::new();
        for (number, address) in changes.iter().map(|changes| changes.address.as_deref().or(only)).enumerate() {
            match address {
                Some(pattern) if how.all && is_pattern(pattern) => patterns.push((pattern, number)),
                Some(address) => exact.entry(address).or_default().push(number),
                None => {}
            }
        }
        let mut found = vec![false; changes.len()];
        let (mut replaced, mut failure, mut held) = (Vec::new(), None, 0usize);
        let end = container.values(&mut |value| {
            let address = value.address.to_string();
            let mut wanted = exact.get(address.as_str()).cloned().unwrap_or_default();
            wanted.extend(patterns.iter().filter(|(pattern, _)| is_like(&address, pattern)).map(|(_, number)| *number));
            if wanted.is_empty() {
                return ControlFlow::Continue(());
            }
            // in the order in which they were given
            wanted.sort_unstable();
            let refused = if value.is_open { not_edited } else { not_edited_inside };
            let mut bytes = value.bytes.map(Cow::into_owned).map_err(|error| (status(&error), error_text(&error)));
            for number in wanted {
                if let (Some(found), Some(changes)) = (found.get_mut(number), changes.get(number)) {
                    // what is replaced as a whole may be broken
                    bytes = changes.whole.clone().map_or(bytes, Ok);
                    bytes = bytes.and_then(|bytes| self.edited(format, bytes, changes, refused));
                    *found = true;
                }
            }
            held = held.saturating_add(bytes.as_ref().map_or(0, Vec::len));
            match bytes {
                Ok(_) if held > settings.memory() => {
                    let limit = size_text(settings.memory());
                    failure = Some((Status::Malformed, more(format!("the changed values take more than {limit}"))));
                }
                Ok(bytes) => {
                    replaced.push((value.address, bytes));
                    return ControlFlow::Continue(());
                }
                Err((status, message)) => {
                    // behind the reason, before the line that asks for it
                    let (reason, line) = message.split_at(message.find("\n  --> ").unwrap_or(message.len()));
                    failure = Some((status, format!("{reason}, in {}{line}", escaped(&address))));
                }
            }
            ControlFlow::Break(())
        });
        self.warnings.borrow_mut().extend(container.warnings());
        if let Some(failure) = failure {
            return Err(failure);
        }
        end.map_err(|error| (status(&error), error_text(&error)))?;
        let missing = changes.iter().zip(&found).find(|(_, found)| !**found).map(|(changes, _)| changes);
        let Some(missing) = missing else { return self.something_fits(replaced.len()).map(|()| replaced) };
        let refusal = match missing.address.as_deref() {
            Some(address) if is_pattern(address) && !how.all => usage(NEEDS_ALL),
            Some(address) => {
                (Status::NotFound, format!("there is no value {address}; `enginewire ls` lists the addresses"))
            }
            None => usage("the file has several values: give the address of one, as `enginewire ls` lists them"),
        };
        Err(self.of_lines(missing, refusal))
    }
}

/// A container with other bytes for the values that `work` gives.
pub fn replaced(
    kind: ContainerKind,
    source: Source,
    settings: &Settings,
    work: impl FnOnce(&dyn Container, &dyn AnyFormat) -> Result<Replaced, Refusal>,
) -> Result<Vec<u8>, Refusal> {
    let refused = |error| (status(&error), error_text(&error));
    let source = match (kind, source) {
        (ContainerKind::PacketLines, Source::Bytes(lines)) => {
            Source::Bytes(utf_8(lines).map_err(|reason| (Status::Malformed, reason))?)
        }
        (_, source) => source,
    };
    let container = kind.open(source, &settings.formats).map_err(refused)?;
    let format = formats::of_values(kind.formats(), &*container, settings)?;
    let replaced = work(&*container, format)?;
    let replacements: Vec<_> = replaced.iter().map(|(address, bytes)| Replacement { address, bytes }).collect();
    container.replaced(&replacements).map_err(refused)
}

/// Writes a save with other bytes for the values that `work` gives. A save is a database, and is changed by SQLite: nothing is
/// lost that is not yet in its main file.
pub fn write_save(
    (file, out): (&Path, &Path),
    destination: &Destination,
    settings: &Settings,
    console: &mut Console,
    work: impl FnOnce(&dyn Container, &dyn AnyFormat) -> Result<Replaced, Refusal>,
) -> Result<(), Refusal> {
    let refused = |error| (status(&error), error_text(&error));
    let kind = ContainerKind::Save;
    let container = kind.open(Source::File(file.to_owned()), &settings.formats).map_err(refused)?;
    let format = formats::of_values(kind.formats(), &*container, settings)?;
    let replaced = work(&*container, format)?;
    drop(container);
    let rows = replaced.into_iter().filter_map(|(address, bytes)| {
        let member = |wanted| address.members().iter().find(|(name, _)| *name == wanted).map(|(_, value)| value);
        let (table, row) = (member("table")?.as_str()?.to_owned(), member("row")?.as_i64()?);
        Some((table, row, bytes))
    });
    let options = (destination.in_place, destination.force);
    save_rows::put_rows(file, out, options, rows.collect(), settings, console)
}
