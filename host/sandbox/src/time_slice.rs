//! Time slices of threads: how long a thread computes before the kernel gives its core to another one.
//!
//! Since Linux 6.12, a thread that wakes up interrupts those with longer slices. With equal ones, an answer may wait
//! for milliseconds until a guest that computes has used up its slice. Slices do not change the shares of processor
//! time, which follow from nice values. Threads and processes inherit the slice of the thread that starts them. Older
//! kernels accept a slice and ignore it; other systems have none.

use std::io;

/// Nanoseconds. The kernel raises smaller values to this one (`__setparam_fair` of Linux 6.12).
#[cfg(target_os = "linux")]
const SHORT: u64 = 100_000;

/// Gives this thread the shortest slice, so that it runs soon after it has woken up.
///
/// # Errors
/// The system's, if it forbids this.
#[cfg(target_os = "linux")]
pub fn shorten() -> io::Result<()> {
    linux::set(SHORT)
}

/// Gives this thread the system's usual slice, for work that may wait.
///
/// # Errors
/// The system's, if it forbids this.
#[cfg(target_os = "linux")]
pub fn reset() -> io::Result<()> {
    linux::set(linux::USUAL)
}

/// Does nothing on this system.
///
/// # Errors
/// None.
#[cfg(not(target_os = "linux"))]
pub fn shorten() -> io::Result<()> {
    Ok(())
}

/// Does nothing on this system.
///
/// # Errors
/// None.
#[cfg(not(target_os = "linux"))]
pub fn reset() -> io::Result<()> {
    Ok(())
}

#[cfg(target_os = "linux")]
mod linux {
    use std::io;

    use libc::{SYS_sched_getattr, SYS_sched_setattr, sched_attr, syscall};

    /// Stands for the system's usual slice (`sched_setattr(2)`).
    pub(super) const USUAL: u64 = 0;

    /// The calling thread.
    const CALLER: libc::pid_t = 0;

    const NO_FLAGS: libc::c_uint = 0;

    /// Bytes of the structure.
    const SIZE: u32 = 48;
    const _: () = assert!(size_of::<sched_attr>() == SIZE as usize);

    /// Sets the slice of this thread, in nanoseconds. Its policy and its nice value stay.
    pub(super) fn set(nanoseconds: u64) -> io::Result<()> {
        let mut attributes = get()?;
        let is_fair = [libc::SCHED_OTHER, libc::SCHED_BATCH]
            .map(i32::cast_unsigned)
            .contains(&attributes.sched_policy);
        if !is_fair {
            return Ok(());
        }
        attributes.sched_runtime = nanoseconds;
        #[expect(unsafe_code, reason = "the C library has no function for this call")]
        // SAFETY: the kernel only reads the structure, whose size is in it.
        let outcome =
            unsafe { syscall(SYS_sched_setattr, CALLER, &raw const attributes, NO_FLAGS) };
        result(outcome)
    }

    /// Scheduling attributes of this thread. Kernels without slices say that it is 0.
    pub(super) fn get() -> io::Result<sched_attr> {
        let mut attributes = sched_attr {
            size: SIZE,
            sched_policy: 0,
            sched_flags: 0,
            sched_nice: 0,
            sched_priority: 0,
            sched_runtime: 0,
            sched_deadline: 0,
            sched_period: 0,
        };
        #[expect(unsafe_code, reason = "the C library has no function for this call")]
        // SAFETY: the kernel writes at most `SIZE` bytes, the size of the structure.
        let outcome = unsafe {
            syscall(
                SYS_sched_getattr,
                CALLER,
                &raw mut attributes,
                SIZE,
                NO_FLAGS,
            )
        };
        result(outcome).map(|()| attributes)
    }

    fn result(outcome: libc::c_long) -> io::Result<()> {
        if outcome == 0 {
            Ok(())
        } else {
            Err(io::Error::last_os_error())
        }
    }
}

#[cfg(all(test, target_os = "linux"))]
mod tests {
    use super::*;

    /// The slice and the nice value of this thread.
    fn of_this_thread() -> (u64, i32) {
        let attributes = linux::get().expect("every system allows this");
        (attributes.sched_runtime, attributes.sched_nice)
    }

    #[test]
    fn slice_is_inherited_and_can_be_reset() {
        let started = std::thread::spawn(|| {
            let (usual, nice) = of_this_thread();
            if usual == 0 {
                // Kernels before 6.12 have no slices of threads.
                return;
            }
            shorten().expect("the system allows this");
            assert_eq!(of_this_thread(), (SHORT, nice));
            let inherited = std::thread::spawn(|| {
                let inherited = of_this_thread();
                reset().expect("the system allows this");
                (inherited, of_this_thread())
            });
            let (inherited, after) = inherited.join().expect("it does not panic");
            assert_eq!((inherited, after), ((SHORT, nice), (usual, nice)));
        });
        started.join().expect("it does not panic");
    }
}
