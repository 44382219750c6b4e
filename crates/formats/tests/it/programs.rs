//! DVE and ETF: error messages, semantics that the model collections do not exercise, and mutated
//! files.

use crate::added;
use lariat_corpora::{Random, cases, models, seed};
use lariat_formats::{LoadedModel, dve, etf};
use lariat_model::{Value, VarId};
use std::collections::BTreeSet;
use std::fs;

/// The reachable states, by the reference semantics.
fn reachable(model: &str) -> (dve::Dve, BTreeSet<Box<[Value]>>) {
    let dve = dve::read("model", model.as_bytes()).unwrap_or_else(|e| panic!("{e}"));
    let mut seen: BTreeSet<Box<[Value]>> = dve.system.initial.iter().cloned().collect();
    let mut open: Vec<_> = seen.iter().cloned().collect();
    while let Some(state) = open.pop() {
        for event in dve.system.event_ids() {
            for next in dve.system.successors(&state, event) {
                if seen.insert(next.clone()) {
                    open.push(next);
                }
            }
        }
    }
    (dve, seen)
}

/// The values that a variable takes in reachable states.
fn values(model: &str, name: &str) -> Vec<Value> {
    let (dve, states) = reachable(model);
    let i = dve.system.variables.iter().position(|v| v.name == name);
    let i = i.unwrap_or_else(|| panic!("no variable {name}"));
    let values: BTreeSet<Value> = states.iter().map(|s| s[i]).collect();
    values.into_iter().collect()
}

#[test]
fn semantics_of_programs() {
    let process = |decls: &str, trans: &str| {
        format!("process P {{ {decls} state a, b; init a; trans {trans}; }} system async;")
    };
    // Effects are sequential; assignments wrap around.
    let p = process(
        "byte x = 1, y = 2;",
        "a -> b { effect x = y, y = x + 254; }",
    );
    assert_eq!(values(&p, "P.x"), [1, 2]);
    assert_eq!(values(&p, "P.y"), [0, 2]);
    let p = process("int x = 32767;", "a -> b { effect x = x + 1; }");
    assert_eq!(values(&p, "P.x"), [-32768, 32767]);
    // Faults lead to an error state, whether in the guard or in an effect.
    for trans in [
        "a -> b { guard 1 / x == 1; }",
        "a -> b { effect t[x - 1] = 1; }",
        "a -> b { effect x = t[x + 7]; }",
        "a -> b { guard t[9] == 0; }",
    ] {
        let p = process("byte x, t[2];", trans);
        assert_eq!(values(&p, "fault"), [0, 1], "{trans}");
        assert_eq!(values(&p, "P"), [0], "{trans}");
    }
    // Short-circuit: operands that are not evaluated cannot fail.
    let p = process("byte x;", "a -> b { guard x != 0 && 1 / x == 1; }");
    assert_eq!(values(&p, "fault"), [0]);
    // A byte channel transmits bytes; both values are evaluated in the source state.
    let pair = "byte g = 1; channel {byte, int} c;
        process P { state a, b; init a; trans a -> b { sync c!{g + 299, g + 299}; }; }
        process Q { int x; state a, b; init a; trans a -> b { sync c?{x, g}; effect x = x + 1; }; }
        process R { int y; state a, b; init a; trans a -> b { guard P.b; effect y = Q->x; }; }
        system async;";
    assert_eq!(values(pair, "Q.x"), [0, 45]);
    assert_eq!(values(pair, "g"), [1, 44]);
    assert_eq!(values(pair, "R.y"), [0, 45]);
    let swap = "byte g = 1, h = 2; channel {byte, byte} c;
        process P { state a, b; init a; trans a -> b { sync c!{h, g}; }; }
        process Q { state a, b; init a; trans a -> b { sync c?{g, h}; }; }
        system async;";
    assert_eq!(values(swap, "g"), [1, 2]);
    assert_eq!(values(swap, "h"), [1, 2]);
    assert_eq!(values(swap, "(sent 0)"), [0]);
    // First in, first out.
    let queue = "channel c[2];
        process P { byte i; state a; init a; trans a -> a { guard i < 3; sync c!i + 1; effect i = i + 1; }; }
        process Q { byte s; state a; init a; trans a -> a { sync c?s; }; }
        system async;";
    assert_eq!(values(queue, "c.len"), [0, 1, 2]);
    assert_eq!(values(queue, "Q.s"), [0, 1, 2, 3]);
    assert_eq!(reachable(queue).1.len(), 9);
}

