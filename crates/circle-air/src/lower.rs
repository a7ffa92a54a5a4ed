//! From a tape to programs: shared subexpressions, folded constants, parameter slots.

use std::collections::HashMap;

use field::QM31;
use gpu_hal::ir::{Group, Kind, NodeId, ProgramBuilder};
use gpu_hal::{CircleStark, ConstraintProgram};

use crate::framework::tape::{self, Entry, Session, Value};
use crate::template::{Template, constant_changed};
use crate::{RecordError, TREES};

/// Largest degree of a constraint, a column counting 1: its quotient by the vanishing polynomial of the rows then is
/// half of the composition's `2^(n+1)` coefficients at most twice.
const MAX_DEGREE: usize = 3;

/// The data that the prover needs of a component.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct RecordedComponent {
    /// Log2 of the number of rows.
    pub log_size: u32,
    /// Groups of base columns: 0 the preprocessed columns in the order of [`Self::preprocessed`], 1 the main columns, 2
    /// the interaction columns (a group may be empty). Outputs: the constraints in order. Parameters: [`Self::params`]
    /// of them.
    pub constraints: ConstraintProgram<CircleStark>,
    /// The preprocessed columns that it reads, each once, in order of first use.
    pub preprocessed: Vec<String>,
    /// Row offsets by tree, column and position in the mask: the order of sample points and sampled values.
    pub offsets: Vec<Vec<Vec<isize>>>,
    /// The lookups, if there are any.
    pub logup: Option<Logup>,
    /// Number of parameters of [`Self::constraints`].
    pub params: usize,
    pub(crate) slots: Slots,
}

/// The lookup fractions of a component: the source of its interaction columns.
///
/// With `num_b` and `den_b` the outputs on row `r`: `S_b(r) = S_{b-1}(r) + num_b/den_b`. The columns from `first + 4b`
/// on of the component in the interaction tree are the four coordinates of `S_b`; in the last batch instead the
/// coordinates of the inclusive prefix sum over the rows of `S_b(r) - claimed_sum/rows`, with `claimed_sum` the sum of
/// the last `S_b` over all rows.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct Logup {
    /// Groups 0 and 1 as in [`RecordedComponent::constraints`]; outputs: `num_0, den_0, num_1, den_1, ...`.
    pub program: ConstraintProgram<CircleStark>,
    /// Number of batches.
    pub batches: usize,
    /// The first of their columns among the component's columns in the interaction tree.
    pub first: usize,
    /// Number of parameters of [`Self::program`].
    pub params: usize,
    pub(crate) slots: Slots,
}

/// Where the values of a program's parameters are found on a tape.
#[derive(Clone, Debug)]
pub(crate) struct Slots(Vec<Slot>);

#[derive(Clone, Debug)]
enum Slot {
    /// The claimed sum divided by the number of rows.
    Shift,
    /// Any of these entries: constants that are always equal.
    Constant(Vec<u32>),
}

impl Slots {
    /// Reads the parameters off a recording that has the template's shape.
    pub(crate) fn values(&self, entries: &[Entry], shift: QM31) -> Result<Vec<QM31>, RecordError> {
        let value = |slot: &Slot| match slot {
            Slot::Shift => Ok(shift),
            Slot::Constant(places) => {
                let first = &entries[places[0] as usize];
                match places.iter().map(|&place| &entries[place as usize]).find(|other| *other != first) {
                    Some(other) => Err(constant_changed(first, other)),
                    None => match first {
                        Entry::Constant(value) => Ok(*value),
                        other => Err(constant_changed(other, other)),
                    },
                }
            }
        };
        self.0.iter().map(value).collect()
    }
}

impl RecordedComponent {
    /// The programs of a template.
    pub(crate) fn new(template: &Template) -> Result<Self, RecordError> {
        let recording = &template.recording;
        let (constraints, slots) = lower(template, TREES, &recording.constraints)?;
        let degrees = constraints.output_degrees();
        if let Some(constraint) = degrees.iter().position(|&degree| degree > MAX_DEGREE) {
            return Err(RecordError::ConstraintDegree { constraint, degree: degrees[constraint] });
        }
        let logup = recording.batches.as_ref().map(|batches| {
            let roots: Vec<u32> =
                batches.iter().flat_map(|&(numerator, denominator)| [numerator, denominator]).collect();
            check_sources(&recording.entries, &roots)?;
            let (program, slots) = lower(template, TREES - 1, &roots)?;
            let (batches, first) = (batches.len(), recording.logup_first);
            Ok::<_, RecordError>(Logup { params: program.params(), program, batches, first, slots })
        });
        Ok(Self {
            log_size: recording.log_size,
            params: constraints.params(),
            constraints,
            preprocessed: recording.preprocessed.clone(),
            offsets: recording.offsets.to_vec(),
            logup: logup.transpose()?,
            slots,
        })
    }

    /// Number of constraints.
    pub fn constraint_count(&self) -> usize {
        self.constraints.outputs().len()
    }

    /// Number of columns in tree 1 or 2; in tree 0, number of columns that it reads.
    pub fn width(&self, tree: usize) -> usize {
        self.offsets[tree].len()
    }

