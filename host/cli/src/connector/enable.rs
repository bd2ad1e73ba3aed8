//! `lustra connector enable`.

use std::io::{IsTerminal, Write};
use std::path::{Path, PathBuf};

use toml_edit::{Array, DocumentMut, Item, Table, value};

use super::super::{CliError, ConfigFile, print, say};
use super::replace::replace;
use lustra::config::Config;
use lustra_sandbox::component::Candidate;
use lustra_sandbox::reload;

/// Show what a component requests, and enable it in the settings.
///
/// The component is not executed. The command asks before it writes, and keeps the rest of the settings file. A host
/// that runs with these settings loads the connector at once.
#[derive(Debug, clap::Args)]
#[command(
    after_help = "Example: lustra connector enable components/licences.wasm --config lustra.toml"
)]
pub struct Enable {
    /// Path of the component. It is copied to the components directory if it is elsewhere.
    file: PathBuf,
    #[command(flatten)]
    config: ConfigFile,
    /// Write without asking for confirmation.
    #[arg(long)]
    yes: bool,
    /// Only show the change, without writing it.
    #[arg(long)]
    dry_run: bool,
    /// Print the result as JSON, without the description. Needs `--yes` or `--dry-run`.
    #[arg(long)]
    json: bool,
}

impl Enable {
    pub(super) fn run(&self) -> Result<(), CliError> {
        let candidate = reload::read(&self.file)
            .map_err(|error| CliError::caused(self.file.display(), &error))?;
        let config = self.config.parse()?;
        let text = std::fs::read_to_string(&self.config.config)?;
        if self.json && !self.yes && !self.dry_run {
            let why = "--json needs --yes or --dry-run, because a program cannot confirm";
            return Err(CliError(why.to_owned()));
        }
        let (changed, entry) = enabled(&text, &candidate)?;
        if !self.json {
            print(&summary_of(&candidate));
        }
        if changed == text {
            say("· the settings already enable it");
        } else {
            // Validate the new settings before writing, because a host refuses an invalid file.
            Config::read(&changed, |name| std::env::var(name).ok())
                .map_err(|error| CliError::caused("the entry does not fit the settings", &error))?;
            if !self.json {
                let file = self.config.config.display();
                print(&format!("entry in {file}:\n\n{entry}"));
            }
        }
        let target = config
            .components
            .join(format!("{}.wasm", candidate.manifest.id));
        let there = same_file(&self.file, &config.components);
        let result = serde_json::json!({
            "id": candidate.manifest.id, "version": candidate.manifest.version, "digest": candidate.digest,
            "grants": candidate.wanted_grants(), "changes_settings": changed != text,
            "copies_to": (!there).then_some(&target), "written": !self.dry_run,
        });
        if self.dry_run {
            if self.json {
                print(&result.to_string());
            }
            return Ok(());
        }
        if !self.yes && !asked("write it?")? {
            return Err(CliError("nothing was written".to_owned()));
        }
        if !there {
            std::fs::create_dir_all(&config.components)?;
            replace(&target, &candidate.bytes)?;
            say(&format!("· copied to {}", target.display()));
        }
        if changed != text {
            replace(&self.config.config, changed.as_bytes())?;
            say(&format!("· written to {}", self.config.config.display()));
        }
        if self.json {
            print(&result.to_string());
        }
        Ok(())
    }
}

