//! Declarators: what stands around a declared name and makes its type. Also type names, which have no name.
//!
//! Attributes inside of declarators, as in `int (__attribute__((cdecl)) *f)(void)`, are kept with the
//! declarator as a whole.

use super::{Failed, Parsed, Parser, push_to_short};
use crate::ast::{
    ArraySize, BuiltinType, DeclSpecs, Declarator, Derived, FunctionDeclarator, Param, Quals, Storage,
    TypeName, TypeNameId, TypeSpec,
};
use crate::token::TokenKind;
use crate::{Diagnostic, Span};

/// Does a declarator have a name?
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Naming {
    Required,
    /// In parameters.
    Optional,
    /// In type names.
    Forbidden,
}

impl Parser<'_> {
    pub(super) fn declarator(&mut self, naming: Naming) -> Parsed<Declarator> {
        self.nested(|parser| parser.declarator_here(naming))
    }

    fn declarator_here(&mut self, naming: Naming) -> Parsed<Declarator> {
        let lo = self.lo();
        let mut result = Declarator {
            name: None,
            name_span: Span::new(lo, lo),
            derived: Vec::new(),
            attributes: Vec::new(),
            asm_label: None,
            span: Span::NONE,
        };
        while self.eat(TokenKind::Star) {
            let quals = self.pointer_qualifiers(&mut result)?;
            push_to_short(&mut result.derived, Derived::Pointer(quals));
        }
        let mut inner = None;
        match self.kind() {
            TokenKind::Identifier if naming != Naming::Forbidden => {
                let token = self.bump();
                result.name = Some(token.symbol);
                result.name_span = token.span();
            }
            TokenKind::LParen if naming == Naming::Required || self.paren_groups(naming) => {
                let open = self.bump();
                self.attributes(&mut result.attributes)?;
                inner = Some(self.declarator(naming)?);
                self.expect_closing(TokenKind::RParen, open)?;
            }
            _ if naming == Naming::Required => return Err(self.missing("a name", "to declare")),
            _ => {}
        }
        // `a[2][3]` is an array of two arrays: the last suffix is applied to the base type first.
        let first_suffix = result.derived.len();
        loop {
            match self.kind() {
                TokenKind::LBracket if self.at_standard_attribute() => {
                    self.attributes(&mut result.attributes)?
                }
                TokenKind::LBracket => {
                    let array = self.array_suffix()?;
                    push_to_short(&mut result.derived, array);
                }
                TokenKind::LParen => {
                    let function = self.function_suffix()?;
                    push_to_short(&mut result.derived, Derived::Function(function));
                }
                _ => break,
            }
        }
        result.derived[first_suffix..].reverse();
        if let Some(inner) = inner {
            result.name = inner.name;
            result.name_span = inner.name_span;
            result.derived.extend(inner.derived);
            result.attributes.extend(inner.attributes);
        }
        result.span = self.span_from(lo);
        Ok(result)
    }

    /// In a declarator that may have no name: does `(` group, or does it start the parameters of an unnamed
    /// function?
    fn paren_groups(&self, naming: Naming) -> bool {
        let mut n = 1;
        while self.nth(n).kind == TokenKind::Attribute {
            n = self.after_brackets(n + 1);
        }
        match self.nth(n).kind {
            TokenKind::Star | TokenKind::LParen | TokenKind::LBracket => true,
            TokenKind::Identifier => naming == Naming::Optional && !self.is_typedef_name(n),
            _ => false,
        }
    }

    /// The number of the token after the bracketed group that starts at `n`, whatever the brackets are.
    pub(super) fn after_brackets(&self, n: usize) -> usize {
        let mut n = n;
        let mut open = 0u32;
        loop {
            match self.nth(n).kind {
                TokenKind::LParen | TokenKind::LBracket | TokenKind::LBrace => open += 1,
                TokenKind::RParen | TokenKind::RBracket | TokenKind::RBrace => open = open.saturating_sub(1),
                TokenKind::Eof => return n,
                _ => {}
            }
            n += 1;
            if open == 0 {
                return n;
            }
        }
    }

    fn pointer_qualifiers(&mut self, declarator: &mut Declarator) -> Parsed<Quals> {
        let mut quals = Quals::default();
        loop {
            if self.qualifier(&mut quals) {
                continue;
            }
            if !self.at(TokenKind::Attribute) && !self.at_standard_attribute() {
                return Ok(quals);
            }
            self.attributes(&mut declarator.attributes)?;
        }
    }

    /// Takes one qualifier if there is one.
    fn qualifier(&mut self, quals: &mut Quals) -> bool {
        match self.kind() {
            TokenKind::Const => quals.is_const = true,
            TokenKind::Volatile => quals.is_volatile = true,
            TokenKind::Restrict => quals.is_restrict = true,
            TokenKind::Atomic => quals.is_atomic = true,
            TokenKind::IgnoredQualifier | TokenKind::Extension => {}
            _ => return false,
        }
        self.bump();
        true
    }

    /// `[…]`. `static` in it is a promise of the caller and not kept.
    fn array_suffix(&mut self) -> Parsed<Derived> {
        let open = self.bump();
        let mut quals = Quals::default();
        while self.eat(TokenKind::Static) || self.qualifier(&mut quals) {}
        let size = match self.kind() {
            TokenKind::RBracket => ArraySize::Unknown,
            TokenKind::Star if self.nth(1).kind == TokenKind::RBracket => {
                self.bump();
                ArraySize::Star
            }
            _ => ArraySize::Expr(self.assignment()?),
        };
        self.expect_closing(TokenKind::RBracket, open)?;
        Ok(Derived::Array { size, quals })
    }

    /// `(parameters)`, `(a, b)` of a K&R definition, or `()`.
    fn function_suffix(&mut self) -> Parsed<FunctionDeclarator> {
        let open = self.bump();
        let mut function = FunctionDeclarator {
            params: Vec::new(),
            is_variadic: false,
            is_prototype: true,
            kr_names: Vec::new(),
        };
        let is_name_list = self.at(TokenKind::Identifier)
            && !self.is_typedef_name(0)
            && matches!(self.nth(1).kind, TokenKind::Comma | TokenKind::RParen);
        self.scopes.enter();
        if self.at(TokenKind::RParen) {
            function.is_prototype = false;
        } else if is_name_list {
            function.is_prototype = false;
            loop {
                function.kr_names.push(self.expect_identifier("as the name of a parameter")?);
                if !self.eat(TokenKind::Comma) {
                    break;
                }
            }
        } else {
            self.nested(|parser| parser.parameters(&mut function))?;
        }
        self.expect_closing(TokenKind::RParen, open)?;
        self.scopes.leave();
        Ok(function)
    }

    fn parameters(&mut self, function: &mut FunctionDeclarator) -> Parsed<()> {
        loop {
            if self.eat(TokenKind::Ellipsis) {
                function.is_variadic = true;
                break;
            }
            let param = self.parameter()?;
            push_to_short(&mut function.params, param);
            if !self.eat(TokenKind::Comma) {
                break;
            }
        }
        function.params.shrink_to_fit();
        if let [only] = function.params.as_slice()
            && !function.is_variadic
            && only.declarator.name.is_none()
            && only.declarator.derived.is_empty()
            && is_plain_void(&only.specs)
        {
            function.params = Vec::new();
        }
        Ok(())
    }

    fn parameter(&mut self) -> Parsed<Param> {
        if !self.starts_specifiers_at(0) && !self.at_standard_attribute() {
            return Err(self.unknown_type("as the type of a parameter"));
        }
        let specs = self.specifiers()?;
        let mut declarator = self.declarator(Naming::Optional)?;
        self.attributes(&mut declarator.attributes)?;
        if let Some(name) = declarator.name {
            self.scopes.declare(name, false);
        }
        Ok(Param { specs, declarator })
    }

    /// Reports the current token as something that should be a type.
    pub(super) fn unknown_type(&mut self, context: &str) -> Failed {
        if !self.at(TokenKind::Identifier) {
            return self.missing("a type", context);
        }
        let token = self.token();
        let diagnostic =
            Diagnostic::error(token.span(), format!("unknown type name `{}`", self.names.text(token.symbol)))
                .label("no typedef of this name is in scope")
                .help("is a header missing that declares it?");
        self.report(diagnostic)
    }

    /// A type without a declared name, as in casts.
    pub(super) fn type_name(&mut self) -> Parsed<TypeNameId> {
        self.nested(|parser| {
            let lo = parser.lo();
            let specs = parser.specifiers()?;
            if specs.ty == TypeSpec::Missing {
                return Err(parser.unknown_type(""));
            }
            let declarator = parser.declarator(Naming::Forbidden)?;
            let span = parser.span_from(lo);
            Ok(parser.ast.type_names.push(TypeName { specs, declarator, span }))
        })
    }
}

/// `void` and nothing else: as the only parameter it says that there are none.
fn is_plain_void(specs: &DeclSpecs) -> bool {
    specs.ty == TypeSpec::Builtin(BuiltinType::Void)
        && specs.storage == Storage::None
        && specs.quals == Quals::default()
}
