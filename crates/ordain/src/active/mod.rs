//! What a pair is worth asking.

mod expected_loss;

pub use expected_loss::{PairLoss, expected_loss, pair_losses};
