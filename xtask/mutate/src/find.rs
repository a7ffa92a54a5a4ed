//! Where a source can be weakened: conditions, comparisons, checks whose error is handed on, whole functions that
//! check, constraints.
//!
//! A mutant is an edit that a number turns on at run time, so that one build has all of them (mutant schemata: Untch,
//! Offutt, Harrold, "Mutation analysis using mutant schemata", ISSTA 1993).

use std::borrow::Cow;
use std::ops::Range;

use proc_macro2::Span;
use serde::{Deserialize, Serialize};
use syn::spanned::Spanned;
use syn::visit::{self, Visit};
use syn::{BinOp, Expr, ReturnType, Stmt, Type};

/// One way to weaken a source.
#[derive(Clone, Debug, Deserialize, Serialize)]
pub struct Mutant {
    /// The change.
    pub how: Cow<'static, str>,
    /// The function it is in.
    pub function: String,
    /// Its line, from 1.
    pub line: usize,
    /// The text that it is about, on one line.
    pub text: String,
    /// The replacements, in bytes of the source; `{}` stands for the number.
    #[serde(skip)]
    pub edits: Vec<Edit>,
}

/// A replacement of a part of the source, which may be empty.
#[derive(Clone, Debug)]
pub struct Edit {
    /// The replaced range.
    pub at: Range<usize>,
    /// By this.
    pub by: String,
    /// Whether it stands behind what is enclosed: among edits in one place, closing ones come first, the inner before
    /// the outer.
    pub closes: bool,
}

/// All mutants of a file, outer ones before inner ones.
pub fn mutants(source: &str) -> syn::Result<Vec<Mutant>> {
    let file = syn::parse_file(source)?;
    let mut finder = Finder { source, functions: Vec::new(), found: Vec::new(), ends: Vec::new() };
    finder.visit_file(&file);
    Ok(finder.found)
}

/// The guarded code of a condition.
#[derive(Clone, Copy, PartialEq)]
enum Guards {
    /// An error, if it holds.
    Error,
    /// An error, if it does not hold.
    Success,
    /// Something else.
    Neither,
}

struct Finder<'s> {
    source: &'s str,
    /// Names of the functions and types around.
    functions: Vec<String>,
    found: Vec<Mutant>,
    /// Parts of conditions, which have their mutants already.
    ends: Vec<Range<usize>>,
}

const CALL: &str = "crate::mutants::";

/// Methods that declare an AIR's demands: each call may be left out.
const DEMANDS: [&str; 6] =
    ["transition", "boundary", "boundary_with", "add_constraint", "add_intermediate", "add_to_relation"];
/// Methods that exempt rows: one more of them than there should be.
const EXEMPTIONS: [&str; 1] = ["except_last"];

impl Finder<'_> {
    fn add(&mut self, how: &'static str, of: Span, edits: Vec<Edit>) {
        let text = self.source[of.byte_range()].split_whitespace().collect::<Vec<_>>().join(" ");
        let text = if text.chars().count() > 120 { text.chars().take(117).collect::<String>() + "..." } else { text };
        self.found.push(Mutant {
            how: how.into(),
            function: self.functions.join("::"),
            line: of.start().line,
            text,
            edits,
        });
    }

    /// A call around an expression.
    fn wrap(&mut self, how: &'static str, call: &str, of: Span) {
        let Range { start, end } = of.byte_range();
        let open = Edit { at: start..start, by: format!("{CALL}{call}({{}}, "), closes: false };
        self.add(how, of, vec![open, Edit { at: end..end, by: ")".into(), closes: true }]);
    }

    /// The parts of a condition, each of which is taken to hold or not to hold.
    fn condition(&mut self, condition: &Expr, guards: Guards) {
        match condition {
            Expr::Binary(both) if matches!(both.op, BinOp::And(_) | BinOp::Or(_)) => {
                self.condition(&both.left, guards);
                self.condition(&both.right, guards);
            }
            Expr::Paren(inner) => self.condition(&inner.expr, guards),
            Expr::Let(_) => {}
            part => {
                if guards != Guards::Success {
                    self.wrap("never", "never", part.span());
                }
                if guards != Guards::Error {
                    self.wrap("always", "always", part.span());
                }
                self.ends.push(part.span().byte_range());
            }
        }
    }

    fn has_let(condition: &Expr) -> bool {
        match condition {
            Expr::Let(_) => true,
            Expr::Binary(both) if matches!(both.op, BinOp::And(_)) => {
                Self::has_let(&both.left) || Self::has_let(&both.right)
            }
            _ => false,
        }
    }

    fn named(&mut self, name: String, inside: impl FnOnce(&mut Self)) {
        self.functions.push(name);
        inside(self);
        self.functions.pop();
    }

    /// A function and all within, unless it is for tests or may be evaluated at compile time.
    fn function(&mut self, attributes: &[syn::Attribute], signature: &syn::Signature, block: &syn::Block) {
        if !is_for_tests(attributes) && signature.constness.is_none() {
            self.named(signature.ident.to_string(), |inside| {
                inside.body(signature, block);
                visit::visit_block(inside, block);
            });
        }
    }

    /// A function that checks: it returns at once what says that all is well.
    fn body(&mut self, signature: &syn::Signature, block: &syn::Block) {
        let ReturnType::Type(_, of) = &signature.output else { return };
        let at = block.brace_token.span.open().byte_range().end;
        let mut early = |how, value: &str| {
            let by = format!(" if {CALL}is({{}}) {{ return {value}; }} ");
            self.add(how, signature.ident.span(), vec![Edit { at: at..at, by, closes: false }]);
        };
        if let Type::Path(path) = of.as_ref() {
            let last = path.path.segments.last().expect("a path has a segment");
            if last.ident == "bool" {
                early("function is true", "true");
                early("function is false", "false");
            } else if last.ident == "Result" && first_is_unit(&last.arguments) && !is_ok_alone(block) {
                early("function checks nothing", "Ok(())");
            }
        }
    }
}

