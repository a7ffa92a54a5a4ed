//! The states of a run, each in the list of the component that proves its step.

use serde::{Deserialize, Serialize};

use crate::Opcode;
use crate::pages::Pages;

/// The registers before a step, as addresses.
#[derive(
    Clone, Copy, Debug, Default, PartialEq, Eq, Hash, Serialize, Deserialize, bytemuck::Pod, bytemuck::Zeroable,
)]
#[repr(C)]
pub struct State {
    /// Where the instruction is.
    pub pc: u32,
    /// The allocation pointer.
    pub ap: u32,
    /// The frame pointer.
    pub fp: u32,
}

impl State {
    /// pc, ap, fp.
    pub fn values(&self) -> [u32; 3] {
        [self.pc, self.ap, self.fp]
    }
}

/// The states of a run.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
pub struct StateTransitions {
    /// Before the first step.
    pub initial_state: State,
    /// After the last step.
    pub final_state: State,
    /// Before each step.
    pub casm_states_by_opcode: StatesByOpcode,
}

/// Writes the lists once. An opcode with two components has `true` or `false` behind it: the small component of `Add`
/// and `Mul`, the taken one of `Jnz` is `true`.
macro_rules! lists {
    ($($name:ident: $opcode:ident $($variant:literal)?,)*) => {
        /// The states before each step by the component that proves it.
        #[derive(Clone, Debug, Default, Serialize, Deserialize)]
        pub struct StatesByOpcode {
            $(
                #[doc = concat!("Those of the component `", stringify!($name), "`.")]
                pub $name: Pages<State>,
            )*
        }

        impl StatesByOpcode {
            /// Each list with its component's name, its opcode, and which of the opcode's two components it is.
            pub fn lists(&self) -> [(&'static str, Opcode, bool, &[State]); 20] {
                [$((stringify!($name), Opcode::$opcode, lists!(@value $($variant)?), &self.$name),)*]
            }

            /// The list of an opcode's component.
            pub(crate) fn list_mut(&mut self, opcode: Opcode, variant: bool) -> &mut Pages<State> {
                match (opcode, variant) {
                    $((Opcode::$opcode, lists!(@pattern $($variant)?)) => &mut self.$name,)*
                }
            }

            /// Takes the states of another part of the run.
            pub(super) fn append(&mut self, other: &Self) {
                $(self.$name.extend_from_slice(&other.$name);)*
            }
        }
    };
    (@value) => { false };
    (@value $variant:literal) => { $variant };
    (@pattern) => { _ };
    (@pattern $variant:literal) => { $variant };
}

lists! {
    generic_opcode: Generic,
    add_ap_opcode: AddAp,
    add_opcode: Add false,
    add_opcode_small: Add true,
    assert_eq_opcode: AssertEq,
    assert_eq_opcode_double_deref: AssertEqDoubleDeref,
    assert_eq_opcode_imm: AssertEqImm,
    call_opcode_abs: CallAbs,
    call_opcode_rel_imm: CallRelImm,
    jnz_opcode_non_taken: Jnz false,
    jnz_opcode_taken: Jnz true,
    jump_opcode_rel_imm: JumpRelImm,
    jump_opcode_rel: JumpRel,
    jump_opcode_double_deref: JumpDoubleDeref,
    jump_opcode_abs: JumpAbs,
    mul_opcode_small: Mul true,
    mul_opcode: Mul false,
    ret_opcode: Ret,
    blake_compress_opcode: Blake,
    qm_31_add_mul_opcode: Qm31,
}

impl StatesByOpcode {
    /// The number of steps.
    pub fn steps(&self) -> usize {
        self.lists().iter().map(|(.., states)| states.len()).sum()
    }
}
