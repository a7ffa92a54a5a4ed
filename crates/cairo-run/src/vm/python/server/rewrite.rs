//! The text of a hint, so that the interpreter, which knows no objects of its host, can run it.
//!
//! | in the hint | as it runs |
//! |---|---|
//! | `ids.p.x` | `__host_get(0)`, by the number of the path |
//! | `ids.p.x = v` | `__host_v0 = v; __host_set(0, __host_v0)` |
//! | `memory[a]`, `memory[a] = v` | `__host_load(a)`, `__host_v0 = v; __host_store(a, __host_v0)` |
//! | `memory.get(a)`, `segments.add()` | `__host_memory_get(a)`, `__host_segments_add()` |
//!
//! Lines stay what they are. Behind the hint its variables are handed to the hints after it.

use std::collections::BTreeSet;

use ruff_python_ast::token::TokenKind;
use ruff_python_ast::visitor::{Visitor, walk_except_handler, walk_expr, walk_stmt};
use ruff_python_ast::{ExceptHandler, ExceptHandlerExceptHandler, Expr, ExprContext, Stmt, StmtAssign};
use ruff_python_parser::parse_module;
use ruff_text_size::{Ranged, TextRange, TextSize};

use super::address::Changed;
use super::builtins;
use super::host::is_function;
use super::names::{chain, host, is_name};

/// Names of the host begin so.
const HIDDEN: &str = "__";
const OF_THE_HOST: &str = "names that begin with `__` are not the hint's";
/// The beginning of the names of the host's functions.
const HOST: &str = "__host_";
/// Names that are no variables of a hint.
const GIVEN: [&str; 5] = ["PRIME", "ap", "fp", "pc", "program_input"];
/// Names that stand for others.
const NAMED: [(&str, &str); 4] = [
    ("pow", "__host_pow"),
    // Addresses are numbers here.
    ("to_felt_or_relocatable", "int"),
    ("vm_enter_scope", "__host_enter_scope"),
    ("vm_exit_scope", "__host_exit_scope"),
];

/// Finds the number of what the names behind `ids.` mean, and how many of them mean it.
pub(super) type Resolve<'a> = &'a mut dyn FnMut(&[&str]) -> Result<(usize, usize), String>;

/// A hint as the interpreter takes it.
///
/// # Errors
/// The line, and what is wrong there.
pub(super) fn rewrite(code: &str, resolve: Resolve<'_>) -> Result<String, String> {
    let parsed = parse_module(code).map_err(|error| {
        let text = format!("SyntaxError: {}", error.error);
        at_line(code, error.location.start(), &text)
    })?;
    let mut edits = Edits {
        code,
        resolve,
        edits: Vec::new(),
        behind: Vec::new(),
        names: BTreeSet::new(),
        caught: BTreeSet::new(),
        is_function: false,
        values: 0,
        fault: None,
    };
    edits.visit_body(&parsed.syntax().body);
    if let Some((at, fault)) = edits.fault {
        return Err(at_line(code, at, &fault));
    }
    for token in parsed.tokens().iter().filter(|token| token.kind() == TokenKind::Name) {
        let name = &code[token.range()];
        if name.starts_with(HIDDEN) {
            return Err(at_line(code, token.start(), OF_THE_HOST));
        }
        // Other letters may stand for these.
        if !name.is_ascii() {
            return Err(at_line(code, token.start(), "a name has letters, digits and `_` of ASCII alone"));
        }
    }
    let mut text = applied(code, TextRange::up_to(TextSize::of(code)), &mut edits.edits);
    text += "\n__host_end()\n";
    for name in &edits.names {
        // A name that the hint has only read, or not come to, stays what it was before the hint.
        let unset = if edits.caught.contains(name) { format!("__host_drop('{name}')") } else { "pass".into() };
        text += &format!("try:\n __host_keep('{name}', {name})\nexcept NameError:\n {unset}\n");
    }
    Ok(text)
}

