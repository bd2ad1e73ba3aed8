//! The organisations of a notice: buyers, tenderers and review bodies.

use lustra_sdk::{ico as numbers, text};

use crate::component::Component;

/// The key of an organisation's panel. Its position is its number: the explicit labels are sometimes wrong.
pub const PANEL: &str = "GR-Organisations_panel";
/// The procurement office itself. Most notices name it as a review body or service provider.
pub const OFFICE: &str = "31797903";

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Organisation {
    /// The name as published.
    pub name: Option<String>,
    /// The IČO, if the notice has a Slovak one: exactly eight digits without spaces.
    pub ico: Option<String>,
    /// Whether the notice names another country than Slovakia.
    pub is_abroad: bool,
    /// Whether the organisation has a number that is neither an IČO nor a tax number. `false` for organisations from
    /// abroad.
    pub has_unreadable_number: bool,
    /// Whether the notice says that the organisation is a natural person.
    pub is_natural_person: bool,
    /// Telephone numbers as published.
    pub phones: Vec<String>,
    /// E-mail addresses as published.
    pub emails: Vec<String>,
    /// Web addresses as published.
    pub websites: Vec<String>,
}

impl Organisation {
    /// Reads a panel. Values end in `-Organization-Company`. Values of touch points and owners are not the company's.
    #[must_use]
    pub fn read(panel: &Component<'_>) -> Self {
        let country = panel.text("BT-514-Organization-Company");
        // Czech numbers have the same shape, so eight digits from abroad are not an IČO.
        let is_abroad = country.is_some_and(|country| !is_slovakia(&country));
        let number = panel
            .text("BT-501-Organization-Company")
            .filter(|_| !is_abroad);
        Self {
            is_abroad,
            has_unreadable_number: number.as_deref().is_some_and(is_unreadable),
            name: panel.text("BT-500-Organization-Company"),
            ico: number.as_deref().and_then(ico),
            is_natural_person: panel
                .text("BT-633-Organization")
                .is_some_and(|value| value.eq_ignore_ascii_case("true")),
            phones: panel.texts("BT-503-Organization-Company"),
            emails: panel.texts("BT-506-Organization-Company"),
            websites: panel.texts("BT-505-Organization-Company"),
        }
    }

    /// Whether it is the procurement office. Being named alone never makes it a party.
    #[must_use]
    pub fn is_office(&self) -> bool {
        self.ico.as_deref() == Some(OFFICE)
    }
}

fn is_slovakia(country: &str) -> bool {
    matches!(
        text::fold(country).as_str(),
        "svk" | "sk" | "slovensko" | "slovenska republika"
    )
}

/// The IČO in a field that may also hold a DIČ, an IČ DPH or nothing.
pub(crate) fn ico(raw: &str) -> Option<String> {
    let digits: String = raw
        .chars()
        .filter(|c| !c.is_whitespace() && *c != '\u{a0}')
        .collect();
    let is_number = digits.len() == 8 && digits.bytes().all(|byte| byte.is_ascii_digit());
    (is_number && digits != "00000000").then_some(digits)
}

/// Whether a field holds a number of an unknown kind. A text without digits says that the organisation has no number.
fn is_unreadable(raw: &str) -> bool {
    raw.contains(|c: char| c.is_ascii_digit() && c != '0')
        && ico(raw).is_none()
        && numbers::parse_dic(raw).is_none()
        && numbers::parse_ic_dph(raw).is_none()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_eight_digits_are_a_number() {
        for (raw, expected, is_odd) in [
            ("99000024", Some("99000024"), false),
            ("99 000 024", Some("99000024"), false),
            ("00\u{a0}000\u{a0}124", Some("00000124"), false),
            ("2999999904", None, false),
            ("SK2999999904", None, false),
            ("316792", None, true),
            ("99x00024", None, true),
            ("00000000", None, false),
            ("neuvedené", None, false),
            ("", None, false),
        ] {
            assert_eq!(ico(raw).as_deref(), expected, "{raw}");
            assert_eq!(is_unreadable(raw), is_odd, "{raw}");
        }
    }

    #[test]
    fn the_country_is_read_in_each_spelling() {
        assert!(is_slovakia("SVK") && is_slovakia("Slovenská republika") && is_slovakia("sk"));
        assert!(!is_slovakia("CZE"));
    }
}
