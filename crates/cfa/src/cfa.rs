//! The program as control-flow automata, one per function; calls are edges. Built by `build/`, checked by
//! `verify.rs`, then frozen: every engine shares it read-only, and facts live beside it, never inside.
//!
//! The automaton of the synthetic function [`Cfa::start`] gives the static objects their initial values and
//! calls the entry function; so engines need no special case for initialisation.

use crate::build::LEAVES_MEMBER;
use crate::library::LibFn;
use summa_base::{Csr, FxHashMap, IdVec, define_id};
use summa_c::Span;
use summa_c::tree::{Assumption, BranchOrigin, ExprId, FuncId, LabelId, PlaceId, Program, VarId};

define_id! {
    /// A control location.
    NodeId = "n";
    EdgeId = "e";
}

/// A frozen program. `program` has no statement bodies any more: they became edges.
#[derive(Debug)]
pub struct Cfa {
    pub program: Program,
    pub nodes: IdVec<NodeId, Node>,
    pub edges: IdVec<EdgeId, Edge>,
    pub(crate) leaving: Csr<NodeId, EdgeId>,
    pub(crate) entering: Csr<NodeId, EdgeId>,
    /// None for functions without a body.
    pub automata: IdVec<FuncId, Option<Automaton>>,
    /// The synthetic function that initialises static storage and calls `main`.
    pub start: FuncId,
    /// The function that `start` calls.
    pub main: FuncId,
    /// The assumptions of a run: those of the front end, and one for each external function that is called.
    pub assumptions: Vec<Assumption>,
    /// The checks before every operation: see [`Checks`].
    pub checks: Checks,
    /// The automata branch before an index that may leave its member: if it would, the run leaves what Summa
    /// understands. So members are kept apart. Without this, the members of such an object are taken for one.
    pub members_apart: bool,
    /// Variables that were allocated objects, by the edge that was the allocation: nothing initialises them.
    pub promoted: FxHashMap<EdgeId, VarId>,
    /// See [`Cfa::names`].
    pub(crate) names: std::sync::OnceLock<crate::names::Names>,
}

/// The control flow of one function. Node and edge ids of a function are contiguous. Nodes are numbered in
/// reverse post-order: all edges except back edges lead to higher numbers. The edges that leave a node have
/// consecutive numbers.
#[derive(Clone, Debug)]
pub struct Automaton {
    pub function: FuncId,
    /// No edge enters it.
    pub entry: NodeId,
    /// No edge leaves it. Only `Return` edges enter it.
    pub exit: NodeId,
    pub nodes: std::ops::Range<u32>,
    pub edges: std::ops::Range<u32>,
}

#[derive(Clone, Debug)]
pub struct Node {
    pub function: FuncId,
    pub kind: NodeKind,
    /// The place of this location in the source, for readers.
    pub span: Span,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum NodeKind {
    Plain,
    Entry,
    Exit,
    /// Entered by every round of a source-level loop (`while`, `for`, `do`); the span is that of the loop.
    LoopHead,
    /// A label of the source.
    Label(LabelId),
    /// Nothing leaves it: the run ended (`abort`, failed assumption, error, …). Entered by terminal edges
    /// only.
    End,
}

#[derive(Clone, Debug)]
pub struct Edge {
    pub from: NodeId,
    pub to: NodeId,
    pub op: Op,
    pub span: Span,
}

/// The operation of an edge. Expressions are evaluated in the state before the edge, all at once.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Op {
    Skip,
    Assign {
        place: PlaceId,
        value: ExprId,
    },
    /// Passes only if `condition` (an `int` comparison or constant) is non-zero, or zero when `truth` is
    /// false. A node with an assume edge has exactly two leaving edges: the same condition with both truths.
    Assume {
        condition: ExprId,
        truth: bool,
        origin: AssumeOrigin,
    },
    /// The lifetime of a local begins; contents indeterminate.
    Declare {
        var: VarId,
    },
    /// The lifetime of a local ends; pointers to it dangle.
    Dead {
        var: VarId,
    },
    /// All bytes of the place become zero.
    Zero {
        place: PlaceId,
    },
    /// The place takes any value of its type.
    Havoc {
        place: PlaceId,
        source: HavocSource,
    },
    /// Call of a function with an automaton: parameters := arguments, run, `result` := its result variable.
    /// Arguments beyond the parameters are variadic ones.
    Call {
        result: Option<PlaceId>,
        callee: FuncId,
        args: Vec<ExprId>,
    },
    /// Call of a modelled library function.
    Library {
        result: Option<PlaceId>,
        model: LibFn,
        callee: FuncId,
        args: Vec<ExprId>,
    },
    /// Call of a function without body and model, or of a function outside of the program through a pointer.
    /// It may have any result, and change everything that its pointer arguments reach.
    External {
        result: Option<PlaceId>,
        callee: FuncId,
        args: Vec<ExprId>,
    },
    /// `result variable := value`, to the exit node.
    Return {
        value: Option<ExprId>,
    },
    /// The run reaches an error. To an `End` node.
    Error {
        kind: ErrorKind,
    },
    /// The run ends without error. To an `End` node.
    Halt {
        kind: HaltKind,
    },
    /// Execution leaves what Summa understands. If an execution may get here, the answer is UNKNOWN. Leads to
    /// an `End` node.
    Unsupported {
        what: Box<str>,
    },
}

