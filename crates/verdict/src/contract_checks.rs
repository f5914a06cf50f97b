//! Contracts of functions as checks in the program's text. A caller must have established `requires` of one
//! of the contracts. If `requires` of a contract held at the entry, its `ensures` must hold when the function
//! returns.
//!
//! Entry values are copied at the entry: those of parameters, which a contract always means, and those of
//! `\old(…)`. A `return` keeps its place; its value passes through a variable that stands for `\result`.
//! Nothing of the program is removed, so [`crate::instrument`] can check that everything inserted only
//! evaluates.
//!
//! Limits: functions that contain other functions, and other constructs of ACSL, are refused.

use crate::instrument::{BROKEN, Insertion, insert, plain};
use crate::places::{Function, Places};
use crate::witness::Contract;
use std::collections::BTreeMap;

const RESULT: &str = "__summa_result";
const OLD: &str = "__summa_old_";
const REQUIRES: &str = "__summa_requires_";

/// Puts the checks of all contracts in.
pub(crate) fn insert_checks(
    insertions: &mut Vec<Insertion>,
    places: &Places<'_>,
    contracts: &[Contract],
) -> Result<(), String> {
    let mut by_function: BTreeMap<&str, Vec<&Contract>> = BTreeMap::new();
    for contract in contracts {
        by_function.entry(function_of(places, contract)).or_default().push(contract);
    }
    for (name, contracts) in by_function {
        let function = places.functions.iter().find(|function| function.name == name);
        let function = function.ok_or_else(|| format!("there is no function `{name}` with a body"))?;
        if function.has_nested {
            return Err(format!("the contract of `{name}`, which has functions in it, is not supported"));
        }
        Checks::new(function, &contracts)?.insert(insertions);
    }
    Ok(())
}

/// The name of the function. If the witness does not give it, that of the function whose head is on the line.
fn function_of<'c>(places: &'c Places<'_>, contract: &'c Contract) -> &'c str {
    if !contract.function.is_empty() {
        return &contract.function;
    }
    let begins = |function: &&Function| places.locate(function.body).line >= contract.location.line;
    let behind = places.functions.iter().filter(begins);
    behind.min_by_key(|function| function.body.lo).map_or("", |function| &function.name)
}

/// The contracts of one function, written for its body.
struct Checks<'f> {
    function: &'f Function,
    requires: Vec<String>,
    ensures: Vec<String>,
    /// The expressions under `\old`, without parameters.
    old: Vec<String>,
    gives: bool,
}

impl<'f> Checks<'f> {
    fn new(function: &'f Function, contracts: &[&Contract]) -> Result<Self, String> {
        let gives = function.name == "main" || function.returns.iter().any(|(_, value)| value.is_some());
        let mut checks = Self { function, requires: Vec::new(), ensures: Vec::new(), old: Vec::new(), gives };
        for contract in contracts {
            if contract.requires.contains('\\') {
                return Err(format!("`{}` is not supported", contract.requires));
            }
            checks.requires.push(contract.requires.clone());
            let ensures = checks.at_return(&contract.ensures)?;
            checks.ensures.push(ensures);
        }
        Ok(checks)
    }

    /// A postcondition in the words of the body.
    fn at_return(&mut self, text: &str) -> Result<String, String> {
        let mut out = String::new();
        let mut rest = text;
        while let Some(first) = rest.chars().next() {
            if let Some(after) = rest.strip_prefix("\\result") {
                if !self.gives {
                    return Err(format!("`{}` gives nothing", self.function.name));
                }
                out.push_str(RESULT);
                rest = after;
            } else if let Some(after) = rest.strip_prefix("\\old") {
                let (inner, after) =
                    in_parentheses(after).ok_or_else(|| format!("`{text}` is no expression"))?;
                if inner.contains('\\') {
                    return Err(format!("`{text}` is not supported"));
                }
                out.push_str(&self.old_value(inner.trim()));
                rest = after;
            } else if first == '\\' {
                return Err(format!("`{text}` is not supported"));
            } else if first.is_ascii_alphabetic() || first == '_' {
                let end = rest.find(|c: char| !c.is_ascii_alphanumeric() && c != '_').unwrap_or(rest.len());
                let (word, after) = rest.split_at(end);
                let is_member = out.trim_end().ends_with('.') || out.trim_end().ends_with("->");
                if !is_member && self.function.params.iter().any(|param| param == word) {
                    out.push_str(&format!("{OLD}{word}"));
                } else {
                    out.push_str(word);
                }
                rest = after;
            } else {
                // Numbers with their suffixes are no words.
                let end = match first.is_ascii_digit() {
                    true => rest.find(|c: char| !c.is_ascii_alphanumeric() && c != '.').unwrap_or(rest.len()),
                    false => first.len_utf8(),
                };
                out.push_str(&rest[..end]);
                rest = &rest[end..];
            }
        }
        Ok(out)
    }

