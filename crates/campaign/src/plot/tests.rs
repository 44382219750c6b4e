//! Tests of complete outputs: they are well-formed and complete, and no labels overlap.

use super::results::{PlotCase, tests::record};
use super::svg::Picture;
use super::*;
use crate::JobOutcome;
use csv::tests::parse;
use lariat::internals::ltl::Random;

/// Random records of `engines` on `cases` properties, with times from 1 ms to 1 h and all outcomes.
fn campaign(engines: &[String], cases: usize) -> Vec<Record> {
    let mut random = Random::new(1);
    let mut records = Vec::new();
    for case in 0..cases {
        let answer = [JobOutcome::Holds, JobOutcome::Violated][random.below(2_usize)];
        for engine in engines {
            let cpu = 10f64.powf(f64::from(random.below(6556)) / 1000.0 - 3.0);
            let outcome = match random.below(12) {
                0 => JobOutcome::Time,
                1 => JobOutcome::Memory,
                2 => JobOutcome::Refused,
                3 => [JobOutcome::Crash, JobOutcome::Unknown, JobOutcome::Input]
                    [random.below(3_usize)],
                _ => answer,
            };
            let mut record = record(engine, &format!("r{case}"), outcome, cpu);
            record.limits.seconds = 3600.0;
            record.family = format!("family {}", case % 5);
            records.push(record);
        }
    }
    records
}

fn set(record: &mut Record, outcome: JobOutcome, answer: &str) {
    (record.outcome, record.answer) = (outcome, Some(answer.to_owned()));
}

/// Asserts that a picture is well-formed and that no texts overlap.
fn check(picture: &Picture) {
    well_formed(&picture.text);
    assert_eq!(picture.clash(), None);
}

/// Asserts that a text is well-formed XML.
fn well_formed(text: &str) {
    use quick_xml::events::Event;
    let mut reader = quick_xml::Reader::from_str(text);
    reader.config_mut().check_end_names = true;
    let mut depth = 0;
    loop {
        match reader.read_event().expect("well-formed XML") {
            Event::Start(tag) => {
                assert!(tag.attributes().all(|a| a.is_ok()));
                depth += 1;
            }
            Event::Empty(tag) => assert!(tag.attributes().all(|a| a.is_ok())),
            Event::End(_) => depth -= 1,
            Event::Eof => break,
            _ => {}
        }
    }
    assert_eq!(depth, 0);
}

/// Draws and checks the plots and tables of all records.
fn make_all(records: &[Record]) -> Output {
    make(records, &PlotOptions::default())
}

impl Output {
    fn file(&self, name: &str) -> Option<&str> {
        let mut files = self.files.iter();
        let (_, text) = files.find(|(other, _)| other == name)?;
        Some(text)
    }
}

fn names(count: usize) -> Vec<String> {
    (0..count).map(|i| format!("engine-{i:02}")).collect()
}

/// Draws all plots and tables and checks them.
fn make(records: &[Record], choice: &PlotOptions) -> Output {
    let output = plot(records, choice).unwrap();
    let results = PlotData::new(records, &choice.engines, choice.measure, choice.at_least);
    for medium in [Medium::File, Medium::Page] {
        for (x, y) in scatter::pairs(&results, false) {
            let Some(picture) = scatter::scatter(&results, x, y, medium) else {
                continue;
            };
            check(&picture);
            if medium == Medium::Page {
                let has_both = |c: &&PlotCase<'_>| c.runs[x].is_some() && c.runs[y].is_some();
                let both = results.cases.iter().filter(has_both).count();
                assert_eq!(picture.text.matches("data-c=").count(), both);
            }
        }
        for class in AnswerClass::ALL {
            let picture = cumulative::cumulative(&results, class, medium);
            picture.iter().for_each(check);
        }
        for question in QuestionKind::ALL {
            let Some(picture) = cactus::cactus(&results, question, medium) else {
                continue;
            };
            check(&picture);
            if medium == Medium::Page {
                let cases = results.cases.iter().filter(|c| c.question() == question);
                let solved: usize = cases.map(|c| c.solutions().count()).sum();
                assert_eq!(picture.text.matches("data-c=").count(), solved);
            }
        }
    }
    for (name, content) in &output.files {
        if name.ends_with(".svg") {
            well_formed(content);
        }
        if name.ends_with(".csv") {
            let rows = parse(content);
            assert!(rows.iter().all(|row| row.len() == rows[0].len()), "{name}");
        }
        if name == "runs.csv" {
            let runs = results.cases.iter().flat_map(|c| c.runs.iter().flatten());
            assert_eq!(parse(content).len() - 1, runs.count());
        }
    }
    output
}

#[test]
fn outputs_are_complete_for_one_to_thousands_of_records() {
    let sizes = [
        (1, 1),
        (1, 40),
        (2, 1),
        (2, 300),
        (3, 40),
        (12, 400),
        (40, 3),
    ];
    for (engines, cases) in sizes {
        let records = campaign(&names(engines), cases);
        let output = make_all(&records);
        let page = &output.files.last().unwrap().1;
        for case in 0..cases {
            assert!(page.contains(&format!("\"name\":\"kanban-5 r{case}\"")));
        }
    }
}

#[test]
fn campaigns_without_solved_cases_have_no_cactus_plot() {
    for outcome in [JobOutcome::Time, JobOutcome::Refused, JobOutcome::Crash] {
        let mut records = campaign(&names(3), 20);
        for record in &mut records {
            (record.outcome, record.answer) = (outcome, None);
        }
        let output = make_all(&records);
        let mut files = output.files.iter();
        assert!(files.any(|(name, _)| name.starts_with("scatter")));
        assert_eq!(output.file("cactus.svg"), None);
    }
}

