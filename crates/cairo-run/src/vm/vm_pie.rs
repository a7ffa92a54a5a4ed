//! CairoPIEs of cairo-vm as ours.

use cairo_vm::types::relocatable::{MaybeRelocatable, Relocatable};
use cairo_vm::vm::runners::cairo_pie::{BuiltinAdditionalData, CairoPie as VmPie, PublicMemoryPage, SegmentInfo};

use crate::BuiltinName;
use crate::pie::{
    AdditionalData, Address, CairoPie, Cell, Error, Member, Metadata, Page, Place, Program, Resources, Segment, Value,
    Version, check, sorted,
};

/// A CairoPIE in the memory of a program that links cairo-vm 3.2, which nobody vouches for: its fields are checked as
/// those of a file are ([`crate::pie::read`]). Lists may be of any length, since they are in memory already.
impl TryFrom<VmPie> for CairoPie {
    type Error = Error;

    fn try_from(pie: VmPie) -> Result<Self, Error> {
        let VmPie { metadata, memory, execution_resources, additional_data, version: _ } = pie;
        let builtins = metadata.program.builtins;
        let mut segments = metadata.builtin_segments;
        // In the order of the program. The check finds the ones that it does not take.
        let ordered: Vec<_> = builtins.iter().filter_map(|name| segments.remove_entry(name)).collect();
        let builtin_segments = ordered.into_iter().chain(segments);
        let counters = execution_resources.builtin_instance_counter.into_iter();
        let additional_data = additional_data.0.into_iter().map(|(name, data)| {
            let name = BuiltinName::from(name);
            let place = || Place::Field(Member::AdditionalData, name.to_string());
            Ok((name, of_builtin(data).map_err(|what| Error::value(place(), what))?))
        });
        let pie = Self {
            version: Version::V1_1,
            metadata: Metadata {
                program: Program {
                    data: metadata.program.data.into_iter().enumerate().map(word).collect::<Result<_, _>>()?,
                    builtins: builtins.iter().map(|name| (*name).into()).collect(),
                    main: metadata.program.main as u64,
                },
                program_segment: segment(&metadata.program_segment),
                execution_segment: segment(&metadata.execution_segment),
                ret_fp_segment: segment(&metadata.ret_fp_segment),
                ret_pc_segment: segment(&metadata.ret_pc_segment),
                builtin_segments: builtin_segments.map(|(name, info)| (name.into(), segment(&info))).collect(),
                extra_segments: metadata.extra_segments.iter().map(segment).collect(),
            },
            memory: sorted(memory.0.into_iter().map(cell).collect::<Result<_, _>>()?)?,
            resources: Resources {
                n_steps: execution_resources.n_steps as u64,
                n_memory_holes: execution_resources.n_memory_holes as u64,
                builtin_instances: counters.map(|(name, count)| (name.into(), count as u64)).collect(),
            },
            additional_data: additional_data.collect::<Result<_, _>>()?,
        };
        check(&pie)?;
        Ok(pie)
    }
}

/// A word of the program.
fn word((index, word): (usize, MaybeRelocatable)) -> Result<crate::Felt252, Error> {
    match word {
        MaybeRelocatable::Int(felt) => Ok(felt),
        MaybeRelocatable::RelocatableValue(at) => {
            let place = Place::Field(Member::Metadata, format!("program.data[{index}]"));
            Err(Error::value(place, format!("it is the pointer {at}, and no felt")))
        }
    }
}

/// Negative numbers of segments, which temporary ones have, become numbers that no segment has.
fn segment(info: &SegmentInfo) -> Segment {
    Segment { index: info.index as u64, size: info.size as u64 }
}

fn address(at: Relocatable) -> Result<Address, String> {
    let segment = u64::try_from(at.segment_index);
    let segment = segment.map_err(|_| format!("{at} is in a temporary segment, which was given no place"))?;
    Ok(Address { segment, offset: at.offset as u64 })
}

fn cell(((segment, offset), value): ((usize, usize), MaybeRelocatable)) -> Result<Cell, Error> {
    let place = Address { segment: segment as u64, offset: offset as u64 };
    let pointer =
        |at| address(at).map_err(|error| Error::value(Place::Cell(place), format!("it points nowhere: {error}")));
    let value = match value {
        MaybeRelocatable::Int(felt) => Value::Felt(felt),
        MaybeRelocatable::RelocatableValue(at) => Value::Pointer(pointer(at)?),
    };
    Ok(Cell { address: place, value })
}

/// The data of a builtin, without names of cairo-vm.
pub(super) fn of_builtin(data: BuiltinAdditionalData) -> Result<AdditionalData, String> {
    Ok(match data {
        BuiltinAdditionalData::Empty(_) | BuiltinAdditionalData::None => AdditionalData::Nothing,
        BuiltinAdditionalData::Hash(addresses) => {
            AdditionalData::Addresses(addresses.into_iter().map(address).collect::<Result<_, _>>()?)
        }
        BuiltinAdditionalData::Signature(signatures) => {
            let signatures = signatures.into_iter().map(|(at, (r, s))| Ok((address(at)?, [r, s])));
            AdditionalData::Signatures(signatures.collect::<Result<_, String>>()?)
        }
        BuiltinAdditionalData::Output(data) => {
            let page = |page: PublicMemoryPage| Page { start: page.start as u64, size: page.size as u64 };
            let list = |list: Vec<usize>| list.into_iter().map(|number| number as u64).collect();
            AdditionalData::Output {
                pages: data.pages.into_iter().map(|(number, of)| (number as u64, page(of))).collect(),
                attributes: data.attributes.into_iter().map(|(name, of)| (name, list(of))).collect(),
            }
        }
    })
}
