//! `lustra config reference`.

use std::path::PathBuf;

use serde_json::{Value, json};

use super::super::{CliError, print};
use lustra::config::reference::{Setting, as_toml, of_schema, settings};
use lustra::config::{Config, check};
use lustra_sandbox::manifest::Manifest;

/// Print every setting with its type, unit, default and meaning.
///
/// The output is a settings file in which every line is a comment. With `--config`, it also has the settings of the
/// connectors in the components directory, as their manifests describe them.
#[derive(Debug, clap::Args)]
#[command(
    after_help = "Examples:\n  lustra config reference\n  lustra config reference notifications\n  \
    lustra config reference connector.orsr --config lustra.toml\n  lustra config reference --json"
)]
pub struct Reference {
    /// Print only this setting, or the settings of this table.
    setting: Option<String>,
    /// Settings file whose components directory is read too.
    #[arg(long, value_name = "FILE", env = "LUSTRA_CONFIG")]
    config: Option<PathBuf>,
    /// Print JSON, one setting a line.
    #[arg(long)]
    json: bool,
}

impl Reference {
    pub(super) fn run(self) -> Result<(), CliError> {
        let mut all = settings();
        if let Some(file) = &self.config {
            let config = Config::read_file(file)?;
            let directory = &config.components;
            let (manifests, _unreadable) = check::manifests(directory).map_err(|error| {
                CliError::caused(format!("components: {}", directory.display()), &error)
            })?;
            let of_connectors: Vec<Setting> = manifests
                .values()
                .flat_map(|manifest| of_connector(manifest, &all))
                .collect();
            all.extend(of_connectors);
        }
        if let Some(only) = &self.setting {
            let below = format!("{only}.");
            all.retain(|setting| setting.setting == *only || setting.setting.starts_with(&below));
            if all.is_empty() {
                return Err(CliError(format!("there is no setting {only}")));
            }
        }
        if self.json {
            for setting in &all {
                print(&json!(setting).to_string());
            }
        } else {
            print(as_toml(&all).trim());
        }
        Ok(())
    }
}

/// Settings of one connector, with the defaults of its manifest.
fn of_connector(manifest: &Manifest, general: &[Setting]) -> Vec<Setting> {
    let id = &manifest.id;
    let own = format!("connector.{id}");
    let table = |setting: String, about: &str| Setting {
        setting,
        kind: "table".to_owned(),
        unit: None,
        default: Value::Null,
        about: about.to_owned(),
    };
    // A setting like in the general reference, with another path and default.
    let like = |template: &str, setting: String, default: Value| {
        let template = format!("connector.<id>.{template}");
        let template = general.iter().find(|setting| setting.setting == template);
        template.cloned().map(|template| Setting {
            setting,
            default,
            ..template
        })
    };
    let mut settings = vec![table(own.clone(), &manifest.title)];
    for (name, upstream) in &manifest.upstreams {
        let path = format!("{own}.upstreams.{name}");
        settings.push(table(path.clone(), &upstream.about));
        for (key, default) in [
            ("address", json!(upstream.address)),
            ("requests_per_second", json!(upstream.requests_per_second)),
            ("concurrent", json!(upstream.concurrent)),
            ("timeout_seconds", json!(upstream.timeout_seconds)),
        ] {
            let template = format!("upstreams.<name>.{key}");
            settings.extend(like(&template, format!("{path}.{key}"), default));
        }
    }
    if let Some(schema) = &manifest.settings {
        let path = format!("{own}.settings");
        settings.push(table(path.clone(), "Settings of the connector itself."));
        settings.extend(of_schema(&path, schema));
    }
    for scope in &manifest.scopes {
        let path = format!("{own}.scopes.{}", scope.scope);
        settings.push(table(path.clone(), &scope.title));
        let age = json!(scope.max_age_days);
        settings.extend(like(
            "scopes.<name>.max_age_days",
            format!("{path}.max_age_days"),
            age,
        ));
    }
    for dataset in &manifest.datasets {
        let path = format!("{own}.datasets.{}", dataset.id);
        settings.push(table(path.clone(), &dataset.title));
        for (key, default) in [
            ("on", json!(dataset.on)),
            ("schedule", json!(dataset.schedule)),
            ("max_shrink_percent", json!(dataset.max_shrink_percent)),
        ] {
            let template = format!("datasets.<name>.{key}");
            settings.extend(like(&template, format!("{path}.{key}"), default));
        }
    }
    settings
}
