//! Bulk imports: through the sandbox into `SQLite`, compared with the same parsers run natively on the same store.

mod histories;

use std::time::{Duration, Instant};

use bytes::Bytes;
use lustra_tests::World;
use lustra_tests::lustra::store::testing::connector_id;
use tokio::runtime::Runtime;

use crate::support::process::{self, Resident};
use crate::support::upstream::{self, Files};
use crate::support::{self, Aim, Figures, Options, figures::say, native, rate};

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum List {
    VatPayers,
    Companies,
}

/// A list of a certain size, and the server that serves it.
struct Prepared {
    list: List,
    records: u32,
    address: String,
    packed: Bytes,
}

pub fn run(options: &Options) {
    support::log_like_a_server();
    let runtime = support::runtime();
    if let Some((list, address)) = &options.inner {
        measure_memory(&runtime, list, address);
        return;
    }
    let mut figures = Figures::new("Imports into SQLite");
    let vat_payers = options.number("vat-payers", 200_000, 4_000);
    let rpo_records = options.number("rpo-records", 100_000, 3_000);
    for (list, records) in [
        (List::VatPayers, vat_payers),
        (List::Companies, rpo_records),
    ] {
        let whole = Prepared::new(&runtime, list, records);
        compare(&runtime, &whole, options, &mut figures);
        let quarter = Prepared::new(&runtime, list, records / 4);
        memory(&quarter, &whole, &mut figures);
        if list == List::Companies {
            histories::compare(&runtime, &whole, options, &mut figures);
        }
    }
    figures.end();
}

impl List {
    fn connector(self) -> &'static str {
        match self {
            Self::VatPayers => "tax-authority",
            Self::Companies => "rpo",
        }
    }

    fn dataset(self) -> &'static str {
        match self {
            Self::VatPayers => "vat-payers",
            Self::Companies => "companies",
        }
    }

    fn upstream(self) -> &'static str {
        match self {
            Self::VatPayers => "fs-reports",
            Self::Companies => "rpo-dumps",
        }
    }

    /// An empty world whose register is at this address.
    fn world(self, runtime: &Runtime, address: &str) -> World {
        let address = address.to_owned();
        let world = World::new()
            .companies(12)
            .nothing_imported()
            .settings(move |config| {
                upstream::point(config, self.connector(), self.upstream(), &address);
            });
        runtime.block_on(world.start())
    }
}

impl Prepared {
    fn new(runtime: &Runtime, list: List, records: u32) -> Self {
        let (files, path) = match list {
            List::VatPayers => {
                let file = upstream::vat_list(runtime, records);
                (
                    Files::from([(upstream::VAT_LIST.to_owned(), file)]),
                    upstream::VAT_LIST,
                )
            }
            List::Companies => (upstream::bucket(runtime, records), upstream::DUMP),
        };
        let packed = files[path].bytes.clone();
        Self {
            list,
            records,
            address: upstream::serve(runtime, files),
            packed,
        }
    }

    /// Imports the list as a running host does. Returns the duration.
    fn import(&self, runtime: &Runtime) -> Duration {
        let (world, elapsed) = self.imported(runtime);
        runtime.block_on(world.end());
        elapsed
    }

    /// A world that imported the list as a running host does, and the duration.
    fn imported(&self, runtime: &Runtime) -> (World, Duration) {
        let world = self.list.world(runtime, &self.address);
        let started = Instant::now();
        let imported = runtime.block_on(world.importer.run(
            &connector_id(self.list.connector()),
            self.list.dataset(),
            &|_progress| (),
        ));
        let elapsed = started.elapsed();
        let imported = imported.expect("the list is imported");
        assert_eq!(imported.records, u64::from(self.records));
        (world, elapsed)
    }

    /// Imports the list with the native parser. Returns the duration.
    fn import_natively(&self, runtime: &Runtime) -> Duration {
        let world = self.list.world(runtime, &self.address);
        let started = Instant::now();
        let records = runtime.block_on(async {
            match self.list {
                List::VatPayers => native::import_vat_payers(&world, &self.packed).await,
                List::Companies => native::import_companies(&world, &self.packed).await,
            }
        });
        let elapsed = started.elapsed();
        assert_eq!(records, u64::from(self.records));
        runtime.block_on(world.end());
        elapsed
    }

    /// Reads the list through the sandbox without storing it. Returns the duration and the guest's peak memory in MiB.
    fn read(&self, runtime: &Runtime) -> (Duration, f64) {
        let world = self.list.world(runtime, &self.address);
        let connectors = world.importer.companies().connectors();
        let catalogue = connectors.catalogue();
        let loaded = catalogue
            .serving(&connector_id(self.list.connector()))
            .expect("it serves");
        let started = Instant::now();
        let (records, memory) = runtime.block_on(async {
            let opened = loaded.open_import(&connectors.services, self.list.dataset(), None);
            let mut run = opened.await.expect("the list is there");
            let mut records = 0;
            while let Some(batch) = run.next().await.expect("the list is read") {
                // A list of companies returns their histories beside them.
                records += match batch.companies.len() {
                    0 => batch.items.len(),
                    companies => companies,
                };
            }
            (records, run.cost().memory_high)
        });
        let elapsed = started.elapsed();
        assert_eq!(records as u64, u64::from(self.records));
        runtime.block_on(world.end());
        #[expect(clippy::cast_precision_loss, reason = "a count far below 2^52")]
        let memory = memory as f64 / f64::from(1 << 20);
        (elapsed, memory)
    }

