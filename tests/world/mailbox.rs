//! A mail server that stores messages and simulates failures when the next recipient is named.
//!
//! It has no TLS and checks nothing that hosts could rely on. It stores commands word for word, so that a test sees
//! injected ones.

use std::collections::VecDeque;
use std::net::SocketAddr;
use std::sync::{Arc, Mutex, MutexGuard};

use tokio::io::{AsyncBufReadExt, AsyncWriteExt, BufReader};
use tokio::net::{TcpListener, TcpStream};
use tokio::sync::Notify;

/// What the server does when a recipient is named.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Mood {
    /// Replies with this code and repeats the address, as servers do.
    Answer(u16),
    /// Closes the connection without a reply.
    Close,
    /// Accepts the message and closes the connection before its reply.
    TakeAndClose,
    /// Stops replying and keeps the connection open.
    Silence,
}

/// A message that the server accepted.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ReceivedEmail {
    /// The sender of the envelope.
    pub from: String,
    /// The recipients of the envelope.
    pub to: Vec<String>,
    /// Headers, an empty line and the body, with CR LF.
    pub text: String,
}

impl ReceivedEmail {
    /// A header's unfolded value. `None` if it is missing.
    #[must_use]
    pub fn header(&self, name: &str) -> Option<String> {
        let headers = self.text.split("\r\n\r\n").next()?.replace("\r\n ", " ");
        headers.split("\r\n").find_map(|line| {
            let (found, value) = line.split_once(": ")?;
            found.eq_ignore_ascii_case(name).then(|| value.to_owned())
        })
    }

    /// The body.
    ///
    /// # Panics
    /// If the headers do not end.
    #[must_use]
    pub fn body(&self) -> &str {
        let (_, body) = self.text.split_once("\r\n\r\n").expect("headers end");
        body
    }
}

/// The mail server. It runs until it is dropped.
pub struct Mailbox {
    address: SocketAddr,
    inner: Arc<Inner>,
    server: tokio::task::JoinHandle<()>,
}

#[derive(Default)]
struct Inner {
    state: Mutex<State>,
    silenced: Notify,
}

#[derive(Default)]
struct State {
    emails: Vec<ReceivedEmail>,
    /// All received lines except message content.
    heard: Vec<String>,
    moods: VecDeque<Mood>,
    connections: usize,
    login_refused: bool,
}

impl Inner {
    fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().expect("no holder panics")
    }
}

impl Mailbox {
    /// Starts it on a free port.
    ///
    /// # Panics
    /// If there is no free port.
    pub async fn start() -> Self {
        let listener = TcpListener::bind(("127.0.0.1", 0))
            .await
            .expect("a free port");
        let address = listener.local_addr().expect("it is bound");
        let inner: Arc<Inner> = Arc::default();
        let serving = Arc::clone(&inner);
        let server = tokio::spawn(async move {
            loop {
                let (stream, _) = listener.accept().await.expect("the listener stays");
                serving.state().connections += 1;
                let inner = Arc::clone(&serving);
                // A disconnecting client ends its session; that is not a failure of the server.
                tokio::spawn(async move { drop(converse(stream, &inner).await) });
            }
        });
        Self {
            address,
            inner,
            server,
        }
    }

    /// Its URL, for the settings.
    #[must_use]
    pub fn url(&self) -> String {
        format!("smtp://{}", self.address)
    }

    /// Its URL with these credentials.
    #[must_use]
    pub fn url_of(&self, user: &str, password: &str) -> String {
        format!("smtp://{user}:{password}@{}", self.address)
    }

    /// All messages that the server has accepted so far.
    #[must_use]
    pub fn emails(&self) -> Vec<ReceivedEmail> {
        self.inner.state().emails.clone()
    }

    /// All command lines that the server has received so far.
    #[must_use]
    pub fn heard(&self) -> Vec<String> {
        self.inner.state().heard.clone()
    }

