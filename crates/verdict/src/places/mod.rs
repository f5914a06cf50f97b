//! Where the statements and calls of the source are. Witnesses point to them, and the automata no longer have
//! them.
//!
//! The inputs are parsed once more, without types. Positions are those of the text from which the automata
//! were made. Users see lines and columns of the files on disk, which the preprocessor may have moved.

mod walk;

use std::path::Path;
use summa_base::{FxHashMap, Interner, files};
use summa_c::Span;
use summa_syntax::parse;
use summa_syntax::source::{SourceMap, decode};
use walk::Walk;

/// A statement, or a declaration inside of a block.
#[derive(Clone, Debug)]
pub struct Statement {
    pub span: Span,
    pub function: String,
    pub kind: Kind,
    /// The next one in the same block.
    pub next: Option<usize>,
    /// The statement stands directly in a block, so that text can be inserted before it.
    pub is_in_block: bool,
}

/// The kind of a statement.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    Plain,
    Declaration,
    /// Not a place of its own: control comes from elsewhere.
    Label,
    Branch(Branch),
    /// A loop: the part between the keyword and the body that is evaluated in every round is its condition.
    Loop(Branch, LoopKind),
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum LoopKind {
    While,
    /// With the place after the first `;`, where the condition is or would be.
    For {
        condition: Option<Span>,
        /// The end of the text before the condition.
        after: u32,
    },
    Do,
}

/// A place where control goes one way or another, by the keyword or the question mark that witnesses name.
#[derive(Clone, Debug)]
pub struct Fork {
    pub at: Span,
    pub kind: ForkKind,
}

#[derive(Clone, Debug)]
pub enum ForkKind {
    /// The condition is an expression with this place.
    Condition(Span),
    /// A `for` without a condition: this body is executed in any case.
    Always(Span),
    /// The expression, and the constants of its cases, of ranges both.
    Switch(Span, Vec<(Span, Option<Span>)>),
    /// `a ?: b`, whose condition is a value too.
    WithoutMiddle,
}

/// A condition and what is executed if it is true.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Branch {
    pub condition: Span,
    pub then: Span,
}

/// A call in the source.
#[derive(Clone, Debug)]
pub struct Call {
    pub span: Span,
    /// The closing parenthesis.
    pub close: Span,
    /// The innermost statement around it.
    pub statement: usize,
    /// Where the result goes, if that is all that happens to it: the text of a place that can be read again.
    pub assigned: Option<Span>,
}

/// A function with a body.
#[derive(Clone, Debug)]
pub struct Function {
    pub name: String,
    /// The names of its parameters.
    pub params: Vec<String>,
    /// With its braces.
    pub body: Span,
    /// The `return` statements, and their values.
    pub returns: Vec<(Span, Option<Span>)>,
    /// The function contains other functions, whose returns are not its own.
    pub has_nested: bool,
}

/// A place in a file as users and witnesses name it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Location {
    pub file: String,
    /// From 1.
    pub line: u32,
    /// In characters from 1; None where the preprocessor changed the line.
    pub column: Option<u32>,
    pub function: Option<String>,
}

/// All statements and calls of the inputs, ascending by their start; enclosing ones come first.
pub struct Places<'s> {
    sources: &'s SourceMap,
    /// For each input: does the text equal the file on disk?
    is_verbatim: Vec<bool>,
    pub statements: Vec<Statement>,
    pub calls: Vec<Call>,
    pub functions: Vec<Function>,
    pub forks: Vec<Fork>,
    /// Expressions that are not part of others: conditions, initialisers, the value of a `return`.
    pub full_expressions: Vec<Span>,
    /// Which statements, forks and calls begin, and which calls end, on a line, ascending.
    forks_on: FxHashMap<u32, Vec<usize>>,
    statements_on: FxHashMap<u32, Vec<usize>>,
    calls_from: FxHashMap<u32, Vec<usize>>,
    calls_to: FxHashMap<u32, Vec<usize>>,
}

