//! The DEEP quotient: terms sorted by their points and by their weights, for `kernels/goldilocks/deep.h`, where the
//! formula is.

use std::collections::BTreeMap;

use field::{ExtensionField, Field, Goldilocks};
use gpu_hal::{CosetDomain, DeepTerm, Result, Shape};

use super::kernels::{Call, P};
use super::points::PointPolynomials;
use super::twiddles::twiddles;
use super::units;
use crate::buffer::{NewTable, Table, new_table};
use crate::call::{Entry, whole};
use crate::device::KernelDevice;
use crate::params::{Params, words};
use crate::slots::{Slots, packed_words};

/// Rows of a thread and threads of a block, as in the kernel, and the most points that it is compiled for.
const ROWS: u64 = 4;
const THREADS: u32 = 128;
const POLES: usize = 4;

/// A point, and its adjugate times minus the sum of the constants of its terms.
struct Pole<E> {
    polynomials: PointPolynomials<E>,
    constant: Vec<E>,
}

impl<E: ExtensionField<Goldilocks>> Pole<E> {
    fn new(point: E) -> Self {
        Self { polynomials: PointPolynomials::new(point), constant: vec![E::ZERO; E::DEGREE] }
    }

    fn scaled(&self, factor: E) -> impl Iterator<Item = E> + '_ {
        self.polynomials.adjugate.iter().map(move |coefficient| *coefficient * factor)
    }
}

/// Terms whose weights differ by a factor: the weights of the first, and by the number of a point the factor that it
/// has.
struct Group<'a, E> {
    weights: &'a [(usize, usize, E)],
    factors: BTreeMap<usize, E>,
}

/// The columns of a group by table and column, each with its weight.
type WeightedColumns<E> = BTreeMap<(usize, usize), E>;

/// The weight of every column; for a column that is there twice, the sum.
fn weighted<E: Field>(weights: &[(usize, usize, E)]) -> WeightedColumns<E> {
    let mut columns = WeightedColumns::new();
    for (table, column, weight) in weights {
        *columns.entry((*table, *column)).or_insert(E::ZERO) += *weight;
    }
    columns
}

