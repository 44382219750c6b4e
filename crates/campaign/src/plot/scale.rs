//! Logarithmic axes: a range between 1-2-5 numbers around the data, and ticks.

use super::measure::MeasureUnit;

#[derive(Clone, Copy, PartialEq, Debug)]
pub struct Log {
    pub lo: f64,
    pub hi: f64,
    /// Coordinate of the least value.
    pub from: f64,
    /// Coordinate of the largest value.
    pub to: f64,
}

/// A tick of an axis.
#[derive(Clone, PartialEq, Debug)]
pub struct Tick {
    pub value: f64,
    /// True for powers of ten.
    pub is_decade: bool,
    /// The label, if there is enough space.
    pub label: Option<String>,
}

/// Returns the `index`-th 1-2-5 number: 0 is 1, 1 is 2, 2 is 5, 3 is 10, −1 is 0.5.
fn nice(index: i32) -> f64 {
    let lead = [1.0, 2.0, 5.0][index.rem_euclid(3) as usize];
    // Negative powers by division: 1/1000 rounds to 0.001, `powi(-3)` may not.
    let power = index.div_euclid(3);
    if power < 0 {
        lead / 10f64.powi(-power)
    } else {
        lead * 10f64.powi(power)
    }
}

impl Log {
    /// Creates an axis around `values`, at least one decade long, from `from` to `to`.
    pub fn around(values: impl Iterator<Item = f64>, unit: MeasureUnit, from: f64, to: f64) -> Log {
        let (mut min, mut max) = (f64::INFINITY, 0.0f64);
        for value in values.filter(|v| v.is_finite() && *v > 0.0) {
            min = min.min(value);
            max = max.max(value);
        }
        if min > max {
            (min, max) = match unit {
                MeasureUnit::Seconds => (0.01, 1.0),
                MeasureUnit::Bytes => (1e6, 1e9),
                MeasureUnit::Count => (1.0, 1e3),
            };
        }
        let mut low = (3.0 * min.log10()).floor() as i32 + 1;
        while nice(low) > min * (1.0 + 1e-9) {
            low -= 1;
        }
        let mut high = (3.0 * max.log10()).ceil() as i32 - 1;
        while nice(high) < max * (1.0 - 1e-9) {
            high += 1;
        }
        // A range of less than a decade is widened on both sides, first upwards.
        let mut up = true;
        while high - low < 3 {
            if up || nice(low) <= unit.least() {
                high += 1
            } else {
                low -= 1
            }
            up = !up;
        }
        Log {
            lo: nice(low),
            hi: nice(high),
            from,
            to,
        }
    }

    /// Returns the coordinate of a value.
    pub fn at(&self, value: f64) -> f64 {
        let share = (value.clamp(self.lo, self.hi) / self.lo).ln() / (self.hi / self.lo).ln();
        self.from + share * (self.to - self.from)
    }

    /// Returns the ticks; labels have a distance of at least `space`.
    pub fn ticks(&self, unit: MeasureUnit, space: f64) -> Vec<Tick> {
        let decade = (self.to - self.from).abs() / (self.hi / self.lo).log10();
        let first = (3.0 * self.lo.log10()).floor() as i32 - 1;
        let step = (space / decade).ceil().max(1.0) as i32;
        let label_all = decade * 2f64.log10() >= space;
        (first..)
            .map(|index| (index, nice(index)))
            .skip_while(|(_, value)| *value < self.lo * (1.0 - 1e-9))
            .take_while(|(_, value)| *value <= self.hi * (1.0 + 1e-9))
            .map(|(index, value)| {
                let is_decade = index.rem_euclid(3) == 0;
                let fits = label_all || (is_decade && (index / 3).rem_euclid(step) == 0);
                Tick {
                    value,
                    is_decade,
                    label: fits.then(|| unit.tick(value)),
                }
            })
            .collect()
    }
}

/// Returns round steps of an axis of counts from 0 to `max`, at most `most` after 0.
pub fn counts(max: usize, most: usize) -> Vec<usize> {
    let step = (0..)
        .map(|index| nice(index) as usize)
        .find(|step| max / step <= most.max(1))
        .unwrap_or(1);
    (0..=max / step).map(|i| i * step).collect()
}

