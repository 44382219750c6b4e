//! The documentation as a site, which `.ci/site` builds in the folder that LARIAT_SITE names.

use crate::browser::{Browser, RIGHT};
use std::path::PathBuf;

/// Pages that the project writes itself: they fit narrow screens.
const OWN: [&str; 3] = [
    "index.html",
    "examples/simulator.html",
    "examples/counterexample.html",
];
/// Pages of mdBook and rustdoc, with searches in both.
const OTHERS: [&str; 5] = [
    "book/index.html",
    "book/results.html",
    "book/index.html?search=fairness",
    "doc/lariat/index.html",
    "doc/lariat/index.html?search=Checker",
];

/// Addresses that no other host answers. Chromium's are those of the tab before the first page.
const LOCAL: [&str; 5] = ["file://", "data:", "blob:", "chrome:", "chrome-untrusted:"];

/// The playground, in sites that contain it.
const PLAYGROUND: &str = "playground.html";

/// The folder of the site.
fn site() -> Option<PathBuf> {
    let site = std::env::var_os("LARIAT_SITE").map(PathBuf::from);
    if site.is_none() {
        eprintln!("skipped: LARIAT_SITE is not set, so the site was not opened");
    }
    site
}

#[test]
fn pages_of_the_site_load_nothing_else_and_report_nothing() {
    let Some((site, browser)) = site().and_then(|site| Some((site, Browser::start()?))) else {
        return;
    };
    let mut own = OWN.to_vec();
    own.extend(site.join(PLAYGROUND).exists().then_some(PLAYGROUND));
    for page in own.iter().chain(&OTHERS) {
        for (size, dark) in [
            ((1200, 900), false),
            ((1200, 900), true),
            ((400, 800), false),
            ((400, 800), true),
        ] {
            browser.resize(size, dark);
            browser.visit(&site.join(page));
            let messages = browser.console_messages();
            assert!(messages.is_empty(), "{page} at {size:?}: {messages:?}");
            let requests = browser.requests();
            assert!(!requests.is_empty(), "{page}");
            for address in &requests {
                let is_local = LOCAL.iter().any(|start| address.starts_with(start));
                assert!(is_local, "{page} requests {address}");
            }
            if own.contains(page) {
                let wide = browser.eval("return document.documentElement.scrollWidth - innerWidth");
                assert!(
                    wide.as_i64().is_some_and(|wide| wide <= 0),
                    "{page} at {size:?}: {wide} too wide"
                );
            }
        }
    }
}

#[test]
fn links_searches_and_examples_of_the_site_work() {
    let Some((site, browser)) = site().and_then(|site| Some((site, Browser::start()?))) else {
        return;
    };
    browser.visit(&site.join("index.html"));
    let links = browser.eval("return Array.from(document.links, link => link.href)");
    let links: Vec<&str> = links
        .as_array()
        .expect("a list")
        .iter()
        .filter_map(|link| link.as_str())
        .collect();
    assert!(links.len() > 5, "{links:?}");
    for link in links {
        let path = link.strip_prefix("file://").expect(link);
        assert!(PathBuf::from(path).is_file(), "{link}");
    }
    for (form, found) in [
        (1, "#mdbook-searchresults a, #searchresults a"),
        (2, ".search-results a"),
    ] {
        browser.visit(&site.join("index.html"));
        browser.eval(&format!(
            "const form = document.forms[{form} - 1]; form.search.value = 'model'; form.requestSubmit()"
        ));
        let script =
            format!("const found = document.querySelectorAll('{found}').length; return found");
        browser.wait_for(&script);
    }
    browser.visit(&site.join("examples/counterexample.html"));
    let before = browser.eval("return document.body.innerText");
    browser.press(RIGHT);
    assert_ne!(browser.eval("return document.body.innerText"), before);
}

#[test]
fn the_playground_checks_a_model_in_the_browser() {
    let Some((site, browser)) = site().and_then(|site| Some((site, Browser::start()?))) else {
        return;
    };
    if !site.join(PLAYGROUND).exists() {
        eprintln!("skipped: the site does not contain the playground");
        return;
    }
    browser.visit(&site.join(PLAYGROUND));
    browser.wait_for("return document.getElementById('formulas').value");
    for (example, atom) in [("net", "waiting"), ("program", "Client.waiting")] {
        browser.click(&format!("[data-example={example}]"));
        browser.wait_for("return !document.getElementById('check').disabled");
        browser.click("#check");
        browser.wait_for("return !document.getElementById('page').hidden");
        let verdicts = browser.text("verdicts");
        let verdicts = verdicts.as_str().expect("text");
        assert!(
            verdicts.contains("VIOLATED  answered") && verdicts.contains("HOLDS     served"),
            "{verdicts}"
        );
        browser.enter_frame("#page");
        // The frame loads the page after it is shown; until then it contains the one before.
        browser.wait_for(&format!(
            "return document.body?.clientHeight > 0 && document.body.innerText.includes('{atom}')"
        ));
        let before = browser.eval("return document.body.innerText");
        browser.click("body");
        browser.press(RIGHT);
        assert_ne!(browser.eval("return document.body.innerText"), before);
        browser.leave_frame();
    }
    browser.eval("document.getElementById('formulas').value = 'F nowhere'");
    browser.click("#check");
    browser.wait_for("return document.getElementById('verdicts').textContent.includes('nowhere')");
    assert_eq!(browser.console_messages(), [] as [String; 0]);
}
