//! Shows weights and losses.

use comfy_table::{CellAlignment, Table, presets};
use ordain::order::{ExpertWeights, Fusion, Learning};
use ordain_plot::Bars;
use serde::Serialize;

use crate::output::{self, Format};
use crate::{Outcome, word};

/// The learned weights and losses.
#[derive(Serialize)]
pub struct Report {
    experts: Vec<Expert>,
    /// The loss of the weighted experts over all rounds; none without feedback.
    loss: Option<f64>,
    /// An upper bound on that loss; none where nothing is learned.
    bound: Option<f64>,
    #[serde(serialize_with = "word::serialize")]
    learn: Learning,
    #[serde(serialize_with = "word::serialize")]
    order: Fusion,
    queries: usize,
    rounds: u64,
}

#[derive(Serialize)]
struct Expert {
    name: String,
    weight: f64,
    /// The loss that this expert alone would have had over all rounds.
    loss: Option<f64>,
}

/// Columns of the longest bar.
const BAR: usize = 30;

/// The widest name that is shown.
const WIDEST: usize = 40;

impl Report {
    /// Experts keep their order.
    pub fn new(names: Vec<String>, weights: &ExpertWeights, order: Fusion, queries: usize) -> Self {
        let any = weights.rounds() > 0;
        let expert =
            |((name, weight), loss): ((String, f64), &f64)| Expert { name, weight, loss: any.then_some(*loss) };
        Self {
            experts: names.into_iter().zip(weights.now()).zip(weights.losses()).map(expert).collect(),
            loss: any.then(|| weights.loss()),
            bound: weights.bound().filter(|_| any),
            learn: weights.learning(),
            order,
            queries,
            rounds: weights.rounds(),
        }
    }

    /// Writes the report to standard output.
    pub fn show(&self, format: Format) -> Outcome {
        match format {
            Format::Table => output::text(self.text()),
            Format::Json => output::json(self),
            Format::Csv => output::csv(&self.experts),
        }
    }

    /// Experts by falling weight.
    fn sorted(&self) -> Vec<&Expert> {
        let mut experts: Vec<&Expert> = self.experts.iter().collect();
        experts.sort_by(|a, b| b.weight.total_cmp(&a.weight));
        experts
    }

    fn mean(&self, loss: f64) -> f64 {
        loss / self.rounds as f64
    }

    /// For people.
    pub fn text(&self) -> String {
        let mut table = Table::new();
        table.load_style(presets::NOTHING);
        let losses = self.loss.is_some();
        let header = ["expert", "weight", "mean loss", ""];
        table.set_header(header.into_iter().filter(|name| losses || *name != "mean loss"));
        let experts = self.sorted();
        let largest = experts.first().map_or(1.0, |expert| expert.weight);
        let longest = BAR.min(output::columns());
        for expert in &experts {
            let bar = "█".repeat((longest as f64 * expert.weight / largest).round() as usize);
            let loss = expert.loss.map(|loss| output::fixed(self.mean(loss), 4));
            let cells = [output::cut(&expert.name, WIDEST), output::fixed(expert.weight, 4)];
            table.add_row(cells.into_iter().chain(loss).chain([bar]));
        }
        for column in 1..=1 + usize::from(losses) {
            if let Some(column) = table.column_mut(column) {
                column.set_cell_alignment(CellAlignment::Right);
            }
        }
        format!("{}\n\n{}", output::drawn(&table), self.sentences())
    }

    fn sentences(&self) -> String {
        let queries = if self.queries == 1 { "1 query".to_owned() } else { format!("{} queries", self.queries) };
        let order = self.order;
        let Some(loss) = self.loss else {
            let weights = match self.learn {
                Learning::None => "the weights above",
                Learning::Margin | Learning::Hedge => "the initial weights: none had feedback",
            };
            return format!("Fused {queries} by {order}, with {weights}.");
        };
        let rounds = if self.rounds == 1 { "1 query".to_owned() } else { format!("{} queries", self.rounds) };
        let mean = output::fixed(self.mean(loss), 4);
        let loss = output::fixed(loss, 3);
        let unit = match self.learn {
            Learning::Margin => "the logistic loss of the weighted preference, 0.693 if it had no opinion",
            Learning::Hedge | Learning::None => {
                "the share of the feedback that an expert drawn by its weight contradicts"
            }
        };
        let Some(bound) = self.bound else {
            return format!(
                "Fused {queries} by {order}, all with the weights above.\nLoss: {loss} over {rounds} with feedback so far, {mean} \
                 each: {unit}."
            );
        };
        format!(
            "Fused {queries} by {order}, each with the weights from before its feedback; the table has those after the last.\n\
             Loss: {loss} over {rounds} with feedback so far, {mean} each: {unit}.\n\
              Bound: {}. The loss could not have exceeded it, whatever the feedback: it is the best expert's loss plus the price of finding it.",
            output::fixed(bound, 3)
        )
    }

    /// Bars of the weights by falling weight, as SVG.
    pub fn picture(&self) -> String {
        let learned = match self.learn {
            Learning::None => "not learned".to_owned(),
            Learning::Margin | Learning::Hedge => format!("learned by {}", self.learn),
        };
        let group = |expert: &&Expert| (expert.name.clone(), vec![expert.weight]);
        let groups = self.sorted().iter().map(group).collect();
        let title = format!("Weights of the experts, {learned}");
        Bars { title, across: "Weight".into(), series: vec![learned], groups }.draw()
    }
}
