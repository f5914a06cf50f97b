//! Expressions and statements as S-expressions.

use super::Dumper;
use crate::ast::*;
use std::fmt::{self, Write};
use summa_base::Symbol;

impl Dumper<'_> {
    pub(super) fn exprs(&mut self, exprs: &[ExprId]) -> fmt::Result {
        exprs.iter().try_for_each(|&expr| {
            self.word(" ")?;
            self.expr(expr)
        })
    }

    pub(super) fn expr(&mut self, id: ExprId) -> fmt::Result {
        self.nested(|d| d.expr_here(id))
    }

    fn expr_here(&mut self, id: ExprId) -> fmt::Result {
        match &self.ast.exprs[id].kind {
            ExprKind::Ident(name) => self.word(self.name(*name)),
            ExprKind::Int(value, suffix) => {
                let longs = "l".repeat(suffix.longs.into());
                write!(self.out, "{value}{}{longs}", if suffix.unsigned { "u" } else { "" })
            }
            ExprKind::Float(digits, suffix) => {
                let suffix = match suffix {
                    FloatSuffix::None => "",
                    FloatSuffix::F => "f",
                    FloatSuffix::L => "l",
                    FloatSuffix::Q => "q",
                };
                write!(self.out, "{}{suffix}", self.name(*digits))
            }
            ExprKind::Char(value, _) => write!(self.out, "'{value}'"),
            ExprKind::String(string) => self.string(*string),
            ExprKind::Unary(op, operand) => self.form(unary_name(*op), |d| d.exprs(&[*operand])),
            ExprKind::Binary(op, left, right) => self.form(binary_name(*op), |d| d.exprs(&[*left, *right])),
            ExprKind::Assign(op, left, right) => {
                let name = format!("{}=", op.map_or("", binary_name));
                self.form(&name, |d| d.exprs(&[*left, *right]))
            }
            ExprKind::Conditional { condition, then: Some(then), otherwise, .. } => {
                self.form("?", |d| d.exprs(&[*condition, *then, *otherwise]))
            }
            ExprKind::Conditional { condition, then: None, otherwise, .. } => {
                self.form("?:", |d| d.exprs(&[*condition, *otherwise]))
            }
            ExprKind::Call { callee, args, .. } => self.form("call", |d| {
                d.exprs(&[*callee])?;
                d.exprs(args)
            }),
            ExprKind::Index(array, index) => self.form("index", |d| d.exprs(&[*array, *index])),
            ExprKind::Member(record, name) => self.member(".", *record, *name),
            ExprKind::Arrow(record, name) => self.member("->", *record, *name),
            ExprKind::Cast(ty, operand) => self.form("cast ", |d| {
                d.type_name(*ty)?;
                d.exprs(&[*operand])
            }),
            ExprKind::CompoundLiteral(ty, init) => self.form("literal ", |d| {
                d.type_name(*ty)?;
                d.word(" ")?;
                d.init(*init)
            }),
            ExprKind::SizeofExpr(operand) => self.form("sizeof", |d| d.exprs(&[*operand])),
            ExprKind::SizeofType(ty) => self.form("sizeof-type ", |d| d.type_name(*ty)),
            ExprKind::AlignofExpr(operand) => self.form("alignof", |d| d.exprs(&[*operand])),
            ExprKind::AlignofType(ty) => self.form("alignof-type ", |d| d.type_name(*ty)),
            ExprKind::PreferredAlignofType(ty) => self.form("preferred-alignof ", |d| d.type_name(*ty)),
            ExprKind::Generic { selector, arms } => self.form("generic", |d| {
                d.exprs(&[*selector])?;
                arms.iter().try_for_each(|&(ty, value)| {
                    d.word(" ")?;
                    match ty {
                        Some(ty) => d.type_name(ty)?,
                        None => d.word("default")?,
                    }
                    d.word(":")?;
                    d.expr(value)
                })
            }),
            ExprKind::StatementExpr(body) => self.form("value-of", |d| d.stmts(&[*body])),
            ExprKind::LabelAddress(label) => write!(self.out, "(&& {})", self.name(*label)),
            ExprKind::VaArg(list, ty) => self.form("va_arg", |d| {
                d.exprs(&[*list])?;
                d.word(" ")?;
                d.type_name(*ty)
            }),
            ExprKind::Offsetof(ty, path) => self.form("offsetof ", |d| {
                d.type_name(*ty)?;
                d.word(" ")?;
                d.designators(path)
            }),
            ExprKind::TypesCompatible(first, second) => self.form("types-compatible ", |d| {
                d.type_name(*first)?;
                d.word(" ")?;
                d.type_name(*second)
            }),
            ExprKind::ChooseExpr(condition, then, otherwise) => {
                self.form("choose", |d| d.exprs(&[*condition, *then, *otherwise]))
            }
            ExprKind::Comma(left, right) => self.form(",", |d| d.exprs(&[*left, *right])),
        }
    }

    fn member(&mut self, operator: &str, record: ExprId, name: Symbol) -> fmt::Result {
        self.form(operator, |d| {
            d.exprs(&[record])?;
            write!(d.out, " {}", d.name(name))
        })
    }

    pub(super) fn stmts(&mut self, stmts: &[StmtId]) -> fmt::Result {
        stmts.iter().try_for_each(|&stmt| {
            self.word(" ")?;
            self.nested(|d| d.stmt(stmt))
        })
    }

    pub(super) fn stmt(&mut self, id: StmtId) -> fmt::Result {
        match &self.ast.stmts[id].kind {
            StmtKind::Empty => self.word("(empty)"),
            StmtKind::Expr(expr) => self.expr(*expr),
            StmtKind::Declaration(declaration) => self.declaration(*declaration),
            StmtKind::StaticAssert(assertion) => self.static_assert(*assertion),
            StmtKind::Compound(stmts) => self.form("block", |d| d.stmts(stmts)),
            StmtKind::If { condition, then, otherwise } => self.form("if", |d| {
                d.exprs(&[*condition])?;
                d.stmts(&[*then])?;
                d.stmts(otherwise.as_slice())
            }),
            StmtKind::While { condition, body } => self.form("while", |d| {
                d.exprs(&[*condition])?;
                d.stmts(&[*body])
            }),
            StmtKind::DoWhile { body, condition } => self.form("do", |d| {
                d.stmts(&[*body])?;
                d.exprs(&[*condition])
            }),
            StmtKind::For { init, condition, step, body } => self.form("for", |d| {
                match init {
                    Some(init) => d.stmts(&[*init])?,
                    None => d.word(" _")?,
                }
                for part in [condition, step] {
                    match part {
                        Some(expr) => d.exprs(&[*expr])?,
                        None => d.word(" _")?,
                    }
                }
                d.stmts(&[*body])
            }),
            StmtKind::Switch { value, body } => self.form("switch", |d| {
                d.exprs(&[*value])?;
                d.stmts(&[*body])
            }),
            StmtKind::Case { lo, hi, body } => self.form("case", |d| {
                d.exprs(&[*lo])?;
                d.exprs(hi.as_slice())?;
                d.word(":")?;
                d.stmts(&[*body])
            }),
            StmtKind::Default(body) => self.form("default:", |d| d.stmts(&[*body])),
            StmtKind::Label { name, body } => {
                let head = format!("label {}:", self.name(*name));
                self.form(&head, |d| d.stmts(&[*body]))
            }
            StmtKind::LocalLabels(labels) => self.form("local-labels", |d| d.symbols(labels)),
            StmtKind::Goto(label) => self.form("goto", |d| d.symbols(&[*label])),
            StmtKind::GotoComputed(target) => self.form("goto *", |d| d.exprs(&[*target])),
            StmtKind::Break => self.word("(break)"),
            StmtKind::Continue => self.word("(continue)"),
            StmtKind::Return(value) => self.form("return", |d| d.exprs(value.as_slice())),
            StmtKind::Asm(asm) => self.form("asm", |d| {
                d.word(if asm.is_volatile { " volatile" } else { "" })?;
                d.word(if asm.template_is_empty { " empty" } else { "" })?;
                d.word(" ")?;
                d.form("out", |d| d.exprs(&asm.outputs))?;
                d.word(" ")?;
                d.form("in", |d| d.exprs(&asm.inputs))?;
                d.symbols(&asm.labels)
            }),
            StmtKind::NestedFunction(function) => self.function(*function),
        }
    }

    fn symbols(&mut self, symbols: &[Symbol]) -> fmt::Result {
        symbols.iter().try_for_each(|&symbol| write!(self.out, " {}", self.names.text(symbol)))
    }
}

