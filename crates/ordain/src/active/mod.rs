//! Active exploration: which pair is worth asking, sessions that ask and learn, and when to stop.

mod certainty;
mod choice;
mod expected_loss;
mod forecast;
mod glicko;
mod goals;
mod judge;
mod learner;
mod look_ahead;
mod outlook;
mod pending;
mod search;
mod session;
mod settings;
mod simulation;
mod strategy;
mod tournament;
mod walk;
mod words;
mod wrong_pairs;

pub use certainty::{Certainty, CertaintyParams, StopRule, certainty, rank_with_certainty};
pub use choice::{Candidates, Question, choose, choose_many};
pub use expected_loss::{PairLoss, expected_loss, pair_losses};
pub use forecast::{Forecast, ForecastParams, forecast};
pub use glicko::Glicko;
pub use judge::Judge;
pub use learner::BeliefKind;
pub(crate) use learner::learn_in_session;
pub use outlook::{Effort, Foreseen, Outlook, Span};
pub use session::{Session, SessionParams, Standing};
pub(crate) use settings::Unfit;
pub use settings::{AskOptions, Asking};
pub use simulation::{Ending, Facts, Game, Match, Mistakes, Quality, QualityMeasure, Rules, Truth, marks};
pub use strategy::Strategy;
pub use tournament::{Contender, Curve, Ground, Point, Tournament};
pub use words::percent;
