//! Receivers of webhooks that note when each event arrived.

use std::collections::HashMap;
use std::net::SocketAddr;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Instant;

use tokio::io::{AsyncBufReadExt, AsyncReadExt, AsyncWriteExt, BufReader};
use tokio::net::{TcpListener, TcpStream};

/// Arrival times of events, by id.
pub type Arrivals = Arc<Mutex<HashMap<String, Instant>>>;

/// A receiver on a separate thread, so that its work is not the host's. A hanging one reads and never answers.
pub fn receiver(arrivals: &Arrivals, hangs: bool) -> SocketAddr {
    let arrivals = Arc::clone(arrivals);
    let (sender, addresses) = std::sync::mpsc::channel();
    std::thread::spawn(move || {
        let runtime = tokio::runtime::Builder::new_current_thread()
            .enable_all()
            .build()
            .expect("a thread can be started");
        runtime.block_on(async move {
            let listener = TcpListener::bind("127.0.0.1:0").await.expect("a free port");
            let address = listener.local_addr().expect("it is bound");
            sender.send(address).expect("the caller waits for it");
            while let Ok((connection, _)) = listener.accept().await {
                let arrivals = Arc::clone(&arrivals);
                tokio::spawn(async move { drop(answer(connection, &arrivals, hangs).await) });
            }
        });
    });
    addresses.recv().expect("the receiver starts")
}

async fn answer(connection: TcpStream, arrivals: &Arrivals, hangs: bool) -> std::io::Result<()> {
    let mut connection = BufReader::new(connection);
    loop {
        if connection.fill_buf().await?.is_empty() {
            return Ok(());
        }
        let arrived = Instant::now();
        let (mut length, mut line) = (0, String::new());
        loop {
            line.clear();
            connection.read_line(&mut line).await?;
            let Some((name, value)) = line.trim_end().split_once(':') else {
                if line.trim_end().is_empty() {
                    break;
                }
                continue;
            };
            if name.eq_ignore_ascii_case("content-length") {
                length = value.trim().parse().unwrap_or_default();
            }
        }
        let mut body = vec![0; length];
        connection.read_exact(&mut body).await?;
        // {"id":"evt_…
        let id = String::from_utf8_lossy(&body[7..43]).into_owned();
        note(arrivals, id, arrived);
        if hangs {
            std::future::pending::<()>().await;
        }
        connection
            .write_all(b"HTTP/1.1 200 OK\r\ncontent-length: 0\r\n\r\n")
            .await?;
    }
}

fn note(arrivals: &Arrivals, id: String, arrived: Instant) {
    let mut arrivals = arrivals.lock().unwrap_or_else(PoisonError::into_inner);
    arrivals.entry(id).or_insert(arrived);
}
