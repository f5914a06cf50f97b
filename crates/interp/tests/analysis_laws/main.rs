//! The analyses of automata against execution: everything that a concrete run does must be among what they
//! say may happen.
//!
//! Each law is checked at every edge of observed runs. The programs are small ones that use C's darker
//! corners, and, if the task set is found (`SUMMA_TASKS` or beside the workspace), its smaller tasks.

mod laws;

use laws::Laws;
use summa_c::load::{LoadOptions, load, load_text};
use summa_c::types::DataModel;
use summa_cfa::syntax::{Base, base};
use summa_cfa::{BuildOptions, Cfa, Op};
use summa_facts::Analyses;
use summa_facts::blocks::Partition;
use summa_interp::{End, Outcome, Policy, Program, Random, run, run_observed};
use summa_testkit::{KNOBS, Task, tasks};
use summa_transform::build;

/// Runs the program once under all laws; the number of facts that were compared.
fn obey(cfa: &Cfa, facts: &Analyses, seed: u64, max_steps: u64) -> (Outcome, usize) {
    let mut laws = Laws::new(cfa, facts);
    let policy = Policy { max_steps, ..Policy::reachability() };
    let outcome = run_observed(&Program::new(cfa), &mut Random::new(seed), &policy, &mut laws);
    if outcome.is_error() {
        for &edge in &laws.taken.clone() {
            if !facts.reach.edge_can_reach(cfa, edge) {
                laws.fail(edge, "was taken on the way to the error, though none could be reached");
            }
        }
    }
    // After undefined behaviour anything may happen.
    if outcome.noted.is_empty() && !matches!(outcome.end, End::Fault(_)) {
        assert!(laws.broken.is_empty(), "{}", laws.broken.join("\n"));
    }
    (outcome, laws.checks)
}

/// Blocks nest, have one way in, and are left only where they say.
fn blocks_hold_together(cfa: &Cfa, facts: &Analyses) {
    for partition in [Partition::Functions, Partition::FunctionsAndLoops] {
        let blocks = facts.blocks(cfa, partition);
        for (id, block) in blocks.blocks.iter() {
            assert_eq!(blocks.entered_at(block.entry), Some(id));
            assert!(block.contains(block.entry));
            for &node in &block.nodes {
                let parent = block.parent.map(|parent| &blocks.blocks[parent]);
                assert!(parent.is_none_or(|parent| parent.contains(node)));
                for &edge in cfa.entering(node) {
                    assert!(block.contains(cfa.edge(edge).from) || node == block.entry);
                }
                for &edge in cfa.leaving(node) {
                    let to = cfa.edge(edge).to;
                    let ends = cfa.nodes[to].kind == summa_cfa::NodeKind::End;
                    assert!(ends || block.contains(to) || block.exits.contains(&to));
                }
            }
            for (part, whole) in [
                (&block.inputs, &block.referenced),
                (&block.outputs, &block.written),
                (&block.written, &block.referenced),
            ] {
                assert!(part.variables.is_subset(&whole.variables) && part.classes.is_subset(&whole.classes));
            }
        }
    }
}

/// The program with all values that are said not to matter for the error replaced by zero.
fn without_irrelevant(mut cfa: Cfa, facts: &Analyses) -> (Cfa, usize) {
    let mut replaced = 0;
    for id in cfa.edges.ids() {
        let Op::Assign { place, value } = cfa.edge(id).op else {
            continue;
        };
        let program = &mut cfa.program;
        let ty = program.exprs.place(place).ty;
        let is_relevant = match base(&program.exprs, place) {
            Base::Variable(var) => facts.relevance.variables.contains(var),
            Base::Pointer(_) => {
                facts.points_to.of_place(place).iter().any(|&class| facts.relevance.classes.contains(class))
            }
        };
        if is_relevant || program.types.is_float(ty) || !program.types.is_scalar(ty) {
            continue;
        }
        let zero = program.exprs.int(&program.types, ty, 0);
        replaced += usize::from(zero != value);
        cfa.edges[id].op = Op::Assign { place, value: zero };
    }
    (cfa, replaced)
}

