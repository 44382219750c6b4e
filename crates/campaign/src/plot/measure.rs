//! The quantities that plots compare, and the format of their values.

use crate::Record;
use lariat::internals::Statistic;

/// A quantity to compare.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub enum Measure {
    /// Processor time of the process.
    #[default]
    Cpu,
    /// Wall-clock time.
    Wall,
    /// Peak resident memory of the process.
    Memory,
    /// The engine's own time, without reading the model and the property.
    Engine,
    /// Explored states of the product.
    States,
    /// Explored transitions of the product.
    Transitions,
}

/// The unit of a measure.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum MeasureUnit {
    Seconds,
    Bytes,
    Count,
}

impl Measure {
    /// Returns the value of a record, if it has one.
    pub fn of(self, record: &Record) -> Option<f64> {
        let value = match self {
            Measure::Cpu => Some(record.cpu),
            Measure::Wall => Some(record.wall),
            Measure::Memory => Some(record.peak_bytes as f64),
            Measure::Engine => record.engine_seconds,
            Measure::States => record.stat(Statistic::PRODUCT_STATES),
            Measure::Transitions => record.stat(Statistic::PRODUCT_EDGES),
        };
        // Logarithms and ratios need positive values; the floor is below the precision.
        value
            .filter(|v| v.is_finite())
            .map(|v| v.max(self.unit().least()))
    }

    /// Returns its unit.
    pub fn unit(self) -> MeasureUnit {
        match self {
            Measure::Cpu | Measure::Wall | Measure::Engine => MeasureUnit::Seconds,
            Measure::Memory => MeasureUnit::Bytes,
            Measure::States | Measure::Transitions => MeasureUnit::Count,
        }
    }

    /// Returns its name in titles and at axes.
    pub fn title(self) -> &'static str {
        match self {
            Measure::Cpu => "CPU time",
            Measure::Wall => "wall-clock time",
            Measure::Memory => "peak memory",
            Measure::Engine => "engine time",
            Measure::States => "product states explored",
            Measure::Transitions => "product transitions explored",
        }
    }

    /// Returns the adjective for the engine with the largest value.
    pub fn worst(self) -> &'static str {
        match self.unit() {
            MeasureUnit::Seconds => "slowest",
            MeasureUnit::Bytes | MeasureUnit::Count => "most expensive",
        }
    }

    /// Returns whether two values are too close to compare: within 1 % or a millisecond.
    pub fn is_tie(self, a: f64, b: f64) -> bool {
        let least: f64 = match self.unit() {
            MeasureUnit::Seconds => 1e-3,
            MeasureUnit::Bytes | MeasureUnit::Count => 0.0,
        };
        (a - b).abs() <= least.max(0.01 * a.max(b))
    }
}

impl MeasureUnit {
    /// The least positive value; smaller ones are raised to it.
    pub fn least(self) -> f64 {
        match self {
            MeasureUnit::Seconds => 1e-3,
            MeasureUnit::Bytes => 1e3,
            MeasureUnit::Count => 1.0,
        }
    }

    /// Formats a value with three digits and its unit.
    pub fn show(self, value: f64) -> String {
        let (scaled, unit) = match self {
            MeasureUnit::Seconds if value < 1.0 => (value * 1e3, " ms"),
            MeasureUnit::Seconds => (value, " s"),
            MeasureUnit::Bytes if value < 1e6 => (value / 1e3, " kB"),
            MeasureUnit::Bytes if value < 1e9 => (value / 1e6, " MB"),
            MeasureUnit::Bytes => (value / 1e9, " GB"),
            MeasureUnit::Count => (value, ""),
        };
        format!("{}{unit}", three_digits(scaled))
    }

    /// Formats the label of a tick: 1, 2 or 5 times a power of ten.
    pub fn tick(self, value: f64) -> String {
        match self {
            MeasureUnit::Count if value >= 1e4 => {
                let power = value.log10().floor();
                let lead = (value / 10f64.powf(power)).round();
                let power = superscript(power as i32);
                match lead as u32 {
                    1 => format!("10{power}"),
                    lead => format!("{lead}·10{power}"),
                }
            }
            _ => self.show(value),
        }
    }
}

fn three_digits(value: f64) -> String {
    // The empty sum is −0 in floating point.
    let value = value + 0.0;
    let digits = match value.abs() {
        v if v >= 99.95 || v == 0.0 => 0,
        v if v >= 9.995 => 1,
        _ => 2,
    };
    let text = format!("{value:.digits$}");
    if text.contains('.') {
        text.trim_end_matches('0').trim_end_matches('.').to_owned()
    } else {
        text
    }
}

fn superscript(power: i32) -> String {
    let digit = |c: char| match c {
        '-' => '⁻',
        '1' => '¹',
        '2' => '²',
        '3' => '³',
        c => char::from_u32(0x2070 + c as u32 - '0' as u32).unwrap_or(c),
    };
    power.to_string().chars().map(digit).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn values_have_three_digits_and_a_unit() {
        assert_eq!(MeasureUnit::Seconds.show(0.0123), "12.3 ms");
        assert_eq!(MeasureUnit::Seconds.show(3600.0), "3600 s");
        assert_eq!(MeasureUnit::Seconds.show(1.0), "1 s");
        assert_eq!(MeasureUnit::Bytes.show(52_428_800.0), "52.4 MB");
        assert_eq!(MeasureUnit::Count.tick(2e5), "2·10⁵");
        assert_eq!(MeasureUnit::Count.tick(1e12), "10¹²");
        assert_eq!(MeasureUnit::Count.tick(1000.0), "1000");
    }
}
