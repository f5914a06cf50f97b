//! Expressions. Chains of the same kind of operator are built in loops; only what is bracketed or prefixed
//! recurses.

use super::{Failed, Parsed, Parser};
use crate::Span;
use crate::ast::{BinaryOp, Designator, ExprId, ExprKind, StringId, StringLiteral, TypeNameId, UnaryOp};
use crate::literals::{self, Number};
use crate::token::{Token, TokenKind};

/// The operator and how tightly it binds.
#[inline]
fn binary_operator(kind: TokenKind) -> Option<(BinaryOp, u8)> {
    use TokenKind as K;
    Some(match kind {
        K::PipePipe => (BinaryOp::LogicalOr, 1),
        K::AmpAmp => (BinaryOp::LogicalAnd, 2),
        K::Pipe => (BinaryOp::BitOr, 3),
        K::Caret => (BinaryOp::BitXor, 4),
        K::Amp => (BinaryOp::BitAnd, 5),
        K::EqualEqual => (BinaryOp::Eq, 6),
        K::BangEqual => (BinaryOp::Ne, 6),
        K::Less => (BinaryOp::Lt, 7),
        K::Greater => (BinaryOp::Gt, 7),
        K::LessEqual => (BinaryOp::Le, 7),
        K::GreaterEqual => (BinaryOp::Ge, 7),
        K::Shl => (BinaryOp::Shl, 8),
        K::Shr => (BinaryOp::Shr, 8),
        K::Plus => (BinaryOp::Add, 9),
        K::Minus => (BinaryOp::Sub, 9),
        K::Star => (BinaryOp::Mul, 10),
        K::Slash => (BinaryOp::Div, 10),
        K::Percent => (BinaryOp::Rem, 10),
        _ => return None,
    })
}

/// `Some(None)` for `=`, `Some(Some(op))` for `op=`.
#[inline]
fn assignment_operator(kind: TokenKind) -> Option<Option<BinaryOp>> {
    use TokenKind as K;
    Some(match kind {
        K::Equal => None,
        K::PlusEqual => Some(BinaryOp::Add),
        K::MinusEqual => Some(BinaryOp::Sub),
        K::StarEqual => Some(BinaryOp::Mul),
        K::SlashEqual => Some(BinaryOp::Div),
        K::PercentEqual => Some(BinaryOp::Rem),
        K::AmpEqual => Some(BinaryOp::BitAnd),
        K::PipeEqual => Some(BinaryOp::BitOr),
        K::CaretEqual => Some(BinaryOp::BitXor),
        K::ShlEqual => Some(BinaryOp::Shl),
        K::ShrEqual => Some(BinaryOp::Shr),
        _ => return None,
    })
}

#[inline]
fn prefix_operator(kind: TokenKind) -> Option<UnaryOp> {
    use TokenKind as K;
    Some(match kind {
        K::Plus => UnaryOp::Plus,
        K::Minus => UnaryOp::Minus,
        K::Tilde => UnaryOp::BitNot,
        K::Bang => UnaryOp::Not,
        K::Star => UnaryOp::Deref,
        K::Amp => UnaryOp::AddressOf,
        K::PlusPlus => UnaryOp::PreIncrement,
        K::MinusMinus => UnaryOp::PreDecrement,
        K::Real => UnaryOp::Real,
        K::Imag => UnaryOp::Imag,
        _ => return None,
    })
}

