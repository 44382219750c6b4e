//! Cumulative plots of the price relative to the dearest engine's, as in the paper on SLAP (its figures 4 and 5).
//!
//! For every case that some engine solves, the largest price among those that succeeded is 100 %. A curve tells
//! for how many cases the engine took at most so many percent of that: through (20, 2000) goes an engine that
//! needs at most a fifth of the dearest one's price for 2000 cases. Failures (refusals too) stand at 120 %,
//! so that the step at 100 % is where the engine was the dearest, and the step at 120 % is where it failed.

use super::marks::{
    FRAME, GRID, GUIDE_DASHED, INK, Medium, Name, PALE, TICK, capital, draw_points, name_curves,
    names_width, series,
};
use super::results::{Class, Results};
use super::scale::counts;
use super::svg::{Anchor, Picture, SIZE, Svg, TITLE, fit, n};

const WIDTH: f64 = 360.0;
const LEFT: f64 = 66.0;
const TOP: f64 = 58.0;
/// The percentage that stands for failures.
const FAILED: f64 = 120.0;

/// The plot of the cases of one class; `None` if there is nothing to compare.
pub fn cumulative(results: &Results<'_>, class: Class, place: Medium) -> Option<Picture> {
    let mut curves: Vec<Vec<(f64, usize)>> = vec![Vec::new(); results.engines.len()];
    // Whoever was asked none of these questions has not failed them.
    let mut asked = vec![false; results.engines.len()];
    let mut refused = vec![0; results.engines.len()];
    let mut cases = 0;
    for (number, case) in results.cases.iter().enumerate() {
        let dearest = case.solutions().map(|(_, value)| value).fold(0.0, f64::max);
        if case.class != class || dearest <= 0.0 {
            continue;
        }
        cases += 1;
        for ((asked, refused), run) in asked.iter_mut().zip(&mut refused).zip(&case.runs) {
            *asked |= run.is_some();
            *refused += usize::from(run.is_some_and(|run| run.is_refused()));
        }
        for (engine, value) in case.solutions() {
            curves[engine].push((100.0 * value / dearest, number));
        }
    }
    if cases == 0 || asked.iter().filter(|asked| **asked).count() < 2 {
        return None;
    }
    for curve in &mut curves {
        curve.sort_by(|a, b| a.0.total_cmp(&b.0).then(a.1.cmp(&b.1)));
    }
    let labels: Vec<String> = results
        .engines
        .iter()
        .zip(curves.iter().zip(&refused))
        .map(|(engine, (curve, &refused))| {
            let engine = fit(engine, SIZE, 130.0);
            match (cases - curve.len() - refused, refused) {
                (0, 0) => engine,
                (failed, 0) => format!("{engine} ({failed} failed)"),
                (0, refused) => format!("{engine} ({refused} refused)"),
                (failed, refused) => format!("{engine} ({failed} failed, {refused} refused)"),
            }
        })
        .collect();

    let height = (16.0 * labels.len() as f64).max(290.0);
    let bottom = TOP + height;
    let total = LEFT + WIDTH + names_width(&labels);
    let title = format!(
        "{} relative to the {} engine",
        capital(results.measure.title()),
        results.measure.worst()
    );
    let mut svg = Svg::new(
        total,
        bottom + 48.0,
        &format!("{title}, {}", class.word()),
        "",
    );
    let bold = format!(r#"{INK} font-weight="600""#);
    svg.text(
        (12.0, 20.0),
        Anchor::Start,
        TITLE * 0.94,
        &fit(&title, TITLE, total - 24.0),
        &bold,
    );
    let subtitle = format!("{cases} cases, {}", class.word());
    svg.text((12.0, 37.0), Anchor::Start, SIZE, &subtitle, PALE);

    let steps = counts(cases, 6);
    let last = cases as f64;
    let across = |percent: f64| LEFT + WIDTH * percent / FAILED;
    let up = |count: f64| bottom - height * count / last;
    for step in steps {
        let y = up(step as f64);
        svg.line((LEFT, y), (LEFT + WIDTH, y), GRID);
        svg.line((LEFT - 6.0, y), (LEFT, y), TICK);
        svg.text(
            (LEFT - 9.0, y + 0.36 * SIZE),
            Anchor::End,
            SIZE,
            &step.to_string(),
            INK,
        );
    }
    for percent in [0.0, 20.0, 40.0, 60.0, 80.0, 100.0, FAILED] {
        let x = across(percent);
        svg.line(
            (x, TOP),
            (x, bottom),
            if percent == 100.0 { GUIDE_DASHED } else { GRID },
        );
        svg.line((x, bottom), (x, bottom + 6.0), TICK);
        let label = match percent == FAILED {
            true => "no answer".to_owned(),
            false => format!("{percent} %"),
        };
        svg.text((x, bottom + 19.0), Anchor::Middle, SIZE, &label, INK);
    }
    svg.rect([LEFT, TOP, WIDTH, height], FRAME);
    let below = format!(
        "share of the {} engine's {}",
        results.measure.worst(),
        results.measure.title()
    );
    svg.text(
        (LEFT + WIDTH / 2.0, bottom + 38.0),
        Anchor::Middle,
        SIZE,
        &below,
        INK,
    );
    svg.upward(
        (16.0, TOP + height / 2.0),
        Anchor::Middle,
        SIZE,
        "cases",
        INK,
    );

    let mut names = Vec::new();
    for (engine, curve) in curves.iter().enumerate().filter(|(e, _)| asked[*e]) {
        let mut d = format!("M{} {}", n(across(0.0)), n(up(0.0)));
        let mut places = Vec::new();
        for (count, (percent, _)) in (1..).zip(curve) {
            let (x, y) = (across(*percent), up(f64::from(count)));
            d.push_str(&format!("H{}V{}", n(x), n(y)));
            places.push((x, y));
        }
        d.push_str(&format!("H{}V{}", n(across(FAILED)), n(up(cases as f64))));
        svg.path(&d, &series(engine), "");
        draw_points(
            &mut svg,
            engine,
            curve.iter().map(|p| p.1).zip(places),
            cases,
            place,
        );
        names.push(Name {
            engine,
            label: labels[engine].clone(),
            end: (across(FAILED), up(curve.len() as f64)),
        });
    }
    names.sort_by_key(|name| (std::cmp::Reverse(curves[name.engine].len()), name.engine));
    name_curves(&mut svg, &names, LEFT + WIDTH, (TOP, bottom));
    Some(svg.finish())
}
