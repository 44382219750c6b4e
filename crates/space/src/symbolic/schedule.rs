//! Parameters of the search for an order ([`race`](super::race)), in one table.
//!
//! Work is counted in nodes created and steps taken, never in time, so that runs are reproducible.
//! A row has a name, a default, a range and a meaning; `lariat states --order-schedule name=value`
//! sets one, and `campaigns/orders.toml` measures the effect of each (`docs/results/orders.md`).
//!
//! The "total work" is that of all candidates together.

use std::fmt;
use std::ops::RangeInclusive;
use std::str::FromStr;

/// A row of the table.
#[derive(Clone, Debug)]
pub struct ScheduleRow {
    /// Name, for example `first-try`.
    pub name: &'static str,
    /// Default value.
    pub default: u64,
    /// Values that it may have.
    pub range: RangeInclusive<u64>,
    /// Meaning, as shown to the user.
    pub meaning: &'static str,
}

macro_rules! schedule {
    ($($field:ident: $name:literal = $default:literal in $range:expr, $meaning:literal;)*) => {
        /// Parameters of the search for an order; see [`OrderSchedule::TABLE`].
        #[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
        pub struct OrderSchedule {
            $(#[doc = $meaning] pub $field: u64,)*
        }

        impl Default for OrderSchedule {
            fn default() -> OrderSchedule {
                OrderSchedule { $($field: $default,)* }
            }
        }

        impl OrderSchedule {
            /// All rows.
            pub const TABLE: &'static [ScheduleRow] = &[
                $(ScheduleRow { name: $name, default: $default, range: $range, meaning: $meaning },)*
            ];

            fn values(&mut self) -> impl Iterator<Item = &mut u64> {
                [$(&mut self.$field,)*].into_iter()
            }
        }
    };
}

schedule! {
    first_try: "first-try" = 10_000 in 0..=u64::MAX,
        "work for the file order before any other order is computed, which suffices for small systems; \
         also for each order that is tried on the system itself if rehearsals are not significant";
    level_work: "level-work" = 10 in 0..=1_000,
        "additional work of such a try for each level, which every order needs";
    tried: "tried" = 4 in 0..=100,
        "orders that are tried on the system itself if rehearsals are not significant";
    noise: "noise" = 3_000 in 0..=u64::MAX,
        "work below which a rehearsal, or a difference in one, is not significant";
    telling: "telling" = 8_000 in 0..=u64::MAX,
        "work of a rehearsal after which the favourite starts";
    small: "small" = 20_000 in 0..=u64::MAX,
        "maximal work of a rehearsal before the favourite starts";
    margin: "margin" = 25 in 0..=1_000,
        "percentage by which a runner may be worse than the best in a rehearsal and stay; with more, the \
         best leads clearly";
    share: "share" = 4 in 2..=1_000,
        "one try in an interlude may take the total work divided by this number";
    interlude: "interlude" = 60 in 1..=1_000,
        "percentage of the total work that an interlude with successful rehearsals may take";
    much_larger: "much-larger" = 4 in 1..=1_000,
        "a rehearsal that takes this many times the work of another readmits the runners that it eliminated";
    starved: "starved" = 3 in 1..=100,
        "orders that may run out of memory before the search ends";
}

impl OrderSchedule {
    /// Work of a short try of any order on a system with `levels` levels.
    pub(super) fn short_try(&self, levels: usize) -> u64 {
        let levels = self.level_work.saturating_mul(levels as u64);
        self.first_try.saturating_add(levels)
    }
}

/// Parses `name=value,name=value`; the other rows keep their defaults.
impl FromStr for OrderSchedule {
    type Err = String;

    fn from_str(text: &str) -> Result<OrderSchedule, String> {
        let mut schedule = OrderSchedule::default();
        for setting in text.split(',').filter(|setting| !setting.is_empty()) {
            let (name, value) = setting
                .split_once('=')
                .ok_or_else(|| format!("`{setting}` is not of the form name=value"))?;
            let mut rows = OrderSchedule::TABLE.iter().zip(schedule.values());
            let Some((row, slot)) = rows.find(|(row, _)| row.name == name) else {
                let names: Vec<&str> = OrderSchedule::TABLE.iter().map(|row| row.name).collect();
                return Err(format!(
                    "there is no `{name}` in the schedule; it has {}",
                    names.join(", ")
                ));
            };
            let value = value.parse().ok().filter(|value| row.range.contains(value));
            *slot = value.ok_or_else(|| {
                let (least, most) = (row.range.start(), row.range.end());
                match *most {
                    u64::MAX => format!("{name} is a number from {least} on"),
                    most => format!("{name} is a number from {least} to {most}"),
                }
            })?;
        }
        Ok(schedule)
    }
}

/// Prints the rows that differ from their defaults, in the form that is parsed.
impl fmt::Display for OrderSchedule {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut values = *self;
        let changed = OrderSchedule::TABLE
            .iter()
            .zip(values.values())
            .filter(|(row, value)| row.default != **value);
        for (i, (row, value)) in changed.enumerate() {
            let comma = if i > 0 { "," } else { "" };
            write!(f, "{comma}{}={value}", row.name)?;
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn display_and_parse_are_inverse() {
        assert_eq!("".parse(), Ok(OrderSchedule::default()));
        assert_eq!(OrderSchedule::default().to_string(), "");
        let text = "first-try=7,margin=50";
        let schedule: OrderSchedule = text.parse().unwrap();
        assert_eq!((schedule.first_try, schedule.margin), (7, 50));
        assert_eq!(schedule.noise, OrderSchedule::default().noise);
        assert_eq!(schedule.to_string(), text);
    }

    #[test]
    fn unknown_rows_and_values_are_refused() {
        let error = |text: &str| text.parse::<OrderSchedule>().unwrap_err();
        assert!(error("first-try").contains("name=value"));
        assert!(error("patience=3").contains("no `patience`"));
        assert!(error("patience=3").contains("first-try, "));
        assert_eq!(error("margin=1001"), "margin is a number from 0 to 1000");
        assert_eq!(error("noise=-1"), "noise is a number from 0 on");
    }

    #[test]
    fn defaults_are_in_their_ranges() {
        for (row, value) in OrderSchedule::TABLE
            .iter()
            .zip(OrderSchedule::default().values())
        {
            assert_eq!(row.default, *value, "{}", row.name);
            assert!(row.range.contains(value), "{}", row.name);
            assert!(!row.meaning.is_empty());
        }
    }
}
