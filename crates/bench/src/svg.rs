//! Drawings for reports, in SVG without scripts.

use crate::report::{escape, number};

/// Sizes in the drawing's own units; the page scales it.
const WIDTH: f64 = 900.0;
const LABELS: f64 = 260.0;
const VALUES: f64 = 90.0;
const ROW: f64 = 22.0;
const CURVE_HEIGHT: f64 = 240.0;
const MARGIN: f64 = 80.0;

fn drawing(height: f64, inside: &str) -> String {
    format!(
        "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 {WIDTH} {height:.0}\" role=\"img\">\n{inside}</svg>\n"
    )
}

fn text(x: f64, y: f64, anchor: &str, content: &str) -> String {
    format!("<text x=\"{x:.1}\" y=\"{y:.1}\" text-anchor=\"{anchor}\">{}</text>\n", escape(content))
}

fn bar(x: f64, y: f64, width: f64, title: &str) -> String {
    format!(
        "<rect class=\"bar\" x=\"{x:.1}\" y=\"{y:.1}\" width=\"{:.1}\" height=\"{:.1}\"><title>{}</title></rect>\n",
        width.max(0.5),
        ROW - 8.0,
        escape(title)
    )
}

/// A bar for each (name, value from 0 to 1, value in words).
pub(crate) fn bars(rows: &[(String, f64, String)]) -> String {
    let (room, bottom) = (WIDTH - LABELS - VALUES, rows.len() as f64 * ROW);
    let mut inside = format!("<path class=\"axis\" d=\"M{:.1} 0V{bottom:.1}\"/>\n", LABELS + room);
    for (at, (name, value, words)) in rows.iter().enumerate() {
        let y = at as f64 * ROW;
        // More than the floor cannot be drawn, only said.
        let width = value.clamp(0.0, 1.0) * room;
        inside += &text(LABELS - 8.0, y + 15.0, "end", name);
        inside += &bar(LABELS, y + 4.0, width, &format!("{name}: {words}"));
        inside += &text(LABELS + room + 8.0, y + 15.0, "start", words);
    }
    drawing(bottom + 4.0, &inside)
}

/// A bar from where the one before ended for each (name, length, length in words).
pub(crate) fn timeline(rows: &[(String, f64, String)]) -> String {
    let (room, bottom) = (WIDTH - LABELS - VALUES, rows.len() as f64 * ROW);
    let total: f64 = rows.iter().map(|(_, length, _)| length).sum();
    let scale = if total > 0.0 { room / total } else { 0.0 };
    let (mut inside, mut start) = (String::new(), LABELS);
    for (at, (name, length, words)) in rows.iter().enumerate() {
        let y = at as f64 * ROW;
        let width = length * scale;
        inside += &text(LABELS - 8.0, y + 15.0, "end", name);
        inside += &bar(start, y + 4.0, width, &format!("{name}: {words}"));
        inside += &text(start + width + 8.0, y + 15.0, "start", words);
        start += width;
    }
    drawing(bottom + 4.0, &inside)
}

/// A curve through points with whole, growing x, from zero up.
pub(crate) fn line(points: &[(f64, f64)]) -> String {
    let (Some((first, _)), Some((last, _))) = (points.first(), points.last()) else { return drawing(0.0, "") };
    let top = points.iter().map(|(_, y)| *y).fold(f64::MIN_POSITIVE, f64::max);
    let across = (last - first).max(1.0);
    let at = |(x, y): (f64, f64)| {
        let (room, height) = (WIDTH - 2.0 * MARGIN, CURVE_HEIGHT - MARGIN);
        (MARGIN + (x - first) / across * room, MARGIN / 2.0 + (1.0 - y / top) * height)
    };
    let floor = at((*first, 0.0)).1;
    let mut inside =
        format!("<path class=\"axis\" d=\"M{MARGIN:.1} {:.1}V{floor:.1}H{:.1}\"/>\n", MARGIN / 2.0, WIDTH - MARGIN);
    inside += &text(MARGIN - 6.0, MARGIN / 2.0 + 4.0, "end", &number(top));
    inside += &text(MARGIN - 6.0, floor + 4.0, "end", "0");
    let mut path = String::new();
    for (index, point) in points.iter().enumerate() {
        let (x, y) = at(*point);
        path += &format!("{}{x:.1} {y:.1}", if index == 0 { "M" } else { "L" });
        inside += &format!(
            "<circle class=\"bar\" cx=\"{x:.1}\" cy=\"{y:.1}\" r=\"3\"><title>2^{}: {}</title></circle>\n",
            number(point.0),
            number(point.1)
        );
        inside += &text(x, floor + 18.0, "middle", &number(point.0));
    }
    inside += &format!("<path class=\"curve\" d=\"{path}\"/>\n");
    drawing(CURVE_HEIGHT, &inside)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_timeline_has_no_gaps() {
        let rows = [("a".to_owned(), 1.0, "1".to_owned()), ("b".to_owned(), 3.0, "3".to_owned())];
        let drawn = timeline(&rows);
        let room = WIDTH - LABELS - VALUES;
        assert!(drawn.contains(&format!("x=\"{LABELS:.1}\" y=\"4.0\" width=\"{:.1}\"", room / 4.0)), "{drawn}");
        assert!(
            drawn.contains(&format!("x=\"{:.1}\" y=\"26.0\" width=\"{:.1}\"", LABELS + room / 4.0, room * 0.75)),
            "{drawn}"
        );
        assert!(!timeline(&[("a".to_owned(), 0.0, String::new())]).contains("NaN"));
    }

    #[test]
    fn curves_start_at_zero() {
        let drawn = line(&[(4.0, 1.0), (5.0, 2.0)]);
        assert!(drawn.contains("M80.0 120.0L820.0 40.0"), "{drawn}");
        assert!(!line(&[]).contains("NaN"));
    }

    #[test]
    fn a_share_above_one_is_said_not_drawn() {
        assert!(
            bars(&[("<a>".to_owned(), 1.5, "150 %".to_owned())])
                .contains(&format!("width=\"{:.1}\"", WIDTH - LABELS - VALUES))
        );
        assert!(!bars(&[("<a>".to_owned(), 1.5, String::new())]).contains("<a>"));
    }
}
