//! Writes one contract in the export's format.

use std::fmt::Write as _;

use time::Date;

use crate::population::calendar::{Iso, days_between};
use crate::population::contracts::{Amendment, Contract, Effective, Later, Spelling, Supplier};
use crate::population::{Money, Population};

const IN_WORDS: &str = "dňom nasledujúcim po dni zverejnenia";

/// The element `zmluva` in the file of a day.
pub(super) fn contract(population: &Population, contract: &Contract, day: Date) -> String {
    let mut xml = String::with_capacity(1_600);
    xml.push_str("<zmluva>");
    let (supplier, ico, seat) = supplier(population, contract, day);
    let text = |text: &str| escaped(text, contract.spelling);
    let date =
        |date: Option<Date>| date.map_or("0000-00-00".to_owned(), |date| Iso(date).to_string());
    let effective = match contract.effective {
        Effective::On(day) => Iso(day).to_string(),
        Effective::InWords => IN_WORDS.to_owned(),
        Effective::Unknown => "0000-00-00".to_owned(),
    };
    let in_words = match contract.effective {
        Effective::InWords => IN_WORDS,
        Effective::On(_) | Effective::Unknown => "",
    };
    let published = format!("{} 09:{:02}:00", Iso(contract.published), contract.id % 60);
    let typ = match contract.amendment {
        Some(Amendment::ByType) => "2",
        Some(Amendment::BySubject | Amendment::ByNumber) | None => "1",
    };
    let kind = if contract.is_order() { "2" } else { "1" };
    let buyer_ico = contract.buyer_ico.as_deref().unwrap_or_default();
    let elements: [(&str, &str); 33] = [
        ("nazov", &text(&contract.number)),
        ("ID", &contract.id.to_string()),
        ("zs1", &text(contract.buyer)),
        ("zs2", &text(&supplier)),
        ("predmet", &text(&contract.subject)),
        ("datum", &date(contract.signed)),
        ("datum_ucinnost", &effective),
        ("datum_platnost_do", "0000-00-00"),
        ("suma_zmluva", &amount(contract.agreed)),
        ("suma_spolu", &amount(contract.total)),
        ("datum_zverejnene", &published),
        ("poznamka", ""),
        ("stav", &contract.state.code().to_string()),
        ("typ", typ),
        ("druh", kind),
        ("rezort", "999999"),
        ("potv_ziadost", "1"),
        ("potv_datum", "0000-00-00"),
        ("potvrdenie", ""),
        (
            "zdroj",
            if contract.id.is_multiple_of(3) {
                "2"
            } else {
                "1"
            },
        ),
        ("text_ucinnost", in_words),
        ("popis", ""),
        ("ref", ""),
        ("internapozn", ""),
        ("popis_predmetu", ""),
        ("poznamka_zmena", ""),
        ("uvo", ""),
        ("ico", &ico),
        ("sidlo", &text(&seat)),
        (
            "ico1",
            &if contract.id.is_multiple_of(5) {
                spaced(buyer_ico, ' ')
            } else {
                buyer_ico.to_owned()
            },
        ),
        ("sidlo1", "Námestie 1, Vzorov"),
        ("id", "0"),
        (
            "chan",
            &changed(contract, day).unwrap_or_else(|| published.clone()),
        ),
    ];
    for (name, value) in elements {
        element(&mut xml, name, value);
    }
    attachments(&mut xml, contract, &published, day);
    xml.push_str("</zmluva>\n");
    xml
}

fn element(xml: &mut String, name: &str, value: &str) {
    let written = if value.is_empty() {
        write!(xml, "<{name}/>")
    } else {
        write!(xml, "<{name}>{value}</{name}>")
    };
    written.expect("a text takes everything");
}

/// The time at which the contract itself changed, if that was on the day of the file.
fn changed(contract: &Contract, day: Date) -> Option<String> {
    let (on, later) = contract.later?;
    match later {
        Later::Turns(_) | Later::Supplemented(_) if on == day => {
            Some(format!("{} 14:05:00", Iso(on)))
        }
        Later::Turns(_) | Later::Supplemented(_) | Later::Attachment => None,
    }
}

