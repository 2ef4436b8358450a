//! Where words go: sizes of text in an unknown font, labels moved apart, labels next to points.

use crate::geometry::{Point, Rect};

/// Height of a line of text, as a multiple of its font size.
const LINE: f64 = 1.25;

/// How wide a text is at most in the usual sans-serif fonts, of which DejaVu Sans is the widest.
pub(crate) fn width(text: &str, size: f64) -> f64 {
    let letter = |c: char| match c {
        'i' | 'j' | 'l' | 't' | 'f' | 'r' | '.' | ',' | ':' | ';' | '\'' | '|' | '!' | ' ' | '(' | ')' => {
            0.42
        }
        'm' | 'w' | 'M' | 'W' | '@' | '%' | '—' => 1.0,
        '+' | '=' | '<' | '>' | '−' | '≤' | '≥' | '~' => 0.84,
        c if c.is_uppercase() => 0.78,
        // Ideographs and the like fill their square.
        c if c as u32 >= 0x1100 && !('\u{2000}'..='\u{2bff}').contains(&c) => 1.0,
        _ => 0.64,
    };
    size * text.chars().map(letter).sum::<f64>()
}

pub(crate) fn height(size: f64) -> f64 {
    LINE * size
}

/// Moves labels of equal height apart: centers as near to the wanted ones as order and room allow.
///
/// Each label is pushed below the one above it, then those past the lower end are pushed back up. The caller makes sure
/// that there is room for all of them.
pub(crate) fn apart(wanted: &[f64], height: f64, low: f64, high: f64) -> Vec<f64> {
    let mut order: Vec<usize> = (0..wanted.len()).collect();
    order.sort_by(|&a, &b| wanted[a].total_cmp(&wanted[b]).then(a.cmp(&b)));
    let mut centers = vec![0.0; wanted.len()];
    let mut free = low;
    for &i in &order {
        centers[i] = wanted[i].max(free + height / 2.0);
        free = centers[i] + height / 2.0;
    }
    let mut free = high;
    for &i in order.iter().rev() {
        centers[i] = centers[i].min(free - height / 2.0);
        free = centers[i] - height / 2.0;
    }
    centers
}

/// The eight directions a label may be placed in, best first.
const DIRECTIONS: [Point; 8] =
    [(1.0, -1.0), (-1.0, -1.0), (1.0, 1.0), (-1.0, 1.0), (1.0, 0.0), (-1.0, 0.0), (0.0, -1.0), (0.0, 1.0)];

/// A place for a label of this size next to a point: inside the frame, on none of the taken boxes and on no line. The nearest
/// of the places tried, or none.
pub(crate) fn beside(
    (x, y): Point,
    (width, height): (f64, f64),
    frame: &Rect,
    taken: &[Rect],
    lines: &[Vec<Point>],
) -> Option<Rect> {
    let crossed = |rect: &Rect| {
        lines.iter().any(|line| line.windows(2).any(|pair| rect.cut(pair[0], pair[1]).is_some()))
    };
    (0..6).flat_map(|ring| DIRECTIONS.map(|direction| (7.0 + 6.0 * f64::from(ring), direction))).find_map(
        |(distance, (right, down))| {
            let rect = Rect {
                x: x - width / 2.0 + right * (width / 2.0 + distance),
                y: y - height / 2.0
                    + down * (height / 2.0 + if right == 0.0 { distance } else { distance - 5.0 }),
                width,
                height,
            };
            let free =
                frame.holds(&rect) && !taken.iter().any(|other| other.overlaps(&rect)) && !crossed(&rect);
            free.then_some(rect)
        },
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn labels_are_moved_apart_and_stay_in_range() {
        // All at one place near the lower end, in the order they came.
        assert_eq!(apart(&[98.0, 98.0, 98.0], 10.0, 0.0, 100.0), [75.0, 85.0, 95.0]);
        // Where there is room, nothing moves.
        assert_eq!(apart(&[80.0, 20.0], 10.0, 0.0, 100.0), [80.0, 20.0]);
        // Just enough room.
        assert_eq!(apart(&[50.0, 50.0], 10.0, 40.0, 60.0), [45.0, 55.0]);
    }

    #[test]
    fn a_label_beside_a_point_avoids_lines_boxes_and_edges() {
        let frame = Rect { x: 0.0, y: 0.0, width: 100.0, height: 100.0 };
        let size = (30.0, 10.0);
        let free = beside((50.0, 50.0), size, &frame, &[], &[]).unwrap();
        assert!(free.x > 50.0 && free.bottom() < 50.0);
        let corner = beside((99.0, 1.0), size, &frame, &[], &[]).unwrap();
        assert!(frame.holds(&corner));
        let line = vec![vec![(0.0, 90.0), (100.0, 0.0)]];
        let avoiding = beside((50.0, 45.0), size, &frame, &[], &line).unwrap();
        assert!(avoiding.cut(line[0][0], line[0][1]).is_none());
        assert_eq!(beside((50.0, 50.0), size, &frame, &[frame], &[]), None);
    }
}
