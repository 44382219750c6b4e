//! The language server: sessions as editors hold them.

use crate::kit::{Folder, command};
use serde_json::{Value as Json, json};
use std::io::{BufRead as _, BufReader, Read as _, Write as _};
use std::process::{Child, ChildStdin, ChildStdout, Stdio};

/// A session with a running server.
struct Client {
    server: Child,
    input: ChildStdin,
    output: BufReader<ChildStdout>,
    folder: Folder,
    requests: u32,
    version: u32,
}

impl Client {
    fn start() -> Client {
        let mut command = command("lsp");
        command.stdin(Stdio::piped()).stdout(Stdio::piped());
        let mut server = command.spawn().expect("the server starts");
        let mut client = Client {
            input: server.stdin.take().expect("a pipe"),
            output: BufReader::new(server.stdout.take().expect("a pipe")),
            server,
            folder: Folder::new(),
            requests: 0,
            version: 0,
        };
        let answer = client.ask("initialize", json!({"capabilities": {}}));
        assert_eq!(answer["capabilities"]["hoverProvider"], true);
        client.tell("initialized", json!({}));
        client
    }

    fn send(&mut self, message: &Json) {
        let body = message.to_string();
        let written = write!(self.input, "Content-Length: {}\r\n\r\n{body}", body.len());
        written
            .and_then(|()| self.input.flush())
            .expect("the server reads");
    }

    fn receive(&mut self) -> Json {
        let mut length = 0;
        loop {
            let mut line = String::new();
            self.output.read_line(&mut line).expect("the server writes");
            assert!(!line.is_empty(), "the server has ended");
            match line.trim().split_once(": ") {
                Some(("Content-Length", bytes)) => length = bytes.parse().expect("a number"),
                Some(_) => {}
                None => break,
            }
        }
        let mut body = vec![0; length];
        self.output.read_exact(&mut body).expect("a whole message");
        serde_json::from_slice(&body).expect("JSON")
    }

    fn tell(&mut self, method: &str, params: Json) {
        self.send(&json!({"jsonrpc": "2.0", "method": method, "params": params}));
    }

    /// The result of a request, without diagnostics that arrive before it.
    fn ask(&mut self, method: &str, params: Json) -> Json {
        self.requests += 1;
        let id = self.requests;
        self.send(&json!({"jsonrpc": "2.0", "id": id, "method": method, "params": params}));
        loop {
            let message = self.receive();
            if message["id"] == id {
                assert!(message["error"].is_null(), "{method}: {message}");
                return message["result"].clone();
            }
        }
    }

    fn uri(&self, name: &str) -> String {
        format!("file://{}/{name}", self.folder.path())
    }

    fn open(&mut self, name: &str, text: &str) {
        self.version += 1;
        let document = json!({
            "uri": self.uri(name), "languageId": "x", "version": self.version, "text": text,
        });
        self.tell("textDocument/didOpen", json!({"textDocument": document}));
    }

    fn change(&mut self, name: &str, text: &str) {
        self.version += 1;
        let document = json!({"uri": self.uri(name), "version": self.version});
        let params = json!({"textDocument": document, "contentChanges": [{"text": text}]});
        self.tell("textDocument/didChange", params);
    }

    /// The next diagnostics of a document: the text at each, and the message.
    fn diagnostics(&mut self, name: &str, text: &str) -> Vec<(String, String)> {
        let uri = self.uri(name);
        loop {
            let message = self.receive();
            if message["params"]["uri"] != uri {
                continue;
            }
            let list = message["params"]["diagnostics"].as_array().expect("a list");
            let one = |d: &Json| {
                (
                    marked(text, &d["range"]),
                    d["message"].as_str().expect("text").to_owned(),
                )
            };
            return list.iter().map(one).collect();
        }
    }

    /// Asks about the position behind the first occurrence of `before` in the text.
    fn at(&mut self, method: &str, name: &str, text: &str, before: &str) -> Json {
        let offset = text.find(before).expect(before) + before.len();
        let line = text[..offset].matches('\n').count();
        let start = text[..offset].rfind('\n').map_or(0, |at| at + 1);
        let character = text[start..offset].encode_utf16().count();
        self.ask(
            method,
            json!({
                "textDocument": {"uri": self.uri(name)},
                "position": {"line": line, "character": character},
            }),
        )
    }

    fn hover(&mut self, name: &str, text: &str, before: &str) -> String {
        let answer = self.at("textDocument/hover", name, text, before);
        answer["contents"]["value"]
            .as_str()
            .unwrap_or_default()
            .to_owned()
    }

    /// The file and the text that a definition leads to.
    fn definition(
        &mut self,
        name: &str,
        text: &str,
        before: &str,
        model: &str,
    ) -> (String, String) {
        let answer = self.at("textDocument/definition", name, text, before);
        let uri = answer["uri"].as_str().unwrap_or_default();
        let file = uri.rsplit('/').next().unwrap_or_default().to_owned();
        (file, marked(model, &answer["range"]))
    }

