//! Steps in an order in which threads share them: in bands, one after the other, whose tasks need nothing of each
//! other.
//!
//! A step's level is the length of the longest way to it. Levels alone are no bands: a verifier's circuit has tens of
//! thousands, most of four steps, since its transcript is one hash after the other. But over many levels steps fall
//! into parts that do not meet, such as the paths of different queries. A band is as many levels as make its parts
//! worth sharing.

use std::ops::Range;

use super::kind::{Kind, Operands};

/// Bands are made for this many threads. Fewer share them, too.
const THREADS: u64 = 16;
/// The cost of a band beside its steps, when threads wait for each other, as [`Kind::cost`] counts.
const WAIT: u64 = 2_000;
/// No task costs less, but the last of a band.
const LEAST: u64 = 4_000;
/// Tasks of a band, about, at most: more than threads, which they keep busy until its end.
const TASKS: u64 = 4 * THREADS;
/// Bands begin at one of so many levels, about: after equal shares of the cost, or of the levels.
const SHARES: [u64; 2] = [64, 32];
/// A band is not made longer when a part of it costs more than this share of all steps.
const LONGEST: u64 = 8;

/// No step writes the wire.
const NONE: u32 = u32::MAX;

/// Steps that follow each other.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Task {
    pub(super) kinds: Range<usize>,
    pub(super) operands: Range<usize>,
}

/// Steps in bands.
pub(super) struct Banded {
    pub(super) kinds: Vec<Kind>,
    pub(super) operands: Vec<u32>,
    pub(super) bands: Vec<Vec<Task>>,
}

/// Puts steps, which are in an order in which they can be made, into bands. The order within a task stays.
pub(super) fn banded(wires: usize, kinds: &[Kind], operands: &[u32]) -> Banded {
    let steps = Steps::new(wires, kinds, operands);
    let slices = steps.slices();
    let parts = steps.parts(&slices);
    let bands = parts.bands();
    steps.reordered(&parts.tasks(&bands))
}

/// Sets of numbers, by a parent for each.
struct Sets(Vec<u32>);

impl Sets {
    fn new(count: usize) -> Self {
        Self((0..count as u32).collect())
    }

    fn find(&mut self, mut of: u32) -> u32 {
        loop {
            let parent = self.0[of as usize];
            if parent == of {
                return of;
            }
            let above = self.0[parent as usize];
            self.0[of as usize] = above;
            of = above;
        }
    }

    /// Joins the sets of both: the set that is no more, and the set that it is a part of now. `None` if they are one.
    fn join(&mut self, one: u32, other: u32) -> Option<[usize; 2]> {
        let [from, to] = [self.find(one), self.find(other)];
        self.0[from as usize] = to;
        (from != to).then_some([from as usize, to as usize])
    }
}

/// Steps in the order in which they were recorded.
struct Steps<'s> {
    kinds: &'s [Kind],
    operands: &'s [u32],
    /// Where the operands of each step begin, and where those of the last end.
    starts: Vec<usize>,
    levels: Vec<u32>,
    /// The step that writes a wire.
    makers: Vec<u32>,
}

impl<'s> Steps<'s> {
    fn new(wires: usize, kinds: &'s [Kind], operands: &'s [u32]) -> Self {
        let mut steps = Self { kinds, operands, starts: vec![0], levels: Vec::new(), makers: vec![NONE; wires] };
        for (step, kind) in kinds.iter().enumerate() {
            let begun = *steps.starts.last().unwrap_or(&0);
            let Operands { writes, rest, .. } = kind.split(&operands[begun..]);
            steps.starts.push(operands.len() - rest.len());
            let level = steps.made_before(step).map(|before| steps.levels[before as usize] + 1).max();
            steps.levels.push(level.unwrap_or(0));
            writes.iter().for_each(|wire| steps.makers[*wire as usize] = step as u32);
        }
        steps
    }

    /// The steps whose wires a step reads.
    fn made_before(&self, step: usize) -> impl Iterator<Item = u32> {
        let reads = self.kinds[step].split(&self.operands[self.starts[step]..]).reads;
        reads.iter().map(|wire| self.makers[*wire as usize]).filter(|maker| *maker != NONE)
    }

    /// The slice of each step: bands are made of whole slices, which are made of whole levels.
    fn slices(&self) -> Vec<u32> {
        let levels = self.levels.iter().max().map_or(0, |last| *last as usize + 1);
        let mut costs = vec![0; levels];
        self.kinds.iter().zip(&self.levels).for_each(|(kind, level)| costs[*level as usize] += kind.cost());
        let total: u64 = costs.iter().sum();
        let (mut before, mut shares, mut slice) = (0, [0; 2], 0);
        let of_level = costs.iter().enumerate().map(|(level, cost)| {
            let reached = [before * SHARES[0] / total.max(1), level as u64 * SHARES[1] / levels as u64];
            slice += u32::from(reached != shares);
            (before, shares) = (before + cost, reached);
            slice
        });
        let of_level: Vec<u32> = of_level.collect();
        self.levels.iter().map(|level| of_level[*level as usize]).collect()
    }

