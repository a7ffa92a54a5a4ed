//! The promises of lookups, as assertions.

use std::fmt::Write;

use circle_air::Link;

use super::row::Copy;
use crate::inputs::yields;
use crate::promises::values;
use crate::{Component, Document, Lookup, Node};

/// Ranges and exclusive ors of a lookup of a row.
pub(super) fn of_row(
    out: &mut String,
    document: &Document,
    component: &Component,
    copy: Copy<'_>,
    number: usize,
    lookup: &Lookup,
) {
    let Some(kind) = lookup.kind.map(|kind| &document.kinds[kind]) else { return };
    if yields(component, lookup) {
        return;
    }
    let guard = guard(component, copy, lookup);
    let tuple = values(kind, &lookup.values);
    let bit = |place: usize, bit: u32| format!("{}_l{number}_v{place}_b{bit}", copy.0);
    for (place, (value, bits)) in tuple.iter().zip(&kind.promise.bits).enumerate() {
        let Some(bits) = *bits else { continue };
        let names: Vec<String> = (0..bits).map(|index| bit(place, index)).collect();
        for name in &names {
            let _ = writeln!(out, "(declare-const {name} F)\n(assert (= (ff.mul {name} {name}) {name}))");
        }
        let sum = match &names[..] {
            [] => "(as ff0 F)".to_owned(),
            [only] => only.clone(),
            names => format!("(ff.bitsum {})", names.join(" ")),
        };
        let _ = writeln!(out, "(assert {})", guarded(guard.as_deref(), &format!("(= {} {sum})", copy.node(*value))));
    }
    if let (true, &[Some(bits), Some(_), Some(_)]) = (kind.promise.is_xor, &kind.promise.bits[..]) {
        for index in 0..bits {
            let [x, y, xor] = [0, 1, 2].map(|place| bit(place, index));
            let minus_two = document.prime - 2;
            let sum = format!("(= {xor} (ff.add {x} {y} (ff.mul (as ff{minus_two} F) {x} {y})))");
            let _ = writeln!(out, "(assert {})", guarded(guard.as_deref(), &sum));
        }
    }
}

/// Functions, each of the same lookup in both rows, and chains, each of the first and the last tuple.
pub(super) fn of_both(out: &mut String, document: &Document, component: &Component, [a, b]: [Copy<'_>; 2]) {
    let equal = |nodes: &[usize]| {
        let each = nodes.iter().map(|node| format!(" (= {} {})", a.node(*node), b.node(*node)));
        format!("(and true{})", each.collect::<String>())
    };
    let total = |copy: Copy<'_>, sum: &[(usize, u32)], tuple: &[usize]| {
        let term = |(place, factor): &(usize, u32)| {
            Some(format!(" (ff.mul (as ff{factor} F) {})", copy.node(*tuple.get(*place)?)))
        };
        format!("(ff.add (as ff0 F){})", sum.iter().filter_map(term).collect::<String>())
    };
    let mut assert = |lookups: &[&Lookup], keys: &[usize], others: &[usize], sum: &str| {
        let guards = lookups.iter().flat_map(|lookup| [a, b].map(|copy| guard(component, copy, lookup)));
        let guards: String = guards.flatten().map(|guard| format!(" {guard}")).collect();
        let _ = writeln!(out, "(assert (=> (and {}{guards}) (and {} {sum})))", equal(keys), equal(others));
    };
    for (number, kind) in document.kinds.iter().enumerate() {
        let of_kind = || component.lookups.iter().filter(|lookup| lookup.kind == Some(number));
        match kind.promise.link {
            Link::None => {}
            Link::Function { keys, .. } => {
                for lookup in of_kind() {
                    let tuple = values(kind, &lookup.values);
                    let sum = &kind.promise.sum;
                    let is_alone = |place: &usize| sum.iter().all(|(other, _)| other != place);
                    let (keys, others) = tuple.split_at(keys.min(tuple.len()));
                    let others: Vec<usize> =
                        (keys.len()..tuple.len()).filter(is_alone).map(|place| others[place - keys.len()]).collect();
                    let sum = match &sum[..] {
                        [] => "true".to_owned(),
                        sum => format!("(= {} {})", total(a, sum, tuple), total(b, sum, tuple)),
                    };
                    assert(&[lookup], keys, &others, &sum);
                }
            }
            Link::Chain { step } => {
                let is_end = |lookup: &&Lookup| {
                    let number = step.and_then(|step| values(kind, &lookup.values).get(step));
                    number.is_some_and(|number| matches!(component.nodes[*number], Node::Const(_)))
                };
                let firsts = of_kind().filter(is_end).filter(|lookup| yields(component, lookup));
                let lasts = of_kind().filter(is_end).filter(|lookup| !yields(component, lookup));
                for (first, last) in firsts.zip(lasts) {
                    assert(&[first, last], &first.values, &last.values, "true");
                }
            }
        }
    }
}

/// The condition that a lookup is made at all; `None` if it always is.
fn guard(component: &Component, copy: Copy<'_>, lookup: &Lookup) -> Option<String> {
    let is_always = matches!(component.nodes[lookup.multiplicity], Node::Const(value) if value != 0);
    (!is_always).then(|| format!("(not (= {} (as ff0 F)))", copy.node(lookup.multiplicity)))
}

fn guarded(guard: Option<&str>, text: &str) -> String {
    guard.map_or_else(|| text.to_owned(), |guard| format!("(=> {guard} {text})"))
}
