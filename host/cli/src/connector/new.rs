//! `lustra connector new`: writes a working connector crate as a starting point.
//!
//! The files are in `template/`. The same crate is the example of the authors' guide, so it reads the simulator's
//! register of licences. Invariant: existing files are never changed.

use std::fs;
use std::io;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use super::super::{CliError, print};
use super::template::{self, Names};
use lustra_demo as demo;
use lustra_sandbox::manifest::{Manifest, ManifestError};
use lustra_store::ConnectorId;

/// Create a connector's crate that builds and answers without changes.
///
/// It reads an invented register of the simulator of `lustra demo`. Change its requests and its parser to what you
/// need.
#[derive(Debug, clap::Args)]
#[command(after_help = "Examples:\n  lustra connector new licences\n  \
    lustra connector new licences --path connectors/licences")]
pub struct New {
    /// Name of the connector: lower-case letters, digits and single hyphens, such as `tax-authority`.
    name: String,
    /// Directory of the new crate; it must not exist. Default: a directory of that name in the current one.
    #[arg(long, value_name = "DIR")]
    path: Option<PathBuf>,
    /// Directory of the crate `lustra-sdk`. Default: the one in the source tree that this program was built from.
    #[arg(long, value_name = "DIR")]
    sdk: Option<PathBuf>,
    /// Print the result as JSON.
    #[arg(long)]
    json: bool,
}

/// Why no connector was written.
#[derive(Debug, thiserror::Error)]
pub enum NewError {
    /// The name has an invalid form.
    #[error(
        "{0:?} is no name for a connector: use lower-case letters, digits and single hyphens, and begin with a letter, \
         as in tax-authority"
    )]
    Name(String),
    /// The name is already in use or reserved.
    #[error("a connector cannot be named {name}: {why}")]
    Taken {
        name: String,
        /// What the name already means.
        why: String,
    },
    /// The target already exists.
    #[error("{} already exists, so nothing was written; choose another directory with --path", .0.display())]
    Exists(PathBuf),
    /// The SDK's directory does not contain the SDK.
    #[error(
        "there is no crate lustra-sdk in {}; --sdk names its directory, connectors/sdk of Lustra's source tree",
        .0.display()
    )]
    NoSdk(PathBuf),
    /// A file could not be written.
    #[error("{}: {error}", .path.display())]
    File { path: PathBuf, error: io::Error },
}

impl New {
    pub(super) fn run(self) -> Result<(), CliError> {
        let shown = self.path.unwrap_or_else(|| PathBuf::from(&self.name));
        let sdk = self.sdk.unwrap_or_else(demo::sdk);
        let written = write(&self.name, &shown, &sdk)?;
        if self.json {
            let line = serde_json::json!({
                "id": self.name, "directory": written.directory, "files": written.files,
                "workspace": written.workspace,
            });
            print(&line.to_string());
            return Ok(());
        }
        print(&format!("created the connector {}:", shown.display()));
        for file in &written.files {
            print(&format!("  {file}"));
        }
        if let Some(workspace) = &written.workspace {
            print(&format!(
                "It is a member of the workspace {}.",
                workspace.display()
            ));
        }
        let shown = shown.display();
        print(&format!(
            "\nTest it, build it, and call it in the demo, whose simulator has the register of the example:\n  \
             (cd {shown} && cargo test)\n  \
             lustra connector build {shown}\n  \
             lustra demo --connector {shown} --upstream register=licences\n\
             The guide is connectors/README.md in Lustra's source tree."
        ));
        Ok(())
    }
}

struct NewFiles {
    directory: PathBuf,
    files: Vec<&'static str>,
    /// The workspace that the crate is a member of, or `None` if it is its own workspace.
    workspace: Option<PathBuf>,
}

