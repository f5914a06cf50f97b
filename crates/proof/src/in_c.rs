//! A proof for people and other tools: formulas at loop heads and contracts, as expressions of C.
//!
//! An expression uses only integer variables that are in scope and whose name means nothing else there. A
//! part that cannot be expressed is left out if the rest then says less: this holds for a conjunct of an
//! invariant or of `ensures`. If `requires` of a contract cannot be expressed, the whole contract is left
//! out. So everything that is written holds, though it may no longer be a proof. Parts that follow from the
//! rest are left out too.

use crate::brevity::Brevity;
use crate::formulas::{Formulas, cases};
use crate::hull::hull;
use crate::proof::{Formula, Place, Procedure, Proof};
use std::collections::BTreeMap;
use summa_base::{FxHashMap, FxHashSet, IdSet};
use summa_c::tree::{FuncId, VarId, VarKind};
use summa_cfa::{Cfa, NodeId, Op};
use summa_encode::{CellId, Encoder};
use summa_facts::Analyses;
use summa_term::to_c::{CSymbol, is_group, to_c_typed};
use summa_term::{SymbolId, Term, Terms};

/// More cases are not worth reading.
const MAX_CASES: usize = 8;
/// Longer expressions are not worth reading.
const MAX_LENGTH: usize = 2_000;

/// A proof in the words of the program.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct InC {
    /// What holds whenever control is at a loop head, ascending.
    pub invariants: Vec<(NodeId, String)>,
    /// By function; of several contracts of one function each holds.
    pub contracts: Vec<ContractInC>,
    /// Functions with a contract that cannot be expressed. Their other contracts do not cover all calls.
    pub partly_said: Vec<FuncId>,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ContractInC {
    pub function: FuncId,
    /// `1` if nothing is required.
    pub requires: String,
    /// With `\result`, and `\old(x)` for values at the entry; `1` if nothing can be said.
    pub ensures: String,
}

impl Proof {
    /// Whatever of the proof can be said in C; nothing if it is no proof about this program.
    pub fn in_c(&self, cfa: &Cfa, facts: &Analyses, audience: Audience) -> InC {
        self.in_c_about(cfa, facts, audience, &|_| true)
    }

    /// The same, but of these variables only.
    pub(crate) fn in_c_about(
        &self,
        cfa: &Cfa,
        facts: &Analyses,
        audience: Audience,
        is_known: &dyn Fn(VarId) -> bool,
    ) -> InC {
        let mut encoder = Encoder::new(cfa, facts, self.encoding);
        if self.procedures.len() > 1 {
            encoder = encoder.with_entry_copies();
        }
        let Ok(formulas) = Formulas::read(&mut encoder, self) else { return InC::default() };
        let mut speaker = Speaker {
            cfa,
            encoder,
            formulas,
            audience,
            is_known,
            brevity: Brevity::new(),
            scopes: FxHashMap::default(),
            statics: statics(cfa),
        };
        let invariants = speaker.invariants(self, facts);
        let mut partly_said = Vec::new();
        let mut contracts: Vec<ContractInC> = self
            .procedures
            .iter()
            .skip(1)
            .filter_map(|procedure| {
                let said = speaker.contract(procedure);
                partly_said.extend(said.is_none().then_some(procedure.function));
                said
            })
            .collect();
        contracts.sort_by_key(|contract| contract.function);
        contracts.dedup();
        InC { invariants, contracts, partly_said }
    }
}

/// Who reads it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Audience {
    /// Knows all variables with static storage.
    People,
    /// Reads it as C at its place: a variable that is declared further down, or in another file, is not known
    /// there.
    Tools,
}

/// Cases, one of which holds. In each case all members hold.
type Cases = Vec<Vec<Term>>;

/// Where an expression stands.
#[derive(Clone, Copy)]
enum Side {
    At(NodeId),
    Entry(FuncId),
    Exit(FuncId),
}

struct Speaker<'a> {
    cfa: &'a Cfa,
    encoder: Encoder<'a>,
    formulas: Formulas,
    audience: Audience,
    /// Variables that may be named.
    is_known: &'a dyn Fn(VarId) -> bool,
    brevity: Brevity,
    /// The locals in scope at the nodes of functions, for functions that were asked about.
    scopes: FxHashMap<FuncId, FxHashMap<NodeId, IdSet<VarId>>>,
    /// The static variables of each function that has some.
    statics: FxHashMap<FuncId, Vec<VarId>>,
}

