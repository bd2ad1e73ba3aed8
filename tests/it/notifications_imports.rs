//! Imports of watch lists: each line has an outcome, and a repeated file changes nothing.

use lustra_tests::lustra::config::{Config, Plan};
use lustra_tests::{Answer, Builder, DatabaseKind, World, answered};
use serde_json::{Value, json};

use crate::credits::on_plan;
use crate::faults_support::on_each_kind;
use crate::notifications_support::{another_account, get_as};
use crate::support::{form, keys};

const PATH: &str = "/v1/notifications/imports";

async fn sent(world: &World, query: &str, file: &str) -> Answer {
    let request = world.posting(&format!("{PATH}?{query}"));
    let request = request.header("content-type", "text/csv");
    answered(request.body(file.to_owned())).await
}

fn watching(kind: DatabaseKind, most: u32) -> Builder {
    let plan = Plan {
        watched_companies: most,
        ..Plan::default()
    };
    on_plan(plan).on(kind)
}

/// The outcome of each line: its reason if it was rejected.
fn outcomes(answer: &Answer) -> Vec<String> {
    let lines = answer.at("/data").as_array().cloned().unwrap_or_default();
    let shown = |line: &Value| {
        let what = line["reason"].as_str().or(line["outcome"].as_str());
        format!("{} {}", line["line"], what.unwrap_or_default())
    };
    lines.iter().map(shown).collect()
}

async fn watched(world: &World) -> Value {
    let listed = world.get("/v1/notifications?status=active").await;
    listed.at("/meta/total").clone()
}

#[tokio::test]
async fn each_line_of_a_file_has_its_outcome() {
    on_each_kind(|kind| watching(kind, 3), async |world| {
        world.indexed().await;
        let named = "99999994";
        let others: Vec<&String> = world.icos.iter().filter(|ico| *ico != named).collect();
        let (first, second) = (others[0], others[1]);
        let file = format!(
            "Názov;IČO;Poznámka\n;{first};\n;{second};VIP\n;rubbish;\n;{first};again\n;;x\n;00000001;\n\
            Vzorostav Čučoriedka, s. r. o.;;\nQwxyz;;\n;{};\n;{};\n",
            others[2], others[3]
        );
        let emails = "notification_emails=risk@shop.example";
        let dry = sent(world, &format!("{emails}&dry_run=1"), &file).await;
        assert_eq!(dry.status, 200, "{dry:?}");
        let expected = [
            "2 created",
            "3 created",
            "4 not_an_ico",
            "5 duplicate",
            "6 empty",
            "7 company_unknown",
            "8 created",
            "9 name_unknown",
            "10 plan_limit",
            "11 plan_limit",
        ];
        assert_eq!(outcomes(&dry), expected, "{dry:?}");
        assert_eq!(watched(world).await, 0, "a dry run watches nothing");
        let done = sent(world, emails, &file).await;
        assert_eq!(outcomes(&done), expected);
        assert_eq!(watched(world).await, 3);
        assert_eq!(done.at("/data/3/duplicate_of"), 2);
        assert_eq!(done.at("/data/6/ico"), named);
        assert_eq!(
            (done.at("/meta/created"), done.at("/meta/rejected")),
            (&json!(3), &json!(7))
        );
        assert_eq!(done.at("/secret"), &Value::Null, "there is no webhook");
        let again = sent(world, emails, &file).await;
        assert_eq!(again.at("/meta/unchanged"), 3, "{again:?}");
        assert_eq!(again.at("/data/0/subscription_id"), done.at("/data/0/subscription_id"));
        let other = sent(world, "notification_emails=other@shop.example", &file).await;
        assert_eq!(other.at("/meta/updated"), 3, "{other:?}");
        assert_eq!(watched(world).await, 3);
        // An owner who unsubscribed stays in the list, and does not make each import a change.
        let both = format!("{emails},other@shop.example");
        assert_eq!(sent(world, &both, &file).await.at("/meta/updated"), 3);
        let (account, recipients) = (world.account().await.id, world.store.recipients());
        let left = recipients.unsubscribe(account, "other@shop.example", world.now());
        left.await.expect("the store is there");
        let again = sent(world, emails, &file).await;
        assert_eq!(again.at("/meta/unchanged"), 3, "{again:?}");
    })
    .await;
}

