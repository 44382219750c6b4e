//! Sizes and times with units.

use serde::de::{self, Deserialize, Deserializer, Visitor};
use std::fmt;
use std::marker::PhantomData;
use std::str::FromStr;
use std::time::Duration;

/// A number of bytes: `512M`, `8G`, `1.5GiB`. Units are powers of 1024; the default unit is bytes.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Bytes(pub u64);

/// A duration: `90s`, `5min`, `1.5h`, `200ms`. The default unit is seconds.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct TimeSpan(pub Duration);

/// Splits `text` into a number and its unit.
fn split(text: &str) -> Result<(f64, &str), String> {
    let text = text.trim();
    let end = text
        .find(|c: char| !c.is_ascii_digit() && c != '.')
        .unwrap_or(text.len());
    let number: f64 = text[..end]
        .parse()
        .map_err(|_| format!("`{text}` does not start with a number"))?;
    Ok((number, text[end..].trim()))
}

impl FromStr for Bytes {
    type Err = String;

    fn from_str(text: &str) -> Result<Bytes, String> {
        let (number, unit) = split(text)?;
        let shift = match unit.to_ascii_lowercase().as_str() {
            "" | "b" => 0,
            "k" | "kb" | "kib" => 10,
            "m" | "mb" | "mib" => 20,
            "g" | "gb" | "gib" => 30,
            "t" | "tb" | "tib" => 40,
            _ => return Err(format!("`{unit}` is not a unit of size; use K, M, G or T")),
        };
        let bytes = number * (1u64 << shift) as f64;
        if bytes < 1.0 {
            return Err("the size must not be zero".to_owned());
        }
        Ok(Bytes(bytes as u64))
    }
}

impl FromStr for TimeSpan {
    type Err = String;

    fn from_str(text: &str) -> Result<TimeSpan, String> {
        let (number, unit) = split(text)?;
        let seconds = match unit {
            "" | "s" | "sec" => number,
            "ms" => number / 1e3,
            "m" | "min" => number * 60.0,
            "h" => number * 3600.0,
            "d" => number * 86_400.0,
            _ => {
                return Err(format!(
                    "`{unit}` is not a unit of time; use ms, s, min, h or d"
                ));
            }
        };
        Duration::try_from_secs_f64(seconds)
            .map(TimeSpan)
            .map_err(|_| format!("`{text}` is too long"))
    }
}

/// Deserializes text with a unit or a bare number.
struct Measure<T>(PhantomData<T>, &'static str);

impl<T: FromStr<Err = String>> Visitor<'_> for Measure<T> {
    type Value = T;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.1)
    }

    fn visit_str<E: de::Error>(self, text: &str) -> Result<T, E> {
        text.parse().map_err(E::custom)
    }

    fn visit_i64<E: de::Error>(self, number: i64) -> Result<T, E> {
        number.to_string().parse().map_err(E::custom)
    }

    fn visit_f64<E: de::Error>(self, number: f64) -> Result<T, E> {
        number.to_string().parse().map_err(E::custom)
    }
}

impl<'de> Deserialize<'de> for Bytes {
    fn deserialize<D: Deserializer<'de>>(input: D) -> Result<Bytes, D::Error> {
        input.deserialize_any(Measure(PhantomData, "a size such as \"2G\""))
    }
}

impl<'de> Deserialize<'de> for TimeSpan {
    fn deserialize<D: Deserializer<'de>>(input: D) -> Result<TimeSpan, D::Error> {
        input.deserialize_any(Measure(PhantomData, "a time such as \"60s\""))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn units() {
        assert_eq!("8G".parse(), Ok(Bytes(8 << 30)));
        assert_eq!("1.5 KiB".parse(), Ok(Bytes(1536)));
        assert_eq!("100".parse(), Ok(Bytes(100)));
        assert_eq!("90s".parse(), Ok(TimeSpan(Duration::from_secs(90))));
        assert_eq!("1.5min".parse(), Ok(TimeSpan(Duration::from_secs(90))));
        assert_eq!("200ms".parse(), Ok(TimeSpan(Duration::from_millis(200))));
        for bad in ["", "G", "-1s", "1e3", "5 parsecs", "1..2", "0"] {
            assert!(bad.parse::<Bytes>().is_err(), "{bad}");
        }
        for bad in ["", "s", "-1s", "5 parsecs", "99999999999999999999999d"] {
            assert!(bad.parse::<TimeSpan>().is_err(), "{bad}");
        }
    }
}
