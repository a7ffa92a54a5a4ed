//! Openings of the queries: goldilocks.md, section 9, in one gather.

use field::{ExtensionField, Goldilocks};
use gpu_hal::{Columns, CosetProtocol, OpenRequest, Opened, StarkBackend};
use proof::{DeepOpening, FriDecommitment, Opening};

use super::ProveError;
use super::context::{Committed, Context};
use super::fri::Fri;
use crate::table::Ext;

/// The opened parts of a proof.
pub(crate) struct Openings<P: CosetProtocol> {
    pub(crate) fri: Vec<FriDecommitment<P::Ext>>,
    pub(crate) deep: Vec<DeepOpening<P>>,
}

/// Rows and leaves of one tree.
struct Wanted {
    rows: Vec<usize>,
    leaves: Vec<usize>,
}

impl<B: StarkBackend<P: CosetProtocol>, S> Context<'_, B, S> {
    /// Opens everything at the queries. Query `i` stands for the points `x` and `-x` at storage indices `2i` and
    /// `2i + 1`.
    pub(crate) fn open(
        &self,
        main: &Committed<B>,
        aux: Option<&Committed<B>>,
        composition: &Committed<B>,
        fri: &Fri<B>,
        queries: &[usize],
    ) -> Result<Openings<B::P>, ProveError> {
        let pairs: Vec<usize> = queries.iter().flat_map(|query| [2 * query, 2 * query + 1]).collect();
        let mut wanted = vec![Wanted { rows: pairs.clone(), leaves: pairs.clone() }];
        let mut trees = vec![(main.lde.as_ref(), &main.tree)];
        if let Some(aux) = aux {
            wanted.push(Wanted { rows: pairs.clone(), leaves: pairs.clone() });
            trees.push((aux.lde.as_ref(), &aux.tree));
        }
        wanted.push(Wanted { rows: pairs, leaves: queries.to_vec() });
        trees.push((composition.lde.as_ref(), &composition.tree));
        // Layer k holds, at index i_k, the value that the verifier computes; its sibling is opened.
        let mut indices = queries.to_vec();
        for layer in &fri.layers {
            wanted.push(Wanted {
                rows: indices.iter().map(|index| index ^ 1).collect(),
                leaves: indices.iter().map(|index| index >> 1).collect(),
            });
            trees.push((layer.lde.as_ref(), &layer.tree));
            indices.iter_mut().for_each(|index| *index >>= 1);
        }
        let tables: Vec<[Columns<&B::Buffer>; 1]> = trees.iter().map(|(table, _)| [*table]).collect();
        let requests: Vec<OpenRequest<'_, B::T>> = wanted
            .iter()
            .zip(&trees)
            .zip(&tables)
            .map(|((wanted, &(_, tree)), columns)| OpenRequest {
                columns,
                tree,
                rows: &wanted.rows,
                leaves: &wanted.leaves,
            })
            .collect();
        let opened = self.backend.open(&requests)?;
        let of_width = |(opened, (table, _)): (&Opened<_>, &(Columns<_>, _))| {
            opened.rows.iter().all(|row| row.len() == table.width)
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
    let value =
        |c: &[Goldilocks]| E::from_coordinates(c).expect("a chunk has as many elements as the extension's degree");
    row.chunks_exact(E::DEGREE).map(value).collect()
}
