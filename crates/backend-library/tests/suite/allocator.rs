//! An allocator whose memory no other one can free: a library that does not use it does not live long.

use std::alloc::{GlobalAlloc, Layout, System};

/// Bytes before each allocation, which begin with [`MARK`].
const BEFORE: usize = 128;
const MARK: u64 = 0x706f_6c79_7374_6172;

struct Marked;

#[global_allocator]
static ALLOCATOR: Marked = Marked;

fn whole(layout: Layout) -> Layout {
    let (size, align) = (layout.size() + BEFORE, layout.align().max(8));
    assert!(align <= BEFORE, "an alignment of {align}");
    Layout::from_size_align(size, align).expect("a size that memory has")
}

// SAFETY: memory is the system's, and a block given out begins `BEFORE` bytes, a multiple of each alignment, after its
// beginning.
unsafe impl GlobalAlloc for Marked {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        // SAFETY: the size is not zero, and the mark is within it.
        unsafe {
            let memory = System.alloc(whole(layout));
            if memory.is_null() {
                return memory;
            }
            memory.cast::<u64>().write(MARK);
            memory.add(BEFORE)
        }
    }

    unsafe fn dealloc(&self, memory: *mut u8, layout: Layout) {
        // SAFETY: all memory that is freed here was made by `alloc`, which this checks as far as it can.
        unsafe {
            let memory = memory.sub(BEFORE);
            if memory.cast::<u64>().read() != MARK {
                std::process::abort();
            }
            memory.cast::<u64>().write(0);
            System.dealloc(memory, whole(layout));
        }
    }
}
