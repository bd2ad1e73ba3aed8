//! The event that webhooks, e-mails and the event log carry.
//!
//! A comparison creates its [`WebhookFinding`] and [`Wording`], which the store keeps as one [`EventContent`]. When the
//! event is published, the finding becomes a [`WebhookEvent`] with the company's data at that time. Receivers verify a
//! signature over its bytes, so the order of the members is part of the format.

use serde::{Deserialize, Deserializer, Serialize};
use serde_json::Value;
use utoipa::ToSchema;

use super::{Line, Op};
use crate::language::Language;
use crate::store::{CompanyStatus, ScopeName};

/// A change of a watched company.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, ToSchema)]
pub struct WebhookEvent {
    /// Event id, the same for every receiver and in the event log.
    pub id: String,
    /// Kind of the event, such as `officers.changed`.
    pub event: String,
    /// When the event was published.
    #[schema(format = DateTime)]
    pub timestamp: String,
    pub data: WebhookData,
    /// True in examples sent by a test; otherwise absent.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false)]
    pub test: Option<bool>,
}

/// What changed, and the company's data when the event was published.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, ToSchema)]
pub struct WebhookData {
    /// Registration number (IČO) of the company.
    #[schema(pattern = "^[0-9]{8}$")]
    pub ico: String,
    #[serde(flatten)]
    pub finding: WebhookFinding,
    pub company: WebhookCompany,
    pub tax_info: WebhookTaxInfo,
}

/// What a comparison of two readings found.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize, ToSchema)]
pub struct WebhookFinding {
    /// The group of the kind, such as `company` or `risk`.
    pub group: String,
    /// Type of the change; `updated` by default.
    pub change_type: String,
    /// Name of the changed field.
    pub field: String,
    /// Former value as text for people; empty if there was none.
    #[serde(deserialize_with = "null_as_empty")]
    pub old_value: String,
    /// Current value as text for people; empty if there is none.
    #[serde(deserialize_with = "null_as_empty")]
    pub new_value: String,
    /// When the change was detected.
    #[schema(format = DateTime)]
    pub detected_at: String,
    /// Connector that read it.
    pub source: String,
    /// Scope of the changed section; null for base data and details.
    #[schema(required, value_type = Option<String>)]
    pub scope: Option<ScopeName>,
    /// The exact differences, with JSON pointers.
    pub changes: Vec<WebhookChange>,
}

/// One difference between two readings.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, ToSchema)]
pub struct WebhookChange {
    /// JSON pointer to the changed value.
    pub path: String,
    #[schema(inline)]
    pub op: Op,
    /// Former value; null if there was none.
    pub old: Value,
    /// Current value; null if there is none.
    pub new: Value,
}

/// The company of an event.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct WebhookCompany {
    /// Business name of the company.
    #[schema(required)]
    pub name: Option<String>,
    /// Legal form in words.
    #[schema(required)]
    pub legal_form: Option<String>,
    /// City of the seat.
    #[schema(required)]
    pub city: Option<String>,
    /// `active`, `terminated` or `deleted`.
    #[serde(default, deserialize_with = "known_status")]
    #[schema(required, value_type = Option<String>)]
    pub status: Option<CompanyStatus>,
}

/// Tax numbers of an event's company.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct WebhookTaxInfo {
    /// Tax number (DIČ) of the company.
    #[schema(required)]
    pub dic: Option<String>,
    /// VAT number (IČ DPH) of the company.
    #[schema(required)]
    pub ic_dph: Option<String>,
    /// Whether the company pays VAT; null if unknown.
    #[schema(required)]
    pub is_vat_payer: Option<bool>,
}

impl WebhookEvent {
    /// The body of webhooks.
    #[must_use]
    pub fn to_json(&self) -> String {
        json(self)
    }
}

/// What the store keeps of an event: the finding until it is published, and the texts of its e-mails. Each is read by
/// itself.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct EventContent {
    #[serde(flatten)]
    pub finding: WebhookFinding,
    #[serde(flatten)]
    pub wording: Wording,
}

impl EventContent {
    #[must_use]
    pub fn to_json(&self) -> String {
        json(self)
    }
}

/// The texts of an event for e-mails. Not part of webhooks.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Wording {
    /// The changes as lines. Events of earlier versions have none.
    #[serde(default)]
    pub lines: ByLanguage<Vec<Line>>,
    /// The title of the company's part.
    #[serde(default)]
    pub part: ByLanguage<String>,
}

/// A value in each language.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct ByLanguage<T> {
    sk: T,
    en: T,
}

impl<T> ByLanguage<T> {
    /// Makes the value of each language.
    pub fn of(make: impl Fn(Language) -> T) -> Self {
        Self {
            sk: make(Language::Slovak),
            en: make(Language::English),
        }
    }

    #[must_use]
    pub fn get(&self, language: Language) -> &T {
        language.pick(&self.sk, &self.en)
    }
}

/// Earlier versions stored null for an absent value.
fn null_as_empty<'de, D: Deserializer<'de>>(deserializer: D) -> Result<String, D::Error> {
    let text: Option<String> = Deserialize::deserialize(deserializer)?;
    Ok(text.unwrap_or_default())
}

/// A status that another version of the host stored must not cost the rest of the event.
fn known_status<'de, D: Deserializer<'de>>(
    deserializer: D,
) -> Result<Option<CompanyStatus>, D::Error> {
    let word: Option<String> = Deserialize::deserialize(deserializer)?;
    Ok(word.and_then(|word| CompanyStatus::try_from(word).ok()))
}

fn json(value: &impl Serialize) -> String {
    serde_json::to_string(value).expect("texts and JSON values always become JSON")
}
