//! Contracts by content: equal digests in two programs are equal contracts, whatever lies around the function
//! that they are about.

#![allow(clippy::unwrap_used, reason = "a test may stop where it stands")]

use summa_c::tree::VarId;
use summa_cfa::Cfa;
use summa_encode::{Encoder, Encoding};
use summa_facts::Analyses;
use summa_proof::{Draft, Method, Procedure};
use summa_term::Terms;
use summa_testkit::automata;

/// `f` has three variables of one name, so that symbols are counted; before it there is something or nothing.
fn program(before: &str) -> Cfa {
    automata(&format!(
        "{before} int f(int n) {{ static int s; s = n; {{ static int s; s = 2; {{ static int s; s = 3; }} }} \
         return s; }}\n\
         int main(void) {{ return f(1); }}"
    ))
}

/// The variables of that name, in the order of the program.
fn variables(cfa: &Cfa) -> Vec<VarId> {
    cfa.program.vars.ids().filter(|&var| cfa.program.var_name(var) == "s").collect()
}

/// The digest of the contract that says that a cell is 5 behind `f`.
fn digest(cfa: &Cfa, cell: impl Fn(&Encoder<'_>) -> summa_encode::CellId) -> Option<[u8; 32]> {
    let facts = Analyses::new(cfa);
    let mut encoder = Encoder::new(cfa, &facts, Encoding::Int).with_entry_copies();
    let cell = cell(&encoder);
    let symbol = encoder.cells.cells[cell].symbol;
    let symbol = encoder.terms.symbol(symbol, 0);
    let five = encoder.terms.int(5);
    let ensures = encoder.terms.eq(symbol, five);
    let mut draft = Draft::default();
    let (requires, ensures) = (draft.formula(Terms::TRUE), draft.formula(ensures));
    let function = cfa.names().find_function("f").unwrap();
    draft.procedures.push(Procedure { function: cfa.start, requires, ensures: requires, points: Vec::new() });
    draft.procedures.push(Procedure { function, requires, ensures, points: Vec::new() });
    let proof = draft.finish(&encoder.terms, Encoding::Int, Method::Induction { k: 0 }).unwrap();
    proof.contract_digests(cfa, &facts, |text| *blake3::hash(text).as_bytes())[1]
}

#[test]
fn a_digest_is_about_a_variable_and_not_about_its_number() {
    let programs =
        ["", "int before;", "int before, more;", "long long before[7]; int g(int x) { return x; }"];
    let programs = programs.map(program);
    for a in &programs {
        for b in &programs {
            for (i, x) in variables(a).into_iter().enumerate() {
                for (j, y) in variables(b).into_iter().enumerate() {
                    let of =
                        |cfa, var: VarId| digest(cfa, |encoder| encoder.cell_of(var, 0).unwrap()).unwrap();
                    assert_eq!(of(a, x) == of(b, y), i == j, "variables {i} and {j}");
                }
            }
        }
    }
}

/// The numbers of objects are those of the program.
#[test]
fn what_is_said_about_objects_is_said_about_one_program() {
    let next = |cfa: &Cfa| digest(cfa, |encoder| encoder.cells.next_object).unwrap();
    let (same, other) = (program("int before;"), program("int before, more;"));
    assert_eq!(next(&same), next(&program("int before;")));
    assert_ne!(next(&same), next(&other));
}
