//! Opens files. Compression is recognised by content, lines come one at a time, and memory stays bounded whatever the
//! file holds.
//!
//! Faults of a file that do not depend on its format are caught here: a folder in its place, a cut archive, an archive
//! made to explode, a line without end, bytes that are not UTF-8.
//!
//! | what | at most |
//! |---|---|
//! | a line, or a quoted cell of several lines | 16 MiB; in a collection of documents 1 GiB |
//! | a packed file, unpacked | 64 MiB, or 100 times its own size if that is more |
//! | a table in memory: its text, and 8 bytes per cell | 4 GiB |

use std::fs::File;
use std::io::{self, BufRead, BufReader, Chain, Cursor, Read};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use super::table::torn;
use crate::watch::waiting;
use crate::{Error, InputError, Result};

/// The limits on reading a file.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Limits {
    /// The longest line, in bytes. Rows of tables and features are kilobytes. A file with a longer line is no text
    /// file, and holding it could take all memory.
    pub(crate) line: usize,
    /// The size of decompressed data that is always allowed, in bytes.
    pub(crate) free: u64,
    /// Beyond `free`, how many bytes one compressed byte may become. Text packs 3 to 20 fold, the most repetitive real
    /// logs nearly 100 fold. Files made to fill the memory reach 229 (gzip at its fastest) to 1030 (at its best) and
    /// more (zstd).
    pub(crate) expansion: u64,
    /// The largest table held in memory, in bytes: its text, and 8 bytes per cell. A million items with a hundred
    /// numbers of 17 digits take 2.5 GB.
    pub(crate) table: u64,
}

impl Limits {
    /// Fails if `given` bytes from `taken` compressed ones are out of all proportion.
    pub(crate) fn check_expansion(&self, path: &Path, given: u64, taken: u64) -> Result<()> {
        let taken = taken.max(1);
        if given <= self.free || given / taken < self.expansion {
            return Ok(());
        }
        Err(InputError::new(path, format!("fewer than {} bytes from one compressed byte", self.expansion))
            .found(format!("{} MiB from {} KiB", given >> 20, taken >> 10))
            .hint(
                "this looks made to fill the memory; if you trust the file, decompress it first (make CSV of Parquet) \
                 and give the plain file",
            )
            .into())
    }

    /// Fails if a table of this much text and this many cells is too large.
    pub(crate) fn check_table(&self, path: &Path, text: u64, cells: u64) -> Result<()> {
        let bytes = text.saturating_add(cells.saturating_mul(8));
        if bytes <= self.table {
            return Ok(());
        }
        let expected = format!("a table of at most {} MiB, with 8 bytes per cell besides its text", self.table >> 20);
        Err(InputError::new(path, expected)
            .found(format!("{} MiB or more", bytes >> 20))
            .hint("leave out the columns that are not needed, or divide the file")
            .into())
    }
}

impl Default for Limits {
    fn default() -> Self {
        Self { line: 16 << 20, free: 64 << 20, expansion: 100, table: 4 << 30 }
    }
}

/// The wrapping of a file, by its first bytes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Wrapping {
    /// Plain bytes.
    Plain,
    /// gzip, any number of members.
    Gzip,
    /// Zstandard.
    Zstd,
    /// A Parquet file.
    Parquet,
    /// A known format that is not read here.
    Foreign(&'static str),
}

/// The first bytes that decide the wrapping.
const MAGIC: usize = 6;

fn wrapping(start: &[u8]) -> Wrapping {
    match start {
        [0x1f, 0x8b, ..] => Wrapping::Gzip,
        [0x28, 0xb5, 0x2f, 0xfd, ..] => Wrapping::Zstd,
        [b'P', b'A', b'R', b'1', ..] => Wrapping::Parquet,
        [b'P', b'K', 3, 4, ..] => Wrapping::Foreign("a zip archive (or a spreadsheet)"),
        [0xfd, b'7', b'z', b'X', b'Z', ..] => Wrapping::Foreign("an xz file"),
        [b'B', b'Z', b'h', b'1'..=b'9', 0x31, ..] => Wrapping::Foreign("a bzip2 file"),
        [0xff, 0xfe, ..] | [0xfe, 0xff, ..] => Wrapping::Foreign("UTF-16 text"),
        _ => Wrapping::Plain,
    }
}

type Bytes = Chain<Cursor<Vec<u8>>, File>;

