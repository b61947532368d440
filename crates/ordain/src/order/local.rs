//! Improving an order by moving single items.

use super::agreement::check_order;
use super::{Preference, SAME};
use crate::Result;

/// Moves single items to the place where they agree best, until no such move is left. The order never gets worse. At
/// the end no move of an item gains more than 1e-9. A round through all items is `O(n²)`, and a few rounds are usual;
/// `O(n)` memory.
///
/// # Errors
/// If the order does not hold every item once.
pub fn improve(order: &mut [usize], preference: &impl Preference) -> Result<()> {
    check_order(order, preference.len())?;
    let n = order.len();
    let mut row = vec![0.0; n];
    let mut settled = 0;
    let mut at = 0;
    // An item is looked at again once all others have kept their places.
    while settled < n {
        let item = order[at];
        row.fill(0.0);
        preference.add_net(item, 1.0, &mut row);
        let to = best_place(order, at, &row);
        if to == at {
            settled += 1;
            at = (at + 1) % n;
            continue;
        }
        settled = 0;
        if to < at {
            order[to..=at].rotate_right(1);
            at = (at + 1) % n;
        } else {
            // The item that moved up into this place is looked at next.
            order[at..=to].rotate_left(1);
        }
    }
    Ok(())
}

/// The place where the item at `at` agrees best with the others. `row` says how far it should come before each.
fn best_place(order: &[usize], at: usize, row: &[f64]) -> usize {
    let (mut to, mut best) = (at, SAME);
    let mut gain = 0.0;
    for up in (0..at).rev() {
        gain += row[order[up]];
        if gain > best {
            (to, best) = (up, gain);
        }
    }
    gain = 0.0;
    for down in at + 1..order.len() {
        gain -= row[order[down]];
        if gain > best {
            (to, best) = (down, gain);
        }
    }
    to
}
