//! Showcase companies with legal trouble, and those that registers classify differently.

use time::Date;

use super::calendar::before;
use super::company::{Capital, Company, Debt, DebtorList, EarlierRecord, Ending, Timed};
use super::dice::{Dice, Topic};
use super::holders::{Holder, Officer, Role};
use super::money::Money;
use super::showcase::{
    MERGED_DAYS_AGO, NAMES, SHOWCASE_SEED, SUCCESSOR, address, named, officer, payer,
};
use super::tax::{Reliability, VatErasure, VatKind, VatReasons, VatRegistration};
use super::words::PLACES;
use super::{foundation, identifiers, people, places};

pub(crate) fn merged(company: &mut Company, start: Date) {
    let date = before(start, MERGED_DAYS_AGO);
    foundation::end(company, date);
    company.ending = Some(Ending {
        date,
        successor: Some((
            NAMES[SUCCESSOR as usize].to_owned(),
            identifiers::ico(SUCCESSOR),
        )),
        is_erased_error: false,
    });
    let merger =
        "Zlúčenie, splynutie, rozdelenie spoločnosti: Spoločnosť zanikla v dôsledku zlúčenia";
    company
        .legal_facts
        .push(Timed::open(merger.to_owned(), date));
    company.rpo_modified = date;
}

pub(crate) fn debtor_in_liquidation(company: &mut Company, start: Date, dice: &mut Dice) {
    let date = before(start, 200);
    let full = company.names.remove(0).value;
    let name = full.trim_end_matches(" v likvidácii").to_owned();
    company.names.push(Timed::open(name, company.established));
    super::changes::enter_liquidation(company, date, dice);
    company.reliability = Some(Reliability::Low);
    company.debts = vec![
        Debt {
            list: DebtorList::Socpoist,
            amount: Money(178_598),
        },
        Debt {
            list: DebtorList::Vszp,
            amount: Money(664_186),
        },
        Debt {
            list: DebtorList::Union,
            amount: Money(31_240),
        },
        Debt {
            list: DebtorList::Dovera,
            amount: Money(1_204_550),
        },
        Debt {
            list: DebtorList::Tax,
            amount: Money(1_245_075),
        },
    ];
}

pub(crate) fn zero_led(company: &mut Company) {
    payer(company, VatKind::Payer, Some(Reliability::Reliable));
    company.bank_accounts = vec![identifiers::slovak_account("1100", 1_000_000_061)];
    let terminated = before(company.established, 1);
    company.earlier_record = Some(EarlierRecord {
        rpo_id: company.rpo_id + 1,
        name: "Jednotné roľnícke družstvo Mrkvová Dolina".to_owned(),
        established: before(terminated, 8_000),
        terminated,
    });
}

pub(crate) fn services_only(company: &mut Company) {
    let since = company.established;
    payer(company, VatKind::Services, None);
    let mut dice = Dice::new(SHOWCASE_SEED, company.index, Topic::People);
    let abroad = places::address_abroad(&mut dice);
    company.officers = vec![officer(
        named(&[], "Jürgen", "Beispielhuber", &[]),
        Role::Manager,
        abroad.clone(),
        since,
    )];
    let owner = Holder::Company {
        name: "Testbauer & Söhne GmbH".to_owned(),
        ico: None,
    };
    company.shareholders = vec![people::shareholder(
        owner,
        abroad,
        Some(Money(500_000)),
        since,
    )];
    let capital = Capital {
        registered: Money(500_000),
        paid: Money(500_000),
    };
    company.capital = vec![Timed::open(capital, since)];
}

pub(crate) fn vat_group(company: &mut Company, start: Date) {
    payer(company, VatKind::Group, Some(Reliability::High));
    company.bank_accounts = vec![
        identifiers::slovak_account("1100", 1_000_000_081),
        identifiers::slovak_account("1100", 1_000_000_082),
    ];
    if let Some(registration) = &mut company.vat.registration {
        registration.kind_changed = Some(before(start, 365));
    }
}

pub(crate) fn erased_payer(company: &mut Company, start: Date) {
    let erased = before(start, 300);
    let reasons = VatReasons {
        year: erased.year() - 1,
        published: before(start, 420),
    };
    company.vat.erasure = Some(VatErasure {
        number: identifiers::dic(company.index),
        reasons,
        erased,
    });
    company.reliability = Some(Reliability::Low);
}

pub(crate) fn partnership(company: &mut Company, start: Date) {
    let since = company.established;
    payer(company, VatKind::Payer, Some(Reliability::Reliable));
    company.bank_accounts = vec![identifiers::slovak_account("1100", 1_000_000_111)];
    let partner = Holder::Company {
        name: NAMES[0].to_owned(),
        ico: Some(identifiers::ico(0)),
    };
    let seat = address(14, 21);
    company.shareholders.truncate(1);
    company.shareholders.push(people::shareholder(
        partner.clone(),
        seat.clone(),
        None,
        since,
    ));
    company.officers.truncate(1);
    company.officers.push(Officer {
        holder: partner,
        role: Role::Partner,
        address: seat,
        since,
        until: None,
        term_until: None,
    });
    let turn = before(start, 800);
    company.names.insert(
        0,
        Timed::closed("Kvapkovín, v.o.s.".to_owned(), since, before(turn, 1)),
    );
    company.names[1].since = turn;
}

pub(crate) fn moved_court(company: &mut Company, start: Date) {
    let since = company.established;
    let turn = before(start, 1_000);
    let mut dice = Dice::new(SHOWCASE_SEED, company.index, Topic::Records);
    let former = PLACES.iter().find(|place| {
        company
            .orsr
            .as_ref()
            .is_some_and(|file| file.court != place.court)
    });
    if let Some(place) = former {
        let seat = places::address_in(place, &mut dice);
        company
            .seats
            .insert(0, Timed::closed(seat, since, before(turn, 1)));
        company.seats[1].since = turn;
        if let Some(file) = &mut company.orsr {
            file.ceded = Some((4_000_000 + company.index, place.court));
        }
    }
    company.has_doubled_rows = true;
    let number = identifiers::dic(company.index);
    let registration = VatRegistration {
        number,
        kind: VatKind::Payer,
        registered: since,
        kind_changed: None,
    };
    company.vat.registration = Some(registration);
    company.bank_accounts = vec![identifiers::slovak_account("1100", 1_000_000_101)];
    company.reliability = Some(Reliability::Reliable);
}