/// Opens a file and looks at its first bytes. The returned reader gives them again.
fn open_bytes(path: &Path) -> Result<(Wrapping, Bytes)> {
    let io = |source| Error::Io { action: "read", path: path.to_path_buf(), source };
    // A pipe can be opened and read only once somebody writes into it.
    let pipe = path.metadata().is_ok_and(|about| !about.is_file() && !about.is_dir());
    let _told = pipe.then(|| waiting(|| format!("what comes through {}", path.display())));
    let mut file = File::open(path).map_err(io)?;
    if file.metadata().map_err(io)?.is_dir() {
        return Err(InputError::new(path, "a file").found("a folder").hint("name the file in it").into());
    }
    let mut start = Vec::with_capacity(MAGIC);
    (&mut file).take(MAGIC as u64).read_to_end(&mut start).map_err(io)?;
    Ok((wrapping(&start), Cursor::new(start).chain(file)))
}

/// The wrapping of a file.
///
/// # Errors
/// If it cannot be opened.
pub(crate) fn sniff(path: &Path) -> Result<Wrapping> {
    open_bytes(path).map(|(wrapping, _)| wrapping)
}

/// A reader that counts the bytes.
struct Counted<R> {
    inner: R,
    count: Arc<AtomicU64>,
}

impl<R: Read> Read for Counted<R> {
    fn read(&mut self, out: &mut [u8]) -> io::Result<usize> {
        let read = self.inner.read(out)?;
        self.count.fetch_add(read as u64, Ordering::Relaxed);
        Ok(read)
    }
}

/// A decompressor's output, refused once it is out of all proportion to its input.
struct Guarded<R> {
    inner: R,
    taken: Arc<AtomicU64>,
    given: u64,
    limits: Limits,
    path: PathBuf,
}

impl<R: Read> Read for Guarded<R> {
    fn read(&mut self, out: &mut [u8]) -> io::Result<usize> {
        let read = self.inner.read(out).map_err(|source| io::Error::other(damaged(&self.path, &source)))?;
        self.given += read as u64;
        let taken = self.taken.load(Ordering::Relaxed);
        self.limits.check_expansion(&self.path, self.given, taken).map_err(io::Error::other)?;
        Ok(read)
    }
}

fn damaged(path: &Path, source: &io::Error) -> Error {
    let error = if source.kind() == io::ErrorKind::UnexpectedEof {
        InputError::new(path, "a complete archive").found("compressed data that end early")
    } else {
        InputError::new(path, "intact compressed data").found(source.to_string())
    };
    error.hint("the file was probably cut or damaged on its way: fetch or write it again").into()
}

/// The lines of a text file, plain or compressed, one at a time.
///
/// A line ends at a line feed. The line feed, and a carriage return before it, are not part of it. A byte order mark at
/// the beginning is skipped.
///
/// # Limits
/// Everything a file can do wrong before its format matters is caught here once: a folder in its place, a cut archive,
/// an archive made to explode, a line without end, bytes that are not UTF-8.
///
/// | what | at most |
/// |---|---|
/// | a line, or a quoted cell of several lines | 16 MiB; in a collection of documents 1 GiB |
/// | what a packed file becomes | 64 MiB, or 100 times its own size if that is more |
/// | a table in memory: its text, and 8 bytes a cell | 4 GiB |
pub struct Lines {
    path: PathBuf,
    reader: BufReader<Box<dyn Read + Send>>,
    limits: Limits,
    line: u64,
    buffer: Vec<u8>,
    terminated: bool,
    /// Whether the latest line is to be given once more.
    unread: bool,
}

impl Lines {
    /// Opens a text file: plain, gzip or zstd, by its content.
    ///
    /// # Errors
    /// If the file cannot be opened, is a folder, or is not text.
    pub fn open(path: impl AsRef<Path>) -> Result<Self> {
        let path = path.as_ref();
        Self::open_text(path)?.ok_or_else(|| foreign(path, "a Parquet file"))
    }

    /// The lines of a file; none if it is a Parquet file. The file is opened once, so that pipes can be read.
    pub(crate) fn open_text(path: &Path) -> Result<Option<Self>> {
        Self::open_with(path, Limits::default())
    }

    /// [`Lines::open_text`] for a file whose lines are whole documents.
    pub(crate) fn open_documents(path: &Path) -> Result<Option<Self>> {
        Self::open_with(path, Limits { line: 1 << 30, ..Limits::default() })
    }