fn read(text: &str, model: DataModel) -> Cfa {
    let loaded =
        load_text("test.c", text, model).unwrap_or_else(|failure| panic!("{:?}", failure.diagnostics));
    build(loaded.program, &BuildOptions::default()).unwrap_or_else(|error| panic!("{error}"))
}

fn check(text: &str) {
    for model in [DataModel::Ilp32, DataModel::Lp64] {
        let cfa = read(text, model);
        let facts = Analyses::new(&cfa);
        blocks_hold_together(&cfa, &facts);
        let mut checks = 0;
        let runs: Vec<bool> = (0..8)
            .map(|seed| {
                let (outcome, checked) = obey(&cfa, &facts, seed, 20_000);
                checks += checked;
                outcome.is_error()
            })
            .collect();
        assert!(checks > 100, "the laws were hardly put to the test: {checks}");
        let (sliced, _) = without_irrelevant(cfa, &facts);
        for (seed, &was_error) in runs.iter().enumerate() {
            let policy = Policy { max_steps: 20_000, ..Policy::reachability() };
            let outcome = run(&Program::new(&sliced), &mut Random::new(seed as u64), &policy);
            assert_eq!(
                outcome.is_error(),
                was_error,
                "values without relevance made a difference, seed {seed}"
            );
        }
    }
}

#[test]
fn lists_and_trees() {
    check(
        "void *malloc(unsigned long); void free(void *); int __VERIFIER_nondet_int(void); \
         void reach_error(void);
         struct node { int data; struct node *left, *right; }; struct node *root; int inserted, logged;
         void insert(struct node **at, int v) { if (!*at) { *at = malloc(sizeof **at); (*at)->data = v;
             (*at)->left = (*at)->right = 0; inserted++; return; }
           insert(v < (*at)->data ? &(*at)->left : &(*at)->right, v); }
         int sum(struct node *n) { return n ? n->data + sum(n->left) + sum(n->right) : 0; }
         int main(void) { int total = 0; for (int i = 0; i < 6; i++) { int v = __VERIFIER_nondet_int() & 15; \
         logged = v;
             total += v; insert(&root, v); }
           struct node *list = 0; for (int i = 0; i < 3; i++) { struct node *n = malloc(sizeof *n); \
           n->left = list;
             n->data = i; list = n; }
           while (list) { struct node *next = list->left; free(list); list = next; }
           if (inserted != 6 || sum(root) != total || total == 40) reach_error(); return 0; }",
    );
}

#[test]
fn members_arrays_and_unions() {
    check(
        "int __VERIFIER_nondet_int(void); void reach_error(void);
         struct inner { short a; int *p; }; struct s { int *first; struct inner in[3]; union { int i; \
         char c[4]; int *p; } u;
           unsigned b1 : 3, b2 : 5; int *last; };
         int x = 1, y = 2, z = 3; struct s global, many[2];
         int *pick(struct s *s, int i) { return i ? s->in[i % 3].p : s->last; }
         int main(void) { struct s local; local.first = &x; local.last = &y; for (int i = 0; i < 3; i++) {
             local.in[i].a = i; local.in[i].p = i == 1 ? &z : &x; }
           local.u.i = 0x01020304; local.u.c[1] = 9; local.b1 = 5; local.b2 = 17; global = local; \
           many[1] = global;
           struct s *p = &many[1]; struct inner *q = &p->in[1]; q->a += 2; *q->p = 7; struct s copy = *p;
           int **ends[2] = { &p->first, &p->last }; **ends[1] = 11; *ends[0] = &z;
           int *r = pick(p, __VERIFIER_nondet_int() & 3); *r += 1;
           if (z + y + x + copy.u.c[1] == 30) reach_error(); return copy.b1 + copy.b2 + *many[1].first; }",
    );
}