/// Whether the first generic argument is `()`.
fn first_is_unit(arguments: &syn::PathArguments) -> bool {
    let syn::PathArguments::AngleBracketed(arguments) = arguments else { return false };
    matches!(arguments.args.first(), Some(syn::GenericArgument::Type(Type::Tuple(tuple))) if tuple.elems.is_empty())
}

/// Whether a block is `{ Ok(()) }`, and checks nothing already.
fn is_ok_alone(block: &syn::Block) -> bool {
    match block.stmts.as_slice() {
        [Stmt::Expr(Expr::Call(call), None)] => {
            matches!(call.func.as_ref(), Expr::Path(path) if path.path.is_ident("Ok"))
                && matches!(call.args.first(), Some(Expr::Tuple(unit)) if unit.elems.is_empty())
        }
        _ => false,
    }
}

/// Whether attributes keep something out of the program.
fn is_for_tests(attributes: &[syn::Attribute]) -> bool {
    attributes.iter().any(|attribute| {
        attribute.path().is_ident("test")
            || attribute.path().is_ident("cfg")
                && attribute.meta.require_list().is_ok_and(|l| l.tokens.to_string() == "test")
    })
}

/// Whether the last thing that a block does is to return or to be an error.
fn ends_in_error(block: &syn::Block) -> bool {
    match block.stmts.last() {
        Some(Stmt::Expr(last, _)) => is_error(last),
        _ => false,
    }
}

fn is_error(expression: &Expr) -> bool {
    match expression {
        Expr::Return(returned) => returned.expr.as_deref().is_some_and(is_error),
        Expr::Call(call) => matches!(call.func.as_ref(), Expr::Path(path) if path.path.is_ident("Err")),
        Expr::Block(block) => ends_in_error(&block.block),
        _ => false,
    }
}

