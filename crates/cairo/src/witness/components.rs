//! The components in the order of their columns, and where the rows of each come from.

use std::sync::OnceLock;

use cairo_run::{BuiltinName, State, StatesByOpcode};
use gpu_hal::RowProgramError;

use super::machine::{ComponentProgram, Counter, List};
use super::{blake, builtins, ec, memory, mod_builtins, opcodes, poseidon};
use crate::preprocessed::Variant;

/// A component.
#[derive(Clone, Copy, Debug)]
pub struct Component {
    /// As in cairo-air. That of the chunks of big values has no chunk's number.
    pub name: &'static str,
    /// Where its rows come from.
    pub rows: Rows,
    /// What makes its rows; `None` for a fixed table, which its counter is.
    pub program: Option<Record>,
    /// Whether it reads the preprocessed column that numbers the rows, which bounds its height.
    pub numbered: bool,
}

/// Records a component's row program.
pub type Record = fn() -> Result<ComponentProgram, RowProgramError>;

impl Component {
    /// Its row program, recorded when it is first asked for; `None` for a fixed table.
    ///
    /// # Errors
    /// A wrong use of the recorder: a mistake of this crate.
    pub fn recorded(&self) -> Result<Option<&'static ComponentProgram>, RowProgramError> {
        static PROGRAMS: [OnceLock<Result<ComponentProgram, RowProgramError>>; COMPONENTS.len() + 1] =
            [const { OnceLock::new() }; COMPONENTS.len() + 1];
        let Some(record) = self.program else { return Ok(None) };
        let number = COMPONENTS.iter().position(|component| component.name == self.name);
        PROGRAMS[number.unwrap_or(COMPONENTS.len())]
            .get_or_init(record)
            .as_ref()
            .map(Some)
            .map_err(RowProgramError::clone)
    }
}

/// Where the rows of a component come from.
#[derive(Clone, Copy, Debug)]
pub enum Rows {
    /// One for each state of an opcode.
    States(fn(&StatesByOpcode) -> &Vec<State>),
    /// One for each key that is requested, however often.
    Requests(Requester),
    /// One for each instance of a builtin.
    Segment(Builtin),
    /// One for each entry of a list: so many for every row of each caller, callers in this order.
    List(List, &'static [(&'static str, usize)]),
    /// One for each entry of a fixed table, whose columns count uses. It is there if the named component is; without a name, always.
    Table(Counter, Option<&'static str>),
    /// One for each sixteenth of the addresses.
    Addresses,
    /// One for each big value of a chunk.
    Big,
    /// One for each small value.
    Small,
    /// One for each use of public memory.
    PublicMemory,
}

