//! Multipliers of groups of constraints on cosets.

use field::{ExtensionField, Field, Goldilocks, PrimeField, TwoAdicField};
use gpu_hal::{CosetDomain, Result};
use ir::text::constraints::NONE;

use super::kernels::Call;
use super::twiddles::twiddles;
use super::units;
use crate::call::{Entry, whole};
use crate::device::KernelDevice;
use crate::params::Params;
use crate::pool::Block;
use crate::protocol::{MultiplierTable, PLACE_BITS};

/// Rows of a thread, as in the kernel.
const ROWS: u64 = 16;
/// Words of a table without its constants, as in the kernel.
const TABLE_WORDS: usize = 3;

/// For every table its place, its number of constants of each kind, the place of the table of higher powers, the
/// constants.
pub(super) fn factor_words(wanted: &[MultiplierTable<Goldilocks>]) -> Vec<u64> {
    let mut words = Vec::new();
    for MultiplierTable { factors, log_shared, start, inner } in wanted {
        let inner = inner.map_or(NONE, |place| {
            let (first, shared) = (place & ((1 << PLACE_BITS) - 1), place >> PLACE_BITS);
            // In rows of this table.
            first | (shared - u64::from(*log_shared)) << PLACE_BITS
        });
        let constants = |inverse| factors.iter().filter(move |factor| factor.inverse == inverse);
        let counts = [true, false].map(|inverse| constants(inverse).count() as u64);
        words.extend([*start, counts[0] | counts[1] << 32, inner]);
        words.extend(constants(true).chain(constants(false)).map(|factor| factor.constant.as_u64()));
    }
    words
}

pub(super) fn make<D: KernelDevice, E: ExtensionField<Goldilocks>>(
    call: Call<'_, D, E>,
    (domain, log_eval): (&CosetDomain<Goldilocks>, u32),
    wanted: &[MultiplierTable<Goldilocks>],
    factors: &Block<D::Memory>,
    values: &Block<D::Memory>,
) -> Result<()> {
    let twiddles = twiddles(call)?;
    let mut first_word = 0;
    // Tables of one size have their points in common.
    for tables in wanted.chunk_by(|a, b| a.log_shared == b.log_shared) {
        let log_shared = tables[0].log_shared;
        let count = 1u64 << log_eval.saturating_sub(log_shared);
        let threads = count.div_ceil(ROWS);
        let params = Params::new().base(domain.shift.pow_two_to(log_shared));
        let params = (0..ROWS).map(|row| point(row * threads)).fold(params, Params::base);
        let params = params.u64(count).u64(threads).u32(first_word).u32(tables.len() as u32);
        let entry = Entry { unit: &units::MULTIPLIERS, name: "make_multipliers", defines: &[] };
        call.launch_items(entry, threads, 1, &[whole(factors), whole(&twiddles.forward), whole(values)], params)?;
        let words = tables.iter().map(|table| TABLE_WORDS + table.factors.len()).sum::<usize>();
        first_word += words as u32;
    }
    Ok(())
}

/// Point `index` in storage order of every subgroup that is large enough: bit b stands for the root of unity of order
/// `2^(b+1)`.
fn point(index: u64) -> Goldilocks {
    (0..Goldilocks::TWO_ADICITY)
        .filter(|bit| index >> bit & 1 == 1)
        .map(|bit| Goldilocks::two_adic_generator(bit + 1))
        .product()
}
