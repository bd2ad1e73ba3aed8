//! Whole imports of administrators.

use lustra_replik::Replik;
use lustra_sdk::serde_json::{Value, from_str, json};
use lustra_sdk::testing::{Answer, TestHost, run_import};
use lustra_sdk::{Failure, Importer, Item};

use super::world::{CHANGES, answering, changes, debtor, detail, detail_of, envelope, host};

/// A register with these changes: number, time, administrator's mark. It returns as many as requested.
struct Register(Vec<(String, String, String)>);

impl Register {
    /// `count` changes, a minute between each `group` of them.
    fn of(count: usize, group: usize) -> Self {
        let change = |number: usize| {
            let minute = number / group;
            let at = format!("2025-11-03T{:02}:{:02}:00+01:00", minute / 60, minute % 60);
            (format!("{}", 500 + number), at, format!("S{}", number % 7))
        };
        Self((0..count).map(change).collect())
    }

    fn from(&self, place: usize, most: usize) -> Answer {
        let rest = self.0.iter().skip(place).take(most);
        let rest: Vec<(&str, &str)> = rest.map(|(id, at, _)| (id.as_str(), at.as_str())).collect();
        changes(&rest)
    }

    /// Answers every possible `ZmenyOd`, for 10 changes at once and its doublings.
    fn host(&self) -> TestHost {
        let mut host = host().setting("changes_at_once", &json!(10));
        let mut froms: Vec<(String, usize)> = vec![("2025-09-30T23:59:59".to_owned(), 0)];
        for (_, at, _) in &self.0 {
            // One second before a full minute.
            let (hour, minute): (usize, usize) =
                (at[11..13].parse().unwrap(), at[14..16].parse().unwrap());
            let before = (hour * 60 + minute + 1_439) % 1_440;
            let day = if hour + minute == 0 { "02" } else { "03" };
            let from = format!(
                "2025-11-{day}T{:02}:{:02}:59+01:00",
                before / 60,
                before % 60
            );
            let place = self.0.iter().position(|(_, other, _)| other >= at).unwrap();
            froms.push((from, place));
        }
        froms.dedup();
        for (from, place) in froms {
            for doubling in 0..5 {
                let asked = 10 << doubling;
                let part = format!(
                    "<d:ZmenyOd>{from}</d:ZmenyOd><d:MaximalnyPocetVysledkov>{asked}</d:MaximalnyPocetVysledkov>"
                );
                host = answering(host, &part, self.from(place, asked));
            }
        }
        for (id, _, mark) in &self.0 {
            host = answering(host, &detail_of(id), detail(id, &debtor("99999901"), mark));
        }
        host
    }
}

fn keys(items: &[Item]) -> Vec<String> {
    let mut keys: Vec<String> = items.iter().map(|item| item.key.clone()).collect();
    keys.sort();
    keys.dedup();
    keys
}

fn import(cursor: Option<String>) -> Result<(Vec<Item>, Vec<String>), Failure> {
    run_import::<Replik>("administrators", cursor).map(|(items, _, cursors)| (items, cursors))
}

fn details_asked() -> Vec<String> {
    let mut asked: Vec<String> = TestHost::bodies()
        .into_iter()
        .filter(|body| body.contains("getKonanieDetailRequest"))
        .collect();
    asked.sort();
    asked
}

#[test]
fn each_changed_proceeding_is_requested_once() {
    for (count, group) in [(1, 1), (9, 1), (10, 1), (37, 3), (60, 25), (100, 100)] {
        Register::of(count, group).host().install();
        let (items, cursors) = import(None).unwrap();
        assert_eq!(
            keys(&items).len(),
            count.min(7),
            "{count} in groups of {group}"
        );
        let asked = details_asked();
        assert_eq!(
            asked.len(),
            count,
            "{count} in groups of {group}: {cursors:?}"
        );
        assert!(asked.windows(2).all(|pair| pair[0] != pair[1]));
        // Nothing changed: the next run ends at once and requests no proceeding.
        Register::of(count, group).host().install();
        let (again, _) = import(cursors.last().cloned()).unwrap();
        assert!(again.is_empty() && details_asked().is_empty());
    }
}

