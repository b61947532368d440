//! Parquet as tables.

use std::sync::Arc;

use ordain::formats::{ItemsSpec, Table, read_items};
use parquet::data_type::{ByteArray, ByteArrayType, DoubleType, FloatType, Int64Type};
use parquet::file::writer::SerializedFileWriter;
use parquet::schema::parser::parse_message_type;

use crate::{Folder, input};

pub fn bytes(ids: &[&str], x: &[f64], small: &[f32], n: &[Option<i64>]) -> Vec<u8> {
    let schema = "message m { required binary id (UTF8); required double x; required float s; optional int64 n; }";
    let mut out = Vec::new();
    let schema = Arc::new(parse_message_type(schema).unwrap());
    let mut writer = SerializedFileWriter::new(&mut out, schema, Default::default()).unwrap();
    let mut group = writer.next_row_group().unwrap();
    let ids: Vec<ByteArray> = ids.iter().map(|id| ByteArray::from(*id)).collect();
    let mut column = group.next_column().unwrap().unwrap();
    column.typed::<ByteArrayType>().write_batch(&ids, None, None).unwrap();
    column.close().unwrap();
    let mut column = group.next_column().unwrap().unwrap();
    column.typed::<DoubleType>().write_batch(x, None, None).unwrap();
    column.close().unwrap();
    let mut column = group.next_column().unwrap().unwrap();
    column.typed::<FloatType>().write_batch(small, None, None).unwrap();
    column.close().unwrap();
    let levels: Vec<i16> = n.iter().map(|n| i16::from(n.is_some())).collect();
    let known: Vec<i64> = n.iter().flatten().copied().collect();
    let mut column = group.next_column().unwrap().unwrap();
    column.typed::<Int64Type>().write_batch(&known, Some(&levels), None).unwrap();
    column.close().unwrap();
    group.close().unwrap();
    writer.close().unwrap();
    out
}

#[test]
fn parquet_comes_back() {
    let folder = Folder::new();
    let path = folder.write("items.parquet", bytes(&["a", "b"], &[0.1, -1e-300], &[0.1, 2.0], &[Some(i64::MAX), None]));
    let table = Table::read(&path).unwrap();
    assert_eq!(table.columns(), ["id", "x", "s", "n"]);
    assert_eq!(table.cell(0, 3), "9223372036854775807");
    assert_eq!(table.cell(1, 3), "");
    let spec = ItemsSpec { attributes: Some(vec!["x".into(), "s".into()]), ..ItemsSpec::default() };
    let items = read_items(&path, &spec).unwrap().items;
    assert_eq!(items.attributes().row(0), [0.1, f64::from(0.1f32)]);
    assert_eq!(items.attributes().row(1), [-1e-300, 2.0]);
}

#[test]
fn a_damaged_file_is_an_error() {
    let folder = Folder::new();
    let whole = bytes(&["a", "b"], &[0.1, 1.0], &[0.1, 2.0], &[Some(1), None]);
    let error = input(Table::read(folder.write("cut.parquet", &whole[..whole.len() - 9])), "cut.parquet");
    assert_eq!(error.expected, "an intact Parquet file");
}
