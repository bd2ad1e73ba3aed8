//! A way to `PostgreSQL` with faults: connections are cut, swallowed, closed on one side, frozen or slowed down.
//!
//! A fault befalls every connection there is and every new one, until the proxy is healed. Connections that were cut,
//! swallowed or closed on one side stay so; those that were frozen or slow go on.

use std::net::SocketAddr;
use std::time::Duration;

use reqwest::Url;
use tokio::io::{AsyncRead, AsyncReadExt, AsyncWrite, AsyncWriteExt};
use tokio::net::{TcpListener, TcpStream, UnixStream};
use tokio::sync::watch;
use tokio::task::JoinSet;

/// After how long the database's side of a connection that leads nowhere is closed. On a network the server's
/// keepalives end it (`database.silent_host_ms`); the proxy would answer them for ever, until the server has no
/// connection left.
const KEEPALIVE: Duration = Duration::from_secs(10);

/// What a proxy does with connections.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Way {
    /// It passes on what is sent.
    Open,
    /// It closes connections, new ones as soon as they are accepted.
    Cut,
    /// It accepts whatever is sent and passes nothing on, not even that a connection was closed.
    BlackHole,
    /// It closes the host's side; the database's stays open.
    HostSideClosed,
    /// It closes the database's side; the host's stays open, without an answer.
    DatabaseSideClosed,
    /// It passes nothing on until it is healed, and then everything.
    Frozen,
    /// It passes everything on, later.
    Slow(Duration),
}

/// A way to a database. Dropped, all its connections end.
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
    /// When there is no free port, or the URL is none of a `PostgreSQL` database.
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

    /// The database's address through the proxy.
    #[must_use]
    pub fn url(&self) -> &str {
        &self.url
    }

    /// Where it listens.
    #[must_use]
    pub fn address(&self) -> SocketAddr {
        self.address
    }

    /// Lets a fault befall it.
    pub fn fail(&self, way: Way) {
        self.way.send_replace(way);
    }

    /// Ends the fault.
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

/// Passes bytes on until one side ends or a fault does not let the connection go on.
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

/// Passes bytes on in one direction; the fault that ended it, or [`Way::Cut`] where a side did.
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
        tokio::time::sleep(late).await;
        // What was read before a fault is not passed on after it.
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
