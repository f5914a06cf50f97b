//! Initialisers: expressions and brace lists with designators, old GNU forms included.

use super::{Parsed, Parser};
use crate::ast::{Designator, Init, InitEntry, InitId};
use crate::token::TokenKind;

impl Parser<'_> {
    pub(super) fn initializer(&mut self) -> Parsed<InitId> {
        if self.at(TokenKind::LBrace) {
            return self.initializer_list();
        }
        let value = self.assignment()?;
        Ok(self.ast.inits.push(Init::Expr(value)))
    }

    /// `{ … }`, possibly empty.
    pub(super) fn initializer_list(&mut self) -> Parsed<InitId> {
        self.nested(|parser| {
            let open = parser.bump();
            let mut entries = Vec::new();
            while !matches!(parser.kind(), TokenKind::RBrace | TokenKind::Eof) {
                let designators = parser.designation()?;
                let init = parser.initializer()?;
                entries.push(InitEntry { designators, init });
                if !parser.eat(TokenKind::Comma) {
                    break;
                }
            }
            parser.expect_closing(TokenKind::RBrace, open)?;
            entries.shrink_to_fit();
            let span = parser.span_from(open.lo);
            Ok(parser.ast.inits.push(Init::List { entries, span }))
        })
    }

    /// `.a[1] =`, or the old forms `a:` and `[1]` without `=`.
    fn designation(&mut self) -> Parsed<Vec<Designator>> {
        if self.at(TokenKind::Identifier) && self.nth(1).kind == TokenKind::Colon {
            let token = self.bump();
            self.bump();
            return Ok(vec![Designator::Field(token.symbol, token.span())]);
        }
        if !matches!(self.kind(), TokenKind::Dot | TokenKind::LBracket) {
            return Ok(Vec::new());
        }
        let designators = self.designators()?;
        let is_old_index = matches!(designators.as_slice(), [Designator::Index(_) | Designator::Range(..)]);
        if !self.eat(TokenKind::Equal) && !is_old_index {
            return Err(self.missing("`=`", "after the designator"));
        }
        Ok(designators)
    }

    /// A row of `.name`, `[index]` and `[first ... last]`.
    pub(super) fn designators(&mut self) -> Parsed<Vec<Designator>> {
        let mut designators = Vec::new();
        loop {
            match self.kind() {
                TokenKind::Dot => {
                    self.bump();
                    let (name, span) = self.expect_identifier("as the name of a member")?;
                    designators.push(Designator::Field(name, span));
                }
                TokenKind::LBracket => {
                    let open = self.bump();
                    let first = self.conditional()?;
                    let designator = if self.eat(TokenKind::Ellipsis) {
                        Designator::Range(first, self.conditional()?)
                    } else {
                        Designator::Index(first)
                    };
                    self.expect_closing(TokenKind::RBracket, open)?;
                    designators.push(designator);
                }
                _ => return Ok(designators),
            }
        }
    }
}
