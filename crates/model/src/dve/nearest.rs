//! The name that was probably meant.

/// `did you mean …?` for the nearest of some names, if one is near enough.
///
/// Nearness is the restricted edit distance (insert, delete, replace, swap neighbours) without
/// regard to case; at most a third of the longer word may differ, and one letter always may.
pub(crate) fn suggestion<'n>(
    wrong: &str,
    names: impl IntoIterator<Item = &'n str>,
) -> Option<String> {
    /// Longer names are not compared: nobody types them, and the distance is quadratic.
    const LONGEST: usize = 80;
    if wrong.len() > LONGEST {
        return None;
    }
    let lower = |s: &str| -> Vec<char> { s.chars().flat_map(char::to_lowercase).collect() };
    let wrong_chars = lower(wrong);
    names
        .into_iter()
        .filter(|name| name.len().abs_diff(wrong.len()) <= 1 + wrong.len() / 3)
        .filter(|name| name.len() <= LONGEST)
        .map(|name| (distance(&wrong_chars, &lower(name)), name))
        .filter(|(d, name)| *d <= (name.len().max(wrong.len()) / 3).max(1))
        .min()
        .map(|(_, name)| format!("did you mean `{name}`?"))
}

fn distance(a: &[char], b: &[char]) -> usize {
    // Row i holds the distances of a[..i] to all prefixes of b.
    let mut before: Vec<usize> = Vec::new();
    let mut last: Vec<usize> = (0..=b.len()).collect();
    for i in 1..=a.len() {
        let mut row = vec![i];
        for j in 1..=b.len() {
            let replaced = last[j - 1] + usize::from(a[i - 1] != b[j - 1]);
            let mut best = replaced.min(last[j] + 1).min(row[j - 1] + 1);
            if i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1] {
                best = best.min(before[j - 2] + 1);
            }
            row.push(best);
        }
        before = std::mem::replace(&mut last, row);
    }
    last[b.len()]
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