impl<'ast> Visit<'ast> for Finder<'_> {
    fn visit_item_mod(&mut self, item: &'ast syn::ItemMod) {
        if !is_for_tests(&item.attrs) {
            visit::visit_item_mod(self, item);
        }
    }

    fn visit_item_const(&mut self, _: &'ast syn::ItemConst) {}
    fn visit_item_static(&mut self, _: &'ast syn::ItemStatic) {}
    fn visit_impl_item_const(&mut self, _: &'ast syn::ImplItemConst) {}
    fn visit_trait_item_const(&mut self, _: &'ast syn::TraitItemConst) {}
    fn visit_type(&mut self, _: &'ast Type) {}
    fn visit_expr_const(&mut self, _: &'ast syn::ExprConst) {}
    fn visit_pat(&mut self, _: &'ast syn::Pat) {}

    fn visit_item_fn(&mut self, item: &'ast syn::ItemFn) {
        self.function(&item.attrs, &item.sig, &item.block);
    }

    fn visit_item_impl(&mut self, item: &'ast syn::ItemImpl) {
        // Code of a display is no check.
        let shows = ["Debug", "Display"];
        let is_shown =
            |path: &syn::Path| path.segments.last().is_some_and(|last| shows.iter().any(|name| last.ident == name));
        if item.trait_.as_ref().is_some_and(|(_, path, _)| is_shown(path)) || is_for_tests(&item.attrs) {
            return;
        }
        let name = self.source[item.self_ty.span().byte_range()].split('<').next().unwrap_or_default().to_owned();
        self.named(name, |inside| visit::visit_item_impl(inside, item));
    }

    fn visit_impl_item_fn(&mut self, item: &'ast syn::ImplItemFn) {
        self.function(&item.attrs, &item.sig, &item.block);
    }

    fn visit_trait_item_fn(&mut self, item: &'ast syn::TraitItemFn) {
        if let Some(block) = &item.default {
            self.function(&item.attrs, &item.sig, block);
        }
    }

    fn visit_expr_if(&mut self, conditional: &'ast syn::ExprIf) {
        let fails = conditional.else_branch.as_ref().is_some_and(|(_, branch)| is_error(branch));
        let guards = match (ends_in_error(&conditional.then_branch), fails) {
            (true, _) => Guards::Error,
            (false, true) => Guards::Success,
            (false, false) => Guards::Neither,
        };
        self.condition(&conditional.cond, guards);
        if guards == Guards::Error && Self::has_let(&conditional.cond) {
            let end = conditional.cond.span().byte_range().end;
            let edit = Edit { at: end..end, by: format!(" && !{CALL}is({{}})"), closes: true };
            self.add("never", conditional.cond.span(), vec![edit]);
        }
        visit::visit_expr_if(self, conditional);
    }

    fn visit_arm(&mut self, arm: &'ast syn::Arm) {
        if let Some((_, guard)) = &arm.guard {
            self.condition(guard, if is_error(&arm.body) { Guards::Error } else { Guards::Neither });
        }
        if matches!(arm.body.as_ref(), Expr::Return(_)) && is_error(&arm.body) {
            let Range { start, end } = arm.body.span().byte_range();
            let open = Edit { at: start..start, by: format!("{{ if !{CALL}is({{}}) {{ "), closes: false };
            self.add("no error", arm.body.span(), vec![open, Edit { at: end..end, by: "; } }".into(), closes: true }]);
        }
        visit::visit_arm(self, arm);
    }

    fn visit_stmt(&mut self, statement: &'ast Stmt) {
        if let Stmt::Expr(Expr::Try(checked), Some(_)) = statement {
            self.wrap("error is dropped", "skip", checked.expr.span());
        }
        if let Stmt::Expr(Expr::MethodCall(call), Some(_)) = statement
            && DEMANDS.iter().any(|name| call.method == name)
        {
            let Range { start, end } = statement.span().byte_range();
            let open = Edit { at: start..start, by: format!("if !{CALL}is({{}}) {{{{ "), closes: false };
            self.add("not demanded", call.span(), vec![open, Edit { at: end..end, by: " }}".into(), closes: true }]);
        }
        visit::visit_stmt(self, statement);
    }

    fn visit_expr_binary(&mut self, binary: &'ast syn::ExprBinary) {
        let span = binary.span();
        let is_part = self.ends.contains(&span.byte_range());
        let call = match binary.op {
            BinOp::Lt(_) => Some("less"),
            BinOp::Le(_) => Some("at_most"),
            BinOp::Gt(_) => Some("more"),
            BinOp::Ge(_) => Some("at_least"),
            _ => None,
        };
        if call.is_some() || matches!(binary.op, BinOp::Eq(_) | BinOp::Ne(_)) {
            if !is_part {
                self.wrap("never", "never", span);
                self.wrap("always", "always", span);
            }
        } else if matches!(binary.op, BinOp::BitAndAssign(_)) {
            self.wrap("always", "always", binary.right.span());
        } else if matches!(binary.op, BinOp::BitOrAssign(_)) {
            self.wrap("never", "never", binary.right.span());
        }
        if let Some(call) = call {
            let (left, right) = (binary.left.span().byte_range(), binary.right.span().byte_range());
            let edits = vec![
                Edit { at: left.start..left.start, by: format!("{CALL}{call}({{}}, &("), closes: false },
                Edit { at: left.end..right.start, by: "), &(".into(), closes: true },
                Edit { at: right.end..right.end, by: "))".into(), closes: true },
            ];
            self.add("boundary", span, edits);
        }
        visit::visit_expr_binary(self, binary);
    }

    fn visit_expr_method_call(&mut self, call: &'ast syn::ExprMethodCall) {
        const BOOLEAN: [&str; 7] = ["all", "any", "contains", "is_canonical", "is_none", "is_some", "is_zero"];
        if BOOLEAN.iter().any(|name| call.method == name) && !self.ends.contains(&call.span().byte_range()) {
            self.wrap("never", "never", call.span());
            self.wrap("always", "always", call.span());
        }
        if let (true, Some(count)) = (EXEMPTIONS.iter().any(|name| call.method == name), call.args.first()) {
            self.wrap("one row more", "one_more", count.span());
        }
        visit::visit_expr_method_call(self, call);
    }
}
