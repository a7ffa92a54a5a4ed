//! SMT-LIB with the theory of finite fields (`QF_FF`), as cvc5 reads it: for each component the question whether two
//! rows that agree in the inputs, and whose lookups are answered, can differ. `unsat` says that they cannot.

mod promised;
mod row;

use std::fmt::Write;

use self::row::Copy;
use crate::base::{Cell, cells, is_base, outputs, zeros};
use crate::{Component, Document, Node};

/// The questions of a document, each behind `(push 1)`. Main columns that are `given` are inputs of each component.
pub fn text(document: &Document, given: &[usize]) -> String {
    let mut out = String::new();
    let _ = writeln!(out, "; {} of the protocol {}: docs/export.md", line(&document.name), document.protocol);
    out += "(set-logic QF_FF)\n";
    let _ = writeln!(out, "(define-sort F () (_ FiniteField {}))", document.prime);
    for (number, component) in document.components.iter().enumerate() {
        let name = component.name.as_deref().unwrap_or("");
        let _ = writeln!(out, "\n; component {number} {}", line(name));
        out += "(push 1)\n";
        question(&mut out, document, component, given);
        out += "(check-sat)\n(pop 1)\n";
    }
    out
}

const COPIES: [Copy<'static>; 2] = [Copy("a"), Copy("b")];

fn question(out: &mut String, document: &Document, component: &Component, given: &[usize]) {
    let base = is_base(component);
    let (shared, main) = cells(component, &base);
    for cell in &shared {
        let _ = writeln!(out, "(declare-const {} F)", cell_name("p", *cell));
    }
    let (zeros, others) = zeros(component, &base);
    if others > 0 {
        let _ = writeln!(out, "; {others} constraints are of columns that are made after elements are drawn: left out");
    }
    for copy in COPIES {
        for cell in &main {
            let _ = writeln!(out, "(declare-const {} F)", cell_name(copy.0, *cell));
        }
        let is_shared = |cell: Cell| shared.contains(&cell);
        for (index, node) in component.nodes.iter().enumerate().filter(|(index, _)| base[*index]) {
            let value = value(copy, node, document.prime, &is_shared);
            let _ = writeln!(out, "(define-fun {} () F {value})", copy.node(index));
        }
        for node in &zeros {
            let _ = writeln!(out, "(assert (= {} (as ff0 F)))", copy.node(*node));
        }
        for (number, lookup) in component.lookups.iter().enumerate() {
            promised::of_row(out, document, component, copy, number, lookup);
        }
    }
    promised::of_both(out, document, component, COPIES);
    let [a, b] = COPIES;
    for input in component.inputs.iter().filter(|input| base[**input]) {
        let _ = writeln!(out, "(assert (= {} {}))", a.node(*input), b.node(*input));
    }
    for cell in main.iter().filter(|cell| given.contains(&cell.1)) {
        let _ = writeln!(out, "(assert (= {} {}))", cell_name(a.0, *cell), cell_name(b.0, *cell));
    }
    let differ = outputs(component, &main, given);
    let differ = differ.iter().map(|cell| format!(" (not (= {} {}))", cell_name(a.0, *cell), cell_name(b.0, *cell)));
    let _ = writeln!(out, "(assert (or false{}))", differ.collect::<String>());
}

fn value(copy: Copy<'_>, node: &Node, prime: u64, is_shared: &dyn Fn(Cell) -> bool) -> String {
    let get = |node: &usize| copy.node(*node);
    match node {
        Node::Const(value) => format!("(as ff{value} F)"),
        Node::Load { table, column, offset } => {
            let cell = (*table, *column, *offset);
            cell_name(if is_shared(cell) { "p" } else { copy.0 }, cell)
        }
        Node::Add(x, y) => format!("(ff.add {} {})", get(x), get(y)),
        Node::Sub(x, y) => format!("(ff.add {} (ff.mul (as ff{} F) {}))", get(x), prime - 1, get(y)),
        Node::Mul(x, y) => format!("(ff.mul {} {})", get(x), get(y)),
        Node::Neg(x) => format!("(ff.mul (as ff{} F) {})", prime - 1, get(x)),
        Node::Ext(_) | Node::Param(_) => unreachable!("nodes of the extension are left out"),
    }
}

/// Table, column and offset behind a prefix, an `m` for a minus.
fn cell_name(prefix: &str, (table, column, offset): Cell) -> String {
    let sign = if offset < 0 { "m" } else { "" };
    format!("{prefix}_{table}_{column}_{sign}{}", offset.unsigned_abs())
}

/// A name in a comment of one line.
fn line(name: &str) -> String {
    name.replace(['\n', '\r'], " ")
}
