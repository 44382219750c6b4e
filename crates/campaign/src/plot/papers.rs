//! Paper and ours: the published tables beside the measured figures, row by row.
//!
//! A table appears if the results have engines and groups of its kind, as those of the shipped
//! campaigns. Engines are matched by name. The published numbers come from other machines, and from
//! other formulas where these are random: the notes name such differences.

use super::results::{AnswerClass, PlotCase, PlotData, RepeatedRun};
use super::table::{PlotTable, TableCell};
use super::win_lose_fail::{Score, score};
use super::{components, testing};
use lariat::internals::Statistic;

/// Builds the tables.
pub fn papers(results: &PlotData<'_>) -> Vec<PlotTable> {
    let tables = [
        explicit_and_symbolic(results),
        component_wise(results),
        testing_automata(results),
        inclusion(results),
    ];
    tables.into_iter().flatten().collect()
}

/// Engines of the first paper in the order of its columns.
const SLAP_ENGINES: [&str; 7] = ["OWCTY", "EL", "BCZ", "SOG", "SOP", "SLAP", "SLAP-FST"];

/// A count of a score.
type ScoreFigure = fn(&Score) -> usize;

/// Rows of Tables 2 and 3: group, answer, cases, and per engine the cases won, lost and failed;
/// SOG and SOP have none with `X`.
type SlapRows = [(&'static str, AnswerClass, u32, [[Option<u32>; 7]; 3]); 4];

const fn all(counts: [u32; 7]) -> [Option<u32>; 7] {
    let [a, b, c, d, e, f, g] = counts;
    [
        Some(a),
        Some(b),
        Some(c),
        Some(d),
        Some(e),
        Some(f),
        Some(g),
    ]
}

const fn next(counts: [u32; 5]) -> [Option<u32>; 7] {
    let [a, b, c, d, e] = counts;
    [Some(a), Some(b), Some(c), None, None, Some(d), Some(e)]
}

const NETS: SlapRows = [
    (
        "without X",
        AnswerClass::Holds,
        3229,
        [
            all([103, 173, 53, 161, 735, 1256, 1703]),
            all([260, 272, 2909, 481, 256, 246, 94]),
            all([221, 253, 1786, 302, 219, 213, 87]),
        ],
    ),
    (
        "without X",
        AnswerClass::Violated,
        4048,
        [
            all([2, 10, 196, 513, 645, 2393, 1293]),
            all([1846, 1378, 1924, 305, 318, 70, 40]),
            all([804, 818, 1070, 263, 275, 69, 33]),
        ],
    ),
    (
        "with X",
        AnswerClass::Holds,
        1108,
        [
            next([14, 13, 2, 810, 823]),
            next([21, 21, 1081, 1, 1]),
            next([0, 0, 355, 0, 0]),
        ],
    ),
    (
        "with X",
        AnswerClass::Violated,
        3348,
        [
            next([12, 7, 778, 1912, 1872]),
            next([1697, 1627, 470, 54, 48]),
            next([257, 272, 129, 29, 29]),
        ],
    ),
];

const PROGRAMS: SlapRows = [
    (
        "without X",
        AnswerClass::Holds,
        100,
        [
            all([2, 3, 31, 3, 1, 30, 40]),
            all([22, 10, 61, 26, 25, 3, 2]),
            all([8, 7, 38, 16, 16, 2, 0]),
        ],
    ),
    (
        "without X",
        AnswerClass::Violated,
        329,
        [
            all([0, 0, 106, 24, 101, 70, 57]),
            all([152, 199, 48, 28, 21, 19, 23]),
            all([69, 72, 15, 16, 13, 19, 20]),
        ],
    ),
    (
        "with X",
        AnswerClass::Holds,
        92,
        [
            next([10, 10, 47, 18, 30]),
            next([37, 33, 21, 23, 14]),
            next([4, 3, 0, 4, 4]),
        ],
    ),
    (
        "with X",
        AnswerClass::Violated,
        200,
        [
            next([1, 2, 125, 39, 43]),
            next([102, 108, 33, 15, 24]),
            next([40, 40, 3, 14, 17]),
        ],
    ),
];

/// Returns the column of the first of these engines that there is, regardless of case and of a suffix
/// for the published variant.
fn column(results: &PlotData<'_>, names: &[&str]) -> Option<usize> {
    let is = |engine: &String, name: &str| {
        let plain = engine.strip_suffix("-pub").unwrap_or(engine);
        plain.eq_ignore_ascii_case(name)
    };
    let find = |name: &&str| results.engines.iter().position(|engine| is(engine, name));
    names.iter().find_map(find)
}

fn percent(part: f64, whole: f64) -> TableCell {
    let percent = 100.0 * part / whole.max(1.0);
    TableCell::number(percent, format!("{percent:.0} %"))
}

/// Tables 2 and 3 of *Combining explicit and symbolic approaches*.
fn explicit_and_symbolic(results: &PlotData<'_>) -> Option<PlotTable> {
    let columns = SLAP_ENGINES.map(|name| column(results, &[name]));
    let groups = results.groups();
    if columns.iter().flatten().count() < 3 || !groups.iter().any(|g| g.starts_with("with")) {
        return None;
    }
    let of_program = |case: &PlotCase<'_>| {
        let model = case.about.command.get(1);
        model.is_some_and(|model| model.ends_with(".dve"))
    };
    let (number, rows) = if results.cases.iter().any(of_program) {
        (3, PROGRAMS)
    } else {
        (2, NETS)
    };
    let note = "Combining Explicit and Symbolic Approaches for Better On-the-Fly LTL Model Checking, CoRR abs/1106.5700: share of \
                the cases that an engine wins (least time), loses (fails, or most time) and fails. Different in kind: other random \
                formulas, limits and machine; diagrams there are hierarchical. Nets: 120 s each; programs: 800 s.";
    let mut table = PlotTable::new(
        "paper-explicit-and-symbolic",
        &format!("Paper and ours: win, lose, fail (Table {number})"),
        note,
    );
    for (group, class, count, published) in rows {
        let member =
            |case: &&PlotCase<'_>| case.class == class && case.about.group.starts_with(group);
        let cases: Vec<&PlotCase<'_>> = results.cases.iter().filter(member).collect();
        let scores = columns.map(|column| Some(score(results, column?, &cases)));
        let figures: [(&str, ScoreFigure); 3] = [
            ("win", |score| score.win),
            ("lose", |score| score.lose),
            ("fail", |score| score.fail),
        ];
        for ((word, figure), published) in figures.into_iter().zip(published) {
            let mut row = vec![
                ("group".to_owned(), TableCell::text(group)),
                ("answer".to_owned(), TableCell::text(class.word())),
                ("cases: paper".to_owned(), TableCell::count(count as usize)),
                ("ours".to_owned(), TableCell::count(cases.len())),
                ("result".to_owned(), TableCell::text(word)),
            ];
            for ((name, score), theirs) in SLAP_ENGINES.iter().zip(&scores).zip(published) {
                let theirs = theirs.map(|n| percent(f64::from(n), f64::from(count)));
                let ours = score.as_ref().filter(|score| score.attempted > 0);
                let ours = ours.map(|s| percent(figure(s) as f64, cases.len() as f64));
                row.push((format!("{name}: paper"), theirs.unwrap_or_default()));
                row.push(("ours".to_owned(), ours.unwrap_or_default()));
            }
            table.add(row);
        }
    }
    Some(table)
}

/// Table 1 of *Component-wise incremental LTL model checking*: time for detection, prevented
/// symbolic runs, and those prevented by recurring states and by abstraction, in percent.
const DETECTION: [(&str, [f64; 4]); 7] = [
    ("all", [16.9, 99.7, 89.7, 10.3]),
    ("holds", [13.5, 99.7, 89.0, 11.0]),
    ("violated", [19.6, 99.7, 91.3, 8.7]),
    ("obligation", [13.7, 99.7, 86.3, 13.7]),
    ("no obligation", [23.2, 99.7, 93.0, 7.0]),
    ("Echo", [2.7, 100.0, 100.0, 0.0]),
    ("Eratosthenes", [65.9, 62.9, 19.0, 81.0]),
];

/// Returns the run of an engine, if it gave an answer.
fn solved<'a>(case: &PlotCase<'a>, column: usize) -> Option<RepeatedRun<'a>> {
    case.runs[column].filter(|run| run.solved().is_some())
}

