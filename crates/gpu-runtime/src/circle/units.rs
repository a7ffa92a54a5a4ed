//! The kernels of the Circle protocol.

use gpu_hal::HashFn;

use crate::library::{HashUnits, Unit, Units, source, units};
use crate::tree::DIGEST_WORDS;

units! {
    /// The tables of factors.
    TABLES = "circle_tables" ["reverse.h", "circle/field.h", "circle/tables.h"];
    /// Copies, permutations, sums.
    COLUMNS = "circle_columns" ["reverse.h", "circle/field.h", "circle/slots.h", "circle/columns.h", "columns.h"];
    /// Transforms; NTT_LEVELS is defined.
    NTT = "circle_ntt" [
        "reverse.h", "circle/field.h", "circle/points.h", "circle/order.h", "circle/ntt.h", "circle/ntt_strided.h",
        "circle/ntt_runs.h"];
    /// Extensions of low columns.
    EXTEND = "circle_extend" ["reverse.h", "circle/field.h", "circle/points.h", "circle/order.h", "circle/extend.h"];
    /// Trees. States of leaves that are shared are made by it for every Blake2s.
    TREE = "circle_tree" ["circle/words.h", "circle/blake2s.h", "circle/slots.h", "circle/cursor.h", "circle/leaves.h", "merkle.h"];
    /// Trees whose digests are over M31.
    TREE_M31 = "circle_tree_m31" ["circle/words_m31.h", "circle/blake2s.h", "circle/slots.h", "circle/cursor.h", "circle/leaves.h", "merkle.h"];
    /// Proof of work by such a digest.
    GRIND_M31 = "circle_grind_m31" ["circle/words_m31.h", "circle/blake2s.h", "circle/nonce.h", "grind.h"];
    /// Trees of Poseidon252.
    TREE_POSEIDON252 = "circle_tree_poseidon252" [
        "dialect/limbs.h", "circle/felt252.h", "circle/poseidon252.h", "circle/slots.h", "circle/cursor.h", "circle/leaves_poseidon252.h",
        "merkle.h"];
    /// Proof of work by Poseidon252.
    GRIND_POSEIDON252 = "circle_grind_poseidon252" [
        "dialect/limbs.h", "circle/felt252.h", "circle/poseidon252.h", "circle/nonce_poseidon252.h", "grind.h"];
    /// Proof of work.
    GRIND = "circle_grind" ["circle/words.h", "circle/blake2s.h", "circle/nonce.h", "grind.h"];
    /// The interpreter of constraint programs.
    INTERPRETER = "circle_interpreter" [
        "circle/field.h", "circle/ext.h", "circle/slots.h", "reverse.h", "circle/rows.h", "constraints.h", "interpreter.h",
        "programs.h"];
    /// The same for sums of programs.
    SUM_INTERPRETER = "circle_sum_interpreter" [
        "circle/field.h", "circle/ext.h", "circle/slots.h", "reverse.h", "circle/rows.h", "constraints.h", "group_sum.h",
        "sumchecks.h", "sum_rows.h", "interpreter.h", "sum_programs.h"];
    /// Multipliers of groups of constraints.
    MULTIPLIERS = "circle_multipliers" ["circle/field.h", "circle/points.h", "circle/multipliers.h"];
    /// Running products and sums.
    SCAN = "circle_scan" ["circle/field.h", "circle/ext.h", "scan.h", "logup.h"];
    /// Uniform elements, by the permutation of Keccak.
    RANDOM = "circle_random" ["circle/field.h", "goldilocks/keccak.h", "circle/random.h", "random.h"];
    /// Linear recurrences; ORDER is defined.
    RECURRENCE = "circle_recurrence" ["circle/field.h", "recurrence.h"];
    /// The interpreter of row programs.
    ROW_PROGRAMS = "circle_row_programs" [
        "circle/field.h", "circle/elements.h", "circle/slots.h", "row_programs/machine.h", "row_programs/words.h", "row_programs/integers.h",
        "row_programs/felts.h", "row_programs/fields.h", "row_programs/rows.h", "row_programs/run.h"];
    /// Values outside the domain.
    EVAL_AT = "circle_eval_at" [
        "reverse.h", "circle/field.h", "circle/ext.h", "circle/points.h", "circle/eval_at.h", "circle/slots.h", "group_sum.h",
        "sums.h"];
    /// Multilinear polynomials.
    SUMCHECKS = "circle_sumchecks" ["circle/field.h", "circle/ext.h", "sumchecks.h"];
    /// The DEEP quotient.
    DEEP = "circle_deep" ["circle/field.h", "circle/ext.h", "circle/slots.h", "circle/points.h", "circle/deep.h"];
    /// The FRI folds.
    FOLD = "circle_fold" ["circle/field.h", "circle/ext.h", "circle/points.h", "circle/fold.h"];

    => generated {
        /// The text before a kernel that is generated for one program.
        PROGRAM = "circle_program" [
            "circle/field.h", "circle/ext.h", "circle/slots.h", "reverse.h", "circle/rows.h", "constraints.h"];
        /// The text before a kernel that is generated for sums of one program.
        SUM_PROGRAM = "circle_sum_program" [
            "circle/field.h", "circle/ext.h", "circle/slots.h", "reverse.h", "circle/rows.h", "constraints.h",
            "group_sum.h", "sumchecks.h", "sum_rows.h"];
        /// The text before a kernel that is generated for one row program.
        ROW_PROGRAM = "circle_row_program" [
            "circle/field.h", "circle/elements.h", "circle/slots.h", "row_programs/machine.h",
            "row_programs/felts.h", "row_programs/fields.h", "row_programs/rows.h"];
    }

    8 slots;
    Blake2s TREE Some(&GRIND);
    Blake2sM31 TREE_M31 Some(&GRIND_M31);
    Poseidon252 TREE_POSEIDON252 Some(&GRIND_POSEIDON252);
}

/// States that leaves have in common: the unit and the kernel that make them, and the words of one. States of Blake2s
/// are like digests that are not reduced. `None` for the hash functions of another protocol.
pub(super) const fn states(hash: HashFn) -> Option<(&'static Unit, &'static str, u64)> {
    match hash {
        HashFn::Poseidon252 => Some((&TREE_POSEIDON252, "hash_states", 3 * DIGEST_WORDS)),
        HashFn::Blake2s | HashFn::Blake2sM31 => Some((&TREE, "hash_leaves", DIGEST_WORDS)),
        HashFn::Keccak256 | HashFn::Poseidon2 => None,
    }
}
