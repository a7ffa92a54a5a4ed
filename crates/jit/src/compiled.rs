//! Compiled programs, and what they are run with.

use field::protocol::Protocol;
use field::{ExtensionField, Goldilocks};
use ir::Schedule;

use crate::allocate::allocate;
use crate::cut::cut;
use crate::error::JitError;
use crate::layout::{HEAD_WORDS, LANES, Layout, MAX_DEGREE, SPLIT_BITS, WEIGHT_BITS, WEIGHT_WORDS};
use crate::machine::Code;
use crate::order::order;
use crate::straight::{Load, PoolEntry, Straight};

/// A constraint program as machine code that adds up weighted outputs, `sum over a group's terms of weight * output`
/// for each group, for a run of rows at a time.
#[derive(Debug)]
pub struct Compiled {
    code: Code,
    parts: Vec<Part>,
    pool: Vec<PoolEntry>,
    layout: Layout,
    /// The coordinates of each term's output, group by group.
    terms: Vec<Vec<usize>>,
    /// Columns that a part reads, and lines that it spills, at most.
    loads: usize,
    spills: usize,
}

/// A function of the code.
#[derive(Debug)]
struct Part {
    loads: Vec<Load>,
    group: usize,
    first_term: usize,
}

/// Values that are equal on all rows, as code reads them.
#[derive(Debug)]
pub struct Uniforms {
    pool: Vec<u64>,
    weights: Vec<u64>,
}

/// Eight elements, where a register finds them fastest.
#[derive(Clone, Copy, Debug, bytemuck::Pod, bytemuck::Zeroable)]
#[repr(C, align(64))]
struct Line([u64; LANES]);

/// One thread's memory for a program.
#[derive(Debug)]
pub struct Workspace {
    loads: Vec<Line>,
    slots: Vec<Line>,
    spills: Vec<Line>,
}

/// Most instructions of a schedule, most steps that they become, of some 60 bytes of code each, and most values that
/// cross from a part to another, of which a thread holds a run each. The longest of Plonky3's AIRs has a tenth of them.
const MAX_INSTRUCTIONS: usize = 1 << 19;
const MAX_STEPS: usize = 1 << 21;
const MAX_SLOTS: usize = 1 << 12;

fn bounded(what: &str, found: usize, most: usize) -> Result<(), JitError> {
    if found > most {
        return Err(JitError::TooLong(format!("{found} {what}, {most} at most")));
    }
    Ok(())
}

impl Compiled {
    /// Compiles a program for the sums of these groups of its outputs, in runs of so many rows. A group is a list of
    /// outputs, of which each term has one.
    ///
    /// # Errors
    /// [`JitError`] where code cannot be made: the program is to be interpreted.
    pub fn new<P: Protocol<Base = Goldilocks>>(
        schedule: &Schedule<P>,
        groups: &[Vec<usize>],
        rows: usize,
    ) -> Result<Self, JitError> {
        if !(1..=MAX_DEGREE).contains(&P::DEGREE) {
            return Err(JitError::Degree(P::DEGREE));
        }
        if rows == 0 || !rows.is_multiple_of(LANES) {
            return Err(JitError::Rows(rows));
        }
        bounded("instructions", schedule.instructions.len(), MAX_INSTRUCTIONS)?;
        let code = Straight::new(schedule);
        let ordered = order(&code, groups);
        bounded("steps over the base field", ordered.steps.len(), MAX_STEPS)?;
        let cut = cut(&ordered, P::DEGREE as u32);
        bounded("values between parts", cut.slot_count as usize, MAX_SLOTS)?;
        let layout = Layout { degree: P::DEGREE, rows, slots: cut.slot_count as usize };
        let (code_of, allocated) =
            Code::new(&cut.segments, &layout, |segment| allocate(&code, &ordered, &cut, segment))?;
        let mut parts = Vec::with_capacity(allocated.len());
        let (mut loads, mut spills) = (0, 0);
        for (segment, allocated) in cut.segments.iter().zip(allocated) {
            loads = loads.max(allocated.loads.len());
            spills = spills.max(allocated.spills as usize);
            parts.push(Part {
                loads: allocated.loads.iter().map(|load| code.loads[*load as usize]).collect(),
                group: segment.group.unwrap_or(0) as usize,
                first_term: segment.first_term as usize,
            });
        }
        let terms = groups.iter().map(|group| group.iter().map(|output| code.outputs[*output].len()).collect());
        Ok(Self { code: code_of, parts, pool: code.pool, layout, terms: terms.collect(), loads, spills })
    }

    /// Functions that the code is cut into.
    pub fn parts(&self) -> usize {
        self.parts.len()
    }