    /// The parts of the slices.
    fn parts(&self, slices: &[u32]) -> Parts {
        let mut sets = Sets::new(self.kinds.len());
        for step in 0..self.kinds.len() {
            for before in self.made_before(step).filter(|before| slices[*before as usize] == slices[step]) {
                sets.join(step as u32, before);
            }
        }
        // Numbers in the order of the slices.
        let mut steps_of_slice = vec![Vec::new(); slices.iter().max().map_or(0, |last| *last as usize + 1)];
        slices.iter().enumerate().for_each(|(step, slice)| steps_of_slice[*slice as usize].push(step as u32));
        let (mut numbers, mut costs, mut slice_parts) = (vec![NONE; self.kinds.len()], Vec::new(), Vec::new());
        let mut of_steps = vec![0; self.kinds.len()];
        for steps in &steps_of_slice {
            let first = costs.len();
            for step in steps {
                let number = &mut numbers[sets.find(*step) as usize];
                if *number == NONE {
                    *number = costs.len() as u32;
                    costs.push(0);
                }
                costs[*number as usize] += self.kinds[*step as usize].cost();
                of_steps[*step as usize] = *number;
            }
            slice_parts.push(first..costs.len());
        }
        let mut edges = Vec::new();
        for (step, part) in of_steps.iter().enumerate() {
            let before = self.made_before(step).map(|before| of_steps[before as usize]);
            edges.extend(before.filter(|before| before != part).map(|before| (*part, before)));
        }
        edges.sort_unstable();
        edges.dedup();
        Parts { of_steps, costs, slices: slice_parts, edges }
    }

    /// The steps by band and task.
    fn reordered(&self, bands: &[Vec<Vec<u32>>]) -> Banded {
        let (mut kinds, mut operands) = (Vec::with_capacity(self.kinds.len()), Vec::with_capacity(self.operands.len()));
        let mut task = |steps: &Vec<u32>| {
            let begun = (kinds.len(), operands.len());
            for step in steps.iter().map(|step| *step as usize) {
                kinds.push(self.kinds[step]);
                operands.extend_from_slice(&self.operands[self.starts[step]..self.starts[step + 1]]);
            }
            Task { kinds: begun.0..kinds.len(), operands: begun.1..operands.len() }
        };
        let bands = bands.iter().map(|tasks| tasks.iter().map(&mut task).collect()).collect();
        Banded { kinds, operands, bands }
    }
}

/// Parts of slices: steps of a slice that lead to each other.
struct Parts {
    /// The part of each step.
    of_steps: Vec<u32>,
    costs: Vec<u64>,
    /// The parts of each slice.
    slices: Vec<Range<usize>>,
    /// A part, and one of an earlier slice that it needs; sorted.
    edges: Vec<(u32, u32)>,
}

impl Parts {
    fn edges(&self, parts: &Range<usize>) -> &[(u32, u32)] {
        let before = |end: usize| self.edges.partition_point(|(part, _)| (*part as usize) < end);
        &self.edges[before(parts.start)..before(parts.end)]
    }

    /// The slices of each band, so that all of them take the shortest time: that of a band is its most costly part, or
    /// the share of a thread.
    fn bands(&self) -> Vec<Range<usize>> {
        let total: u64 = self.costs.iter().sum();
        // The shortest time of the slices before each, and the first slice of the last of their bands.
        let mut shortest = vec![(u64::MAX, 0); self.slices.len() + 1];
        shortest[0].0 = 0;
        let (mut sets, mut costs) = (Sets::new(self.costs.len()), self.costs.clone());
        for begun in 0..self.slices.len() {
            let (mut sum, mut most) = (0, 0);
            for end in begun..self.slices.len() {
                for part in self.slices[end].clone() {
                    (sets.0[part], costs[part]) = (part as u32, self.costs[part]);
                    sum += costs[part];
                    most = most.max(costs[part]);
                }
                let edges = self.edges(&self.slices[end]).iter();
                for (part, before) in edges.filter(|(_, before)| *before as usize >= self.slices[begun].start) {
                    if let Some([from, to]) = sets.join(*part, *before) {
                        costs[to] += costs[from];
                        most = most.max(costs[to]);
                    }
                }
                let time = shortest[begun].0 + most.max(sum / THREADS) + WAIT;
                shortest[end + 1] = shortest[end + 1].min((time, begun));
                if most > total / LONGEST {
                    break;
                }
            }
        }
        let (mut bands, mut end) = (Vec::new(), self.slices.len());
        while end > 0 {
            let (_, begun) = shortest[end];
            bands.push(begun..end);
            end = begun;
        }
        bands.reverse();
        bands
    }

