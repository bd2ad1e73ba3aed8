//! A webhook receiver with scripted behaviour, down to single bytes.

use std::collections::HashMap;
use std::net::SocketAddr;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use serde_json::Value;
use tokio::io::{AsyncBufReadExt, AsyncReadExt, AsyncWriteExt, BufReader};
use tokio::net::{TcpListener, TcpStream};
use tokio::task::JoinHandle;

/// What a receiver does after reading a request.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Behaviour {
    /// Sends this status without a body.
    Status(u16),
    /// Sends these bytes and closes the connection.
    Bytes(Vec<u8>),
    /// Sends nothing and keeps the connection open.
    Hang,
    /// Resets the connection without a response.
    Reset,
    /// Sends status 200 and then an endless slow body.
    Dribble,
}

#[derive(Debug, Clone)]
pub struct Received {
    /// Keyed by lower-case names.
    pub headers: HashMap<String, String>,
    pub body: Vec<u8>,
}

impl Received {
    /// The body as JSON.
    ///
    /// # Panics
    /// If it is not JSON.
    #[must_use]
    pub fn json(&self) -> Value {
        serde_json::from_slice(&self.body).expect("webhooks are JSON")
    }

    /// The id of the delivery.
    #[must_use]
    pub fn delivery(&self) -> &str {
        &self.headers["x-webhook-delivery-id"]
    }
}

type Behave = dyn Fn(usize) -> Behaviour + Send + Sync;

/// A receiver on a free loopback port.
pub struct Receiver {
    address: SocketAddr,
    received: Arc<Mutex<Vec<Received>>>,
    behave: Arc<Mutex<Arc<Behave>>>,
    task: JoinHandle<()>,
}

impl Receiver {
    /// A receiver that always answers 200.
    pub async fn start() -> Self {
        Self::behaving(|_| Behaviour::Status(200)).await
    }

    /// A receiver that handles each request, counted from 0, as `behave` says.
    ///
    /// # Panics
    /// If it cannot listen.
    pub async fn behaving(behave: impl Fn(usize) -> Behaviour + Send + Sync + 'static) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").await.expect("a free port");
        let address = listener.local_addr().expect("it is bound");
        let received: Arc<Mutex<Vec<Received>>> = Arc::default();
        let behave: Arc<Mutex<Arc<Behave>>> = Arc::new(Mutex::new(Arc::new(behave)));
        let (kept, how) = (Arc::clone(&received), Arc::clone(&behave));
        let task = tokio::spawn(async move {
            while let Ok((connection, _)) = listener.accept().await {
                let (kept, how) = (Arc::clone(&kept), Arc::clone(&how));
                tokio::spawn(async move {
                    // A broken connection matters only to the sender.
                    drop(serve(connection, &kept, &how).await);
                });
            }
        });
        Self {
            address,
            received,
            behave,
            task,
        }
    }

    /// Changes the behaviour from now on.
    pub fn behave(&self, behave: impl Fn(usize) -> Behaviour + Send + Sync + 'static) {
        *self.behave.lock().unwrap_or_else(PoisonError::into_inner) = Arc::new(behave);
    }

    /// The URL of the receiver.
    #[must_use]
    pub fn url(&self) -> String {
        format!("http://{}/hooks", self.address)
    }

    #[must_use]
    pub fn address(&self) -> SocketAddr {
        self.address
    }

    /// All requests so far.
    #[must_use]
    pub fn received(&self) -> Vec<Received> {
        self.received
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
            .clone()
    }

    /// The requests since the last call.
    #[must_use]
    pub fn take(&self) -> Vec<Received> {
        std::mem::take(&mut *self.received.lock().unwrap_or_else(PoisonError::into_inner))
    }
}

impl Drop for Receiver {
    fn drop(&mut self) {
        self.task.abort();
    }
}

async fn serve(
    connection: TcpStream,
    kept: &Mutex<Vec<Received>>,
    how: &Mutex<Arc<Behave>>,
) -> std::io::Result<()> {
    let mut connection = BufReader::new(connection);
    loop {
        let Some(request) = read(&mut connection).await? else {
            return Ok(());
        };
        let behave = Arc::clone(&how.lock().unwrap_or_else(PoisonError::into_inner));
        let number = {
            let mut kept = kept.lock().unwrap_or_else(PoisonError::into_inner);
            kept.push(request);
            kept.len() - 1
        };
        match behave(number) {
            Behaviour::Status(status) => {
                let head = format!("HTTP/1.1 {status} Told\r\ncontent-length: 0\r\n\r\n");
                connection.write_all(head.as_bytes()).await?;
            }
            Behaviour::Bytes(bytes) => {
                connection.write_all(&bytes).await?;
                return connection.shutdown().await;
            }
            Behaviour::Hang => std::future::pending::<()>().await,
            Behaviour::Reset => return Ok(()),
            Behaviour::Dribble => {
                let head = "HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\n";
                connection.write_all(head.as_bytes()).await?;
                loop {
                    connection.write_all(b"1\r\n.\r\n").await?;
                    tokio::time::sleep(Duration::from_millis(20)).await;
                }
            }
        }
    }
}

/// One request. `None` if the connection ends before it.
async fn read(connection: &mut BufReader<TcpStream>) -> std::io::Result<Option<Received>> {
    let mut line = String::new();
    if connection.read_line(&mut line).await? == 0 {
        return Ok(None);
    }
    let mut headers = HashMap::new();
    loop {
        line.clear();
        connection.read_line(&mut line).await?;
        let Some((name, value)) = line.trim_end().split_once(':') else {
            break;
        };
        headers.insert(name.to_ascii_lowercase(), value.trim().to_owned());
    }
    let length = headers
        .get("content-length")
        .and_then(|length| length.parse().ok())
        .unwrap_or(0);
    let mut body = vec![0; length];
    connection.read_exact(&mut body).await?;
    Ok(Some(Received { headers, body }))
}
