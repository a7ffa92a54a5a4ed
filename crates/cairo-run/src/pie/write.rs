//! Writing, as cairo-vm 3.2 does: JSON without spaces, its order of keys, and cells by address.

use std::io;

use serde::Serialize;

use super::error::Member;
use super::{CairoPie, Version, archive, json, memory};
use crate::{BuiltinName, Felt252};

/// The order of builtins in the resources and in the additional data.
const ORDER: [BuiltinName; 12] = [
    BuiltinName::Output,
    BuiltinName::RangeCheck,
    BuiltinName::Pedersen,
    BuiltinName::Ecdsa,
    BuiltinName::Keccak,
    BuiltinName::Bitwise,
    BuiltinName::EcOp,
    BuiltinName::Poseidon,
    BuiltinName::SegmentArena,
    BuiltinName::RangeCheck96,
    BuiltinName::AddMod,
    BuiltinName::MulMod,
];

/// The zip file of a CairoPIE, of version 1.1 whatever it was read from. The same CairoPIE has the same bytes.
///
/// # Errors
/// The errors of serde or of the packer: there are none for a CairoPIE that was read or made here.
pub fn write(pie: &CairoPie) -> io::Result<Vec<u8>> {
    let CairoPie { metadata, resources, .. } = pie;
    let version = json::Version { cairo_pie: Version::V1_1.to_str().to_owned() };
    let mut segments = metadata.builtin_segments.clone();
    // In the order in which any `main` takes builtins.
    segments.sort_by_key(|(name, _)| *name);
    let program = json::Program {
        data: json::Felts(metadata.program.data.clone()),
        builtins: metadata.program.builtins.iter().map(|name| name.to_str().to_owned()).collect(),
        main: metadata.program.main,
        prime: json::number(&Felt252::prime().to_string())?,
    };
    let metadata = json::Metadata {
        program,
        program_segment: metadata.program_segment,
        execution_segment: metadata.execution_segment,
        ret_fp_segment: metadata.ret_fp_segment,
        ret_pc_segment: metadata.ret_pc_segment,
        builtin_segments: json::named(segments),
        extra_segments: metadata.extra_segments.clone(),
    };
    let resources = json::Resources {
        n_steps: resources.n_steps,
        n_memory_holes: resources.n_memory_holes,
        builtin_instance_counter: json::suffixed(ordered(&resources.builtin_instances)),
    };
    let data = json::AllData(ordered(&pie.additional_data));
    archive::pack(&[
        (Member::Version, bytes(&version)?),
        (Member::Metadata, bytes(&metadata)?),
        (Member::Memory, memory::to_bytes(&pie.memory)),
        (Member::AdditionalData, bytes(&data)?),
        (Member::ExecutionResources, bytes(&resources)?),
    ])
}

fn bytes(value: &impl Serialize) -> io::Result<Vec<u8>> {
    Ok(serde_json::to_vec(value)?)
}

fn ordered<T: Clone>(entries: &[(BuiltinName, T)]) -> Vec<(BuiltinName, T)> {
    let mut entries = entries.to_vec();
    entries.sort_by_key(|(name, _)| ORDER.iter().position(|known| known == name));
    entries
}
