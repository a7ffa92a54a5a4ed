//! Openings of the queries of a compact proof: section 6.6, in one gather.

use field::{ExtensionField, Goldilocks};
use goldilocks_proof::compact::opening::{siblings, unknown};
use goldilocks_proof::compact::{Opening, Openings, Options};
use gpu_hal::{Columns, CosetProtocol, DeviceTree, OpenRequest, Opened, StarkBackend};

use crate::goldilocks::ProveError;
use crate::goldilocks::context::{Committed, Context};
use crate::openings::TreeOpenings;
use crate::table::{Ext, element};

impl<B: StarkBackend<P: CosetProtocol>, S> Context<'_, B, S, Options> {
    /// Opens everything at the positions.
    pub(super) fn open_all(
        &self,
        main: &Committed<B>,
        aux: Option<&Committed<B>>,
        composition: &Committed<B>,
        layers: &[Committed<B>],
        positions: &[Vec<u64>],
    ) -> Result<Openings<B::P>, ProveError> {
        let folds = &self.options.folds;
        let mut trees = vec![main];
        trees.extend(aux);
        trees.push(composition);
        // All rows of the leaves.
        let mut wanted: Vec<TreeOpenings> =
            trees.iter().map(|_| wanted(&positions[0], unknown(&[], &positions[0], folds[0]))).collect();
        trees.extend(layers);
        wanted.extend((1..folds.len()).map(|layer| {
            let (known, leaves) = (&positions[layer - 1], &positions[layer]);
            self::wanted(leaves, unknown(known, leaves, folds[layer]))
        }));
        let tables: Vec<Vec<Columns<&B::Buffer>>> = trees.iter().map(|tree| tree.tables()).collect();
        let requests: Vec<OpenRequest<'_, B::T>> = wanted
            .iter()
            .zip(&trees)
            .zip(&tables)
            .map(|((wanted, tree), table)| wanted.of::<B>(table, &tree.tree))
            .collect();
        let opened = self.backend.open(&requests)?;
        let mut opened = opened.into_iter().zip(&trees).zip(&wanted).map(|((opened, tree), wanted)| {
            let digests = digests(&opened, &wanted.leaves, tree.tree.log_leaves());
            let salts = tree.salts.as_ref().map_or(0, |salts| salts.width);
            let split = |row: &'_ Vec<Goldilocks>| row.len() - salts;
            let values: Vec<Goldilocks> = opened.rows.iter().flat_map(|row| &row[..split(row)]).copied().collect();
            let salts: Vec<Goldilocks> = opened.rows.iter().flat_map(|row| &row[split(row)..]).copied().collect();
            Opening { values, salts, digests }
        });
        let mut next = || opened.next().expect("one answer per request");
        let main = next();
        let mut next = || {
            let Opening { values, salts, digests } = next();
            Opening { values: extension::<Ext<B>>(&values), salts, digests }
        };
        let aux = aux.map(|_| next());
        let composition = next();
        Ok(Openings { main, aux, composition, layers: layers.iter().map(|_| next()).collect() })
    }
}

fn wanted(leaves: &[u64], rows: impl Iterator<Item = u64>) -> TreeOpenings {
    let rows = rows.map(|row| row as usize).collect();
    TreeOpenings { rows, leaves: leaves.iter().map(|leaf| *leaf as usize).collect() }
}

/// The digests that an opening of all leaves has, from the paths of each.
fn digests(opened: &Opened<Goldilocks>, leaves: &[usize], depth: u32) -> Vec<gpu_hal::Digest> {
    let all: Vec<u64> = leaves.iter().map(|leaf| *leaf as u64).collect();
    let of_node = |(level, index): (u32, u64)| {
        // A known leaf under the sibling of the node.
        let under = (index ^ 1) << level;
        let leaf = all.partition_point(|leaf| *leaf < under);
        opened.paths[leaf][level as usize]
    };
    siblings(&all, depth).into_iter().map(of_node).collect()
}

fn extension<E: ExtensionField<Goldilocks>>(values: &[Goldilocks]) -> Vec<E> {
    values.chunks_exact(E::DEGREE).map(element).collect()
}