#[test]
fn resumed_run_equals_an_uninterrupted_one() {
    let register = Register::of(60, 4);
    register.host().install();
    let mut run = Replik::open("administrators", None).unwrap();
    let mut batches = Vec::new();
    while let Some(batch) = run.next().unwrap() {
        batches.push((batch.items, batch.cursor));
    }
    assert!(batches.len() > 3, "{}", batches.len());
    let of = |items: &[Item]| -> Vec<String> {
        items
            .iter()
            .map(|item| format!("{} {}", item.key, item.content))
            .collect()
    };
    for (place, (_, cursor)) in batches.iter().enumerate() {
        register.host().install();
        let (rest, _) = import(Some(cursor.clone())).unwrap();
        let expected: Vec<String> = batches[place + 1..]
            .iter()
            .flat_map(|(items, _)| of(items))
            .collect();
        assert_eq!(of(&rest), expected, "after batch {place}");
    }
}

#[test]
fn too_many_changes_at_one_moment_fail() {
    Register::of(200, 200).host().install();
    let failed = import(None);
    let Err(Failure::Malformed(drift)) = failed else {
        panic!("{failed:?}");
    };
    assert!(
        drift.what.contains("2025-11-03T00:00:00+01:00"),
        "{drift:?}"
    );
    assert!(drift.expected.contains("since"), "{drift:?}");
    // The operator skips them.
    let later = answering(host(), CHANGES, changes(&[])).setting("since", &json!("2025-11-04"));
    later.install();
    assert!(
        import(Some("2025-11-03T00:00:00+01:00 500 501".to_owned()))
            .unwrap()
            .0
            .is_empty()
    );
    assert!(TestHost::bodies()[0].contains("<d:ZmenyOd>2025-11-03T23:59:59</d:ZmenyOd>"));
}

#[test]
fn last_change_of_an_administrator_wins() {
    let list = changes(&[("1", "2025-11-03T08:00:00"), ("2", "2025-11-03T09:00:00")]);
    let older = detail("1", &debtor("99999901"), "S 9001");
    let newer = envelope(
        "<d:getKonanieDetailResponse><d:Konanie><d:Id>2</d:Id><d:Dlznik/><d:Spravca><d:Znacka>S9001</d:Znacka>\
         <d:ObchodneMeno>Fiktívni správcovia, k. s.</d:ObchodneMeno><d:Ico>99 999 901</d:Ico></d:Spravca></d:Konanie>\
         </d:getKonanieDetailResponse>",
    );
    let asked = answering(host(), &detail_of("1"), older);
    let asked = answering(asked, &detail_of("2"), newer);
    let asked = answering(asked, CHANGES, list);
    asked.install();
    let (items, _) = import(None).unwrap();
    assert_eq!(items.len(), 1);
    assert_eq!(
        (items[0].key.as_str(), items[0].ico.as_deref()),
        ("S9001", Some("99999901"))
    );
    assert_eq!(items[0].name.as_deref(), Some("Fiktívni správcovia, k. s."));
    let content: Value = from_str(&items[0].content).unwrap();
    assert_eq!(content["license_number"], "S9001");
}

#[test]
fn proceedings_without_administrator_are_counted() {
    let list = changes(&[("1", "2025-11-03T08:00:00"), ("2", "2025-11-03T09:00:00")]);
    let asked = answering(
        host(),
        &detail_of("1"),
        detail("1", &debtor("99999901"), ""),
    );
    let asked = answering(
        asked,
        &detail_of("2"),
        envelope("<d:getKonanieDetailResponse/>"),
    );
    answering(asked, CHANGES, list).install();
    let mut run = Replik::open("administrators", None).unwrap();
    let batch = run.next().unwrap().unwrap();
    let notes: Vec<(&str, &str)> = batch
        .notes
        .iter()
        .map(|note| (note.name.as_str(), note.value.as_str()))
        .collect();
    assert_eq!(
        notes,
        [("without-administrator", "1"), ("without-proceeding", "1")]
    );
    assert!(batch.items.is_empty());
    assert!(run.next().unwrap().is_none());
}

