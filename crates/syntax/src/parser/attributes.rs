//! `__attribute__((…))` and `[[…]]`, wherever they may stand.
//!
//! Arguments are expressions; what is no expression, such as a type, is skipped, and the attribute keeps the
//! arguments before it. `[[gnu::packed]]` means the same as `__attribute__((packed))`.

use super::{Parsed, Parser, push_to_short};
use crate::ast::{Attribute, ExprId};
use crate::token::TokenKind;
use summa_base::Symbol;

impl Parser<'_> {
    /// Takes all attributes that stand here.
    #[inline]
    pub(super) fn attributes(&mut self, into: &mut Vec<Attribute>) -> Parsed<()> {
        loop {
            match self.kind() {
                TokenKind::Attribute => self.gnu_attributes(into)?,
                TokenKind::LBracket if self.at_standard_attribute() => self.standard_attributes(into)?,
                _ => return Ok(()),
            }
        }
    }

    /// `[[`, which starts nothing else in C.
    #[inline]
    pub(super) fn at_standard_attribute(&self) -> bool {
        self.at(TokenKind::LBracket) && self.nth(1).kind == TokenKind::LBracket
    }

    fn gnu_attributes(&mut self, into: &mut Vec<Attribute>) -> Parsed<()> {
        self.bump();
        let outer = self.expect(TokenKind::LParen, "after `__attribute__`")?;
        let inner = self.expect(TokenKind::LParen, "after `__attribute__(`")?;
        self.attribute_list(TokenKind::RParen, into)?;
        self.expect_closing(TokenKind::RParen, inner)?;
        self.expect_closing(TokenKind::RParen, outer)?;
        Ok(())
    }

    fn standard_attributes(&mut self, into: &mut Vec<Attribute>) -> Parsed<()> {
        let outer = self.bump();
        let inner = self.bump();
        self.attribute_list(TokenKind::RBracket, into)?;
        self.expect_closing(TokenKind::RBracket, inner)?;
        self.expect_closing(TokenKind::RBracket, outer)?;
        Ok(())
    }

    fn attribute_list(&mut self, close: TokenKind, into: &mut Vec<Attribute>) -> Parsed<()> {
        while !self.at(close) && !self.at(TokenKind::Eof) {
            if self.eat(TokenKind::Comma) {
                continue;
            }
            let lo = self.lo();
            let mut name = self.attribute_name()?;
            // `gnu::name`
            if self.at(TokenKind::Colon) && self.nth(1).kind == TokenKind::Colon {
                self.bump();
                self.bump();
                name = self.attribute_name()?;
            }
            let mut args = Vec::new();
            if self.at(TokenKind::LParen) {
                self.attribute_arguments(&mut args)?;
            }
            push_to_short(into, Attribute { name, args, span: self.span_from(lo) });
            if !self.at(close) && !self.at(TokenKind::Comma) {
                return Err(self.missing("`,` or the end of the attributes", ""));
            }
        }
        Ok(())
    }

    /// Any word (`const` is an attribute too), without the underscores around it.
    fn attribute_name(&mut self) -> Parsed<Symbol> {
        let token = self.token();
        let text = self.text_of(token);
        if !text.starts_with(|c: char| c.is_alphabetic() || c == '_') {
            return Err(self.missing("the name of an attribute", ""));
        }
        self.bump();
        let bare =
            text.strip_prefix("__").and_then(|text| text.strip_suffix("__")).filter(|bare| !bare.is_empty());
        Ok(self.names.intern(bare.unwrap_or(text)))
    }

    fn attribute_arguments(&mut self, args: &mut Vec<ExprId>) -> Parsed<()> {
        let open = self.bump();
        while !matches!(self.kind(), TokenKind::RParen | TokenKind::Eof) {
            // `mode(SI)` names a mode even where `SI` is a typedef.
            let is_name = self.at(TokenKind::Identifier)
                && matches!(self.nth(1).kind, TokenKind::Comma | TokenKind::RParen);
            if self.starts_type_at(0) && !is_name {
                self.skip_argument();
            } else {
                args.push(self.assignment()?);
            }
            if !self.eat(TokenKind::Comma) {
                break;
            }
        }
        self.expect_closing(TokenKind::RParen, open)?;
        Ok(())
    }

    /// Skips to the `,` or `)` that ends the argument.
    fn skip_argument(&mut self) {
        let mut open = 0u32;
        loop {
            match self.kind() {
                TokenKind::Eof => return,
                TokenKind::Comma | TokenKind::RParen if open == 0 => return,
                TokenKind::LParen => open += 1,
                TokenKind::RParen => open -= 1,
                _ => {}
            }
            self.bump();
        }
    }
}
