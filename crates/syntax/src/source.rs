//! Positions in the source: the text of all inputs in one space of offsets, and the way back from a [`Span`]
//! to the file, line and column that the user wrote.
//!
//! Inputs are laid end to end with one unused offset between them, so that the end of one input and the start
//! of the next differ. Line markers lead from preprocessed text to the original file; the lexer records them.
//! The preprocessor keeps lines but not columns: a column is given only where the original line can be read
//! and is the same text as the preprocessed one.
//!
//! Limits: all inputs together have at most 1 GiB. Columns count characters from 1.

use crate::align::aligned;
use crate::{Diagnostic, Span};
use std::ops::Range;
use std::path::Path;
use std::sync::{Arc, Mutex, OnceLock};
use summa_base::{FxHashMap, Id, IdVec, define_id, files, plain};

define_id! {
    /// One input, as handed to [`SourceMap::add`].
    FileIx = "file";
    /// A file name that occurs in a line marker.
    OriginIx = "origin";
}

/// What some editors put at the start of a file.
pub(crate) const BYTE_ORDER_MARK: char = '\u{feff}';

/// Stands for every byte that is not UTF-8. It is not an escape: the lexer refuses it outside comments.
pub const UNREADABLE: char = '\u{1a}';

const MAX_TOTAL: usize = 1 << 30;

/// Text from bytes; each byte that is not UTF-8 becomes [`UNREADABLE`], so offsets stay what they were.
pub fn decode(bytes: Vec<u8>) -> String {
    let bytes = match String::from_utf8(bytes) {
        Ok(text) => return text,
        Err(error) => error.into_bytes(),
    };
    let mut text = String::with_capacity(bytes.len());
    for chunk in bytes.utf8_chunks() {
        text.push_str(chunk.valid());
        text.extend(chunk.invalid().iter().map(|_| UNREADABLE));
    }
    text
}

/// A place as the user knows it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Location<'a> {
    pub file: &'a str,
    /// From 1.
    pub line: u32,
    /// In characters from 1; `None` if macros may have moved it and the original does not show where.
    pub column: Option<u32>,
}

/// One line of source with a part of it marked.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Snippet<'a> {
    /// The line without its end.
    pub line: &'a str,
    /// The marked bytes of `line`; of a span over several lines, the part on the first.
    pub marked: Range<usize>,
}

/// A line marker: the text from `offset` on comes from line `line` of file `origin`.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Marker {
    pub(crate) offset: u32,
    pub(crate) origin: OriginIx,
    pub(crate) line: u32,
    pub(crate) is_system: bool,
}

/// Text with a table of its lines, made when first asked for.
#[derive(Debug)]
struct LinedText {
    text: String,
    starts: OnceLock<Vec<u32>>,
}

impl LinedText {
    fn new(text: String) -> Self {
        Self { text, starts: OnceLock::new() }
    }

    fn starts(&self) -> &[u32] {
        self.starts.get_or_init(|| {
            let after_newline = self.text.match_indices('\n').map(|(at, _)| at as u32 + 1);
            std::iter::once(0).chain(after_newline).collect()
        })
    }

    /// The index of the line that `offset` is on, from 0.
    fn line_of(&self, offset: u32) -> usize {
        self.starts().partition_point(|&start| start <= offset).saturating_sub(1)
    }

    /// The range of line `index` without its end.
    fn line_range(&self, index: usize) -> Option<Range<usize>> {
        let start = *self.starts().get(index)? as usize;
        let end = self.starts().get(index + 1).map_or(self.text.len(), |&next| next as usize - 1);
        let is_crlf = end > start && self.text.as_bytes().get(end - 1) == Some(&b'\r');
        Some(start..if is_crlf { end - 1 } else { end })
    }

    fn line(&self, index: usize) -> Option<&str> {
        self.text.get(self.line_range(index)?)
    }
}

