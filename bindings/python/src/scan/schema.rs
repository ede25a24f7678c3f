//! The columns of a scan, and the rows that become record batches.

use std::borrow::Cow;
use std::sync::Arc;

use arrow_array::builder::{BinaryBuilder, BooleanBuilder, Float64Builder, Int64Builder, ListBuilder, StringBuilder};
use arrow_array::{ArrayRef, RecordBatch, RecordBatchOptions};
use arrow_schema::{ArrowError, DataType, Field, Schema, SchemaRef};
use enginewire::roblox::attributes::Value;
use enginewire::roblox::model::Property;
use serde::{Serialize, Serializer};

use super::value::{bytes_of, number_of, numbers_of, text_of};

/// A batch is complete with so many rows.
const ROWS: usize = 16 << 10;

/// A batch is complete with about so many bytes.
const BYTES: usize = 4 << 20;

/// What a row takes besides its texts, roughly.
const ROW: usize = 160;

/// What is wrong with a file or a value.
#[derive(Clone, Debug, Default)]
pub struct Problem {
    pub message: String,
    pub code: &'static str,
    pub offset: Option<u64>,
    pub path: Option<String>,
}

/// The columns that are the same for all rows of a file.
#[derive(Clone, Debug)]
pub struct FileColumns {
    pub name: String,
    pub size: Option<u64>,
    pub sha256: Option<String>,
}

/// The columns that are the same for all rows of a property.
#[derive(Clone, Debug, Default)]
pub struct PropertyColumns {
    pub instance: Option<String>,
    pub class: Option<String>,
    pub referent: Option<String>,
    pub property: Option<String>,
    pub chunk_offset: Option<u64>,
    pub offset_in_chunk: Option<u64>,
    pub file_offset: Option<u64>,
}

/// What a row says.
#[derive(Debug)]
pub enum Fact<'r> {
    Attribute {
        key: String,
        value: &'r Value<'r>,
        json: Option<String>,
    },
    Tags {
        tags: Tags<'r>,
        json: Option<String>,
    },
    /// An attribute that holds a reference: the path of the instance, unless it is nil.
    Reference {
        key: String,
        target: Option<String>,
        json: Option<String>,
    },
    Problem(&'r Problem),
    /// The file has nothing to tell.
    Nothing,
}

/// The tags of a property, one after the other: a small file can have millions of them.
#[derive(Clone, Copy, Debug)]
pub struct Tags<'r>(pub &'r Property<'r>);

impl<'r> Tags<'r> {
    fn iter(self) -> impl Iterator<Item = Cow<'r, str>> {
        self.0.tags().map(|tag| String::from_utf8_lossy(tag))
    }
}

impl Serialize for Tags<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_seq(self.iter())
    }
}

/// A row.
#[derive(Debug)]
pub struct Row<'r> {
    pub file: &'r FileColumns,
    pub of: &'r PropertyColumns,
    pub fact: &'r Fact<'r>,
}

/// Declares the columns: the name, the type, what it is, and where it comes from.
macro_rules! columns {
    ($($variant:ident $name:literal $kind:ident $about:literal $get:expr;)*) => {
        /// A column.
        #[derive(Clone, Copy, Debug, PartialEq, Eq)]
        pub enum Column {
            $($variant,)*
        }

        impl Column {
            /// All columns, in their order.
            pub const ALL: &'static [Column] = &[$(Column::$variant,)*];

            /// Its name.
            pub const fn name(self) -> &'static str {
                match self {
                    $(Column::$variant => $name,)*
                }
            }

            /// What it is, in one sentence.
            pub const fn about(self) -> &'static str {
                match self {
                    $(Column::$variant => $about,)*
                }
            }

            fn builder(self) -> Builder {
                match self {
                    $(Column::$variant => Builder::$kind(Default::default()),)*
                }
            }

            fn push(self, builder: &mut Builder, row: &Row<'_>) -> usize {
                match (self, builder) {
                    $((Column::$variant, Builder::$kind(builder)) => {
                        let get: for<'r> fn(&'r Row<'r>) -> <$kind as Kind>::Item<'r> = $get;
                        <$kind as Kind>::push(builder, get(row))
                    })*
                    // each column has the builder of its type
                    _ => 0,
                }
            }
        }
    };
}

