//! Colours by kind.

use anstyle::{AnsiColor, Style};

pub const PLAIN: Style = Style::new();
pub const DIM: Style = Style::new().dimmed();
pub const BOLD: Style = Style::new().bold();
pub const KEY: Style = AnsiColor::Blue.on_default().bold();
pub const NUMBER: Style = AnsiColor::Cyan.on_default();
pub const STRING: Style = AnsiColor::Green.on_default();
pub const ID: Style = AnsiColor::Magenta.on_default();
pub const NOTE: Style = AnsiColor::Yellow.on_default();
pub const ERROR: Style = AnsiColor::Red.on_default().bold();
pub const WARNING: Style = AnsiColor::Yellow.on_default().bold();
pub const ADDED: Style = AnsiColor::Green.on_default();
pub const REMOVED: Style = AnsiColor::Red.on_default();
pub const CHANGED: Style = AnsiColor::Yellow.on_default();
