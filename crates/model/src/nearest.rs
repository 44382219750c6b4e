//! Suggestions for misspelt names.

use crate::names::distance;

/// `did you mean …?` for the nearest name, if at most a third of its letters differ, or one.
pub fn suggestion<'n>(wrong: &str, names: impl IntoIterator<Item = &'n str>) -> Option<String> {
    /// Limit on the length of names compared: the distance takes quadratic time.
    const LONGEST: usize = 80;
    if wrong.len() > LONGEST {
        return None;
    }
    let chars: Vec<char> = wrong.chars().collect();
    let limit = (chars.len() / 3).max(1);
    names
        .into_iter()
        .filter_map(|name| Some((distance(&chars, name, limit)?, name)))
        .min()
        .map(|(_, name)| format!("did you mean `{name}`?"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn near_names_are_suggested() {
        let names = ["Fork_1", "Fork_2", "critical", "x"];
        let suggest = |wrong| suggestion(wrong, names);
        assert_eq!(suggest("ork_1").unwrap(), "did you mean `Fork_1`?");
        assert_eq!(suggest("cirtical").unwrap(), "did you mean `critical`?");
        assert_eq!(suggest("X").unwrap(), "did you mean `x`?");
        assert_eq!(suggest("elevator"), None);
        assert_eq!(suggest(&"x".repeat(10_000)), None);
    }
}