    fn open_with(path: &Path, limits: Limits) -> Result<Option<Self>> {
        let (wrapping, bytes) = open_bytes(path)?;
        let io = |source| Error::Io { action: "read", path: path.to_path_buf(), source };
        let taken = Arc::new(AtomicU64::new(0));
        let counted = Counted { inner: bytes, count: Arc::clone(&taken) };
        let guarded =
            |inner: Box<dyn Read + Send>| Guarded { inner, taken, given: 0, limits, path: path.to_path_buf() };
        let reader: Box<dyn Read + Send> = match wrapping {
            Wrapping::Plain => Box::new(counted),
            Wrapping::Gzip => Box::new(guarded(Box::new(flate2::read::MultiGzDecoder::new(counted)))),
            Wrapping::Zstd => Box::new(guarded(Box::new(zstd::stream::read::Decoder::new(counted).map_err(io)?))),
            Wrapping::Parquet => return Ok(None),
            Wrapping::Foreign(what) => return Err(foreign(path, what)),
        };
        Ok(Some(Self::from_reader(path, reader, limits)))
    }

    pub(crate) fn from_reader(path: &Path, reader: Box<dyn Read + Send>, limits: Limits) -> Self {
        Self {
            path: path.to_path_buf(),
            reader: BufReader::with_capacity(1 << 16, reader),
            limits,
            line: 0,
            buffer: Vec::new(),
            terminated: true,
            unread: false,
        }
    }

    /// The file, as the user named it.
    pub fn path(&self) -> &Path {
        &self.path
    }

    pub(crate) fn limits(&self) -> Limits {
        self.limits
    }

    /// The number of the latest line, from 1; 0 before the first.
    pub fn line(&self) -> u64 {
        self.line
    }

    /// Whether the latest line ended in a line feed. Only the last line of a file may lack it.
    pub fn terminated(&self) -> bool {
        self.terminated
    }

    /// Takes the latest line back, so that the next line is the same once more.
    pub(crate) fn unread(&mut self) {
        self.unread = true;
        self.line -= 1;
    }

    /// The next line, or none at the end.
    ///
    /// # Errors
    /// If reading fails, the line is too long or is not UTF-8.
    pub fn next_line(&mut self) -> Result<Option<&str>> {
        if !self.fill()? {
            return Ok(None);
        }
        self.text().map(Some)
    }

    /// The next line that is not blank (empty or only spaces; a tab is a separator), or none at the end.
    ///
    /// # Errors
    /// Like [`Lines::next_line`].
    pub fn next_content(&mut self) -> Result<Option<&str>> {
        Ok(self.next_numbered()?.map(|(_, line)| line))
    }

    /// The next line that is not blank, with its number.
    ///
    /// # Errors
    /// Like [`Lines::next_line`].
    pub fn next_numbered(&mut self) -> Result<Option<(u64, &str)>> {
        loop {
            if !self.fill()? {
                return Ok(None);
            }
            let blank = |byte: &u8| matches!(byte, b' ' | b'\r');
            if !self.buffer.iter().all(blank) {
                let number = self.line;
                return self.text().map(|line| Some((number, line)));
            }
        }
    }

    /// The latest line as text.
    fn text(&self) -> Result<&str> {
        let line = self.buffer.strip_suffix(b"\r").unwrap_or(&self.buffer);
        let line = if self.line == 1 { line.strip_prefix(b"\xef\xbb\xbf").unwrap_or(line) } else { line };
        std::str::from_utf8(line).map_err(|error| match error.error_len() {
            // The file ends within a character.
            None if !self.terminated => torn(&self.path, self.line),
            _ => not_text(&self.path, self.line, line, error.valid_up_to()),
        })
    }

    /// Reads a line into the buffer; false at the end of the file.
    fn fill(&mut self) -> Result<bool> {
        if std::mem::take(&mut self.unread) {
            self.line += 1;
            return Ok(true);
        }
        self.buffer.clear();
        loop {
            let available = match self.reader.fill_buf() {
                Ok(available) => available,
                Err(error) if error.kind() == io::ErrorKind::Interrupted => continue,
                Err(error) => return Err(unpack(&self.path, error)),
            };
            if available.is_empty() {
                self.terminated = self.buffer.is_empty();
                self.line += u64::from(!self.buffer.is_empty());
                return Ok(!self.buffer.is_empty());
            }
            let end = available.iter().position(|&byte| byte == b'\n');
            let part = &available[..end.unwrap_or(available.len())];
            if self.buffer.len() + part.len() > self.limits.line {
                return Err(too_long(&self.path, self.line + 1, self.limits.line));
            }
            self.buffer.extend_from_slice(part);
            let used = part.len() + usize::from(end.is_some());
            self.reader.consume(used);
            if end.is_some() {
                self.line += 1;
                self.terminated = true;
                return Ok(true);
            }
        }
    }
}

