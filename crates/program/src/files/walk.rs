//! Walking folders: which files in them are read.

use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicUsize, Ordering};

use enginewire::formats::{detect, Confidence};
use enginewire_files::containers::ContainerKind;
use enginewire_files::scan::is_model;

use crate::exit_status::{usage, Refusal, Status};
use crate::files::keep;
use crate::formats;
use crate::input::opened::OpenFile;
use crate::output::console::print_remark;
use crate::output::name::shown;
use crate::output::text::number;
use crate::settings::Settings;

/// The files in a folder that are read: models, and those whose first bytes tell their format; all if the format is given.
/// `others` counts the rest.
pub fn in_folder<'a>(
    folder: PathBuf,
    settings: &'a Settings,
    others: &'a AtomicUsize,
) -> impl Iterator<Item = Result<PathBuf, (PathBuf, Refusal)>> + 'a {
    let is_read = move |file: &Path| is_read(file, settings, others);
    settings.walk.files([Ok(folder)].into_iter(), false, is_read).map(|file| file.map_err(refused))
}

/// These files, and those in folders. A folder without a recognised file is an error.
pub fn all(files: Vec<PathBuf>, settings: &Settings) -> impl Iterator<Item = Result<PathBuf, Refusal>> {
    files.into_iter().flat_map(move |file| {
        if !file.is_dir() {
            return vec![Ok(file)];
        }
        let others = AtomicUsize::new(0);
        let found = in_folder(file.clone(), settings, &others);
        let mut found: Vec<_> = found.map(|file| file.map_err(|(_, refusal)| refusal)).collect();
        match others.into_inner() {
            0 => {}
            others if found.is_empty() => found.push(Err(unrecognised(&file, others))),
            others => print_remark(settings.quiet, left_out(others)),
        }
        found
    })
}

/// `2 other files not recognised (-f names a format)`
pub fn left_out(others: usize) -> String {
    format!("{} not recognised (-f names a format)", number(others, "other file"))
}

/// Why a folder gives nothing, if none of its files is recognised.
pub fn unrecognised(folder: &Path, others: usize) -> Refusal {
    let reason = format!("none of the {others} files in {} is recognised", shown(folder));
    usage(format!("{reason}; name their format with -f, or the files themselves"))
}

/// Returns true if a file in a folder is read. `others` counts those that are not recognised. A backup is left out, so that it
/// stays as it is.
pub fn is_read(file: &Path, settings: &Settings, others: &AtomicUsize) -> bool {
    let (is_backup, is_wanted) = (keep::is_backup(file), is_wanted(file, settings));
    others.fetch_add(usize::from(!is_wanted && !is_backup), Ordering::Relaxed);
    is_wanted && !is_backup
}

/// Returns true if a file is recognised, or its format is given.
pub fn is_wanted(file: &Path, settings: &Settings) -> bool {
    settings.format.is_some() || settings.kind.is_some() || is_model(file) || is_recognised(file, settings)
}

/// Returns true if a file is recognised by its first bytes. It is also true if the file cannot be read.
fn is_recognised(file: &Path, settings: &Settings) -> bool {
    let head = OpenFile::open(file, settings).and_then(|mut file| file.head(formats::HEAD));
    head.map_or(true, |head| is_known(&head))
}

/// Returns true if the first bytes tell the format. What has no signature is taken for a value only where it is named.
pub fn is_known(head: &[u8]) -> bool {
    let is_certain = || detect(head).first().is_some_and(|(_, found)| found.confidence == Confidence::Certain);
    ContainerKind::detect(head).is_some() || is_certain()
}

/// The message for a path that cannot be read.
pub fn refused((path, reason): (PathBuf, String)) -> (PathBuf, Refusal) {
    let message = format!("cannot read {}: {reason}", shown(&path));
    (path, Status::Io.because(message))
}
