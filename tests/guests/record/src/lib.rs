//! A connector without requests: for one key it finds no company, for others it returns a record of twelve fields.

use lustra_sdk::{Address, Company, CompanyKey, CompanySource, CompanyStatus, Failure};

pub struct Record;

lustra_sdk::export!(Record: CompanySource);

impl CompanySource for Record {
    fn fetch_company(key: CompanyKey) -> Result<Option<Company>, Failure> {
        let CompanyKey::RegisterId(id) = key else {
            return Ok(None);
        };
        let text = |text: &str| Some(text.to_owned());
        Ok(Some(Company {
            ico: "99999994".to_owned(),
            name: "Vzorostav Čučoriedka, s. r. o.".to_owned(),
            legal_form: text("Spoločnosť s ručením obmedzeným"),
            legal_form_code: text("112"),
            address: Address {
                street: text("Lipová 3258/41"),
                city: text("Senica pri Vzore"),
                postal_code: text("90520"),
                country: text("Slovenská republika"),
                country_code: text("SK"),
            },
            established_date: text("2015-12-09"),
            terminated_date: None,
            status: CompanyStatus::Active,
            nace_code: text("1071"),
            nace_description: None,
            register_id: Some(id),
            details: "{}".to_owned(),
            facts: Vec::new(),
            evidence: Vec::new(),
        }))
    }
}
