//! All steps of a release.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::process::Command;

use crate::ReleaseError;
use crate::archive::tar_gz;
use crate::contents::{Contents, Made};
use crate::crates::{self, About, CrateId, Graph};
use crate::debian;
use crate::licences;
use crate::options::Options;
use crate::program::{self, Packaged, repository};
use crate::sbom::{self, Materials};
use crate::settings::{UNPACKED, adjusted};
use crate::sums::sha256;

/// Largest program of a release in bytes.
pub const MAX_PROGRAM_BYTES: usize = 80_000_000;

/// Time of all files if the repository has no history: 1980-01-01, the first that every archive format can store.
const NO_HISTORY: u64 = 315_532_800;

/// The target of rustc, of components.
const COMPONENT_TARGET: &str = "wasm32-unknown-unknown";

/// Shells with completions, and the name of the file for each.
const SHELLS: [(&str, &str); 3] = [
    ("bash", "lustra.bash"),
    ("zsh", "_lustra"),
    ("fish", "lustra.fish"),
];

/// A file of the release.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Released {
    pub path: PathBuf,
    /// Size in bytes.
    pub size: usize,
}

/// Kinds of machines that releases are for.
struct Machine {
    /// The target of rustc, of the program.
    target: &'static str,
    debian: &'static str,
    /// Processors that components are compiled for.
    cpu: &'static str,
}

impl Machine {
    fn here() -> Result<Self, ReleaseError> {
        let (target, debian, cpu) = match (std::env::consts::OS, std::env::consts::ARCH) {
            ("linux", "x86_64") => ("x86_64-unknown-linux-gnu", "amd64", "x86-64-v3"),
            ("linux", "aarch64") => ("aarch64-unknown-linux-gnu", "arm64", "baseline"),
            (os, arch) => return Err(ReleaseError::Machine(format!("{os} on {arch}"))),
        };
        Ok(Self {
            target,
            debian,
            cpu,
        })
    }
}

/// Makes the release. `say` receives a line for each step.
///
/// # Errors
/// A step fails; the output directory then has no new files.
pub fn make(options: &Options, say: &mut dyn FnMut(&str)) -> Result<Vec<Released>, ReleaseError> {
    let machine = Machine::here()?;
    let version = env!("CARGO_PKG_VERSION");
    let work = tempfile::tempdir().map_err(ReleaseError::file(&std::env::temp_dir()))?;
    let packaged = Packaged {
        directory: work.path().to_owned(),
    };
    let program = prepare(options, &packaged.directory, say)?;
    let cpu = options.cpu.as_deref().unwrap_or(machine.cpu);
    say(&format!("compiling the components for {cpu}"));
    packaged.precompile(cpu)?;
    check_served(&packaged, say)?;
    documents(&packaged, say)?;
    say("listing the crates, their licences and checksums");
    let made = describe(&packaged.directory, machine.target, version, program)?;
    let libc = program::needed_libc(&made.program);
    let contents = Contents::collect(&repository(), &packaged.directory, version, made)?;
    let time = time_of_files();
    let name = format!("lustra-{version}-{}-linux", std::env::consts::ARCH);
    say("writing the archive and the Debian package");
    let archive = tar_gz(&contents.with_sums(), &format!("{name}/"), time);
    let control = debian::Control {
        version,
        architecture: machine.debian,
        maintainer: &options.maintainer,
        libc: libc.as_deref(),
        time,
    };
    let package = debian::package(&contents, &control)?;
    let files = [
        (format!("{name}.tar.gz"), archive),
        (debian::file_name(&control), package),
    ];
    write(&options.output, &files)
}