    /// The number of connections so far.
    #[must_use]
    pub fn connections(&self) -> usize {
        self.inner.state().connections
    }

    /// Sets the behaviour for the next recipient. Further calls queue behaviours for the following ones.
    pub fn next(&self, mood: Mood) {
        self.inner.state().moods.push_back(mood);
    }

    /// Sets whether it rejects passwords from now on.
    pub fn refuse_login(&self, refused: bool) {
        self.inner.state().login_refused = refused;
    }

    /// Waits until it has stopped replying.
    pub async fn silenced(&self) {
        self.inner.silenced.notified().await;
    }
}

impl Drop for Mailbox {
    fn drop(&mut self) {
        self.server.abort();
    }
}

async fn converse(stream: TcpStream, inner: &Inner) -> std::io::Result<()> {
    let mut stream = BufReader::new(stream);
    let (mut from, mut to) = (String::new(), Vec::new());
    let mut says_taken = true;
    stream.write_all(b"220 mailbox.example ready\r\n").await?;
    let mut line = String::new();
    loop {
        line.clear();
        if stream.read_line(&mut line).await? == 0 {
            return Ok(());
        }
        let said = line.trim_end().to_owned();
        inner.state().heard.push(said.clone());
        let verb = said.split([' ', ':']).next().unwrap_or_default();
        let answer = match verb.to_ascii_uppercase().as_str() {
            "EHLO" => "250-mailbox.example\r\n250 AUTH PLAIN".to_owned(),
            "AUTH" if inner.state().login_refused => "535 5.7.8 not you".to_owned(),
            "AUTH" => "235 welcome".to_owned(),
            "MAIL" => {
                (from, to) = (address(&said), Vec::new());
                "250 go on".to_owned()
            }
            "RCPT" => {
                let mood = inner.state().moods.pop_front();
                match mood {
                    Some(Mood::Answer(code)) => format!("{code} <{}> not now", address(&said)),
                    Some(Mood::Close) => return Ok(()),
                    Some(Mood::Silence) => {
                        inner.silenced.notify_one();
                        // Read until the client disconnects.
                        while stream.read_line(&mut line).await? > 0 {}
                        return Ok(());
                    }
                    Some(Mood::TakeAndClose) | None => {
                        says_taken = mood.is_none();
                        to.push(address(&said));
                        "250 go on".to_owned()
                    }
                }
            }
            "DATA" if to.is_empty() => "503 for whom?".to_owned(),
            "DATA" => {
                stream.write_all(b"354 go on\r\n").await?;
                let text = message(&mut stream).await?;
                let email = ReceivedEmail {
                    from: from.clone(),
                    to: std::mem::take(&mut to),
                    text,
                };
                inner.state().emails.push(email);
                if !says_taken {
                    return Ok(());
                }
                "250 taken".to_owned()
            }
            "RSET" | "NOOP" => "250 as you like".to_owned(),
            "QUIT" => {
                stream.write_all(b"221 bye\r\n").await?;
                return Ok(());
            }
            _ => "500 what?".to_owned(),
        };
        stream.write_all(format!("{answer}\r\n").as_bytes()).await?;
    }
}

/// The text in angle brackets.
fn address(said: &str) -> String {
    let inside = said
        .split_once('<')
        .and_then(|(_, rest)| rest.split_once('>'));
    inside.map_or_else(|| said.to_owned(), |(address, _)| address.to_owned())
}

/// A message up to the final dot.
async fn message(stream: &mut BufReader<TcpStream>) -> std::io::Result<String> {
    let mut text = String::new();
    loop {
        let mut line = String::new();
        if stream.read_line(&mut line).await? == 0 {
            return Err(std::io::ErrorKind::UnexpectedEof.into());
        }
        if line == ".\r\n" {
            return Ok(text);
        }
        // Undo the client's dot-stuffing.
        text.push_str(line.strip_prefix('.').unwrap_or(&line));
    }
}
