//! Cuts a program down to what is needed for something to stay as it is: a disagreement, mostly.
//!
//! It works on the text, greedily and in rounds: it removes lines, whole blocks, and heads of blocks, and
//! replaces expressions in parentheses by one of their parts or a number. The caller says which fact must
//! stay true, and must expect that the text is no program.

/// The smallest text that was found for which `stays` is still true.
pub fn minimise(text: &str, stays: &mut dyn FnMut(&str) -> bool) -> String {
    let mut best = text.to_owned();
    loop {
        let before = best.len();
        for candidates in [without_lines, with_simpler_parts] {
            let mut index = 0;
            loop {
                let all = candidates(&best);
                let Some(candidate) = all.get(index) else { break };
                if candidate.len() < best.len() && stays(candidate) {
                    best.clone_from(candidate);
                } else {
                    index += 1;
                }
            }
        }
        if best.len() == before {
            return best;
        }
    }
}

/// Without a line; without a block; without its braces and head only.
fn without_lines(text: &str) -> Vec<String> {
    let lines: Vec<&str> = text.lines().collect();
    let without = |gone: &dyn Fn(usize) -> bool| {
        let kept: Vec<&str> =
            lines.iter().enumerate().filter(|(i, _)| !gone(*i)).map(|(_, line)| *line).collect();
        kept.join("\n")
    };
    let mut candidates = Vec::new();
    // From the end: what comes later uses what comes first.
    for first in (0..lines.len()).rev() {
        let opens = lines[first].ends_with('{');
        if !opens && !lines[first].trim_start().starts_with('}') {
            candidates.push(without(&|i| i == first));
        }
        if let Some(last) = opens.then(|| end_of_block(&lines, first)).flatten() {
            candidates.push(without(&|i| (first..=last).contains(&i)));
            candidates.push(without(&|i| i == first || i == last));
        }
    }
    candidates
}

fn end_of_block(lines: &[&str], first: usize) -> Option<usize> {
    let indent = |line: &str| line.len() - line.trim_start().len();
    let depth = indent(lines[first]);
    (first + 1..lines.len()).find(|&i| lines[i].trim_start().starts_with('}') && indent(lines[i]) == depth)
}

/// With one thing in parentheses made simpler.
fn with_simpler_parts(text: &str) -> Vec<String> {
    let bytes = text.as_bytes();
    let mut candidates = Vec::new();
    let mut open = Vec::new();
    for (end, byte) in bytes.iter().enumerate() {
        match byte {
            b'(' => open.push(end),
            b')' => {
                let Some(start) = open.pop() else { continue };
                let inner = &text[start + 1..end];
                let with = |part: &str| format!("{}{part}{}", &text[..start], &text[end + 1..]);
                candidates.extend(["0", "1"].map(with));
                for part in operands(inner) {
                    candidates.push(with(part));
                    candidates.push(with(&format!("({part})")));
                }
            }
            _ => {}
        }
    }
    candidates
}

/// The parts of an expression between spaces that are not inside of parentheses.
fn operands(inner: &str) -> Vec<&str> {
    let (mut parts, mut depth, mut start) = (Vec::new(), 0_i32, 0);
    for (at, byte) in inner.bytes().enumerate() {
        match byte {
            b'(' | b'[' => depth += 1,
            b')' | b']' => depth -= 1,
            b' ' if depth == 0 => {
                parts.push(&inner[start..at]);
                start = at + 1;
            }
            _ => {}
        }
    }
    parts.push(&inner[start..]);
    parts.retain(|part| part.len() < inner.len() && part.bytes().any(|byte| byte.is_ascii_alphanumeric()));
    parts
}
