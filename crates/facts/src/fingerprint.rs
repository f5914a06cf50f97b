//! Fingerprints of functions: text with everything that the analysis of a function can see of it. Equal texts
//! mean equal analyses. So summaries from one version of a program are valid for another version if the texts
//! of the function and of all that it calls are equal.
//!
//! The text has the automaton with its operations, and the types, variables and classes of memory that these
//! lead to. It also has the facts about the rest of the program on which the function's block relies: what is
//! an input, what is read afterwards, where pointers point. It leaves out what no analysis looks at: places
//! in the source, and other code. Names are those of [`summa_cfa::names`], and classes of memory are named
//! after their contents. So a name means one thing in each of two programs, and if the texts are equal,
//! things of the same name play the same part.
//!
//! Formulas number the objects of a program. So the text of a function with pointers includes the numbers of
//! its variables. In a program with more variables before these, it is another function.

mod class_names;
mod describe;

pub use class_names::{COUNTED, class_names};

use crate::Analyses;
use crate::blocks::{Block, BlockKind, Blocks};
use crate::mod_ref::Access;
use crate::points_to::ClassId;
use std::collections::BTreeSet;
use std::fmt::Write;
use summa_base::{FxHashMap, Id, IdMap};
use summa_c::tree::{ExprId, FuncId, PlaceId, VarId};
use summa_c::types::{RecordId, TypeId};
use summa_cfa::{Cfa, EdgeId, HavocSource, NodeId, NodeKind, Op};

/// Texts of the functions of one program.
pub struct Fingerprints<'a> {
    cfa: &'a Cfa,
    facts: &'a Analyses,
    /// By function.
    blocks: FxHashMap<FuncId, &'a Block>,
    /// Which error edges violate the property.
    is_violation: &'a dyn Fn(EdgeId) -> bool,
    classes: IdMap<ClassId, String>,
}

impl<'a> Fingerprints<'a> {
    pub fn new(
        cfa: &'a Cfa,
        facts: &'a Analyses,
        blocks: &'a Blocks,
        is_violation: &'a dyn Fn(EdgeId) -> bool,
    ) -> Self {
        let functions = blocks.blocks.values().filter_map(|block| match block.kind {
            BlockKind::Function(function) => Some((function, block)),
            BlockKind::Loop(_) => None,
        });
        let classes = class_names(cfa, facts);
        Self { cfa, facts, blocks: functions.collect(), is_violation, classes }
    }

    /// The functions that a run of this one can be in, itself included, by name.
    pub fn reachable(&self, function: FuncId) -> Vec<FuncId> {
        let mut all: Vec<FuncId> = self.facts.calls.below(function).iter().collect();
        all.sort_by_key(|&function| self.cfa.names().function(function));
        all
    }

    /// The text of the function alone.
    pub fn text(&self, function: FuncId) -> String {
        let mut writer = Writer {
            all: self,
            out: String::new(),
            numbers: FxHashMap::default(),
            todo: Vec::new(),
            variables: BTreeSet::new(),
            functions: BTreeSet::new(),
            has_pointers: false,
        };
        writer.function(function);
        writer.out
    }
}

/// What the text refers to by number: described where it is first met or later, in the order in which it was
/// met.
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
enum Item {
    Type(TypeId),
    Record(RecordId),
    Expr(ExprId),
    Place(PlaceId),
    Var(VarId),
    Class(ClassId),
}

struct Writer<'w> {
    all: &'w Fingerprints<'w>,
    out: String,
    numbers: FxHashMap<Item, usize>,
    todo: Vec<Item>,
    variables: BTreeSet<VarId>,
    functions: BTreeSet<FuncId>,
    has_pointers: bool,
}

