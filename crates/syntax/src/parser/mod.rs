//! The parser: recursive descent over the tokens of one input, precedence climbing for binary operators.
//!
//! C needs to know which names are typedefs to parse at all, so the parser keeps scopes of names
//! ([`scopes`]). After an error it skips to the end of the statement or declaration and continues, up to
//! [`MAX_ERRORS`] errors.
//!
//! Limits: constructs nest at most [`MAX_NESTING`] deep (parentheses, blocks, declarators, initialisers,
//! prefix operators); deeper input ends with the error "nesting too deep". Chains are built in loops and have
//! no limit: `a + b + …`, `a = b = …`, `a ? b : c ? d : …`, `x.a[1](2)…`, `else if`, and labels before a
//! statement. Code that walks a tree must expect chains of any length.

mod attributes;
mod declarations;
mod declarators;
mod expressions;
mod initializers;
mod records;
mod scopes;
mod specifiers;
mod statements;

use crate::ast::{Ast, Expr, ExprId, ExprKind, Stmt, StmtId, StmtKind};
use crate::diagnostic::ReadingLimit;
use crate::lexer::{Lexed, lex};
use crate::source::{FileIx, SourceMap};
use crate::token::{Token, TokenKind};
use crate::{Diagnostic, Span};
use scopes::{Scopes, ScopesMark};
use summa_base::{IdVec, Interner, Symbol};

const MAX_NESTING: u32 = 2_000;
/// The nesting up to which the parser uses its caller's stack.
const SHALLOW_NESTING: u32 = 100;
const MAX_ERRORS: usize = 20;
/// Enough for `MAX_NESTING` levels of the largest frames, also in unoptimised builds. Pages are used when
/// touched.
const STACK_BYTES: usize = 128 << 20;

/// Parses one input. If any diagnostic is an error, the tree is not the whole program.
///
/// Almost every program is shallow and parses on the caller's stack; one that is not is parsed again on a
/// larger one.
pub fn parse(source: &mut SourceMap, file: FileIx, names: &mut Interner) -> (Ast, Vec<Diagnostic>) {
    let lexed = lex(source, file, names);
    let (text, base) = (source.file_text(file), source.base(file));
    let shallow = Parser::new(text, base, &lexed, names, SHALLOW_NESTING).translation_unit();
    if shallow.too_deep_at.is_none() {
        return (shallow.ast, shallow.diagnostics);
    }
    let parse_deep = || Parser::new(text, base, &lexed, names, MAX_NESTING).translation_unit();
    let deep = std::thread::scope(|scope| {
        let builder = std::thread::Builder::new().name("parser".to_owned()).stack_size(STACK_BYTES);
        let thread = builder.spawn_scoped(scope, parse_deep).ok()?;
        Some(thread.join().unwrap_or_else(|panic| std::panic::resume_unwind(panic)))
    });
    let Some(Outcome { ast, mut diagnostics, too_deep_at }) = deep else {
        let message = "cannot start a thread to parse with: the system has no memory for its stack";
        return (
            Ast::default(),
            vec![Diagnostic::error(Span::NONE, message).because_of(ReadingLimit::Memory)],
        );
    };
    if let Some(at) = too_deep_at {
        let label = format!("this is inside of more than {MAX_NESTING} other constructs");
        diagnostics.push(Diagnostic::error(at, "nesting too deep").label(label));
    }
    (ast, diagnostics)
}

struct Outcome {
    ast: Ast,
    diagnostics: Vec<Diagnostic>,
    /// Where the input nests deeper than the parser was allowed to go: there it stopped.
    too_deep_at: Option<Span>,
}

/// An error was reported. A caller that can recover continues.
#[derive(Debug)]
struct Failed;

type Parsed<T> = Result<T, Failed>;

struct Parser<'a> {
    text: &'a str,
    base: u32,
    /// Ends with `Eof`.
    tokens: &'a [Token],
    /// The current token; never beyond `Eof`.
    at: usize,
    names: &'a mut Interner,
    scopes: Scopes,
    depth: u32,
    max_nesting: u32,
    /// Where `depth` would have passed `max_nesting`.
    too_deep_at: Option<Span>,
    ast: Ast,
    diagnostics: Vec<Diagnostic>,
    /// Set by errors after which nothing that follows makes sense: no more errors are reported.
    gave_up: bool,
}