    /// Labels and inserted texts of the completions.
    fn completion(&mut self, name: &str, text: &str, before: &str) -> Vec<(String, String)> {
        let answer = self.at("textDocument/completion", name, text, before);
        let text = |item: &Json, pointer: &str| {
            item.pointer(pointer)
                .and_then(Json::as_str)
                .expect(pointer)
                .to_owned()
        };
        let items = answer["items"].as_array().expect("a list").iter();
        items
            .map(|item| (text(item, "/label"), text(item, "/textEdit/newText")))
            .collect()
    }

    fn end(mut self) {
        assert_eq!(self.ask("shutdown", Json::Null), Json::Null);
        self.tell("exit", Json::Null);
        assert_eq!(self.server.wait().expect("the server ends").code(), Some(0));
    }
}

/// The text of a range within one line.
fn marked(text: &str, range: &Json) -> String {
    let number = |pointer: &str| {
        let number = range
            .pointer(pointer)
            .and_then(Json::as_u64)
            .expect(pointer);
        usize::try_from(number).expect("a position")
    };
    assert_eq!(number("/start/line"), number("/end/line"));
    let line: Vec<u16> = text
        .lines()
        .nth(number("/start/line"))
        .unwrap_or_default()
        .encode_utf16()
        .collect();
    String::from_utf16_lossy(&line[number("/start/character")..number("/end/character")])
}

fn labels(items: &[(String, String)]) -> Vec<&str> {
    items.iter().map(|(label, _)| label.as_str()).collect()
}

const NET: &str = r#"<pnml><net id="n" type="http://www.pnml.org/version-2009/grammar/ptnet"><page id="g">
<place id="idle"><initialMarking><text>1</text></initialMarking></place>
<place id="P-1"><name><text>Waiting</text></name></place>
<transition id="ask"/>
<arc id="a" source="idle" target="ask"/><arc id="b" source="ask" target="P-1"/>
</page></net></pnml>
"#;

#[test]
fn formulas_about_a_net() {
    let mut client = Client::start();
    client.folder.file("net.pnml", NET);
    let text = "# ünïcode 𝄞\nok: G \"𝄞\" | F ilde\nlive: F fires(ask) & \"Waiting >= 1\"\n";
    client.open("net.ltl", text);
    let list = client.diagnostics("net.ltl", text);
    assert_eq!(list.len(), 1, "{list:?}");
    let text = "ok: G (idle -> F ilde)\nlive: F fires(ask) & F \"Waiting >= 1\"\n";
    client.change("net.ltl", text);
    let list = client.diagnostics("net.ltl", text);
    let [(at, message)] = &list[..] else {
        panic!("{list:?}");
    };
    assert_eq!(at, "ilde");
    assert!(
        message.contains("help: did you mean \"idle\"?"),
        "{message}"
    );
    let text = text.replace("ilde", "idle");
    client.change("net.ltl", &text);
    assert_eq!(client.diagnostics("net.ltl", &text), []);

    assert_eq!(
        client.hover("net.ltl", &text, "(id"),
        "place idle\nplace, at most 1"
    );
    assert_eq!(
        client.hover("net.ltl", &text, "Waiting"),
        "place Waiting (P-1)\nplace (P-1), at most 1"
    );
    assert_eq!(client.hover("net.ltl", &text, "live"), "");
    let there = |name: &str| ("net.pnml".to_owned(), name.to_owned());
    assert_eq!(
        client.definition("net.ltl", &text, "fires(as", NET),
        there("ask")
    );
    assert_eq!(
        client.definition("net.ltl", &text, "\"Wait", NET),
        there("P-1")
    );
    let items = client.completion("net.ltl", &text, "G (i");
    assert_eq!(labels(&items), ["idle", "Waiting", "fires(", "fireable("]);
    assert_eq!(
        client.at("lariat/propertyAt", "net.ltl", &text, "live: ")["property"],
        "live"
    );

    // A change of the net in the editor changes the diagnostics of the formulas.
    let net = NET.replace("ask", "request");
    client.open("net.pnml", &net);
    let list = client.diagnostics("net.ltl", &text);
    assert_eq!((list.len(), list[0].0.as_str()), (1, "ask"), "{list:?}");
    let broken = NET.replace("</page>", "");
    client.change("net.pnml", &broken);
    let list = client.diagnostics("net.ltl", &text);
    assert!(list[0].1.contains("net.pnml cannot be read"), "{list:?}");
    let list = client.diagnostics("net.pnml", &broken);
    assert_eq!(list.len(), 1, "{list:?}");
    // The file counts again once its document is closed.
    client.tell(
        "textDocument/didClose",
        json!({"textDocument": {"uri": client.uri("net.pnml")}}),
    );
    assert_eq!(client.diagnostics("net.ltl", &text), []);
    assert_eq!(client.diagnostics("net.pnml", ""), []);
    client.end();
}

