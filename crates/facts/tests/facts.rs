//! Effects of edges, of functions, live variables, what variables are for, and what matters for the error.

use expect_test::{Expect, expect};
use summa_base::IdSet;
use summa_c::tree::{VarId, VarKind};
use summa_cfa::{Cfa, Op};
use summa_facts::Analyses;
use summa_facts::mod_ref::Access;
use summa_facts::reach::Reach;
use summa_testkit::{automata, node};

fn names(cfa: &Cfa, vars: &IdSet<VarId>) -> String {
    let shown = vars.iter().filter(|&var| !matches!(cfa.program.vars[var].kind, VarKind::Temp(_)));
    shown.map(|var| cfa.program.var_name(var)).collect::<Vec<_>>().join(" ")
}

fn facts(text: &str) -> (Cfa, Analyses) {
    let cfa = automata(text);
    let facts = Analyses::new(&cfa);
    (cfa, facts)
}

// ---- mod/ref ----

fn mod_ref(text: &str, expected: Expect) {
    let (cfa, facts) = facts(text);
    let mut out = String::new();
    for automaton in cfa.defined().filter(|a| a.function != cfa.start) {
        let effect = facts.mod_refs.of(&facts.calls, automaton.function);
        let show = |access: &Access| {
            format!("{} ({} classes)", names(&cfa, &access.variables), access.classes.len())
        };
        let name = cfa.program.func_name(automaton.function);
        out += &format!("{name}: reads {}, writes {}\n", show(&effect.reads), show(&effect.writes));
    }
    expected.assert_eq(&out);
}

