//! Finds a compiler for WebAssembly on this machine and prepares cargo for it.

use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use super::error::BuildError;

/// The target that connectors are compiled for.
pub(super) const TARGET: &str = "wasm32-unknown-unknown";

/// How crates are compiled for WebAssembly on this machine.
pub(super) enum Compiler {
    /// The toolchain has the target installed.
    Toolchain,
    /// Debian's compiler with the standard library built from source and the toolchain's linker.
    Debian { rustc: PathBuf, linker: PathBuf },
}

impl Compiler {
    pub(super) fn find(report: &mut dyn FnMut(&str)) -> Result<Self, BuildError> {
        let mut tried = Vec::new();
        let Some(sysroot) = sysroot(Path::new("rustc")) else {
            return Err(BuildError::NoTarget("there is no rustc".to_owned()));
        };
        if has_target(&sysroot) {
            return Ok(Self::Toolchain);
        }
        tried.push(format!("the target is not in {}", sysroot.display()));
        let debian = || debian_compiler(&sysroot);
        if let Some(found) = debian() {
            return Ok(found);
        }
        report(&format!("adding the target: rustup target add {TARGET}"));
        match Command::new("rustup")
            .args(["target", "add", TARGET])
            .stdin(Stdio::null())
            .output()
        {
            Ok(output) if output.status.success() && has_target(&sysroot) => {
                return Ok(Self::Toolchain);
            }
            Ok(output) => {
                let last = String::from_utf8_lossy(&output.stderr)
                    .lines()
                    .last()
                    .unwrap_or_default()
                    .to_owned();
                tried.push(format!("rustup could not add it ({last})"));
            }
            Err(error) => tried.push(format!("rustup could not be started ({error})")),
        }
        if is_debian_root() {
            report(
                "installing Debian's rustc-web and rust-web-src (a compiler that has the target)",
            );
            for arguments in [
                &["update"][..],
                &[
                    "install",
                    "-y",
                    "--no-install-recommends",
                    "rustc-web",
                    "rust-web-src",
                ],
            ] {
                let run = Command::new("apt-get")
                    .args(arguments)
                    .env("DEBIAN_FRONTEND", "noninteractive")
                    .output();
                match run {
                    Ok(output) if output.status.success() => {}
                    Ok(output) => tried.push(format!(
                        "apt-get {} failed ({})",
                        arguments.join(" "),
                        String::from_utf8_lossy(&output.stderr)
                            .lines()
                            .last()
                            .unwrap_or_default()
                    )),
                    Err(error) => tried.push(format!("apt-get could not be started ({error})")),
                }
            }
            if let Some(found) = debian() {
                return Ok(found);
            }
        } else {
            tried.push("Debian's rustc-web and rust-web-src are not installed".to_owned());
        }
        Err(BuildError::NoTarget(tried.join("; ")))
    }

    pub(super) fn remark(&self, target: &Path) -> &'static str {
        match self {
            Self::Toolchain => "",
            Self::Debian { .. } if target.join(TARGET).is_dir() => " with Debian's compiler",
            Self::Debian { .. } => {
                " with Debian's compiler (its standard library is built first: a minute or two, once)"
            }
        }
    }

    pub(super) fn cargo(&self) -> Command {
        let mut cargo = Command::new(std::env::var_os("CARGO").unwrap_or_else(|| "cargo".into()));
        // Flags for the host do not suit a guest, and a wrapper or toolchain selected for one compiler would break
        // another.
        for variable in [
            "CARGO_TARGET_DIR",
            "CARGO_BUILD_TARGET",
            "CARGO_BUILD_RUSTFLAGS",
            "CARGO_ENCODED_RUSTFLAGS",
            "RUSTFLAGS",
            "RUSTC_WORKSPACE_WRAPPER",
        ] {
            cargo.env_remove(variable);
        }
        cargo.stdin(Stdio::null());
        match self {
            Self::Toolchain => {}
            Self::Debian { rustc, linker } => {
                cargo
                    .env("RUSTC", rustc)
                    .env("RUSTC_BOOTSTRAP", "1")
                    .env("CARGO_TARGET_WASM32_UNKNOWN_UNKNOWN_LINKER", linker)
                    .env_remove("RUSTC_WRAPPER");
            }
        }
        cargo
    }

    pub(super) fn finish(&self, cargo: &mut Command) {
        match self {
            Self::Toolchain => {}
            Self::Debian { .. } => {
                // Without its default features, which are for backtraces. WebAssembly without an operating system has
                // none.
                cargo.args(["-Zbuild-std=std,panic_abort", "-Zbuild-std-features="]);
            }
        }
    }
}

fn sysroot(rustc: &Path) -> Option<PathBuf> {
    let output = Command::new(rustc)
        .args(["--print", "sysroot"])
        .stdin(Stdio::null())
        .output()
        .ok()?;
    output
        .status
        .success()
        .then(|| PathBuf::from(String::from_utf8_lossy(&output.stdout).trim()))
}

fn has_target(sysroot: &Path) -> bool {
    let library = sysroot.join("lib/rustlib").join(TARGET).join("lib");
    let mut entries = std::fs::read_dir(library).into_iter().flatten().flatten();
    entries.any(|entry| entry.file_name().to_string_lossy().starts_with("libcore-"))
}

fn debian_compiler(toolchain: &Path) -> Option<Compiler> {
    let rustc = PathBuf::from("/usr/bin/rustc");
    let sysroot = sysroot(&rustc)?;
    if has_target(&sysroot) {
        return Some(Compiler::Debian {
            rustc,
            linker: linker(toolchain)?,
        });
    }
    sysroot
        .join("lib/rustlib/src/rust/library/std/Cargo.toml")
        .is_file()
        .then_some(())?;
    Some(Compiler::Debian {
        rustc,
        linker: linker(toolchain)?,
    })
}

/// The linker that every rustup toolchain contains. Debian's compiler refers to a linker that its package does not
/// install.
fn linker(toolchain: &Path) -> Option<PathBuf> {
    let entries = std::fs::read_dir(toolchain.join("lib/rustlib")).ok()?;
    entries
        .flatten()
        .map(|entry| entry.path().join("bin/rust-lld"))
        .find(|path| path.is_file())
}

fn is_debian_root() -> bool {
    let id = Command::new("id").arg("-u").output();
    Path::new("/etc/debian_version").exists()
        && id.is_ok_and(|output| String::from_utf8_lossy(&output.stdout).trim() == "0")
}
