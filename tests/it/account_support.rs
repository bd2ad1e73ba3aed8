//! A browser's part in tests of the account's pages: cookies, forms and sign-in.

use std::collections::BTreeMap;
use std::sync::Mutex;
use std::time::Duration;

use lustra_tests::lustra::accounts::sign_in_links::{Token, link};
use lustra_tests::lustra::store::{AccountId, Invited, MemberRole, SendLimit};
use lustra_tests::{Answer, World, answered, client};
use reqwest::{Client, Method, RequestBuilder};

/// A visitor with a cookie jar, who does not follow redirects.
pub struct Visitor {
    url: String,
    client: Client,
    cookies: Mutex<BTreeMap<String, String>>,
    language: &'static str,
}

impl Visitor {
    pub fn of(world: &World) -> Self {
        Self::at(world.url())
    }

    /// A visitor of a host at this address.
    pub fn at(url: String) -> Self {
        drop(client());
        let client = Client::builder().redirect(reqwest::redirect::Policy::none());
        Self {
            url,
            client: client.build().expect("a client"),
            cookies: Mutex::default(),
            language: "en",
        }
    }

    pub fn slovak(mut self) -> Self {
        self.language = "sk";
        self
    }

    /// The same browser at another host.
    pub fn elsewhere(&self, url: String) -> Self {
        let other = Self::at(url);
        let cookies = self.cookies.lock().expect("no holder panics").clone();
        *other.cookies.lock().expect("no holder panics") = cookies;
        other
    }

    pub fn cookie(&self, name: &str) -> Option<String> {
        let cookies = self.cookies.lock().expect("no holder panics");
        cookies.get(name).cloned()
    }

    pub fn request(&self, method: Method, path: &str) -> RequestBuilder {
        let cookies = self.cookies.lock().expect("no holder panics").clone();
        let cookies: Vec<String> = cookies
            .iter()
            .map(|(name, value)| format!("{name}={value}"))
            .collect();
        self.client
            .request(method, format!("{}{path}", self.url))
            .header("accept", "text/html")
            .header("accept-language", self.language)
            .header("cookie", cookies.join("; "))
    }

    pub async fn send(&self, request: RequestBuilder) -> Answer {
        let answer = answered(request).await;
        let mut cookies = self.cookies.lock().expect("no holder panics");
        for (name, value) in &answer.headers {
            if name != "set-cookie" {
                continue;
            }
            let pair = value.split(';').next().unwrap_or_default();
            let (name, text) = pair.split_once('=').expect("a cookie");
            if value.contains("Max-Age=0") {
                cookies.remove(name);
            } else {
                cookies.insert(name.to_owned(), text.to_owned());
            }
        }
        drop(cookies);
        answer
    }

    pub async fn get(&self, path: &str) -> Answer {
        self.send(self.request(Method::GET, path)).await
    }

    /// Sends a form as a browser does from a page of this server.
    pub async fn post(&self, path: &str, fields: &[(&str, &str)]) -> Answer {
        let form = reqwest::Url::parse_with_params("http://form/", fields);
        let form = form.expect("fields can be written");
        let request = self
            .request(Method::POST, path)
            .header("sec-fetch-site", "same-origin")
            .header("content-type", "application/x-www-form-urlencoded")
            .body(form.query().unwrap_or_default().to_owned());
        self.send(request).await
    }

    /// Sends a form with a file as a browser does from a page of this server.
    pub async fn upload(&self, path: &str, fields: &[(&str, &str)], file: &[u8]) -> Answer {
        const BOUNDARY: &str = "----lustra-form";
        let mut body = Vec::new();
        for (name, value) in fields {
            let part = format!(
                "--{BOUNDARY}\r\ncontent-disposition: form-data; name=\"{name}\"\r\n\r\n{value}\r\n"
            );
            body.extend_from_slice(part.as_bytes());
        }
        let head = format!(
            "--{BOUNDARY}\r\ncontent-disposition: form-data; name=\"file\"; filename=\"firmy.csv\"\r\n\
             content-type: application/octet-stream\r\n\r\n"
        );
        body.extend_from_slice(head.as_bytes());
        body.extend_from_slice(file);
        body.extend_from_slice(format!("\r\n--{BOUNDARY}--\r\n").as_bytes());
        let content_type = format!("multipart/form-data; boundary={BOUNDARY}");
        let request = self
            .request(Method::POST, path)
            .header("sec-fetch-site", "same-origin")
            .header("content-type", content_type)
            .body(body);
        self.send(request).await
    }

    /// The text of a page, which must answer 200.
    pub async fn page(&self, path: &str) -> String {
        let answer = self.get(path).await;
        assert_eq!(answer.status, 200, "{path}: {answer:?}");
        html(&answer).to_owned()
    }

    pub async fn sign_in_by_key(&self, key: &str) {
        let answer = self.post("/account/sign-in/key", &[("key", key)]).await;
        assert_eq!(answer.status, 303, "{answer:?}");
    }

    /// Signs in with a link of a member.
    pub async fn sign_in(&self, world: &World, member: i64) {
        let token = new_link(world, member).await;
        let answer = self
            .post("/account/sign-in/link", &[("token", &token)])
            .await;
        assert_eq!(answer.status, 303, "{answer:?}");
    }
}

pub fn html(answer: &Answer) -> &str {
    let kind = answer.header("content-type");
    assert_eq!(kind, Some("text/html; charset=utf-8"), "{answer:?}");
    answer.body.as_str().expect("a text")
}

/// The value of the first field with a name in a page.
pub fn field<'a>(page: &'a str, name: &str) -> &'a str {
    let (_, rest) = page
        .split_once(&format!("name=\"{name}\" value=\""))
        .unwrap_or_else(|| panic!("{name} in {page}"));
    rest.split('"').next().expect("the value ends")
}

/// A new member of an account, and their number.
pub async fn member(world: &World, account: AccountId, email: &str, role: MemberRole) -> i64 {
    let people = world.store.members_of(account);
    let invited = people
        .invite(email, "Eva Malá", role, 99, world.now())
        .await;
    match invited.expect("the store is there") {
        Invited::Created(member) => member.id,
        other @ (Invited::Existing(_) | Invited::TooMany) => panic!("{other:?}"),
    }
}

/// The token of a new sign-in link of a member.
pub async fn new_link(world: &World, member: i64) -> String {
    let token = Token::random();
    let limit = SendLimit {
        key: format!("test {member}"),
        most: u32::MAX,
        window: Duration::from_secs(1),
    };
    let (sessions, now) = (world.store.sessions(), world.now());
    let ends = now + Duration::from_secs(1_200);
    let made = sessions.create_link(member, &token.digest, &limit, ends, now);
    made.await.expect("the store is there");
    assert!(link("http://lustra.example/", &token).ends_with(&token.text));
    token.text
}