fn component_wise(results: &PlotData<'_>) -> Option<PlotTable> {
    let column = column(results, &["published", "hyb"])?;
    let measured = |case: &&PlotCase<'_>| {
        let run = solved(case, column);
        run.is_some_and(|run| run.record.stat(Statistic::SCC_CHECKS).is_some())
    };
    let cases: Vec<&PlotCase<'_>> = results.cases.iter().filter(measured).collect();
    if cases.is_empty() {
        return None;
    }
    let note = "Component-wise Incremental LTL Model Checking, Formal Aspects of Computing 28: share of detection in the time, of \
                checks without a symbolic run, and of the proofs that prevented them. Different in kind: formulas, a level per \
                place instead of a component, and generalized automata unless the engine is as published; marks also prevent runs.";
    let title = "Paper and ours: detection of components (Table 1)";
    let mut table = PlotTable::new("paper-component-wise", title, note);
    for (name, published) in DETECTION {
        let member = |case: &&&PlotCase<'_>| match name {
            "all" => true,
            "holds" => case.class == AnswerClass::Holds,
            "violated" => case.class == AnswerClass::Violated,
            "obligation" => components::is_obligation(case) == Some(true),
            "no obligation" => components::is_obligation(case) == Some(false),
            family => case.about.family == family,
        };
        let members = cases.iter().filter(member);
        let runs = members.filter_map(|case| solved(case, column));
        let records: Vec<_> = runs.map(|run| run.record).collect();
        let ours = components::shares(&records);
        let mut row = vec![
            ("cases".to_owned(), TableCell::text(name)),
            ("n".to_owned(), TableCell::count(records.len())),
        ];
        let heads = ["detection", "prevented", "by recurring", "by abstraction"];
        for ((head, theirs), ours) in heads.into_iter().zip(published).zip(ours) {
            let theirs = TableCell::number(theirs, format!("{theirs:.1} %"));
            row.push((format!("{head}: paper"), theirs));
            row.push(("ours".to_owned(), ours));
        }
        table.add(row);
    }
    Some(table)
}