/// Puts the program, its settings and the components into a directory. Returns the program.
fn prepare(
    options: &Options,
    directory: &Path,
    say: &mut dyn FnMut(&str),
) -> Result<Vec<u8>, ReleaseError> {
    let built = match &options.program {
        Some(program) => program.clone(),
        None => {
            say("building the server");
            program::build(&options.profile)?
        }
    };
    let program = directory.join("lustra");
    program::strip(&built, &program)?;
    let bytes = std::fs::read(&program).map_err(ReleaseError::file(&program))?;
    if bytes.len() > MAX_PROGRAM_BYTES && !options.any_size {
        return Err(ReleaseError::TooLarge {
            size: bytes.len(),
            most: MAX_PROGRAM_BYTES,
        });
    }
    let components = directory.join("components");
    match &options.components {
        None => {
            say("building the connectors");
            program::build_components(&components)?;
        }
        Some(from) => copy_components(from, &components)?,
    }
    let shipped = repository().join("lustra.toml");
    let text = std::fs::read_to_string(&shipped).map_err(ReleaseError::file(&shipped))?;
    let settings = directory.join("lustra.toml");
    std::fs::write(&settings, adjusted(&text, &UNPACKED)?)
        .map_err(ReleaseError::file(&settings))?;
    Ok(bytes)
}

fn copy_components(from: &Path, to: &Path) -> Result<(), ReleaseError> {
    std::fs::create_dir_all(to).map_err(ReleaseError::file(to))?;
    for entry in std::fs::read_dir(from).map_err(ReleaseError::file(from))? {
        let path = entry.map_err(ReleaseError::file(from))?.path();
        let name = path
            .file_name()
            .filter(|_| path.extension().is_some_and(|end| end == "wasm"));
        if let Some(name) = name {
            std::fs::copy(&path, to.join(name)).map_err(ReleaseError::file(&path))?;
        }
    }
    Ok(())
}

/// Loads the components as a server does: all must serve, with the code in the release.
fn check_served(packaged: &Packaged, say: &mut dyn FnMut(&str)) -> Result<(), ReleaseError> {
    let mut compiled = 0;
    for state in packaged.connectors()? {
        let connector = state["id"].as_str().unwrap_or("?").to_owned();
        if state["state"] != "serving" {
            let why = state["reason"].as_str().unwrap_or("no reason is given");
            let why = why.to_owned();
            return Err(ReleaseError::NotServed { connector, why });
        }
        compiled += usize::from(state["code"] != "precompiled");
    }
    let data = packaged.directory.join("lustra-data");
    std::fs::remove_dir_all(&data).map_err(ReleaseError::file(&data))?;
    if compiled > 0 {
        say(&format!(
            "warning: this machine's processor had to compile {compiled} components, so the compiled ones were not tried"
        ));
    }
    Ok(())
}

/// Lets the program write its completions and manual pages.
fn documents(packaged: &Packaged, say: &mut dyn FnMut(&str)) -> Result<(), ReleaseError> {
    let completions = packaged.directory.join("completions");
    std::fs::create_dir_all(&completions).map_err(ReleaseError::file(&completions))?;
    for (shell, name) in SHELLS {
        match packaged.completions(shell)? {
            Some(completion) => {
                let file = completions.join(name);
                std::fs::write(&file, completion).map_err(ReleaseError::file(&file))?;
            }
            None => say(&format!(
                "skipped: this program has no command `completions {shell}`"
            )),
        }
    }
    let manual = packaged.directory.join("man");
    std::fs::create_dir_all(&manual).map_err(ReleaseError::file(&manual))?;
    if !packaged.manual(&manual)? {
        say("skipped: this program has no command `man`");
    }
    Ok(())
}

/// Writes what the release is made of: the bill of materials and the licences. `directory` has the components.
///
/// # Errors
/// Cargo fails, or a file cannot be read.
pub fn describe(
    directory: &Path,
    target: &str,
    version: &str,
    program: Vec<u8>,
) -> Result<Made, ReleaseError> {
    let about = crates::about(&[target, COMPONENT_TARGET])?;
    let graph = crates::graph(&["lustra-cli"], target, &["--no-default-features"])?;
    let connectors = connector_crates(&about)?;
    let names: Vec<&str> = connectors.values().map(|id| id.name.as_str()).collect();
    let component_graph = crates::graph(&names, COMPONENT_TARGET, &[])?;
    let components = read_components(&directory.join("components"))?;
    let sbom = sbom::cyclonedx(&Materials {
        version,
        program: &program,
        root: CrateId {
            name: "lustra-cli".to_owned(),
            version: version.to_owned(),
        },
        graph: &graph,
        components: components
            .iter()
            .map(|(file, bytes)| {
                let id = file.trim_end_matches(".wasm");
                (file.as_str(), bytes.as_slice(), connectors.get(id).cloned())
            })
            .collect(),
        component_graph: &component_graph,
        about: &about,
        bundled: bundled(&graph, &about)?,
    });
    let third_party = about.iter().filter(|(id, about)| {
        let is_used = [&graph, &component_graph]
            .iter()
            .any(|graph: &&Graph| graph.uses.contains_key(*id));
        is_used && about.checksum.is_some()
    });
    Ok(Made {
        third_party: licences::notices(third_party)?,
        program,
        sbom,
    })
}

