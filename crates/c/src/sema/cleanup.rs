//! `__attribute__((cleanup(f)))`: `f(&variable)` is called whenever control leaves the scope of the variable.
//!
//! The variables in force are a stack. A jump out of scopes to a known place (`break`, `continue`, `return`,
//! a backward `goto`) makes the calls in place. A forward `goto` leads to a label of its own, which is put at
//! the end of each scope on the way out. There the calls of this scope are made. Once the target turns out to
//! be in the scope, the label leads there. So lifetimes end where they should. A jump past the declaration
//! into the scope still calls `f` at its end, as in gcc. Limit: computed gotos out of such scopes are not
//! supported. `longjmp` and `exit` call nothing, as in gcc.

use super::scope::Binding;
use super::{Lowered, Sema};
use crate::tree::{ExprId, FuncId, LabelId, StmtKind, VarId};
use summa_base::FxHashMap;
use summa_syntax::Span;
use summa_syntax::ast::{Attribute, ExprKind};

/// The cleanups of the function that is being lowered.
#[derive(Default)]
pub(crate) struct Cleanups {
    /// In force, innermost last.
    stack: Vec<Cleanup>,
    /// Gotos to labels that have not come yet.
    pending: Vec<Pending>,
    /// The variables in force at each label, by number.
    labels: FxHashMap<LabelId, Vec<u32>>,
    count: u32,
}

#[derive(Clone, Copy)]
struct Cleanup {
    /// Each has another one.
    number: u32,
    var: VarId,
    function: FuncId,
}

#[derive(Clone)]
struct Pending {
    /// Where control is led.
    from: LabelId,
    target: LabelId,
    /// In force where the goto stands, as far as scopes have not ended since.
    stack: Vec<Cleanup>,
    span: Span,
}

/// Where a scope begins.
pub(crate) struct Mark {
    stack: usize,
    pending: usize,
}

