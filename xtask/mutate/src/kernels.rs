//! Where the text of a kernel can be weakened: its barriers, and the conditions that compare a number with a bound.

use crate::find::{Edit, Mutant};

/// Statements that wait for other threads.
const BARRIERS: [&str; 3] = ["GROUP_BARRIER();", "NTT_EXCHANGE();", "BARRIER();"];

/// Comparisons, each with the comparison moved by one; longer ones before their beginnings.
const COMPARISONS: [(&str, &str); 4] = [(" >= ", " > "), (" <= ", " < "), (" > ", " >= "), (" < ", " <= ")];

/// All mutants of a file. It is read line by line: kernels have one statement and one condition a line.
pub fn mutants(source: &str) -> Vec<Mutant> {
    let (mut found, mut function, mut start) = (Vec::new(), String::new(), 0);
    let lines: Vec<&str> = source.split_inclusive('\n').collect();
    for (number, line) in lines.iter().enumerate() {
        let code = line.split("//").next().unwrap_or_default();
        if let Some(name) = named(code) {
            function = name;
        }
        let mut add = |how: &'static str, text: &str, edits: Vec<Edit>| {
            let (function, text) = (function.clone(), text.to_owned());
            found.push(Mutant { how: how.into(), function, line: number + 1, text, edits });
        };
        let is_definition = code.trim_start().starts_with('#');
        if let Some((at, text)) = barrier(code).filter(|_| !is_definition) {
            let at = start + at;
            add("no barrier", text, vec![insert(at, "if (!MUTANT({})) ", false)]);
        }
        if let Some((at, text)) = condition(code).filter(|_| !is_definition) {
            let (open, close) = (start + at, start + at + text.len());
            let next = lines.get(number + 1).map_or("", |line| line.trim_start());
            let (how, call) = if next.starts_with("return;") {
                ("never", "MUTANT_NEVER({}, ")
            } else {
                ("always", "MUTANT_ALWAYS({}, ")
            };
            add(how, text, vec![insert(open, call, false), insert(close, ")", true)]);
            if let Some((left, right, moved)) = comparison(text) {
                let by = format!("MUTANT({{}}) ? ({left}{moved}{right}) : (");
                add("boundary", text, vec![insert(open, &by, false), insert(close, ")", true)]);
            }
        }
        start += line.len();
    }
    found
}

fn insert(at: usize, by: &str, closes: bool) -> Edit {
    Edit { at: at..at, by: by.to_owned(), closes }
}

/// The name that a line gives to a kernel or to a function.
fn named(code: &str) -> Option<String> {
    let rest = ["KERNEL(", "KERNEL_BOUNDED("].iter().find_map(|start| code.strip_prefix(start));
    let name = match rest {
        Some(rest) => rest.split(',').next()?,
        None if code.starts_with("FN") => code.split('(').next()?.split_whitespace().last()?,
        None => return None,
    };
    Some(name.trim().to_owned())
}

fn barrier(code: &str) -> Option<(usize, &str)> {
    BARRIERS.iter().find_map(|name| Some((code.find(name)?, &code[code.find(name)?..][..name.len()])))
}

/// The condition in `if (...) {`, if it compares numbers when the program runs.
fn condition(code: &str) -> Option<(usize, &str)> {
    let at = code.find("if (")? + 4;
    let end = at + code[at..].find(") {")?;
    let text = &code[at..end];
    let is_whole = text.matches('(').count() == text.matches(')').count();
    (is_whole && COMPARISONS.iter().any(|(sign, _)| text.contains(sign))).then_some((at, text))
}

/// Both sides of the only comparison of a condition, and the comparison that replaces it.
fn comparison(text: &str) -> Option<(&str, &str, &'static str)> {
    if text.contains("&&") || text.contains("||") {
        return None;
    }
    let (sign, moved) = COMPARISONS.iter().find(|(sign, _)| text.contains(sign))?;
    let (left, right) = text.split_once(sign)?;
    Some((left, right, moved))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::rewrite::rewrite;

    #[test]
    fn barriers_and_bounds_of_a_kernel() {
        let source = "#define BARRIER() x();\nKERNEL(k, IN(0, u64, a), P) {\n    if (i >= p.count) {\n        return;\n    }\n    \
                      BARRIER(); // BARRIER();\n    if (ok && i < p.n) {\n    if (p.flags != 0) {\n";
        let found = mutants(source);
        let ways: Vec<_> =
            found.iter().map(|mutant| (mutant.how.as_ref(), mutant.function.as_str(), mutant.line)).collect();
        assert_eq!(ways, [("never", "k", 3), ("boundary", "k", 3), ("no barrier", "k", 6), ("always", "k", 7)]);
        let numbered: Vec<(u32, &Mutant)> = (0..).zip(&found).collect();
        let new = rewrite(source, &numbered).0;
        assert!(
            new.contains("if (MUTANT_NEVER(0, MUTANT(1) ? (i > p.count) : (i >= p.count))) {"),
            "a condition with both: {new}"
        );
        assert!(new.contains("if (!MUTANT(2)) BARRIER();"), "{new}");
        assert!(new.contains("if (MUTANT_ALWAYS(3, ok && i < p.n)) {"), "{new}");
    }
}
