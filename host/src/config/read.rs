//! Reads the settings from a file.

use std::path::Path;

use super::document::{self, SettingSpans};
use super::{Config, ConfigError, ConfigFileError, rules};

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
        let mut mistakes = Vec::new();
        let config = document::read(text, &environment, &mut mistakes);
        if let Some(config) = &config {
            mistakes.extend(rules::broken(config));
        }
        let spans = SettingSpans::of(text);
        for mistake in &mut mistakes {
            mistake.line = mistake.line.or_else(|| spans.line(&mistake.setting));
        }
        mistakes.sort_by_key(|mistake| mistake.line);
        match config {
            Some(config) if mistakes.is_empty() => Ok(config),
            Some(_) | None => Err(ConfigError(mistakes)),
        }
    }
}
