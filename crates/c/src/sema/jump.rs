//! Labels of the source: `goto`, labels as values, and computed gotos.

use super::convert::Operand;
use super::{Lowered, Sema};
use crate::tree::{LabelId, StmtKind};
use summa_base::Symbol;
use summa_syntax::Span;
use summa_syntax::ast;

impl Sema<'_> {
    pub(crate) fn named_label(&mut self, name: Symbol, span: Span) -> LabelId {
        if let Some(label) = self.function.as_ref().and_then(|context| context.named_labels.get(&name)) {
            return *label;
        }
        let label = self.new_label(Some(name), span);
        if let Some(context) = &mut self.function {
            context.named_labels.insert(name, label);
        }
        label
    }

    /// `&&label`: a number that only `goto *` understands.
    pub(crate) fn label_address(&mut self, name: Symbol, span: Span) -> Lowered<Operand> {
        if self.function.is_none() {
            return self.error(span, "the address of a label outside of its function");
        }
        let label = self.named_label(name, span);
        let Some(context) = &mut self.function else {
            return Err(super::Stop);
        };
        let position = context.address_labels.iter().position(|&l| l == label).unwrap_or_else(|| {
            context.address_labels.push(label);
            context.address_labels.len() - 1
        });
        Ok(Operand::Value(self.int(self.types.void_ptr, position as i128 + 1)))
    }

    /// `goto *e`: all of them meet in one dispatcher at the end of the function, when all labels are known.
    pub(crate) fn computed_goto(&mut self, target: ast::ExprId, span: Span) -> Lowered<()> {
        if self.must_clean_up() {
            return self
                .unsupported(span, "a computed goto in the scope of a variable with attribute `cleanup`");
        }
        let value = self.rvalue(target)?;
        let value = self.convert(value, self.types.void_ptr, span)?;
        let dispatch = self.function.as_ref().and_then(|context| context.dispatch);
        let (place, label) = match dispatch {
            Some(dispatch) => dispatch,
            None => {
                let dispatch = (self.new_temp(self.types.void_ptr, span), self.new_label(None, span));
                if let Some(context) = &mut self.function {
                    context.dispatch = Some(dispatch);
                }
                dispatch
            }
        };
        self.emit(span, StmtKind::Assign(place, value));
        self.emit(span, StmtKind::Goto(label));
        Ok(())
    }

    /// Ends a function body: the dispatcher of computed gotos, and labels without a definition.
    pub(crate) fn finish_labels(&mut self) {
        let Some(context) = &self.function else { return };
        let mut missing: Vec<LabelId> = context.named_labels.values().copied().collect();
        missing.sort_unstable();
        missing.retain(|&label| !context.defined_labels.contains(label));
        self.report_missing_labels(&missing);
        let Some(context) = &self.function else { return };
        let Some((place, label)) = context.dispatch else {
            return;
        };
        let (targets, span) = (context.address_labels.clone(), context.labels[label].span);
        // The end of the body returns, so the dispatcher is entered by goto only.
        self.emit(span, StmtKind::Return(None));
        self.emit(span, StmtKind::Label(label));
        let value = self.exprs.load(place);
        for (i, target) in targets.into_iter().enumerate() {
            self.compare_case(value, i as i128 + 1, i as i128 + 1, target, span);
        }
        self.emit(
            span,
            StmtKind::Unsupported("computed goto to something that is not a label here".to_string()),
        );
    }

    pub(crate) fn report_missing_labels(&mut self, missing: &[LabelId]) {
        for &label in missing {
            let Some(crate::tree::Label { name, span }) =
                self.function.as_ref().map(|context| context.labels[label])
            else {
                return;
            };
            let name = name.map_or(String::new(), |name| self.text(name));
            self.report(summa_syntax::Diagnostic::error(
                span,
                format!("the label `{name}` is not defined in this function"),
            ));
        }
    }
}
