//! Uniform elements in the last rows of a table.

use super::*;
use crate::{HashFn, RandomRows};

op! {
    /// [`crate::StarkBackend::random`].
    Random(into: Columns<&'a mut T::Buffer>, rows: &'a RandomRows) -> Nothing;

    check(_) {
        let (op, into) = (Self::NAME, into.as_shared());
        columns(op, &into)?;
        let (from, height) = (rows.from, into.height());
        require!(from <= height, op, "random elements from row {from} on in a table of {height}");
        let first = rows.first;
        let is_numbered = first.checked_add(height as u64).is_some();
        require!(is_numbered, op, "{height} elements from number {first} on: numbers end at 2^64");
        Ok(())
    }
    reads(on) { on.table(&into.as_shared()); }
    size() { Size::of(into.width, into.height() - rows.from) }
    makes(_) {}
    cost() {
        let (width, count) = (into.width, into.height() - rows.from);
        // A permutation makes a block.
        let blocks = (width as u64 * (count as u64).div_ceil(RandomRows::BLOCK)) as f64;
        Cost { hashes: Some((HashFn::Keccak256, blocks)), ..Cost::moves(width * count) }
    }
    changes(each) { each(into) }
    through(on, see) { on.random(see.table_mut(into.reborrow())?, rows) }
    outcome(_) { Outcome::InPlace(into.reborrow()) }
}
