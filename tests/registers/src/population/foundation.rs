//! The facts about an ordinary company on day 0, derived from the seed and its index.

use time::Date;

use super::calendar::{after, before, days_between};
use super::company::{Activity, Address, Company, Ending, Nace, Origin, OrsrFile, Timed};
use super::dice::{Dice, Topic};
use super::forms::{LegalForm, SourceRegister};
use super::holders::{Holder, Person};
use super::showcase::{SHOWCASE_SEED, SHOWCASE_SIZE};
use super::tax::Vat;
use super::words::{
    ACTIVITIES, FOREIGN_LOOK, NACES, NAME_HEADS, NAME_MIDDLES, NAME_TAILS, PLACES, Place, QUOTED,
};
use super::{foundation_people, foundation_tax, histories, identifiers, listed, people, places};

/// The place of foundation. All topics share it, because the company's court depends on it.
pub(crate) fn home(seed: u64, index: u32) -> &'static Place {
    let seed = if index < SHOWCASE_SIZE {
        SHOWCASE_SEED
    } else {
        seed
    };
    Dice::with_salt(seed, index, Topic::Foundation, 1).pick(PLACES)
}

fn legal_form(dice: &mut Dice) -> LegalForm {
    match dice.below(1000) {
        0..=399 => LegalForm::Trader,
        400..=859 => LegalForm::LimitedCompany,
        860..=899 => LegalForm::JointStockCompany,
        900..=914 => LegalForm::GeneralPartnership,
        915..=929 => LegalForm::LimitedPartnership,
        930..=939 => LegalForm::SimpleShareCompany,
        940..=954 => LegalForm::Cooperative,
        955..=974 => LegalForm::FlatOwners,
        _ => LegalForm::Association,
    }
}

/// A business name with one of the endings of its legal form.
pub(crate) fn business_name(form: LegalForm, dice: &mut Dice) -> String {
    let ending = dice.pick(form.endings());
    if dice.chance(20) {
        return format!("{}{ending}", dice.pick(QUOTED));
    }
    if dice.chance(20) {
        return format!(
            "{} & {}{ending}",
            dice.pick(FOREIGN_LOOK),
            dice.pick(FOREIGN_LOOK)
        );
    }
    let (head, tail, middle) = (
        dice.pick(NAME_HEADS),
        dice.pick(NAME_TAILS),
        dice.pick(NAME_MIDDLES),
    );
    // The number makes most names unique in a population of realistic size.
    let number = if dice.chance(400) {
        format!(" {}", 2 + dice.below(998))
    } else {
        String::new()
    };
    let name = format!("{head}{tail}{middle}{number}");
    match dice.below(10) {
        0 => format!("{}{ending}", name.to_uppercase()),
        _ => format!("{name}{ending}"),
    }
}

/// The first of the two companies that share an `ID` in different courts, as some real ones do.
const SHARING: u32 = 8;

/// The place of a company in the commercial register's files.
pub(crate) fn orsr_id(seed: u64, index: u32) -> u32 {
    let shares = index & !1 == SHARING && home(seed, index).court != home(seed, index ^ 1).court;
    1_000 + if shares { SHARING } else { index }
}

fn orsr_file(seed: u64, index: u32, form: LegalForm, dice: &mut Dice) -> Option<OrsrFile> {
    let section = form.section()?;
    let court = home(seed, index).court;
    let ceded = dice
        .chance(4)
        .then(|| (4_000_000 + index, if court == 9 { 2 } else { court + 1 }));
    Some(OrsrFile {
        id: orsr_id(seed, index),
        court,
        section,
        insert: 100 + index,
        letter: places::court_letter(court),
        ceded,
        old_labels: dice.chance(300),
    })
}

