//! Addresses on one line.

use lustra_sdk::text;

use crate::history::kept::Address;

/// Texts that stand for an unknown municipality or country.
const UNKNOWN_PLACES: [&str; 2] = ["neuvedene", "nespecifikovane"];

/// `Skúšobná 123/4, 999 01 Vzorovo`, abroad with the country. `None` for an unknown place.
pub(super) fn one_line(address: &Address) -> Option<String> {
    let is_unknown = |place: &String| UNKNOWN_PLACES.contains(&text::fold(place).as_str());
    let city = address.city.clone().filter(|city| !is_unknown(city));
    let is_slovak = address.country.is_none();
    let zip = address
        .zip
        .as_deref()
        .map(|code| match code.split_at_checked(3) {
            Some((head, tail)) if is_slovak && !tail.is_empty() => {
                format!("{head} {}", tail.trim_start())
            }
            Some(_) | None => code.to_owned(),
        });
    // A village without streets has its name before the number.
    let street = match (&address.street, &city) {
        (Some(number), Some(city))
            if !number.contains(char::is_whitespace) && starts_with_digit(number) =>
        {
            Some(format!("{city} {number}"))
        }
        (street, _) => street.clone(),
    };
    let place = match (zip, city) {
        (Some(zip), Some(city)) => Some(format!("{zip} {city}")),
        (zip, city) => zip.or(city),
    };
    let country = address
        .country_name
        .clone()
        .filter(|country| !is_unknown(country));
    street.as_ref().or(place.as_ref())?;
    let parts: Vec<String> = [street, place, country].into_iter().flatten().collect();
    Some(parts.join(", "))
}

fn starts_with_digit(text: &str) -> bool {
    text.starts_with(|c: char| c.is_ascii_digit())
}
