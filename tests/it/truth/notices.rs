//! Expected values for notices in the commercial bulletin and entries of the commercial register in it.

use std::collections::BTreeMap;

use lustra_tests::register_simulator::population::notices::{
    Entry, EntryKind, Form, Notice, Part, of_company,
};
use lustra_tests::register_simulator::{Company, Population};
use serde_json::{Value, json};

/// Number of shown entries.
const SHOWN: usize = 20;

/// Expected values on a day.
pub fn truth(population: &Population, company: &Company, day: u32) -> Value {
    let notices = of_company(population, company.index, day);
    let mut by_section: BTreeMap<&str, usize> = BTreeMap::new();
    for notice in &notices {
        let chapter = notice.entry.as_ref().map_or_else(
            || chapter(notice.form),
            |entry| chapter_of_register(entry.kind),
        );
        *by_section.entry(chapter).or_default() += 1;
    }
    let latest = notices.iter().take(SHOWN).map(|notice| {
        notice.entry.as_ref().map_or_else(
            || entry(notice, company.index),
            |entry| register_entry(notice, entry),
        )
    });
    json!({
        "total_entries": notices.len(),
        "latest_entries": latest.collect::<Vec<_>>(),
        "by_section": by_section,
        "unread": null,
    })
}

/// The same values, extracted from a response's `data`.
pub fn reported(data: &Value) -> Value {
    let section = &data["commercial_bulletin"];
    let counts: BTreeMap<&str, &Value> = section["by_section"]
        .as_array()
        .into_iter()
        .flatten()
        .filter_map(|count| Some((count["section"].as_str()?, &count["entries"])))
        .collect();
    json!({
        "total_entries": section["total_entries"],
        "latest_entries": section["latest_entries"],
        "by_section": counts,
        "unread": section["unread"],
    })
}

fn entry(notice: &Notice, index: u32) -> Value {
    let mut heading = meaning(notice.form).to_owned();
    let reference = if notice.form == Form::Correction && !notice.reference.is_empty() {
        format!("OV {}", notice.reference)
    } else if is_auction(notice.form) {
        format!("č. {}", notice.reference)
    } else {
        notice.reference.clone()
    };
    let details: Vec<&str> = [notice.kind, reference.as_str()]
        .into_iter()
        .filter(|detail| !detail.is_empty())
        .collect();
    if !details.is_empty() {
        heading = format!("{heading}: {}", details.join(", "));
    }
    json!({
        "section": chapter(notice.form),
        "heading": heading,
        "published_at": notice.published.to_string(),
        "form": notice.form.code(),
        "number": format!("{}/{}", notice.issue(), notice.published.year()),
        "mark": notice.mark(),
        "role": match notice.part_of(index).expect("it names the company") {
            Part::Debtor => "debtor",
            Part::Proposer => "proposer",
            Part::Liquidated => "liquidated",
            Part::Company => "company",
            Part::Auctioneer => "auctioneer",
            Part::Obligor => "obligor",
            Part::Announcer => "announcer",
            Part::Named => "named",
        },
    })
}

/// The table omits the form and identifies an entry by the register's mark.
fn register_entry(notice: &Notice, entry: &Entry) -> Value {
    let heading = match entry.deeds.len() {
        0 => entry.kind.name().to_owned(),
        count => format!("{}, počet listín: {count}", entry.kind.name()),
    };
    json!({
        "section": chapter_of_register(entry.kind),
        "heading": heading,
        "published_at": notice.published.to_string(),
        "form": null,
        "number": format!("{}/{}", notice.issue(), notice.published.year()),
        "mark": notice.register_mark(),
        "role": "company",
    })
}

fn chapter_of_register(kind: EntryKind) -> &'static str {
    match kind {
        EntryKind::New => "Obchodný register – nové zápisy",
        EntryKind::Change => "Obchodný register – zmeny zapísaných údajov",
        EntryKind::Erasure => "Obchodný register – výmazy",
        EntryKind::Deeds => "Obchodný register – uložené listiny",
    }
}

fn is_auction(form: Form) -> bool {
    chapter(form) == "Dražby"
}

fn chapter(form: Form) -> &'static str {
    match form {
        Form::Bankruptcy => "Konkurzy a reštrukturalizácie",
        Form::Dissolution => "Oznámenia súdov o začatí konania o zrušení bez likvidácie",
        Form::OldLaw => "Konkurzy a vyrovnania",
        Form::Liquidator | Form::Liquidator2020 => "Oznámenia a výzvy likvidátorov",
        Form::FirstReductionLimited
        | Form::FirstReductionShares
        | Form::SecondReductionLimited
        | Form::SecondReductionShares => "Zníženie základného imania",
        Form::Auction
        | Form::AuctionRepeated
        | Form::AuctionAddendum
        | Form::AuctionWaived
        | Form::AuctionThwarted
        | Form::AuctionResult => "Dražby",
        Form::TaxAuction => "Dražby správcov dane",
        Form::AuctionDecree => "Exekútori – dražobné vyhlášky",
        Form::Enforcement => "Exekútori – upovedomenia o exekúcii",
        // The register's page has no chapter for these codes.
        Form::Sale | Form::Correction | Form::Unknown => form.code(),
        Form::RegisterEntry | Form::Deed | Form::DeedList => unreachable!("these are entries"),
    }
}

fn meaning(form: Form) -> &'static str {
    match form {
        Form::Bankruptcy => "Konkurz alebo reštrukturalizácia",
        Form::Dissolution => "Začatie konania o zrušení bez likvidácie",
        Form::OldLaw => "Konkurz alebo vyrovnanie",
        Form::Liquidator | Form::Liquidator2020 => "Výzva likvidátora veriteľom",
        Form::FirstReductionLimited | Form::FirstReductionShares => {
            "Prvé oznámenie o znížení základného imania"
        }
        Form::SecondReductionLimited | Form::SecondReductionShares => {
            "Druhé oznámenie o znížení základného imania"
        }
        Form::Auction => "Oznámenie o dobrovoľnej dražbe",
        Form::AuctionRepeated => "Oznámenie o opakovanej dobrovoľnej dražbe",
        Form::AuctionAddendum => "Dodatok k oznámeniu o dobrovoľnej dražbe",
        Form::AuctionWaived => "Upustenie od dobrovoľnej dražby",
        Form::AuctionThwarted => "Zmarenie dobrovoľnej dražby",
        Form::AuctionResult => "Výsledok dobrovoľnej dražby",
        Form::TaxAuction => "Dražba správcu dane",
        Form::AuctionDecree => "Dražobná vyhláška súdneho exekútora",
        Form::Enforcement => "Upovedomenie o exekúcii",
        Form::Sale => "Predaj majetku správcom",
        Form::Correction => "Oprava alebo zrušenie podania",
        Form::Unknown => form.code(),
        Form::RegisterEntry | Form::Deed | Form::DeedList => unreachable!("these are entries"),
    }
}
