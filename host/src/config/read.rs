//! Reads the settings from a file.

use std::path::Path;

use super::Config;
use super::environment::fill_in;

/// All mistakes of a configuration, each with its place.
#[derive(Debug, thiserror::Error)]
#[error("{} in the configuration:\n{}", count(.0.len()), .0.join("\n"))]
pub struct ConfigError(pub Vec<String>);

fn count(mistakes: usize) -> String {
    if mistakes == 1 {
        "a mistake".to_owned()
    } else {
        format!("{mistakes} mistakes")
    }
}

/// Why a settings file could not be used.
#[derive(Debug, thiserror::Error)]
pub enum ConfigFileError {
    #[error("{0}: {1}")]
    File(String, std::io::Error),
    #[error("{0}: {1}")]
    Mistakes(String, ConfigError),
}

impl Config {
    /// Reads a settings file. `env:NAME` values come from the process's environment.
    ///
    /// # Errors
    /// The file cannot be read, or contains mistakes.
    pub fn read_file(path: &Path) -> Result<Self, ConfigFileError> {
        let name = || path.display().to_string();
        let text =
            std::fs::read_to_string(path).map_err(|error| ConfigFileError::File(name(), error))?;
        Self::read(&text, |name| std::env::var(name).ok())
            .map_err(|error| ConfigFileError::Mistakes(name(), error))
    }

    /// Parses a configuration. `environment` looks up the variables of `env:NAME` values.
    ///
    /// # Errors
    /// All mistakes at once: syntax errors with their line, others with their setting.
    pub fn read(
        text: &str,
        environment: impl Fn(&str) -> Option<String>,
    ) -> Result<Self, ConfigError> {
        let mut table: toml::Value =
            toml::from_str(text).map_err(|error| ConfigError(vec![error.to_string()]))?;
        let mut mistakes = Vec::new();
        let filled_in = fill_in(&mut table, "", &environment, &mut mistakes);
        if !mistakes.is_empty() {
            return Err(ConfigError(mistakes));
        }
        // Without substitutions, parse the text itself, because its errors name the line.
        let read = if filled_in {
            table.try_into::<Self>()
        } else {
            toml::from_str::<Self>(text)
        };
        let config = read.map_err(|error| ConfigError(vec![error.to_string()]))?;
        config.check(&mut mistakes);
        if mistakes.is_empty() {
            Ok(config)
        } else {
            Err(ConfigError(mistakes))
        }
    }
}
