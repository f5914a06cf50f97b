//! What can run and what it refers to: the functions reachable from the entry function, the static objects
//! that they or the initialisers of such objects refer to, and the functions whose address is taken there.
//!
//! A function counts as reachable when it is called by name, or when reachable code takes its address. Which
//! pointers reach which call is not considered, so this is an over-approximation.

use summa_base::IdSet;
use summa_c::tree::{Callee, ExprId, ExprKind, FuncId, PlaceId, PlaceKind, Program, Stmt, StmtKind, VarId};

#[derive(Default)]
pub(super) struct References {
    pub functions: IdSet<FuncId>,
    pub statics: IdSet<VarId>,
    /// Functions whose address is taken.
    pub targets: IdSet<FuncId>,
    /// What destructors may call.
    pub ending: IdSet<FuncId>,
    /// Weak functions without a body whose address is taken.
    pub perhaps_null: IdSet<FuncId>,
}

impl References {
    pub(super) fn collect(program: &Program, entry: FuncId, error_functions: &IdSet<FuncId>) -> Self {
        let starts = [entry].into_iter().chain(program.constructors.iter().copied());
        let mut found =
            Self::from(program, starts.chain(program.destructors.iter().copied()), entry, error_functions);
        if !program.destructors.is_empty() {
            // A call through a pointer may reach any function whose address is taken.
            let targets: Vec<FuncId> = found.targets.iter().collect();
            let starts = program.destructors.iter().copied().chain(targets);
            found.ending = Self::from(program, starts, entry, error_functions).functions;
        }
        found
    }

    fn from(
        program: &Program,
        starts: impl Iterator<Item = FuncId>,
        entry: FuncId,
        error_functions: &IdSet<FuncId>,
    ) -> Self {
        let mut scan = Scan { program, found: Self::default(), seen: Seen::default(), work: Work::default() };
        scan.work.functions.extend(starts);
        loop {
            if let Some(expr) = scan.work.exprs.pop() {
                scan.expr(expr);
            } else if let Some(place) = scan.work.places.pop() {
                scan.place(place);
            } else if let Some(function) = scan.work.functions.pop() {
                // The body of an error function never runs: calling it is the error.
                if function == entry || !error_functions.contains(function) {
                    scan.function(function);
                }
            } else {
                return scan.found;
            }
        }
    }
}

struct Scan<'a> {
    program: &'a Program,
    found: References,
    seen: Seen,
    work: Work,
}

#[derive(Default)]
struct Seen {
    exprs: IdSet<ExprId>,
    places: IdSet<PlaceId>,
}

#[derive(Default)]
struct Work {
    functions: Vec<FuncId>,
    exprs: Vec<ExprId>,
    places: Vec<PlaceId>,
}

impl Scan<'_> {
    fn function(&mut self, function: FuncId) {
        if !self.found.functions.insert(function) {
            return;
        }
        let Some(body) = &self.program.functions[function].body else {
            return;
        };
        let mut lists: Vec<&[Stmt]> = vec![&body.stmts];
        while let Some(list) = lists.pop() {
            for stmt in list {
                match &stmt.kind {
                    StmtKind::Assign(place, value) => {
                        self.work.places.push(*place);
                        self.work.exprs.push(*value);
                    }
                    StmtKind::ReadVolatile { into, place } => self.work.places.extend([*into, *place]),
                    StmtKind::Zero(place) | StmtKind::Havoc(place, _) => self.work.places.push(*place),
                    StmtKind::Call(call) => {
                        self.work.places.extend(call.result);
                        self.work.exprs.extend(&call.args);
                        match call.callee {
                            Callee::Direct(callee) => self.work.functions.push(callee),
                            Callee::Pointer(pointer) => self.work.exprs.push(pointer),
                        }
                    }
                    StmtKind::If { condition, then, otherwise, .. } => {
                        self.work.exprs.push(*condition);
                        lists.extend([&then[..], &otherwise[..]]);
                    }
                    StmtKind::Loop(inner) | StmtKind::Block(inner) => lists.push(inner),
                    StmtKind::Return(value) => self.work.exprs.extend(value),
                    StmtKind::Declare(_)
                    | StmtKind::Label(_)
                    | StmtKind::Goto(_)
                    | StmtKind::Unsupported(_) => {}
                }
            }
        }
    }

    fn expr(&mut self, id: ExprId) {
        if !self.seen.exprs.insert(id) {
            return;
        }
        match self.program.exprs.expr(id).kind {
            ExprKind::Int(_) | ExprKind::Float(_) => {}
            ExprKind::Load(place) | ExprKind::Addr(place) => self.work.places.push(place),
            ExprKind::Function(function) => {
                self.found.targets.insert(function);
                let target = &self.program.functions[function];
                if target.is_weak && target.body.is_none() {
                    self.found.perhaps_null.insert(function);
                }
                self.work.functions.push(function);
            }
            ExprKind::Unary(_, a) | ExprKind::Cast(a) => self.work.exprs.push(a),
            ExprKind::Binary(_, a, b) => self.work.exprs.extend([a, b]),
        }
    }

    fn place(&mut self, id: PlaceId) {
        if !self.seen.places.insert(id) {
            return;
        }
        match self.program.exprs.place(id).kind {
            PlaceKind::Var(var) => {
                let variable = &self.program.vars[var];
                if variable.kind.is_static() && self.found.statics.insert(var) {
                    for &(place, value) in &variable.init {
                        self.work.places.push(place);
                        self.work.exprs.push(value);
                    }
                }
            }
            PlaceKind::Deref(pointer) => self.work.exprs.push(pointer),
            PlaceKind::Field(base, _) => self.work.places.push(base),
            PlaceKind::Index(base, index) => {
                self.work.places.push(base);
                self.work.exprs.push(index);
            }
        }
    }
}
