//! Promotion: an object that a run allocates at most once becomes a variable.
//!
//! `p = malloc(sizeof(struct s))`, executed at most once, becomes `p = &v` for a variable `v` of static
//! storage without initialiser. Its contents are unknown, like those of the allocated object. Every analysis
//! then knows the members of the object one by one. Otherwise it would have to distinguish objects of one
//! allocation site.
//!
//! [`crate::build()`] does it on demand ([`BuildOptions::promote`](summa_cfa::BuildOptions)), after building.
//!
//! Limits: only for properties that do not ask about allocation itself (validity, leaks), and only for
//! objects that no `free` may get.

use crate::build::checked;
use summa_base::IdSet;
use summa_c::tree::{ExprKind, PlaceId, PlaceKind, VarKind, Variable};
use summa_c::types::TypeId;
use summa_cfa::LibFn;
use summa_cfa::{BuildError, Cfa, EdgeId, Op};
use summa_facts::Analyses;
use summa_facts::points_to::ClassId;

/// The program with single allocations as variables; the same edges in the same places.
pub(crate) fn promote(mut cfa: Cfa) -> Result<Cfa, BuildError> {
    let is_candidate = |op: &Op| matches!(op, Op::Library { model: LibFn::Malloc, result: Some(_), .. });
    if !cfa.edges.values().any(|edge| is_candidate(&edge.op)) {
        return Ok(cfa);
    }
    let facts = Analyses::new(&cfa);
    let freed = freed(&cfa, &facts);
    let found: Vec<(EdgeId, PlaceId, TypeId)> =
        cfa.edges.ids().filter_map(|edge| single(&cfa, &facts, &freed, edge)).collect();
    for (edge, place, ty) in found {
        let program = &mut cfa.program;
        let name = program.names.intern(&format!("object${}", summa_base::Id::index(edge)));
        let span = cfa.edges[edge].span;
        let var = program.vars.push(Variable::new(name, ty, VarKind::Global, span));
        let whole = program.exprs.intern_place(PlaceKind::Var(var), ty);
        let pointer = program.types.pointer_to(ty);
        let address = program.exprs.intern(ExprKind::Addr(whole), pointer);
        let wanted = program.exprs.place(place).ty;
        let value =
            if wanted == pointer { address } else { program.exprs.intern(ExprKind::Cast(address), wanted) };
        cfa.edges[edge].op = Op::Assign { place, value };
        cfa.promoted.insert(edge, var);
    }
    checked(cfa)
}

/// The classes of memory that may be given to `free` or `realloc`.
fn freed(cfa: &Cfa, facts: &Analyses) -> IdSet<ClassId> {
    let mut freed = IdSet::new();
    for edge in cfa.edges.values() {
        if let Op::Library { model: LibFn::Free | LibFn::Realloc, args, .. } = &edge.op
            && let Some(&pointer) = args.first()
        {
            freed.extend(facts.points_to.target_objects(pointer).iter().copied());
        }
    }
    freed
}

/// An allocation that happens at most once, of exactly one object of a known type.
fn single(
    cfa: &Cfa,
    facts: &Analyses,
    freed: &IdSet<ClassId>,
    edge: EdgeId,
) -> Option<(EdgeId, PlaceId, TypeId)> {
    let Op::Library { model: LibFn::Malloc, result: Some(place), args, .. } = &cfa.edges[edge].op else {
        return None;
    };
    let class = facts.points_to.of_allocation(edge)?;
    let ty = facts.points_to.object_type(class)?;
    let size = args.first().and_then(|&size| cfa.program.exprs.as_int(size))?;
    let is_exact = cfa.program.types.size_of(ty).is_some_and(|exact| i128::from(exact) == size);
    let is_kept = !facts.points_to.siblings(class).iter().any(|&part| freed.contains(part));
    let is_pointer = cfa.program.types.is_pointer(cfa.program.exprs.place(*place).ty);
    (is_exact && is_kept && is_pointer && facts.once.is_once(cfa, &facts.loops, edge))
        .then_some((edge, *place, ty))
}

#[cfg(test)]
mod tests {
    use summa_cfa::{BuildOptions, Op};

    #[test]
    fn only_what_happens_once() {
        let text = "void *malloc(unsigned long); void free(void *); struct s { int a, b; };
                    int main(void) { struct s *once = malloc(sizeof(struct s)); once->a = 1;
                      for (int i = 0; i < 3; i++) { struct s *again = malloc(sizeof(struct s)); \
                      again->b = 2; }
                      struct s *gone = malloc(sizeof(struct s)); gone->a = 3; free(gone);
                      int *many = malloc(10 * sizeof(int)); many[3] = 1; return once->a; }";
        let loaded = summa_c::load_text("test.c", text, summa_c::types::DataModel::Lp64);
        let loaded = loaded.unwrap_or_else(|failure| panic!("{:?}", failure.diagnostics));
        let options = BuildOptions { promote: true, ..BuildOptions::default() };
        let cfa = crate::build(loaded.program, &options).unwrap_or_else(|error| panic!("{error}"));
        let promoted =
            cfa.program.vars.values().filter(|var| cfa.program.name(var.name).starts_with("object$"));
        assert_eq!(promoted.count(), 1);
        let left = cfa.edges.values().filter(|edge| matches!(edge.op, Op::Library { .. })).count();
        assert_eq!(left, 4, "two allocations that may repeat or are many, one that is freed, and its end");
    }
}
