//! Drives headless Chromium by its debugging protocol: keys, screen sizes, scripts and screenshots.

use std::io::{BufRead, BufReader, Write};
use std::process::{Child, ChildStdin, ChildStdout, Command, Stdio};

use base64::Engine;
use base64::prelude::BASE64_STANDARD;
use serde_json::{Value, json};
use tempfile::TempDir;

/// A browser with one open page. It ends when this is dropped.
pub struct Browser {
    child: Child,
    commands: ChildStdin,
    answers: BufReader<ChildStdout>,
    session: Option<String>,
    number: u64,
    /// Whether a page has loaded since the last action that may open one.
    has_loaded: bool,
    _profile: TempDir,
}

impl Browser {
    /// Starts the browser with an empty page.
    ///
    /// # Panics
    /// If the browser does not start.
    pub fn start(chromium: &str) -> Self {
        let profile = tempfile::tempdir().expect("tests can write temporary files");
        // The protocol uses descriptors 3 and 4.
        let mut child = Command::new("sh")
            .args(["-c", r#"exec "$@" 3<&0 4>&1 </dev/null >/dev/null"#, "sh"])
            .args([chromium, "--headless=new", "--no-sandbox", "--disable-gpu"])
            .args([
                "--disable-dev-shm-usage",
                "--no-first-run",
                "--hide-scrollbars",
            ])
            .args(["--disable-extensions", "--disable-background-networking"])
            .arg("--remote-debugging-pipe")
            .arg(format!("--user-data-dir={}", profile.path().display()))
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::null())
            .spawn()
            .expect("the browser starts");
        let commands = child.stdin.take().expect("it is piped");
        let answers = BufReader::new(child.stdout.take().expect("it is piped"));
        let mut browser = Self {
            child,
            commands,
            answers,
            session: None,
            number: 0,
            has_loaded: false,
            _profile: profile,
        };
        let page = browser.call("Target.createTarget", &json!({ "url": "about:blank" }));
        let attach = json!({ "targetId": page["targetId"], "flatten": true });
        let session = browser.call("Target.attachToTarget", &attach);
        browser.session = session["sessionId"].as_str().map(str::to_owned);
        browser.call("Page.enable", &json!({}));
        browser
    }

    fn send(&mut self, method: &str, parameters: &Value) -> u64 {
        self.number += 1;
        let mut command = json!({ "id": self.number, "method": method, "params": parameters });
        if let Some(session) = &self.session {
            command["sessionId"] = json!(session);
        }
        let mut text = command.to_string().into_bytes();
        text.push(0);
        self.commands.write_all(&text).expect("the browser listens");
        self.number
    }

    fn receive(&mut self) -> Value {
        let mut text = Vec::new();
        let read = self.answers.read_until(0, &mut text);
        assert!(read.is_ok_and(|read| read > 0), "the browser ended");
        text.pop();
        serde_json::from_slice(&text).expect("the protocol is JSON")
    }

    fn wait_for(&mut self, is_wanted: impl Fn(&Value) -> bool) -> Value {
        loop {
            let message = self.receive();
            self.has_loaded |= message["method"] == "Page.loadEventFired";
            if is_wanted(&message) {
                return message;
            }
        }
    }

    /// Calls a method of the protocol.
    fn call(&mut self, method: &str, parameters: &Value) -> Value {
        let number = self.send(method, parameters);
        let mut answer = self.wait_for(|message| message["id"] == number);
        assert!(answer["error"].is_null(), "{method}: {answer}");
        answer["result"].take()
    }

    /// Waits until the page that the last action opened has loaded.
    pub fn wait_until_loaded(&mut self) {
        if !self.has_loaded {
            self.wait_for(|message| message["method"] == "Page.loadEventFired");
        }
        self.has_loaded = false;
    }

    /// Waits until the page takes keys: browsers ignore them until the page was presented. Needs scripts.
    pub fn wait_until_keys_work(&mut self) {
        self.value("void addEventListener('keydown', () => { window.takesKeys = true; })");
        for _ in 0..1_000 {
            self.value(
                "new Promise(done => requestAnimationFrame(() => requestAnimationFrame(done)))",
            );
            self.press("Shift", 16);
            if self.value("window.takesKeys === true") == true {
                return;
            }
        }
        panic!("the page takes no keys");
    }

    /// Opens an address and waits until it has loaded.
    pub fn open(&mut self, url: &str) {
        self.has_loaded = false;
        self.send("Page.navigate", &json!({ "url": url }));
        self.wait_until_loaded();
    }

    /// Sets the size of the screen, in CSS pixels.
    pub fn resize(&mut self, width: u32, height: u32) {
        let size =
            json!({ "width": width, "height": height, "deviceScaleFactor": 1, "mobile": false });
        self.call("Emulation.setDeviceMetricsOverride", &size);
    }

    /// Sets the colour scheme that pages see, `light` or `dark`.
    pub fn colours(&mut self, scheme: &str) {
        let features = json!([{ "name": "prefers-color-scheme", "value": scheme }]);
        self.call(
            "Emulation.setEmulatedMedia",
            &json!({ "features": features }),
        );
    }

    /// Shows pages as they are printed, or as on a screen again.
    pub fn printed(&mut self, is_printed: bool) {
        let media = if is_printed { "print" } else { "" };
        self.call("Emulation.setEmulatedMedia", &json!({ "media": media }));
    }

    /// Switches scripts of pages off.
    pub fn without_scripts(&mut self) {
        self.call(
            "Emulation.setScriptExecutionDisabled",
            &json!({ "value": true }),
        );
    }

    /// The value of an expression in the page, after its promise was kept.
    pub fn value(&mut self, expression: &str) -> Value {
        self.has_loaded = false;
        let parameters =
            json!({ "expression": expression, "awaitPromise": true, "returnByValue": true });
        let mut answer = self.call("Runtime.evaluate", &parameters);
        assert!(answer["exceptionDetails"].is_null(), "{answer}");
        answer["result"]["value"].take()
    }

    /// Types a text where the focus is.
    pub fn insert(&mut self, text: &str) {
        self.call("Input.insertText", &json!({ "text": text }));
    }

    /// Presses a key, by its name in the DOM and its code in Windows, and waits until the page has handled it.
    pub fn press(&mut self, key: &str, code: u32) {
        self.has_loaded = false;
        let text = if key == "Enter" { "\r" } else { "" };
        for kind in ["keyDown", "keyUp"] {
            let event = json!({ "type": kind, "key": key, "code": key, "windowsVirtualKeyCode": code, "text": text });
            self.call("Input.dispatchKeyEvent", &event);
        }
    }

    /// The whole page as PNG.
    pub fn screenshot(&mut self) -> Vec<u8> {
        let parameters = json!({ "format": "png", "captureBeyondViewport": true });
        let drawn = self.call("Page.captureScreenshot", &parameters);
        let data = drawn["data"].as_str().expect("a picture");
        BASE64_STANDARD.decode(data).expect("base64")
    }
}

impl Drop for Browser {
    fn drop(&mut self) {
        drop(self.child.kill());
        drop(self.child.wait());
    }
}
