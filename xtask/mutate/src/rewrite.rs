//! A source with its mutants written into it.

use std::ops::Range;

use crate::find::{Edit, Mutant};

/// A source with mutants, which have the numbers that stand with them; and the part of the new source that each is
/// about.
pub fn rewrite(source: &str, mutants: &[(u32, &Mutant)]) -> (String, Vec<(u32, Range<usize>)>) {
    let mut edits: Vec<(usize, u32, &Edit)> = Vec::new();
    for (place, (number, mutant)) in mutants.iter().enumerate() {
        edits.extend(mutant.edits.iter().map(|edit| (place, *number, edit)));
    }
    // In one place what closes comes first, from within; then what opens, from without.
    edits.sort_by_key(|(place, _, edit)| {
        let depth = isize::try_from(*place).unwrap_or(isize::MAX);
        (edit.at.start, !edit.closes, if edit.closes { -depth } else { depth })
    });
    let (mut new, mut done) = (String::with_capacity(source.len() * 2), 0);
    let mut ranges: Vec<(u32, Range<usize>)> = Vec::new();
    for (_, number, edit) in edits {
        new.push_str(&source[done..edit.at.start]);
        let start = new.len();
        new.push_str(&edit.by.replace("{}", &number.to_string()).replace("{{", "{").replace("}}", "}"));
        done = edit.at.end;
        match ranges.iter_mut().find(|(of, _)| *of == number) {
            Some((_, range)) => range.end = new.len(),
            None => ranges.push((number, start..new.len())),
        }
    }
    new.push_str(&source[done..]);
    (new, ranges)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::find;

    fn all(source: &str) -> (Vec<String>, String) {
        let found = find::mutants(source).expect("Rust");
        let numbered: Vec<(u32, &Mutant)> = (0..).zip(&found).collect();
        (found.iter().map(|mutant| format!("{}: {}", mutant.how, mutant.text)).collect(), rewrite(source, &numbered).0)
    }

    #[test]
    fn a_check_is_taken_out_and_moved_by_one() {
        let (found, new) = all("fn f(a: u32) -> Option<u32> { if a < 3 || !ok(a) { return Err(a); } None }");
        assert_eq!(found, ["never: a < 3", "never: !ok(a)", "boundary: a < 3"]);
        let wanted =
            "if crate::mutants::never(0, crate::mutants::less(2, &(a), &(3))) || crate::mutants::never(1, !ok(a)) {";
        assert!(new.contains(wanted), "{new}");
        syn::parse_file(&new).expect("Rust");
    }

    #[test]
    fn errors_are_dropped_and_checks_left_out() {
        let (found, new) = all("fn f() -> Result<(), E> { g(1)?; match x { 0 => {} y => return Err(y), } Ok(()) }");
        assert_eq!(found, ["function checks nothing: f", "error is dropped: g(1)", "no error: return Err(y)"]);
        assert!(
            new.contains("{ if crate::mutants::is(0) { return Ok(()); }  crate::mutants::skip(1, g(1))?;"),
            "{new}"
        );
        assert!(new.contains("y => { if !crate::mutants::is(2) { return Err(y); } },"), "{new}");
        syn::parse_file(&new).expect("Rust");
    }

    #[test]
    fn nothing_is_changed_in_tests_and_constants() {
        let (found, _) =
            all("const A: bool = 1 < 2; const fn f() -> bool { A } #[cfg(test)] mod t { fn g() -> bool { 1 == 2 } }");
        assert!(found.is_empty(), "{found:?}");
    }

    #[test]
    fn what_checks_nothing_is_not_weakened() {
        let (found, _) = all("fn f() -> Result<(), E> { Ok(()) } fn g() -> Result<(), E> { f() }");
        assert_eq!(found, ["function checks nothing: g"]);
    }

    #[test]
    fn what_is_within_stays_within() {
        let (found, new) = all("fn f(a: &[u32]) -> bool { a.iter().all(|x| *x == 1) }");
        assert_eq!(found.len(), 6);
        syn::parse_file(&new).expect("Rust");
        assert!(
            new.contains("always(3, a.iter().all(|x| crate::mutants::never(4, crate::mutants::always(5, *x == 1))))"),
            "{new}"
        );
    }
}
