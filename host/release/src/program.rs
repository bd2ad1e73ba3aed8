//! Builds the server, and runs it for what only it can make.

use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};

use serde_json::Value;

use crate::ReleaseError;

/// The repository, whose workspace this crate is in.
#[must_use]
pub fn repository() -> PathBuf {
    let repository = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
    // A missing repository is reported by the first command that runs in it.
    std::fs::canonicalize(&repository).unwrap_or(repository)
}

/// Cargo of this build, in the repository.
pub(crate) fn cargo() -> Command {
    let cargo = std::env::var_os("CARGO").unwrap_or_else(|| "cargo".into());
    let mut command = Command::new(cargo);
    command.current_dir(repository());
    command
}

/// Runs a command and returns its standard output. Its messages go to standard error as they come.
///
/// # Errors
/// It cannot be started, or fails.
pub(crate) fn output(command: &mut Command) -> Result<Vec<u8>, ReleaseError> {
    let ran = run(command.stderr(Stdio::inherit()))?;
    succeeded(command, ran)
}

/// Like [`output`], with text.
///
/// # Errors
/// Like [`output`]; the output is not UTF-8.
pub(crate) fn text(command: &mut Command) -> Result<String, ReleaseError> {
    String::from_utf8(output(command)?).map_err(|error| unexpected(command, &error.to_string()))
}

fn run(command: &mut Command) -> Result<Output, ReleaseError> {
    let ran = command.stdin(Stdio::null()).output();
    ran.map_err(|error| ReleaseError::NotStarted {
        command: shown(command),
        error,
    })
}

fn succeeded(command: &Command, ran: Output) -> Result<Vec<u8>, ReleaseError> {
    if ran.status.success() {
        return Ok(ran.stdout);
    }
    let said = String::from_utf8_lossy(&ran.stderr).trim().to_owned();
    let said = match said.as_str() {
        "" => ran.status.to_string(),
        said => said.to_owned(),
    };
    let command = shown(command);
    Err(ReleaseError::Failed { command, said })
}

/// The command without its arguments that are paths of this machine's files.
fn shown(command: &Command) -> String {
    let program = Path::new(command.get_program()).file_name();
    let words = program
        .into_iter()
        .chain(command.get_args().take(2))
        .map(|word| word.to_string_lossy().into_owned());
    words.collect::<Vec<_>>().join(" ")
}

pub(crate) fn unexpected(command: &Command, why: &str) -> ReleaseError {
    ReleaseError::Unexpected {
        command: shown(command),
        why: why.to_owned(),
    }
}

/// Builds the server without default features and returns its path.
///
/// The author's kit stays out: it contains the simulator, needs a Rust toolchain, and is used where connectors are
/// written, not where they are served.
///
/// # Errors
/// The build fails.
pub fn build(profile: &str) -> Result<PathBuf, ReleaseError> {
    let mut cargo = cargo();
    cargo
        .args([
            "build",
            "--locked",
            "-p",
            "lustra-cli",
            "--no-default-features",
        ])
        .args(["--profile", profile])
        .args(["--message-format", "json-render-diagnostics"]);
    let messages = text(&mut cargo)?;
    let messages = messages
        .lines()
        .filter_map(|line| serde_json::from_str(line).ok());
    let mut executables = messages.filter_map(|message: Value| {
        (message["target"]["name"] == "lustra").then_some(())?;
        message["executable"].as_str().map(PathBuf::from)
    });
    let built = executables.next_back();
    built.ok_or_else(|| unexpected(&cargo, "no executable lustra"))
}

/// Builds the shipped connectors into a directory; a connector whose recorded calls give other results is not built.
///
/// # Errors
/// The build fails.
pub fn build_components(output_directory: &Path) -> Result<(), ReleaseError> {
    let mut cargo = cargo();
    cargo
        .args(["run", "--locked", "-p", "lustra-cli", "--"])
        .args(["connector", "build", "connectors", "--output"])
        .arg(output_directory)
        .stdout(Stdio::null());
    output(&mut cargo).map(drop)
}

