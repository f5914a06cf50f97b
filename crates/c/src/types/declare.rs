//! Types in C syntax.

use super::{ArrayLen, Type, TypeId, Types};
use summa_base::Interner;

impl Types {
    /// The type in C syntax, with `name` in its place (may be empty).
    pub fn declare(&self, id: TypeId, name: &str, names: &Interner) -> String {
        match self.get(id) {
            Type::Void => join("void", name),
            Type::Int(kind) => join(kind.name(), name),
            Type::Float(kind) => join(kind.name(), name),
            Type::Record(record) => {
                let record = self.record(*record);
                let keyword = if record.is_union { "union" } else { "struct" };
                let tag = record.tag.map_or("<anonymous>", |tag| names.text(tag));
                join(&format!("{keyword} {tag}"), name)
            }
            Type::Pointer(target) => {
                let inner = match self.get(*target) {
                    Type::Array(..) | Type::Function(_) => format!("(*{name})"),
                    _ => format!("*{name}"),
                };
                let qualifier = if self.points_to_volatile(id) { "volatile " } else { "" };
                format!("{qualifier}{}", self.declare(*target, &inner, names))
            }
            Type::Array(element, len) => {
                let len = match len {
                    ArrayLen::Fixed(n) => n.to_string(),
                    ArrayLen::Unknown => String::new(),
                    ArrayLen::Variable(_) => "*".to_string(),
                };
                self.declare(*element, &format!("{name}[{len}]"), names)
            }
            Type::Function(function) => {
                let mut params: Vec<String> =
                    function.params.iter().map(|&p| self.declare(p, "", names)).collect();
                if function.is_variadic {
                    params.push("...".to_string());
                } else if function.is_prototype && params.is_empty() {
                    params.push("void".to_string());
                }
                self.declare(function.result, &format!("{name}({})", params.join(", ")), names)
            }
        }
    }
}

fn join(base: &str, declarator: &str) -> String {
    if declarator.is_empty() { base.to_string() } else { format!("{base} {declarator}") }
}