#[test]
fn events_and_states_have_their_names() {
    let model = "channel c; byte t[2];
        process P { byte x; state a, b; init a; trans a -> b {}, a -> b {}, b -> a { sync c!; }; }
        process Q { state u, v; init u; trans u -> v { sync c?; }, v -> u {}; }
        system async;";
    let model = lariat_formats::read("model", model.as_bytes()).unwrap();
    let names: Vec<&str> = model.system.events.iter().map(|e| &*e.name).collect();
    assert_eq!(names, ["P:a->b#1", "P:a->b#2", "P:b->a!Q:u->v", "Q:v->u"]);
    let variables: Vec<&str> = model.system.variables.iter().map(|v| &*v.name).collect();
    assert_eq!(variables, ["t[0]", "t[1]", "P", "P.x", "Q"]);
    let text = |formula: &str| -> String {
        let mut properties = lariat_model::PropertyList::new();
        match properties.add_formula(&model.names(), "formula", None, formula) {
            Ok(()) => properties.list[0].text.clone(),
            Err(error) => error.to_string(),
        }
    };
    assert_eq!(text("G P.a"), "G(P.a)");
    assert_eq!(text("F \"P.a+Q.u==2\""), "F(\"P.a + Q.u == 2\")");
    assert_eq!(text("F \"P->x >= t[1]\""), "F(\"P->x >= t[1]\")");
    assert_eq!(text("F fires(P:a->b)"), "F(fires(P:a->b#1, P:a->b#2))");
    assert_eq!(text("F \"P:b->a!Q:u->v\""), "F(fires(P:b->a!Q:u->v))");
    assert!(text("F P.c").contains("no variable, state or event is called `P.c`"));
}

fn dve_error(text: &str) -> String {
    dve::read("model.dve", text.as_bytes())
        .expect_err(text)
        .to_string()
}

#[test]
// One table of errors.
fn invalid_dve_is_reported() {
    let whole = dve_error(
        "byte x;\nprocess P {\n  state a;\n  init a;\n  trans a -> a { guard y == 1; };\n}\nsystem async;\n",
    );
    assert_eq!(
        whole,
        "no variable or constant is called `y`\n --> model.dve:5:24\n   |\n 5 |   trans a -> a { guard y == 1; };\n   |                        ^\n   = help: did you mean `x`?"
    );
    let p = |body: &str| format!("process P {{ {body} }} system async;");
    for (text, message) in [
        (
            "",
            "expected a declaration, `process` or `system`, found the end of the text",
        ),
        (
            "byte x",
            "expected `;` at the end of the declaration, found the end of the text",
        ),
        ("bool x;", "help: declare variables as `byte` or `int`"),
        ("byte x; byte x;", "`x` is already declared"),
        (
            "byte x = y; byte y = x;",
            "no variable or constant is called `y`",
        ),
        (
            "const int N = N + 1;",
            "no variable or constant is called `N`",
        ),
        ("byte a[N];", "no variable or constant is called `N`"),
        ("byte n; byte a[n];", "an array's size must be a constant"),
        (
            "byte a[0];",
            "an array's size must be from 1 to 65536, not 0",
        ),
        (
            "byte a[2000000000];",
            "an array's size must be from 1 to 65536, not 2000000000",
        ),
        ("byte a[3000000000];", "a number may be at most 2147483647"),
        ("byte a[1/0];", "an array's size must be a constant"),
        ("byte x = 1/0;", "this initial value cannot be computed"),
        (
            "byte x = {1};",
            "`x` is not an array and has one initial value",
        ),
        ("const byte x;", "the constant `x` has no value"),
        (
            "channel c[70000];",
            "a channel's capacity must be from 0 to 65536",
        ),
        (
            "byte x; system sync;",
            "synchronous systems (`system sync`) are not supported",
        ),
        ("system async property Q;", "no process is called `Q`"),
        ("/* x", "this comment is never closed"),
        ("byte $;", "unexpected character `$`"),
        (
            "byte init;",
            "`init` is a keyword and cannot be used as a name",
        ),
        (
            "process P(byte x) {}",
            "process templates with parameters are not supported",
        ),
    ] {
        let text = if text.contains("system") || text.len() < 7 {
            text.to_owned()
        } else {
            format!("{text} system async;")
        };
        let found = dve_error(&text);
        assert!(found.contains(message), "{text}: {found}");
    }
    for (body, message) in [
        (
            "state a; trans a -> a {};",
            "process `P` has no initial state",
        ),
        ("state a, a; init a;", "`a` is already declared"),
        ("state a; init b;", "process `P` has no state `b`"),
        (
            "state work; init work; trans work -> wrok {};",
            "did you mean `work`?",
        ),
        ("state a; init a; commit c;", "process `P` has no state `c`"),
        ("state a; init a; accept c;", "process `P` has no state `c`"),
        (
            "state a; init a; assert c: 1;",
            "process `P` has no state `c`",
        ),
        (
            "state a; init a; init a;",
            "a process has one initial state",
        ),
        (
            "state a; init a; trans a -> a { sync c!; };",
            "no channel is called `c`",
        ),
        (
            "byte c; state a; init a; trans a -> a { sync c!; };",
            "`c` is not a channel",
        ),
        (
            "channel c; state a; init a; trans a -> a { sync c!1; }, a -> a { sync c?; };",
            "channel `c` carries one value, but here it is used with no value",
        ),
        (
            "channel {int} c; state a; init a; trans a -> a { sync c!{1, 2}; };",
            "channel `c` carries one value, but here it is used with 2 values",
        ),
        (
            "channel c; state a; init a; trans a -> a { guard c; };",
            "`c` is a channel and has no value",
        ),
        (
            "const int c = 1; state a; init a; trans a -> a { effect c = 2; };",
            "`c` is a constant and cannot be assigned",
        ),
        (
            "byte x; state a; init a; trans a -> a { effect x[0] = 2; };",
            "`x` is not an array",
        ),
        (
            "byte x; state a; init a; trans a -> a { effect P->x = 2; };",
            "the variables of another process can only be read",
        ),
        (
            "state a; init a; trans a -> a { effect x = 2; guard 1; };",
            "first `guard`, then `sync`, then `effect`",
        ),
        (
            "state a; init a; trans a -> a { guard Q.a; };",
            "no process is called `Q`",
        ),
        (
            "byte x; state a; init a; trans a -> a { guard P.x; };",
            "a variable is read with an arrow: `P->x`",
        ),
        (
            "state a; init a; trans a -> a { guard P->a; };",
            "a state is tested with a dot: `P.a`",
        ),
        (
            "state a; init a; trans a -> a { guard 1 +; };",
            "expected an expression, found `;`",
        ),
    ] {
        let found = dve_error(&p(body));
        assert!(found.contains(message), "{body}: {found}");
    }
    let property = |body: &str| format!("byte x; process P {{ {body} }} system async property P;");
    for (body, message) in [
        (
            "byte y; state a; init a;",
            "a property process must not declare variables",
        ),
        (
            "state a; init a; trans a -> a { effect x = 1; };",
            "must not assign variables",
        ),
        (
            "state a; init a; trans a -> a { guard P.a; };",
            "its state is no part of the system",
        ),
    ] {
        let found = dve_error(&property(body));
        assert!(found.contains(message), "{body}: {found}");
    }
}

