//! The dump of the register of legal persons with the arrays of histories, compared with the same dump without them:
//! time of the import, size of the store, and time of a stored look-up.

use std::time::{Duration, Instant};

use bytes::Bytes;
use lustra_tests::World;
use tokio::runtime::Runtime;

use super::{List, Prepared};
use crate::support::{self, Aim, Figures, Options, upstream};

/// Look-ups of a round.
const LOOK_UPS: usize = 2_000;
/// Rounds of look-ups for each round of imports. They are short.
const LOOK_UP_ROUNDS: u32 = 7;

pub fn compare(runtime: &Runtime, whole: &Prepared, options: &Options, figures: &mut Figures) {
    let rounds = options.number("rounds", 3, 1);
    let bare = without_arrays(runtime, whole);
    figures.explain(&format!(
        "companies: {} records with histories ({} bytes packed) and the same records without the arrays of people, \
         activities, rules of acting, deposits, capital, shares, relatives, legal facts and units ({} bytes). Each \
         imported into a fresh database; the database's size after its log was written back; {LOOK_UPS} stored base \
         companies by number, in an order that is not that of the dump. {rounds} alternating rounds; the median ratio \
         counts.",
        whole.records,
        whole.packed.len(),
        bare.packed.len()
    ));
    let icos = upstream::icos(&whole.packed);
    let (mut times, mut sizes, mut look_ups) = (vec![], vec![], vec![]);
    for round in 0..rounds {
        let (with, without) = if round % 2 == 0 {
            let with = whole.imported(runtime);
            (with, bare.imported(runtime))
        } else {
            let without = bare.imported(runtime);
            (whole.imported(runtime), without)
        };
        times.push(with.1.as_secs_f64() / without.1.as_secs_f64());
        look_ups.extend(look_up_ratios(runtime, [&with.0, &without.0], &icos));
        let (with, without) = (size(runtime, with.0), size(runtime, without.0));
        sizes.push(with / without);
        figures.report("companies, store with histories", with, "MiB");
        figures.report("companies, store without", without, "MiB");
    }
    figures.aimed(
        "companies, time of import with histories to without",
        support::median(&times),
        "",
        Aim::AtMost(1.5),
    );
    figures.aimed(
        "companies, store with histories to without",
        support::median(&sizes),
        "",
        Aim::AtMost(2.0),
    );
    figures.aimed(
        "companies, stored look-up with histories to without",
        support::median(&look_ups),
        "",
        Aim::AtMost(1.05),
    );
}

/// The same records without the arrays, behind a server of their own.
fn without_arrays(runtime: &Runtime, whole: &Prepared) -> Prepared {
    let files = upstream::without_arrays(&whole.packed);
    let packed: Bytes = files[upstream::DUMP].bytes.clone();
    Prepared {
        list: List::Companies,
        records: whole.records,
        address: upstream::serve(runtime, files),
        packed,
    }
}

/// Ratios of the time of look-ups in the first world to the second. The first pair warms both up.
fn look_up_ratios(runtime: &Runtime, worlds: [&World; 2], icos: &[String]) -> Vec<f64> {
    let mut ratios = Vec::new();
    for round in 0..=LOOK_UP_ROUNDS {
        let [with, without] = if round % 2 == 0 {
            worlds.map(|world| look_up(runtime, world, icos))
        } else {
            let [with, without] = worlds;
            let without = look_up(runtime, without, icos);
            [look_up(runtime, with, icos), without]
        };
        if round > 0 {
            ratios.push(with.as_secs_f64() / without.as_secs_f64());
        }
    }
    ratios
}

fn look_up(runtime: &Runtime, world: &World, icos: &[String]) -> Duration {
    // A stride without a common divisor with the number of records visits them in a mixed order.
    let stride = 7_919;
    let started = Instant::now();
    runtime.block_on(async {
        for turn in 0..LOOK_UPS {
            let ico = &icos[turn * stride % icos.len()];
            let found = world.store.companies().find_by_ico(ico).await;
            assert!(found.expect("the store answers").is_some(), "{ico}");
        }
    });
    started.elapsed()
}

/// The size of a world's database in MiB. Closing writes its log back. Ends the world.
fn size(runtime: &Runtime, world: World) -> f64 {
    let url = world.config().store_url();
    let file = url
        .strip_prefix("sqlite:")
        .expect("it is SQLite")
        .to_owned();
    runtime.block_on(world.store.close());
    let bytes = ["", "-wal"].map(|suffix| {
        let metadata = std::fs::metadata(format!("{file}{suffix}"));
        metadata.map_or(0, |file| file.len())
    });
    runtime.block_on(world.end());
    #[expect(clippy::cast_precision_loss, reason = "a count far below 2^52")]
    let bytes = bytes.iter().sum::<u64>() as f64;
    bytes / f64::from(1 << 20)
}