#[test]
fn bytes_casts_and_integers() {
    check(
        "int __VERIFIER_nondet_int(void); void reach_error(void);
         void *memcpy(void *, const void *, unsigned long); void *memset(void *, int, unsigned long);
         struct pair { int *a; int *b; }; int x, y, z;
         int main(void) { struct pair p, q, r; int n = 0; p.a = &x; p.b = &y;
           char *from = (char *)&p, *to = (char *)&q; for (unsigned i = 0; i < sizeof p; i++) to[i] = from[i];
           *q.b = 4; memcpy(&r, &q, sizeof r); *r.a = 5; memset(&q, 0, sizeof q);
           unsigned long u = (unsigned long)&r; u += sizeof(int *); \
           int **second = (int **)u; *second = &z; *r.b = 6;
           int **walk = (int **)&p; walk++; *walk = &z; *p.b += 1; void *any = &p; \
           struct pair *back = any; *back->a += 1;
           int *hidden = (int *)((unsigned long)&y ^ 0x5a); \
           hidden = (int *)((unsigned long)hidden ^ 0x5a); *hidden = 8;
           n = __VERIFIER_nondet_int() & 1; if (n && x + y + z == 21) reach_error(); return 0; }",
    );
}

#[test]
fn copies_through_pointers_to_members() {
    check(
        "int __VERIFIER_nondet_int(void); void reach_error(void); \
         void *memcpy(void *, const void *, unsigned long);
         void *memmove(void *, const void *, unsigned long);
         struct tagged { int tag; int *ptr; }; struct rows { int *row[3]; int *end; }; int x, y, z;
         void move(int *p, int *q, unsigned long n) { *p = *p; *q += 1; memcpy(p, q, n); }
         void raw(void *p, void *q, unsigned long n) { memmove(p, q, n); }
         int main(void) { struct tagged s = { 1, &x }, t = { 2, &y }; \
         move(&s.tag, &t.tag, sizeof s); *s.ptr = 5;
           struct rows r = { { &x, &y, &x }, &z }; \
           raw(&r.row[1], &r.row[2], 2 * sizeof(int *)); *r.row[2] = 7;
           struct { int a[2]; struct tagged in; } deep[2]; deep[0].in = s; \
           deep[1] = deep[0]; *deep[1].in.ptr += 1;
           int *out[2]; raw(out, &r.row[2], sizeof out); *out[0] += 2; *out[1] += 3;
           if (s.tag == 3 && x + y + z == 18 && (__VERIFIER_nondet_int() & 1)) reach_error(); return 0; }",
    );
}

#[test]
fn functions_pointers_and_variadics() {
    check(
        "typedef __builtin_va_list va_list; int __VERIFIER_nondet_int(void); void reach_error(void);
         int counter, calls; int *where = &counter;
         int add(int *p, int n) { calls++; *p += n; return *p; } int sub(int *p, int n) { calls++; *p -= n; \
         return *p; }
         struct ops { int (*run)(int *, int); int weight; } table[2] = { { add, 2 }, { sub, 1 } };
         void all(int n, ...) { va_list ap; __builtin_va_start(ap, n); \
         while (n--) { int *p = __builtin_va_arg(ap, int *);
             struct ops o = __builtin_va_arg(ap, struct ops); o.run(p, o.weight); } __builtin_va_end(ap); }
         int fac(int n, int *depth) { int here = n; *depth += 1; \
         return n <= 1 ? 1 : here * fac(n - 1, &here) + 0 * here; }
         int main(void) { int local = 0, depth = 0; all(2, &local, table[0], where, table[1]);
           struct ops *o = &table[__VERIFIER_nondet_int() & 1]; o->run(&local, 5); int f = fac(4, &depth);
           if (f != 24 && local == 7 && counter == -1 && calls == 3) reach_error(); return depth; }",
    );
}