#[tokio::test]
async fn long_file_is_imported_in_the_background() {
    let few = |kind| {
        watching(kind, 100).settings(|config: &mut Config| {
            config.files.synchronous_lines = 5;
            config.files.waiting_imports = 1;
        })
    };
    on_each_kind(few, async |world| {
        let mut file = "ico\n".to_owned();
        for number in 0..120 {
            file.push_str(&format!("rubbish {number}\n"));
        }
        file.push_str(&format!("{}\n", world.icos[0]));
        let query = "webhook_url=https://shop.example/hooks&events=officers.changed";
        let accepted = sent(world, query, &file).await;
        assert_eq!(
            (accepted.status, accepted.at("/data")),
            (202, &json!([])),
            "{accepted:?}"
        );
        assert_eq!(accepted.at("/meta/status"), "processing");
        let secret = accepted.at("/secret").as_str().expect("it is shown once");
        assert!(secret.starts_with("whsec_"));
        let refused = sent(world, query, &file).await;
        assert_eq!(
            (refused.status, refused.at("/error")),
            (429, &json!("rate_limit_exceeded"))
        );
        let path = format!(
            "{PATH}/{}",
            accepted.at("/meta/id").as_str().expect("an id")
        );
        // Each host does a part; the report grows.
        let neighbour = world.neighbour().await;
        for (host, processed) in [(&world.watch_lists, 50), (&neighbour.watch_lists, 100)] {
            assert!(host.step().await.expect("the store is there"));
            let report = world.get(&path).await;
            assert_eq!(report.at("/meta/processed"), processed, "{report:?}");
            assert_eq!(outcomes(&report).len(), processed);
        }
        assert!(world.watch_lists.step().await.expect("the store is there"));
        assert!(
            !neighbour
                .watch_lists
                .step()
                .await
                .expect("the store is there")
        );
        let report = world.get(&path).await;
        assert_eq!(report.at("/meta/status"), "completed");
        assert_eq!(
            (report.at("/meta/created"), report.at("/meta/rejected")),
            (&json!(1), &json!(120))
        );
        assert_eq!(report.at("/secret"), &Value::Null, "never again");
        let listed = world.get("/v1/notifications").await;
        assert_eq!(listed.at("/data/0/events"), &json!(["officers.changed"]));
        // The report as CSV, and not for another account.
        let table = world.get(&format!("{path}?format=csv")).await;
        let text = table.body.as_str().expect("a text");
        assert!(text.starts_with("line,read,ico,"), "{text}");
        assert_eq!(text.matches("\r\n").count(), 122);
        assert!(
            text.contains("2,rubbish 0,,false,rejected,not_an_ico,,,\r\n"),
            "{text}"
        );
        let others = another_account(world, "own").await;
        assert_eq!(get_as(world, &others, &path).await.status, 404);
        let of_others = get_as(world, &others, PATH).await;
        assert_eq!(of_others.at("/data"), &json!([]));
        assert_eq!(world.get(PATH).await.at("/data/0/total"), 121);
    })
    .await;
}

