//! `lustra ledger export`.

use std::fs::File;
use std::io::{Error, ErrorKind, Stdout, Write};
use std::path::{Path, PathBuf};

use serde::Serialize;
use tempfile::NamedTempFile;

use super::super::{CliError, ConfigFile, many, say};
use super::accounts;
use lustra_sandbox::clock::rfc3339;
use lustra_store::LedgerEntry;

/// Entries per page in memory.
const PAGE: i64 = 1_000;

const COLUMNS: [&str; 10] = [
    "account",
    "entry",
    "booked_at",
    "kind",
    "grant",
    "amount",
    "balance",
    "operation",
    "part",
    "about",
];

/// Export all ledger entries, one a line, in the order of booking for each account.
///
/// Hosts may keep booking meanwhile. A deleted account is named by its id.
#[derive(Debug, clap::Args)]
#[command(after_help = "Examples:\n  \
    lustra ledger export --config lustra.toml --account acme\n  \
    lustra ledger export --config lustra.toml --format json --output ledger.jsonl")]
pub struct Export {
    #[command(flatten)]
    config: ConfigFile,
    /// Name of the account. Default: all accounts.
    #[arg(long)]
    account: Option<String>,
    /// Format: CSV with a header row, or JSON, one object a line.
    #[arg(long, default_value = "csv")]
    format: Format,
    /// The same as `--format json`.
    #[arg(long, conflicts_with = "format")]
    json: bool,
    /// Output file. An existing file is replaced after everything is written. Default: standard output.
    #[arg(long, value_name = "FILE")]
    output: Option<PathBuf>,
}

#[derive(Debug, Clone, Copy, clap::ValueEnum)]
enum Format {
    Csv,
    Json,
}

/// An exported entry; fields are in the order of [`COLUMNS`].
#[derive(Serialize)]
struct Row<'a> {
    account: &'a str,
    entry: i64,
    booked_at: String,
    kind: &'static str,
    grant: Option<i64>,
    amount: i64,
    balance: i64,
    operation: &'a str,
    part: i64,
    about: &'a str,
}

impl<'a> Row<'a> {
    fn of(account: &'a str, entry: &'a LedgerEntry) -> Self {
        Self {
            account,
            entry: entry.number,
            booked_at: rfc3339(entry.booked_at),
            kind: entry.kind.word(),
            grant: entry.grant,
            amount: entry.amount,
            balance: entry.balance,
            operation: &entry.operation,
            part: entry.part,
            about: &entry.about,
        }
    }
}

impl Format {
    fn head(self) -> String {
        match self {
            Self::Csv => format!("{}\r\n", COLUMNS.join(",")),
            Self::Json => String::new(),
        }
    }

    fn page<'a>(self, rows: impl Iterator<Item = Row<'a>>) -> Result<Vec<u8>, CliError> {
        match self {
            Self::Csv => {
                let mut page = csv::WriterBuilder::new()
                    .has_headers(false)
                    .terminator(csv::Terminator::CRLF)
                    .from_writer(Vec::new());
                for row in rows {
                    page.serialize(row)?;
                }
                Ok(page.into_inner()?)
            }
            Self::Json => {
                let mut page = Vec::new();
                for row in rows {
                    serde_json::to_writer(&mut page, &row)?;
                    page.push(b'\n');
                }
                Ok(page)
            }
        }
    }
}

impl Export {
    pub(in super::super) async fn run(self) -> Result<(), CliError> {
        let config = self.config.read()?;
        let store = config.open_store(2).await?;
        let accounts = accounts(&store, self.account.as_deref()).await?;
        let format = if self.json { Format::Json } else { self.format };
        let mut output = Output::open(self.output.as_deref())?;
        let mut entries = 0_usize;
        let mut wanted = output.write(format.head().as_bytes())?;
        for (id, name) in &accounts {
            let mut last = 0;
            while wanted {
                let page = store.billing().entries(*id, last, PAGE).await?;
                let Some(end) = page.last() else { break };
                last = end.number;
                let rows = page.iter().map(|entry| Row::of(name, entry));
                wanted = output.write(&format.page(rows)?)?;
                entries += page.len();
            }
        }
        output.finish()?;
        let entries = many(entries, "entry", "entries");
        let accounts = many(accounts.len(), "account", "accounts");
        say(&format!("{entries} of {accounts}"));
        Ok(())
    }
}

/// Destination of the export.
enum Output {
    Standard(Stdout),
    /// A pipe or a device, which is written directly.
    Open(File),
    /// A temporary file in the target's directory, and the target's path.
    Beside(NamedTempFile, PathBuf),
}

impl Output {
    fn open(path: Option<&Path>) -> Result<Self, CliError> {
        let Some(path) = path else {
            return Ok(Self::Standard(std::io::stdout()));
        };
        let failed = |error: Error| CliError::caused(path.display(), &error);
        let kind = std::fs::metadata(path);
        if kind.is_ok_and(|kind| !kind.is_file()) {
            let file = File::options().write(true).open(path).map_err(failed)?;
            return Ok(Self::Open(file));
        }
        let folder = path
            .parent()
            .filter(|folder| !folder.as_os_str().is_empty());
        let mut beside = tempfile::Builder::new();
        // Use the permissions of a normal file; temporary files are private by default.
        #[cfg(unix)]
        beside.permissions(std::os::unix::fs::PermissionsExt::from_mode(0o666));
        let beside = beside
            .tempfile_in(folder.unwrap_or(Path::new(".")))
            .map_err(failed)?;
        Ok(Self::Beside(beside, path.to_owned()))
    }

    /// Returns false if the reader has closed the pipe.
    fn write(&mut self, bytes: &[u8]) -> Result<bool, CliError> {
        let written = match self {
            Self::Standard(output) => output.write_all(bytes).and_then(|()| output.flush()),
            Self::Open(file) => file.write_all(bytes),
            Self::Beside(file, _) => file.write_all(bytes),
        };
        match written {
            Ok(()) => Ok(true),
            Err(error) if error.kind() == ErrorKind::BrokenPipe => Ok(false),
            Err(error) => Err(error.into()),
        }
    }

    fn finish(self) -> Result<(), CliError> {
        if let Self::Beside(file, path) = self {
            file.persist(&path)
                .map_err(|error| CliError::caused(path.display(), &error.error))?;
        }
        Ok(())
    }
}