fn statics(cfa: &Cfa) -> FxHashMap<FuncId, Vec<VarId>> {
    let mut statics: FxHashMap<FuncId, Vec<VarId>> = FxHashMap::default();
    for (var, info) in cfa.program.vars.iter() {
        if let VarKind::Static(of) = info.kind {
            statics.entry(of).or_default().push(var);
        }
    }
    statics
}

impl Speaker<'_> {
    /// At each loop head one of the points holds, whatever calls wait; and so it is for every set of lemmas.
    fn invariants(&mut self, proof: &Proof, facts: &Analyses) -> Vec<(NodeId, String)> {
        let mut sets: Vec<BTreeMap<NodeId, Vec<Formula>>> = Vec::new();
        let mut add = |points: &mut dyn Iterator<Item = (&Place, Formula)>| {
            let mut set: BTreeMap<NodeId, Vec<Formula>> = BTreeMap::new();
            for (place, formula) in points.filter(|(place, _)| facts.loops.is_head(place.node)) {
                set.entry(place.node).or_default().push(formula);
            }
            sets.push(set);
        };
        let points = proof.procedures.iter().flat_map(|procedure| &procedure.points);
        add(&mut points.map(|point| (&point.place, point.formula)));
        for lemmas in &proof.lemmas {
            add(&mut lemmas.iter().map(|point| (&point.place, point.formula)));
        }
        let mut said: BTreeMap<NodeId, Vec<Cases>> = BTreeMap::new();
        for (node, formulas) in sets.into_iter().flatten() {
            if let Some(cases) = self.one_of(&formulas, Side::At(node)) {
                said.entry(node).or_default().push(cases);
            }
        }
        let mut invariants = Vec::new();
        for (node, sets) in said {
            let mut sets = self.joined(sets);
            self.without_repetition(&mut sets);
            let texts = sets.iter().filter_map(|cases| self.text(cases, Side::At(node)));
            let text = all_of(texts.collect());
            if text != "1" {
                invariants.push((node, without_parentheses(text)));
            }
        }
        invariants
    }

    /// Sets without a choice are one.
    fn joined(&mut self, sets: Vec<Cases>) -> Vec<Cases> {
        let (plain, mut joined): (Vec<Cases>, Vec<Cases>) = sets.into_iter().partition(|set| set.len() == 1);
        let together = plain.len() > 1;
        let mut case: Vec<Term> = plain.into_iter().flatten().flatten().collect();
        if together {
            self.brevity.shorten(&mut self.encoder.terms, &mut case);
        }
        if !case.is_empty() {
            joined.insert(0, vec![case]);
        }
        joined
    }

    /// Leaves out of each set what follows from the others.
    fn without_repetition(&mut self, sets: &mut [Cases]) {
        for set in 0..sets.len() {
            let mut cases = std::mem::take(&mut sets[set]);
            // Meanwhile nothing follows from this one.
            sets[set] = vec![Vec::new()];
            for case in &mut cases {
                case.retain(|&term| !sets.iter().any(|known| self.follows_always(term, known)));
            }
            sets[set] = cases;
        }
    }

    fn contract(&mut self, procedure: &Procedure) -> Option<ContractInC> {
        let function = procedure.function;
        let requires = self.formulas.get(procedure.requires).ok()?;
        let requires = self.encoder.terms.conjuncts(requires);
        let said: Vec<String> =
            requires.iter().map(|&term| self.formula(term, Side::Entry(function))).collect::<Option<_>>()?;
        let ensures = self.one_of(&[procedure.ensures], Side::Exit(function))?;
        let ensures = without_parentheses(self.text(&ensures, Side::Exit(function))?);
        Some(ContractInC { function, requires: without_parentheses(all_of(said)), ensures })
    }

    /// What can be said if one of the formulas holds. For many cases it is what they have in common.
    fn one_of(&mut self, formulas: &[Formula], side: Side) -> Option<Cases> {
        let mut found: FxHashSet<Vec<Term>> = FxHashSet::default();
        let mut ordered: Cases = Vec::new();
        let mut can_be_said: FxHashMap<Term, bool> = FxHashMap::default();
        for &formula in formulas {
            let formula = self.formulas.get(formula).ok()?;
            for mut case in cases(&self.encoder.terms, formula) {
                case.retain(|&term| {
                    let said = can_be_said.entry(term);
                    *said.or_insert_with(|| self.is_worth_reading(term) && self.formula(term, side).is_some())
                });
                if case.is_empty() {
                    return Some(vec![case]);
                }
                if found.insert(case.clone()) {
                    ordered.push(case);
                }
            }
        }
        if ordered.len() > MAX_CASES {
            let parts = ordered.iter().flatten();
            let symbols: FxHashSet<Term> =
                parts.flat_map(|&part| self.encoder.terms.free_symbols(part)).collect();
            let signed: FxHashSet<Term> =
                symbols.into_iter().filter(|&symbol| self.is_signed(symbol, side)).collect();
            ordered = vec![hull(&mut self.encoder.terms, &ordered, &|symbol| signed.contains(&symbol))];
        }
        for case in &mut ordered {
            self.brevity.shorten(&mut self.encoder.terms, case);
        }
        Some(ordered)
    }

    /// Does it follow in each of the cases?
    fn follows_always(&mut self, conclusion: Term, cases: &[Vec<Term>]) -> bool {
        let (brevity, terms) = (&mut self.brevity, &mut self.encoder.terms);
        cases.iter().all(|case| brevity.follows(terms, conclusion, case))
    }

    /// One of the cases holds. None if that is too long.
    fn text(&mut self, cases: &[Vec<Term>], side: Side) -> Option<String> {
        let mut found: Vec<String> = Vec::new();
        for case in cases {
            let case = all_of(case.iter().filter_map(|&term| self.formula(term, side)).collect());
            if case == "1" {
                return Some(case);
            }
            if !found.contains(&case) {
                found.push(case);
            }
        }
        let text = match found.as_slice() {
            [] => "0".to_owned(),
            [one] => one.clone(),
            several => format!("({})", several.join(" || ")),
        };
        (text.len() <= MAX_LENGTH).then_some(text)
    }

    /// Not a list of many cases, one value after the other.
    fn is_worth_reading(&self, conjunct: Term) -> bool {
        self.encoder.terms.disjuncts(conjunct).len() <= MAX_CASES
    }

    /// A formula in parentheses, or a primary expression.
    fn formula(&mut self, term: Term, side: Side) -> Option<String> {
        match term {
            Terms::TRUE => return Some("1".to_owned()),
            Terms::FALSE => return Some("0".to_owned()),
            _ => {}
        }
        if let Side::At(node) = side {
            self.find_scopes(self.cfa.nodes[node].function);
        }
        let symbol = |symbol: SymbolId, version: u32| {
            let cell = self.encoder.cells.of_symbol(symbol).filter(|_| version == 0)?;
            self.variable(cell, side)
        };
        to_c_typed(&self.encoder.terms, term, &symbol)
    }

    fn is_signed(&self, symbol: Term, side: Side) -> bool {
        let cell = self.encoder.terms.as_symbol(symbol).and_then(|(id, _)| self.encoder.cells.of_symbol(id));
        cell.and_then(|cell| self.variable(cell, side)).is_some_and(|variable| variable.signed)
    }

    /// The integer variable that a cell is, with its name at this place.
    fn variable(&self, cell: CellId, side: Side) -> Option<CSymbol> {
        let (cells, program) = (&self.encoder.cells, &self.cfa.program);
        let original = cells.original(cell);
        let data = cells.cells[original.unwrap_or(cell)];
        let ((var, 0), shape) = (data.variable?, data.shape?) else { return None };
        // What the program wrote there is not what a reader of the text finds.
        if program.vars[var].is_volatile || !(self.is_known)(var) {
            return None;
        }
        let (types, ty) = (&program.types, program.vars[var].ty);
        let is_it = types.is_integer(ty)
            && types.is_signed(ty) == shape.signed
            && types.size_of(ty) == Some(u64::from(shape.width / 8));
        let text = match (side, original) {
            (Side::Exit(_), Some(_)) => format!("\\old({})", self.name(var, side)?),
            (Side::Exit(function), None) => match program.vars[var].kind {
                VarKind::Return(of) if of == function => "\\result".to_owned(),
                VarKind::Global => self.name(var, side)?,
                // Parameters are gone.
                _ => return None,
            },
            (Side::At(_) | Side::Entry(_), None) => self.name(var, side)?,
            (Side::At(_) | Side::Entry(_), Some(_)) => return None,
        };
        is_it.then_some(CSymbol { text, bits: shape.width, signed: shape.signed })
    }

    /// The name of a variable, if it means this variable at the place.
    fn name(&self, var: VarId, side: Side) -> Option<String> {
        let program = &self.cfa.program;
        let name = program.var_name(var);
        let is_plain = name.chars().all(|c| c == '_' || c.is_ascii_alphanumeric())
            && name.chars().next().is_some_and(|c| !c.is_ascii_digit());
        let empty = IdSet::new();
        let (function, locals) = match side {
            Side::Entry(function) | Side::Exit(function) => (function, &empty),
            Side::At(node) => {
                let function = self.cfa.nodes[node].function;
                (function, self.scopes.get(&function)?.get(&node).unwrap_or(&empty))
            }
        };
        let params = &program.functions[function].params;
        // Statics of functions are in scope somewhere, so their names are avoided.
        let statics = self.statics.get(&function).into_iter().flatten().copied();
        let mut others =
            params.iter().copied().chain(locals.iter()).chain(statics).filter(|&other| other != var);
        let is_known = match program.vars[var].kind {
            VarKind::Param(of) => of == function,
            VarKind::Local(of) => of == function && locals.contains(var),
            VarKind::Global | VarKind::External => {
                let at = match side {
                    Side::At(node) => self.cfa.nodes[node].span,
                    Side::Entry(function) | Side::Exit(function) => program.functions[function].span,
                };
                let mut scopes = program.vars[var].scopes.iter();
                let is_declared = self.audience == Audience::People
                    || scopes.any(|scope| scope.lo <= at.lo && at.lo < scope.hi);
                is_declared && self.cfa.names().variable(var) == name
            }
            VarKind::Static(_) | VarKind::Literal | VarKind::Temp(_) | VarKind::Return(_) => false,
        };
        (is_plain && is_known && others.all(|other| program.var_name(other) != name)).then(|| name.to_owned())
    }

    /// For every node of the function: the locals that are alive on all paths to it.
    fn find_scopes(&mut self, function: FuncId) {
        let Some(automaton) = self.cfa.automaton(function) else { return };
        if self.scopes.contains_key(&function) {
            return;
        }
        let mut scopes: FxHashMap<NodeId, IdSet<VarId>> = FxHashMap::default();
        scopes.insert(automaton.entry, IdSet::new());
        let mut todo = vec![automaton.entry];
        while let Some(node) = todo.pop() {
            let Some(here) = scopes.get(&node).cloned() else { continue };
            for &edge in self.cfa.leaving(node) {
                let edge = self.cfa.edge(edge);
                let mut there = here.clone();
                match edge.op {
                    Op::Declare { var } => drop(there.insert(var)),
                    Op::Dead { var } => drop(there.remove(var)),
                    _ => {}
                }
                match scopes.get_mut(&edge.to) {
                    None => drop(scopes.insert(edge.to, there)),
                    Some(known) => {
                        let both: Vec<VarId> = known.iter().filter(|&var| there.contains(var)).collect();
                        if both.len() == known.iter().count() {
                            continue;
                        }
                        *known = both.into_iter().collect();
                    }
                }
                todo.push(edge.to);
            }
        }
        self.scopes.insert(function, scopes);
    }
}

/// The conjunction; `1` of nothing.
fn all_of(texts: Vec<String>) -> String {
    let mut kept: Vec<String> = Vec::new();
    for text in texts {
        if text == "0" {
            return text;
        }
        if text != "1" && !kept.contains(&text) {
            kept.push(text);
        }
    }
    match kept.as_slice() {
        [] => "1".to_owned(),
        [one] => one.clone(),
        several => format!("({})", several.join(" && ")),
    }
}

/// An expression that stands alone needs none around it.
fn without_parentheses(text: String) -> String {
    match is_group(&text) {
        true => text[1..text.len() - 1].to_owned(),
        false => text,
    }
}
