//! The run of a program as a task of a bootloader, as a CairoPIE.

use std::collections::BTreeMap;

use cairo_vm::types::builtin_name::BuiltinName as VmBuiltin;
use cairo_vm::types::relocatable::{MaybeRelocatable, Relocatable};
use cairo_vm::vm::runners::cairo_pie::{self, BuiltinAdditionalData, SegmentInfo};
use cairo_vm::vm::runners::cairo_runner::CairoRunner;

use super::load::input;
use super::options::Options;
use super::{compiled, executable, failure};
use crate::pie::{
    AdditionalData, Address, CairoPie, Cell, Metadata, Page, Program, Resources, Segment, Value, Version, check,
};
use crate::{Failure, InputError, Kind, Problem};

/// A run as a task of a bootloader.
#[derive(Clone, Debug)]
pub struct Task {
    /// The kind of the input.
    pub kind: Kind,
    /// The run.
    pub pie: CairoPie,
    /// The text that an executable has printed, see [`crate::Loaded::printed`].
    pub printed: String,
}

/// Runs a program as bootloaders do: a compiled program from `main`, an executable from its Bootloader entry point. All
/// builtins are there, also those that no proof takes. The run is checked as `Options::secure` says, always.
///
/// # Errors
/// As [`super::load()`]'s; a run that was made elsewhere is refused.
pub fn run_task(bytes: &[u8], options: &Options) -> Result<Task, InputError> {
    let mut printed = String::new();
    match task(bytes, options, &mut printed) {
        Ok((kind, pie)) => Ok(Task { kind, pie, printed }),
        Err(problem) => Err(InputError { program: options.name.clone(), problem: Box::new(problem), printed }),
    }
}

fn task(bytes: &[u8], options: &Options, printed: &mut String) -> Result<(Kind, CairoPie), Problem> {
    let (kind, bytes) = input(bytes, options)?;
    if options.tasks.is_some() {
        return Err(Problem::Arguments("the run of a bootloader is proven, and is no task itself".into()));
    }
    let runner = match kind {
        Kind::Compiled => compiled::run_task(bytes, options)?,
        Kind::Executable => executable::run_task(bytes, options, printed)?,
        Kind::ProverInput => {
            return Err(Problem::Arguments(format!("{kind} is a run already, in proof mode: give the program itself")));
        }
    };
    let failed = |message: String| Failure { pc: None, task: None, message, panic: None, source: None };
    let pie = pie(&runner)?.map_err(failed)?;
    check(&pie).map_err(|error| failed(error.to_string()))?;
    Ok((kind, pie))
}

/// The CairoPIE of a run that has ended, or why there is none.
fn pie(runner: &CairoRunner) -> Result<Result<CairoPie, String>, Failure> {
    let pie = runner.get_cairo_pie().map_err(|error| failure::around(&error))?;
    let cairo_pie::CairoPie { metadata, memory, execution_resources, additional_data, .. } = pie;
    let builtins = metadata.program.builtins;
    // In the order of the program.
    let mut segments = metadata.builtin_segments;
    let builtin_segments = builtins.iter().filter_map(|name| Some(((*name).into(), segments.remove(name)?)));
    let builtin_segments = builtin_segments.map(|(name, info)| (name, segment(&info))).collect();
    let data = metadata.program.data.into_iter().map(|word| match word {
        MaybeRelocatable::Int(felt) => Ok(felt),
        MaybeRelocatable::RelocatableValue(at) => Err(format!("a word of the program is the pointer {at}")),
    });
    let convert = || {
        Ok(CairoPie {
            version: Version::V1_1,
            metadata: Metadata {
                program: Program {
                    data: data.collect::<Result<_, String>>()?,
                    builtins: builtins.iter().map(|name| (*name).into()).collect(),
                    main: metadata.program.main as u64,
                },
                program_segment: segment(&metadata.program_segment),
                execution_segment: segment(&metadata.execution_segment),
                ret_fp_segment: segment(&metadata.ret_fp_segment),
                ret_pc_segment: segment(&metadata.ret_pc_segment),
                builtin_segments,
                extra_segments: metadata.extra_segments.iter().map(segment).collect(),
            },
            memory: memory.0.into_iter().map(cell).collect::<Result<_, _>>()?,
            resources: Resources {
                n_steps: execution_resources.n_steps as u64,
                n_memory_holes: execution_resources.n_memory_holes as u64,
                builtin_instances: by_name(execution_resources.builtin_instance_counter, |count| Ok(count as u64))?,
            },
            additional_data: by_name(additional_data.0, of_builtin)?,
        })
    };
    Ok(convert())
}

fn by_name<T, U>(
    entries: BTreeMap<VmBuiltin, T>,
    convert: impl Fn(T) -> Result<U, String>,
) -> Result<Vec<(crate::BuiltinName, U)>, String> {
    entries.into_iter().map(|(name, value)| Ok((name.into(), convert(value)?))).collect()
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

fn cell(((segment, offset), value): ((usize, usize), MaybeRelocatable)) -> Result<Cell, String> {
    let place = Address { segment: segment as u64, offset: offset as u64 };
    let value = match value {
        MaybeRelocatable::Int(felt) => Value::Felt(felt),
        MaybeRelocatable::RelocatableValue(at) => Value::Pointer(
            address(at).map_err(|error| format!("the cell {place} points to where nothing is: {error}"))?,
        ),
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
            let page = |page: cairo_pie::PublicMemoryPage| Page { start: page.start as u64, size: page.size as u64 };
            let list = |list: Vec<usize>| list.into_iter().map(|number| number as u64).collect();
            AdditionalData::Output {
                pages: data.pages.into_iter().map(|(number, of)| (number as u64, page(of))).collect(),
                attributes: data.attributes.into_iter().map(|(name, of)| (name, list(of))).collect(),
            }
        }
    })
}
