//! Initialisers, first half: which expression initialises which scalar or record (6.7.9).
//!
//! A [`Plan`] (`plan.rs`) maps subobjects, named by their path from the object, to the expressions that give
//! their values. It is made without evaluating anything, so that the length of `int a[] = …` is known before
//! its storage is. Subobjects in a plan never overlap: a later designator removes what it overrides, as gcc
//! does. `store.rs` is the second half.
//!
//! Limits: an initialised flexible array member, and a designator into a record that an expression
//! initialised as a whole, are not supported.

use super::plan::{Entry, Plan, Source, Step};
use super::{Lowered, Sema};
use crate::types::{ArrayLen, IntKind, RecordId, Type, TypeId};
use std::collections::BTreeMap;
use summa_syntax::Span;
use summa_syntax::ast::{self, Designator, Encoding, ExprKind, Init, InitEntry};

/// More copies of one value by `[lo ... hi] =` are not written out.
const MAX_RANGE: u64 = 1 << 20;

/// An aggregate that is being filled: from a brace, or because its own braces were left out.
struct Level {
    ty: TypeId,
    /// The subobject that the next initialiser without designator goes to.
    next: u64,
}

/// The target of the next initialiser of a list.
struct Target {
    ty: TypeId,
    /// Ranges in the designator: position of the step in the path, and first index (the path has the last
    /// one).
    ranges: Vec<(usize, u64)>,
}

impl<'a> Sema<'a> {
    pub(crate) fn plan_initializer(&mut self, ty: TypeId, init: ast::InitId) -> Lowered<Plan> {
        let mut plan = Plan { ty, sources: Vec::new(), entries: BTreeMap::new() };
        if self.variable_length(ty).is_some() && !self.types.is_pointer(ty) {
            let span = self.init_span(init);
            return self.error(span, "an array of variable length cannot be initialised");
        }
        plan.ty = self.plan_object(&mut plan, &[], ty, init)?;
        Ok(plan)
    }

    fn init_span(&self, init: ast::InitId) -> Span {
        match &self.ast.inits[init] {
            Init::Expr(expr) => self.ast.exprs[*expr].span,
            Init::List { span, .. } => *span,
        }
    }

    /// `init` stands for exactly this object. Returns the type of the object, its length known.
    fn plan_object(
        &mut self,
        plan: &mut Plan,
        path: &[Step],
        ty: TypeId,
        init: ast::InitId,
    ) -> Lowered<TypeId> {
        let ast = self.ast;
        match &ast.inits[init] {
            Init::Expr(expr) => self.plan_expr(plan, path, ty, *expr),
            Init::List { entries, span } if self.types.is_aggregate(ty) => {
                if let [InitEntry { designators, init }] = entries.as_slice()
                    && designators.is_empty()
                    && let Init::Expr(expr) = ast.inits[*init]
                    && self.is_string_for(ty, expr)
                {
                    return self.plan_expr(plan, path, ty, expr);
                }
                self.plan_list(plan, path, ty, entries, *span)
            }
            Init::List { entries, span } => {
                self.claim(plan, path, *span)?;
                let Some(first) = entries.first() else { return Ok(ty) };
                if !first.designators.is_empty() {
                    return self.error(*span, "a scalar has no members to designate");
                }
                if let Some(extra) = entries.get(1) {
                    self.warn(self.init_span(extra.init), "this initialiser is one too many");
                }
                self.plan_object(plan, path, ty, first.init)
            }
        }
    }

    /// An expression, not in braces, that initialises the whole object.
    fn plan_expr(
        &mut self,
        plan: &mut Plan,
        path: &[Step],
        ty: TypeId,
        expr: ast::ExprId,
    ) -> Lowered<TypeId> {
        let ast = self.ast;
        let span = ast.exprs[expr].span;
        if let Some((literal_ty, init)) = self.compound_literal_for(ty, expr)? {
            let literal_ty = self.plan_object(plan, path, literal_ty, init)?;
            return Ok(if self.is_complete(ty) { ty } else { literal_ty });
        }
        match (self.types.get(ty), &ast.exprs[expr].kind) {
            (Type::Array(..), ExprKind::String(id)) if self.is_string_for(ty, expr) => {
                self.plan_string(plan, path, ty, *id, span)
            }
            (Type::Array(..), _) => {
                let name = self.type_name(ty);
                self.error(span, format!("this cannot initialise an array of type `{name}`"))
            }
            _ => {
                self.claim(plan, path, span)?;
                plan.add(path.to_vec(), Source::Expr(expr), ty);
                Ok(ty)
            }
        }
    }

