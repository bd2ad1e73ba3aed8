//! Converts a seat to a postal address: numbers in the Slovak notation, the country as ISO code.

use lustra_sdk::{Address, text};

use crate::countries;
use crate::record::{Code, Place};

/// The postal address of a seat. Empty if the record has none.
#[must_use]
pub fn read(place: Option<&Place>) -> Address {
    let Some(place) = place else {
        return Address {
            street: None,
            city: None,
            postal_code: None,
            country: None,
            country_code: None,
        };
    };
    let country_code = place
        .country
        .as_ref()
        .and_then(|country| country.code.as_deref())
        .and_then(countries::alpha_2);
    let city = label(place.municipality.as_ref());
    let whole = || {
        place
            .formated_address
            .as_deref()
            .and_then(text::present)
            .filter(|_| city.is_none())
    };
    Address {
        street: street(place).or_else(whole),
        postal_code: postal_code(place, country_code),
        city,
        country: label(place.country.as_ref()),
        country_code: country_code.map(str::to_owned),
    }
}

fn label(code: Option<&Code>) -> Option<String> {
    code.and_then(|code| code.value.as_deref())
        .and_then(text::present)
}

/// Street and numbers, `Skúšobná 123/4`; only the number in a village without streets.
fn street(place: &Place) -> Option<String> {
    let street = place.street.as_deref().and_then(text::present);
    let number = number(place, street.is_some());
    match (street, number) {
        (Some(street), Some(number)) => Some(format!("{street} {number}")),
        (street, number) => street.or(number),
    }
}

/// Registration number before street number. Some records contain both in the street number.
fn number(place: &Place, has_street: bool) -> Option<String> {
    let registration = place
        .reg_number
        .filter(|number| *number > 0)
        .map(|number| number.to_string());
    let building = place
        .building_number
        .as_deref()
        .and_then(text::present)
        .filter(|number| number != "0");
    house(registration, building, has_street)
}

/// Joins both numbers of a house.
#[must_use]
pub fn house(
    registration: Option<String>,
    building: Option<String>,
    has_street: bool,
) -> Option<String> {
    match (registration, building) {
        (Some(registration), Some(building)) => {
            let rest = building.strip_prefix(registration.as_str());
            let has_both =
                rest.is_some_and(|rest| rest.starts_with('/') || (rest.is_empty() && !has_street));
            Some(if has_both {
                building
            } else {
                format!("{registration}/{building}")
            })
        }
        (registration, building) => registration.or(building),
    }
}

/// The first postal code. Slovak and Czech codes lose their space; in other countries the space belongs to the
/// code.
fn postal_code(place: &Place, country_code: Option<&str>) -> Option<String> {
    let code = place
        .postal_codes
        .iter()
        .find_map(|code| text::present(code))?;
    Some(match country_code {
        Some("SK" | "CZ") => code.chars().filter(|c| !c.is_whitespace()).collect(),
        _ => code,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn written(street: Option<&str>, registration: i64, building: Option<&str>) -> Option<String> {
        let place = Place {
            street: street.map(str::to_owned),
            reg_number: Some(registration),
            building_number: building.map(str::to_owned),
            ..Place::default()
        };
        read(Some(&place)).street
    }

    #[test]
    fn numbers_are_written_as_on_an_envelope() {
        for (street, registration, building, expected) in [
            (Some("Skúšobná"), 123, Some("4"), Some("Skúšobná 123/4")),
            (Some("Skúšobná"), 0, Some("123/4"), Some("Skúšobná 123/4")),
            (Some("Skúšobná"), 123, Some("123/4"), Some("Skúšobná 123/4")),
            (
                Some("Skúšobná"),
                12,
                Some("123/4"),
                Some("Skúšobná 12/123/4"),
            ),
            (Some("Skúšobná"), 123, None, Some("Skúšobná 123")),
            (Some("Skúšobná"), 0, Some("7A"), Some("Skúšobná 7A")),
            (Some("Skúšobná"), 0, None, Some("Skúšobná")),
            (Some("Skúšobná"), 5, Some("5"), Some("Skúšobná 5/5")),
            (None, 5, Some("5"), Some("5")),
            (None, 5, None, Some("5")),
            (Some(" "), 5, Some("0"), Some("5")),
            (None, 0, None, None),
        ] {
            assert_eq!(written(street, registration, building).as_deref(), expected);
        }
    }

    #[test]
    fn address_in_one_text_replaces_missing_parts() {
        let place = Place {
            formated_address: Some("1 Sample Street, Sampleton".to_owned()),
            ..Place::default()
        };
        assert_eq!(
            read(Some(&place)).street.as_deref(),
            Some("1 Sample Street, Sampleton")
        );
    }
}
