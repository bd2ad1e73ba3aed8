//! The hand-written first companies. Together they show every fact that the registers can publish.
//!
//! They are the same for every seed. The crate's documentation has a table of their purposes.

use time::Date;

use super::calendar::before;
use super::company::{Activity, Address, Capital, Company, Debt, DebtorList, Timed};
use super::dice::{Dice, Topic};
use super::forms::LegalForm;
use super::holders::{Holder, Officer, Person, Role};
use super::money::Money;
use super::tax::{Reliability, Vat, VatKind, VatReasons, VatRegistration};
use super::words::PLACES;
use super::{foundation, identifiers, people, places, showcase_later};

/// Number of hand-written companies, which is also the size of the smallest population.
pub(crate) const SHOWCASE_SIZE: u32 = 12;
/// Replaces the seed, so that the showcase is always the same.
pub(crate) const SHOWCASE_SEED: u64 = 0x5350_4f4c_4f43;

const FORMS: [LegalForm; 12] = [
    LegalForm::LimitedCompany,
    LegalForm::JointStockCompany,
    LegalForm::LimitedCompany,
    LegalForm::Trader,
    LegalForm::LimitedCompany,
    LegalForm::LimitedCompany,
    LegalForm::Cooperative,
    LegalForm::LimitedCompany,
    LegalForm::JointStockCompany,
    LegalForm::LimitedCompany,
    LegalForm::LimitedCompany,
    LegalForm::GeneralPartnership,
];

/// The names of the showcase. Other companies refer to those of the shareholder and the legal successor.
pub(crate) const NAMES: [&str; 12] = [
    "Vzorostav Čučoriedka, s. r. o.",
    "Žblnkotech Holding, a. s.",
    "ŠKROBOPEK TRADE, spol. s r.o.",
    "Žofia Papraďová",
    "Hrkotmont, s.r.o.",
    "Ťapkotrans Logistika s.r.o. v likvidácii",
    "Poľnohospodárske družstvo Mrkvová Dolina, družstvo",
    "\"Käferová & Müllerík\" s. r. o.",
    "Ľadvolux Group a.s.",
    "Brmbosoft, s.r.o",
    "Ďatľodrev Plus spol. s r. o.",
    "Kvapkovín & synovia, v.o.s.",
];

/// The company that was merged, its successor, and the days since then on the first day.
pub(crate) const MERGED: u32 = 4;
pub(crate) const SUCCESSOR: u32 = 1;
pub(crate) const MERGED_DAYS_AGO: u32 = 700;

/// A showcase company on day 0.
pub(crate) fn found(index: u32, start: Date) -> Company {
    let place = usize::try_from(index).expect("the showcase is short");
    let mut dice = Dice::new(SHOWCASE_SEED, index, Topic::Foundation);
    let mut company = foundation::found_as(FORMS[place], SHOWCASE_SEED, index, start, &mut dice);
    plain(&mut company, NAMES[place], start);
    match index {
        0 => builder(&mut company, start),
        1 => holding(&mut company, start),
        2 => suspected_payer(&mut company, start),
        3 => trader(&mut company, start),
        4 => showcase_later::merged(&mut company, start),
        5 => showcase_later::debtor_in_liquidation(&mut company, start, &mut dice),
        6 => showcase_later::zero_led(&mut company),
        7 => showcase_later::services_only(&mut company),
        8 => showcase_later::vat_group(&mut company, start),
        9 => showcase_later::erased_payer(&mut company, start),
        10 => showcase_later::moved_court(&mut company, start),
        _ => showcase_later::partnership(&mut company, start),
    }
    company
}

/// Removes random facts, so that each showcase company shows only its intended facts.
fn plain(company: &mut Company, name: &str, start: Date) {
    company.established = began(company, start);
    let since = company.established;
    company.names = vec![Timed::open(name.to_owned(), since)];
    let seat = company.seats.pop().map(|seat| seat.value);
    company.seats = seat
        .into_iter()
        .map(|seat| Timed::open(seat, since))
        .collect();
    company.ending = None;
    company.ended_items_closed = true;
    company.liquidation_since = None;
    company.earlier_record = None;
    company.has_doubled_rows = false;
    company.has_sentinel_row = false;
    company.rpo_modified = before(start, 40);
    company.legal_facts.clear();
    company.nace.is_old = false;
    company.dic = Some(identifiers::dic(company.index));
    company.vat = Vat::default();
    company.reliability = None;
    company.bank_accounts.clear();
    company.debts.clear();
    company
        .officers
        .retain(|officer| officer.until.is_none() && officer.role.is_statutory());
    company.officers.truncate(2);
    for officer in &mut company.officers {
        officer.since = since;
    }
    for activity in &mut company.activities {
        (activity.since, activity.until, activity.suspended) = (since, None, None);
    }
    company
        .shareholders
        .retain(|shareholder| shareholder.until.is_none());
    for shareholder in &mut company.shareholders {
        shareholder.since = since;
    }
    for capital in &mut company.capital {
        capital.since = since;
    }
    for acting in &mut company.acting {
        acting.since = since;
    }
    if let Some(file) = &mut company.orsr {
        file.ceded = None;
        file.old_labels = false;
    }
}

fn began(company: &Company, start: Date) -> Date {
    // The cooperative is the oldest.
    before(
        start,
        if company.legal_form == LegalForm::Cooperative {
            11_500
        } else {
            4_000 + 100 * company.index
        },
    )
}

