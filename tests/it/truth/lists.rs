//! Expected values for the lists that the operator supplies.

use lustra_tests::register_simulator::population::listed::{
    Enterprise, Halt, Licence, Trade, agencies, employers, enterprises, licences,
};
use lustra_tests::register_simulator::{Company, Population};
use serde_json::{Value, json};
use time::Date;

use super::{cents, list};

/// Expected values on a day. For trades that the company does not have, the list is not asked and the section is
/// empty.
pub fn truth(population: &Population, company: &Company, day: u32) -> Value {
    let today = population.date(day).to_string();
    let on = population.date(day);
    let of_trade = |trade: Trade| {
        // The register of legal persons has no activity for a company that has ended.
        let has_trade = trade
            .nace()
            .iter()
            .any(|prefix| company.nace.class.starts_with(prefix));
        (has_trade && company.ending.is_none()).then(|| {
            let mut own = licences(company, trade);
            own.sort_by_key(|one| (std::cmp::Reverse(one.from), one.number.clone()));
            own
        })
    };
    let state = |licence: &Licence| match licence.halted(on) {
        Some(Halt::Ended) => "ended",
        _ if licence.to.is_some_and(|to| to < on) => "expired",
        Some(Halt::Suspended) => "suspended",
        None if licence.from > on => "upcoming",
        None => "valid",
    };
    let entry = |licence: &Licence| {
        json!([
            licence.number,
            licence.text,
            licence.from.to_string(),
            licence.to.map(|to| to.to_string()),
            state(licence)
        ])
    };
    let all = |own: &[Licence]| in_order(own.iter().map(entry).collect());
    let sbs = of_trade(Trade::Security).map(|own| {
        let first = own.iter().find(|one| one.is_in_force(on));
        json!({
            "has_licence": first.is_some(),
            "license_number": first.map(|one| &one.number),
            "valid_from": first.map(|one| one.from.to_string()),
            "kinds": first.map(|one| one.plain),
            "licences": all(&own),
        })
    });
    let transport = of_trade(Trade::Transport).map(|own| {
        let in_force = || own.iter().filter(|one| one.is_in_force(on));
        let community = in_force().find(|one| one.plain == "eurolicence");
        let first = community.or_else(|| in_force().next());
        json!({
            "has_licence": first.is_some(),
            "eurolicence_number": community.map(|one| &one.number),
            "vehicles_count": in_force().filter_map(|one| one.vehicles).max(),
            "valid_from": first.map(|one| one.from.to_string()),
            "licences": all(&own),
        })
    });
    let utility = of_trade(Trade::Utility).map(|own| {
        let segments = own.iter().map(|one| {
            let kind = if one.is_confirmation {
                "confirmation"
            } else {
                "permit"
            };
            json!([entry(one), one.plain, kind])
        });
        json!({
            "has_licences": own.iter().any(|one| one.is_in_force(on)),
            "segments": in_order(segments.collect()),
        })
    });
    json!({
        "sbs": sbs,
        "transport": transport,
        "utility": utility,
        "enterprise": enterprise(company, &today),
        "agency": agency(company, &today),
        "employer": employer(company, population, day),
    })
}

fn enterprise(company: &Company, today: &str) -> Value {
    let all = enterprises(company);
    let is_over = |day: &Date| day.to_string().as_str() <= today;
    let has_status = |one: &&Enterprise| !one.revoked.as_ref().is_some_and(is_over);
    let holds = all.iter().rev().find(has_status);
    let shown = holds.or_else(|| all.last());
    json!([
        holds.is_some(),
        shown.map(|one| one.kind),
        shown.map(|one| one.granted.to_string()),
        shown
            .and_then(|one| one.revoked.filter(is_over))
            .map(|day| day.to_string()),
        shown.map(|one| &one.certificate),
    ])
}

fn agency(company: &Company, today: &str) -> Value {
    let all = agencies(company);
    // There is a newer contract only if the older one has expired.
    let Some(newest) = all.last() else {
        return json!([false, null, null, null, null, null]);
    };
    let is_protected =
        newest.to.to_string().as_str() >= today && !newest.is_unprotected && !newest.is_struck_off;
    json!([
        !newest.is_struck_off,
        is_protected,
        newest
            .banned
            .is_some_and(|since| since.to_string().as_str() <= today),
        newest.provider,
        newest.to.to_string(),
        newest.amount.map(|amount| amount.0),
    ])
}

