//! Applies a change: the old value gets its last day, the new value its first.

use time::Date;

use super::calendar::before;
use super::change::ChangeKind;
use super::company::{Capital, Company, Debt, Shares, Timed};
use super::dice::Dice;
use super::forms::LegalForm;
use super::foundation::{business_name, end};
use super::holders::{Holder, Officer, Role};
use super::money::Money;
use super::tax::{Reliability, VatKind, VatReasons};
use super::words::ACTIVITIES;
use super::{company::Activity, foundation_tax, people, places, trades};

/// Applies a change on the given day. Does nothing if the change does not apply to the company.
pub(crate) fn apply(company: &mut Company, kind: ChangeKind, date: Date, dice: &mut Dice) {
    if !kind.applies_to(company) {
        return;
    }
    if kind.is_in_rpo() {
        company.rpo_modified = date;
    }
    match kind {
        ChangeKind::OfficerReplaced => {
            officer_leaves(company, date);
            officer_comes(company, date, dice);
        }
        ChangeKind::OfficerJoined => officer_comes(company, date, dice),
        ChangeKind::OfficerLeft => officer_leaves(company, date),
        ChangeKind::SeatMoved => succeed(&mut company.seats, places::address(dice), date),
        ChangeKind::NameChanged => {
            let name = business_name(company.legal_form, dice);
            succeed(&mut company.names, name, date);
        }
        ChangeKind::LegalFormChanged => become_joint_stock(company, date, dice),
        ChangeKind::CapitalRaised => raise_capital(company, date, dice),
        ChangeKind::ShareholderReplaced => replace_shareholder(company, date, dice),
        ChangeKind::ActivityAdded => add_activity(company, date, dice),
        ChangeKind::LiquidationEntered => enter_liquidation(company, date, dice),
        ChangeKind::BankruptcyDeclared => {
            company.bankruptcy_since = Some(date);
            let name = format!("{} v konkurze", company.name());
            succeed(&mut company.names, name, date);
            company.legal_facts.push(Timed::open(
                "Vyhlásenie konkurzu: uznesením Skúšobného súdu".to_owned(),
                date,
            ));
        }
        ChangeKind::Terminated => end(company, date),
        ChangeKind::VatRegistered => register(company, date, dice),
        ChangeKind::VatReasonsPublished => {
            company.vat.reasons = Some(VatReasons {
                year: date.year(),
                published: date,
            });
        }
        ChangeKind::VatErased => foundation_tax::erase(company, date),
        ChangeKind::ReliabilityChanged => {
            company.reliability = Some(match company.reliability {
                Some(Reliability::High) => Reliability::Reliable,
                Some(Reliability::Reliable) => Reliability::Low,
                Some(Reliability::Low) | None => Reliability::High,
            });
        }
        ChangeKind::AccountAdded => company.bank_accounts.push(foundation_tax::account(dice)),
        ChangeKind::DebtorAppeared(list) => {
            company.debts.push(Debt {
                list,
                amount: foundation_tax::debt_amount(dice),
            });
        }
        ChangeKind::DebtorAmountChanged(list) => {
            for debt in company.debts.iter_mut().filter(|debt| debt.list == list) {
                debt.amount = Money(debt.amount.0 + 100 + u64::from(dice.below(500_000)));
            }
        }
        ChangeKind::DebtorCleared(list) => company.debts.retain(|debt| debt.list != list),
        // The company records the event and each topic derives the consequences. Only trades are facts of the
        // company itself.
        ChangeKind::Happened(happening) => trades::happened(company, happening, date),
    }
}

fn succeed<T>(values: &mut Vec<Timed<T>>, value: T, date: Date) {
    if let Some(last) = values.last_mut() {
        last.until = Some(before(date, 1));
    }
    values.push(Timed::open(value, date));
}

