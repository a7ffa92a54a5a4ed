//! Multipliers of groups of constraints: tables of products of factors, which all rows but few share.

use std::cmp::Reverse;
use std::collections::HashMap;

use field::{ExtensionField, Field, Goldilocks, PrimeField, TwoAdicField};
use gpu_hal::{Combination, Factor, GoldilocksStark, Protocol, Result};

use crate::call::{Call, Entry, whole};
use crate::device::KernelDevice;
use crate::library;
use crate::params::Params;
use crate::pool::Block;
use crate::twiddles::twiddles;

/// Rows of a thread of `make_multipliers`, as in the kernels: of the Goldilocks protocol and of the Circle protocol.
const ROWS: u64 = 16;
pub(crate) const MULTIPLIER_ROWS: u64 = 8;
/// No multiplier, no column.
pub(crate) const NONE: u64 = u64::MAX;

/// How a protocol's kernels make multipliers.
pub(crate) trait MultiplierKernels: Protocol {
    /// Log2 of the rows, neighbours in storage order, that share the value of a factor of power 1; of power `2^k` it is `k` more.
    const LOG_SHARED: u32;
    /// Whether a table is made of factors of one power and of a table of all higher ones, which has fewer elements.
    const ONE_POWER: bool;

    /// Log2 of what the kernels of programs take as the size of the domain: of the whole one, or of the prefix that is evaluated.
    fn log_rows(log_size: u32, log_eval: u32) -> u32;

    /// The words by which the kernels know what goes into the tables.
    fn factor_words(wanted: &[Wanted<Self::Base>]) -> Vec<u64>;

    /// Makes the tables that are wanted, from the words of [`Self::factor_words`].
    fn make<D: KernelDevice>(
        call: Call<'_, D>,
        domain: (&Self::Domain, u32),
        wanted: &[Wanted<Self::Base>],
        factors: &Block<D::Memory>,
        values: &Block<D::Memory>,
    ) -> Result<()>;
}

/// Tables of multipliers, one after the other.
pub(crate) struct Multipliers<M> {
    pub(crate) values: Block<M>,
    /// For every group: first element, and log2 of the rows that share one.
    pub(crate) places: Vec<u64>,
}

/// A table of multipliers.
pub(crate) struct Wanted<F> {
    /// Its factors but for those that `inner` has.
    pub(crate) factors: Vec<Factor<F>>,
    /// Log2 of the rows that share an element.
    pub(crate) log_shared: u32,
    /// The first element.
    pub(crate) start: u64,
    /// The place of a table of the factors of higher powers.
    pub(crate) inner: Option<u64>,
}

/// Tables, one after the other.
struct Tables<F> {
    wanted: Vec<Wanted<F>>,
    /// Of a product of factors: first element, and log2 of the rows that share one.
    known: HashMap<Vec<(u32, u64, bool)>, u64>,
    elements: u64,
}

impl<F: PrimeField> Tables<F> {
    /// The place of the table of a product; equal products have one table. `None` of no factors.
    fn place<P: MultiplierKernels<Base = F>>(&mut self, factors: &[Factor<F>], log_eval: u32) -> Option<u64> {
        let log_power = factors.iter().map(|factor| factor.log_power).min()?;
        let key: Vec<_> = factors.iter().map(|f| (f.log_power, f.constant.as_u64(), f.inverse)).collect();
        if let Some(place) = self.known.get(&key) {
            return Some(*place);
        }
        let (own, higher): (Vec<_>, Vec<_>) =
            factors.iter().partition(|factor| !P::ONE_POWER || factor.log_power == log_power);
        let inner = self.place::<P>(&higher, log_eval);
        let log_shared = P::LOG_SHARED + log_power;
        let start = self.elements;
        self.elements += 1 << log_eval.saturating_sub(log_shared);
        self.wanted.push(Wanted { factors: own, log_shared, start, inner });
        let place = start | u64::from(log_shared) << PLACE_BITS;
        self.known.insert(key, place);
        Some(place)
    }
}

