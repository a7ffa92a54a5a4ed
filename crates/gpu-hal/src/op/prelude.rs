//! The imports of all files of operations.

pub(super) use alloc::format;
pub(super) use alloc::vec;
pub(super) use alloc::vec::Vec;
pub(super) use core::ops::Range;

pub(super) use field::{Field, PrimeField};

pub(super) use super::contract::{op, op_function, op_names, op_types};

pub(super) use crate::check::{self, columns, require};
pub(super) use crate::{
    BaseOf, Basis, Capabilities, Columns, DeviceProgram, DeviceTree, Domain, DomainOf, ExtOf, Footprint, HalError,
    Operation, Operations, Protocol, Result, TableRef, Types, shapes,
};