/// The formula Φ2 on the MAPK net in Table 2 of *Model checking using generalized testing automata*:
/// states and transitions of the product.
const PHI2: [(&str, [f64; 2]); 3] = [
    ("TGBA", [46_494.0, 302_350.0]),
    ("TA", [33_376.0, 289_235.0]),
    ("TGTA", [33_376.0, 289_235.0]),
];

fn testing_automata(results: &PlotData<'_>) -> Option<PlotTable> {
    let is_phi2 =
        |case: &&PlotCase<'_>| case.about.model == "MAPK-PT-00008" && case.about.property == "phi2";
    let case = results.cases.iter().find(is_phi2)?;
    let note = "Model Checking using Generalized Testing Automata, ToPNoC VI: the product of the formula Φ2 with the MAPK net of \
                scale 8. The other rows of the paper are averages over random formulas that are not published.";
    let title = "Paper and ours: product with Φ2 (Table 2)";
    let mut table = PlotTable::new("paper-testing-automata", title, note);
    for (name, published) in PHI2 {
        let run = column(results, &[name]).and_then(|column| case.runs[column]);
        let ours = testing::product_size(run.filter(|run| run.solved().is_some())?.record);
        let mut row = vec![("automaton".to_owned(), TableCell::text(name))];
        let heads = ["product st.", "product tr."];
        for ((head, theirs), ours) in heads.into_iter().zip(published).zip(ours) {
            let cell = |n: f64| TableCell::number(n, format!("{n:.0}"));
            row.push((format!("{head}: paper"), cell(theirs)));
            row.push(("ours".to_owned(), ours.map(cell).unwrap_or_default()));
        }
        table.add(row);
    }
    table.filled()
}

