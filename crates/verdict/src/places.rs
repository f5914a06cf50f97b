//! Where the statements and calls of the source are: what witnesses point to, and what the automata do not have any more.
//!
//! The inputs are parsed once more, without types. Positions are those of the text that the automata were made of; what the
//! user sees are lines and columns of the files as they are on disk, which the preprocessor may have moved.

use summa_base::{FxHashMap, Interner, Symbol};
use summa_c::Span;
use summa_c::source::{SourceMap, decode};
use summa_c::syntax::ast::{
    Ast, Declarator, Derived, Designator, ExprId, ExprKind, Init, InitId, Item, StmtId, StmtKind,
};
use summa_c::syntax::parser;

/// A statement, or a declaration inside of a block.
#[derive(Clone, Debug)]
pub struct Statement {
    pub span: Span,
    pub function: String,
    pub kind: Kind,
    /// The next one in the same block.
    pub next: Option<usize>,
    /// It stands directly in a block, so that something can be put before it.
    pub is_in_block: bool,
}

/// What matters about a statement.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    Plain,
    Declaration,
    /// Not a place of its own: control comes from elsewhere.
    Label,
    Branch(Branch),
    /// A loop: the part between the keyword and the body that is evaluated in every round is its condition.
    Loop(Branch, LoopKind),
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum LoopKind {
    While,
    /// With the place behind the first `;`, where the condition is or would be.
    For {
        condition: Option<Span>,
        /// The end of what comes before the condition.
        after: u32,
    },
    Do,
}

/// A condition and what is executed if it is true.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Branch {
    pub condition: Span,
    pub then: Span,
}

/// A call in the source.
#[derive(Clone, Debug)]
pub struct Call {
    pub span: Span,
    /// The closing parenthesis.
    pub close: Span,
    /// The innermost statement around it.
    pub statement: usize,
    /// Where the result goes, if that is all that happens to it: the text of a place that can be read again.
    pub assigned: Option<Span>,
}

/// A function with a body.
#[derive(Clone, Debug)]
pub struct Function {
    pub name: String,
    /// The names of its parameters.
    pub params: Vec<String>,
    /// With its braces.
    pub body: Span,
    /// The `return` statements, and what they give.
    pub returns: Vec<(Span, Option<Span>)>,
    /// There are functions in it, whose returns are not its own.
    pub has_nested: bool,
}

/// A place in a file as users and witnesses name it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Location {
    pub file: String,
    /// From 1.
    pub line: u32,
    /// In characters from 1; None where the preprocessor changed the line.
    pub column: Option<u32>,
    pub function: Option<String>,
}

/// All statements and calls of the inputs, ascending by their start; what encloses comes first.
pub struct Places<'s> {
    sources: &'s SourceMap,
    /// For each input: is the text what is on disk?
    is_verbatim: Vec<bool>,
    pub statements: Vec<Statement>,
    pub calls: Vec<Call>,
    pub functions: Vec<Function>,
    /// `?:` by its question mark.
    pub conditionals: Vec<(Span, Branch)>,
    /// Which statements and calls begin, and which calls end, on a line, ascending.
    statements_on: FxHashMap<u32, Vec<usize>>,
    calls_from: FxHashMap<u32, Vec<usize>>,
    calls_to: FxHashMap<u32, Vec<usize>>,
}

impl<'s> Places<'s> {
    pub fn new(sources: &'s SourceMap) -> Self {
        let mut places = Self {
            sources,
            is_verbatim: Vec::new(),
            statements: Vec::new(),
            calls: Vec::new(),
            functions: Vec::new(),
            conditionals: Vec::new(),
            statements_on: FxHashMap::default(),
            calls_from: FxHashMap::default(),
            calls_to: FxHashMap::default(),
        };
        // The same inputs in the same order have the same positions.
        let mut again = SourceMap::new();
        let mut names = Interner::new();
        for file in sources.files() {
            let (name, text) = (sources.name(file), sources.file_text(file));
            let on_disk = std::fs::read(name).map(decode);
            places.is_verbatim.push(on_disk.is_ok_and(|on_disk| on_disk == text));
            let Ok(added) = again.add(name, text.to_owned()) else { continue };
            let (ast, _) = parser::parse(&mut again, added, &mut names);
            Walk { ast: &ast, names: &names, places: &mut places }.unit();
        }
        places.index();
        places
    }

