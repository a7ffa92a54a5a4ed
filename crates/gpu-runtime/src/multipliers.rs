//! Multipliers of groups of constraints: tables of products of factors, which all rows but few share.

use std::cmp::Reverse;
use std::collections::HashMap;

use field::PrimeField;
use gpu_hal::{Combination, Factor, Result};
use ir::text::constraints::NONE;

use crate::call::Call;
use crate::device::KernelDevice;
use crate::pool::Block;
use crate::protocol::{GpuProtocol, MultiplierTable, PLACE_BITS};

/// Tables of multipliers, one after the other.
pub(crate) struct Multipliers<M> {
    pub(crate) values: Block<M>,
    /// For every group: first element, and log2 of the rows that share one.
    pub(crate) places: Vec<u64>,
}

/// Tables, one after the other.
struct Tables<F> {
    wanted: Vec<MultiplierTable<F>>,
    /// For a product of factors: first element, and log2 of the rows that share one.
    known: HashMap<Vec<(u32, u64, bool)>, u64>,
    elements: u64,
}

impl<F: PrimeField> Tables<F> {
    /// The place of the table of a product; equal products have one table. `None` of no factors.
    fn place<P: GpuProtocol<Base = F>>(&mut self, factors: &[Factor<F>], log_eval: u32) -> Option<u64> {
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
        self.wanted.push(MultiplierTable { factors: own, log_shared, start, inner });
        let place = start | u64::from(log_shared) << PLACE_BITS;
        self.known.insert(key, place);
        Some(place)
    }
}

/// The tables that groups of a combination need, their elements in all, and the place of every group.
pub(crate) fn wanted_multipliers<P: GpuProtocol>(
    combination: &Combination<P>,
    groups: &[usize],
    log_eval: u32,
) -> (Vec<MultiplierTable<P::Base>>, u64, Vec<u64>) {
    let mut tables = Tables { wanted: Vec::new(), known: HashMap::new(), elements: 0 };
    let mut place = |group: &usize| {
        let factors = &combination.groups[*group].multiplier.factors;
        tables.place::<P>(factors, log_eval).unwrap_or(NONE)
    };
    let places = groups.iter().map(&mut place).collect();
    // Tables of one size next to each other, and tables that others are made of first: they have fewer elements.
    tables.wanted.sort_by_key(|wanted| Reverse(wanted.log_shared));
    (tables.wanted, tables.elements, places)
}

/// The tables that groups of a combination need on the first `2^log_eval` points of a domain.
pub(crate) fn multipliers<D: KernelDevice, P: GpuProtocol>(
    call: Call<'_, D, P>,
    combination: &Combination<P>,
    groups: &[usize],
    domain: (&P::Domain, u32),
) -> Result<Multipliers<D::Memory>> {
    let (wanted, total, places) = wanted_multipliers(combination, groups, domain.1);
    let values = call.alloc_elements(total)?;
    if !wanted.is_empty() {
        let factors = call.alloc_words(&P::factor_words(&wanted))?;
        P::make_multipliers(call, domain, &wanted, &factors, &values)?;
    }
    Ok(Multipliers { values, places })
}