fn employer(company: &Company, population: &Population, day: u32) -> Value {
    let all = employers(company);
    let Some(newest) = all.last() else {
        return Value::Null;
    };
    json!([
        company.name(),
        newest.people(population.date(day)).map(bracket),
        newest.registered.to_string(),
        newest.deregistered.map(|day| day.to_string()),
    ])
}

/// The size brackets of the statistical office.
fn bracket(people: u32) -> String {
    let ends = [
        3, 5, 10, 20, 25, 50, 100, 150, 200, 250, 500, 1_000, 2_000, 3_000, 4_000, 5_000, 10_000,
        20_000, 30_000,
    ];
    match people {
        0 => "0 zamestnancov".to_owned(),
        1 => "1 zamestnanec".to_owned(),
        2 => "2 zamestnanci".to_owned(),
        3 | 4 => "3-4 zamestnanci".to_owned(),
        _ => match ends
            .windows(2)
            .find(|pair| (pair[0]..pair[1]).contains(&people))
        {
            Some(pair) => format!("{}-{} zamestnancov", pair[0], pair[1] - 1),
            None => "30000 a viac zamestnancov".to_owned(),
        },
    }
}

fn in_order(mut entries: Vec<Value>) -> Value {
    entries.sort_by_key(|entry| entry[0].to_string());
    entries.into()
}

/// The same values, extracted from a response's `data`.
pub fn reported(data: &Value) -> Value {
    let mut agency = members(
        &data["soi_travel_agency"],
        &[
            "is_registered",
            "is_protected",
            "has_ban",
            "insolvency_provider",
            "insolvency_valid_to",
            "insolvency_amount",
        ],
    );
    if agency[5].is_number() {
        agency[5] = cents(&agency[5]);
    }
    json!({
        "sbs": reported_sbs(&data["sbs"]),
        "transport": reported_transport(&data["transport_licence"]),
        "utility": reported_utility(&data["utility_licence"]),
        "enterprise": members(
            &data["social_enterprise"],
            &["is_registered", "type", "granted_at", "revoked_at", "certificate_number"],
        ),
        "agency": agency,
        "employer": reported_employer(&data["employer_headcount"]),
    })
}

fn reported_employer(employer: &Value) -> Value {
    if employer.is_null() {
        return Value::Null;
    }
    members(
        employer,
        &["name", "bracket", "registered_at", "deregistered_at"],
    )
}

fn reported_sbs(sbs: &Value) -> Value {
    if sbs.is_null() {
        return Value::Null;
    }
    let all = list(&sbs["licences"]);
    json!({
        "has_licence": sbs["has_licence"],
        "license_number": sbs["license_number"],
        "valid_from": sbs["valid_from"],
        "kinds": kinds(sbs),
        "licences": in_order(all.map(|one| reported_entry(one, "license_number", "license_type")).collect()),
    })
}

fn reported_transport(transport: &Value) -> Value {
    if transport.is_null() {
        return Value::Null;
    }
    let all = list(&transport["licences"]);
    json!({
        "has_licence": transport["has_licence"],
        "eurolicence_number": transport["eurolicence_number"],
        "vehicles_count": transport["vehicles_count"],
        "valid_from": transport["valid_from"],
        "licences": in_order(all.map(|one| reported_entry(one, "licence_number", "kind")).collect()),
    })
}

fn reported_utility(utility: &Value) -> Value {
    if utility.is_null() {
        return Value::Null;
    }
    let segment = |one: &Value| {
        json!([
            reported_entry(one, "licence_number", "activity"),
            one["segment"],
            one["kind"]
        ])
    };
    json!({
        "has_licences": utility["has_licences"],
        "segments": in_order(list(&utility["segments"]).map(segment).collect()),
    })
}

fn reported_entry(one: &Value, number: &str, text: &str) -> Value {
    members(one, &[number, text, "valid_from", "valid_to", "status"])
}

/// The kinds of the representative licence, as one text.
fn kinds(sbs: &Value) -> Value {
    if sbs["license_number"].is_null() {
        return Value::Null;
    }
    let first = list(&sbs["licences"]).next();
    let kinds = first.into_iter().flat_map(|one| list(&one["kinds"]));
    let kinds: Vec<&str> = kinds.filter_map(Value::as_str).collect();
    json!(kinds.join(" "))
}

fn members(section: &Value, names: &[&str]) -> Value {
    names.iter().map(|name| section[*name].clone()).collect()
}