fn write(name: &str, directory: &Path, sdk: &Path) -> Result<NewFiles, NewError> {
    let sdk = sdk_crate(sdk)?;
    let names = Names {
        id: ConnectorId::parse(name).map_err(|_other_form| NewError::Name(name.to_owned()))?,
        sdk: String::new(),
    };
    check(&names)?;
    if let Some(parent) = directory.parent() {
        fs::create_dir_all(parent).map_err(|error| file_error(parent, error))?;
    }
    match fs::create_dir(directory) {
        Err(error) if error.kind() == io::ErrorKind::AlreadyExists => {
            return Err(NewError::Exists(directory.to_owned()));
        }
        created => created.map_err(|error| file_error(directory, error))?,
    }
    let directory = fs::canonicalize(directory).map_err(|error| file_error(directory, error))?;
    let names = Names {
        sdk: toml::Value::from(path_to(&sdk, &directory)).to_string(),
        ..names
    };
    let mut files = Vec::new();
    let shared = [template::CARGO, template::IGNORED];
    for (path, text) in shared.iter().chain(template::ENRICHMENT) {
        put(&directory.join(path), &names.put_into(text))?;
        files.push(*path);
    }
    let workspace = workspace_of(&directory);
    let manifest = names.put_into(template::CARGO.1);
    let last = match &workspace {
        Some(root) if has_lints(root) => template::LINTS_OF_WORKSPACE,
        Some(_) => "",
        None => template::OWN_WORKSPACE,
    };
    put(&directory.join("Cargo.toml"), &(manifest + last))?;
    // Use the versions that the SDK is tested with; they are available offline where Lustra was built.
    let lock = sdk.ancestors().map(|above| above.join("Cargo.lock"));
    if workspace.is_none()
        && let Some(lock) = lock.into_iter().find(|lock| lock.is_file())
    {
        let text = fs::read_to_string(&lock).map_err(|error| file_error(&lock, error))?;
        put(&directory.join("Cargo.lock"), &text)?;
        files.push("Cargo.lock");
    }
    files.sort_unstable();
    Ok(NewFiles {
        directory,
        files,
        workspace,
    })
}

/// A name is valid if the resulting manifest is, so that there is only one rule.
fn check(names: &Names) -> Result<(), NewError> {
    let taken = |why: String| NewError::Taken {
        name: names.id.to_string(),
        why,
    };
    if names.package() == "lustra-sdk" {
        return Err(taken(
            "lustra-sdk is what connectors are written with".to_owned(),
        ));
    }
    let manifest = template::ENRICHMENT
        .iter()
        .find(|(path, _)| *path == "manifest.json");
    let manifest = manifest.map(|(_, text)| Manifest::parse(&names.put_into(text)));
    match manifest {
        Some(Err(ManifestError::Inconsistent(why))) => Err(taken(why)),
        Some(Err(_)) => Err(NewError::Name(names.id.to_string())),
        Some(Ok(_)) | None => Ok(()),
    }
}

fn sdk_crate(directory: &Path) -> Result<PathBuf, NewError> {
    let none = || NewError::NoSdk(directory.to_owned());
    let text = fs::read_to_string(directory.join("Cargo.toml")).map_err(|_none| none())?;
    let parsed: toml::Value = toml::from_str(&text).map_err(|_none| none())?;
    let name = parsed
        .get("package")
        .and_then(|package| package.get("name"));
    if name.and_then(toml::Value::as_str) != Some("lustra-sdk") {
        return Err(none());
    }
    fs::canonicalize(directory).map_err(|error| file_error(directory, error))
}

/// A path as seen from a directory. Relative if it is below the directory's parent, so that both can be moved together.
fn path_to(wanted: &Path, directory: &Path) -> String {
    let beside = directory
        .parent()
        .and_then(|parent| wanted.strip_prefix(parent).ok());
    let path = beside.map_or_else(|| wanted.to_owned(), |rest| Path::new("..").join(rest));
    path.display().to_string()
}

/// The workspace that contains the crate, according to cargo. If cargo cannot tell, the crate becomes its own
/// workspace.
fn workspace_of(directory: &Path) -> Option<PathBuf> {
    let output = Command::new(std::env::var_os("CARGO").unwrap_or_else(|| "cargo".into()))
        .args(["locate-project", "--workspace", "--message-format", "plain"])
        .current_dir(directory)
        .stdin(Stdio::null())
        .output()
        .ok()
        .filter(|output| output.status.success())?;
    let root = PathBuf::from(String::from_utf8_lossy(&output.stdout).trim());
    let root = root.parent()?.to_owned();
    (root != directory).then_some(root)
}

fn has_lints(root: &Path) -> bool {
    let text = fs::read_to_string(root.join("Cargo.toml")).unwrap_or_default();
    let parsed: Option<toml::Value> = toml::from_str(&text).ok();
    parsed.is_some_and(|parsed| {
        parsed
            .get("workspace")
            .and_then(|workspace| workspace.get("lints"))
            .is_some()
    })
}

fn put(path: &Path, text: &str) -> Result<(), NewError> {
    if let Some(parent) = path.parent() {
        fs::create_dir_all(parent).map_err(|error| file_error(parent, error))?;
    }
    fs::write(path, text).map_err(|error| file_error(path, error))
}

fn file_error(path: &Path, error: io::Error) -> NewError {
    NewError::File {
        path: path.to_owned(),
        error,
    }
}