    fn old_value(&mut self, inner: &str) -> String {
        if self.function.params.iter().any(|param| param == inner) {
            return format!("{OLD}{inner}");
        }
        let known = self.old.iter().position(|other| other == inner);
        let number = known.unwrap_or_else(|| {
            self.old.push(inner.to_owned());
            self.old.len() - 1
        });
        format!("{OLD}{number}")
    }

    fn insert(&self, insertions: &mut Vec<Insertion>) {
        let Function { name, params, body, returns, .. } = self.function;
        let mut copies = String::new();
        for param in params {
            copies.push_str(&format!(" __typeof__({param}) {OLD}{param} = {param};"));
        }
        if self.gives {
            copies.push_str(&format!(" __typeof__({name}({})) {RESULT};", params.join(", ")));
        }
        insertions.push(plain(body.lo + 1, &copies));
        for (number, inner) in self.old.iter().enumerate() {
            let head = format!(" __typeof__({inner}) {OLD}{number} = (");
            insert(insertions, body.lo + 1, &head, inner, ");", "");
        }
        for (number, requires) in self.requires.iter().enumerate() {
            let head = format!(" int {REQUIRES}{number} = (");
            let is_last = number + 1 == self.requires.len();
            let after = if is_last { self.one_is_met() } else { String::new() };
            insert(insertions, body.lo + 1, &head, requires, ") != 0;", &after);
        }
        for &(span, value) in returns {
            match value {
                Some(value) => {
                    insertions.push(plain(value.lo, &format!("({RESULT} = (")));
                    insertions.push(plain(value.hi, "))"));
                    self.all_are_kept(insertions, value.hi, ", ", &format!(", {RESULT}"));
                }
                None => {
                    insertions.push(plain(span.lo, "{"));
                    self.all_are_kept(insertions, span.lo, " ", "; ");
                    insertions.push(plain(span.hi, " }"));
                }
            }
        }
        // Control may come to the end of the body: in a function without a result, and in `main`, which
        // returns 0 there.
        let end = body.hi - 1;
        if name == "main" {
            insertions.push(plain(end, &format!(" {RESULT} = 0;")));
        }
        if name == "main" || !self.gives {
            self.all_are_kept(insertions, end, " ", "; ");
        }
    }

    fn one_is_met(&self) -> String {
        let all: Vec<String> = (0..self.requires.len()).map(|number| format!("{REQUIRES}{number}")).collect();
        format!(" (void)(({}) || ({BROKEN}(), 0));", all.join(" || "))
    }

    /// For each contract: if its `requires` held, its `ensures` holds.
    fn all_are_kept(&self, insertions: &mut Vec<Insertion>, at: u32, before: &str, after: &str) {
        for (number, ensures) in self.ensures.iter().enumerate() {
            let head = format!("{before}(void)(!{REQUIRES}{number} || (");
            let tail = format!(") || ({BROKEN}(), 0))");
            let is_last = number + 1 == self.ensures.len();
            let ends = before.trim().is_empty() || is_last;
            insert(insertions, at, &head, ensures, &tail, if ends { after } else { "" });
        }
    }
}

/// Splits a text that begins with parentheses: their contents, and the rest.
fn in_parentheses(text: &str) -> Option<(&str, &str)> {
    let start = text.find('(').filter(|&at| text[..at].trim().is_empty())?;
    let mut depth = 0;
    for (at, c) in text.char_indices().skip(start) {
        match c {
            '(' => depth += 1,
            ')' => depth -= 1,
            _ => {}
        }
        if depth == 0 {
            return Some((&text[start + 1..at], &text[at + 1..]));
        }
    }
    None
}