#[derive(Debug)]
struct Input {
    name: String,
    base: u32,
    text: LinedText,
    /// Ascending by offset.
    markers: Vec<Marker>,
}

#[derive(Debug)]
struct Origin {
    name: String,
    text: OnceLock<Option<LinedText>>,
}

type AlignedLines = FxHashMap<(FileIx, usize), Arc<Vec<(usize, usize)>>>;

/// All inputs of a run.
#[derive(Debug, Default)]
pub struct SourceMap {
    inputs: IdVec<FileIx, Input>,
    origins: IdVec<OriginIx, Origin>,
    origin_by_name: FxHashMap<String, OriginIx>,
    /// For lines that macros changed, by their starts: their words and where these stood, see [`aligned`].
    aligned: Box<Mutex<AlignedLines>>,
}

impl SourceMap {
    pub fn new() -> Self {
        Self::default()
    }

    /// Adds an input under the name by which the user called it. Names are shown as plain text
    /// ([`plain::name`]), here and in line markers.
    pub fn add(&mut self, name: impl Into<String>, text: String) -> Result<FileIx, Diagnostic> {
        let name = plain::name(&name.into()).into_owned();
        let base =
            self.inputs.values().next_back().map_or(0, |last| last.base as usize + last.text.text.len() + 1);
        if base + text.len() > MAX_TOTAL {
            let message = format!("cannot read `{name}`: the inputs have more than 1 GiB together");
            return Err(Diagnostic::error(Span::NONE, message));
        }
        let text = LinedText::new(text);
        Ok(self.inputs.push(Input { name, base: base as u32, text, markers: Vec::new() }))
    }

    pub fn files(&self) -> impl Iterator<Item = FileIx> + use<> {
        self.inputs.ids()
    }

    /// The name under which `file` was added.
    pub fn name(&self, file: FileIx) -> &str {
        &self.inputs[file].name
    }

    /// The whole text of an input.
    pub fn file_text(&self, file: FileIx) -> &str {
        &self.inputs[file].text.text
    }

    /// The offset at which `file` starts.
    pub fn base(&self, file: FileIx) -> u32 {
        self.inputs[file].base
    }

    /// The input that `span` begins in.
    pub fn file_of(&self, span: Span) -> Option<FileIx> {
        // The ids ascend with the bases, so the last input that does not start later is the one.
        let (mut lo, mut hi) = (0, self.inputs.len());
        while lo < hi {
            let middle = lo.midpoint(hi);
            if self.inputs[FileIx::from_index(middle)].base <= span.lo {
                lo = middle + 1
            } else {
                hi = middle
            }
        }
        lo.checked_sub(1).map(FileIx::from_index)
    }

    /// What stands at `span` in the preprocessed text.
    pub fn text(&self, span: Span) -> &str {
        self.file_of(span).map_or("", |file| {
            let input = &self.inputs[file];
            let range = (span.lo - input.base) as usize..span.hi.saturating_sub(input.base) as usize;
            input.text.text.get(range).unwrap_or("")
        })
    }