impl Sema<'_> {
    pub(crate) fn cleanup_mark(&self) -> Mark {
        let cleanups = self.function.as_ref().map(|context| &context.cleanups);
        Mark {
            stack: cleanups.map_or(0, |c| c.stack.len()),
            pending: cleanups.map_or(0, |c| c.pending.len()),
        }
    }

    /// From here on the variable is cleaned up, if one of the attributes says so.
    pub(crate) fn start_cleanup<'b>(
        &mut self,
        attributes: impl Iterator<Item = &'b Attribute>,
        var: VarId,
    ) -> Lowered<()> {
        for attribute in attributes {
            if !matches!(self.names.text(attribute.name), "cleanup" | "__cleanup__") {
                continue;
            }
            let ast = self.ast;
            let name = match attribute.args.first().map(|&arg| &ast.exprs[arg].kind) {
                Some(ExprKind::Ident(name)) => self.scopes.lookup(*name).cloned(),
                _ => None,
            };
            let function = match name {
                Some(Binding::Function(function)) => function,
                Some(Binding::Unsupported(why)) => return self.unsupported(attribute.span, why),
                _ => return self.error(attribute.span, "attribute `cleanup` needs the name of a function"),
            };
            if let Some(context) = &mut self.function {
                let cleanups = &mut context.cleanups;
                cleanups.count += 1;
                cleanups.stack.push(Cleanup { number: cleanups.count, var, function });
            }
        }
        Ok(())
    }

    fn clean_up(&mut self, cleanup: Cleanup, span: Span) -> Lowered<()> {
        let ty = self.vars[cleanup.var].ty;
        let place = self.exprs.var(cleanup.var, ty);
        let address = self.address_of(place, span)?;
        let parameter = self.types.function_type(self.functions[cleanup.function].ty);
        let address = match parameter.and_then(|function| function.params.first().copied()) {
            Some(parameter) => self.convert(address, parameter, span)?,
            None => address,
        };
        self.call_known(cleanup.function, vec![address], span);
        Ok(())
    }

    fn clean_up_all(&mut self, cleanups: &[Cleanup], span: Span) {
        for &cleanup in cleanups.iter().rev() {
            // Trouble has been reported.
            let _ = self.clean_up(cleanup, span);
        }
    }

    /// A label that is placed here, or one whose place is known to be in this scope (the end of a loop).
    pub(crate) fn note_label(&mut self, label: LabelId) {
        if let Some(context) = &mut self.function {
            let stack = context.cleanups.stack.iter().map(|cleanup| cleanup.number).collect();
            context.cleanups.labels.insert(label, stack);
        }
    }

    /// `goto label`, with what happens on the way.
    pub(crate) fn leave_to(&mut self, label: LabelId, span: Span) {
        let Some(context) = &self.function else { return };
        let stack = context.cleanups.stack.clone();
        if stack.is_empty() {
            return self.emit(span, StmtKind::Goto(label));
        }
        match context.cleanups.labels.get(&label).map(|there| shared(&stack, there)) {
            Some(common) => {
                self.clean_up_all(&stack[common..], span);
                self.emit(span, StmtKind::Goto(label));
            }
            None => {
                let from = self.lead(label, stack, span);
                self.emit(span, StmtKind::Goto(from));
            }
        }
    }

    /// A new label that leads to `target`, to be placed later.
    fn lead(&mut self, target: LabelId, stack: Vec<Cleanup>, span: Span) -> LabelId {
        let from = self.new_label(None, span);
        if let Some(context) = &mut self.function {
            context.cleanups.pending.push(Pending { from, target, stack, span });
        }
        from
    }

    /// `return value`: the value is computed before anything is cleaned up.
    pub(crate) fn leave_function(&mut self, value: Option<ExprId>, span: Span) {
        let stack = self.function.as_ref().map_or(Vec::new(), |context| context.cleanups.stack.clone());
        let value = match value {
            Some(value) if !stack.is_empty() => Some(self.save(value, span)),
            value => value,
        };
        self.clean_up_all(&stack, span);
        self.emit(span, StmtKind::Return(value));
    }

    /// Is there something that a jump to an unknown place would have to clean up?
    pub(crate) fn must_clean_up(&self) -> bool {
        self.function.as_ref().is_some_and(|context| !context.cleanups.stack.is_empty())
    }

    /// The end of the scope that began at `mark`: control falls through, or comes from a goto in the scope.
    pub(crate) fn end_cleanups(&mut self, mark: &Mark, span: Span) {
        let Some(context) = &mut self.function else { return };
        let live = context.cleanups.stack.split_off(mark.stack);
        let pending = context.cleanups.pending.split_off(mark.pending);
        self.clean_up_all(&live, span);
        let mut trampolines = Vec::new();
        for goto in pending {
            let Some(context) = &mut self.function else { return };
            let known = context.cleanups.labels.get(&goto.target).map(|there| shared(&goto.stack, there));
            match known {
                None if goto.stack.len() <= mark.stack => context.cleanups.pending.push(goto),
                known => trampolines.push((goto, known)),
            }
        }
        if trampolines.is_empty() {
            return;
        }
        let after = self.new_label(None, span);
        self.emit(span, StmtKind::Goto(after));
        for (goto, known) in trampolines {
            self.emit(goto.span, StmtKind::Label(goto.from));
            let next = match known {
                Some(common) => {
                    self.clean_up_all(&goto.stack[common..], goto.span);
                    goto.target
                }
                None => {
                    self.clean_up_all(&goto.stack[mark.stack..], goto.span);
                    match goto.stack[..mark.stack].to_vec() {
                        outer if outer.is_empty() => goto.target,
                        outer => self.lead(goto.target, outer, goto.span),
                    }
                }
            };
            self.emit(goto.span, StmtKind::Goto(next));
        }
        self.emit(span, StmtKind::Label(after));
    }
}

/// How many cleanups, from the outermost on, are in force at both places.
fn shared(stack: &[Cleanup], other: &[u32]) -> usize {
    stack.iter().zip(other).take_while(|(cleanup, number)| cleanup.number == **number).count()
}
