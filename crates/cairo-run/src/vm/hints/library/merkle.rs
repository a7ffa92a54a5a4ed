//! Hints of Merkle trees: `merkle_update`, `merkle_multi_update`, `small_merkle_tree`.

use std::any::Any;
use std::collections::{BTreeSet, HashMap};
use std::rc::Rc;

use cairo_vm::Felt252;
use cairo_vm::types::relocatable::MaybeRelocatable;
use cairo_vm::vm::errors::hint_errors::HintError;
use num_bigint::BigUint;
use starknet_types_core::hash::{Pedersen, StarkHash};

use super::context::At;
use super::tree::{self, ACCESS, Case, NEW_VALUE, NODE, Node, PREIMAGE};
use crate::vm::hints::error::custom;

/// The name of the siblings that a path passes, the leaf's first; they are taken from the end.
const PATH: &str = "auth_path";
/// Cells of an instance of the hash builtin; where its second operand is.
const HASH: usize = 3;
const SECOND: usize = 1;

/// `memory[ap]`: whether the path turns right.
pub(super) fn turns_right(at: &mut At<'_>) -> Result<(), HintError> {
    let bit = at.integer("index")?.bit(0);
    at.set_ap(bit)
}

/// The next sibling, as operand `OPERAND` of both hashes.
pub(super) fn sibling<const OPERAND: usize>(at: &mut At<'_>) -> Result<(), HintError> {
    let path = at.scopes.get_mut_list_ref::<Felt252>(PATH)?;
    let sibling = path.pop().ok_or_else(|| custom("auth_path is shorter than the tree is high"))?;
    for hash in ["prev_node_hash", "new_node_hash"] {
        at.write(at.pointer(hash)?, OPERAND, sibling)?;
    }
    Ok(())
}

/// Nothing, if no sibling is left.
pub(super) fn path_ends(at: &mut At<'_>) -> Result<(), HintError> {
    match at.scopes.get_list_ref::<Felt252>(PATH)?.is_empty() {
        true => Ok(()),
        false => Err(custom("Got too many values in auth_path.")),
    }
}

/// A scope with the root of the updated tree.
pub(super) fn enter_root(at: &mut At<'_>) -> Result<(), HintError> {
    let root = Node::root(at)?;
    enter(at, root)
}

/// A scope with a node and the preimages.
fn enter(at: &mut At<'_>, node: Option<Node>) -> Result<(), HintError> {
    let preimage = tree::preimage(at)?;
    let locals: [(&str, Box<dyn Any>); 2] = [(NODE, Box::new(node)), (PREIMAGE, Box::new(preimage))];
    at.scopes.enter_scope(locals.map(|(name, value)| (name.to_owned(), value)).into());
    Ok(())
}

/// A scope with the left child of the node.
pub(super) fn enter_left(at: &mut At<'_>) -> Result<(), HintError> {
    let child = at.scopes.get("left_child")?;
    enter(at, child)
}

/// A scope with the right child of the node.
pub(super) fn enter_right(at: &mut At<'_>) -> Result<(), HintError> {
    let child = at.scopes.get("right_child")?;
    enter(at, child)
}

/// The operands of the hashes of a node, before and after; `memory[ap]`: whether it has leaves on its left that change.
pub(super) fn visit(at: &mut At<'_>) -> Result<(), HintError> {
    let new_root = at.felt("new_root")?;
    let case = if at.felt("height")? == Felt252::ZERO {
        let leaf = tree::node(at)?.leaf();
        if leaf != Some(new_root) {
            let expected = leaf.map_or_else(|| "another height".to_owned(), |leaf| format!("{leaf:#x}"));
            return Err(custom(format!("a leaf is {new_root:#x}, not {expected}")));
        }
        tree::set_case(at, Case::Leaf);
        Case::Leaf
    } else {
        let preimage = tree::preimage(at)?;
        let before: [Felt252; 2] = tree::parts(&preimage, &at.felt("prev_root")?)?;
        let after: [Felt252; 2] = tree::parts(&preimage, &new_root)?;
        let case = tree::decode(at)?;
        let hashes = at.pointer("hash_ptr")?;
        for (hash, operands) in [before, after].iter().enumerate() {
            at.write(hashes, hash * HASH, operands[0])?;
            at.write(hashes, hash * HASH + SECOND, operands[1])?;
        }
        case
    };
    at.set_ap(case != Case::Right)
}

/// `memory[ap]`: whether the node has leaves on its right that change, or is a leaf.
pub(super) fn is_not_left(at: &mut At<'_>) -> Result<(), HintError> {
    let case = tree::case(at)?;
    at.set_ap(case != Case::Left)
}

