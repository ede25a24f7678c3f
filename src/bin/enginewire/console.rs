//! Where output goes: data to standard output, everything else to standard error.

use std::fmt::Display;
use std::io::{self, BufWriter, Write};

use anstream::{AutoStream, ColorChoice};

use crate::args::{Color, Common};
use crate::styles::ERROR;
use crate::words::escaped;

/// Standard output, buffered, and standard error, kept in order.
pub struct Console<'c> {
    out: Box<dyn Write>,
    common: &'c Common,
}

impl<'c> Console<'c> {
    /// Output that is passed on as it is.
    pub fn plain(common: &'c Common) -> Self {
        Console { out: Box::new(BufWriter::new(io::stdout().lock())), common }
    }

    /// Output with styles in it, which are taken out where they are not wanted. Not for data: control characters go too.
    pub fn painted(common: &'c Common) -> Self {
        let out = AutoStream::new(io::stdout().lock(), common.color.into());
        Console { out: Box::new(BufWriter::new(out)), common }
    }

    /// Standard output.
    pub fn out(&mut self) -> &mut dyn Write {
        &mut self.out
    }

    pub fn flush(&mut self) -> io::Result<()> {
        self.out.flush()
    }

    /// Tells of an error, after everything that was written before it.
    pub fn error(&mut self, message: impl Display) -> io::Result<()> {
        self.out.flush()?;
        complain(self.common, message);
        Ok(())
    }

    /// Tells something that is no data and no error.
    pub fn remark(&mut self, message: impl Display) -> io::Result<()> {
        self.out.flush()?;
        if !self.common.quiet {
            // who closed standard error does not want to know
            let _ = writeln!(io::stderr(), "{}", escaped(message));
        }
        Ok(())
    }
}

/// Tells of an error, unless asked to be quiet.
pub fn complain(common: &Common, message: impl Display) {
    if common.quiet {
        return;
    }
    // what a file says may stand in it
    let message: Vec<_> = message.to_string().trim_end().split('\n').map(escaped).collect();
    let mut stderr = AutoStream::new(io::stderr().lock(), common.color.into());
    // who closed standard error does not want to know
    let _ = writeln!(stderr, "{ERROR}error:{ERROR:#} {}", message.join("\n"));
}

impl From<Color> for ColorChoice {
    fn from(color: Color) -> Self {
        match color {
            Color::Auto => ColorChoice::Auto,
            Color::Always => ColorChoice::Always,
            Color::Never => ColorChoice::Never,
        }
    }
}