impl Writer<'_> {
    fn put(&mut self, text: &str) {
        // The length before: texts must not run into each other.
        let _ = write!(self.out, "{}:{text} ", text.len());
    }

    fn number(&mut self, number: impl Into<i128>) {
        // Large numbers are rare, and take long to write.
        let number = number.into();
        let _ = match i32::try_from(number) {
            Ok(small) => write!(self.out, "{small} "),
            Err(_) => write!(self.out, "{number} "),
        };
    }

    /// A reference.
    fn item(&mut self, item: Item) {
        let next = self.numbers.len();
        let number = *self.numbers.entry(item).or_insert(next);
        if number == next {
            self.todo.push(item);
        }
        let _ = write!(self.out, "${number} ");
    }

    fn function_name(&mut self, function: FuncId) {
        self.functions.insert(function);
        let name = self.all.cfa.names().function(function).to_owned();
        self.put(&name);
    }

    fn function(&mut self, function: FuncId) {
        let (cfa, facts) = (self.all.cfa, self.all.facts);
        let info = &cfa.program.functions[function];
        self.put("function");
        self.function_name(function);
        if cfa.members_apart {
            self.put("members apart");
        }
        self.put(cfa.program.types.model.name());
        self.number(info.params.len() as i128);
        info.params.iter().chain(&info.result).for_each(|&var| self.item(Item::Var(var)));
        self.item(Item::Type(info.ty));
        self.number(u8::from(info.is_noreturn));
        if let Some(automaton) = cfa.automaton(function) {
            let from_first = |node: NodeId| (node.index() as u32 - automaton.nodes.start) as i128;
            for node in automaton.node_ids() {
                self.put(match cfa.nodes[node].kind {
                    NodeKind::Label(_) => "Label",
                    NodeKind::Plain => "Plain",
                    NodeKind::Entry => "Entry",
                    NodeKind::Exit => "Exit",
                    NodeKind::LoopHead => "LoopHead",
                    NodeKind::End => "End",
                });
            }
            for edge in automaton.edge_ids() {
                let data = &cfa.edges[edge];
                self.out.push('\n');
                self.number(from_first(data.from));
                self.number(from_first(data.to));
                // Proofs leave out edges from which no error is reachable, in the function or after it.
                self.number(u8::from(facts.reach.edge_can_reach(cfa, edge)));
                self.operation(edge, &data.op);
                if let Some(&var) = cfa.promoted.get(&edge) {
                    self.put("promoted");
                    self.item(Item::Var(var));
                }
                if let Some(class) = facts.points_to.of_allocation(edge) {
                    self.put("allocates");
                    self.item(Item::Class(class));
                }
            }
        }
        if let Some(&block) = self.all.blocks.get(&function) {
            self.block(block);
        }
        while !self.todo.is_empty() {
            for item in std::mem::take(&mut self.todo) {
                self.out.push('\n');
                self.describe(item);
            }
        }
        if self.has_pointers {
            self.object_numbers();
        }
    }

    fn block(&mut self, block: &Block) {
        let facts = self.all.facts;
        self.out.push('\n');
        self.number(u8::from(block.is_recursive));
        for access in [&block.referenced, &block.written, &block.inputs, &block.outputs] {
            self.access(access);
        }
        let mut touched = block.referenced.variables.clone();
        for class in block.referenced.classes.iter() {
            touched.extend(facts.points_to.variables(class).iter().copied());
        }
        let exits = &block.exits;
        let live = touched.iter().filter(|&var| exits.iter().any(|&exit| facts.live.is_live(exit, var)));
        self.variables(live.collect());
    }

    fn access(&mut self, access: &Access) {
        self.variables(access.variables.iter().collect());
        let mut classes: Vec<ClassId> = access.classes.iter().collect();
        classes.sort_by_key(|&class| &self.all.classes[class]);
        self.number(classes.len() as i128);
        classes.into_iter().for_each(|class| self.item(Item::Class(class)));
    }

    /// By name: numbers are those of the program.
    fn variables(&mut self, mut variables: Vec<VarId>) {
        variables.sort_by_key(|&var| self.all.cfa.names().variable(var));
        self.number(variables.len() as i128);
        variables.into_iter().for_each(|var| self.item(Item::Var(var)));
    }

    fn call(&mut self, result: Option<PlaceId>, callee: FuncId, args: &[ExprId]) {
        self.function_name(callee);
        self.number(u8::from(result.is_some()));
        result.into_iter().for_each(|place| self.item(Item::Place(place)));
        let info = &self.all.cfa.program.functions[callee];
        self.item(Item::Type(info.ty));
        info.params.iter().chain(&info.result).for_each(|&var| self.item(Item::Var(var)));
        self.number(args.len() as i128);
        args.iter().for_each(|&arg| self.item(Item::Expr(arg)));
    }

    fn operation(&mut self, edge: EdgeId, op: &Op) {
        self.put(op.kind_name());
        match op {
            Op::Skip => {}
            Op::Assign { place, value } => {
                self.item(Item::Place(*place));
                self.item(Item::Expr(*value));
            }
            Op::Assume { condition, truth, origin } => {
                self.item(Item::Expr(*condition));
                self.number(u8::from(*truth));
                self.put(&format!("{origin:?}"));
            }
            Op::Declare { var } | Op::Dead { var } => self.item(Item::Var(*var)),
            Op::Zero { place } => self.item(Item::Place(*place)),
            Op::Havoc { place, source } => {
                self.item(Item::Place(*place));
                match source {
                    HavocSource::Input(function) => self.function_name(*function),
                    other => self.put(&format!("{other:?}")),
                }
            }
            Op::Call { result, callee, args } | Op::External { result, callee, args } => {
                self.call(*result, *callee, args);
            }
            Op::Library { result, model, callee, args } => {
                self.put(&format!("{model:?}"));
                // Models may allocate or point anywhere.
                self.has_pointers = true;
                self.call(*result, *callee, args);
            }
            Op::Return { value } => value.iter().for_each(|&value| self.item(Item::Expr(value))),
            Op::Error { .. } => self.number(u8::from((self.all.is_violation)(edge))),
            Op::Halt { kind } => self.put(&format!("{kind:?}")),
            Op::Unsupported { what } => self.put(what),
        }
        if matches!(op, Op::External { .. }) {
            self.has_pointers = true;
        }
    }

    /// How formulas number what has an address.
    fn object_numbers(&mut self) {
        let program = &self.all.cfa.program;
        self.out.push('\n');
        self.number(program.functions.len() as i128);
        self.number(program.vars.len() as i128);
        let mut functions: Vec<FuncId> = self.functions.iter().copied().collect();
        functions.sort_by_key(|&function| self.all.cfa.names().function(function));
        functions.into_iter().for_each(|function| self.number(function.index() as i128));
        let mut variables: Vec<VarId> = self.variables.iter().copied().collect();
        variables.sort_by_key(|&var| self.all.cfa.names().variable(var));
        variables.into_iter().for_each(|var| self.number(var.index() as i128));
    }
}
