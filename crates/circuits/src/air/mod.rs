//! The components of a circuit's proof: gates of five kinds, and six tables that they look up.
//!
//! A gate is a row. Preprocessed columns say which wires it reads and writes, and how often a written wire is read. All
//! wires are one relation: a row looks up the value at an address, and the row that writes it answers.

mod arithmetic;
mod blake_g;
mod kinds;
pub(crate) mod relation;
mod row;
mod tables;
mod words;

use circle_air::{AirComponent, ComponentNames, NamedComponent};
use field::QM31;

pub use self::kinds::kinds;
use self::relation::Tuples;
use self::row::{Component, Constraints};

/// Number of components.
pub const COMPONENTS: usize = 11;

/// Log2 of the rows of the tables, which are the last components.
const TABLES: [u32; 6] = [16, 20, 8, 14, 18, 16];

/// The components' names, in the order of their columns.
pub const NAMES: [&str; COMPONENTS] = [
    "eq",
    "qm31_ops",
    "triple_xor",
    "m_31_to_u_32",
    "blake_g_gate",
    "verify_bitwise_xor_8",
    "verify_bitwise_xor_12",
    "verify_bitwise_xor_4",
    "verify_bitwise_xor_7",
    "verify_bitwise_xor_9",
    "range_check_16",
];

/// Log2 of the rows of each component if there are `2^log_rows` gates of each kind: tables have their own.
pub fn log_sizes(log_rows: u32) -> [u32; COMPONENTS] {
    let mut all = [log_rows; COMPONENTS];
    all[COMPONENTS - TABLES.len()..].copy_from_slice(&TABLES);
    all
}

/// The components with log2 of their rows, under the two drawn elements of their relation.
///
/// # Panics
/// If there are not two elements.
pub fn components(log_sizes: &[u32; COMPONENTS], drawn: &[QM31]) -> Vec<Box<dyn AirComponent>> {
    let tuples = Tuples::new(drawn);
    let mut all: Vec<Box<dyn AirComponent>> = Vec::with_capacity(COMPONENTS);
    add(&mut all, log_sizes, &tuples, arithmetic::Eq);
    add(&mut all, log_sizes, &tuples, arithmetic::Qm31Ops);
    add(&mut all, log_sizes, &tuples, words::TripleXor);
    add(&mut all, log_sizes, &tuples, words::M31ToU32);
    add(&mut all, log_sizes, &tuples, blake_g::BlakeG);
    add(&mut all, log_sizes, &tuples, tables::OF_8_BITS);
    add(&mut all, log_sizes, &tuples, tables::XorOf12Bits);
    add(&mut all, log_sizes, &tuples, tables::OF_4_BITS);
    add(&mut all, log_sizes, &tuples, tables::OF_7_BITS);
    add(&mut all, log_sizes, &tuples, tables::OF_9_BITS);
    add(&mut all, log_sizes, &tuples, tables::RangeCheck16);
    all
}

/// Adds the next component.
fn add(
    all: &mut Vec<Box<dyn AirComponent>>,
    log_sizes: &[u32; COMPONENTS],
    tuples: &Tuples,
    constraints: impl Constraints,
) {
    let component = Component { log_size: log_sizes[all.len()], tuples: tuples.clone(), constraints };
    let names = ComponentNames::of(NAMES[all.len()]);
    all.push(Box::new(NamedComponent::new(component, names)));
}
