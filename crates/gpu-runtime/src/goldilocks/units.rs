//! The kernels of the Goldilocks protocol.

use gpu_hal::HashFn;

use crate::library::{HashUnits, Unit, Units, source, units};

units! {
    /// The table of points of domains.
    TABLES = "tables" ["dialect/goldilocks.h", "goldilocks/field.h", "goldilocks/points.h", "goldilocks/tables.h"];
    /// Copies.
    COLUMNS = "columns" ["dialect/goldilocks.h", "goldilocks/field.h", "reverse.h", "goldilocks/slots.h", "goldilocks/columns.h", "columns.h"];
    /// Transforms; NTT_LEVELS and NTT_APART are defined.
    NTT = "ntt" [
        "dialect/goldilocks.h", "goldilocks/field.h", "goldilocks/ntt_core.h", "goldilocks/ntt.h", "goldilocks/ntt_forward.h",
        "goldilocks/ntt_inverse.h", "goldilocks/ntt_rows.h"];
    /// Trees with Keccak-256.
    TREE_KECCAK = "tree_keccak" ["goldilocks/slots.h", "goldilocks/keccak.h", "goldilocks/leaves.h", "merkle.h"];
    /// Trees with Poseidon2.
    TREE_POSEIDON2 = "tree_poseidon2" [
        "dialect/goldilocks.h", "goldilocks/field.h", "goldilocks/slots.h", "goldilocks/poseidon2.h", "goldilocks/leaves.h", "merkle.h"];
    /// Proof of work.
    GRIND = "grind" ["goldilocks/keccak.h", "goldilocks/nonce.h", "grind.h"];
    /// The interpreter of constraint programs.
    INTERPRETER = "interpreter" [
        "dialect/goldilocks.h", "goldilocks/field.h", "goldilocks/fp3.h", "goldilocks/ext.h", "goldilocks/slots.h", "reverse.h",
        "goldilocks/rows.h", "constraints.h", "interpreter.h", "programs.h"];
    /// The same for sums of programs.
    SUM_INTERPRETER = "sum_interpreter" [
        "dialect/goldilocks.h", "goldilocks/field.h", "goldilocks/fp3.h", "goldilocks/ext.h", "goldilocks/slots.h", "reverse.h",
        "goldilocks/rows.h", "constraints.h", "group_sum.h", "sumchecks.h", "sum_rows.h", "interpreter.h",
        "sum_programs.h"];
    /// Multipliers of groups of constraints.
    MULTIPLIERS = "multipliers" [
        "dialect/goldilocks.h", "goldilocks/field.h", "goldilocks/points.h", "goldilocks/multipliers.h"];
    /// Running products and sums.
    SCAN = "scan" ["dialect/goldilocks.h", "goldilocks/field.h", "goldilocks/fp3.h", "goldilocks/ext.h", "scan.h", "logup.h"];
    /// Uniform elements.
    RANDOM = "random" ["dialect/goldilocks.h", "goldilocks/field.h", "goldilocks/keccak.h", "goldilocks/random.h", "random.h"];
    /// Linear recurrences; ORDER is defined.
    RECURRENCE = "recurrence" ["dialect/goldilocks.h", "goldilocks/field.h", "recurrence.h"];
    /// The interpreter of row programs.
    ROW_PROGRAMS = "row_programs" [
        "dialect/goldilocks.h", "goldilocks/field.h", "goldilocks/elements.h", "goldilocks/slots.h", "row_programs/machine.h", "row_programs/words.h",
        "row_programs/integers.h", "row_programs/felts.h", "row_programs/fields.h", "row_programs/rows.h", "row_programs/run.h"];
    /// Values outside the domain.
    EVAL_AT = "eval_at" [
        "dialect/goldilocks.h", "goldilocks/field.h", "goldilocks/fp3.h", "goldilocks/ext.h", "reverse.h", "goldilocks/points.h",
        "goldilocks/eval_at.h", "goldilocks/slots.h", "group_sum.h", "sums.h"];
    /// Multilinear polynomials.
    SUMCHECKS = "sumchecks" [
        "dialect/goldilocks.h", "goldilocks/field.h", "goldilocks/fp3.h", "goldilocks/ext.h", "sumchecks.h"];
    /// The DEEP quotient.
    DEEP = "deep" [
        "dialect/goldilocks.h", "goldilocks/field.h", "goldilocks/fp3.h", "goldilocks/ext.h", "goldilocks/slots.h", "goldilocks/points.h",
        "goldilocks/deep.h"];
    /// The FRI fold.
    FOLD = "fold" [
        "dialect/goldilocks.h", "goldilocks/field.h", "goldilocks/fp3.h", "goldilocks/ext.h", "goldilocks/points.h", "goldilocks/fold.h"];

    => generated {
        /// The text before a kernel that is generated for one program.
        PROGRAM = "program" [
            "dialect/goldilocks.h", "goldilocks/field.h", "goldilocks/fp3.h", "goldilocks/ext.h",
            "goldilocks/slots.h", "reverse.h", "goldilocks/rows.h", "constraints.h"];
        /// The text before a kernel that is generated for sums of one program.
        SUM_PROGRAM = "sum_program" [
            "dialect/goldilocks.h", "goldilocks/field.h", "goldilocks/fp3.h", "goldilocks/ext.h",
            "goldilocks/slots.h", "reverse.h", "goldilocks/rows.h", "constraints.h", "group_sum.h", "sumchecks.h",
            "sum_rows.h"];
        /// The text before a kernel that is generated for one row program.
        ROW_PROGRAM = "row_program" [
            "dialect/goldilocks.h", "goldilocks/field.h", "goldilocks/elements.h", "goldilocks/slots.h",
            "row_programs/machine.h", "row_programs/felts.h", "row_programs/fields.h", "row_programs/rows.h"];
    }

    4 slots;
    Keccak256 TREE_KECCAK Some(&GRIND);
    Poseidon2 TREE_POSEIDON2 None;
}
