//! The row of a notice in the table of register entries: the parts of its text, and the company's number as an
//! integer.

use serde_json::{Value, json};

use crate::World;
use crate::population::calendar::{Iso, days_between};
use crate::population::notices::{About, Notice};
use crate::population::{Address, Company};

/// The members that only this table has; null for a notice without a row.
pub(super) fn of(world: &World, notice: &Notice) -> Value {
    let Some(entry) = &notice.entry else {
        return Value::Null;
    };
    let population = &world.population;
    let day = days_between(population.start(), notice.published);
    let company = notice.in_text.map(|index| population.company(index, day));
    // A branch of a foreign company is one of the subjects without a number.
    let name = company
        .as_ref()
        .map_or("Testbauer & Söhne GmbH", Company::name);
    let seat = company.as_ref().map(Company::seat);
    let file = company.as_ref().and_then(|one| one.orsr.as_ref());
    let cin = match entry.about {
        About::Company(index) => json!(population.ico(index).parse::<u64>().ok()),
        About::NoNumber => Value::Null,
        // A number with one digit too many, or with a sign.
        About::Impossible if notice.id.is_multiple_of(2) => json!(900_000_000 + notice.id),
        About::Impossible => json!(-99_999_994),
    };
    let deeds = entry.deeds.iter().map(|deed| {
        json!({
            "name": deed.name,
            "delivery_date": Iso(deed.delivered).to_string(),
            "ruz_deposit_date": deed.deposited.map(|date| Iso(date).to_string()),
        })
    });
    json!({
        "br_mark": notice.register_mark(),
        "br_court_code": file.map(|file| file.court.to_string()),
        "br_court_name": company.as_ref().map(|one| &one.registration_office),
        "kind_code": entry.kind.code(),
        "kind_name": entry.kind.name(),
        "cin": cin,
        "registration_date": Iso(notice.published).to_string(),
        "corporate_body_name": name,
        "br_section": file.map(|file| file.section),
        "br_insertion": file.map(|file| format!("{}/{}", file.insert, file.letter)),
        "text": format!("{}: {name}, konateľ Vymyslená Osoba", entry.kind.name()),
        "address_line": seat.map(|seat| format!("{}, {}", seat.street_line(), seat.city)),
        "street": seat.map(Address::street_line),
        "postal_code": seat.map(Address::postal_code),
        "city": seat.map(|seat| seat.city),
        "documents": deeds.collect::<Vec<_>>(),
    })
}