/// Terms of a launch, sorted for it: the words of its points and of its sets, and how many sets.
fn launch_words<'t, E: ExtensionField<Goldilocks>>(
    terms: impl Iterator<Item = (usize, &'t DeepTerm<P<E>>)>,
    poles: &mut [Pole<E>],
    place: impl Fn(usize, usize) -> u64,
) -> (Vec<u64>, Vec<u64>, u32) {
    let mut groups: Vec<Group<'_, E>> = Vec::new();
    for (pole, term) in terms {
        let constants: Vec<E> = poles[pole].scaled(term.constant).collect();
        poles[pole].constant.iter_mut().zip(constants).for_each(|(sum, constant)| *sum -= constant);
        // The rows of a frame come one after the other.
        let latest = groups.last_mut().and_then(|group| Some((term.ratio(group.weights)?, group)));
        match latest {
            Some((ratio, group)) => *group.factors.entry(pole).or_insert(E::ZERO) += ratio,
            None => groups.push(Group { weights: &term.weights, factors: BTreeMap::from([(pole, E::ONE)]) }),
        }
    }
    let mut pole_words = Vec::new();
    for pole in poles.iter() {
        pole_words.extend(pole.polynomials.norm.iter().map(|coefficient| coefficient.value()));
        pole_words.extend(pole.constant.iter().flat_map(words::<Goldilocks, E>));
    }
    // Two groups of the same columns are a set: these are read once.
    let mut sets: Vec<Vec<(Group<'_, E>, WeightedColumns<E>)>> = Vec::new();
    for group in groups {
        let columns = weighted(group.weights);
        match sets.iter_mut().find(|set| set.len() == 1 && set[0].1.keys().eq(columns.keys())) {
            Some(set) => set.push((group, columns)),
            None => sets.push(vec![(group, columns)]),
        }
    }
    let mut set_words = Vec::new();
    for set in &sets {
        let columns: Vec<(usize, usize)> = set[0].1.keys().copied().collect();
        let runs = columns.chunk_by(|a, b| a.0 == b.0 && a.1 + 1 == b.1);
        set_words.push(set.len() as u64 | (runs.clone().count() as u64) << 32);
        for run in runs {
            set_words.extend([place(run[0].0, run[0].1), run.len() as u64]);
            let weights = run.iter().flat_map(|column| set.iter().map(move |(_, weights)| weights[column]));
            weights.for_each(|weight| set_words.extend(words(&weight)));
        }
        for (group, _) in set {
            set_words.push(group.factors.keys().fold(0, |mask, pole| mask | 1 << pole));
            for (pole, factor) in &group.factors {
                poles[*pole].scaled(*factor).for_each(|coefficient| set_words.extend(words(&coefficient)));
            }
        }
    }
    (pole_words, set_words, sets.len() as u32)
}

/// The quotient; the arguments are checked.
pub(super) fn deep<D: KernelDevice, E: ExtensionField<Goldilocks>>(
    call: Call<'_, D, E>,
    tables: &[Table<'_, D>],
    domain: &CosetDomain<Goldilocks>,
    terms: &[DeepTerm<P<E>>],
) -> Result<NewTable<D>> {
    let result = new_table(call, E::DEGREE, domain.log_size)?;
    if terms.is_empty() {
        call.zero(&result.data.block, result.elements() as u64)?;
        return Ok(result);
    }
    let slots = Slots::new(call, tables)?;
    let twiddles = twiddles(call)?;
    let count = 1u64 << domain.log_size;
    let threads = count.div_ceil(ROWS);
    let mut poles: Vec<Pole<E>> = Vec::new();
    for term in terms {
        if poles.iter().all(|pole| pole.polynomials.point != term.point) {
            poles.push(Pole::new(term.point));
        }
    }
    for (number, poles) in poles.chunks_mut(POLES).enumerate() {
        let points: Vec<E> = poles.iter().map(|pole| pole.polynomials.point).collect();
        let of_these =
            terms.iter().filter_map(|term| Some((points.iter().position(|point| *point == term.point)?, term)));
        let (pole_words, set_words, sets) =
            launch_words(of_these, poles, |table, column| slots.column(table, (column as u64) << domain.log_size));
        let (pole_block, set_block) = (call.alloc_words(&pole_words)?, call.alloc_words(&set_words)?);
        let params = Params::new().base(domain.shift).u64(count).u64(threads).u32(sets).u32((number > 0).into());
        let mut buffers = slots.arguments(&result.data.block);
        buffers.extend([whole(&pole_block), whole(&set_block), whole(&twiddles.forward), whole(&result.data.block)]);
        let defines = [call.degree()[0], ("POLES", points.len() as u64)];
        let entry = Entry { unit: &units::DEEP, name: "deep", defines: &defines };
        call.launch_blocks(entry, threads.div_ceil(u64::from(THREADS)), 1, THREADS, &buffers, params)?;
    }
    Ok(result)
}

/// Words of the buffers that [`deep`] takes beside its result, at most.
pub(super) fn deep_words<E: ExtensionField<Goldilocks>>(tables: &[Shape], terms: usize) -> Vec<u64> {
    let degree = E::DEGREE as u64;
    let poles = terms.min(POLES) as u64;
    let columns: u64 = tables.iter().map(|table| table.width as u64).sum();
    let polynomial = degree * degree;
    // Each term a set, its columns runs of their own.
    let sets = terms as u64 * (2 + polynomial + columns * (2 + degree));
    let mut words = vec![poles * (degree + polynomial), sets];
    words.extend(packed_words::<P<E>>(tables, units::UNITS.slots));
    words
}
