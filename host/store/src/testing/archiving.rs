//! A private `PostgreSQL` server that archives its WAL, for the rehearsal of a recovery to a point in time.

use std::path::{Path, PathBuf};

use super::cluster::{Cluster, run};

/// A private server with its own folder. It ends with the process.
#[derive(Debug)]
pub struct ArchivingServer(Cluster);

impl ArchivingServer {
    /// Creates and starts a server with these lines in its configuration, in which `{folder}` is [`Self::folder`].
    /// `None`: the programs are not installed, and a message says so.
    #[must_use]
    pub fn start(configuration: &str) -> Option<Self> {
        Cluster::start_with(configuration).map(Self)
    }

    /// A folder that belongs to the server's user. The data directory is `cluster` in it.
    #[must_use]
    pub fn folder(&self) -> &Path {
        self.0.folder()
    }

    #[must_use]
    pub fn data(&self) -> PathBuf {
        self.folder().join("cluster")
    }

    /// URL of its database.
    #[must_use]
    pub fn url(&self) -> String {
        self.0.url()
    }

    /// Runs a shell script as the server's user, with the server's programs in its path. `$DATABASE` is [`Self::url`].
    pub fn run(&self, script: &str) {
        let mut shell = self.0.command("sh");
        shell
            .args(["-e", "-c", script])
            .env("DATABASE", self.url())
            .env("PATH", self.0.path());
        run(&mut shell);
    }

    /// Stops the server as an operator does.
    pub fn stop(&self) {
        self.0.control(&["--mode", "fast", "stop"]);
    }

    /// Starts the stopped server, and waits until it accepts connections.
    pub fn start_again(&self) {
        self.0.launch();
    }
}
