//! Random numbers after a seed that nobody knows are inputs.
//!
//! Equal seeds give equal numbers, which inputs cannot express, so the builder makes results of unknown code
//! of them where a program sets a seed. If the seed comes from outside, is set at most once, and nothing else
//! looks at it ([`summa_facts::idle`]), there are no equal seeds, and the numbers are inputs again.

use crate::build::checked;
use summa_c::tree::{FuncId, Program};
use summa_cfa::library::{Model, State, model};
use summa_cfa::{BuildError, Cfa, EdgeId, HavocSource, Op};
use summa_facts::idle::Idle;

/// The program in which random numbers are inputs, if their seed hides nothing.
pub(crate) fn free(mut cfa: Cfa) -> Result<Cfa, BuildError> {
    let program = &cfa.program;
    let numbers: Vec<EdgeId> = cfa
        .edges
        .iter()
        .filter(|(_, edge)| matches!(edge.op, Op::External { callee, .. } if is_random(program, callee)))
        .map(|(id, _)| id)
        .collect();
    if numbers.is_empty() || !Idle::new(&cfa).hides_seed {
        return Ok(cfa);
    }
    for edge in numbers {
        if let Op::External { result: Some(place), callee, .. } = cfa.edges[edge].op {
            cfa.edges[edge].op = Op::Havoc { place, source: HavocSource::Input(callee) };
        }
    }
    checked(cfa)
}

fn is_random(program: &Program, callee: FuncId) -> bool {
    program.functions[callee].body.is_none()
        && matches!(model(program.func_name(callee)), Some(Model::State(State::Random)))
}

#[cfg(test)]
mod tests {
    use summa_cfa::{HavocSource, Op};

    fn inputs(body: &str) -> usize {
        let header = "long time(long *); void srand(unsigned); int rand(void); ";
        let text = format!("{header} int main(void) {{ {body} return rand() > 3; }}");
        let program = summa_c::load_text("random.c", &text, summa_c::types::DataModel::Lp64);
        let program = program.unwrap_or_else(|error| panic!("{error:?}")).program;
        let cfa = crate::build(program, &summa_cfa::BuildOptions::default());
        let cfa = cfa.unwrap_or_else(|error| panic!("{error:?}"));
        let is_input = |op: &Op| matches!(op, Op::Havoc { source: HavocSource::Input(_), .. });
        cfa.edges.values().filter(|edge| is_input(&edge.op)).count()
    }

    #[test]
    fn only_unknown_seeds_hide_nothing() {
        assert_eq!(inputs(""), 1);
        assert_eq!(inputs("srand((unsigned)time(0));"), 1);
        assert_eq!(inputs("srand(7);"), 0);
        assert_eq!(inputs("long t = time(0); srand(t); if (t) return 1;"), 0);
        assert_eq!(inputs("for (int i = 0; i < 2; i++) srand((unsigned)time(0));"), 0);
    }
}
