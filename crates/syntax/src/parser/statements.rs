//! Statements. The span of a statement begins at its first character: witness formats refer to that.

use super::declarations::Declared;
use super::{Level, Parsed, Parser};
use crate::ast::{Asm, ExprId, StmtId, StmtKind};
use crate::token::TokenKind;
use summa_base::Symbol;

/// What can stand before a statement.
enum Prefix {
    Case { lo: ExprId, hi: Option<ExprId> },
    Default,
    Label(Symbol),
}

impl Parser<'_> {
    /// `{ … }`. Errors in one statement do not end the block.
    pub(super) fn compound(&mut self) -> Parsed<StmtId> {
        let open = self.expect(TokenKind::LBrace, "")?;
        self.scopes.enter();
        let mut statements = Vec::new();
        while !matches!(self.kind(), TokenKind::RBrace | TokenKind::Eof) {
            let mark = self.scopes.mark();
            match self.statement() {
                Ok(statement) => statements.push(statement),
                Err(_) => self.recover(mark, Level::Block),
            }
        }
        self.expect_closing(TokenKind::RBrace, open)?;
        self.scopes.leave();
        Ok(self.push_stmt(StmtKind::Compound(statements), open.lo))
    }

    /// A statement or a declaration in a block.
    fn statement(&mut self) -> Parsed<StmtId> {
        self.nested(Self::labelled_statement)
    }

    /// Labels nest, one statement in the other, but are read in a row.
    fn labelled_statement(&mut self) -> Parsed<StmtId> {
        let mut prefixes = Vec::new();
        loop {
            let lo = self.lo();
            let prefix = match self.kind() {
                TokenKind::Identifier if self.nth(1).kind == TokenKind::Colon => {
                    let name = self.bump().symbol;
                    self.bump();
                    Prefix::Label(name)
                }
                TokenKind::Case => {
                    self.bump();
                    let first = self.conditional()?;
                    let last = if self.eat(TokenKind::Ellipsis) { Some(self.conditional()?) } else { None };
                    self.expect(TokenKind::Colon, "after the value of `case`")?;
                    Prefix::Case { lo: first, hi: last }
                }
                TokenKind::Default => {
                    self.bump();
                    self.expect(TokenKind::Colon, "after `default`")?;
                    Prefix::Default
                }
                _ => break,
            };
            prefixes.push((lo, prefix));
        }
        let mut statement = if !prefixes.is_empty() && self.at(TokenKind::RBrace) {
            // A label at the end of a block.
            let end = self.span_from(self.lo()).lo;
            self.push_stmt(StmtKind::Empty, end)
        } else {
            self.unlabelled_statement()?
        };
        for (lo, prefix) in prefixes.into_iter().rev() {
            let kind = match prefix {
                Prefix::Case { lo, hi } => StmtKind::Case { lo, hi, body: statement },
                Prefix::Default => StmtKind::Default(statement),
                Prefix::Label(name) => StmtKind::Label { name, body: statement },
            };
            statement = self.push_stmt(kind, lo);
        }
        Ok(statement)
    }

    fn unlabelled_statement(&mut self) -> Parsed<StmtId> {
        use TokenKind as K;
        let lo = self.lo();
        let kind = match self.kind() {
            K::LBrace => return self.compound(),
            K::If => return self.if_chain(),
            K::Semicolon => {
                self.bump();
                StmtKind::Empty
            }
            K::While => {
                self.bump();
                let condition = self.condition("after `while`")?;
                StmtKind::While { condition, body: self.statement()? }
            }
            K::Do => self.do_while()?,
            K::For => self.for_loop()?,
            K::Switch => {
                self.bump();
                let value = self.condition("after `switch`")?;
                StmtKind::Switch { value, body: self.statement()? }
            }
            K::Break | K::Continue => {
                let token = self.bump();
                let is_break = token.kind == K::Break;
                self.expect(K::Semicolon, if is_break { "after `break`" } else { "after `continue`" })?;
                if is_break { StmtKind::Break } else { StmtKind::Continue }
            }
            K::Return => {
                self.bump();
                let value = if self.at(K::Semicolon) { None } else { Some(self.expression()?) };
                self.expect(K::Semicolon, "after `return`")?;
                StmtKind::Return(value)
            }
            K::Goto => self.goto()?,
            K::Asm => {
                let asm = self.asm()?;
                self.expect(K::Semicolon, "after the assembly")?;
                StmtKind::Asm(asm)
            }
            K::StaticAssert => StmtKind::StaticAssert(self.static_assert()?),
            K::Label => self.local_labels()?,
            _ if self.at_attributed_statement() => {
                // `__attribute__((fallthrough));` and the like say nothing about behaviour.
                self.attributes(&mut Vec::new())?;
                let statement = self.statement()?;
                self.ast.stmts[statement].span.lo = lo;
                return Ok(statement);
            }
            _ if self.starts_declaration() || self.at_standard_attribute() => match self.declaration()? {
                Declared::Declaration(declaration) => StmtKind::Declaration(declaration),
                Declared::Function(function) => StmtKind::NestedFunction(function),
            },
            K::Identifier if self.nth(1).kind == K::Identifier => return Err(self.unknown_type("")),
            _ => {
                let value = self.expression()?;
                self.expect(K::Semicolon, "after the expression")?;
                StmtKind::Expr(value)
            }
        };
        Ok(self.push_stmt(kind, lo))
    }

    /// Attributes that are not followed by a declaration.
    fn at_attributed_statement(&self) -> bool {
        if !self.at(TokenKind::Attribute) && !self.at_standard_attribute() {
            return false;
        }
        let mut n = 0;
        loop {
            n = match self.nth(n).kind {
                TokenKind::Attribute => self.after_brackets(n + 1),
                TokenKind::LBracket if self.nth(n + 1).kind == TokenKind::LBracket => self.after_brackets(n),
                _ => return !self.starts_specifiers_at(n),
            }
        }
    }

    fn condition(&mut self, context: &str) -> Parsed<ExprId> {
        let open = self.expect(TokenKind::LParen, context)?;
        let condition = self.expression()?;
        self.expect_closing(TokenKind::RParen, open)?;
        Ok(condition)
    }

    /// `if … else if … else …`, built from its end.
    fn if_chain(&mut self) -> Parsed<StmtId> {
        let mut arms = Vec::new();
        let mut otherwise = loop {
            let lo = self.bump().lo;
            let condition = self.condition("after `if`")?;
            let then = self.statement()?;
            arms.push((lo, condition, then));
            if !self.eat(TokenKind::Else) {
                break None;
            }
            if !self.at(TokenKind::If) {
                break Some(self.statement()?);
            }
        };
        let mut result = None;
        for (lo, condition, then) in arms.into_iter().rev() {
            let statement = self.push_stmt(StmtKind::If { condition, then, otherwise }, lo);
            otherwise = Some(statement);
            result = otherwise;
        }
        result.ok_or(super::Failed)
    }

    fn do_while(&mut self) -> Parsed<StmtKind> {
        self.bump();
        let body = self.statement()?;
        self.expect(TokenKind::While, "after the body of `do`")?;
        let condition = self.condition("after `while`")?;
        self.expect(TokenKind::Semicolon, "after `do … while (…)`")?;
        Ok(StmtKind::DoWhile { body, condition })
    }

    fn for_loop(&mut self) -> Parsed<StmtKind> {
        self.bump();
        let open = self.expect(TokenKind::LParen, "after `for`")?;
        self.scopes.enter();
        let lo = self.lo();
        let init = if self.eat(TokenKind::Semicolon) {
            None
        } else if self.starts_declaration() {
            let kind = match self.declaration()? {
                Declared::Declaration(declaration) => StmtKind::Declaration(declaration),
                Declared::Function(function) => StmtKind::NestedFunction(function),
            };
            Some(self.push_stmt(kind, lo))
        } else {
            let value = self.expression()?;
            let init = self.push_stmt(StmtKind::Expr(value), lo);
            self.expect(TokenKind::Semicolon, "after the first part of `for`")?;
            Some(init)
        };
        let condition = if self.at(TokenKind::Semicolon) { None } else { Some(self.expression()?) };
        self.expect(TokenKind::Semicolon, "after the condition of `for`")?;
        let step = if self.at(TokenKind::RParen) { None } else { Some(self.expression()?) };
        self.expect_closing(TokenKind::RParen, open)?;
        let body = self.statement()?;
        self.scopes.leave();
        Ok(StmtKind::For { init, condition, step, body })
    }

    fn goto(&mut self) -> Parsed<StmtKind> {
        self.bump();
        let kind = if self.eat(TokenKind::Star) {
            StmtKind::GotoComputed(self.expression()?)
        } else {
            StmtKind::Goto(self.expect_identifier("as the label to go to")?.0)
        };
        self.expect(TokenKind::Semicolon, "after `goto`")?;
        Ok(kind)
    }

    fn local_labels(&mut self) -> Parsed<StmtKind> {
        self.bump();
        let mut labels = Vec::new();
        loop {
            labels.push(self.expect_identifier("as the name of a label")?.0);
            if !self.eat(TokenKind::Comma) {
                break;
            }
        }
        self.expect(TokenKind::Semicolon, "after the labels")?;
        Ok(StmtKind::LocalLabels(labels))
    }

    /// `asm volatile goto ("template" : outputs : inputs : clobbers : labels)`, without the `;`.
    /// An operand that is read and written (`"+r"`) is among both inputs and outputs.
    pub(super) fn asm(&mut self) -> Parsed<Asm> {
        self.bump();
        let mut asm = Asm {
            is_volatile: false,
            template_is_empty: true,
            outputs: Vec::new(),
            inputs: Vec::new(),
            labels: Vec::new(),
        };
        while matches!(
            self.kind(),
            TokenKind::Volatile | TokenKind::Goto | TokenKind::Inline | TokenKind::Const
        ) {
            asm.is_volatile |= self.bump().kind == TokenKind::Volatile;
        }
        let open = self.expect(TokenKind::LParen, "after `asm`")?;
        let template = self.string()?;
        asm.template_is_empty = self.ast.strings[template].units.is_empty();
        if self.eat(TokenKind::Colon) {
            self.asm_operands(&mut asm, true)?;
        }
        if self.eat(TokenKind::Colon) {
            self.asm_operands(&mut asm, false)?;
        }
        if self.eat(TokenKind::Colon) {
            while self.at(TokenKind::String) {
                self.string()?;
                self.eat(TokenKind::Comma);
            }
        }
        if self.eat(TokenKind::Colon) {
            while self.at(TokenKind::Identifier) {
                asm.labels.push(self.bump().symbol);
                self.eat(TokenKind::Comma);
            }
        }
        self.expect_closing(TokenKind::RParen, open)?;
        Ok(asm)
    }

    /// `[name] "constraint" (expression), …`
    fn asm_operands(&mut self, asm: &mut Asm, are_outputs: bool) -> Parsed<()> {
        while matches!(self.kind(), TokenKind::LBracket | TokenKind::String) {
            if self.at(TokenKind::LBracket) {
                let open = self.bump();
                self.expect_identifier("as the name of an operand")?;
                self.expect_closing(TokenKind::RBracket, open)?;
            }
            let constraint = self.string()?;
            let is_read_too = self.ast.strings[constraint].units.contains(&u32::from(b'+'));
            let open = self.expect(TokenKind::LParen, "before the operand")?;
            let operand = self.expression()?;
            self.expect_closing(TokenKind::RParen, open)?;
            if are_outputs {
                asm.outputs.push(operand);
            }
            if !are_outputs || is_read_too {
                asm.inputs.push(operand);
            }
            if !self.eat(TokenKind::Comma) {
                break;
            }
        }
        Ok(())
    }
}
