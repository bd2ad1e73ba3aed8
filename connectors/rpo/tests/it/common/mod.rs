//! What the tests share: dumps packed as the register packs them, a bucket that serves them.

pub mod runs;

use std::io::Write;

use lustra_sdk::Company;
pub use lustra_sdk::testing::company_json as shown;
use lustra_sdk::testing::{self, Answer, TestHost};
use serde_json::json;

pub fn fact<'a>(company: &'a Company, name: &str) -> Option<&'a str> {
    company
        .facts
        .iter()
        .find(|fact| fact.name == name)
        .map(|fact| fact.value.as_str())
}

/// A made-up IČO with the right check digit, from its first seven digits.
pub fn ico(number: usize) -> String {
    testing::ico(u32::try_from(number).expect("it has seven digits"))
}

/// A record line without its comma.
pub fn line(id: usize, ico: &str, name: &str) -> String {
    let from = "2012-03-01";
    json!({
        "id": id,
        "identifiers": [{"value": ico, "validFrom": from}],
        "fullNames": [{"value": name, "validFrom": from}],
        "addresses": [{
            "validFrom": from, "street": "Skúšobná", "regNumber": 123, "buildingNumber": "4", "postalCodes": ["99901"],
            "municipality": {"value": "Vzorovo", "code": "SK0999599999", "codelistCode": "CL000025"},
            "country": {"value": "Slovenská republika", "code": "703", "codelistCode": "CL000086"},
        }],
        "legalForms": [{
            "value": {"value": "Spoločnosť s ručením obmedzeným", "code": "112", "codelistCode": "CL000056"},
            "validFrom": from,
        }],
        "establishment": from,
        "sourceRegister": {
            "value": {"value": "Obchodný register", "code": "1", "codelistCode": "CL010112"},
            "registrationOffices": [{"value": "Okresný súd Vzorovo", "validFrom": from}],
            "registrationNumbers": [{"value": "Sro/99999/B", "validFrom": from}],
        },
        "containsInconsistency": false,
    })
    .to_string()
}

/// Lines of made-up companies, counted from a number that is also their id.
pub fn lines(from: usize, count: usize) -> Vec<String> {
    (from..from + count)
        .map(|id| line(id, &ico(9_900_000 + id), &format!("Vzorová {id}, s. r. o.")))
        .collect()
}

/// A dump in the register's layout.
pub fn dump(date: &str, lines: &[String]) -> String {
    let end = if lines.is_empty() { "" } else { "\n" };
    format!(
        "{{\"exportDate\":\"{date}\",\"results\":[\n{}{end}]}}",
        lines.join("\n,")
    )
}

/// Compresses the text with gzip.
pub fn packed(text: &str) -> Vec<u8> {
    let mut encoder = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::fast());
    encoder
        .write_all(text.as_bytes())
        .expect("writing into memory");
    encoder.finish().expect("writing into memory")
}

/// The path of a listing's first page.
pub fn listing_path(prefix: &str) -> String {
    format!("/?list-type=2&prefix={prefix}&max-keys=1000")
}

/// A listing of all keys in one page.
pub fn listing(keys: &[&str]) -> String {
    let contents: String = keys
        .iter()
        .map(|key| format!("<Contents><Key>{key}</Key></Contents>"))
        .collect();
    format!("<ListBucketResult><IsTruncated>false</IsTruncated>{contents}</ListBucketResult>")
}

/// The bucket under construction: files by key.
#[derive(Default, Clone)]
pub struct Bucket {
    files: Vec<(String, Vec<u8>)>,
}

impl Bucket {
    pub fn file(mut self, key: &str, body: impl Into<Vec<u8>>) -> Self {
        self.files.push((key.to_owned(), body.into()));
        self
    }

    /// With a full dump of parts and the list of them.
    pub fn init(mut self, date: &str, parts: &[Vec<String>]) -> Self {
        let mut list = String::new();
        for (index, lines) in parts.iter().enumerate() {
            let name = format!("init_{date}_{:03}.json.gz", index + 1);
            list.push_str(&format!("{name}\n"));
            self = self.file(&format!("batch-init/{name}"), packed(&dump(date, lines)));
        }
        self.file(&format!("batch-init/init_{date}_list.txt"), list)
    }

    /// With a daily dump.
    pub fn daily(self, date: &str, lines: &[String]) -> Self {
        self.file(
            &format!("batch-daily/actual_{date}.json.gz"),
            packed(&dump(date, lines)),
        )
    }

    pub fn without(mut self, key: &str) -> Self {
        self.files.retain(|(other, _)| other != key);
        self
    }

    /// The host that serves it.
    pub fn host(&self) -> TestHost {
        let mut host = TestHost::new();
        for prefix in ["batch-init/", "batch-daily/"] {
            let keys: Vec<&str> = self
                .files
                .iter()
                .map(|(key, _)| key.as_str())
                .filter(|key| key.starts_with(prefix))
                .collect();
            host = host.answer(
                "rpo-dumps",
                &listing_path(prefix),
                Answer::ok(listing(&keys)),
            );
        }
        for (key, body) in &self.files {
            host = host.answer("rpo-dumps", &format!("/{key}"), Answer::ok(body.clone()));
        }
        host
    }
}
