//! The walk over the syntax that finds statements, calls and functions.

use super::{Branch, Call, Fork, ForkKind, Function, Kind, LoopKind, Places, Statement};
use summa_base::{Interner, Symbol};
use summa_c::Span;
use summa_syntax::ast::{
    Ast, Declarator, Derived, Designator, ExprId, ExprKind, Init, InitId, Item, StmtId, StmtKind,
};

/// Work for the walk: statements and expressions, never on the host's stack.
enum Pending {
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

pub(super) struct Walk<'w, 's> {
    pub(super) ast: &'w Ast,
    pub(super) names: &'w Interner,
    pub(super) places: &'w mut Places<'s>,
}

impl Walk<'_, '_> {
    pub(super) fn unit(&mut self) {
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
        // Enclosing statements come before what is in them; indices of the walk are translated to the new
        // order.
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
        let mut tasks = vec![Pending::Statement { id: body, is_in_block: false }];
        while let Some(task) = tasks.pop() {
            match task {
                Pending::Statement { id, is_in_block } => {
                    self.statement(id, is_in_block, function, &mut tasks)
                }
                Pending::Expr { id, statement, target } => self.expr(id, statement, target, &mut tasks),
                Pending::Init { id, statement, target } => match &self.ast.inits[id] {
                    Init::Expr(expr) => {
                        self.places.full_expressions.push(self.ast.exprs[*expr].span);
                        tasks.push(Pending::Expr { id: *expr, statement, target });
                    }
                    Init::List { entries, .. } => {
                        for entry in entries {
                            for designator in &entry.designators {
                                if let Designator::Index(index) = designator {
                                    tasks.push(Pending::Expr { id: *index, statement, target: None });
                                }
                            }
                            tasks.push(Pending::Init { id: entry.init, statement, target: None });
                        }
                    }
                },
            }
        }
    }

    fn statement(&mut self, id: StmtId, is_in_block: bool, function: &str, tasks: &mut Vec<Pending>) {
        let statement = &self.ast.stmts[id];
        let here = self.places.statements.len();
        let span_of = |id: ExprId| self.ast.exprs[id].span;
        let span_of_statement = |id: StmtId| self.ast.stmts[id].span;
        let sub = |id: StmtId| Pending::Statement { id, is_in_block: false };
        let expr = |id: ExprId| Pending::Expr { id, statement: here, target: None };
        self.forks(id);
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
                        tasks.push(Pending::Init { id: init, statement: here, target: name });
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

    /// The places where the statement branches, and the expressions that it evaluates itself.
    fn forks(&mut self, id: StmtId) {
        let statement = &self.ast.stmts[id];
        let span_of = |id: ExprId| self.ast.exprs[id].span;
        let here = statement.span;
        let mut fork = |at: Span, kind: ForkKind| self.places.forks.push(Fork { at, kind });
        match &statement.kind {
            StmtKind::If { condition, .. } | StmtKind::While { condition, .. } => {
                fork(here, ForkKind::Condition(span_of(*condition)));
                self.places.full_expressions.push(span_of(*condition));
            }
            StmtKind::DoWhile { body, condition } => {
                let condition = span_of(*condition);
                fork(here, ForkKind::Condition(condition));
                // Witnesses name either keyword.
                let between = Span::new(self.ast.stmts[*body].span.hi, condition.lo);
                if let Some(at) = self.places.sources.text(between).rfind("while") {
                    let lo = between.lo + at as u32;
                    let kind = ForkKind::Condition(condition);
                    self.places.forks.push(Fork { at: Span::new(lo, lo + 5), kind });
                }
                self.places.full_expressions.push(condition);
            }
            StmtKind::For { condition, step, body, .. } => {
                let body = self.ast.stmts[*body].span;
                fork(here, condition.map_or(ForkKind::Always(body), |it| ForkKind::Condition(span_of(it))));
                let full = condition.iter().chain(step).map(|&id| span_of(id));
                self.places.full_expressions.extend(full);
            }
            StmtKind::Switch { value, body } => {
                let cases = self.cases(*body);
                self.places.forks.push(Fork { at: here, kind: ForkKind::Switch(span_of(*value), cases) });
                self.places.full_expressions.push(span_of(*value));
            }
            StmtKind::Return(Some(value)) => self.places.full_expressions.push(span_of(*value)),
            _ => {}
        }
    }

    /// The constants of the cases of a `switch` with this body, those of switches inside of it not among
    /// them.
    fn cases(&self, body: StmtId) -> Vec<(Span, Option<Span>)> {
        let span_of = |id: ExprId| self.ast.exprs[id].span;
        let (mut found, mut open) = (Vec::new(), vec![body]);
        while let Some(id) = open.pop() {
            match &self.ast.stmts[id].kind {
                StmtKind::Compound(list) => open.extend(list),
                StmtKind::If { then, otherwise, .. } => {
                    open.extend([Some(*then), *otherwise].iter().flatten())
                }
                StmtKind::Case { lo, hi, body } => {
                    found.push((span_of(*lo), hi.map(span_of)));
                    open.push(*body);
                }
                StmtKind::While { body, .. }
                | StmtKind::DoWhile { body, .. }
                | StmtKind::For { body, .. }
                | StmtKind::Default(body)
                | StmtKind::Label { body, .. } => open.push(*body),
                _ => {}
            }
        }
        found
    }

    /// The statements of a block: each is made here, so that it knows its neighbour.
    fn block(&mut self, list: &[StmtId], function: &str, tasks: &mut Vec<Pending>) {
        let mut previous: Option<usize> = None;
        for &id in list {
            if matches!(self.ast.stmts[id].kind, StmtKind::Compound(_)) {
                tasks.push(Pending::Statement { id, is_in_block: false });
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

    fn expr(&mut self, id: ExprId, statement: usize, target: Option<Span>, tasks: &mut Vec<Pending>) {
        let here = &self.ast.exprs[id];
        let mut push = |id: ExprId, target: Option<Span>| tasks.push(Pending::Expr { id, statement, target });
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
                let condition_at = self.ast.exprs[*condition].span;
                let kind = then.map_or(ForkKind::WithoutMiddle, |_| ForkKind::Condition(condition_at));
                self.places.forks.push(Fork { at: *question, kind });
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
            ExprKind::StatementExpr(id) => tasks.push(Pending::Statement { id: *id, is_in_block: false }),
            ExprKind::CompoundLiteral(_, id) => {
                tasks.push(Pending::Init { id: *id, statement, target: None })
            }
            ExprKind::Ident(_)
            | ExprKind::Int(..)
            | ExprKind::Float(..)
            | ExprKind::Char(..)
            | ExprKind::String(_)
            | ExprKind::SizeofExpr(_)
            | ExprKind::SizeofType(_)
            | ExprKind::AlignofExpr(_)
            | ExprKind::AlignofType(_)
            | ExprKind::PreferredAlignofType(_)
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
