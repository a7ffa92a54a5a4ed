//! The checks that a false witness breaks, row by row, without a proof.

use std::sync::Arc;

use circle_air::{PublicLookup, RecordedComponent, Statement};
use circuits::{Circuit, CircuitStatement};
use field::{Field, M31, QM31};

use crate::lie::Told;

/// The checks that are broken.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Broken {
    /// A constraint of a gate, on some row.
    pub(crate) gate: bool,
    /// The total of the lookups.
    pub(crate) total: bool,
}

/// The columns of a component.
#[derive(PartialEq)]
struct Rows<'a> {
    preprocessed: Vec<&'a Vec<M31>>,
    main: &'a [Vec<M31>],
}

impl<'a> Rows<'a> {
    fn of(circuit: &'a Circuit, component: &RecordedComponent, number: usize, told: &'a Told) -> Self {
        let values = told.preprocessed.as_deref().unwrap_or(circuit.values());
        let place = |id: &String| circuit.columns().iter().position(|column| column.id == *id).unwrap();
        let preprocessed = component.preprocessed.iter().map(|id| &values[place(id)]).collect();
        Self { preprocessed, main: &told.columns[number] }
    }

    fn load(&self, group: usize, column: usize, row: usize) -> QM31 {
        match group {
            0 => self.preprocessed[column][row].into(),
            1 => self.main[column][row].into(),
            // Interaction columns are in no constraint of a gate.
            _ => QM31::ZERO,
        }
    }

    fn differ(&self, other: &Self, row: usize) -> bool {
        let here = self.preprocessed.iter().copied().chain(self.main);
        let there = other.preprocessed.iter().copied().chain(other.main);
        here.zip(there).any(|(here, there)| here[row] != there[row])
    }

    /// The sum of a row's lookups.
    fn sum(&self, component: &RecordedComponent, row: usize) -> QM31 {
        let logup = component.logup.as_ref().expect("every component looks up");
        let load = |group, column, _| self.load(group, column, row);
        let fractions = logup.program.evaluate(&vec![QM31::ZERO; logup.params], load);
        fractions.chunks_exact(2).map(|fraction| fraction[0] * fraction[1].inverse().unwrap()).sum()
    }

    /// Whether a constraint of the gate does not hold: those of lookups stand behind, one a batch.
    fn breaks(&self, component: &RecordedComponent, row: usize) -> bool {
        let load = |group, column, _| self.load(group, column, row);
        let constraints = component.constraints.evaluate(&vec![QM31::ZERO; component.params], load);
        let batches = component.logup.as_ref().map_or(0, |logup| logup.batches);
        constraints[..constraints.len() - batches].iter().any(|constraint| *constraint != QM31::ZERO)
    }
}

/// The checks that are broken, if none of the truth is.
pub(crate) fn broken(circuit: &Arc<Circuit>, truth: &Told, told: &Told) -> Broken {
    let drawn = [2, 3].map(|word| QM31([word, 5, 7, 11].map(M31::new)));
    let statement = |told: &Told| CircuitStatement::new(circuit.clone(), told.outputs.clone()).unwrap();
    // A sum is right if it is the opposite of the public lookups' sum.
    let public =
        |told: &Told| -> QM31 { statement(told).public_lookups().iter().map(|lookup| fraction(lookup, &drawn)).sum() };
    let (mut gate, mut total) = (false, public(told) - public(truth));
    for (number, component) in statement(truth).components(&drawn).iter().enumerate() {
        let component = component.record().unwrap();
        let [before, after] = [truth, told].map(|told| Rows::of(circuit, &component, number, told));
        if before == after {
            continue;
        }
        for row in (0..1 << component.log_size).filter(|row| before.differ(&after, *row)) {
            total += after.sum(&component, row) - before.sum(&component, row);
            gate |= after.breaks(&component, row);
        }
    }
    Broken { gate, total: total != QM31::ZERO }
}

/// A public lookup's part of the sum, by the verifier's denominators.
fn fraction(lookup: &PublicLookup, drawn: &[QM31; 2]) -> QM31 {
    let [z, alpha] = *drawn;
    let tuple = lookup.tuple.iter().rev().fold(QM31::ZERO, |sum, value| sum * alpha + QM31::from(*value));
    (tuple - z).inverse().unwrap() * QM31::from(lookup.multiplicity)
}
