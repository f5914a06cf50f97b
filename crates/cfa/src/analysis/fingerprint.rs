//! All that the analysis of a function can see of it, as text: equal texts, equal analyses. Summaries that were made of one
//! version of a program are used for another one where the texts of the function and of all that it calls are equal.
//!
//! The text has the automaton with its operations, the types, variables and classes of memory that these lead to, and the facts of
//! the rest of the program that the function's block relies on: what is an input, what is read behind it, where pointers point.
//! Left out is what no analysis looks at: places in the source, and what others do. Things have the names of [`crate::names`], and
//! classes of memory are named after what lies in them, so that a name means one thing in each of two programs; if the texts are
//! equal, what has the same name plays the same part.
//!
//! Formulas number the objects of a program. So functions whose text has pointers in it are described with the numbers of their
//! variables, and are another function for a program with more variables before these.

use super::Analyses;
use super::blocks::{Block, BlockKind, Blocks};
use super::mod_ref::Access;
use super::points_to::ClassId;
use crate::cfa::{Cfa, EdgeId, HavocSource, NodeId, NodeKind, Op};
use std::collections::BTreeSet;
use std::fmt::Write;
use summa_base::{FxHashMap, FxHashSet, Id, IdMap, IdSet};
use summa_c::tree::{ExprId, ExprKind, FuncId, PlaceId, PlaceKind, VarId, VarKind};
use summa_c::types::{ArrayLen, RecordId, Type, TypeId};

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
        let (mut seen, mut todo) = (IdSet::new(), vec![function]);
        while let Some(next) = todo.pop() {
            if seen.insert(next) {
                todo.extend(self.facts.calls.callees(next));
            }
        }
        let mut all: Vec<FuncId> = seen.iter().collect();
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