/// A fault of a hint with its line.
fn at_line(code: &str, at: TextSize, fault: &str) -> String {
    let line = code.as_bytes().iter().take(at.to_usize()).filter(|byte| **byte == b'\n').count() + 1;
    in_line(line as u32, fault)
}

/// A fault of a hint in a line.
pub(super) fn in_line(line: u32, fault: &str) -> String {
    format!("line {line} of the hint: {fault}")
}

/// A part of a text with edits, which do not overlap.
fn applied(code: &str, part: TextRange, edits: &mut [(TextRange, String)]) -> String {
    edits.sort_by_key(|(range, _)| (range.start(), range.end()));
    let (mut text, mut at) = (String::new(), part.start());
    for (range, new) in edits.iter() {
        text += &code[TextRange::new(at, range.start())];
        text += new;
        at = range.end();
    }
    text + &code[TextRange::new(at, part.end())]
}

struct Edits<'a> {
    code: &'a str,
    resolve: Resolve<'a>,
    edits: Vec<(TextRange, String)>,
    /// The text behind the current assignment.
    behind: Vec<String>,
    /// Variables of the hint.
    names: BTreeSet<String>,
    /// Names of exceptions that it catches, which are gone behind their handlers.
    caught: BTreeSet<String>,
    /// Whether it is in a function.
    is_function: bool,
    values: usize,
    fault: Option<(TextSize, String)>,
}

impl Edits<'_> {
    fn refuse(&mut self, at: &dyn Ranged, fault: impl Into<String>) {
        self.fault.get_or_insert((at.start(), fault.into()));
    }

    fn edit(&mut self, range: TextRange, new: impl Into<String>) {
        self.edits.push((range, new.into()));
    }

    /// The number of what the names behind `ids.` mean, where these names end, and whether they are all.
    fn named(&mut self, expr: &Expr) -> Option<(usize, TextSize, bool)> {
        let (names, ends) = chain(expr, "ids")?;
        match (self.resolve)(&names) {
            Ok((number, used)) => Some((number, ends[used - 1], used == names.len())),
            Err(fault) => {
                self.refuse(expr, format!("ids.{}: {fault}", names.join(".")));
                None
            }
        }
    }

    /// A name that the hint gives a value.
    fn bind(&mut self, at: &dyn Ranged, name: &str) {
        match builtins::refusal(name) {
            Some(fault) => self.refuse(at, fault),
            None => {
                self.names.insert(name.to_owned());
            }
        }
    }

    fn value(&mut self) -> String {
        self.values += 1;
        format!("{HOST}v{}", self.values - 1)
    }

    /// A target of an assignment.
    fn target(&mut self, target: &Expr, changed: &Changed<'_>) {
        match target {
            Expr::Attribute(_) if chain(target, "ids").is_some() => {
                let Some((number, _, is_all)) = self.named(target) else { return };
                if !is_all {
                    return self.refuse(target, "an attribute of a number is not assigned to");
                }
                let value = self.value();
                self.edit(target.range(), value.clone());
                self.behind.push(format!("; {HOST}set({number}, {value})"));
            }
            Expr::Subscript(subscript) if is_name(&subscript.value, "memory") => {
                if let Some(fault) = changed.refusal(self.code, &subscript.slice) {
                    return self.refuse(target, fault);
                }
                let outer = std::mem::take(&mut self.edits);
                self.visit_expr(&subscript.slice);
                let place = applied(self.code, subscript.slice.range(), &mut self.edits);
                self.edits = outer;
                // The text goes behind the statement, in one line.
                let place = place.replace(['\n', '\r'], " ");
                let value = self.value();
                self.edit(target.range(), value.clone());
                self.behind.push(format!("; {HOST}store({place}, {value})"));
            }
            Expr::Tuple(tuple) => tuple.elts.iter().for_each(|target| self.target(target, changed)),
            Expr::List(list) => list.elts.iter().for_each(|target| self.target(target, changed)),
            other => self.visit_expr(other),
        }
    }
}

