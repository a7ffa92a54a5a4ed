//! Backends around backends: compare two ([`Dual`]), count ([`Metered`]), fail on purpose ([`Faulty`]).

mod dual;
mod faulty;
mod hook;
mod metered;

pub use dual::{Dual, DualBuffer, DualProgram, DualTree, DualTypes};
pub use faulty::{Fault, Faulty, FaultyHook};
pub use hook::{Call, Hook, Hooked, Outcome};
pub use metered::{Count, Meter, Metered, MeteredHook};
