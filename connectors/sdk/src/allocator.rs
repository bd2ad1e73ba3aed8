//! The allocator of components: that of the standard library, dlmalloc, with other memory.
//!
//! The standard library's grows the memory of the instance at the first allocation. For that the host changes the
//! protection of pages, and again when it reuses them, in each call: about a seventh of the time of a short call. Here
//! the first memory is part of the module.

use std::alloc::{GlobalAlloc, Layout};
use std::arch::wasm32::memory_grow;
use std::cell::{Cell, UnsafeCell};
use std::ptr;

use dlmalloc::{Allocator, Dlmalloc};

/// Size of the first memory in bytes. Most look-ups need less. Pages that are not used are not backed by memory of the
/// host.
const FIRST: usize = 256 << 10;

const PAGE: usize = 64 << 10;

#[global_allocator]
static ALLOCATOR: ComponentAllocator =
    ComponentAllocator(UnsafeCell::new(Dlmalloc::new_with_allocator(Memory {
        is_first_used: Cell::new(false),
    })));

static FIRST_MEMORY: FirstMemory = FirstMemory(UnsafeCell::new([0; FIRST]));

struct ComponentAllocator(UnsafeCell<Dlmalloc<Memory>>);

#[repr(align(16))]
struct FirstMemory(UnsafeCell<[u8; FIRST]>);

/// The memory of the instance.
struct Memory {
    is_first_used: Cell<bool>,
}

#[expect(unsafe_code, reason = "an instance has one thread")]
// SAFETY: without the feature `atomics`, which the contract does not allow, a module has one thread.
unsafe impl Sync for ComponentAllocator {}

#[expect(unsafe_code, reason = "an instance has one thread")]
// SAFETY: as for `ComponentAllocator`; only the allocator uses it.
unsafe impl Sync for FirstMemory {}

#[expect(unsafe_code, reason = "the trait of global allocators is unsafe")]
// SAFETY: every method passes its arguments to the method of dlmalloc with the same contract. No method is called while
// another one runs, because there is one thread and dlmalloc calls nothing but `Memory`.
unsafe impl GlobalAlloc for ComponentAllocator {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        unsafe { (*self.0.get()).malloc(layout.size(), layout.align()) }
    }

    unsafe fn dealloc(&self, at: *mut u8, layout: Layout) {
        unsafe { (*self.0.get()).free(at, layout.size(), layout.align()) }
    }

    unsafe fn alloc_zeroed(&self, layout: Layout) -> *mut u8 {
        unsafe { (*self.0.get()).calloc(layout.size(), layout.align()) }
    }

    unsafe fn realloc(&self, at: *mut u8, layout: Layout, size: usize) -> *mut u8 {
        unsafe { (*self.0.get()).realloc(at, layout.size(), layout.align(), size) }
    }
}

#[expect(unsafe_code, reason = "the trait of dlmalloc is unsafe")]
// SAFETY: each region is returned once and belongs to dlmalloc from then on: the static memory, which nothing else
// uses, or new pages. Both contain zeros.
unsafe impl Allocator for Memory {
    fn alloc(&self, size: usize) -> (*mut u8, usize, u32) {
        if size <= FIRST && !self.is_first_used.replace(true) {
            return (FIRST_MEMORY.0.get().cast(), FIRST, 0);
        }
        let pages = size.div_ceil(PAGE);
        let former = memory_grow::<0>(pages);
        if former == usize::MAX {
            return (ptr::null_mut(), 0, 0);
        }
        let (start, size) = (former * PAGE, pages * PAGE);
        // The end of the last page has the address 0, so dlmalloc gets a little less.
        let size = if start.wrapping_add(size) == 0 {
            size - 16
        } else {
            size
        };
        (ptr::with_exposed_provenance_mut(start), size, 0)
    }

    fn remap(&self, _: *mut u8, _: usize, _: usize, _: bool) -> *mut u8 {
        ptr::null_mut()
    }

    fn free_part(&self, _: *mut u8, _: usize, _: usize) -> bool {
        false
    }

    fn free(&self, _: *mut u8, _: usize) -> bool {
        false
    }

    fn can_release_part(&self, _: u32) -> bool {
        false
    }

    fn allocates_zeros(&self) -> bool {
        true
    }

    fn page_size(&self) -> usize {
        PAGE
    }
}