#[test]
fn decisions_of_the_reader_are_warnings() {
    let text = "byte a[2] = {1, 2, 3}; byte x = 300; process P { state s; init s; } system async;";
    let dve = dve::read("m", text.as_bytes()).unwrap();
    let warnings: Vec<&str> = dve.warnings.iter().map(|w| &*w.message).collect();
    assert_eq!(
        warnings,
        [
            "`a` has 2 elements but 3 initial values: the surplus is dropped",
            "300 does not fit into the byte range 0..255 and becomes 44",
        ]
    );
    assert_eq!(*dve.system.initial[0], [1, 2, 44, 0]);
}

/// Names that hide others, and parts of a program without effect, are read with a warning.
#[test]
fn hidden_names_and_idle_parts_are_warnings() {
    for (text, warning) in [
        (
            "byte x; process P { byte x; state s; init s; trans s -> s {}; } system async;",
            "`x` of `P` hides a global name",
        ),
        (
            "process P { byte s; state s; init s; trans s -> s {}; } system async;",
            "`s` is a state and a variable of `P`",
        ),
        (
            "channel c; process P { state s; init s; trans s -> s { sync c!; }; } system async;",
            "nothing receives on the channel `c`",
        ),
        (
            "channel {byte} c[2]; byte x; process P { state s; init s; trans s -> s { sync c?x; }; } system async;",
            "nothing sends on the channel `c`",
        ),
        (
            "process P { state s; accept s; init s; trans s -> s {}; } system async;",
            "the accepting states of `P` have no effect",
        ),
    ] {
        let dve = dve::read("m", text.as_bytes()).unwrap();
        let warnings: Vec<&str> = dve.warnings.iter().map(|w| &*w.message).collect();
        assert_eq!(warnings, [warning], "{text}");
    }
}

