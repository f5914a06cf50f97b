//! Golden files: outputs as they should be, one file each in `tests/golden/<kind>`.
//!
//! `UPDATE_GOLDEN=1` before `cargo test` writes them anew: read the difference before you commit it. Outputs
//! must be the same on every machine, so nothing in them may name a folder of this one; what differs from run
//! to run is made equal by [`timeless`].

use std::path::{Path, PathBuf};

/// With this variable golden files are written, not compared.
const UPDATE: &str = "UPDATE_GOLDEN";

fn workspace() -> PathBuf {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
    root.canonicalize().unwrap()
}

/// Are golden files to be written?
pub fn is_update() -> bool {
    std::env::var_os(UPDATE).is_some()
}

/// The folder of all golden files.
pub fn folder() -> PathBuf {
    workspace().join("tests/golden")
}

/// Compares with the golden file of this name (`kind/name.txt`).
///
/// # Panics
/// The output is another one, or it names a folder of this machine.
pub fn check(name: &str, found: &str) {
    let here = workspace();
    for private in [here.to_str().unwrap(), env!("CARGO_MANIFEST_DIR"), "/tmp/", "/home/"] {
        assert!(!found.contains(private), "{name}: `{private}` is of this machine\n{found}");
    }
    compare(&folder().join(name), found);
}

/// Compares with a file; writes it if golden files are to be written.
///
/// # Panics
/// It has another text.
pub fn compare(path: &Path, found: &str) {
    if is_update() {
        std::fs::create_dir_all(path.parent().unwrap()).unwrap();
        std::fs::write(path, found).unwrap();
        return;
    }
    let expected = std::fs::read_to_string(path).unwrap_or_default();
    if expected == found {
        return;
    }
    let lines = || expected.lines().map(Some).chain([None]).zip(found.lines().map(Some).chain([None]));
    let (number, (old, new)) =
        lines().enumerate().find(|(_, (old, new))| old != new).unwrap_or((0, (None, None)));
    panic!(
        "{}, line {}:\n  expected {:?}\n  found    {:?}\nThe whole of what was found:\n{found}\n\
         If that is right, {UPDATE}=1 writes it.",
        path.display(),
        number + 1,
        old.unwrap_or("the end"),
        new.unwrap_or("the end"),
    );
}

/// The text without what is different in every run: numbers named `time` or `seconds` in JSON are `0.0`, and
/// the name and date of a witness are empty.
pub fn timeless(text: &str) -> String {
    let text =
        ["\"time\":", "\"seconds\":"].iter().fold(text.to_owned(), |text, key| without_number(&text, key));
    let of_a_run = |line: &&str| {
        ["uuid: \"", "creation_time: \""].iter().any(|start| line.trim_start().starts_with(start))
    };
    let line = |line: &str| match Some(line).filter(of_a_run).and_then(|line| line.split_once('"')) {
        Some((key, _)) => format!("{key}\"\"\n"),
        None => line.to_owned(),
    };
    text.split_inclusive('\n').map(line).collect()
}

/// `0.0` for each number behind the key.
fn without_number(text: &str, key: &str) -> String {
    let mut left = String::new();
    let mut rest = text;
    while let Some(at) = rest.find(key) {
        let (before, behind) = rest.split_at(at + key.len());
        left += before;
        let digits = behind.trim_start_matches(' ');
        left += &behind[..behind.len() - digits.len()];
        left += "0.0";
        rest = digits.trim_start_matches(|c: char| c.is_ascii_digit() || c == '.' || c == 'e' || c == '-');
    }
    left + rest
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn times_are_zero() {
        let text = "{\"time\":0.04,\"times\":[1.5]}\n{\"a\":{\"time\": 12}}";
        assert_eq!(timeless(text), "{\"time\":0.0,\"times\":[1.5]}\n{\"a\":{\"time\": 0.0}}");
        assert_eq!(timeless("  uuid: \"a-b\"\n  id: \"c\"\n"), "  uuid: \"\"\n  id: \"c\"\n");
    }

    #[test]
    #[should_panic(expected = "is of this machine")]
    fn folders_of_this_machine_are_refused() {
        check("reports/none.txt", &format!("{}/a.c", env!("CARGO_MANIFEST_DIR")));
    }
}