#[test]
fn names_within_a_net() {
    let mut client = Client::start();
    client.open("net.pnml", NET);
    assert_eq!(client.diagnostics("net.pnml", NET), []);
    assert_eq!(
        client.hover("net.pnml", NET, "target=\"P-"),
        "place Waiting (P-1)\nplace (P-1), at most 1"
    );
    let there = ("net.pnml".to_owned(), "idle".to_owned());
    assert_eq!(
        client.definition("net.pnml", NET, "source=\"id", NET),
        there
    );
    let items = client.completion("net.pnml", NET, "source=\"");
    assert_eq!(labels(&items), ["idle", "P-1", "ask"]);
    let wrong = NET.replace("target=\"P-1\"", "target=\"P-2\"");
    client.change("net.pnml", &wrong);
    let list = client.diagnostics("net.pnml", &wrong);
    assert_eq!((list.len(), list[0].0.as_str()), (1, "<arc"), "{list:?}");
    client.end();
}

const PROGRAM: &str = "byte turn; const int N = 2;
process P {
  int x;
  state idle, busy;
  init idle;
  trans idle -> busy { guard Q.here; effect x = N; }, busy -> idle {};
}
process Q { byte x; state here; init here; trans here -> here { guard P->x < 3; effect x = turn; }; }
system async;
";

#[test]
fn programs_and_formulas_about_them() {
    let mut client = Client::start();
    client.open("p.dve", PROGRAM);
    assert_eq!(client.diagnostics("p.dve", PROGRAM), []);
    assert_eq!(
        client.hover("p.dve", PROGRAM, "effect x"),
        "int x\nvariable, -32768 to 32767"
    );
    assert_eq!(
        client.hover("p.dve", PROGRAM, "P->x"),
        "int x\nvariable, -32768 to 32767"
    );
    assert_eq!(
        client.hover("p.dve", PROGRAM, "idle -> bus"),
        "state busy of P\nstate"
    );
    assert_eq!(client.hover("p.dve", PROGRAM, "= N"), "const int N = 2");
    let there = |name: &str| ("p.dve".to_owned(), name.to_owned());
    assert_eq!(
        client.definition("p.dve", PROGRAM, "guard Q.her", PROGRAM),
        there("here")
    );
    assert_eq!(
        client.definition("p.dve", PROGRAM, "x = tu", PROGRAM),
        there("turn")
    );
    let items = client.completion("p.dve", PROGRAM, "guard P->");
    assert_eq!(labels(&items), ["x", "idle", "busy"]);
    let items = client.completion("p.dve", PROGRAM, "effect x = t");
    assert_eq!(items[0].0, "turn", "{items:?}");

    let text = "#define b P.bussy\nG (P.busy -> F \"P->x == 2\")\n";
    client.open("p.ltl", text);
    let list = client.diagnostics("p.ltl", text);
    assert_eq!((list.len(), list[0].0.as_str()), (1, "bussy"), "{list:?}");
    assert_eq!(
        client.hover("p.ltl", text, "G (P.bu"),
        "state busy of P\nstate"
    );
    assert_eq!(
        client.definition("p.ltl", text, "G (P.bu", PROGRAM),
        there("busy")
    );
    let items = client.completion("p.ltl", text, "G (P.");
    assert!(labels(&items).contains(&"P.busy"), "{items:?}");
    assert_eq!(
        client.at("lariat/propertyAt", "p.ltl", text, "G (P")["property"],
        "1"
    );

    // While a text is malformed, the declarations before the change count.
    let broken = PROGRAM.replace("system async;", "process");
    client.change("p.dve", &broken);
    let list = client.diagnostics("p.dve", &broken);
    assert_eq!(list.len(), 1, "{list:?}");
    let items = client.completion("p.dve", &broken, "guard Q.");
    assert_eq!(labels(&items), ["x", "here"]);
    client.end();
}

const PROMELA: &str = "mtype = { ack };
chan line = [1] of { mtype };
byte sent;
active proctype Sender() { byte n; again: line!ack; n = n + 1; sent = n; goto again }
active proctype Receiver() { do :: line?ack -> skip od }
";