/// Bits of a place that are the first element.
const PLACE_BITS: u32 = 56;

/// The tables that groups of a combination need, their elements in all, and the place of every group.
pub(crate) fn wanted_multipliers<P: MultiplierKernels>(
    combination: &Combination<P>,
    groups: &[usize],
    log_eval: u32,
) -> (Vec<Wanted<P::Base>>, u64, Vec<u64>) {
    let mut tables = Tables { wanted: Vec::new(), known: HashMap::new(), elements: 0 };
    let mut place = |group: &usize| {
        let factors = &combination.groups[*group].multiplier.factors;
        tables.place::<P>(factors, log_eval).unwrap_or(NONE)
    };
    let places = groups.iter().map(&mut place).collect();
    // Those of one size next to each other, and tables that others are made of first: they have fewer elements.
    tables.wanted.sort_by_key(|wanted| Reverse(wanted.log_shared));
    (tables.wanted, tables.elements, places)
}

/// The tables that groups of a combination need on the first `2^log_eval` points of a domain.
pub(crate) fn multipliers<D: KernelDevice, P: MultiplierKernels>(
    call: Call<'_, D>,
    combination: &Combination<P>,
    groups: &[usize],
    domain: (&P::Domain, u32),
) -> Result<Multipliers<D::Memory>> {
    let (wanted, total, places) = wanted_multipliers(combination, groups, domain.1);
    let values = call.alloc_elements(total)?;
    if !wanted.is_empty() {
        let factors = call.alloc_words(&P::factor_words(&wanted))?;
        P::make(call, domain, &wanted, &factors, &values)?;
    }
    Ok(Multipliers { values, places })
}

/// Words of a table but for its constants, as in the kernel.
const TABLE_WORDS: usize = 3;

impl<E: ExtensionField<Goldilocks>> MultiplierKernels for GoldilocksStark<E> {
    const LOG_SHARED: u32 = 0;
    const ONE_POWER: bool = true;

    fn log_rows(log_size: u32, _: u32) -> u32 {
        log_size
    }

    fn factor_words(wanted: &[Wanted<Goldilocks>]) -> Vec<u64> {
        let mut words = Vec::new();
        for Wanted { factors, log_shared, start, inner } in wanted {
            let inner = inner.map_or(NONE, |place| {
                let (first, shared) = (place & ((1 << PLACE_BITS) - 1), place >> PLACE_BITS);
                // Of the rows of this table.
                first | (shared - u64::from(*log_shared)) << PLACE_BITS
            });
            let constants = |inverse| factors.iter().filter(move |factor| factor.inverse == inverse);
            let counts = [true, false].map(|inverse| constants(inverse).count() as u64);
            words.extend([*start, counts[0] | counts[1] << 32, inner]);
            words.extend(constants(true).chain(constants(false)).map(|factor| factor.constant.as_u64()));
        }
        words
    }

    fn make<D: KernelDevice>(
        call: Call<'_, D>,
        (domain, log_eval): (&Self::Domain, u32),
        wanted: &[Wanted<Goldilocks>],
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
            let entry = Entry { unit: &library::MULTIPLIERS, name: "make_multipliers", defines: &[] };
            call.launch_items(entry, threads, 1, &[whole(factors), whole(&twiddles.forward), whole(values)], params)?;
            let words = tables.iter().map(|table| TABLE_WORDS + table.factors.len()).sum::<usize>();
            first_word += words as u32;
        }
        Ok(())
    }
}

/// Point `index` in storage order of every subgroup that has so many: bit b stands for the root of unity of order `2^(b+1)`.
fn point(index: u64) -> Goldilocks {
    (0..Goldilocks::TWO_ADICITY)
        .filter(|bit| index >> bit & 1 == 1)
        .map(|bit| Goldilocks::two_adic_generator(bit + 1))
        .product()
}