columns! {
    File "file" Text "The path or address of the file. A path that is not UTF-8 is written as {\"hex\":\"ff\"}."
        |row| Some(&row.file.name);
    FileSize "file_size" Int "The length of the file in bytes; null if it cannot be read."
        |row| row.file.size;
    Sha256 "sha256" Text "The SHA-256 of the file in lower case hexadecimal; null if it cannot be read."
        |row| row.file.sha256.as_deref();
    Instance "instance" Text "The full name of the instance, such as Workspace.Torch."
        |row| row.of.instance.as_deref();
    Class "class" Text "Its class."
        |row| row.of.class.as_deref();
    Referent "referent" Text "How the file refers to it, which tells namesakes apart."
        |row| row.of.referent.as_deref();
    Property "property" Text "The property that holds the attribute, or Tags."
        |row| row.of.property.as_deref();
    Key "key" Text "The name of the attribute. A name that is not UTF-8 is written as {\"hex\":\"ff\"}."
        |row| match row.fact { Fact::Attribute { key, .. } | Fact::Reference { key, .. } => Some(key), _ => None };
    Type "type" Text "The type of the value, such as Vector3; Reference for an attribute that refers to an instance."
        |row| match row.fact { Fact::Reference { .. } => Some("Reference"), _ => row.value().map(|value| value.type_id().name()) };
    ValueBool "value_bool" Bool "The value of a Bool."
        |row| row.value().and_then(Value::as_bool);
    ValueNumber "value_number" Float "The value of an Int, Float, Double, BrickColor or EnumItem, exactly."
        |row| row.value().and_then(number_of);
    ValueText "value_text" Text "The value of a String that is UTF-8; the enum of an EnumItem; the family of a Font; the path of the instance of a Reference."
        |row| match row.fact { Fact::Reference { target, .. } => target.as_deref(), _ => row.value().and_then(text_of) };
    ValueBytes "value_bytes" Binary "The value of a String that is not UTF-8."
        |row| row.value().and_then(bytes_of);
    ValueNumbers "value_numbers" Floats
        "The numbers of any other value in the order of its fields, such as x, y, z; a CFrame has 3 for the position and 9 for the rows of its rotation, keypoints follow one another."
        |row| row.value().and_then(numbers_of);
    ValueTags "value_tags" Texts "The tags of the instance, in a row of the property Tags."
        |row| match row.fact { Fact::Tags { tags, .. } => Some(*tags), _ => None };
    ValueJson "value_json" Text "The value, or the list of tags, as JSON without loss."
        |row| match row.fact { Fact::Attribute { json, .. } | Fact::Reference { json, .. } | Fact::Tags { json, .. } => json.as_deref(), _ => None };
    ChunkOffset "chunk_offset" Int "The byte of the file where the chunk of the property begins; null in XML."
        |row| row.of.chunk_offset;
    OffsetInChunk "offset_in_chunk" Int "The byte of the uncompressed chunk where the property begins; null in XML."
        |row| row.of.offset_in_chunk;
    FileOffset "file_offset" Int "The byte of the file where the property begins; null if it is compressed."
        |row| row.of.file_offset;
    Error "error" Text "What is wrong with the file or the value."
        |row| row.problem().map(|problem| &*problem.message);
    ErrorCode "error_code" Text "A short name of this kind of error, which stays the same from version to version."
        |row| row.problem().map(|problem| problem.code);
    ErrorOffset "error_offset" Int "The byte with the error, counted from the start of the property, or of the file where no property is named."
        |row| row.problem().and_then(|problem| problem.offset);
    ErrorPath "error_path" Text "The field at fault."
        |row| row.problem().and_then(|problem| problem.path.as_deref());
}

impl<'r> Row<'r> {
    fn value(&self) -> Option<&'r Value<'r>> {
        match self.fact {
            Fact::Attribute { value, .. } => Some(value),
            _ => None,
        }
    }

    fn problem(&self) -> Option<&'r Problem> {
        match self.fact {
            Fact::Problem(problem) => Some(problem),
            _ => None,
        }
    }
}

/// The columns that are asked for.
#[derive(Clone, Debug)]
pub struct Columns {
    list: Arc<[Column]>,
    schema: SchemaRef,
}

impl Columns {
    /// The columns of these names, or all. The error is the name of one that does not exist.
    pub fn new(names: Option<&[String]>) -> Result<Self, String> {
        let list: Vec<Column> = match names {
            None => Column::ALL.to_vec(),
            Some(names) => {
                let find = |name: &String| Column::ALL.iter().find(|column| column.name() == name).ok_or(name.clone());
                names.iter().map(|name| find(name).copied()).collect::<Result<_, _>>()?
            }
        };
        let fields: Vec<_> = list.iter().map(|column| column.field()).collect();
        Ok(Columns { list: list.into(), schema: Arc::new(Schema::new(fields)) })
    }

    pub fn schema(&self) -> SchemaRef {
        self.schema.clone()
    }

