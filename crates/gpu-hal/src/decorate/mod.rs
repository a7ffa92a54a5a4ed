//! Backends around backends: compare two ([`Dual`]), count ([`Metered`]), fail on purpose ([`Faulty`]), do nothing but
//! account for it ([`Rehearsed`]).

mod dual;
mod faulty;
mod hook;
mod metered;
mod placement;
mod rehearse;
mod rehearsed;

pub use dual::{Dual, DualBuffer, DualProgram, DualTree, DualTypes};
pub use faulty::{Fault, Faulty, FaultyHook};
pub use hook::{Call, Hook, Hooked, PassThrough};
pub use metered::{Count, MeterReport, Metered, MeteredHook};
pub use rehearsed::{Rehearsed, ShapeBuffer, ShapeTree};