/// Unwraps an error that travelled through [`io::Error`].
fn unpack(path: &Path, error: io::Error) -> Error {
    match error.downcast::<Error>() {
        Ok(error) => error,
        Err(source) => Error::Io { action: "read", path: path.to_path_buf(), source },
    }
}

fn foreign(path: &Path, what: &str) -> Error {
    InputError::new(path, "text, plain or packed with gzip or zstd")
        .found(what)
        .hint("save or unpack it as UTF-8 text first")
        .into()
}

fn too_long(path: &Path, line: u64, limit: usize) -> Error {
    InputError::new(path, format!("lines of at most {limit} bytes"))
        .line(line)
        .hint("the file has no line ends where they should be, or is not a text file")
        .into()
}

fn not_text(path: &Path, line: u64, bytes: &[u8], at: usize) -> Error {
    let byte = bytes.get(at).copied().unwrap_or_default();
    InputError::new(path, "UTF-8 text")
        .line(line)
        .column(format!("byte {}", at + 1))
        .found(format!("0x{byte:02X}"))
        .hint("convert the file to UTF-8, for example with iconv")
        .into()
}

/// A whole small text file, such as a project file, with the byte order mark removed.
///
/// # Errors
/// If it cannot be read, is longer than the limit of one line, or is not UTF-8.
pub(crate) fn read_text(path: &Path) -> Result<String> {
    read_text_up_to(path, Limits::default().line as u64)
}

/// The same for a file that may be as large as a table, such as a model.
///
/// # Errors
/// If it cannot be read, is too long, or is not UTF-8.
pub(crate) fn read_long_text(path: &Path) -> Result<String> {
    read_text_up_to(path, Limits::default().table)
}