    fn index(&mut self) {
        for at in 0..self.statements.len() {
            let line = self.locate(self.statements[at].span).line;
            self.statements_on.entry(line).or_default().push(at);
        }
        for at in 0..self.calls.len() {
            let (from, to) = (self.locate(self.calls[at].span).line, self.locate(self.calls[at].close).line);
            self.calls_from.entry(from).or_default().push(at);
            self.calls_to.entry(to).or_default().push(at);
        }
    }

    /// Where the text at `span` begins, for users.
    pub fn locate(&self, span: Span) -> Location {
        let span = Span::new(span.lo, span.lo);
        let index = self.sources.file_of(span).map(summa_base::Id::index);
        let is_verbatim = index.and_then(|index| self.is_verbatim.get(index).copied()).unwrap_or(false);
        let found = if is_verbatim { self.sources.locate_in_input(span) } else { self.sources.locate(span) };
        let function = self.statement_at(span.lo).map(|at| self.statements[at].function.clone());
        Location { file: found.file.to_owned(), line: found.line, column: found.column, function }
    }

    /// The innermost statement around a position.
    pub fn statement_at(&self, offset: u32) -> Option<usize> {
        let after = self.statements.partition_point(|statement| statement.span.lo <= offset);
        (0..after).rev().find(|&at| offset < self.statements[at].span.hi)
    }

    /// The statement that begins at a location. Without a column: the first one of its line.
    pub fn statement_from(&self, location: &Location) -> Option<usize> {
        let on_line = self.statements_on.get(&location.line)?;
        on_line.iter().copied().find(|&at| self.is_at(self.statements[at].span, location))
    }

    /// The loop that begins at a location.
    pub fn loop_from(&self, location: &Location) -> Option<usize> {
        let is_loop = |at: &usize| matches!(self.statements[*at].kind, Kind::Loop(..));
        let on_line = self.statements_on.get(&location.line)?;
        on_line.iter().copied().filter(is_loop).find(|&at| self.is_at(self.statements[at].span, location))
    }

    /// The calls that begin on a line.
    pub fn calls_on(&self, line: u32) -> &[usize] {
        self.calls_from.get(&line).map_or(&[], Vec::as_slice)
    }

    /// The call that a location means: by its closing parenthesis, or its start; without a column the first of the line.
    pub fn call_from(&self, location: &Location) -> Option<usize> {
        let to = self.calls_to.get(&location.line).map_or(&[][..], Vec::as_slice);
        let by_close = to.iter().copied().find(|&at| self.is_at(self.calls[at].close, location));
        let from = || self.calls_on(location.line).iter().copied();
        by_close.or_else(|| from().find(|&at| self.is_at(self.calls[at].span, location)))
    }

    /// The branching statement or `?:` that begins at a location.
    pub fn branch_from(&self, location: &Location) -> Option<Branch> {
        let on_line = self.statements_on.get(&location.line).map_or(&[][..], Vec::as_slice);
        let statement = on_line.iter().find_map(|&at| match self.statements[at].kind {
            Kind::Branch(branch) | Kind::Loop(branch, _)
                if self.is_at(self.statements[at].span, location) =>
            {
                Some(branch)
            }
            _ => None,
        });
        let conditional = || self.conditionals.iter().find(|(question, _)| self.is_at(*question, location));
        statement.or_else(|| conditional().map(|&(_, branch)| branch))
    }

    /// Does something begin at the location? Names of files count by their last part: witnesses travel.
    pub fn is_at(&self, span: Span, location: &Location) -> bool {
        let here = self.locate(span);
        let last = |path: &str| path.rsplit(['/', '\\']).next().unwrap_or("").to_owned();
        here.line == location.line
            && (location.column.is_none() || here.column.is_none() || here.column == location.column)
            && last(&here.file) == last(&location.file)
    }

