//! Readers never panic: valid inputs with random mutations.
//!
//! `LARIAT_SEED` replays a run, `LARIAT_CASES` makes it longer.

use std::time::Duration;

use lariat_budget::Budget;
use lariat_corpora::{Random, cases, models, seed};
use lariat_formats::{Outline, mcc, pnml, read, read_model};
use lariat_model::coloured::unfold;
use lariat_model::generate::{Family, generate};
use lariat_model::{Names, PropertyList, System};

/// Mutates a few bytes: flips, cuts, repetitions, moved pieces, inserted keywords.
fn damage(random: &mut Random, text: &[u8], words: &[&str]) -> Vec<u8> {
    let mut text = text.to_vec();
    for _ in 0..=random.below(4) {
        let at = random.below(text.len() + 1);
        let end = (at + random.below(40)).min(text.len());
        match random.below(7) {
            0 => text.truncate(at),
            1 => {
                if at < text.len() {
                    text[at] = random.bits() as u8;
                }
            }
            2 => {
                text.drain(at..end);
            }
            3 => {
                let piece = text[at..end].to_vec();
                text.splice(at..at, piece);
            }
            4 => {
                let piece = text[at..end].to_vec();
                let to = random.below(text.len() + 1);
                text.splice(to..to, piece);
            }
            5 => {
                if at < text.len() {
                    text[at] ^= 1 << random.below(8);
                }
            }
            _ => {
                let word = words[random.below(words.len())];
                let end = end.min(at + random.below(8)).max(at);
                text.splice(at..end, word.bytes());
            }
        }
    }
    text
}

fn system() -> System {
    let mut system = generate(Family::Philosophers, 2).unwrap();
    system.variables[0].name = "a-b".to_owned();
    system.variables[1].name = "a".to_owned();
    system.variables[2].name = "été->x".to_owned();
    system
}

fn assert_well_formed(system: &System) {
    let initial = &system.initial[0];
    assert_eq!(initial.len(), system.variables.len());
    for event in system.event_ids() {
        let _ = system.successors(initial, event);
    }
}

/// A locally available contest file, if any.
fn real(file: &str) -> Option<Vec<u8>> {
    let folder = models("mcc")?.join("Philosophers-PT-000005");
    std::fs::read(folder.join(file)).ok()
}

#[test]
fn damaged_nets_of_tina() {
    let mut random = Random::new(seed(2024) ^ 7);
    let net = "# comment\nnet {my net}\npl p : {a \\} label} (2K) t*2 -> u?-1 u?2\ntr t : go [0,w[ p q*3\n  r?-4 -> p*2\nlb p l\nnt n 0 {text}\n";
    let words = [
        "tr ",
        "pl ",
        "pr ",
        "\n",
        "{",
        "}",
        "\\",
        "[",
        "]",
        "(",
        ")",
        "->",
        "?-",
        "?",
        "!-",
        "*",
        "99999999999999999999",
        "9E",
        "é",
        ":",
        "[0,w[",
        "#",
    ];
    let mut read_again = 0;
    for _ in 0..cases(3_000) {
        let text = damage(&mut random, net.as_bytes(), &words);
        if let Ok(net) = lariat_formats::tina::read("net", &text) {
            assert_well_formed(&net.system);
            read_again += 1;
        }
    }
    assert!(read_again > 0);
}

/// Nets of PIPE and TAPAAL, and with inhibitor and reset arcs.
#[test]
fn damaged_dialects() {
    let mut random = Random::new(seed(2024) ^ 8);
    let folder = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/dialects");
    let files = std::fs::read_dir(folder).expect("a folder");
    let mut seeds: Vec<_> = files.map(|file| file.expect("a file").path()).collect();
    seeds.sort();
    let words = [
        "type=\"inhibitor\"",
        "weight=\"9\"",
        "<value>",
        "</value>",
        "initialMarking=\"2\"",
        "<capacity>",
        "Default,",
        "<type value=\"reset\"/>",
        "[0,inf)",
        "\"",
        "<",
        ">",
    ];
    for _ in 0..cases(3_000) {
        let seed = std::fs::read(random.one_of(&seeds)).expect("a file");
        if let Ok(model) = read("net", &damage(&mut random, &seed, &words)) {
            assert_well_formed(&model.system);
        }
    }
}

