//! Scanning many model and place files: their attributes, tags and errors as rows.
//!
//! [`Walk`] finds the files, [`Scan`] reads one within a limit of memory, and [`Reading`] gives its [rows](Row). [`Ordered`] runs
//! this on several threads.
//!
//! ```
//! use enginewire::formats::FormatOptions;
//! use enginewire_files::scan::{is_model, Content, Scan, Walk};
//!
//! let scan = Scan::new(&FormatOptions::new(), "max_memory");
//! let mut lines = Vec::new();
//! for path in Walk::default().files([Ok("../../fixtures/roblox-model".into())].into_iter(), false, is_model).flatten() {
//!     let content = Content::File(&path);
//!     let listing = scan.list(content, scan.limit.most());
//!     let mut reading = scan.reading(&path.to_string_lossy(), content, listing);
//!     while reading.step(&mut |row| lines.push(serde_json::to_string(row).unwrap())) {}
//! }
//! assert!(lines.iter().any(|line| line.starts_with(r#"{"instance":"Workspace.Torch.Torch","class":"Part","#)));
//! ```

mod limit;
mod ordered;
mod reading;
mod row;
mod walk;

pub use limit::{size_text, thousands, Limit};
pub use ordered::{Ordered, Turn};
pub use reading::{Content, Reading, Scan};
pub use row::{text_or_hex, Fact, Problem, Row, Tags, REFERENCE};
pub use walk::{is_model, path_of, Walk, Walked};
