//! Each construct once, as S-expressions; then errors and limits.

use super::parse;
use crate::dump::dump;
use crate::source::SourceMap;
use crate::{Diagnostic, Severity};
use expect_test::{Expect, expect};
use summa_base::Interner;

fn parsed(text: &str) -> (String, Vec<Diagnostic>, SourceMap) {
    let mut source = SourceMap::new();
    let mut names = Interner::new();
    let file = source.add("t.c", text.to_owned()).unwrap();
    let (ast, diagnostics) = parse(&mut source, file, &mut names);
    (dump(&ast, &names), diagnostics, source)
}

fn check(text: &str, expected: Expect) {
    let (tree, diagnostics, _) = parsed(text);
    assert!(diagnostics.is_empty(), "{diagnostics:#?}");
    expected.assert_eq(&tree);
}

/// The one function body of `void f(void) { … }`.
fn check_body(body: &str, expected: Expect) {
    let (tree, diagnostics, _) = parsed(&format!("void f(void) {{ {body} }}"));
    assert!(diagnostics.is_empty(), "{diagnostics:#?}");
    let start = tree.find("(block").unwrap();
    expected.assert_eq(tree[start..].trim_end().strip_suffix(')').unwrap());
}

fn check_errors(text: &str, expected: Expect) {
    let (_, diagnostics, source) = parsed(text);
    let mut shown = String::new();
    for diagnostic in diagnostics {
        assert_eq!(diagnostic.severity, Severity::Error);
        shown +=
            &format!("{:?} `{}`: {}\n", diagnostic.span, source.text(diagnostic.span), diagnostic.message);
    }
    expected.assert_eq(&shown);
}