impl<'a> Parser<'a> {
    fn new(text: &'a str, base: u32, lexed: &'a Lexed, names: &'a mut Interner, max_nesting: u32) -> Self {
        let tokens = lexed.tokens.as_slice();
        // Reserving generously costs nothing: memory that is not touched is not used.
        let ast = Ast {
            exprs: IdVec::with_capacity(tokens.len() / 2),
            stmts: IdVec::with_capacity(tokens.len() / 8),
            packs: lexed.packs.clone(),
            renames: lexed.renames.clone(),
            ..Ast::default()
        };
        let scopes = Scopes::new(names.len());
        let diagnostics = lexed.diagnostics.clone();
        Self {
            text,
            base,
            tokens,
            at: 0,
            names,
            scopes,
            depth: 0,
            max_nesting,
            too_deep_at: None,
            ast,
            diagnostics,
            gave_up: false,
        }
    }

    fn translation_unit(mut self) -> Outcome {
        while self.kind() != TokenKind::Eof {
            let mark = self.scopes.mark();
            if self.external_declaration().is_err() {
                self.recover(mark, Level::File);
            }
        }
        Outcome { ast: self.ast, diagnostics: self.diagnostics, too_deep_at: self.too_deep_at }
    }

    // The cursor.

    #[inline]
    fn token(&self) -> Token {
        self.tokens[self.at]
    }

    #[inline]
    fn kind(&self) -> TokenKind {
        self.tokens[self.at].kind
    }

    /// The token `n` after the current one.
    #[inline]
    fn nth(&self, n: usize) -> Token {
        self.tokens[(self.at + n).min(self.tokens.len() - 1)]
    }

    #[inline]
    fn at(&self, kind: TokenKind) -> bool {
        self.kind() == kind
    }

    /// Takes the current token.
    #[inline]
    fn bump(&mut self) -> Token {
        let token = self.token();
        if token.kind != TokenKind::Eof {
            self.at += 1;
        }
        token
    }

    #[inline]
    fn eat(&mut self, kind: TokenKind) -> bool {
        let found = self.at(kind);
        if found {
            self.bump();
        }
        found
    }

    /// Takes a token of this kind, or reports that it is missing; `context` says where, as in "after the
    /// condition".
    #[inline]
    fn expect(&mut self, kind: TokenKind, context: &str) -> Parsed<Token> {
        if self.at(kind) { Ok(self.bump()) } else { Err(self.missing(kind.describe(), context)) }
    }

    /// Takes the bracket that closes the one at `open`.
    #[inline]
    fn expect_closing(&mut self, kind: TokenKind, open: Token) -> Parsed<Token> {
        if self.at(kind) {
            return Ok(self.bump());
        }
        let failed = self.missing(kind.describe(), "");
        if let Some(last) = self.diagnostics.last_mut().filter(|_| !self.gave_up) {
            last.related.push((open.span(), format!("to close this {}", open.kind.describe())));
        }
        Err(failed)
    }

    fn expect_identifier(&mut self, context: &str) -> Parsed<(Symbol, Span)> {
        let token = self.expect(TokenKind::Identifier, context)?;
        Ok((token.symbol, token.span()))
    }

    /// Where the current token starts.
    #[inline]
    fn lo(&self) -> u32 {
        self.token().lo
    }

    /// From `lo` to the end of the token taken last.
    #[inline]
    fn span_from(&self, lo: u32) -> Span {
        let hi = self.at.checked_sub(1).map_or(lo, |last| self.tokens[last].hi);
        Span::new(lo, hi.max(lo))
    }