    /// One thread's memory.
    pub fn workspace(&self) -> Workspace {
        let lines = |count: usize| vec![Line([0; LANES]); count];
        let steps = self.layout.rows / LANES;
        Workspace {
            loads: lines(self.loads * Layout::column_stride(self.layout.rows)),
            slots: lines(self.layout.slot_stride() * steps),
            spills: lines(self.spills),
        }
    }

    /// The values that are equal on all rows: of the schedule that was compiled, for these parameters and the weights
    /// of the terms.
    ///
    /// # Panics
    /// If there are other numbers of groups or of terms than the code has.
    pub fn uniforms<P: Protocol<Base = Goldilocks>>(
        &self,
        schedule: &Schedule<P>,
        params: &[P::Ext],
        weights: &[Vec<P::Ext>],
    ) -> Uniforms {
        let values = schedule.uniforms(params);
        let mut pool = vec![0; HEAD_WORDS];
        pool[0] = (1 << SPLIT_BITS) - 1;
        for entry in &self.pool {
            let value = match *entry {
                PoolEntry::Constant(value) => value,
                PoolEntry::Uniform { index, coordinate } => values[index as usize].coordinates()[coordinate as usize],
            };
            pool.extend([value.value(), value.value() >> 32]);
        }
        assert_eq!(weights.len(), self.terms.len(), "the weights are those of the groups");
        let shift = Goldilocks::new(1 << SPLIT_BITS);
        let mut words = Vec::new();
        for (weights, terms) in weights.iter().zip(&self.terms) {
            assert_eq!(weights.len(), terms.len(), "a term has a weight");
            for (weight, coordinates) in weights.iter().zip(terms) {
                for k in 0..*coordinates {
                    // The weight of a coordinate of an output.
                    let weight = *weight * P::Ext::basis(k);
                    for coordinate in weight.coordinates() {
                        for word in [*coordinate, *coordinate * shift].map(Goldilocks::value) {
                            words.extend([word & ((1 << WEIGHT_BITS) - 1), word >> WEIGHT_BITS]);
                        }
                    }
                }
            }
        }
        Uniforms { pool, weights: words }
    }

    /// Runs the code on a run of rows. Coordinate `k` of group `g`'s sum goes to the run of words at
    /// `g * DEGREE + k` of `sums`, as words that are congruent to it. `column` gives a column's values in the run, or
    /// fills the words that it is given with them.
    ///
    /// # Panics
    /// If sizes are not the program's, or a column is shorter than a run.
    pub fn run<'c>(
        &self,
        uniforms: &Uniforms,
        workspace: &mut Workspace,
        sums: &mut [u64],
        mut column: impl FnMut(&Load, &mut [u64]) -> Option<&'c [Goldilocks]>,
    ) {
        let Layout { degree, rows, .. } = self.layout;
        let steps = rows / LANES;
        let terms: usize = self.terms.iter().flatten().sum();
        assert_eq!(uniforms.pool.len(), HEAD_WORDS + 2 * self.pool.len(), "values are the program's");
        assert_eq!(uniforms.weights.len(), terms * WEIGHT_WORDS * degree, "weights are the program's");
        assert_eq!(sums.len(), self.terms.len() * degree * rows, "sums are the program's");
        assert!(workspace.loads.len() >= self.loads * Layout::column_stride(rows), "the workspace is the program's");
        assert!(workspace.slots.len() >= self.layout.slot_stride() * steps, "the workspace is the program's");
        assert!(workspace.spills.len() >= self.spills, "the workspace is the program's");
        // Groups without a term.
        for (group, sums) in self.terms.iter().zip(sums.chunks_exact_mut(degree * rows)) {
            if group.is_empty() {
                sums.fill(0);
            }
        }
        for (number, part) in self.parts.iter().enumerate() {
            let lines: &mut [u64] = bytemuck::cast_slice_mut(&mut workspace.loads);
            for (load, words) in part.loads.iter().zip(lines.chunks_exact_mut(Layout::column_stride(rows) * LANES)) {
                let words = &mut words[..rows];
                if let Some(values) = column(load, words) {
                    words.copy_from_slice(bytemuck::cast_slice(&values[..rows]));
                }
            }
            let reads = [
                workspace.loads.as_ptr().cast(),
                uniforms.pool.as_ptr(),
                uniforms.weights[part.first_term * WEIGHT_WORDS * degree..].as_ptr(),
            ];
            let writes = [
                workspace.slots.as_mut_ptr().cast(),
                sums[part.group * degree * rows..].as_mut_ptr(),
                workspace.spills.as_mut_ptr().cast(),
            ];
            // SAFETY: the function is of these parts and this layout; the sizes were compared above. It reads its
            // loads, the pool, and the weights of its terms from the first on; it writes slots and spills, and the sums
            // of its group, all of which are there. The machine's instructions were asked for before the code was made.
            unsafe { self.code.call(number, reads, writes) };
        }
    }
}
