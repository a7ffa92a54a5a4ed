//! Bytes that a check allocates: a measure of its work that is the same on every machine, however busy.

use std::alloc::{GlobalAlloc, Layout, System};
use std::cell::Cell;

thread_local! {
    /// Bytes that this thread has ever allocated.
    static ALLOCATED: Cell<usize> = const { Cell::new(0) };
}

/// The result of a function, and the bytes that it allocates on the way, freed ones included.
pub(crate) fn allocated<T>(check: impl FnOnce() -> T) -> (T, usize) {
    let before = ALLOCATED.get();
    let result = check();
    (result, ALLOCATED.get() - before)
}

struct Counting;

#[global_allocator]
static COUNTING: Counting = Counting;

// SAFETY: the system's allocator does the work. The count allocates nothing: it has no initialiser to run and no
// destructor.
unsafe impl GlobalAlloc for Counting {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        ALLOCATED.set(ALLOCATED.get() + layout.size());
        // SAFETY: the caller's layout, unchanged.
        unsafe { System.alloc(layout) }
    }

    unsafe fn dealloc(&self, pointer: *mut u8, layout: Layout) {
        // SAFETY: the pointer is from the system's allocator, by the same layout.
        unsafe { System.dealloc(pointer, layout) }
    }
}

#[test]
fn what_is_freed_counts_too() {
    let (_, bytes) = allocated(|| (0..10).for_each(|_| drop(std::hint::black_box(vec![0_u8; 1000]))));
    assert_eq!(bytes, 10_000);
}
