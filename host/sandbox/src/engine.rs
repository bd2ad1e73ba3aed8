//! The WebAssembly engine: pooled instances, CPU time counted in ticks, no access through WASI.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use wasmtime::{
    Config, Enabled, Engine, InstanceAllocationStrategy, PoolingAllocationConfig, Strategy,
};

use super::limits::{CORE_INSTANCES, MEMORIES, TABLES, TICK};
use super::settings::Pool;

/// Stack of a fibre in addition to the guest's, for the host functions that it calls.
const HOST_STACK: usize = 1536 * 1024;

/// Size of a table up to which its memory is cleared after a call and not returned to the system, in bytes.
const TABLE_KEPT: usize = 16 << 10;

/// An engine that runs connectors; one per process for the code of each compiler.
#[derive(Clone)]
pub struct ConnectorEngine {
    engine: Engine,
    pool: PoolSize,
    tier: Tier,
    // Dropping the last clone stops the ticking thread.
    _ticker: Arc<Ticker>,
}

/// Size of the instance pool.
#[derive(Debug, Clone, Copy)]
pub struct PoolSize {
    /// Most calls in flight, over all connectors.
    pub instances: u32,
    /// Hard limit of one instance's memory in bytes. Each connector's own limit is lower.
    pub memory: usize,
    /// Stack of guest code in bytes.
    pub stack: usize,
}

impl From<&Pool> for PoolSize {
    fn from(pool: &Pool) -> Self {
        let memory = pool.memory_mib.saturating_mul(1 << 20);
        Self {
            instances: pool.instances,
            memory: usize::try_from(memory).unwrap_or(1 << 30),
            stack: pool.stack_kib * 1024,
        }
    }
}

impl ConnectorEngine {
    /// Builds the engine. Without enough address space for the pool, instances are allocated on demand.
    ///
    /// # Errors
    /// The engine rejects its configuration.
    pub fn new(pool: PoolSize) -> wasmtime::Result<Self> {
        Self::of_tier(pool, Tier::Optimizing)
    }

    /// Like [`Self::new`], for code of this tier's compiler only.
    ///
    /// # Errors
    /// The engine rejects its configuration, such as a compiler that this machine does not have.
    pub fn of_tier(pool: PoolSize, tier: Tier) -> wasmtime::Result<Self> {
        let engine = match Engine::new(&config(pool, tier, true)) {
            Ok(engine) => engine,
            Err(error) => {
                tracing::warn!(%error, "not enough address space for the instance pool; allocating instances on demand");
                Engine::new(&config(pool, tier, false))?
            }
        };
        let ticker = Ticker::start(&engine);
        Ok(Self {
            engine,
            pool,
            tier,
            _ticker: Arc::new(ticker),
        })
    }

    #[must_use]
    pub fn engine(&self) -> &Engine {
        &self.engine
    }

    /// The pool size that it was built for.
    #[must_use]
    pub fn pool(&self) -> PoolSize {
        self.pool
    }

    /// The tier of its compiler.
    #[must_use]
    pub fn tier(&self) -> Tier {
        self.tier
    }
}

/// A compiler of WebAssembly.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Tier {
    /// Winch. It compiles several times faster than the optimizing compiler; its code is slower.
    SinglePass,
    /// Cranelift.
    Optimizing,
}

lustra_store::text_enum!(Tier {
    SinglePass: "single-pass",
    Optimizing: "optimizing",
});

impl Tier {
    /// Whether this machine has the compiler. Winch is supported on x86-64 (Wasmtime's tiers of support).
    #[must_use]
    pub const fn is_supported(self) -> bool {
        matches!(self, Self::Optimizing) || cfg!(target_arch = "x86_64")
    }
}

/// An engine that compiles on one core for another process with the same pool.
///
/// # Errors
/// The engine rejects its configuration.
pub fn for_compiling(pool: PoolSize, tier: Tier) -> wasmtime::Result<Engine> {
    let mut settings = config(pool, tier, true);
    settings.parallel_compilation(false);
    match Engine::new(&settings) {
        Ok(engine) => Ok(engine),
        Err(_no_address_space) => {
            let mut settings = config(pool, tier, false);
            settings.parallel_compilation(false);
            Engine::new(&settings)
        }
    }
}