    /// A compound literal that initialises an aggregate works like its own braces, also in static storage
    /// (GNU).
    fn compound_literal_for(
        &mut self,
        ty: TypeId,
        expr: ast::ExprId,
    ) -> Lowered<Option<(TypeId, ast::InitId)>> {
        let ast = self.ast;
        let ExprKind::CompoundLiteral(name, init) = ast.exprs[expr].kind else { return Ok(None) };
        if !self.types.is_aggregate(ty) {
            return Ok(None);
        }
        let literal_ty = self.type_name_type(name)?;
        let fits = self.types.compatible(ty, literal_ty);
        Ok(fits.then_some((literal_ty, init)))
    }

    fn is_string_for(&self, ty: TypeId, expr: ast::ExprId) -> bool {
        let ExprKind::String(id) = self.ast.exprs[expr].kind else { return false };
        let Some(kind) = self.types.element(ty).and_then(|element| self.types.int_kind(element)) else {
            return false;
        };
        match self.ast.strings[id].encoding {
            Encoding::Plain => kind.rank() == IntKind::Char.rank(),
            Encoding::Utf16 => kind == IntKind::UnsignedShort,
            Encoding::Utf32 => kind == IntKind::UnsignedInt,
            // `wchar_t` is `int` on x86-64 and `long` on i386: four bytes with a sign.
            Encoding::Wide => kind.is_signed() && kind.size(self.types.model) == 4,
        }
    }

    /// An array of characters takes the units and, if there is room, the terminating zero.
    fn plan_string(
        &mut self,
        plan: &mut Plan,
        path: &[Step],
        ty: TypeId,
        id: ast::StringId,
        span: Span,
    ) -> Lowered<TypeId> {
        let ast = self.ast;
        let Type::Array(element, len) = *self.types.get(ty) else { return Ok(ty) };
        self.claim(plan, path, span)?;
        let units = &ast.strings[id].units;
        let len = match len {
            ArrayLen::Fixed(n) => n,
            _ if !path.is_empty() => return self.flexible_member(span),
            _ => units.len() as u64 + 1,
        };
        if units.len() as u64 > len {
            self.warn(span, format!("this string is too long for an array of {len}: the rest is cut off"));
        }
        for (i, &unit) in (0..len).zip(units.iter().chain([&0])) {
            let mut path = path.to_vec();
            path.push(Step::Index(i));
            plan.add(path, Source::Unit(unit, span), element);
        }
        Ok(self.types.array_of(element, ArrayLen::Fixed(len)))
    }

    fn flexible_member<T>(&mut self, span: Span) -> Lowered<T> {
        self.unsupported(span, "an initialised flexible array member")
    }

    // ---- lists ----

    /// A list in braces for an array or record.
    fn plan_list(
        &mut self,
        plan: &mut Plan,
        path: &[Step],
        ty: TypeId,
        entries: &'a [InitEntry],
        span: Span,
    ) -> Lowered<TypeId> {
        if !path.is_empty()
            && !entries.is_empty()
            && matches!(self.types.get(ty), Type::Array(_, ArrayLen::Unknown))
        {
            return self.flexible_member(span);
        }
        if let Some(record) = self.types.record_of(ty)
            && !self.types.record(record).is_complete
        {
            let name = self.type_name(ty);
            return self.error(span, format!("`{name}` is incomplete: it cannot be initialised"));
        }
        self.claim(plan, path, span)?;
        let mut levels = vec![Level { ty, next: 0 }];
        let mut path = path.to_vec();
        let outer = path.len();
        let mut longest = 0;
        for entry in entries {
            let entry_span = self.init_span(entry.init);
            let target = if entry.designators.is_empty() {
                self.next_target(&mut levels, &mut path, outer)
            } else {
                levels.clear();
                path.truncate(outer);
                let designated = (ty, entry.designators.as_slice());
                Some(self.designated_target(plan, &mut levels, &mut path, designated, entry_span)?)
            };
            let Some(target) = target else {
                self.warn(entry_span, "this initialiser is one too many");
                break;
            };
            let ranges = target.ranges.clone();
            let first_new = plan.sources.len();
            self.plan_element(plan, &mut levels, &mut path, target, entry.init)?;
            longest = longest.max(levels.first().map_or(0, |level| level.next));
            self.repeat(plan, &path, &ranges, first_new, entry_span)?;
        }
        match *self.types.get(ty) {
            Type::Array(element, ArrayLen::Unknown) => {
                Ok(self.types.array_of(element, ArrayLen::Fixed(longest)))
            }
            _ => Ok(ty),
        }
    }

