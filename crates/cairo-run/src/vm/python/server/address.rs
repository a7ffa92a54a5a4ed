//! Addresses of the cells that an assignment writes. They are computed behind it, where Python computes each of them
//! before the targets that stand behind it, and after those before it: so an address has nothing that the assignment
//! itself changes.

use std::collections::BTreeSet;

use ruff_python_ast::Expr;
use ruff_python_ast::visitor::{Visitor, walk_expr};
use ruff_text_size::{Ranged, TextRange};

use super::names::{chain, host, is_name};

/// The variables and items that an assignment changes beside cells.
#[derive(Debug, Default)]
pub(super) struct Changed<'a> {
    names: BTreeSet<&'a str>,
    has_items: bool,
    /// Whether a function is called, which may change more.
    has_calls: bool,
}

impl<'a> Changed<'a> {
    /// All that the targets of an assignment change.
    pub(super) fn by(targets: &'a [Expr]) -> Self {
        let mut changed = Self::default();
        targets.iter().for_each(|target| changed.target(target));
        changed
    }

    fn target(&mut self, target: &'a Expr) {
        match target {
            Expr::Name(name) => {
                self.names.insert(name.id.as_str());
            }
            Expr::Tuple(tuple) => tuple.elts.iter().for_each(|target| self.target(target)),
            Expr::List(list) => list.elts.iter().for_each(|target| self.target(target)),
            Expr::Starred(starred) => self.target(&starred.value),
            other => {
                let read = Read::of(other);
                self.has_items |= !is_cell(other);
                self.has_calls |= !is_cell(other) && read.has_calls;
                self.names.extend(read.given);
            }
        }
    }

    /// Why an address is not computed behind the assignment, if it is not.
    pub(super) fn refusal(&self, code: &str, address: &Expr) -> Option<String> {
        if code[address.range()].contains('\\') {
            return Some("the address of a cell that is written has no `\\`".into());
        }
        let read = Read::of(address);
        if read.texts.iter().any(|text| code[*text].contains(['\n', '\r'])) {
            return Some("the address of a cell that is written has no text of several lines".into());
        }
        if let Some(name) = read.names.iter().find(|name| self.names.contains(*name)) {
            return Some(format!("the address of a cell reads `{name}`, which the same statement assigns: use two"));
        }
        let changes = self.has_items || !self.names.is_empty();
        let is_called = self.has_calls && !read.names.is_empty();
        if is_called || (read.has_calls && changes) || (read.has_items && self.has_items) {
            return Some("the address of a cell may read what the same statement assigns: use two".into());
        }
        None
    }
}

/// A cell, and not an item of a list or an attribute of a value.
fn is_cell(expr: &Expr) -> bool {
    match expr {
        Expr::Subscript(subscript) => is_name(&subscript.value, "memory"),
        Expr::Attribute(attribute) => chain(expr, "ids").is_some() || host(&attribute.value).is_some(),
        _ => false,
    }
}

/// All that an expression reads.
#[derive(Debug, Default)]
struct Read<'a> {
    names: Vec<&'a str>,
    /// Names that `:=` gives a value.
    given: Vec<&'a str>,
    has_calls: bool,
    has_items: bool,
    /// Texts, by their places.
    texts: Vec<TextRange>,
}

impl<'a> Read<'a> {
    fn of(expr: &'a Expr) -> Self {
        let mut read = Self::default();
        read.visit_expr(expr);
        read
    }
}

impl<'a> Visitor<'a> for Read<'a> {
    fn visit_expr(&mut self, expr: &'a Expr) {
        match expr {
            Expr::Name(name) => self.names.push(name.id.as_str()),
            Expr::Named(named) => {
                if let Expr::Name(name) = &*named.target {
                    self.given.push(name.id.as_str());
                }
            }
            Expr::StringLiteral(_) | Expr::BytesLiteral(_) | Expr::FString(_) | Expr::TString(_) => {
                self.texts.push(expr.range());
            }
            Expr::Call(_) => self.has_calls = true,
            Expr::Subscript(_) | Expr::Attribute(_) => self.has_items |= !is_cell(expr),
            _ => {}
        }
        walk_expr(self, expr);
    }
}

#[cfg(test)]
mod tests {
    use ruff_python_ast::Stmt;
    use ruff_python_parser::parse_module;

    use super::*;

    /// Why the first target's address is refused.
    fn refusal(code: &str) -> Option<String> {
        let parsed = parse_module(code).unwrap();
        let Stmt::Assign(assign) = &parsed.syntax().body[0] else { panic!("{code}") };
        let first = match &assign.targets[0] {
            Expr::Tuple(tuple) => &tuple.elts[0],
            other => other,
        };
        let Expr::Subscript(cell) = first else { panic!("{code}") };
        Changed::by(&assign.targets).refusal(code, &cell.slice)
    }

    #[test]
    fn addresses_that_the_statement_itself_changes_are_refused() {
        for (code, part) in [
            ("memory[i], i = x, i + 1", "reads `i`"),
            ("memory[i] = i = 5", "reads `i`"),
            ("memory[a + i], [*i] = x", "reads `i`"),
            ("memory[(i := 3)], l[i] = 1, 2", "reads `i`"),
            ("memory[i], l[(i := 3)] = 1, 2", "reads `i`"),
            ("memory[f()], i = 1, 2", "may read"),
            ("memory[f()], l[0] = 1, 2", "may read"),
            ("memory[k[0]], l[0] = 1, 2", "may read"),
            ("memory[k.x], l[0] = 1, 2", "may read"),
            ("memory[i], l[f()] = 1, 2", "may read"),
            ("memory[d['\\x41']] = 1", "no `\\`"),
            ("memory[a + \\\n b] = 1", "no `\\`"),
            ("memory[d['''a\nb''']] = 1", "several lines"),
        ] {
            let refusal = refusal(code).unwrap_or_else(|| panic!("{code}"));
            assert!(refusal.contains(part), "{code}: {refusal}");
        }
        for code in [
            "memory[i] = i",
            "memory[f(i)] = i",
            "memory[l[i]], j = 1, 2",
            "memory[ids.a + memory[ap]], j, l[0] = x",
            "memory[sum(x for x in l)] = 1",
            "memory[(a +\n d['b'])] = 1",
        ] {
            assert_eq!(refusal(code), None, "{code}");
        }
    }
}