#[test]
fn names_of_maps_are_unique() {
    let map = |name: &str| format!("begin map {name}:bool\n0 1\n* 0\nend map\n");
    let head = "begin state\nx:int\nend state\nbegin edge\nend edge\nbegin init\n0\nend init\n";
    let read = |maps: &str| etf::read("m", format!("{head}{maps}").as_bytes());
    assert!(read(&(map("m") + &map("n"))).is_ok());
    for maps in [map("m") + &map("m"), map("x")] {
        let error = read(&maps).unwrap_err();
        assert!(
            error
                .message
                .contains("already the name of a slot or a map"),
            "{error}"
        );
    }
}

#[test]
fn invalid_etf_is_reported() {
    let head = "begin state\nx:s y:_\nend state\nbegin edge\nend edge\n";
    let read = |text: &str| {
        etf::read("model.etf", text.as_bytes())
            .expect_err(text)
            .to_string()
    };
    assert_eq!(
        read(&format!(
            "{head}begin init\n0 0\nend init\nbegin trans\n0/1 0\nend trans\n"
        )),
        "expected `/` and the new value, found the end of the line\n  --> model.etf:10:6\n    |\n 10 | 0/1 0\n    |      ^"
    );
    for (rest, message) in [
        ("", "there is no `init` section"),
        (
            "begin init 0 end init",
            "expected the initial value of `y`, found `end`",
        ),
        ("begin init 0 0 0 end init", "found `0`"),
        (
            "begin init 0 0 end init begin init 0 0 end init",
            "there is an `init` section already",
        ),
        (
            "begin init \"a\" \"b\" end init",
            "a value in quotes needs a slot with a sort",
        ),
        (
            "begin init 2 0 end init\nbegin sort s \"a\" \"b\" end sort",
            "the sort `s` has 2 values, numbered from 0: there is no 2",
        ),
        (
            "begin init 0 0 end init\nbegin trans\n0/1 * *\nend trans",
            "expected the end of the line after an entry",
        ),
        (
            "begin foo",
            "expected `init`, `trans`, `map` or `sort`, found `foo`",
        ),
        (
            "begin init 0 0 end init\nbegin sort s \"a\" \"a\" end sort",
            "a value of the sort `s` is repeated",
        ),
        (
            "begin init 0 0 end init\nbegin sort s \"a",
            "this value is never closed",
        ),
    ] {
        let found = read(&format!("{head}{rest}"));
        assert!(found.contains(message), "{rest}: {found}");
    }
    assert!(
        read("begin state x:s x:s end state begin edge end edge begin init 0 0 end init")
            .contains("there is a slot `x` already")
    );
}

#[test]
fn labels_name_the_events_of_tables() {
    let text = "begin state x:s end state begin edge a:act end edge begin init \"one\" end init
begin trans
0/1 \"go\"
1/0 \"back\"
end trans
begin trans
1/1 \"go\"
end trans
begin map m:bool
0 0
1 1
end map
begin sort s \"one\" \"two\" end sort
";
    let model: LoadedModel = lariat_formats::read("m", text.as_bytes()).unwrap();
    let names: Vec<&str> = model.system.events.iter().map(|e| &*e.name).collect();
    assert_eq!(names, ["go#1", "back", "go#2"]);
    let mut properties = lariat_model::PropertyList::new();
    let formula = "G (m -> F fires(go)) & F \"m == 1\"";
    added(&mut properties, &model.names(), formula);
    assert_eq!(properties.propositions.len(), 3);
}

// --- sizes and mutations ---------------------------------------------------------------------

#[test]
fn excessive_sizes_are_rejected() {
    let arrays: String = (0..10).map(|i| format!("byte a{i}[65536];")).collect();
    assert!(dve_error(&format!("{arrays} system async;")).contains("more than 262144 variables"));
    let many = |sign: &str| format!("a -> a {{ sync c{sign}; }}, ").repeat(3000);
    let pairs = format!(
        "channel c; process P {{ state a; init a; trans {} a -> a {{}}; }}
         process Q {{ state a; init a; trans {} a -> a {{}}; }} system async;",
        many("!"),
        many("?")
    );
    assert!(dve_error(&pairs).contains("too many or too large events"));
    let receivers = format!(
        "channel c[60000]; process P {{ state a; init a; trans {} a -> a {{ sync c!; }}; }} system async;",
        "a -> a { sync c?; }, ".repeat(3000)
    );
    assert!(dve::read("m", receivers.as_bytes()).is_ok());
    let receivers = receivers
        .replace("c?", "c?x")
        .replace("c!", "c!1")
        .replace("state a", "byte x; state a");
    assert!(dve_error(&receivers).contains("too many or too large events"));
    let deep = format!(
        "byte x = {}1{}; system async;",
        "(".repeat(100_000),
        ")".repeat(100_000)
    );
    assert!(dve_error(&deep).contains("nests more than"));
    let guard = "1 || ".repeat(100_000) + "x";
    let long = format!(
        "byte x; process P {{ state a; init a; trans a -> a {{ guard {guard}; }}; }} system async;"
    );
    assert!(dve::read("m", long.as_bytes()).is_ok());
}