#[tokio::test]
async fn wrong_imports_are_refused_with_reasons() {
    let narrow = |kind| {
        watching(kind, 3).settings(|config: &mut Config| {
            config.files.rows = 5;
            config.files.most_mib = 1;
        })
    };
    on_each_kind(narrow, async |world| {
        let target = "notification_emails=risk@shop.example";
        let long = "99999901\n".repeat(6);
        for (query, file, field) in [
            ("", "99999901\n", "webhook_url"),
            ("notification_emails=x", "99999901\n", "notification_emails"),
            ("webhook_url=ftp://x", "99999901\n", "webhook_url"),
            (&format!("{target}&events=x"), "99999901\n", "events"),
            (&format!("{target}&dry_run=2"), "99999901\n", "dry_run"),
            (&format!("{target}&url=x"), "99999901\n", "url"),
            (target, "", "file"),
            (target, "ico\n", "file"),
            (target, "<html>", "file"),
            (target, "PK\u{3}\u{4}x", "file"),
            (target, &long, "file"),
        ] {
            let refused = sent(world, query, file).await;
            assert_eq!(refused.status, 422, "{query} {refused:?}");
            assert_eq!(keys(refused.at("/errors")), [field], "{refused:?}");
        }
        let large = sent(world, target, &"x".repeat((1 << 20) + 1)).await;
        assert_eq!(large.status, 413, "{large:?}");
        let undeclared = answered(
            world
                .posting(&format!("{PATH}?{target}"))
                .body("99999901\n"),
        )
        .await;
        assert_eq!(undeclared.status, 415, "{undeclared:?}");
        assert_eq!(world.get(&format!("{PATH}/x")).await.status, 404);
        assert_eq!(world.get(PATH).await.at("/meta/total"), 0);
    })
    .await;
}

/// Sends a list with an idempotency key, as a CSV file or as the file of a form.
async fn keyed(world: &World, query: &str, key: &str, file: &str, is_form: bool) -> Answer {
    let request = world.posting(&format!("{PATH}?{query}"));
    let request = request.header("idempotency-key", key);
    let request = if is_form {
        let (content_type, body) = form(&[("file", file.as_bytes())]);
        request.header("content-type", content_type).body(body)
    } else {
        request
            .header("content-type", "text/csv")
            .body(file.to_owned())
    };
    answered(request).await
}

#[tokio::test]
async fn repeated_import_gets_the_report_of_the_first() {
    on_each_kind(
        |kind| watching(kind, 10),
        async |world| {
            let file = format!("ico\n{}\nrubbish\n", world.icos[0]);
            let query = "webhook_url=https://shop.example/hooks";
            let first = keyed(world, query, "a", &file, false).await;
            assert_eq!(
                (first.status, first.header("idempotency-replayed")),
                (200, None),
                "{first:?}"
            );
            let secret = first.at("/secret").as_str().expect("a secret").to_owned();
            // The same list as a form is the same request.
            for is_form in [false, true] {
                let again = keyed(world, query, "a", &file, is_form).await;
                assert_eq!(
                    again.header("idempotency-replayed"),
                    Some("true"),
                    "{again:?}"
                );
                assert_eq!(
                    (&again.body["data"], &again.body["meta"]["id"]),
                    (&first.body["data"], &first.body["meta"]["id"])
                );
                assert_eq!(again.at("/secret"), secret.as_str());
            }
            let other_file = format!("ico\n{}\n", world.icos[1]);
            for (query, file) in [
                (query, other_file.as_str()),
                (&format!("{query}&dry_run=1"), &file),
                ("webhook_url=https://shop.example/other", &file),
            ] {
                let refused = keyed(world, query, "a", file, false).await;
                assert_eq!(refused.status, 422, "{refused:?}");
                assert_eq!(keys(refused.at("/errors")), ["Idempotency-Key"]);
            }
            // A request that was refused may be corrected with the same key.
            let wrong = keyed(world, "notification_emails=x", "b", &file, false).await;
            assert_eq!(wrong.status, 422, "{wrong:?}");
            let right = keyed(world, query, "b", &file, false).await;
            assert_eq!(right.at("/meta/unchanged"), 1, "{right:?}");
            // Sent twice at once, one import is made.
            let both = tokio::join!(
                keyed(world, query, "c", &other_file, false),
                keyed(world, query, "c", &other_file, false)
            );
            assert_eq!(both.0.at("/meta/id"), both.1.at("/meta/id"));
            assert_eq!(world.get(PATH).await.at("/meta/total"), 3);
            let others = another_account(world, "own").await;
            assert_eq!(get_as(world, &others, PATH).await.at("/meta/total"), 0);
        },
    )
    .await;
}
