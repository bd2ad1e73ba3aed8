//! Compares towns: registers add a district, lists a postal code or a country.

use super::letters::latin;

/// Towns whose districts may follow a hyphen without spaces: `Bratislava-Ružinov`.
const WITH_DISTRICTS: [&str; 2] = ["bratislava", "kosice"];

/// Words that introduce the name of a district.
const DISTRICT: [&[&str]; 3] = [&["mestska", "cast"], &["m", "c"], &["mc"]];

/// The town in a text, in plain lower-case words. `None` if it names none.
///
/// Removes text in parentheses, districts, and words with digits, which are postal codes and numbered districts.
#[must_use]
pub fn town(raw: &str) -> Option<String> {
    let outside = raw.split('(').next().unwrap_or_default();
    // A dash between spaces separates the town from its district. A dash within a name does not.
    let parts = outside
        .split([',', ';', '–', '—'])
        .flat_map(|part| part.split(" - "));
    parts.map(of_part).find(|town| !town.is_empty())
}

fn of_part(part: &str) -> String {
    let words = latin(part);
    let district = (0..words.len()).find(|place| {
        let rest = &words[*place..];
        *place > 0 && DISTRICT.iter().any(|begin| starts_with(rest, begin))
    });
    let words = &words[..district.unwrap_or(words.len())];
    let has_digit = |word: &str| word.contains(|letter: char| letter.is_ascii_digit());
    // Remove the country's letters before a postal code: `SK-811 01 Bratislava`.
    let words = match words {
        [country, code, ..] if country.len() < 3 && has_digit(code) => &words[1..],
        all => all,
    };
    let named = words.iter().map(String::as_str);
    let named: Vec<&str> = named.filter(|word| !has_digit(word)).collect();
    of_words(&named)
}

fn of_words(words: &[&str]) -> String {
    match words {
        [first, ..] if WITH_DISTRICTS.contains(first) => (*first).to_owned(),
        all => all.join(" "),
    }
}

fn starts_with(words: &[String], begin: &[&str]) -> bool {
    words.len() >= begin.len() && words.iter().zip(begin).all(|(word, begin)| word == begin)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn towns_are_read_as_registers_and_lists_write_them() {
        for (raw, expected) in [
            ("Bratislava - mestská časť Ružinov", Some("bratislava")),
            ("Bratislava-Ružinov", Some("bratislava")),
            ("Bratislava – Petržalka", Some("bratislava")),
            ("Bratislava mestská časť Nové Mesto", Some("bratislava")),
            ("Košice - m. č. Staré Mesto", Some("kosice")),
            ("BRATISLAVA 2", Some("bratislava")),
            ("821 01 Bratislava", Some("bratislava")),
            ("Bratislava 821 01", Some("bratislava")),
            ("SK-811 01 Bratislava", Some("bratislava")),
            ("81101 Bratislava, Slovakia", Some("bratislava")),
            ("Братислава", Some("bratislava")),
            ("Bratislava (J.O. ES)", Some("bratislava")),
            ("Spišská Nová Ves", Some("spisska nova ves")),
            ("Nové Mesto nad Váhom", Some("nove mesto nad vahom")),
            ("Rostov-na-Donu", Some("rostov na donu")),
            ("SW1A 1AA London", Some("london")),
            ("76600 Le Havre", Some("le havre")),
            ("010 01 Žilina", Some("zilina")),
            ("81101", None),
            (" - ", None),
            ("", None),
        ] {
            assert_eq!(town(raw).as_deref(), expected, "{raw}");
        }
    }
}