#[test]
fn strings_and_library() {
    check(
        "int __VERIFIER_nondet_int(void); void reach_error(void); char *strcpy(char *, const char *);
         char *strchr(const char *, int); unsigned long strlen(const char *); \
         int sprintf(char *, const char *, ...);
         char *strdup(const char *); void *realloc(void *, unsigned long); \
         void *calloc(unsigned long, unsigned long);
         struct user { int *id; char name[12]; int *last; } u; int a, b; char line[32];
         int main(void) { u.id = &a; u.last = &b; strcpy(u.name, \"summa\"); \
         char *m = strchr(u.name, 'm'); *m = 'n';
           sprintf(line, \"%s-%d\", u.name, __VERIFIER_nondet_int() & 7); char *d = strdup(line); \
           d[0] = 'S'; *u.last = 3;
           int **v = calloc(2, sizeof *v); v[1] = &a; v = realloc(v, 8 * sizeof *v); \
           v[4] = &b; *v[4] += 1; *v[1] = 2;
           if (strlen(d) == 7 && d[6] == '3' && a + b == 6) reach_error(); return 0; }",
    );
}

#[test]
fn jumps_and_shadowed_lives() {
    check(
        "int __VERIFIER_nondet_int(void); void reach_error(void); int g, unused, state;
         int step(int in) { static int last; int old = last; last = in; \
         switch (state) { case 0: state = in & 1; break;
             case 1: state = in & 2 ? 2 : 0; break; default: state = 3; } unused = old; return old; }
         int main(void) { int i = 0, j = 5, sum; int n = __VERIFIER_nondet_int() & 3; sum = 0;
           again: for (; i < n; i++) { int t = step(__VERIFIER_nondet_int()); { int k = t & 3; sum += k; } \
           if (sum > 100) goto out; }
           if (j-- > 0) { i = 0; goto again; } int len = (n & 1) + 2; int vla[len]; for (i = 0; i < len; \
           i++) vla[i] = i;
           sum += vla[len - 1]; out: g = sum; if (state == 3) reach_error(); return g; }",
    );
}

#[test]
fn tasks_obey_the_laws() {
    let Some(mut tasks) = tasks() else { return };
    // A program with several properties is there several times.
    tasks.dedup_by(|one, other| one.path == other.path && one.model == other.model);
    let step = KNOBS.tasks_step.or(15) as usize;
    let (mut checks, mut errors) = (0, 0);
    for Task { path, model, .. } in tasks.iter().step_by(step) {
        let input = path.display();
        let Ok(loaded) = load(std::slice::from_ref(path), &LoadOptions::new(*model)) else {
            continue;
        };
        let Ok(cfa) = build(loaded.program, &BuildOptions::default()) else {
            continue;
        };
        let facts = Analyses::new(&cfa);
        blocks_hold_together(&cfa, &facts);
        // What the laws look at in each step grows with the program; keep the work of each task alike.
        let steps = (400_000 / cfa.program.vars.len().max(1) as u64).clamp(200, 4000);
        let mut outcomes = Vec::new();
        for seed in 0..2 {
            let (outcome, checked) = obey(&cfa, &facts, seed, steps);
            checks += checked;
            errors += usize::from(outcome.is_error());
            outcomes.push(outcome);
        }
        let (sliced, _) = without_irrelevant(cfa, &facts);
        for (seed, old) in outcomes.into_iter().enumerate() {
            let policy = Policy { max_steps: steps, ..Policy::reachability() };
            let new = run(&Program::new(&sliced), &mut Random::new(seed as u64), &policy);
            // Reads of uninitialised variables ask for inputs, so without some of them the inputs are others.
            let is_comparable = old.noted.is_empty() && new.noted.is_empty();
            let message = "values without relevance made a difference";
            assert!(new.is_error() == old.is_error() || !is_comparable, "{input}, seed {seed}: {message}");
        }
    }
    eprintln!("{checks} facts compared, {errors} runs reached an error");
}
