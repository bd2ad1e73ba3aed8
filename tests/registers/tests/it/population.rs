//! The population: repeatable, of any size, with a showcase that has every fact and follows its script.

use std::collections::{BTreeMap, BTreeSet};

use register_simulator::population::{BANKS, DebtorList, Holder, LegalForm, Reliability, VatKind};
use register_simulator::{ChangeKind, Company, Population, script};
use time::macros::date;

fn population(companies: u32, seed: u64) -> Population {
    Population::new(companies, seed, date!(2026 - 01 - 15))
}

fn showcase(day: u32) -> Vec<Company> {
    let population = population(12, 7);
    (0..12)
        .map(|index| population.company(index, day))
        .collect()
}

#[test]
fn same_seed_gives_same_companies() {
    let (one, other) = (population(5_000, 7), population(5_000, 7));
    let late = one.company(4_321, 900);
    for index in [0, 11, 12, 999, 4_999] {
        assert_eq!(one.company(index, 30), other.company(index, 30));
    }
    assert_eq!(other.company(4_321, 900), late);
    assert_ne!(one.company(999, 0), population(5_000, 8).company(999, 0));
}

#[test]
fn company_is_independent_of_population_size() {
    assert_eq!(
        population(1_000, 7).company(999, 5),
        population(1_400_000, 7).company(999, 5)
    );
}

#[test]
fn the_showcase_is_the_same_for_every_seed() {
    let other = population(1_000, 99);
    for company in showcase(0) {
        assert_eq!(company, other.company(company.index, 0));
    }
}

#[test]
fn every_ico_maps_back_to_its_company() {
    let population = population(1_400_000, 7);
    for index in [0, 6, 12, 1_399_999] {
        assert_eq!(population.by_ico(&population.ico(index)), Some(index));
    }
    assert_eq!(population.showcase()[6], "00000124");
    assert_eq!(population.by_ico("00000000"), None);
}

#[test]
fn the_showcase_has_every_fact() {
    let all = showcase(0);
    let has = |wanted: &dyn Fn(&Company) -> bool| {
        assert_eq!(all.iter().filter(|company| wanted(company)).count(), 1);
    };
    let some = |wanted: &dyn Fn(&Company) -> bool| assert!(all.iter().any(wanted));
    some(&|company| {
        company.shareholders.len() == 2 && company.legal_form == LegalForm::LimitedCompany
    });
    some(&|company| {
        company
            .shareholders
            .iter()
            .any(|owner| matches!(&owner.holder, Holder::Company { ico: Some(_), .. }))
    });
    some(&|company| company.legal_form == LegalForm::JointStockCompany && company.shares.is_some());
    has(&|company| company.legal_form == LegalForm::Trader && company.orsr.is_none());
    has(&|company| !company.is_active());
    has(&|company| company.liquidation_since.is_some() && company.name().ends_with("v likvidácii"));
    has(&|company| company.ico.starts_with('0'));
    has(&|company| {
        company.bank_accounts.len() == 3
            && company
                .bank_accounts
                .iter()
                .any(|iban| iban.starts_with("AT"))
    });
    for kind in [VatKind::Services, VatKind::Group] {
        has(&|company| {
            company
                .vat
                .registration
                .as_ref()
                .is_some_and(|registration| registration.kind == kind)
        });
    }
    has(&|company| {
        company
            .vat
            .erasure
            .as_ref()
            .is_some_and(|erasure| erasure.reasons.year > 2000)
    });
    has(&|company| company.vat.reasons.is_some());
    for reliability in [Reliability::High, Reliability::Reliable, Reliability::Low] {
        some(&|company| company.reliability == Some(reliability));
    }
    for list in DebtorList::ALL {
        some(&|company| company.debt(list).is_some());
    }
    has(&|company| company.earlier_record.is_some());
    has(&|company| {
        company
            .orsr
            .as_ref()
            .is_some_and(|file| file.ceded.is_some())
    });
    some(&|company| company.seats.len() > 1);
    some(&|company| {
        company
            .officers
            .iter()
            .any(|officer| officer.holder.name().starts_with("Ing. "))
    });
    has(&|company| {
        company
            .officers
            .iter()
            .any(|officer| officer.address.country_code != "703")
    });
}

#[test]
fn every_scripted_change_happens_on_its_day() {
    for change in script() {
        let (before, after) = (showcase(change.day - 1), showcase(change.day));
        assert_ne!(
            before[change.showcase], after[change.showcase],
            "{change:?}"
        );
        assert!((1..=20).contains(&change.day));
    }
    for kind in ChangeKind::all() {
        assert!(
            script().iter().any(|change| change.kind == kind),
            "{kind:?} is not in the script"
        );
        assert_eq!(ChangeKind::parse(kind.name()), Some(kind));
    }
}

