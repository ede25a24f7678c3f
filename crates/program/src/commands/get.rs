//! `enginewire get`

use std::cell::OnceCell;
use std::collections::BTreeMap;
use std::ffi::OsString;
use std::fs::File;
use std::io;
use std::path::PathBuf;

use enginewire::formats::{
    at, nearest, part_names, AnyFormat, Contents, EditError, Node, Notation, Plain, Step, ValuePath,
};
use enginewire::json::{Receiver, Scalar};
use enginewire::roblox::Tags;
use enginewire_files::address::Syntax;
use enginewire_files::containers::ContainerKind;
use enginewire_files::roblox::model::{self, AttributeReference, Kind, Listing, ModelError, Property};
use enginewire_files::scan::{Problem, Scan, REFERENCE};
use serde::Serialize;

use crate::commands::get_many::record::not_read;
use crate::commands::get_many::{self, row};
use crate::commands::set::is_row;
use crate::exit_status::{usage, Done, Failure, Refusal, Status};
use crate::files::atomic_write::save;
use crate::files::destination::unwritable;
use crate::files::read::may_exceed;
use crate::files::walk::is_known;
use crate::input::containers::Origin;
use crate::input::each;
use crate::input::filter::Filter;
use crate::input::instance_path::{named, Named};
use crate::input::models;
use crate::input::opened::{Input, OpenFile};
use crate::input::pattern::{find, is_pattern, leading_pattern};
use crate::input::wanted::Wanted;
use crate::output::console::Console;
use crate::output::csv;
use crate::output::escape::{argument, escaped};
use crate::output::name::{shown, Name};
use crate::settings::Settings;

/// Read values of files: attributes, settings, packets, Lua objects
#[derive(Debug, clap::Args)]
#[command(
    override_usage = "enginewire get [OPTIONS] <FILE|DIR> [ADDRESS] [PATH]\n       enginewire get [OPTIONS] <FILE|DIR>… -- [ADDRESS] [PATH]"
)]
#[command(after_help = include_str!("../help/get.txt"))]
pub struct Args {
    /// File or folder, or `-`; then ADDRESS and PATH. Several come before `--`
    #[arg(value_name = "FILE|DIR", required_unless_present = "files_from")]
    pub arguments: Vec<OsString>,

    /// After `--`: ADDRESS and PATH, where several files come before it
    #[arg(value_name = "ADDRESS", last = true, hide = true)]
    pub after: Vec<OsString>,

    #[command(flatten)]
    pub filter: Filter,

    /// Write JSON, one line per value
    #[arg(long, group = "form")]
    pub json: bool,

    /// Write JSON without types: {"Health": 100}
    #[arg(long, group = "form")]
    pub plain: bool,

    /// Write CSV, with the names of its columns first
    #[arg(long, group = "form")]
    pub csv: bool,

    /// Write a text without quotes, or the file in layers
    #[arg(long, group = "form")]
    pub bytes: bool,

    /// Write to FILE instead of standard output
    #[arg(short, long, value_name = "FILE")]
    pub output: Option<PathBuf>,

    #[command(flatten)]
    pub many: get_many::Args,
}

/// A request for values of a file.
#[derive(Debug, Default)]
pub struct Asked {
    pub file: PathBuf,
    pub address: Option<String>,
    pub path: Option<String>,
    pub filter: Filter,
    pub form: Form,
    /// True if every line has its address, also where one value is asked for.
    pub has_addresses: bool,
    /// The file's name, if it is one of several: then it begins every row.
    pub of_many: Option<Name>,
}

/// The form of values.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Form {
    #[default]
    Text,
    Json,
    Plain,
    Csv,
    Bytes,
}

/// The columns of CSV, which `set --from` reads.
pub const COLUMNS: [&str; 4] = ["address", "path", "type", "text"];

/// The first members of a row of JSON, which the values of an instance share.
#[derive(Serialize)]
struct Start<'r> {
    #[serde(flatten)]
    origin: Option<&'r Origin<'r>>,
    #[serde(skip_serializing_if = "str::is_empty")]
    address: &'r str,
}

