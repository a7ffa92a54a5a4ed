//! The trees of a command line: kinds, rows, and files of columns.

use std::path::{Path, PathBuf};

use clap::Args;
use serde::Serialize;

use crate::arguments::values::integer;
use crate::report::exit::Failure;
use sdk::air::Cells;
use sdk::circle::gkr::{ColumnsDigest, Gate, Instance, Kind, MAX_TREES, MAX_VARIABLES, zero_denominator};
use sdk::field::{ExtensionField, M31, QM31};
use sdk::hal::Digest;
use sdk::proof_format::text::excerpt;
use sdk::trace_file::{Shape, TraceFile};

/// The base columns below a tree, numerators first.
pub(super) type Columns = Vec<Cells<M31>>;

/// Coordinates of an element of the extension, each in a column.
const DEGREE: usize = <QM31 as ExtensionField<M31>>::DEGREE;

/// The columns below trees.
#[derive(Args)]
pub(super) struct TreeArguments {
    /// A tree: grand-product, logup, logup-multiplicities or logup-singles; its rows, a power of two such as 2^10; and
    /// a .npy or Arrow file of columns over M31. An element of the extension is four columns: 4 columns of factors, 8
    /// of numerators and denominators, 5 where numerators are of the base field, 4 of denominators. May be repeated
    #[arg(long = "tree", value_name = "KIND:ROWS=FILE", required = true, value_parser = tree)]
    trees: Vec<TreeArgument>,
}

#[derive(Clone, Debug)]
struct TreeArgument {
    instance: Instance,
    file: PathBuf,
}

/// One tree of the command line.
fn tree(text: &str) -> Result<TreeArgument, String> {
    let form = || format!("`{}` is not KIND:ROWS=FILE, such as logup:2^10=fractions.npy", excerpt(text));
    let (shape, file) = text.split_once('=').ok_or_else(form)?;
    let (kind, rows) = shape.split_once(':').ok_or_else(form)?;
    let kind = kind.parse::<Kind>()?;
    let rows = integer(rows)?;
    let variables = rows.checked_ilog2().unwrap_or(0) as usize;
    if !rows.is_power_of_two() || !(1..=MAX_VARIABLES).contains(&variables) {
        return Err(format!("a tree has 2 to 2^{MAX_VARIABLES} rows, a power of two, not {rows}"));
    }
    Ok(TreeArgument { instance: Instance { kind, variables }, file: file.into() })
}

impl TreeArguments {
    /// The files, each with its argument.
    pub(super) fn files(&self) -> impl Iterator<Item = (&'static str, &Path)> {
        self.trees.iter().map(|tree| ("--tree", tree.file.as_path()))
    }

    /// Refuses more trees than a file has.
    pub(super) fn check(&self) -> Result<(), Failure> {
        match self.trees.len() {
            0..=MAX_TREES => Ok(()),
            trees => Err(Failure::usage(format!("{trees} trees: a file has at most {MAX_TREES}, so make several"))),
        }
    }

    /// Refuses columns with a fraction over 0, which make no sum.
    pub(super) fn check_denominators(&self, columns: &[Columns]) -> Result<(), Failure> {
        for (TreeArgument { instance, file }, columns) in self.trees.iter().zip(columns) {
            if let Some(row) = zero_denominator(instance.kind, columns) {
                return Err(Failure::file(file, format!("row {row} has the denominator 0: there is no such sum")));
            }
        }
        Ok(())
    }

    /// The shapes.
    pub(super) fn instances(&self) -> Vec<Instance> {
        self.trees.iter().map(|tree| tree.instance).collect()
    }

    /// The columns of all trees, and their digest.
    pub(super) fn read(&self) -> Result<(Vec<Columns>, Digest), Failure> {
        let (mut columns, mut digest) = (Vec::with_capacity(self.trees.len()), ColumnsDigest::default());
        for TreeArgument { instance, file } in &self.trees {
            let shape = Shape { columns: instance.kind.base_columns(DEGREE), rows: 1 << instance.variables };
            let read = TraceFile::open(file, shape).and_then(|file| file.columns::<M31>());
            let base = read.map_err(|error| Failure::file(file, error))?;
            base.iter().for_each(|column| digest.column(column));
            columns.push(base);
        }
        Ok((columns, digest.finish()))
    }
}

/// A tree with its output, for people and machines.
#[derive(Serialize)]
pub(super) struct TreeView {
    kind: &'static str,
    rows: u64,
    /// The product, or the numerator of the sum: its four coordinates.
    value: [u32; 4],
    /// The denominator of the sum.
    #[serde(skip_serializing_if = "Option::is_none")]
    denominator: Option<[u32; 4]>,
}

impl TreeView {
    pub(super) fn all(instances: &[Instance], outputs: &[Vec<QM31>]) -> Vec<Self> {
        let words = |value: &QM31| value.0.map(|word| sdk::field::PrimeField::as_u64(word) as u32);
        let view = |(of, output): (&Instance, &Vec<QM31>)| Self {
            kind: of.kind.name(),
            rows: 1 << of.variables,
            value: words(&output[0]),
            denominator: (of.kind.gate() == Gate::LogUp).then(|| words(&output[1])),
        };
        instances.iter().zip(outputs).map(view).collect()
    }

    /// A line for people.
    pub(super) fn line(&self) -> (&'static str, String) {
        let element = |[a, b, c, d]: [u32; 4]| format!("({a}, {b}, {c}, {d})");
        let value = element(self.value);
        let said = self.denominator.map_or(value.clone(), |below| format!("{value} / {}", element(below)));
        (self.kind, format!("{} rows: {said}", self.rows))
    }
}
