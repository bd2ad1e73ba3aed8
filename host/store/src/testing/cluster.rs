//! A private `PostgreSQL` server of this process.
//!
//! It listens only on a socket in a temporary folder and does not sync to disk. A shell process watches it: when this
//! process ends in any way, the shell's standard input closes, and the shell stops the server and deletes the folder.

use std::io::Write;
use std::os::unix::process::CommandExt;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};

#[derive(Debug)]
pub(super) struct Cluster {
    folder: PathBuf,
    programs: PathBuf,
    /// The words before each command that run it as the server's user.
    as_whom: &'static [&'static str],
    /// Holds the standard input whose end stops the server.
    _watch: Child,
}

/// Shell script: stops the server in `$1` with the programs in `$2` when standard input ends.
const WATCH: &str = r#"read -r line; cd /; $3 "$2/pg_ctl" --pgdata "$1/cluster" --mode immediate stop; rm -rf "$1""#;

impl Cluster {
    /// Starts the server. `None`: the programs are not installed; a message says so.
    pub(super) fn start() -> Option<Self> {
        Self::start_with("")
    }

    /// Like [`Self::start`], with further lines of configuration, in which `{folder}` is the server's folder.
    pub(super) fn start_with(configuration: &str) -> Option<Self> {
        let Some(programs) = find_programs() else {
            print_uncaptured("PostgreSQL server programs not found: PostgreSQL half skipped");
            return None;
        };
        let folder = tempfile::Builder::new()
            .prefix("lustra-pg-")
            .tempdir()
            .expect("tests can write temporary files");
        let folder = folder.keep();
        // The server refuses to run as root.
        let as_whom: &[&str] = if is_root() {
            &["runuser", "-u", "postgres", "--"]
        } else {
            &[]
        };
        if is_root() {
            run(Command::new("chown").arg("postgres").arg(&folder));
        }
        let watch = watch(&folder, &programs, as_whom);
        initialize(&folder, &programs, as_whom);
        let mut settings = std::fs::OpenOptions::new()
            .append(true)
            .open(folder.join("cluster/postgresql.conf"))
            .expect("the cluster was just made");
        let lines = configuration.replace("{folder}", &folder.display().to_string());
        writeln!(settings, "{lines}").expect("tests can write temporary files");
        let cluster = Self {
            folder,
            programs,
            as_whom,
            _watch: watch,
        };
        cluster.launch();
        Some(cluster)
    }

    /// Starts the server process.
    pub(super) fn launch(&self) {
        let socket = format!(
            "-c listen_addresses='' -c unix_socket_directories='{}' -c fsync=off -c synchronous_commit=off \
             -c full_page_writes=off -c max_connections=200 -c autovacuum_naptime=5s",
            self.folder.display()
        );
        self.control(&["--wait", "--options", &socket, "start"]);
    }

    /// Runs `pg_ctl`.
    pub(super) fn control(&self, arguments: &[&str]) {
        let mut control = self.command(self.programs.join("pg_ctl"));
        control
            .arg("--pgdata")
            .arg(self.folder.join("cluster"))
            .arg("--log")
            .arg(self.folder.join("log"));
        run(control.args(arguments));
    }

    /// A command that runs as the server's user in its folder.
    pub(super) fn command(&self, program: impl AsRef<Path>) -> Command {
        server_command(&self.folder, program.as_ref(), self.as_whom)
    }

    /// The search path with the server's programs first.
    pub(super) fn path(&self) -> std::ffi::OsString {
        let path = std::env::var_os("PATH").unwrap_or_default();
        let first = std::iter::once(self.programs.clone());
        std::env::join_paths(first.chain(std::env::split_paths(&path)))
            .expect("the programs' folder has no colon")
    }

    pub(super) fn folder(&self) -> &Path {
        &self.folder
    }

    pub(super) fn url(&self) -> String {
        let socket = self.folder.display().to_string().replace('/', "%2F");
        format!("postgres://postgres@localhost/postgres?host={socket}")
    }
}

/// Creates a cluster with a Slovak collation if the programs support it, because results must not depend on the
/// collation.
fn initialize(folder: &Path, programs: &Path, as_whom: &[&str]) {
    let initdb = |locale: &[&str]| {
        let mut initdb = server_command(folder, &programs.join("initdb"), as_whom);
        initdb.arg("--pgdata").arg(folder.join("cluster"));
        initdb
            .args([
                "--username",
                "postgres",
                "--auth",
                "trust",
                "--encoding",
                "UTF8",
                "--no-sync",
            ])
            .args(locale);
        initdb
    };
    let slovak = initdb(&[
        "--locale",
        "C.UTF-8",
        "--locale-provider",
        "icu",
        "--icu-locale",
        "sk",
    ])
    .stdout(Stdio::null())
    .stderr(Stdio::null())
    .status();
    if !slovak.is_ok_and(|status| status.success()) {
        run(&mut initdb(&["--locale", "C"]));
    }
}

fn watch(folder: &Path, programs: &Path, as_whom: &[&str]) -> Child {
    Command::new("sh")
        .args(["-c", WATCH, "sh"])
        .arg(folder)
        .arg(programs)
        .arg(as_whom.join(" "))
        .stdin(Stdio::piped())
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        // Ctrl-C must stop the tests but not the shell that cleans up after them.
        .process_group(0)
        .spawn()
        .expect("there is a shell")
}

fn server_command(folder: &Path, program: &Path, as_whom: &[&str]) -> Command {
    let mut command = match as_whom.split_first() {
        Some((runuser, arguments)) => {
            let mut command = Command::new(runuser);
            command.args(arguments).arg(program);
            command
        }
        None => Command::new(program),
    };
    command.current_dir(folder).process_group(0);
    command
}

/// Runs a program to its end and shows its output if it fails. Output goes to a file: the server inherits it, and a
/// pipe would stay open until the server ends.
pub(super) fn run(command: &mut Command) {
    let said = tempfile::NamedTempFile::new().expect("tests can write temporary files");
    let output = |file: &tempfile::NamedTempFile| file.reopen().expect("the file is there");
    let status = command
        .stdin(Stdio::null())
        .stdout(output(&said))
        .stderr(output(&said))
        .status();
    let said = std::fs::read_to_string(said.path()).unwrap_or_default();
    assert!(
        status.as_ref().is_ok_and(std::process::ExitStatus::success),
        "{command:?}: {status:?}\n{said}"
    );
}

/// The program folder of the newest installed server version.
fn find_programs() -> Option<PathBuf> {
    let version = |folder: &PathBuf| folder.file_name()?.to_str()?.parse::<u32>().ok();
    let installed = std::fs::read_dir("/usr/lib/postgresql")
        .into_iter()
        .flatten()
        .flatten();
    let mut installed: Vec<PathBuf> = installed.map(|entry| entry.path()).collect();
    installed.sort_by_key(version);
    let path = std::env::var_os("PATH").unwrap_or_default();
    let newest_first = installed.into_iter().rev().map(|folder| folder.join("bin"));
    newest_first
        .chain(std::env::split_paths(&path))
        .find(|folder| {
            ["initdb", "pg_ctl", "postgres"]
                .iter()
                .all(|program| folder.join(program).is_file())
        })
}

fn is_root() -> bool {
    use std::os::unix::fs::MetadataExt;
    std::fs::metadata("/proc/self").is_ok_and(|process| process.uid() == 0)
}

/// Writes past the test harness, which hides the output of passing tests: a skipped half must be visible.
fn print_uncaptured(what: &str) {
    let said = writeln!(std::io::stderr(), "{what}");
    said.expect("standard error is open");
}