    /// The call that an edge of the automata comes from: that with its span, else the only one inside of it.
    pub fn call_of(&self, span: Span) -> Option<usize> {
        let first = self.calls.partition_point(|call| call.span.lo < span.lo);
        let inside = (first..self.calls.len()).take_while(|&at| self.calls[at].span.lo < span.hi);
        let mut inside: Vec<usize> = inside.filter(|&at| self.calls[at].span.hi <= span.hi).collect();
        let exact = inside.iter().copied().find(|&at| self.calls[at].span == span);
        exact.or_else(|| inside.pop().filter(|_| inside.is_empty()))
    }

    pub fn text(&self, span: Span) -> &str {
        self.sources.text(span)
    }
}

/// Work for the walk: statements and expressions, never on the host's stack.
enum Task {
    Statement {
        id: StmtId,
        is_in_block: bool,
    },
    /// An expression of a statement; the place that gets its value, if it is a call.
    Expr {
        id: ExprId,
        statement: usize,
        target: Option<Span>,
    },
    Init {
        id: InitId,
        statement: usize,
        target: Option<Span>,
    },
}

struct Walk<'w, 's> {
    ast: &'w Ast,
    names: &'w Interner,
    places: &'w mut Places<'s>,
}

impl Walk<'_, '_> {
    fn unit(&mut self) {
        for item in &self.ast.items {
            if let Item::Function(id) = *item {
                let function = &self.ast.functions[id];
                let name =
                    function.declarator.name.map_or("", |name: Symbol| self.names.text(name)).to_owned();
                let params = self.params(&function.declarator);
                let body = self.ast.stmts[function.body].span;
                let (returns, has_nested) = (Vec::new(), false);
                self.places.functions.push(Function {
                    name: name.clone(),
                    params,
                    body,
                    returns,
                    has_nested,
                });
                self.body(function.body, &name);
            }
        }
        // Enclosing statements come before what is in them; indices of the walk are translated to the new order.
        let mut order: Vec<usize> = (0..self.places.statements.len()).collect();
        let key = |at: &usize| {
            let span = self.places.statements[*at].span;
            (span.lo, std::cmp::Reverse(span.hi))
        };
        order.sort_by_key(key);
        let mut position = vec![0; order.len()];
        for (new, &old) in order.iter().enumerate() {
            position[old] = new;
        }
        let mut sorted: Vec<Statement> =
            order.iter().map(|&old| self.places.statements[old].clone()).collect();
        for statement in &mut sorted {
            statement.next = statement.next.map(|next| position[next]);
        }
        self.places.statements = sorted;
        for call in &mut self.places.calls {
            call.statement = position[call.statement];
        }
        self.places.calls.sort_by_key(|call| (call.span.lo, call.span.hi));
    }

    /// The names of the parameters of a function; those without a name cannot be spoken of.
    fn params(&self, declarator: &Declarator) -> Vec<String> {
        let function = declarator.derived.iter().find_map(|derived| match derived {
            Derived::Function(function) => Some(function),
            Derived::Pointer(_) | Derived::Array { .. } => None,
        });
        let Some(function) = function else { return Vec::new() };
        let named = function.params.iter().filter_map(|param| param.declarator.name);
        let names = named.chain(function.kr_names.iter().map(|&(name, _)| name));
        names.map(|name| self.names.text(name).to_owned()).collect()
    }

    fn body(&mut self, body: StmtId, function: &str) {
        let mut tasks = vec![Task::Statement { id: body, is_in_block: false }];
        while let Some(task) = tasks.pop() {
            match task {
                Task::Statement { id, is_in_block } => self.statement(id, is_in_block, function, &mut tasks),
                Task::Expr { id, statement, target } => self.expr(id, statement, target, &mut tasks),
                Task::Init { id, statement, target } => match &self.ast.inits[id] {
                    Init::Expr(expr) => tasks.push(Task::Expr { id: *expr, statement, target }),
                    Init::List { entries, .. } => {
                        for entry in entries {
                            for designator in &entry.designators {
                                if let Designator::Index(index) = designator {
                                    tasks.push(Task::Expr { id: *index, statement, target: None });
                                }
                            }
                            tasks.push(Task::Init { id: entry.init, statement, target: None });
                        }
                    }
                },
            }
        }
    }

