//! Compatible types (6.2.7): the same up to what one of two declarations leaves open.
//!
//! Structs and unions of different files are compatible if they have the same tag, or both none, and the same
//! members in the same places; one that is incomplete in a file is compatible with every one of its tag.
//! Members may lead back to the records themselves, so that pairs of records that are being compared count as
//! compatible. Qualifiers do not count, and an enum is its integer type. Limits: the members of unions must
//! come in the same order.

use super::{ArrayLen, Field, RecordId, Type, TypeId, Types};
use summa_base::FxHashSet;

impl Types {
    /// Same type up to array lengths left open, prototypes left out, and records of other files.
    pub fn compatible(&self, a: TypeId, b: TypeId) -> bool {
        if a == b {
            return true;
        }
        let mut open = vec![(a, b)];
        let mut seen: FxHashSet<(RecordId, RecordId)> = FxHashSet::default();
        while let Some((a, b)) = open.pop() {
            let (a, b) = (self.plain(a), self.plain(b));
            if a == b {
                continue;
            }
            let agrees = match (self.get(a), self.get(b)) {
                (Type::Pointer(a), Type::Pointer(b)) => {
                    open.push((*a, *b));
                    true
                }
                (Type::Array(a, n), Type::Array(b, m)) => {
                    open.push((*a, *b));
                    match (n, m) {
                        (ArrayLen::Fixed(n), ArrayLen::Fixed(m)) => n == m,
                        _ => true,
                    }
                }
                (Type::Function(f), Type::Function(g)) => {
                    open.push((f.result, g.result));
                    let count = f.params.len() == g.params.len();
                    if f.is_prototype && g.is_prototype {
                        open.extend(f.params.iter().copied().zip(g.params.iter().copied()));
                    }
                    !f.is_prototype || !g.is_prototype || f.is_variadic == g.is_variadic && count
                }
                (&Type::Record(a), &Type::Record(b)) => {
                    !seen.insert((a, b)) || self.records_agree(a, b, &mut open)
                }
                _ => false,
            };
            if !agrees {
                return false;
            }
        }
        true
    }

    /// Do two different records agree, if the types of their members are compatible? These are added to the
    /// open pairs.
    fn records_agree(&self, a: RecordId, b: RecordId, open: &mut Vec<(TypeId, TypeId)>) -> bool {
        let (a, b) = (self.record(a), self.record(b));
        // In one file every declaration without a tag makes a type of its own.
        let may_agree = a.tag == b.tag && a.is_union == b.is_union && (a.tag.is_some() || a.unit != b.unit);
        if !may_agree {
            return false;
        }
        if !a.is_complete || !b.is_complete {
            return true;
        }
        open.extend(a.fields.iter().zip(&b.fields).map(|(x, y)| (x.ty, y.ty)));
        let shape = |field: &Field| (field.name, field.offset, field.bits);
        (a.size, a.align, a.fields.len()) == (b.size, b.align, b.fields.len())
            && a.fields.iter().zip(&b.fields).all(|(x, y)| shape(x) == shape(y))
    }
}
