%builtins output range_check bitwise poseidon

from starkware.cairo.common.alloc import alloc
from starkware.cairo.common.builtin_poseidon.poseidon import poseidon_hash_many
from starkware.cairo.common.cairo_blake2s.blake2s import (
    blake2s, blake2s_add_felts, blake2s_add_uint256, blake2s_add_uint256_bigend, blake2s_bigend, blake2s_felts,
    encode_felt252_data_and_calc_blake_hash, finalize_blake2s,
)
from starkware.cairo.common.cairo_builtins import BitwiseBuiltin, PoseidonBuiltin
from starkware.cairo.common.cairo_keccak.keccak import (
    cairo_keccak, cairo_keccak_felts_bigend, cairo_keccak_uint256s_bigend, finalize_keccak,
)
from starkware.cairo.common.cairo_sha256.sha256_utils import finalize_sha256
from starkware.cairo.common.keccak import keccak_felts, unsafe_keccak
from starkware.cairo.common.serialize import serialize_word
from starkware.cairo.common.uint256 import Uint256

func show{output_ptr: felt*}(number: Uint256) {
    serialize_word(number.low);
    serialize_word(number.high);
    return ();
}

// words: of 32 bits; felts: of any size; number: two parts of 128 bits; bytes: at most four a word.
func main{output_ptr: felt*, range_check_ptr, bitwise_ptr: BitwiseBuiltin*, poseidon_ptr: PoseidonBuiltin*}() {
    alloc_locals;
    local words: felt*;
    local bytes;
    local felts: felt*;
    local count;
    local number: Uint256*;
    %{
        ids.words = segments.gen_arg(program_input['words'])
        ids.bytes = program_input['bytes']
        ids.felts = segments.gen_arg(program_input['felts'])
        ids.count = program_input['count']
        ids.number = segments.gen_arg(program_input['number'])
    %}
    let (felt_hash) = poseidon_hash_many(count, felts);
    serialize_word(felt_hash);

    let (local blake2s_start) = alloc();
    let blake2s_ptr = blake2s_start;
    with blake2s_ptr {
        let (hash) = blake2s(words, bytes);
        show(hash);
        let (hash) = blake2s_bigend(words, bytes);
        show(hash);
        let (local data_start) = alloc();
        let data = data_start;
        with data {
            blake2s_add_uint256([number]);
            blake2s_add_uint256_bigend([number]);
        }
        let (hash) = blake2s(data_start, 64);
        show(hash);
        let (hash) = blake2s_felts(count, felts, 0);
        show(hash);
    }
    finalize_blake2s(blake2s_start, blake2s_ptr);
    let (felt_hash) = encode_felt252_data_and_calc_blake_hash(count, felts);
    serialize_word(felt_hash);

    let (local keccak_start) = alloc();
    let keccak_ptr = keccak_start;
    with keccak_ptr {
        let (hash) = cairo_keccak(words, bytes);
        show(hash);
        let (hash) = cairo_keccak_felts_bigend(count, felts);
        show(hash);
        let (hash) = cairo_keccak_uint256s_bigend(1, number);
        show(hash);
    }
    finalize_keccak(keccak_start, keccak_ptr);

    let (low, high) = unsafe_keccak(words, bytes);
    serialize_word(low);
    serialize_word(high);
    let (hash) = keccak_felts(count, felts);
    show(hash);
    return ();
}