#[test]
fn scripted_change_matches_its_announcement() {
    assert_ne!(showcase(0)[0].officers.len(), showcase(1)[0].officers.len());
    assert_ne!(showcase(1)[1].seat(), showcase(2)[1].seat());
    assert!(showcase(2)[2].debt(DebtorList::Socpoist).is_none());
    assert!(showcase(3)[2].debt(DebtorList::Socpoist).is_some());
    let seven = |day| {
        showcase(day)[7]
            .vat
            .registration
            .as_ref()
            .map(|registration| registration.kind)
    };
    assert_eq!(
        (seven(3), seven(4)),
        (Some(VatKind::Services), Some(VatKind::Payer))
    );
    assert!(showcase(6)[2].vat.erasure.is_some());
    assert!(showcase(5)[10].name().ends_with("v likvidácii"));
    assert!(!showcase(10)[5].is_active());
}

#[test]
fn a_small_share_changes_on_any_day() {
    let population = population(20_000, 7);
    for day in [1, 40] {
        let changed =
            |index: &u32| population.company(*index, day) != population.company(*index, day - 1);
        let count = (12..20_000).filter(changed).count();
        assert!((15..120).contains(&count), "{count} of 20000 changed");
    }
}

#[test]
fn forced_change_is_valid_from_its_day() {
    let population = population(100, 7);
    let index =
        (12..100).find(|index| ChangeKind::SeatMoved.applies_to(&population.company(*index, 0)));
    let index = index.expect("some company is active");
    let before = population.company(index, 4);
    assert!(population.force(index, 4, ChangeKind::SeatMoved));
    assert_eq!(
        population.company(index, 3).seats.len() + 1,
        population.company(index, 4).seats.len()
    );
    assert_ne!(population.company(index, 4), before);
    assert!(
        !population.force(4, 4, ChangeKind::SeatMoved),
        "company 4 has ended"
    );
}

#[test]
fn names_have_all_spellings_of_legal_forms() {
    let population = population(3_000, 7);
    let names: Vec<String> = (0..3_000)
        .map(|index| population.company(index, 0).name().to_owned())
        .collect();
    for ending in [
        ", s.r.o.",
        ", s. r. o.",
        " spol. s r. o.",
        ", a.s.",
        ", a. s.",
        ", v.o.s.",
        " družstvo",
    ] {
        assert!(
            names.iter().any(|name| name.ends_with(ending)),
            "no name ends with {ending}"
        );
    }
    for part in ["\"", "&", "ü", "ľ"] {
        assert!(
            names.iter().any(|name| name.contains(part)),
            "no name contains {part}"
        );
    }
}

#[test]
fn extract_ids_are_unique_except_one_pair() {
    let all = population(3_000, 1);
    let mut owners: BTreeMap<u32, Vec<u32>> = BTreeMap::new();
    for index in 0..3_000 {
        if let Some(file) = all.company(index, 0).orsr {
            owners.entry(file.id).or_default().push(index);
        }
    }
    owners.retain(|_, owners| owners.len() > 1);
    assert_eq!(owners.into_values().collect::<Vec<_>>(), [[8, 9]]);
}

#[test]
fn some_records_are_erased_and_some_terms_end() {
    let all = population(1_000, 1);
    let companies: Vec<Company> = (0..1_000).map(|index| all.company(index, 0)).collect();
    let endings = companies
        .iter()
        .filter_map(|company| company.ending.as_ref());
    let erased = endings
        .clone()
        .filter(|ending| ending.is_erased_error)
        .count();
    assert!((5..50).contains(&erased), "{erased} of {}", endings.count());
    let terms = companies.iter().flat_map(Company::current_officers);
    assert!(terms.filter(|officer| officer.term_until.is_some()).count() > 10);
}

#[test]
fn slovak_accounts_are_at_banks_that_exist() {
    let all = population(1_000, 1);
    let accounts = (0..1_000).flat_map(|index| all.company(index, 0).bank_accounts);
    let codes: BTreeSet<String> = accounts
        .filter_map(|iban| Some(iban.strip_prefix("SK")?[2..6].to_owned()))
        .collect();
    let banks: BTreeSet<String> = BANKS.iter().map(|(code, _)| (*code).to_owned()).collect();
    assert_eq!(codes, banks);
}