    /// Moves to the next subobject in order; out of aggregates whose braces were left out when they are full.
    /// The first `outer` steps of the path lead to the object in braces.
    fn next_target(&mut self, levels: &mut Vec<Level>, path: &mut Vec<Step>, outer: usize) -> Option<Target> {
        loop {
            let depth = levels.len();
            let level = levels.last_mut()?;
            path.truncate(outer + depth - 1);
            if let Some((step, ty)) = self.child(level.ty, level.next) {
                level.next += 1;
                path.push(step);
                return Some(Target { ty, ranges: Vec::new() });
            }
            if depth == 1 {
                return None;
            }
            levels.pop();
        }
    }

    /// The subobject with this number; a union has only its first member in this order.
    fn child(&self, ty: TypeId, index: u64) -> Option<(Step, TypeId)> {
        match *self.types.get(ty) {
            Type::Array(element, ArrayLen::Fixed(n)) => (index < n).then_some((Step::Index(index), element)),
            Type::Array(element, _) => Some((Step::Index(index), element)),
            Type::Record(record) => {
                let record = self.types.record(record);
                let field = record.fields.get(usize::try_from(index).ok()?)?;
                (!record.is_union || index == 0).then_some((Step::Field(index as u32), field.ty))
            }
            _ => None,
        }
    }

    /// Follows `.a[3].b`, from the object in braces.
    fn designated_target(
        &mut self,
        plan: &mut Plan,
        levels: &mut Vec<Level>,
        path: &mut Vec<Step>,
        (object, designators): (TypeId, &[Designator]),
        span: Span,
    ) -> Lowered<Target> {
        let mut ty = object;
        let mut ranges = Vec::new();
        for designator in designators {
            match *designator {
                Designator::Field(name, span) => {
                    let found =
                        self.types.record_of(ty).and_then(|r| Some((r, self.types.find_field(r, name)?)));
                    let Some((record, fields)) = found else {
                        let (name, ty) = (self.text(name), self.type_name(ty));
                        return self.error(span, format!("`{ty}` has no member `{name}`"));
                    };
                    ty = self.designate_fields(plan, levels, path, record, &fields);
                }
                Designator::Index(index) => {
                    let (index, element) = self.designated_index(ty, index)?;
                    levels.push(Level { ty, next: index.saturating_add(1) });
                    path.push(Step::Index(index));
                    ty = element;
                }
                Designator::Range(first, last) => {
                    let (first, _) = self.designated_index(ty, first)?;
                    let (last, element) = self.designated_index(ty, last)?;
                    if first > last {
                        return self.error(span, "this range of indices is empty");
                    }
                    ranges.push((path.len(), first));
                    levels.push(Level { ty, next: last.saturating_add(1) });
                    path.push(Step::Index(last));
                    ty = element;
                }
            }
        }
        Ok(Target { ty, ranges })
    }

    /// Goes to a member, perhaps through anonymous ones; another member of a union on the way is no longer
    /// initialised.
    fn designate_fields(
        &mut self,
        plan: &mut Plan,
        levels: &mut Vec<Level>,
        path: &mut Vec<Step>,
        record: RecordId,
        fields: &[u32],
    ) -> TypeId {
        let mut ty = self.types.intern(Type::Record(record));
        for &index in fields {
            let Some(record) = self.types.record_of(ty).map(|r| self.types.record(r)) else { break };
            let Some(field) = record.fields.get(index as usize) else { break };
            if record.is_union {
                plan.keep_only_member(path, index);
            }
            let next = if record.is_union { u64::MAX } else { u64::from(index) + 1 };
            levels.push(Level { ty, next });
            path.push(Step::Field(index));
            ty = field.ty;
        }
        ty
    }

    fn designated_index(&mut self, ty: TypeId, index: ast::ExprId) -> Lowered<(u64, TypeId)> {
        let span = self.ast.exprs[index].span;
        let value = self.constant(index)?;
        let Type::Array(element, len) = *self.types.get(ty) else {
            let ty = self.type_name(ty);
            return self.error(span, format!("an index designates an element of an array, not of `{ty}`"));
        };
        let limit = match len {
            ArrayLen::Fixed(n) => n,
            _ => u64::from(u32::MAX),
        };
        match u64::try_from(value) {
            Ok(index) if index < limit => Ok((index, element)),
            _ => self.error(span, format!("the index {value} lies outside of the array")),
        }
    }

