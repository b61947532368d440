//! Least squares with rows of very different size.

use rayon::prelude::*;

use super::{add_scaled, dot};
use crate::numeric::Matrix;

/// The upper triangle `R` with `R' R = M' M`, its diagonal not negative, and the x with the least `|M x - right|`, by Householder's
/// reflections. M has full rank. `2 m n²` operations for m rows and n columns.
///
/// Forming `M' M` rounds small rows away beside large ones. Here every row counts to its own last digit, since large rows come first
/// (Powell and Reid, *On applying Householder's method to linear least squares problems*, 1969).
pub(crate) fn least_squares(rows: &Matrix, right: &[f64]) -> (Matrix, Vec<f64>) {
    let (m, n) = (rows.rows(), rows.columns());
    assert!(n <= m && right.len() == m);
    let mut sizes = vec![0.0; m];
    for column in 0..n {
        sizes.iter_mut().zip(rows.column(column)).for_each(|(size, value)| *size = f64::max(*size, value.abs()));
    }
    let mut order: Vec<usize> = (0..m).collect();
    order.sort_by(|&a, &b| sizes[b].total_cmp(&sizes[a]));
    let sorted = |values: &[f64]| -> Vec<f64> { order.iter().map(|&row| values[row]).collect() };
    let mut columns: Vec<Vec<f64>> = (0..n).map(|column| sorted(rows.column(column))).collect();
    columns.push(sorted(right));
    let (mut triangle, mut solution) = (Matrix::zeros(n, n), vec![0.0; n]);
    for pivot in 0..n {
        let (done, rest) = columns.split_at_mut(pivot + 1);
        let own = &mut done[pivot][pivot..];
        let length = dot(own, own).sqrt();
        let head = own[0];
        own[0] += length.copysign(head);
        let square = dot(own, own);
        rest.par_iter_mut().with_min_len(16).for_each(|other| {
            let other = &mut other[pivot..];
            add_scaled(other, -2.0 * dot(own, other) / square, own);
        });
        // The reflection turns the head to the other side.
        let sign = -f64::copysign(1.0, head);
        triangle[(pivot, pivot)] = length;
        let (right, rest) = rest.split_last().unwrap_or_else(|| unreachable!("the right side is last"));
        rest.iter().enumerate().for_each(|(at, other)| triangle[(pivot, pivot + 1 + at)] = sign * other[pivot]);
        solution[pivot] = sign * right[pivot];
    }
    for pivot in (0..n).rev() {
        solution[pivot] /= triangle[(pivot, pivot)];
        let own = solution[pivot];
        add_scaled(&mut solution[..pivot], -own, &triangle.column(pivot)[..pivot]);
    }
    (triangle, solution)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Rows of 1e9 beside rows of 1: the small ones decide about the difference of the unknowns, and are lost in `M' M`.
    #[test]
    fn small_rows_count_beside_large_ones() {
        let big = 1e9;
        let rows = Matrix::from_fn(4, 2, |row, column| match (row, column) {
            (0 | 3, _) => big,
            (1, 0) | (2, 1) => 1.0,
            _ => 0.0,
        });
        let (triangle, solution) = least_squares(&rows, &[5.0 * big, 3.0, 1.0, 5.0 * big]);
        // M' M = [1 + s, s; s, 1 + s] with s = 2 big².
        let s = 2.0 * big * big;
        assert!((triangle[(0, 0)] / (1.0 + s).sqrt() - 1.0).abs() < 1e-15);
        assert!((triangle[(1, 1)] - ((1.0 + 2.0 * s) / (1.0 + s)).sqrt()).abs() < 1e-15, "{}", triangle[(1, 1)]);
        // The sum is 5 but for 1 / s, and the difference is 2.
        assert!((solution[0] - 3.5).abs() < 1e-14 && (solution[1] - 1.5).abs() < 1e-14, "{solution:?}");
    }

    #[test]
    fn the_triangle_has_the_products_of_the_rows() {
        let rows = Matrix::from_fn(7, 3, |row, column| ((row * 5 + column * 3) % 11) as f64 - 4.0);
        let right = [1.0, -2.0, 0.5, 4.0, 0.0, -1.0, 2.0];
        let (triangle, solution) = least_squares(&rows, &right);
        let left: Vec<f64> = (0..7)
            .map(|row| right[row] - (0..3).map(|column| rows[(row, column)] * solution[column]).sum::<f64>())
            .collect();
        for i in 0..3 {
            // What is left is orthogonal to every column.
            assert!(dot(rows.column(i), &left).abs() < 1e-12);
            for j in 0..3 {
                let expected = dot(rows.column(i), rows.column(j));
                assert!((dot(triangle.column(i), triangle.column(j)) - expected).abs() < 1e-12);
            }
        }
    }
}