fn unary_name(op: UnaryOp) -> &'static str {
    match op {
        UnaryOp::Plus => "+",
        UnaryOp::Minus => "-",
        UnaryOp::BitNot => "~",
        UnaryOp::Not => "!",
        UnaryOp::Deref => "*",
        UnaryOp::AddressOf => "&",
        UnaryOp::PreIncrement => "++_",
        UnaryOp::PreDecrement => "--_",
        UnaryOp::PostIncrement => "_++",
        UnaryOp::PostDecrement => "_--",
        UnaryOp::Real => "real",
        UnaryOp::Imag => "imag",
    }
}

fn binary_name(op: BinaryOp) -> &'static str {
    match op {
        BinaryOp::Mul => "*",
        BinaryOp::Div => "/",
        BinaryOp::Rem => "%",
        BinaryOp::Add => "+",
        BinaryOp::Sub => "-",
        BinaryOp::Shl => "<<",
        BinaryOp::Shr => ">>",
        BinaryOp::Lt => "<",
        BinaryOp::Gt => ">",
        BinaryOp::Le => "<=",
        BinaryOp::Ge => ">=",
        BinaryOp::Eq => "==",
        BinaryOp::Ne => "!=",
        BinaryOp::BitAnd => "&",
        BinaryOp::BitXor => "^",
        BinaryOp::BitOr => "|",
        BinaryOp::LogicalAnd => "&&",
        BinaryOp::LogicalOr => "||",
    }
}