    fn statement(&mut self, id: StmtId, is_in_block: bool, function: &str, tasks: &mut Vec<Task>) {
        let statement = &self.ast.stmts[id];
        let here = self.places.statements.len();
        let span_of = |id: ExprId| self.ast.exprs[id].span;
        let span_of_statement = |id: StmtId| self.ast.stmts[id].span;
        let sub = |id: StmtId| Task::Statement { id, is_in_block: false };
        let expr = |id: ExprId| Task::Expr { id, statement: here, target: None };
        let mut kind = Kind::Plain;
        match &statement.kind {
            // A block is no place of its own, but what is in it is.
            StmtKind::Compound(list) => return self.block(list, function, tasks),
            StmtKind::Expr(id) => tasks.push(expr(*id)),
            StmtKind::Declaration(id) => {
                kind = Kind::Declaration;
                for declarator in &self.ast.decls[*id].declarators {
                    let name = declarator.declarator.name.map(|_| declarator.declarator.name_span);
                    if let Some(init) = declarator.init {
                        tasks.push(Task::Init { id: init, statement: here, target: name });
                    }
                }
            }
            StmtKind::If { condition, then, otherwise } => {
                kind =
                    Kind::Branch(Branch { condition: span_of(*condition), then: span_of_statement(*then) });
                tasks.push(expr(*condition));
                tasks.push(sub(*then));
                tasks.extend(otherwise.map(sub));
            }
            StmtKind::While { condition, body } => {
                let branch = Branch { condition: span_of(*condition), then: span_of_statement(*body) };
                kind = Kind::Loop(branch, LoopKind::While);
                tasks.push(expr(*condition));
                tasks.push(sub(*body));
            }
            StmtKind::DoWhile { body, condition } => {
                let branch = Branch { condition: span_of(*condition), then: span_of_statement(*body) };
                kind = Kind::Loop(branch, LoopKind::Do);
                tasks.push(expr(*condition));
                tasks.push(sub(*body));
            }
            StmtKind::For { init, condition, step, body } => {
                let span = condition.map(span_of);
                let after = init.map(|init| span_of_statement(init).hi);
                let branch = Branch { condition: span.unwrap_or_default(), then: span_of_statement(*body) };
                kind = Kind::Loop(branch, LoopKind::For { condition: span, after: after.unwrap_or(0) });
                tasks.extend(init.map(sub));
                tasks.extend(condition.iter().chain(step).map(|&id| expr(id)));
                tasks.push(sub(*body));
            }
            StmtKind::Switch { value, body } => {
                tasks.push(expr(*value));
                tasks.push(sub(*body));
            }
            StmtKind::Case { body, .. } | StmtKind::Default(body) | StmtKind::Label { body, .. } => {
                kind = Kind::Label;
                tasks.push(sub(*body));
            }
            StmtKind::Return(value) => {
                tasks.extend(value.map(expr));
                let given = (statement.span, value.map(span_of));
                self.places
                    .functions
                    .last_mut()
                    .into_iter()
                    .for_each(|function| function.returns.push(given));
            }
            StmtKind::GotoComputed(value) => tasks.push(expr(*value)),
            StmtKind::NestedFunction(id) => {
                tasks.push(sub(self.ast.functions[*id].body));
                self.places.functions.last_mut().into_iter().for_each(|function| function.has_nested = true);
            }
            StmtKind::Asm(_)
            | StmtKind::Empty
            | StmtKind::StaticAssert(_)
            | StmtKind::LocalLabels(_)
            | StmtKind::Goto(_)
            | StmtKind::Break
            | StmtKind::Continue => {}
        }
        let function = function.to_owned();
        self.places.statements.push(Statement {
            span: statement.span,
            function,
            kind,
            next: None,
            is_in_block,
        });
    }

