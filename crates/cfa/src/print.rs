//! Operations in C-like text, as dot, JSON and traces show them.

use crate::cfa::{ErrorKind, HaltKind, HavocSource, Op};
use summa_c::print;
use summa_c::tree::{BinaryOp, ExprId, ExprKind, FuncId, PlaceId, Program};

impl Op {
    /// The operation as a reader of C would write it; assumptions stand in brackets.
    pub fn text(&self, program: &Program) -> String {
        let place = |id: &PlaceId| print::place(program, *id);
        let name = |id: &FuncId| program.func_name(*id);
        match self {
            Self::Skip => String::new(),
            Self::Assign { place: to, value } => format!("{} = {};", place(to), print::expr(program, *value)),
            Self::Assume { condition, truth, .. } => format!("[{}]", assumption(program, *condition, *truth)),
            Self::Declare { var } => {
                let variable = &program.vars[*var];
                format!("{};", program.types.declare(variable.ty, program.var_name(*var), &program.names))
            }
            Self::Dead { var } => format!("end of {};", program.var_name(*var)),
            Self::Zero { place: to } => format!("{} = {{0}};", place(to)),
            Self::Havoc { place: to, source } => match source {
                HavocSource::Input(function) => format!("{} = {}();", place(to), name(function)),
                HavocSource::ExternalObject => format!("{} = any; // defined elsewhere", place(to)),
                HavocSource::EntryArgument => format!("{} = any; // argument of the program", place(to)),
                HavocSource::Global => format!("{} = any; // at the entry", place(to)),
                HavocSource::Allocation => format!("{} = any; // does the allocation fail?", place(to)),
                HavocSource::MaybeVolatile => format!("{} = any; // perhaps volatile", place(to)),
                HavocSource::Volatile => format!("{} = any; // volatile", place(to)),
                HavocSource::Assembly => format!("{} = any; // assembly", place(to)),
                HavocSource::Abstraction => format!("{} = any;", place(to)),
            },
            Self::Call { result, callee, args }
            | Self::Library { result, callee, args, .. }
            | Self::External { result, callee, args } => {
                let args: Vec<String> = args.iter().map(|&arg| print::expr(program, arg)).collect();
                let result = result.as_ref().map_or(String::new(), |to| format!("{} = ", place(to)));
                format!("{result}{}({});", name(callee), args.join(", "))
            }
            Self::Return { value: Some(value) } => format!("return {};", print::expr(program, *value)),
            Self::Return { value: None } => "return;".to_string(),
            Self::Error { kind: ErrorKind::Call(function) } => format!("{}(); // error", name(function)),
            Self::Error { kind: ErrorKind::Assertion } => "assertion fails // error".to_string(),
            Self::Error { kind: ErrorKind::Overflow } => "signed overflow // error".to_string(),
            Self::Error { kind: ErrorKind::DivisionByZero } => "division by zero // error".to_string(),
            Self::Error { kind: ErrorKind::BadShift } => "shift by a bad amount // error".to_string(),
            Self::Error { kind: ErrorKind::ShiftOverflow } => "left shift overflows // error".to_string(),
            Self::Error { kind: ErrorKind::NegativeShift } => {
                "left shift of a negative value // error".to_string()
            }
            Self::Halt { kind } => match kind {
                HaltKind::Exit => "the run ends".to_string(),
                HaltKind::Abort => "the run aborts".to_string(),
                HaltKind::Assumption => "the assumption fails".to_string(),
                HaltKind::Undefined => "undefined behaviour".to_string(),
            },
            Self::Unsupported { what } => format!("unsupported: {what}"),
        }
    }

    /// The name of the kind of operation, as in JSON.
    pub fn kind_name(&self) -> &'static str {
        match self {
            Self::Skip => "skip",
            Self::Assign { .. } => "assign",
            Self::Assume { .. } => "assume",
            Self::Declare { .. } => "declare",
            Self::Dead { .. } => "dead",
            Self::Zero { .. } => "zero",
            Self::Havoc { .. } => "havoc",
            Self::Call { .. } => "call",
            Self::Library { .. } => "library",
            Self::External { .. } => "external",
            Self::Return { .. } => "return",
            Self::Error { .. } => "error",
            Self::Halt { .. } => "halt",
            Self::Unsupported { .. } => "unsupported",
        }
    }
}

/// The condition or its negation; comparisons of integers and pointers are turned round, those of floats are
/// not (NaN).
fn assumption(program: &Program, condition: ExprId, truth: bool) -> String {
    let text = print::expr(program, condition);
    if truth {
        return text;
    }
    if let ExprKind::Binary(op, a, b) = program.exprs.expr(condition).kind
        && let Some(symbol) = negated(op)
        && !program.types.is_float(program.exprs.type_of(a))
    {
        // The operands need the same parentheses as in the original, which has the same precedence class or a
        // neighbouring one: comparisons within comparisons keep theirs.
        let side = |id: ExprId| match program.exprs.expr(id).kind {
            ExprKind::Binary(inner, ..) if loose(inner) => format!("({})", print::expr(program, id)),
            _ => print::expr(program, id),
        };
        return format!("{} {symbol} {}", side(a), side(b));
    }
    format!("!({text})")
}

fn negated(op: BinaryOp) -> Option<&'static str> {
    Some(match op {
        BinaryOp::Eq => "!=",
        BinaryOp::Ne => "==",
        BinaryOp::Lt => ">=",
        BinaryOp::Le => ">",
        BinaryOp::Gt => "<=",
        BinaryOp::Ge => "<",
        _ => return None,
    })
}

/// Binds no tighter than a comparison.
fn loose(op: BinaryOp) -> bool {
    op.is_comparison() || matches!(op, BinaryOp::And | BinaryOp::Or | BinaryOp::Xor)
}
