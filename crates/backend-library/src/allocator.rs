//! Memory of a library: the program's, so that boxes may be dropped on either side.

use std::alloc::{GlobalAlloc, Layout, System};
use std::ptr;
use std::sync::atomic::{AtomicPtr, Ordering};

use gpu_hal::CancelToken;

use crate::contract::Host;

/// The program that has loaded this library; null in a program, and before [`enter`].
static HOST: AtomicPtr<Host> = AtomicPtr::new(ptr::null_mut());

/// Takes the program's functions. Called before anything of the library is allocated.
pub fn enter(host: &'static Host) {
    HOST.store(ptr::from_ref(host).cast_mut(), Ordering::Release);
}

fn host() -> Option<&'static Host> {
    // SAFETY: it is null or the pointer that `enter` has stored, which is valid for ever and never written to.
    unsafe { HOST.load(Ordering::Acquire).as_ref() }
}

/// The flag that the program's thread is under.
pub(crate) fn stop_here() -> CancelToken {
    host().map_or_else(CancelToken::here, |host| (host.stop_here)())
}

/// The allocator of a library: that of the program that loads it. The system's where the same code is no library, as in
/// its own tests.
#[derive(Clone, Copy, Debug)]
pub struct HostAllocator;

impl HostAllocator {
    fn get(&self) -> &'static dyn GlobalAlloc {
        host().map_or(&System as &dyn GlobalAlloc, |host| host.allocator)
    }
}

// SAFETY: each method hands its arguments on to an allocator. The allocator is the same one for all calls: it changes
// from the system's to the program's in `enter` alone, before a library allocates anything.
unsafe impl GlobalAlloc for HostAllocator {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        // SAFETY: the caller keeps the rules of this method, which are the other's.
        unsafe { self.get().alloc(layout) }
    }

    unsafe fn alloc_zeroed(&self, layout: Layout) -> *mut u8 {
        // SAFETY: as above.
        unsafe { self.get().alloc_zeroed(layout) }
    }

    unsafe fn dealloc(&self, memory: *mut u8, layout: Layout) {
        // SAFETY: as above; the memory is of the same allocator.
        unsafe { self.get().dealloc(memory, layout) }
    }

    unsafe fn realloc(&self, memory: *mut u8, layout: Layout, size: usize) -> *mut u8 {
        // SAFETY: as above; the memory is of the same allocator.
        unsafe { self.get().realloc(memory, layout, size) }
    }
}

/// The allocator of the program that this is compiled into.
#[derive(Clone, Copy, Debug)]
pub(crate) struct ProgramAllocator;

// SAFETY: each method hands its arguments on to the global allocator.
unsafe impl GlobalAlloc for ProgramAllocator {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        // SAFETY: the caller keeps the rules of this method, which are the other's.
        unsafe { std::alloc::alloc(layout) }
    }

    unsafe fn alloc_zeroed(&self, layout: Layout) -> *mut u8 {
        // SAFETY: as above.
        unsafe { std::alloc::alloc_zeroed(layout) }
    }

    unsafe fn dealloc(&self, memory: *mut u8, layout: Layout) {
        // SAFETY: as above.
        unsafe { std::alloc::dealloc(memory, layout) }
    }

    unsafe fn realloc(&self, memory: *mut u8, layout: Layout, size: usize) -> *mut u8 {
        // SAFETY: as above.
        unsafe { std::alloc::realloc(memory, layout, size) }
    }
}
