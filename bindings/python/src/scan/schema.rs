//! The columns of a scan, and the rows that become record batches.

use std::borrow::Cow;
use std::sync::Arc;

use arrow_array::builder::{
    ArrayBuilder, BinaryBuilder, BooleanBuilder, Float64Builder, Int64Builder, ListBuilder, StringBuilder,
};
use arrow_array::{RecordBatch, RecordBatchOptions};
use arrow_schema::{ArrowError, Field, Schema, SchemaRef};
use enginewire::roblox::attributes::Value;
use enginewire_files::scan::{Fact, Problem, Row, Tags};

use super::value::{bytes_of, number_of, numbers_of, text_of};

/// A batch is complete with this many rows.
const ROWS: usize = 16 << 10;

/// A batch is complete with about this many bytes.
const BYTES: usize = 4 << 20;

/// The approximate size of a row without its texts, in bytes.
const ROW: usize = 160;

/// The columns that are the same for all rows of a file.
#[derive(Clone, Debug, Default)]
pub struct FileColumns {
    pub name: String,
    pub size: Option<u64>,
    pub sha256: Option<String>,
}

/// The value of a row in a column.
#[derive(Debug)]
enum Item<'r> {
    Text(Option<Cow<'r, str>>),
    Int(Option<u64>),
    Bool(Option<bool>),
    Float(Option<f64>),
    Binary(Option<&'r [u8]>),
    Floats(Option<Vec<f64>>),
    Texts(Option<Tags<'r>>),
}

/// A column.
#[derive(Debug)]
pub struct Column {
    pub name: &'static str,
    /// Its description, in one sentence.
    pub about: &'static str,
    get: for<'r> fn(&'r FileColumns, &'r Row<'_>) -> Item<'r>,
}

/// Declares the columns: the name, the type, a description, and the expression for the value.
macro_rules! columns {
    (|$file:ident, $row:ident| $($name:literal $kind:ident $about:literal $get:expr;)*) => {
        /// All columns, in their order.
        #[allow(unused_variables)]
        pub const COLUMNS: &[Column] =
            &[$(Column { name: $name, about: $about, get: |$file, $row| Item::$kind($get) }),*];
    };
}

columns! { |file, row|
    "file" Text "The path or address of the file. A path that is not UTF-8 is written as {\"hex\":\"ff\"}."
        Some((&*file.name).into());
    "file_size" Int "The length of the file in bytes; null if it cannot be read."
        file.size;
    "sha256" Text "The SHA-256 of the file in lower case hexadecimal; null if it cannot be read."
        file.sha256.as_deref().map(Cow::from);
    "instance" Text "The address of the instance, such as Workspace.Torch."
        row.owner("instance").map(Cow::from);
    "class" Text "Its class."
        row.owner("class").map(Cow::from);
    "referent" Text "How the file refers to it, which tells namesakes apart."
        row.owner("referent").map(Cow::from);
    "property" Text "The property that holds the attribute, or Tags."
        row.owner("property").map(Cow::from);
    "key" Text "The name of the attribute. A name that is not UTF-8 is written as {\"hex\":\"ff\"}."
        row.key();
    "type" Text "The type of the value, such as Vector3; Reference for an attribute that refers to an instance."
        row.type_name().map(Cow::from);
    "value_bool" Bool "The value of a Bool."
        value(row).and_then(Value::as_bool);
    "value_number" Float "The value of an Int, Float, Double, BrickColor or EnumItem, exactly."
        value(row).and_then(number_of);
    "value_text" Text "The value of a String that is UTF-8; the enum of an EnumItem; the family of a Font; the path of the instance of a Reference."
        match &row.fact { Fact::Reference { target, .. } => target.as_deref(), _ => value(row).and_then(text_of) }.map(Cow::from);
    "value_bytes" Binary "The value of a String that is not UTF-8."
        value(row).and_then(bytes_of);
    "value_numbers" Floats
        "The numbers of any other value in the order of its fields, such as x, y, z; a CFrame has 3 for the position and 9 for the rows of its rotation, keypoints follow one another."
        value(row).and_then(numbers_of);
    "value_tags" Texts "The tags of the instance, in a row of the property Tags."
        match row.fact { Fact::Tags(tags) => Some(tags), _ => None };
    "value_json" Text "The value, or the list of tags, as JSON without loss."
        row.value_json().ok().flatten().map(Cow::from);
    "chunk_offset" Int "The byte of the file where the chunk of the property begins; null in XML."
        row.offsets()[0];
    "offset_in_chunk" Int "The byte of the uncompressed chunk where the property begins; null in XML."
        row.offsets()[1];
    "file_offset" Int "The byte of the file where the property begins; null if it is compressed."
        row.offsets()[2];
    "error" Text "What is wrong with the file or the value."
        row.problem().map(Problem::message);
    "error_code" Text "A short name of this kind of error, which stays the same from version to version."
        row.problem().map(|problem| problem.code().into());
    "error_offset" Int "The byte with the error, counted from the start of the property, or of the file where no property is named."
        row.problem().and_then(Problem::offset);
    "error_path" Text "The field at fault."
        row.problem().and_then(Problem::path).map(Cow::from);
}

fn value<'r>(row: &'r Row<'_>) -> Option<&'r Value<'r>> {
    match &row.fact {
        Fact::Attribute(entry) => Some(&entry.value),
        _ => None,
    }
}

