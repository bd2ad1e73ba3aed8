//! The lists that the registers' facts amount to.

use lustra_tests::register_simulator::Company;
use lustra_tests::register_simulator::population::{
    Activity, Address, Holder, Money, Officer, PROCURA, Role, Shareholder, Shares, SourceRegister,
};
use serde_json::{Value, json};
use time::Date;

pub(super) fn lists(company: &Company, today: Date) -> Value {
    let registered = |role: Role| -> Vec<Value> {
        let officers = company.officers.iter().enumerate();
        officers
            .filter(|(_, officer)| officer.role == role)
            .map(|(place, officer)| person(company, place, officer))
            .collect()
    };
    let statutory = company
        .officers
        .iter()
        .filter(|officer| officer.role.is_statutory());
    let mut lists = json!({
        "business_activities": activities(company, today),
        "shareholders": shareholders(company),
        "statutory_body": statutory.map(|own| officer(company, own)).collect::<Vec<_>>(),
        "supervisory_board": registered(Role::Supervisor),
        "procurators": registered(Role::Procurist),
        "liquidators": registered(Role::Liquidator),
        "shares": shares(company),
    });
    for empty in [
        "administrators",
        "founders",
        "branch_heads",
        "other_stakeholders",
    ] {
        lists[empty] = json!([]);
    }
    lists["legal_predecessors"] = company
        .predecessors()
        .into_iter()
        .map(|predecessor| {
            json!({
                "name": predecessor.name, "address": "Bratislava", "is_company": true, "ico": predecessor.ico,
                "stakeholder_type": null, "function": null, "acting_method": null,
                "effective_from": predecessor.since.to_string(), "effective_to": null, "current": true,
            })
        })
        .collect();
    lists
}

/// The trade register and those of associations have names without titles.
fn name(company: &Company, holder: &Holder) -> String {
    match holder {
        Holder::Person(person) if company.source_register != SourceRegister::Commercial => {
            person.plain()
        }
        Holder::Person(_) | Holder::Company { .. } => holder.name(),
    }
}

/// The last day: its own, or that of the company.
fn until(company: &Company, own: Option<Date>) -> Option<String> {
    let ended = company.ending.as_ref().map(|ending| ending.date);
    own.or(ended).map(|day| day.to_string())
}

fn is_current(company: &Company, own: Option<Date>) -> bool {
    own.is_none() && company.ending.is_none()
}

/// Former homes of people are not published.
fn home(holder: &Holder, address: &Address, current: bool) -> Option<String> {
    (current || matches!(holder, Holder::Company { .. })).then(|| in_one_line(address))
}

fn in_one_line(address: &Address) -> String {
    let street = address.street.as_deref().unwrap_or(address.city);
    let house = match (&address.building_number, address.reg_number) {
        (Some(number), 0) => number.clone(),
        (Some(number), registration) => format!("{registration}/{number}"),
        (None, registration) => registration.to_string(),
    };
    let code = address.postal_code.as_deref().unwrap_or_default();
    if address.country_code == "703" {
        let (head, tail) = code.split_at(3);
        format!("{street} {house}, {head} {tail} {}", address.city)
    } else {
        let (city, country) = (address.city, address.country);
        format!("{street} {house}, {code} {city}, {country}")
    }
}

fn officer(company: &Company, officer: &Officer) -> Value {
    let current = is_current(company, officer.until);
    let (role, function, body) = match officer.role {
        Role::Manager => ("konateľ", None, Some("konatelia")),
        Role::BoardChair => (
            "predseda predstavenstva",
            Some("chairman"),
            Some("predstavenstvo"),
        ),
        Role::BoardMember => (
            "člen predstavenstva",
            Some("member"),
            Some("predstavenstvo"),
        ),
        Role::Partner => ("spoločník", None, Some("spoločníci")),
        Role::Chair => ("predseda", Some("chairman"), None),
        Role::Trader => ("podnikateľ", None, None),
        Role::Supervisor | Role::Procurist | Role::Liquidator => ("no officer", None, None),
    };
    let rules = company.acting.iter().filter(|rule| rule.until.is_none());
    // Registers differ in line breaks.
    let acting: Vec<String> = rules
        .map(|rule| rule.value.split_whitespace().collect::<Vec<_>>().join(" "))
        .collect();
    json!({
        "name": name(company, &officer.holder), "role": role, "function": function, "body_type": body,
        "address": home(&officer.holder, &officer.address, current),
        "acting_method": (current && !acting.is_empty()).then(|| acting.join("\n")),
        "appointed_at": officer.since.to_string(), "effective_from": officer.since.to_string(),
        "effective_to": until(company, officer.until), "current": current,
    })
}

