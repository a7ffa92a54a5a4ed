//! Circles of a directed graph.

use std::collections::{BTreeMap, BTreeSet, VecDeque};

/// The nodes that each node leads to.
pub(super) type Edges = BTreeMap<usize, BTreeSet<usize>>;

/// Strongly connected components of more than one node, each sorted.
pub(super) fn components(edges: &Edges) -> Vec<Vec<usize>> {
    let reach: BTreeMap<usize, BTreeSet<usize>> = edges.keys().map(|node| (*node, reached(edges, *node))).collect();
    let leads = |from: usize, to: usize| reach.get(&from).is_some_and(|reached| reached.contains(&to));
    let mut taken = BTreeSet::new();
    let mut components = Vec::new();
    for (node, reached) in &reach {
        let component: Vec<usize> = reached.iter().copied().filter(|other| leads(*other, *node)).collect();
        if component.len() > 1 && taken.insert(component.clone()) {
            components.push(component);
        }
    }
    components
}

/// A shortest circle through nodes of a component, in order; the first node is not said again at the end.
pub(super) fn smallest(edges: &Edges, component: &[usize]) -> Vec<usize> {
    let circles = component.iter().filter_map(|node| through(edges, *node));
    circles.min_by_key(Vec::len).unwrap_or_default()
}

/// All nodes behind one, which is one of them if it lies on a circle.
fn reached(edges: &Edges, from: usize) -> BTreeSet<usize> {
    let mut reached = BTreeSet::new();
    let mut open = vec![from];
    while let Some(node) = open.pop() {
        open.extend(edges.get(&node).into_iter().flatten().copied().filter(|next| reached.insert(*next)));
    }
    reached
}

/// A shortest circle through a node.
fn through(edges: &Edges, node: usize) -> Option<Vec<usize>> {
    let mut before = BTreeMap::new();
    let mut open = VecDeque::from([node]);
    while let Some(at) = open.pop_front() {
        for next in edges.get(&at).into_iter().flatten().copied() {
            if next == node {
                let mut path = vec![at];
                while path[path.len() - 1] != node {
                    path.push(before[&path[path.len() - 1]]);
                }
                path.reverse();
                return Some(path);
            }
            before.entry(next).or_insert_with(|| {
                open.push_back(next);
                at
            });
        }
    }
    None
}
