//! Describes steps in the words of the program.
//!
//! Values that the front end keeps in temporaries have no name in the source: results of calls, `a || b` as a
//! number, operands that a call might change. A temporary is described by what was written into it, which the
//! dependences tell.

use super::Story;
use super::dependence::{Part, Record};
use summa_c::print;
use summa_c::tree::{ExprId, PlaceId, VarId, VarKind};
use summa_cfa::syntax;
use summa_cfa::{HavocSource, Op};

/// How deeply temporaries may be nested in temporaries.
const MAX_DEPTH: usize = 8;
/// Where the words would be longer, the temporary keeps its name.
const MAX_LENGTH: usize = 60;

impl Story<'_> {
    /// The operation of a step. The result of a call is named where it is used, not where it is made.
    pub(super) fn step_text(&self, record: Record) -> Option<String> {
        let op = &self.cfa.edge(self.dependence.edge(record)?).op;
        let text = op.text(&self.cfa.program);
        let unnamed = op.written().filter(|&place| self.temporary(place).is_some());
        let result = unnamed.map(|place| format!("{} = ", print::place(&self.cfa.program, place)));
        let text = result.and_then(|result| text.strip_prefix(&result)).unwrap_or(&text);
        Some(self.in_words(record, text))
    }

    /// The text with other words for the temporaries that the step reads.
    pub(super) fn in_words(&self, record: Record, text: &str) -> String {
        self.in_words_below(record, text, MAX_DEPTH)
    }

    fn in_words_below(&self, record: Record, text: &str, depth: usize) -> String {
        let mut text = text.to_owned();
        let Some(depth) = depth.checked_sub(1) else { return text };
        // The arguments of a call are read by its parameters, which follow it.
        let edge = self.dependence.edge(record);
        let is_parameter = |&record: &Record| {
            self.dependence.edge(record) == edge && matches!(self.dependence.part(record), Part::Parameter(_))
        };
        let parameters = (record + 1..).take_while(is_parameter);
        for reader in std::iter::once(record).chain(parameters) {
            for &writer in self.dependence.reads(reader) {
                if let Some((name, words)) = self.held(writer, depth)
                    && words.len() <= MAX_LENGTH
                {
                    text = replace_word(&text, &name, &words);
                }
            }
        }
        text
    }

    /// The name of the temporary that a step wrote, and the words for what it holds.
    fn held(&self, writer: Record, depth: usize) -> Option<(String, String)> {
        let program = &self.cfa.program;
        let edge = self.dependence.edge(writer)?;
        let op = &self.cfa.edge(edge).op;
        let place = op.written()?;
        let temporary = self.temporary(place)?;
        // A number stands for something that was decided by branches, and an allocation may have become a
        // variable.
        let is_plain =
            |value: ExprId| program.exprs.as_int(value).is_none() && !self.cfa.promoted.contains_key(&edge);
        let words = match op {
            Op::Assign { value, .. } if is_plain(*value) => {
                self.in_words_below(writer, &print::expr(program, *value), depth)
            }
            Op::Assign { value, .. } => {
                self.source_text(temporary).unwrap_or_else(|| print::expr(program, *value))
            }
            Op::Call { callee, args, .. }
            | Op::Library { callee, args, .. }
            | Op::External { callee, args, .. } => self.source_text(temporary).unwrap_or_else(|| {
                let args: Vec<String> = args.iter().map(|&arg| print::expr(program, arg)).collect();
                format!("{}({})", program.func_name(*callee), args.join(", "))
            }),
            Op::Havoc { source: HavocSource::Input(callee), .. } => {
                format!("{}()", program.func_name(*callee))
            }
            _ => return None,
        };
        Some((print::place(program, place), words))
    }

    /// The expression that a temporary was made for, if it is short.
    fn source_text(&self, temporary: VarId) -> Option<String> {
        let span = self.cfa.program.vars[temporary].span;
        let text = self.sources.text(span).split_whitespace().collect::<Vec<_>>().join(" ");
        (!text.is_empty() && text.len() <= MAX_LENGTH).then_some(text)
    }

    /// Is the place a temporary as a whole?
    pub(super) fn temporary(&self, place: PlaceId) -> Option<VarId> {
        let is_temporary = |var: &VarId| matches!(self.cfa.program.vars[*var].kind, VarKind::Temp(_));
        syntax::whole_variable(&self.cfa.program.exprs, place).filter(is_temporary)
    }
}

/// The text with every occurrence of the word replaced, in parentheses where they are needed; longer words
/// that contain it stay.
fn replace_word(text: &str, word: &str, by: &str) -> String {
    let is_part = |c: Option<char>| c.is_some_and(|c| c.is_alphanumeric() || c == '_');
    let mut result = String::new();
    let mut rest = text;
    while let Some(at) = rest.find(word).filter(|_| !word.is_empty()) {
        let (before, found) = rest.split_at(at);
        let behind = &found[word.len()..];
        result.push_str(before);
        let (left, right) = (result.chars().next_back(), behind.chars().next());
        let is_argument = result.is_empty() || result.ends_with(['(', '[']) || result.ends_with(", ");
        let is_delimited = is_argument && right.is_none_or(|c| matches!(c, ')' | ']' | ',' | ';'));
        if is_part(left) || is_part(right) {
            result.push_str(word);
        } else if is_delimited || is_one_operand(by) {
            result.push_str(by);
        } else {
            result.extend(["(", by, ")"]);
        }
        rest = behind;
    }
    result + rest
}

/// Can operators be put around it? Names, numbers, and calls without an operator outside their parentheses.
fn is_one_operand(text: &str) -> bool {
    let mut depth = 0usize;
    text.chars().all(|c| {
        match c {
            '(' | '[' => depth += 1,
            ')' | ']' => depth = depth.saturating_sub(1),
            _ => {}
        }
        depth > 0 || c.is_alphanumeric() || matches!(c, '_' | '.' | ')' | ']')
    })
}

#[cfg(test)]
mod tests {
    use super::replace_word;

    #[test]
    fn only_whole_words_are_replaced() {
        assert_eq!(replace_word("__tmp1 < __tmp11 + __tmp1", "__tmp1", "f()"), "f() < __tmp11 + f()");
        assert_eq!(replace_word("x", "", "y"), "x");
        assert_eq!(replace_word("ax x xa", "x", "yx"), "ax yx xa");
    }

    #[test]
    fn operators_around_a_word_need_parentheses() {
        assert_eq!(replace_word("x * 2", "x", "a + b"), "(a + b) * 2");
        assert_eq!(replace_word("x * 2", "x", "f(a + b)[i]"), "f(a + b)[i] * 2");
        assert_eq!(replace_word("f(x, x + 1)", "x", "a + b"), "f(a + b, (a + b) + 1)");
        assert_eq!(replace_word("[x == 0]", "x", "a || b"), "[(a || b) == 0]");
    }
}
