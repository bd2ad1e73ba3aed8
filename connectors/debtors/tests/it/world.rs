//! What the whole imports and look-ups are run in.

use std::io::{Cursor, Write};

use lustra_sdk::records::DatasetState;
use lustra_sdk::testing::{Answer, TestHost};
use lustra_sdk::{Field, Item, Subject};

/// The path that the landing page of [`social_insurer`] links.
pub const DOWNLOAD: &str = "/api/idsp/download/00000000-1111-4222-8333-444444444444";

/// The social insurer's landing page.
pub const LANDING: &str = "/nastroje-sluzby/zoznam-dlznikov";

/// The page that `VšZP` answers the company of [`subject`] with.
pub const VSZP: &str = "/platitelia/platenie-poistneho/zoznam-dlznikov.html?typ=1&nazov=99999901&proceed=true&docid=227";

/// An archive of files.
pub fn zip(files: &[(&str, &str)]) -> Vec<u8> {
    let mut archive = zip::ZipWriter::new(Cursor::new(Vec::new()));
    for (name, contents) in files {
        archive
            .start_file(*name, zip::write::SimpleFileOptions::default())
            .expect("memory takes a file");
        archive
            .write_all(contents.as_bytes())
            .expect("memory takes bytes");
    }
    archive.finish().expect("memory takes an end").into_inner()
}

/// A synthetic IČO with the right check digit.
pub fn ico(number: u32) -> String {
    let head = format!("99{number:05}");
    let sum: u32 = head
        .bytes()
        .zip((2..=8).rev())
        .map(|(digit, weight)| u32::from(digit - b'0') * weight)
        .sum();
    format!("{head}{}", (11 - sum % 11) % 10)
}

/// A list of the social insurer with so many companies, and a person behind every tenth.
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
    let archive = zip(&[("dlznici_02_2026.txt", "x"), ("dlznici_02_2026.csv", list)]);
    TestHost::new()
        .answer("socpoist", LANDING, Answer::ok(page))
        .answer("socpoist", DOWNLOAD, Answer::ok(archive))
}

/// The company that look-ups ask about.
pub fn subject() -> Subject {
    Subject {
        ico: "99999901".to_owned(),
        name: "Vzorový dlžník, s. r. o.".to_owned(),
        city: Some("Vzorovo".to_owned()),
        postal_code: Some("999 01".to_owned()),
        nace_code: None,
        facts: Vec::new(),
        company: r#"{"legal_form":"Spoločnosť s ručením obmedzeným"}"#.to_owned(),
        previous: None,
    }
}

/// A stored entry.
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

/// A dataset that the operator has not switched on.
pub fn off() -> DatasetState {
    DatasetState {
        imported_at: None,
        list_date: None,
        records: 0,
        failure: None,
        off: true,
        details: Vec::new(),
    }
}

/// A field's value.
pub fn value<'a>(fields: &'a [Field], name: &str) -> Option<&'a str> {
    fields
        .iter()
        .find(|field| field.name == name)
        .map(|field| field.value.as_str())
}
