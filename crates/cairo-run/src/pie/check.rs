//! How the fields of a CairoPIE fit together.

use super::error::{Error, Member, Place};
use super::memory::{MAX_CELLS, MAX_SEGMENTS};
use super::{AdditionalData, Address, CairoPie, Cell, Metadata, Segment, Value};
use crate::BuiltinName;

/// Checks a CairoPIE whose cells are sorted.
pub(crate) fn check(pie: &CairoPie) -> Result<(), Error> {
    segments(&pie.metadata)?;
    let sizes: Vec<u64> = pie.metadata.segments().map(|segment| segment.size).collect();
    cells(pie, &sizes)?;
    resources(pie)?;
    additional_data(pie, &sizes)
}

fn wrong(path: impl Into<String>, what: impl Into<String>) -> Error {
    Error::value(Place::Field(Member::Metadata, path.into()), what)
}

/// The program, and the numbers and sizes of all segments.
fn segments(metadata: &Metadata) -> Result<(), Error> {
    let Metadata { program, builtin_segments, .. } = metadata;
    let words = program.data.len() as u64;
    if program.main >= words {
        return Err(wrong("program.main", format!("word {} is not one of the program's {words}", program.main)));
    }
    if let Some(builtin) = twice(&program.builtins) {
        return Err(wrong("program.builtins", format!("{} is there twice", builtin.to_str())));
    }
    let names: Vec<BuiltinName> = builtin_segments.iter().map(|(name, _)| *name).collect();
    if names != program.builtins {
        let listed = |names: &[BuiltinName]| names.iter().map(|name| name.to_str()).collect::<Vec<_>>().join(", ");
        let what = format!("they are of [{}], the program takes [{}]", listed(&names), listed(&program.builtins));
        return Err(wrong("builtin_segments", what));
    }
    if metadata.program_segment.size != words {
        let what = format!("it is {}, the program has {words} words", metadata.program_segment.size);
        return Err(wrong("program_segment.size", what));
    }
    let returns = [("ret_fp_segment", metadata.ret_fp_segment), ("ret_pc_segment", metadata.ret_pc_segment)];
    if let Some((path, segment)) = returns.into_iter().find(|(_, segment)| segment.size != 0) {
        return Err(wrong(format!("{path}.size"), format!("it is {}, and must be 0", segment.size)));
    }
    for (index, segment) in metadata.segments().enumerate() {
        sound(metadata, index as u64, segment)?;
    }
    Ok(())
}

/// A segment that has the number that its place says, and that addresses can reach.
fn sound(metadata: &Metadata, index: u64, segment: Segment) -> Result<(), Error> {
    let path = || {
        let builtins = metadata.builtin_segments.len() as u64;
        match index {
            0 => "program_segment".to_owned(),
            1 => "execution_segment".to_owned(),
            _ if index < 2 + builtins => {
                format!("builtin_segments.{}", metadata.builtin_segments[index as usize - 2].0.to_str())
            }
            _ if index == 2 + builtins => "ret_fp_segment".to_owned(),
            _ if index == 3 + builtins => "ret_pc_segment".to_owned(),
            _ => format!("extra_segments[{}]", index - 4 - builtins),
        }
    };
    if segment.index != index {
        return Err(wrong(format!("{}.index", path()), format!("it is {}, and must be {index}", segment.index)));
    }
    if index >= MAX_SEGMENTS {
        return Err(wrong(path(), format!("there are more than {MAX_SEGMENTS} segments")));
    }
    if segment.size > MAX_CELLS {
        let what = format!("it is {}, a segment has at most {MAX_CELLS} cells", segment.size);
        return Err(wrong(format!("{}.size", path()), what));
    }
    Ok(())
}

/// A builtin that is there twice.
fn twice(names: &[BuiltinName]) -> Option<BuiltinName> {
    names.iter().enumerate().find(|(index, name)| names[..*index].contains(name)).map(|(_, name)| *name)
}

/// The cells lie in segments, point into segments, and have the program's words where the program is.
fn cells(pie: &CairoPie, sizes: &[u64]) -> Result<(), Error> {
    let size = |address: &Address| sizes.get(usize::try_from(address.segment).ok()?);
    for Cell { address, value } in &pie.memory {
        let fault = |what: String| Err(Error::value(Place::Cell(*address), what));
        match size(address) {
            None => return fault("there is no such segment".into()),
            Some(size) if address.offset >= *size => return fault(format!("its segment has {size} cells")),
            Some(_) => {}
        }
        match value {
            Value::Pointer(target) if size(target).is_none() => {
                return fault(format!("it points to {target}, where there is no segment"));
            }
            Value::Pointer(target) if target.offset >= MAX_CELLS => {
                return fault(format!("it points to {target}, and a segment has at most {MAX_CELLS} cells"));
            }
            _ => {}
        }
        // The offset is less than the words.
        if address.segment == 0 && Value::Felt(pie.metadata.program.data[address.offset as usize]) != *value {
            return fault(format!("it is {value}, and not the program's word"));
        }
    }
    Ok(())
}

/// There is a number of instances for each builtin of the program, and for no other.
fn resources(pie: &CairoPie) -> Result<(), Error> {
    let mut counted: Vec<BuiltinName> = pie.resources.builtin_instances.iter().map(|(name, _)| *name).collect();
    let mut builtins = pie.metadata.program.builtins.clone();
    counted.sort_unstable();
    builtins.sort_unstable();
    if counted == builtins {
        return Ok(());
    }
    let place = Place::Field(Member::ExecutionResources, "builtin_instance_counter".into());
    Err(Error::value(place, "it must count each builtin of the program once, and no other"))
}

/// Additional data are of the program's builtins, and speak of their cells.
fn additional_data(pie: &CairoPie, sizes: &[u64]) -> Result<(), Error> {
    let names: Vec<BuiltinName> = pie.additional_data.iter().map(|(name, _)| *name).collect();
    for (index, (name, data)) in pie.additional_data.iter().enumerate() {
        let place = || Place::Field(Member::AdditionalData, name.to_string());
        if names[..index].contains(name) {
            return Err(Error::value(place(), "it is there twice"));
        }
        let segments = &pie.metadata.builtin_segments;
        let Some((_, segment)) = segments.iter().find(|(builtin, _)| builtin == name) else {
            return Err(Error::value(place(), "the program does not take this builtin"));
        };
        let size = sizes[segment.index as usize];
        let is_cell = |address: &&Address| address.segment == segment.index && address.offset < size;
        let outside = match data {
            AdditionalData::Nothing => None,
            AdditionalData::Addresses(addresses) => addresses.iter().find(|address| !is_cell(address)),
            AdditionalData::Signatures(signatures) => {
                signatures.iter().map(|(address, _)| address).find(|address| !is_cell(address))
            }
            AdditionalData::Output { pages, .. } => {
                let ends = |page: &super::Page| page.start.checked_add(page.size).is_some_and(|end| end <= size);
                if let Some((number, _)) = pages.iter().find(|(_, page)| !ends(page)) {
                    return Err(Error::value(place(), format!("page {number} ends behind the output's {size} words")));
                }
                None
            }
        };
        if let Some(address) = outside {
            return Err(Error::value(place(), format!("{address} is no cell of the builtin")));
        }
    }
    Ok(())
}
