//! `#pragma pack`: the greatest alignment that members of structs and unions may have, from a position on.
//!
//! The forms of gcc: `pack(n)`, `pack()`, `pack(push[, name][, n])`, `pack(pop[, name])`. What gcc ignores
//! with a warning is ignored here too.

use crate::ast::Pack;

/// The pragmas of one file, executed in order.
#[derive(Default)]
pub(crate) struct Packs {
    current: Option<u64>,
    pushed: Vec<(Option<String>, Option<u64>)>,
    pub(crate) changes: Vec<Pack>,
}

impl Packs {
    /// Executes the pragma whose text after `pack` is `arguments`. False if gcc would not understand it
    /// either.
    pub(crate) fn execute(&mut self, at: u32, arguments: &str) -> bool {
        let Some(inner) = arguments.trim().strip_prefix('(').and_then(|rest| rest.split_once(')')) else {
            return false;
        };
        let words: Vec<&str> = inner.0.split(',').map(str::trim).collect();
        let done = match words.as_slice() {
            [""] => {
                self.current = None;
                true
            }
            ["pop"] => self.pop(None),
            ["pop", name] => self.pop(Some(name)),
            ["push"] => self.push(None, None),
            ["push", word] if is_number(word) => self.push(None, Some(word)),
            ["push", name] => self.push(Some(name), None),
            ["push", name, limit] => self.push(Some(name), Some(limit)),
            [limit] => self.set(limit),
            _ => false,
        };
        self.changes.push(Pack { at, limit: self.current });
        done
    }

    fn push(&mut self, name: Option<&str>, limit: Option<&str>) -> bool {
        self.pushed.push((name.map(str::to_owned), self.current));
        limit.is_none_or(|limit| self.set(limit))
    }

    fn pop(&mut self, name: Option<&str>) -> bool {
        let position = match name {
            None => self.pushed.len().checked_sub(1),
            Some(name) => self.pushed.iter().rposition(|(pushed, _)| pushed.as_deref() == Some(name)),
        };
        let Some(position) = position else { return false };
        self.current = self.pushed[position].1;
        self.pushed.truncate(position);
        true
    }

    fn set(&mut self, limit: &str) -> bool {
        match limit.parse() {
            Ok(0) => self.current = None,
            Ok(limit @ (1 | 2 | 4 | 8 | 16)) => self.current = Some(limit),
            _ => return false,
        }
        true
    }
}

fn is_number(word: &str) -> bool {
    word.starts_with(|c: char| c.is_ascii_digit())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn limits(pragmas: &[&str]) -> Vec<Option<u64>> {
        let mut packs = Packs::default();
        for (at, pragma) in (0..).zip(pragmas) {
            packs.execute(at, pragma);
        }
        packs.changes.iter().map(|pack| pack.limit).collect()
    }

    #[test]
    fn limits_are_pushed_and_popped() {
        let pragmas =
            ["(push, 1)", "(2)", " ( push,a , 4 )", "(push)", "(8)", "(pop, a)", "(pop)", "(pop)", "(3)"];
        let expected = [Some(1), Some(2), Some(4), Some(4), Some(8), Some(2), None, None, None];
        assert_eq!(limits(&pragmas), expected);
        assert_eq!(limits(&["(4)", "()", "(push, 2)", "(0)"]), [Some(4), None, Some(2), None]);
    }
}
