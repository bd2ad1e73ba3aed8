//! The officers and shareholders of an ordinary company on day 0.

use time::Date;

use super::calendar::{after, before, days_between};
use super::company::{Capital, Company, Shares, Timed};
use super::dice::Dice;
use super::forms::LegalForm;
use super::holders::{Holder, Officer, Role};
use super::money::Money;
use super::people;
use super::places;

pub(crate) fn fill(company: &mut Company, trader: Option<Holder>, start: Date, dice: &mut Dice) {
    let since = company.established;
    match company.legal_form {
        LegalForm::Trader => {
            let address = if dice.chance(700) {
                company.seat().clone()
            } else {
                places::address(dice)
            };
            let holder = trader.unwrap_or_else(|| Holder::Person(people::person(dice)));
            company.officers.push(Officer {
                holder,
                role: Role::Trader,
                address,
                since,
                until: None,
                term_until: None,
            });
        }
        LegalForm::LimitedCompany => limited_company(company, start, dice),
        LegalForm::GeneralPartnership | LegalForm::LimitedPartnership => partnership(company, dice),
        LegalForm::JointStockCompany | LegalForm::SimpleShareCompany => {
            joint_stock_company(company, dice);
        }
        LegalForm::Cooperative | LegalForm::FlatOwners | LegalForm::Association => {
            company
                .officers
                .push(people::officer(Role::Chair, since, dice));
            if company.legal_form == LegalForm::Cooperative {
                set_capital(company, Money(125_000), since);
                acts(
                    company,
                    "Družstvo zastupuje predseda, ktorý podpisuje samostatne.",
                );
            }
        }
    }
}

fn acts(company: &mut Company, text: &str) {
    company
        .acting
        .push(Timed::open(text.to_owned(), company.established));
}

fn set_capital(company: &mut Company, registered: Money, since: Date) {
    company.capital.push(Timed::open(
        Capital {
            registered,
            paid: registered,
        },
        since,
    ));
}

fn limited_company(company: &mut Company, start: Date, dice: &mut Dice) {
    let since = company.established;
    let count = 1 + dice.below(3);
    for _ in 0..count {
        company
            .officers
            .push(people::officer(Role::Manager, since, dice));
    }
    let age = days_between(since, start);
    if age > 700 && dice.chance(300) {
        let turn = after(since, 200 + dice.below(age - 500));
        let mut former = people::officer(Role::Manager, since, dice);
        former.until = Some(before(turn, 1));
        company.officers.insert(0, former);
        if let Some(first) = company.officers.last_mut() {
            first.since = turn;
        }
    }
    if dice.chance(120) {
        company
            .officers
            .push(people::officer(Role::Procurist, since, dice));
    }
    let text = if count == 1 {
        "V mene spoločnosti koná konateľ samostatne."
    } else {
        "V mene spoločnosti konajú konatelia, každý samostatne.\nKonateľ podpisuje tak, že k obchodnému menu pripojí svoj podpis."
    };
    acts(company, text);
    let deposit = Money(100 * u64::from(*dice.pick(&[2_500_u32, 3_320, 5_000, 6_640])));
    let holders = 1 + dice.below(2);
    for _ in 0..holders {
        let holder = if dice.chance(120) {
            Holder::Company {
                name: super::foundation::business_name(LegalForm::LimitedCompany, dice),
                ico: None,
            }
        } else {
            Holder::Person(people::person(dice))
        };
        let address = places::address(dice);
        company
            .shareholders
            .push(people::shareholder(holder, address, Some(deposit), since));
    }
    if dice.chance(100) {
        for shareholder in &mut company.shareholders {
            shareholder.paid = None;
        }
    }
    set_capital(company, Money(deposit.0 * u64::from(holders)), since);
}

fn partnership(company: &mut Company, dice: &mut Dice) {
    let since = company.established;
    for _ in 0..2 {
        let partner = people::officer(Role::Partner, since, dice);
        let holder = partner.holder.clone();
        company.shareholders.push(people::shareholder(
            holder,
            partner.address.clone(),
            None,
            since,
        ));
        company.officers.push(partner);
    }
    acts(
        company,
        "Za spoločnosť koná každý zo spoločníkov samostatne.",
    );
}

fn joint_stock_company(company: &mut Company, dice: &mut Dice) {
    let since = company.established;
    for role in [
        Role::BoardChair,
        Role::BoardMember,
        Role::Supervisor,
        Role::Supervisor,
        Role::Supervisor,
    ] {
        let mut officer = people::officer(role, since, dice);
        // Some boards are elected for a term, whose end the register prints.
        officer.term_until = (role == Role::BoardMember)
            .then(|| after(company.origin.start, 1_100 + company.index % 700));
        company.officers.push(officer);
    }
    acts(
        company,
        "Za spoločnosť konajú vždy dvaja členovia predstavenstva spoločne.",
    );
    // Only a single shareholder is published.
    if dice.chance(300) {
        let holder = Holder::Person(people::person(dice));
        let address = places::address(dice);
        company
            .shareholders
            .push(people::shareholder(holder, address, None, since));
    }
    let (count, nominal) = *dice.pick(&[
        (25_000_u64, 100_u64),
        (1_000, 3_320),
        (10, 331_939),
        (250, 10_000),
    ]);
    company.shares = Some(Shares {
        count,
        nominal: Money(nominal),
    });
    set_capital(company, Money(count * nominal), since);
}
