//! The pieces of a report: one self-contained page.

use ordain::measure::Mean;

const STYLE: &str = include_str!("report.css");

/// A self-contained page with light and dark colours and additional CSS. Title and body are HTML.
pub fn document(title: &str, style: &str, body: &str) -> String {
    format!(
        "<!doctype html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n\
         <meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n\
         <meta name=\"color-scheme\" content=\"light dark\">\n\
         <title>{title}</title>\n<style>\n{STYLE}{style}</style>\n</head>\n<body>\n<main>\n{body}</main>\n</body>\n</html>\n"
    )
}

/// Text as HTML, safe inside quotes too.
///
/// ```
/// assert_eq!(ordain_plot::html::escape("a < \"b\" & c"), "a &lt; &quot;b&quot; &amp; c");
/// ```
pub fn escape(text: &str) -> String {
    text.replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;").replace('"', "&quot;")
}

/// Pictures side by side, each with its caption. Captions are HTML.
pub fn figures<'a>(figures: impl IntoIterator<Item = (&'a str, &'a str)>) -> String {
    let figures: String = figures.into_iter().map(|(svg, caption)| figure("", svg, caption)).collect();
    format!("<div class=\"figures\">\n{figures}</div>")
}

/// A picture over the whole width, with its caption. The caption is HTML.
pub fn wide_figure(svg: &str, caption: &str) -> String {
    figure("whole", svg, caption)
}

/// A picture with its caption. `class` is the class of the figure and may be empty. The caption is HTML.
pub fn figure(class: &str, svg: &str, caption: &str) -> String {
    let class = if class.is_empty() { String::new() } else { format!(" class=\"{class}\"") };
    format!("<figure{class}>\n{}\n<figcaption>{caption}</figcaption>\n</figure>\n", svg.trim())
}

/// A list of points, given as text. What stands between backticks is code.
pub fn list(points: &[&str]) -> String {
    let code = |(at, part): (usize, &str)| {
        if at.is_multiple_of(2) { escape(part) } else { format!("<code>{}</code>", escape(part)) }
    };
    let point = |point: &&str| format!("<li>{}</li>\n", point.split('`').enumerate().map(code).collect::<String>());
    format!("<ul>\n{}</ul>", points.iter().map(point).collect::<String>())
}

/// A number with its sign and so many digits.
///
/// ```
/// use ordain_plot::html::signed;
/// assert_eq!([0.0126, -0.0126].map(|number| signed(number, 3)), ["+0.013", "−0.013"]);
/// ```
pub fn signed(number: f64, digits: usize) -> String {
    format!("{number:+.digits$}").replace('-', "−")
}

/// A table whose first column heads the rows. Cells are HTML.
pub fn table(caption: &str, header: &[&str], rows: &[Vec<String>]) -> String {
    let heads: String = header.iter().map(|head| format!("<th scope=\"col\">{head}</th>")).collect();
    let row = |row: &Vec<String>| {
        let cells: String = row[1..].iter().map(|cell| format!("<td>{cell}</td>")).collect();
        format!("<tr><th scope=\"row\">{}</th>{cells}</tr>\n", row[0])
    };
    let rows: String = rows.iter().map(row).collect();
    format!(
        "<div class=\"wide\"><table>\n<caption>{caption}</caption>\n<thead><tr>{heads}</tr></thead>\n\
         <tbody>\n{rows}</tbody>\n</table></div>\n"
    )
}

/// A mean and its standard error.
pub fn mean(mean: Mean) -> String {
    format!("{:.3} <small>± {:.3}</small>", mean.value, mean.error)
}

/// A share in percent.
///
/// ```
/// use ordain_plot::html::percent;
/// assert_eq!([0.126, -0.126, -0.001].map(percent), ["13 %", "−13 %", "0 %"]);
/// ```
pub fn percent(share: f64) -> String {
    let rounded = (100.0 * share).round();
    if rounded < 0.0 { format!("−{} %", -rounded) } else { format!("{} %", rounded.abs()) }
}

/// A share in percent, always with its sign.
pub fn change(share: f64) -> String {
    let plus = if (100.0 * share).round() > 0.0 { "+" } else { "" };
    format!("{plus}{}", percent(share))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::palette::{self, Colour};

    #[test]
    fn code_in_lists() {
        assert_eq!(list(&["as `a < b` says"]), "<ul>\n<li>as <code>a &lt; b</code> says</li>\n</ul>");
    }

    /// In the dark, the style sheet changes the colours of pictures. It finds them by the values of the palette.
    #[test]
    fn the_style_sheet_knows_the_palette() {
        let hex = |colour: Colour| colour.rgb.iter().map(|part| format!("{part:02X}")).collect::<String>();
        let known: Vec<String> = [palette::PAPER, palette::INK, palette::GRID]
            .into_iter()
            .chain((0..7).map(palette::series))
            .map(hex)
            .collect();
        let found: Vec<&str> = STYLE.split("=\"#").skip(1).filter_map(|rest| rest.split('"').next()).collect();
        assert!(found.len() >= 4);
        for colour in found {
            assert!(known.iter().any(|known| known == colour), "{colour}");
        }
        for (name, colour) in [("first", palette::series(0)), ("truth", palette::series(2))] {
            assert!(STYLE.contains(&format!("--{name}: #{};", hex(colour).to_lowercase())), "{name}");
        }
    }
}
