//! Expressions: typed and made pure. Effects go to the statement list in the order of evaluation that
//! `tree.rs` fixes; a value that a later effect could change is saved in a temporary first.

use super::convert::Operand;
use super::scope::Binding;
use super::{Lowered, Sema, Stop};
use crate::tree::{ExprId, ExprKind};
use crate::types::{FloatKind, IntKind, Type, TypeId};
use summa_base::Symbol;
use summa_syntax::Span;
use summa_syntax::ast;

impl Sema<'_> {
    pub(crate) fn span_of(&self, expr: ast::ExprId) -> Span {
        self.ast.exprs[expr].span
    }

    /// The value of an expression.
    pub(crate) fn rvalue(&mut self, expr: ast::ExprId) -> Lowered<ExprId> {
        let operand = self.operand(expr)?;
        self.value_of(operand, self.span_of(expr))
    }

    /// The type an expression has before decay; nothing is evaluated.
    pub(crate) fn type_of_unevaluated(&mut self, expr: ast::ExprId) -> Lowered<TypeId> {
        let (operand, _) = self.collect(|s| s.operand(expr));
        Ok(self.operand_type(operand?))
    }

    /// Lowers any expression.
    pub(crate) fn operand(&mut self, expr: ast::ExprId) -> Lowered<Operand> {
        self.nested(self.span_of(expr), |s| s.operand_here(expr))
    }

    fn operand_here(&mut self, expr: ast::ExprId) -> Lowered<Operand> {
        use ast::ExprKind::*;
        let ast = self.ast;
        let ast::Expr { kind, span } = &ast.exprs[expr];
        let span = *span;
        match kind {
            Ident(name) => self.identifier(*name, span),
            Int(value, suffix) => self.int_literal(*value, *suffix, span),
            Float(text, suffix) => self.float_literal(*text, *suffix, span),
            Char(value, encoding) => {
                let ty = match encoding {
                    ast::Encoding::Plain => return self.plain_character(*value, span),
                    ast::Encoding::Wide => self.wide_char(),
                    ast::Encoding::Utf16 => self.types.int_type(IntKind::UnsignedShort),
                    ast::Encoding::Utf32 => self.types.unsigned_int,
                };
                Ok(Operand::Value(self.int(ty, i128::from(*value))))
            }
            String(id) => {
                let literal = &ast.strings[*id];
                let element = self.string_element(literal.encoding);
                Ok(Operand::Place(self.literal(&literal.units, element, span)))
            }
            Unary(op, operand) => self.unary(*op, *operand, span),
            Binary(..) => self.binary_chain(expr),
            Assign(op, place, value) => self.assignment(*op, *place, *value, span, true),
            Conditional { condition, then, otherwise, question } => {
                self.conditional(*condition, *then, *otherwise, *question, span)
            }
            Call { callee, args, .. } => self.call(*callee, args, span, true),
            Index(base, index) => self.subscript(*base, *index, span),
            Member(base, name) => {
                let base_operand = self.operand(*base)?;
                let place = self.record_place(base_operand, span)?;
                self.member(place, *name, span)
            }
            Arrow(base, name) => {
                let pointer = self.rvalue(*base)?;
                let place = self.deref(pointer, span)?;
                self.member(place, *name, span)
            }
            Cast(type_name, operand) => self.explicit_cast(*type_name, *operand, span),
            CompoundLiteral(type_name, init) => Ok(Operand::Place(self.compound_literal(*type_name, *init)?)),
            SizeofExpr(operand) => {
                let ty = self.type_of_unevaluated(*operand)?;
                Ok(Operand::Value(self.size_of_operand(ty, span)?))
            }
            SizeofType(type_name) => {
                let ty = self.type_name_type(*type_name)?;
                Ok(Operand::Value(self.size_of_operand(ty, span)?))
            }
            AlignofExpr(operand) => {
                let (operand, _) = self.collect(|s| s.operand(*operand));
                let align = self.align_of_operand(operand?);
                Ok(Operand::Value(self.int(self.types.size_t, i128::from(align))))
            }
            AlignofType(type_name) | PreferredAlignofType(type_name) => {
                let named = self.type_name_aligned(*type_name)?;
                let align = match (named.align, kind) {
                    (Some(align), _) => align,
                    (None, AlignofType(_)) => self.types.align_of(named.ty),
                    (None, _) => self.types.preferred_align_of(named.ty),
                };
                Ok(Operand::Value(self.int(self.types.size_t, i128::from(align))))
            }
            Generic { selector, arms } => self.generic(*selector, arms, span),
            StatementExpr(body) => self.statement_expr(*body, span),
            LabelAddress(name) => self.label_address(*name, span),
            VaArg(list, type_name) => self.va_arg(*list, *type_name, span),
            Offsetof(type_name, path) => self.offsetof(*type_name, path, span),
            TypesCompatible(a, b) => {
                let (a, b) = (self.type_name_type(*a)?, self.type_name_type(*b)?);
                let same = self.types.compatible(a, b);
                Ok(Operand::Value(self.int(self.types.int, i128::from(same))))
            }
            ChooseExpr(condition, then, otherwise) => {
                let chosen = if self.constant(*condition)? != 0 { *then } else { *otherwise };
                self.operand(chosen)
            }
            Comma(first, second) => {
                self.discard(*first);
                let operand = self.operand(*second)?;
                // The comma operator yields a value, never an lvalue; arrays and records stay places for
                // member access.
                match operand {
                    Operand::Place(place) if self.types.is_scalar(self.exprs.place(place).ty) => {
                        Ok(Operand::Value(self.value_of(operand, span)?))
                    }
                    other => Ok(other),
                }
            }
        }
    }

    /// Lowers an expression for its effects alone. Trouble has been reported when this returns.
    pub(crate) fn discard(&mut self, expr: ast::ExprId) {
        let _ = self.nested(self.span_of(expr), |s| s.try_discard(expr));
    }

    fn try_discard(&mut self, expr: ast::ExprId) -> Lowered<()> {
        use ast::ExprKind::*;
        let ast = self.ast;
        let ast::Expr { kind, span } = &ast.exprs[expr];
        let span = *span;
        match kind {
            Assign(op, place, value) => self.assignment(*op, *place, *value, span, false).map(drop),
            Unary(op, operand) if super::assign::is_step(*op) => {
                self.step(*op, *operand, span, false).map(drop)
            }
            Call { callee, args, .. } => self.call(*callee, args, span, false).map(drop),
            Comma(first, second) => {
                self.discard(*first);
                self.discard(*second);
                Ok(())
            }
            Conditional { condition, then, otherwise, question } => {
                self.discard_conditional(*condition, *then, *otherwise, *question)
            }
            Binary(ast::BinaryOp::LogicalAnd | ast::BinaryOp::LogicalOr, ..) => self.discard_logical(expr),
            Cast(type_name, operand) => {
                let ty = self.type_name_type(*type_name)?;
                if !self.types.is_void(ty) {
                    return self.operand(expr).map(drop);
                }
                self.discard(*operand);
                Ok(())
            }
            StatementExpr(body) => {
                self.statement(*body);
                Ok(())
            }
            _ => {
                let operand = self.operand(expr)?;
                // A read for its own sake still happens: `*p;` dereferences.
                if let Operand::Place(place) = operand
                    && self.exprs.root(place).is_none()
                    && self.types.is_scalar(self.exprs.place(place).ty)
                {
                    let value = self.value_of(operand, span)?;
                    self.save(value, span);
                }
                Ok(())
            }
        }
    }

    fn identifier(&mut self, name: Symbol, span: Span) -> Lowered<Operand> {
        match self.scopes.lookup(name).cloned() {
            Some(Binding::Var(var)) => {
                let ty = self.vars[var].ty;
                Ok(Operand::Place(self.exprs.var(var, ty)))
            }
            Some(Binding::Function(function)) => Ok(Operand::Function(function)),
            Some(Binding::Enumerator(value, ty)) => Ok(Operand::Value(self.int(ty, value))),
            Some(Binding::Typedef(_)) => {
                let name = self.text(name);
                self.error(span, format!("`{name}` is a type, not a value"))
            }
            Some(Binding::Unsupported(what)) => self.unsupported(span, what),
            None => self.undeclared(name, span),
        }
    }

    fn undeclared(&mut self, name: Symbol, span: Span) -> Lowered<Operand> {
        let text = self.text(name);
        if matches!(text.as_str(), "__func__" | "__FUNCTION__" | "__PRETTY_FUNCTION__") {
            let function = self.function.as_ref().map(|context| self.functions[context.id].name);
            let units: Vec<u32> =
                function.map_or(String::new(), |f| self.text(f)).bytes().map(u32::from).collect();
            return Ok(Operand::Place(self.literal(&units, self.types.char, span)));
        }
        let near = self.similar_name(&text);
        let diagnostic = summa_syntax::Diagnostic::error(span, format!("`{text}` is not declared"));
        self.report(match near {
            Some(near) => diagnostic.help(format!("there is a `{near}` with a similar name")),
            None => diagnostic,
        });
        Err(Stop)
    }

    /// A declared name that differs from `text` by one edit, for suggestions.
    fn similar_name(&self, text: &str) -> Option<String> {
        let close = |candidate: &str| {
            candidate != text && candidate.len().abs_diff(text.len()) <= 1 && text.len() > 2 && {
                let prefix = text.bytes().zip(candidate.bytes()).take_while(|(a, b)| a == b).count();
                let suffix =
                    text.bytes().rev().zip(candidate.bytes().rev()).take_while(|(a, b)| a == b).count();
                prefix + suffix + 1 >= text.len().max(candidate.len())
            }
        };
        let names = self.scopes.names();
        names
            .iter()
            .map(|&symbol| self.names.text(symbol))
            .find(|candidate| close(candidate))
            .map(str::to_string)
    }

    /// The first type of the list of 6.4.4.1p5 that can hold the value.
    fn int_literal(&mut self, value: u128, suffix: ast::IntSuffix, span: Span) -> Lowered<Operand> {
        use IntKind::*;
        let ladder =
            [(Int, 0), (UnsignedInt, 0), (Long, 1), (UnsignedLong, 1), (LongLong, 2), (UnsignedLongLong, 2)];
        let fits = |kind: IntKind| {
            let bits = 8 * kind.size(self.types.model) as u32 - u32::from(kind.is_signed());
            bits >= 128 || value >> bits == 0
        };
        let kind = ladder
            .into_iter()
            .filter(|&(kind, longs)| {
                let sign_matches =
                    if suffix.unsigned { !kind.is_signed() } else { kind.is_signed() || !suffix.decimal };
                longs >= suffix.longs && sign_matches
            })
            .map(|(kind, _)| kind)
            .chain([Int128, UnsignedInt128])
            .find(|&kind| fits(kind));
        match kind {
            Some(kind) => {
                let ty = self.types.int_type(kind);
                Ok(Operand::Value(self.int(ty, value as i128)))
            }
            None => self.error(span, "this integer does not fit into any type"),
        }
    }

    fn float_literal(&mut self, text: Symbol, suffix: ast::FloatSuffix, span: Span) -> Lowered<Operand> {
        let kind = match suffix {
            ast::FloatSuffix::None => FloatKind::Double,
            ast::FloatSuffix::F => FloatKind::Float,
            ast::FloatSuffix::L => FloatKind::LongDouble,
            ast::FloatSuffix::Q => FloatKind::Float128,
        };
        match crate::float::parse(self.names.text(text), kind) {
            Some(bits) => {
                let ty = self.types.intern(Type::Float(kind));
                Ok(Operand::Value(self.exprs.intern(ExprKind::Float(bits), ty)))
            }
            None => self.error(span, "this floating constant is malformed"),
        }
    }

    /// `wchar_t`: `int` on x86-64, `long` on i386; 4 bytes and signed on both.
    fn wide_char(&self) -> TypeId {
        match self.types.model {
            crate::types::DataModel::Ilp32 => self.types.long,
            crate::types::DataModel::Lp64 => self.types.int,
        }
    }

    /// A character constant without a prefix, which was read as if plain `char` were signed.
    fn plain_character(&mut self, value: i32, span: Span) -> Lowered<Operand> {
        /// Several characters with a value like that of one with its sign need at least four bytes, three of
        /// them escapes.
        const SEVERAL: u32 = 12;
        let mut value = i128::from(value);
        let is_unsigned = self.types.int_kind(self.types.char) == Some(IntKind::CharUnsigned);
        if is_unsigned && (-128..0).contains(&value) {
            if span.hi.saturating_sub(span.lo) >= SEVERAL {
                return self.unsupported(span, "this character constant with unsigned `char`");
            }
            value += 256;
        }
        Ok(Operand::Value(self.int(self.types.int, value)))
    }

    pub(crate) fn string_element(&mut self, encoding: ast::Encoding) -> TypeId {
        match encoding {
            ast::Encoding::Plain => self.types.char,
            ast::Encoding::Wide => self.wide_char(),
            ast::Encoding::Utf16 => self.types.int_type(IntKind::UnsignedShort),
            ast::Encoding::Utf32 => self.types.unsigned_int,
        }
    }
}