impl<'s> Places<'s> {
    pub fn new(sources: &'s SourceMap) -> Self {
        let mut places = Self {
            sources,
            is_verbatim: Vec::new(),
            statements: Vec::new(),
            calls: Vec::new(),
            functions: Vec::new(),
            forks: Vec::new(),
            full_expressions: Vec::new(),
            forks_on: FxHashMap::default(),
            statements_on: FxHashMap::default(),
            calls_from: FxHashMap::default(),
            calls_to: FxHashMap::default(),
        };
        // The same inputs in the same order have the same positions.
        let mut again = SourceMap::new();
        let mut names = Interner::new();
        for file in sources.files() {
            let (name, text) = (sources.name(file), sources.file_text(file));
            let on_disk = files::read(Path::new(name), files::LARGE).map(decode);
            places.is_verbatim.push(on_disk.is_ok_and(|on_disk| on_disk == text));
            let Ok(added) = again.add(name, text.to_owned()) else { continue };
            let (ast, _) = parse(&mut again, added, &mut names);
            Walk { ast: &ast, names: &names, places: &mut places }.unit();
        }
        places.index();
        places
    }

    fn index(&mut self) {
        self.forks.sort_by_key(|fork| fork.at.lo);
        for at in 0..self.forks.len() {
            let line = self.locate(self.forks[at].at).line;
            self.forks_on.entry(line).or_default().push(at);
        }
        for at in 0..self.statements.len() {
            let line = self.locate(self.statements[at].span).line;
            self.statements_on.entry(line).or_default().push(at);
        }
        for at in 0..self.calls.len() {
            let (from, to) = (self.locate(self.calls[at].span).line, self.locate(self.calls[at].close).line);
            self.calls_from.entry(from).or_default().push(at);
            self.calls_to.entry(to).or_default().push(at);
        }
    }

    /// Where the text at `span` begins, for users.
    pub fn locate(&self, span: Span) -> Location {
        let span = Span::new(span.lo, span.lo);
        let index = self.sources.file_of(span).map(summa_base::Id::index);
        let is_verbatim = index.and_then(|index| self.is_verbatim.get(index).copied()).unwrap_or(false);
        let found =
            if is_verbatim { self.sources.locate_in_input(span) } else { self.sources.locate_word(span) };
        let function = self.statement_at(span.lo).map(|at| self.statements[at].function.clone());
        Location { file: found.file.to_owned(), line: found.line, column: found.column, function }
    }

    /// The innermost statement around a position.
    pub fn statement_at(&self, offset: u32) -> Option<usize> {
        let after = self.statements.partition_point(|statement| statement.span.lo <= offset);
        (0..after).rev().find(|&at| offset < self.statements[at].span.hi)
    }

    /// The statement that begins at a location. Without a column: the first one of its line.
    pub fn statement_from(&self, location: &Location) -> Option<usize> {
        let on_line = self.statements_on.get(&location.line)?;
        on_line.iter().copied().find(|&at| self.is_at(self.statements[at].span, location))
    }

    /// The loop that begins at a location.
    pub fn loop_from(&self, location: &Location) -> Option<usize> {
        let is_loop = |at: &usize| matches!(self.statements[*at].kind, Kind::Loop(..));
        let on_line = self.statements_on.get(&location.line)?;
        on_line.iter().copied().filter(is_loop).find(|&at| self.is_at(self.statements[at].span, location))
    }

    /// The calls that begin on a line.
    pub fn calls_on(&self, line: u32) -> &[usize] {
        self.calls_from.get(&line).map_or(&[], Vec::as_slice)
    }

    /// The call that a location means: by its closing parenthesis, or its start; without a column the one
    /// that is closed first.
    pub fn call_from(&self, location: &Location) -> Option<usize> {
        let to = self.calls_to.get(&location.line).map_or(&[][..], Vec::as_slice);
        let closed = to.iter().copied().filter(|&at| self.is_at(self.calls[at].close, location));
        let by_close = closed.min_by_key(|&at| self.calls[at].close.lo);
        let from = || self.calls_on(location.line).iter().copied();
        by_close.or_else(|| from().find(|&at| self.is_at(self.calls[at].span, location)))
    }

