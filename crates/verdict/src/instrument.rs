//! A program with expressions of a witness inserted into its text, each at its place in the witness. So the
//! front end gives them their meaning: scopes of names, types, conversions.
//!
//! An inserted expression may only evaluate. After parsing, it must be exactly the one statement or
//! expression that it was meant to be, without assignments, calls or steps. Everything else in the text stays
//! as it is, and positions can be translated back.

use crate::contract_checks;
use crate::follow::{Asked, At, Probe};
use crate::places::{ForkKind, Kind, LoopKind, Places};
use crate::witness::{Contract, Invariant};
use std::collections::BTreeMap;
use summa_base::{FxHashMap, Interner};
use summa_c::SourceMap;
use summa_c::Span;
use summa_syntax::ast::{Ast, ExprId, ExprKind, UnaryOp};
use summa_syntax::parse;

/// The name, before a number, of variables that say whether an assumption is true.
pub const PROBE: &str = "__summa_probe_";
/// The name of the value of a `switch`.
const VALUE: &str = "__summa_value";
/// Whether it goes by none of its cases.
const OTHER: &str = "__summa_other_";
/// The function that is called where an invariant is false.
pub const BROKEN: &str = "__summa_invariant_is_broken";

/// The changed texts of all inputs, with the way back to the original positions.
#[derive(Clone, Debug, Default)]
pub struct Instrumented {
    /// Names and texts.
    pub texts: Vec<(String, String)>,
    /// Where something was put in, in the positions of the original, ascending, and how long it is.
    inserted: Vec<(u32, u32)>,
    /// Where in the changed text the expressions are whose evaluation must be defined.
    pub must_be_defined: Vec<Span>,
}

impl Instrumented {
    /// Where something of the changed text was before.
    pub fn original(&self, span: Span) -> Span {
        Span::new(self.before(span.lo), self.before(span.hi))
    }

    fn before(&self, offset: u32) -> u32 {
        let mut total = 0;
        for &(at, length) in &self.inserted {
            if offset <= at + total {
                break;
            }
            // Inside of inserted text: the place of the insertion.
            if offset < at + total + length {
                return at;
            }
            total += length;
        }
        offset - total
    }
}

/// Something to put into the text.
pub(crate) struct Insertion {
    at: u32,
    /// The order at one place: first closing parts, then opening parts, then expressions in the order of the
    /// witness, then parts around expressions of the program, from the outside to the inside.
    order: (u8, u32, u8),
    text: String,
    /// The part of it that comes from the witness.
    expr: Option<std::ops::Range<usize>>,
}

/// Additional code that leads a search along a witness.
#[derive(Default)]
pub(crate) struct Lead {
    /// The code that is executed when the question with this number is answered.
    pub(crate) behind: FxHashMap<usize, String>,
    /// The code around calls.
    pub(crate) calls: Vec<(usize, String, String)>,
    /// For every file, and for the first alone.
    pub(crate) declarations: String,
    pub(crate) definitions: String,
}

/// The program with a variable for each probe, assigned where it is asked.
pub fn with_probes(
    sources: &SourceMap,
    places: &Places<'_>,
    probes: &[Probe],
) -> Result<Instrumented, String> {
    with_lead(sources, places, probes, &Lead::default())
}

