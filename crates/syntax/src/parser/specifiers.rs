//! The specifiers of a declaration: storage, qualifiers, attributes and the words that make a type.

use super::{Parsed, Parser};
use crate::ast::{AlignArg, BuiltinType, DeclSpecs, Quals, Storage, TypeSpec};
use crate::token::TokenKind;
use crate::{Diagnostic, Span};

/// The words for arithmetic types, which may come in any order: `long unsigned int long`.
#[derive(Default)]
struct TypeWords {
    /// A word that takes no others, such as `void`.
    alone: Option<BuiltinType>,
    char: bool,
    short: bool,
    int: bool,
    int128: bool,
    longs: u8,
    signed: bool,
    unsigned: bool,
    float: bool,
    double: bool,
    complex: bool,
    count: u8,
}

impl TypeWords {
    fn resolve(&self) -> Option<BuiltinType> {
        use BuiltinType::*;
        if self.complex {
            // Which kind of complex number does not matter: none is supported.
            let is_real = !self.char
                && !self.short
                && !self.int128
                && self.longs <= 1
                && !self.signed
                && !self.unsigned;
            return (is_real && !self.int || !self.float && !self.double).then_some(Complex);
        }
        if let Some(alone) = self.alone {
            return (self.count == 1).then_some(alone);
        }
        if self.signed && self.unsigned {
            return None;
        }
        let sign = |signed, unsigned| if self.unsigned { unsigned } else { signed };
        let bases = [self.char, self.short, self.int128, self.float, self.double];
        Some(match (bases, self.int, self.longs) {
            ([false, false, false, false, false], _, 0) => sign(Int, UnsignedInt),
            ([false, false, false, false, false], _, 1) => sign(Long, UnsignedLong),
            ([false, false, false, false, false], _, 2) => sign(LongLong, UnsignedLongLong),
            ([true, false, false, false, false], false, 0) if self.signed => SignedChar,
            ([true, false, false, false, false], false, 0) => sign(Char, UnsignedChar),
            ([false, true, false, false, false], _, 0) => sign(Short, UnsignedShort),
            ([false, false, true, false, false], false, 0) => sign(Int128, UnsignedInt128),
            ([false, false, false, true, false], false, 0) if !self.signed && !self.unsigned => Float,
            ([false, false, false, false, true], false, 0) if !self.signed && !self.unsigned => Double,
            ([false, false, false, false, true], false, 1) if !self.signed && !self.unsigned => LongDouble,
            _ => return None,
        })
    }
}