/// The columns that are asked for.
#[derive(Clone, Debug)]
pub struct Columns {
    list: Arc<[&'static Column]>,
    schema: SchemaRef,
    filter: Arc<[(&'static Column, Vec<String>)]>,
}

impl Columns {
    /// The columns of these names, or all, and the texts in columns that choose rows. Fails for an unknown column or one without text.
    pub fn new(names: Option<&[String]>, filter: Vec<(String, Vec<String>)>) -> Result<Self, String> {
        let find = |name: &String| {
            COLUMNS.iter().find(|column| column.name == name).ok_or_else(|| {
                let known: Vec<_> = COLUMNS.iter().map(|column| column.name).collect();
                format!("unknown column {name:?}; expected some of {}", known.join(", "))
            })
        };
        let list: Vec<&Column> = match names {
            None => COLUMNS.iter().collect(),
            Some(names) => names.iter().map(find).collect::<Result<_, _>>()?,
        };
        let filter = filter.into_iter().map(|(name, texts)| match find(&name)? {
            column if column.builder().as_any().is::<StringBuilder>() => Ok((column, texts)),
            _ => Err(format!("the column {name:?} cannot filter rows, because it has no text")),
        });
        let filter = filter.collect::<Result<_, _>>()?;
        // Spark compares whether columns are nullable, and those of its users are
        let field = |column: &&Column| Field::new(column.name, column.builder().finish().data_type().clone(), true);
        let schema = Schema::new(list.iter().map(field).collect::<Vec<_>>());
        Ok(Columns { list: list.into(), schema: Arc::new(schema), filter })
    }

    pub fn schema(&self) -> SchemaRef {
        self.schema.clone()
    }

    /// Returns true if the row passes the filter. Errors always pass: without them, a broken file would look like an empty one.
    fn takes(&self, file: &FileColumns, row: &Row<'_>) -> bool {
        let fits = |(column, texts): &(&Column, Vec<String>)| match (column.get)(file, row) {
            Item::Text(Some(text)) => texts.iter().any(|wanted| *wanted == text),
            _ => false,
        };
        row.problem().is_some() || self.filter.iter().all(fits)
    }

    pub fn has(&self, name: &str) -> bool {
        self.list.iter().any(|column| column.name == name)
    }
}

impl Column {
    /// A builder for its values.
    fn builder(&self) -> Box<dyn ArrayBuilder> {
        match (self.get)(&FileColumns::default(), &Row::of_file(Fact::Nothing)) {
            Item::Text(_) => Box::<StringBuilder>::default(),
            Item::Int(_) => Box::<Int64Builder>::default(),
            Item::Bool(_) => Box::<BooleanBuilder>::default(),
            Item::Float(_) => Box::<Float64Builder>::default(),
            Item::Binary(_) => Box::<BinaryBuilder>::default(),
            Item::Floats(_) => Box::<ListBuilder<Float64Builder>>::default(),
            Item::Texts(_) => Box::<ListBuilder<StringBuilder>>::default(),
        }
    }
}

impl Item<'_> {
    /// Adds it to the builder of its column. How many bytes it takes besides those of every row.
    fn add_to(self, builder: &mut dyn ArrayBuilder) -> Option<usize> {
        let builder = builder.as_any_mut();
        let bytes = match &self {
            Item::Text(item) => item.as_ref().map(|item| item.len()),
            Item::Binary(item) => item.map(<[u8]>::len),
            Item::Floats(item) => item.as_ref().map(|item| item.len().saturating_mul(8)),
            Item::Texts(item) => Some(item.iter().flat_map(|tags| tags.iter()).map(|tag| tag.len() + 4).sum()),
            Item::Int(_) | Item::Bool(_) | Item::Float(_) => None,
        };
        match self {
            Item::Text(item) => builder.downcast_mut::<StringBuilder>()?.append_option(item),
            Item::Binary(item) => builder.downcast_mut::<BinaryBuilder>()?.append_option(item),
            Item::Bool(item) => builder.downcast_mut::<BooleanBuilder>()?.append_option(item),
            Item::Float(item) => builder.downcast_mut::<Float64Builder>()?.append_option(item),
            // no file is longer than an i64 says
            Item::Int(item) => {
                builder.downcast_mut::<Int64Builder>()?.append_option(item.and_then(|item| item.try_into().ok()))
            }
            Item::Floats(item) => {
                let builder = builder.downcast_mut::<ListBuilder<Float64Builder>>()?;
                builder.values().append_slice(item.as_deref().unwrap_or_default());
                builder.append(item.is_some());
            }
            Item::Texts(item) => {
                let builder = builder.downcast_mut::<ListBuilder<StringBuilder>>()?;
                item.into_iter().flat_map(Tags::iter).for_each(|tag| builder.values().append_value(tag));
                builder.append(item.is_some());
            }
        }
        bytes
    }
}

/// Rows that become a batch.
pub struct Rows {
    columns: Columns,
    builders: Vec<Box<dyn ArrayBuilder>>,
    rows: usize,
    bytes: usize,
}

impl Rows {
    pub fn new(columns: &Columns) -> Self {
        let builders = columns.list.iter().map(|column| column.builder()).collect();
        Rows { columns: columns.clone(), builders, rows: 0, bytes: 0 }
    }

    pub fn push(&mut self, file: &FileColumns, row: &Row<'_>) {
        if !self.columns.takes(file, row) {
            return;
        }
        self.rows += 1;
        self.bytes = self.bytes.saturating_add(ROW);
        for (column, builder) in self.columns.list.iter().zip(&mut self.builders) {
            let length = (column.get)(file, row).add_to(&mut **builder);
            self.bytes = self.bytes.saturating_add(length.unwrap_or_default());
        }
    }

    pub fn is_empty(&self) -> bool {
        self.rows == 0
    }

    pub fn is_full(&self) -> bool {
        self.rows >= ROWS || self.bytes >= BYTES
    }

    /// All rows so far as a batch.
    pub fn take(&mut self) -> Result<RecordBatch, ArrowError> {
        let columns = self.builders.iter_mut().map(|builder| builder.finish()).collect();
        let options = RecordBatchOptions::new().with_row_count(Some(self.rows));
        (self.rows, self.bytes) = (0, 0);
        RecordBatch::try_new_with_options(self.columns.schema(), columns, &options)
    }
}
