//! Mistakes in a settings file, each with its place and what would be right.
//!
//! No text repeats a value that may be a secret: a mistake names the setting, its type and its rule.

use std::fmt::{self, Display, Formatter};

use super::suggestion::did_you_mean;

/// A mistake in a settings file.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Mistake {
    /// Path of the setting, as in `plans.free.scopes`. Empty if the text is not TOML and the place is no setting.
    pub setting: String,
    /// Line in the file, from 1. `None`: the file does not contain the setting, nor a table around it.
    pub line: Option<usize>,
    pub problem: Problem,
}

/// What is wrong with a setting.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Problem {
    /// The text is not TOML, for example because a key occurs twice. Holds the parser's message.
    Syntax(String),
    /// No setting has this name. Holds a similar name.
    Unknown { similar: Option<String> },
    /// The value has another type. `wanted` names the right type with its unit.
    WrongType { wanted: String, found: &'static str },
    /// The value is none of the allowed ones.
    NotAllowed {
        allowed: String,
        similar: Option<String>,
    },
    /// The environment variable of an `env:NAME` value is not set. Holds its name.
    Unset(String),
    /// The value cannot be read. Holds the reason and a value that could.
    Unreadable {
        reason: String,
        example: Option<String>,
    },
    /// The value breaks a rule. Holds what is right.
    Rule(String),
}

/// All mistakes of a configuration, each with its place.
#[derive(Debug, thiserror::Error)]
#[error("{}", listed(.0))]
pub struct ConfigError(pub Vec<Mistake>);

fn listed(mistakes: &[Mistake]) -> String {
    let count = match mistakes.len() {
        1 => "a mistake".to_owned(),
        count => format!("{count} mistakes"),
    };
    let lines = mistakes.iter().map(|mistake| format!("\n{mistake}"));
    format!("{count} in the configuration:{}", lines.collect::<String>())
}

/// Why a settings file could not be used.
#[derive(Debug, thiserror::Error)]
pub enum ConfigFileError {
    #[error("{0}: {1}")]
    File(String, std::io::Error),
    #[error("{0}: {1}")]
    Mistakes(String, ConfigError),
}

impl Mistake {
    pub(super) fn new(setting: impl Into<String>, problem: Problem) -> Self {
        Self {
            setting: setting.into(),
            line: None,
            problem,
        }
    }

    /// A broken rule, written as in the modules of the settings: the setting, a colon, and what is right.
    pub(super) fn rule(text: &str) -> Self {
        let (setting, right) = text.split_once(": ").unwrap_or(("", text));
        Self::new(setting, Problem::Rule(right.to_owned()))
    }
}

impl Problem {
    /// A stable name for machines.
    #[must_use]
    pub fn code(&self) -> &'static str {
        match self {
            Self::Syntax(_) => "syntax",
            Self::Unknown { .. } => "unknown_setting",
            Self::WrongType { .. } => "wrong_type",
            Self::NotAllowed { .. } => "value_not_allowed",
            Self::Unset(_) => "variable_not_set",
            Self::Unreadable { .. } => "value_unreadable",
            Self::Rule(_) => "rule_broken",
        }
    }
}

impl Display for Mistake {
    fn fmt(&self, formatter: &mut Formatter<'_>) -> fmt::Result {
        if let Some(line) = self.line {
            write!(formatter, "line {line}: ")?;
        }
        if !self.setting.is_empty() {
            write!(formatter, "{}: ", self.setting)?;
        }
        self.problem.fmt(formatter)
    }
}

impl Display for Problem {
    fn fmt(&self, formatter: &mut Formatter<'_>) -> fmt::Result {
        match self {
            Self::Syntax(message) => write!(formatter, "{message}"),
            Self::Unknown { similar } => {
                write!(
                    formatter,
                    "there is no such setting{}",
                    did_you_mean(similar)
                )
            }
            Self::WrongType { wanted, found } => {
                write!(formatter, "the value must be {wanted}, not {found}")
            }
            Self::NotAllowed { allowed, similar } => {
                write!(
                    formatter,
                    "the value must be {allowed}{}",
                    did_you_mean(similar)
                )
            }
            Self::Unset(name) => write!(
                formatter,
                "the environment variable {name} is not set; set it before the start"
            ),
            Self::Unreadable { reason, example } => {
                let example = example.as_ref();
                let example = example.map(|example| format!("; an example is {example}"));
                write!(formatter, "{reason}{}", example.unwrap_or_default())
            }
            Self::Rule(right) => write!(formatter, "{right}"),
        }
    }
}