/// Nothing, if the node is a leaf.
pub(super) fn is_leaf(at: &mut At<'_>) -> Result<(), HintError> {
    tree::assert_case(at, Case::Leaf)
}

/// Nothing, if the node has leaves on both sides that change.
pub(super) fn is_both(at: &mut At<'_>) -> Result<(), HintError> {
    tree::assert_case(at, Case::Both)
}

/// A scope that knows the dictionaries alone.
pub(super) fn enter_small_tree(at: &mut At<'_>) -> Result<(), HintError> {
    let dicts = at.scopes.get_dict_manager()?;
    at.scopes.enter_scope([("dict_manager".to_owned(), Box::new(dicts) as Box<_>)].into());
    Ok(())
}

/// `new_root` and `prev_root` of the tree whose leaves a dictionary has, and `preimage` of all nodes that differ.
pub(super) fn small_tree(at: &mut At<'_>) -> Result<(), HintError> {
    let (start, end) = (at.pointer("squashed_dict_start")?, at.pointer("squashed_dict_end")?);
    let height = tree::height(at)?;
    let cells = (end - start)?;
    if cells % ACCESS != 0 {
        return Err(custom(format!("the squashed dictionary has {cells} cells, which are no accesses")));
    }
    let (leaves, changes) = {
        let dicts = at.scopes.get_dict_manager()?;
        let mut dicts = dicts.borrow_mut();
        let dict = dicts.get_tracker_mut(end)?;
        let mut changes = Vec::new();
        for access in (0..cells).step_by(ACCESS) {
            at.work(1)?;
            let [key, before, after] =
                [at.read(start, access)?, at.read(start, access + 1)?, at.read(start, access + NEW_VALUE)?];
            let known = dict.get_value(&key.into())?;
            if *known != after.into() {
                return Err(custom(format!(
                    "key {key} has {known} in the dictionary, and {after} where it is squashed"
                )));
            }
            changes.push((key, before));
        }
        let mut leaves = Vec::new();
        for leaf in dict.get_dictionary_ref() {
            at.work(1)?;
            match leaf {
                (MaybeRelocatable::Int(key), MaybeRelocatable::Int(value)) => leaves.push((*key, *value)),
                _ => return Err(custom("a key or a value of the dictionary is a pointer")),
            }
        }
        (leaves, changes)
    };
    let mut tree = SmallTree::new(height);
    let new_root = tree.set(at, &leaves)?;
    at.set("new_root", new_root)?;
    let prev_root = tree.set(at, &changes)?;
    at.set("prev_root", prev_root)?;
    at.scopes.insert_value(PREIMAGE, Rc::new(tree.preimage));
    Ok(())
}

/// Turns of a loop that a Pedersen hash counts as: it takes about as long.
const HASH_TURNS: usize = 100;

/// A Merkle tree whose leaves are 0 unless they are set.
struct SmallTree {
    height: usize,
    /// The nodes that are not of a tree of zeros. The root is 1; the children of `n` are `2 n` and `2 n + 1`.
    nodes: HashMap<BigUint, Felt252>,
    preimage: HashMap<Felt252, Vec<Felt252>>,
}

impl SmallTree {
    fn new(height: usize) -> Self {
        Self { height, nodes: HashMap::new(), preimage: HashMap::new() }
    }

    /// Sets leaves; the root of the tree then.
    fn set(&mut self, at: &mut At<'_>, leaves: &[(Felt252, Felt252)]) -> Result<Felt252, HintError> {
        let mut level = BTreeSet::new();
        for (key, value) in leaves {
            if key.bits() > self.height {
                return Err(custom(format!("a tree of {} levels has no leaf {key}", self.height)));
            }
            let leaf = (BigUint::from(1u32) << self.height) + key.to_biguint();
            level.insert(&leaf >> 1u32);
            self.nodes.insert(leaf, *value);
        }
        let mut empty = Felt252::ZERO;
        for _ in 0..self.height {
            at.work((level.len() + 1) * HASH_TURNS)?;
            for node in &level {
                let [left, right] = [0u32, 1].map(|side| {
                    let child: BigUint = (node << 1u32) + side;
                    self.nodes.get(&child).copied().unwrap_or(empty)
                });
                let hash = Pedersen::hash(&left, &right);
                self.nodes.insert(node.clone(), hash);
                self.preimage.insert(hash, vec![left, right]);
            }
            empty = Pedersen::hash(&empty, &empty);
            level = level.iter().map(|node| node >> 1u32).collect();
        }
        Ok(self.nodes.get(&BigUint::from(1u32)).copied().unwrap_or(empty))
    }
}