    pub fn has(&self, column: Column) -> bool {
        self.list.contains(&column)
    }
}

impl Column {
    fn field(self) -> Field {
        let kind = match self.builder() {
            Builder::Text(_) => DataType::Utf8,
            Builder::Int(_) => DataType::Int64,
            Builder::Bool(_) => DataType::Boolean,
            Builder::Float(_) => DataType::Float64,
            Builder::Binary(_) => DataType::Binary,
            Builder::Floats(_) => DataType::new_list(DataType::Float64, true),
            Builder::Texts(_) => DataType::new_list(DataType::Utf8, true),
        };
        // Spark compares whether columns are nullable, and those of its users are
        Field::new(self.name(), kind, true)
    }
}

/// What a column is built with.
#[derive(Debug)]
enum Builder {
    Text(StringBuilder),
    Int(Int64Builder),
    Bool(BooleanBuilder),
    Float(Float64Builder),
    Binary(BinaryBuilder),
    Floats(ListBuilder<Float64Builder>),
    Texts(ListBuilder<StringBuilder>),
}

impl Builder {
    fn finish(&mut self) -> ArrayRef {
        match self {
            Builder::Text(builder) => Arc::new(builder.finish()),
            Builder::Int(builder) => Arc::new(builder.finish()),
            Builder::Bool(builder) => Arc::new(builder.finish()),
            Builder::Float(builder) => Arc::new(builder.finish()),
            Builder::Binary(builder) => Arc::new(builder.finish()),
            Builder::Floats(builder) => Arc::new(builder.finish()),
            Builder::Texts(builder) => Arc::new(builder.finish()),
        }
    }
}

/// A type of columns: how an item is added, and how many bytes it takes.
trait Kind {
    type Builder;
    type Item<'i>;
    fn push(builder: &mut Self::Builder, item: Self::Item<'_>) -> usize;
}

macro_rules! kinds {
    ($($kind:ident $builder:ty, $item:ty, |$to:ident, $from:ident| $push:expr;)*) => {$(
        struct $kind;

        impl Kind for $kind {
            type Builder = $builder;
            type Item<'i> = Option<$item>;

            fn push($to: &mut Self::Builder, $from: Self::Item<'_>) -> usize {
                $push
            }
        }
    )*};
}

kinds! {
    Text StringBuilder, &'i str, |to, item| {
        to.append_option(item);
        item.map_or(0, str::len)
    };
    Int Int64Builder, u64, |to, item| {
        // no file is longer than an i64 says
        to.append_option(item.and_then(|item| i64::try_from(item).ok()));
        0
    };
    Bool BooleanBuilder, bool, |to, item| {
        to.append_option(item);
        0
    };
    Float Float64Builder, f64, |to, item| {
        to.append_option(item);
        0
    };
    Binary BinaryBuilder, &'i [u8], |to, item| {
        to.append_option(item);
        item.map_or(0, <[u8]>::len)
    };
    Floats ListBuilder<Float64Builder>, Vec<f64>, |to, item| {
        let length = item.as_ref().map_or(0, Vec::len);
        if let Some(item) = &item {
            to.values().append_slice(item);
        }
        to.append(item.is_some());
        length.saturating_mul(8)
    };
    Texts ListBuilder<StringBuilder>, Tags<'i>, |to, item| {
        let mut length = 0usize;
        for tag in item.into_iter().flat_map(Tags::iter) {
            length = length.saturating_add(tag.len()).saturating_add(4);
            to.values().append_value(tag);
        }
        to.append(item.is_some());
        length
    };
}

/// Rows that become a batch.
#[derive(Debug)]
pub struct Rows {
    columns: Columns,
    builders: Vec<Builder>,
    rows: usize,
    bytes: usize,
}

impl Rows {
    pub fn new(columns: &Columns) -> Self {
        let builders = columns.list.iter().map(|column| column.builder()).collect();
        Rows { columns: columns.clone(), builders, rows: 0, bytes: 0 }
    }

    pub fn has(&self, column: Column) -> bool {
        self.columns.has(column)
    }

    pub fn push(&mut self, row: &Row<'_>) {
        self.rows += 1;
        self.bytes = self.bytes.saturating_add(ROW);
        for (column, builder) in self.columns.list.iter().zip(&mut self.builders) {
            self.bytes = self.bytes.saturating_add(column.push(builder, row));
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
        let columns = self.builders.iter_mut().map(Builder::finish).collect();
        let options = RecordBatchOptions::new().with_row_count(Some(self.rows));
        (self.rows, self.bytes) = (0, 0);
        RecordBatch::try_new_with_options(self.columns.schema(), columns, &options)
    }
}
