//! Hints of Merkle-Patricia trees: `patricia` and its likes with other hashes.
//!
//! A node is 0 if nothing is below it, the hash of its two children, or an edge: the hash of a node further down and of
//! the path to it, plus the length of the path. The program walks the leaves that an update changes in the tree before
//! and in that after. Where neither of the two trees nor the update branches for a while there is a *descent*, which it
//! walks at once.

use std::any::Any;
use std::collections::HashMap;
use std::rc::Rc;

use cairo_vm::Felt252;
use cairo_vm::vm::errors::hint_errors::HintError;
use num_bigint::BigUint;
use num_traits::ToPrimitive;

use super::context::At;
use super::tree::{self, Case, MAX_HEIGHT, NODE, Node, PREIMAGE, Preimage};
use crate::vm::hints::error::custom;

/// How far a descent goes, and where.
type Descent = (usize, BigUint);
/// Descents by the height of the node where they begin and the path to it.
type Descents = HashMap<(usize, BigUint), Descent>;

/// Names in the scope of a traversal.
const DESCENTS: &str = "descent_map";
const DESCENT: &str = "descend";

/// Cells of an edge: length, path, and the node below.
const EDGE_PATH: usize = 1;
const EDGE_BOTTOM: usize = 2;
/// Cells of an instance of the hash builtin: the second operand; the result, of a sponge behind its capacity.
const HASH_SECOND: usize = 1;
const HASH_RESULT: usize = 2;
const SPONGE_RESULT: usize = 3;

/// The root of the updated tree as the node, and the descents.
pub(super) fn begin(at: &mut At<'_>) -> Result<(), HintError> {
    let (height, root, preimage) = (tree::height(at)?, Node::root(at)?, tree::preimage(at)?);
    let tree = |name: &str| Tree::at(&preimage, height, &at.felt(name)?);
    let trees = [root.clone().map(Tree::Update), tree("prev_root")?, tree("new_root")?];
    let mut search = Search { at, preimage: &preimage, found: Descents::new() };
    search.descents(height, BigUint::ZERO, trees)?;
    let found = search.found;
    at.scopes.insert_value(NODE, root);
    at.scopes.insert_value(DESCENTS, Rc::new(found));
    Ok(())
}

/// A path down to a node, which may have no length.
#[derive(Clone)]
struct Edge {
    length: usize,
    path: BigUint,
    bottom: Felt252,
}

/// The tree below a node of height `height`, or the part of it that an update changes.
enum Tree {
    Update(Node),
    Nodes { height: usize, edge: Edge },
}

impl Tree {
    /// The tree below a node, `None` if nothing is below it.
    fn at(preimage: &Preimage, height: usize, node: &Felt252) -> Result<Option<Self>, HintError> {
        let edge = match preimage.get(node).map(Vec::as_slice) {
            Some([length, path, bottom]) => {
                let length = length.to_usize().filter(|length| *length <= MAX_HEIGHT);
                let length = length.ok_or_else(|| custom(format!("the edge {node:#x} is too long")))?;
                Edge { length, path: path.to_biguint(), bottom: *bottom }
            }
            _ => Edge { length: 0, path: BigUint::ZERO, bottom: *node },
        };
        Ok(Self::below(height, edge))
    }

    fn below(height: usize, edge: Edge) -> Option<Self> {
        let is_empty = edge.length == 0 && edge.path == BigUint::ZERO && edge.bottom == Felt252::ZERO;
        (!is_empty).then_some(Self::Nodes { height, edge })
    }

    /// Left and right. The tree has a height.
    fn children(&self, preimage: &Preimage) -> Result<[Option<Self>; 2], HintError> {
        match self {
            Self::Update(node) => Ok(node.children()?.map(|child| child.map(Self::Update))),
            Self::Nodes { height, edge: Edge { length: 0, bottom, .. } } => {
                let [left, right]: [Felt252; 2] = match *bottom == Felt252::ZERO {
                    true => [Felt252::ZERO; 2],
                    false => tree::parts(preimage, bottom)?,
                };
                Ok([Self::at(preimage, height - 1, &left)?, Self::at(preimage, height - 1, &right)?])
            }
            Self::Nodes { height, edge: Edge { length, path, bottom } } => {
                let bit = BigUint::from(1u32) << (length - 1);
                let is_right = *path >= bit;
                let path = if is_right { path - bit } else { path.clone() };
                let child = Self::below(height - 1, Edge { length: length - 1, path, bottom: *bottom });
                Ok(if is_right { [None, child] } else { [child, None] })
            }
        }
    }
}

