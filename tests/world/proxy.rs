//! A proxy before `PostgreSQL` that simulates faults: connections are cut, swallowed, closed on one side, frozen or
//! slowed down.
//!
//! A fault affects all existing and new connections until the proxy is healed. Connections that were cut, swallowed
//! or closed on one side stay broken; frozen or slow ones continue.

use std::net::SocketAddr;
use std::time::Duration;

use reqwest::Url;
use tokio::io::{AsyncRead, AsyncReadExt, AsyncWrite, AsyncWriteExt};
use tokio::net::{TcpListener, TcpStream, UnixStream};
use tokio::sync::watch;
use tokio::task::JoinSet;

/// Time after which the database's side of a dead connection is closed. On a network the server's keepalives close it
/// (`database.silent_host_ms`); the proxy would answer them until the server runs out of connections.
const KEEPALIVE: Duration = Duration::from_secs(10);

/// How a proxy treats connections.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Way {
    /// Forwards everything in both directions.
    Open,
    /// Closes connections, new ones as soon as they are accepted.
    Cut,
    /// Accepts data and forwards nothing, not even the end of a connection.
    BlackHole,
    /// Closes the host's side; the database's side stays open.
    HostSideClosed,
    /// Closes the database's side; the host's side stays open without replies.
    DatabaseSideClosed,
    /// Forwards nothing until it is healed, and then everything.
    Frozen,
    /// Forwards everything after a delay.
    Slow(Duration),
}

/// A proxy to a database. Dropping it closes all connections.
pub struct Proxy {
    address: SocketAddr,
    url: String,
    way: watch::Sender<Way>,
    accepting: tokio::task::JoinHandle<()>,
}

impl Drop for Proxy {
    fn drop(&mut self) {
        self.accepting.abort();
    }
}

impl Proxy {
    /// Puts a proxy before the database of a URL.
    ///
    /// # Panics
    /// If there is no free port, or the URL is not that of a `PostgreSQL` database.
    pub async fn before(database: &str) -> Self {
        let mut url = Url::parse(database).expect("a database's address");
        let folder = url
            .query_pairs()
            .find(|(name, _)| name == "host")
            .map(|(_, folder)| format!("{folder}/.s.PGSQL.5432"));
        let host = url.host_str().unwrap_or("localhost");
        let target = folder.unwrap_or_else(|| format!("{host}:{}", url.port().unwrap_or(5432)));
        let listener = TcpListener::bind("127.0.0.1:0").await.expect("a free port");
        let address = listener.local_addr().expect("it is bound");
        url.set_query(None);
        url.set_host(Some("127.0.0.1"))
            .expect("an address is a host");
        url.set_port(Some(address.port()))
            .expect("databases have ports");
        let (way, _) = watch::channel(Way::Open);
        let seen = way.subscribe();
        let accepting = tokio::spawn(async move {
            let mut passing = JoinSet::new();
            while let Ok((host, _)) = listener.accept().await {
                // Without it every answer of the database would wait for an acknowledgement.
                host.set_nodelay(true).expect("the socket is open");
                passing.spawn(serve(host, target.clone(), seen.clone()));
            }
        });
        Self {
            address,
            url: url.to_string(),
            way,
            accepting,
        }
    }

    /// The database's URL through the proxy.
    #[must_use]
    pub fn url(&self) -> &str {
        &self.url
    }

    #[must_use]
    pub fn address(&self) -> SocketAddr {
        self.address
    }

    /// Starts a fault on all connections.
    pub fn fail(&self, way: Way) {
        self.way.send_replace(way);
    }

    /// Ends the fault; dead connections stay dead.
    pub fn heal(&self) {
        self.way.send_replace(Way::Open);
    }
}

async fn serve(host: TcpStream, target: String, mut way: watch::Receiver<Way>) {
    let now = *way.borrow_and_update();
    match now {
        Way::Open | Way::Slow(_) => {}
        Way::Cut | Way::HostSideClosed => return,
        Way::BlackHole | Way::DatabaseSideClosed => {
            let (mut from, _to) = host.into_split();
            return swallow(&mut from).await;
        }
        Way::Frozen => {
            if way.changed().await.is_err() {
                return;
            }
        }
    }
    if target.starts_with('/') {
        if let Ok(database) = UnixStream::connect(target).await {
            pass(host, database, way).await;
        }
    } else if let Ok(database) = TcpStream::connect(target).await {
        pass(host, database, way).await;
    }
}

/// Forwards both directions until one side ends or a fault breaks the connection.
async fn pass(host: TcpStream, database: impl AsyncRead + AsyncWrite, way: watch::Receiver<Way>) {
    let (mut from_host, mut to_host) = host.into_split();
    let (mut from_database, mut to_database) = tokio::io::split(database);
    let fate = tokio::select! {
        fate = pump(&mut from_host, &mut to_database, way.clone()) => fate,
        fate = pump(&mut from_database, &mut to_host, way) => fate,
    };
    match fate {
        Way::BlackHole => {
            tokio::join!(swallow(&mut from_host), async move {
                drop(tokio::time::timeout(KEEPALIVE, swallow(&mut from_database)).await);
                drop((from_database, to_database));
            });
        }
        Way::HostSideClosed => {
            drop((from_host, to_host));
            drop(tokio::time::timeout(KEEPALIVE, swallow(&mut from_database)).await);
        }
        Way::DatabaseSideClosed => {
            drop((from_database, to_database));
            swallow(&mut from_host).await;
        }
        Way::Cut | Way::Open | Way::Frozen | Way::Slow(_) => {}
    }
}

/// Forwards one direction. Returns the fault that ended it, or [`Way::Cut`] if a side ended.
async fn pump(
    from: &mut (impl AsyncRead + Unpin),
    to: &mut (impl AsyncWrite + Unpin),
    mut way: watch::Receiver<Way>,
) -> Way {
    let mut buffer = vec![0; 64 << 10];
    loop {
        let now = *way.borrow_and_update();
        let late = match now {
            Way::Open => Duration::ZERO,
            Way::Slow(late) => late,
            Way::Frozen => {
                if way.changed().await.is_err() {
                    return Way::Cut;
                }
                continue;
            }
            Way::Cut | Way::BlackHole | Way::HostSideClosed | Way::DatabaseSideClosed => {
                return now;
            }
        };
        let read = tokio::select! {
            changed = way.changed() => {
                if changed.is_err() {
                    return Way::Cut;
                }
                continue;
            }
            read = from.read(&mut buffer) => read,
        };
        let Some(bytes) = read.ok().filter(|bytes| *bytes > 0) else {
            return Way::Cut;
        };
        // Even a sleep of no time takes a millisecond, which every round trip would pay twice.
        if !late.is_zero() {
            tokio::time::sleep(late).await;
        }
        // Data that was read before a fault is not forwarded after it.
        let during = *way.borrow();
        if !matches!(during, Way::Open | Way::Slow(_) | Way::Frozen) {
            return during;
        }
        if to.write_all(&buffer[..bytes]).await.is_err() {
            return Way::Cut;
        }
    }
}

/// Reads until the other side closes the connection.
async fn swallow(from: &mut (impl AsyncRead + Unpin)) {
    let mut buffer = vec![0; 64 << 10];
    while from.read(&mut buffer).await.is_ok_and(|bytes| bytes > 0) {}
}