/// The crates of the shipped connectors, by the id in their manifest.
fn connector_crates(
    about: &BTreeMap<CrateId, About>,
) -> Result<BTreeMap<String, CrateId>, ReleaseError> {
    let mut crates = BTreeMap::new();
    for (id, about) in about {
        let manifest = about.directory.join("manifest.json");
        // Test connectors have manifests too.
        let is_shipped = about
            .directory
            .parent()
            .is_some_and(|parent| parent.ends_with("connectors"));
        if !is_shipped || !manifest.is_file() {
            continue;
        }
        let text = std::fs::read(&manifest).map_err(ReleaseError::file(&manifest))?;
        let manifest: serde_json::Value =
            serde_json::from_slice(&text).map_err(|error| ReleaseError::Unexpected {
                command: manifest.display().to_string(),
                why: error.to_string(),
            })?;
        if let Some(connector) = manifest["id"].as_str() {
            crates.insert(connector.to_owned(), id.clone());
        }
    }
    Ok(crates)
}

fn read_components(directory: &Path) -> Result<BTreeMap<String, Vec<u8>>, ReleaseError> {
    let mut components = BTreeMap::new();
    for entry in std::fs::read_dir(directory).map_err(ReleaseError::file(directory))? {
        let entry = entry.map_err(ReleaseError::file(directory))?;
        let bytes = std::fs::read(entry.path()).map_err(ReleaseError::file(&entry.path()))?;
        components.insert(entry.file_name().to_string_lossy().into_owned(), bytes);
    }
    Ok(components)
}

/// SQLite, whose source is in a crate: its version is what advisories name.
fn bundled(
    graph: &Graph,
    about: &BTreeMap<CrateId, About>,
) -> Result<Vec<(CrateId, &'static str, String)>, ReleaseError> {
    let mut bundled = Vec::new();
    for id in graph.uses.keys().filter(|id| id.name == "libsqlite3-sys") {
        let Some(about) = about.get(id) else { continue };
        let header = about.directory.join("sqlite3/sqlite3.h");
        let text = std::fs::read_to_string(&header).map_err(ReleaseError::file(&header))?;
        let version = text
            .lines()
            .find_map(|line| line.strip_prefix("#define SQLITE_VERSION "))
            .map(|version| version.trim().trim_matches('"').to_owned());
        bundled.extend(version.map(|version| (id.clone(), "sqlite", version)));
    }
    Ok(bundled)
}

/// Time of all files in the archives: `SOURCE_DATE_EPOCH`, or that of the newest commit.
fn time_of_files() -> u64 {
    let set = std::env::var("SOURCE_DATE_EPOCH").ok();
    let committed = || {
        let mut git = Command::new("git");
        git.args(["log", "-1", "--format=%ct"])
            .current_dir(repository());
        program::text(&mut git).ok()
    };
    let time = set.or_else(committed);
    let time = time.and_then(|time| time.trim().parse().ok());
    time.unwrap_or(NO_HISTORY)
}

/// Writes the files of a release and their checksums.
fn write(output: &Path, files: &[(String, Vec<u8>)]) -> Result<Vec<Released>, ReleaseError> {
    std::fs::create_dir_all(output).map_err(ReleaseError::file(output))?;
    let sums = files
        .iter()
        .map(|(name, bytes)| format!("{}  {name}\n", sha256(bytes)))
        .collect::<String>();
    let sums = ("SHA256SUMS".to_owned(), sums.into_bytes());
    let mut released = Vec::new();
    for (name, bytes) in files.iter().chain([&sums]) {
        let path = output.join(name);
        std::fs::write(&path, bytes).map_err(ReleaseError::file(&path))?;
        let size = bytes.len();
        released.push(Released { path, size });
    }
    Ok(released)
}