/// Places labels of height `height` as close as possible to their `wanted` coordinates, in the same
/// order, without overlaps and, if they fit, between `lo` and `hi`.
pub fn spread(wanted: &[f64], height: f64, lo: f64, hi: f64) -> Vec<f64> {
    let mut order: Vec<usize> = (0..wanted.len()).collect();
    order.sort_by(|&a, &b| wanted[a].total_cmp(&wanted[b]));
    // Blocks of touching labels: (sum of wanted tops of the first label, number of labels).
    let mut blocks: Vec<(f64, usize)> = Vec::new();
    let top = |&(sum, n): &(f64, usize)| {
        let free = sum / n as f64;
        free.min(hi - height * (n as f64 - 0.5))
            .max(lo + height / 2.0)
    };
    for &i in &order {
        blocks.push((wanted[i], 1));
        while let [.., above, below] = &blocks[..] {
            let end = top(above) + height * above.1 as f64;
            if end <= top(below) + 1e-9 {
                break;
            }
            let shift = height * (above.1 * below.1) as f64;
            let merged = (above.0 + below.0 - shift, above.1 + below.1);
            blocks.truncate(blocks.len() - 2);
            blocks.push(merged);
        }
    }
    let mut places = vec![0.0; wanted.len()];
    let mut labels = order.into_iter();
    for block in &blocks {
        for k in 0..block.1 {
            if let Some(i) = labels.next() {
                places[i] = top(block) + height * k as f64;
            }
        }
    }
    places
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_axis_encloses_its_data_between_round_numbers() {
        for (min, max, lo, hi) in [
            (0.0012, 70.0, 0.001, 100.0),
            (0.001, 3600.0, 0.001, 5000.0),
            (3.0, 4.0, 1.0, 10.0),
            (2.0, 2.0, 1.0, 10.0),
        ] {
            let axis = Log::around([min, max].into_iter(), MeasureUnit::Seconds, 0.0, 300.0);
            assert!(axis.lo <= min && max <= axis.hi, "{axis:?}");
            assert!(axis.hi / axis.lo >= 9.99, "{axis:?}");
            if max / min > 10.0 {
                assert!((axis.lo / lo - 1.0).abs() < 1e-6 && (axis.hi / hi - 1.0).abs() < 1e-6);
            }
            assert!((axis.at(axis.lo) - 0.0).abs() < 1e-9);
            assert!((axis.at(axis.hi) - 300.0).abs() < 1e-9);
            let ticks = axis.ticks(MeasureUnit::Seconds, 40.0);
            let labelled = ticks.iter().filter(|t| t.label.is_some());
            let places: Vec<f64> = labelled.map(|t| axis.at(t.value)).collect();
            assert!(places.len() >= 2);
            let is_apart = |pair: &[f64]| pair[1] - pair[0] >= 40.0 - 1e-6;
            assert!(places.windows(2).all(is_apart), "{places:?}");
        }
        let none = Log::around([].into_iter(), MeasureUnit::Count, 0.0, 1.0);
        assert!(none.lo < none.hi);
    }

    #[test]
    fn counts_are_round() {
        assert_eq!(counts(0, 6), [0]);
        assert_eq!(counts(3, 6), [0, 1, 2, 3]);
        assert_eq!(counts(417, 6), [0, 100, 200, 300, 400]);
    }

    #[test]
    fn labels_are_spread_without_overlap() {
        let wanted = [50.0, 51.0, 52.0, 10.0, 98.0, 99.0];
        let places = spread(&wanted, 10.0, 0.0, 100.0);
        let mut sorted = places.clone();
        sorted.sort_by(f64::total_cmp);
        let is_apart = |pair: &[f64]| pair[1] - pair[0] >= 10.0 - 1e-6;
        assert!(sorted.windows(2).all(is_apart), "{places:?}");
        assert!(sorted[0] >= 5.0 && sorted[5] <= 95.0 + 1e-6, "{places:?}");
        assert!((places[3] - 10.0).abs() < 1e-9);
        assert!(places[0] < places[1] && places[1] < places[2]);
    }
}