#[test]
fn promela_and_formulas_about_it() {
    let mut client = Client::start();
    client.open("m.pml", PROMELA);
    assert_eq!(client.diagnostics("m.pml", PROMELA), []);
    assert_eq!(
        client.hover("m.pml", PROMELA, "; sent"),
        "byte sent\nvariable, 0 to 255"
    );
    assert_eq!(
        client.hover("m.pml", PROMELA, "goto ag"),
        "label again of Sender"
    );
    let there = |name: &str| ("m.pml".to_owned(), name.to_owned());
    assert_eq!(
        client.definition("m.pml", PROMELA, "; n = n", PROMELA),
        there("n")
    );
    assert_eq!(
        client.definition("m.pml", PROMELA, "line?ac", PROMELA),
        there("ack")
    );
    let items = client.completion("m.pml", PROMELA, "; sent = n");
    assert!(labels(&items).starts_with(&["n", "again"]), "{items:?}");
    let text = "F snet\nG F \"sent >= 2\"\n";
    client.open("m.ltl", text);
    let list = client.diagnostics("m.ltl", text);
    assert_eq!((list.len(), list[0].0.as_str()), (1, "snet"), "{list:?}");
    assert_eq!(
        client.definition("m.ltl", text, "\"sen", PROMELA),
        there("sent")
    );
    assert!(
        client
            .hover("m.ltl", text, "\"sen")
            .starts_with("byte sent\n")
    );
    let items = client.completion("m.ltl", text, "\"sen");
    assert!(labels(&items).contains(&"sent"), "{items:?}");
    let broken = PROMELA.replace("sent = n", "snt = n");
    client.change("m.pml", &broken);
    let list = client.diagnostics("m.pml", &broken);
    assert_eq!((list.len(), list[0].0.as_str()), (1, "snt"), "{list:?}");
    let broken = PROMELA.replace("skip od", "skip");
    client.change("m.pml", &broken);
    assert_eq!(client.diagnostics("m.pml", &broken).len(), 1);
    client.end();
}

const TINA: &str = "net lights
tr go red -> green
tr stop green -> red
pl red (1)
";

#[test]
fn texts_without_declarations_have_errors_and_names() {
    let mut client = Client::start();
    client.open("t.net", TINA);
    assert_eq!(client.diagnostics("t.net", TINA), []);
    assert_eq!(client.completion("t.net", TINA, "tr g"), []);
    let text = "G (red -> F gren)\n";
    client.open("t.ltl", text);
    let list = client.diagnostics("t.ltl", text);
    assert_eq!((list.len(), list[0].0.as_str()), (1, "gren"), "{list:?}");
    let hover = client.hover("t.ltl", text, "(r");
    assert_eq!(hover, "place, at most 1");
    let items = client.completion("t.ltl", text, "F gre");
    assert_eq!(labels(&items), ["green"]);
    let broken = TINA.replace("(1)", "(one)");
    client.change("t.net", &broken);
    assert_eq!(client.diagnostics("t.net", &broken).len(), 1);
    client.end();
}

#[test]
fn formulas_without_a_model() {
    let mut client = Client::start();
    let text = "G (p -> \nF fires(q)\nEF p\n";
    client.open("alone.ltl", text);
    let list = client.diagnostics("alone.ltl", text);
    assert_eq!(list.len(), 2, "{list:?}");
    assert!(list[1].1.contains("there is no model"), "{list:?}");
    let elsewhere = client.folder.file("other.dve", PROGRAM);
    let text = "# model: other.dve\nF P.busy\nfair weak all\nF P.idle\n";
    client.change("alone.ltl", text);
    assert_eq!(client.diagnostics("alone.ltl", text), []);
    let found = client.at("lariat/propertyAt", "alone.ltl", text, "F P.id");
    assert_eq!(found["property"], "2");
    assert_eq!(found["model"], elsewhere);
    client.end();
}

#[test]
fn odd_messages_do_not_end_the_session() {
    let mut client = Client::start();
    for (method, params) in [
        (
            "textDocument/hover",
            json!({"textDocument": {"uri": "file:///nowhere.ltl"}, "position": {"line": 0, "character": 0}}),
        ),
        ("textDocument/definition", json!({})),
        ("textDocument/completion", json!([1])),
        ("lariat/propertyAt", Json::Null),
    ] {
        assert_eq!(client.ask(method, params), Json::Null, "{method}");
    }
    client.tell(
        "textDocument/didChange",
        json!({"textDocument": {"uri": "untitled:1"}}),
    );
    client.tell("$/setTrace", Json::Null);
    client.send(&json!({"jsonrpc": "2.0", "id": "a", "method": "no/such", "params": {}}));
    assert_eq!(client.receive()["error"]["code"], -32601);
    client.open("a.ltl", "G \u{0}");
    client.open("a.dve", "process");
    client.diagnostics("a.dve", "process");
    client.end();
    // The end of the input ends the server.
    let ran = crate::kit::lariat_reading("lsp", "Content-Length: 3\r\n\r\n{}}");
    assert!(matches!(ran.code, Some(2)), "{ran:?}");
    crate::kit::lariat_reading("lsp", "")
        .exits(2)
        .reports("without `shutdown`");
}
