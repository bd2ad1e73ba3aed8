//! The same data and questions to what users would pick instead: `PostgreSQL` behind a bare handler for look-ups, and
//! the search of databases for names.
//!
//! `cargo bench -- growth-rivals`.

use axum::Router;
use axum::extract::{Path, State};
use axum::http::{StatusCode, header};
use axum::response::{IntoResponse, Response};
use axum::routing::get;
use lustra_tests::DatabaseKind;
use lustra_tests::lustra::store::testing::TestDatabase;
use lustra_tests::lustra::store::{Store, StoredCompany};
use serde_json::json;
use sqlx::QueryBuilder;
use sqlx_postgres::{PgPool, PgPoolOptions, Postgres};
use tokio::runtime::Runtime;

use super::companies::{typing, world_on};
use super::fill::{self, Source};
use super::points::{Grown, Points};
use super::{address, database};
use crate::search::{everything, fts5, times, trigrams, typed};
use crate::support::client::{self, Request};
use crate::support::{self, Figures, Options, median, percentile, upstream};

const LOOKED_UP: u32 = 20_000;
/// Connections of the bare handler to `PostgreSQL`, as many as a host of these tests has.
const POOL: u32 = 8;

pub fn run(options: &Options) {
    support::log_like_a_server();
    let runtime = support::runtime();
    let companies = options.number("companies", 1_300_000, 2_000);
    let Some(database) = database(&runtime, DatabaseKind::Postgres) else {
        return;
    };
    Source::new(&runtime, companies).fill(&runtime, database.url(), 0..companies);
    let mut figures = Figures::new("What users would pick instead");
    let mut points = Points::open(options, "rivals", "companies");
    let mut grown = Grown {
        figures: &mut figures,
        points: &mut points,
        series: "PostgreSQL",
        size: companies,
    };
    let world = runtime.block_on(world_on(database.url()).start());
    runtime.block_on(world.indexed());
    let key = world.key.clone();
    look_ups(
        &runtime,
        &world.store,
        &key,
        address(&world.url()),
        options,
        &mut grown,
    );
    typing(&runtime, world.search(), &world.store, options, &mut grown);
    names(&runtime, &world.store, options, &mut grown);
    points.save();
    points.show();
    figures.end();
    runtime.block_on(world.end());
    runtime.block_on(database.remove());
}

/// The answer about a company as a client would store it: the members of the host's answer that a base record has.
fn answer(company: &StoredCompany) -> String {
    let base = &company.base;
    json!({
        "data": {
            "id": company.id,
            "ico": base.ico,
            "name": base.name,
            "legal_form": base.legal_form,
            "legal_form_code": base.legal_form_code,
            "address": {
                "street": base.street,
                "city": base.city,
                "postal_code": base.postal_code,
                "country": base.country,
                "country_code": base.country_code,
            },
            "established_date": base.established_date,
            "terminated_date": base.terminated_date,
            "status": base.status.word(),
            "nace_code": base.nace_code,
            "nace_description": base.nace_description,
            "source_register": base.source_register.as_str(),
        },
        "meta": { "source": "database", "cached": false, "stale": false },
    })
    .to_string()
}

/// Copies the answers about all companies into a table with nothing else.
async fn copied(store: &Store, pool: &PgPool) {
    const PAGE: u32 = 2_000;
    sqlx::query("create table answer (ico text primary key, body text not null)")
        .execute(pool)
        .await
        .expect("a fresh database");
    let mut reached = 0;
    loop {
        let page = store.companies().changed_since(reached, PAGE).await;
        let page = page.expect("the store is there");
        let Some(last) = page.last() else { break };
        reached = last.revision;
        let mut statement = QueryBuilder::<Postgres>::new("insert into answer (ico, body) ");
        statement.push_values(&page, |mut row, company| {
            row.push_bind(&company.base.ico).push_bind(answer(company));
        });
        let inserted = statement.build().execute(pool).await;
        inserted.expect("they fit");
    }
    let analyzed = sqlx::query("vacuum analyze answer").execute(pool).await;
    analyzed.expect("the table is there");
}