impl Op {
    /// The place that gets the result.
    pub fn written(&self) -> Option<PlaceId> {
        match *self {
            Self::Assign { place, .. } | Self::Havoc { place, .. } | Self::Zero { place } => Some(place),
            Self::Call { result, .. } | Self::Library { result, .. } | Self::External { result, .. } => {
                result
            }
            Self::Skip
            | Self::Assume { .. }
            | Self::Declare { .. }
            | Self::Dead { .. }
            | Self::Return { .. }
            | Self::Error { .. }
            | Self::Halt { .. }
            | Self::Unsupported { .. } => None,
        }
    }
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum AssumeOrigin {
    Branch(BranchOrigin),
    /// `__VERIFIER_assume` and the like: the false side halts.
    Assumption,
    /// A comparison of a function pointer with a candidate.
    FunctionPointer,
    /// A choice of the environment: whether an allocation fails, how many arguments the program gets.
    Environment,
    /// `__VERIFIER_assert`-like primitives without a body: the false side is an error.
    Assertion,
    /// Would an operation go wrong? See [`Checks`].
    Check,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum HavocSource {
    /// An input of the program: `__VERIFIER_nondet_int()` and the like, by the called function.
    Input(FuncId),
    /// An object that no file defines.
    ExternalObject,
    /// Arguments of the entry function, and the strings to which those of `main` point.
    EntryArgument,
    /// The value of a static object when the entry function is called, if that may be any value.
    Global,
    /// Does an allocation fail? Zero means no.
    Allocation,
    /// The value of a read of a volatile object.
    Volatile,
    /// The value of a read through a pointer that may lead to volatile objects and to others. If it leads to
    /// one of the others, any value is too much.
    MaybeVolatile,
    /// Skipped assembly.
    Assembly,
    /// A value that an abstraction of the program does not know: see `summa_transform::cells`.
    Abstraction,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ErrorKind {
    /// A call of the error function (`reach_error`, `__VERIFIER_error`).
    Call(FuncId),
    /// A failed `assert` or a spelling of it.
    Assertion,
    /// The result of a signed operation does not fit its type.
    Overflow,
    /// Division or remainder of integers.
    DivisionByZero,
    /// The amount of a shift is negative, or not less than the width of the type.
    BadShift,
    /// A value that is not negative is shifted to the left, and the result does not fit its signed type (C11
    /// 6.5.7p4).
    ShiftOverflow,
    /// A negative value is shifted to the left.
    NegativeShift,
}

impl ErrorKind {
    /// The checks whose branches lead to such an error: each of them is enough. None for errors that the
    /// program states itself.
    pub fn checks(self) -> &'static [Checks] {
        const OVERFLOW: Checks = Checks { overflow: true, ..Checks::NONE };
        match self {
            Self::Call(_) | Self::Assertion => &[],
            Self::Overflow => &[OVERFLOW],
            Self::DivisionByZero => &[Checks::DIVISION],
            Self::BadShift | Self::NegativeShift => &[Checks::SHIFT],
            // The property of shifts speaks of it, and it is an overflow.
            Self::ShiftOverflow => &[Checks::SHIFT, OVERFLOW],
        }
    }

    /// Do automata with these checks have branches that lead to such an error?
    pub fn is_checked_by(self, checks: Checks) -> bool {
        self.checks().iter().any(|&check| checks.contain(check))
    }
}

/// Which operations that go wrong are errors. Before an edge with such an operation the automata branch: an
/// `Error` follows if the operation would go wrong, otherwise the edge. So no edge of these automata ever
/// goes wrong in this way, and engines may rely on that.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Checks {
    /// Signed overflow of `+ - * / %`, of unary minus and of `abs`, and of left shifts: the operand is not
    /// negative and the result does not fit.
    pub overflow: bool,
    /// Division by zero.
    pub division: bool,
    /// Amounts of shifts, and operands of left shifts.
    pub shift: bool,
    /// In addition to `overflow`: a signed left shift of a negative value or by a bad amount ends without a
    /// verdict. It is undefined, but a matter of the property of shifts, not of overflow. Without this check
    /// it is ignored.
    pub undefined_shift: bool,
}

impl Checks {
    pub const NONE: Self = Self { overflow: false, division: false, shift: false, undefined_shift: false };
    pub const OVERFLOW: Self = Self { overflow: true, undefined_shift: true, ..Self::NONE };
    pub const DIVISION: Self = Self { division: true, ..Self::NONE };
    pub const SHIFT: Self = Self { shift: true, ..Self::NONE };
    pub const ALL: Self = Self { overflow: true, division: true, shift: true, undefined_shift: true };

