//! One notice: its kind, its subject, and the organisations that it names.

use lustra_sdk::{Failure, Notes, malformed, text};
use serde::Deserialize;
use serde_json::value::RawValue;

use crate::award::Buyer;
use crate::component::{Component, all, text_in};
use crate::organisation::{self, Organisation};
use crate::winners::place_of;

#[derive(Debug)]
pub struct Notice<'a> {
    /// The notice's id in the journal.
    pub id: String,
    /// The Slovak title of its form.
    pub name: String,
    pub components: Vec<Component<'a>>,
}

#[derive(Deserialize)]
struct Wire<'a> {
    #[serde(borrow)]
    id: &'a RawValue,
    name: String,
    #[serde(borrow)]
    components: Vec<Component<'a>>,
}

/// Kinds of notices (BT-03) without an award. A voluntary notice before an award announces one.
const WITHOUT_AWARD: [&str; 9] = [
    "planning",
    "competition",
    "change",
    "cont-modif",
    "dir-awa-pre",
    "consultation",
    "qu-sy",
    "bri",
    "compl",
];

impl<'a> Notice<'a> {
    /// Reads a notice's JSON. Failures name it as `place`.
    ///
    /// # Errors
    /// [`Failure::Malformed`] for a text that is not a notice.
    pub fn read(place: &str, json: &'a str) -> Result<Self, Failure> {
        let wire: Wire<'a> = serde_json::from_str(json).map_err(|error| {
            malformed(
                place,
                "a notice with id, name and components",
                error.to_string(),
            )
        })?;
        let id = wire.id.get().trim_matches('"');
        if id.is_empty() || !id.bytes().all(|byte| byte.is_ascii_digit()) {
            return Err(malformed(format!("{place}: id"), "a number", wire.id.get()));
        }
        Ok(Self {
            id: id.to_owned(),
            name: text::squeeze(&wire.name),
            components: wire.components,
        })
    }

    /// The organisations, in the order of their numbers.
    #[must_use]
    pub fn organisations(&self) -> Vec<Organisation> {
        all(&self.components, organisation::PANEL)
            .into_iter()
            .map(Organisation::read)
            .collect()
    }

    /// The kind of notice (BT-03).
    #[must_use]
    pub fn kind(&self) -> Option<String> {
        text_in(&self.components, "BT-03-notice")
    }

    /// Whether the notice replaces an earlier one.
    #[must_use]
    pub fn is_correction(&self) -> bool {
        text::fold(&self.name).starts_with("oprava")
    }

    /// Whether the notice names winners. Its kind decides. If it has no kind, or is a change, the form's title decides.
    ///
    /// # Errors
    /// [`Failure::Malformed`] for a notice with results whose kind is not known.
    pub fn is_result(&self, place: &str, notes: &mut Notes) -> Result<bool, Failure> {
        let is_named_result = text::fold(&self.name).contains("vysled");
        match self.kind().as_deref() {
            Some("result") => Ok(true),
            Some("change") => Ok(self.is_correction() && is_named_result),
            None => {
                notes.count("notices_without_kind");
                Ok(is_named_result)
            }
            Some(kind) if WITHOUT_AWARD.contains(&kind) => Ok(false),
            Some(_) if all(&self.components, "GR-LotResult_panel").is_empty() => {
                notes.count("notices_of_unknown_kind");
                Ok(false)
            }
            Some(kind) => Err(malformed(
                format!("{place}: BT-03-notice"),
                "result, or a kind that awards nothing",
                kind,
            )),
        }
    }

    /// The id that the results of one procedure share: its UUID, else the order's id, else this notice's id.
    #[must_use]
    pub fn procedure(&self) -> String {
        let uuid = text_in(&self.components, "BT-04-notice");
        match (uuid, self.order_id()) {
            (Some(uuid), _) => uuid.to_lowercase().replace('/', "-"),
            (None, Some(order)) => format!("order-{order}"),
            (None, None) => format!("notice-{}", self.id),
        }
    }

    /// The order's id, from `Title (ID: 422123)`.
    #[must_use]
    pub fn order_id(&self) -> Option<String> {
        let order = text_in(&self.components, "DL-Metadata-Order")?;
        let (_, behind) = order.rsplit_once("(ID:")?;
        let id = behind.trim().strip_suffix(')')?.trim();
        let is_number = !id.is_empty() && id.bytes().all(|byte| byte.is_ascii_digit());
        is_number.then(|| id.to_owned())
    }

    /// The procedure's title, else the first lot's.
    #[must_use]
    pub fn title(&self) -> Option<String> {
        text_in(&self.components, "BT-21-Procedure")
            .or_else(|| text_in(&self.components, "BT-21-Lot"))
    }

    /// The procedure's main CPV code, else the first lot's.
    #[must_use]
    pub fn cpv(&self) -> Option<String> {
        text_in(&self.components, "BT-262-Procedure")
            .or_else(|| text_in(&self.components, "BT-262-Lot"))
    }

    /// The buyer. The first one if several buy together.
    #[must_use]
    pub fn buyer(&self, organisations: &[Organisation]) -> Buyer {
        let place = text_in(&self.components, "OPT-300-Procedure-Buyer")
            .as_deref()
            .and_then(place_of);
        buyer(place.and_then(|place| organisations.get(place)))
    }
}

/// The buyer at the position that the notice names.
fn buyer(organisation: Option<&Organisation>) -> Buyer {
    Buyer {
        name: organisation.and_then(|organisation| organisation.name.clone()),
        ico: organisation.and_then(|organisation| organisation.ico.clone()),
    }
}