/// Who requests keys that are counted by the host.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Requester {
    /// All opcodes: addresses of instructions.
    Opcodes,
    /// The Pedersen builtin that this component is: ids of two operands and the result.
    Pedersen(&'static str),
    /// The Poseidon builtin: ids of three inputs and three outputs.
    Poseidon(&'static str),
}

/// The builtin of a component.
#[derive(Clone, Copy, Debug)]
pub struct Builtin {
    /// Its name.
    pub name: BuiltinName,
    /// Whether this component serves the builtin, given a set of preprocessed columns.
    pub serves: fn(Variant) -> bool,
}

const fn states(name: &'static str, program: Record, of: fn(&StatesByOpcode) -> &Vec<State>) -> Component {
    Component { name, rows: Rows::States(of), program: Some(program), numbered: false }
}

const fn requested(name: &'static str, program: Record, of: Requester) -> Component {
    Component { name, rows: Rows::Requests(of), program: Some(program), numbered: !matches!(of, Requester::Opcodes) }
}

const fn builtin(name: &'static str, program: Record, of: BuiltinName, serves: fn(Variant) -> bool) -> Component {
    let rows = Rows::Segment(Builtin { name: of, serves });
    Component { name, rows, program: Some(program), numbered: true }
}

const fn list(name: &'static str, program: Record, list: List, callers: &'static [(&'static str, usize)]) -> Component {
    Component { name, rows: Rows::List(list, callers), program: Some(program), numbered: false }
}

const fn table(name: &'static str, counter: Counter, with: Option<&'static str>) -> Component {
    Component { name, rows: Rows::Table(counter, with), program: None, numbered: false }
}

const fn memory(name: &'static str, program: Record, rows: Rows) -> Component {
    Component { name, rows, program: Some(program), numbered: true }
}

fn always(_: Variant) -> bool {
    true
}

fn is_small(variant: Variant) -> bool {
    variant == Variant::CanonicalSmall
}

fn is_large(variant: Variant) -> bool {
    !is_small(variant)
}

/// Opcode that compresses blocks of Blake2s.
pub const BLAKE: &str = "blake_compress_opcode";
/// Pedersen builtin with windows of 18 bits.
pub const PEDERSEN: &str = "pedersen_builtin";
/// Pedersen builtin with windows of 9 bits.
pub const PEDERSEN_NARROW: &str = "pedersen_builtin_narrow_windows";
/// Builtin of operations on the curve.
pub const EC_OP: &str = "ec_op_builtin";
/// Poseidon builtin.
pub const POSEIDON: &str = "poseidon_builtin";
/// The chunks of big values.
pub const BIG: &str = "memory_id_to_big";

const AGGREGATOR_18: &str = "pedersen_aggregator_window_bits_18";
const AGGREGATOR_9: &str = "pedersen_aggregator_window_bits_9";
const HASHES: &str = "poseidon_aggregator";
const PARTIAL_ROUNDS: &str = "poseidon_3_partial_rounds_chain";
const FULL_ROUNDS: &str = "poseidon_full_round_chain";

/// The public memory. It is no component: its row program has no columns, and only counts what the public memory uses.
pub const PUBLIC_MEMORY: &Component =
    &Component { numbered: false, ..memory("public memory", memory::public_memory, Rows::PublicMemory) };

/// All components in the order of their columns. Callers come before those that they call.
pub const COMPONENTS: &[Component] = &[
    states("add_opcode", opcodes::add_opcode, |by| &by.add_opcode),
    states("add_opcode_small", opcodes::add_opcode_small, |by| &by.add_opcode_small),
    states("add_ap_opcode", opcodes::add_ap_opcode, |by| &by.add_ap_opcode),
    states("assert_eq_opcode", opcodes::assert_eq_opcode, |by| &by.assert_eq_opcode),
    states("assert_eq_opcode_imm", opcodes::assert_eq_opcode_imm, |by| &by.assert_eq_opcode_imm),
    states("assert_eq_opcode_double_deref", opcodes::assert_eq_opcode_double_deref, |by| {
        &by.assert_eq_opcode_double_deref
    }),
    Component { numbered: true, ..states(BLAKE, blake::blake_compress_opcode, |by| &by.blake_compress_opcode) },
    states("call_opcode_abs", opcodes::call_opcode_abs, |by| &by.call_opcode_abs),
    states("call_opcode_rel_imm", opcodes::call_opcode_rel_imm, |by| &by.call_opcode_rel_imm),
    states("generic_opcode", opcodes::generic_opcode, |by| &by.generic_opcode),
    states("jnz_opcode_non_taken", opcodes::jnz_opcode_non_taken, |by| &by.jnz_opcode_non_taken),
    states("jnz_opcode_taken", opcodes::jnz_opcode_taken, |by| &by.jnz_opcode_taken),
    states("jump_opcode_abs", opcodes::jump_opcode_abs, |by| &by.jump_opcode_abs),
    states("jump_opcode_double_deref", opcodes::jump_opcode_double_deref, |by| &by.jump_opcode_double_deref),
    states("jump_opcode_rel", opcodes::jump_opcode_rel, |by| &by.jump_opcode_rel),
    states("jump_opcode_rel_imm", opcodes::jump_opcode_rel_imm, |by| &by.jump_opcode_rel_imm),
    states("mul_opcode", opcodes::mul_opcode, |by| &by.mul_opcode),
    states("mul_opcode_small", opcodes::mul_opcode_small, |by| &by.mul_opcode_small),
    states("qm_31_add_mul_opcode", opcodes::qm_31_add_mul_opcode, |by| &by.qm_31_add_mul_opcode),
    states("ret_opcode", opcodes::ret_opcode, |by| &by.ret_opcode),
    requested("verify_instruction", opcodes::verify_instruction, Requester::Opcodes),
    list("blake_round", blake::blake_round, List::BlakeRound, &[(BLAKE, 10)]),
    list("blake_g", blake::blake_g, List::BlakeG, &[("blake_round", 8)]),
    table("blake_round_sigma", Counter::BlakeSigma, Some(BLAKE)),
    list("triple_xor_32", blake::triple_xor_32, List::TripleXor, &[(BLAKE, 8)]),
    table("verify_bitwise_xor_12", Counter::Xor12, Some(BLAKE)),
    builtin("add_mod_builtin", mod_builtins::add_mod_builtin, BuiltinName::AddMod, always),
    builtin("bitwise_builtin", builtins::bitwise_builtin, BuiltinName::Bitwise, always),
    builtin("mul_mod_builtin", mod_builtins::mul_mod_builtin, BuiltinName::MulMod, always),
    builtin(PEDERSEN, builtins::pedersen_builtin, BuiltinName::Pedersen, is_large),
    builtin(PEDERSEN_NARROW, builtins::pedersen_builtin, BuiltinName::Pedersen, is_small),
    builtin(POSEIDON, builtins::poseidon_builtin, BuiltinName::Poseidon, always),
    builtin("range_check96_builtin", builtins::range_check96_builtin, BuiltinName::RangeCheck96, always),
    builtin("range_check_builtin", builtins::range_check_builtin, BuiltinName::RangeCheck, always),
    builtin(EC_OP, ec::ec_op_builtin, BuiltinName::EcOp, always),
    list("partial_ec_mul_generic", ec::partial_ec_mul_generic, List::PartialEcMulGeneric, &[(EC_OP, 252)]),
    requested(AGGREGATOR_18, ec::pedersen_aggregator_window_bits_18, Requester::Pedersen(PEDERSEN)),
    list(
        "partial_ec_mul_window_bits_18",
        ec::partial_ec_mul_window_bits_18,
        List::PartialEcMulWindow,
        &[(AGGREGATOR_18, 28)],
    ),
    table("pedersen_points_table_window_bits_18", Counter::PedersenPoints18, Some(PEDERSEN)),
    requested(AGGREGATOR_9, ec::pedersen_aggregator_window_bits_9, Requester::Pedersen(PEDERSEN_NARROW)),
    list(
        "partial_ec_mul_window_bits_9",
        ec::partial_ec_mul_window_bits_9,
        List::PartialEcMulWindow,
        &[(AGGREGATOR_9, 56)],
    ),
    table("pedersen_points_table_window_bits_9", Counter::PedersenPoints9, Some(PEDERSEN_NARROW)),
    requested(HASHES, poseidon::poseidon_aggregator, Requester::Poseidon(POSEIDON)),
    list(PARTIAL_ROUNDS, poseidon::poseidon_3_partial_rounds_chain, List::PoseidonPartialRounds, &[(HASHES, 27)]),
    list(FULL_ROUNDS, poseidon::poseidon_full_round_chain, List::PoseidonFullRound, &[(HASHES, 8)]),
    list("cube_252", poseidon::cube_252, List::Cube, &[(HASHES, 2), (PARTIAL_ROUNDS, 3), (FULL_ROUNDS, 3)]),
    table("poseidon_round_keys", Counter::PoseidonKeys, Some(POSEIDON)),
    list(
        "range_check_252_width_27",
        poseidon::range_check_252_width_27,
        List::RangeCheck252,
        &[(HASHES, 2), (PARTIAL_ROUNDS, 3)],
    ),
    memory("memory_address_to_id", memory::memory_address_to_id, Rows::Addresses),
    memory(BIG, memory::memory_id_to_big, Rows::Big),
    memory("memory_id_to_small", memory::memory_id_to_small, Rows::Small),
    table("range_check_6", Counter::RangeCheck6, None),
    table("range_check_8", Counter::RangeCheck8, None),
    table("range_check_11", Counter::RangeCheck11, None),
    table("range_check_12", Counter::RangeCheck12, None),
    table("range_check_18", Counter::RangeCheck18, None),
    table("range_check_20", Counter::RangeCheck20, None),
    table("range_check_4_3", Counter::RangeCheck4x3, None),
    table("range_check_4_4", Counter::RangeCheck4x4, None),
    table("range_check_9_9", Counter::RangeCheck9x9, None),
    table("range_check_7_2_5", Counter::RangeCheck7x2x5, None),
    table("range_check_3_6_6_3", Counter::RangeCheck3x6x6x3, None),
    table("range_check_4_4_4_4", Counter::RangeCheck4x4x4x4, None),
    table("range_check_3_3_3_3_3", Counter::RangeCheck3x3x3x3x3, None),
    table("verify_bitwise_xor_4", Counter::Xor4, None),
    table("verify_bitwise_xor_7", Counter::Xor7, None),
    table("verify_bitwise_xor_8", Counter::Xor8, None),
    table("verify_bitwise_xor_9", Counter::Xor9, None),
];
