//! Backends around backends: compare two ([`Dual`]), count ([`Metered`]), fail on purpose ([`Faulty`]), do nothing but account for
//! it ([`Rehearsed`]).

mod dual;
mod faulty;
mod hook;
mod metered;
mod placement;
mod rehearse;
mod rehearsed;
mod steps;

pub use dual::{Dual, DualBuffer, DualProgram, DualTree, DualTypes};
pub use faulty::{Fault, Faulty, FaultyHook};
pub use hook::{Call, Hook, Hooked, Outcome, Passing};
pub use metered::{Count, Meter, Metered, MeteredHook};
pub use rehearse::Rehearse;
pub use rehearsed::{Prepared, Rehearsal, Rehearsed, ShapeBuffer, ShapeTree, Spill};
pub use steps::{Moment, Step};
