//! The CairoPIE of a client proof.

use std::path::Path;
use std::sync::Arc;

use cairo_run::pie::{self, CairoPie};

use crate::inputs::policy::ReadArguments;
use crate::report::exit::Failure;

/// A CairoPIE from a file of at most so many bytes, and as many unpacked.
pub(crate) fn read_pie(path: &Path, max_bytes: u64, max_unpacked_bytes: u64) -> Result<Arc<CairoPie>, Failure> {
    let bytes = ReadArguments { max_bytes }.read_program(path)?;
    let pie = pie::read(&bytes, max_unpacked_bytes).map_err(|error| Failure::file(path, error))?;
    Ok(Arc::new(pie))
}
