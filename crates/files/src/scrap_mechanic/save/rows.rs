//! The rows of a save, read one by one.

use rusqlite::params;

use super::error::SaveError;
use super::row::{Row, Stored};
use super::Layout;
use super::Save;
use enginewire::budget::Budget;

/// The number of rows of a table that are looked up at once.
const BATCH: usize = 256;

/// The rows of a save.
pub(super) struct Rows<'s> {
    snapshot: Snapshot<'s>,
    tables: std::slice::Iter<'s, (&'static str, Layout)>,
    scan: Option<Scan>,
}

/// Some rows of a table.
struct Scan {
    table: &'static str,
    layout: Layout,
    /// Their numbers and sizes.
    found: std::vec::IntoIter<(i64, i64)>,
    /// The number after which there may be more, or an error that comes after them.
    next: Result<Option<i64>, SaveError>,
}

impl<'s> Rows<'s> {
    pub(super) fn of(save: &'s Save) -> Result<Self, SaveError> {
        Ok(Rows { snapshot: Snapshot::of(save)?, tables: save.tables.iter(), scan: None })
    }
}

impl Iterator for Rows<'_> {
    type Item = Result<Row, SaveError>;

    fn next(&mut self) -> Option<Result<Row, SaveError>> {
        let save = self.snapshot.save;
        loop {
            let Some(scan) = &mut self.scan else {
                let Some((table, layout)) = self.tables.next() else {
                    // nothing more comes after an error
                    return self.snapshot.end().err().map(Err);
                };
                self.scan = Some(save.scan(table, *layout, None));
                continue;
            };
            let (table, layout) = (scan.table, scan.layout);
            if let Some((rowid, size)) = scan.found.next() {
                return Some(save.read(table, layout, rowid, size, false));
            }
            match std::mem::replace(&mut scan.next, Ok(None)) {
                Ok(Some(last)) => self.scan = Some(save.scan(table, layout, Some(last))),
                Ok(None) => self.scan = None,
                Err(error) => return Some(Err(error)),
            }
        }
    }
}

/// Keeps the database as it is, to be read statement by statement.
pub(super) struct Snapshot<'s> {
    save: &'s Save,
    is_exhausted: bool,
}

impl<'s> Snapshot<'s> {
    pub(super) fn of(save: &'s Save) -> Result<Self, SaveError> {
        if save.readers.get() == 0 {
            save.database.ask(|connection| connection.execute_batch("BEGIN"))?;
        }
        save.readers.set(save.readers.get().saturating_add(1));
        let snapshot = Snapshot { save, is_exhausted: false };
        // the moment is that of the first statement
        let first = "SELECT count(*) FROM sqlite_schema";
        save.database.ask(|connection| connection.query_row(first, [], |_| Ok(())))?;
        Ok(snapshot)
    }

    /// Fails if the database did not stay as it was. Only the first call checks.
    fn end(&mut self) -> Result<(), SaveError> {
        if std::mem::replace(&mut self.is_exhausted, true) {
            return Ok(());
        }
        self.save.database.still_same()
    }
}

impl Drop for Snapshot<'_> {
    fn drop(&mut self) {
        let left = self.save.readers.get().saturating_sub(1);
        self.save.readers.set(left);
        if left == 0 {
            // nothing was written
            let _ = self.save.database.ask(|connection| connection.execute_batch("ROLLBACK"));
        }
    }
}

impl Save {
    /// The next rows after this number. In a damaged table numbers do not ascend, and rows could come twice or not at all.
    fn scan(&self, table: &'static str, layout: Layout, after: Option<i64>) -> Scan {
        let mut found = Vec::new();
        let read = self.seek(table, after.unwrap_or(i64::MIN), BATCH, &mut found);
        let is_full = found.len() == BATCH;
        let mut ordered = Vec::with_capacity(found.len());
        // the one that the last rows ended with is the first of these
        let mut last = after;
        let starts_there = after.is_none_or(|after| found.first().is_some_and(|(rowid, _)| *rowid == after));
        for row in found.drain(..).skip(usize::from(after.is_some())) {
            if !starts_there || last.is_some_and(|last| last >= row.0) {
                break;
            }
            last = Some(row.0);
            ordered.push(row);
        }
        let counted = ordered.len().saturating_add(usize::from(after.is_some()));
        let next = match read {
            Err(error) => Err(error),
            Ok(count) if !starts_there || count != counted => {
                Err(SaveError::Damaged(format!("the rows of {table} are not in order")))
            }
            Ok(_) => Ok(last.filter(|_| is_full)),
        };
        Scan { table, layout, found: ordered.into_iter(), next }
    }

    /// The numbers and sizes of the first rows from this number on, as far as they can be read, and how many they are.
    pub(super) fn seek(
        &self,
        table: &str,
        from: i64,
        most: usize,
        found: &mut Vec<(i64, i64)>,
    ) -> Result<usize, SaveError> {
        let rows = format!("SELECT rowid, octet_length(data) FROM {table} WHERE rowid >= ?1 ORDER BY rowid LIMIT ?2");
        self.database.ask(|connection| {
            let mut statement = connection.prepare_cached(&rows)?;
            let mut rows = statement.query(params![from, i64::try_from(most).unwrap_or(i64::MAX)])?;
            while let Some(row) = rows.next()? {
                found.push((row.get(0)?, row.get::<_, Option<i64>>(1)?.unwrap_or_default()));
            }
            Ok(found.len())
        })
    }

    /// The row with this number. One whose column `data` is not bytes is an error, or with `any` has none.
    pub(super) fn read(
        &self,
        table: &'static str,
        layout: Layout,
        rowid: i64,
        size: i64,
        any: bool,
    ) -> Result<Row, SaveError> {
        let fits = Budget::new(self.max_memory).room_for(usize::try_from(size).unwrap_or(usize::MAX));
        let unreadable = |error: SaveError| SaveError::Unreadable { table, rowid, error: Box::new(error) };
        fits.map_err(|error| unreadable(error.into()))?;
        let data = self.database.ask(|connection| {
            let mut statement = connection.prepare_cached(&format!("SELECT data FROM {table} WHERE rowid = ?1"))?;
            statement.query_row([rowid], |row| match row.get::<_, Option<Vec<u8>>>(0) {
                Err(_) if any => Ok(None),
                data => data,
            })
        });
        let data = data.map_err(|error| match error {
            error @ SaveError::Database(_) => unreadable(error),
            other => other,
        })?;
        let stored = if data.is_some() { Stored::Bytes } else { Stored::Other };
        Ok(self.row_of((table, layout), rowid, data.unwrap_or_default(), stored))
    }
}
