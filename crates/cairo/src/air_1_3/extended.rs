//! A proof with the auxiliary data of stwo's prover, which the reference's tools for circuits read.
//!
//! The reference's maps have no order, and its files differ from run to run; the maps that are written here are sorted.
//! Bincode writes a map as it writes a list of pairs, so that a list keeps the order of a file. An empty list takes
//! three times its bytes in memory: lists of lists are only as long as proofs can have them, and memory is taken for no
//! more.

use std::fmt;
use std::marker::PhantomData;

use circle_proof::stwo_verifier::StwoHasher;
use serde::de::{Deserializer, Error, SeqAccess, Visitor};
use serde::{Deserialize, Serialize};
use stwo::core::fields::qm31::SecureField;
use stwo::core::proof::StarkProof;

/// A proof of the prover with its auxiliary data. The fields are in the order of the reference's.
#[derive(Serialize, Deserialize)]
pub(super) struct Extended<H: StwoHasher> {
    pub(super) proof: StarkProof<H>,
    aux: Aux<H::Hash>,
}

/// A map in bincode.
type Map<T> = Vec<(usize, T)>;

/// Trees of columns: preprocessed, main, interaction, composition.
const MAX_TREES: usize = 4;
/// Levels of a tree, and layers of FRI: domains have at most `2^31` points.
const MAX_LEVELS: usize = 31;

/// A list of at most so many elements. The memory for them is taken as they are read.
fn at_most<'de, D: Deserializer<'de>, T: Deserialize<'de>, const MOST: usize>(
    deserializer: D,
) -> Result<Vec<T>, D::Error> {
    struct AtMost<T, const MOST: usize>(PhantomData<T>);

    impl<'de, T: Deserialize<'de>, const MOST: usize> Visitor<'de> for AtMost<T, MOST> {
        type Value = Vec<T>;

        fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
            write!(f, "a list of at most {MOST}")
        }

        fn visit_seq<A: SeqAccess<'de>>(self, mut elements: A) -> Result<Vec<T>, A::Error> {
            let mut list = Vec::new();
            while let Some(element) = elements.next_element()? {
                if list.len() == MOST {
                    return Err(A::Error::custom(format!(
                        "a list in the auxiliary data has more than {MOST} elements"
                    )));
                }
                list.push(element);
            }
            Ok(list)
        }
    }
    deserializer.deserialize_seq(AtMost::<T, MOST>(PhantomData))
}

#[derive(Serialize, Deserialize)]
#[serde(bound(deserialize = "D: Deserialize<'de>"))]
struct Aux<D> {
    unsorted_query_locations: Vec<usize>,
    #[serde(deserialize_with = "at_most::<_, _, MAX_TREES>")]
    trace_decommitment: Vec<DecommitmentAux<D>>,
    fri: FriAux<D>,
}

#[derive(Serialize, Deserialize)]
#[serde(bound(deserialize = "D: Deserialize<'de>"))]
struct FriAux<D> {
    first_layer: LayerAux<D>,
    #[serde(deserialize_with = "at_most::<_, _, MAX_LEVELS>")]
    inner_layers: Vec<LayerAux<D>>,
}

#[derive(Serialize, Deserialize)]
#[serde(bound(deserialize = "D: Deserialize<'de>"))]
struct LayerAux<D> {
    /// One map.
    #[serde(deserialize_with = "at_most::<_, _, 1>")]
    all_values: Vec<Map<SecureField>>,
    decommitment: DecommitmentAux<D>,
}

#[derive(Serialize, Deserialize)]
#[serde(bound(deserialize = "D: Deserialize<'de>"))]
struct DecommitmentAux<D> {
    #[serde(deserialize_with = "at_most::<_, _, MAX_LEVELS>")]
    all_node_values: Vec<Map<D>>,
}

impl<H: StwoHasher> Extended<H> {
    /// Sorts its maps.
    pub(super) fn sort(&mut self) {
        let Aux { trace_decommitment, fri, .. } = &mut self.aux;
        let layers = std::iter::once(&mut fri.first_layer).chain(&mut fri.inner_layers);
        let mut nodes: Vec<_> = trace_decommitment.iter_mut().collect();
        for LayerAux { all_values, decommitment } in layers {
            all_values.iter_mut().for_each(|values| values.sort_by_key(|(at, _)| *at));
            nodes.push(decommitment);
        }
        let levels = nodes.into_iter().flat_map(|nodes| &mut nodes.all_node_values);
        levels.for_each(|level| level.sort_by_key(|(at, _)| *at));
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;

    use circle_proof::auxiliary::Nodes;
    use circle_proof::stwo_verifier::extended;
    use circle_proof::{Auxiliary, AuxiliaryLayer};
    use field::{M31, QM31};
    use stwo::core::vcs_lifted::blake2_merkle::Blake2sMerkleHasher;

    use super::*;
    use crate::verify::tests::fib_10;

    /// As files of the reference have them.
    #[test]
    fn maps_in_any_order_are_sorted() {
        let nodes: Nodes = vec![(0..4).map(|at| (at, [at as u8; 32])).collect(); 2];
        let values: BTreeMap<_, _> = (0..4).map(|at| (at, QM31::from(M31::new(at as u32)))).collect();
        let layer = || AuxiliaryLayer { values: values.clone(), nodes: nodes.clone() };
        let layers = vec![layer(), layer()];
        let auxiliary = Auxiliary { drawn_queries: vec![3, 1], trees: vec![nodes.clone(); 2], layers };
        let extended = extended(fib_10().stark_proof, auxiliary).unwrap();
        let mut extended: Extended<Blake2sMerkleHasher> =
            bincode1::deserialize(&bincode1::serialize(&extended).unwrap()).unwrap();
        extended.sort();
        let bytes = |extended: &Extended<_>| bincode1::serialize(extended).unwrap();
        let sorted = bytes(&extended);
        let Aux { trace_decommitment, fri, .. } = &mut extended.aux;
        trace_decommitment[1].all_node_values[0].reverse();
        fri.first_layer.all_values[0].reverse();
        fri.inner_layers[0].decommitment.all_node_values[1].reverse();
        assert_ne!(bytes(&extended), sorted);
        extended.sort();
        assert!(bytes(&extended) == sorted);
    }

    /// Millions of empty lists would take many times the bytes of the file.
    #[test]
    fn lists_are_no_longer_than_proofs_have_them() {
        let nodes = |levels: usize| DecommitmentAux::<u8> { all_node_values: vec![Vec::new(); levels] };
        let layer = |maps, levels| LayerAux { all_values: vec![Vec::new(); maps], decommitment: nodes(levels) };
        let aux = |trees: usize, levels, layers: usize, maps| Aux {
            unsorted_query_locations: Vec::new(),
            trace_decommitment: (0..trees).map(|_| nodes(levels)).collect(),
            fri: FriAux { first_layer: layer(maps, levels), inner_layers: (0..layers).map(|_| layer(1, 1)).collect() },
        };
        let read = |aux: &Aux<u8>| bincode1::deserialize::<Aux<u8>>(&bincode1::serialize(aux).unwrap()).map(drop);
        read(&aux(4, 31, 31, 1)).unwrap();
        for (longer, most) in
            [(aux(5, 1, 1, 1), 4), (aux(4, 32, 1, 1), 31), (aux(4, 1, 32, 1), 31), (aux(4, 1, 1, 2), 1)]
        {
            let error = read(&longer).unwrap_err().to_string();
            assert!(error.contains(&format!("more than {most} elements")), "{error}");
        }
    }
}
