//! Which arithmetic to try first: mathematical integers or bit-vectors.
//!
//! Integers are the first choice: solvers find invariants and interpolants over linear arithmetic much more
//! easily, and wrap-around of sums is only a case split. Bit-vectors come first if the integer encoding would
//! be inexact or full of remainders in an operation that can influence whether an error is reached:
//! * `&`, `|`, `^` of two values that are not constant, `~` beside them;
//! * shifts by an amount that is not constant;
//! * products and remainders of unsigned values that are not constant: these wrap by remainder;
//! * floating point that is not constant;
//! * unions whose parts are used: bytes that are written as one type and read as another.
//!
//! In both cases the other encoding is tried if the first one ends without an answer.

use summa_base::IdSet;
use summa_c::tree::{BinaryOp, ExprId, ExprKind, PlaceId, PlaceKind, UnaryOp};
use summa_c::types::Type;
use summa_cfa::{Cfa, EdgeId, Op};
use summa_encode::Encoding;
use summa_facts::Analyses;

/// The encoding to begin with, and the reason against integers.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Chosen {
    pub first: Encoding,
    pub because: Option<(&'static str, EdgeId)>,
}

impl Chosen {
    /// Both encodings in the order in which they are tried.
    pub fn order(&self) -> [Encoding; 2] {
        match self.first {
            Encoding::Int => [Encoding::Int, Encoding::BitVector],
            Encoding::BitVector => [Encoding::BitVector, Encoding::Int],
        }
    }
}

/// Looks at every edge from which an error can be reached and that matters for that.
pub fn choose(cfa: &Cfa, facts: &Analyses) -> Chosen {
    let mut search = Search { cfa, seen: IdSet::new(), seen_places: IdSet::new() };
    for edge in
        cfa.edges.ids().filter(|&edge| facts.reach.edge_can_reach(cfa, edge) && matters(cfa, facts, edge))
    {
        if let Some(what) = search.edge(edge) {
            return Chosen { first: Encoding::BitVector, because: Some((what, edge)) };
        }
    }
    Chosen { first: Encoding::Int, because: None }
}

/// Can the writes of the edge influence whether an error is reached?
fn matters(cfa: &Cfa, facts: &Analyses, edge: EdgeId) -> bool {
    match cfa.edges[edge].op {
        Op::Assign { place, .. } => match cfa.program.exprs.root(place) {
            Some(var) => facts.relevance.variables.contains(var),
            None => true,
        },
        _ => true,
    }
}

enum Part {
    Value(ExprId),
    Place(PlaceId),
}

struct Search<'a> {
    cfa: &'a Cfa,
    /// Looked at, and found harmless.
    seen: IdSet<ExprId>,
    seen_places: IdSet<PlaceId>,
}

impl Search<'_> {
    fn edge(&mut self, edge: EdgeId) -> Option<&'static str> {
        let mut parts = Vec::new();
        match &self.cfa.edges[edge].op {
            Op::Assign { place, value } => parts.extend([Part::Place(*place), Part::Value(*value)]),
            Op::Assume { condition, .. } => parts.push(Part::Value(*condition)),
            Op::Return { value } => parts.extend(value.map(Part::Value)),
            Op::Call { result, args, .. }
            | Op::Library { result, args, .. }
            | Op::External { result, args, .. } => {
                parts.extend(result.map(Part::Place));
                parts.extend(args.iter().copied().map(Part::Value));
            }
            Op::Zero { place } | Op::Havoc { place, .. } => parts.push(Part::Place(*place)),
            Op::Skip
            | Op::Declare { .. }
            | Op::Dead { .. }
            | Op::Error { .. }
            | Op::Halt { .. }
            | Op::Unsupported { .. } => {}
        }
        while let Some(part) = parts.pop() {
            let found = match part {
                Part::Value(value) if self.seen.insert(value) => self.value(value, &mut parts),
                Part::Place(place) if self.seen_places.insert(place) => self.place(place, &mut parts),
                _ => None,
            };
            if found.is_some() {
                return found;
            }
        }
        None
    }

    fn value(&self, value: ExprId, parts: &mut Vec<Part>) -> Option<&'static str> {
        let program = &self.cfa.program;
        let expr = program.exprs.expr(value);
        if program.types.is_float(expr.ty) && !matches!(expr.kind, ExprKind::Float(_)) {
            return Some("floating point");
        }
        match expr.kind {
            ExprKind::Int(_) | ExprKind::Float(_) | ExprKind::Function(_) => None,
            ExprKind::Load(place) | ExprKind::Addr(place) => {
                parts.push(Part::Place(place));
                None
            }
            ExprKind::Cast(inner) | ExprKind::Unary(UnaryOp::Neg | UnaryOp::BitNot, inner) => {
                parts.push(Part::Value(inner));
                None
            }
            ExprKind::Binary(op, a, b) => {
                parts.extend([Part::Value(a), Part::Value(b)]);
                self.operation(op, value, a, b)
            }
        }
    }

    fn operation(&self, op: BinaryOp, value: ExprId, a: ExprId, b: ExprId) -> Option<&'static str> {
        use BinaryOp::{And, Div, Mul, Or, Rem, Shl, Shr, Xor};
        let program = &self.cfa.program;
        let unknown = !self.is_constant(a) && !self.is_constant(b);
        let is_unsigned = !program.types.is_signed(program.exprs.type_of(value));
        match op {
            And | Or | Xor if unknown => Some("a bit operation"),
            Shl | Shr if !self.is_constant(b) => Some("a shift by an unknown amount"),
            Mul | Div | Rem if unknown && is_unsigned => Some("unsigned multiplication or division"),
            _ => None,
        }
    }

    /// A constant, or one operation or cast on constants.
    fn is_constant(&self, value: ExprId) -> bool {
        let exprs = &self.cfa.program.exprs;
        let is_number = |id: ExprId| exprs.as_int(id).is_some();
        match exprs.expr(value).kind {
            ExprKind::Unary(_, inner) | ExprKind::Cast(inner) => is_number(inner),
            ExprKind::Binary(_, a, b) => is_number(a) && is_number(b),
            _ => is_number(value),
        }
    }

    fn place(&self, place: PlaceId, parts: &mut Vec<Part>) -> Option<&'static str> {
        let program = &self.cfa.program;
        match program.exprs.place(place).kind {
            PlaceKind::Var(_) => None,
            PlaceKind::Deref(pointer) => {
                parts.push(Part::Value(pointer));
                None
            }
            PlaceKind::Field(base, _) => {
                parts.push(Part::Place(base));
                match *program.types.get(program.exprs.place(base).ty) {
                    Type::Record(record) if program.types.record(record).is_union => Some("a union"),
                    _ => None,
                }
            }
            PlaceKind::Index(base, index) => {
                parts.extend([Part::Place(base), Part::Value(index)]);
                None
            }
        }
    }
}
