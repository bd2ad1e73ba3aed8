//! Expected values for a company that administers insolvencies, where the operator has the ministry's list.

use lustra_tests::register_simulator::population::Holder;
use lustra_tests::register_simulator::population::proceedings::of_company;
use lustra_tests::register_simulator::{Company, Population};
use serde_json::{Value, json};

/// Expected values on a day.
pub fn truth(_population: &Population, company: &Company, _day: u32) -> Value {
    let Some(entry) = of_company(company) else {
        return Value::Null;
    };
    let office = &entry.office;
    let (name, office) = match &entry.holder {
        Holder::Company { name, .. } => {
            let house = match (&office.building_number, office.reg_number) {
                (Some(number), 0) => number.clone(),
                (Some(number), reg) => format!("{reg}/{number}"),
                (None, reg) => reg.to_string(),
            };
            let street = office.street.as_deref().unwrap_or(office.city);
            let office = json!({
                "street": format!("{street} {house}"),
                "city": office.city,
                "postal_code": office.postal_code,
                "country": null,
            });
            (name.clone(), office)
        }
        Holder::Person(person) => (format!("{} {}", person.given, person.family), Value::Null),
    };
    json!({
        "license_number": entry.mark,
        "name": name,
        "is_company": !office.is_null(),
        "office": office,
        "region": null,
        "status": if entry.struck_off.is_some() { "vyčiarknutý" } else { "zapísaný" },
        "valid_from": entry.entered.map(|on| on.to_string()),
        "valid_to": entry.struck_off.map(|on| on.to_string()),
        "source": "service",
    })
}

/// The same values, extracted from a response's `data`.
pub fn reported(data: &Value) -> Value {
    data["replik_administrator"].clone()
}