/// An attachment with its own id and name, and a second one that was added later.
fn attachments(xml: &mut String, contract: &Contract, published: &str, day: Date) {
    let mut files = vec![(contract.id.is_multiple_of(2), published.to_owned())];
    if let Some((on, Later::Attachment)) = contract.later
        && on <= day
    {
        files.push((false, format!("{} 15:30:00", Iso(on))));
    }
    xml.push_str("<prilohy>");
    for (place, (is_scan, changed)) in files.iter().enumerate() {
        let id = contract.id * 10 + place as u64;
        let (scan, text) = if *is_scan {
            (format!("{id}.pdf"), String::new())
        } else {
            (String::new(), format!("{id}_dokument.pdf"))
        };
        xml.push_str("<priloha>");
        for (name, value) in [
            ("ID", id.to_string().as_str()),
            ("nazov", "Dodatok a prílohy"),
            ("dokument", &scan),
            ("velkost", if *is_scan { "334805" } else { "0" }),
            ("dokument1", &text),
            ("velkost1", if *is_scan { "0" } else { "120033" }),
            ("chan", changed),
        ] {
            element(xml, name, value);
        }
        xml.push_str("</priloha>");
    }
    xml.push_str("</prilohy>");
}

fn amount(money: Option<Money>) -> String {
    money.map_or("0".to_owned(), Money::dotted)
}

/// Name, text in the IČO field, and seat.
fn supplier(population: &Population, contract: &Contract, day: Date) -> (String, String, String) {
    match &contract.supplier {
        Supplier::Company(index) => {
            let company = population.company(*index, days_between(population.start(), day));
            let seat = company.seat();
            let ico = match contract.spelling {
                Spelling::Spaced => spaced(
                    &company.ico,
                    if contract.id.is_multiple_of(2) {
                        ' '
                    } else {
                        '\u{a0}'
                    },
                ),
                Spelling::ZerosLost => company
                    .ico
                    .strip_prefix("00")
                    .unwrap_or(&company.ico)
                    .to_owned(),
                Spelling::Plain | Spelling::Entities | Spelling::Stray => company.ico.clone(),
            };
            let seat = format!("{}, {}", seat.street_line(), seat.city);
            (company.name().to_owned(), ico, seat)
        }
        Supplier::WithoutIco(name) => {
            (name.clone(), String::new(), "Súkromná 7, Vzorov".to_owned())
        }
        Supplier::WithOther { name, written } => {
            (name.clone(), (*written).to_owned(), String::new())
        }
    }
}

/// Formats an IČO as `99 999 994`.
fn spaced(ico: &str, space: char) -> String {
    match (ico.get(..2), ico.get(2..5), ico.get(5..)) {
        (Some(head), Some(middle), Some(tail)) => format!("{head}{space}{middle}{space}{tail}"),
        _ => ico.to_owned(),
    }
}

/// Escaped in the publisher's way.
fn escaped(text: &str, spelling: Spelling) -> String {
    let mut escaped = String::with_capacity(text.len());
    for letter in text.chars() {
        let plain = match letter {
            '&' => "&amp;",
            '<' => "&lt;",
            '>' => "&gt;",
            '"' => "&quot;",
            _ => "",
        };
        match (spelling, letter) {
            (Spelling::Stray, '&') => escaped.push('&'),
            (Spelling::Entities, '"') => escaped.push_str("&amp;quot;"),
            (Spelling::Entities, 'š') => escaped.push_str("&scaron;"),
            (Spelling::Entities, 'ô') => escaped.push_str("&ocirc;"),
            (_, _) if plain.is_empty() => escaped.push(letter),
            (_, _) => escaped.push_str(plain),
        }
    }
    escaped
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn text_escaping_depends_on_publisher() {
        for (spelling, expected) in [
            (Spelling::Plain, "škôl &amp; &quot;A&quot;"),
            (
                Spelling::Entities,
                "&scaron;k&ocirc;l &amp; &amp;quot;A&amp;quot;",
            ),
            (Spelling::Stray, "škôl & &quot;A&quot;"),
        ] {
            assert_eq!(escaped("škôl & \"A\"", spelling), expected);
        }
        assert_eq!(spaced("99999994", ' '), "99 999 994");
    }
}
