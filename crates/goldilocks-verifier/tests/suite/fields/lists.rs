//! Every list of a proof emptied, doubled and permuted, and each of its items dropped and repeated.

use goldilocks_proof::{Opening, Proof};
use gpu_hal::CosetProtocol;

use crate::common::{BASE, Base, Case, Cubic, case, cubic};

/// Changes of a list that need not know its items.
trait List {
    fn size(&self) -> usize;
    fn drop_item(&mut self, at: usize);
    fn repeat_item(&mut self, at: usize);
    fn swap_items(&mut self, a: usize, b: usize);
    fn empty(&mut self);
    fn twice(&mut self);
}

impl<T: Clone> List for Vec<T> {
    fn size(&self) -> usize {
        self.len()
    }
    fn drop_item(&mut self, at: usize) {
        self.remove(at);
    }
    fn repeat_item(&mut self, at: usize) {
        self.insert(at, self[at].clone());
    }
    fn swap_items(&mut self, a: usize, b: usize) {
        self.swap(a, b);
    }
    fn empty(&mut self) {
        self.clear();
    }
    fn twice(&mut self) {
        self.extend_from_within(..);
    }
}

fn opening_lists<F: Clone>(opening: &mut Opening<F>) -> [&mut dyn List; 4] {
    [&mut opening.path, &mut opening.path_sym, &mut opening.evaluations, &mut opening.evaluations_sym]
}

/// Every list in a proof.
fn lists<P: CosetProtocol>(proof: &mut Proof<P>) -> Vec<&mut dyn List> {
    let mut all: Vec<&mut dyn List> = vec![&mut proof.trace_ood.data, &mut proof.composition_ood, &mut proof.fri_roots];
    for decommitment in &mut proof.fri_decommitments {
        all.extend(decommitment.paths.iter_mut().map(|path| path as &mut dyn List));
        all.push(&mut decommitment.values);
    }
    for opening in &mut proof.deep_openings {
        all.extend(opening_lists(&mut opening.composition));
        all.extend(opening_lists(&mut opening.main));
        if let Some(aux) = &mut opening.aux {
            all.extend(opening_lists(aux));
        }
    }
    all
}

/// The lists with one item for each query.
fn outer_lists<P: CosetProtocol>(proof: &mut Proof<P>) -> Vec<&mut dyn List> {
    vec![&mut proof.fri_decommitments, &mut proof.deep_openings]
}

/// The lists of paths.
fn path_lists<P: CosetProtocol>(proof: &mut Proof<P>) -> Vec<&mut dyn List> {
    proof.fri_decommitments.iter_mut().map(|decommitment| &mut decommitment.paths as &mut dyn List).collect()
}

type Lists<P> = fn(&mut Proof<P>) -> Vec<&mut dyn List>;

/// Applies a change to one list; refused unless the change does nothing.
fn refused<P: CosetProtocol>(
    case: &Case<P>,
    select: Lists<P>,
    index: usize,
    what: &str,
    change: impl Fn(&mut dyn List),
) {
    let mut proof = case.proof.clone();
    change(select(&mut proof)[index]);
    if proof != case.proof {
        assert!(case.verify(&proof).is_err(), "{}: list {index}, {what}", case.name);
    }
}

fn all_list_changes<P: CosetProtocol>(case: &Case<P>, select: Lists<P>) -> usize {
    let sizes: Vec<usize> = select(&mut case.proof.clone()).iter().map(|list| list.size()).collect();
    for (index, &size) in sizes.iter().enumerate() {
        refused(case, select, index, "emptied", |list| list.empty());
        refused(case, select, index, "doubled", |list| list.twice());
        for at in 0..size {
            refused(case, select, index, "item dropped", |list| list.drop_item(at));
            refused(case, select, index, "item repeated", |list| list.repeat_item(at));
            for other in 0..at {
                refused(case, select, index, "items swapped", |list| list.swap_items(at, other));
            }
        }
    }
    sizes.iter().sum()
}

#[test]
fn every_list_of_every_vector() {
    for case in cubic() {
        for select in [lists, outer_lists, path_lists] as [Lists<Cubic>; 3] {
            assert!(all_list_changes(&case, select) > 0);
        }
    }
    let case = case::<Base>(BASE);
    for select in [lists, outer_lists, path_lists] as [Lists<Base>; 3] {
        assert!(all_list_changes(&case, select) > 0);
    }
}