struct Search<'a, 'b> {
    at: &'a mut At<'b>,
    preimage: &'a Preimage,
    found: Descents,
}

/// Turns of a loop that a descent counts as: it takes memory.
const DESCENT_TURNS: usize = 32;

impl Search<'_, '_> {
    /// Finds the descents below a node: update, tree before, tree after.
    fn descents(&mut self, height: usize, path: BigUint, mut trees: [Option<Tree>; 3]) -> Result<(), HintError> {
        let (mut left_height, mut end) = (height, path.clone());
        // Recursion is as deep as the tree is high, at most.
        let branches = loop {
            if trees[0].is_none() {
                return Ok(());
            }
            if left_height == 0 {
                break None;
            }
            self.at.work(1)?;
            let mut sides = [const { None }; 3].map(|none: Option<Tree>| [none, None]);
            for (side, tree) in sides.iter_mut().zip(&trees) {
                if let Some(tree) = tree {
                    *side = tree.children(self.preimage)?;
                }
            }
            let [lefts, rights] = split(sides);
            let is_right = match (lefts.iter().all(Option::is_none), rights.iter().all(Option::is_none)) {
                (true, _) => true,
                (_, true) => false,
                _ => break Some((lefts, rights)),
            };
            trees = if is_right { rights } else { lefts };
            end = (end << 1u32) + u32::from(is_right);
            left_height -= 1;
        };
        let length = height - left_height;
        // A single step is no descent.
        if length > 1 {
            self.at.work(DESCENT_TURNS)?;
            let word = &end % (BigUint::from(1u32) << length);
            self.found.insert((height, path), (length, word));
        }
        if let Some((lefts, rights)) = branches {
            let below = end << 1u32;
            self.descents(left_height - 1, below.clone(), lefts)?;
            self.descents(left_height - 1, below + 1u32, rights)?;
        }
        Ok(())
    }
}

/// The left trees and the right ones.
fn split([a, b, c]: [[Option<Tree>; 2]; 3]) -> [[Option<Tree>; 3]; 2] {
    let ([a, d], [b, e], [c, f]) = (a, b, c);
    [[a, b, c], [d, e, f]]
}

/// A scope of the traversal with another node.
fn enter(at: &mut At<'_>, node: Option<Node>) -> Result<(), HintError> {
    let descents: Rc<Descents> = at.scopes.get(DESCENTS)?;
    let preimage = tree::preimage(at)?;
    let locals: [(&str, Box<dyn Any>); 3] =
        [(NODE, Box::new(node)), (PREIMAGE, Box::new(preimage)), (DESCENTS, Box::new(descents))];
    at.scopes.enter_scope(locals.map(|(name, value)| (name.to_owned(), value)).into());
    Ok(())
}

/// A scope with the same node.
pub(super) fn enter_same(at: &mut At<'_>) -> Result<(), HintError> {
    let node = at.scopes.get(NODE)?;
    enter(at, node)
}

fn enter_child(at: &mut At<'_>, is_right: bool) -> Result<(), HintError> {
    let child = at.scopes.get(if is_right { "right_child" } else { "left_child" })?;
    enter(at, child)
}

/// A scope with the left child.
pub(super) fn enter_left(at: &mut At<'_>) -> Result<(), HintError> {
    enter_child(at, false)
}

/// A scope with the right child.
pub(super) fn enter_right(at: &mut At<'_>) -> Result<(), HintError> {
    enter_child(at, true)
}

/// `child_bit` and a scope: the only child that changes.
pub(super) fn enter_only(at: &mut At<'_>) -> Result<(), HintError> {
    let is_right = tree::case(at)? != Case::Left;
    at.set("child_bit", Felt252::from(is_right))?;
    enter_child(at, is_right)
}

/// A scope with the child on the side `bit`, or on the other side.
pub(super) fn enter_side<const OTHER: bool>(at: &mut At<'_>) -> Result<(), HintError> {
    // As the library compares: with 0 for this side, with 1 for the other.
    let is_right = at.felt("bit")? != Felt252::from(OTHER);
    enter_child(at, is_right)
}

/// A scope with the node at the end of a path.
pub(super) fn enter_below(at: &mut At<'_>) -> Result<(), HintError> {
    let (length, word) = (at.count("length")?, at.integer("word")?);
    let mut node: Option<Node> = at.scopes.get(NODE)?;
    for step in (0..length).rev() {
        let above = node.ok_or_else(|| custom("no leaf at the end of the path is updated"))?;
        let [left, right] = above.children()?;
        node = if word.bit(step as u64) { right } else { left };
    }
    enter(at, node)
}

