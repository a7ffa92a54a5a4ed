//! Interactions of p3-lookup as fractions of one sum.
//!
//! A message `(v_0, v_1, ...)` on bus number `b` that counts `m` is the fraction
//! `m / (z - (b + alpha v_0 + alpha^2 v_1 + ...))` with drawn `z` and `alpha`. All buses balance, up to a negligible
//! chance, if the sum of all fractions of all rows is zero: messages on different buses differ in the first element,
//! and all messages of one bus are equally long.

use std::collections::HashMap;

use p3_lookup::{Count, InteractionSymbolicBuilder};

use crate::graph::{Graph, Id};
use crate::symbolic::Reader;
use crate::{P3Error, P3Field};

/// The scope in which messages can cancel.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
enum Bus {
    /// The bus of one interaction of one AIR.
    Local(usize),
    /// The bus of all AIRs, by name.
    Global(String),
}

/// A message of every row.
#[derive(Clone, Debug)]
pub(crate) struct Message {
    /// Number of the interaction, in the order of p3-lookup.
    #[cfg_attr(not(feature = "circle"), expect(dead_code, reason = "what Circle refuses is named by it"))]
    pub(crate) interaction: usize,
    bus: Bus,
    /// How often it is there.
    pub(crate) count: Id,
    pub(crate) values: Vec<Id>,
}

/// The interactions of an AIR.
#[derive(Clone, Debug, Default)]
pub(crate) struct Lookups {
    pub(crate) messages: Vec<Message>,
    /// Most queries of a row: the sum of the bounds of all counts.
    weight: u64,
}

impl Lookups {
    /// The interactions that an AIR pushed. In a group, in which one branch at most has its flag set, the message is
    /// the sum of flag times branch, and so is the count: without a flag it counts nothing.
    pub(crate) fn read<F: P3Field>(
        reader: &mut Reader<'_, F>,
        builder: &InteractionSymbolicBuilder<F>,
        counts: &LocalCounts<F>,
    ) -> Result<Self, P3Error> {
        let (reads, tables) = (builder.indexed_reads().len(), builder.indexed_tables().len());
        if reads + tables > 0 {
            return Err(P3Error::Indexed { reads, tables });
        }
        let mut this = Self::default();
        let mut interaction = 0;
        for (local, counts) in builder.local_interactions().iter().zip(counts) {
            for ((values, _), (count, weight)) in local.tuples.iter().zip(counts) {
                let count = reader.plain(count, interaction)?;
                let values = values.iter().map(|value| reader.plain(value, interaction)).collect::<Result<_, _>>()?;
                this.messages.push(Message { interaction, bus: Bus::Local(interaction), count, values });
                this.weight += u64::from(*weight);
            }
            interaction += 1;
        }
        for global in builder.global_interactions() {
            let count = reader.plain(&global.count, interaction)?;
            let values =
                global.fields.iter().map(|value| reader.plain(value, interaction)).collect::<Result<_, _>>()?;
            this.messages.push(Message { interaction, bus: Bus::Global(global.bus_name.clone()), count, values });
            this.weight += u64::from(global.count_weight);
            interaction += 1;
        }
        for group in builder.exclusive_interactions() {
            let width = group.branches.first().map_or(0, |branch| branch.fields.len());
            let zero = reader.graph.constant(0);
            let (mut count, mut values) = (zero, vec![zero; width]);
            for branch in &group.branches {
                if branch.fields.len() != width {
                    let bus = format!("bus {}", group.bus_name);
                    return Err(P3Error::BusWidth { bus, expected: width, given: branch.fields.len() });
                }
                let flag = reader.plain(&branch.flag, interaction)?;
                let terms = std::iter::once(&branch.count).chain(&branch.fields);
                for (sum, term) in std::iter::once(&mut count).chain(&mut values).zip(terms) {
                    let term = reader.plain(term, interaction)?;
                    let term = reader.graph.product(flag, term);
                    *sum = reader.graph.sum(*sum, term);
                }
            }
            this.messages.push(Message { interaction, bus: Bus::Global(group.bus_name.clone()), count, values });
            this.weight += u64::from(group.branches.iter().map(|branch| branch.count_weight).max().unwrap_or(0));
            interaction += 1;
        }
        Ok(this)
    }

