//! Clients that hold connections open without sending requests, on the API's and the operator's address.

use std::net::{IpAddr, Ipv4Addr, SocketAddr};
use std::time::Duration;

use lustra_tests::World;
use reqwest::Method;
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::{TcpSocket, TcpStream};

/// Maximum time until a limit takes effect, also on a busy machine.
const MAX_WAIT: Duration = Duration::from_secs(30);

async fn world(most: usize, most_each_address: usize) -> World {
    World::new()
        .companies(12)
        .nothing_imported()
        .without_index()
        .settings(move |config| {
            config.connections.most = most;
            config.connections.most_each_address = most_each_address;
            config.connections.header_seconds = 1;
            config.connections.body_seconds = 1;
        })
        .start()
        .await
}

fn address(url: &str) -> SocketAddr {
    let address = url.trim_start_matches("http://").parse();
    address.expect("the world's own address")
}

/// A connection from a separate address below 127.0.0.0/8.
async fn connect(to: SocketAddr, from: u8) -> TcpStream {
    let socket = TcpSocket::new_v4().expect("a socket");
    let from = SocketAddr::new(IpAddr::V4(Ipv4Addr::new(127, 0, 0, from)), 0);
    socket.bind(from).expect("loopback has all these addresses");
    socket.connect(to).await.expect("the host listens")
}

/// Everything that the host sends until it closes the connection.
async fn until_closed(mut stream: TcpStream) -> String {
    let mut read = Vec::new();
    let reading = stream.read_to_end(&mut read);
    let closed = tokio::time::timeout(MAX_WAIT, reading).await;
    let closed = closed.expect("the host closes the connection");
    // A reset closes the connection too.
    drop(closed);
    String::from_utf8_lossy(&read).into_owned()
}

#[tokio::test(flavor = "multi_thread")]
async fn unfinished_headers_end_the_connection() {
    let world = world(64, 64).await;
    for url in [world.url(), world.operator_url()] {
        let mut silent = connect(address(&url), 1).await;
        let mut slow = connect(address(&url), 1).await;
        let begun = b"GET /v1/health HTTP/1.1\r\nHost: localhost\r\nX-Never-Ends: ";
        slow.write_all(begun).await.expect("it is read");
        silent.flush().await.expect("nothing is written");
        let closed = tokio::join!(until_closed(silent), until_closed(slow));
        assert!(!closed.0.contains("200 OK") && !closed.1.contains("200 OK"));
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn idle_connections_do_not_stop_the_service() {
    let world = world(16, 8).await;
    for url in [world.url(), world.operator_url()] {
        let to = address(&url);
        let mut idle = Vec::new();
        // Exceeds the limit per address, and with five addresses the total limit.
        for from in 2..7 {
            for _ in 0..12 {
                idle.push(connect(to, from).await);
            }
        }
        let path = if url == world.url() {
            "/v1/health"
        } else {
            "/metrics"
        };
        let asked = async {
            let client = lustra_tests::client();
            client.get(format!("{url}{path}")).send().await
        };
        let answered = tokio::time::timeout(MAX_WAIT, asked).await;
        let answered = answered.expect("an answer in time").expect("an answer");
        assert_eq!(answered.status(), 200, "{url}");
        drop(idle);
    }
    let metrics = world.operator(Method::GET, "/metrics", &[]).await;
    let metrics = metrics.body.as_str().expect("it is text");
    let refused = metrics
        .lines()
        .filter(|line| line.starts_with("lustra_http_connections_refused_total"))
        .filter_map(|line| line.rsplit(' ').next()?.parse::<f64>().ok());
    assert_eq!(refused.filter(|count| *count > 0.0).count(), 2, "{metrics}");
}

#[tokio::test(flavor = "multi_thread")]
async fn slow_body_gets_408_in_the_error_form() {
    let world = world(64, 64).await;
    let mut slow = connect(address(&world.url()), 1).await;
    let request = format!(
        "POST /v1/batch/ico HTTP/1.1\r\nHost: localhost\r\nX-API-Key: {}\r\n\
         Content-Type: application/json\r\nContent-Length: 1000\r\n\r\n{{\"icos\":",
        world.key
    );
    slow.write_all(request.as_bytes())
        .await
        .expect("it is read");
    let answer = until_closed(slow).await;
    assert!(answer.starts_with("HTTP/1.1 408 "), "{answer}");
    assert!(answer.contains(r#""error":"request_timeout""#), "{answer}");
}

#[tokio::test(flavor = "multi_thread")]
async fn operator_refuses_foreign_host_names() {
    let world = world(64, 64).await;
    let foreign = [("host", "rebound.evil.example")];
    let answer = world.operator(Method::GET, "/connectors", &foreign).await;
    assert_eq!(answer.status, 421, "{}", answer.body);
    let local = [("host", "localhost:8081")];
    let answer = world.operator(Method::GET, "/connectors", &local).await;
    assert_eq!(answer.status, 200, "{}", answer.body);
}

#[tokio::test(flavor = "multi_thread")]
async fn repeated_key_headers_are_refused() {
    let world = world(64, 64).await;
    let key = world.key.clone();
    for headers in [
        [("x-api-key", key.as_str()), ("x-api-key", "lst_live_other")],
        [("x-api-key", "lst_live_other"), ("x-api-key", key.as_str())],
        [("x-api-key", key.as_str()), ("x-api-key", key.as_str())],
    ] {
        let answer = world.get_with("/v1/account/quota", &headers).await;
        assert_eq!(answer.status, 401, "{}", answer.body);
    }
}
