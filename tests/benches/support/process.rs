//! This process as the kernel sees it.

/// Resident memory now and at its highest, in MiB.
#[derive(Debug, Clone, Copy)]
pub struct Resident {
    /// Now.
    pub now: f64,
    /// The most since the start, or since [`Resident::forget_high`].
    pub high: f64,
}

impl Resident {
    /// Reads it. Zero where the system does not say.
    pub fn read() -> Self {
        let status = std::fs::read_to_string("/proc/self/status").unwrap_or_default();
        let mib = |name: &str| {
            let line = status.lines().find_map(|line| line.strip_prefix(name));
            let kib = line.and_then(|rest| rest.split_whitespace().next()?.parse::<f64>().ok());
            kib.unwrap_or_default() / 1024.0
        };
        Self {
            now: mib("VmRSS:"),
            high: mib("VmHWM:"),
        }
    }

    /// Takes what is resident now for the highest so far; where the system does not let it, the start counts too.
    pub fn forget_high() {
        drop(std::fs::write("/proc/self/clear_refs", "5"));
    }
}