    /// All expressions.
    pub(crate) fn roots(&self) -> impl Iterator<Item = Id> {
        self.messages.iter().flat_map(|message| std::iter::once(message.count).chain(message.values.iter().copied()))
    }

    /// Degrees of numerator and denominator of each fraction, given the degrees of all nodes.
    pub(crate) fn degrees(&self, degrees: &[u64]) -> Vec<[u64; 2]> {
        let of = |id: Id| degrees[id as usize];
        let fraction =
            |message: &Message| [of(message.count), message.values.iter().map(|value| of(*value)).max().unwrap_or(0)];
        self.messages.iter().map(fraction).collect()
    }
}

/// Count and bound of the tuples of each local interaction: p3-lookup hands them out by value alone.
pub(crate) type LocalCounts<F> = Vec<Vec<(p3_air::SymbolicExpression<F>, u32)>>;

/// The reader of the same builder borrows it.
pub(crate) fn local_counts<F: P3Field>(builder: &InteractionSymbolicBuilder<F>) -> LocalCounts<F> {
    let locals = builder.local_interactions().iter();
    locals.map(|local| local.tuples.iter().map(|(_, count)| Count::clone(count).into_parts()).collect()).collect()
}

/// The number of the bus of each message, by table, from 1 in order of first use.
///
/// # Errors
/// [`P3Error::BusWidth`], [`P3Error::Count`]: with as many queries as the field has elements, p3-lookup's condition, a
/// count could wrap.
pub(crate) fn number_buses<F: P3Field>(tables: &[(&Lookups, usize)]) -> Result<Vec<Vec<u64>>, P3Error> {
    let count = tables.iter().map(|(lookups, rows)| u128::from(lookups.weight) * *rows as u128).sum();
    if count >= u128::from(F::ORDER_U64) {
        return Err(P3Error::Count { count, characteristic: F::ORDER_U64 });
    }
    let mut known: HashMap<(Option<usize>, &Bus), (u64, usize)> = HashMap::new();
    let mut numbers = Vec::with_capacity(tables.len());
    for (table, (lookups, _)) in tables.iter().enumerate() {
        let mut of_table = Vec::with_capacity(lookups.messages.len());
        for message in &lookups.messages {
            let owner = matches!(message.bus, Bus::Local(_)).then_some(table);
            let (next, given) = (known.len() as u64 + 1, message.values.len());
            let (number, expected) = *known.entry((owner, &message.bus)).or_insert((next, given));
            if given != expected {
                let bus = match &message.bus {
                    Bus::Local(interaction) => format!("local interaction {interaction}"),
                    Bus::Global(name) => format!("bus {name}"),
                };
                return Err(P3Error::BusWidth { bus, expected, given });
            }
            of_table.push(number);
        }
        numbers.push(of_table);
    }
    Ok(numbers)
}

/// Degree of the constraint `S * denominator - numerator = 0` that pins the sum of some fractions, each with its
/// degrees of numerator and denominator, where `S` has degree `unit`.
pub(crate) fn pinned_degree(fractions: &[[u64; 2]], unit: u64) -> u64 {
    let [numerator, denominator] = fractions
        .iter()
        .fold([0, 0], |[a, b]: [u64; 2], &[c, d]| [a.saturating_add(d).max(c.saturating_add(b)), b.saturating_add(d)]);
    numerator.max(unit.saturating_add(denominator))
}

/// How many fractions each column sums up, in order: as many as the degree `most` allows, a column counting 1, and at
/// least one.
pub(crate) fn batches(fractions: &[[u64; 2]], most: u64) -> Vec<usize> {
    let (mut sizes, mut rest) = (Vec::new(), fractions);
    while !rest.is_empty() {
        let fits = (2..=rest.len()).take_while(|size| pinned_degree(&rest[..*size], 1) <= most).last().unwrap_or(1);
        sizes.push(fits);
        rest = &rest[fits..];
    }
    sizes
}

impl Graph {
    fn constant(&mut self, value: u64) -> Id {
        self.add(crate::graph::Node::Constant(value))
    }
}