#[test]
fn counted_states_are_plotted_and_compared() {
    let mut records = campaign(&names(3), 20);
    for record in &mut records {
        record.model = format!("net-{}", record.property);
        record.property.clear();
        record.formula = None;
        if record.outcome.is_decided() {
            set(record, JobOutcome::Counted, "76");
        }
    }
    let output = make_all(&records);
    assert!(output.contradictions.is_none());
    assert!(output.file("cumulative-counted.svg").is_some());
    for (record, answer) in records.iter_mut().zip(["76", "77"]) {
        set(record, JobOutcome::Counted, answer);
    }
    assert!(make_all(&records).contradictions.is_some());
}

#[test]
fn every_measure_can_be_plotted() {
    let mut records = campaign(&names(3), 60);
    for (i, record) in records.iter_mut().enumerate() {
        record.peak_bytes = 5_000_000 * (i as u64 + 1);
        let count =
            serde_json::json!({"product_states": i * i * i, "product_edges": 1u64 << (i % 60)});
        record.stats = count.as_object().unwrap().clone();
    }
    use Measure::{Cpu, Engine, Memory, States, Transitions, Wall};
    for measure in [Cpu, Wall, Memory, Engine, States, Transitions] {
        let choice = PlotOptions {
            measure,
            ..PlotOptions::default()
        };
        make(&records, &choice);
    }
}

#[test]
fn names_may_be_long_and_strange() {
    let engines = [
        "</svg><script>alert(1)</script>".to_owned(),
        "an engine with a very long name that says everything about its switches --no-abstraction"
            .to_owned(),
        "漢字 \"quoted\", with | and \u{1b}[31m".to_owned(),
        "W".repeat(2000),
        "../../etc/passwd".to_owned(),
        String::new(),
    ];
    let mut records = campaign(&engines, 30);
    for record in &mut records {
        record.model = "m<o>&d\"el".repeat(20);
        record.formula = Some("</script><!-- G a".to_owned());
        record.campaign = "<b>".to_owned();
    }
    let output = make_all(&records);
    for (name, content) in &output.files {
        assert!(!name.contains(['/', '<', ' ']), "{name}");
        let is_markup = name.ends_with(".svg") || name.ends_with(".html");
        assert!(!is_markup || !content.contains("<script>alert"), "{name}");
    }
    let page = &output.files.last().unwrap().1;
    assert_eq!(page.matches("</script>").count(), 2);
}

#[test]
fn contradictions_come_first_and_are_not_solved() {
    let mut records = campaign(&names(2), 3);
    for record in &mut records {
        set(record, JobOutcome::Holds, "holds");
    }
    set(&mut records[0], JobOutcome::Violated, "violated");
    let output = make_all(&records);
    assert_eq!(output.contradictions.unwrap().rows.len(), 2);
    let page = &output.files.last().unwrap().1;
    let alarm = page.find("<section id=\"part0\" class=\"alarm\">").unwrap();
    assert!(alarm < page.find("<svg").unwrap());
    assert!(page.contains(">wrong<"));
    let results = PlotData::new(&records, &[], Measure::Cpu, 0.0);
    assert_eq!(results.solved_by(0), 2);
}

#[test]
fn an_unknown_engine_is_an_error_that_lists_known_ones() {
    let records = campaign(&names(2), 1);
    let mut choice = PlotOptions::default();
    assert_eq!(plot(&[], &choice).unwrap_err(), PlotError::Empty);
    choice.engines = vec!["slap".to_owned()];
    let error = plot(&records, &choice).unwrap_err();
    assert!(error.to_string().ends_with("engine-00, engine-01"));
}

#[test]
fn counts_and_checks_have_separate_plots() {
    let mut records = campaign(&names(2), 12);
    for engine in names(2) {
        records.push(record(&engine, "", JobOutcome::Counted, 2.0));
    }
    let output = make_all(&records);
    let checks = output.file("cactus.svg").unwrap();
    assert!(checks.contains("12 cases"), "{checks}");
    let counts = output.file("cactus-states.svg").unwrap();
    assert!(counts.contains("1 state spaces") && counts.contains("engine-00 (1)"));
}

#[test]
fn refusals_are_not_failures() {
    let records = [
        record("a", "p", JobOutcome::Holds, 1.0),
        record("b", "p", JobOutcome::Refused, 0.0),
        record("c", "p", JobOutcome::Time, 5.0),
        record("a", "q", JobOutcome::Holds, 1.0),
        record("b", "q", JobOutcome::Holds, 2.0),
        record("c", "q", JobOutcome::Holds, 2.0),
    ];
    let results = PlotData::new(&records, &[], Measure::Cpu, 0.0);
    let picture = cumulative::cumulative(&results, AnswerClass::Holds, Medium::File).unwrap();
    assert!(picture.text.contains("b (1 refused)"), "{}", picture.text);
    assert!(picture.text.contains("c (1 failed)"));
}

#[test]
fn the_page_warns_about_a_busy_machine() {
    let mut records = campaign(&names(2), 3);
    for record in &mut records {
        (record.outcome, record.cpu) = (JobOutcome::Time, 3600.0);
    }
    let warns = |records: &[Record], warning: &str| {
        let output = plot(records, &PlotOptions::default()).unwrap();
        output.file("index.html").unwrap().contains(warning)
    };
    assert!(!warns(&records, "The machine was busy"));
    records[0].cpu = 1700.0;
    assert!(warns(&records, "The machine was busy: 1 run "));
}
