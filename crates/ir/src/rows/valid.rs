//! Whether a row program is well formed: backends rely on it.

use alloc::format;
use alloc::string::String;
use alloc::vec;
use alloc::vec::Vec;

use field::PrimeField;

use super::error::RowProgramError;
use super::program::{RowEffect, RowKind, RowOp, RowProgram};
use super::sizes::{FELT_WORDS, MAX_SITES, MAX_WORDS};
use crate::program::NodeId;

/// Refuses a program whose nodes and effects do not fit together, as where a value is another recorder's, and one that
/// does not emit exactly one entry for every site of its lists.
pub(super) fn validate<F: PrimeField>(program: &RowProgram<F>) -> Result<(), RowProgramError> {
    if let Some(modulus) = &program.modulus {
        let is_prime = modulus[0] & 1 == 1 && (modulus[0] > 2 || modulus[1..].iter().any(|word| *word != 0));
        require(is_prime, || format!("the modulus {modulus:?} is no odd prime"))?;
    }
    for (index, node) in program.nodes.iter().enumerate() {
        let mut earlier = true;
        node.op.operands(|operand| earlier &= operand.index() < index);
        let kind = if earlier { kind(program, &node.op) } else { None };
        require(kind == Some(node.kind), || format!("node {index}: {:?} does not fit its operands", node.op))?;
    }
    for (index, list) in program.lists.iter().enumerate() {
        let fits = list.width as usize <= MAX_WORDS && list.sites as usize <= MAX_SITES;
        require(fits, || {
            format!("list {index} has {} sites of {} words: at most {MAX_SITES} of {MAX_WORDS}", list.sites, list.width)
        })?;
    }
    let mut sites: Vec<Vec<bool>> = program.lists.iter().map(|list| vec![false; list.sites as usize]).collect();
    for effect in &program.effects {
        require(effect.operands().all(|node| node.index() < program.nodes.len()), || format!("{effect:?} of no node"))?;
        require(fits(program, effect), || format!("{effect:?} does not fit its operands"))?;
        if let RowEffect::Emit { list, site, .. } = effect {
            let twice = core::mem::replace(&mut sites[*list as usize][*site as usize], true);
            require(!twice, || format!("two entries for site {site} of list {list}"))?;
        }
    }
    for (list, sites) in sites.iter().enumerate() {
        let missing = sites.iter().position(|emitted| !emitted);
        require(missing.is_none(), || format!("no entry for site {} of list {list}", missing.unwrap_or(0)))?;
    }
    Ok(())
}

fn require(holds: bool, otherwise: impl FnOnce() -> String) -> Result<(), RowProgramError> {
    if holds { Ok(()) } else { Err(RowProgramError(otherwise())) }
}

/// Words of a value; `None` of an element.
fn words<F>(program: &RowProgram<F>, node: NodeId) -> Option<u32> {
    match program.nodes[node.index()].kind {
        RowKind::Words(words) => Some(words),
        RowKind::Element => None,
    }
}

fn fits<F>(program: &RowProgram<F>, effect: &RowEffect) -> bool {
    let one = |node: &NodeId| words(program, *node) == Some(1);
    match effect {
        RowEffect::Column(node) => words(program, *node).is_none(),
        RowEffect::Emit { list, site, value } => {
            let list = program.lists.get(*list as usize);
            list.is_some_and(|list| *site < list.sites && words(program, *value) == Some(list.width))
        }
        RowEffect::Count { counter, places, when } => {
            *counter < program.counters && words(program, *places).is_some() && when.iter().all(one)
        }
        RowEffect::Assert { claim, holds } => (*claim as usize) < program.claims.len() && one(holds),
    }
}

/// The kind of an operation's value; `None` if its operands do not fit.
fn kind<F: PrimeField>(program: &RowProgram<F>, op: &RowOp<F>) -> Option<RowKind> {
    let words = |node: NodeId| words(program, node);
    let one = |node: NodeId| words(node).filter(|words| *words == 1);
    let element = |node: NodeId| words(node).is_none().then_some(RowKind::Element);
    let felt = |node: NodeId| program.modulus.and_then(|_| words(node)).filter(|words| *words as usize == FELT_WORDS);
    let vector = |a, b| {
        let (a, b) = (words(a)?, words(b)?);
        (a == b || a == 1 || b == 1).then(|| a.max(b))
    };
    let equal = |a, b| words(a).filter(|a| words(b) == Some(*a));
    let digits = |bits: u32, count: u32| (1..=32).contains(&bits).then_some(count);
    let words_of_value = match *op {
        RowOp::Element(value) => return value.is_canonical().then_some(RowKind::Element),
        RowOp::FromWord(a) | RowOp::FromSigned(a) => return one(a).map(|_| RowKind::Element),
        RowOp::FieldInv(a) => return element(a),
        RowOp::FieldAdd(a, b) | RowOp::FieldSub(a, b) | RowOp::FieldMul(a, b) => return element(a).and(element(b)),
        RowOp::ToWord(a) => element(a).map(|_| 1),
        RowOp::Row => Some(1),
        RowOp::Input(k) => (k < program.inputs).then_some(1),
        RowOp::Words(ref values) => u32::try_from(values.len()).ok(),
        RowOp::Read { table, column, index, when } => {
            let width = program.tables.get(table as usize)?;
            let is_one = one(index).is_some() && when.is_none_or(|when| one(when).is_some());
            (column < *width && is_one).then_some(1)
        }
        RowOp::Pack(ref parts) => parts.iter().try_fold(0u32, |sum, part| sum.checked_add(words(*part)?)),
        RowOp::Slice { of, from, len } => {
            let end = from.checked_add(len)?;
            words(of).filter(|words| end <= *words).map(|_| len)
        }
        RowOp::Add(a, b) | RowOp::Sub(a, b) | RowOp::Mul(a, b) | RowOp::And(a, b) | RowOp::Or(a, b) => vector(a, b),
        RowOp::Xor(a, b) | RowOp::Eq(a, b) | RowOp::Lt(a, b) => vector(a, b),
        RowOp::Shl(a, bits) | RowOp::Shr(a, bits) | RowOp::Sar(a, bits) => words(a).filter(|_| bits < 32),
        RowOp::Select(c, a, b) => one(c).and(equal(a, b)),
        RowOp::Sum(a) => words(a).map(|_| 1),
        RowOp::Convolve(a, b) => Some(words(a)? + words(b)? - 1),
        RowOp::Split { of, bits, count } => words(of).and(digits(bits, count)),
        RowOp::Join { of, bits, words: count } => words(of).and(digits(bits, count)),
        RowOp::IntAdd(a, b) => equal(a, b).map(|words| words + 1),
        RowOp::IntSub(a, b) => equal(a, b),
        RowOp::IntLt(a, b) => equal(a, b).map(|_| 1),
        RowOp::IntMul(a, b) | RowOp::IntDivRem(a, b) => Some(words(a)? + words(b)?),
        RowOp::FeltAdd(a, b) | RowOp::FeltSub(a, b) | RowOp::FeltMul(a, b) => felt(a).and(felt(b)),
        RowOp::FeltInv(a) => felt(a),
    };
    words_of_value.filter(|words| (1..=MAX_WORDS as u32).contains(words)).map(RowKind::Words)
}
