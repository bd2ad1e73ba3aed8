//! A reordered list raises no changes.

use std::path::{Path, PathBuf};

use lustra_demo as demo;
use lustra_tests::World;
use lustra_tests::lustra::store::testing::{connector_id, scope_name};
use lustra_tests::register_simulator::population::DebtorList;
use serde_json::{Value, json};

/// An operator-supplied list of a health insurer: its header, and a row for each debtor.
struct List {
    file: PathBuf,
    head: String,
    rows: Vec<String>,
}

impl List {
    /// The file that a simulator of the same companies serves.
    async fn like_the_simulator(folder: &Path) -> Self {
        let (simulator, _) = demo::simulator(60, 1, lustra_tests::START)
            .await
            .expect("the simulator starts");
        let url = format!("{}/operator-files/dovera.csv", simulator.url());
        let text = lustra_tests::client().get(url).send().await;
        let text = text.expect("it answers").text().await.expect("a file");
        let mut lines = text.lines().map(str::to_owned);
        let list = Self {
            file: folder.join("dovera.csv"),
            head: lines.next().expect("a head"),
            rows: lines.collect(),
        };
        assert!(list.rows.len() >= 3, "{text}");
        list
    }

    fn write(&self) {
        let text = format!("{}\n{}\n", self.head, self.rows.join("\n"));
        std::fs::write(&self.file, text).expect("tests can write temporary files");
    }

    /// Reorders the rows, depending on the round.
    fn shuffle(&mut self, round: usize) {
        let count = self.rows.len();
        self.rows.rotate_left(1 + round % (count - 1));
        for place in (2..count).step_by(round + 2) {
            self.rows.swap(place, place / 2);
        }
    }
}

/// Imports the list and reads all derived sections again. Returns the number of raised events.
async fn imported(world: &World) -> usize {
    let run = world
        .importer
        .run(&connector_id("debtors"), "dovera", &|_| {})
        .await;
    run.expect("the file is there");
    let sections = world.store.sections();
    let marked = sections
        .mark_all_dirty(&[scope_name("debtor_status")])
        .await;
    marked.expect("the store is there");
    let woken = world.store.watches().wake_all(world.now()).await;
    woken.expect("the store is there");
    world.refresh_watched().await;
    world.fan_out().await
}

async fn changes(world: &World, ico: &str) -> Value {
    let history = world.get(&format!("/v1/notifications/history/{ico}")).await;
    history.at("/meta/total").clone()
}

#[tokio::test]
async fn import_order_raises_no_changes() {
    let folder = tempfile::tempdir().expect("tests can write temporary files");
    let mut list = List::like_the_simulator(folder.path()).await;
    list.write();
    let address = format!("file:{}", list.file.display());
    let world = World::new()
        .settings(move |config| {
            let debtors = config.connector.get_mut("debtors").expect("the demo's");
            debtors.grants.push(address.clone());
            let upstream = debtors
                .upstreams
                .get_mut("dovera-list")
                .expect("the demo's");
            upstream.address = Some(address);
        })
        .start()
        .await;
    let population = world.simulator.population();
    let debtors: Vec<String> = (0..population.len())
        .map(|index| population.company(index, 0))
        .filter(|company| company.debt(DebtorList::Dovera).is_some())
        .map(|company| company.ico.clone())
        .collect();
    assert_eq!(debtors.len(), list.rows.len());
    for ico in &debtors {
        let body = json!({ "ico": ico, "notification_emails": ["risk@shop.example"] });
        let created = world.post("/v1/notifications", &body).await;
        assert_eq!(created.status, 201, "{}", created.body);
    }
    // The baseline: a first reading reports each debtor.
    imported(&world).await;
    let account = world.account().await.id;
    let events = world.store.events();
    let scopes = [scope_name("debtor_status")];
    let logged = events.logged_after(account, &scopes, 0, 100);
    let (baseline, _) = logged.await.expect("the store is there");
    assert_eq!(baseline.len(), debtors.len());
    for round in 0..3 {
        list.shuffle(round);
        list.write();
        assert_eq!(imported(&world).await, 0, "round {round}");
        for ico in &debtors {
            assert_eq!(changes(&world, ico).await, 0, "round {round}, {ico}");
        }
    }
    // The same list with another date.
    let day = list.rows[0].rsplit(';').next().expect("a day").to_owned();
    for row in &mut list.rows {
        *row = row.replace(&day, "14.01.2026");
    }
    list.write();
    assert_eq!(imported(&world).await, 0, "a day is no change");
    // Control: a changed row does raise events.
    let changed = list.rows[1].clone();
    let [day, _, rest] = changed.rsplitn(3, ';').collect::<Vec<_>>()[..] else {
        panic!("no day and amount: {changed}");
    };
    list.rows[1] = format!("{rest};123 456,78;{day}");
    list.write();
    assert!(imported(&world).await > 0);
    let ico = debtors.iter().find(|ico| changed.contains(ico.as_str()));
    let ico = ico.expect("it is of one of them");
    assert_ne!(changes(&world, ico).await, 0);
    world.end().await;
}

#[tokio::test]
async fn import_after_unmarked_changes_marks_all_sections() {
    let world = World::new().start().await;
    for ico in &world.icos[..5] {
        world.company(ico, "debtor_status").await;
    }
    let (connector, scopes) = (connector_id("debtors"), [scope_name("debtor_status")]);
    let run = async || {
        let run = world.importer.run(&connector, "dovera", &|_| {}).await;
        run.expect("the file is there");
    };
    // The list is the same, so no section changes.
    run().await;
    let all_marked = async || {
        let sections = world.store.sections();
        let marked = sections.mark_all_dirty(&scopes).await;
        marked.expect("the store is there") == 0
    };
    let datasets = world.store.datasets();
    let state = datasets.state(&connector, "dovera").await;
    let state = state.expect("the store is there").expect("it is imported");
    assert_eq!(state.marked_generation, state.generation);
    // An import whose changes were not marked, as after a crash whose generations are gone.
    datasets
        .set_marked(&connector, "dovera", 0)
        .await
        .expect("the store is there");
    run().await;
    assert!(all_marked().await);
    world.end().await;
}