fn person(company: &Company, place: usize, officer: &Officer) -> Value {
    let current = is_current(company, officer.until);
    let (label, acting) = match officer.role {
        Role::Supervisor => ("Člen dozorného orgánu", None),
        Role::Procurist => ("Prokurista", current.then_some(PROCURA)),
        Role::Liquidator => ("Likvidátor", None),
        Role::Manager
        | Role::BoardChair
        | Role::BoardMember
        | Role::Partner
        | Role::Chair
        | Role::Trader => ("no such list", None),
    };
    json!({
        "name": name(company, &officer.holder),
        "address": home(&officer.holder, &officer.address, current),
        "is_company": false, "ico": null, "stakeholder_type": label,
        "function": company.is_supervisory_chair(place).then_some("chairman"),
        "acting_method": acting, "effective_from": officer.since.to_string(),
        "effective_to": until(company, officer.until), "current": current,
    })
}

fn euros(money: Money) -> String {
    match money.0 % 100 {
        0 => (money.0 / 100).to_string(),
        cents => format!("{}.{cents:02}", money.0 / 100),
    }
}

/// A holder's uninterrupted time: the first day and the entry that is in force, or was last.
struct Time<'a> {
    since: Date,
    last: &'a Shareholder,
}

fn shareholders(company: &Company) -> Vec<Value> {
    let is_of_shares = |owner: &Shareholder| company.shares.is_some() && owner.deposit.is_none();
    let mut times: Vec<Time<'_>> = Vec::new();
    for owner in &company.shareholders {
        let continued = times.iter_mut().find(|time| {
            let next = time.last.until.and_then(Date::next_day);
            time.last.holder == owner.holder
                && next == Some(owner.since)
                && is_of_shares(time.last) == is_of_shares(owner)
        });
        match continued {
            Some(time) => time.last = owner,
            None => times.push(Time {
                since: owner.since,
                last: owner,
            }),
        }
    }
    let current = company
        .shareholders
        .iter()
        .filter(|owner| owner.until.is_none());
    let total: u64 = current
        .filter_map(|owner| owner.deposit)
        .map(|own| own.0)
        .sum();
    let row = |time: &Time<'_>| {
        let owner = time.last;
        let current = is_current(company, owner.until);
        let share = |own: Money| {
            let share = (own.0 * 10_000 + total / 2) / total;
            format!("{}.{:02}", share / 100, share % 100)
        };
        let (is_company, ico) = match &owner.holder {
            Holder::Company { ico, .. } => (true, ico.clone()),
            Holder::Person(_) => (false, None),
        };
        json!({
            "name": name(company, &owner.holder), "address": home(&owner.holder, &owner.address, current),
            "share_amount": owner.deposit.map(euros),
            "share_paid": owner.deposit.and(owner.paid).map(euros),
            "share_currency": owner.deposit.map(|_| "EUR"),
            "share_percentage": owner.deposit.filter(|_| current).map(share),
            "contribution_kind": owner.deposit.map(|_| "peňažný"), "function": null,
            "deposit_lien": owner.lien.as_ref(),
            "is_company": is_company, "ico": ico,
            "stakeholder_type": if is_of_shares(owner) { "Jediný akcionár a.s." } else { "Spoločník v.o.s. / s.r.o." },
            "effective_from": time.since.to_string(), "effective_to": until(company, owner.until), "current": current,
        })
    };
    times.iter().map(row).collect()
}

fn activities(company: &Company, today: Date) -> Vec<Value> {
    let mut all: Vec<(&str, Date)> = Vec::new();
    let is_suspended = |activity: &Activity| {
        let pause = activity.suspended;
        pause.is_some_and(|(first, last)| (first..=last).contains(&today))
    };
    let open = company
        .activities
        .iter()
        .filter(|activity| is_current(company, activity.until) && !is_suspended(activity));
    for activity in open {
        match all.iter_mut().find(|(text, _)| *text == activity.text) {
            Some((_, since)) => *since = activity.since.min(*since),
            None => all.push((activity.text, activity.since)),
        }
    }
    all.into_iter()
        .map(|(text, since)| json!({"activity": text, "since": since.to_string()}))
        .collect()
}

fn shares(company: &Company) -> Vec<Value> {
    let row = |shares: &Shares| {
        json!({
            "share_type": "kmeňové", "share_form": "akcie na meno", "share_state": "zaknihované",
            "nominal_value": euros(shares.nominal), "currency": "EUR", "count": shares.count,
            "transferability": null, "effective_from": company.form_since().to_string(),
            "effective_to": until(company, None), "current": is_current(company, None),
        })
    };
    company.shares.iter().map(row).collect()
}