#[test]
fn damaged_nets() {
    let mut random = Random::new(seed(2024) ^ 1);
    let mut net = pnml::write(&system()).unwrap();
    net = net.replace(
        "</page>",
        "<toolspecific tool=\"nupn\"><structure root=\"u\" safe=\"true\"><unit id=\"u\"><places>a a-b</places><subunits>v w</subunits></unit><unit id=\"v\"/><unit id=\"w\"/></structure></toolspecific><referencePlace id=\"r\" ref=\"a\"/></page>",
    );
    let mut seeds = vec![net.into_bytes()];
    seeds.extend(real("model.pnml"));
    let words = [
        "<place id=\"a\">",
        "</place>",
        "<page>",
        "</page>",
        "<text>",
        "&amp;",
        "&#x10ffff;",
        "&#0;",
        "&x;",
        "<![CDATA[",
        "]]>",
        "<!--",
        "-->",
        "<?xml",
        "?>",
        "\"",
        "'",
        "<",
        ">",
        "/>",
        "99999999999999999999",
        "-1",
        "<arc source=\"a\" target=\"a-b\"/>",
        "<!DOCTYPE a [<!ENTITY b \"c\">]>",
        "\u{feff}",
        "symmetricnet",
        "<unit id=\"v\">",
        "<subunits>u</subunits>",
        "<referencePlace id=\"a\" ref=\"r\"/>",
    ];
    let (mut read, cases) = (0, cases(4000));
    for case in 0..cases {
        let text = damage(&mut random, &seeds[case % seeds.len()], &words);
        match read_model("net", &text) {
            Ok(system) => {
                read += 1;
                assert_well_formed(&system);
            }
            Err(error) => assert!(!error.to_string().is_empty()),
        }
    }
    println!("{read} of {cases} were read");
}

