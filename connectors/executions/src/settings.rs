//! The operator's settings. The manifest's schema has the same defaults; a test compares them.

use lustra_sdk::serde::de::DeserializeOwned;
use lustra_sdk::text::fold;
use lustra_sdk::{Failure, malformed, runtime};
use serde::{Deserialize, Serialize};

/// Where the facts come from.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Source {
    /// From nowhere: the section says so.
    Off,
    /// The assumed service behind the register's pages, asked for each company.
    Service,
    /// The operator's file, imported.
    File,
}

impl Source {
    /// As the operator set it; off by default.
    ///
    /// # Errors
    /// [`Failure::Misconfigured`] for another word.
    pub fn read() -> Result<Self, Failure> {
        Ok(runtime::setting("source")?.unwrap_or(Self::Off))
    }
}

/// How the assumed service is asked.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Service {
    /// The path below the upstream.
    pub path: String,
    /// The names of its query's parameters.
    pub query: Query,
    /// The number of its first page.
    pub first_page: u64,
    /// How many rows a page is asked to have; the service may give fewer.
    pub page_size: u64,
    /// What the members of its answer are called.
    pub members: Members,
}

impl Service {
    /// As the operator set it.
    ///
    /// # Errors
    /// [`Failure::Misconfigured`] for settings of another shape.
    pub fn read() -> Result<Self, Failure> {
        Ok(Self {
            path: setting_or("service_path", || {
                "/pilot/api/ress-isu-service/v1/poverenie".to_owned()
            })?,
            query: setting_or("service_query", Query::default)?,
            first_page: setting_or("service_first_page", || 1)?,
            page_size: setting_or("service_page_size", || 100)?,
            members: setting_or("service_members", Members::default)?,
        })
    }
}

/// The names of the service's parameters.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Query {
    /// The obligor's IČO.
    pub ico: String,
    /// The number of the page.
    pub page: String,
    /// How many rows a page has.
    pub size: String,
}

impl Default for Query {
    fn default() -> Self {
        Self {
            ico: "ico".to_owned(),
            page: "page".to_owned(),
            size: "size".to_owned(),
        }
    }
}

/// What the members of the service's answer are called, by what they hold.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
#[expect(missing_docs, reason = "a member is called what it holds")]
pub struct Members {
    pub total: String,
    pub updated_at: String,
    pub rows: String,
    pub id: String,
    pub ecli: String,
    pub court_file_number: String,
    pub authorization_number: String,
    pub authorized_at: String,
    pub published_at: String,
    pub status: String,
    pub court: String,
    pub court_name: String,
    pub executor: String,
    pub executor_name: String,
    pub enforced_claim: String,
    pub creditors: String,
    pub obligors: String,
    pub party_name: String,
    pub party_ico: String,
}

impl Default for Members {
    fn default() -> Self {
        let named = str::to_owned;
        Self {
            total: named("numFound"),
            updated_at: named("updateDate"),
            rows: named("poverenieList"),
            id: named("guid"),
            ecli: named("ecli"),
            court_file_number: named("spisovaZnacka"),
            authorization_number: named("identifikacneCislo"),
            authorized_at: named("datumVydania"),
            published_at: named("datumZverejnenia"),
            status: named("stav"),
            court: named("sud"),
            court_name: named("nazov"),
            executor: named("exekutor"),
            executor_name: named("meno"),
            enforced_claim: named("druhNaroku"),
            creditors: named("opravneny"),
            obligors: named("povinny"),
            party_name: named("nazov"),
            party_ico: named("ico"),
        }
    }
}

/// Which of the register's states mean that enforcement goes on. They are compared without case and diacritics.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct States {
    /// States of an authorization in force.
    pub active: Vec<String>,
    /// States of one that is not.
    pub ended: Vec<String>,
}

impl Default for States {
    fn default() -> Self {
        Self {
            active: vec!["Aktuálny".to_owned()],
            ended: vec!["Neaktuálny".to_owned()],
        }
    }
}

impl States {
    /// As the operator set them.
    ///
    /// # Errors
    /// [`Failure::Misconfigured`] for settings of another shape.
    pub fn read() -> Result<Self, Failure> {
        let default = Self::default();
        Ok(Self {
            active: setting_or("active_states", || default.active)?,
            ended: setting_or("ended_states", || default.ended)?,
        })
    }

    /// Whether an authorization in this state is in force; `place` names it in a failure.
    ///
    /// # Errors
    /// [`Failure::Malformed`] for a state that neither setting has: it decides whether the company is enforced upon, so
    /// it is not guessed.
    pub fn is_active(&self, status: &str, place: &str) -> Result<bool, Failure> {
        let folded = fold(status);
        let among = |states: &[String]| states.iter().any(|state| fold(state) == folded);
        if among(&self.active) {
            Ok(true)
        } else if among(&self.ended) {
            Ok(false)
        } else {
            Err(malformed(
                place,
                "a state that active_states or ended_states has",
                status,
            ))
        }
    }
}

/// The charset of the operator's file.
///
/// # Errors
/// [`Failure::Misconfigured`] for a setting of another shape.
pub fn list_charset() -> Result<String, Failure> {
    setting_or("list_charset", || "utf-8".to_owned())
}

fn setting_or<T: DeserializeOwned>(name: &str, default: impl FnOnce() -> T) -> Result<T, Failure> {
    Ok(runtime::setting(name)?.unwrap_or_else(default))
}
