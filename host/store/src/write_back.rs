//! Makes the kernel write `SQLite`'s files to the disk while they are written, not only when they are synchronised.
//!
//! An import writes tens of megabytes between two synchronisations. Together they keep the disk busy for a tenth of a
//! second, and a durable commit to the file of credits waits for all of them. Written back in small parts, they leave
//! the disk free in between. Nothing else changes: a commit is durable when it was before.
//!
//! `SQLite` lets a program replace the system calls of its Unix VFS (`xSetSystemCall` of `sqlite3_vfs`). That is the
//! only way to a file's descriptor: one that the host opened itself would release `SQLite`'s locks when it is closed.

/// Replaces `SQLite`'s call for writing, for all databases of this process. Does nothing after the first call and on
/// systems other than Linux.
pub(super) fn start_early() {
    #[cfg(target_os = "linux")]
    {
        static ONCE: std::sync::Once = std::sync::Once::new();
        ONCE.call_once(linux::replace_write);
    }
}

#[cfg(target_os = "linux")]
mod linux {
    use std::cell::Cell;
    use std::ffi::{CStr, c_int, c_void};
    use std::mem::transmute;

    use libc::{off64_t, size_t, ssize_t};
    use rusqlite::ffi;

    /// Bytes after which write-back begins. Smaller parts did not shorten the waits of durable commits beside an
    /// import.
    const PART: usize = 64 << 10;

    /// `SQLite`'s name of the call that writes.
    pub(super) const WRITE: &CStr = c"pwrite";

    /// From the start to the end of the file (`sync_file_range(2)`).
    const WHOLE_FILE: (off64_t, off64_t) = (0, 0);

    /// Begins write-back and does not wait for its end. A wait would take the error of a failed write-back away from
    /// the next synchronisation of the file, which must report it.
    const WITHOUT_WAIT: u32 = libc::SYNC_FILE_RANGE_WRITE;

    type Write = unsafe extern "C" fn(c_int, *const c_void, size_t, off64_t) -> ssize_t;

    thread_local! {
        /// The file that this thread wrote last, and the bytes since its write-back began. A connection has its own
        /// thread, which writes long runs to one file.
        static WRITTEN: Cell<UnwrittenBytes> = const { Cell::new(UnwrittenBytes { file: -1, bytes: 0 }) };
    }

    /// Bytes written to a file whose write-back has not begun.
    #[derive(Debug, Clone, Copy, PartialEq, Eq)]
    pub(super) struct UnwrittenBytes {
        pub(super) file: c_int,
        pub(super) bytes: usize,
    }

    impl UnwrittenBytes {
        /// Adds a write. Returns whether the file's write-back is due, and counts from 0 again if so.
        pub(super) fn add(&mut self, file: c_int, bytes: usize) -> bool {
            if self.file != file {
                *self = Self { file, bytes: 0 };
            }
            self.bytes = self.bytes.saturating_add(bytes);
            let is_due = self.bytes >= PART;
            if is_due {
                self.bytes = 0;
            }
            is_due
        }
    }

    #[expect(unsafe_code, reason = "only the C interface of SQLite has this")]
    pub(super) fn replace_write() {
        // SAFETY: null stands for the default VFS, which is never removed. The replacement has the type of the call
        // that it replaces, and lives as long as the process.
        unsafe {
            let vfs = ffi::sqlite3_vfs_find(std::ptr::null());
            let Some(replace) = vfs.as_ref().and_then(|vfs| vfs.xSetSystemCall) else {
                return;
            };
            let call = transmute::<Write, unsafe extern "C" fn()>(write_and_start_write_back);
            replace(vfs, WRITE.as_ptr(), Some(call));
        }
    }

    /// `pwrite(2)`, with write-back once many bytes are written.
    #[expect(unsafe_code, reason = "the C interface of SQLite and of the system")]
    pub(super) unsafe extern "C" fn write_and_start_write_back(
        file: c_int,
        data: *const c_void,
        length: size_t,
        offset: off64_t,
    ) -> ssize_t {
        // SAFETY: `SQLite` passes what it would pass to `pwrite`.
        let outcome = unsafe { libc::pwrite64(file, data, length, offset) };
        let Ok(bytes) = usize::try_from(outcome) else {
            return outcome;
        };
        let is_due = WRITTEN.try_with(|cell| {
            let mut written = cell.get();
            let is_due = written.add(file, bytes);
            cell.set(written);
            is_due
        });
        // A thread that ends has no counter any more.
        if is_due == Ok(true) {
            let (from, length) = WHOLE_FILE;
            // SAFETY: reads no memory of this process. Its failure changes nothing, and `SQLite` reads the error
            // number of failed writes only.
            unsafe { libc::sync_file_range(file, from, length, WITHOUT_WAIT) };
        }
        outcome
    }
}

