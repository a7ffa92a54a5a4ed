//! Openings of the queries: goldilocks.md, section 9, in one gather.

use field::{ExtensionField, Goldilocks};
use goldilocks_proof::lambdaworks::layout::{Places, places};
use goldilocks_proof::{DeepOpening, FriDecommitment, Opening, Part, lambdaworks};
use gpu_hal::{Columns, CosetProtocol, OpenRequest, Opened, StarkBackend};

use super::ProveError;
use super::context::{Committed, Context};
use super::fri::Fri;
use crate::openings::TreeOpenings;
use crate::table::{Ext, element};

/// The opened parts of a proof.
pub(crate) struct Openings<P: CosetProtocol> {
    pub(crate) fri: Vec<FriDecommitment<P::Ext>>,
    pub(crate) deep: Vec<DeepOpening<P>>,
}

impl<B: StarkBackend<P: CosetProtocol>, S> Context<'_, B, S, lambdaworks::Options> {
    /// Opens everything at the queries, at the places of the format.
    pub(crate) fn open(
        &self,
        main: &Committed<B>,
        aux: Option<&Committed<B>>,
        composition: &Committed<B>,
        fri: &Fri<B>,
        queries: &[u64],
    ) -> Result<Openings<B::P>, ProveError> {
        let mut trees = vec![(Part::Main, main)];
        trees.extend(aux.map(|aux| (Part::Aux, aux)));
        trees.push((Part::Composition, composition));
        trees.extend(fri.layers.iter().zip(1..).map(|(layer, number)| (Part::Fri(number), layer)));
        let wanted = |&(part, _): &(Part, &Committed<B>)| {
            let mut wanted = TreeOpenings { rows: Vec::new(), leaves: Vec::new() };
            for query in queries {
                let Places { rows, leaves } = places(part, *query);
                wanted.rows.extend(rows.map(|row| row as usize));
                wanted.leaves.extend(leaves.map(|leaf| leaf as usize));
            }
            wanted
        };
        let wanted: Vec<TreeOpenings> = trees.iter().map(wanted).collect();
        let tables: Vec<[Columns<&B::Buffer>; 1]> = trees.iter().map(|(_, tree)| [tree.lde.as_ref()]).collect();
        let requests: Vec<OpenRequest<'_, B::T>> = wanted
            .iter()
            .zip(&trees)
            .zip(&tables)
            .map(|((wanted, (_, tree)), columns)| wanted.of::<B>(columns, &tree.tree))
            .collect();
        let opened = self.backend.open(&requests)?;
        let of_width = |(opened, (_, tree)): (&Opened<_>, &(Part, &Committed<B>))| {
            opened.rows.iter().all(|row| row.len() == tree.lde.width)
        };
        debug_assert!(opened.iter().zip(&trees).all(of_width), "rows of another width than their table's");
        let mut opened = opened.into_iter();
        let mut next = || opened.next().expect("one answer per request");
        let main = next();
        let aux = aux.map(|_| next());
        let composition = next();
        let layers: Vec<Opened<Goldilocks>> = opened.collect();

        let deep = (0..queries.len())
            .map(|query| DeepOpening {
                composition: Opening {
                    path: composition.paths[query].clone(),
                    path_sym: composition.paths[query].clone(),
                    evaluations: extension::<Ext<B>>(&composition.rows[2 * query]),
                    evaluations_sym: extension::<Ext<B>>(&composition.rows[2 * query + 1]),
                },
                main: single(&main, query, |row| row.to_vec()),
                aux: aux.as_ref().map(|aux| single(aux, query, extension::<Ext<B>>)),
            })
            .collect();
        let fri = (0..queries.len())
            .map(|query| FriDecommitment {
                paths: layers.iter().map(|layer| layer.paths[query].clone()).collect(),
                values: layers.iter().map(|layer| extension::<Ext<B>>(&layer.rows[query])[0]).collect(),
            })
            .collect();
        Ok(Openings { fri, deep })
    }
}

/// An opening of two leaves of one row each.
fn single<T>(opened: &Opened<Goldilocks>, query: usize, values: impl Fn(&[Goldilocks]) -> Vec<T>) -> Opening<T> {
    Opening {
        path: opened.paths[2 * query].clone(),
        path_sym: opened.paths[2 * query + 1].clone(),
        evaluations: values(&opened.rows[2 * query]),
        evaluations_sym: values(&opened.rows[2 * query + 1]),
    }
}

fn extension<E: ExtensionField<Goldilocks>>(row: &[Goldilocks]) -> Vec<E> {
    row.chunks_exact(E::DEGREE).map(element).collect()
}
