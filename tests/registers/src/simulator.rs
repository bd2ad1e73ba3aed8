//! Starts, controls and stops the simulator.

use std::io;
use std::net::SocketAddr;
use std::sync::Arc;
use std::time::Duration;

use axum::Router;
use axum::http::{StatusCode, header};
use axum::middleware;
use time::OffsetDateTime;
use tokio::net::TcpListener;
use tokio::sync::oneshot;
use tokio::task::JoinHandle;

use crate::clock::SimulatedClock;
use crate::connections::{Connection, Connections};
use crate::faults::{Fault, Faults, Register, answers};
use crate::population::Population;
use crate::selections::Selections;
use crate::{World, control, registers};

/// Maximum time that a shutdown waits for running requests.
const SHUTDOWN_TIMEOUT: Duration = Duration::from_secs(2);

/// The start options of a simulator.
#[derive(Debug, Clone)]
pub struct Options {
    /// Number of companies, from [`crate::population::SMALLEST`] to [`crate::population::LARGEST`].
    pub companies: u32,
    /// The seed of the population; the same seed gives the same population.
    pub seed: u64,
    /// The address to listen on; port 0 selects a free one.
    pub listen: SocketAddr,
    /// The simulated time at the start. Its date is day 0.
    pub start: OffsetDateTime,
}

/// A running simulator. It stops when it is dropped.
#[derive(Debug)]
pub struct Simulator {
    world: Arc<World>,
    address: SocketAddr,
    stop: oneshot::Sender<()>,
    server: JoinHandle<io::Result<()>>,
}

impl Simulator {
    /// Starts listening and returns once requests are answered.
    pub async fn start(options: Options) -> io::Result<Self> {
        let listener = TcpListener::bind(options.listen).await?;
        let address = listener.local_addr()?;
        let world = world(&options);
        let service = service(&world).into_make_service_with_connect_info::<Connection>();
        let (stop, stopped) = oneshot::channel::<()>();
        let serving =
            axum::serve(Connections::new(listener), service).with_graceful_shutdown(async {
                // A simulator that is dropped stops as well.
                drop(stopped.await);
            });
        let server = tokio::spawn(serving.into_future());
        Ok(Self {
            world,
            address,
            stop,
            server,
        })
    }

    /// The URL `http://127.0.0.1:port`, without a trailing slash.
    pub fn url(&self) -> String {
        format!("http://{}", self.address)
    }

    pub fn clock(&self) -> SimulatedClock {
        self.world.clock.clone()
    }

    /// The facts that the registers publish.
    pub fn population(&self) -> &Population {
        &self.world.population
    }

    /// Advances the clock by days.
    pub fn advance(&self, days: u32) {
        self.world.clock.advance(days);
    }

    /// Sets the failure mode of a register; [`Fault::Off`] ends it.
    pub fn fault(&self, register: Register, mode: Fault) {
        self.world.faults.set(register, mode);
    }

    /// Number of requests to a register so far, including failed ones.
    pub fn requests(&self, register: Register) -> u64 {
        self.world.faults.requests(register)
    }

    /// Stops listening and waits briefly for running requests.
    pub async fn shutdown(self) {
        let mut server = self.server;
        drop(self.stop);
        if tokio::time::timeout(SHUTDOWN_TIMEOUT, &mut server)
            .await
            .is_err()
        {
            server.abort();
        }
    }
}

fn world(options: &Options) -> Arc<World> {
    Arc::new(World {
        population: Population::new(options.companies, options.seed, options.start.date()),
        clock: SimulatedClock::new(options.start),
        faults: Faults::default(),
        selections: Selections::default(),
    })
}

fn service(world: &Arc<World>) -> Router {
    Router::new()
        .merge(registers::router())
        .merge(control::router())
        .fallback(|| async {
            (
                StatusCode::NOT_FOUND,
                [(header::CONTENT_TYPE, "text/html")],
                "<h1>404</h1>",
            )
        })
        .layer(middleware::from_fn_with_state(
            Arc::clone(world),
            answers::layer,
        ))
        .with_state(Arc::clone(world))
}

/// The simulator without a socket, for tests that call it in process.
pub fn router(options: &Options) -> Router {
    service(&world(options))
}