pub(crate) fn with_lead(
    sources: &SourceMap,
    places: &Places<'_>,
    probes: &[Probe],
    lead: &Lead,
) -> Result<Instrumented, String> {
    let mut insertions = Vec::new();
    let mut switches: BTreeMap<usize, Vec<usize>> = BTreeMap::new();
    for (number, probe) in probes.iter().enumerate() {
        let behind = lead.behind.get(&number).map_or("", String::as_str);
        match (&probe.at, &probe.asked) {
            (At::Statement(at), Asked::Expression(value)) => {
                let statement = &places.statements[*at];
                let head = format!("{PROBE}{number} = (");
                let tail = format!(") != 0; {behind}");
                let in_block = statement.is_in_block;
                before_statement(&mut insertions, statement.span, in_block, &head, value, &tail)?;
            }
            (At::Fork(at), _) => match &places.forks[*at].kind {
                ForkKind::Condition(condition) => {
                    let behind = behind.trim_end_matches(';');
                    let comma = if behind.is_empty() { "" } else { ", " };
                    let tail = format!(") ? 1 : 0{comma}{behind}, {PROBE}{number})");
                    around(&mut insertions, *condition, 0, &format!("({PROBE}{number} = ("), &tail);
                }
                ForkKind::Always(body) => {
                    insertions.push(plain(body.lo, &format!("{{ {PROBE}{number} = 1; {behind}")));
                    insertions.push(plain(body.hi, " }"));
                }
                ForkKind::Switch(..) => switches.entry(*at).or_default().push(number),
                ForkKind::WithoutMiddle => return Err("`?:` without a middle is not supported".to_owned()),
            },
            (At::Statement(_), _) => return Err("a statement has no cases".to_owned()),
        }
    }
    for (at, numbers) in switches {
        let ForkKind::Switch(value, cases) = &places.forks[at].kind else { continue };
        let mut tail = String::from(");");
        for number in numbers {
            // One assignment is one answer.
            let answer = match probes[number].asked {
                // As numbers, whatever the types are.
                Asked::Value(wanted) if wanted < 0 && i64::try_from(wanted).is_ok() => {
                    let above = wanted + 1;
                    format!("{VALUE} < 0 && {VALUE} == ({above}LL - 1)")
                }
                Asked::Value(wanted) if u64::try_from(wanted).is_ok() => {
                    format!("{VALUE} >= 0 && (unsigned long long){VALUE} == {wanted}ULL")
                }
                Asked::Value(_) => "0".to_owned(),
                Asked::Default | Asked::Expression(_) | Asked::Condition if cases.is_empty() => {
                    "1".to_owned()
                }
                Asked::Default | Asked::Expression(_) | Asked::Condition => {
                    tail.push_str(&format!(" int {OTHER}{number} = 1; switch ({VALUE}) {{"));
                    for (lo, hi) in cases {
                        let hi = hi.map(|hi| format!(" ... {}", places.text(hi))).unwrap_or_default();
                        tail.push_str(&format!(" case {}{hi}:", places.text(*lo)));
                    }
                    tail.push_str(&format!(" {OTHER}{number} = 0; }}"));
                    format!("{OTHER}{number}")
                }
            };
            let behind = lead.behind.get(&number).map_or("", String::as_str);
            tail.push_str(&format!(" {PROBE}{number} = {answer}; {behind}"));
        }
        tail.push_str(&format!(" {VALUE}; }})"));
        // The type is that of the promoted value, with which cases are compared.
        let text = places.text(*value);
        around(&mut insertions, *value, 0, &format!("({{ __typeof__(({text}) + 0) {VALUE} = ("), &tail);
    }
    for (call, head, tail) in &lead.calls {
        around(&mut insertions, places.calls[*call].span, 1, head, tail);
    }
    let variables: String =
        (0..probes.len()).map(|number| format!("static int {PROBE}{number};\n")).collect();
    let declarations = format!("{variables}{}", lead.declarations);
    let changed = build(sources, insertions, &declarations, &lead.definitions)?;
    // An execution ends if it cannot evaluate this.
    Ok(Instrumented { must_be_defined: Vec::new(), ..changed })
}

/// The program with a call of [`BROKEN`] wherever an invariant is false or a contract is not kept.
pub fn with_invariants(
    sources: &SourceMap,
    places: &Places<'_>,
    invariants: &[Invariant],
    contracts: &[Contract],
) -> Result<Instrumented, String> {
    let mut insertions = Vec::new();
    contract_checks::insert_checks(&mut insertions, places, contracts)?;
    for invariant in invariants {
        let location = &invariant.location;
        let missing =
            |what: &str| format!("there is no {what} that begins at {}:{}", location.file, location.line);
        let value = invariant.value.as_str();
        let (open, close) = ("(void)((", format!(") || ({BROKEN}(), 0))"));
        let found = if invariant.is_loop {
            places.loop_from(location).ok_or_else(|| missing("loop"))?
        } else {
            places.statement_from(location).ok_or_else(|| missing("statement"))?
        };
        let statement = &places.statements[found];
        match statement.kind {
            Kind::Loop(branch, LoopKind::While) if invariant.is_loop => {
                insert(&mut insertions, branch.condition.lo, open, value, &format!("{close}, "), "");
                insertions.push(plain(branch.condition.lo, "("));
                insertions.push(plain(branch.condition.hi, ")"));
            }
            Kind::Loop(_, LoopKind::For { condition: Some(condition), .. }) if invariant.is_loop => {
                insert(&mut insertions, condition.lo, open, value, &format!("{close}, "), "");
                insertions.push(plain(condition.lo, "("));
                insertions.push(plain(condition.hi, ")"));
            }
            Kind::Loop(_, LoopKind::For { condition: None, .. }) if invariant.is_loop => {
                return Err("an invariant of a `for` without a condition is not supported".to_owned());
            }
            Kind::Loop(branch, LoopKind::Do) if invariant.is_loop => {
                before_statement(&mut insertions, branch.then, false, open, value, &format!("{close};"))?;
            }
            _ => {
                let in_block = statement.is_in_block;
                before_statement(
                    &mut insertions,
                    statement.span,
                    in_block,
                    open,
                    value,
                    &format!("{close};"),
                )?;
            }
        }
    }
    build(sources, insertions, &format!("extern void {BROKEN}(void);\n"), "")
}

