//! Totals of irregularities and receivables, of which two may be one debt.

use lustra_itms21::IRREGULARITIES;
use lustra_sdk::serde_json::{Value, json};

use super::debts::{OPEN, SETTLED, block, irregularity, receivable, section, totals};

const SETTLED_RECEIVABLE: &str = "Vysporiadaný";
/// A known state of an irregularity that is still owed.
const OWED: &str = "Nehospodárne vymáhanie";

/// An irregularity without a project, as lists have it, with this amount. One that is settled is paid.
fn loose(id: u64, state: &str, amount: f64) -> Value {
    let mut row = irregularity(id, state, "A");
    row["projekt"] = Value::Null;
    row["celkovaSumaNezrovnalosti"] = json!(amount);
    row["sumaNaVymahanie"] = json!(amount);
    row["vratenaSuma"] = json!((state == SETTLED).then_some(amount));
    row
}

/// A receivable with this amount. One that is settled is paid.
fn demanded(id: u64, state: &str, amount: f64) -> Value {
    let mut row = receivable(id, state, "B", None);
    row["sumaNaVratenie"] = json!(amount);
    row["vratenaSuma"] = json!((state == SETTLED_RECEIVABLE).then_some(amount));
    row
}

/// The reasons for which `unread` names irregularities.
fn unread(section: &Value) -> Vec<&str> {
    let all = section["unread"].as_array().unwrap().iter();
    let of_debts = all.filter(|one| one["source"] == IRREGULARITIES);
    of_debts.map(|one| one["why"].as_str().unwrap()).collect()
}

const LEFT_OUT: &str = "receivables name no irregularity and may follow from one of the company; totals leave them out";

#[test]
fn settled_irregularity_hides_no_open_receivable() {
    let irregularities = [loose(1, SETTLED, 50.0), loose(2, SETTLED, 5_000.0)];
    let receivables = [
        demanded(1, OPEN, 16_500.0),
        demanded(2, OPEN, 49.5),
        demanded(3, "Podaná žaloba", 7.0),
    ];
    let section = section(&irregularities, &receivables);
    let expected = json!([5, 3, 21_606.5, 5_050.0, 16_556.5]);
    assert_eq!(json!(totals(&section["irregularities"])), expected);
    let why = "in part: 1 states of irregularities are not known; these entries count as open";
    assert_eq!(unread(&section), [why], "none is left out");
}

#[test]
fn receivable_above_the_irregularity_is_another_debt() {
    for (state, other) in [(OWED, OPEN), (SETTLED, SETTLED_RECEIVABLE)] {
        let section = section(&[loose(1, state, 100.0)], &[demanded(2, other, 100.01)]);
        assert_eq!(section["irregularities"]["total_amount"], 200.01, "{state}");
        assert_eq!(unread(&section), [""; 0]);
    }
}

#[test]
fn receivable_left_out_on_suspicion_is_unread() {
    for (state, other) in [
        (OWED, OPEN),
        (OWED, SETTLED_RECEIVABLE),
        (SETTLED, SETTLED_RECEIVABLE),
    ] {
        for amount in [100.0, 40.0] {
            let receivables = [demanded(2, other, amount)];
            let section = section(&[loose(1, state, 100.0)], &receivables);
            assert_eq!(section["irregularities"]["total_amount"], 100.0);
            assert_eq!(unread(&section), [format!("in part: 1 {LEFT_OUT}")]);
        }
    }
}

#[test]
fn irregularity_with_an_equal_receivable_hides_no_others() {
    let irregularities = [loose(1, SETTLED, 773.79)];
    let receivables = [(2, 773.79), (3, 24.5), (4, 773.79)];
    let receivables = receivables.map(|(id, amount)| demanded(id, SETTLED_RECEIVABLE, amount));
    let section = section(&irregularities, &receivables);
    let expected = json!([4, 0, 1_572.08, 1_572.08, 0.0]);
    assert_eq!(json!(totals(&section["irregularities"])), expected);
    assert_eq!(unread(&section), [format!("in part: 1 {LEFT_OUT}")]);
}

#[test]
fn different_projects_are_different_debts() {
    let irregularities = [irregularity(1, OPEN, "A")];
    let mut receivable = demanded(2, OPEN, 90.25);
    let expected = json!([2, 2, 190.75, 10.0, 170.5]);
    let separate = section(&irregularities, &[receivable.clone()]);
    assert_eq!(json!(totals(&separate["irregularities"])), expected);
    assert_eq!(unread(&separate), [""; 0]);
    receivable["projekt"]["kod"] = json!("A");
    let expected = json!([2, 2, 100.5, 10.0, 80.25]);
    assert_eq!(
        json!(totals(&block(&irregularities, &[receivable]))),
        expected
    );
}

#[test]
fn linked_entries_count_once_and_are_read() {
    let linked = receivable(2, OPEN, "B", Some(1));
    let mut naming = irregularity(1, OPEN, "A");
    naming["suvisiacePohladavkoveDoklady"] = json!([{"id": 2}]);
    for (irregularity, receivable) in [
        (irregularity(1, OPEN, "A"), linked.clone()),
        (naming.clone(), receivable(2, OPEN, "B", None)),
        (naming.clone(), linked),
    ] {
        let section = section(&[irregularity], &[receivable]);
        let expected = json!([2, 2, 100.5, 10.0, 80.25]);
        assert_eq!(json!(totals(&section["irregularities"])), expected);
        assert_eq!(unread(&section), [""; 0]);
    }
    // A link to another entry shows that these two are not one debt.
    let other = receivable(2, OPEN, "A", Some(7));
    let unnamed = receivable(9, OPEN, "A", None);
    for (irregularity, receivable) in [(irregularity(1, OPEN, "A"), other), (naming, unnamed)] {
        let section = section(&[irregularity], &[receivable]);
        let expected = json!([2, 2, 1100.5, 11.5, 1078.75]);
        assert_eq!(json!(totals(&section["irregularities"])), expected);
        assert_eq!(unread(&section), [""; 0]);
    }
}

#[test]
fn open_receivable_of_a_settled_irregularity_is_owed() {
    let section = section(
        &[irregularity(1, SETTLED, "A")],
        &[receivable(2, OPEN, "A", Some(1))],
    );
    let expected = json!([2, 1, 100.5, 10.0, 998.5]);
    assert_eq!(json!(totals(&section["irregularities"])), expected);
    assert_eq!(unread(&section), [""; 0]);
}

#[test]
fn suspicion_takes_no_receivable() {
    let suspicion = loose(1, "Podozrenie z nezrovnalosti", 100.0);
    let mut naming = suspicion.clone();
    naming["suvisiacePohladavkoveDoklady"] = json!([{"id": 2}]);
    for suspicion in [suspicion, naming] {
        let irregularities = [suspicion, loose(3, OWED, 500.0)];
        let receivables = [demanded(2, OPEN, 100.0), demanded(4, OPEN, 600.0)];
        let block = block(&irregularities, &receivables);
        let is_named = irregularities[0]
            .get("suvisiacePohladavkoveDoklady")
            .is_some();
        let expected = if is_named { 1_200.0 } else { 1_100.0 };
        assert_eq!(block["total_outstanding"], expected);
    }
}
