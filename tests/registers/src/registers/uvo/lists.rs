//! The lists of the office: blocks of barred persons, and rows of the other lists.

use super::page::escape;
use super::{hash, price};
use crate::World;
use crate::population::Company;
use crate::population::calendar::Dotted;
use crate::population::procurement::{
    Ban, BarredOutsider, bans, barred_outsiders, profiles as profiles_of,
    references as references_of, suppliers as suppliers_of,
};
use crate::selections::Selection;

pub(super) const SUPPLIER_HEADERS: [&str; 7] = [
    "Registračné číslo",
    "Obchodné meno",
    "IČO",
    "Sídlo",
    "Dátum zápisu",
    "Platnosť zápisu do",
    "Stav",
];
/// The last column contains a badge.
pub(super) const ORDER_HEADERS: [&str; 6] = [
    "Názov zákazky",
    "Názov obstarávateľa",
    "Hlavné CPV",
    "Hlavné NUTS",
    "Aktualizácia",
    "",
];
pub(super) const PROFILE_HEADERS: [&str; 3] = ["Názov", "IČO", "Obec"];
pub(super) const REFERENCE_HEADERS: [&str; 8] = [
    "Evidenčné číslo referencie",
    "Dodávateľ",
    "IČO dodávateľa",
    "Odberateľ",
    "Predmet zákazky",
    "Zmluvná cena bez DPH",
    "Dátum vyhotovenia",
    "Stav",
];

/// A company's number; that of company 6 contains spaces.
pub(super) fn spelt(company: &Company) -> String {
    let ico = &company.ico;
    match company.index {
        6 => format!("{} {} {}", &ico[..2], &ico[2..5], &ico[5..]),
        _ => ico.clone(),
    }
}

/// The blocks on the page today, in the order of the companies, with foreign firms between them.
pub(super) fn barred(world: &World) -> Vec<String> {
    let (day, today) = (world.clock.day(), world.clock.today());
    let mut blocks = Vec::new();
    for index in world.selections.get(world, Selection::Debarred).iter() {
        let company = world.population.company(*index, day);
        let listed = bans(&company)
            .into_iter()
            .filter(|ban| ban.is_listed(today));
        blocks.extend(listed.map(|ban| block(&company, &ban)));
    }
    let outsiders = barred_outsiders(&world.population);
    for (place, outsider) in outsiders.iter().enumerate() {
        let start = world.population.start();
        blocks.insert((2 * place).min(blocks.len()), outside(outsider, start));
    }
    blocks
}

fn block(company: &Company, ban: &Ban) -> String {
    let seat = company.seat();
    let address = format!(
        "{}, {} {}",
        seat.street_line(),
        seat.spaced_postal_code(),
        seat.city
    );
    let persons: Vec<String> = ban
        .persons
        .iter()
        .map(|(name, role)| match role {
            Some(role) => format!("{name} ({role})"),
            None => name.clone(),
        })
        .collect();
    let persons = match persons.as_slice() {
        [] => String::new(),
        some => format!("<p>Štatutárny orgán: {}</p>", escape(&some.join("; "))),
    };
    let until = ban.until.map(|until| Dotted(until).to_string());
    format!(
        "<div class=\"result\"><h3>{name}</h3><span>Osoba so zákazom</span>\n\
         <p>IČO: {ico}, Sídlo: {address}</p>\n\
         <p>Číslo rozhodnutia: {decision}; Dátum rozhodnutia: {decided}; Právoplatnosť: {final_on}</p>\n\
         <p>Právny základ: § 182 ods. 3 písm. b) zákona č. 343/2015 Z. z.</p>\n<p>Dôvod: {reason}</p>\n{persons}\n\
         <p>Zákaz od: {from} do: {until}</p></div>\n",
        name = escape(company.name()),
        ico = spelt(company),
        address = escape(&address),
        decision = ban.decision,
        decided = Dotted(ban.decided),
        final_on = Dotted(ban.final_on),
        reason = ban.reason,
        from = Dotted(ban.from),
        until = until.as_deref().unwrap_or("neurčito"),
    )
}

