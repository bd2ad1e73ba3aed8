//! The world of the whole imports and look-ups.

use lustra_sdk::testing::{self, Answer, TestHost};
use lustra_sdk::{Field, Item, Subject};

/// The path that the landing page of [`social_insurer`] links.
pub const DOWNLOAD: &str = "/api/idsp/download/00000000-1111-4222-8333-444444444444";

/// The social insurer's landing page.
pub const LANDING: &str = "/nastroje-sluzby/zoznam-dlznikov";

/// The page with `VšZP`'s answer for the company of [`subject`].
pub const VSZP: &str = "/platitelia/platenie-poistneho/zoznam-dlznikov.html?typ=1&nazov=99999901&proceed=true&docid=227";

/// A synthetic IČO with a valid check digit.
pub fn ico(number: u32) -> String {
    testing::ico(9_900_000 + number)
}

/// A list of the social insurer with so many companies, and a person after every tenth company.
pub fn social_insurer_list(companies: u32) -> String {
    let mut list =
        "\u{feff}\"MENO / NÁZOV\",\"IČO\",\"ADRESA\",\"MESTO\",\"DLŽNÁ SUMA\"\r\n".to_owned();
    for number in 0..companies {
        let ico = ico(number);
        list.push_str(&format!("\"Vzor {number}, s. r. o.\",\"{ico}\",\"Dlhá {number}\",\"Vzorovo\",\"1 {number:03},50\"\r\n"));
        if number % 10 == 0 {
            list.push_str("\"Skúšobný Ján\",\"\",\"Lipová 3\",\"Vzorovo\",\"240,10\"\r\n");
        }
    }
    list
}

/// A host whose social insurer publishes a list.
pub fn social_insurer(list: &str) -> TestHost {
    let page = format!("<html><body><a href=\"{DOWNLOAD}\">Zoznam</a></body></html>");
    let archive = Answer::zip(&[("dlznici_02_2026.txt", "x"), ("dlznici_02_2026.csv", list)]);
    TestHost::new()
        .answer("socpoist", LANDING, Answer::ok(page))
        .answer("socpoist", DOWNLOAD, archive)
}

/// The company that look-ups ask about.
pub fn subject() -> Subject {
    Subject {
        name: "Vzorový dlžník, s. r. o.".to_owned(),
        city: Some("Vzorovo".to_owned()),
        postal_code: Some("999 01".to_owned()),
        company: r#"{"legal_form":"Spoločnosť s ručením obmedzeným"}"#.to_owned(),
        ..testing::subject("99999901")
    }
}

pub fn item(key: &str, ico: Option<&str>, name: &str, content: &str) -> Item {
    Item {
        key: key.to_owned(),
        ico: ico.map(str::to_owned),
        name: Some(name.to_owned()),
        city: Some("Vzorovo".to_owned()),
        postal_code: Some("99901".to_owned()),
        content: content.to_owned(),
        removed: false,
    }
}

pub fn value<'a>(fields: &'a [Field], name: &str) -> Option<&'a str> {
    fields
        .iter()
        .find(|field| field.name == name)
        .map(|field| field.value.as_str())
}
