//! Hints of Cairo 0's common library, which run in any machine; those of bootloaders are in [`crate::vm::bootloader`].
//!
//! A hint is a function on variables (`ids`), memory and named values of a scope: [`At`]. It is known by its text.
//! Hints that cairo-vm knows run in our machine alone, and cairo-vm tells their texts. Hints of cairo-lang 0.14 that it
//! does not know run in both; of them we have digests, since texts have up to forty lines: the first eight bytes of
//! Blake2s-256, as a big-endian number. Some take a value that the program's own hint must have left in the scope:
//! `auth_path` as a `Vec<Felt252>`, `preimage` as a [`tree::Preimage`]. Loops that no instruction pays for take from
//! the run's budget, and write no more than they counted.

mod context;
mod curve;
mod dict;
mod hashes;
mod hashing;
mod hint;
mod integers;
mod lists;
mod margin;
mod math;
mod memory;
mod merkle;
mod modulo;
mod numbers;
mod patricia;
mod points;
mod program;
mod program_run;
mod roots;
mod run;
mod secp;
mod sha256;
mod tasks;
#[cfg(test)]
mod tests;
mod tree;
mod variables;

use blake2::{Blake2s256, Digest};

use crate::vm::bootloader;
pub(in crate::vm) use context::At;
pub(in crate::vm) use hint::Hint;
pub(super) use roots::{ROOT, work_modulo};
pub(in crate::vm) use run::LibraryRun;
pub(in crate::vm) use variables::{Variables, names};

/// The hints that cairo-vm knows, by their texts.
const KNOWN: &[&[(&str, Hint)]] = &[
    memory::HINTS,
    math::HINTS,
    dict::HINTS,
    lists::HINTS,
    margin::HINTS,
    integers::HINTS,
    secp::HINTS,
    points::HINTS,
    hashing::HINTS,
    curve::HINTS,
    modulo::HINTS,
    roots::HINTS,
];

/// The hints that cairo-vm does not know by the digests of their texts, under the names of the library's files.
const HINTS: &[(u64, Hint)] = &[
    // cairo_ec_op/ec_op
    (0x711d_1e97_c854_3d46, numbers::no_sum),
    (0x71e3_155f_7fd1_dc4f, numbers::scalar_bits),
    // cairo_secp/signature
    (0xdf3f_4687_0e25_20e6, numbers::is_on_secp256k1),
    // cairo_sha256/sha256_utils
    (0x2bd4_79bb_2d4d_f3fc, hashes::sha256_fill),
    // find_element
    (0xabed_705b_e1c8_c0c1, numbers::search_sorted),
    // log2_ceil
    (0x1a12_fedf_ffb8_2446, numbers::log2_ceil),
    // merkle_multi_update
    (0x0032_1894_2416_bf7d, merkle::enter_root),
    (0xa4f3_c031_d89c_3e95, merkle::visit),
    (0x3387_d2dd_fb8b_9837, merkle::is_not_left),
    (0x1e06_770f_1dfc_a815, merkle::enter_left),
    (0xba59_89ca_a4ce_038f, merkle::enter_right),
    (0xac38_fabb_8723_2e07, merkle::is_leaf),
    (0x0754_d2a9_efc3_1451, merkle::is_both),
    // merkle_update
    (0xfa78_385e_4cd8_258e, merkle::turns_right),
    (0xb34e_c6d2_d29e_5977, merkle::sibling::<0>),
    (0x28d7_da59_73a9_93ba, merkle::sibling::<1>),
    (0xb032_2c8b_46c4_09a9, merkle::path_ends),
    // patricia, patricia_with_sponge
    (0x75a4_b158_4411_d218, patricia::begin),
    (0xe4aa_3512_a40c_e3f4, patricia::enter_same),
    (0x16db_6bc6_4a0d_d3db, patricia::enter_left),
    (0x7fad_22b9_42f9_7a80, patricia::enter_right),
    (0xbf65_7bd9_0176_bccb, patricia::enter_only),
    (0x2eee_ecdd_e8a3_0e43, patricia::enter_side::<false>),
    (0x45e9_38aa_74f7_feb5, patricia::enter_side::<true>),
    (0x37c0_3234_6642_d71f, patricia::enter_below),
    (0xe656_7640_099d_e0e3, patricia::find_descent),
    (0x32f1_a613_d2bd_e512, patricia::descent_of_siblings),
    (0x1bfe_1e4f_8987_7a00, patricia::descent_of_path),
    (0xf96b_3abe_b7c3_09d5, patricia::is_single),
    (0xa887_2c8d_159d_c8be, patricia::is_single),
    (0x84d2_e6e0_8679_0440, patricia::visit),
    (0x4bf6_80da_55dd_d243, patricia::is_right),
    (0x39a7_e96d_c94e_65b1, patricia::open_edge),
    (0xce2b_bdc7_66a9_4fa5, patricia::is_no_edge),
    (0xccc3_8668_8966_e494, patricia::turn_of_edge),
    (0x6717_c706_11d5_44b3, patricia::leaves_edge),
    (0xb53b_9e84_761e_09c0, patricia::bottom_of_edge),
    // pow
    (0x5492_1db2_8cf5_93e1, numbers::base_is_not_zero),
    // builtin_selection
    (0x8a6e_7ac7_9f04_27ca, numbers::enter_selection),
    (0xbfbf_2d42_f2ae_80b6, numbers::select_builtin),
    // simulate_builtin_keccak_with_cairo/simulate_keccak
    (0x370f_a5bf_d9ee_de8c, hashes::keccak_words),
    (0xd4c7_2c87_c7e0_d72c, hashes::keccak_split::<1>),
    (0x71ac_df1f_19fd_9c5a, hashes::keccak_split::<2>),
    (0xe080_c627_9698_c32c, hashes::keccak_split::<3>),
    (0x8179_fc34_b04b_54b9, hashes::keccak_split::<4>),
    (0xd169_5fbc_4888_7df3, hashes::keccak_split::<5>),
    (0xdea5_fcd8_0b8a_4cef, hashes::keccak_split::<6>),
    (0x40f2_3b5a_5594_f294, hashes::keccak_split::<7>),
    // small_merkle_tree
    (0x77f7_075a_fbe0_d0ad, merkle::enter_small_tree),
    (0x2206_c7b9_c8d6_dad9, merkle::small_tree),
];

/// A hint that cairo-vm does not know.
#[derive(Clone, Copy)]
pub(super) enum Beside {
    Library(Hint),
    Bootloader(Hint),
}

impl Beside {
    /// The hint of a text, if it is one of these.
    pub(super) fn of(code: &str) -> Option<Self> {
        let digest = digest(code);
        let find = |known: &u64| *known == digest;
        let library = HINTS.iter().find(|(known, _)| find(known)).map(|(_, hint)| Self::Library(*hint));
        let bootloader = || bootloader::hints().find(|(known, _)| find(known));
        library.or_else(|| bootloader().map(|(_, hint)| Self::Bootloader(*hint)))
    }
}

/// The hint of a text that cairo-vm knows, if we know it, too.
fn known(code: &str) -> Option<Hint> {
    KNOWN.iter().copied().flatten().find(|(text, _)| *text == code).map(|(_, hint)| *hint)
}

pub(super) fn digest(text: &str) -> u64 {
    let digest = Blake2s256::digest(text);
    digest.iter().take(8).fold(0, |number, byte| number << 8 | u64::from(*byte))
}
