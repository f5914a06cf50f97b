//! Structs, unions and enums.

use super::declarators::Naming;
use super::{Level, Parsed, Parser, push_to_short};
use crate::ast::{
    Declarator, EnumSpec, EnumSpecId, Enumerator, FieldDeclarator, MemberDecl, RecordSpec, RecordSpecId,
    Storage,
};
use crate::token::TokenKind;
use summa_base::Symbol;

impl Parser<'_> {
    /// From `struct` or `union` on.
    pub(super) fn record(&mut self) -> Parsed<RecordSpecId> {
        let lo = self.lo();
        let is_union = self.bump().kind == TokenKind::Union;
        let mut attributes = Vec::new();
        self.attributes(&mut attributes)?;
        let tag = self.tag();
        let members = if self.at(TokenKind::LBrace) {
            let members = self.members()?;
            self.attributes(&mut attributes)?;
            Some(members)
        } else if tag.is_none() {
            return Err(
                self.missing("a name or `{`", if is_union { "after `union`" } else { "after `struct`" })
            );
        } else {
            None
        };
        let span = self.span_from(lo);
        Ok(self.ast.records.push(RecordSpec { is_union, tag, members, attributes, span }))
    }

    fn tag(&mut self) -> Option<Symbol> {
        self.at(TokenKind::Identifier).then(|| self.bump().symbol)
    }

    fn members(&mut self) -> Parsed<Vec<MemberDecl>> {
        let open = self.bump();
        let mut members = Vec::new();
        loop {
            match self.kind() {
                TokenKind::RBrace => break,
                TokenKind::Semicolon => {
                    self.bump();
                }
                TokenKind::StaticAssert => members.push(MemberDecl::StaticAssert(self.static_assert()?)),
                TokenKind::Eof => break,
                _ => {
                    let mark = self.scopes.mark();
                    match self.member() {
                        Ok(member) => members.push(member),
                        Err(_) => self.recover(mark, Level::Block),
                    }
                }
            }
        }
        self.expect_closing(TokenKind::RBrace, open)?;
        members.shrink_to_fit();
        Ok(members)
    }

    fn member(&mut self) -> Parsed<MemberDecl> {
        let lo = self.lo();
        if !self.starts_specifiers_at(0) && !self.at_standard_attribute() {
            return Err(self.unknown_type("as the type of a member"));
        }
        let specs = self.specifiers()?;
        if specs.storage != Storage::None {
            self.error(specs.span, "a member cannot have a storage class");
        }
        let mut declarators = Vec::new();
        while !matches!(self.kind(), TokenKind::Semicolon | TokenKind::RBrace) {
            push_to_short(&mut declarators, self.field()?);
            if !self.eat(TokenKind::Comma) {
                break;
            }
        }
        // gcc lets the last `;` be missing.
        if !self.at(TokenKind::RBrace) {
            self.expect(TokenKind::Semicolon, "after the member")?;
        }
        Ok(MemberDecl::Fields { specs, declarators, span: self.span_from(lo) })
    }

    fn field(&mut self) -> Parsed<FieldDeclarator> {
        let mut before = Vec::new();
        self.attributes(&mut before)?;
        let mut declarator = if self.at(TokenKind::Colon) {
            let name_span = self.token().span();
            Declarator {
                name: None,
                name_span,
                derived: vec![],
                attributes: vec![],
                asm_label: None,
                span: name_span,
            }
        } else {
            self.declarator(Naming::Required)?
        };
        let bit_width = if self.eat(TokenKind::Colon) { Some(self.conditional()?) } else { None };
        self.attributes(&mut declarator.attributes)?;
        declarator.attributes.extend(before);
        Ok(FieldDeclarator { declarator, bit_width })
    }

    /// From `enum` on.
    pub(super) fn enumeration(&mut self) -> Parsed<EnumSpecId> {
        let lo = self.lo();
        self.bump();
        let mut attributes = Vec::new();
        self.attributes(&mut attributes)?;
        let tag = self.tag();
        let enumerators = if self.at(TokenKind::LBrace) {
            let enumerators = self.enumerators()?;
            self.attributes(&mut attributes)?;
            Some(enumerators)
        } else if tag.is_none() {
            return Err(self.missing("a name or `{`", "after `enum`"));
        } else {
            None
        };
        let span = self.span_from(lo);
        Ok(self.ast.enums.push(EnumSpec { tag, enumerators, attributes, span }))
    }

    fn enumerators(&mut self) -> Parsed<Vec<Enumerator>> {
        let open = self.bump();
        let mut enumerators = Vec::new();
        while !matches!(self.kind(), TokenKind::RBrace | TokenKind::Eof) {
            let lo = self.lo();
            let (name, _) = self.expect_identifier("as the name of an enumerator")?;
            // Attributes of enumerators (deprecated, unused) have no meaning for us.
            self.attributes(&mut Vec::new())?;
            let value = if self.eat(TokenKind::Equal) { Some(self.conditional()?) } else { None };
            self.scopes.declare(name, false);
            enumerators.push(Enumerator { name, value, span: self.span_from(lo) });
            if !self.eat(TokenKind::Comma) {
                break;
            }
        }
        self.expect_closing(TokenKind::RBrace, open)?;
        Ok(enumerators)
    }
}