#[test]
fn damaged_coloured_nets() {
    let mut random = Random::new(seed(2024) ^ 4);
    let ours = "<pnml><net type=\"symmetricnet\"><declaration><structure><declarations><namedsort id=\"dot\"><dot/></namedsort><namedsort id=\"c\" name=\"C\"><cyclicenumeration><feconstant id=\"c1\" name=\"1\"/><feconstant id=\"c2\" name=\"2\"/></cyclicenumeration></namedsort><namedsort id=\"n\"><finiteintrange start=\"1\" end=\"3\"/></namedsort><namedsort id=\"cn\"><productsort><usersort declaration=\"c\"/><usersort declaration=\"n\"/></productsort></namedsort><partition id=\"q\"><usersort declaration=\"c\"/><partitionelement id=\"q1\"><useroperator declaration=\"c1\"/></partitionelement></partition><variabledecl id=\"x\" name=\"x\"><usersort declaration=\"c\"/></variabledecl><variabledecl id=\"k\"><usersort declaration=\"n\"/></variabledecl></declarations></structure></declaration><page><place id=\"p\"><type><structure><usersort declaration=\"c\"/></structure></type><hlinitialMarking><structure><subtract><subterm><all><usersort declaration=\"c\"/></all></subterm><subterm><useroperator declaration=\"q1\"/></subterm></subtract></structure></hlinitialMarking></place><place id=\"r\"><type><structure><usersort declaration=\"cn\"/></structure></type></place><transition id=\"t\"><condition><structure><or><subterm><lessthan><subterm><variable refvariable=\"x\"/></subterm><subterm><useroperator declaration=\"c2\"/></subterm></lessthan></subterm><subterm><equality><subterm><variable refvariable=\"k\"/></subterm><subterm><finiteintrangeconstant value=\"2\"><finiteintrange start=\"1\" end=\"3\"/></finiteintrangeconstant></subterm></equality></subterm></or></structure></condition></transition><arc source=\"p\" target=\"t\"><hlinscription><structure><add><subterm><variable refvariable=\"x\"/></subterm></add></structure></hlinscription></arc><arc source=\"t\" target=\"r\"><hlinscription><structure><numberof><subterm><numberconstant value=\"2\"><positive/></numberconstant></subterm><subterm><tuple><subterm><successor><subterm><variable refvariable=\"x\"/></subterm></successor></subterm><subterm><variable refvariable=\"k\"/></subterm></tuple></subterm></numberof></structure></hlinscription></arc></page></net></pnml>";
    let words = [
        "<tuple>",
        "</tuple>",
        "<subterm>",
        "</subterm>",
        "<add><subterm>",
        "</subterm></add>",
        "<dotconstant/>",
        "<all><usersort declaration=\"cn\"/></all>",
        "<usersort declaration=\"cn\"/>",
        "<usersort declaration=\"c\"/>",
        "<variable refvariable=\"k\"/>",
        "<useroperator declaration=\"q1\"/>",
        "<predecessor>",
        "9223372036854775807",
        "2147483647",
        "-1",
        "0",
        "cn",
        "c2",
        "x",
        "dot",
        "<",
        ">",
    ];
    let (mut read, mut unfolded, cases) = (0, 0, cases(6000));
    for _ in 0..cases {
        let text = damage(&mut random, ours.as_bytes(), &words);
        match pnml::read("net", &text).map(|document| document.net) {
            Ok(pnml::Pnml::Coloured(net)) => {
                read += 1;
                // A thousand times the time for a net of this size.
                let budget = Budget::bytes(1 << 24).with_deadline(Duration::from_secs(5));
                if let Ok(result) = unfold(&net, &budget) {
                    unfolded += 1;
                    assert_well_formed(&result.system);
                    let marking = net.initial_marking().unwrap();
                    assert!(net.is_dead(&marking, 10_000).is_ok());
                }
            }
            Ok(pnml::Pnml::Plain(_)) => {}
            Err(error) => assert!(!error.to_string().is_empty()),
        }
    }
    println!("{read} of {cases} were read, {unfolded} unfolded");
}

#[test]
fn damaged_contest_properties() {
    let mut random = Random::new(seed(2024) ^ 2);
    let ours = "<property-set><property><id>a</id><description/><formula><all-paths><until><before><integer-le><integer-constant>1</integer-constant><tokens-count><place>a</place><place>a-b</place></tokens-count></integer-le></before><reach><negation><is-fireable><transition>takes_left_1</transition></is-fireable></negation></reach></until></all-paths></formula></property></property-set>";
    let mut seeds = vec![(system(), ours.as_bytes().to_vec())];
    if let (Some(net), Some(properties)) = (real("model.pnml"), real("LTLFireability.xml")) {
        seeds.push((read_model("net", &net).unwrap(), properties));
    }
    let words = [
        "<next>",
        "</next>",
        "<globally/>",
        "<true/>",
        "<before>",
        "<place>a</place>",
        "<conjunction>",
        "</conjunction>",
        "<all-paths>",
        "<integer-constant>-9223372036854775808</integer-constant>",
        "&lt;",
        "<deadlock/>",
        "<formula/>",
        "<",
        ">",
    ];
    for case in 0..cases(4000) {
        let (system, seed) = &seeds[case % seeds.len()];
        let text = damage(&mut random, seed, &words);
        let mut properties = PropertyList::new();
        if let Err(error) = mcc::read(&mut properties, &Names::of(system), "LTL.xml", &text) {
            assert!(!error.to_string().is_empty());
        }
        assert_eq!(
            properties.propositions.len(),
            properties.formulas.atom_count()
        );
    }
}

