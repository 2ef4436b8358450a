//! Columns of one byte per cell in a temporary file, written column by column and read back in any order.

use crate::scratch::Scratch;
use std::io::{self, Read, Write};
use std::ops::Range;
use std::path::Path;

/// Columns of bytes that are not held in memory. The file has no name, and nothing of it stays.
#[derive(Debug)]
pub struct ByteColumns {
    rows: usize,
    columns: usize,
    file: Scratch,
    buffer: Vec<u8>,
}

impl ByteColumns {
    /// No column yet, of this many rows. The file is in `folder`, or in the system's folder for temporary files.
    pub fn new(rows: usize, folder: Option<&Path>) -> io::Result<Self> {
        Ok(Self { rows, columns: 0, file: Scratch::new(folder)?, buffer: Vec::new() })
    }

    /// How many columns there are.
    pub fn columns(&self) -> usize {
        self.columns
    }

    /// One more column.
    pub fn push(&mut self, column: &[u8]) -> io::Result<()> {
        if column.len() != self.rows {
            return Err(io::Error::other(format!("{} cells for {} rows", column.len(), self.rows)));
        }
        self.file.write_all(column)?;
        self.columns += 1;
        Ok(())
    }

    /// Some rows of a column.
    pub fn read(&mut self, column: usize, rows: Range<usize>) -> io::Result<&[u8]> {
        let (first, end) = ((column * self.rows + rows.start) as u64, (column * self.rows + rows.end) as u64);
        self.buffer.resize(rows.len(), 0);
        self.file.reader(first, end).read_exact(&mut self.buffer)?;
        Ok(&self.buffer)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn columns_come_back_in_any_order() {
        let mut columns = ByteColumns::new(5, None).unwrap();
        columns.push(b"01234").unwrap();
        columns.push(b"abcde").unwrap();
        assert_eq!(columns.read(1, 1..3).unwrap(), b"bc");
        assert_eq!(columns.read(0, 0..5).unwrap(), b"01234");
        assert_eq!(columns.columns(), 2);
        assert!(columns.push(b"four").is_err() && columns.read(2, 0..1).is_err());
    }
}