fn office(
    form: LegalForm,
    index: u32,
    orsr: Option<&OrsrFile>,
    place: &Place,
    dice: &mut Dice,
) -> (String, String) {
    if let Some(file) = orsr {
        let number = format!("{}/{}/{}", file.section, file.insert, file.letter);
        return (places::court_name(file.court).to_owned(), number);
    }
    match form.source_register() {
        SourceRegister::Trades => (
            format!("Okresný úrad {}", place.city),
            format!("{}-{:05}", 900 + dice.below(99), index % 100_000),
        ),
        SourceRegister::FlatOwners => (
            format!("Okresný úrad {}", place.city),
            format!("OVVS-{index}/2001"),
        ),
        SourceRegister::Commercial | SourceRegister::Associations => (
            "Ministerstvo vnútra Slovenskej republiky".to_owned(),
            format!("VVS/1-900/90-{index}"),
        ),
    }
}

/// A random date after the establishment, at which a former name or seat ended.
fn moment(established: Date, start: Date, dice: &mut Dice) -> Option<Date> {
    let age = days_between(established, start);
    (age > 400).then(|| after(established, 100 + dice.below(age - 300)))
}

fn timeline<T>(values: [T; 2], established: Date, turn: Option<Date>) -> Vec<Timed<T>> {
    let [old, new] = values;
    match turn {
        Some(turn) => vec![
            Timed::closed(old, established, before(turn, 1)),
            Timed::open(new, turn),
        ],
        None => vec![Timed::open(new, established)],
    }
}

fn seats(place: &Place, established: Date, start: Date, dice: &mut Dice) -> Vec<Timed<Address>> {
    let turn = if dice.chance(250) {
        moment(established, start, dice)
    } else {
        None
    };
    timeline(
        [places::address(dice), places::address_in(place, dice)],
        established,
        turn,
    )
}

fn names(
    form: LegalForm,
    trader: Option<&Person>,
    established: Date,
    start: Date,
    dice: &mut Dice,
) -> Vec<Timed<String>> {
    if let Some(person) = trader {
        let suffix = if dice.chance(150) {
            format!(" {}", dice.pick(NAME_HEADS).to_uppercase())
        } else {
            String::new()
        };
        return vec![Timed::open(
            format!("{}{suffix}", person.plain()),
            established,
        )];
    }
    let turn = if dice.chance(120) {
        moment(established, start, dice)
    } else {
        None
    };
    timeline(
        [business_name(form, dice), business_name(form, dice)],
        established,
        turn,
    )
}

fn activities(form: LegalForm, established: Date, start: Date, dice: &mut Dice) -> Vec<Activity> {
    let count = 1 + dice.below(4);
    let first = dice.below(14);
    let mut activities: Vec<Activity> = (0..count)
        .map(|place| {
            let text = ACTIVITIES[usize::try_from((first + place * 3) % 14).expect("below 14")];
            Activity {
                text,
                since: established,
                until: None,
                suspended: None,
            }
        })
        .collect();
    if form == LegalForm::Trader && dice.chance(80) {
        for activity in &mut activities {
            activity.suspended = Some((before(start, 30), after(start, 700)));
        }
    }
    activities
}

fn established(start: Date, dice: &mut Dice) -> Date {
    before(start, 60 + dice.below(10_900))
}

/// The form and the first day of an ordinary company, computed without its other facts.
pub(crate) fn beginning(seed: u64, index: u32, start: Date) -> (LegalForm, Date) {
    let mut dice = Dice::new(seed, index, Topic::Foundation);
    let form = legal_form(&mut dice);
    (form, established(start, &mut dice))
}

/// An ordinary company on day 0.
pub(crate) fn found(seed: u64, index: u32, start: Date) -> Company {
    let mut dice = Dice::new(seed, index, Topic::Foundation);
    let form = legal_form(&mut dice);
    let mut company = found_as(form, seed, index, start, &mut dice);
    if let Some(trade) = listed::licensed_trade(seed, index) {
        company.nace = Nace {
            is_old: company.nace.is_old,
            ..trade
        };
    }
    company
}

