//! A browser, driven by WebDriver over the loopback interface.
//!
//! Chromium and its driver are found on the path. Without them the tests say so and pass.

use serde_json::{Value as Json, json};
use std::io::{BufRead, BufReader, Read, Write};
use std::net::TcpStream;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::sync::atomic::{AtomicU32, Ordering};
use std::time::Duration;

/// Keys in the encoding of WebDriver.
pub const RIGHT: &str = "\u{e014}";
pub const LEFT: &str = "\u{e012}";
pub const HOME: &str = "\u{e011}";
pub const END: &str = "\u{e010}";

/// A browser with one window and a temporary folder for its files.
pub struct Browser {
    driver: Child,
    port: u16,
    session: String,
    folder: PathBuf,
}

impl Browser {
    /// Starts a browser if one is installed.
    pub fn start() -> Option<Browser> {
        static NEXT: AtomicU32 = AtomicU32::new(0);
        let number = NEXT.fetch_add(1, Ordering::Relaxed);
        let folder =
            std::env::temp_dir().join(format!("lariat-pages-{}-{number}", std::process::id()));
        std::fs::create_dir_all(&folder).expect("a temporary folder");
        let driver = Command::new("chromedriver")
            .arg("--port=0")
            .env("HOME", &folder)
            .stdin(Stdio::null())
            .stdout(Stdio::piped())
            .stderr(Stdio::null())
            .spawn();
        let Ok(mut driver) = driver else {
            eprintln!("skipped: chromedriver is not installed, so no page was opened");
            return None;
        };
        let out = driver.stdout.take().expect("a pipe");
        let port = BufReader::new(out)
            .lines()
            .map_while(Result::ok)
            .find_map(|line| {
                let (_, port) = line.split_once("successfully on port ")?;
                port.trim_end_matches('.').trim().parse().ok()
            });
        let mut browser = Browser {
            driver,
            port: port?,
            session: String::new(),
            folder,
        };
        let profile = browser.folder.join("profile");
        let answer = browser.send("POST", "/session", &json!({"capabilities": {"alwaysMatch": {
            "goog:loggingPrefs": {"browser": "ALL", "performance": "ALL"},
            "goog:chromeOptions": {"args": [
                "--headless", "--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run",
                "--disable-background-networking", "--disable-component-update", "--disable-sync",
                "--disable-dev-shm-usage", "--window-size=1200,900",
                format!("--user-data-dir={}", profile.display()),
            ]},
        }}}));
        match answer.pointer("/sessionId").and_then(Json::as_str) {
            Some(session) => {
                browser.session = session.to_owned();
                Some(browser)
            }
            None => {
                eprintln!("skipped: Chromium does not start, so no page was opened: {answer}");
                None
            }
        }
    }

    fn send(&self, method: &str, path: &str, body: &Json) -> Json {
        let mut stream = TcpStream::connect(("127.0.0.1", self.port)).expect("the driver listens");
        let _ = stream.set_read_timeout(Some(Duration::from_secs(120)));
        let body = if method == "POST" {
            body.to_string()
        } else {
            String::new()
        };
        let request = format!(
            "{method} {path} HTTP/1.1\r\nHost: 127.0.0.1\r\nContent-Type: application/json\r\nConnection: close\r\nContent-Length: {}\r\n\r\n{body}",
            body.len()
        );
        let written = stream.write_all(request.as_bytes());
        written.expect("the driver reads");
        let mut reader = BufReader::new(stream);
        let mut length = 0;
        loop {
            let mut line = String::new();
            if reader.read_line(&mut line).expect("an answer") == 0 || line == "\r\n" {
                break;
            }
            if let Some((name, value)) = line.split_once(':')
                && name.eq_ignore_ascii_case("content-length")
            {
                length = value.trim().parse().expect("a length");
            }
        }
        let mut text = vec![0; length];
        reader.read_exact(&mut text).expect("a whole answer");
        let answer: Json = serde_json::from_slice(&text).expect("JSON");
        answer.get("value").cloned().unwrap_or(Json::Null)
    }

    fn post(&self, path: &str, body: &Json) -> Json {
        let value = self.send("POST", &format!("/session/{}{path}", self.session), body);
        assert!(value.pointer("/error").is_none(), "{path}: {value}");
        value
    }

