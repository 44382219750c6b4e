//! Speed-up by threads: an engine on several threads compared with the same engine on one thread.
//!
//! Runs are paired if their commands differ in `--threads` alone. The speed-up is the ratio of
//! wall-clock times, regardless of the measure; it is meaningful on a machine with as many idle
//! processors as threads. The ratio of total processor times shows the duplicated work.

use super::chart::{Chart, CurveLabel, WIDTH};
use super::marks::{GRID, GUIDE_DASHED, Medium};
use super::results::{PlotCase, PlotData};
use super::scale::counts;
use super::svg::{Picture, SIZE, fit, xy};
use super::table::{PlotTable, TableCell};
use crate::Record;

/// The switch for the number of threads.
const SWITCH: &str = "--threads";

const HEIGHT: f64 = 290.0;
const LEFT: f64 = 66.0;
const TOP: f64 = 58.0;

/// A case that an engine solves both on one and on several threads.
struct Pair {
    case: usize,
    /// Wall-clock times on one thread and on several.
    wall: (f64, f64),
    /// Processor times on one thread and on several.
    cpu: (f64, f64),
}

impl Pair {
    fn speed_up(&self) -> f64 {
        self.wall.0 / self.wall.1
    }
}

/// The pairs of an engine that runs on several threads.
struct Several {
    engine: usize,
    threads: usize,
    pairs: Vec<Pair>,
}

/// Splits the command of a job into the number of threads and the rest.
fn threads(record: &Record) -> Option<(usize, Vec<&str>)> {
    let mut rest: Vec<&str> = record.command.iter().map(String::as_str).collect();
    let at = rest.iter().position(|argument| *argument == SWITCH)?;
    let number = rest.get(at + 1)?.parse().ok()?;
    rest.drain(at..at + 2);
    Some((number, rest))
}

/// Returns the run on one thread with the same rest of the command.
fn single_threaded<'a>(case: &'a PlotCase<'_>, rest: &[&str]) -> Option<&'a Record> {
    let runs = case.runs.iter().flatten();
    let mut records = runs
        .filter(|run| run.solved().is_some())
        .map(|run| run.record);
    records.find(|record| threads(record).is_some_and(|(n, other)| n == 1 && other == rest))
}

/// Returns the engines on several threads, their pairs by increasing speed-up.
fn several(results: &PlotData<'_>) -> Vec<Several> {
    let pairs_of = |engine: usize| {
        let (mut most, mut pairs) = (0, Vec::new());
        for (number, case) in results.cases.iter().enumerate() {
            let run = case.runs[engine].filter(|run| run.solved().is_some());
            if let Some(record) = run.map(|run| run.record)
                && let Some((several @ 2.., rest)) = threads(record)
                && let Some(one) = single_threaded(case, &rest)
            {
                most = several;
                pairs.push(Pair {
                    case: number,
                    wall: (one.wall.max(1e-3), record.wall.max(1e-3)),
                    cpu: (one.cpu.max(1e-3), record.cpu.max(1e-3)),
                });
            }
        }
        pairs.sort_by(|a, b| a.speed_up().total_cmp(&b.speed_up()));
        Several {
            engine,
            threads: most,
            pairs,
        }
    };
    let all = (0..results.engines.len()).map(pairs_of);
    all.filter(|several| !several.pairs.is_empty()).collect()
}

/// Builds the table of the engines on several threads; `None` if there are none.
pub fn table(results: &PlotData<'_>) -> Option<PlotTable> {
    let note = "Cases solved both on one thread and on several. Wall: sums of seconds; speed-up: their ratio, and the least, median and largest ratio of a case. Processor time: ratio of the sums, several threads to one.";
    let mut table = PlotTable::new("speed-up", "Speed-up by threads", note);
    for several in several(results) {
        let pairs = &several.pairs;
        let sum = |value: fn(&Pair) -> f64| pairs.iter().map(value).sum::<f64>();
        let (one, own) = (sum(|p| p.wall.0), sum(|p| p.wall.1));
        let times = |x: f64| TableCell::number(x, format!("{x:.2}"));
        let seconds = |x: f64| TableCell::number(x, format!("{x:.1} s"));
        let single = |at: usize| times(pairs[at].speed_up());
        let name = &results.engines[several.engine];
        let work = sum(|p| p.cpu.1) / sum(|p| p.cpu.0);
        table.add([
            ("engine", TableCell::text(name)),
            ("threads", TableCell::count(several.threads)),
            ("cases", TableCell::count(pairs.len())),
            ("wall, 1 thread", seconds(one)),
            ("wall", seconds(own)),
            ("speed-up", times(one / own)),
            ("least", single(0)),
            ("median", single(pairs.len() / 2)),
            ("most", single(pairs.len() - 1)),
            ("processor time", times(work)),
        ]);
    }
    table.filled()
}