#[test]
fn words_of_types_in_any_order() {
    check(
        "long unsigned int long a; short b; signed char c; char d; long double e; unsigned f; \
         __int128 unsigned g;
         _Bool h; double _Complex i; __builtin_va_list j; _Float64x k; __uint128_t l; \
         __float128 m; _Float16 n;",
        expect![[r#"
            (declare UnsignedLongLong a)
            (declare Short b)
            (declare SignedChar c)
            (declare Char d)
            (declare LongDouble e)
            (declare UnsignedInt f)
            (declare UnsignedInt128 g)
            (declare Bool h)
            (declare Complex i)
            (declare VaList j)
            (declare LongDouble k)
            (declare UnsignedInt128 l)
            (declare Float128 m)
            (declare OtherFloat n)
        "#]],
    );
}

#[test]
fn storage_qualifiers_and_functions_specifiers() {
    check(
        "static inline const volatile int *restrict const p; extern _Thread_local int t; \
         _Noreturn void f(void);
         register int r; _Atomic int a1; _Atomic(int *) a2; _Alignas(16) _Alignas(double) char c; const s; \
         __thread int u;",
        expect![[r#"
            (declare static inline const volatile Int (p const restrict ptr))
            (declare extern thread_local Int t)
            (declare noreturn Void (f (fn)))
            (declare register Int r)
            (declare atomic Int a1)
            (declare (_Atomic (Int ptr)) a2)
            (declare (alignas 16) (alignas Double) Char c)
            (declare const <none> s)
            (declare thread_local Int u)
        "#]],
    );
}

#[test]
fn declarators_inside_out() {
    check(
        "int *a[3]; int (*b)[3]; int (*f(int a))(double); int (*g[2])(void), h(), *i(int, ...);
         void q(int n, int a[static const n], int b[*], int c[]); char *(*(*x)(int (*)(void)))[2][3];",
        expect![[r#"
            (declare Int (a ptr [3]))
            (declare Int (b [3] ptr))
            (declare Int (f (fn Double _) ptr (fn Int a)))
            (declare Int (g (fn) ptr [2]) (h (old-fn)) (i ptr (fn Int _ ...)))
            (declare Void (q (fn Int n Int (a const [n]) Int (b [*]) Int (c []))))
            (declare Char (x ptr [3] [2] ptr (fn Int (_ (fn) ptr)) ptr))
        "#]],
    );
}

#[test]
fn typedef_names_and_their_shadows() {
    check(
        "typedef int T; typedef T *P, U[2];
         T f(T T) { return T * 2; }
         void g(T (x), int (T)); void h(int (T), T) ;
         void k(void) { T a; { T T; T = 1; T * a; } T * b; for (int T = 0; T < 3; T++) T * b; T c; \
         enum { T }; T * c; }
         struct S { T T; unsigned T : 3; T : 4; }; T T2; T (y), (*z);
         void l(void) { T: goto T; T x; (T)x; (T)(x); sizeof(T); sizeof (T) - 1; }",
        expect![[r#"
            (declare typedef Int T)
            (declare typedef T (P ptr) (U [2]))
            (function T (f (fn T T)) (block (return (* T 2))))
            (declare Void (g (fn T x Int (_ (fn T _)))))
            (declare Void (h (fn Int (_ (fn T _)) T _)))
            (function Void (k (fn)) (block (declare T a) (block (declare T T) (= T 1) (* T a)) (declare T (b ptr)) (for (declare Int T = 0) (< T 3) (_++ T) (* T b)) (declare T c) (declare (enum <unnamed> T)) (* T c)))
            (declare (struct S {(T T)(UnsignedInt T :3)(T _ :4)}))
            (declare T T2)
            (declare T y (z ptr))
            (function Void (l (fn)) (block (label T: (goto T)) (declare T x) (cast T x) (cast T x) (sizeof-type T) (- (sizeof-type T) 1)))
        "#]],
    );
}

#[test]
fn records_and_enums() {
    check(
        "struct A; struct A { int x, *y; unsigned : 0, z : 3; struct { int in; }; union { int u; \
         float v; } w;; };
         union U {} u; enum E { A1, B1 = 3, C1, } e; enum E *pe; struct { _Static_assert(1, \"m\"); \
         int last };
         struct __attribute__((packed)) P { char c; } __attribute__((aligned(4))) p; struct F { int n; \
         char flex[]; };",
        expect![[r#"
            (declare (struct A))
            (declare (struct A {(Int x (y ptr))(UnsignedInt _ :0 z :3)((struct <unnamed> {(Int in)}))((union <unnamed> {(Int u)(Float v)}) w)}))
            (declare (union U {}) u)
            (declare (enum E A1 B1=3 C1) e)
            (declare (enum E) (pe ptr))
            (declare (struct <unnamed> {(static_assert 1 "m")(Int last)}))
            (declare (struct @packed (@aligned 4) P {(Char c)}) p)
            (declare (struct F {(Int n)(Char (flex []))}))
        "#]],
    );
}

#[test]
fn attributes_in_all_positions() {
    check(
        "__attribute__((noreturn)) void a(void) __attribute__((__nothrow__, const));
         int __attribute__((unused)) b __attribute__((aligned(8))) = 1, __attribute__((x)) c;
         int * __attribute__((y)) const d; void (__attribute__((cdecl)) *e)(int g __attribute__((unused)));
         typedef int DI __attribute__((mode(DI))); typedef int d2 __attribute__((mode(DI), q(int *, 3)));
         enum __attribute__((packed)) E { X __attribute__((deprecated)) = 1 };
         extern int h(const char *, ...) __asm__(\"\" \"real_h\") __attribute__((format(printf, 1, 2)));
         [[gnu::packed]] int i [[maybe_unused]]; struct S { int j __attribute__((packed)); };
         void k(void) { switch (1) { case 1: __attribute__((fallthrough)); \
         L: __attribute__((unused)); default: ; }
           __attribute__((unused)) int x; [[fallthrough]]; goto L; }",
        expect![[r#"
            (declare @noreturn Void (a (fn) @nothrow @const ))
            (declare @unused Int (b (@aligned 8) ) = 1 (c @x ))
            (declare Int (d const ptr @y ))
            (declare Void (e (fn Int (g @unused )) ptr @cdecl ))
            (declare typedef Int (DI (@mode DI) ))
            (declare typedef Int (d2 (@mode DI) (@q 3) ))
            (declare (enum @packed E X=1))
            (declare extern Int (h (fn const Char (_ ptr) ...) (@format printf 1 2)  asm "real_h"))
            (declare @packed Int (i @maybe_unused ))
            (declare (struct S {(Int (j @packed ))}))
            (function Void (k (fn)) (block (switch 1 (block (case 1: (empty)) (label L: (empty)) (default: (empty)))) (declare @unused Int x) (empty) (goto L)))
        "#]],
    );
}

#[test]
fn old_style_functions_and_implicit_int() {
    check(
        "main() { return 0; } f(a, b) int a; char *b; { return a; } static x; g(void); *h(); ;;
         int k(c, d) register c; { auto y = 1; const z; }",
        expect![[r#"
            (function <none> (main (old-fn)) (block (return 0)))
            (function <none> (f (old-fn a b)) (declare Int a) (declare Char (b ptr)) (block (return a)))
            (declare static <none> x)
            (declare <none> (g (fn)))
            (declare <none> (h ptr (old-fn)))
            (function Int (k (old-fn c d)) (declare register <none> c) (block (declare auto <none> y = 1) (declare const <none> z)))
        "#]],
    );
}

#[test]
fn initialisers() {
    check(
        "int a[] = { 1, [3] = 4, [5 ... 7] = 8, [9] 10, }; \
         struct S s = { .x = 1, y: 2, .z.w[3] = { 4 }, {}, };
         char t[] = \"ab\" \"c\\0\"; int e[] = {};",
        expect![[r#"
            (declare Int (a []) = {1, [3] = 4, [5 ... 7] = 8, [9] = 10})
            (declare (struct S) s = {.x = 1, .y = 2, .z.w[3] = {4}, {}})
            (declare Char (t []) = "abc\u{0}")
            (declare Int (e []) = {})
        "#]],
    );
}

#[test]
fn precedence_and_associativity() {
    check_body(
        "a = b += c ? d , e : f ?: g; a || b && c | d ^ e & f == g < h << i + j * k; \
         a - b - c; -a * !b; *p++; &*p; -x.y[1]++;
         a ? b : c ? d : e; a, b, c; (a, b); ~a % +b / --c >> 2 != d >= e > f <= g;",
        expect![
            "(block (= a (+= b (? c (, d e) (?: f g)))) (|| a (&& b (| c (^ d (& e (== f (< g (<< h (+ i \
            (* j k)))))))))) (- (- a b) c) (* (- a) (! b)) (* (_++ p)) (& (* p)) (- (_++ (index (. x y) 1))) \
            (? a b (? c d e)) (, (, a b) c) (, a b) (!= (>> (/ (% (~ a) (+ b)) (--_ c)) 2) (<= (> (>= d e) \
            f) g)))"
        ],
    );
}

#[test]
fn operands() {
    check_body(
        "f(1, g(), (h)(x)); s.a->b[2](3); (int)x; (char *)(long)-x; (struct S){ 1 }.a; &(int[]){ 1, 2 }[0];
         sizeof x; sizeof(int); sizeof (x)[1]; sizeof (int){ 1 }; sizeof(int) * 2; _Alignof(long); \
         __alignof__ x;
         ({ int y = 1; y; }); &&lab; __extension__ 1; __real__ z; L'a' + 'b'; \
         0x1fUL + 1.5e3f + 017 + 0b11 + 1e400L;
         _Generic(x, int: 1, default: 2, char *: 3); __builtin_va_arg(ap, int *); \
         __builtin_offsetof(struct S, a.b[1].c);
         __builtin_types_compatible_p(int, unsigned); __builtin_choose_expr(1, a, b); __func__; \
         (__typeof__(x) *)0;",
        expect![
            "(block (call f 1 (call g) (call h x)) (call (index (-> (. s a) b) 2) 3) (cast Int x) (cast \
            (Char ptr) (cast Long (- x))) (. (literal (struct S) {1}) a) (& (index (literal (Int []) {1, 2}) \
            0)) (sizeof x) (sizeof-type Int) (sizeof (index x 1)) (sizeof (literal Int {1})) (* (sizeof-type \
            Int) 2) (alignof-type Long) (alignof x) (value-of (block (declare Int y = 1) y)) (&& lab) 1 \
            (real z) (+ '97' '98') (+ (+ (+ (+ 31ul 1.5e3f) 15) 3) 1e400l) (generic x Int:1 default:2 (Char \
            ptr):3) (va_arg ap (Int ptr)) (offsetof (struct S) .a.b[1].c) (types-compatible Int UnsignedInt) \
            (choose 1 a b) __func__ (cast ((typeof x) ptr) 0))"
        ],
    );
}

#[test]
fn statements() {
    check_body(
        "; {} if (a) b; else if (c) d; else e; while (1) ; do x++; while (x); for (;;) break;
         for (int i = 0, j; i < 3; i++) continue; for (i = 0; ; ) ;
         switch (x) { case 1: case 2 ... 4: y; break; default: z; last: }
         __label__ l1, l2; l1: int d = 1; goto l1; goto *p; return; return 1, 2; \
         _Static_assert(sizeof(int) == 4);
         int nested(int q) { return q; } __auto_type v = 1; typeof(v) w; _Pragma(\"x\") int n = 1; \
         __extension__ int m;",
        expect![
            "(block (empty) (block) (if a b (if c d e)) (while 1 (empty)) (do (_++ x) x) (for _ _ _ \
            (break)) (for (declare Int i = 0 j) (< i 3) (_++ i) (continue)) (for (= i 0) _ _ (empty)) \
            (switch x (block (case 1: (case 2 4: y)) (break) (default: z) (label last: (empty)))) \
            (local-labels l1 l2) (label l1: (declare Int d = 1)) (goto l1) (goto * p) (return) (return (, 1 \
            2)) (static_assert (== (sizeof-type Int) 4)) (function Int (nested (fn Int q)) (block (return \
            q))) (declare __auto_type v = 1) (declare (typeof v) w) (declare Int n = 1) (declare Int m))"
        ],
    );
}

#[test]
fn assembly() {
    check(
        "__asm__(\".globl x\"); void f(void) { asm volatile (\"\" ::: \"memory\"); asm(\"nop\");
         __asm__ __volatile__ (\"add %1,%0\" : \"=r\" (a), [n] \"+m\" (*b) : \"r\" (c), \"i\" (1) \
         : \"cc\", \"memory\");
         asm goto (\"jmp %l0\" : : \"r\"(x) : : out, other); out: ; } register int sp asm(\"esp\");",
        expect![[r#"
            (asm)
            (function Void (f (fn)) (block (asm volatile empty (out) (in)) (asm (out) (in)) (asm volatile (out a (* b)) (in (* b) c 1)) (asm (out) (in x) out other) (label out: (empty))))
            (declare register Int (sp asm "esp"))
        "#]],
    );
}

#[test]
fn statements_begin_at_their_first_character() {
    let text = "void f(void) { while (1) { x = 1; } L: if (y) ; else if (z) ; for (;;) ; \
        __attribute__((a)); int d; }";
    let mut source = SourceMap::new();
    let mut names = Interner::new();
    let file = source.add("t.c", text.to_owned()).unwrap();
    let (ast, _) = parse(&mut source, file, &mut names);
    let shown: Vec<&str> = ast.stmts.values().map(|stmt| source.text(stmt.span)).collect();
    expect![[r#"
        x = 1;
        { x = 1; }
        while (1) { x = 1; }
        ;
        ;
        if (z) ;
        if (y) ; else if (z) ;
        L: if (y) ; else if (z) ;
        ;
        for (;;) ;
        __attribute__((a));
        int d;
        { while (1) { x = 1; } L: if (y) ; else if (z) ; for (;;) ; __attribute__((a)); int d; }"#]]
    .assert_eq(&shown.join("\n"));
}

#[test]
fn errors_say_what_and_where() {
    check_errors(
        "int f(void) { int x = 1\n return x; }",
        expect![[r#"
        22..23 `1`: expected `;` after the declaration, found `return`
    "#]],
    );
    check_errors(
        "int f(void) { x = (1 + 2; y = 3 }",
        expect![[r#"
        24..25 `;`: expected `)`, found `;`
        32..33 `}`: expected `;` after the expression, found `}`
    "#]],
    );
    check_errors(
        "foo_t x; int f(bar *y); struct { baz b; };",
        expect![[r#"
        0..5 `foo_t`: unknown type name `foo_t`
        15..18 `bar`: unknown type name `bar`
        33..36 `baz`: unknown type name `baz`
    "#]],
    );
    check_errors(
        "void f(void) { foo_t x; int y; z = ; }",
        expect![[r#"
        15..20 `foo_t`: unknown type name `foo_t`
        35..36 `;`: expected an expression, found `;`
    "#]],
    );
    check_errors(
        "int f(void) { if (x { y; } ",
        expect![[r#"
        20..21 `{`: expected `)`, found `{`
        25..26 `}`: expected `}`, found the end of the file
    "#]],
    );
    check_errors(
        "int short long x; int int y; signed unsigned z; static extern w; struct S int v;",
        expect![[r#"
        0..14 `int short long`: these words do not make a type
        18..25 `int int`: these words do not make a type
        29..44 `signed unsigned`: these words do not make a type
        55..61 `extern`: `extern` contradicts the storage class before it
        65..77 `struct S int`: two types in one declaration
    "#]],
    );
    check_errors(
        "} int x; ) int y;",
        expect![[r#"
        0..1 `}`: expected a declaration, found `}`
        9..10 `)`: expected a declaration, found `)`
    "#]],
    );
    check_errors(
        "int x = 09 + 0x + 1.5q7; char c = ''; char *s = \"\\x\";",
        expect![[r#"
        8..10 `09`: `9` is not a digit of an octal number
        34..36 `''`: this character constant is empty
        48..52 `"\x"`: `\x` without hexadecimal digits
    "#]],
    );
    check_errors(
        "struct; enum { A B };",
        expect![[r#"
        6..7 `;`: expected a name or `{` after `struct`, found `;`
        17..18 `B`: expected `}`, found `B`
    "#]],
    );
    check_errors(
        "int a[2] = { .x 1 };",
        expect![[r#"
        16..17 `1`: expected `=` after the designator, found `1`
    "#]],
    );
    check_errors("", expect![[""]]);
}

#[test]
fn long_trees_are_shown_in_part() {
    let (tree, _, _) = parsed(&format!("int x = 1{};", " + 1".repeat(100_000)));
    assert!(tree.contains('…'));
}

#[test]
fn errors_end_after_twenty() {
    let (_, diagnostics, _) = parsed(&"int = 3;\n".repeat(100));
    assert_eq!(diagnostics.len(), 20);
}

/// Parses on a stack of 512 KiB: parsing must not need more from its caller, however deep the input is.
fn parsed_on_small_stack(text: &str) -> (Vec<Diagnostic>, SourceMap) {
    let mut source = SourceMap::new();
    let file = source.add("t.c", text.to_owned()).unwrap();
    let mut names = Interner::new();
    let diagnostics = std::thread::scope(|scope| {
        let builder = std::thread::Builder::new().stack_size(512 << 10);
        let thread = builder.spawn_scoped(scope, || parse(&mut source, file, &mut names).1).unwrap();
        thread.join().unwrap()
    });
    (diagnostics, source)
}

#[test]
fn deep_nesting_is_refused_and_long_chains_are_not() {
    const N: usize = 100_000;
    for text in [
        format!("int x = {}1{};", "(".repeat(N), ")".repeat(N)),
        format!("int x = {}1;", "(".repeat(N)),
        format!("int x = {}1;", "-".repeat(N)),
        format!("int x = {}1;", "!(int)".repeat(N)),
        format!("int x = {}1;", "a ? ".repeat(N)),
        format!("int x = {}1;", "a[".repeat(N)),
        format!("int x = {}1;", "({".repeat(N)),
        format!("int x = {}1;", "sizeof(struct { int a : ".repeat(N)),
        format!("int x = {}1;", "sizeof(enum { a = ".repeat(N)),
        format!("int x = {}1{};", "{".repeat(N), "}".repeat(N)),
        format!("void f(void) {}{}", "{".repeat(N), "}".repeat(N)),
        format!("void f(void) {{ {} ; }}", "while (1) ".repeat(N)),
        format!("void f(void) {{ {} ; }}", "if (1) ".repeat(N)),
        format!("void f(void) {}", "{ void g(void) ".repeat(N)),
        format!("int {}x{};", "(".repeat(N), ")".repeat(N)),
        format!("int {}x{};", "(*".repeat(N), ")(void)".repeat(N)),
        format!("int f{};", "(int".repeat(N)),
        format!("{} x;", "struct { ".repeat(N)),
        format!("{} x;", "typeof(".repeat(N)),
        format!("__attribute__((a({} int x;", "(".repeat(N)),
        format!("int x = {}", "_Generic(".repeat(N)),
        format!("int x = {} 1;", "__extension__ ".repeat(N)),
    ] {
        let (diagnostics, source) = parsed_on_small_stack(&text);
        assert_eq!(diagnostics.len(), 1, "{:.40}", text);
        assert_eq!(diagnostics[0].message, "nesting too deep", "{:.40}", text);
        assert!(!source.text(diagnostics[0].span).is_empty());
    }
    for text in [
        format!("int x = 1{};", " + 1".repeat(N)),
        format!("int x = 1{};", " * f(1)".repeat(N)),
        format!("int x = {}1;", "a = ".repeat(N)),
        format!("int x = {}1;", "a ? b : ".repeat(N)),
        format!("int x = a{};", "[1].b->c(2)".repeat(N)),
        format!("void f(void) {{ {} ; }}", "if (1) a; else ".repeat(N)),
        format!("void f(void) {{ {} ; }}", "case 1: ".repeat(N)),
        format!("void f(void) {{ {} ; }}", "l: ".repeat(N)),
        format!("int {}x;", "*".repeat(N)),
        format!("int x{};", "[1]".repeat(N)),
        format!("int x{};", ", a".repeat(N)),
        format!("int x,{}y;", "\\\n".repeat(N)),
        format!("int x{};", ",\\\na".repeat(N)),
        "a;".repeat(N),
    ] {
        let (diagnostics, _) = parsed_on_small_stack(&text);
        assert!(diagnostics.is_empty(), "{:.40}: {diagnostics:?}", text);
    }
}
