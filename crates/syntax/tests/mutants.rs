//! Broken programs: whatever is done to the text, parsing ends without a panic, and what does not parse gives
//! an error that points at something.
//!
//! `SUMMA_MUTANTS` sets how many mutants are tried (default 2,000). The sequence is the same in every run.

use summa_base::Interner;
use summa_syntax::Severity;
use summa_syntax::parse;
use summa_syntax::source::{SourceMap, decode};
use summa_testkit::KNOBS;

const SNIPPETS: &[&str] = &[
    "typedef struct list { struct list *next; int value : 3; } list_t;\n\
     static int sum(const list_t *l) { int s = 0; for (; l; l = l->next) s += l->value; return s; }\n",
    "int main(void) { int a[3] = { 1, [2] = 3 }; switch (a[0]) { case 1 ... 4: break; default: goto out; }\n\
     out: return ({ int x = sizeof(int) * 2; x ?: -1; }); }\n",
    "enum e { A, B = 1 << 3, } v; union u { float f; unsigned char b[4]; } __attribute__((packed)) w;\n\
     void (*handlers[2])(int, char **) = { 0, (void (*)(int, char **))1 };\n",
    "f(a, b) int a; char *b; { do { a--; } while (a > 0 && *b++ != '\\0'); return (a, b[0]); }\n",
    "# 1 \"x.c\"\n#pragma pack(1)\n_Static_assert(sizeof(long) >= 4, \"small\"); \
     /* c */ extern const char *s; // d\n\
     void g(void) { asm volatile (\"\" : \"+r\"(s) : : \"memory\"); L\"wide\" \"x\"; if (1.5e3f) ; \
     else while (0x1fUL) ; }\n",
    "int h(int n, ...) { __builtin_va_list ap; int a[n]; return __builtin_va_arg(ap, int) + _Generic(n, int: \
     1, default: 2)\n\
     + __builtin_offsetof(struct { int q[2]; }, q[1]) + ((struct { int z; }){ .z = 1 }).z; }\n",
];

/// Xorshift: small, fast and the same everywhere.
struct Random(u64);

impl Random {
    fn below(&mut self, limit: usize) -> usize {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        (self.0 % limit.max(1) as u64) as usize
    }
}

/// The ranges of words and of single other characters.
fn pieces(text: &[u8]) -> Vec<(usize, usize)> {
    let is_word = |b: u8| b.is_ascii_alphanumeric() || b == b'_';
    let mut pieces = Vec::new();
    let mut at = 0;
    while at < text.len() {
        let len = text[at..].iter().take_while(|&&b| is_word(b)).count().max(1);
        if !text[at].is_ascii_whitespace() {
            pieces.push((at, at + len));
        }
        at += len;
    }
    pieces
}

const INSERTED: &[&str] = &[
    "(",
    ")",
    "{",
    "}",
    "[",
    "]",
    ";",
    ",",
    ":",
    "?",
    "*",
    "&",
    "=",
    "...",
    ".",
    "->",
    "\"",
    "'",
    "/*",
    "//",
    "\\\n",
    "#",
    "\n# 3 \"",
    "int",
    "struct",
    "typedef",
    "case",
    "else",
    "sizeof",
    "__attribute__((",
    "asm(",
    "({",
    "_Generic(",
    "0x",
    "1e",
    "typeof",
    "\u{e9}",
    "__extension__",
    "while",
    "_Pragma(",
    "[[",
    "goto",
    "&&",
    "@",
    "\0",
];

fn mutate(text: &[u8], random: &mut Random) -> Vec<u8> {
    let mut text = text.to_vec();
    for _ in 0..=random.below(3) {
        let pieces = pieces(&text);
        if pieces.is_empty() {
            return text;
        }
        let (from, to) = pieces[random.below(pieces.len())];
        match random.below(7) {
            0 => drop(text.drain(from..to)),
            1 => {
                let copy = text[from..to].to_vec();
                text.splice(to..to, [b" ".to_vec(), copy].concat());
            }
            2 => {
                let (other_from, other_to) = pieces[random.below(pieces.len())];
                let (first, second) =
                    ((from, to).min((other_from, other_to)), (from, to).max((other_from, other_to)));
                if first != second {
                    let swapped =
                        [&text[second.0..second.1], &text[first.1..second.0], &text[first.0..first.1]]
                            .concat();
                    text.splice(first.0..second.1, swapped);
                }
            }
            3 => {
                let inserted = INSERTED[random.below(INSERTED.len())];
                text.splice(from..from, format!(" {inserted} ").into_bytes());
            }
            4 => text.truncate(random.below(text.len() + 1)),
            5 => {
                let at = random.below(text.len());
                text[at] = random.below(256) as u8;
            }
            _ => {
                let (other_from, other_to) = pieces[random.below(pieces.len())];
                let piece = text[other_from..other_to].to_vec();
                text.splice(from..to, piece);
            }
        }
    }
    text
}

#[test]
fn mutants_end_in_a_tree_or_in_errors_with_places() {
    const LARGEST: u64 = 60_000;
    let count: usize = KNOBS.mutants.or(2_000) as usize;
    let is_small = |path: &std::path::PathBuf| std::fs::metadata(path).is_ok_and(|data| data.len() < LARGEST);
    let tasks: Vec<_> = summa_testkit::task_files().into_iter().filter(is_small).collect();
    let mut random = Random(0x5eed_cafe_f00d_1234);
    let mut failing = 0;
    for round in 0..count {
        let original = match tasks.get(random.below(tasks.len())) {
            Some(task) if round % 2 == 0 => std::fs::read(task).unwrap(),
            _ => SNIPPETS[random.below(SNIPPETS.len())].as_bytes().to_vec(),
        };
        let text = decode(mutate(&original, &mut random));
        let mut source = SourceMap::new();
        let file = source.add("mutant.c", text.clone()).unwrap();
        let (ast, diagnostics) = parse(&mut source, file, &mut Interner::new());
        for diagnostic in &diagnostics {
            let span = diagnostic.span;
            let is_placed =
                span.lo < span.hi && span.hi as usize <= text.len() && source.locate(span).line > 0;
            assert!(is_placed, "round {round}: {diagnostic:?} in\n{text}");
            let snippet = source.snippet(span);
            assert!(snippet.line.get(snippet.marked).is_some(), "round {round}: {diagnostic:?} in\n{text}");
        }
        failing += usize::from(diagnostics.iter().any(|diagnostic| diagnostic.severity == Severity::Error));
        assert!(
            ast.exprs.values().all(|expr| expr.span.lo < expr.span.hi),
            "round {round}: an empty span in\n{text}"
        );
    }
    assert!(
        count < 100 || failing > count / 3,
        "only {failing} of {count} mutants fail: are they mutants at all?"
    );
}
