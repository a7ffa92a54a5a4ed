//! Forgeries, judged by cairo-air's own evaluators: every main column of every component is changed in rows of every
//! kind, and every number of the public data.
//!
//! A changed cell is refused if and only if a constraint of its row is not zero any more, or the fractions of its row
//! have another sum. In the second case the claimed sums and the public data do not add up to zero, which prover and
//! verifier check. No other row can tell, for no component reads a main cell of another row ([`row`] makes sure). Cells
//! whose change is not refused are listed in [`free`], with the reason.
//!
//! Beside them stand runs that the AIR takes and the Cairo machine refuses ([`unlike`]), which `docs/cairo.md` lists.

mod curve;
mod edges;
mod free;
mod lookups;
mod modulo;
mod product;
mod public;
mod row;
mod run;
mod unlike;

use std::collections::BTreeSet;

use circle_air::{Statement, secure};
use rayon::prelude::*;
use stwo::core::fields::m31::{BaseField, P};
use stwo_constraint_framework::{EvalAtRow, FrameworkEval};

use free::FREE;
use row::{Component, Seen};
use run::Case;

/// Between them they have all components.
const RUNS: [&str; 5] =
    ["opcodes_1.small", "blake_7.small", "modops_5_20.small", "pedersen_20.small", "builtins_3.canonical"];

/// Numbers that are added to a cell: a bit of 0 or 1 becomes the other one, and any number an arbitrary one.
const CHANGES: [u32; 3] = [1, P - 1, 0x3c6e_f372];

/// The columns of a row whose cell can be changed unnoticed.
fn unnoticed(component: &dyn Component, cells: &[BaseField], fixed: &[BaseField]) -> BTreeSet<usize> {
    let honest = component.see(cells, fixed);
    let is_unnoticed = |column: &usize| {
        CHANGES.iter().any(|change| {
            let mut cells = cells.to_vec();
            cells[*column] += BaseField::from_u32_unchecked(*change);
            component.see(&cells, fixed) == honest
        })
    };
    (0..cells.len()).into_par_iter().filter(is_unnoticed).collect()
}

/// Counts of the cells that were changed.
#[derive(Debug, Default, PartialEq, Eq)]
struct Figures {
    components: usize,
    columns: usize,
    rows: usize,
    cells: usize,
    unnoticed: usize,
}

#[test]
fn a_changed_cell_is_refused_unless_nothing_reads_it() {
    let (mut figures, mut known, mut met) = (Figures::default(), BTreeSet::new(), BTreeSet::new());
    let mut wrong = Vec::new();
    for name in RUNS {
        let (run, claimed) = Case::new(name);
        // Honest rows satisfy everything, and add up to the sums of the reference's proof.
        for (part, claimed_sum) in run.parts.iter().zip(&claimed) {
            let rows = part.rows();
            assert_eq!(part.see(&rows), Seen { broken: 0, sum: secure(*claimed_sum) }, "{name}: {}", part.name);
            // The first run that uses each component.
            if rows.is_empty() || !known.insert(part.name.clone()) {
                continue;
            }
            figures.columns += part.width();
            for row in part.samples(&rows) {
                let cells = part.row(row);
                let found = unnoticed(&*part.component, &cells, &part.fixed(row));
                let expected = free::columns(&part.name, &cells, &mut met);
                if found != expected {
                    wrong.push(format!("{name}: {}, row {row}: found {found:?}, listed {expected:?}", part.name));
                }
                figures.rows += 1;
                figures.cells += cells.len();
                figures.unnoticed += found.len();
            }
        }
        run.statement.check_claimed_sums(&run.drawn, &claimed).unwrap();
    }
    figures.components = known.len();
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
    let stale: Vec<_> = (0..FREE.len()).filter(|entry| !met.contains(entry)).map(|entry| FREE[entry].why).collect();
    assert!(stale.is_empty(), "never met: {stale:?}");
    let expected = Figures { components: 68, columns: 5033, rows: 485, cells: 37_957, unnoticed: 333 };
    assert_eq!(figures, expected);
}

/// A bit, and a column that nothing reads.
struct Loose;

impl FrameworkEval for Loose {
    fn log_size(&self) -> u32 {
        4
    }

    fn max_constraint_log_degree_bound(&self) -> u32 {
        5
    }

    fn evaluate<E: EvalAtRow>(&self, mut eval: E) -> E {
        let (bit, _) = (eval.next_trace_mask(), eval.next_trace_mask());
        eval.add_constraint(bit.clone() * bit.clone() - bit);
        eval
    }
}

#[test]
fn what_is_loose_is_found() {
    let cells = |bit: u32| [bit, 7].map(BaseField::from_u32_unchecked);
    assert_eq!([0, 1, 2].map(|bit| Loose.see(&cells(bit), &[]).broken), [0, 0, 1]);
    // A bit without more is free to be the other one.
    assert_eq!([0, 1].map(|bit| unnoticed(&Loose, &cells(bit), &[])), [BTreeSet::from([0, 1]), BTreeSet::from([0, 1])]);
}
