//! The requests to the service: paths below the upstream's address.
//!
//! `$top` is never sent, since the service refuses it. Spaces are `%20`, since the service does not accept `+`.

use lustra_sdk::http;

use crate::settings::Settings;

/// The root set: register files.
pub const FILES: &str = "Partneri";
/// Identity versions of a partner.
pub const VERSIONS: &str = "PartneriVerejnehoSektora";
pub const OWNERS: &str = "KonecniUzivateliaVyhod";
/// Persons who verify the owners.
pub const AUTHORISED: &str = "OpravneneOsoby";
/// Public officials in the structure.
pub const OFFICIALS: &str = "VerejniFunkcionari";
pub const COMPLAINTS: &str = "KvalifikovanePodnety";

/// How much a request asks for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Breadth {
    /// The confirmed lists, the parts that the settings name, and numbers with inner spaces.
    Wide,
    /// Only the parts that are known to work.
    Confirmed,
}

/// The register files that have an identity version with this number.
#[must_use]
pub fn search(ico: &str, breadth: Breadth, settings: &Settings) -> String {
    let mut condition = format!("p/Ico eq '{ico}'");
    if breadth == Breadth::Wide && settings.spaced_ico {
        condition.push_str(&format!(" or p/Ico eq '{}'", spaced(ico)));
    }
    let filter = http::encode(&format!("{VERSIONS}/any(p:{condition})"));
    format!(
        "/{FILES}?$filter={filter}&$expand={}",
        expansions(breadth, settings)
    )
}

#[must_use]
pub fn file(id: i64, breadth: Breadth, settings: &Settings) -> String {
    format!("/{FILES}({id})?$expand={}", expansions(breadth, settings))
}

/// The path of a register file's owners without an end, for a file whose own list of owners is truncated.
#[must_use]
pub fn current_owners(id: i64) -> String {
    let filter = http::encode(&format!("Partner/Id eq {id} and PlatnostDo eq null"));
    format!("/{OWNERS}?$filter={filter}&$expand=StatnaPrislusnost")
}

/// The expansions of a request. Addresses and birth dates are in expansions and columns that are not requested or not
/// read.
fn expansions(breadth: Breadth, settings: &Settings) -> String {
    let mut asked = vec![
        VERSIONS.to_owned(),
        format!("{OWNERS}($expand=StatnaPrislusnost)"),
        AUTHORISED.to_owned(),
        OFFICIALS.to_owned(),
        COMPLAINTS.to_owned(),
    ];
    match breadth {
        Breadth::Wide => asked.extend(settings.further_expansions().map(str::to_owned)),
        Breadth::Confirmed => {}
    }
    http::encode(&asked.join(","))
}

/// A number such as `00 585 441`, as some stored numbers are written. Numbers have eight ASCII digits.
fn spaced(ico: &str) -> String {
    let mut text = String::with_capacity(10);
    for (place, digit) in ico.chars().enumerate() {
        if place == 2 || place == 5 {
            text.push(' ');
        }
        text.push(digit);
    }
    text
}
