//! The lies of the malicious prover, and the check that must stop each.

use circle_air::qm31;
use circuits::Circuit;
use field::{Field, M31, QM31};

use crate::definition::{self, Columns};
use crate::examples;

/// The values of the wires that the lies are about.
pub(crate) const SEED: u32 = 5;

/// A lie in the whole proof of a circuit.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Lie {
    /// A sum is another one than its gate gives.
    Sum,
    /// Two wires that must be equal have a value that neither has.
    Equality,
    /// A word is not the xor of three others.
    Xor,
    /// The number that becomes a word is not its wire's.
    Word,
    /// A word is not the result of a G function.
    G,
    /// A gate reads the wire at another address.
    Address,
    /// A row of a table answers once more.
    OneMore,
    /// A row of a table answers once less.
    OneLess,
    /// The outputs of a permutation are not its inputs.
    Permutation,
    /// A row of a table answers once more, and the sum of its component says that it does not.
    Balanced,
    /// A public output is another one.
    Output,
    /// The circuit's own columns have another address, and the multiplicities that follow.
    OtherColumns,
}

/// A check that is there for a lie.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Check {
    /// The root of the circuit's columns.
    Root,
    /// The total of the lookups.
    Total,
    /// The constraints at the out-of-domain point.
    Identity,
}

/// A component by its number, a column of it and a row.
type Place = [usize; 3];

const EQ: usize = 0;
const QM31_OPS: usize = 1;
const TRIPLE_XOR: usize = 2;
const M31_TO_U32: usize = 3;
const BLAKE_G: usize = 4;
const XOR_8: usize = 5;
const RANGE_CHECK_16: usize = 10;

/// The row of the table of 16 bits that answers otherwise.
pub(crate) const FALSE_ROW: u32 = 5;

/// All that the prover is told to prove.
#[derive(Clone)]
pub(crate) struct Told {
    /// By component.
    pub(crate) columns: Columns,
    pub(crate) outputs: Vec<QM31>,
    /// The circuit's columns, if they are not its own.
    pub(crate) preprocessed: Option<Vec<Vec<M31>>>,
    /// Whether gates on elements may give anything.
    pub(crate) is_loose: bool,
    /// Whether the rows of the table of 16 bits make up for one of them.
    pub(crate) is_balanced: bool,
}

impl Lie {
    /// All lies.
    pub(crate) const ALL: [Self; 12] = [
        Self::Sum,
        Self::Equality,
        Self::Xor,
        Self::Word,
        Self::G,
        Self::Address,
        Self::OneMore,
        Self::OneLess,
        Self::Permutation,
        Self::Balanced,
        Self::Output,
        Self::OtherColumns,
    ];

    /// The check that must stop it.
    pub(crate) fn check(self) -> Check {
        match self {
            Self::Sum | Self::Balanced => Check::Identity,
            Self::OtherColumns => Check::Root,
            _ => Check::Total,
        }
    }

    /// A component and a wire of it whose value alone breaks a gate, for the lies about gates.
    pub(crate) fn wire(self, circuit: &Circuit) -> Option<(&'static str, usize)> {
        let last = |id: &str| address(circuit, id, circuit.column(id).len() - 1);
        match self {
            Self::Sum => Some(("qm31_ops", address(circuit, "qm31_ops_out_address", unread_sum(circuit)))),
            Self::Equality => Some(("eq", address(circuit, "eq_in0_address", 0))),
            Self::Xor => Some(("triple_xor", last("triple_xor_output_addr"))),
            Self::Word => Some(("m_31_to_u_32", last("m31_to_u32_output_addr"))),
            Self::G => Some(("blake_g_gate", last("blake_g_gate_output_addr_b"))),
            _ => None,
        }
    }

    /// The cells that a lie changes, by one.
    fn cells(self, circuit: &Circuit) -> Vec<Place> {
        let last = |component: usize| (1 << circuit.log_sizes()[component]) - 1;
        let sum = |column: usize| [QM31_OPS, column, unread_sum(circuit)];
        match self {
            Self::Sum => vec![sum(8)],
            Self::Equality => vec![[EQ, 0, 0]],
            Self::Xor => vec![[TRIPLE_XOR, 6, last(TRIPLE_XOR)]],
            // The number and its low half; the inverse of one is there already, as it is for zero.
            Self::Word => vec![[M31_TO_U32, 0, last(M31_TO_U32)], [M31_TO_U32, 1, last(M31_TO_U32)]],
            Self::G => vec![[BLAKE_G, 14, last(BLAKE_G)]],
            // One in the place of zero, and the sum is right.
            Self::Address | Self::OtherColumns => vec![sum(0), sum(8)],
            Self::OneMore | Self::Balanced => vec![[RANGE_CHECK_16, 0, FALSE_ROW as usize]],
            _ => Vec::new(),
        }
    }

    /// The instructions for the prover.
    pub(crate) fn tell(self, circuit: &Circuit, honest: &Told) -> Told {
        let mut told = honest.clone();
        for [component, column, row] in self.cells(circuit) {
            told.columns[component][column][row] += M31::ONE;
        }
        match self {
            Self::Sum => told.is_loose = true,
            Self::Balanced => told.is_balanced = true,
            Self::Output => told.outputs[0] += QM31::ONE,
            Self::OneLess => {
                // Zeros are looked up.
                let answers = &mut told.columns[XOR_8][0][0];
                assert!(*answers != M31::ZERO);
                *answers -= M31::ONE;
            }
            Self::Permutation => {
                let mut context = examples::turned(SEED, |values| vec![values[2] + values[0], values[0], values[1]]);
                assert!(Circuit::new(&mut context).unwrap() == *circuit, "values do not change a circuit");
                let values: Vec<QM31> = context.values().iter().copied().map(qm31).collect();
                told.columns = definition::columns(circuit, &values);
                told.outputs = values[circuit.outputs()].to_vec();
            }
            Self::OtherColumns => told.preprocessed = Some(other_columns(circuit)),
            _ => {}
        }
        told
    }
}

fn address(circuit: &Circuit, id: &str, row: usize) -> usize {
    circuit.column(id)[row].value() as usize
}

/// The row of a sum of zeros that no gate reads: such rows pad the component.
fn unread_sum(circuit: &Circuit) -> usize {
    let column = |id: &str| circuit.column(&format!("qm31_ops_{id}"));
    let is_it = |row: &usize| {
        ["in0_address", "in1_address", "mults"].iter().all(|id| column(id)[*row] == M31::ZERO)
            && column("add_flag")[*row] == M31::ONE
    };
    (0..column("mults").len()).rev().find(is_it).expect("the component is padded")
}

/// The circuit's columns with one in the place of zero where the sum that nobody reads reads it.
fn other_columns(circuit: &Circuit) -> Vec<Vec<M31>> {
    let mut values = circuit.values().to_vec();
    let place = |id: &str| circuit.columns().iter().position(|column| column.id == id).unwrap();
    values[place("qm31_ops_in0_address")][unread_sum(circuit)] = M31::ONE;
    let of_wire = |wire: M31| {
        let mut written = circuit.column("qm31_ops_out_address").iter();
        written.position(|address| *address == wire).expect("a sum or a product writes each constant")
    };
    let times = &mut values[place("qm31_ops_mults")];
    times[of_wire(M31::ZERO)] -= M31::ONE;
    times[of_wire(M31::ONE)] += M31::ONE;
    values
}