    pub fn open(&self, name: &str, page: &str) {
        let path = self.folder.join(name);
        std::fs::write(&path, page).expect("a temporary file");
        self.visit(&path);
    }

    /// Opens the page in a file.
    pub fn visit(&self, path: &Path) {
        let url = format!("file://{}", path.display());
        self.post("/url", &json!({"url": url}));
    }

    /// The addresses that pages have requested since the last call.
    pub fn requests(&self) -> Vec<String> {
        let log = self.post("/se/log", &json!({"type": "performance"}));
        let entries = log.as_array().cloned().unwrap_or_default();
        let address = |entry: &Json| {
            let entry: Json = serde_json::from_str(entry.get("message")?.as_str()?).ok()?;
            let message = entry.get("message")?;
            let is_request = message.get("method")? == "Network.requestWillBeSent";
            let url = message
                .pointer("/params/request/url")
                .filter(|_| is_request);
            Some(url?.as_str()?.to_owned())
        };
        entries.iter().filter_map(address).collect()
    }

    /// Sets the size of the page, and the colour scheme.
    pub fn resize(&self, (width, height): (u32, u32), dark: bool) {
        let cdp = |command: &str, params: Json| {
            self.post(
                "/goog/cdp/execute",
                &json!({"cmd": command, "params": params}),
            )
        };
        cdp(
            "Emulation.setDeviceMetricsOverride",
            json!({"width": width, "height": height, "deviceScaleFactor": 1, "mobile": false}),
        );
        let scheme = if dark { "dark" } else { "light" };
        cdp(
            "Emulation.setEmulatedMedia",
            json!({"features": [{"name": "prefers-color-scheme", "value": scheme}]}),
        );
    }

    /// The value of a script's `return`.
    pub fn eval(&self, script: &str) -> Json {
        self.post("/execute/sync", &json!({"script": script, "args": []}))
    }

    /// Waits until a script returns something other than 0, false or null.
    #[track_caller]
    pub fn wait_for(&self, script: &str) {
        const TRIALS: u32 = 200;
        for _ in 0..TRIALS {
            let value = self.eval(script);
            if ![json!(0), json!(false), Json::Null].contains(&value) {
                return;
            }
            std::thread::sleep(Duration::from_millis(50));
        }
        panic!(
            "after ten seconds: {script} on {}",
            self.eval("return location.href")
        );
    }

    /// The text of the element with this id.
    pub fn text(&self, id: &str) -> Json {
        self.eval(&format!(
            "return document.getElementById('{id}').textContent"
        ))
    }

    pub fn press(&self, key: &str) {
        self.post(
            "/actions",
            &json!({"actions": [{"type": "key", "id": "keys", "actions": [
                {"type": "keyDown", "value": key}, {"type": "keyUp", "value": key},
            ]}]}),
        );
    }

    /// The first element that matches, as WebDriver names it.
    fn element(&self, selector: &str) -> Json {
        self.post(
            "/element",
            &json!({"using": "css selector", "value": selector}),
        )
    }

    /// Clicks the first element that matches.
    pub fn click(&self, selector: &str) {
        let found = self.element(selector);
        let id = found.as_object().and_then(|o| o.values().next());
        let id = id.and_then(Json::as_str).expect("an element");
        self.post(&format!("/element/{id}/click"), &json!({}));
    }

    /// Makes further calls concern the page in a frame.
    pub fn enter_frame(&self, selector: &str) {
        let frame = self.element(selector);
        self.post("/frame", &json!({"id": frame}));
    }

    /// Makes further calls concern the whole page.
    pub fn leave_frame(&self) {
        self.post("/frame", &json!({"id": null}));
    }

    /// The console messages since the last call.
    pub fn console_messages(&self) -> Vec<String> {
        let log = self.post("/se/log", &json!({"type": "browser"}));
        let entries = log.as_array().cloned().unwrap_or_default();
        let text = |entry: &Json| Some(entry.get("message")?.as_str()?.to_owned());
        entries.iter().filter_map(text).collect()
    }
}

impl Drop for Browser {
    fn drop(&mut self) {
        if !self.session.is_empty() {
            self.send("DELETE", &format!("/session/{}", self.session), &Json::Null);
        }
        let _ = self.driver.kill();
        let _ = self.driver.wait();
        let _ = std::fs::remove_dir_all(&self.folder);
    }
}
