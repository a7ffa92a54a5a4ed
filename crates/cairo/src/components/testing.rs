//! Row programs of components on the reference backend, over memory that a test makes up.

use backend_reference::CpuReference;
use cairo_run::{BIG_ID, Felt252};
use field::M31;
use gpu_hal::{CircleStark, Columns, Result, RowRun, StarkBackend};

use super::machine::{ComponentProgram, Counter, LIMB_BITS, Table, WORD27_BITS};

/// Columns of one length.
pub(super) type Values = Vec<Vec<u32>>;

/// The output of a program.
pub(super) struct ProgramOutput {
    pub(super) columns: Values,
    /// Columns of each list.
    pub(super) lists: Vec<Values>,
    /// Each counter, column after column.
    pub(super) counters: Vec<Vec<u32>>,
}

impl ProgramOutput {
    /// The columns of a row from `from` on.
    pub(super) fn row(&self, row: usize, from: usize, count: usize) -> Vec<u32> {
        self.columns[from..from + count].iter().map(|column| column[row]).collect()
    }

    /// An entry of a list.
    pub(super) fn entry(&self, list: usize, width: usize, site: usize, row: usize) -> Vec<u32> {
        self.lists[list][width * site..width * (site + 1)].iter().map(|column| column[row]).collect()
    }
}

/// Runs a program over `2^log_height` rows. The parts of the source and the tables are columns; tables are padded with
/// zeros.
pub(super) fn run(
    component: &ComponentProgram,
    source: &[Values],
    period: usize,
    log_height: u32,
    table: &dyn Fn(Table) -> Values,
) -> Result<ProgramOutput> {
    let backend = CpuReference::<CircleStark>::new();
    let upload = |columns: &Values| {
        let height = columns[0].len().next_power_of_two();
        let padded = columns
            .iter()
            .flat_map(|column| column.iter().copied().chain(std::iter::repeat_n(0, height - column.len())));
        let values: Vec<_> = padded.map(M31::new).collect();
        backend.upload(&values, columns.len(), height.ilog2())
    };
    let sites = |part: &Values| part.len() / component.program.inputs().max(1) * part[0].len();
    let entries: usize = source.iter().map(sites).sum();
    let tables = component.tables.iter().map(|name| match name {
        Table::Entries => upload(&vec![vec![entries as u32]]),
        name => upload(&table(*name)),
    });
    let (source, tables) =
        (source.iter().map(upload).collect::<Result<Vec<_>>>()?, tables.collect::<Result<Vec<_>>>()?);
    let zeros = |counter: &Counter| {
        upload(&counter.table().map_or(vec![vec![0; 1 << 10]], |(_, log, columns)| vec![vec![0; 1 << log]; columns]))
    };
    let mut counters = component.counters.iter().map(zeros).collect::<Result<Vec<_>>>()?;
    let (source, tables): (Vec<_>, Vec<_>) =
        (source.iter().map(Columns::as_ref).collect(), tables.iter().map(Columns::as_ref).collect());
    let args = RowRun { program: &component.program, source: &source, period, tables: &tables, log_height };
    let made = backend.rows(&args, &mut counters.iter_mut().map(Columns::as_mut).collect::<Vec<_>>())?;
    let download = |table: &Columns<_>| -> Result<Values> {
        let values = backend.download(table.as_ref(), 0..table.height())?;
        Ok(values.chunks(table.height()).map(|column| column.iter().map(|value| value.value()).collect()).collect())
    };
    Ok(ProgramOutput {
        columns: download(&made.columns)?,
        lists: made.lists.iter().map(download).collect::<Result<_>>()?,
        counters: counters.iter().map(|counter| Ok(download(counter)?.concat())).collect::<Result<_>>()?,
    })
}

/// The digits of a felt in base `2^bits`.
pub(super) fn digits(felt: Felt252, bits: u32, count: usize) -> Vec<u32> {
    let words = felt.to_le_digits();
    let bit = |index: usize| words.get(index / 64).map_or(0, |word| (word >> (index % 64) & 1) as u32);
    let digit = |digit: usize| (0..bits as usize).map(|place| bit(digit * bits as usize + place) << place).sum();
    (0..count).map(digit).collect()
}

/// The limbs of a felt.
pub(super) fn limbs(felt: Felt252) -> Vec<u32> {
    digits(felt, LIMB_BITS, 28)
}

/// The words of 27 bits of a felt.
pub(super) fn words27(felt: Felt252) -> Vec<u32> {
    digits(felt, WORD27_BITS, 10)
}

/// A felt from its digits in base `2^bits`.
pub(super) fn felt(digits: &[u32], bits: u32) -> Felt252 {
    digits.iter().rev().fold(Felt252::ZERO, |felt, digit| felt * Felt252::from(1u64 << bits) + Felt252::from(*digit))
}

/// Rows as columns.
pub(super) fn transposed(rows: &[Vec<u32>]) -> Values {
    (0..rows[0].len()).map(|column| rows.iter().map(|row| row[column]).collect()).collect()
}

/// Memory that has these felts from address 1 on, each with an id of its own; all are big values.
pub(super) fn memory(felts: &[Felt252]) -> impl Fn(Table) -> Values {
    let big: Vec<_> = felts.iter().map(|felt| words27(*felt)).collect();
    move |table| match table {
        Table::AddressToId => {
            vec![std::iter::once(0).chain((0..big.len() as u32).map(|index| BIG_ID + index)).collect()]
        }
        Table::Big => transposed(&big),
        other => vec![vec![0; 1]; other.width()],
    }
}

/// The id of a felt of [`memory`], by its index.
pub(super) fn id(index: usize) -> u32 {
    BIG_ID + index as u32
}