/// A handler that selects a stored answer and sends it.
fn bare_server(pool: PgPool) -> Router {
    async fn select(State(pool): State<PgPool>, Path(ico): Path<String>) -> Response {
        let found = sqlx::query_scalar::<_, String>("select body from answer where ico = $1")
            .bind(ico)
            .fetch_optional(&pool)
            .await;
        match found {
            Ok(Some(body)) => ([(header::CONTENT_TYPE, "application/json")], body).into_response(),
            Ok(None) => StatusCode::NOT_FOUND.into_response(),
            Err(_) => StatusCode::SERVICE_UNAVAILABLE.into_response(),
        }
    }
    Router::new()
        .route("/v1/company/ico/{ico}", get(select))
        .with_state(pool)
}

fn look_ups(
    runtime: &Runtime,
    store: &Store,
    key: &str,
    host: std::net::SocketAddr,
    options: &Options,
    grown: &mut Grown,
) {
    let connections = options.number("connections", 16, 4);
    let rounds = options.number("rounds", 5, 2);
    let rate = options.number("profiles-rate", 400, 100);
    let span = options.seconds(5, 1);
    let rival = runtime.block_on(TestDatabase::postgres());
    let rival = rival.expect("the server of the host's database");
    let pool = runtime.block_on(async {
        let pool = PgPoolOptions::new().max_connections(POOL);
        let pool = pool.connect(rival.url()).await.expect("a fresh database");
        copied(store, &pool).await;
        pool
    });
    let bare = upstream::listen(runtime, bare_server(pool.clone()));
    let path = |ico: &String| client::get(&format!("/v1/company/ico/{ico}"), key);
    let icos = fill::spread(grown.size, LOOKED_UP);
    let requests: Vec<Request> = icos.iter().map(path).collect();
    let length = |server| client::Connection::open(server).ask(&requests[0]).len();
    grown.figures.explain(&format!(
        "Base data of {} companies, {LOOKED_UP} of them looked up: the host without a cache, with key, plan, limits, \
         freshness, origins and log ({} bytes), and a bare handler that selects a stored text from the same PostgreSQL \
         ({} bytes). {connections} connections, {rounds} alternating rounds of {} s; the median ratio counts.",
        grown.size,
        length(host),
        length(bare),
        span.as_secs_f64()
    ));
    for server in [host, bare] {
        client::closed_loop(server, &requests, connections, span / 3);
    }
    let (mut ours, mut theirs, mut ratios) = (Vec::new(), Vec::new(), Vec::new());
    for _ in 0..rounds {
        let host = client::closed_loop(host, &requests, connections, span);
        let bare = client::closed_loop(bare, &requests, connections, span);
        ours.push(host);
        theirs.push(bare);
        ratios.push(host / bare);
    }
    grown.add("stored look-up, throughput", median(&ours), "requests/s");
    grown.add("bare handler, throughput", median(&theirs), "requests/s");
    grown.add("host to bare handler, throughput", median(&ratios), "");
    for (name, server) in [("stored look-up", host), ("bare handler", bare)] {
        let mut times = client::open_loop(server, &requests, connections, rate, span);
        for (share, of) in [(0.5, "p50"), (0.99, "p99")] {
            let time = super::millis(percentile(&mut times, share));
            grown.add(&format!("{name}, {of}"), time, "ms");
        }
    }
    runtime.block_on(pool.close());
    runtime.block_on(rival.remove());
}

/// The search of databases for the names of the same companies.
fn names(runtime: &Runtime, store: &Store, options: &Options, grown: &mut Grown) {
    let count = options.number("rival-names", 20, 5);
    let companies = runtime.block_on(everything(store));
    let step = (companies.len() / count as usize).max(1);
    let asked: Vec<&str> = companies
        .iter()
        .step_by(step)
        .take(count as usize)
        .flat_map(|company| typed(&company.name))
        .collect();
    grown.figures.explain(&format!(
        "The same names in FTS5 with prefix indexes of 2, 3 and 4 letters, ordered by rank, and in pg_trgm, ordered by \
         similarity: {count} names typed letter by letter, 11 results each."
    ));
    let mut found = runtime.block_on(fts5(&companies, &asked, grown.figures));
    times("FTS5", &mut found, None, grown.figures);
    let p99 = super::millis(percentile(&mut found, 0.99));
    grown.add("FTS5, p99", p99, "ms");
    let found = runtime.block_on(trigrams(&companies, &asked, grown.figures));
    if let Some(mut found) = found {
        times("pg_trgm", &mut found, None, grown.figures);
        let p99 = super::millis(percentile(&mut found, 0.99));
        grown.add("pg_trgm, p99", p99, "ms");
    }
}
