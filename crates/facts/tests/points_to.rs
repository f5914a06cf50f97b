//! Where pointers may point in C programs.

use expect_test::{Expect, expect};
use summa_cfa::Cfa;
use summa_facts::layout::Layouts;
use summa_facts::points_to::{ClassId, PointsTo};
use summa_testkit::automata;

/// What a class holds: variables, allocations as `new@function`, functions; `!` collapsed, `?` unknown.
fn class(cfa: &Cfa, points_to: &PointsTo, class: ClassId) -> String {
    let program = &cfa.program;
    let vars = points_to.variables(class).iter().map(|&var| program.var_name(var).to_string());
    let sites = points_to.allocations(class).iter().map(|&edge| {
        let function = cfa.nodes[cfa.edge(edge).from].function;
        format!("new@{}", program.func_name(function))
    });
    let functions = points_to.functions(class).iter().map(|&f| program.func_name(f).to_string());
    let parts: Vec<String> = vars.chain(sites).chain(functions).collect();
    let index =
        points_to.siblings(class).iter().position(|&c| c == class).expect("a class is its own sibling");
    let part = if points_to.siblings(class).len() > 1 { format!(".{index}") } else { String::new() };
    let collapsed = if points_to.is_collapsed(class) { "!" } else { "" };
    let unknown = if points_to.is_unknown(class) { "?" } else { "" };
    format!("{{{}}}{part}{collapsed}{unknown}", parts.join(" "))
}

/// For each variable that holds addresses: where they point, part by part.
fn show(cfa: &Cfa) -> String {
    let points_to = PointsTo::new(cfa, &Layouts::new(&cfa.program.types));
    let mut out = String::new();
    for (var, info) in cfa.program.vars.iter() {
        let targets: Vec<(usize, ClassId)> = points_to
            .of_var(var)
            .iter()
            .enumerate()
            .filter_map(|(i, &c)| points_to.content(c).map(|target| (i, target)))
            .collect();
        if targets.is_empty() || matches!(info.kind, summa_c::tree::VarKind::Temp(_)) {
            continue;
        }
        let parts = points_to.of_var(var).len();
        for (i, target) in targets {
            let part = if parts > 1 { format!(".{i}") } else { String::new() };
            out += &format!("{}{part} -> {}\n", cfa.program.var_name(var), class(cfa, &points_to, target));
        }
    }
    out
}

fn check(text: &str, expected: Expect) {
    expected.assert_eq(&show(&automata(text)));
}

