//! Third-party programs and packages that verify what the host writes.
//!
//! They are installed from `PyPI` and npm on first use and kept below `target`. Unavailable ones are reported and
//! skipped.

use std::path::{Path, PathBuf};
use std::process::Command;

#[expect(
    clippy::print_stderr,
    reason = "shown to the person who runs the tests"
)]
pub fn say(line: &str) {
    eprintln!("· {line}");
}

pub fn runs(program: &str) -> bool {
    let asked = Command::new(program).arg("--version").output();
    asked.is_ok_and(|answer| answer.status.success())
}

/// Whether a command succeeds; prints the reason if not.
pub fn done(what: &str, command: &mut Command) -> bool {
    let why = match command.output() {
        Ok(output) if output.status.success() => return true,
        Ok(output) => String::from_utf8_lossy(&output.stderr).trim().to_owned(),
        Err(error) => error.to_string(),
    };
    let last = why.lines().last().unwrap_or_default();
    say(&format!("SKIPPED: {what} is not to be had: {last}"));
    false
}

/// Creates a folder for packages. The flag tells whether they were already installed in it.
pub fn folder(name: &str, packages: &str) -> (PathBuf, PathBuf, bool) {
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join(name);
    std::fs::create_dir_all(&folder).expect("a folder of our own");
    let installed = folder.join("installed.txt");
    let is_there = std::fs::read_to_string(&installed).is_ok_and(|there| there == packages);
    (folder, installed, is_there)
}

/// The Python interpreter of an environment below `target` with a package from `PyPI`. `None` if it is unavailable.
pub fn python_with(name: &str, package: &str) -> Option<PathBuf> {
    if !runs("python3") {
        say(&format!("SKIPPED: {package} needs python3"));
        return None;
    }
    let (folder, installed, is_there) = folder(name, package);
    let environment = folder.join("venv");
    if !is_there {
        say(&format!("installing {package} from PyPI (once)"));
        let mut venv = Command::new("python3");
        venv.args(["-m", "venv"]).arg(&environment);
        let mut pip = Command::new(environment.join("bin/pip"));
        pip.args(["install", "--quiet", "--disable-pip-version-check"])
            .args(["--retries", "1", "--timeout", "15", package]);
        if !(done("an environment of Python", &mut venv) && done(package, &mut pip)) {
            return None;
        }
        std::fs::write(installed, package).expect("a folder of our own");
    }
    Some(environment.join("bin/python"))
}