/// A limited company becomes a joint-stock company: its managers become the board, and its partners are no
/// longer published, except a single one.
fn become_joint_stock(company: &mut Company, date: Date, dice: &mut Dice) {
    let yesterday = before(date, 1);
    let former = Timed::closed(company.legal_form, company.form_since(), yesterday);
    let endings = company.legal_form.endings().iter();
    let name = company.name();
    let bare = endings
        .filter_map(|ending| name.strip_suffix(ending))
        .min_by_key(|bare| bare.len())
        .unwrap_or(name);
    let name = format!("{bare}, a. s.");
    succeed(&mut company.names, name, date);
    company.former_forms.push(former);
    company.legal_form = LegalForm::JointStockCompany;

    let mut board = Vec::new();
    for manager in company
        .officers
        .iter_mut()
        .filter(|officer| officer.until.is_none() && officer.role == Role::Manager)
    {
        let mut member = manager.clone();
        manager.until = Some(yesterday);
        member.role = if board.is_empty() {
            Role::BoardChair
        } else {
            Role::BoardMember
        };
        member.since = date;
        board.push(member);
    }
    company.officers.extend(board);
    for _ in 0..3 {
        company
            .officers
            .push(people::officer(Role::Supervisor, date, dice));
    }

    let mut owners = Vec::new();
    for owner in company
        .shareholders
        .iter_mut()
        .filter(|owner| owner.until.is_none())
    {
        let mut shareholder = owner.clone();
        owner.until = Some(yesterday);
        (shareholder.deposit, shareholder.paid) = (None, None);
        shareholder.since = date;
        owners.push(shareholder);
    }
    if owners.len() == 1 {
        company.shareholders.extend(owners);
    }
    let registered = Money(2_500_000);
    let capital = Capital {
        registered,
        paid: registered,
    };
    succeed(&mut company.capital, capital, date);
    company.shares = Some(Shares {
        count: 250,
        nominal: Money(10_000),
    });
    let acting = "Za spoločnosť konajú vždy dvaja členovia predstavenstva spoločne.";
    succeed(&mut company.acting, acting.to_owned(), date);
    if let Some(file) = &mut company.orsr {
        file.section = "Sa";
        company.registration_number = format!("Sa/{}/{}", file.insert, file.letter);
    }
}

fn officer_leaves(company: &mut Company, date: Date) {
    let in_office = |officer: &&mut Officer| officer.until.is_none() && officer.role.is_statutory();
    if let Some(officer) = company.officers.iter_mut().rev().find(in_office) {
        officer.until = Some(before(date, 1));
    }
}

fn officer_comes(company: &mut Company, date: Date, dice: &mut Dice) {
    let role = match company.legal_form {
        LegalForm::LimitedCompany => Role::Manager,
        LegalForm::JointStockCompany | LegalForm::SimpleShareCompany => Role::BoardMember,
        LegalForm::GeneralPartnership | LegalForm::LimitedPartnership => Role::Partner,
        LegalForm::Cooperative | LegalForm::FlatOwners | LegalForm::Association => Role::Chair,
        LegalForm::Trader => Role::Trader,
    };
    company.officers.push(people::officer(role, date, dice));
}

fn raise_capital(company: &mut Company, date: Date, dice: &mut Dice) {
    let Some(mut capital) = company.current_capital() else {
        return;
    };
    let more = Money(100_000 * u64::from(1 + dice.below(40)));
    capital.registered = Money(capital.registered.0 + more.0);
    capital.paid = capital.registered;
    succeed(&mut company.capital, capital, date);
    let owner = company
        .shareholders
        .iter_mut()
        .find(|holder| holder.until.is_none() && holder.deposit.is_some());
    if let Some(owner) = owner {
        let mut richer = owner.clone();
        owner.until = Some(before(date, 1));
        richer.since = date;
        richer.deposit = owner.deposit.map(|deposit| Money(deposit.0 + more.0));
        richer.paid = richer.deposit;
        company.shareholders.push(richer);
    }
}

fn replace_shareholder(company: &mut Company, date: Date, dice: &mut Dice) {
    let Some(owner) = company
        .shareholders
        .iter_mut()
        .find(|holder| holder.until.is_none())
    else {
        return;
    };
    let mut heir = owner.clone();
    owner.until = Some(before(date, 1));
    heir.holder = Holder::Person(people::person(dice));
    heir.address = places::address(dice);
    heir.since = date;
    company.shareholders.push(heir);
}

fn add_activity(company: &mut Company, date: Date, dice: &mut Dice) {
    let is_known = |text: &&&str| {
        company
            .activities
            .iter()
            .any(|activity| activity.text == **text)
    };
    let fresh: Vec<&&str> = ACTIVITIES.iter().filter(|text| !is_known(text)).collect();
    let text = if fresh.is_empty() {
        ACTIVITIES[0]
    } else {
        **dice.pick(&fresh)
    };
    company.activities.push(Activity {
        text,
        since: date,
        until: None,
        suspended: None,
    });
}

/// Puts a company into liquidation: adds the suffix to the name, and a liquidator as officer.
pub(crate) fn enter_liquidation(company: &mut Company, date: Date, dice: &mut Dice) {
    company.liquidation_since = Some(date);
    let name = format!("{} v likvidácii", company.name());
    succeed(&mut company.names, name, date);
    company
        .officers
        .push(people::officer(Role::Liquidator, date, dice));
    company.legal_facts.push(Timed::open(
        "Zrušenie spoločnosti: Rozhodnutím jediného spoločníka o vstupe do likvidácie".to_owned(),
        date,
    ));
}

fn register(company: &mut Company, date: Date, dice: &mut Dice) {
    let earlier = company.vat.registration.take();
    let registered = earlier.as_ref().map_or(date, |earlier| earlier.registered);
    foundation_tax::register(company, VatKind::Payer, registered, dice);
    if let Some(registration) = &mut company.vat.registration {
        registration.kind_changed = earlier.map(|_| date);
    }
}
