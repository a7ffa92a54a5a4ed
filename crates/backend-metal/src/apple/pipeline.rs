//! Sources to pipelines, and archives of compiled kernels.

use std::path::Path;

use objc2::runtime::ProtocolObject;
use objc2_foundation::{NSArray, NSError, NSString, NSURL};
use objc2_metal::{
    MTLBinaryArchive, MTLBinaryArchiveDescriptor, MTLCompileOptions, MTLComputePipelineDescriptor,
    MTLComputePipelineState, MTLDevice, MTLLanguageVersion, MTLLibrary, MTLPipelineOption,
};

use super::objects::Object;

type Device = ProtocolObject<dyn MTLDevice>;

fn words(error: &NSError) -> String {
    error.localizedDescription().to_string()
}

/// `newLibraryWithSource:options:error:`: the system's compiler, which takes the text as UTF-8 and no include paths.
pub(super) fn library(device: &Device, text: &str) -> Result<Object<dyn MTLLibrary>, String> {
    let options = MTLCompileOptions::new();
    options.setLanguageVersion(MTLLanguageVersion::Version2_4);
    let source = NSString::from_str(text);
    device.newLibraryWithSource_options_error(&source, Some(&options)).map_err(|error| words(&error))
}

/// `newComputePipelineStateWithDescriptor:options:reflection:error:`: looks into the descriptor's archives first, and
/// compiles the functions that they lack. An archive that cannot be read or written costs time, nothing else.
pub(super) fn pipeline(
    device: &Device,
    library: &ProtocolObject<dyn MTLLibrary>,
    entry: &str,
    archive: Option<&Path>,
) -> Result<Object<dyn MTLComputePipelineState>, String> {
    // `newFunctionWithName:`: nil if the library has no such function.
    let function = library.newFunctionWithName(&NSString::from_str(entry)).ok_or("no such entry point")?;
    let descriptor = MTLComputePipelineDescriptor::new();
    descriptor.setComputeFunction(Some(&function));
    let known = archive.filter(|path| path.exists()).and_then(|path| open(device, Some(path)));
    if let Some(known) = &known {
        descriptor.setBinaryArchives(Some(&NSArray::from_retained_slice(std::slice::from_ref(known))));
    }
    let made = device.newComputePipelineStateWithDescriptor_options_reflection_error(
        &descriptor,
        MTLPipelineOption::None,
        None,
    );
    let made = made.map_err(|error| words(&error))?;
    if let (Some(path), None) = (archive, known) {
        keep(device, &descriptor, path);
    }
    Ok(made)
}

/// `newBinaryArchiveWithDescriptor:error:`: of a file, which fails if it is of another GPU or system, or without one
/// empty.
fn open(device: &Device, path: Option<&Path>) -> Option<Object<dyn MTLBinaryArchive>> {
    let descriptor = MTLBinaryArchiveDescriptor::new();
    let url = path.and_then(Path::to_str).map(|path| NSURL::fileURLWithPath(&NSString::from_str(path)));
    descriptor.setUrl(url.as_deref());
    device.newBinaryArchiveWithDescriptor_error(&descriptor).ok()
}

/// Writes an archive with the pipeline under a name of its own, then renames it: another process sees the whole file or
/// none.
fn keep(device: &Device, descriptor: &MTLComputePipelineDescriptor, path: &Path) {
    let other = path.with_extension(std::process::id().to_string());
    let written = open(device, None).and_then(|archive| {
        archive.addComputePipelineFunctionsWithDescriptor_error(descriptor).ok()?;
        let url = NSURL::fileURLWithPath(&NSString::from_str(other.to_str()?));
        archive.serializeToURL_error(&url).ok()
    });
    if written.is_none() || std::fs::rename(&other, path).is_err() {
        // The rest of it is of no use.
        let _ = std::fs::remove_file(&other);
    }
}
