//! Parquet files as tables of text cells.

use std::fs::File;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::Path;

use parquet::file::reader::{FileReader, SerializedFileReader};
use parquet::record::Field;

use super::table::{Cells, Table, check_names};
use crate::{Error, InputError, Result};

/// Reads a whole Parquet file. "Lines" are rows, from 1; nulls are empty cells; floats of 32 bits become the exact
/// double, so the digits are those of the value and not of the shortest text that would round to it.
pub(crate) fn read(path: &Path) -> Result<Table> {
    // A decoder of a binary format indexes by what the file says; damage that it does not foresee must not end the process.
    catch_unwind(AssertUnwindSafe(|| read_rows(path))).unwrap_or_else(|_| Err(damaged(path, "damaged pages")))
}

fn damaged(path: &Path, found: &str) -> Error {
    InputError::new(path, "an intact Parquet file").found(found).into()
}

fn read_rows(path: &Path) -> Result<Table> {
    let wrong = |error: parquet::errors::ParquetError| damaged(path, &error.to_string());
    let file = File::open(path).map_err(|source| Error::Io { action: "read", path: path.to_path_buf(), source })?;
    let reader = SerializedFileReader::new(file).map_err(wrong)?;
    let fields = reader.metadata().file_metadata().schema_descr().root_schema().get_fields().to_vec();
    let columns: Vec<String> = fields.iter().map(|field| field.name().to_owned()).collect();
    check_names(path, 1, &columns)?;
    let mut lines = Vec::new();
    let mut cells = Cells::default();
    for (number, row) in reader.get_row_iter(None).map_err(wrong)?.enumerate() {
        let row = row.map_err(wrong)?;
        let line = number as u64 + 1;
        let mut seen = 0;
        for (name, field) in row.get_column_iter() {
            cells.push(&cell(field).map_err(|expected| {
                Error::from(InputError::new(path, expected).line(line).column(name).found(field.to_string()))
            })?);
            seen += 1;
        }
        if seen != columns.len() {
            return Err(damaged(path, &format!("{seen} values in row {line}")));
        }
        lines.push(line);
    }
    Ok(Table::new(path, columns, lines, cells))
}

fn cell(field: &Field) -> std::result::Result<String, &'static str> {
    Ok(match field {
        Field::Null => String::new(),
        Field::Str(text) => text.clone(),
        Field::Float(value) => f64::from(*value).to_string(),
        Field::Float16(value) => f64::from(*value).to_string(),
        Field::Double(value) => value.to_string(),
        Field::Bytes(bytes) => std::str::from_utf8(bytes.data()).map_err(|_| "UTF-8 text")?.to_owned(),
        Field::Group(_) | Field::ListInternal(_) | Field::MapInternal(_) => return Err("a flat value"),
        Field::Bool(value) => value.to_string(),
        Field::Byte(value) => value.to_string(),
        Field::Short(value) => value.to_string(),
        Field::Int(value) => value.to_string(),
        Field::Long(value) => value.to_string(),
        Field::UByte(value) => value.to_string(),
        Field::UShort(value) => value.to_string(),
        Field::UInt(value) => value.to_string(),
        Field::ULong(value) => value.to_string(),
        other => other.to_string(),
    })
}
