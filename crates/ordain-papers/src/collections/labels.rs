//! Multi-label and label-ranking sets.

use ordain::Result;
use ordain::formats::{LabelColumns, LabelTable};
use ordain::learn::labels::{LabelKind, LabelledExamples};

use crate::data::{DataCollection, DataFile, DataFolder};

const fn multi_label(path: &'static str, sha256: &'static str) -> DataFile {
    const COLLECTION: DataCollection =
        DataCollection { name: "Mulan multi-label sets", makers: "Trohidis et al. 2008, Boutell et al. 2004" };
    DataFile { path, form: "ARFF, the labels are the last six attributes", collection: &COLLECTION, sha256 }
}

const fn ranking(path: &'static str, sha256: &'static str) -> DataFile {
    const COLLECTION: DataCollection =
        DataCollection { name: "KEBI label-ranking sets", makers: "Cheng, Hühn, Hüllermeier 2009" };
    DataFile {
        path,
        form: "A1,A2,...,L1,L2,...: numbers, and the place of every label",
        collection: &COLLECTION,
        sha256,
    }
}

/// Music by emotion: 593 examples, 72 attributes, 6 labels.
pub const EMOTIONS: DataFile =
    multi_label("multi-label/emotions.arff.gz", "162592ef5baa548599285ee392269ab3128cd552714696e8a126d7fde68a1015");

/// Photographs by scene: 1,211 examples to learn from and 1,196 to test, 294 attributes, 6 labels.
pub const SCENE: [DataFile; 2] = [
    multi_label("multi-label/scene-train.arff.gz", "d5b96b838eaa821c355a86d2d1e2b7c7b8aad7afa68255932e148c79ade647b9"),
    multi_label("multi-label/scene-test.arff.gz", "125f88bebad7f8dc21de4aa7518ee8a01a2371887e4ccc65c19db9249a002393"),
];

/// The number of label columns of the multi-label sets.
const LABELS: usize = 6;

/// The label-ranking sets and the number of their labels.
pub const RANKINGS: [(&str, usize, DataFile); 11] = [
    (
        "authorship",
        4,
        ranking("label-ranking/authorship.csv.gz", "6878995cb97fa6713c4b797ed108db1aee52cc6a724e345790e6bf610d30a123"),
    ),
    (
        "calhousing",
        4,
        ranking("label-ranking/calhousing.csv.gz", "98d1f72e5597ec149cd20b5fee63b4af1b71edff8d45ca34a74dc1133e836e4d"),
    ),
    ("cpu", 5, ranking("label-ranking/cpu.csv.gz", "5d34b31bb6ef4f7943551042fd7c8d16baf837e69963f4cc0fd68dcd2b63bbd7")),
    (
        "diau",
        7,
        ranking("label-ranking/diau.csv.gz", "3cc0ef073cc88fc9d4bed09bd8134a51fcc3fb44471677118f0e9cc4e1846baa"),
    ),
    ("dtt", 4, ranking("label-ranking/dtt.csv.gz", "50a45e68149c86c003b9ba84c32cef5f2862cc849abd7180a912acaefa3f4b40")),
    (
        "elevators",
        9,
        ranking("label-ranking/elevators.csv.gz", "eb046dbb35497e23c5e9c4debc20782448f4aa6971ce84aeb2c3cd520686cd98"),
    ),
    (
        "fried",
        5,
        ranking("label-ranking/fried.csv.gz", "7ea39f1427f64e54f4cc37328753b822025b34130796b0145c2b59ee47c6364e"),
    ),
    (
        "heat",
        6,
        ranking("label-ranking/heat.csv.gz", "df798f404be94688980d53b9e3b8748f613c7b33bee794ebb4260cc61432321b"),
    ),
    (
        "housing",
        6,
        ranking("label-ranking/housing.csv.gz", "e5e86caf21ef2b0c9fd3bd4ef5fff2ec3483f617fa3cbe438db15b1a51b7a2c2"),
    ),
    (
        "iris",
        3,
        ranking("label-ranking/iris.csv.gz", "705afd2df52d88b14beeb364cc83b96886baba0641635de162a5504e5926d2e7"),
    ),
    (
        "pendigits",
        10,
        ranking("label-ranking/pendigits.csv.gz", "02d545325880d5b5a63bd93112e1241c97b8f06438ce718b60f49f3ac21cfee2"),
    ),
];

/// The examples of a multi-label file.
pub fn sets(folder: &DataFolder, file: &DataFile) -> Result<LabelledExamples> {
    read(folder, file, LABELS)
}

/// The examples of a file whose last columns are labels.
pub fn read(folder: &DataFolder, file: &DataFile, labels: usize) -> Result<LabelledExamples> {
    let table = LabelTable::read(folder.file(file), &LabelColumns::Last(labels))?;
    LabelledExamples::from_table(&table, LabelKind::of(std::slice::from_ref(&table))?)
}
