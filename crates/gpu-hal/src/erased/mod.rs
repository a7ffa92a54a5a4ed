//! A backend as a value: [`Device`] is a backend of a protocol, whichever it is. A prover that is compiled for it
//! serves all of them.
//!
//! Tables, trees and programs of a device are boxes around the inner backend's ([`AnyBuffer`], [`AnyTree`],
//! [`AnyProgram`]). An operation first downcasts them to their types; a handle of another type of backend is an error
//! there. All else is the backend's: operations that it makes of others, footprints, budgets, errors and plans. It
//! costs a comparison of types for each table, and a list of the tables where an operation takes several.

mod backend;
mod device;
mod downcast;
mod dynamic;
mod handles;
mod opened;
mod operations;
mod placement;
mod shapes;

pub use device::{Device, ErasedShapes};
pub use handles::{AnyBuffer, AnyProgram, AnyTree, Erased};
pub use opened::DeviceFrom;
