//! Reports: aligned text, and one HTML page that needs nothing else.

use std::fmt::Write;

use crate::time::short;

/// A number in three digits.
pub(crate) fn number(value: f64) -> String {
    short(value)
}

/// A share in percent.
pub(crate) fn share(value: f64) -> String {
    format!("{} %", short(value * 100.0))
}

/// Rows under their heads; the first column to the left, the others to the right.
pub(crate) fn grid(heads: &[&str], rows: &[Vec<String>]) -> String {
    let heads: Vec<String> = heads.iter().map(|head| (*head).to_owned()).collect();
    let width = |column: usize| {
        let cells = std::iter::once(&heads).chain(rows).filter_map(|row| row.get(column));
        cells.map(|cell| cell.chars().count()).max().unwrap_or(0)
    };
    let widths: Vec<usize> = (0..heads.len()).map(width).collect();
    let mut text = String::new();
    for row in std::iter::once(&heads).chain(rows) {
        for (column, (cell, width)) in row.iter().zip(&widths).enumerate() {
            // Writing to a string cannot fail.
            let _ = if column == 0 { write!(text, "  {cell:width$}") } else { write!(text, "  {cell:>width$}") };
        }
        text.push('\n');
    }
    text
}

/// Text as HTML and SVG take it, between tags and in attributes.
pub(crate) fn escape(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    for character in text.chars() {
        match character {
            '&' => out.push_str("&amp;"),
            '<' => out.push_str("&lt;"),
            '>' => out.push_str("&gt;"),
            '"' => out.push_str("&quot;"),
            '\'' => out.push_str("&#39;"),
            other => out.push(other),
        }
    }
    out
}

const STYLE: &str = "\
:root { color-scheme: light dark; --ink: #1b1f24; --faint: #8b949e; --line: #d0d7de; --fill: #2f6fdd; --page: #ffffff }
@media (prefers-color-scheme: dark) {
  :root { --ink: #e6edf3; --faint: #8b949e; --line: #30363d; --fill: #6ea8ff; --page: #0d1117 }
}
body { font: 15px/1.5 system-ui, sans-serif; color: var(--ink); background: var(--page); max-width: 76rem; margin: 2rem auto; padding: 0 1rem }
h1 { font-size: 1.5rem; margin-bottom: 0 } h2 { font-size: 1.1rem; margin: 2rem 0 .5rem }
.scroll { overflow-x: auto } table { border-collapse: collapse; font-size: 13px; font-variant-numeric: tabular-nums }
th, td { text-align: right; padding: .2rem .5rem; border-bottom: 1px solid var(--line) } td { white-space: nowrap }
th:first-child, td:first-child { text-align: left; white-space: normal } th { color: var(--faint); font-weight: 600; vertical-align: bottom }
dl { display: grid; grid-template-columns: max-content 1fr; gap: .1rem 1rem } dt { color: var(--faint) } dd { margin: 0; overflow-wrap: anywhere }
figure { margin: 1.5rem 0 } figcaption { font-weight: 600; margin-bottom: .5rem } svg { width: 100%; height: auto }
svg text { fill: var(--ink); font-size: 12px } svg .faint { fill: var(--faint) } svg .bar { fill: var(--fill) }
svg .axis { stroke: var(--line); stroke-width: 1; fill: none } svg .curve { stroke: var(--fill); stroke-width: 2; fill: none }
svg .spread { stroke: var(--ink); stroke-width: 1; fill: none }
";

/// A page under construction. All text is escaped here; figures come from [`super::svg`], which escapes its own.
pub(crate) struct Page(String);

impl Page {
    pub(crate) fn new(title: &str, subtitle: &str) -> Self {
        let (title, subtitle) = (escape(title), escape(subtitle));
        Self(format!(
            "<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\"/>\n\
             <meta name=\"viewport\" content=\"width=device-width, initial-scale=1\"/>\n<title>{title}</title>\n\
             <style>\n{STYLE}</style>\n</head>\n<body>\n<h1>{title}</h1>\n<p>{subtitle}</p>\n"
        ))
    }

    /// Names and values.
    pub(crate) fn facts(&mut self, facts: &[(&str, String)]) {
        self.0 += "<dl>\n";
        for (name, value) in facts {
            self.0 += &format!("<dt>{}</dt><dd>{}</dd>\n", escape(name), escape(value));
        }
        self.0 += "</dl>\n";
    }

    /// A drawing with its caption.
    pub(crate) fn figure(&mut self, caption: &str, svg: &str) {
        self.0 += &format!("<figure>\n<figcaption>{}</figcaption>\n{svg}</figure>\n", escape(caption));
    }

    /// A table.
    pub(crate) fn table(&mut self, title: &str, heads: &[&str], rows: &[Vec<String>]) {
        let cells = |tag: &str, cells: &mut dyn Iterator<Item = &str>| {
            let cells: String = cells.map(|cell| format!("<{tag}>{}</{tag}>", escape(cell))).collect();
            format!("<tr>{cells}</tr>\n")
        };
        self.0 += &format!("<h2>{}</h2>\n<div class=\"scroll\"><table>\n", escape(title));
        self.0 += &format!("<thead>{}</thead>\n<tbody>\n", cells("th", &mut heads.iter().copied()));
        for row in rows {
            self.0 += &cells("td", &mut row.iter().map(String::as_str));
        }
        self.0 += "</tbody>\n</table></div>\n";
    }

    pub(crate) fn finish(self) -> String {
        self.0 + "</body>\n</html>\n"
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn nothing_gets_out_of_its_place() {
        assert_eq!(escape("a<b> & \"c'"), "a&lt;b&gt; &amp; &quot;c&#39;");
        let mut page = Page::new("<script>", "&");
        page.facts(&[("<", ">".into())]);
        page.table("'", &["<i>"], &[vec!["</table>".into()]]);
        let page = page.finish();
        assert!(!page.contains("<script>") && !page.contains("<i>"), "{page}");
        assert_eq!(page.matches("</table>").count(), 1);
    }

    #[test]
    fn columns_are_aligned() {
        let text = grid(&["name", "ms"], &[vec!["a".into(), "1.25".into()], vec!["longer".into(), "2".into()]]);
        assert_eq!(text, "  name      ms\n  a       1.25\n  longer     2\n");
    }
}