/// The others.
#[derive(Serialize)]
struct Row<'r> {
    path: &'r str,
    #[serde(rename = "type")]
    type_name: &'static str,
    text: String,
}

/// A value in plain JSON, with its place.
#[derive(Serialize)]
struct PlainRow<'r> {
    #[serde(flatten)]
    origin: Option<&'r Origin<'r>>,
    #[serde(skip_serializing_if = "str::is_empty")]
    address: &'r str,
    #[serde(skip_serializing_if = "Option::is_none")]
    path: Option<&'r str>,
    value: Plain<'r>,
}

pub fn run(args: &Args, settings: &Settings, console: &mut Console) -> Done {
    let form = match args {
        Args { json: true, .. } => Form::Json,
        Args { plain: true, .. } => Form::Plain,
        Args { csv: true, .. } => Form::Csv,
        Args { bytes: true, .. } => Form::Bytes,
        _ => Form::Text,
    };
    let is_listed = args.many.files_from.is_some();
    let (mut files, mut rest) = match is_listed {
        true => (Vec::new(), each::texts(&[&args.arguments[..], &args.after].concat())?),
        false => each::files_first(&args.arguments, &args.after)?,
    };
    if rest.len() > 2 {
        let advice = "give a FILE, ADDRESS and PATH; several files come before `--`, see `enginewire help addresses`";
        let more = rest.split_off(2).join(" ");
        return Err(usage(format!("unexpected {more}: {advice}")).into());
    }
    let mut rest = rest.into_iter();
    let (address, path, filter) = (rest.next(), rest.next(), args.filter.clone());
    if is_listed || files.len() > 1 || files.iter().any(|file| file.is_dir()) || args.many.is_given() {
        if matches!(form, Form::Plain | Form::Bytes) {
            let message = "--plain and --bytes are for one file; of several, choose --json or --csv";
            return Err(usage(message).into());
        }
        let address = address.map(|text| Wanted::perhaps(Syntax::Instances, &text));
        let choice = row::Choice { address, path, filter };
        let job = get_many::Job { paths: files, output: args.output.as_deref(), form, choice, args: &args.many };
        return get_many::run(job, settings, console);
    }
    let file = files.pop().unwrap_or_else(|| PathBuf::from("-"));
    let asked = Asked { file, address, path, filter, form, has_addresses: false, of_many: None };
    let Some(output) = &args.output else { return read(&asked, settings, console) };
    not_read(output, std::slice::from_ref(&asked.file))?;
    let (status, lines) = console.collected(false, |console| read(&asked, settings, console))?;
    save(output, &lines, false).map_err(|error| unwritable(output, &error))?;
    Ok(status)
}