#[test]
fn assignments_join_only_what_meets() {
    check(
        "int main(void) { int a, b, c; int *p = &a, *q = &b, *r; r = p; r = &c; int n = a + b; n = n * 2; \
         return *q; }",
        expect![[r#"
            p -> {a c}
            q -> {b}
            r -> {a c}
        "#]],
    );
}

#[test]
fn pointers_to_pointers() {
    check(
        "int x, y; int main(void) { int *p = &x; int **pp = &p; *pp = &y; int *q = *pp; return *q; }",
        expect![[r#"
            p -> {x y}
            pp -> {p}
            q -> {x y}
        "#]],
    );
}

#[test]
fn calls_pass_addresses_and_return_them() {
    check(
        "int g; int *id(int *p) { return p; } void set(int **where, int *what) { *where = what; }
         int main(void) { int a, b; int *p = id(&a), *q; set(&q, &g); int *r = &b; return *p + *q + *r; }",
        expect![[r#"
            __result -> {a}
            p -> {a}
            where -> {q}
            what -> {g}
            p -> {a}
            q -> {g}
            r -> {b}
        "#]],
    );
}

#[test]
fn members_are_kept_apart() {
    check(
        "struct s { int *a; int *b; struct s *next; }; int x, y;
         int main(void) { struct s v, w[3]; v.a = &x; v.b = &y; v.next = &v; w[1].a = v.b; struct s c = v; \
         return *c.a; }",
        expect![[r#"
            v.0 -> {x}
            v.1 -> {y}
            v.2 -> {v}.0
            w.0 -> {y}
            c.0 -> {x}
            c.1 -> {y}
            c.2 -> {v}.0
        "#]],
    );
}

#[test]
fn a_list_on_the_heap_is_one_object_with_members() {
    check(
        "void *malloc(unsigned long); struct node { int data; struct node *next; };
         int main(void) { struct node *head = 0; for (int i = 0; i < 3; i++) {
           struct node *n = malloc(sizeof *n); n->data = i; n->next = head; head = n; }
         int *d = &head->data; return *d; }",
        expect![[r#"
            head -> {new@main}.0
            n -> {new@main}.0
            d -> {new@main}.0
        "#]],
    );
}

#[test]
fn odd_uses_collapse_an_object() {
    check(
        "struct s { int *a; int *b; }; int x, y, z;
         int main(void) {
           struct s u, v, w, t;
           u.a = &x; u.b = &y; char *bytes = (char *)&u; bytes++;
           v.a = &x; v.b = &y; long l = (long)&v; l += 8; int **odd = (int **)l;
           w.a = &x; w.b = &z; int **step = &w.a; step++;
           t.a = &x; t.b = &z; int **plain = &t.a;
           return 0; }",
        expect![[r#"
            u -> {x y z}
            v -> {x y z}
            w -> {x y z}
            t.0 -> {x y z}
            t.1 -> {x y z}
            bytes -> {u}!
            l -> {v}!
            odd -> {v}!
            step -> {w}!
            plain -> {t}.0
        "#]],
    );
}

#[test]
fn arrays_inside_structs_may_be_walked() {
    check(
        "struct s { int *before; char name[8]; int *after; }; int x, y; char *strcpy(char *, const char *);
         int main(void) { struct s v; v.before = &x; v.after = &y; for (char *c = v.name; *c; c++) *c = 0;
           strcpy(v.name, \"abc\"); return 0; }",
        expect![[r#"
            v -> {x y}
            c -> {v}!
        "#]],
    );
}

#[test]
fn unions_are_one_part() {
    check(
        "struct s { union { int *p; long l; } u; int *q; }; int x, y;
         int main(void) { struct s v; v.u.p = &x; v.q = &y; long n = v.u.l; int *r = (int *)n; return *r; }",
        expect![[r#"
            v.0 -> {x}
            v.1 -> {y}
            n -> {x}
            r -> {x}
        "#]],
    );
}

#[test]
fn bytes_and_integers_carry_addresses() {
    check(
        "int x, y; void *memcpy(void *, const void *, unsigned long);
         int main(void) { int *p = &x, *q, *r; char *from = (char *)&p, *to = (char *)&q;
           for (int i = 0; i < 8; i++) to[i] = from[i];
           memcpy(&r, &q, 8); unsigned long n = (unsigned long)&y; int *s = (int *)(n ^ 0); \
           return *r + *s; }",
        expect![[r#"
            p -> {x}
            q -> {x}
            r -> {x}
            from -> {p}!
            to -> {q}!
            n -> {y}!
            s -> {y}!
        "#]],
    );
}

#[test]
fn tables_that_are_indexed_by_addresses_carry_them() {
    check(
        "int x; unsigned char id[256]; int main(void) { int *p = &x, *q;
           for (int i = 0; i < 8; i++) ((unsigned char *)&q)[i] = id[((unsigned char *)&p)[i]]; return *q; }",
        expect![[r#"
            p -> {x}!
            q -> {x}!
        "#]],
    );
}

#[test]
fn comparisons_and_differences_carry_none() {
    check(
        "int a[9]; int main(void) { int *p = a, *q = a + 3; long d = q - p; int same = p == q; \
         int *r = (int *)d;
         _Bool b = p; return same + b; }",
        expect![[r#"
            p -> {a}
            q -> {a}
        "#]],
    );
}

#[test]
fn unseen_code_knows_what_it_was_given() {
    check(
        "int x, y, z; int *inner = &y; extern int *unseen(int **); extern void other(void);
         int main(void) { int *own = &z; int *p = unseen(&inner); other(); return *p + *own; }",
        expect![[r#"
            y -> {y inner}!?
            inner -> {y inner}!?
            __result -> {y inner}!?
            own -> {z}
            p -> {y inner}!?
        "#]],
    );
}

#[test]
fn pointers_from_outside() {
    check(
        "extern int *table[4]; extern void *__VERIFIER_nondet_pointer(void); \
         extern int __VERIFIER_nondet_int(void);
         int main(int argc, char **argv) { int *p = table[1]; void *q = __VERIFIER_nondet_pointer();
           int n = __VERIFIER_nondet_int(); char *c = argv[0]; return n; }",
        expect![[r#"
            table -> {}!?
            argv -> {new@__summa_start}
            p -> {}!?
            q -> {}!?
            c -> {new@__summa_start}
        "#]],
    );
}

#[test]
fn functions_behind_pointers() {
    check(
        "int inc(int x) { return x + 1; } int dec(int x) { return x - 1; } int other(int x) { return x; }
         struct ops { int (*up)(int); int (*down)(int); };
         int main(void) { struct ops o = { inc, dec }; int (*f)(int) = &other; return o.up(1) + f(2); }",
        expect![[r#"
            o.0 -> {inc}
            o.1 -> {dec}
            f -> {other}
        "#]],
    );
}

#[test]
fn variadic_arguments() {
    check(
        "typedef __builtin_va_list va_list; int x, y;
         int *pick(int n, ...) { va_list ap; __builtin_va_start(ap, n); int *p = 0;
           for (int i = 0; i < n; i++) p = __builtin_va_arg(ap, int *); __builtin_va_end(ap); return p; }
         int main(void) { return *pick(2, &x, &y); }",
        expect![[r#"
            __result -> {x y}
            ap -> {}!
            p -> {x y}
        "#]],
    );
}

#[test]
fn library_functions() {
    check(
        "void *malloc(unsigned long); void *realloc(void *, unsigned long); char *strchr(const char *, int);
         char *strdup(const char *); int sprintf(char *, const char *, ...); char line[9];
         int main(void) { int *a = malloc(8); int *b = realloc(a, 16); char *c = strchr(line, 'x'); \
         char *d = strdup(line);
           sprintf(d, \"%s\", line); return *b; }",
        expect![[r#"
            a -> {new@main new@main}
            b -> {new@main new@main}
            c -> {line}
            d -> {new@main}
        "#]],
    );
}

#[test]
fn behind_a_struct_with_an_open_array_lies_the_rest_of_the_array() {
    check(
        "void *malloc(unsigned long); struct open { int *head; int *tail[1]; }; int x, y;
         int main(void) { struct open *a = malloc(64), *b = malloc(64); a->head = &x; a->tail[3] = &y;
           b->head = &x; b->tail[0] = &y; struct open *c = b + 1; return *c->head; }",
        expect![[r#"
            a -> {new@main}.0
            b -> {new@main}!
            c -> {new@main}!
        "#]],
    );
}

#[test]
fn copies_may_cover_the_whole_object_around_a_member() {
    check(
        "void *memcpy(void *, const void *, unsigned long); struct s { int tag; int *p; }; int x, y;
         void move(int *to, int *from) { *to = *from; memcpy(to, from, 16); }
         int main(void) { struct s a, b; b.p = &y; move(&a.tag, &b.tag); return *a.p; }",
        expect![[r#"
            to -> {a}!
            from -> {b}!
            a -> {y}
            b -> {y}
        "#]],
    );
}

#[test]
fn null_pointers_do_not_meet_in_null() {
    check(
        "struct s { int a, b; }; struct s x, y;
         int main(void) { struct s *p = 0, *q = 0; p = &x; q = &y; \
         unsigned long at = (unsigned long)&((struct s *)0)->b;
           return p->a + q->a + at; }",
        expect![[r#"
            __result -> {}!
            p -> {x}.0
            q -> {y}.0
            at -> {}!
        "#]],
    );
}

#[test]
fn may_alias() {
    let cfa = automata(
        "struct s { int a; int b; }; int x, y;
         int main(void) { struct s v; int *p = &x, *q = &v.b; *p = 1; *q = 2; x = 3; y = 4; v.a = 5; \
         v.b = 6; return 0; }",
    );
    let (points_to, program) = (PointsTo::new(&cfa, &Layouts::new(&cfa.program.types)), &cfa.program);
    let main = cfa.automaton(cfa.main).unwrap();
    let written: Vec<_> = main
        .edge_ids()
        .filter_map(|edge| match cfa.edge(edge).op {
            summa_cfa::Op::Assign { place, .. } => Some(place),
            _ => None,
        })
        .collect();
    let mut out = String::new();
    for (i, &a) in written.iter().enumerate() {
        for &b in &written[i + 1..] {
            if points_to.may_alias(program, a, b) {
                let text = |place| summa_c::print::place(program, place);
                out += &format!("{} and {}\n", text(a), text(b));
            }
        }
    }
    expect![[r#"
        *p and x
        *q and v.b
    "#]]
    .assert_eq(&out);
}

#[test]
fn long_chains_neither_overflow_the_stack_nor_take_long() {
    let sum = vec!["x"; 20_000].join(" + ");
    let cfa = automata(&format!("int main(void) {{ int x = 1; int *p = &x; return {sum}; }}"));
    PointsTo::new(&cfa, &Layouts::new(&cfa.program.types));
    let pointers: Vec<String> = (1..3000).map(|i| format!("void *p{i} = &p{};", i - 1)).collect();
    let cfa = automata(&format!(
        "int main(void) {{ int x; void *p0 = &x; {} p0 = p2999; return 0; }}",
        pointers.concat()
    ));
    PointsTo::new(&cfa, &Layouts::new(&cfa.program.types));
}
