//! Constraints as sums of products of selectors, and the rows that they hold on.
//!
//! Plonky3 says of a selector where it is zero: `is_first_row` everywhere but on the first row, `is_last_row`
//! everywhere but on the last, `is_transition` on the last row. Elsewhere it has any value but zero: its provers and
//! its row-by-row check have different ones. The meaning of a constraint is therefore certain if on every row at most
//! one term of the sum is there: then the other factor of that term is zero.

use crate::graph::{Graph, Id};

/// A product of selectors: how often each is a factor. At least two rows are different, so no product of the last row's
/// selector with one of the others is kept: it is zero on all rows.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Product {
    pub(crate) first: u16,
    pub(crate) last: u16,
    pub(crate) transition: u16,
}

/// `sum of product * node`, every product once, no node the constant zero.
pub(crate) type Form = Vec<(Product, Id)>;

/// The rows that a constraint holds on.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Place {
    All,
    AllButLast,
    First,
    Last,
}

/// A selector to too high a power.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct TooHigh;

/// Adds `product * node`.
fn push(form: &mut Form, graph: &mut Graph, product: Product, node: Id) {
    match form.iter().position(|(other, _)| *other == product) {
        Some(at) => form[at].1 = graph.sum(form[at].1, node),
        None => form.push((product, node)),
    }
}

fn without_zeros(mut form: Form, graph: &Graph) -> Form {
    form.retain(|(_, node)| !graph.is(*node, 0));
    form
}

/// `a + b`.
pub(crate) fn sum(graph: &mut Graph, a: &Form, b: &Form) -> Form {
    let mut out = a.clone();
    b.iter().for_each(|(product, node)| push(&mut out, graph, *product, *node));
    without_zeros(out, graph)
}

/// `a - b`.
pub(crate) fn difference(graph: &mut Graph, a: &Form, b: &Form) -> Form {
    let mut out = a.clone();
    for &(product, node) in b {
        match out.iter().position(|(other, _)| *other == product) {
            Some(at) => out[at].1 = graph.difference(out[at].1, node),
            None => {
                let node = graph.negation(node);
                out.push((product, node));
            }
        }
    }
    without_zeros(out, graph)
}

/// `-a`.
pub(crate) fn negation(graph: &mut Graph, a: &Form) -> Form {
    a.iter().map(|(product, node)| (*product, graph.negation(*node))).collect()
}

/// `a * b`.
pub(crate) fn product(graph: &mut Graph, a: &Form, b: &Form) -> Result<Form, TooHigh> {
    let mut out = Form::new();
    for (left, a) in a {
        for (right, b) in b {
            let add = |a: u16, b: u16| a.checked_add(b).ok_or(TooHigh);
            let product = Product {
                first: add(left.first, right.first)?,
                last: add(left.last, right.last)?,
                transition: add(left.transition, right.transition)?,
            };
            if product.last == 0 || (product.first == 0 && product.transition == 0) {
                let node = graph.product(*a, *b);
                push(&mut out, graph, product, node);
            }
        }
    }
    Ok(without_zeros(out, graph))
}

/// Where the constraint `form = 0` holds, and the expression that is zero there. The name of the rows where that is not
/// certain is an error.
pub(crate) fn places(form: &Form) -> Result<Vec<(Place, Id)>, &'static str> {
    let terms = |of: &dyn Fn(Product) -> bool| -> Vec<Id> {
        form.iter().filter(|(product, _)| of(*product)).map(|(_, node)| *node).collect()
    };
    let plain = terms(&|product| product == Product::default());
    let transition = terms(&|product| product.first == 0 && product.transition > 0);
    let first = terms(&|product| product.first > 0);
    let last = terms(&|product| product.last > 0);
    if plain.len() + transition.len() + first.len() > 1 {
        let others = plain.len() + transition.len() > 1;
        return Err(if others { "all rows but the last" } else { "the first row" });
    }
    if plain.len() + last.len() > 1 {
        return Err("the last row");
    }
    let all = [(Place::All, plain), (Place::AllButLast, transition), (Place::First, first), (Place::Last, last)];
    Ok(all.into_iter().flat_map(|(place, nodes)| nodes.into_iter().map(move |node| (place, node))).collect())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::graph::Node;

    const FIRST: Product = Product { first: 1, last: 0, transition: 0 };
    const LAST: Product = Product { first: 0, last: 1, transition: 0 };
    const TRANSITION: Product = Product { first: 0, last: 0, transition: 1 };

    #[test]
    fn products_that_are_zero_on_all_rows_vanish() {
        let mut graph = Graph::default();
        let x = graph.add(Node::Public(0));
        for (a, b, left) in [(FIRST, LAST, 0), (LAST, TRANSITION, 0), (FIRST, TRANSITION, 1), (LAST, LAST, 1)] {
            let made = product(&mut graph, &vec![(a, x)], &vec![(b, x)]).expect("small powers");
            assert_eq!(made.len(), left, "{a:?} {b:?}");
        }
        let much = Product { first: u16::MAX, ..FIRST };
        assert_eq!(product(&mut graph, &vec![(much, x)], &vec![(FIRST, x)]), Err(TooHigh));
    }

    #[test]
    fn what_cancels_is_gone() {
        let mut graph = Graph::default();
        let x = graph.add(Node::Public(0));
        let form = vec![(FIRST, x), (LAST, x)];
        assert_eq!(difference(&mut graph, &form, &vec![(FIRST, x)]), [(LAST, x)]);
        assert_eq!(difference(&mut graph, &form, &form), []);
    }

    #[test]
    fn selectors_meet_on_a_row_or_do_not() {
        let one = Product::default();
        let squared = Product { transition: 2, ..TRANSITION };
        let right: [(&[Product], &[Place]); 6] = [
            (&[one], &[Place::All]),
            (&[squared], &[Place::AllButLast]),
            (&[Product { transition: 3, ..FIRST }], &[Place::First]),
            (&[FIRST, LAST], &[Place::First, Place::Last]),
            (&[LAST, TRANSITION], &[Place::AllButLast, Place::Last]),
            (&[], &[]),
        ];
        for (products, expected) in right {
            let form: Form = products.iter().map(|product| (*product, 7)).collect();
            let places = places(&form).expect("certain");
            assert_eq!(places, expected.iter().map(|place| (*place, 7)).collect::<Vec<_>>());
        }
        let wrong: [(&[Product], &str); 6] = [
            (&[one, FIRST], "the first row"),
            (&[FIRST, TRANSITION], "the first row"),
            (&[FIRST, Product { transition: 1, ..FIRST }], "the first row"),
            (&[one, TRANSITION], "all rows but the last"),
            (&[TRANSITION, squared], "all rows but the last"),
            (&[one, LAST], "the last row"),
        ];
        for (products, rows) in wrong {
            let form: Form = products.iter().map(|product| (*product, 7)).collect();
            assert_eq!(places(&form), Err(rows), "{products:?}");
        }
        let powers = [LAST, Product { last: 2, ..LAST }].map(|product| (product, 7));
        assert!(places(&powers.to_vec()).is_err());
    }
}