    /// Where the user wrote what stands at `span`: file and line as the line markers say.
    pub fn locate(&self, span: Span) -> Location<'_> {
        let Some(file) = self.file_of(span) else {
            return Location { file: "", line: 0, column: None };
        };
        let input = &self.inputs[file];
        let Some(marker) = input.marker_of(span) else {
            return self.locate_in_input(span);
        };
        let line = input.marked_line(marker, span);
        let same_text = self.original_line(input, marker, line) == input.line_text(span);
        let column = same_text.then(|| input.column(span));
        Location { file: &self.origins[marker.origin].name, line, column }
    }

    /// Like [`Self::locate`], with columns also in lines that macros changed, where possible: a word from a
    /// macro is at the use of the macro.
    pub fn locate_word(&self, span: Span) -> Location<'_> {
        let found = self.locate(span);
        let Some(file) = self.file_of(span).filter(|_| found.column.is_none()) else { return found };
        Location { column: self.aligned_column(file, span), ..found }
    }

    fn aligned_column(&self, file: FileIx, span: Span) -> Option<u32> {
        let input = &self.inputs[file];
        let marker = input.marker_of(span)?;
        let original = self.original_line(input, marker, input.marked_line(marker, span))?;
        let here = input.line_range(span);
        let known = self.aligned.lock().ok()?.get(&(file, here.start)).cloned();
        let words = known.unwrap_or_else(|| {
            let words = Arc::new(aligned(original, input.line_text(span).unwrap_or("")));
            if let Ok(mut all) = self.aligned.lock() {
                all.insert((file, here.start), words.clone());
            }
            words
        });
        let at = (span.lo - input.base) as usize - here.start;
        let word = words.partition_point(|&(start, _)| start <= at).checked_sub(1)?;
        Some(original.get(..words[word].1)?.chars().count() as u32 + 1)
    }

    /// Where `span` is in the input as it was added, whatever line markers say.
    pub fn locate_in_input(&self, span: Span) -> Location<'_> {
        let Some(file) = self.file_of(span) else {
            return Location { file: "", line: 0, column: None };
        };
        let input = &self.inputs[file];
        let line = input.text.line_of(span.lo - input.base) as u32 + 1;
        Location { file: &input.name, line, column: Some(input.column(span)) }
    }

    /// The line to show for `span`: the user's own if it is the same text, else the preprocessed one.
    pub fn snippet(&self, span: Span) -> Snippet<'_> {
        let Some(file) = self.file_of(span) else {
            return Snippet { line: "", marked: 0..0 };
        };
        let input = &self.inputs[file];
        let range = input.line_range(span);
        let line = input.text.text.get(range.clone()).unwrap_or("");
        let from = ((span.lo - input.base) as usize).saturating_sub(range.start).min(line.len());
        let to = (span.hi.saturating_sub(input.base) as usize).saturating_sub(range.start).min(line.len());
        Snippet { line, marked: from..to.max(from) }
    }

    /// Does `span` come from a system header, as the flags of the line markers say?
    pub fn is_system_header(&self, span: Span) -> bool {
        let input = self.file_of(span).map(|file| &self.inputs[file]);
        input.and_then(|input| input.marker_of(span)).is_some_and(|marker| marker.is_system)
    }

    pub(crate) fn origin(&mut self, name: &str) -> OriginIx {
        if let Some(&origin) = self.origin_by_name.get(name) {
            return origin;
        }
        let origin =
            self.origins.push(Origin { name: plain::name(name).into_owned(), text: OnceLock::new() });
        self.origin_by_name.insert(name.to_owned(), origin);
        origin
    }

    pub(crate) fn set_markers(&mut self, file: FileIx, markers: Vec<Marker>) {
        self.inputs[file].markers = markers;
    }

    /// Line `line` of the file that the marker names. Relative names are looked up from the working
    /// directory, where the preprocessor ran, then beside the input.
    fn original_line(&self, input: &Input, marker: &Marker, line: u32) -> Option<&str> {
        let origin = &self.origins[marker.origin];
        let text = origin.text.get_or_init(|| {
            let beside = Path::new(&input.name).parent().map(|folder| folder.join(&origin.name));
            let read = |path: &Path| files::read(path, files::LARGE).ok();
            let bytes = read(Path::new(&origin.name)).or_else(|| read(&beside?))?;
            Some(LinedText::new(decode(bytes)))
        });
        text.as_ref()?.line((line as usize).checked_sub(1)?)
    }
}

impl Input {
    fn marker_of(&self, span: Span) -> Option<&Marker> {
        let after = self.markers.partition_point(|marker| marker.offset <= span.lo);
        self.markers.get(after.checked_sub(1)?)
    }

    /// The line of the original, counted on from the marker.
    fn marked_line(&self, marker: &Marker, span: Span) -> u32 {
        let here = self.text.line_of(span.lo - self.base);
        let there = self.text.line_of(marker.offset - self.base);
        marker.line.saturating_add((here - there) as u32)
    }