/// The checks of *Emptiness check of powerset Büchi automata using inclusion tests*, and the names
/// of their engines in campaigns.
const CHECKS: [(&str, &[&str]); 5] = [
    ("SP+TEC", &["SP+TEC", "product"]),
    ("SSP+TEC", &["SSP+TEC", "SSP"]),
    ("SSP+NSIEC", &["SSP+NSIEC", "SSP-NSIEC"]),
    ("SSP+IEC", &["SSP+IEC", "SSP-IEC"]),
    ("SSP+AEC", &["SSP+AEC", "SSP-AEC"]),
];

/// A row of Table 1: the net, its size, a net of this project that is like it, the answer, the
/// number of formulas, and states and transitions per check; 0 if illegible.
type InclusionRow = (
    &'static str,
    u32,
    &'static str,
    AnswerClass,
    u32,
    [[f64; 2]; 5],
);

const INCLUSION: [InclusionRow; 12] = {
    use AnswerClass::{Holds, Violated};
    [
        (
            "WCS",
            3,
            "clients-3",
            Violated,
            28,
            pairs([28, 80, 25, 58, 26, 51, 24, 45, 21, 39]),
        ),
        (
            "WCS",
            4,
            "clients-4",
            Violated,
            28,
            pairs([78, 250, 77, 202, 66, 176, 43, 96, 29, 57]),
        ),
        (
            "WCS",
            5,
            "clients-5",
            Violated,
            28,
            pairs([290, 979, 416, 1309, 294, 1118, 106, 287, 39, 82]),
        ),
        (
            "PO",
            22,
            "middleware-3",
            Violated,
            18,
            pairs([252, 431, 690, 1307, 738, 1505, 738, 1505, 738, 1505]),
        ),
        (
            "PO",
            23,
            "middleware-4",
            Violated,
            18,
            pairs([292, 511, 770, 1441, 750, 1550, 750, 1550, 750, 1550]),
        ),
        (
            "PO",
            32,
            "middleware-5",
            Violated,
            22,
            pairs([1173, 2235, 2184, 4730, 1400, 3031, 1400, 3031, 1392, 2982]),
        ),
        (
            "WCS",
            3,
            "clients-3",
            Holds,
            22,
            pairs([0, 279, 94, 255, 91, 250, 73, 194, 30, 70]),
        ),
        (
            "WCS",
            4,
            "clients-4",
            Holds,
            22,
            pairs([434, 1485, 602, 2063, 568, 1980, 297, 940, 64, 177]),
        ),
        (
            "WCS",
            5,
            "clients-5",
            Holds,
            22,
            pairs([1889, 7430, 4224, 17744, 3905, 16719, 1370, 4815, 136, 428]),
        ),
        (
            "PO",
            22,
            "middleware-3",
            Holds,
            32,
            pairs([2484, 5482, 866, 1817, 864, 1814, 865, 1814, 864, 1813]),
        ),
        (
            "PO",
            23,
            "middleware-4",
            Holds,
            32,
            pairs([3253, 7200, 952, 2030, 868, 1830, 868, 1831, 868, 1830]),
        ),
        (
            "PO",
            32,
            "middleware-5",
            Holds,
            28,
            pairs([4617, 10651, 1334, 2848, 1294, 2784, 1294, 2784, 1294, 2783]),
        ),
    ]
};

const fn pairs(n: [u32; 10]) -> [[f64; 2]; 5] {
    let mut all = [[0.0; 2]; 5];
    let mut i = 0;
    while i < 5 {
        all[i] = [n[2 * i] as f64, n[2 * i + 1] as f64];
        i += 1;
    }
    all
}

