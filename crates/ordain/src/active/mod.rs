//! Active exploration: which pair is worth asking, the session that asks and is told, and when to stop.

mod certainty;
mod choice;
mod expected_loss;
mod forecast;
mod glicko;
mod judge;
mod learner;
mod look_ahead;
mod pending;
mod search;
mod session;
mod simulation;
mod strategy;
mod walk;

pub use certainty::{Certainty, CertaintyParams, StopRule, certainty, rank_with_certainty};
pub use choice::{Candidates, Question, choose, choose_many};
pub use expected_loss::{PairLoss, expected_loss, pair_losses};
pub use forecast::{Forecast, ForecastParams, WORLD_DRAWS, forecast};
pub use glicko::Glicko;
pub use judge::Judge;
pub use learner::BeliefKind;
pub use session::{Session, SessionParams};
pub use simulation::{Facts, Match, Quality, Rules, Truth, marks, simulate};
pub use strategy::Strategy;