    /// Most row offsets on one column. Above two the component is sound only if its extended columns are as large as
    /// the common domain.
    pub fn max_offsets(&self) -> usize {
        self.offsets.iter().flatten().map(Vec::len).max().unwrap_or(0)
    }
}

/// The program of the given entries over the first `trees` trees.
pub(crate) fn lower(
    template: &Template,
    trees: usize,
    roots: &[u32],
) -> Result<(ConstraintProgram<CircleStark>, Slots), RecordError> {
    let entries = &template.recording.entries;
    let needed = needed(entries, roots);
    let (slots, slot_of) = assign_slots(template, &needed);
    let groups = template.recording.offsets[..trees].iter();
    let groups = groups.map(|columns| Group { width: columns.len(), kind: Kind::Base }).collect();
    let program = ProgramBuilder::<CircleStark>::new(groups, slots.0.len());
    Ok((translate(program, entries, &needed, &slot_of, roots)?, slots))
}

/// Lookup entries are made of preprocessed and main columns.
fn check_sources(entries: &[Entry], roots: &[u32]) -> Result<(), RecordError> {
    let needed = needed(entries, roots);
    let column = entries.iter().zip(needed).find_map(|(entry, is_needed)| match *entry {
        Entry::Load { tree, column, .. } if is_needed && tree as usize == TREES - 1 => Some(column as usize),
        _ => None,
    });
    column.map_or(Ok(()), |column| Err(RecordError::LookupOfInteraction { column }))
}

/// The program of the values that `record` computes from columns, which it gets as a function of group and column, all
/// on one row. Groups are base columns, as many as the widths say.
pub(crate) fn row_program(
    widths: &[usize],
    record: impl FnOnce(&dyn Fn(usize, usize) -> Value) -> Vec<Value>,
) -> Result<ConstraintProgram<CircleStark>, RecordError> {
    let session = Session::start();
    let load = |group: usize, column: usize| {
        tape::record(Entry::Load { tree: group as u32, column: column as u32, offset: 0 })
    };
    let roots: Vec<u32> = record(&load).into_iter().map(tape::entry).collect();
    let entries = session.finish()?;
    let groups = widths.iter().map(|&width| Group { width, kind: Kind::Base }).collect();
    let program = ProgramBuilder::<CircleStark>::new(groups, 0);
    translate(program, &entries, &needed(&entries, &roots), &HashMap::new(), &roots)
}

/// The entries that the given ones depend on.
pub(crate) fn needed(entries: &[Entry], roots: &[u32]) -> Vec<bool> {
    let mut needed = vec![false; entries.len()];
    roots.iter().for_each(|&root| needed[root as usize] = true);
    for (index, entry) in entries.iter().enumerate().rev() {
        if needed[index] {
            entry.operands().for_each(|operand| needed[operand as usize] = true);
        }
    }
    needed
}

/// Entries as nodes, the given ones as outputs; entries with a slot become parameters.
fn translate(
    mut program: ProgramBuilder<CircleStark>,
    entries: &[Entry],
    needed: &[bool],
    slot_of: &HashMap<usize, usize>,
    roots: &[u32],
) -> Result<ConstraintProgram<CircleStark>, RecordError> {
    let mut nodes = vec![NodeId(0); entries.len()];
    for (index, entry) in entries.iter().enumerate().filter(|(index, _)| needed[*index]) {
        let get = |operand: u32| nodes[operand as usize];
        nodes[index] = match *entry {
            _ if slot_of.contains_key(&index) => program.param(slot_of[&index]),
            Entry::Constant(value) => program.constant_ext(value),
            Entry::Load { tree, column, offset } => program.load(tree as usize, column as usize, offset),
            Entry::Shift => unreachable!("the shift is always a parameter"),
            Entry::Add(a, b) => program.add(get(a), get(b)),
            Entry::Sub(a, b) => program.sub(get(a), get(b)),
            Entry::Mul(a, b) => program.mul(get(a), get(b)),
            Entry::Neg(a) => program.neg(get(a)),
        };
    }
    for &root in roots {
        program.output(nodes[root as usize]);
    }
    Ok(program.finish()?)
}

/// A slot for each distinct parameter, in order of first use; and the slot of each entry that is one.
fn assign_slots(template: &Template, needed: &[bool]) -> (Slots, HashMap<usize, usize>) {
    let (mut slots, mut slot_of) = (Vec::new(), HashMap::new());
    // Constants that are equal in both recordings are one parameter; `None` is the shift.
    let mut known: HashMap<Option<(QM31, QM31)>, usize> = HashMap::new();
    for (index, entry) in template.recording.entries.iter().enumerate().filter(|(index, _)| needed[*index]) {
        let key = match (*entry, template.varying[index]) {
            (Entry::Shift, _) => None,
            (Entry::Constant(first), Some(second)) => Some((first, second)),
            _ => continue,
        };
        let slot = *known.entry(key).or_insert_with(|| {
            slots.push(if key.is_none() { Slot::Shift } else { Slot::Constant(Vec::new()) });
            slots.len() - 1
        });
        if let Slot::Constant(places) = &mut slots[slot] {
            places.push(index as u32);
        }
        slot_of.insert(index, slot);
    }
    (Slots(slots), slot_of)
}