#[test]
fn answers_all_lacking_data_are_malformed() {
    let ids: Vec<String> = (1..=12).map(|id| id.to_string()).collect();
    let list: Vec<(&str, &str)> = ids
        .iter()
        .map(|id| (id.as_str(), "2025-11-03T08:00:00"))
        .collect();
    let asked = answering(host(), CHANGES, changes(&list));
    answering(
        asked.clone(),
        "getKonanieDetailRequest",
        envelope("<d:getKonanieDetailResponse/>"),
    )
    .install();
    assert!(matches!(import(None), Err(Failure::Malformed(_))));
    let renamed = |id: &str| {
        envelope(&format!(
            "<d:getKonanieDetailResponse><d:Konanie><d:Id>{id}</d:Id><d:Dlznik/><d:Spravca><d:Cislo>S1</d:Cislo></d:Spravca>\
             </d:Konanie></d:getKonanieDetailResponse>"
        ))
    };
    let asked = ids.iter().fold(asked, |asked, id| {
        answering(asked, &detail_of(id), renamed(id))
    });
    asked.install();
    assert!(matches!(import(None), Err(Failure::Malformed(_))));
}

#[test]
fn failing_register_ends_the_run() {
    let list = changes(&[("1", "2025-11-03T08:00:00")]);
    for (answer, is_malformed) in [
        (Answer::ok("<html></html>"), false),
        (Answer::status(500, ""), false),
        (Answer::status(404, ""), false),
        (Answer::ok(""), true),
        (Answer::ok(vec![0xff, 0xfe]), true),
        (envelope("<d:vyhladajPoslednuZmenuOdResponse/>"), true),
        (Answer::ok(list.body[..list.body.len() / 2].to_vec()), true),
    ] {
        answering(host(), CHANGES, answer.clone()).install();
        let of_list = import(None);
        let asked = answering(host(), CHANGES, list.clone());
        let empty = answer.body.windows(10).any(|part| part == b"vyhladajPo");
        answering(asked, &detail_of("1"), answer).install();
        let of_detail = import(None);
        for failed in [of_list, of_detail]
            .into_iter()
            .take(if empty { 1 } else { 2 })
        {
            match failed {
                Err(Failure::Malformed(_)) => assert!(is_malformed),
                Err(Failure::Unavailable(_)) => assert!(!is_malformed),
                other => panic!("{other:?}"),
            }
        }
    }
    answering(host(), CHANGES, Answer::status(429, "")).install();
    assert!(matches!(import(None), Err(Failure::Throttled(None))));
}

#[test]
fn failed_batch_is_read_again() {
    let list = changes(&[("1", "2025-11-03T08:00:00")]);
    let asked = answering(host(), CHANGES, list);
    let asked = answering(asked, &detail_of("1"), Answer::status(500, ""));
    answering(
        asked,
        &detail_of("1"),
        detail("1", &debtor("99999901"), "S1"),
    )
    .install();
    let mut run = Replik::open("administrators", None).unwrap();
    assert!(run.next().is_err());
    let batch = run.next().unwrap().unwrap();
    assert_eq!(keys(&batch.items), ["S1"]);
}

#[test]
fn run_stops_at_a_cursor_before_its_time_limit() {
    let list = changes(&[("1", "2025-11-03T08:00:00")]);
    let asked = answering(host(), CHANGES, list);
    let asked = answering(
        asked,
        &detail_of("1"),
        detail("1", &debtor("99999901"), "S1"),
    );
    asked.clone().install();
    let mut run = Replik::open("administrators", None).unwrap();
    asked.now("2026-01-15T08:51:00Z").install();
    assert!(matches!(run.next(), Err(Failure::Unavailable(_))));
}

#[test]
fn cursor_of_another_version_restarts() {
    for cursor in [
        "",
        "5",
        "2025-11-03",
        "2025-11-03T08:00:00 x",
        "2025-11-03T08:00:00  1",
    ] {
        host().install();
        let opened = Replik::open("administrators", Some(cursor.to_owned()));
        assert!(
            matches!(opened.err(), Some(Failure::Other((code, _))) if code == "list-changed"),
            "{cursor}"
        );
    }
    host().setting("since", &json!("včera")).install();
    let opened = Replik::open("administrators", None);
    assert!(matches!(opened.err(), Some(Failure::Misconfigured(_))));
    assert!(Replik::open("x", None).is_err());
}