/// Draws the speed-ups of all cases in increasing order, one curve per engine.
pub fn speed_up(results: &PlotData<'_>, medium: Medium) -> Option<Picture> {
    let all = several(results);
    let most = all.iter().map(|several| several.pairs.len()).max()?;
    let highest = all.iter().flat_map(|several| several.pairs.last());
    let highest = highest.map(Pair::speed_up).fold(1.0, f64::max).ceil();
    let across = |count: usize| LEFT + WIDTH * count as f64 / most as f64;
    let up = |speed: f64| TOP + HEIGHT * (1.0 - speed / highest);
    let label = |several: &Several| fit(&results.engines[several.engine], SIZE, 130.0);
    let labels: Vec<String> = all.iter().map(label).collect();
    let mut chart = Chart::new((LEFT, TOP), HEIGHT, &labels, "Speed-up by threads");
    chart.heading(20.0, "Speed-up by threads");
    chart.subtitle("wall-clock time on one thread divided by that on several; cases by speed-up");
    for step in 0..=highest as usize {
        let line = if step == 1 { GUIDE_DASHED } else { GRID };
        chart.tick_y(up(step as f64), Some(line), Some(&step.to_string()));
    }
    for step in counts(most, 6) {
        chart.tick_x(across(step), None, &step.to_string());
    }
    chart.frame("cases", "speed-up");
    let mut names = Vec::new();
    for (several, label) in all.iter().zip(labels) {
        let engine = several.engine;
        let points = (1..).zip(&several.pairs);
        let points: Vec<(usize, (f64, f64))> = points
            .map(|(count, pair)| (pair.case, (across(count), up(pair.speed_up()))))
            .collect();
        let path: Vec<String> = points.iter().map(|(_, point)| xy(*point)).collect();
        let path = format!("M{}", path.join("L"));
        let end = points.last().map_or((LEFT, TOP), |(_, end)| *end);
        chart.curve(engine, &path, points.into_iter(), most, medium);
        names.push(CurveLabel { engine, label, end });
    }
    names.sort_by(|a, b| a.end.1.total_cmp(&b.end.1));
    Some(chart.finish(&names))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::JobOutcome;
    use crate::plot::measure::Measure;
    use crate::plot::results::tests::record;

    #[test]
    fn engines_are_compared_with_themselves_on_one_thread() {
        let on = |engine: &str, threads: &str, property: &str, wall: f64, cpu: f64| {
            let command = ["check", "m", "--engine", engine, SWITCH, threads];
            Record {
                command: command.map(str::to_owned).to_vec(),
                wall,
                ..record(
                    &format!("{engine}-{threads}"),
                    property,
                    JobOutcome::Holds,
                    cpu,
                )
            }
        };
        let records = [
            on("sog", "1", "p", 4.0, 4.0),
            on("sog", "2", "p", 2.0, 4.4),
            on("sog", "1", "q", 3.0, 3.0),
            on("sog", "2", "q", 3.0, 4.0),
            on("slap", "2", "p", 1.0, 1.0),
        ];
        let results = PlotData::new(&records, &[], Measure::Wall, 0.0);
        let table = table(&results).unwrap();
        let expected = [
            "sog-2", "2", "2", "7.0 s", "5.0 s", "1.40", "1.00", "2.00", "2.00", "1.20",
        ];
        assert_eq!(table.texts(), [expected]);
        let picture = speed_up(&results, Medium::File).unwrap();
        assert!(picture.text.contains("sog-2") && !picture.text.contains("slap"));
        let one = PlotData::new(&records[..1], &[], Measure::Wall, 0.0);
        assert!(super::table(&one).is_none() && speed_up(&one, Medium::Page).is_none());
    }
}
