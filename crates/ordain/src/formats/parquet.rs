//! Parquet files as tables of text cells.

use std::fs::File;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::Path;

use parquet::file::metadata::ParquetMetaData;
use parquet::file::reader::{FileReader, SerializedFileReader};
use parquet::record::Field;

use super::source::Limits;
use super::table::{Cells, Table, check_names};
use crate::{Error, InputError, Result};

/// Reads a whole Parquet file. "Lines" are rows, from 1; nulls are empty cells. A 32-bit float becomes the exact
/// double, so the digits are those of the value, not of the shortest text that would round to it.
pub(crate) fn read(path: &Path) -> Result<Table> {
    // A decoder of a binary format trusts the file's numbers. Damage that it does not foresee must not end the process.
    catch_unwind(AssertUnwindSafe(|| read_rows(path, Limits::default())))
        .unwrap_or_else(|_| Err(damaged(path, "damaged pages")))
}

fn damaged(path: &Path, found: &str) -> Error {
    InputError::new(path, "an intact Parquet file").found(found).into()
}

fn read_rows(path: &Path, limits: Limits) -> Result<Table> {
    let wrong = |error: parquet::errors::ParquetError| damaged(path, &error.to_string());
    let io = |source| Error::Io { action: "read", path: path.to_path_buf(), source };
    let file = File::open(path).map_err(io)?;
    let taken = file.metadata().map_err(io)?.len();
    let reader = SerializedFileReader::new(file).map_err(wrong)?;
    check_declared(path, reader.metadata(), taken, limits)?;
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
        cells.check(limits, path)?;
        lines.push(line);
    }
    Ok(Table::new(path, columns, lines, cells))
}

/// Refuses a file that declares itself too large, before any of it is read. Its pages must stay in proportion, and its
/// rows (which may be many in few bytes, as equal values are written once) must fit a table. The text of the cells is
/// counted while it is read.
fn check_declared(path: &Path, metadata: &ParquetMetaData, taken: u64, limits: Limits) -> Result<()> {
    let size = |bytes: i64| u64::try_from(bytes).map_err(|_| damaged(path, "a negative size"));
    let (mut given, mut cells) = (0u64, 0u64);
    for group in metadata.row_groups() {
        for column in group.columns() {
            given = given.saturating_add(size(column.uncompressed_size())?);
        }
        cells = cells.saturating_add(size(group.num_rows())?.saturating_mul(group.num_columns() as u64));
    }
    limits.check_expansion(path, given, taken)?;
    limits.check_table(path, 0, cells)
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

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use parquet::data_type::Int64Type;
    use parquet::file::writer::SerializedFileWriter;
    use parquet::schema::parser::parse_message_type;

    use super::*;

    /// A thousand equal numbers, which take a few hundred bytes.
    #[test]
    fn what_a_file_says_of_its_size_is_checked_first() {
        let file = tempfile::NamedTempFile::new().unwrap();
        let schema = Arc::new(parse_message_type("message m { required int64 x; }").unwrap());
        let mut writer = SerializedFileWriter::new(file.reopen().unwrap(), schema, Default::default()).unwrap();
        let mut group = writer.next_row_group().unwrap();
        let mut column = group.next_column().unwrap().unwrap();
        column.typed::<Int64Type>().write_batch(&[7; 1000], None, None).unwrap();
        column.close().unwrap();
        group.close().unwrap();
        writer.close().unwrap();
        let read = |limits| read_rows(file.path(), limits);
        // A digit and 8 bytes each.
        let limits = Limits { table: 9000, ..Limits::default() };
        assert_eq!(read(limits).unwrap().len(), 1000);
        for table in [7999, 8999] {
            assert!(read(Limits { table, ..limits }).unwrap_err().to_string().contains("a table of at most"));
        }
        let error = read(Limits { free: 0, expansion: 0, ..limits }).unwrap_err();
        assert!(error.to_string().contains("from one compressed byte"), "{error}");
    }
}
