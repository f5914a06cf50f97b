//! What states at the entry and the exit of a function say, as C expressions over what its callers see:
//! parameters, globals, and the result, as `\result`. Values at the entry are `\old(x)` at the exit.
//!
//! At the entry everything that is known must be said, or the contract would promise too much. A fact without
//! a C expression is said in other words. At the exit, facts about things that callers cannot name are left
//! out: that promises less.

use summa_bam::{Clause, Side};
use summa_c::tree::{FuncId, VarId, VarKind};
use summa_c::types::{ArrayLen, Type, TypeId};
use summa_cfa::Cfa;
use summa_facts::Analyses;
use summa_facts::blocks::{Block, BlockKind};

/// Names things for the callers of a function.
pub(crate) struct Speaker<'a> {
    cfa: &'a Cfa,
    facts: &'a Analyses,
    block: &'a Block,
    function: FuncId,
    side: Side,
}

/// An lvalue or `\result`, and its type.
pub(crate) struct Named {
    pub(crate) text: String,
    pub(crate) ty: TypeId,
}

impl<'a> Speaker<'a> {
    /// None for loops, which are not called.
    pub(crate) fn new(cfa: &'a Cfa, facts: &'a Analyses, block: &'a Block, side: Side) -> Option<Self> {
        match block.kind {
            BlockKind::Function(function) => Some(Self { cfa, facts, block, function, side }),
            BlockKind::Loop(_) => None,
        }
    }

    /// The scalar at some bits of a variable, with the value that it has where the state is.
    pub(crate) fn value(&self, var: VarId, at: u64, width: u32) -> Option<Named> {
        match (self.side, self.cfa.program.vars[var].kind) {
            (Side::Exit, VarKind::Return(function)) if function == self.function => {
                self.part("\\result".to_owned(), var, at, width)
            }
            // Parameters are gone. Their entry values are known if they did not change.
            (Side::Exit, VarKind::Param(_)) => {
                if self.is_written(var) {
                    None
                } else {
                    self.value_before(var, at, width)
                }
            }
            _ => self.part(self.name(var)?, var, at, width),
        }
    }

    /// The value at the entry.
    pub(crate) fn value_before(&self, var: VarId, at: u64, width: u32) -> Option<Named> {
        let named = self.part(self.name(var)?, var, at, width)?;
        Some(match self.side {
            Side::Entry => named,
            Side::Exit => Named { text: format!("\\old({})", named.text), ..named },
        })
    }

    /// The name by which the variable is known at the function's interface, if it means nothing else there.
    fn name(&self, var: VarId) -> Option<String> {
        let program = &self.cfa.program;
        let name = program.var_name(var);
        let params = &program.functions[self.function].params;
        let is_plain = name.chars().all(|c| c == '_' || c.is_ascii_alphanumeric())
            && name.chars().next().is_some_and(|c| !c.is_ascii_digit());
        let is_known = match program.vars[var].kind {
            VarKind::Param(function) => function == self.function,
            VarKind::Global | VarKind::External => {
                self.cfa.names().variable(var) == name
                    && params.iter().all(|&param| program.var_name(param) != name)
            }
            _ => false,
        };
        (is_plain && is_known).then(|| name.to_owned())
    }

    /// The address of a global object.
    pub(crate) fn address(&self, var: VarId) -> Option<String> {
        self.cfa.program.vars[var].kind.is_static().then(|| self.name(var)).flatten()
    }

    fn is_written(&self, var: VarId) -> bool {
        let written = &self.block.written;
        written.variables.contains(var)
            || written.classes.iter().any(|class| self.facts.points_to.variables(class).contains(&var))
    }

    /// Members and elements down to the scalar.
    fn part(&self, mut text: String, var: VarId, mut at: u64, width: u32) -> Option<Named> {
        let program = &self.cfa.program;
        let (types, mut ty) = (&program.types, program.vars[var].ty);
        loop {
            match *types.get(ty) {
                Type::Array(element, ArrayLen::Fixed(_)) => {
                    let size = 8 * types.size_of(element).filter(|&size| size > 0)?;
                    text.push_str(&format!("[{}]", at / size));
                    (ty, at) = (element, at % size);
                }
                Type::Record(record) if !types.record(record).is_union => {
                    let fields = types.record(record).fields.iter();
                    // The members of anonymous ones are members of this one.
                    let field = fields.rev().find(|field| field.bits.is_none() && 8 * field.offset <= at)?;
                    if let Some(name) = field.name {
                        text.push('.');
                        text.push_str(program.name(name));
                    }
                    (ty, at) = (field.ty, at - 8 * field.offset);
                }
                _ => {
                    let is_it = at == 0 && types.size_of(ty) == Some(u64::from(width / 8));
                    return is_it.then_some(Named { text, ty });
                }
            }
        }
    }

    /// Does the contract still hold if a fact is left out?
    pub(crate) fn may_leave_out(&self) -> bool {
        self.side == Side::Exit
    }

    /// A clause. If there is no C expression, `words` say it, if it must be said.
    pub(crate) fn clause(
        &self,
        expression: Option<String>,
        words: impl FnOnce() -> String,
    ) -> Option<Clause> {
        match (expression, self.side) {
            (Some(expression), _) => Some(Clause::C(expression)),
            (None, Side::Entry) => Some(Clause::Other(words())),
            (None, Side::Exit) => None,
        }
    }
}

/// A number as a constant expression of this width.
pub(crate) fn literal(number: i128, width: u32) -> Option<String> {
    if width > 64 {
        return None;
    }
    Some(match number {
        n if n == i128::from(i64::MIN) => "(-9223372036854775807 - 1)".to_owned(),
        n if n > i128::from(i64::MAX) => format!("{n}ULL"),
        // A constant of type `unsigned int` where `int` has no room.
        n if width == 32 && n > i128::from(i32::MAX) => format!("{n}U"),
        n => n.to_string(),
    })
}

#[cfg(test)]
mod tests {
    use super::literal;

    #[test]
    fn literals_have_their_value() {
        assert_eq!(literal(-5, 32).as_deref(), Some("-5"));
        assert_eq!(literal(4294967295, 32).as_deref(), Some("4294967295U"));
        assert_eq!(literal(i64::MIN.into(), 64).as_deref(), Some("(-9223372036854775807 - 1)"));
        assert_eq!(literal(u64::MAX.into(), 64).as_deref(), Some("18446744073709551615ULL"));
        assert_eq!(literal(1, 128), None);
    }
}
