//! The table's own columns beside the ranking.

use std::collections::HashSet;
use std::path::Path;

use clap::ValueEnum;
use ordain::data::ItemId;
use ordain::formats::{ProjectFile, Table};
use ordain::{Fitted, InputError};
use serde::Serialize;

use crate::output::{self, csv_failure};
use crate::{Failure, Outcome};

/// The columns of CSV.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum Columns {
    /// Those of the ranking.
    Ranking,
    /// Those of the ranking, then those of the table of items.
    All,
}

/// The columns of the table of items that the ranking does not have.
pub struct Own {
    names: Vec<String>,
    /// The project's items, then newcomers. One row per item, one cell per name.
    rows: Vec<Vec<String>>,
}

impl Own {
    /// Reads the table of items again, and that of the newcomers if there are any. A newcomer has no cell in a column
    /// that its table lacks.
    pub fn read(file: &ProjectFile, fitted: &Fitted, newcomers: Option<&Path>) -> Result<Self, Failure> {
        let Some(path) = &file.items else {
            let error = InputError::new(&file.path, "a table of items, for --columns all");
            let hint = "the answers name the items here; leave out --columns all, or add [items] to the project file";
            return Err(ordain::Error::from(error.found("none").hint(hint)).into());
        };
        let (id, group) = file.key_columns();
        let table = file.read_table(path)?;
        let mut tables = vec![table];
        tables.extend(newcomers.map(|path| file.read_table(path)).transpose()?);
        let is_key = |name: &str| name == id || Some(name) == group;
        let names: Vec<String> = tables[0].columns().iter().filter(|name| !is_key(name)).cloned().collect();
        let ids = fitted.items().ids();
        let (mut rows, mut known) = (Vec::new(), ids.iter());
        for table in &tables {
            let at: Vec<Option<usize>> =
                names.iter().map(|name| table.columns().iter().position(|own| own == name)).collect();
            let key = table.column(id)?;
            for row in 0..table.len() {
                if known.next().map(|id| id.trim()) != Some(table.cell(row, key).trim()) {
                    return Err(changed(table));
                }
                let cell = |at: &Option<usize>| at.map_or_else(String::new, |at| table.cell(row, at).to_owned());
                rows.push(at.iter().map(cell).collect());
            }
        }
        if known.next().is_some() {
            return Err(changed(&tables[0]));
        }
        Ok(Self { names, rows })
    }

    /// Writes these rows of the ranking, each with the columns of its item.
    pub fn write(&self, rows: impl Iterator<Item = impl Serialize>, items: &[ItemId]) -> Outcome {
        let mut writer = csv::Writer::from_writer(Vec::new());
        for row in rows {
            writer.serialize(row).map_err(csv_failure)?;
        }
        let ranking = writer.into_inner().map_err(|error| error.into_error())?;
        let mut reader = csv::Reader::from_reader(ranking.as_slice());
        let mut header: Vec<String> = reader.headers().map_err(csv_failure)?.iter().map(str::to_owned).collect();
        header.extend(apart(&header, &self.names));
        let records = reader.records().collect::<Result<Vec<_>, _>>().map_err(csv_failure)?;
        let whole = |(record, item): (csv::StringRecord, &ItemId)| {
            record.iter().map(str::to_owned).chain(self.rows[item.index()].iter().cloned()).collect()
        };
        output::csv_table(&header, records.into_iter().zip(items).map(whole))
    }
}

fn changed(table: &Table) -> Failure {
    let error = InputError::new(table.path(), "the items that were ranked").found("other ones");
    ordain::Error::from(error.hint("the file was changed meanwhile; run the command again")).into()
}

/// The names of the table's columns, so that none is called like one of the ranking or like another.
fn apart(ranking: &[String], own: &[String]) -> Vec<String> {
    let taken: HashSet<&str> = ranking.iter().chain(own).map(String::as_str).collect();
    let ranking: HashSet<&str> = ranking.iter().map(String::as_str).collect();
    let name = |name: &String| {
        let mut name = name.clone();
        if ranking.contains(name.as_str()) {
            while taken.contains(name.as_str()) {
                name.insert_str(0, "items.");
            }
        }
        name
    };
    own.iter().map(name).collect()
}

#[cfg(test)]
mod tests {
    use super::apart;

    #[test]
    fn no_two_columns_have_one_name() {
        let names = |names: &[&str]| names.iter().map(|&name| name.to_owned()).collect::<Vec<_>>();
        let ranking = names(&["id", "rank", "mean"]);
        assert_eq!(apart(&ranking, &names(&["title", "rank"])), ["title", "items.rank"]);
        assert_eq!(
            apart(&ranking, &names(&["rank", "items.rank", "items.mean"])),
            ["items.items.rank", "items.rank", "items.mean"]
        );
    }
}