/// A company of a given form; the showcase is built on these.
pub(crate) fn found_as(
    form: LegalForm,
    seed: u64,
    index: u32,
    start: Date,
    dice: &mut Dice,
) -> Company {
    let place = home(seed, index);
    let established = established(start, dice);
    let mut people_dice = Dice::new(seed, index, Topic::People);
    let trader = (form == LegalForm::Trader).then(|| people::person(&mut people_dice));
    let orsr = orsr_file(seed, index, form, dice);
    let (registration_office, registration_number) =
        office(form, index, orsr.as_ref(), place, dice);
    let mut company = Company {
        index,
        ico: identifiers::ico(index),
        rpo_id: rpo_id(index),
        names: names(form, trader.as_ref(), established, start, dice),
        legal_form: form,
        former_forms: Vec::new(),
        source_register: form.source_register(),
        registration_office,
        registration_number,
        seats: seats(place, established, start, dice),
        established,
        ending: None,
        ended_items_closed: dice.chance(600),
        liquidation_since: None,
        bankruptcy_since: None,
        officers: Vec::new(),
        shareholders: Vec::new(),
        capital: Vec::new(),
        shares: None,
        activities: activities(form, established, start, dice),
        acting: Vec::new(),
        legal_facts: Vec::new(),
        nace: *dice.pick(NACES),
        earlier_record: None,
        has_doubled_rows: dice.chance(50),
        has_sentinel_row: form == LegalForm::Trader && dice.chance(150),
        rpo_modified: before(start, dice.below(900)),
        orsr,
        dic: None,
        vat: Vat::default(),
        reliability: None,
        bank_accounts: Vec::new(),
        debts: Vec::new(),
        happened: Vec::new(),
        origin: Origin { seed, start },
    };
    company.nace.is_old = dice.chance(100);
    foundation_people::fill(
        &mut company,
        trader.map(Holder::Person),
        start,
        &mut people_dice,
    );
    histories::fill(&mut company);
    foundation_tax::fill(&mut company, seed, start);
    end_some(&mut company, start, dice);
    if dice.chance(5) {
        add_earlier_record(&mut company, dice);
    }
    company
}

/// The id in the register of legal persons. The next id belongs to the company's earlier record.
pub(crate) fn rpo_id(index: u32) -> u64 {
    1_000_001 + 2 * u64::from(index)
}

pub(crate) fn add_earlier_record(company: &mut Company, dice: &mut Dice) {
    let terminated = before(company.established, 1);
    company.earlier_record = Some(super::company::EarlierRecord {
        rpo_id: company.rpo_id + 1,
        name: format!("Ľudový podnik {}", dice.pick(NAME_HEADS)),
        established: before(terminated, 4_000),
        terminated,
    });
}

/// One company in seven has ended, and one in a hundred is being wound up.
fn end_some(company: &mut Company, start: Date, dice: &mut Dice) {
    let age = days_between(company.established, start);
    if age > 800 && dice.chance(140) {
        let date = before(start, dice.below(age - 400));
        end(company, date);
        if let Some(ending) = &mut company.ending {
            ending.is_erased_error = company.index.is_multiple_of(8);
        }
    } else if company.source_register == SourceRegister::Commercial && dice.chance(10) {
        let since = before(start, dice.below(50));
        super::changes::enter_liquidation(company, since, dice);
    }
}

/// Removes entries that would start after the end, so that the earlier ones remain valid.
fn until_the_end<T>(values: &mut Vec<Timed<T>>, end: Date) {
    values.retain(|value| value.since <= end);
    if let Some(last) = values.last_mut() {
        last.until = None;
    }
}

/// Ends a company and all its registrations.
pub(crate) fn end(company: &mut Company, date: Date) {
    company.ending = Some(Ending {
        date,
        successor: None,
        is_erased_error: false,
    });
    until_the_end(&mut company.names, date);
    until_the_end(&mut company.seats, date);
    company.vat = Vat::default();
    company.bank_accounts.clear();
    company.reliability = None;
    company.debts.clear();
    if company.orsr.is_some() {
        let text = format!(
            "Právny dôvod výmazu zapísanej osoby z obchodného registra: Zapísaná osoba vymazaná z obchodného registra od: \
             {}.{}.{} Právny dôvod výmazu: dobrovoľný výmaz",
            date.day(),
            u8::from(date.month()),
            date.year()
        );
        company.legal_facts.push(Timed::open(text, date));
    }
}
