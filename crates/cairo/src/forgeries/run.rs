//! Honest runs of the vectors, component by component.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use backend_cpu::Cpu;
use cairo_run::Run;
use circle_air::{base, qm31};
use field::{M31, QM31};
use gpu_hal::{CircleStark, StarkBackend};
use num_traits::Zero;
use prover_core::OnDevice;
use rayon::prelude::*;
use serde_json::Value;
use stwo::core::fields::m31::BaseField;

use super::row::{Component, Seen};
use crate::air_1_3::{Air13, elements, visit};
use crate::components::Rows;
use crate::preprocessed::{self, Variant};
use crate::statement::CairoStatement;
use crate::verify::tests::{secure, vector};
use crate::witness::Size;
use crate::witness::Witness;
use crate::witness::tests::run;

/// Most rows of a component with entries of the run that are changed.
const REAL_ROWS: usize = 6;
/// Most rows that only fill a component that are changed.
const FILLING_ROWS: usize = 2;

/// A run, its statement, and lookup elements.
pub(super) struct Case {
    pub(super) statement: CairoStatement<Air13>,
    /// z and alpha.
    pub(super) drawn: [QM31; 2],
    pub(super) parts: Vec<Part>,
}

/// A component of a run.
pub(super) struct Part {
    pub(super) name: String,
    size: Size,
    pub(super) component: Box<dyn Component>,
    /// Main columns, one after the other.
    cells: Vec<M31>,
    /// As [`Component::fixed`].
    fixed: Vec<Fixed>,
}

/// A preprocessed column.
enum Fixed {
    Values(Arc<Vec<M31>>),
    /// The column of this number of the large table of points, of which no more rows are computed than are looked at.
    Points(usize),
}

impl Case {
    /// The run of a vector, `program.variant`, with the lookup elements of the reference's proof, and the sums of that
    /// proof.
    pub(super) fn new(name: &'static str) -> (Self, Vec<QM31>) {
        let (program, _) = name.split_once('.').unwrap();
        let vector = vector(name);
        let variant: Variant = serde_json::from_value(vector["preprocessed_variant"].clone()).unwrap();
        let proof = &vector["proofs"]["low"];
        let drawn = ["lookup_z", "lookup_alpha"].map(|element| qm31(secure(&proof[element])));
        let run = Self::of(&run(program), variant, drawn);
        let sums: Vec<&Value> = proof["components"].as_array().unwrap().iter().collect();
        assert_eq!(run.parts.len(), sums.len(), "{name}");
        run.parts.iter().zip(&sums).for_each(|(part, sum)| assert_eq!(sum["name"], part.size.name(), "{name}"));
        (run, sums.into_iter().map(|sum| qm31(secure(&sum["claimed_sum"]))).collect())
    }

    /// A run that nobody has checked, with its witness.
    pub(super) fn of(input: &Run, variant: Variant, drawn: [QM31; 2]) -> Self {
        let witness = Witness::new::<Air13>(input, variant).unwrap();
        let statement = CairoStatement::new(input, witness.sizes(), 0).unwrap();
        let mut components: Vec<Box<dyn Component>> = Vec::new();
        visit(statement.claim(), &elements(&drawn), 0, &mut components);
        let backend = Cpu::<CircleStark>::new();
        let tables = witness.tables(OnDevice::Proof, &backend).unwrap();
        assert_eq!([components.len(), tables.len()], [witness.sizes().components().len(); 2]);
        let values = values(variant, &components);
        let fixed = |id: &str| large_points(id).map_or_else(|| Fixed::Values(values[id].clone()), Fixed::Points);
        let parts = components.into_iter().zip(witness.sizes().components()).zip(tables);
        let parts = parts.map(|((component, size), table)| Part {
            name: size.component.name.to_owned(),
            size: size.clone(),
            fixed: component.fixed().iter().map(|id| fixed(&id.id)).collect(),
            component,
            cells: backend.download(table.as_ref(), 0..table.height()).unwrap(),
        });
        let parts = parts.collect();
        Self { statement, drawn, parts }
    }
}

/// The values of the preprocessed columns that components read, except the large table of points.
fn values(variant: Variant, components: &[Box<dyn Component>]) -> BTreeMap<String, Arc<Vec<M31>>> {
    let read: BTreeSet<String> = components.iter().flat_map(|component| component.fixed()).map(|id| id.id).collect();
    let columns = preprocessed::columns(variant).into_iter().map(|column| column.id).enumerate();
    let columns = columns.filter(|(_, id)| read.contains(id) && large_points(id).is_none());
    let (numbers, ids): (Vec<_>, Vec<_>) = columns.unzip();
    ids.into_iter().zip(preprocessed::values(variant, &numbers).into_iter().map(Arc::new)).collect()
}

/// The number of a column of the large table of points.
fn large_points(id: &str) -> Option<usize> {
    id.strip_prefix("pedersen_points_")?.parse().ok()
}

impl Part {
    pub(super) fn width(&self) -> usize {
        self.cells.len() >> self.size.log_size
    }

    fn is_table(&self) -> bool {
        matches!(self.size.component.rows, Rows::Table(..))
    }

    /// All rows; of a table, the used ones. The others, all zeros, look nothing up.
    pub(super) fn rows(&self) -> Vec<usize> {
        let is_used = |row: &usize| !self.is_table() || self.row(*row).iter().any(|cell| cell.0 != 0);
        (0..self.size.rows()).filter(is_used).collect()
    }

    /// The result of evaluating rows together: constraints that are not zero in any of them, and the sum of all their
    /// fractions.
    pub(super) fn see(&self, rows: &[usize]) -> Seen {
        let seen = rows.par_iter().map(|row| self.component.see(&self.row(*row), &self.fixed(*row)));
        let nothing = || Seen { broken: 0, sum: Zero::zero() };
        seen.reduce(nothing, |a, b| Seen { broken: a.broken + b.broken, sum: a.sum + b.sum })
    }

    /// The rows to be changed, given [`Self::rows`]: some with entries of the run, among them the first; some rows that
    /// only fill the component, or of a table the first that is not used; the last, of any kind.
    pub(super) fn samples(&self, rows: &[usize]) -> BTreeSet<usize> {
        let entries = if self.is_table() { rows.len() } else { self.size.entries.min(rows.len()) };
        let unused = (0..self.size.rows()).find(|row| rows.get(*row) != Some(row));
        let (real, filling) = rows.split_at(entries);
        let some = |rows: &[usize], most: usize| -> Vec<usize> {
            rows.iter().step_by(rows.len().div_ceil(most).max(1)).copied().collect()
        };
        let last = self.size.rows() - 1;
        some(real, REAL_ROWS).into_iter().chain(some(filling, FILLING_ROWS)).chain(unused).chain([last]).collect()
    }

    /// The main cells of a row.
    pub(super) fn row(&self, row: usize) -> Vec<BaseField> {
        let column = |column: usize| base(self.cells[(column << self.size.log_size) + row]);
        (0..self.width()).map(column).collect()
    }

    /// The preprocessed cells of a row.
    pub(super) fn fixed(&self, row: usize) -> Vec<BaseField> {
        let points = self.fixed.iter().any(|fixed| matches!(fixed, Fixed::Points(_)));
        let points = points.then(|| preprocessed::large_point(row));
        let cell = |fixed: &Fixed| match fixed {
            Fixed::Values(values) => base(values[row]),
            Fixed::Points(column) => base(points.as_ref().expect("made above")[*column]),
        };
        self.fixed.iter().map(cell).collect()
    }
}
