//! Where the words of a preprocessed line stood before macros were replaced.
//!
//! Both lines are split into words, and a longest common subsequence shows which words are the same. A word
//! that is only in the preprocessed line comes from a macro. Its place is the use of the macro: the first
//! name between its neighbours that is only in the original, else the last such name before.
//!
//! Limits: if two macros stand side by side with nothing between them, the words of both count as words of
//! the first. Uses over several lines count where they begin. Lines with too many words are not compared.

/// For each word of the preprocessed line, where it begins there, and where that is in the original; both in
/// bytes, ascending.
pub(crate) fn aligned(original: &str, preprocessed: &str) -> Vec<(usize, usize)> {
    let (from, to) = (words(original), words(preprocessed));
    let Some(same) = common(&from, &to) else { return Vec::new() };
    let mut found = Vec::with_capacity(to.len());
    // The words of the original up to the last that is known, and the name of the last macro among them.
    let (mut done, mut used) = (0, None);
    for (at, here) in to.iter().enumerate() {
        if let Some(known) = same[at] {
            used = last_name(&from[done..known]).or(used);
            done = known + 1;
            found.push((here.at, from[known].at));
            continue;
        }
        let next = same[at..].iter().find_map(|known| *known).unwrap_or(from.len());
        let between = from[done..next].iter().find(|word| word.is_name());
        if let Some(word) = between.or(used) {
            found.push((here.at, word.at));
        }
    }
    found
}

#[derive(Clone, Copy, PartialEq, Eq)]
struct Word<'t> {
    text: &'t str,
    at: usize,
}

impl Word<'_> {
    fn is_name(&self) -> bool {
        self.text.starts_with(|c: char| c.is_alphabetic() || c == '_' || c == '$')
    }
}

fn last_name<'w, 't>(words: &'w [Word<'t>]) -> Option<&'w Word<'t>> {
    words.iter().rev().find(|word| word.is_name())
}

/// Names and numbers, literals, and single characters; no blanks and no comments.
fn words(line: &str) -> Vec<Word<'_>> {
    let bytes = line.as_bytes();
    let is_in_name = |byte: u8| byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'$') || byte >= 0x80;
    let mut found = Vec::new();
    let mut at = 0;
    while let Some(&byte) = bytes.get(at) {
        let rest = &bytes[at..];
        let length = match byte {
            _ if byte.is_ascii_whitespace() => {
                at += 1;
                continue;
            }
            b'/' if rest.starts_with(b"//") => break,
            b'/' if rest.starts_with(b"/*") => {
                at += line[at + 2..].find("*/").map_or(rest.len(), |end| end + 4);
                continue;
            }
            b'"' | b'\'' => literal(rest),
            _ if is_in_name(byte) => rest.iter().take_while(|&&byte| is_in_name(byte)).count(),
            _ => 1,
        };
        found.push(Word { text: &line[at..at + length], at });
        at += length;
    }
    found
}

/// How long a literal is, with its quotes.
fn literal(bytes: &[u8]) -> usize {
    let mut at = 1;
    while let Some(&byte) = bytes.get(at) {
        match byte {
            b'\\' => at += 2,
            _ if byte == bytes[0] => return at + 1,
            _ => at += 1,
        }
    }
    bytes.len()
}

/// The most comparisons for one line.
const MAX_WORK: usize = 9_000_000;

/// For each word of `to`, the word of `from` that it is; of several ways the one that leaves the last words
/// of a macro to it. None: there are too many words.
fn common(from: &[Word<'_>], to: &[Word<'_>]) -> Option<Vec<Option<usize>>> {
    let mut same = vec![None; to.len()];
    let is_same = |(a, b): &(&Word<'_>, &Word<'_>)| a.text == b.text;
    let prefix = from.iter().zip(to).take_while(is_same).count();
    for (at, known) in same.iter_mut().take(prefix).enumerate() {
        *known = Some(at);
    }
    let (from, rest) = (&from[prefix..], &to[prefix..]);
    let width = from.len() + 1;
    if width.checked_mul(rest.len() + 1)? > MAX_WORK || width > usize::from(u16::MAX) {
        return None;
    }
    // The number of common words, by the numbers of words taken from the start of each line.
    let mut length = vec![0u16; width * (rest.len() + 1)];
    for (i, word) in rest.iter().enumerate() {
        for (j, other) in from.iter().enumerate() {
            length[(i + 1) * width + j + 1] = if word.text == other.text {
                length[i * width + j] + 1
            } else {
                length[i * width + j + 1].max(length[(i + 1) * width + j])
            };
        }
    }
    let (mut i, mut j) = (rest.len(), from.len());
    while i > 0 && j > 0 {
        if rest[i - 1].text == from[j - 1].text {
            (i, j) = (i - 1, j - 1);
            same[prefix + i] = Some(prefix + j);
        } else if length[i * width + j - 1] == length[i * width + j] {
            j -= 1;
        } else {
            i -= 1;
        }
    }
    Some(same)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The columns of these words of the preprocessed line: for each word, the first occurrence of its text
    /// after the previous word.
    fn columns(original: &str, preprocessed: &str, of: &[&str]) -> Vec<usize> {
        let all = aligned(original, preprocessed);
        let mut from = 0;
        let column = |word: &&str| {
            let at = from + preprocessed[from..].find(word).unwrap();
            from = at + 1;
            all.iter().find(|(here, _)| *here == at).unwrap().1 + 1
        };
        of.iter().map(column).collect()
    }

    #[test]
    fn what_macros_did_not_touch_stays() {
        let (original, changed) = ("int x = N; f(x);", "int x = 300; f(x);");
        assert_eq!(columns(original, changed, &["int", "300", "f"]), [1, 9, 12]);
        assert_eq!(columns("a /* b */ = N + 1; // c", "a = 5 + 1;", &["a", "=", "5", "1"]), [1, 11, 13, 17]);
    }

    #[test]
    fn what_a_macro_brings_is_where_it_is_used() {
        let (original, changed) = ("CHECK(x != 7); g();", "if (!(x != 7)) error(); g();");
        assert_eq!(columns(original, changed, &["if", "x", "error", "g"]), [1, 7, 1, 16]);
        let (original, changed) = ("A; B; c();", "f(); g(); h(); c();");
        assert_eq!(columns(original, changed, &["f", "g", "h", "c"]), [1, 1, 4, 7]);
        let twice = ("IN(x); IN(y);", "int x = nondet(); int y = nondet();");
        assert_eq!(
            columns(twice.0, twice.1, &["int", "x", "nondet", "int", "y", "nondet"]),
            [1, 1, 1, 8, 8, 8]
        );
        assert_eq!(columns("WHEN(x, error())", "if (x) { error(); }", &["if", "error"]), [1, 9]);
    }

    #[test]
    fn hostile_lines_end() {
        assert!(aligned(&"a ".repeat(9_000), &"b ".repeat(9_000)).is_empty());
        assert_eq!(aligned("'", "\"\\"), []);
        assert_eq!(aligned("/*", "é"), []);
    }
}