    /// The checks of both.
    #[must_use]
    pub fn and(self, other: Self) -> Self {
        Self {
            overflow: self.overflow || other.overflow,
            division: self.division || other.division,
            shift: self.shift || other.shift,
            undefined_shift: self.undefined_shift || other.undefined_shift,
        }
    }

    /// Are all of `other` among these?
    pub fn contain(self, other: Self) -> bool {
        self.and(other) == self
    }
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum HaltKind {
    /// `exit`, `_Exit`, and `main` returning.
    Exit,
    /// `abort`, `__builtin_trap`.
    Abort,
    /// An assumption does not hold: this execution does not count.
    Assumption,
    /// Undefined behaviour that the program promised away (`__builtin_unreachable`), or a call through a
    /// pointer that is none of the candidates.
    Undefined,
}

impl Cfa {
    pub fn leaving(&self, node: NodeId) -> &[EdgeId] {
        &self.leaving[node]
    }

    pub fn entering(&self, node: NodeId) -> &[EdgeId] {
        &self.entering[node]
    }

    pub fn edge(&self, edge: EdgeId) -> &Edge {
        &self.edges[edge]
    }

    pub fn automaton(&self, function: FuncId) -> Option<&Automaton> {
        self.automata[function].as_ref()
    }

    /// Functions with an automaton, in order of their ids.
    pub fn defined(&self) -> impl Iterator<Item = &Automaton> {
        self.automata.values().flatten()
    }

    /// Does the edge lead to where an index would leave the member that it is applied to?
    pub fn leaves_member(&self, edge: EdgeId) -> bool {
        matches!(&self.edges[edge].op, Op::Unsupported { what } if **what == *LEAVES_MEMBER)
    }

    /// Are members kept apart, and is there an index that might leave one?
    pub fn relies_on_members(&self) -> bool {
        self.members_apart && self.edges.ids().any(|edge| self.leaves_member(edge))
    }

    pub fn entry(&self) -> NodeId {
        self.automata[self.start]
            .as_ref()
            .map_or_else(|| unreachable!("`start` has an automaton"), |a| a.entry)
    }
}

impl Automaton {
    pub fn node_ids(&self) -> impl DoubleEndedIterator<Item = NodeId> + use<> {
        self.nodes.clone().map(|i| <NodeId as summa_base::Id>::from_index(i as usize))
    }

    pub fn edge_ids(&self) -> impl DoubleEndedIterator<Item = EdgeId> + use<> {
        self.edges.clone().map(|i| <EdgeId as summa_base::Id>::from_index(i as usize))
    }
}