#[test]
fn static_variables_by_name_also_of_callees() {
    mod_ref(
        "int a, b, c; void leaf(void) { a = b; } void mid(void) { leaf(); c++; } int main(void) { int x = 1; \
         mid(); return x; }",
        expect![[r#"
            leaf: reads b (0 classes), writes a (0 classes)
            mid: reads b c (0 classes), writes a c (0 classes)
            main: reads b c (0 classes), writes a c (0 classes)
        "#]],
    );
}

#[test]
fn variables_of_callers_through_pointers() {
    mod_ref(
        "void set(int *p, int v) { *p = v; } int get(int *q) { return *q; }
         int main(void) { int x, y, z; set(&x, 1); y = get(&z); return x + y; }",
        expect![[r#"
            set: reads  (0 classes), writes x (1 classes)
            get: reads z (1 classes), writes  (0 classes)
            main: reads z (2 classes), writes x (2 classes)
        "#]],
    );
}

#[test]
fn recursion_shares_a_summary() {
    mod_ref(
        "int e, o; int odd(int); int even(int n) { e++; return n == 0 ? 1 : odd(n - 1); }
         int odd(int n) { o++; return n == 0 ? 0 : even(n - 1); } int main(void) { return even(4); }",
        expect![[r#"
            odd: reads e o (0 classes), writes e o (0 classes)
            even: reads e o (0 classes), writes e o (0 classes)
            main: reads e o (0 classes), writes e o (0 classes)
        "#]],
    );
}

#[test]
fn library_and_unseen_functions() {
    mod_ref(
        "void *memset(void *, int, unsigned long); unsigned long strlen(const char *); \
         int printf(const char *, ...);
         void unseen(int *); struct s { int a, b; } g; int h, k; char text[4];
         void clear(void) { memset(&g, 0, sizeof g); } unsigned long len(void) { return strlen(text); }
         void out(void) { unseen(&h); } void print(void) { printf(\"%d\", k); } \
         void count(void) { printf(\"%n\", &k); }
         int main(void) { clear(); out(); print(); count(); return len(); }",
        expect![[r#"
            clear: reads  (0 classes), writes g (2 classes)
            len: reads text (1 classes), writes  (0 classes)
            out: reads h (1 classes), writes h (1 classes)
            print: reads k __str1 (1 classes), writes  (0 classes)
            count: reads  (0 classes), writes  (0 classes)
            main: reads h k text __str1 (3 classes), writes g h (3 classes)
        "#]],
    );
}

// ---- live variables ----

fn live(text: &str, expected: Expect) {
    let (cfa, facts) = facts(text);
    let main = cfa.automaton(cfa.main).expect("main has a body");
    let mut out = String::new();
    for id in main.node_ids() {
        let vars: IdSet<VarId> = facts.live.at(id).collect();
        out += &format!("{}: {}\n", node(&cfa, id), names(&cfa, &vars));
    }
    expected.assert_eq(&out);
}

#[test]
fn live_until_the_last_read() {
    live(
        "int main(void) { int a = 1, b = 2; int c = a; a = c + b; while (a < 9) { b = a; \
         a = b + 1; } return c; }",
        expect![[r#"
            0: 
            1: 
            2: a
            3: a
            4: a b
            5: a b
            6: b c
            7*: a c
            8: a c
            9: b c
            10: c
            11: __result
        "#]],
    );
}

#[test]
fn calls_read_static_variables() {
    live(
        "int g, h, never; int use(void) { return g; } int main(void) { g = 1; h = 2; never = 3; \
         int r = use(); h = 4; return r + h; }",
        expect![[r#"
            0: 
            1: g
            2: g
            3: g
            4: g
            5: g r
            6: g h r
            7: g h __result
        "#]],
    );
}

// ---- variable classes ----

fn classes(text: &str, expected: Expect) {
    let (cfa, facts) = facts(text);
    let found = &facts.variables;
    let sets = [
        ("address taken", &found.address_taken),
        ("aggregates", &found.aggregates),
        ("boolean", &found.boolean_only),
        ("equality", &found.equality_only),
        ("add", &found.add_only),
        ("counters", &found.loop_counters),
    ];
    let lines = sets.map(|(name, vars)| format!("{name}: {}\n", names(&cfa, vars)));
    expected.assert_eq(&lines.concat());
}

#[test]
fn what_variables_are_used_for() {
    classes(
        "int __VERIFIER_nondet_int(void); enum state { IDLE, RUN, STOP };
         int main(void) { int flag = 0, done; enum state s = IDLE; \
         int n = __VERIFIER_nondet_int(), m, w = 3, arr[4];
           done = flag; flag = n < 5; if (s == RUN) s = STOP; m = n + 2; w = w * 2; int *p = &w; \
           int in = arr[1];
           _Bool b = n; int t = !done; char narrow = (char)in; return t; }",
        expect![[r#"
            address taken: w
            aggregates: arr
            boolean: __result flag done b t
            equality: __result flag done s b t
            add: __result flag done s n m b t
            counters: 
        "#]],
    );
}

#[test]
fn values_that_meet_share_their_fate() {
    classes(
        "int id(int x) { return x; } int main(void) { int a = 1, b = 2, c = 1; a = id(c); b = b << 1; \
         if (a == b) return 1; return c; }",
        expect![[r#"
            address taken: 
            aggregates: 
            boolean: 
            equality: 
            add: 
            counters: 
        "#]],
    );
}

#[test]
fn loop_counters() {
    classes(
        "int g; void touch(void) { g = 0; } int main(void) { int i, j = 9, k = 0, l = 0, sum = 0;
           for (i = 0; i < 10; i++) sum += i; while (j-- > 0) k += 2; for (g = 0; g < 4; g++) touch();
           do { l = l + 3; if (sum) l = 0; } while (l < 30); return sum + k; }",
        expect![[r#"
            address taken: 
            aggregates: 
            boolean: 
            equality: 
            add: g __result i j k l sum
            counters: i j
        "#]],
    );
}

// ---- relevance and reachability ----

#[test]
fn only_what_reaches_a_condition_is_relevant() {
    let (cfa, facts) = facts(
        "int __VERIFIER_nondet_int(void); void reach_error(void); int log_count; struct s { int key, note; };
         void log_it(int what) { log_count += what; }
         int main(void) { int n = __VERIFIER_nondet_int(), x = n + 1, color = 7, shade; struct s v; \
         struct s *p = &v;
           shade = color * 2; p->key = x; p->note = shade; log_it(shade); int y = p->key; \
           if (y > 3) reach_error();
           int later = shade; if (later > 4) return 1; return 0; }",
    );
    let all: IdSet<VarId> = cfa.program.vars.ids().collect();
    let mut rest = all;
    rest.subtract(&facts.relevance.variables);
    expect!["log_count what __result color shade later"].assert_eq(&names(&cfa, &rest));
}

fn reach(text: &str, expected: Expect) {
    let (cfa, facts) = facts(text);
    let mut out = String::new();
    for automaton in cfa.defined() {
        let list = |test: &dyn Fn(summa_cfa::NodeId) -> bool| {
            automaton.node_ids().filter(|&n| test(n)).map(|n| node(&cfa, n)).collect::<Vec<_>>().join(" ")
        };
        let name = cfa.program.func_name(automaton.function);
        let (ahead, within) =
            (list(&|n| facts.reach.can_reach(n)), list(&|n| facts.reach.can_reach_within(n)));
        out += &format!("{name}: {ahead}; before it returns: {within}\n");
    }
    expected.assert_eq(&out);
}

#[test]
fn errors_are_reached_through_calls_and_returns() {
    reach(
        "void reach_error(void); void abort(void); int helper(int x) { return x + 1; } \
         int other(int x) { return x; }
         void check(int x) { if (x) reach_error(); } void stop(void) { abort(); }
         int main(void) { int a = helper(1); check(a); a = other(2); return a; }
         int dead(void) { stop(); reach_error(); return 0; } int (*keep)(void) = dead;",
        expect![[r#"
            helper: 0 1; before it returns: 
            other: ; before it returns: 
            check: 0 1; before it returns: 0 1
            stop: ; before it returns: 
            main: 0 1 2; before it returns: 0 1 2
            dead: 1; before it returns: 1
            __summa_start: 0; before it returns: 0
        "#]],
    );
}

#[test]
fn targets_can_be_chosen() {
    let cfa = automata(
        "void *malloc(unsigned long); int main(void) { int x = 1; int *p = malloc(4); x = 2; return x; }",
    );
    let facts = Analyses::new(&cfa);
    let reach = Reach::new(&cfa, &facts.calls, |edge| matches!(edge.op, Op::Library { .. }));
    let main = cfa.automaton(cfa.main).unwrap();
    let before: Vec<String> = main
        .edge_ids()
        .filter(|&e| reach.edge_can_reach(&cfa, e))
        .map(|e| cfa.edge(e).op.text(&cfa.program))
        .collect();
    expect![[r#"
        int x;
        x = 1;
        int *p;
        __tmp1 = malloc(4ul);"#]]
    .assert_eq(&before.join("\n"));
}

#[test]
fn what_is_not_understood_is_a_target() {
    let (cfa, facts) = facts("int setjmp(long *); long buf[32]; int main(void) { return setjmp(buf); }");
    assert!(facts.reach.can_reach(cfa.entry()));
}
