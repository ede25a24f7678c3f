//! Suggestions for misspelt names.

/// Names longer than this are not compared.
const LONGEST: usize = 200;

/// The maximum number of pairs of characters compared, so that a file with many instances takes no more than a moment.
const WORK: usize = 50_000_000;

/// The most names that are suggested.
const MOST: usize = 3;

/// The candidates most like `name`, best first, without regard to case: at most three, and none if all are too different.
#[must_use]
pub fn nearest<N: AsRef<str>>(name: &str, candidates: impl Iterator<Item = N>) -> Vec<N> {
    let name: Vec<_> = name.to_lowercase().chars().collect();
    if name.len() > LONGEST {
        return Vec::new();
    }
    let allowed = (name.len() / 3).saturating_add(1);
    let mut work = 0usize;
    let mut found: Vec<(usize, N)> = Vec::new();
    for candidate in candidates {
        let other = candidate.as_ref();
        if other.len() > LONGEST.saturating_mul(4) {
            continue;
        }
        let other: Vec<_> = other.to_lowercase().chars().collect();
        if other.len().abs_diff(name.len()) > allowed {
            continue;
        }
        work = work.saturating_add(name.len().saturating_mul(other.len()));
        if work > WORK {
            break;
        }
        let distance = distance(&name, &other);
        if distance <= allowed {
            found.push((distance, candidate));
            found.sort_by_key(|(distance, _)| *distance);
            found.truncate(MOST);
        }
    }
    found.into_iter().map(|(_, candidate)| candidate).collect()
}

/// What to write in place of a name that is unknown: the names most like it, or else all of them.
pub(crate) fn advice(name: &str, known: &[&str]) -> String {
    let similar = nearest(name, known.iter());
    match (&similar[..], known) {
        ([], [one]) => format!("expected {one}"),
        ([], known) => format!("expected one of {}", known.join(", ")),
        (similar, _) => format!("did you mean {}?", similar.iter().map(|name| **name).collect::<Vec<_>>().join(" or ")),
    }
}

/// The number of characters to insert, remove or replace to turn one name into the other (Levenshtein distance).
fn distance(a: &[char], b: &[char]) -> usize {
    let mut row: Vec<usize> = (0..=b.len()).collect();
    for (index, from) in a.iter().enumerate() {
        let mut diagonal = index;
        let mut left = index.saturating_add(1);
        for (above, to) in row.iter_mut().skip(1).zip(b) {
            let replaced = diagonal.saturating_add(usize::from(from != to));
            diagonal = *above;
            left = replaced.min(left.saturating_add(1)).min(above.saturating_add(1));
            *above = left;
        }
        if let Some(first) = row.first_mut() {
            *first = index.saturating_add(1);
        }
    }
    row.last().copied().unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::*;
    use pretty_assertions::assert_eq;

    #[test]
    fn distances() {
        let distance = |a: &str, b: &str| distance(&a.chars().collect::<Vec<_>>(), &b.chars().collect::<Vec<_>>());
        assert_eq!(distance("", ""), 0);
        assert_eq!(distance("", "abc"), 3);
        assert_eq!(distance("abc", ""), 3);
        assert_eq!(distance("kitten", "sitting"), 3);
        assert_eq!(distance("flaw", "lawn"), 2);
        assert_eq!(distance("same", "same"), 0);
    }

    #[test]
    fn the_nearest_come_first_and_strangers_do_not_come() {
        let names = ["Vector3", "Vector2", "Vector3int16", "UDim", "UDim2"];
        assert_eq!(nearest("vektor3", names.iter()), [&"Vector3", &"Vector2"]);
        assert_eq!(nearest("Udm", names.iter()), [&"UDim", &"UDim2"]);
        assert_eq!(nearest("Boolean", ["Int", "Bool"].iter()), [&"Bool"]);
        assert_eq!(nearest("Enormous", names.iter()), [&""; 0]);
        // the first of very many are compared
        let many = || std::iter::repeat_n("y".repeat(150), 100_000);
        assert_eq!(nearest(&"x".repeat(150), std::iter::once("x".repeat(149)).chain(many())), ["x".repeat(149)]);
        assert!(nearest(&"x".repeat(150), many().chain(std::iter::once("x".repeat(149)))).is_empty());
        assert_eq!(nearest(&"x".repeat(1000), names.iter()), [&""; 0]);
    }
}