    fn text_of(&self, token: Token) -> &'a str {
        self.text.get((token.lo - self.base) as usize..(token.hi - self.base) as usize).unwrap_or("")
    }

    // Building.

    #[inline]
    fn push_expr(&mut self, kind: ExprKind, lo: u32) -> ExprId {
        let span = self.span_from(lo);
        self.ast.exprs.push(Expr { kind, span })
    }

    #[inline]
    fn push_stmt(&mut self, kind: StmtKind, lo: u32) -> StmtId {
        let span = self.span_from(lo);
        self.ast.stmts.push(Stmt { kind, span })
    }

    /// Parses something that can contain itself.
    #[inline]
    fn nested<T>(&mut self, parse: impl FnOnce(&mut Self) -> Parsed<T>) -> Parsed<T> {
        if self.depth >= self.max_nesting {
            return Err(self.too_deep());
        }
        self.depth += 1;
        let result = parse(self);
        self.depth -= 1;
        result
    }

    /// Is the token `n` ahead a typedef name?
    #[inline]
    fn is_typedef_name(&self, n: usize) -> bool {
        let token = self.nth(n);
        token.kind == TokenKind::Identifier && self.scopes.is_typedef(token.symbol)
    }

    // Errors and recovery.

    /// The span to blame at the current position: the token there, at the end of the file the last one.
    fn blame(&self) -> Span {
        let token = self.token();
        match self.at.checked_sub(1) {
            Some(last) if token.kind == TokenKind::Eof => self.tokens[last].span(),
            _ => token.span(),
        }
    }

    fn report(&mut self, diagnostic: Diagnostic) -> Failed {
        if !self.gave_up {
            self.diagnostics.push(diagnostic);
            if self.diagnostics.len() >= MAX_ERRORS {
                self.give_up();
            }
        }
        Failed
    }

    fn give_up(&mut self) {
        self.gave_up = true;
        self.at = self.tokens.len() - 1;
    }

    fn error(&mut self, span: Span, message: impl Into<String>) -> Failed {
        self.report(Diagnostic::error(span, message))
    }

    #[cold]
    fn too_deep(&mut self) -> Failed {
        self.too_deep_at.get_or_insert(self.blame());
        self.give_up();
        Failed
    }

    /// Reports that `what` is expected at the current token.
    #[cold]
    fn missing(&mut self, what: &str, context: &str) -> Failed {
        let space = if context.is_empty() { "" } else { " " };
        let found = match self.kind() {
            TokenKind::Eof => TokenKind::Eof.describe().to_owned(),
            _ => format!("`{}`", shorten(self.text_of(self.token()))),
        };
        let message = format!("expected {what}{space}{context}, found {found}");
        let diagnostic = match self.last_token_of_another_line() {
            Some(last) => Diagnostic::error(last, message).label(format!("expected {what} after this")),
            None if self.at(TokenKind::Eof) => {
                Diagnostic::error(self.blame(), message).label("the file ends here")
            }
            None => Diagnostic::error(self.blame(), message).label(format!("expected {what}")),
        };
        self.report(diagnostic)
    }

    /// The token before the current one, if a line ends between them: there something was forgotten.
    fn last_token_of_another_line(&self) -> Option<Span> {
        let last = self.tokens[self.at.checked_sub(1)?];
        let between = self.text.get((last.hi - self.base) as usize..(self.lo() - self.base) as usize)?;
        between.contains('\n').then(|| last.span())
    }

    /// After an error: leaves the scopes that were entered since `mark` and skips to where parsing can
    /// continue. Takes at least one token, except a `}` that ends the block around.
    fn recover(&mut self, mark: ScopesMark, level: Level) {
        self.scopes.leave_to(mark);
        let mut open_braces = 0u32;
        loop {
            match self.kind() {
                TokenKind::Eof => return,
                TokenKind::LBrace => open_braces += 1,
                TokenKind::RBrace if open_braces == 0 && level == Level::Block => break,
                TokenKind::RBrace => {
                    open_braces = open_braces.saturating_sub(1);
                    if open_braces == 0 {
                        self.bump();
                        break;
                    }
                }
                TokenKind::Semicolon if open_braces == 0 => {
                    self.bump();
                    break;
                }
                _ => {}
            }
            self.bump();
        }
    }
}

/// Where an error happened: a stray `}` ends a block, but not the file.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Level {
    File,
    Block,
}

/// Pushes to a list that mostly has one item, which `Vec` would give room for four.
#[inline]
fn push_to_short<T>(list: &mut Vec<T>, item: T) {
    if list.capacity() == 0 {
        list.reserve_exact(1);
    }
    list.push(item);
}

/// The start of a long token, for messages.
fn shorten(text: &str) -> String {
    const SHOWN: usize = 30;
    match text.char_indices().nth(SHOWN) {
        Some((end, _)) => format!("{}…", &text[..end]),
        None => text.to_owned(),
    }
}

#[cfg(test)]
mod tests;
