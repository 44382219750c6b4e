//! Placement of labels: each at the first of its candidate areas that covers nothing.
//!
//! Areas that are taken are kept in the cells of a grid that they touch, so that a test looks at a
//! few areas only. Labels are placed in the order of the calls.

use crate::boxes::Box4;
use rustc_hash::FxHashMap;

/// Side of a cell.
const CELL: f64 = 80.0;

/// The areas that are taken: left, top, right and bottom.
#[derive(Default)]
pub(crate) struct Taken {
    cells: FxHashMap<(i64, i64), Vec<Box4>>,
}

impl Taken {
    /// The cells that an area touches.
    fn cells(area: Box4) -> impl Iterator<Item = (i64, i64)> {
        let [x0, y0, x1, y1] = area.map(|side| (side / CELL).floor() as i64);
        (x0..=x1).flat_map(move |x| (y0..=y1).map(move |y| (x, y)))
    }

    /// Takes an area.
    pub fn add(&mut self, area: Box4) {
        for cell in Taken::cells(area) {
            self.cells.entry(cell).or_default().push(area);
        }
    }

    /// Returns whether an area meets none that is taken.
    pub fn is_free(&self, area: Box4) -> bool {
        let meets = |other: &Box4| {
            area[0] < other[2] && other[0] < area[2] && area[1] < other[3] && other[1] < area[3]
        };
        let mut near = Taken::cells(area).filter_map(|cell| self.cells.get(&cell));
        !near.any(|areas| areas.iter().any(meets))
    }

    /// Takes the first free candidate, and returns its number.
    pub fn place(&mut self, candidates: impl Iterator<Item = Box4>) -> Option<usize> {
        let (number, area) = candidates
            .enumerate()
            .find(|(_, area)| self.is_free(*area))?;
        self.add(area);
        Some(number)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use lariat_random::Random;

    /// Compares with a test of all pairs.
    #[test]
    fn labels_never_meet() {
        let mut random = Random::new(7);
        let mut number = |most: u32| f64::from(random.below(most));
        let (mut taken, mut placed) = (Taken::default(), Vec::<Box4>::new());
        for _ in 0..400 {
            let (x, y) = (number(900) - 300.0, number(900) - 300.0);
            let area = [x, y, x + 1.0 + number(200), y + 1.0 + number(30)];
            let meets =
                |b: &Box4| area[0] < b[2] && b[0] < area[2] && area[1] < b[3] && b[1] < area[3];
            assert_eq!(taken.is_free(area), !placed.iter().any(meets));
            let lower = [area[0], area[1] + 2000.0, area[2], area[3] + 2000.0];
            match taken.place([area, lower].into_iter()) {
                Some(0) => placed.push(area),
                Some(_) => placed.push(lower),
                None => {}
            }
        }
        assert!(placed.len() > 40);
    }
}