/// Copies a program without its symbols and debug information.
///
/// # Errors
/// There is no `strip`, or it fails.
pub fn strip(program: &Path, to: &Path) -> Result<(), ReleaseError> {
    let mut strip = Command::new("strip");
    strip.arg("--strip-all").arg("-o").arg(to).arg(program);
    output(&mut strip).map(drop)
}

/// The packaged program, run in the directory that becomes the archive.
#[derive(Debug)]
pub struct Packaged {
    pub directory: PathBuf,
}

impl Packaged {
    fn command(&self) -> Command {
        let mut command = Command::new(self.directory.join("lustra"));
        command
            .current_dir(&self.directory)
            .env_remove("LUSTRA_CONFIG")
            .env_remove("RUST_LOG");
        command
    }

    /// Compiles the components in `components` to `precompiled`.
    ///
    /// # Errors
    /// A component does not compile.
    pub fn precompile(&self, cpu: &str) -> Result<(), ReleaseError> {
        let mut command = self.command();
        command
            .args(["connector", "precompile", "components"])
            .args(["--output", "precompiled", "--cpu", cpu]);
        output(&mut command).map(drop)
    }

    /// The completions of a shell. `None`: this version of the program has no such command.
    ///
    /// # Errors
    /// The command fails.
    pub fn completions(&self, shell: &str) -> Result<Option<Vec<u8>>, ReleaseError> {
        let mut command = self.command();
        optional(command.args(["completions", shell]))
    }

    /// Writes the manual pages to a directory. `false`: this version of the program has no such command.
    ///
    /// # Errors
    /// The command fails.
    pub fn manual(&self, to: &Path) -> Result<bool, ReleaseError> {
        let mut command = self.command();
        let made = optional(command.args(["man", "--output"]).arg(to))?;
        Ok(made.is_some())
    }

    /// States of the connectors, as the program would serve them with the settings in its directory.
    ///
    /// # Errors
    /// The program cannot read its settings or open its store.
    pub fn connectors(&self) -> Result<Vec<Value>, ReleaseError> {
        let mut command = self.command();
        let listed = text(command.args(["connector", "list", "--offline", "--json"]))?;
        let lines = listed.lines().map(serde_json::from_str);
        let states: Result<_, _> = lines.collect();
        states.map_err(|error| unexpected(&command, &error.to_string()))
    }
}

/// Exit code of a program whose arguments are wrong.
const WRONG_ARGUMENTS: i32 = 2;

/// Output of a command that the program may not have.
fn optional(command: &mut Command) -> Result<Option<Vec<u8>>, ReleaseError> {
    let ran = run(command.stderr(Stdio::piped()))?;
    if ran.status.code() == Some(WRONG_ARGUMENTS) {
        return Ok(None);
    }
    succeeded(command, ran).map(Some)
}

/// The newest version of the C library's symbols that a program needs, such as `2.34`.
#[must_use]
pub fn needed_libc(program: &[u8]) -> Option<String> {
    const PREFIX: &[u8] = b"GLIBC_2.";
    let mut newest = None;
    for at in 0..program.len().saturating_sub(PREFIX.len()) {
        if !program[at..].starts_with(PREFIX) {
            continue;
        }
        let rest = program[at + PREFIX.len()..].iter().take(3);
        let digits: String = rest
            .take_while(|byte| byte.is_ascii_digit())
            .map(|byte| char::from(*byte))
            .collect();
        newest = newest.max(digits.parse::<u32>().ok());
    }
    newest.map(|minor| format!("2.{minor}"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn newest_symbol_version_is_needed() {
        let program = b"\0GLIBC_2.9\0GLIBC_2.34\0GLIBC_2.2.5\0GLIBC_2.";
        assert_eq!(needed_libc(program).as_deref(), Some("2.34"));
        assert_eq!(needed_libc(b"static"), None);
    }

    #[test]
    fn missing_command_is_no_failure() {
        let shell = |script: &str| {
            let mut command = Command::new("sh");
            optional(command.args(["-c", script]))
        };
        assert!(matches!(shell("exit 2"), Ok(None)));
        assert_eq!(
            shell("echo made").expect("it succeeds"),
            Some(b"made\n".to_vec())
        );
        let failed = shell("echo broken >&2; exit 1").expect_err("it fails");
        assert!(failed.to_string().ends_with("failed: broken"), "{failed}");
    }
}
