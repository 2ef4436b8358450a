//! Rectangles, and lines cut at their edges. Lengths are in pixels of the picture, y pointing down.

/// A place in the picture.
pub(crate) type Point = (f64, f64);

/// An upright rectangle.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Rect {
    pub x: f64,
    pub y: f64,
    pub width: f64,
    pub height: f64,
}

impl Rect {
    pub fn right(&self) -> f64 {
        self.x + self.width
    }

    pub fn bottom(&self) -> f64 {
        self.y + self.height
    }

    /// The square of this half side around a point.
    pub fn around((x, y): Point, half: f64) -> Self {
        Self { x: x - half, y: y - half, width: 2.0 * half, height: 2.0 * half }
    }

    /// Whether the two share more than an edge.
    pub fn overlaps(&self, other: &Rect) -> bool {
        self.x < other.right() && other.x < self.right() && self.y < other.bottom() && other.y < self.bottom()
    }

    /// Whether the other lies within this one.
    pub fn holds(&self, other: &Rect) -> bool {
        self.x <= other.x
            && self.y <= other.y
            && other.right() <= self.right()
            && other.bottom() <= self.bottom()
    }

    /// The part of a segment inside the rectangle (Liang and Barsky, "A new concept and method for line clipping", ACM
    /// Transactions on Graphics 3, 1984).
    pub fn cut(&self, (x0, y0): Point, (x1, y1): Point) -> Option<(Point, Point)> {
        let (dx, dy) = (x1 - x0, y1 - y0);
        let (mut enter, mut leave) = (0.0f64, 1.0f64);
        let edges =
            [(-dx, x0 - self.x), (dx, self.right() - x0), (-dy, y0 - self.y), (dy, self.bottom() - y0)];
        for (slope, room) in edges {
            if slope == 0.0 {
                if room < 0.0 {
                    return None;
                }
            } else if slope < 0.0 {
                enter = enter.max(room / slope);
            } else {
                leave = leave.min(room / slope);
            }
        }
        // Exact ends where nothing is cut: x0 + dx need not be x1 in floating point.
        let at = |t: f64| if t == 1.0 { (x1, y1) } else { (x0 + t * dx, y0 + t * dy) };
        (enter <= leave).then(|| (at(enter), at(leave)))
    }

    /// The connected pieces of a line inside the rectangle; points that are not finite interrupt it.
    pub fn pieces(&self, points: &[Point]) -> Vec<Vec<Point>> {
        let mut pieces: Vec<Vec<Point>> = Vec::new();
        let finite = |p: &Point| p.0.is_finite() && p.1.is_finite();
        for pair in points.windows(2).filter(|pair| pair.iter().all(finite)) {
            let Some((from, to)) = self.cut(pair[0], pair[1]) else { continue };
            match pieces.last_mut() {
                Some(piece) if piece.last() == Some(&from) => piece.push(to),
                _ => pieces.push(vec![from, to]),
            }
        }
        pieces
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const UNIT: Rect = Rect { x: 0.0, y: 0.0, width: 1.0, height: 1.0 };

    #[test]
    fn segments_are_cut_at_the_edges() {
        assert_eq!(UNIT.cut((-1.0, 0.5), (3.0, 0.5)), Some(((0.0, 0.5), (1.0, 0.5))));
        assert_eq!(UNIT.cut((0.2, 0.2), (0.7, 0.9)), Some(((0.2, 0.2), (0.7, 0.9))));
        assert_eq!(UNIT.cut((-1.0, 0.5), (0.5, 2.0)), None);
        assert_eq!(UNIT.cut((2.0, 2.0), (2.0, -2.0)), None);
    }

    #[test]
    fn a_gap_or_an_excursion_makes_two_pieces() {
        let gap = [
            (0.0, 0.0),
            (0.2, 0.2),
            (0.3, f64::NAN),
            (0.6, 0.6),
            (0.8, f64::INFINITY),
            (0.9, 0.9),
            (1.0, 1.0),
        ];
        assert_eq!(UNIT.pieces(&gap), [vec![(0.0, 0.0), (0.2, 0.2)], vec![(0.9, 0.9), (1.0, 1.0)]]);
        let excursion = [(0.0, 0.5), (0.5, 1.5), (1.0, 0.5)];
        assert_eq!(UNIT.pieces(&excursion), [vec![(0.0, 0.5), (0.25, 1.0)], vec![(0.75, 1.0), (1.0, 0.5)]]);
    }

    #[test]
    fn touching_is_not_overlapping() {
        let beside = Rect { x: 1.0, ..UNIT };
        assert!(!UNIT.overlaps(&beside) && UNIT.overlaps(&Rect { x: 0.9, ..UNIT }));
        assert!(UNIT.holds(&UNIT) && !UNIT.holds(&beside));
    }
}
