//! A minimal HTTP client, so that its own cost does not hide the server's.
//!
//! One thread per connection, blocking, HTTP/1.1 with keep-alive; responses need a `content-length`. Keys are never
//! printed.

use std::io::{Read, Write};
use std::net::{SocketAddr, TcpStream};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::{Duration, Instant};

/// The bytes of a request.
pub type Request = Vec<u8>;

/// `GET` of a path with the key in its header.
pub fn get(path: &str, key: &str) -> Request {
    format!("GET {path} HTTP/1.1\r\nhost: localhost\r\nx-api-key: {key}\r\naccept: application/json\r\n\r\n")
        .into_bytes()
}

/// `POST` of JSON to a path with the key in its header.
pub fn post(path: &str, key: &str, body: &serde_json::Value) -> Request {
    let body = body.to_string();
    let length = body.len();
    format!(
        "POST {path} HTTP/1.1\r\nhost: localhost\r\nx-api-key: {key}\r\naccept: application/json\r\n\
         content-type: application/json\r\ncontent-length: {length}\r\n\r\n{body}"
    )
    .into_bytes()
}

/// A kept-alive HTTP/1.1 connection.
pub struct Connection {
    stream: TcpStream,
    buffer: Vec<u8>,
}

impl Connection {
    pub fn open(address: SocketAddr) -> Self {
        let stream = TcpStream::connect(address).expect("the server listens");
        stream.set_nodelay(true).expect("a fresh socket");
        Self {
            stream,
            buffer: vec![0; 256 * 1024],
        }
    }

    /// Sends a request and returns the body of its response, which must be a 200.
    pub fn ask(&mut self, request: &[u8]) -> &[u8] {
        let (status, body) = self.exchange(request);
        assert!(status == 200, "the server answered {status}");
        body
    }

    /// Sends a request and returns the status and body of its response.
    pub fn exchange(&mut self, request: &[u8]) -> (u16, &[u8]) {
        self.stream
            .write_all(request)
            .expect("the connection is kept");
        let mut filled = 0;
        let head = loop {
            filled += self.read(filled);
            if let Some(end) = find(&self.buffer[..filled], b"\r\n\r\n") {
                break end + 4;
            }
        };
        let text = std::str::from_utf8(&self.buffer[..head]).expect("headers are ASCII");
        let status = text
            .split(' ')
            .nth(1)
            .and_then(|status| status.parse().ok())
            .expect("the answer begins with its status");
        let length = text
            .lines()
            .filter_map(|line| line.split_once(':'))
            .find(|(name, _)| name.eq_ignore_ascii_case("content-length"))
            .and_then(|(_, value)| value.trim().parse::<usize>().ok())
            .expect("the answer says its length");
        while filled < head + length {
            filled += self.read(filled);
        }
        (status, &self.buffer[head..head + length])
    }

    fn read(&mut self, filled: usize) -> usize {
        if filled == self.buffer.len() {
            self.buffer.resize(filled * 2, 0);
        }
        let count = self
            .stream
            .read(&mut self.buffer[filled..])
            .expect("the answer comes");
        assert!(count > 0, "the server closed the connection");
        count
    }
}

fn find(bytes: &[u8], wanted: &[u8]) -> Option<usize> {
    bytes
        .windows(wanted.len())
        .position(|window| window == wanted)
}

/// Closed loop: sends the requests in turn, each after the previous response. Returns responses per second.
pub fn closed_loop(
    address: SocketAddr,
    requests: &[Request],
    connections: u32,
    span: Duration,
) -> f64 {
    let next = AtomicUsize::new(0);
    let started = Instant::now();
    let worker = || {
        let mut connection = Connection::open(address);
        let mut answers = 0_u64;
        while started.elapsed() < span {
            let turn = next.fetch_add(1, Ordering::Relaxed);
            connection.ask(&requests[turn % requests.len()]);
            answers += 1;
        }
        answers
    };
    let answers: u64 = std::thread::scope(|scope| {
        let workers: Vec<_> = (0..connections).map(|_| scope.spawn(worker)).collect();
        workers
            .into_iter()
            .map(|worker| worker.join().expect("no answer was wrong"))
            .sum()
    });
    super::rate(answers, started.elapsed())
}

/// Open loop: sends requests at a fixed rate, whether or not responses arrive. Returns the time from each request's due
/// time to its response, so that a stall counts for every request that was due meanwhile.
pub fn open_loop(
    address: SocketAddr,
    requests: &[Request],
    connections: u32,
    rate: u32,
    span: Duration,
) -> Vec<Duration> {
    let interval = Duration::from_secs(1) / rate;
    let next = AtomicUsize::new(0);
    let started = Instant::now();
    let worker = || {
        let mut connection = Connection::open(address);
        let mut times = Vec::new();
        loop {
            let turn = next.fetch_add(1, Ordering::Relaxed);
            let due = interval * u32::try_from(turn).expect("a benchmark ends before");
            if due >= span {
                return times;
            }
            let due = started + due;
            std::thread::sleep(due.saturating_duration_since(Instant::now()));
            connection.ask(&requests[turn % requests.len()]);
            times.push(due.elapsed());
        }
    };
    std::thread::scope(|scope| {
        let workers: Vec<_> = (0..connections).map(|_| scope.spawn(worker)).collect();
        workers
            .into_iter()
            .flat_map(|worker| worker.join().expect("no answer was wrong"))
            .collect()
    })
}

/// Sends each request once. Returns the bodies in the order of the requests.
pub fn each_once(address: SocketAddr, requests: &[Request], connections: u32) -> Vec<Vec<u8>> {
    let next = AtomicUsize::new(0);
    let worker = || {
        let mut connection = Connection::open(address);
        let mut bodies = Vec::new();
        loop {
            let turn = next.fetch_add(1, Ordering::Relaxed);
            let Some(request) = requests.get(turn) else {
                return bodies;
            };
            bodies.push((turn, connection.ask(request).to_vec()));
        }
    };
    let mut bodies: Vec<(usize, Vec<u8>)> = std::thread::scope(|scope| {
        let workers: Vec<_> = (0..connections).map(|_| scope.spawn(worker)).collect();
        workers
            .into_iter()
            .flat_map(|worker| worker.join().expect("no answer was wrong"))
            .collect()
    });
    bodies.sort_by_key(|(turn, _)| *turn);
    bodies.into_iter().map(|(_, body)| body).collect()
}
