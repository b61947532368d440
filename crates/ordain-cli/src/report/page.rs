//! The page.

use ordain::active::percent;
use ordain::{Fitted, Project};
use ordain_plot::html::{document, escape};

use super::judges;
use super::parts::Compared;
use super::ranking::{self, Extent};
use super::settling::{self, Course};
use super::{as_html, links, named, parts, settings};
use crate::judges::Judges;
use crate::output;
use crate::rank::Shown;

/// Everything that the page tells.
pub struct Page<'a> {
    pub project: &'a Project,
    pub fitted: &'a Fitted,
    pub shown: &'a Shown,
    pub extent: Extent,
    pub course: Course,
    pub judges: Judges,
    pub comparison: Compared,
}

impl Page<'_> {
    /// The page as HTML.
    pub fn html(&self) -> String {
        let name = name_of(self.project);
        let sections = [
            format!("<h1>{}</h1>\n{}", as_html(&name), self.lead()),
            ranking::section(self.project.items(), self.shown, self.extent),
            settling::section(&self.course),
            judges::section(&self.judges),
            parts::section(self.project, &self.comparison),
            links::section(self.project, self.fitted),
            settings::section(self.project, self.fitted),
            format!("<p class=\"note\">Ordain {}.</p>\n", env!("CARGO_PKG_VERSION")),
        ];
        let title = format!("Ordain: {}", escape(&output::cut(&name, 60)));
        document(&title, include_str!("report.css"), &sections.concat())
    }

    /// The numbers that matter most, and the sentence of `ordain rank`.
    fn lead(&self) -> String {
        let items = self.project.items();
        let groups = items.groups().map(|groups| format!(" in {}", output::count(groups.len(), "group")));
        let answers = self.fitted.learned();
        let judges = self.judges.all.iter().filter(|judge| judge.tally.judge.is_some()).count();
        let by = if judges == 0 { String::new() } else { format!(" by {}", output::count(judges, "judge")) };
        let card = |number: String, words: String| format!("<div><b>{number}</b>{words}</div>\n");
        let count = |number: usize, thing: &str| {
            let words = output::count(number, thing);
            words.split_once(' ').map(|(number, thing)| (number.to_owned(), thing.to_owned())).unwrap_or_default()
        };
        let (number, thing) = count(items.len(), "item");
        let mut cards = card(number, thing + &groups.unwrap_or_default());
        let (number, thing) = count(answers, "answer");
        cards += &card(number, thing + &by);
        let mut out = format!("<div class=\"cards\">\n{cards}");
        if answers > 0 {
            let ranking = &self.shown.ranking;
            let probability = percent(ranking.probability(&self.shown.rule));
            out += &card(probability, "sure of the goal".into());
            let wrong = format!("{:.1} %", 100.0 * ranking.wrong_pairs());
            out += &card(wrong, "of pairs expected in the wrong order".into());
        }
        out += "</div>\n";
        let first = self.shown.ranking.items.first().filter(|_| items.groups().is_none() && items.len() > 1);
        if let Some(first) = first.filter(|_| answers > 0) {
            out += &format!("<p>First: <b>{}</b>.</p>\n", named(items, first.item));
        }
        if answers == 0 {
            out += "<p class=\"notice\">No answers yet, so this is what the prior says. <code>ordain ask</code> asks for \
                    answers.</p>\n";
        }
        // A number and its sign stay on one line.
        let sentence = |line: &str| format!("{}.", capital(&escape(line).replace(" %", "\u{A0}%")));
        let sentences: Vec<String> = self.shown.sentence().lines().map(sentence).collect();
        out + &format!("<p>{}</p>\n", sentences.join("\n"))
    }
}

/// The name of the project's folder.
pub fn name_of(project: &Project) -> String {
    let folder = &project.file().folder;
    let folder = if folder.as_os_str().is_empty() { ".".as_ref() } else { folder.as_path() };
    let whole = folder.canonicalize().unwrap_or_else(|_| folder.to_path_buf());
    whole.file_name().map_or_else(|| "Ranking".into(), |name| name.to_string_lossy().into_owned())
}

/// The same text with a capital letter at its beginning.
pub fn capital(text: &str) -> String {
    let mut letters = text.chars();
    letters.next().into_iter().flat_map(char::to_uppercase).chain(letters).collect()
}
