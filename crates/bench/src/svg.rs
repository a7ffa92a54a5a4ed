//! Drawings for reports, in SVG without scripts.

use crate::report::{escape, number};
use crate::time::Spread;

/// Sizes in the drawing's own units; the page scales it.
const WIDTH: f64 = 900.0;
const LABELS: f64 = 260.0;
const VALUES: f64 = 90.0;
const ROW: f64 = 22.0;
const CURVE_HEIGHT: f64 = 240.0;
const MARGIN: f64 = 80.0;
/// Room for the title of an axis.
const TITLE: f64 = 22.0;

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

/// The title of an axis, below it.
fn title(x: f64, y: f64, content: &str) -> String {
    format!("<text class=\"faint\" x=\"{x:.1}\" y=\"{y:.1}\" text-anchor=\"middle\">{}</text>\n", escape(content))
}

/// A line from the lower to the upper quartile, along x.
fn whisker(from: f64, to: f64, y: f64) -> String {
    let (top, bottom) = (y - 3.0, y + 3.0);
    format!(
        "<path class=\"spread\" d=\"M{from:.1} {top:.1}V{bottom:.1}M{from:.1} {y:.1}H{to:.1}M{to:.1} {top:.1}V{bottom:.1}\"/>\n"
    )
}

/// A bar for each (name, value from 0 to 1 with its quartiles, value in words); `axis` names the values.
pub(crate) fn bars(rows: &[(String, Spread, String)], axis: &str) -> String {
    let (room, bottom) = (WIDTH - LABELS - VALUES, rows.len() as f64 * ROW);
    let mut inside = format!("<path class=\"axis\" d=\"M{:.1} 0V{bottom:.1}\"/>\n", LABELS + room);
    for (at, (name, value, words)) in rows.iter().enumerate() {
        let y = at as f64 * ROW;
        let at = |value: f64| LABELS + value.clamp(0.0, 1.0) * room;
        inside += &text(LABELS - 8.0, y + 15.0, "end", name);
        inside += &bar(LABELS, y + 4.0, at(value.value) - LABELS, &format!("{name}: {words}"));
        inside += &whisker(at(value.low), at(value.high), y + ROW / 2.0);
        inside += &text(LABELS + room + 8.0, y + 15.0, "start", words);
    }
    inside += &title(LABELS + room / 2.0, bottom + TITLE - 6.0, axis);
    drawing(bottom + TITLE, &inside)
}

/// A bar from where the one before ended for each (name, length with its quartiles, length in words); `axis` says what
/// the lengths are.
pub(crate) fn timeline(rows: &[(String, Spread, String)], axis: &str) -> String {
    let (room, bottom) = (WIDTH - LABELS - VALUES, rows.len() as f64 * ROW);
    let total: f64 = rows.iter().map(|(_, length, _)| length.value).sum();
    let scale = if total > 0.0 { room / total } else { 0.0 };
    let (mut inside, mut start) = (String::new(), LABELS);
    for (at, (name, length, words)) in rows.iter().enumerate() {
        let y = at as f64 * ROW;
        let (width, high) = (length.value * scale, length.high * scale);
        inside += &text(LABELS - 8.0, y + 15.0, "end", name);
        inside += &bar(start, y + 4.0, width, &format!("{name}: {words}"));
        // A run that took very long does not leave the drawing.
        let end = (start + high).min(WIDTH - VALUES);
        inside += &whisker(start + length.low * scale, end, y + ROW / 2.0);
        inside += &text(end.max(start + width) + 8.0, y + 15.0, "start", words);
        start += width;
    }
    inside += &title(LABELS + room / 2.0, bottom + TITLE - 6.0, axis);
    drawing(bottom + TITLE, &inside)
}