/// Processors that code is compiled for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Cpu {
    /// The processor of this machine, with all its features.
    Native,
    /// Every processor of this machine's architecture.
    Baseline,
    /// Processors of the level x86-64-v2: SSE 4.2, since about 2009.
    X86_64V2,
    /// Processors of the level x86-64-v3: AVX2 and BMI, since about 2013.
    X86_64V3,
}

lustra_store::text_enum!(Cpu {
    Native: "native",
    Baseline: "baseline",
    X86_64V2: "x86-64-v2",
    X86_64V3: "x86-64-v3",
});

/// An engine that compiles on all cores for processes with the same pool, on processors of this kind.
///
/// # Errors
/// The engine rejects its configuration, such as a level of another architecture.
pub fn for_precompiling(pool: PoolSize, cpu: Cpu) -> wasmtime::Result<Engine> {
    let settings = |pooled| -> wasmtime::Result<Config> {
        let mut settings = config(pool, Tier::Optimizing, pooled);
        if cpu != Cpu::Native {
            // Naming the target switches the detection of this machine's features off.
            let target = format!("{}-unknown-linux-gnu", std::env::consts::ARCH);
            settings.target(&target)?;
        }
        if matches!(cpu, Cpu::X86_64V2 | Cpu::X86_64V3) {
            enable(&mut settings, cpu.word());
        }
        Ok(settings)
    };
    Engine::new(&settings(true)?).or_else(|_no_address_space| Engine::new(&settings(false)?))
}

#[expect(
    unsafe_code,
    reason = "the preset of a processor's level; the loading engine checks that the processor has its features"
)]
fn enable(settings: &mut Config, preset: &str) {
    // SAFETY: the preset only adds instructions, and code is refused on processors without them.
    unsafe { settings.cranelift_flag_enable(preset) };
}

fn config(pool: PoolSize, tier: Tier, pooled: bool) -> Config {
    let mut config = Config::new();
    config.strategy(match tier {
        Tier::SinglePass => Strategy::Winch,
        Tier::Optimizing => Strategy::Cranelift,
    });
    config
        .epoch_interruption(true)
        .max_wasm_stack(pool.stack)
        .async_stack_size(pool.stack + HOST_STACK)
        .wasm_backtrace_max_frames(std::num::NonZeroUsize::new(16));
    if pooled {
        let mut pooling = PoolingAllocationConfig::default();
        pooling
            .total_component_instances(pool.instances)
            .total_core_instances(pool.instances.saturating_mul(CORE_INSTANCES))
            .total_memories(pool.instances.saturating_mul(MEMORIES))
            .total_tables(pool.instances.saturating_mul(TABLES))
            .max_core_instances_per_component(CORE_INSTANCES)
            .total_stacks(pool.instances)
            .max_component_instance_size(10 << 20)
            .max_core_instance_size(10 << 20)
            .max_memory_size(pool.memory)
            // Clearing the tables of a Rust component, a few kilobytes, is faster than returning their pages.
            .table_keep_resident(TABLE_KEPT);
        // The scan resets only written pages, but misses pages that were swapped out (wasmtime PR 14357).
        if swap_is_off() {
            pooling
                .pagemap_scan(Enabled::Auto)
                .linear_memory_keep_resident(1 << 20);
        }
        config.allocation_strategy(InstanceAllocationStrategy::Pooling(pooling));
    }
    config
}

fn swap_is_off() -> bool {
    std::fs::read_to_string("/proc/swaps").is_ok_and(|swaps| swaps.lines().count() <= 1)
}

/// The thread that advances the engine's epoch.
struct Ticker(Arc<AtomicBool>);

impl Ticker {
    fn start(engine: &Engine) -> Self {
        let stop = Arc::new(AtomicBool::new(false));
        let stopped = Arc::clone(&stop);
        let weak = engine.weak();
        let spawned = std::thread::Builder::new()
            .name("connector-ticks".to_owned())
            .spawn(move || {
                while !stopped.load(Ordering::Relaxed) {
                    std::thread::sleep(TICK);
                    let Some(engine) = weak.upgrade() else { return };
                    engine.increment_epoch();
                }
            });
        if let Err(error) = spawned {
            tracing::error!(%error, "the ticking thread could not be started; the host cannot stop a connector that loops");
        }
        Self(stop)
    }
}

impl Drop for Ticker {
    fn drop(&mut self) {
        self.0.store(true, Ordering::Relaxed);
    }
}
