//! Builds a connector's crate into a component with cargo only.
//!
//! This module decides how the crate is compiled for `wasm32-unknown-unknown`. It tries in order: the toolchain's own
//! target; Debian's `rustc-web` and `rust-web-src` (which also build the standard library); `rustup target add`; and,
//! as root on Debian, installing those packages. Each step is reported to the caller.

mod cargo;
mod compiler;
mod error;

use std::io;
use std::path::{Path, PathBuf};

use wit_component::ComponentEncoder;

use self::cargo::Priority;
use self::compiler::{Compiler, TARGET};
pub use self::error::BuildError;
use super::fixtures;
use super::manifest::{self, Manifest};
use super::package;
pub use super::package::Built;

/// Optimised for speed: optimising for size made parsing of HTML a fifth slower. Function names stay, so that traps are
/// readable.
///
/// Cargo does not apply link-time optimization to crates that are an `rlib` too, and connectors are, for their tests.
/// With a `cdylib` alone it made an extract of the commercial register some 5 % faster, but such a crate took 1.5 to 1.8
/// times as long to compile.
const PROFILE: [&str; 6] = [
    "profile.release.opt-level=3",
    "profile.release.lto=\"off\"",
    "profile.release.codegen-units=1",
    "profile.release.panic=\"abort\"",
    "profile.release.strip=\"debuginfo\"",
    "profile.release.debug=false",
];

/// Fast to compile for the author's edit loop: little optimisation, incremental compilation.
const QUICK: [&str; 6] = [
    "profile.release.opt-level=1",
    "profile.release.lto=\"off\"",
    "profile.release.codegen-units=16",
    "profile.release.incremental=true",
    "profile.release.panic=\"abort\"",
    "profile.release.strip=\"debuginfo\"",
];

/// How a connector is compiled.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Profile {
    /// For release: fast code, slow compilation.
    Shipped,
    /// For authors: slow code, fast compilation.
    Quick,
}

impl Profile {
    fn options(self) -> [&'static str; 6] {
        match self {
            Self::Shipped => PROFILE,
            Self::Quick => QUICK,
        }
    }

    /// Cargo's target directory of the profile. Separate directories keep the profiles from overwriting each other.
    fn target(self, target: &Path) -> PathBuf {
        match self {
            Self::Shipped => target.to_owned(),
            Self::Quick => target.join("quick"),
        }
    }

    /// Name of the directory for the components of the author's kit.
    #[must_use]
    pub fn components(self) -> &'static str {
        match self {
            Self::Shipped => "tried",
            Self::Quick => "tried-quick",
        }
    }
}

/// Builds the connectors in `crates`, directories of one workspace, for release.
///
/// `target` is the target directory of cargo. `report` receives a message for each slow step.
///
/// # Errors
/// A [`BuildError`]; compiler messages go to standard error as they come.
pub fn build(
    crates: &[PathBuf],
    target: &Path,
    output: &Path,
    report: &mut dyn FnMut(&str),
) -> Result<Vec<Built>, BuildError> {
    let build = Build {
        profile: Profile::Shipped,
        features: &[],
        target,
        output,
    };
    build.run(crates, report)
}

/// How connectors are built, and where to.
#[derive(Debug, Clone, Copy)]
pub struct Build<'a> {
    pub profile: Profile,
    /// Features to enable in addition to those that the crates enable, such as `lustra-sdk/csv`.
    pub features: &'a [&'a str],
    /// Target directory of cargo.
    pub target: &'a Path,
    /// Directory of the components. It is created if necessary.
    pub output: &'a Path,
}