/// A curve through points with whole, growing x, from zero up, with their quartiles; the axes have these titles.
pub(crate) fn line(points: &[(f64, Spread)], across: &str, up: &str) -> String {
    let (Some((first, _)), Some((last, _))) = (points.first(), points.last()) else { return drawing(0.0, "") };
    let top = points.iter().map(|(_, y)| y.high.max(y.value)).fold(f64::MIN_POSITIVE, f64::max);
    let width = (last - first).max(1.0);
    let at = |(x, y): (f64, f64)| {
        let (room, height) = (WIDTH - 2.0 * MARGIN, CURVE_HEIGHT - MARGIN);
        (MARGIN + (x - first) / width * room, MARGIN / 2.0 + (1.0 - y / top) * height)
    };
    let floor = at((*first, 0.0)).1;
    let mut inside =
        format!("<path class=\"axis\" d=\"M{MARGIN:.1} {:.1}V{floor:.1}H{:.1}\"/>\n", MARGIN / 2.0, WIDTH - MARGIN);
    inside += &text(MARGIN - 6.0, MARGIN / 2.0 + 4.0, "end", &number(top));
    inside += &text(MARGIN - 6.0, floor + 4.0, "end", "0");
    let mut path = String::new();
    for (index, (place, spread)) in points.iter().enumerate() {
        let (x, y) = at((*place, spread.value));
        let (low, high) = (at((*place, spread.low)).1, at((*place, spread.high)).1);
        let (left, right) = (x - 4.0, x + 4.0);
        inside += &format!(
            "<path class=\"spread\" d=\"M{left:.1} {low:.1}H{right:.1}M{x:.1} {low:.1}V{high:.1}M{left:.1} {high:.1}H{right:.1}\"/>\n"
        );
        path += &format!("{}{x:.1} {y:.1}", if index == 0 { "M" } else { "L" });
        inside += &format!(
            "<circle class=\"bar\" cx=\"{x:.1}\" cy=\"{y:.1}\" r=\"3\"><title>2^{}: {}</title></circle>\n",
            place,
            number(spread.value)
        );
        inside += &text(x, floor + 18.0, "middle", &place.to_string());
    }
    inside += &format!("<path class=\"curve\" d=\"{path}\"/>\n");
    inside += &title(WIDTH / 2.0, floor + 18.0 + TITLE, across);
    // Beside the axis, from its foot to its top.
    let (x, y) = (TITLE, (MARGIN / 2.0 + floor) / 2.0);
    inside += &format!("<g transform=\"rotate(-90 {x:.1} {y:.1})\">\n{}</g>\n", title(x, y, up));
    drawing(CURVE_HEIGHT + TITLE, &inside)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn sharp(value: f64) -> Spread {
        Spread { value, low: value, high: value }
    }

    #[test]
    fn a_timeline_has_no_gaps() {
        let rows = [("a".to_owned(), sharp(1.0), "1".to_owned()), ("b".to_owned(), sharp(3.0), "3".to_owned())];
        let drawn = timeline(&rows, "milliseconds");
        let room = WIDTH - LABELS - VALUES;
        assert!(drawn.contains(&format!("x=\"{LABELS:.1}\" y=\"4.0\" width=\"{:.1}\"", room / 4.0)), "{drawn}");
        assert!(
            drawn.contains(&format!("x=\"{:.1}\" y=\"26.0\" width=\"{:.1}\"", LABELS + room / 4.0, room * 0.75)),
            "{drawn}"
        );
        assert!(!timeline(&[("a".to_owned(), sharp(0.0), String::new())], "").contains("NaN"));
        assert!(drawn.contains(">milliseconds<"), "{drawn}");
    }

    #[test]
    fn curves_start_at_zero() {
        let drawn = line(&[(4.0, sharp(1.0)), (5.0, sharp(2.0))], "size", "speed");
        assert!(drawn.contains("M80.0 120.0L820.0 40.0"), "{drawn}");
        assert!(drawn.contains(">size<") && drawn.contains(">speed<"), "{drawn}");
        assert!(!line(&[], "", "").contains("NaN"));
    }

    #[test]
    fn quartiles_are_drawn() {
        let spread = Spread { value: 2.0, low: 1.0, high: 4.0 };
        let drawn = line(&[(4.0, spread), (5.0, sharp(4.0))], "", "");
        assert!(drawn.contains("M76.0 160.0H84.0M80.0 160.0V40.0M76.0 40.0H84.0"), "{drawn}");
        let room = WIDTH - LABELS - VALUES;
        let drawn = bars(&[(String::new(), Spread { value: 0.5, low: 0.25, high: 0.75 }, String::new())], "");
        assert!(drawn.contains(&format!("M{:.1} 11.0H{:.1}", LABELS + room / 4.0, LABELS + room * 0.75)), "{drawn}");
    }

    #[test]
    fn names_are_escaped() {
        assert!(!bars(&[("<a>".to_owned(), sharp(0.5), String::new())], "<b>").contains("<a>"));
    }
}