pub(crate) fn named(
    prefixes: &[&'static str],
    given: &str,
    family: &str,
    postfixes: &[&'static str],
) -> Person {
    Person {
        prefixes: prefixes.to_vec(),
        given: given.to_owned(),
        family: family.to_owned(),
        postfixes: postfixes.to_vec(),
    }
}

pub(crate) fn address(place: usize, salt: u64) -> Address {
    let mut dice = Dice::with_salt(SHOWCASE_SEED, 0, Topic::People, 100 + salt);
    places::address_in(&PLACES[place], &mut dice)
}

pub(crate) fn officer(person: Person, role: Role, address: Address, since: Date) -> Officer {
    Officer {
        holder: Holder::Person(person),
        role,
        address,
        since,
        until: None,
        term_until: None,
    }
}

pub(crate) fn payer(company: &mut Company, kind: VatKind, reliability: Option<Reliability>) {
    let number = match kind {
        VatKind::Group => identifiers::group_number(company.index),
        VatKind::Payer | VatKind::Foreign | VatKind::Acquirer | VatKind::Services => {
            identifiers::dic(company.index)
        }
    };
    let registered = company.established + time::Duration::days(31);
    company.vat.registration = Some(VatRegistration {
        number,
        kind,
        registered,
        kind_changed: None,
    });
    company.reliability = reliability;
}

fn builder(company: &mut Company, start: Date) {
    let since = company.established;
    payer(company, VatKind::Payer, Some(Reliability::High));
    company.bank_accounts = vec![
        identifiers::slovak_account("1100", 1_000_000_001),
        identifiers::slovak_account("1100", 1_000_000_002),
        identifiers::iban("AT", "9999900000000003"),
    ];
    company.officers = vec![
        officer(
            named(&["Ing."], "Jana", "Skúšobná", &["PhD."]),
            Role::Manager,
            address(0, 1),
            since,
        ),
        officer(
            named(&["Mgr."], "Čestmír", "Žaluďák", &[]),
            Role::Manager,
            address(7, 2),
            before(start, 900),
        ),
    ];
    let owner = named(&["Ing."], "Jana", "Skúšobná", &["PhD."]);
    let holding = Holder::Company {
        name: NAMES[1].to_owned(),
        ico: Some(identifiers::ico(1)),
    };
    company.shareholders = vec![
        people::shareholder(
            Holder::Person(owner),
            address(0, 1),
            Some(Money(332_000)),
            since,
        ),
        people::shareholder(holding, address(2, 3), Some(Money(332_000)), since),
    ];
    let capital = Capital {
        registered: Money(664_000),
        paid: Money(664_000),
    };
    company.capital = vec![Timed::open(capital, since)];
    let acting = "V mene spoločnosti konajú konatelia, každý samostatne.\nPri podpise pripojí slovo \"konateľ\".";
    company.acting = vec![Timed::open(acting.to_owned(), since)];
    let former = address(12, 4);
    let turn = before(start, 1_500);
    company
        .seats
        .insert(0, Timed::closed(former, since, before(turn, 1)));
    company.seats[1].since = turn;
    company.names.insert(
        0,
        Timed::closed("Vzorostav, s. r. o.".to_owned(), since, before(turn, 1)),
    );
    company.names[1].since = turn;
}

fn holding(company: &mut Company, start: Date) {
    let since = company.established;
    payer(company, VatKind::Payer, Some(Reliability::Reliable));
    company.bank_accounts = vec![identifiers::slovak_account("1100", 1_000_000_011)];
    company.officers = vec![
        officer(
            named(&["JUDr."], "Ľudovít", "Lopúchovič", &[]),
            Role::BoardChair,
            address(1, 11),
            since,
        ),
        officer(
            named(&[], "Zuzana", "Kvapková", &["MBA"]),
            Role::BoardMember,
            address(3, 12),
            since,
        ),
        officer(
            named(&[], "Štefan", "Hroznák", &[]),
            Role::Supervisor,
            address(4, 13),
            since,
        ),
        officer(
            named(&["doc."], "Anežka", "Perníková", &["CSc."]),
            Role::Supervisor,
            address(5, 14),
            since,
        ),
        officer(
            named(&["Ing."], "Ondrej", "Zvončec", &[]),
            Role::Procurist,
            address(6, 15),
            since,
        ),
    ];
    let owner = named(&[], "Rastislav", "Orieškovič", &[]);
    company.shareholders = vec![people::shareholder(
        Holder::Person(owner),
        address(8, 16),
        None,
        since,
    )];
    let turn = before(start, 2_000);
    company
        .seats
        .insert(0, Timed::closed(address(10, 17), since, before(turn, 1)));
    company.seats[1].since = turn;
    company.nace.is_old = true;
}

fn suspected_payer(company: &mut Company, start: Date) {
    payer(company, VatKind::Payer, Some(Reliability::Low));
    company.bank_accounts = vec![identifiers::slovak_account("1100", 1_000_000_021)];
    let published = before(start, 60);
    company.vat.reasons = Some(VatReasons {
        year: published.year() - 1,
        published,
    });
    company.debts = vec![Debt {
        list: DebtorList::Vszp,
        amount: Money(78_890),
    }];
    if let Some(file) = &mut company.orsr {
        file.old_labels = true;
    }
}

fn trader(company: &mut Company, start: Date) {
    let since = company.established;
    company.officers = vec![officer(
        named(&[], "Žofia", "Papraďová", &[]),
        Role::Trader,
        company.seat().clone(),
        since,
    )];
    company.has_sentinel_row = true;
    for activity in &mut company.activities {
        activity.suspended = Some((before(start, 30), start + time::Duration::days(700)));
    }
    company.activities.push(Activity {
        text: "Vedenie účtovníctva pre vymyslené osoby",
        since,
        until: Some(before(start, 800)),
        suspended: None,
    });
}