fn inclusion(results: &PlotData<'_>) -> Option<PlotTable> {
    let columns = CHECKS.map(|(_, names)| column(results, names));
    columns[1..].iter().flatten().next()?;
    let note = "Emptiness Check of Powerset Büchi Automata using Inclusion Tests, LIP6 2006/003: explored states / transitions, \
                averages. Different in kind: the nets of the paper are not available. Ours are modelled after them, clients of \
                two servers after WCS and jobs of a middleware after PO, and rows are aligned by their order only.";
    let title = "Paper and ours: checks by inclusion (Table 1)";
    let mut table = PlotTable::new("paper-inclusion", title, note);
    for (net, size, model, class, count, published) in INCLUSION {
        let member = |case: &&PlotCase<'_>| {
            let solved = columns.iter().flatten().all(|&c| case.solved(c).is_some());
            case.about.model == model && case.class == class && solved
        };
        let cases: Vec<&PlotCase<'_>> = results.cases.iter().filter(member).collect();
        let mut row = vec![
            (
                "paper's net".to_owned(),
                TableCell::text(format!("{net} {size}")),
            ),
            ("our net".to_owned(), TableCell::text(model)),
            ("answer".to_owned(), TableCell::text(class.word())),
            ("n: paper".to_owned(), TableCell::count(count as usize)),
            ("ours".to_owned(), TableCell::count(cases.len())),
        ];
        for ((theirs, (name, _)), column) in published.into_iter().zip(CHECKS).zip(columns) {
            row.push((format!("{name}: paper"), sizes(theirs)));
            let ours = column.map(|column| averages(&cases, column));
            row.push(("ours".to_owned(), ours.map(sizes).unwrap_or_default()));
        }
        table.add(row);
    }
    Some(table)
}

/// Returns a cell of states and transitions.
fn sizes([states, edges]: [f64; 2]) -> TableCell {
    let show = |n: f64| match n {
        0.0 => "–".to_owned(),
        n => format!("{n:.0}"),
    };
    TableCell::text(format!("{} / {}", show(states), show(edges)))
}

fn averages(cases: &[&PlotCase<'_>], column: usize) -> [f64; 2] {
    [Statistic::PRODUCT_STATES, Statistic::PRODUCT_EDGES].map(|statistic| {
        let runs = cases.iter().filter_map(|case| case.runs[column]);
        let values: Vec<f64> = runs.filter_map(|run| run.record.stat(statistic)).collect();
        values.iter().sum::<f64>() / values.len().max(1) as f64
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::plot::measure::Measure;
    use crate::plot::results::tests::record;
    use crate::{JobOutcome, Record};

    fn table(records: &[Record]) -> Vec<PlotTable> {
        papers(&PlotData::new(records, &[], Measure::Cpu, 0.0))
    }

    #[test]
    fn rows_are_aligned_with_the_published_ones() {
        let mut records = Vec::new();
        for (engine, cpu) in [("OWCTY", 4.0), ("bcz-pub", 2.0), ("SLAP", 1.0)] {
            for (group, property) in [("without X", "p"), ("without X, fair", "q")] {
                let mut record = record(engine, property, JobOutcome::Holds, cpu);
                record.group = group.to_owned();
                records.push(record);
            }
        }
        let tables = table(&records);
        assert_eq!(tables.len(), 1);
        let texts = tables[0].texts();
        let expected = [
            "without X",
            "holds",
            "3229",
            "2",
            "win",
            "3 %",
            "0 %",
            "5 %",
            "",
            "2 %",
            "0 %",
        ];
        assert_eq!(texts[0][..expected.len()], expected);
        assert_eq!(texts[0][15..17], ["39 %", "100 %"]);
        assert_eq!(texts.len(), 12);
    }

    #[test]
    fn products_with_the_published_formula_are_compared() {
        let sizes = [("TGBA", 46_494), ("TA", 33_376), ("TGTA", 33_377)];
        let records = sizes.map(|(engine, states)| {
            let mut record = record(engine, "phi2", JobOutcome::Holds, 1.0);
            record.model = "MAPK-PT-00008".to_owned();
            record.stats.insert("full_states".to_owned(), states.into());
            record
        });
        let tables = table(&records);
        let texts = tables[0].texts();
        assert_eq!(texts[2][..3], ["TGTA", "33376", "33377"]);
    }
}