/// What a connector provides and requests: its description, upstreams, scopes and settings.
fn summary_of(candidate: &Candidate) -> String {
    let manifest = &candidate.manifest;
    let digest = candidate.digest.get(..12).unwrap_or_default();
    let mut lines = vec![
        format!("{} {}  {digest}", manifest.id, manifest.version),
        format!("{}\nregister: {}", manifest.title, manifest.register),
    ];
    if !manifest.about.is_empty() {
        lines.push(manifest.about.clone());
    }
    lines.push("upstreams:".to_owned());
    for (name, upstream) in &manifest.upstreams {
        let address = upstream
            .address
            .as_deref()
            .unwrap_or("an address that the settings must name");
        lines.push(format!(
            "  {name:<16} {address} ({}, at most {} a second)",
            upstream.about.trim_end_matches('.'),
            upstream.requests_per_second
        ));
    }
    if let Some(source) = &manifest.company_source {
        lines.push(format!("company source: {:?}", source.provides).to_lowercase());
    }
    for scope in &manifest.scopes {
        lines.push(format!("scope: {} ({})", scope.scope, scope.title));
    }
    for dataset in &manifest.datasets {
        let on = if dataset.on { "" } else { ", off by default" };
        lines.push(format!(
            "dataset: {} ({}, {}{on})",
            dataset.id, dataset.title, dataset.schedule
        ));
    }
    let settings = manifest.settings.as_ref();
    let required: Vec<&str> = settings
        .and_then(|schema| schema.get("required")?.as_array())
        .into_iter()
        .flatten()
        .filter_map(serde_json::Value::as_str)
        .collect();
    let names = settings.and_then(|schema| schema.get("properties")?.as_object());
    for (name, property) in names.into_iter().flatten() {
        let about = property
            .get("description")
            .and_then(serde_json::Value::as_str);
        let must = if required.contains(&name.as_str()) {
            " (required)"
        } else {
            ""
        };
        lines.push(format!(
            "setting: {name}{must}  {}",
            about.unwrap_or_default()
        ));
    }
    lines.join("\n")
}

/// The settings with the connector and its grants added, and the new entry alone.
fn enabled(text: &str, candidate: &Candidate) -> Result<(String, String), CliError> {
    let id = &candidate.manifest.id;
    let wanted = candidate.wanted_grants();
    let mut document: DocumentMut = text
        .parse()
        .map_err(|error: toml_edit::TomlError| CliError::caused("the settings", &error))?;
    let connectors = document.entry("connector").or_insert_with(|| {
        let mut table = Table::new();
        table.set_implicit(true);
        Item::Table(table)
    });
    let not_a_table = || CliError(format!("the settings: connector.{id} is not a table"));
    let connectors = connectors.as_table_like_mut().ok_or_else(not_a_table)?;
    let entry = connectors
        .entry(id.as_str())
        .or_insert_with(|| Item::Table(Table::new()));
    let entry = entry.as_table_like_mut().ok_or_else(not_a_table)?;
    if entry.get("enabled").and_then(Item::as_bool) == Some(false) {
        entry.remove("enabled");
    }
    if entry.get("grants").is_none() {
        entry.insert("grants", value(Array::new()));
    }
    let grants = entry
        .get_mut("grants")
        .and_then(Item::as_array_mut)
        .ok_or_else(|| CliError(format!("the settings: connector.{id}.grants is not a list")))?;
    for grant in wanted {
        let there = grants.iter().any(|known| known.as_str() == Some(&grant));
        if !there {
            grants.push(grant);
        }
    }
    let shown = format!("[connector.{id}]\ngrants = {}\n", grants.to_string().trim());
    Ok((document.to_string(), shown))
}

/// Whether a file is in a directory.
fn same_file(file: &Path, directory: &Path) -> bool {
    let parent = file
        .canonicalize()
        .ok()
        .and_then(|file| Some(file.parent()?.to_owned()));
    parent.is_some() && parent == directory.canonicalize().ok()
}

fn asked(question: &str) -> Result<bool, CliError> {
    if !std::io::stdin().is_terminal() {
        return Err(CliError(
            "standard input is not a terminal, so the command cannot ask; use --yes".to_owned(),
        ));
    }
    let mut errors = std::io::stderr();
    write!(errors, "{question} [y/N] ")?;
    errors.flush()?;
    let mut answer = String::new();
    std::io::stdin().read_line(&mut answer)?;
    Ok(matches!(answer.trim(), "y" | "Y" | "yes"))
}