fn seeds() -> Vec<Vec<u8>> {
    let mut texts: Vec<Vec<u8>> = vec![
        b"channel {byte} c[2], d; const int N = 2; byte g[N] = {1};
          process P { byte x; state a, b; init a; commit b; assert a: x < 3;
            trans a -> b { guard x < N, g[x] != 1; sync c!x; effect x = x + 1, g[x] = 2; }, b -> a { sync d!(1); }; }
          process Q { int y; state a; init a; trans a -> a { sync c?y; }, a -> a { sync d?y; effect y = -y / 2; }; }
          process R { state q; init q; accept q; trans q -> q { guard not P.a imply Q->y > 1; }; }
          system async property R;"
            .to_vec(),
        b"begin state x:s y:byte end state begin edge a:act end edge begin init \"one\" 3 end init
begin trans
0/1 * \"go\"
1/0 3/2 0
end trans
begin map m:bool
0 * 0
1 2 1
end map
begin sort s \"one\" #61# end sort
"
        .to_vec(),
    ];
    for (kind, file) in [
        ("dve", "gear.1.dve"),
        ("dve", "features/haoEEDM.dve"),
        ("etf", "needham.1.etf"),
    ] {
        texts.extend(models(kind).and_then(|folder| fs::read(folder.join(file)).ok()));
    }
    texts
}

#[test]
fn mutated_files_are_read_or_rejected() {
    let mut random = Random::new(seed(20_251_115));
    let texts = seeds();
    for text in &texts {
        // Garbage at the beginning would only exercise the first error.
        let read = dve::read("m", text).is_ok() || etf::read("m", text).is_ok();
        assert!(read, "{}", String::from_utf8_lossy(text));
    }
    let words: Vec<Vec<u8>> = texts
        .iter()
        .flat_map(|t| t.split(|b| !b.is_ascii_graphic()).map(<[u8]>::to_vec))
        .filter(|w| !w.is_empty())
        .collect();
    for _ in 0..cases(4000) {
        let mut text = texts[random.below(texts.len())].clone();
        for _ in 0..1 + random.below(4) {
            let at = random.below(text.len());
            let end = (at + random.below(12)).min(text.len());
            match random.below(5) {
                0 => drop(text.drain(at..end)),
                1 => drop(text.splice(at..end, words[random.below(words.len())].clone())),
                2 => drop(text.splice(at..at, text[at..end].to_vec())),
                3 => text[at] = random.bits() as u8,
                _ => text.truncate(at),
            }
            if text.is_empty() {
                break;
            }
        }
        for read in [
            |text: &[u8]| dve::read("m", text).map(|m| m.system),
            |text: &[u8]| etf::read("m", text).map(|m| m.system),
        ] {
            match read(&text) {
                Err(error) => drop(error.to_string()),
                // Accepted files can also be executed.
                Ok(system) => {
                    let mut state = system.initial[0].clone();
                    for _ in 0..3 {
                        let mut next = system
                            .event_ids()
                            .flat_map(|event| system.successors(&state, event));
                        let Some(successor) = next.next() else { break };
                        state = successor;
                    }
                }
            }
        }
    }
}

/// Every event on a channel has its sender and receiver: both for a rendezvous, one for a buffer.
#[test]
fn messages_name_their_channel_and_sides() {
    let text = b"channel meet; channel {byte} post[2];
        process P { state a, b; init a; trans a -> b { sync meet!; }, b -> a { sync post!{1}; }, a -> a {}; }
        process Q { byte x; state c; init c; trans c -> c { sync meet?; }, c -> c { sync post?{x}; }; }
        system async;";
    let model = lariat_formats::read("test", text).unwrap();
    let system = &model.system;
    let side = |var: Option<VarId>| var.map_or("-", |var| &system.variable(var).name);
    let told = |m: &dve::Message| {
        let event = &system.event(m.event).name;
        format!(
            "{event} {} {} {}",
            m.channel,
            side(m.sender),
            side(m.receiver)
        )
    };
    let told: Vec<String> = model.messages.iter().map(told).collect();
    assert_eq!(
        told,
        [
            "P:a->b!Q:c->c meet P Q",
            "P:b->a post P -",
            "Q:c->c post - Q"
        ]
    );
}
