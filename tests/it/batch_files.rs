//! Files of companies into batches, and results as tables.

use lustra_tests::lustra::config::{Config, Plan};
use lustra_tests::lustra::tables::csv::Cell;
use lustra_tests::lustra::tables::{Bounds, Workbook, rows};
use lustra_tests::register_simulator::{Fault, Register};
use lustra_tests::{Answer, World, answered};
use serde_json::{Value, json};

use crate::credits::on_plan;
use crate::support::{form, keys, reading, reading_each};

const XLSX: &str = "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet";

const BOUNDS: Bounds = Bounds {
    rows: 1_000,
    columns: 500,
    cells: 100_000,
    unpacked_bytes: 64 << 20,
};

async fn sent(world: &World, path: &str, media_type: &str, file: Vec<u8>) -> Answer {
    let request = world.posting(path).header("content-type", media_type);
    answered(request.body(file)).await
}

fn workbook(table: &[&[Cell<'_>]]) -> Vec<u8> {
    let directory = tempfile::tempdir().expect("a directory");
    let mut workbook = Workbook::new(directory.path()).expect("a workbook");
    for row in table {
        workbook
            .append_row(row.iter().copied())
            .expect("it is written");
    }
    let file = tempfile::tempfile().expect("a file");
    let mut file = workbook.finish(file).expect("it is written");
    let mut bytes = Vec::new();
    std::io::Read::read_to_end(&mut file, &mut bytes).expect("it is there");
    bytes
}

#[test]
fn batches_take_csv_and_xlsx() {
    reading(async |world| {
        let (first, second) = (world.icos[0].as_str(), world.icos[1].as_str());
        let csv =
            format!("sep=;\r\nNázov;IČO\r\nA;{first}\r\nB;rubbish\r\nC;{second}\r\nC;{second}\r\n");
        let number: i64 = second.parse().expect("a number");
        let xlsx = workbook(&[
            &[Cell::Text("Zoznam")],
            &[Cell::Text("company id")],
            &[Cell::Text(first)],
            &[Cell::Text("rubbish")],
            &[Cell::Number(number)],
        ]);
        for (media_type, file) in [("text/csv", csv.into_bytes()), (XLSX, xlsx)] {
            let answer = sent(world, "/v1/batch/ico", media_type, file).await;
            assert_eq!(answer.status, 200, "{answer:?}");
            assert_eq!(keys(answer.at("/data")).len(), 3, "{answer:?}");
            assert_eq!(answer.body["data"][first]["found"], true);
            assert_eq!(answer.body["data"][second]["found"], true);
            let rubbish = &answer.body["data"]["rubbish"];
            assert_eq!(rubbish["error"], "validation_error", "{rubbish}");
            let meta = answer.at("/meta");
            assert_eq!((&meta["found"], &meta["failed"]), (&json!(2), &json!(1)));
        }
        let names = "ico,name\n,\"Vzorostav Čučoriedka, s. r. o.\"\n,…\n,Qwxyz\n";
        let answer = sent(world, "/v1/batch/names", "text/csv", names.into()).await;
        let meta = answer.at("/meta");
        assert_eq!(
            (&meta["found"], &meta["not_found"], &meta["failed"]),
            (&json!(1), &json!(1), &json!(1)),
            "{answer:?}"
        );
        let many = (0..20_000).map(|number| format!("{}\n", 20_000_000 + number));
        let refused = sent(
            world,
            "/v1/batch/ico",
            "text/csv",
            many.collect::<String>().into(),
        )
        .await;
        assert_eq!(
            (refused.status, keys(refused.at("/errors"))),
            (422, vec!["file"])
        );
    });
}

/// The rows of a downloaded table.
async fn table(world: &World, path: &str, accept: &str) -> Vec<Vec<String>> {
    let client = lustra_tests::client();
    let request = client.get(format!("{}{path}", world.url()));
    let request = request
        .header("x-api-key", &world.key)
        .header("accept", accept);
    let answer = request.send().await.expect("it answers");
    assert_eq!(answer.status(), 200, "{path}");
    let disposition = answer.headers()["content-disposition"].to_str();
    assert!(disposition.expect("a text").contains("companies."));
    let bytes = answer.bytes().await.expect("a body");
    let read = rows(&bytes, BOUNDS).expect("it is a table");
    read.into_iter().map(|row| row.cells).collect()
}

#[test]
fn results_are_tables_with_stable_columns() {
    reading(async |world| {
        let (first, second) = (world.icos[0].as_str(), world.icos[1].as_str());
        let body = json!({"icos": [first, "00000001", second]});
        let answer = world.post("/v1/batch/ico", &body).await;
        let id = answer.header("x-batch-id").expect("every batch has one");
        let path = format!("/v1/batch/{id}/results");
        let csv = table(world, &path, "text/csv").await;
        let xlsx = table(world, &format!("{path}?format=xlsx"), "*/*").await;
        assert_eq!(
            csv[0][..6],
            ["requested", "found", "error", "message", "id", "ico"]
        );
        assert_eq!(csv.len(), 4);
        assert_eq!(csv[0], xlsx[0]);
        let column = |name: &str| {
            let at = csv[0].iter().position(|column| column == name);
            at.unwrap_or_else(|| panic!("no column {name}: {:?}", csv[0]))
        };
        for member in keys(&answer.body["data"][first]["data"]) {
            let is_there = csv[0]
                .iter()
                .any(|name| name == member || name.starts_with(&format!("{member}.")));
            assert!(is_there, "no column for {member}");
        }
        let company = &answer.body["data"][second]["data"];
        assert_eq!(
            csv[3][column("name")],
            company["name"].as_str().unwrap_or_default()
        );
        assert_eq!(xlsx[3][column("name")], csv[3][column("name")]);
        assert_eq!(
            csv[3][column("address.city")],
            company["address"]["city"].as_str().unwrap_or_default()
        );
        assert_eq!(
            csv[3][column("established_date")],
            company["established_date"].as_str().unwrap_or_default()
        );
        let day: f64 = xlsx[3][column("established_date")]
            .parse()
            .expect("a day is a number in a workbook");
        assert!((20_000.0..60_000.0).contains(&day), "{day}");
        assert_eq!(
            (csv[2][0].as_str(), csv[2][1].as_str()),
            ("00000001", "false")
        );
        let chosen = table(
            world,
            &format!("{path}?columns=name,address&header=both"),
            "text/csv",
        )
        .await;
        assert_eq!(chosen[0][4], "name");
        assert_eq!(chosen[1][4], "Obchodné meno");
        assert!(
            chosen[0][5..]
                .iter()
                .all(|name| name.starts_with("address.")),
            "{:?}",
            chosen[0]
        );
        for wrong in [
            "?format=csv&columns=x",
            "?format=pdf",
            "?header=x",
            "?limit=1",
        ] {
            assert_eq!(
                world.get(&format!("{path}{wrong}")).await.status,
                422,
                "{wrong}"
            );
        }
    });
}

#[tokio::test]
async fn table_of_an_unfinished_batch_is_its_progress() {
    let jobs = |config: &mut Config| config.batch.synchronous_items = 0;
    let world = World::new().companies(12).settings(jobs).start().await;
    let numbers: Vec<String> = (0..60)
        .map(|number| format!("{}", 20_000_000 + number))
        .collect();
    let made = world
        .post("/v1/batch/ico", &json!({ "icos": numbers }))
        .await;
    let path = format!(
        "/v1/batch/{}/results?format=xlsx",
        made.header("x-batch-id").expect("an id")
    );
    let waiting = world.get(&path).await;
    assert_eq!(
        (waiting.status, waiting.at("/data/status")),
        (202, &Value::from("pending"))
    );
    assert!(world.batch_work().await > 1);
    let ended = table(&world, &path, "*/*").await;
    assert_eq!(ended.len(), 61);
    assert_eq!(ended[60][0], numbers[59]);
    world.end().await;
}

#[test]
fn forms_carry_the_same_files() {
    reading(async |world| {
        let ico = world.icos[0].as_str();
        let workbook = workbook(&[&[Cell::Text("ico")], &[Cell::Text(ico)]]);
        // The older encoding of spreadsheets, with semicolons.
        let csv = [b"N\xe1zov;I\xc8O\n\xc8u;".as_slice(), ico.as_bytes()].concat();
        for file in [csv, workbook] {
            let (content_type, body) = form(&[("file", &file)]);
            let answer = sent(world, "/v1/batch/ico", content_type, body).await;
            assert_eq!(answer.status, 200, "{answer:?}");
            assert_eq!(answer.body["data"][ico]["found"], true);
        }
        let (content_type, names) = form(&[("file", b"name\nQwxyz\n")]);
        let answer = sent(world, "/v1/batch/names", content_type, names).await;
        assert_eq!(answer.at("/meta/not_found"), 1, "{answer:?}");
        let list = ico.as_bytes();
        for (fields, wrong) in [
            (&[][..], vec!["file"]),
            (&[("list", list)], vec!["file", "list"]),
            (&[("file", list), ("scope", b"tax")], vec!["scope"]),
            (&[("file", list), ("file", list)], vec!["file"]),
            (&[("file", b"")], vec!["file"]),
            (&[("file", b"<html>")], vec!["file"]),
        ] {
            let (content_type, body) = form(fields);
            let refused = sent(world, "/v1/batch/ico", content_type, body).await;
            let found = (refused.status, keys(refused.at("/errors")));
            assert_eq!(found, (422, wrong), "{fields:?}: {refused:?}");
        }
        let large = vec![b'1'; 11 << 20];
        let (content_type, body) = form(&[("file", &large)]);
        let refused = sent(world, "/v1/batch/ico", content_type, body).await;
        assert_eq!(refused.status, 413, "{refused:?}");
        let (content_type, mut body) = form(&[("file", list)]);
        body.truncate(body.len() / 2);
        let refused = sent(world, "/v1/batch/ico", content_type, body).await;
        assert_eq!(
            (refused.status, keys(refused.at("/errors"))),
            (422, vec!["body"])
        );
    });
}

#[test]
fn table_has_the_chosen_sections() {
    reading_each(async |world| {
        let first = "99999994";
        let body = json!({"icos": [first, "00000001"]});
        let answer = world
            .post("/v1/batch/ico?scope=tax,debtor_status", &body)
            .await;
        let company = &answer.body["data"][first];
        assert!(company["data"]["tax"].is_object(), "{answer:?}");
        let id = answer.header("x-batch-id").expect("every batch has one");
        let path = format!("/v1/batch/{id}/results");
        for query in ["?format=csv", "?format=xlsx"] {
            let table = table(world, &format!("{path}{query}"), "*/*").await;
            let at = |name: &str| {
                let at = table[0].iter().position(|column| column == name);
                at.unwrap_or_else(|| panic!("no column {name}: {:?}", table[0]))
            };
            let dic = company["data"]["tax"]["dic"].as_str().expect("a number");
            assert_eq!(table[1][at("tax.dic")], dic, "{query}");
            for scope in ["tax", "debtor_status"] {
                let state = company["meta"]["scopes"][scope]["state"].as_str();
                let shown = &table[1][at(&format!("meta.scopes.{scope}.state"))];
                assert_eq!(Some(shown.as_str()), state, "{scope}");
                assert!(!shown.is_empty(), "{scope}");
            }
            // The company does not exist, and a workbook ends its row before the empty cells.
            let none = table[2].get(at("tax.dic")).map_or("", String::as_str);
            assert_eq!(none, "", "{query}");
        }
        let only = table(world, &format!("{path}?format=csv&scope=tax"), "*/*").await;
        let has = |part: &str| only[0].iter().any(|name| name.starts_with(part));
        assert!(has("tax.") && !has("debtor_status"), "{:?}", only[0]);
        let chosen = format!("{path}?format=csv&columns=ico,tax&header=titles");
        let chosen = table(world, &chosen, "*/*").await;
        assert!(
            chosen[0].iter().any(|title| title.contains(" – ")),
            "{chosen:?}"
        );
        for (wrong, named) in [
            ("format=csv&scope=insolvency", vec!["scope"]),
            ("format=csv&scope=x", vec!["scope"]),
            ("format=json&scope=tax", vec!["scope"]),
            ("columns=ico", vec!["columns"]),
            (
                "format=ndjson&columns=ico&header=both",
                vec!["columns", "header"],
            ),
        ] {
            let refused = world.get(&format!("{path}?{wrong}")).await;
            let found = (refused.status, keys(refused.at("/errors")));
            assert_eq!(found, (422, named), "{wrong}: {refused:?}");
        }
        let unknown = world.post("/v1/batch/ico?scope=x", &body).await;
        assert_eq!(unknown.status, 422, "{unknown:?}");
    });
}

#[test]
fn tables_list_present_people_and_activities() {
    reading(async |world| {
        let icos = &world.icos[..world.icos.len().min(100)];
        let answer = world
            .post("/v1/batch/ico?scope=orsr", &json!({ "icos": icos }))
            .await;
        let id = answer.header("x-batch-id").expect("every batch has one");
        let table = table(world, &format!("/v1/batch/{id}/results"), "text/csv").await;
        let mut former = 0;
        for (list, member) in [
            ("statutory_body", "name"),
            ("shareholders", "name"),
            ("business_activities", "activity"),
        ] {
            let column = table[0].iter().position(|column| column == list);
            let column = column.expect("a column");
            for (row, ico) in table[1..].iter().zip(icos) {
                let items = answer.body["data"][ico]["data"][list].as_array();
                let items: Vec<&Value> = items.into_iter().flatten().collect();
                let present = items.iter().filter(|item| item["current"] != false);
                let present: Vec<&str> = present.filter_map(|item| item[member].as_str()).collect();
                former += items.len() - present.len();
                assert_eq!(row[column], present.join("; "), "{ico} {list}");
            }
        }
        assert!(former > 0, "somebody left");
    });
}

#[tokio::test]
async fn unread_section_is_marked_in_the_table() {
    let world = World::new()
        .companies(12)
        .connectors(&["rpo", "replik"])
        .nothing_imported()
        .start()
        .await;
    world.fault(Register::Replik, Fault::Down);
    let ico = world.icos[0].clone();
    let body = json!({ "icos": [ico] });
    let answer = world.post("/v1/batch/ico?scope=insolvency", &body).await;
    let id = answer.header("x-batch-id").expect("every batch has one");
    let csv = table(&world, &format!("/v1/batch/{id}/results"), "text/csv").await;
    let state = csv[0]
        .iter()
        .position(|name| name == "meta.scopes.insolvency.state");
    assert_eq!(csv[1][state.expect("a column")], "unread", "{csv:?}");
    world.end().await;
}

#[tokio::test]
async fn scope_of_a_batch_outside_the_plan_is_forbidden() {
    let plan = Plan {
        scopes: vec!["tax".to_owned()],
        ..Plan::default()
    };
    let small = on_plan(plan).companies(12).nothing_imported();
    let small = small.connectors(&["rpo", "tax-authority", "replik"]);
    let world = small.start().await;
    let body = json!({ "icos": [world.icos[0]] });
    for (scope, status) in [("insolvency", 403), ("tax", 200), ("all", 200)] {
        let path = format!("/v1/batch/ico?scope={scope}");
        let answer = world.post(&path, &body).await;
        assert_eq!(answer.status, status, "{scope}: {answer:?}");
    }
    world.end().await;
}
