use serde_json::json;

use super::*;

const ICO: &str = "99999994";

fn record(ico: &str, debt: u32) -> Value {
    json!({ "key": format!("{ico}|1"), "ico": ico, "name": null, "content": { "debt": debt }, "removed": false })
}

fn list(records: &[Value], odd: u32) -> Value {
    json!({ "records": records, "companies": [], "notes": { "odd": odd } })
}

/// What is wrong with a list that has an odd row of the company.
fn fault_of(given: &[Value], odd: u32, expected: &Value) -> Option<String> {
    let stored = BTreeMap::new();
    let row = OddRow::new(Some(ICO.to_owned()), expected, None, &stored);
    fault(&list(given, odd), expected, &row)
}

#[test]
fn odd_row_may_change_only_its_own_record() {
    let (own, a, b) = (record(ICO, 1), record("99999986", 2), record("99999978", 3));
    let expected = list(&[own.clone(), a.clone(), b.clone()], 0);
    let with = |member: &str, value: Value| {
        let mut record = own.clone();
        record[member] = value;
        record
    };
    let unreadable = with("content", json!({ "unreadable_row": true }));
    let without_company = with("ico", Value::Null);
    for (kept, odd) in [
        (vec![a.clone(), b.clone()], 1),
        (vec![unreadable, a.clone(), b.clone()], 0),
        (vec![without_company, a.clone(), b.clone()], 0),
        (vec![record(ICO, 0), a.clone(), b.clone()], 0),
    ] {
        assert_eq!(fault_of(&kept, odd, &expected), None, "{kept:?}");
    }
    let removed = with("removed", true.into());
    for (given, odd, why) in [
        (vec![a.clone(), b.clone()], 0, "neither kept nor counted"),
        (vec![a.clone()], 1, "records of other rows are missing"),
        (
            vec![own.clone(), a.clone(), record("99999978", 30)],
            1,
            "99999978|1",
        ),
        (
            vec![a.clone(), b.clone(), record("09999994", 1)],
            1,
            "09999994|1",
        ),
        (vec![removed, a, b], 1, "a removal"),
    ] {
        let fault = fault_of(&given, odd, &expected).unwrap_or_default();
        assert!(fault.contains(why), "{why}: {fault}");
    }
}

#[test]
fn stored_record_may_stay_beside_odd_row() {
    // The list no longer has the company, but the unreadable row may be about it.
    let stored_debt = |debt: u32| {
        let key = "99999986|1".to_owned();
        let content = json!({ "debt": debt }).to_string();
        let record = json!({ "key": key, "ico": "99999986", "content": content });
        BTreeMap::from([(key, record)])
    };
    let (own, ended, kept) = (record(ICO, 1), record("99999986", 0), record("99999986", 2));
    let expected = list(&[own.clone(), ended], 0);
    let given = list(&[kept], 1);
    for (debt, is_right) in [(2, true), (3, false)] {
        let stored = stored_debt(debt);
        let row = OddRow::new(Some(ICO.to_owned()), &expected, None, &stored);
        assert_eq!(fault(&given, &expected, &row).is_none(), is_right, "{debt}");
    }
}

#[test]
fn record_may_be_as_in_list_without_odd_row() {
    // Two rows are about one contact. The later one is damaged.
    let (own, contact) = (record(ICO, 1), record("99999986", 2));
    let expected = list(&[own, contact], 0);
    let earlier = record("99999986", 1);
    let (without, stored) = (list(std::slice::from_ref(&earlier), 0), BTreeMap::new());
    let row = OddRow::new(Some(ICO.to_owned()), &expected, Some(&without), &stored);
    let fault = |given: &[Value], odd| fault(&list(given, odd), &expected, &row);
    assert_eq!(fault(std::slice::from_ref(&earlier), 1), None);
    assert!(fault(&[earlier], 0).is_some(), "it is not counted");
    assert!(fault(&[record("99999978", 3)], 1).is_some());
}

#[test]
fn number_of_another_record_identifies_no_row() {
    let mut naming = record("99999986", 2);
    naming["content"]["payer"] = ICO.into();
    let records = [record(ICO, 1), naming, record("99999978", 3)];
    assert_eq!(
        numbers(&list(&records, 0)).of_rows,
        ["99999978", "99999986"]
    );
    let twice = json!({ "key": "2", "ico": "99999978" });
    let records = [records.as_slice(), &[twice]].concat();
    let list = list(&records, 0);
    let numbers = numbers(&list);
    assert_eq!(numbers.of_rows, ["99999986"], "it has one row");
    assert_eq!(numbers.all, ["99999978", "99999986", ICO]);
}
