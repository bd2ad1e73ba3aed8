//! A client of few instructions: what it costs must not hide what the server costs.
//!
//! One thread a connection, blocking, HTTP/1.1 kept alive, answers with a `content-length`. No key is ever printed.

use std::io::{Read, Write};
use std::net::{SocketAddr, TcpStream};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::{Duration, Instant};

/// Bytes of a request, made once.
pub type Request = Vec<u8>;

/// `GET` of a path with the key in its header.
pub fn get(path: &str, key: &str) -> Request {
    format!("GET {path} HTTP/1.1\r\nhost: localhost\r\nx-api-key: {key}\r\naccept: application/json\r\n\r\n")
        .into_bytes()
}

/// A connection that is kept.
pub struct Connection {
    stream: TcpStream,
    buffer: Vec<u8>,
}

impl Connection {
    /// Connects.
    pub fn open(address: SocketAddr) -> Self {
        let stream = TcpStream::connect(address).expect("the server listens");
        stream.set_nodelay(true).expect("a fresh socket");
        Self {
            stream,
            buffer: vec![0; 256 * 1024],
        }
    }

    /// Sends a request and gives the body of its answer, which must be a 200.
    pub fn ask(&mut self, request: &[u8]) -> &[u8] {
        let (status, body) = self.exchange(request);
        assert!(status == 200, "the server answered {status}");
        body
    }

    /// Sends a request and gives the status and body of its answer.
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

/// Asks as fast as answers come, in turn for each of the requests; answers a second.
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

/// Asks at a fixed pace, whether answers come or not, and gives the time from when each request was due to its answer:
/// a server that stalls is charged for everybody who would have asked meanwhile.
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

/// Asks each request once; the bodies in the order of the requests.
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
