//! Lemmas about the cells of arrays (`summa_transform::cells`): what a cell holds after a loop has passed its
//! index.
//!
//! The candidates have the form *guard ⟹ fact*. A guard compares the index of a cell with a variable or with
//! an index that the program uses (`K < i`, `K < 5 * i - 5`), sometimes together with a second comparison (`K
//! ≠ z`, `flag ≠ 0`). A fact compares a cell with another cell, a variable, its own index or a constant of
//! the program (`a_K = b_K`, `a_K ≤ max`, `a_K = 42`), or is a choice of two such comparisons. Facts that the
//! program itself writes or asserts come first ([`super::own_words`]). Which candidates hold is decided as
//! for all lemmas: see [`super::lemmas`].
//!
//! Limits: integers that do not wrap around, since the candidates are about numbers; loops whose index grows
//! or shrinks, not those that visit the elements in another order.

mod nested;
mod rounds;

pub(super) use rounds::Rounds;

use super::linear::{Linear, is_temporary, linear, saved_values};
use super::own_words::{Saying, sayings};
use rounds::{Fact, FactKind, Parts, dedup};
use summa_base::{FxHashMap, FxHashSet};
use summa_c::tree::{BinaryOp, ExprId, ExprKind, FuncId, PlaceId, PlaceKind, VarId};
use summa_cfa::syntax::strip_casts;
use summa_cfa::{Cfa, HavocSource, NodeId, Op};
use summa_encode::Encoding;
use summa_logic::Workbench;
use summa_term::{Sort, Term, Terms};

/// Indices of cells, and variables that guards compare with them.
const MAX_INDICES: usize = 4;
const MAX_VARIABLES: usize = 8;
/// Variables and constants that facts compare cells with.
const MAX_PARTNERS: usize = 6;
const MAX_CONSTANTS: usize = 6;

/// What the program says about cells and their indices.
pub(super) struct Implications {
    cells: Vec<VarId>,
    /// The indices of cells, over the chosen numbers.
    indices: Vec<Linear>,
    /// Other indices that the program compares with them.
    used: Vec<Linear>,
    /// Which is compared with which.
    compared: Vec<(Linear, Linear)>,
    /// Variables with what conditions say that they are less than.
    limits: Vec<(VarId, Linear)>,
    constants: Vec<i128>,
    own_words: Vec<Saying>,
    /// The symbol of each variable that is one integer.
    symbols: FxHashMap<VarId, Term>,
}

impl Implications {
    /// None if the program has no cells, or formulas are not about numbers.
    pub(super) fn new(logic: &mut Workbench<'_>) -> Option<Self> {
        let encoder = &mut logic.paths.encoder;
        if encoder.encoding != Encoding::Int {
            return None;
        }
        let (chosen, cells) = split(encoder.cfa);
        if cells.is_empty() {
            return None;
        }
        let mut symbols = FxHashMap::default();
        let places: Vec<_> = encoder.cells.cells.iter().map(|(_, cell)| *cell).collect();
        for cell in places {
            if let (Some((var, 0)), Sort::Int) = (cell.variable, cell.sort) {
                symbols.entry(var).or_insert_with(|| encoder.terms.symbol(cell.symbol, 0));
            }
        }
        let mut all = Self {
            cells,
            indices: Vec::new(),
            used: Vec::new(),
            compared: Vec::new(),
            limits: Vec::new(),
            constants: Vec::new(),
            own_words: Vec::new(),
            symbols,
        };
        all.collect(encoder.cfa, &chosen);
        all.own_words = sayings(encoder, &all.cells);
        Some(all)
    }

