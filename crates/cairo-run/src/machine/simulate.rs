//! The builtins that hints simulate: what a hint asks of the machine.

use starknet_types_core::felt::Felt;

use super::{Machine, Pointer};
use crate::BuiltinName;

impl Machine {
    /// A new segment for a builtin; `None` if it is simulated already, or never.
    pub(crate) fn simulate(&mut self, name: BuiltinName) -> Option<Pointer> {
        if !self.builtins.simulated.can_be(name) {
            return None;
        }
        let start = self.memory.add();
        self.builtins.simulated.add(start.segment, name);
        Some(start)
    }

    /// Lets a signature belong to a public key, unless another one does. `false` if no signatures are simulated, or if
    /// its message is there already.
    pub(crate) fn add_signature(&mut self, key: Pointer, signature: [Felt; 2]) -> bool {
        let memory = &self.memory;
        let is_written = (0..2).all(|cell| memory.get(Pointer { offset: key.offset + cell, ..key }).is_known());
        // A message was written before its signature was known, which cairo-vm refuses.
        let is_late = is_written && self.builtins.simulated.signature(key).is_none();
        !is_late && self.builtins.simulated.add_signature(key, signature)
    }

    /// The signature of a public key.
    pub(crate) fn signature(&self, key: Pointer) -> Option<[Felt; 2]> {
        self.builtins.simulated.signature(key)
    }
}