    /// The branch at a location. Without a column: the first on its line.
    pub fn fork_from(&self, location: &Location) -> Option<usize> {
        let on_line = self.forks_on.get(&location.line)?;
        on_line.iter().copied().find(|&at| self.is_at(self.forks[at].at, location))
    }

    /// The statement that follows all the labels before it.
    pub fn behind_labels(&self, mut statement: usize) -> usize {
        while self.statements[statement].kind == Kind::Label
            && self.statements.get(statement + 1).is_some_and(|next| {
                next.span.lo >= self.statements[statement].span.lo
                    && next.span.hi <= self.statements[statement].span.hi
            })
        {
            statement += 1;
        }
        statement
    }

    /// Is this the statement that its location means? All statements from a macro are at the use of the
    /// macro.
    pub fn names_statement(&self, statement: usize) -> bool {
        let (span, location) =
            (self.statements[statement].span, self.locate(self.statements[statement].span));
        let on_line = self.statements_on.get(&location.line).map_or(&[][..], Vec::as_slice);
        let here =
            on_line.iter().map(|&at| self.statements[at].span).filter(|&other| self.is_at(other, &location));
        location.column.is_some() && { here }.all(|other| span.lo <= other.lo && other.hi <= span.hi)
    }

    /// Is this the statement that its line alone means?
    pub fn is_first_on_its_line(&self, statement: usize) -> bool {
        let location = Location { column: None, ..self.locate(self.statements[statement].span) };
        self.statement_from(&location) == Some(statement)
    }

    /// Is this the only call that is closed at its location?
    pub fn names_call(&self, call: usize) -> bool {
        let location = self.locate(self.calls[call].close);
        let to = self.calls_to.get(&location.line).map_or(&[][..], Vec::as_slice);
        let is_other = |&&at: &&usize| at != call && self.is_at(self.calls[at].close, &location);
        location.column.is_some() && !to.iter().any(|at| is_other(&at))
    }

    /// May what happens at this position be what a location points to? It is a statement that begins there,
    /// if the position is in no statement inside of it, or an expression or a call around the position.
    pub fn happens_at(&self, offset: u32, location: &Location) -> bool {
        let Some(innermost) = self.statement_at(offset) else {
            return self.is_at(Span::new(offset, offset), location);
        };
        let around = |span: &Span| span.lo <= offset && offset < span.hi;
        let mut all = vec![self.statements[innermost].span];
        // A label belongs to the statement after it.
        let labels = (0..innermost).rev().take_while(|&at| self.statements[at].kind == Kind::Label);
        all.extend(labels.map(|at| self.statements[at].span).filter(around));
        let inside = self.statements[innermost].span;
        let is_inside = |span: &Span| inside.lo <= span.lo && span.hi <= inside.hi;
        all.extend(self.full_expressions.iter().copied().filter(around).filter(is_inside));
        for call in self.calls.iter().filter(|call| around(&call.span) && is_inside(&call.span)) {
            all.extend([call.span, call.close]);
        }
        all.into_iter().any(|span| self.is_at(span, location))
    }

    /// Does something begin at the location? Names of files count by their last part: witnesses travel.
    pub fn is_at(&self, span: Span, location: &Location) -> bool {
        let here = self.locate(span);
        let last = |path: &str| path.rsplit(['/', '\\']).next().unwrap_or("").to_owned();
        here.line == location.line
            && (location.column.is_none() || here.column.is_none() || here.column == location.column)
            && last(&here.file) == last(&location.file)
    }

    /// The call that an edge of the automata comes from: that with its span, else the only one inside of it.
    pub fn call_of(&self, span: Span) -> Option<usize> {
        let first = self.calls.partition_point(|call| call.span.lo < span.lo);
        let inside = (first..self.calls.len()).take_while(|&at| self.calls[at].span.lo < span.hi);
        let mut inside: Vec<usize> = inside.filter(|&at| self.calls[at].span.hi <= span.hi).collect();
        let exact = inside.iter().copied().find(|&at| self.calls[at].span == span);
        exact.or_else(|| inside.pop().filter(|_| inside.is_empty()))
    }

    pub fn text(&self, span: Span) -> &str {
        self.sources.text(span)
    }
}
