use super::super::kept::Address;
use super::*;

fn row(code: &str, whole: &str, from: &str, to: Option<&str>, zip: &str) -> Person {
    let mut words = whole.split_whitespace();
    Person {
        code: Some(code.to_owned()),
        name: Name {
            whole: Some(format!("Ing. {whole}")),
            given: words.next().map(str::to_owned),
            family: words.next().map(str::to_owned),
            ..Name::default()
        },
        address: Some(Address {
            zip: Some(zip.to_owned()),
            ..Address::default()
        }),
        validity: Validity {
            from: Some(from.to_owned()),
            to: to.map(str::to_owned),
        },
        ..Person::default()
    }
}

/// First and last day of each office.
fn spans(rows: &[Person], list: List) -> Vec<(String, String)> {
    let end = |end: &End| match end {
        End::Open => "open".to_owned(),
        End::On(day) => day.clone(),
        End::Unknown => "unknown".to_owned(),
    };
    offices(rows, list)
        .iter()
        .map(|office| (office.from.clone().unwrap_or_default(), end(&office.end)))
        .collect()
}

fn span(from: &str, to: &str) -> (String, String) {
    (from.to_owned(), to.to_owned())
}

fn former_partner(from: &str, to: &str) -> Person {
    row("99", "Eva Vzorná", from, Some(to), "83101")
}

#[test]
fn moved_officer_stays_in_office() {
    let rows = [
        row("3", "Ján Vzorný", "2007-02-26", Some("2025-08-05"), "83101"),
        row("3", "Ján Vzorný", "2007-02-26", None, "81101"),
    ];
    assert_eq!(
        spans(&rows, List::StatutoryBodies),
        [span("2007-02-26", "open")]
    );
    let office = &offices(&rows, List::StatutoryBodies)[0];
    assert_eq!(
        office.row.address.as_ref().and_then(|at| at.zip.as_deref()),
        Some("81101")
    );
    assert_eq!(office.name, "Ing. Ján Vzorný");
}

#[test]
fn office_with_two_ends_ends_at_the_later() {
    let rows = [
        row("3", "Ján Vzorný", "2007-02-26", Some("2011-06-01"), "83101"),
        row("3", "Ján Vzorný", "2007-02-26", Some("2011-05-01"), "83101"),
        row("3", "Ján Vzorný", "2007-02-26", Some("2011-05-01"), "83101"),
    ];
    assert_eq!(
        spans(&rows, List::StatutoryBodies),
        [span("2007-02-26", "2011-06-01")]
    );
}

#[test]
fn officer_who_returns_has_two_offices() {
    let rows = [
        row("3", "Ján Vzorný", "2007-02-26", Some("2010-01-31"), "83101"),
        row("3", "Ján Vzorný", "2015-01-01", None, "83101"),
    ];
    assert_eq!(spans(&rows, List::StatutoryBodies).len(), 2);
}

#[test]
fn father_and_son_are_two_officers() {
    let rows = [
        row("3", "Ján Vzorný", "2007-02-26", None, "83101"),
        row("3", "Ján Vzorný", "2007-02-26", None, "04001"),
        row("3", "Ján Vzorný", "2007-02-26", Some("2009-01-01"), "04001"),
    ];
    assert_eq!(spans(&rows, List::StatutoryBodies).len(), 2);
    let open = [
        row("99", "Ján Vzorný", "2007-02-26", None, "83101"),
        row("99", "Ján Vzorný", "2008-02-26", None, "04001"),
    ];
    assert_eq!(spans(&open, List::Stakeholders).len(), 2);
}

#[test]
fn partner_continues_on_the_next_day() {
    let rows = [
        row("99", "Eva Vzorná", "2025-08-06", None, "81101"),
        former_partner("2022-02-10", "2025-08-05"),
        former_partner("2011-01-01", "2022-02-09"),
        former_partner("2022-02-10", "2025-08-05"),
    ];
    assert_eq!(
        spans(&rows, List::Stakeholders),
        [span("2011-01-01", "open")]
    );
}

#[test]
fn partner_is_not_joined_across_a_gap() {
    let rows = [
        former_partner("2011-01-01", "2022-02-09"),
        row("99", "Eva Vzorná", "2022-02-11", None, "83101"),
        row("98", "Eva Vzorná", "2011-01-01", None, "83101"),
    ];
    assert_eq!(spans(&rows, List::Stakeholders).len(), 3);
}

#[test]
fn placeholder_dates_are_neither_open_nor_closed() {
    let rows = [row(
        "15",
        "Ján Vzorný",
        "1800-01-01",
        Some("1800-01-01"),
        "83101",
    )];
    assert_eq!(spans(&rows, List::Stakeholders), [span("", "unknown")]);
}

#[test]
fn function_is_taken_off_the_name() {
    let known = Known::of(&Name {
        whole: Some("Ing. Peter Vzorný, - predseda".to_owned()),
        given: Some("Peter".to_owned()),
        family: Some("Vzorný".to_owned()),
        ..Name::default()
    })
    .expect("a name");
    assert_eq!(known.shown, "Ing. Peter Vzorný");
    assert_eq!(
        (known.key.as_str(), known.function),
        ("peter vzorny", Function::Chairman)
    );
}

#[test]
fn unstated_number_is_no_number() {
    let known = Known::of(&Name {
        company: Some("Vzorová, a. s.".to_owned()),
        ico: Some("Neuvedené".to_owned()),
        ..Name::default()
    })
    .expect("a name");
    assert_eq!((known.ico, known.is_company), (None, true));
    assert_eq!(Known::of(&Name::default()), None);
}

fn company(ico: Option<&str>, from: &str, to: Option<&str>) -> Person {
    Person {
        name: Name {
            company: Some("Vzorová, a. s.".to_owned()),
            ico: ico.map(str::to_owned),
            ..Name::default()
        },
        ..row("99", "x", from, to, "83101")
    }
}

#[test]
fn row_without_number_joins_the_only_company_of_its_name() {
    let rows = [
        company(None, "2010-01-01", Some("2015-12-31")),
        company(Some("99900017"), "2016-01-01", None),
    ];
    let all = offices(&rows, List::Stakeholders);
    let [office] = all.as_slice() else {
        panic!("{all:?}");
    };
    assert_eq!(
        (office.from.as_deref(), &office.end),
        (Some("2010-01-01"), &End::Open)
    );
    assert_eq!(office.ico.as_deref(), Some("99900017"));
    let two = [
        company(None, "2010-01-01", Some("2015-12-31")),
        company(Some("99900017"), "2016-01-01", None),
        company(Some("99900025"), "2016-01-01", None),
    ];
    assert_eq!(
        offices(&two, List::Stakeholders).len(),
        3,
        "it may be either"
    );
}