#[test]
fn damaged_formulas() {
    let mut random = Random::new(seed(2024) ^ 3);
    let system = system();
    let names = Names::of(&system);
    let file = "# formulas\none: G(\"a-b >= 2\" -> F fires(takes_left_1))\n\"tokens(a, a-b) + 2*Fork_2 < 3 - HasLeft_1\" U deadlock\nx: \"fireable(takes_left_1, puts_back_2)\" & \"été->x != 0\" # end\n";
    let words = [
        "\"",
        "\\\"",
        "(",
        ")",
        "fires(",
        "tokens(",
        "fireable(a, ",
        "a-b",
        "-",
        "+",
        "*",
        "99999999999999999999",
        "9223372036854775807",
        ">=",
        "==",
        "!",
        "é",
        "U",
        "GF",
        ":",
        "#",
        ",",
        "deadlock",
        "0",
        "1",
    ];
    let mut bound = 0;
    for _ in 0..cases(20_000) {
        let text = damage(&mut random, file.as_bytes(), &words);
        let mut properties = PropertyList::new();
        if let Err(error) = properties.add_file(&names, "file", &text) {
            assert!(!error.to_string().is_empty());
        }
        assert_eq!(
            properties.propositions.len(),
            properties.formulas.atom_count()
        );
        // Printing and parsing an accepted formula yields the same formula.
        for (i, property) in properties.list.clone().into_iter().enumerate() {
            properties
                .add_formula(&names, "echo", Some(&format!("echo {i}")), &property.text)
                .unwrap_or_else(|error| panic!("{error}"));
            let again = properties.list.last().unwrap().formula;
            assert_eq!(again, property.formula, "{}", property.text);
            bound += 1;
        }
        if let Ok(text) = std::str::from_utf8(&text) {
            let _ = properties.add_atom(&names, text);
        }
    }
    println!("{bound} formulas were understood");
}

/// Formulas over programs and tables, with definitions: expressions, arrays, partial labels.
#[test]
fn damaged_formulas_of_programs() {
    let mut random = Random::new(5);
    let program = "byte a[3] = {1,2}; byte g; const int N = 2;
        process P { byte x = 7; byte b[2]; state idle, cs; init cs; trans idle -> cs {}, cs -> idle {}; }
        system async;";
    let tables = "begin state\nx:int\nend state\nbegin edge\nend edge\nbegin init\n0\nend init\nbegin trans\n0/1\n1/0\nend trans\nbegin map m:bool\n1 1\nend map\nbegin sort bool\n\"false\" \"true\"\nend sort\n";
    let models = [
        read("p.dve", program.as_bytes()).unwrap(),
        read("t.etf", tables.as_bytes()).unwrap(),
    ];
    let files = [
        "#define in_cs (P.cs)\n#define odd a[g % 2] == 1 # why\n#property G (in_cs -> F odd)\n#property \"a[g] / g >= 1\" U \"P->b[N - 1] == 0\"\n",
        "# tables\n#define up m\none: G F up\nF \"x == 1\" # known = holds\n\"m == true\" U fires(group_0)\n",
    ];
    let words = [
        "\"",
        "(",
        ")",
        "a[",
        "]",
        "a",
        "P->b",
        "/ 0",
        "% g",
        "<< 99",
        "#define",
        "#property",
        "#",
        "P.",
        "imply",
        "-1",
        "[7]",
        "2147483648",
        "m",
        "deadlock",
        "U",
        ":",
        "\n",
        "é",
        "fires(",
    ];
    for case in 0..cases(4000) {
        let model = &models[case % 2];
        let names = model.names();
        let text = damage(&mut random, files[case % 2].as_bytes(), &words);
        let mut properties = PropertyList::new();
        if let Err(errors) = properties.add_file(&names, "file", &text) {
            assert!(!errors.list().is_empty() && !errors.to_string().is_empty());
        }
        let mut outline = Outline::default();
        outline.add_file(&text);
        assert!(outline.list.len() >= properties.list.len(), "{text:?}");
        for property in properties.list.clone() {
            let atoms = properties.formulas.atoms_of(property.formula);
            for atom in &atoms {
                if let Some(known) = properties.known(*atom) {
                    let _ = known.missing(&model.system, &model.system.initial[0]);
                }
            }
        }
    }
}
