//! The tests, one an operation. Each panics on failure; [`crate::goldilocks!`] and [`crate::circle!`] wrap them into
//! `#[test]` functions.

mod arguments;
mod blocks;
mod constraints;
mod contract;
mod moves;
mod no_columns;
mod program_arguments;
mod proof_arguments;
mod quotients;
mod row_arguments;
mod row_programs;
mod rows;
mod sumchecks;
mod tables;
mod transforms;
mod trees;
mod wide;

pub use arguments::*;
pub use blocks::*;
pub use constraints::*;
pub use contract::*;
pub use moves::*;
pub use no_columns::*;
pub use quotients::*;
pub use row_programs::*;
pub use rows::*;
pub use sumchecks::{bind, bind_sum, sum};
pub use transforms::*;
pub use trees::*;

use std::any::Any;

use field::{Fp3, Goldilocks};
use gpu_hal::{CircleStark, GoldilocksStark, Operation};

use tables::{MAX_LOG, STAIRS_LOG, extension_width, small, stairs, table};

use crate::suite::Find;
use crate::{Suite, TestProtocol};

crate::__operations!(crate::__test_of;);
crate::__operations!(crate::__tests_of; CircleStark, GoldilocksStark<Fp3>, GoldilocksStark<Goldilocks>;
    capabilities logup invalid_arguments no_columns moves blocks memory determinism;);