    fn collect(&mut self, cfa: &Cfa, chosen: &[VarId]) {
        let program = &cfa.program;
        let values = saved_values(cfa);
        for edge in cfa.edges.values() {
            match edge.op {
                Op::Assume { condition, truth: true, .. } => {
                    let ExprKind::Binary(op, a, b) = program.exprs.expr(condition).kind else { continue };
                    let [left, right] = [a, b].map(|side| linear(cfa, &values, side));
                    if let (BinaryOp::Lt, Some(var), Some(limit)) = (op, whole_variable_in(cfa, a), &right) {
                        insert(&mut self.limits, (var, limit.clone()), 2 * MAX_VARIABLES);
                    }
                    if let (BinaryOp::Eq, Some(index), Some(of_cell)) = (op, left, right) {
                        let is_of_cell =
                            |linear: &Linear| linear.parts.keys().all(|var| chosen.contains(var));
                        if is_of_cell(&of_cell) && !is_of_cell(&index) {
                            insert(&mut self.indices, of_cell.clone(), MAX_INDICES);
                            insert(&mut self.used, index.clone(), 2 * MAX_VARIABLES);
                            insert(&mut self.compared, (of_cell, index), 2 * MAX_VARIABLES);
                        }
                    }
                    if is_temp(cfa, a) {
                        self.constant(cfa, b);
                    }
                }
                Op::Assign { place, value }
                    if self.cells.iter().any(|&cell| is_variable(cfa, place, cell)) =>
                {
                    self.constant(cfa, value);
                }
                _ => {}
            }
        }
    }

    fn constant(&mut self, cfa: &Cfa, value: ExprId) {
        let exprs = &cfa.program.exprs;
        if let Some(number) = exprs.as_int(strip_casts(exprs, value)) {
            insert(&mut self.constants, number, MAX_CONSTANTS);
        }
    }

    /// The candidates for a head. `variables` are those that matter there, the most important ones first.
    pub(super) fn guess(&self, logic: &mut Workbench<'_>, head: NodeId, variables: &[VarId]) -> Rounds {
        let cfa = logic.paths.encoder.cfa;
        let function = cfa.nodes[head].function;
        let terms = &mut logic.paths.encoder.terms;
        let is_index = |var: VarId| self.used.iter().any(|index| index.parts.contains_key(&var));
        let is_known = |&var: &VarId| {
            let is_made =
                self.cells.contains(&var) || self.indices.iter().any(|i| i.parts.contains_key(&var));
            !is_made
                && is_visible(cfa, function, var)
                && !is_temporary(cfa, var)
                && self.symbols.contains_key(&var)
        };
        let variables: Vec<VarId> = variables.iter().copied().filter(is_known).collect();
        let partners: Vec<Term> =
            (variables.iter().copied().filter(|&var| !is_index(var)).take(MAX_PARTNERS))
                .filter_map(|var| self.symbols.get(&var).copied())
                .collect();
        let indices: Vec<Term> = self.indices.iter().filter_map(|index| self.term(terms, index)).collect();
        let used =
            self.used.iter().filter(|index| index.parts.keys().all(|&var| is_visible(cfa, function, var)));
        let used: Vec<Linear> = used.cloned().collect();
        let mut places: Vec<Term> = used.iter().filter_map(|index| self.term(terms, index)).collect();
        let indices_used = places.len();
        places.extend(variables.iter().take(MAX_VARIABLES).filter_map(|var| self.symbols.get(var).copied()));
        let constants: Vec<Term> = self.constants.iter().map(|&number| terms.int(number)).collect();

        // A guard is kept as its negation: the candidate is a disjunction.
        let mut guards = |places: &[Term]| {
            let mut unless = Vec::new();
            for &index in &indices {
                for &place in places {
                    unless.extend([terms.ge(index, place), terms.le(index, place)]);
                }
            }
            dedup(&mut unless);
            unless
        };
        let (unless, passed) = (guards(&places), guards(&places[..indices_used]));
        let is_sayable =
            |saying: &&Saying| saying.variables.iter().all(|&var| is_visible(cfa, function, var));
        let own: Vec<&Saying> = self.own_words.iter().filter(is_sayable).collect();
        let conditions: Vec<Term> =
            own.iter().filter(|saying| !saying.is_write).map(|saying| saying.formula).collect();
        let written: Vec<Term> =
            own.iter().filter(|saying| saying.is_write).map(|saying| saying.formula).collect();
        let own = own.into_iter().map(|saying| Fact {
            cell: usize::MAX,
            kind: FactKind::Other,
            formula: saying.formula,
        });
        let mut facts: Vec<Fact> = own.collect();
        facts.extend(self.facts(terms, &partners, &indices, &constants));
        let is_visible = |var: VarId| is_visible(cfa, function, var);
        let in_order = self.in_order(terms, is_visible);
        let nested = self.nested(terms, &partners, is_visible);
        Parts { partners, indices, unless, passed, in_order, nested, facts, conditions, written }
            .rounds(terms)
    }