    /// The statements of a block: each is made here, so that it knows its neighbour.
    fn block(&mut self, list: &[StmtId], function: &str, tasks: &mut Vec<Task>) {
        let mut previous: Option<usize> = None;
        for &id in list {
            if matches!(self.ast.stmts[id].kind, StmtKind::Compound(_)) {
                tasks.push(Task::Statement { id, is_in_block: false });
                previous = None;
                continue;
            }
            let here = self.places.statements.len();
            self.statement(id, true, function, tasks);
            if let Some(previous) = previous {
                self.places.statements[previous].next = Some(here);
            }
            previous = Some(here);
        }
    }

    fn expr(&mut self, id: ExprId, statement: usize, target: Option<Span>, tasks: &mut Vec<Task>) {
        let here = &self.ast.exprs[id];
        let mut push = |id: ExprId, target: Option<Span>| tasks.push(Task::Expr { id, statement, target });
        match &here.kind {
            ExprKind::Assign(None, place, value) => {
                let is_whole = target.is_none() && self.is_whole_statement(statement, id);
                let target =
                    (is_whole && self.can_be_read_again(*place)).then_some(self.ast.exprs[*place].span);
                push(*place, None);
                push(*value, target);
            }
            ExprKind::Assign(Some(_), a, b)
            | ExprKind::Binary(_, a, b)
            | ExprKind::Index(a, b)
            | ExprKind::Comma(a, b) => {
                push(*a, None);
                push(*b, None);
            }
            // What is stored is read again: the conversion does not matter.
            ExprKind::Cast(_, a) => push(*a, target),
            ExprKind::Unary(_, a)
            | ExprKind::Member(a, _)
            | ExprKind::Arrow(a, _)
            | ExprKind::VaArg(a, _) => push(*a, None),
            ExprKind::Conditional { condition, then, otherwise, question } => {
                let spans = |id: ExprId| self.ast.exprs[id].span;
                let branch = Branch { condition: spans(*condition), then: spans(then.unwrap_or(*condition)) };
                self.places.conditionals.push((*question, branch));
                for id in [Some(*condition), *then, Some(*otherwise)].into_iter().flatten() {
                    push(id, None);
                }
            }
            ExprKind::Call { callee, args, close_paren } => {
                let call = Call { span: here.span, close: *close_paren, statement, assigned: target };
                self.places.calls.push(call);
                push(*callee, None);
                for &arg in args {
                    push(arg, None);
                }
            }
            ExprKind::Generic { arms, .. } => {
                for &(_, arm) in arms {
                    push(arm, None);
                }
            }
            ExprKind::ChooseExpr(a, b, c) => {
                for id in [*a, *b, *c] {
                    push(id, None);
                }
            }
            ExprKind::StatementExpr(id) => tasks.push(Task::Statement { id: *id, is_in_block: false }),
            ExprKind::CompoundLiteral(_, id) => tasks.push(Task::Init { id: *id, statement, target: None }),
            ExprKind::Ident(_)
            | ExprKind::Int(..)
            | ExprKind::Float(..)
            | ExprKind::Char(..)
            | ExprKind::String(_)
            | ExprKind::SizeofExpr(_)
            | ExprKind::SizeofType(_)
            | ExprKind::AlignofExpr(_)
            | ExprKind::AlignofType(_)
            | ExprKind::LabelAddress(_)
            | ExprKind::Offsetof(..)
            | ExprKind::TypesCompatible(..) => {}
        }
    }

    /// Is the expression all that the statement does?
    fn is_whole_statement(&self, statement: usize, expr: ExprId) -> bool {
        let (span, inner) =
            (self.places.statements.get(statement).map(|s| s.span), self.ast.exprs[expr].span);
        span.is_some_and(|span| span.lo == inner.lo && span.hi <= inner.hi + 2)
    }

    /// A variable, a member or an element with a constant or a variable as index: reading it has no effect.
    fn can_be_read_again(&self, mut id: ExprId) -> bool {
        loop {
            match &self.ast.exprs[id].kind {
                ExprKind::Ident(_) => return true,
                ExprKind::Member(inner, _) => id = *inner,
                ExprKind::Index(array, index) => match &self.ast.exprs[*index].kind {
                    ExprKind::Ident(_) | ExprKind::Int(..) => id = *array,
                    _ => return false,
                },
                _ => return false,
            }
        }
    }
}
