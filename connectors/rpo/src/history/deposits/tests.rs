use super::super::codes::{Function, List};
use super::super::kept::{Name, Person};
use super::*;

const TODAY: &str = "2026-11-23";

fn name(given: &str) -> Name {
    Name {
        given: Some(given.to_owned()),
        family: Some("Vzorný".to_owned()),
        ..Name::default()
    }
}

fn validity(from: &str, to: Option<&str>) -> Validity {
    Validity {
        from: Some(from.to_owned()),
        to: to.map(str::to_owned),
    }
}

fn deposit(given: &str, amount: &str, to: Option<&str>) -> Deposit {
    Deposit {
        name: if given.is_empty() {
            Name::default()
        } else {
            name(given)
        },
        kind: Some("(peňažný vklad)".to_owned()),
        amount: Some(amount.to_owned()),
        currency: Some("EUR".to_owned()),
        validity: validity("2009-07-23", to),
    }
}

fn history(capital: &str, deposits: Vec<Deposit>) -> History {
    let equity = |value: Option<&str>, paid: Option<&str>| Equity {
        value: value.map(str::to_owned),
        paid: paid.map(str::to_owned),
        validity: validity("2009-07-23", None),
        ..Equity::default()
    };
    History {
        deposits,
        equities: vec![equity(None, Some("1.0")), equity(Some(capital), None)],
        ..History::default()
    }
}

fn share(history: &History, given: &str, end: End) -> Share {
    let row = Person::default();
    let office = Office {
        row: &row,
        list: List::Stakeholders,
        key: format!("{given} vzorny"),
        name: String::new(),
        ico: None,
        written_function: Function::None,
        from: None,
        end,
    };
    Deposits::of(history, TODAY).of_holder(&office, &[&office], TODAY)
}

#[test]
fn repeated_deposits_count_once() {
    let twice = history(
        "10000.00",
        vec![
            deposit("Jan", "7500.00", None),
            deposit("Jan", "7500.0", None),
            deposit("Eva", "2500", None),
        ],
    );
    let jan = share(&twice, "jan", End::Open);
    assert_eq!(jan.amount.as_deref(), Some("7500"));
    assert_eq!(jan.percentage.as_deref(), Some("75.00"));
    assert_eq!(jan.kind.as_deref(), Some("peňažný"));
}

#[test]
fn two_equal_deposits_count_if_the_capital_says_so() {
    let two = history(
        "10000",
        vec![deposit("Jan", "5000", None), deposit("Jan", "5000", None)],
    );
    let jan = share(&two, "jan", End::Open);
    assert_eq!(
        (jan.amount.as_deref(), jan.percentage.as_deref()),
        (Some("10000"), Some("100.00"))
    );
}

#[test]
fn share_owned_together_belongs_to_no_holder() {
    let joint = history(
        "10000",
        vec![deposit("Jan", "7500", None), deposit("", "2500", None)],
    );
    assert_eq!(
        share(&joint, "jan", End::Open).percentage.as_deref(),
        Some("75.00")
    );
}

#[test]
fn percentage_needs_deposits_that_add_up() {
    let other = history("12000", vec![deposit("Jan", "7500", None)]);
    let jan = share(&other, "jan", End::Open);
    assert_eq!(
        (jan.amount.as_deref(), jan.percentage),
        (Some("7500"), None)
    );
    let unreadable = history("7500", vec![deposit("Jan", "neuvedené", None)]);
    assert_eq!(share(&unreadable, "jan", End::Open).amount, None);
}

#[test]
fn former_holder_has_the_last_deposit() {
    let past = history(
        "10000",
        vec![
            deposit("Eva", "1000", Some("2015-01-01")),
            deposit("Eva", "4000.50", Some("2020-05-05")),
        ],
    );
    let eva = share(&past, "eva", End::On("2020-05-05".to_owned()));
    assert_eq!(
        (eva.amount.as_deref(), eva.percentage),
        (Some("4000.50"), None)
    );
}

#[test]
fn namesakes_get_no_deposit() {
    let two = history(
        "10000",
        vec![deposit("Jan", "7500", None), deposit("Jan", "2500", None)],
    );
    let row = Person::default();
    let office = Office {
        row: &row,
        list: List::Stakeholders,
        key: "jan vzorny".to_owned(),
        name: String::new(),
        ico: None,
        written_function: Function::None,
        from: None,
        end: End::Open,
    };
    let deposits = Deposits::of(&two, TODAY);
    assert_eq!(
        deposits.of_holder(&office, &[&office, &office], TODAY),
        Share::default()
    );
}

#[test]
fn deposit_without_number_needs_a_single_company_of_its_name() {
    let named = |ico: Option<&str>| Name {
        company: Some("Vzorová, a. s.".to_owned()),
        ico: ico.map(str::to_owned),
        ..Name::default()
    };
    let of = |ico: Option<&str>, amount: &str| Deposit {
        name: named(ico),
        ..deposit("", amount, None)
    };
    let row = Person::default();
    let office = |ico: &str| Office {
        row: &row,
        list: List::Stakeholders,
        key: ico.to_owned(),
        name: "Vzorová, a. s.".to_owned(),
        ico: Some(ico.to_owned()),
        written_function: Function::None,
        from: None,
        end: End::Open,
    };
    let (first, second) = (office("99900017"), office("99900025"));
    let amount = |deposits: Vec<Deposit>, all: &[&Office<'_>]| {
        let history = history("7500", deposits);
        let share = Deposits::of(&history, TODAY).of_holder(&first, all, TODAY);
        share.amount
    };
    let unnumbered = || vec![of(None, "7500")];
    assert_eq!(amount(unnumbered(), &[&first]).as_deref(), Some("7500"));
    assert_eq!(amount(unnumbered(), &[&first, &second]), None);
    let both = vec![of(Some("99900017"), "7500"), of(Some("99900025"), "1")];
    assert_eq!(amount(both, &[&first, &second]).as_deref(), Some("7500"));
    let repeated = vec![of(None, "7500"), of(Some("99900017"), "7500")];
    assert_eq!(amount(repeated, &[&first]).as_deref(), Some("7500"));
}