    /// The steps of each task of each band.
    fn tasks(&self, bands: &[Range<usize>]) -> Vec<Vec<Vec<u32>>> {
        let mut sets = Sets::new(self.costs.len());
        let mut of_parts = vec![0; self.costs.len()];
        // The least cost of a task of each band.
        let mut least = Vec::with_capacity(bands.len());
        for (band, slices) in bands.iter().enumerate() {
            let (first, mut sum) = (self.slices[slices.start].start, 0);
            for parts in &self.slices[slices.clone()] {
                of_parts[parts.clone()].fill(band);
                sum += self.costs[parts.clone()].iter().sum::<u64>();
                for (part, before) in self.edges(parts).iter().filter(|(_, before)| *before as usize >= first) {
                    sets.join(*part, *before);
                }
            }
            least.push(LEAST.max(sum / TASKS));
        }
        let mut costs = vec![0; self.costs.len()];
        self.costs.iter().enumerate().for_each(|(part, cost)| costs[sets.find(part as u32) as usize] += cost);
        // Each set goes to the task that is being filled in its band, in the order of the steps.
        let mut of_sets = vec![None; self.costs.len()];
        let mut tasks = vec![Vec::new(); bands.len()];
        let mut filled = least.clone();
        for (step, part) in self.of_steps.iter().enumerate() {
            let (set, band) = (sets.find(*part) as usize, of_parts[*part as usize]);
            let task = *of_sets[set].get_or_insert_with(|| {
                if filled[band] >= least[band] {
                    tasks[band].push(Vec::new());
                    filled[band] = 0;
                }
                filled[band] += costs[set];
                tasks[band].len() - 1
            });
            tasks[band][task].push(step as u32);
        }
        tasks
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Chains of sums that meet at last: wires 0 and 1 are given.
    fn chains(count: u32, length: u32) -> (usize, Vec<Kind>, Vec<u32>) {
        let wire = |chain: u32, at: u32| if at == 0 { 0 } else { 1 + (at - 1) * count + chain + 1 };
        let mut operands = Vec::new();
        for at in 1..=length {
            (0..count).for_each(|chain| operands.extend([wire(chain, at), wire(chain, at - 1), 1]));
        }
        let mut last = 2 + count * length;
        for chain in 1..count {
            let before = if chain == 1 { wire(0, length) } else { last - 1 };
            operands.extend([last, before, wire(chain, length)]);
            last += 1;
        }
        (last as usize, vec![Kind::Sum; operands.len() / 3], operands)
    }

    /// The steps by what they write, and whether each stands behind those that it needs: in an earlier band, or before
    /// it in its task.
    fn check(wires: usize, kinds: &[Kind], operands: &[u32]) -> Vec<usize> {
        let banded = banded(wires, kinds, operands);
        let steps = Steps::new(wires, &banded.kinds, &banded.operands);
        let mut places = vec![None; kinds.len()];
        let mut next = (0, 0);
        for (band, tasks) in banded.bands.iter().enumerate() {
            for (number, task) in tasks.iter().enumerate() {
                assert_eq!((task.kinds.start, task.operands.start), next);
                next = (task.kinds.end, task.operands.end);
                for step in task.kinds.clone() {
                    places[step] = Some((band, number));
                    for before in steps.made_before(step) {
                        let (of, place) = (places[before as usize].expect("it is made before"), (band, number));
                        assert!(of.0 < band || of == place, "{of:?} {place:?}");
                    }
                }
            }
        }
        assert_eq!(next, (kinds.len(), operands.len()));
        let sorted = |operands: &[u32]| {
            let mut all: Vec<&[u32]> = operands.chunks(3).collect();
            all.sort_unstable();
            all.concat()
        };
        assert_eq!(sorted(&banded.operands), sorted(operands));
        banded.bands.iter().map(Vec::len).collect()
    }

    #[test]
    fn chains_are_tasks_of_their_own() {
        let (wires, kinds, operands) = chains(40, 5_000);
        let tasks = check(wires, &kinds, &operands);
        assert!(tasks.iter().any(|tasks| *tasks >= THREADS as usize), "{tasks:?}");
        assert!(tasks.len() < 5, "{tasks:?}");
    }

    #[test]
    fn few_steps_and_none_are_banded() {
        assert_eq!(check(2, &[], &[]), Vec::<usize>::new());
        let (wires, kinds, operands) = chains(1, 50);
        assert!(check(wires, &kinds, &operands).iter().all(|tasks| *tasks == 1));
        for (count, length) in [(2, 3), (7, 100), (300, 2), (3, 40_000)] {
            let (wires, kinds, operands) = chains(count, length);
            check(wires, &kinds, &operands);
        }
    }
}