/// `memory[ap]`: whether a descent begins here. It is the next one.
pub(super) fn find_descent(at: &mut At<'_>) -> Result<(), HintError> {
    let place = (at.count("height")?, at.integer("path")?);
    let descent = at.scopes.get_ref::<Rc<Descents>>(DESCENTS)?.get(&place).cloned();
    at.set_ap(descent.is_some())?;
    at.scopes.insert_value(DESCENT, descent);
    Ok(())
}

/// The descent that was found.
fn descent(at: &At<'_>) -> Result<(Felt252, Felt252), HintError> {
    let found: Option<Descent> = at.scopes.get(DESCENT)?;
    let (length, word) = found.ok_or_else(|| custom("no descent begins here"))?;
    Ok((length.into(), word.into()))
}

/// The descent: its length as the next sibling, and `word`.
pub(super) fn descent_of_siblings(at: &mut At<'_>) -> Result<(), HintError> {
    let (length, word) = descent(at)?;
    at.write(at.pointer("siblings")?, 0, length)?;
    at.set("word", word)
}

/// The descent: `length` and `word`.
pub(super) fn descent_of_path(at: &mut At<'_>) -> Result<(), HintError> {
    let (length, word) = descent(at)?;
    at.set("length", length)?;
    at.set("word", word)
}

/// `memory[ap]`: whether a single child of the node changes.
pub(super) fn is_single(at: &mut At<'_>) -> Result<(), HintError> {
    let case = tree::decode(at)?;
    at.set_ap(case != Case::Both)
}

/// The operands of a node's hash, and [`is_single`].
pub(super) fn visit(at: &mut At<'_>) -> Result<(), HintError> {
    let case = tree::decode(at)?;
    let operands: [Felt252; 2] = tree::parts(&tree::preimage(at)?, &at.felt("node")?)?;
    let hash = at.pointer("current_hash")?;
    at.write(hash, 0, operands[0])?;
    at.write(hash, HASH_SECOND, operands[1])?;
    at.set_ap(case != Case::Both)
}

/// Nothing, if only the right child changes.
pub(super) fn is_right(at: &mut At<'_>) -> Result<(), HintError> {
    tree::assert_case(at, Case::Right)
}

/// `edge`: the edge that `node` is.
pub(super) fn open_edge(at: &mut At<'_>) -> Result<(), HintError> {
    let node = at.felt("node")?;
    let parts: [Felt252; 3] = tree::parts(&tree::preimage(at)?, &node)?;
    let edge = at.vm.add_memory_segment()?;
    at.set("edge", edge)?;
    parts.iter().enumerate().try_for_each(|(index, part)| at.write(edge, index, *part))?;
    let hash_type = at.ids.cairo_type("hash_ptr");
    let is_sponge = hash_type.is_some_and(|name| name.contains(".SpongeHashBuiltin"));
    at.write(at.pointer("hash_ptr")?, if is_sponge { SPONGE_RESULT } else { HASH_RESULT }, node - parts[0])
}

/// `memory[ap]`: whether `node` is a leaf or the hash of two children.
pub(super) fn is_no_edge(at: &mut At<'_>) -> Result<(), HintError> {
    let is_no_edge = at.felt("height")? == Felt252::ZERO || {
        let node = at.felt("node")?;
        let preimage = tree::preimage(at)?;
        let parts = preimage.get(&node).ok_or_else(|| custom(format!("no preimage is known of the node {node:#x}")))?;
        parts.len() == 2
    };
    at.set_ap(is_no_edge)
}

/// `bit`: where an edge turns at a height.
pub(super) fn turn_of_edge(at: &mut At<'_>) -> Result<(), HintError> {
    let path = at.read(at.address("edge")?, EDGE_PATH)?.to_biguint();
    let bit = path.bit(at.count("new_length")? as u64);
    at.set("bit", Felt252::from(bit))
}

/// `memory[ap]`: whether the only child that changes is not on the side `bit`.
pub(super) fn leaves_edge(at: &mut At<'_>) -> Result<(), HintError> {
    let is_right = tree::case(at)? == Case::Right;
    let bit = at.felt("bit")? == Felt252::ONE;
    at.set_ap(is_right != bit)
}

/// The operands of the hash of the node at the end of an edge.
pub(super) fn bottom_of_edge(at: &mut At<'_>) -> Result<(), HintError> {
    let bottom = at.read(at.address("edge")?, EDGE_BOTTOM)?;
    let operands: [Felt252; 2] = tree::parts(&tree::preimage(at)?, &bottom)?;
    let hash = at.pointer("hash_ptr")?;
    at.write(hash, 0, operands[0])?;
    at.write(hash, HASH_SECOND, operands[1])
}
