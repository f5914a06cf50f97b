//! Declarations and function definitions, at file scope and in blocks.

use super::declarators::Naming;
use super::{Parsed, Parser, push_to_short};
use crate::ast::{
    DeclId, DeclSpecs, Declaration, Declarator, Derived, FunctionDef, FunctionId, InitDeclarator, Item,
    StaticAssert, Storage,
};
use crate::token::TokenKind;

/// The kinds of declarations.
pub(super) enum Declared {
    Declaration(DeclId),
    Function(FunctionId),
}

impl Parser<'_> {
    /// One item of the file.
    pub(super) fn external_declaration(&mut self) -> Parsed<()> {
        let lo = self.lo();
        let item = match self.kind() {
            TokenKind::Semicolon => {
                self.bump();
                return Ok(());
            }
            TokenKind::Asm => {
                self.asm()?;
                self.expect(TokenKind::Semicolon, "after the assembly")?;
                Item::Asm(self.span_from(lo))
            }
            TokenKind::StaticAssert => Item::StaticAssert(self.static_assert()?),
            TokenKind::Extension if self.nth(1).kind == TokenKind::Asm => {
                self.bump();
                return Ok(());
            }
            _ => match self.declaration()? {
                Declared::Declaration(declaration) => Item::Declaration(declaration),
                Declared::Function(function) => Item::Function(function),
            },
        };
        self.ast.items.push(item);
        Ok(())
    }

    /// `_Static_assert(condition, "message");`
    pub(super) fn static_assert(&mut self) -> Parsed<StaticAssert> {
        let lo = self.lo();
        self.bump();
        let open = self.expect(TokenKind::LParen, "after `_Static_assert`")?;
        let condition = self.conditional()?;
        let message = if self.eat(TokenKind::Comma) { Some(self.string()?) } else { None };
        self.expect_closing(TokenKind::RParen, open)?;
        self.expect(TokenKind::Semicolon, "after `_Static_assert(…)`")?;
        Ok(StaticAssert { condition, message, span: self.span_from(lo) })
    }

    /// A declaration with its `;`, or a function definition.
    pub(super) fn declaration(&mut self) -> Parsed<Declared> {
        let lo = self.lo();
        let specs = self.specifiers()?;
        if self.eat(TokenKind::Semicolon) {
            return Ok(self.push_declaration(specs, Vec::new(), lo));
        }
        let has_specifiers = specs.span.hi > lo;
        if !has_specifiers {
            self.check_implicit_int()?;
        }
        let mut declarators = Vec::new();
        loop {
            let mut before = Vec::new();
            self.attributes(&mut before)?;
            let mut declarator = self.declarator(Naming::Required)?;
            if self.eat(TokenKind::Asm) {
                let open = self.expect(TokenKind::LParen, "after `asm`")?;
                declarator.asm_label = Some(self.string()?);
                self.expect_closing(TokenKind::RParen, open)?;
            }
            self.attributes(&mut declarator.attributes)?;
            declarator.attributes.extend(before);
            if let Some(name) = declarator.name {
                self.scopes.declare(name, specs.storage == Storage::Typedef);
            }
            if declarators.is_empty() && self.at_function_body(&declarator) {
                let function = self.nested(|parser| parser.function_definition(specs, declarator, lo))?;
                return Ok(Declared::Function(function));
            }
            let init = if self.eat(TokenKind::Equal) { Some(self.initializer()?) } else { None };
            push_to_short(&mut declarators, InitDeclarator { declarator, init });
            if !self.eat(TokenKind::Comma) {
                break;
            }
        }
        self.expect(TokenKind::Semicolon, "after the declaration")?;
        Ok(self.push_declaration(specs, declarators, lo))
    }

    fn push_declaration(&mut self, specs: DeclSpecs, declarators: Vec<InitDeclarator>, lo: u32) -> Declared {
        let span = self.span_from(lo);
        Declared::Declaration(self.ast.decls.push(Declaration { specs, declarators, span }))
    }

    /// Without any specifier, only `name(…)` and the like can follow: two names are a type without a
    /// declaration.
    fn check_implicit_int(&mut self) -> Parsed<()> {
        let next = self.nth(1).kind;
        let is_unknown_type = match self.kind() {
            TokenKind::Identifier => {
                next == TokenKind::Identifier
                    || next.starts_specifiers() && next != TokenKind::Attribute
                    || next == TokenKind::Star
            }
            TokenKind::Star | TokenKind::LParen => false,
            _ => return Err(self.missing("a declaration", "")),
        };
        if is_unknown_type { Err(self.unknown_type("")) } else { Ok(()) }
    }

    /// After the first declarator: does a function body, or the declarations of K&R parameters, follow?
    fn at_function_body(&self, declarator: &Declarator) -> bool {
        match (self.kind(), declarator.derived.last()) {
            (TokenKind::LBrace, Some(Derived::Function(_))) => true,
            (_, Some(Derived::Function(function))) => !function.is_prototype && self.starts_declaration(),
            _ => false,
        }
    }

    fn function_definition(
        &mut self,
        specs: DeclSpecs,
        declarator: Declarator,
        lo: u32,
    ) -> Parsed<FunctionId> {
        if specs.storage == Storage::Typedef {
            return Err(self.error(declarator.span, "a function definition cannot be a typedef"));
        }
        self.scopes.enter();
        if let Some(Derived::Function(function)) = declarator.derived.last() {
            let names = function.params.iter().filter_map(|param| param.declarator.name);
            for name in names.chain(function.kr_names.iter().map(|&(name, _)| name)) {
                self.scopes.declare(name, false);
            }
        }
        let mut kr_declarations = Vec::new();
        while !self.at(TokenKind::LBrace) {
            if !self.starts_declaration() {
                return Err(self.missing("`{`", "to start the function body"));
            }
            match self.declaration()? {
                Declared::Declaration(declaration) => kr_declarations.push(declaration),
                Declared::Function(_) => {
                    return Err(self.error(
                        declarator.span,
                        "this function has no body, but another function in its place",
                    ));
                }
            }
        }
        let body = self.compound()?;
        self.scopes.leave();
        let span = self.span_from(lo);
        Ok(self.ast.functions.push(FunctionDef { specs, declarator, kr_declarations, body, span }))
    }
}