#[cfg(all(test, target_os = "linux"))]
mod tests {
    #![expect(clippy::unwrap_used, reason = "a test that cannot go on has failed")]

    use std::io::Read;
    use std::os::fd::AsRawFd;

    use super::linux::{UnwrittenBytes, WRITE, write_and_start_write_back};
    use crate::testing::TestDatabase;

    #[test]
    fn write_back_is_due_after_many_bytes_of_one_file() {
        let mut written = UnwrittenBytes { file: -1, bytes: 0 };
        assert!(!written.add(7, 65_535));
        assert!(written.add(7, 1));
        assert!(!written.add(7, 65_535));
        // Another file starts at 0.
        assert!(!written.add(8, 1));
        assert!(!written.add(7, 1));
        assert!(written.add(7, usize::MAX));
    }

    #[test]
    fn replaced_write_writes_and_reports_errors_like_pwrite() {
        let mut file = tempfile::tempfile().unwrap();
        let data = vec![b'x'; 300_000];
        let write = |file: i32| {
            #[expect(unsafe_code, reason = "SQLite calls it like this")]
            // SAFETY: the data is valid for its length.
            unsafe {
                write_and_start_write_back(file, data.as_ptr().cast(), data.len(), 3)
            }
        };
        assert_eq!(write(file.as_raw_fd()), 300_000);
        let mut read = String::new();
        file.read_to_string(&mut read).unwrap();
        assert_eq!(read, format!("\0\0\0{}", "x".repeat(300_000)));
        assert_eq!(write(-1), -1);
        let error = std::io::Error::last_os_error();
        assert_eq!(error.raw_os_error(), Some(libc::EBADF));
    }

    /// Number of the system call `cachestat(2)`, on every architecture.
    const CACHESTAT: std::ffi::c_long = 451;

    /// The range of `cachestat(2)`; a length of 0 means the whole file.
    #[repr(C)]
    struct Range {
        from: u64,
        length: u64,
    }

    /// The counts of `cachestat(2)`, in pages.
    #[repr(C)]
    #[derive(Debug, Default)]
    struct CachedPages {
        cached: u64,
        dirty: u64,
        written_back: u64,
        evicted: u64,
        recently_evicted: u64,
    }

    /// The pages of a file in the page cache. `None` before Linux 6.5.
    fn cached_pages(file: &std::fs::File) -> Option<CachedPages> {
        let whole = Range { from: 0, length: 0 };
        let mut pages = CachedPages::default();
        #[expect(unsafe_code, reason = "no library offers this call")]
        // SAFETY: both structures are those of the call, and live until it returns.
        let outcome = unsafe {
            let (range, counts) = (&raw const whole, &raw mut pages);
            libc::syscall(CACHESTAT, file.as_raw_fd(), range, counts, 0)
        };
        (outcome == 0).then_some(pages)
    }

    #[expect(
        clippy::print_stderr,
        reason = "shown to the person who runs the tests"
    )]
    fn skip(why: &str) {
        eprintln!("skipped: {why}");
    }

    #[test]
    fn write_back_begins_before_the_file_is_synchronised() {
        const PAGE: usize = 4096;
        let file = tempfile::tempfile().unwrap();
        if rustix::fs::fstatfs(&file).unwrap().f_type == libc::TMPFS_MAGIC {
            return skip("temporary files are kept in memory and never written back");
        }
        let page = vec![b'x'; PAGE];
        for offset in (0..16 << 20).step_by(PAGE) {
            #[expect(unsafe_code, reason = "SQLite calls it like this")]
            // SAFETY: the data is valid for its length.
            let written = unsafe {
                write_and_start_write_back(file.as_raw_fd(), page.as_ptr().cast(), PAGE, offset)
            };
            assert_eq!(written, 4096);
        }
        let Some(pages) = cached_pages(&file) else {
            return skip("this kernel cannot count the pages of a file");
        };
        assert!(pages.dirty <= pages.cached / 2, "{pages:?}");
    }

    #[tokio::test]
    async fn sqlite_writes_through_the_replaced_call() {
        let database = TestDatabase::sqlite();
        let _store = database.store().await;
        #[expect(unsafe_code, reason = "only the C interface of SQLite has this")]
        // SAFETY: null stands for the default VFS, which is never removed.
        let current = unsafe {
            let vfs = rusqlite::ffi::sqlite3_vfs_find(std::ptr::null());
            ((*vfs).xGetSystemCall.unwrap())(vfs, WRITE.as_ptr())
        };
        let ours = write_and_start_write_back as *const ();
        assert_eq!(current.map(|call| call as *const ()), Some(ours));
    }
}