impl Build<'_> {
    /// Builds the connectors in `crates`, directories of one workspace, and returns the components in this order.
    ///
    /// # Errors
    /// Like [`build`].
    pub fn run(
        &self,
        crates: &[PathBuf],
        report: &mut dyn FnMut(&str),
    ) -> Result<Vec<Built>, BuildError> {
        let mut built = Vec::new();
        self.run_each(crates, Priority::Normal, report, &mut |index, component| {
            built.push((index, component));
        })?;
        built.sort_by_key(|(index, _)| *index);
        Ok(built.into_iter().map(|(_, component)| component).collect())
    }

    /// Like [`Self::run`], but at low priority and without messages. Calls `finished` with each component as soon as it
    /// is written.
    ///
    /// # Errors
    /// Like [`build`]; components that were finished before stay.
    pub fn run_in_background(
        &self,
        crates: &[PathBuf],
        finished: &mut dyn FnMut(Built),
    ) -> Result<(), BuildError> {
        self.run_each(crates, Priority::Low, &mut |_| (), &mut |_, component| {
            finished(component);
        })
    }

    /// Calls `finished` with each component and the index of its crate.
    fn run_each(
        &self,
        crates: &[PathBuf],
        priority: Priority,
        report: &mut dyn FnMut(&str),
        finished: &mut dyn FnMut(usize, Built),
    ) -> Result<(), BuildError> {
        let names = crates
            .iter()
            .map(|directory| crate_name(directory))
            .collect::<Result<Vec<_>, _>>()?;
        let Some(first) = crates.first() else {
            return Ok(());
        };
        let compiler = Compiler::find(report)?;
        let target = self.profile.target(self.target);
        report(&format!(
            "building {} for WebAssembly{}",
            names.join(", "),
            compiler.remark(&target)
        ));
        let mut cargo = compiler.cargo();
        cargo.current_dir(first);
        cargo.args(["build", "--release", "--lib", "--target", TARGET]);
        cargo.arg("--target-dir").arg(&target);
        for option in self.profile.options() {
            cargo.args(["--config", option]);
        }
        for name in &names {
            cargo.args(["--package", name]);
        }
        for feature in self.features {
            cargo.args(["--features", feature]);
        }
        compiler.finish(&mut cargo);
        std::fs::create_dir_all(self.output).map_err(|error| file_error(self.output, error))?;
        let modules = target.join(TARGET).join("release");
        let mut remaining: Vec<(usize, String)> = names
            .iter()
            .map(|name| format!("{}.wasm", name.replace('-', "_")))
            .enumerate()
            .collect();
        let mut componentise = |index: usize, file_name: &str| {
            let module = modules.join(file_name);
            let built = componentise(&names[index], &crates[index], &module, self.output)?;
            finished(index, built);
            Ok::<_, BuildError>(())
        };
        // Components are encoded while cargo compiles the next crates.
        cargo::run(&mut cargo, priority, &mut |file| {
            let known = remaining
                .iter()
                .position(|(_, name)| file.file_name().is_some_and(|file| file == name.as_str()));
            match known {
                Some(at) => {
                    let (index, name) = remaining.swap_remove(at);
                    componentise(index, &name)
                }
                None => Ok(()),
            }
        })?;
        for (index, name) in remaining {
            componentise(index, &name)?;
        }
        Ok(())
    }
}

/// Whether a directory contains a connector's crate: a `Cargo.toml` and a `manifest.json`.
#[must_use]
pub fn is_connector(directory: &Path) -> bool {
    directory.join("Cargo.toml").is_file() && directory.join("manifest.json").is_file()
}

/// The connector crates below a directory, sorted by name.
///
/// # Errors
/// The directory cannot be read.
pub fn connectors_below(directory: &Path) -> Result<Vec<PathBuf>, BuildError> {
    let entries = std::fs::read_dir(directory).map_err(|error| file_error(directory, error))?;
    let mut found = Vec::new();
    for entry in entries {
        let path = entry.map_err(|error| file_error(directory, error))?.path();
        if is_connector(&path) {
            found.push(path);
        }
    }
    found.sort();
    Ok(found)
}

fn file_error(path: &Path, error: io::Error) -> BuildError {
    BuildError::File {
        what: path.display().to_string(),
        error,
    }
}

fn crate_name(directory: &Path) -> Result<String, BuildError> {
    let path = directory.join("Cargo.toml");
    let text = std::fs::read_to_string(&path).map_err(|error| file_error(&path, error))?;
    let parsed: Result<toml::Value, _> = toml::from_str(&text);
    let wrong = |why: &str| BuildError::Crate {
        crate_name: directory.display().to_string(),
        why: why.to_owned(),
    };
    let parsed = parsed.map_err(|error| wrong(&format!("Cargo.toml: {error}")))?;
    let name = parsed
        .get("package")
        .and_then(|package| package.get("name"))
        .and_then(toml::Value::as_str);
    name.map(str::to_owned)
        .ok_or_else(|| wrong("Cargo.toml names no package"))
}

/// Encodes a core module as a component and appends the manifest as an outermost custom section.
fn componentise(
    crate_name: &str,
    directory: &Path,
    module: &Path,
    output: &Path,
) -> Result<Built, BuildError> {
    let wrong = |why: String| BuildError::Crate {
        crate_name: crate_name.to_owned(),
        why,
    };
    let bytes = std::fs::read(module).map_err(|error| file_error(module, error))?;
    let manifest_text = package::manifest_in(&bytes).ok_or_else(|| {
        wrong(format!(
            "its module has no section {}; does the crate call lustra_sdk::export!?",
            manifest::SECTION
        ))
    })?;
    let manifest_text = String::from_utf8(manifest_text)
        .map_err(|error| wrong(format!("manifest.json: {error}")))?;
    let manifest = Manifest::parse(&manifest_text).map_err(|error| BuildError::Manifest {
        crate_name: crate_name.to_owned(),
        error,
    })?;
    let encode = || {
        ComponentEncoder::default()
            .module(&bytes)?
            .validate(true)
            .encode()
    };
    let component = encode()
        .map_err(|error| wrong(format!("it cannot be encoded as a component: {error:#}")))?;
    package::check_offered(crate_name, &component, &manifest)?;
    let mut component =
        package::with_section(component, manifest::SECTION, manifest_text.as_bytes());
    let cassettes = directory.join("cassettes");
    if let Some(packed) =
        fixtures::of_crate(directory).map_err(|error| file_error(&cassettes, error))?
    {
        component = package::with_section(component, fixtures::SECTION, &packed);
    }
    let component = package::with_digest(&component);
    Ok(package::write(manifest.id, &component, output)?)
}