/// Writes what is asked for of a file. Something is, unless it is one of several.
pub fn read(args: &Asked, settings: &Settings, console: &mut Console) -> Done {
    if args.form == Form::Csv && args.of_many.is_none() {
        writeln!(console.out(), "{}", COLUMNS.join(","))?;
    }
    let mut request = Request {
        args,
        settings,
        wanted: None,
        found: 0,
        seen: Vec::new(),
        keys: None,
        entry: None,
        only: None,
        line: String::new(),
    };
    let status =
        each::each(OpenFile::open_partial, std::slice::from_ref(&args.file), settings, console, |opened, console| {
            let is_inside = settings.entry.is_some() || opened.name.layers().is_some();
            if is_inside && args.form == Form::Bytes && args.address.is_none() {
                // any file of a pack, or in layers
                console.out().write_all(&opened.all_consuming()?.bytes)?;
                return Ok(Status::Fine);
            }
            let mut opened = match opened.document(settings)? {
                Ok((format, input)) => return request.embedded(format, &input, console),
                Err(opened) => opened,
            };
            let container = opened.container(settings)?;
            if let Some(ContainerKind::Model(_)) = container {
                return request.model(opened, console);
            }
            request.wanted = match (&args.address, container.map_or(Syntax::Items, ContainerKind::syntax)) {
                (None, _) => None,
                // in a stream of one value it is a path
                (Some(text), Syntax::Items) => Some(Wanted::perhaps(Syntax::Items, text)),
                (Some(text), syntax) => Some(Wanted::parse(syntax, text)?),
            };
            let each = &mut |format, input: &Input, console: &mut Console| request.embedded(format, input, console);
            match container {
                Some(container) => opened.each_embedded(container, settings, console, each),
                None => each::each_of_file(&opened.all_consuming()?, settings, console, each),
            }
        })?;
    let status = status.max(request.only(console)?);
    if let (0, Status::Fine, None, Some(entry)) = (request.found, status, &args.of_many, &request.entry) {
        let [file, entry] = [&args.file.display().to_string(), entry].map(|name| argument(name));
        let option = if file == "-" { "--entry " } else { "" };
        console
            .remark(format_args!("the values are in the files of the pack: enginewire get {file} {option}{entry}"))?;
    }
    let is_asked = args.address.is_some() || args.path.is_some() || !args.filter.is_all();
    let is_asked = is_asked && args.of_many.is_none();
    if request.found > 0 || status != Status::Fine || !is_asked {
        return Ok(status);
    }
    if !args.filter.is_all() || args.path.as_ref().or(args.address.as_ref()).is_some_and(|path| is_pattern(path)) {
        let reason = format!("no value fits{}", args.filter.unfit());
        return Err(Status::NotFound.because(reason).at(shown(&args.file)).into());
    }
    let wanted = [&args.address, &args.path].into_iter().flatten().map(String::as_str).collect::<Vec<_>>().join(" ");
    // a value of this address is there: it is the path that is wrong
    let (name, candidates) = match &request.keys {
        Some(keys) => (args.path.as_ref().or(args.address.as_ref()), keys),
        // the numbers of rows have nothing to do with their keys
        None => (args.address.as_ref().filter(|address| !address.contains('=')), &request.seen),
    };
    let similar: Vec<_> = name.iter().flat_map(|name| nearest(name, candidates.iter())).collect();
    let hint = match similar.is_empty() {
        true => String::new(),
        false => format!("; did you mean {}?", similar.iter().map(|s| argument(s)).collect::<Vec<_>>().join(" or ")),
    };
    Err(Status::NotFound.because(format!("no value {wanted}{hint}")).at(shown(&args.file)).into())
}

/// A request for values, and its results so far.
struct Request<'r> {
    args: &'r Asked,
    settings: &'r Settings,
    /// The address, as the kind of file has it.
    wanted: Option<Wanted>,
    found: usize,
    /// Addresses that were not asked for, to suggest one.
    seen: Vec<String>,
    /// The paths in values that do not have the one that was asked for, to suggest one.
    keys: Option<Vec<String>>,
    /// The first file of a pack that holds values, of none that is asked for.
    entry: Option<String>,
    /// The first value of a stream, whose address was not asked for, and its format.
    only: Option<(&'static dyn AnyFormat, Input<'static>)>,
    /// The line that is being written.
    line: String,
}

/// Returns true if a single argument names the values to read.
fn path_only(args: &Asked) -> bool {
    args.address.is_some() && args.path.is_none()
}

/// The most addresses that are kept to suggest one.
const SEEN: usize = 100_000;

