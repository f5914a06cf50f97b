//! Expressions without side effects, every part in parentheses.

use super::Generator;

impl Generator {
    pub(super) fn expression(&mut self, depth: usize) -> String {
        if depth == 0 || self.random.chance(20) {
            return self.leaf();
        }
        match self.random.below(10) {
            0..=4 => self.sum(depth),
            5 if self.features.products => self.product(depth),
            6 if self.features.bits => self.bits(depth),
            7 if self.features.other_types => {
                let ty =
                    *self.random.pick(&["unsigned char", "signed char", "short", "unsigned", "long", "int"]);
                let inner = self.expression(depth - 1);
                format!("(({ty}){inner})")
            }
            8 => {
                let (condition, yes, no) =
                    (self.condition(depth - 1), self.expression(depth - 1), self.expression(depth - 1));
                format!("({condition} ? {yes} : {no})")
            }
            9 => self.condition(depth),
            _ => self.sum(depth),
        }
    }

    fn sum(&mut self, depth: usize) -> String {
        let (left, right) = (self.expression(depth - 1), self.expression(depth - 1));
        let op = *self.random.pick(&["+", "-"]);
        format!("({left} {op} {right})")
    }

    fn product(&mut self, depth: usize) -> String {
        let left = self.expression(depth - 1);
        match self.random.below(4) {
            0 => format!("({left} * {})", self.random.between(2, 7)),
            1 => {
                let right = self.leaf();
                format!("({left} * {right})")
            }
            // The divisor is between 1 and 8, whatever the type.
            2 => {
                let right = self.leaf();
                format!("({left} / (({right} & 7) + 1))")
            }
            _ => format!("({left} % {})", self.random.between(2, 9)),
        }
    }

    fn bits(&mut self, depth: usize) -> String {
        let left = self.expression(depth - 1);
        match self.random.below(5) {
            0 => format!("({left} & {})", self.random.pick(&["1", "3", "7", "255", "240"])),
            1 => format!("({left} << {})", self.random.between(1, 4)),
            2 => format!("({left} >> {})", self.random.between(1, 4)),
            3 => format!("(~{left})"),
            _ => {
                let right = self.expression(depth - 1);
                let op = *self.random.pick(&["&", "|", "^"]);
                format!("({left} {op} {right})")
            }
        }
    }

    /// Something that is 0 or 1.
    pub(super) fn condition(&mut self, depth: usize) -> String {
        if depth > 0 && self.random.chance(25) {
            let (left, right) = (self.condition(depth - 1), self.condition(depth - 1));
            return match self.random.below(3) {
                0 => format!("({left} && {right})"),
                1 => format!("({left} || {right})"),
                _ => format!("(!{left})"),
            };
        }
        let depth = depth.saturating_sub(1);
        let (left, right) = (self.expression(depth), self.expression(depth));
        let op = *self.random.pick(&["<", "<=", ">", ">=", "==", "!="]);
        format!("({left} {op} {right})")
    }

    fn leaf(&mut self) -> String {
        if self.random.chance(25) || self.readable.is_empty() && self.arrays.is_empty() {
            return self.constant();
        }
        if !self.arrays.is_empty() && self.random.chance(25) {
            return self.element();
        }
        if self.readable.is_empty() { self.constant() } else { self.random.pick(&self.readable).clone() }
    }

    /// An element of an array, by an index that is in range.
    fn element(&mut self) -> String {
        let (array, size) = self.random.pick(&self.arrays).clone();
        let index = if self.readable.is_empty() || self.random.chance(30) {
            return format!("{array}[{}]", self.random.below(size));
        } else {
            self.random.pick(&self.readable).clone()
        };
        format!("{array}[({index} & {})]", size - 1)
    }

    fn constant(&mut self) -> String {
        if self.features.other_types && self.random.chance(10) {
            let borders = ["127", "128", "255", "256", "32767", "65535", "2147483647", "4294967295u"];
            return (*self.random.pick(&borders)).to_owned();
        }
        let value = self.random.between(-3, 9);
        if value < 0 { format!("({value})") } else { value.to_string() }
    }

    /// Something that can be assigned to.
    pub(super) fn place(&mut self) -> Option<String> {
        if !self.arrays.is_empty() && (self.writable.is_empty() || self.random.chance(25)) {
            return Some(self.element());
        }
        if self.writable.is_empty() { None } else { Some(self.random.pick(&self.writable).clone()) }
    }
}