    /// Reads the list natively without storing it. Returns the duration.
    fn read_natively(&self) -> Duration {
        let started = Instant::now();
        let records = match self.list {
            List::VatPayers => native::read_vat_payers(&self.packed),
            List::Companies => native::read_companies(&self.packed),
        };
        assert_eq!(records, u64::from(self.records));
        started.elapsed()
    }
}

/// Measures the speed of whole imports and of reading alone.
fn compare(runtime: &Runtime, prepared: &Prepared, options: &Options, figures: &mut Figures) {
    let rounds = options.number("rounds", 3, 1);
    let (name, records) = (prepared.list.dataset(), prepared.records);
    figures.explain(&format!(
        "{name}: {records} records, {} bytes packed, made by the simulator beforehand and served from memory over \
         loopback. Imported: fetched and unpacked by the host, parsed in the sandbox, handed over in batches of 1000, \
         committed and published, into a fresh database; natively: the same bytes unpacked and parsed by the same \
         code, committed in the same batches by the same functions of the store. Reading alone: both without the \
         store. {rounds} alternating rounds; the median ratio counts.",
        prepared.packed.len()
    ));
    let (mut imported, mut natively, mut ratios, mut reading) = (vec![], vec![], vec![], vec![]);
    let mut memory: f64 = 0.0;
    for round in 0..rounds {
        let (ours, theirs) = if round % 2 == 0 {
            let ours = prepared.import(runtime);
            (ours, prepared.import_natively(runtime))
        } else {
            let theirs = prepared.import_natively(runtime);
            (prepared.import(runtime), theirs)
        };
        imported.push(rate(records.into(), ours));
        natively.push(rate(records.into(), theirs));
        ratios.push(theirs.as_secs_f64() / ours.as_secs_f64());
        let (sandboxed, held) = prepared.read(runtime);
        reading.push(sandboxed.as_secs_f64() / prepared.read_natively().as_secs_f64());
        memory = memory.max(held);
    }
    figures.report(
        format!("{name}, imported"),
        support::median(&imported),
        "records/s",
    );
    figures.report(
        format!("{name}, natively"),
        support::median(&natively),
        "records/s",
    );
    let ratio = support::median(&ratios);
    figures.aimed(
        format!("{name}, speed of import to native"),
        ratio,
        "",
        Aim::AtLeast(0.6),
    );
    let reading = support::median(&reading);
    figures.aimed(
        format!("{name}, reading alone, time to native"),
        reading,
        "",
        Aim::AtMost(2.0),
    );
    figures.report(format!("{name}, memory of the guest"), memory, "MiB");
}

/// Measures the memory that an import adds to a host, for two sizes, each in a separate process.
fn memory(quarter: &Prepared, whole: &Prepared, figures: &mut Figures) {
    let name = whole.list.dataset();
    figures.explain(&format!(
        "{name}: resident memory of a process with only the host, before the import and at its peak. The embedded \
         database may cache 32 MiB for its writer. An import of four times the size should need at most a quarter \
         more."
    ));
    let highest = |prepared: &Prepared, figures: &mut Figures| {
        let [before, high] = in_own_process(prepared);
        let records = prepared.records;
        figures.report(format!("{name}, {records}: resident before"), before, "MiB");
        figures.report(format!("{name}, {records}: resident at most"), high, "MiB");
        high
    };
    let small = highest(quarter, figures);
    let large = highest(whole, figures);
    figures.aimed(
        format!("{name}, memory at four times the size"),
        large / small,
        "",
        Aim::AtMost(1.25),
    );
}

/// Runs one import in a child process and reads the two figures that the child prints.
fn in_own_process(prepared: &Prepared) -> [f64; 2] {
    let output = process::again([prepared.list.dataset(), &prepared.address])
        .output()
        .expect("the program runs again");
    let text = String::from_utf8_lossy(&output.stdout);
    let mut numbers = text.split_whitespace().filter_map(|word| word.parse().ok());
    let both = numbers.next().zip(numbers.next());
    let (before, high) = both.unwrap_or_else(|| {
        let why = String::from_utf8_lossy(&output.stderr);
        panic!("the import in its own process gave {text:?}: {why}")
    });
    [before, high]
}

/// The child process of [`in_own_process`].
fn measure_memory(runtime: &Runtime, dataset: &str, address: &str) {
    let list = if dataset == List::VatPayers.dataset() {
        List::VatPayers
    } else {
        List::Companies
    };
    let world = list.world(runtime, address);
    Resident::forget_high();
    let before = Resident::read().now;
    let imported = runtime.block_on(world.importer.run(
        &connector_id(list.connector()),
        list.dataset(),
        &|_progress| (),
    ));
    imported.expect("the list is imported");
    say(&format!("{before:.1} {:.1}", Resident::read().high));
    runtime.block_on(world.end());
}