impl Request<'_> {
    /// The values of the instances of a model file.
    fn model(&mut self, opened: OpenFile, console: &mut Console) -> Done {
        let Request { args, settings, .. } = *self;
        let stream = opened.is_stream().then(|| opened.all_consuming()).transpose()?.map(|file| file.bytes);
        let scan = settings.scan();
        let list = |all| {
            let options = scan.options(settings.memory()).all_instances(all);
            let listing = match &stream {
                Some(bytes) => model::list_bytes(bytes, &options.taken(bytes.len())),
                None => {
                    File::open(&args.file).map_err(ModelError::from).and_then(|file| model::list_file(file, &options))
                }
            };
            match Scan::is_over_limit(&listing) {
                true if all && args.address.is_none() => None,
                _ => Some(listing.map_err(|error| models::refusal(&args.file, &error, &scan))),
            }
        };
        // an instance without attributes may have the same path as one with attributes; it is left out if memory is short
        let Some(listing) = list(true).or_else(|| list(false)) else { return Ok(Status::Malformed) };
        let listing = listing?;
        let named = args.address.as_deref().map(|address| Named::by(&listing, address));
        let named = named.transpose().map_err(|refusal| {
            // an instance may be missing because the file cannot be read to its end
            let refusal = match listing.problems.first() {
                Some(problem) if refusal.status == Status::NotFound => {
                    let reason = format!(" in what can be read of the file: {}", scan.error_text(problem));
                    Refusal { status: models::status(problem), ..refusal.hint(&reason) }
                }
                _ => refusal,
            };
            refusal.at(Name::new(&args.file))
        })?;
        let reference = named.as_ref().and_then(Named::reference);
        let kind = named.as_ref().and_then(Named::kind);
        let wanted = named.as_ref().map(|named| &named.instances[..]);
        let is_one = wanted.is_some_and(|wanted| wanted.len() == 1);
        let (mut highest, mut has_property) = (Status::Fine, false);
        let (count, over) = scan.limit.within(&listing);
        for property in listing.properties().take(count) {
            let is_wanted = wanted.is_none_or(|wanted| wanted.binary_search(&property.instance).is_ok());
            // of a property that an instance has several times, Roblox Studio reads the last, and `set` changes it
            let is_wanted = is_wanted && listing.is_last(&property);
            let is_wanted = is_wanted && kind.is_none_or(|kind| kind == property.kind);
            let is_wanted = is_wanted && args.filter.takes_instance(&listing, property.instance);
            // a path leads into attributes
            let is_read = model::is_attributes(&listing, &property)
                || (property.kind == Kind::Tags && (kind.is_some() || args.path.is_none()));
            if is_wanted && is_read && reference.is_none() {
                has_property = true;
                // the address of another property than the usual one is not left out
                let is_one = is_one && (kind.is_some() || property.kind == Kind::AttributesSerialize);
                let read = |property: Property<'_>| self.property((&listing, &property), &scan, is_one, console);
                highest = highest.max(listing.with_bytes(property, read)?);
            }
        }
        if let Some(reason) = over {
            highest = highest.max(console.refused(Status::Malformed.because(reason).at(shown(&args.file)))?);
        }
        // those of a property other than that of the attributes are not asked for
        if kind.is_none_or(|kind| kind == Kind::AttributesSerialize) {
            self.references(&listing, wanted, reference, is_one, console)?;
        }
        for problem in &listing.problems {
            let refusal = models::status(problem).because(scan.error_text(problem)).at(shown(&args.file));
            highest = highest.max(console.refused(refusal)?);
        }
        console.warnings(shown(&args.file), &listing.warning_texts())?;
        // an instance that is there may have no attributes
        let is_there = wanted.is_some() && args.path.is_none() && args.filter.is_all();
        let is_there = is_there && reference.is_none() && (kind.is_none() || has_property);
        self.found = self.found.saturating_add(usize::from(is_there));
        Ok(highest)
    }

    /// The attributes that hold references.
    fn references(
        &mut self,
        listing: &Listing,
        wanted: Option<&[usize]>,
        key: Option<&str>,
        is_one: bool,
        console: &mut Console,
    ) -> Result<(), Failure> {
        let mut before = None;
        for AttributeReference { instance, .. } in listing.references() {
            let is_new = before.replace(instance) != Some(instance);
            let is_wanted = is_new && wanted.is_none_or(|wanted| wanted.binary_search(&instance).is_ok());
            if !is_wanted || !self.args.filter.takes_instance(listing, instance) {
                continue;
            }
            let is_asked = |reference: &AttributeReference<'_>| key.is_none_or(|key| reference.key == key);
            let Some(first) = listing.references_of(instance).find(is_asked) else { continue };
            let own = listing.references_of(instance).filter(is_asked);
            // of one that is there several times, the last
            let own: BTreeMap<_, _> =
                own.map(|found| (found.key, Reference(models::reference_text(listing, &found)))).collect();
            let own = References(own.into_iter().map(|(key, reference)| (Step::key(key), reference)).collect());
            let address = named(listing, instance);
            let origin = Origin::of(model::owner_of_reference(listing, &first));
            let value = Found {
                address: &address,
                origin: Some(&origin),
                is_one,
                is_several: true,
                start: OnceCell::new(),
                path: self.args.path.as_deref(),
            };
            self.value(&own, Notation::default(), &value, console)?;
        }
        Ok(())
    }

    /// The attributes or tags of an instance.
    fn property(
        &mut self,
        (listing, property): (&Listing, &Property<'_>),
        scan: &Scan,
        is_one: bool,
        console: &mut Console,
    ) -> Done {
        let address = models::name(listing, property);
        let has_origin = matches!(self.args.form, Form::Json | Form::Plain) || self.args.of_many.is_some();
        let origin = has_origin.then(|| Origin::of(model::owner(listing, property)));
        let (path, place) = (self.args.path.as_deref(), || format!("{}: {address}", shown(&self.args.file)));
        let value = Found {
            address: &address,
            origin: origin.as_ref(),
            is_one,
            is_several: false,
            start: OnceCell::new(),
            path,
        };
        let notation = Notation::default();
        if let (Kind::Tags, Ok(bytes)) = (property.kind, &property.bytes) {
            if let Some(reason) = may_exceed(bytes, self.settings.memory()) {
                return Ok(console.refused(Status::Malformed.because(reason).at(place()))?);
            }
            return self.value(&Tags::from_bytes(bytes), notation, &value, console);
        }
        let (attributes, problem) = scan.attributes(property);
        let status = self.value(&attributes, notation, &value, console)?;
        let message = match problem {
            None => return Ok(status),
            Some(Problem::Decode(error)) => {
                let start = property.place.file_offset().unwrap_or(0).saturating_add(self.settings.part.offset);
                error.shifted(start).to_string()
            }
            Some(problem) => problem.message().into_owned(),
        };
        Ok(status.max(console.refused(Status::Malformed.because(message).at(place()))?))
    }

    /// Looks for the path in the only value of a stream, which needs no address.
    fn only(&mut self, console: &mut Console) -> Done {
        match self.only.take() {
            Some((format, input)) if self.found == 0 && self.seen.len() == 1 => {
                self.seen.clear();
                self.embedded(format, &Input { address: None, listed: String::new(), ..input }, console)
            }
            _ => Ok(Status::Fine),
        }
    }

    /// A value in a container other than a model, or a file that is one value.
    fn embedded(&mut self, format: &'static dyn AnyFormat, input: &Input, console: &mut Console) -> Done {
        let args = self.args;
        let is_entry = |bytes| is_known(bytes) && ContainerKind::detect(bytes) != Some(ContainerKind::Save);
        if input.other.is_some() && self.entry.is_none() && input.listed.contains("://") && is_entry(&input.bytes) {
            self.entry = Some(input.listed.clone());
        }
        // only instances have classes and tags
        if input.other.is_some() || args.filter.is_of_instances() {
            return Ok(Status::Fine);
        }
        let is_file = input.address.is_none();
        let is_at = || self.wanted.as_ref().zip(input.address.as_ref()).is_some_and(|(wanted, own)| wanted.fits(own));
        let (is_one, path) = match (&args.address, &args.path) {
            // a file other than a container has a path only
            (Some(path), None) if is_file => (true, Some(path.as_str())),
            (Some(address), path) if is_file && args.of_many.is_some() => match &**address {
                "*" | "**" => (true, path.as_deref()),
                _ => return Ok(Status::Fine),
            },
            (Some(_), Some(_)) if is_file => {
                let reason = "the file is a single value: give one path, with a dot between its parts";
                return Ok(console.refused(usage(reason).at(&input.name))?);
            }
            (None, _) => (is_file, None),
            (Some(_), path) if is_at() => {
                let own = self.wanted.as_ref().zip(input.address.as_ref());
                (own.is_some_and(|(wanted, own)| wanted.is_exactly(own)), path.as_deref())
            }
            (Some(_), _) => {
                if self.seen.is_empty() && path_only(args) && input.listed == "[0]" {
                    self.only = Some((format, input.copied()));
                }
                if self.seen.len() < SEEN {
                    self.seen.push(input.listed.clone());
                }
                return Ok(Status::Fine);
            }
        };
        if let Some(reason) = input.may_exceed(self.settings) {
            return Ok(console.refused(Status::Malformed.because(reason).at(&input.name))?);
        }
        let address = escaped(&input.listed);
        let value = Found {
            address: &address,
            origin: input.origin.as_ref(),
            is_one,
            is_several: false,
            start: OnceCell::new(),
            path,
        };
        let mut result = Ok(Status::Fine);
        let visited = format.visit(&input.bytes, &self.settings.formats, &mut |node| {
            result = self.value(node, format.notation(), &value, console);
        });
        match visited {
            Ok(()) => result,
            Err(error) => input.report(error, format, self.settings, console),
        }
    }

    /// Writes what was asked for of a value.
    fn value(&mut self, root: &dyn Node, notation: Notation, place: &Found<'_>, console: &mut Console) -> Done {
        let asked = place.path.unwrap_or_default();
        if let Some((pattern, "")) = leading_pattern(asked) {
            for (path, node) in find(root, pattern, notation) {
                self.write(&path.to_string(), node, notation, place, false, console)?;
            }
            return Ok(Status::Fine);
        }
        let path = if asked.is_empty() { Ok(ValuePath::default()) } else { asked.parse() };
        let path: ValuePath = match path {
            Ok(path) => path,
            Err(error) => return Ok(console.refused(usage(error.to_string()))?),
        };
        let found = match at(root, &path, notation) {
            Ok(found) => found,
            Err(EditError::NotFound(_)) => {
                let keys = self.keys.get_or_insert_default();
                items(root, &mut String::new(), notation, &mut |path, node| {
                    if keys.len() < SEEN {
                        keys.extend(part_names(node.shape()).iter().map(|part| format!("{path}.{part}")));
                        keys.push(path.to_owned());
                    }
                    Ok(())
                })?;
                return Ok(Status::Fine);
            }
            Err(error) => return Ok(console.refused(Status::Malformed.because(error.to_string()))?),
        };
        let node = &*found;
        // plain JSON holds a whole value
        if self.args.form == Form::Plain && self.args.filter.takes_all_values() && !place.is_several {
            self.write(&path.to_string(), node, notation, place, true, console)?;
            return Ok(Status::Fine);
        }
        let is_value = !node.type_name(notation).is_empty();
        let is_single = is_value && (!path.0.is_empty() || node.steps(notation).is_empty());
        let mut path = path.to_string();
        match is_single {
            true => self.write(&path, node, notation, place, true, console)?,
            false => items(node, &mut path, notation, &mut |path, item| {
                self.write(path, item, notation, place, false, console)
            })?,
        }
        Ok(Status::Fine)
    }

    /// Writes a value that was found, unless the filter leaves it out. `is_single` says that the path that was asked for names it.
    fn write(
        &mut self,
        path: &str,
        node: &dyn Node,
        notation: Notation,
        place: &Found<'_>,
        is_single: bool,
        console: &mut Console,
    ) -> io::Result<()> {
        let args = self.args;
        if !args.filter.takes(node, notation) {
            return Ok(());
        }
        self.found = self.found.saturating_add(1);
        if let Some(file) = &args.of_many {
            let origin = place.origin.map(Origin::without_file);
            let row = row::Other { file, origin: origin.as_ref(), address: place.address, path, node, notation };
            return row.write(args.form, console.out());
        }
        let is_one = place.is_one && !args.has_addresses;
        let Found { origin, address, .. } = *place;
        if args.form == Form::Plain {
            let value = Plain::new(node, notation);
            let bare = (is_single && is_one).then(|| serde_json::to_string(&value)).transpose()?;
            let text = match bare.filter(|text| !is_row(text)) {
                Some(text) => text,
                // also of a value that would be taken for one with a place
                None => {
                    let path = Some(path).filter(|path| !path.is_empty() || address.is_empty());
                    serde_json::to_string(&PlainRow { origin, address, path, value })?
                }
            };
            return writeln!(console.out(), "{text}");
        }
        if matches!(args.form, Form::Json | Form::Csv) {
            // without the types of its items, the text of a list would be that of another
            let typed = !node.steps(notation).is_empty();
            let (type_name, text) = (node.type_name(notation), node.text(Notation { typed, ..notation }));
            if args.form == Form::Csv {
                let fields = [address.into(), path.into(), type_name.into(), text.into()];
                return csv::write(&fields, console.out());
            }
            let row = serde_json::to_string(&Row { path, type_name, text })?;
            let start = match place.start.get() {
                Some(start) => start,
                None => {
                    let start = serde_json::to_string(&Start { origin, address })?;
                    place.start.get_or_init(|| start.strip_suffix('}').unwrap_or_default().to_owned())
                }
            };
            let comma = if start == "{" { "" } else { "," };
            return writeln!(console.out(), "{start}{comma}{}", row.strip_prefix('{').unwrap_or_default());
        }
        if args.form == Form::Bytes && node.bytes().is_some() {
            console.out().write_all(node.bytes().unwrap_or_default())?;
            return writeln!(console.out());
        }
        if is_single && is_one {
            return writeln!(console.out(), "{}", node.text(notation));
        }
        let address = if is_one { "" } else { address };
        let tab = if address.is_empty() { "" } else { "\t" };
        self.line.clear();
        [address, tab, path, "="].into_iter().for_each(|part| self.line.push_str(part));
        node.write_text(Notation { typed: true, ..notation }, &mut self.line);
        self.line.push('\n');
        console.out().write_all(self.line.as_bytes())
    }
}

