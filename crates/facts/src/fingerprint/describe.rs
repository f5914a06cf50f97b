//! What a function's text leads to: types, expressions, places, variables, classes of memory.

use super::{Item, Writer};
use crate::points_to::ClassId;
use std::collections::BTreeSet;
use summa_c::tree::{ExprId, ExprKind, PlaceId, PlaceKind, VarId, VarKind};
use summa_c::types::{ArrayLen, RecordId, Type, TypeId};

impl Writer<'_> {
    pub(super) fn describe(&mut self, item: Item) {
        match item {
            Item::Type(ty) => self.ty(ty),
            Item::Record(record) => self.record(record),
            Item::Expr(expr) => self.expr(expr),
            Item::Place(place) => self.place(place),
            Item::Var(var) => self.variable(var),
            Item::Class(class) => self.class(class),
        }
    }

    fn ty(&mut self, ty: TypeId) {
        match self.all.cfa.program.types.get(ty) {
            Type::Void => self.put("void"),
            Type::Int(kind) => self.put(kind.name()),
            Type::Float(kind) => self.put(kind.name()),
            Type::Pointer(to) => {
                self.has_pointers = true;
                self.put("*");
                self.item(Item::Type(*to));
            }
            Type::Array(element, len) => {
                self.put("[]");
                match len {
                    ArrayLen::Fixed(len) => self.number(*len),
                    ArrayLen::Unknown => self.put("?"),
                    ArrayLen::Variable(var) => self.item(Item::Var(*var)),
                }
                self.item(Item::Type(*element));
            }
            Type::Function(function) => {
                self.put("()");
                self.number(u8::from(function.is_variadic) + 2 * u8::from(function.is_prototype));
                self.item(Item::Type(function.result));
                self.number(function.params.len() as i128);
                function.params.iter().for_each(|&param| self.item(Item::Type(param)));
            }
            Type::Record(record) => self.item(Item::Record(*record)),
        }
    }

    fn record(&mut self, record: RecordId) {
        let program = &self.all.cfa.program;
        let data = program.types.record(record);
        self.put(if data.is_union { "union" } else { "struct" });
        self.number(data.size);
        self.number(data.align);
        self.number(u8::from(data.is_complete));
        self.number(data.fields.len() as i128);
        for field in &data.fields {
            self.put(field.name.map_or("", |name| program.name(name)));
            self.number(field.offset);
            self.number(u8::from(field.bits.is_some()));
            if let Some(bits) = field.bits {
                self.number(bits.offset);
                self.number(bits.width);
            }
            self.item(Item::Type(field.ty));
        }
    }

    fn expr(&mut self, expr: ExprId) {
        let data = self.all.cfa.program.exprs.expr(expr);
        self.item(Item::Type(data.ty));
        match data.kind {
            ExprKind::Int(value) => {
                self.put("int");
                self.number(value);
            }
            ExprKind::Float(bits) => self.put(&format!("float {bits}")),
            ExprKind::Load(place) => {
                self.put("load");
                self.item(Item::Place(place));
            }
            ExprKind::Addr(place) => {
                self.put("&");
                self.item(Item::Place(place));
            }
            ExprKind::Function(function) => {
                self.put("&function");
                self.function_name(function);
            }
            ExprKind::Unary(op, a) => {
                self.put(&format!("{op:?}"));
                self.item(Item::Expr(a));
            }
            ExprKind::Binary(op, a, b) => {
                self.put(&format!("{op:?}"));
                self.item(Item::Expr(a));
                self.item(Item::Expr(b));
            }
            ExprKind::Cast(a) => {
                self.put("cast");
                self.item(Item::Expr(a));
            }
        }
        if let Some(class) = self.all.facts.points_to.target(expr) {
            self.put("to");
            self.item(Item::Class(class));
        }
    }

    fn place(&mut self, place: PlaceId) {
        let data = self.all.cfa.program.exprs.place(place);
        self.item(Item::Type(data.ty));
        match data.kind {
            PlaceKind::Var(var) => {
                self.put("variable");
                self.item(Item::Var(var));
            }
            PlaceKind::Deref(pointer) => {
                self.put("deref");
                self.item(Item::Expr(pointer));
            }
            PlaceKind::Field(of, field) => {
                self.put("field");
                self.item(Item::Place(of));
                self.number(field);
            }
            PlaceKind::Index(of, index) => {
                self.put("index");
                self.item(Item::Place(of));
                self.item(Item::Expr(index));
            }
        }
        self.classes(self.all.facts.points_to.of_place(place));
    }

    fn variable(&mut self, var: VarId) {
        let (cfa, facts) = (self.all.cfa, self.all.facts);
        let data = &cfa.program.vars[var];
        self.variables.insert(var);
        self.put(cfa.names().variable(var));
        self.item(Item::Type(data.ty));
        self.put(match data.kind {
            VarKind::Global => "global",
            VarKind::External => "external",
            VarKind::Static(_) => "static",
            VarKind::Literal => "literal",
            VarKind::Param(_) => "param",
            VarKind::Local(_) => "local",
            VarKind::Temp(_) => "temp",
            VarKind::Return(_) => "result",
        });
        let is_taken = facts.variables.address_taken.contains(var);
        // Of a recursive function there may be several: this is how memory is laid out for others, too.
        let is_many = data.kind.frame().is_some_and(|function| facts.calls.is_recursive(function));
        for flag in [data.is_const, data.is_volatile, data.is_thread_local, is_taken, is_many] {
            self.number(u8::from(flag));
        }
        // The contents of what cannot change are known everywhere; of all else they are in the entry state.
        if data.is_const || data.kind == VarKind::Literal {
            self.number(data.init.len() as i128);
            for &(place, value) in &data.init {
                self.item(Item::Place(place));
                self.item(Item::Expr(value));
            }
        }
        self.classes(facts.points_to.of_var(var));
    }

    fn classes(&mut self, classes: &[ClassId]) {
        let mut classes = classes.to_vec();
        classes.sort_by_key(|&class| &self.all.classes[class]);
        self.number(classes.len() as i128);
        classes.into_iter().for_each(|class| self.item(Item::Class(class)));
    }

    fn class(&mut self, class: ClassId) {
        let (cfa, points_to) = (self.all.cfa, &self.all.facts.points_to);
        self.put(&self.all.classes[class].clone());
        self.number(points_to.offset_of(class));
        let flags = [
            points_to.is_unknown(class),
            points_to.is_collapsed(class),
            points_to.is_pointed_to(class),
            points_to.content(class).is_some(),
            points_to.object_type(class).is_some(),
        ];
        flags.into_iter().for_each(|flag| self.number(u8::from(flag)));
        points_to.object_type(class).into_iter().for_each(|ty| self.item(Item::Type(ty)));
        points_to.content(class).into_iter().for_each(|content| self.item(Item::Class(content)));
        self.variables(points_to.variables(class).to_vec());
        let sites: BTreeSet<(&str, u32)> = points_to
            .allocations(class)
            .iter()
            .map(|&edge| cfa.place_of_edge(edge))
            .map(|(function, number)| (cfa.names().function(function), number))
            .collect();
        self.number(sites.len() as i128);
        for (function, number) in sites {
            self.put(function);
            self.number(number);
        }
        let mut functions = points_to.functions(class).to_vec();
        functions.sort_by_key(|&function| cfa.names().function(function));
        self.number(functions.len() as i128);
        functions.into_iter().for_each(|function| self.function_name(function));
        self.classes(points_to.siblings(class));
    }
}