    fn line_range(&self, span: Span) -> Range<usize> {
        self.text.line_range(self.text.line_of(span.lo - self.base)).unwrap_or(0..0)
    }

    fn line_text(&self, span: Span) -> Option<&str> {
        self.text.text.get(self.line_range(span))
    }

    fn column(&self, span: Span) -> u32 {
        let start = self.line_range(span).start;
        let before = self.text.text.get(start..(span.lo - self.base) as usize);
        before.map_or(1, |before| before.chars().count() as u32 + 1)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::parser::parse;
    use summa_base::Interner;

    fn span_of(source: &SourceMap, file: FileIx, needle: &str) -> Span {
        let at = source.base(file) + source.file_text(file).find(needle).unwrap() as u32;
        Span::new(at, at + needle.len() as u32)
    }

    #[test]
    fn several_inputs_share_one_space_of_offsets() {
        let mut source = SourceMap::new();
        let first = source.add("a.c", "int a;\n  int é, b;\n".into()).unwrap();
        let second = source.add("b.c", "int c;".into()).unwrap();
        let b = span_of(&source, first, "b");
        assert_eq!(source.locate(b), Location { file: "a.c", line: 2, column: Some(10) });
        let c = span_of(&source, second, "c");
        assert_eq!(source.locate(c), Location { file: "b.c", line: 1, column: Some(5) });
        assert_eq!((source.text(b), source.text(c)), ("b", "c"));
        let snippet = source.snippet(b);
        assert_eq!((snippet.line, &snippet.line[snippet.marked]), ("  int é, b;", "b"));
    }

    #[test]
    fn line_markers_lead_to_the_original() {
        let folder = std::env::temp_dir().join(format!("summa-source-test-{}", std::process::id()));
        std::fs::create_dir_all(&folder).unwrap();
        let original = folder.join("orig.c");
        std::fs::write(&original, "#define N 3\nint same = 1;\nint other[N];\n").unwrap();
        let name = original.to_str().unwrap();
        let text = format!("# 1 \"{name}\"\n\nint same = 1;\nint other[3];\n# 7 \"sys.h\" 1 3 4\nint sys;\n");
        let mut source = SourceMap::new();
        let file = source.add("x.i", text).unwrap();
        let (_, diagnostics) = parse(&mut source, file, &mut Interner::new());
        assert!(diagnostics.is_empty(), "{diagnostics:?}");
        let same = span_of(&source, file, "same");
        assert_eq!(source.locate(same), Location { file: name, line: 2, column: Some(5) });
        assert_eq!(source.locate_in_input(same), Location { file: "x.i", line: 3, column: Some(5) });
        let other = span_of(&source, file, "other");
        assert_eq!(source.locate(other), Location { file: name, line: 3, column: None });
        let length = span_of(&source, file, "3]");
        assert_eq!(source.locate_word(length), Location { file: name, line: 3, column: Some(11) });
        let sys = span_of(&source, file, "sys;");
        assert_eq!(source.locate(sys), Location { file: "sys.h", line: 7, column: None });
        assert!(source.is_system_header(sys) && !source.is_system_header(same));
        std::fs::remove_dir_all(&folder).unwrap();
    }

    #[test]
    fn bytes_that_are_not_text_keep_their_places() {
        assert_eq!(decode(b"a\xff\xfe\xc3b\xc3\xa9".to_vec()), "a\u{1a}\u{1a}\u{1a}b\u{e9}");
    }

    #[test]
    fn spans_outside_of_everything_are_harmless() {
        let source = SourceMap::new();
        assert_eq!(source.text(Span::new(3, 9)), "");
        assert_eq!(source.snippet(Span::new(3, 9)).line, "");
        assert_eq!(source.locate(Span::NONE).line, 0);
    }
}