impl Parser<'_> {
    /// Does a declaration start here? An expression or label can start with a name that is a typedef
    /// elsewhere.
    pub(super) fn starts_declaration(&self) -> bool {
        let kind = self.kind();
        if kind.starts_specifiers() {
            return true;
        }
        match kind {
            TokenKind::Identifier => self.is_typedef_name(0) && self.nth(1).kind != TokenKind::Colon,
            TokenKind::Extension => self.starts_specifiers_at(self.skip_extensions(0)),
            _ => false,
        }
    }

    /// Can the token `n` ahead start the specifiers of a declaration?
    pub(super) fn starts_specifiers_at(&self, n: usize) -> bool {
        let n = self.skip_extensions(n);
        self.nth(n).kind.starts_specifiers() || self.is_typedef_name(n)
    }

    /// Can the token `n` ahead start a type name?
    #[inline]
    pub(super) fn starts_type_at(&self, n: usize) -> bool {
        let n = self.skip_extensions(n);
        self.nth(n).kind.starts_type() || self.is_typedef_name(n)
    }

    #[inline]
    fn skip_extensions(&self, n: usize) -> usize {
        let mut n = n;
        while self.nth(n).kind == TokenKind::Extension {
            n += 1;
        }
        n
    }

    /// All specifiers up to the first token that is none. Without any, the type is [`TypeSpec::Missing`].
    pub(super) fn specifiers(&mut self) -> Parsed<DeclSpecs> {
        use TokenKind as K;
        let lo = self.lo();
        let mut specs = DeclSpecs {
            storage: Storage::None,
            is_thread_local: false,
            is_inline: false,
            is_noreturn: false,
            quals: Quals::default(),
            ty: TypeSpec::Missing,
            alignas: Vec::new(),
            attributes: Vec::new(),
            span: Span::NONE,
        };
        let mut words = TypeWords::default();
        loop {
            let token = self.token();
            match token.kind {
                K::Identifier
                    if words.count == 0 && specs.ty == TypeSpec::Missing && self.is_typedef_name(0) =>
                {
                    self.bump();
                    specs.ty = TypeSpec::Typedef(token.symbol);
                    continue;
                }
                K::Typedef => self.set_storage(&mut specs, Storage::Typedef),
                K::Extern => self.set_storage(&mut specs, Storage::Extern),
                K::Static => self.set_storage(&mut specs, Storage::Static),
                K::Auto => self.set_storage(&mut specs, Storage::Auto),
                K::Register => self.set_storage(&mut specs, Storage::Register),
                K::ThreadLocal => specs.is_thread_local = true,
                K::Inline => specs.is_inline = true,
                K::Noreturn => specs.is_noreturn = true,
                K::Extension | K::IgnoredQualifier => {}
                K::Const => specs.quals.is_const = true,
                K::Volatile => specs.quals.is_volatile = true,
                K::Restrict => specs.quals.is_restrict = true,
                K::Atomic if self.nth(1).kind != K::LParen => specs.quals.is_atomic = true,
                K::Void => words.alone(BuiltinType::Void),
                K::Bool => words.alone(BuiltinType::Bool),
                K::DoubleAlone => words.alone(BuiltinType::Double),
                K::LongDoubleAlone => words.alone(BuiltinType::LongDouble),
                K::Float128 => words.alone(BuiltinType::Float128),
                K::Int128Alone => words.alone(BuiltinType::Int128),
                K::UnsignedInt128Alone => words.alone(BuiltinType::UnsignedInt128),
                K::OtherFloat => words.alone(BuiltinType::OtherFloat),
                K::VaList => words.alone(BuiltinType::VaList),
                K::CharWord => words.word(|w| &mut w.char),
                K::Short => words.word(|w| &mut w.short),
                K::Int => words.word(|w| &mut w.int),
                K::Int128 => words.word(|w| &mut w.int128),
                K::Signed => words.word(|w| &mut w.signed),
                K::Unsigned => words.word(|w| &mut w.unsigned),
                K::Float => words.word(|w| &mut w.float),
                K::Double => words.word(|w| &mut w.double),
                K::Complex => words.word(|w| &mut w.complex),
                K::Long => {
                    words.longs += u8::from(words.longs < 3);
                    words.count = words.count.saturating_add(1);
                }
                K::AutoType => self.set_type(&mut specs, &words, TypeSpec::Auto, token.span()),
                K::Struct | K::Union => {
                    let record = self.nested(Self::record)?;
                    self.set_type(&mut specs, &words, TypeSpec::Record(record), token.span());
                    continue;
                }
                K::Enum => {
                    let enumeration = self.nested(Self::enumeration)?;
                    self.set_type(&mut specs, &words, TypeSpec::Enum(enumeration), token.span());
                    continue;
                }
                K::Typeof => {
                    let ty = self.nested(Self::type_of)?;
                    self.set_type(&mut specs, &words, ty, token.span());
                    continue;
                }
                K::Atomic => {
                    self.bump();
                    let open = self.bump();
                    let inner = self.type_name()?;
                    self.expect_closing(K::RParen, open)?;
                    self.set_type(&mut specs, &words, TypeSpec::Atomic(inner), token.span());
                    continue;
                }
                K::Alignas => {
                    let alignment = self.alignas()?;
                    specs.alignas.push(alignment);
                    continue;
                }
                K::Attribute => {
                    self.attributes(&mut specs.attributes)?;
                    continue;
                }
                K::LBracket if self.at_standard_attribute() => {
                    self.attributes(&mut specs.attributes)?;
                    continue;
                }
                _ => break,
            }
            self.bump();
        }
        specs.span = self.span_from(lo);
        if words.count > 0 && specs.ty == TypeSpec::Missing {
            match words.resolve() {
                Some(builtin) => specs.ty = TypeSpec::Builtin(builtin),
                None => {
                    let diagnostic = Diagnostic::error(specs.span, "these words do not make a type");
                    return Err(self.report(diagnostic));
                }
            }
        } else if words.count > 0 {
            return Err(self.error(specs.span, "two types in one declaration"));
        }
        Ok(specs)
    }

    fn set_storage(&mut self, specs: &mut DeclSpecs, storage: Storage) {
        if specs.storage != Storage::None && specs.storage != storage {
            let span = self.token().span();
            let message = format!("{} contradicts the storage class before it", self.kind().describe());
            self.error(span, message);
        }
        specs.storage = storage;
    }

    fn set_type(&mut self, specs: &mut DeclSpecs, words: &TypeWords, ty: TypeSpec, span: Span) {
        if specs.ty != TypeSpec::Missing || words.count > 0 {
            self.error(span, "two types in one declaration");
        }
        specs.ty = ty;
    }

    /// `typeof(expression)` or `typeof(type)`.
    fn type_of(&mut self) -> Parsed<TypeSpec> {
        self.bump();
        let open = self.expect(TokenKind::LParen, "after `typeof`")?;
        let ty = if self.starts_type_at(0) {
            TypeSpec::TypeofType(self.type_name()?)
        } else {
            TypeSpec::TypeofExpr(self.expression()?)
        };
        self.expect_closing(TokenKind::RParen, open)?;
        Ok(ty)
    }

    /// `_Alignas(expression)` or `_Alignas(type)`.
    fn alignas(&mut self) -> Parsed<AlignArg> {
        self.bump();
        let open = self.expect(TokenKind::LParen, "after `_Alignas`")?;
        let argument = if self.starts_type_at(0) {
            AlignArg::Type(self.type_name()?)
        } else {
            AlignArg::Expr(self.conditional()?)
        };
        self.expect_closing(TokenKind::RParen, open)?;
        Ok(argument)
    }
}

impl TypeWords {
    fn alone(&mut self, ty: BuiltinType) {
        self.alone = Some(ty);
        self.count = self.count.saturating_add(1);
    }

    /// Notes a word. One that is repeated (`int int`) makes the whole invalid.
    fn word(&mut self, flag: impl Fn(&mut Self) -> &mut bool) {
        let seen = flag(self);
        if std::mem::replace(seen, true) {
            self.longs = u8::MAX;
        }
        self.count = self.count.saturating_add(1);
    }
}