pub(crate) fn plain(at: u32, text: &str) -> Insertion {
    Insertion { at, order: (0, 0, u8::from(text == "(")), text: text.to_owned(), expr: None }
}

/// Puts something around an expression of the program; of two around the same one, that with the higher level
/// is inside.
fn around(insertions: &mut Vec<Insertion>, span: Span, level: u8, head: &str, tail: &str) {
    let head = Insertion { order: (3, u32::MAX - span.hi, level), ..plain(span.lo, head) };
    let tail = Insertion { order: (0, u32::MAX - span.lo, u8::MAX - level), ..plain(span.hi, tail) };
    insertions.extend([head, tail]);
}

pub(crate) fn insert(
    insertions: &mut Vec<Insertion>,
    at: u32,
    head: &str,
    value: &str,
    tail: &str,
    after: &str,
) {
    let start = head.len();
    let text = format!("{head}{value}{tail}{after}");
    let expr = Some(start..start + value.len());
    insertions.push(Insertion { at, order: (2, 0, 0), text, expr });
}

/// Puts a statement before another one; braces around both where only one may stand.
fn before_statement(
    insertions: &mut Vec<Insertion>,
    span: Span,
    in_block: bool,
    head: &str,
    value: &str,
    tail: &str,
) -> Result<(), String> {
    let open = if in_block { "" } else { "{ " };
    insert(insertions, span.lo, &format!("{open}{head}"), value, tail, " ");
    if !in_block {
        insertions.push(plain(span.hi, " }"));
    }
    Ok(())
}

/// Inserts everything, and checks the result.
fn build(
    sources: &SourceMap,
    mut insertions: Vec<Insertion>,
    declarations: &str,
    definitions: &str,
) -> Result<Instrumented, String> {
    insertions.sort_by_key(|insertion| (insertion.at, insertion.order));
    let mut done = Instrumented::default();
    let mut exprs: Vec<Span> = Vec::new();
    let mut shift = 0u32;
    for file in sources.files() {
        let (base, text) = (sources.base(file), sources.file_text(file));
        let end = base + text.len() as u32;
        let mut out = String::from(declarations);
        if done.texts.is_empty() {
            out.push_str(definitions);
        }
        done.inserted.push((base, out.len() as u32));
        // The positions of the new text begin at those of the old text, moved by all earlier insertions.
        let new_base = base + shift;
        let mut from = 0;
        for insertion in insertions.iter().filter(|insertion| base <= insertion.at && insertion.at <= end) {
            let at = (insertion.at - base) as usize;
            out.push_str(text.get(from..at).ok_or("a position is not in the text")?);
            if let Some(expr) = &insertion.expr {
                let start = new_base + out.len() as u32;
                exprs.push(Span::new(start + expr.start as u32, start + expr.end as u32));
            }
            let start = new_base + out.len() as u32;
            out.push_str(&insertion.text);
            if insertion.expr.is_some() {
                done.must_be_defined.push(Span::new(start, start + insertion.text.len() as u32));
            }
            done.inserted.push((insertion.at, insertion.text.len() as u32));
            from = at;
        }
        out.push_str(text.get(from..).ok_or("a position is not in the text")?);
        shift += (out.len() - text.len()) as u32;
        done.texts.push((sources.name(file).to_owned(), out));
    }
    done.check(&exprs)?;
    Ok(done)
}

