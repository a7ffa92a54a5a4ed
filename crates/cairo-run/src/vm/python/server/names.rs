//! Names of the host in a hint's text, and the names behind them.

use ruff_python_ast::Expr;
use ruff_text_size::{Ranged, TextSize};

pub(super) fn is_name(expr: &Expr, text: &str) -> bool {
    matches!(expr, Expr::Name(name) if name.id.as_str() == text)
}

/// `memory` or `segments`.
pub(super) fn host(expr: &Expr) -> Option<&'static str> {
    ["memory", "segments"].into_iter().find(|name| is_name(expr, name))
}

/// The names behind a first one, and where each of them ends.
pub(super) fn chain<'a>(expr: &'a Expr, first: &str) -> Option<(Vec<&'a str>, Vec<TextSize>)> {
    let (mut names, mut ends, mut at) = (Vec::new(), Vec::new(), expr);
    while let Expr::Attribute(attribute) = at {
        names.push(attribute.attr.as_str());
        ends.push(attribute.end());
        at = &attribute.value;
    }
    names.reverse();
    ends.reverse();
    (!names.is_empty() && is_name(at, first)).then_some((names, ends))
}