    /// One initialiser of a list: for the target itself, or for its first scalar if the target's braces were
    /// left out.
    fn plan_element(
        &mut self,
        plan: &mut Plan,
        levels: &mut Vec<Level>,
        path: &mut Vec<Step>,
        target: Target,
        init: ast::InitId,
    ) -> Lowered<()> {
        let ast = self.ast;
        let mut ty = target.ty;
        let Init::Expr(expr) = ast.inits[init] else {
            return self.plan_object(plan, path, ty, init).map(drop);
        };
        let span = ast.exprs[expr].span;
        // Asked for once, and only if it matters.
        let mut expr_ty = None;
        while self.types.is_aggregate(ty) {
            if matches!(self.types.get(ty), Type::Array(_, ArrayLen::Unknown)) {
                return self.flexible_member(span);
            }
            if self.is_string_for(ty, expr) || self.compound_literal_for(ty, expr)?.is_some() {
                break;
            }
            if self.types.record_of(ty).is_some() {
                let of_expr = match expr_ty {
                    Some(known) => known,
                    None => *expr_ty.insert(self.type_of_unevaluated(expr)?),
                };
                if self.types.compatible(ty, of_expr) {
                    break;
                }
            }
            match self.child(ty, 0) {
                Some((step, child)) => {
                    levels.push(Level { ty, next: 1 });
                    path.push(step);
                    ty = child;
                }
                // Nothing to initialise in there: the value is for the next subobject.
                None => {
                    let outer = path.len() - levels.len().min(path.len());
                    let Some(next) = self.next_target(levels, path, outer) else {
                        self.warn(span, "this initialiser is one too many");
                        return Ok(());
                    };
                    ty = next.ty;
                }
            }
        }
        self.plan_expr(plan, path, ty, expr).map(drop)
    }

    /// Repeats the plan for the last index of each range for the other indices.
    fn repeat(
        &mut self,
        plan: &mut Plan,
        path: &[Step],
        ranges: &[(usize, u64)],
        first_new: usize,
        span: Span,
    ) -> Lowered<()> {
        for &(position, first) in ranges.iter().rev() {
            let Some(&Step::Index(last)) = path.get(position) else { continue };
            let prefix = &path[..=position];
            let new: Vec<(Vec<Step>, Entry)> = plan
                .below(prefix)
                .filter(|(_, e)| e.source >= first_new)
                .map(|(p, e)| (p.clone(), *e))
                .collect();
            if (last - first).saturating_mul(new.len() as u64) > MAX_RANGE {
                return self
                    .unsupported(span, format!("a range designator with more than {MAX_RANGE} values"));
            }
            for index in first..last {
                let at_index = |path: &[Step]| {
                    let mut path = path.to_vec();
                    path[position] = Step::Index(index);
                    path
                };
                self.claim_through_unions(plan, &at_index(path), span)?;
                for (path, entry) in &new {
                    plan.entries.insert(at_index(path), *entry);
                }
            }
        }
        Ok(())
    }

    /// Like [`Self::claim`] for a path that no designator has walked.
    fn claim_through_unions(&mut self, plan: &mut Plan, path: &[Step], span: Span) -> Lowered<()> {
        let mut ty = plan.ty;
        for (depth, step) in path.iter().enumerate() {
            ty = match (*step, self.types.get(ty)) {
                (Step::Field(index), Type::Record(record)) => {
                    let record = self.types.record(*record);
                    if record.is_union {
                        plan.keep_only_member(&path[..depth], index);
                    }
                    record.fields.get(index as usize).map_or(ty, |field| field.ty)
                }
                (_, Type::Array(element, _)) => *element,
                _ => ty,
            };
        }
        self.claim(plan, path, span)
    }

    /// Makes way for a new initialiser of the object at `path`.
    fn claim(&mut self, plan: &mut Plan, path: &[Step], span: Span) -> Lowered<()> {
        let inside_copied = (0..path.len()).any(|n| plan.entries.contains_key(&path[..n]));
        if inside_copied {
            return self
                .unsupported(span, "an initialiser for a part of what another one initialises as a whole");
        }
        plan.remove_below(path);
        Ok(())
    }
}