    fn facts(&self, terms: &mut Terms, partners: &[Term], indices: &[Term], constants: &[Term]) -> Vec<Fact> {
        let cells: Vec<Term> = self.cells.iter().filter_map(|cell| self.symbols.get(cell).copied()).collect();
        let mut facts = Vec::new();
        for (number, &cell) in cells.iter().enumerate() {
            let mut add = |kind, formula| facts.push(Fact { cell: number, kind, formula });
            for &other in &cells[number + 1..] {
                add(FactKind::Other, terms.eq(cell, other));
            }
            for &constant in constants {
                let equal = terms.eq(cell, constant);
                add(FactKind::Constant, equal);
                add(FactKind::Other, terms.not(equal));
            }
            for &other in partners.iter().chain(indices) {
                let equal = terms.eq(cell, other);
                add(FactKind::Other, equal);
                add(FactKind::Other, terms.not(equal));
                add(FactKind::Order, terms.ge(cell, other));
                add(FactKind::Order, terms.le(cell, other));
            }
            for &constant in constants {
                add(FactKind::Order, terms.ge(cell, constant));
                add(FactKind::Order, terms.le(cell, constant));
            }
        }
        facts
    }

    fn term(&self, terms: &mut Terms, linear: &Linear) -> Option<Term> {
        let mut parts = vec![terms.int(linear.constant)];
        for (var, &factor) in &linear.parts {
            let &symbol = self.symbols.get(var)?;
            parts.push(terms.scaled(factor, symbol));
        }
        Some(terms.add(&parts))
    }
}

/// Was the program made by replacing arrays by cells?
pub(super) fn has_cells(cfa: &Cfa) -> bool {
    let is_made = |op: &Op| matches!(op, Op::Havoc { source: HavocSource::Abstraction, .. });
    cfa.edges.values().any(|edge| is_made(&edge.op))
}

/// The chosen numbers and the cells: variables that start with any value; only cells are written later.
fn split(cfa: &Cfa) -> (Vec<VarId>, Vec<VarId>) {
    let (mut made, mut written): (Vec<VarId>, FxHashSet<VarId>) = (Vec::new(), FxHashSet::default());
    for edge in cfa.edges.values() {
        let (Op::Assign { place, .. } | Op::Zero { place } | Op::Havoc { place, .. }) = edge.op else {
            continue;
        };
        let PlaceKind::Var(var) = cfa.program.exprs.place(place).kind else { continue };
        let is_start = cfa.nodes[edge.from].function == cfa.start;
        if is_start && matches!(edge.op, Op::Havoc { source: HavocSource::Abstraction, .. }) {
            made.push(var);
        } else {
            written.insert(var);
        }
    }
    made.into_iter().partition(|var| !written.contains(var))
}

fn is_variable(cfa: &Cfa, place: PlaceId, var: VarId) -> bool {
    cfa.program.exprs.place(place).kind == PlaceKind::Var(var)
}

fn is_temp(cfa: &Cfa, value: ExprId) -> bool {
    whole_variable_in(cfa, value).is_some_and(|var| is_temporary(cfa, var))
}

/// The variable that is loaded, converted or not.
fn whole_variable_in(cfa: &Cfa, value: ExprId) -> Option<VarId> {
    let exprs = &cfa.program.exprs;
    match exprs.expr(strip_casts(exprs, value)).kind {
        ExprKind::Load(place) => match exprs.place(place).kind {
            PlaceKind::Var(var) => Some(var),
            _ => None,
        },
        _ => None,
    }
}

/// May a formula at a location of this function speak of the variable?
fn is_visible(cfa: &Cfa, function: FuncId, var: VarId) -> bool {
    cfa.program.vars[var].kind.frame().is_none_or(|frame| frame == function)
}

fn insert<T: PartialEq>(list: &mut Vec<T>, item: T, most: usize) {
    if list.len() < most && !list.contains(&item) {
        list.push(item);
    }
}
