//! Fact topologies: the pages of a task's output, and the tree over them.

use serde::{Deserialize, Serialize};

use crate::BuiltinName;
use crate::pie::{AdditionalData, CairoPie};

/// The attribute that has the tree, its longest length, and the largest number in it.
const ATTRIBUTE: &str = "gps_fact_topology";
const MAX_LENGTH: usize = 10;
const MAX_NUMBER: u64 = 1 << 30;

/// The fact topology of a task.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize, Serialize)]
#[serde(deny_unknown_fields)]
pub struct FactTopology {
    /// Pairs of numbers of pages and nodes, as the verifier of facts reads them.
    pub tree_structure: Vec<u64>,
    /// Words of the pages, in order.
    pub page_sizes: Vec<u64>,
}

impl FactTopology {
    /// The fact topology of a run that has put out `size` words, or why it has none.
    pub(super) fn of_pie(pie: &CairoPie, size: u64) -> Result<Self, String> {
        let data = pie.additional_data.iter().find(|(name, _)| *name == BuiltinName::Output);
        data.map_or(Ok(Self::plain(0)), |(_, data)| Self::of(data, size))
    }

    /// The fact topology of an output of one page.
    pub(super) fn plain(size: u64) -> Self {
        Self { tree_structure: vec![1, 0], page_sizes: vec![size] }
    }

    /// The fact topology of an output of `size` words with these data, or why it has none.
    fn of(data: &AdditionalData, size: u64) -> Result<Self, String> {
        let AdditionalData::Output { pages, attributes } = data else {
            return Ok(Self::plain(0));
        };
        let tree_structure = match attributes.get(ATTRIBUTE) {
            Some(tree) if tree.len() % 2 != 0 || tree.len() > MAX_LENGTH || tree.iter().any(|n| *n > MAX_NUMBER) => {
                return Err(format!("its attribute {ATTRIBUTE} is no tree"));
            }
            Some(tree) => tree.clone(),
            None if pages.is_empty() => vec![1, 0],
            None => return Err(format!("its output has pages, and no attribute {ATTRIBUTE}")),
        };
        // The first page has no entry. Pages follow each other up to the end.
        let mut page_sizes = vec![pages.get(&1).map_or(size, |page| page.start)];
        let mut next = page_sizes[0];
        for (number, page) in pages {
            if *number != page_sizes.len() as u64 || page.start != next {
                return Err(format!("page {number} of its output does not follow the one before"));
            }
            page_sizes.push(page.size);
            next = page.start.saturating_add(page.size);
        }
        if next != size {
            return Err(format!("the pages of its output end at {next}, and it has {size} words"));
        }
        Ok(Self { tree_structure, page_sizes })
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;

    use super::*;
    use crate::pie::{Page, read};

    #[test]
    fn pages_follow_each_other() {
        let path = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("../../vectors/pies/fib.zip");
        let pie = read(&std::fs::read(path).unwrap(), 1 << 20).unwrap();
        let of = |sizes: &[(u64, u64, u64)], tree: Option<Vec<u64>>, size| {
            let pages: BTreeMap<u64, Page> =
                sizes.iter().map(|(number, start, size)| (*number, Page { start: *start, size: *size })).collect();
            let attributes = tree.map(|tree| (ATTRIBUTE.to_owned(), tree)).into_iter().collect();
            let mut pie = pie.clone();
            pie.additional_data[0].1 = AdditionalData::Output { pages, attributes };
            FactTopology::of_pie(&pie, size)
        };
        let made = |tree_structure: &[u64], page_sizes: &[u64]| {
            Ok(FactTopology { tree_structure: tree_structure.to_vec(), page_sizes: page_sizes.to_vec() })
        };
        assert_eq!(of(&[], None, 3), made(&[1, 0], &[3]));
        assert_eq!(of(&[(1, 2, 1), (2, 3, 4)], Some(vec![3, 2, 0, 2]), 7), made(&[3, 2, 0, 2], &[2, 1, 4]));
        assert!(of(&[(1, 2, 1)], None, 3).is_err(), "pages without a tree");
        for (pages, size) in [(&[(2, 2, 1)][..], 3), (&[(1, 2, 1), (2, 4, 1)], 5), (&[(1, 2, 1)], 4)] {
            assert!(of(pages, Some(vec![1, 0]), size).is_err(), "{pages:?}");
        }
        assert!(of(&[], Some(vec![1, 0, 1]), 3).is_err() && of(&[], Some(vec![1, 1 << 31]), 3).is_err());
    }
}
