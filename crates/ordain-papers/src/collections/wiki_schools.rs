//! Schools Wikipedia: articles and the links between them.

use ordain::Result;
use ordain::data::Items;
use ordain::formats::{Documents, DocumentsSpec, read_document_links};
use ordain::learn::LinkedTexts;

use crate::data::{DataCollection, DataFile, DataFolder};

const COLLECTION: DataCollection =
    DataCollection { name: "Schools Wikipedia", makers: "Wikipedia's authors, selected by SOS Children's Villages" };

/// The articles.
pub const DOCUMENTS: DataFile = DataFile {
    path: "wiki-schools/docs.jsonl.gz",
    form: "JSON lines with id, title and text",
    collection: &COLLECTION,
    sha256: "4b1d4a29b0a32737e0ff873a528756f93d562b3cfd68f51aec3b1f150a5186d3",
};
/// The links.
pub const LINKS: DataFile = DataFile {
    path: "wiki-schools/links.tsv.gz",
    form: "a table with the columns src and dst, by id",
    collection: &COLLECTION,
    sha256: "bcdf513c04e4f3253aa3632a4c94881e8cf2bb1a9be057da260f8529870b355b",
};

/// The first articles, title first, and the links between them.
///
/// # Errors
/// If a file cannot be read.
pub fn read(folder: &DataFolder, most: usize) -> Result<LinkedTexts> {
    let spec = DocumentsSpec { text: Some(["title", "text"].map(str::to_owned).to_vec()), ..DocumentsSpec::default() };
    let (mut ids, mut texts) = (Vec::new(), Vec::new());
    for document in Documents::open(folder.file(&DOCUMENTS), &spec)?.take(most) {
        let document = document?;
        ids.push(document.id);
        texts.push(document.text);
    }
    let (links, _) = read_document_links(folder.file(&LINKS), &Items::from_ids(ids)?)?;
    LinkedTexts::new(texts, links)
}