impl Instrumented {
    /// Is every inserted expression one expression of the new text, and does it do nothing but evaluate?
    fn check(&mut self, exprs: &[Span]) -> Result<(), String> {
        let (mut sources, mut names) = (SourceMap::new(), Interner::new());
        let mut found = 0;
        for (name, text) in &self.texts {
            let file = sources.add(name.clone(), text.clone()).map_err(|diagnostic| diagnostic.message)?;
            let (ast, diagnostics) = parse(&mut sources, file, &mut names);
            if let Some(first) = diagnostics.first().filter(|_| !diagnostics.is_empty()) {
                return Err(format!("an expression of the witness is no C: {}", first.message));
            }
            let blank = |span: Span| {
                // Parentheses belong to the surroundings.
                let text = sources.text(span);
                let start = text.len() - text.trim_start().len();
                Span::new(span.lo + start as u32, span.lo + text.trim_end().len() as u32)
            };
            for &span in exprs {
                let span = blank(span);
                let is_it = |id: &ExprId| within_parentheses(&sources, ast.exprs[*id].span, span);
                if let Some(id) = ast.exprs.ids().find(is_it) {
                    found += 1;
                    only_evaluates(&ast, id)?;
                }
            }
        }
        if found < exprs.len() {
            return Err("an expression of the witness is no expression of C where it stands".to_owned());
        }
        Ok(())
    }
}

/// The same span without parentheses and blanks around it.
fn within_parentheses(sources: &SourceMap, inner: Span, outer: Span) -> bool {
    if inner == outer {
        return true;
    }
    let left = sources.text(Span::new(outer.lo, inner.lo.max(outer.lo)));
    let right = sources.text(Span::new(inner.hi.min(outer.hi), outer.hi));
    outer.lo <= inner.lo
        && inner.hi <= outer.hi
        && left.chars().all(|c| c == '(' || c.is_whitespace())
        && right.chars().all(|c| c == ')' || c.is_whitespace())
        && left.matches('(').count() == right.matches(')').count()
}

/// An error for everything with an effect.
fn only_evaluates(ast: &Ast, root: ExprId) -> Result<(), String> {
    let mut open = vec![root];
    while let Some(id) = open.pop() {
        match &ast.exprs[id].kind {
            ExprKind::Ident(_)
            | ExprKind::Int(..)
            | ExprKind::Float(..)
            | ExprKind::Char(..)
            | ExprKind::SizeofExpr(_)
            | ExprKind::SizeofType(_)
            | ExprKind::AlignofExpr(_)
            | ExprKind::AlignofType(_)
            | ExprKind::PreferredAlignofType(_)
            | ExprKind::Offsetof(..) => {}
            ExprKind::Unary(op, a) => {
                match op {
                    UnaryOp::Deref
                    | UnaryOp::Plus
                    | UnaryOp::Minus
                    | UnaryOp::BitNot
                    | UnaryOp::Not
                    | UnaryOp::AddressOf => {}
                    UnaryOp::PreIncrement
                    | UnaryOp::PreDecrement
                    | UnaryOp::PostIncrement
                    | UnaryOp::PostDecrement
                    | UnaryOp::Real
                    | UnaryOp::Imag => return Err("an expression of the witness has an effect".to_owned()),
                }
                open.push(*a);
            }
            ExprKind::Binary(_, a, b) | ExprKind::Index(a, b) => open.extend([*a, *b]),
            ExprKind::Member(a, _) | ExprKind::Arrow(a, _) | ExprKind::Cast(_, a) => open.push(*a),
            ExprKind::Conditional { condition, then, otherwise, .. } => {
                open.extend([Some(*condition), *then, Some(*otherwise)].into_iter().flatten());
            }
            ExprKind::Assign(..)
            | ExprKind::Call { .. }
            | ExprKind::String(_)
            | ExprKind::CompoundLiteral(..)
            | ExprKind::Generic { .. }
            | ExprKind::StatementExpr(_)
            | ExprKind::LabelAddress(_)
            | ExprKind::VaArg(..)
            | ExprKind::TypesCompatible(..)
            | ExprKind::ChooseExpr(..)
            | ExprKind::Comma(..) => {
                return Err("an expression of the witness is more than comparisons and arithmetic".to_owned());
            }
        }
    }
    Ok(())
}