/// What the text refers to by number: described where it is first met or later, in the order in which it was met.
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
        let _ = write!(self.out, "{} ", number.into());
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

    fn describe(&mut self, item: Item) {
        match item {
            Item::Type(ty) => self.ty(ty),
            Item::Record(record) => self.record(record),
            Item::Expr(expr) => self.expr(expr),
            Item::Place(place) => self.place(place),
            Item::Var(var) => self.variable(var),
            Item::Class(class) => self.class(class),
        }
    }

    fn ty(&mut self, ty: TypeId) {
        match self.all.cfa.program.types.get(ty) {
            Type::Void => self.put("void"),
            Type::Int(kind) => self.put(kind.name()),
            Type::Float(kind) => self.put(kind.name()),
            Type::Pointer(to) => {
                self.has_pointers = true;
                self.put("*");
                self.item(Item::Type(*to));
            }
            Type::Array(element, len) => {
                self.put("[]");
                match len {
                    ArrayLen::Fixed(len) => self.number(*len),
                    ArrayLen::Unknown => self.put("?"),
                    ArrayLen::Variable(var) => self.item(Item::Var(*var)),
                }
                self.item(Item::Type(*element));
            }
            Type::Function(function) => {
                self.put("()");
                self.number(u8::from(function.is_variadic) + 2 * u8::from(function.is_prototype));
                self.item(Item::Type(function.result));
                self.number(function.params.len() as i128);
                function.params.iter().for_each(|&param| self.item(Item::Type(param)));
            }
            Type::Record(record) => self.item(Item::Record(*record)),
        }
    }

    fn record(&mut self, record: RecordId) {
        let program = &self.all.cfa.program;
        let data = program.types.record(record);
        self.put(if data.is_union { "union" } else { "struct" });
        self.number(data.size);
        self.number(data.align);
        self.number(u8::from(data.is_complete));
        self.number(data.fields.len() as i128);
        for field in &data.fields {
            self.put(field.name.map_or("", |name| program.name(name)));
            self.number(field.offset);
            self.number(u8::from(field.bits.is_some()));
            if let Some(bits) = field.bits {
                self.number(bits.offset);
                self.number(bits.width);
            }
            self.item(Item::Type(field.ty));
        }
    }

    fn expr(&mut self, expr: ExprId) {
        let data = self.all.cfa.program.exprs.expr(expr);
        self.item(Item::Type(data.ty));
        match data.kind {
            ExprKind::Int(value) => {
                self.put("int");
                self.number(value);
            }
            ExprKind::Float(bits) => self.put(&format!("float {bits}")),
            ExprKind::Load(place) => {
                self.put("load");
                self.item(Item::Place(place));
            }
            ExprKind::Addr(place) => {
                self.put("&");
                self.item(Item::Place(place));
            }
            ExprKind::Function(function) => {
                self.put("&function");
                self.function_name(function);
            }
            ExprKind::Unary(op, a) => {
                self.put(&format!("{op:?}"));
                self.item(Item::Expr(a));
            }
            ExprKind::Binary(op, a, b) => {
                self.put(&format!("{op:?}"));
                self.item(Item::Expr(a));
                self.item(Item::Expr(b));
            }
            ExprKind::Cast(a) => {
                self.put("cast");
                self.item(Item::Expr(a));
            }
        }
        if let Some(class) = self.all.facts.points_to.target(expr) {
            self.put("to");
            self.item(Item::Class(class));
        }
    }

    fn place(&mut self, place: PlaceId) {
        let data = self.all.cfa.program.exprs.place(place);
        self.item(Item::Type(data.ty));
        match data.kind {
            PlaceKind::Var(var) => {
                self.put("variable");
                self.item(Item::Var(var));
            }
            PlaceKind::Deref(pointer) => {
                self.put("deref");
                self.item(Item::Expr(pointer));
            }
            PlaceKind::Field(of, field) => {
                self.put("field");
                self.item(Item::Place(of));
                self.number(field);
            }
            PlaceKind::Index(of, index) => {
                self.put("index");
                self.item(Item::Place(of));
                self.item(Item::Expr(index));
            }
        }
        self.classes(self.all.facts.points_to.of_place(place));
    }

    fn variable(&mut self, var: VarId) {
        let (cfa, facts) = (self.all.cfa, self.all.facts);
        let data = &cfa.program.vars[var];
        self.variables.insert(var);
        self.put(cfa.names().variable(var));
        self.item(Item::Type(data.ty));
        self.put(match data.kind {
            VarKind::Global => "global",
            VarKind::External => "external",
            VarKind::Static(_) => "static",
            VarKind::Literal => "literal",
            VarKind::Param(_) => "param",
            VarKind::Local(_) => "local",
            VarKind::Temp(_) => "temp",
            VarKind::Return(_) => "result",
        });
        let is_taken = facts.variables.address_taken.contains(var);
        for flag in [data.is_const, data.is_volatile, data.is_thread_local, is_taken] {
            self.number(u8::from(flag));
        }
        // The contents of what cannot change are known everywhere; of all else they are in the entry state.
        if data.is_const || data.kind == VarKind::Literal {
            self.number(data.init.len() as i128);
            for &(place, value) in &data.init {
                self.item(Item::Place(place));
                self.item(Item::Expr(value));
            }
        }
        self.classes(facts.points_to.of_var(var));
    }

    fn classes(&mut self, classes: &[ClassId]) {
        let mut classes = classes.to_vec();
        classes.sort_by_key(|&class| &self.all.classes[class]);
        self.number(classes.len() as i128);
        classes.into_iter().for_each(|class| self.item(Item::Class(class)));
    }

    fn class(&mut self, class: ClassId) {
        let (cfa, points_to) = (self.all.cfa, &self.all.facts.points_to);
        self.put(&self.all.classes[class].clone());
        self.number(points_to.offset_of(class));
        let flags = [
            points_to.is_unknown(class),
            points_to.is_collapsed(class),
            points_to.is_pointed_to(class),
            points_to.content(class).is_some(),
            points_to.object_type(class).is_some(),
        ];
        flags.into_iter().for_each(|flag| self.number(u8::from(flag)));
        points_to.object_type(class).into_iter().for_each(|ty| self.item(Item::Type(ty)));
        points_to.content(class).into_iter().for_each(|content| self.item(Item::Class(content)));
        self.variables(points_to.variables(class).to_vec());
        let sites: BTreeSet<(&str, u32)> = points_to
            .allocations(class)
            .iter()
            .map(|&edge| cfa.place_of_edge(edge))
            .map(|(function, number)| (cfa.names().function(function), number))
            .collect();
        self.number(sites.len() as i128);
        for (function, number) in sites {
            self.put(function);
            self.number(number);
        }
        let mut functions = points_to.functions(class).to_vec();
        functions.sort_by_key(|&function| cfa.names().function(function));
        self.number(functions.len() as i128);
        functions.into_iter().for_each(|function| self.function_name(function));
        self.classes(points_to.siblings(class));
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

/// A name of its own for each class: after what lies in it, else after a class whose values point to it or which is a part of the same
/// objects. What is left is counted.
pub fn class_names(cfa: &Cfa, facts: &Analyses) -> IdMap<ClassId, String> {
    let points_to = &facts.points_to;
    let names = cfa.names();
    let mut found = IdMap::with_len(points_to.classes().len(), String::new());
    let mut taken: FxHashSet<String> = FxHashSet::default();
    let mut todo: Vec<ClassId> = Vec::new();
    for class in points_to.classes() {
        let offset = points_to.offset_of(class);
        let variable = points_to.variables(class).iter().map(|&var| names.variable(var)).min();
        let site = || {
            let sites = points_to.allocations(class).iter().map(|&edge| cfa.place_of_edge(edge));
            sites.map(|(function, number)| (names.function(function), number)).min()
        };
        let function = || points_to.functions(class).iter().map(|&function| names.function(function)).min();
        let name = if points_to.is_unknown(class) {
            "unknown".to_owned()
        } else if let Some(variable) = variable {
            format!("{variable}@{offset}")
        } else if let Some((function, number)) = site() {
            format!("new {function} {number}@{offset}")
        } else if let Some(function) = function() {
            format!("code {function}")
        } else {
            continue;
        };
        if taken.insert(name.clone()) {
            found[class] = name;
            todo.push(class);
        }
    }
    todo.sort_by_key(|&class| found[class].clone());
    let mut next = 0;
    while let Some(&class) = todo.get(next) {
        next += 1;
        let content = points_to.content(class).map(|content| (content, format!("*{}", found[class])));
        let parts = points_to.siblings(class).iter();
        let parts: Vec<(ClassId, String)> =
            parts.map(|&part| (part, format!("{}+{}", found[class], points_to.offset_of(part)))).collect();
        for (other, name) in content.into_iter().chain(parts) {
            if found[other].is_empty() && taken.insert(name.clone()) {
                found[other] = name;
                todo.push(other);
            }
        }
    }
    for class in points_to.classes() {
        if found[class].is_empty() {
            found[class] = format!("class {}", class.index());
        }
    }
    found
}
