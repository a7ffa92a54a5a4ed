//! Where the coordinates of extension elements are in memory.

use crate::cpu::CpuProtocol;
use crate::lanes::{MAX_DEGREE, Sources, Targets};

/// The addresses of the coordinates of an extension array: `P::DEGREE` arrays of `length` words from the start of
/// `values` on.
pub(crate) fn arrays<P: CpuProtocol>(values: &mut [P::Word], length: usize) -> Targets<P::Word> {
    let mut targets = [std::ptr::null_mut(); MAX_DEGREE];
    let arrays = values[..P::DEGREE * length].chunks_exact_mut(length);
    for (target, array) in targets.iter_mut().zip(arrays) {
        *target = array.as_mut_ptr();
    }
    targets
}

/// The addresses of the coordinates of an extension column from row `first` on.
pub(crate) fn coordinates<P: CpuProtocol>(columns: &mut [&mut [P::Base]], first: usize) -> Targets<P::Word> {
    let mut targets = [std::ptr::null_mut(); MAX_DEGREE];
    for (target, column) in targets.iter_mut().zip(&mut columns[..P::DEGREE]) {
        *target = column[first..].as_mut_ptr().cast();
    }
    targets
}

/// The same arrays for reading.
pub(crate) fn array_sources<P: CpuProtocol>(values: &[P::Word], length: usize) -> Sources<P::Word> {
    let mut sources = [std::ptr::null(); MAX_DEGREE];
    let arrays = values[..P::DEGREE * length].chunks_exact(length);
    for (source, array) in sources.iter_mut().zip(arrays) {
        *source = array.as_ptr();
    }
    sources
}
