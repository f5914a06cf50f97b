//! What users type before it is parsed: the spellings of C compilers with one dash (`-std=c11`, `-include`, `-m32`), and `summa FILE.c`.

use std::ffi::OsString;

/// Turns the spellings of C compilers into ours, and `summa FILE.c` into `summa verify FILE.c`.
pub(crate) fn normalise(arguments: impl IntoIterator<Item = OsString>) -> Vec<OsString> {
    let mut normal = Vec::new();
    let mut only_files = false;
    for (position, argument) in arguments.into_iter().enumerate() {
        let text = argument.to_str().unwrap_or("");
        let is_file =
            [".c", ".i", ".yml", ".yaml", "compile_commands.json"].iter().any(|end| text.ends_with(end))
                && !text.starts_with('-');
        if position == 1 && is_file {
            normal.push("verify".into());
        }
        only_files |= text == "--";
        let replacement = match text {
            _ if only_files || position == 0 => None,
            "-include" => Some("--include".to_owned()),
            "-m32" => Some("--32".to_owned()),
            "-m64" => Some("--64".to_owned()),
            _ => text.strip_prefix("-std=").map(|standard| format!("--std={standard}")),
        };
        normal.push(replacement.map_or(argument, OsString::from));
    }
    normal
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn compiler_spellings_are_understood() {
        let words = |line: &str| -> Vec<OsString> { line.split(' ').map(OsString::from).collect() };
        assert_eq!(
            normalise(words("summa verify -m32 -std=c11 -include a.h -- -m64.c")),
            words("summa verify --32 --std=c11 --include a.h -- -m64.c")
        );
        assert_eq!(normalise(words("summa a.c")), words("summa verify a.c"));
        assert_eq!(normalise(words("summa run a.c")), words("summa run a.c"));
    }
}