impl Parser<'_> {
    /// A whole expression, commas included.
    pub(super) fn expression(&mut self) -> Parsed<ExprId> {
        let lo = self.lo();
        let mut left = self.assignment()?;
        while self.eat(TokenKind::Comma) {
            let right = self.assignment()?;
            left = self.push_expr(ExprKind::Comma(left, right), lo);
        }
        Ok(left)
    }

    /// An expression without top-level commas.
    pub(super) fn assignment(&mut self) -> Parsed<ExprId> {
        self.nested(|parser| {
            let mut targets = Vec::new();
            let mut value = loop {
                let lo = parser.lo();
                let operand = parser.conditional()?;
                let Some(operator) = assignment_operator(parser.kind()) else {
                    break operand;
                };
                parser.bump();
                targets.push((lo, operand, operator));
            };
            for (lo, target, operator) in targets.into_iter().rev() {
                value = parser.push_expr(ExprKind::Assign(operator, target, value), lo);
            }
            Ok(value)
        })
    }

    /// An expression without assignments and commas: also what C calls a constant expression.
    pub(super) fn conditional(&mut self) -> Parsed<ExprId> {
        let mut conditions = Vec::new();
        let mut value = loop {
            let lo = self.lo();
            let condition = self.binary(1)?;
            if !self.at(TokenKind::Question) {
                break condition;
            }
            let question = self.bump().span();
            let then = if self.at(TokenKind::Colon) { None } else { Some(self.expression()?) };
            self.expect(TokenKind::Colon, "of the conditional expression")?;
            conditions.push((lo, condition, then, question));
        };
        for (lo, condition, then, question) in conditions.into_iter().rev() {
            value = self.push_expr(ExprKind::Conditional { condition, then, otherwise: value, question }, lo);
        }
        Ok(value)
    }

    /// Operators that bind at least as tightly as `tightest`. Recurses at most once per level of tightness.
    fn binary(&mut self, tightest: u8) -> Parsed<ExprId> {
        let lo = self.lo();
        let mut left = self.unary()?;
        while let Some((operator, tightness)) = binary_operator(self.kind()) {
            if tightness < tightest {
                break;
            }
            self.bump();
            let right = self.binary(tightness + 1)?;
            left = self.push_expr(ExprKind::Binary(operator, left, right), lo);
        }
        Ok(left)
    }

    /// Prefix operators and casts.
    fn unary(&mut self) -> Parsed<ExprId> {
        use TokenKind as K;
        let first = self.token();
        match first.kind {
            K::Identifier | K::Number | K::Char | K::String => self.postfix(),
            K::LParen if self.starts_type_at(1) => self.cast_or_compound_literal(),
            K::LParen => self.postfix(),
            K::Sizeof | K::Alignof | K::GnuAlignof => self.size_or_alignment(),
            K::Extension => {
                self.bump();
                self.nested(Self::unary)
            }
            K::AmpAmp => {
                self.bump();
                let (label, _) = self.expect_identifier("as the label whose address is taken")?;
                Ok(self.push_expr(ExprKind::LabelAddress(label), first.lo))
            }
            kind => match prefix_operator(kind) {
                Some(operator) => {
                    self.bump();
                    let operand = self.nested(Self::unary)?;
                    Ok(self.push_expr(ExprKind::Unary(operator, operand), first.lo))
                }
                None => self.postfix(),
            },
        }
    }

    /// `(type) operand` or `(type){…}`.
    fn cast_or_compound_literal(&mut self) -> Parsed<ExprId> {
        let lo = self.lo();
        let ty = self.parenthesized_type()?;
        if self.at(TokenKind::LBrace) {
            return self.compound_literal(ty, lo);
        }
        let operand = self.nested(Self::unary)?;
        Ok(self.push_expr(ExprKind::Cast(ty, operand), lo))
    }

    fn parenthesized_type(&mut self) -> Parsed<TypeNameId> {
        let open = self.expect(TokenKind::LParen, "")?;
        let ty = self.type_name()?;
        self.expect_closing(TokenKind::RParen, open)?;
        Ok(ty)
    }

    fn compound_literal(&mut self, ty: TypeNameId, lo: u32) -> Parsed<ExprId> {
        let init = self.initializer_list()?;
        let literal = self.push_expr(ExprKind::CompoundLiteral(ty, init), lo);
        self.suffixes(literal, lo)
    }

    /// `sizeof` and `_Alignof`, of a type in parentheses or of an expression.
    fn size_or_alignment(&mut self) -> Parsed<ExprId> {
        let operator = self.bump();
        let is_size = operator.kind == TokenKind::Sizeof;
        let operand = if self.at(TokenKind::LParen) && self.starts_type_at(1) {
            let lo = self.lo();
            let ty = self.parenthesized_type()?;
            if !self.at(TokenKind::LBrace) {
                let kind = match operator.kind {
                    TokenKind::Sizeof => ExprKind::SizeofType(ty),
                    TokenKind::Alignof => ExprKind::AlignofType(ty),
                    _ => ExprKind::PreferredAlignofType(ty),
                };
                return Ok(self.push_expr(kind, operator.lo));
            }
            self.compound_literal(ty, lo)?
        } else {
            self.nested(Self::unary)?
        };
        let kind = if is_size { ExprKind::SizeofExpr(operand) } else { ExprKind::AlignofExpr(operand) };
        Ok(self.push_expr(kind, operator.lo))
    }

    fn postfix(&mut self) -> Parsed<ExprId> {
        let lo = self.lo();
        let primary = self.primary()?;
        self.suffixes(primary, lo)
    }

    /// Calls, indices, members and postfix increments after an operand that starts at `lo`.
    fn suffixes(&mut self, operand: ExprId, lo: u32) -> Parsed<ExprId> {
        let mut operand = operand;
        loop {
            let token = self.token();
            let kind = match token.kind {
                TokenKind::LParen => {
                    self.bump();
                    let (args, close) = self.arguments(token)?;
                    ExprKind::Call { callee: operand, args, close_paren: close.span() }
                }
                TokenKind::LBracket => {
                    self.bump();
                    let index = self.expression()?;
                    self.expect_closing(TokenKind::RBracket, token)?;
                    ExprKind::Index(operand, index)
                }
                TokenKind::Dot => {
                    self.bump();
                    ExprKind::Member(operand, self.expect_identifier("as the name of a member")?.0)
                }
                TokenKind::Arrow => {
                    self.bump();
                    ExprKind::Arrow(operand, self.expect_identifier("as the name of a member")?.0)
                }
                TokenKind::PlusPlus => {
                    self.bump();
                    ExprKind::Unary(UnaryOp::PostIncrement, operand)
                }
                TokenKind::MinusMinus => {
                    self.bump();
                    ExprKind::Unary(UnaryOp::PostDecrement, operand)
                }
                _ => return Ok(operand),
            };
            operand = self.push_expr(kind, lo);
        }
    }

    /// After `(` of a call: the arguments and the `)`.
    fn arguments(&mut self, open: Token) -> Parsed<(Vec<ExprId>, Token)> {
        let mut args = Vec::new();
        if !self.at(TokenKind::RParen) {
            loop {
                args.push(self.assignment()?);
                if !self.eat(TokenKind::Comma) {
                    break;
                }
            }
        }
        let close = self.expect_closing(TokenKind::RParen, open)?;
        Ok((args, close))
    }

    fn primary(&mut self) -> Parsed<ExprId> {
        use TokenKind as K;
        let token = self.token();
        match token.kind {
            K::Identifier => {
                self.bump();
                Ok(self.push_expr(ExprKind::Ident(token.symbol), token.lo))
            }
            K::Number => self.number(),
            K::Char => {
                self.bump();
                match literals::character(self.text_of(token)) {
                    Ok((value, encoding)) => Ok(self.push_expr(ExprKind::Char(value, encoding), token.lo)),
                    Err(message) => Err(self.error(token.span(), message)),
                }
            }
            K::String => {
                let string = self.string()?;
                Ok(self.push_expr(ExprKind::String(string), token.lo))
            }
            K::LParen if self.nth(1).kind == K::LBrace => {
                self.bump();
                let body = self.nested(Self::compound)?;
                self.expect_closing(K::RParen, token)?;
                Ok(self.push_expr(ExprKind::StatementExpr(body), token.lo))
            }
            K::LParen => {
                self.bump();
                let inner = self.expression()?;
                self.expect_closing(K::RParen, token)?;
                Ok(inner)
            }
            K::Generic => self.generic(),
            K::VaArg | K::Offsetof | K::TypesCompatible | K::ChooseExpr => self.builtin_with_types(),
            _ => Err(self.no_expression()),
        }
    }

    #[cold]
    fn no_expression(&mut self) -> Failed {
        self.missing("an expression", "")
    }

    fn number(&mut self) -> Parsed<ExprId> {
        let token = self.bump();
        let text = literals::spliced(self.text_of(token));
        match literals::number(&text) {
            Ok(Number::Int(value, suffix)) => Ok(self.push_expr(ExprKind::Int(value, suffix), token.lo)),
            Ok(Number::Float(digits, suffix)) => {
                let digits = self.names.intern(digits);
                Ok(self.push_expr(ExprKind::Float(digits, suffix), token.lo))
            }
            Err(message) => Err(self.error(token.span(), message)),
        }
    }

    /// Adjacent string literals, joined.
    pub(super) fn string(&mut self) -> Parsed<StringId> {
        let lo = self.lo();
        let first = self.expect(TokenKind::String, "")?;
        if !self.at(TokenKind::String) {
            return self.push_string(&[self.text_of(first)], first.span());
        }
        let mut parts = vec![self.text_of(first)];
        while self.at(TokenKind::String) {
            let token = self.bump();
            parts.push(self.text_of(token));
        }
        self.push_string(&parts, self.span_from(lo))
    }

    fn push_string(&mut self, parts: &[&str], span: Span) -> Parsed<StringId> {
        match literals::string(parts) {
            Ok((units, encoding)) => Ok(self.ast.strings.push(StringLiteral { units, encoding, span })),
            Err(message) => Err(self.error(span, message)),
        }
    }

    /// `_Generic(selector, type: value, default: value)`
    fn generic(&mut self) -> Parsed<ExprId> {
        let lo = self.bump().lo;
        let open = self.expect(TokenKind::LParen, "after `_Generic`")?;
        let selector = self.assignment()?;
        let mut arms = Vec::new();
        while self.eat(TokenKind::Comma) {
            let ty = if self.eat(TokenKind::Default) { None } else { Some(self.type_name()?) };
            self.expect(TokenKind::Colon, "after the type")?;
            arms.push((ty, self.assignment()?));
        }
        self.expect_closing(TokenKind::RParen, open)?;
        Ok(self.push_expr(ExprKind::Generic { selector, arms }, lo))
    }

    /// The builtins that look like calls but take types or member names.
    fn builtin_with_types(&mut self) -> Parsed<ExprId> {
        const BETWEEN: &str = "between the arguments";
        let builtin = self.bump();
        let open = self.expect(TokenKind::LParen, "after the name of a builtin")?;
        let kind = match builtin.kind {
            TokenKind::VaArg => {
                let list = self.assignment()?;
                self.expect(TokenKind::Comma, BETWEEN)?;
                ExprKind::VaArg(list, self.type_name()?)
            }
            TokenKind::Offsetof => {
                let ty = self.type_name()?;
                self.expect(TokenKind::Comma, BETWEEN)?;
                let (name, span) = self.expect_identifier("as the name of a member")?;
                let mut path = vec![Designator::Field(name, span)];
                path.extend(self.designators()?);
                ExprKind::Offsetof(ty, path)
            }
            TokenKind::TypesCompatible => {
                let first = self.type_name()?;
                self.expect(TokenKind::Comma, BETWEEN)?;
                ExprKind::TypesCompatible(first, self.type_name()?)
            }
            _ => {
                let condition = self.assignment()?;
                self.expect(TokenKind::Comma, BETWEEN)?;
                let then = self.assignment()?;
                self.expect(TokenKind::Comma, BETWEEN)?;
                ExprKind::ChooseExpr(condition, then, self.assignment()?)
            }
        };
        self.expect_closing(TokenKind::RParen, open)?;
        Ok(self.push_expr(kind, builtin.lo))
    }
}