fn read_text_up_to(path: &Path, most: u64) -> Result<String> {
    let (wrapping, bytes) = open_bytes(path)?;
    if wrapping != Wrapping::Plain {
        return Err(InputError::new(path, "plain text").found(format!("{wrapping:?}").to_lowercase()).into());
    }
    let mut out = Vec::new();
    let io = |source| Error::Io { action: "read", path: path.to_path_buf(), source };
    bytes.take(most + 1).read_to_end(&mut out).map_err(io)?;
    if out.len() as u64 > most {
        return Err(InputError::new(path, format!("at most {most} bytes")).into());
    }
    if out.starts_with(b"\xef\xbb\xbf") {
        out.drain(..3);
    }
    String::from_utf8(out).map_err(|error| {
        let at = error.utf8_error().valid_up_to();
        let before = &error.as_bytes()[..at];
        let line = before.iter().filter(|&&byte| byte == b'\n').count() as u64 + 1;
        let start = before.iter().rposition(|&byte| byte == b'\n').map_or(0, |end| end + 1);
        not_text(path, line, &error.as_bytes()[start..], at - start)
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use flate2::Compression;
    use flate2::write::GzEncoder;
    use std::io::Write;

    fn lines(bytes: &[u8]) -> Lines {
        Lines::from_reader(Path::new("x"), Box::new(Cursor::new(bytes.to_vec())), Limits::default())
    }

    fn drain(mut lines: Lines) -> Result<Vec<String>> {
        let mut out = Vec::new();
        while let Some(line) = lines.next_line()? {
            out.push(line.to_string());
        }
        Ok(out)
    }

    fn input(error: Error) -> InputError {
        match error {
            Error::Input(error) => *error,
            other => panic!("not an input error: {other}"),
        }
    }

    fn gzip(bytes: &[u8]) -> Vec<u8> {
        let mut encoder = GzEncoder::new(Vec::new(), Compression::fast());
        encoder.write_all(bytes).unwrap();
        encoder.finish().unwrap()
    }

    fn file(bytes: &[u8]) -> tempfile::NamedTempFile {
        let mut file = tempfile::NamedTempFile::new().unwrap();
        file.write_all(bytes).unwrap();
        file
    }

    #[test]
    fn lines_lose_their_ends_and_the_mark() {
        assert_eq!(drain(lines(b"\xef\xbb\xbfa\r\n\nb\rc\nd")).unwrap(), ["a", "", "b\rc", "d"]);
        assert_eq!(drain(lines(b"")).unwrap(), [""; 0]);
        let mut torn = lines(b"a\nb");
        torn.next_line().unwrap();
        assert!(torn.terminated());
        torn.next_line().unwrap();
        assert!(!torn.terminated());
    }

    #[test]
    fn packed_files_are_known_by_content() {
        for packed in
            [gzip(b"a\nb\n"), zstd::encode_all(&b"a\nb\n"[..], 1).unwrap(), [gzip(b"a\n"), gzip(b"b\n")].concat()]
        {
            assert_eq!(drain(Lines::open(file(&packed).path()).unwrap()).unwrap(), ["a", "b"]);
        }
    }

    #[test]
    fn a_line_without_end_is_refused_unheld() {
        let limits = Limits::default();
        let endless = Lines::from_reader(Path::new("x"), Box::new(io::repeat(b'a').take(1 << 30)), limits);
        assert_eq!(input(drain(endless).unwrap_err()).line, Some(1));
        // The same behind gzip: about a megabyte that stands for a gigabyte.
        let mut encoder = GzEncoder::new(file(b""), Compression::fast());
        encoder.write_all(b"head\n").unwrap();
        io::copy(&mut io::repeat(0).take(1 << 30), &mut encoder).unwrap();
        let packed = encoder.finish().unwrap();
        assert_eq!(input(drain(Lines::open(packed.path()).unwrap()).unwrap_err()).line, Some(2));
    }

    #[test]
    fn a_bomb_is_refused() {
        let mut line = vec![b'a'; 1 << 20];
        line.push(b'\n');
        // At its fastest gzip makes 229 bytes of one, at its best 1030.
        let mut fast = GzEncoder::new(file(b""), Compression::fast());
        let mut best = GzEncoder::new(file(b""), Compression::best());
        let mut zst = zstd::stream::write::Encoder::new(file(b""), 1).unwrap();
        for _ in 0..80 {
            fast.write_all(&line).unwrap();
            best.write_all(&line).unwrap();
            zst.write_all(&line).unwrap();
        }
        for packed in [fast.finish().unwrap(), best.finish().unwrap(), zst.finish().unwrap()] {
            let mut lines = Lines::open(packed.path()).unwrap();
            let error = loop {
                match lines.next_line() {
                    Ok(Some(_)) => {}
                    Ok(None) => panic!("the bomb went through"),
                    Err(error) => break input(error),
                }
            };
            assert!(error.hint.unwrap().contains("decompress it first"));
            assert!(error.found.unwrap().starts_with("64 MiB from"));
        }
        let limits = Limits::default();
        assert!(limits.check_expansion(Path::new("x"), 64 << 20, 1).is_ok());
        assert!(limits.check_expansion(Path::new("x"), 99 << 30, 1 << 30).is_ok());
        assert!(limits.check_expansion(Path::new("x"), 100 << 30, 1 << 30).is_err());
    }

    #[test]
    fn cut_archives_say_so() {
        let text: Vec<u8> =
            (0..20_000u32).flat_map(|i| format!("{}\n", i.wrapping_mul(2_654_435_761)).into_bytes()).collect();
        for packed in [gzip(&text), zstd::encode_all(&text[..], 1).unwrap()] {
            let error = input(drain(Lines::open(file(&packed[..packed.len() / 2]).path()).unwrap()).unwrap_err());
            assert!(error.found.unwrap().contains("end early"), "{:?}", error.hint);
            assert!(error.hint.is_some());
        }
    }

    #[test]
    fn bytes_that_are_no_text_have_a_place() {
        let error = input(drain(lines(b"fine\nb\xc3\xa4d: \xff\n")).unwrap_err());
        assert_eq!(
            (error.line, error.column.as_deref(), error.found.as_deref()),
            (Some(2), Some("byte 7"), Some("0xFF"))
        );
        let error = input(read_text(file(b"a = 1\nb = \"\xff\"").path()).unwrap_err());
        assert_eq!((error.line, error.column.as_deref()), (Some(2), Some("byte 6")));
    }

    #[test]
    fn a_character_that_is_cut_is_a_torn_line() {
        let error = input(drain(lines(b"fine\nb\xc3\xa4d: \xc3")).unwrap_err());
        assert!(error.torn && error.line == Some(2), "{error}");
        assert!(!input(drain(lines(b"fine\nb\xc3\n")).unwrap_err()).torn);
    }

    #[test]
    fn folders_and_foreign_files_say_so() {
        let folder = tempfile::tempdir().unwrap();
        assert_eq!(input(Lines::open(folder.path()).err().unwrap()).found.as_deref(), Some("a folder"));
        assert!(matches!(Lines::open(folder.path().join("no")).err().unwrap(), Error::Io { .. }));
        assert!(input(Lines::open(file(b"PK\x03\x04\0\0").path()).err().unwrap()).found.unwrap().contains("zip"));
    }
}