impl<'a> Visitor<'a> for Edits<'_> {
    fn visit_stmt(&mut self, stmt: &'a Stmt) {
        match stmt {
            Stmt::Assign(StmtAssign { targets, value, .. }) => {
                self.visit_expr(value);
                let changed = Changed::by(targets);
                targets.iter().for_each(|target| self.target(target, &changed));
                let behind = std::mem::take(&mut self.behind).concat();
                if !behind.is_empty() {
                    self.edit(TextRange::empty(stmt.end()), behind);
                }
            }
            Stmt::Import(_) | Stmt::ImportFrom(_) => self.refuse(stmt, "a hint imports no modules"),
            // Methods would run where the interpreter counts no steps.
            Stmt::ClassDef(_) => self.refuse(stmt, "a hint defines no classes"),
            Stmt::FunctionDef(function) => {
                self.bind(&function.name, &function.name);
                let is_outer = std::mem::replace(&mut self.is_function, true);
                walk_stmt(self, stmt);
                self.is_function = is_outer;
            }
            other => walk_stmt(self, other),
        }
    }

    fn visit_except_handler(&mut self, handler: &'a ExceptHandler) {
        let ExceptHandler::ExceptHandler(ExceptHandlerExceptHandler { name, .. }) = handler;
        if let Some(name) = name {
            self.bind(name, name);
            // In a function it is the function's own.
            if !self.is_function {
                self.caught.insert(name.to_string());
            }
        }
        walk_except_handler(self, handler);
    }

    fn visit_expr(&mut self, expr: &'a Expr) {
        match expr {
            Expr::Attribute(attribute) if chain(expr, "ids").is_some() => {
                if attribute.ctx != ExprContext::Load {
                    return self.refuse(expr, "a cell is written by `=` alone");
                }
                if let Some((number, end, _)) = self.named(expr) {
                    self.edit(TextRange::new(expr.start(), end), format!("__host_get({number})"));
                }
            }
            Expr::Attribute(attribute) if host(&attribute.value).is_some() => {
                let (host, method) = (host(&attribute.value).unwrap_or_default(), attribute.attr.as_str());
                if attribute.ctx != ExprContext::Load {
                    return self.refuse(expr, format!("`{host}` is not changed"));
                }
                let function = format!("{HOST}{host}_{method}");
                if !is_function(&function) {
                    return self.refuse(expr, format!("there is no function `{host}.{method}`"));
                }
                self.edit(expr.range(), function);
            }
            Expr::Subscript(subscript) if is_name(&subscript.value, "memory") => {
                if subscript.ctx != ExprContext::Load {
                    return self.refuse(expr, "a cell is written by `=` alone");
                }
                self.edit(TextRange::new(expr.start(), subscript.slice.start()), "__host_load(");
                self.visit_expr(&subscript.slice);
                self.edit(TextRange::new(subscript.slice.end(), expr.end()), ")");
            }
            Expr::Name(name) => match name.id.as_str() {
                "ids" | "memory" | "segments" => self.refuse(expr, format!("`{}` is no value", name.id)),
                // The interpreter's reads files of its host.
                "open" => self.refuse(expr, "a hint has no files, no network and no clock"),
                given if GIVEN.contains(&given) => {}
                // Also in functions, which may say `global`.
                other if name.ctx == ExprContext::Store && builtins::refusal(other).is_some() => self.bind(name, other),
                other => match NAMED.iter().find(|(name, _)| *name == other) {
                    Some((_, function)) => self.edit(expr.range(), *function),
                    None => {
                        self.names.insert(other.to_owned());
                    }
                },
            },
            other => walk_expr(self, other),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Numbers places as they come.
    fn rewritten(code: &str) -> Result<String, String> {
        let mut known: Vec<String> = Vec::new();
        let mut resolve = |names: &[&str]| {
            let used = match names {
                ["no", ..] => return Err("there is none".into()),
                ["p", _, ..] => 2,
                _ => 1,
            };
            let name = names[..used].join(".");
            let number = known.iter().position(|known| *known == name).unwrap_or(known.len());
            if number == known.len() {
                known.push(name);
            }
            Ok((number, used))
        };
        rewrite(code, &mut resolve)
    }

    fn text(code: &str) -> Result<String, String> {
        Ok(rewritten(code)?.split("\n__host_end()").next().unwrap().replace("__host_", "__"))
    }

    #[test]
    fn hints_are_rewritten_in_their_lines() {
        for (code, expected) in [
            ("ids.p.x = ids.n + ids.n  # why", "__v0 = __get(0) + __get(0); __set(1, __v0)  # why"),
            ("memory[ids.a + i] = memory[memory[ap]]", "__v0 = __load(__load(ap)); __store(__get(0) + i, __v0)"),
            ("if c: ids.a, b = f(), 2", "if c: __v0, b = f(), 2; __set(0, __v0)"),
            ("ids.a = ids.b = 1; x = 2", "__v0 = __v1 = 1; __set(0, __v0); __set(1, __v1); x = 2"),
            ("print(f'{ids.p.x:x}', ids.n.bit_length())", "print(f'{__get(0):x}', __get(1).bit_length())"),
            ("x = segments.add() + memory.get((a))", "x = __segments_add() + __memory_get((a))"),
            ("memory[(\n a)] = 1", "__v0 = 1; __store(a, __v0)"),
            ("y = pow(2, 3)", "y = __pow(2, 3)"),
            ("vm_enter_scope({'x': f(f)})", "__enter_scope({'x': f(f)})"),
        ] {
            assert_eq!(text(code).as_deref(), Ok(expected), "{code}");
        }
    }

    #[test]
    fn variables_are_handed_on() {
        let text = rewritten("x = [len(y) for z in w]\nap").unwrap();
        let kept: Vec<_> = text.lines().filter_map(|line| line.strip_prefix(" __host_keep('")).collect();
        assert_eq!(kept, ["len', len)", "w', w)", "x', x)", "y', y)", "z', z)"]);
    }

    #[test]
    fn what_no_hint_does_is_refused_with_its_line() {
        for (code, fault) in [
            ("x = 1\nimport os", "line 2 of the hint: a hint imports no modules"),
            ("from os import path", "line 1 of the hint: a hint imports no modules"),
            ("x = ids", "line 1 of the hint: `ids` is no value"),
            ("\nids.a += 1", "line 2 of the hint: a cell is written by `=` alone"),
            ("for memory[0] in x: pass", "line 1 of the hint: a cell is written by `=` alone"),
            ("segments.x = 1", "line 1 of the hint: `segments` is not changed"),
            ("__host_get(3)", "line 1 of the hint: names that begin with `__` are not the hint's"),
            ("def __host_get(n): pass", "line 1 of the hint: names that begin with `__` are not the hint's"),
            ("x.__class__", "line 1 of the hint: names that begin with `__` are not the hint's"),
            ("def f(__get): pass", "line 1 of the hint: names that begin with `__` are not the hint's"),
            ("def f():\n    global __get", "line 2 of the hint: names that begin with `__` are not the hint's"),
            ("f'{__get}'", "line 1 of the hint: names that begin with `__` are not the hint's"),
            ("x\u{e9} = 1", "line 1 of the hint: a name has letters, digits and `_` of ASCII alone"),
            ("class A: pass", "line 1 of the hint: a hint defines no classes"),
            ("x = open", "line 1 of the hint: a hint has no files, no network and no clock"),
            (
                "x = 1\nsum = 2",
                "line 2 of the hint: `sum` is Python's own, and no variable of a hint has its name: take \
              another one",
            ),
            ("segments.nothing()", "line 1 of the hint: there is no function `segments.nothing`"),
            ("ids.no.x", "line 1 of the hint: ids.no.x: there is none"),
            ("ids.a.b = 1", "line 1 of the hint: an attribute of a number is not assigned to"),
        ] {
            assert_eq!(text(code), Err(fault.to_owned()), "{code}");
        }
        assert!(text("x = (").is_err_and(|error| error.starts_with("line 1 of the hint: SyntaxError: ")));
    }
}
