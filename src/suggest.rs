//! Suggestions for misspelt names.

use strsim::normalized_levenshtein;

/// Names longer than this are not compared.
const LONGEST: usize = 200;

/// The maximum number of pairs of characters compared, so that a file with many instances takes no more than a moment.
const WORK: usize = 50_000_000;

/// The most names that are suggested.
const MOST: usize = 3;

/// The least likeness of a name that is suggested: 1 is the same, 0 has nothing in common.
const LIKE: f64 = 0.55;

/// The candidates most like `name`, best first, without regard to case: at most three, and none if all are too different.
#[must_use]
pub fn nearest<N: AsRef<str>>(name: &str, candidates: impl Iterator<Item = N>) -> Vec<N> {
    let name = name.to_ascii_lowercase();
    let mut work = 0usize;
    let mut found: Vec<(f64, N)> = Vec::new();
    for candidate in candidates {
        let other = candidate.as_ref().to_ascii_lowercase();
        if name.len() > LONGEST || other.len() > LONGEST.saturating_mul(4) {
            continue;
        }
        work = work.saturating_add(name.len().saturating_mul(other.len()));
        if work > WORK {
            break;
        }
        let likeness = normalized_levenshtein(&name, &other);
        if likeness > LIKE {
            let at = found.partition_point(|(other, _)| *other >= likeness);
            found.insert(at, (likeness, candidate));
            found.truncate(MOST);
        }
    }
    found.into_iter().map(|(_, candidate)| candidate).collect()
}

/// Advice about an unknown name: the names most like it, or else all of them.
pub(crate) fn advice(name: &str, known: &[&str]) -> String {
    let similar = nearest(name, known.iter());
    match (&similar[..], known) {
        ([], [one]) => format!("expected {one}"),
        ([], known) => format!("expected one of {}", known.join(", ")),
        (similar, _) => format!("did you mean {}?", similar.iter().map(|name| **name).collect::<Vec<_>>().join(" or ")),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use pretty_assertions::assert_eq;

    #[test]
    fn the_nearest_come_first_and_strangers_do_not_come() {
        let names = ["Vector3", "Vector2", "Vector3int16", "UDim", "UDim2"];
        assert_eq!(nearest("vektor3", names.iter()), [&"Vector3", &"Vector2"]);
        assert_eq!(nearest("Udm", names.iter()), [&"UDim", &"UDim2"]);
        assert_eq!(nearest("Boolean", ["Int", "Bool"].iter()), [&"Bool"]);
        assert_eq!(nearest("Vec3", names.iter()), [&"Vector3"]);
        assert_eq!(nearest("Enormous", names.iter()), [&""; 0]);
        // the first of very many are compared
        let many = || std::iter::repeat_n("y".repeat(150), 100_000);
        assert_eq!(nearest(&"x".repeat(150), std::iter::once("x".repeat(149)).chain(many())), ["x".repeat(149)]);
        assert!(nearest(&"x".repeat(150), many().chain(std::iter::once("x".repeat(149)))).is_empty());
        assert_eq!(nearest(&"x".repeat(1000), names.iter()), [&""; 0]);
    }
}