fn outside(outsider: &BarredOutsider, start: time::Date) -> String {
    let number = match &outsider.number {
        Some(number) => format!("IČO: {number}, "),
        None => String::new(),
    };
    let until = crate::population::calendar::after(start, 900);
    format!(
        "<div class=\"result\"><h3>{}</h3><span>Osoba so zákazom</span>\n<p>{number}Sídlo: {}</p>\n\
         <p>Zákaz od: {} do: {}</p></div>\n",
        outsider.name,
        outsider.seat,
        Dotted(start),
        Dotted(until)
    )
}

/// The company with the requested number.
fn found(world: &World, ico: &str) -> Option<Company> {
    let index = world.population.by_ico(ico)?;
    Some(world.population.company(index, world.clock.day()))
}

pub(super) fn suppliers(world: &World, ico: &str) -> Vec<Vec<String>> {
    let today = world.clock.today();
    let Some(company) = found(world, ico) else {
        return Vec::new();
    };
    let entries = suppliers_of(&company).into_iter();
    entries
        .map(|entry| {
            vec![
                entry.number.clone(),
                escape(company.name()),
                spelt(&company),
                escape(company.seat().city),
                Dotted(entry.from).to_string(),
                Dotted(entry.until).to_string(),
                entry.state(today).to_owned(),
            ]
        })
        .collect()
}

pub(super) fn profiles(world: &World, ico: &str) -> Vec<Vec<String>> {
    let Some(company) = found(world, ico) else {
        return Vec::new();
    };
    let own = profiles_of(&company).into_iter();
    own.map(|profile| {
        let path = "/vyhladavanie/vyhladavanie-profilov/detail";
        let (id, name) = (profile.id, escape(company.name()));
        vec![
            format!("<a href=\"{path}/{id}?cHash={}\">{name}</a>", hash(id)),
            spelt(&company),
            escape(company.seat().city),
        ]
    })
    .collect()
}

/// The orders of a buyer, three per profile, linked from the second cell. Every second buyer has none.
pub(super) fn orders(world: &World, ico: &str) -> Vec<Vec<String>> {
    let Some(company) = found(world, ico).filter(|company| company.index.is_multiple_of(2)) else {
        return Vec::new();
    };
    let searches = "/vyhladavanie";
    let of = |id: u32| {
        let name = escape(company.name());
        (0..3).map(move |place| {
            let order = id * 10 + place;
            vec![
                format!(
                    "<a href=\"{searches}/vyhladavanie-zakaziek/detail/{order}\">Údržba budov {place}</a>"
                ),
                format!(
                    "<a href=\"{searches}/vyhladavanie-profilov/detail/{id}?cHash={}\">{name}</a>",
                    hash(id)
                ),
                "45000000-7".to_owned(),
                "SK0".to_owned(),
                "15.01.2026".to_owned(),
                "<span class=\"badge\">VO</span>".to_owned(),
            ]
        })
    };
    let own = profiles_of(&company).into_iter();
    own.flat_map(|profile| of(profile.id)).collect()
}

/// References, newest first. The reference of company 11 also has a row for the other supplier.
pub(super) fn references(world: &World, ico: &str) -> Vec<Vec<String>> {
    let Some(company) = found(world, ico) else {
        return Vec::new();
    };
    let mut own = references_of(&company);
    own.sort_by(|a, b| (b.made, &b.number).cmp(&(a.made, &a.number)));
    let mut rows = Vec::new();
    for reference in &own {
        let path = "/vyhladavanie/vyhladavanie-referencii/detail";
        let (id, number) = (reference.id, &reference.number);
        let link =
            |number: &str| format!("<a href=\"{path}/{id}?cHash={}\">{number}</a>", hash(id));
        let row = |number: String, name: &str, ico: String| {
            vec![
                link(&number),
                escape(name),
                ico,
                escape(reference.buyer),
                escape(&reference.subject),
                price(reference),
                Dotted(reference.made).to_string(),
                if reference.is_cancelled {
                    "zrušená"
                } else {
                    "zverejnená"
                }
                .to_owned(),
            ]
        };
        rows.push(row(number.clone(), company.name(), spelt(&company)));
        if company.index == 11 {
            let other = world.population.ico(0);
            rows.push(row(format!("{number}/2"), "Iný dodávateľ, s. r. o.", other));
        }
    }
    rows
}
