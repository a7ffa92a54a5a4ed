//! Reading: the members of the archive, their values, and the checks on them.

use proof_format::text::excerpt;

use super::archive::Archive;
use super::error::{Error, Member, Place, Reason};
use super::{CairoPie, Metadata, Program, Resources, Version, check, json, memory};
use crate::{BuiltinName, Felt252};

/// Bytes that `metadata.json` and `additional_data.json` may have, 128 MiB, and the other JSON members.
const MAX_LISTS: u64 = 1 << 27;
const MAX_VALUES: u64 = 1 << 16;

/// Reads a CairoPIE whose members have at most `max_bytes` bytes unpacked. The memory that it takes is at most some
/// three times as much, and in proportion to what the file has, not to what it says.
///
/// # Errors
/// Where the file is wrong, and what is.
pub fn read(bytes: &[u8], max_bytes: u64) -> Result<CairoPie, Error> {
    read_of(bytes, &mut { max_bytes })
}

/// Reads one of several CairoPIEs, whose members together have at most `left` bytes unpacked, and takes its own off.
pub(crate) fn read_of(bytes: &[u8], left: &mut u64) -> Result<CairoPie, Error> {
    let max_bytes = *left;
    let archive = Archive::open(bytes, max_bytes)?;
    *left -= archive.unpacked;
    let missing = |member| Error::new(Reason::Members, Place::Member(member), "the archive lacks it");
    let unpack = |member, most| archive.unpack(member, most)?.ok_or_else(|| missing(member));
    let version = match archive.unpack(Member::Version, MAX_VALUES)? {
        None => Version::V1_0,
        Some(bytes) => version(json::of_bytes(Member::Version, &bytes)?)?,
    };
    let resources = unpack(Member::ExecutionResources, MAX_VALUES)?;
    let resources = self::resources(json::of_bytes(Member::ExecutionResources, &resources)?)?;
    let metadata = metadata(json::of_bytes(Member::Metadata, &unpack(Member::Metadata, MAX_LISTS)?)?)?;
    let memory = memory::of_bytes(&unpack(Member::Memory, max_bytes)?)?;
    let additional_data = unpack(Member::AdditionalData, MAX_LISTS)?;
    let json::AllData(additional_data) = json::additional_data(memory.len(), &additional_data)?;
    let pie = CairoPie { version, metadata, memory, resources, additional_data };
    check(&pie)?;
    Ok(pie)
}

fn field(member: Member, path: impl Into<String>) -> Place {
    Place::Field(member, path.into())
}

fn version(version: json::Version) -> Result<Version, Error> {
    let known = [Version::V1_0, Version::V1_1].into_iter().find(|known| known.to_str() == version.cairo_pie);
    known.ok_or_else(|| {
        let what = format!("version \"{}\" is not read: 1.0 and 1.1 are", excerpt(&version.cairo_pie));
        Error::value(field(Member::Version, "cairo_pie"), what)
    })
}

fn metadata(metadata: json::Metadata) -> Result<Metadata, Error> {
    let member = Member::Metadata;
    let json::Program { data, builtins, main, prime } = metadata.program;
    if prime.as_str() != Felt252::prime().to_string() {
        let what = format!("{} is not the prime of Cairo", excerpt(prime.as_str()));
        return Err(Error::value(field(member, "program.prime"), what));
    }
    let builtins = builtins
        .iter()
        .map(|name| BuiltinName::from_name(name).ok_or_else(|| unknown(field(member, "program.builtins"), name)));
    let builtins = builtins.collect::<Result<Vec<_>, _>>()?;
    let segments = metadata.builtin_segments.0.into_iter().map(|(name, segment)| {
        let builtin = BuiltinName::from_name(&name).ok_or_else(|| unknown(field(member, "builtin_segments"), &name));
        Ok((builtin?, segment))
    });
    let mut builtin_segments = segments.collect::<Result<Vec<_>, Error>>()?;
    // An object has no order of its own.
    builtin_segments.sort_by_key(|(name, _)| builtins.iter().position(|builtin| builtin == name));
    Ok(Metadata {
        program: Program { data: data.0, builtins, main },
        program_segment: metadata.program_segment,
        execution_segment: metadata.execution_segment,
        ret_fp_segment: metadata.ret_fp_segment,
        ret_pc_segment: metadata.ret_pc_segment,
        builtin_segments,
        extra_segments: metadata.extra_segments,
    })
}

fn unknown(place: Place, name: &str) -> Error {
    Error::value(place, format!("there is no builtin `{}`", excerpt(name)))
}

fn resources(resources: json::Resources) -> Result<Resources, Error> {
    let counters = resources.builtin_instance_counter.0.into_iter().map(|(name, instances)| {
        let place = field(Member::ExecutionResources, "builtin_instance_counter");
        Ok((json::of_suffixed(&name).map_err(|what| Error::value(place, what))?, instances))
    });
    Ok(Resources {
        n_steps: resources.n_steps,
        n_memory_holes: resources.n_memory_holes,
        builtin_instances: counters.collect::<Result<_, Error>>()?,
    })
}
