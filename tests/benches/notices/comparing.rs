//! The time that change detection adds to an import.

use std::io::Write;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Instant;

use axum::Router;
use axum::extract::State;
use axum::http::header;
use axum::routing::get;
use bytes::Bytes;
use lustra_tests::World;
use lustra_tests::lustra::store::testing::connector_id;
use tokio::runtime::Runtime;
use zip::ZipWriter;
use zip::write::SimpleFileOptions;

use crate::support::{Figures, Options, upstream};

/// The list of VAT payers, of whom `changed` have another street.
fn list(records: u32, changed: u32) -> Bytes {
    let mut archive = ZipWriter::new(std::io::Cursor::new(Vec::new()));
    archive
        .start_file("ds_dphs.xml", SimpleFileOptions::default())
        .expect("a fresh archive");
    let mut text = std::io::BufWriter::new(archive);
    let head = "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<ZoznamSubjektovRegistrovanychkDPH><DatumAktualizacieZoznamu>15012026</DatumAktualizacieZoznamu><DS_DPHS>\n";
    let mut write = |line: &str| text.write_all(line.as_bytes()).expect("memory takes it");
    write(head);
    for number in 0..records {
        let moved = changed > 0 && number % (records / changed).max(1) == 0;
        let street = if moved { "Nová" } else { "Stará" };
        write(&format!(
            "<ITEM><IC_DPH>SK2{number:09}</IC_DPH><ICO>{ico:08}</ICO><NAZOV_DS>Firma {number}, s. r. o.</NAZOV_DS>\
             <OBEC>Vzorovo</OBEC><PSC>99901</PSC><ULICA_CISLO>{street} {number}</ULICA_CISLO><STAT>Slovensko</STAT>\
             <DRUH_REG_DPH>§4</DRUH_REG_DPH><DATUM_REG>01.04.2012</DATUM_REG></ITEM>\n",
            ico = 10_000_000 + number,
        ));
    }
    write("</DS_DPHS></ZoznamSubjektovRegistrovanychkDPH>\n");
    let archive = text.into_inner().expect("memory takes it");
    archive
        .finish()
        .expect("memory takes it")
        .into_inner()
        .into()
}

pub(super) fn comparing(runtime: &Runtime, options: &Options, figures: &mut Figures) {
    let records = options.number("vat-payers", 500_000, 5_000);
    figures.explain(&format!(
        "A list of {records} records imported into SQLite, and again with one in a hundred changed: the second import \
         also compares both lists and marks the sections of changed companies as stale."
    ));
    let served = Arc::new(Mutex::new(list(records, 0)));
    let router = Router::new()
        .route(
            upstream::VAT_LIST,
            get(async |State(served): State<Arc<Mutex<Bytes>>>| {
                let bytes = served
                    .lock()
                    .unwrap_or_else(PoisonError::into_inner)
                    .clone();
                ([(header::CONTENT_TYPE, "application/zip")], bytes)
            }),
        )
        .with_state(Arc::clone(&served));
    let address = format!("http://{}", upstream::listen(runtime, router));
    let world = World::new()
        .companies(12)
        .nothing_imported()
        .settings(move |config| {
            upstream::point(config, "tax-authority", "fs-reports", &address);
        });
    let world = runtime.block_on(world.start());
    let import = || {
        let begun = Instant::now();
        let connector = connector_id("tax-authority");
        let run = world
            .importer
            .run(&connector, "vat-payers", &|_progress| ());
        let imported = runtime.block_on(run).expect("the list is imported");
        assert_eq!(imported.records, u64::from(records));
        begun.elapsed().as_secs_f64()
    };
    let first = import();
    *served.lock().unwrap_or_else(PoisonError::into_inner) = list(records, records / 100);
    let second = import();
    figures.report("the first import", first, "s");
    figures.report("the second, with what changed", second, "s");
    figures.report("the second to the first", second / first, "");
    runtime.block_on(world.end());
}