/// Calls `each` with the values that a node holds and their paths. For a list that is not a value, the values in it.
fn items(
    node: &dyn Node,
    path: &mut String,
    notation: Notation,
    each: &mut dyn FnMut(&str, &dyn Node) -> io::Result<()>,
) -> io::Result<()> {
    let length = path.len();
    let mut one = |number, path: &mut String, append: &dyn Fn(&mut String)| {
        let Some(item) = node.item(number) else { return Ok(()) };
        append(path);
        match item.type_name(notation).is_empty() {
            true => items(item, path, notation, each)?,
            false => each(path, item)?,
        }
        path.truncate(length);
        Ok(())
    };
    match node.keys() {
        Some(keys) => {
            (0..).zip(keys).try_for_each(|(number, key)| one(number, path, &|path| Step::append_key(key, path)))
        }
        None => {
            let mut steps = (0..).zip(node.steps(notation));
            steps.try_for_each(|(number, step)| one(number, path, &|path| step.append_to(path)))
        }
    }
}

/// The attributes of an instance that hold references, with their names.
struct References(Vec<(Step, Reference)>);

/// The target of a reference.
pub struct Reference(pub String);

impl Node for References {
    fn steps(&self, _: Notation) -> Vec<Step> {
        self.0.iter().map(|(key, _)| key.clone()).collect()
    }

    fn item(&self, number: usize) -> Option<&dyn Node> {
        let (_, reference) = self.0.get(number)?;
        Some(reference)
    }

    fn contents(&self) -> Contents {
        Contents::Object
    }
}

impl Node for Reference {
    fn type_name(&self, _: Notation) -> &'static str {
        REFERENCE
    }

    fn text(&self, _: Notation) -> String {
        self.0.clone()
    }

    fn give_leaf(&self, _: Notation, to: &mut dyn Receiver) {
        to.scalar(Scalar::Text(&self.0));
    }
}

/// The location of a found value, and the path asked for in it.
struct Found<'f> {
    address: &'f str,
    origin: Option<&'f Origin<'f>>,
    /// True if it is the only value that was asked for.
    is_one: bool,
    /// True if its parts are values of their own, as the references of an instance are.
    is_several: bool,
    /// The start of its rows of JSON, once one is written.
    start: OnceCell<String>,
    path: Option<&'f str>,
}
