//! The ranking SVM with a kernel (Herbrich, Graepel, Obermayer 2000; Joachims 2002), in the dual.
//!
//! A pair "i before j" asks that $f_i - f_j \ge 1$ for a function $f$ of small norm in the space of a kernel $K$ over
//! the items. With $d_s = e_i - e_j$ for the s-th pair, the kernel on pairs is $Q_{st} = d_s' K d_t = K_{ik} - K_{il} -
//! K_{jk} + K_{jl}$, and
//!
//! $$ \min_f \; \tfrac12 \lVert f \rVert^2 + C \sum_s \max(0, 1 - d_s' f), \qquad
//! \max_{0 \le \alpha \le C} \; \sum_s \alpha_s - \tfrac12 \alpha' Q \alpha, \qquad f = K \sum_s \alpha_s d_s. $$
//!
//! There is no bias: it would cancel in every difference. So no equation ties the multipliers together, and single ones
//! can be moved (Steinwart, Hush, Scovel 2011). Each step moves the multiplier whose exact line search raises the dual
//! the most.
//!
//! **Stopping.** With the slope $g_s = 1 - d_s' f$ of the dual, the optimum has $g_s \le 0$ where $\alpha_s = 0$, $g_s
//! \ge 0$ where $\alpha_s = C$ and $g_s = 0$ between. Steps end when no pair violates this by more than the tolerance
//! $\epsilon$. The gap between primal and dual is then at most $C t \epsilon$ for t pairs.

use crate::data::ItemId;
use crate::kernel::Kernel;
use crate::numeric::Matrix;
use crate::numeric::dense::add_scaled;
use crate::params::setters;
use crate::{Error, Result};

/// The settings of a ranking SVM.
#[derive(Debug, Clone)]
#[non_exhaustive]
pub struct RankSvmParams {
    /// The cost of a pair in the wrong order beside the norm, `C`.
    pub cost: f64,
    /// The largest violation of the conditions of the optimum, in units of the margin.
    pub tolerance: f64,
    /// The fit fails after this many steps.
    pub max_steps: usize,
}

impl Default for RankSvmParams {
    fn default() -> Self {
        Self { cost: 1.0, tolerance: 1e-6, max_steps: 50_000_000 }
    }
}

setters! {
    RankSvmParams:
    with_cost = cost: f64,
    with_tolerance = tolerance: f64,
    with_max_steps = max_steps: usize,
}

/// A fitted ranking SVM: a score for every item.
#[derive(Debug, Clone)]
pub struct RankSvm {
    scores: Vec<f64>,
    multipliers: Vec<f64>,
    primal: f64,
    dual: f64,
    steps: usize,
}

impl RankSvm {
    /// Every item's score, `f`, also of items in no pair.
    pub fn scores(&self) -> &[f64] {
        &self.scores
    }

    /// Every pair's multiplier, between 0 and the cost.
    pub fn multipliers(&self) -> &[f64] {
        &self.multipliers
    }

    /// The value of the primal, which is least at the optimum.
    pub fn primal(&self) -> f64 {
        self.primal
    }

    /// The value of the dual. It is never above the primal, and equal to it at the optimum.
    pub fn dual(&self) -> f64 {
        self.dual
    }

    /// The number of steps.
    pub fn steps(&self) -> usize {
        self.steps
    }
}

impl RankSvmParams {
    /// Fits pairs of a better and a worse item. A pair may occur several times. It uses the kernel's columns of the
    /// items in pairs. A step costs the number of pairs plus the number of these items; memory is `n` times the number
    /// of these items.
    ///
    /// ```
    /// use ordain::data::ItemId;
    /// use ordain::kernel::Independent;
    /// use ordain::learn::RankSvmParams;
    ///
    /// let svm = RankSvmParams::default().fit(&Independent::new(3), &[(ItemId(0), ItemId(2))])?;
    /// assert_eq!(svm.scores(), [0.5, 0.0, -0.5]);
    /// # Ok::<(), ordain::Error>(())
    /// ```
    ///
    /// # Errors
    /// If a parameter is out of range, an item does not exist or is paired with itself, the kernel cannot give a
    /// column, or the steps run out.
    pub fn fit(&self, kernel: &dyn Kernel, pairs: &[(ItemId, ItemId)]) -> Result<RankSvm> {
        self.check()?;
        check_pairs(pairs, kernel.len())?;
        let mut problem = Dual::new(kernel, pairs)?;
        problem.solve(self)?;
        Ok(problem.finish(self.cost))
    }

    fn check(&self) -> Result<()> {
        for (name, value) in [("cost", self.cost), ("tolerance", self.tolerance)] {
            if !(value.is_finite() && value > 0.0) {
                return Err(Error::Parameter { name: name.into(), value, expected: "a positive, finite number" });
            }
        }
        Ok(())
    }
}

pub(super) fn check_pairs(pairs: &[(ItemId, ItemId)], items: usize) -> Result<()> {
    let wrong = |&&(better, worse): &&(ItemId, ItemId)| better == worse || better.max(worse).index() >= items;
    match pairs.iter().find(wrong) {
        None => Ok(()),
        Some((better, worse)) => Err(Error::Data {
            what: "a pair",
            found: format!("items {} and {}", better.0, worse.0),
            expected: format!("two different items below {items}"),
        }),
    }
}

/// The dual problem and the state of its solution.
pub(super) struct Dual {
    /// The items in pairs, ascending.
    compared: Vec<u32>,
    /// The kernel's columns of the compared items, `[n, compared]`.
    columns: Matrix,
    /// The kernel among the compared items.
    among: Matrix,
    /// The pairs in terms of the compared items.
    pairs: Vec<(u32, u32)>,
    /// `Q_ss`, not negative.
    curvatures: Vec<f64>,
    multipliers: Vec<f64>,
    /// `f` of the compared items.
    scores: Vec<f64>,
    steps: usize,
}

impl Dual {
    pub(super) fn new(kernel: &dyn Kernel, pairs: &[(ItemId, ItemId)]) -> Result<Self> {
        let mut compared: Vec<u32> = pairs.iter().flat_map(|(better, worse)| [better.0, worse.0]).collect();
        compared.sort_unstable();
        compared.dedup();
        let mut columns = Matrix::zeros(kernel.len(), compared.len());
        for (column, &item) in columns.columns_mut().zip(&compared) {
            kernel.column(item as usize, column)?;
        }
        let size = compared.len();
        let among = Matrix::from_fn(size, size, |row, column| columns.column(column)[compared[row] as usize]);
        let at = |item: ItemId| compared.partition_point(|&other| other < item.0) as u32;
        let pairs: Vec<(u32, u32)> = pairs.iter().map(|&(better, worse)| (at(better), at(worse))).collect();
        let curvature = |&(i, j): &(u32, u32)| {
            let (i, j) = (i as usize, j as usize);
            // Rounding may leave a hair below zero for twins.
            (among[(i, i)] + among[(j, j)] - 2.0 * among[(i, j)]).max(0.0)
        };
        let curvatures = pairs.iter().map(curvature).collect();
        let (multipliers, scores) = (vec![0.0; pairs.len()], vec![0.0; size]);
        Ok(Self { compared, columns, among, pairs, curvatures, multipliers, scores, steps: 0 })
    }

    /// Steps from the present state to the optimum for this cost.
    pub(super) fn solve(&mut self, params: &RankSvmParams) -> Result<()> {
        self.multipliers.iter_mut().for_each(|multiplier| *multiplier = multiplier.min(params.cost));
        self.refresh();
        // Many small steps let the scores drift by rounding, so the end is checked on fresh scores.
        let (mut fresh, mut steps) = (true, 0);
        loop {
            let (violation, best) = self.scan(params.cost);
            match best {
                Some((pair, target)) if violation > params.tolerance => {
                    if steps == params.max_steps {
                        return Err(not_converged(steps, violation, self.pairs.len()));
                    }
                    self.step(pair, target);
                    (fresh, steps) = (false, steps + 1);
                }
                _ if fresh => return Ok(()),
                _ => {
                    self.refresh();
                    fresh = true;
                }
            }
        }
    }

    /// The largest violation of the conditions of the optimum, and the step that raises the dual the most: a pair and
    /// the new value of its multiplier.
    fn scan(&self, cost: f64) -> (f64, Option<(usize, f64)>) {
        let (mut violation, mut most, mut best) = (0.0_f64, f64::NEG_INFINITY, None);
        for (pair, (&own, &curvature)) in self.multipliers.iter().zip(&self.curvatures).enumerate() {
            let slope = self.slope(pair);
            let free = (slope > 0.0 && own < cost) || (slope < 0.0 && own > 0.0);
            if !free {
                continue;
            }
            violation = violation.max(slope.abs());
            // For twins the dual is a line and the quotient infinite: the step goes to the end of the box.
            let target = (own + slope / curvature).clamp(0.0, cost);
            let change = target - own;
            let gain = change * (slope - 0.5 * curvature * change);
            if gain > most {
                (most, best) = (gain, Some((pair, target)));
            }
        }
        (violation, best)
    }

    /// The derivative of the dual by a multiplier.
    fn slope(&self, pair: usize) -> f64 {
        let (better, worse) = self.pairs[pair];
        1.0 - (self.scores[better as usize] - self.scores[worse as usize])
    }

    fn step(&mut self, pair: usize, target: f64) {
        let change = target - self.multipliers[pair];
        self.multipliers[pair] = target;
        self.steps += 1;
        let (better, worse) = self.pairs[pair];
        let columns = self.among.column(better as usize).iter().zip(self.among.column(worse as usize));
        for (score, (better, worse)) in self.scores.iter_mut().zip(columns) {
            *score += change * (better - worse);
        }
    }

    /// The scores of the compared items from the multipliers.
    fn refresh(&mut self) {
        let mut scores = vec![0.0; self.scores.len()];
        for (position, coefficient) in self.coefficients().into_iter().enumerate() {
            add_scaled(&mut scores, coefficient, self.among.column(position));
        }
        self.scores = scores;
    }

    /// `Σ α_s d_s` over the compared items.
    fn coefficients(&self) -> Vec<f64> {
        let mut out = vec![0.0; self.compared.len()];
        for (&(better, worse), multiplier) in self.pairs.iter().zip(&self.multipliers) {
            out[better as usize] += multiplier;
            out[worse as usize] -= multiplier;
        }
        out
    }

    /// Scores of all items.
    pub(super) fn all_scores(&self) -> Vec<f64> {
        let mut scores = vec![0.0; self.columns.rows()];
        for (position, coefficient) in self.coefficients().into_iter().enumerate() {
            add_scaled(&mut scores, coefficient, self.columns.column(position));
        }
        scores
    }

    fn finish(self, cost: f64) -> RankSvm {
        let scores = self.all_scores();
        let own = self.compared.iter().map(|&item| scores[item as usize]);
        let norm: f64 = self.coefficients().into_iter().zip(own).map(|(coefficient, score)| coefficient * score).sum();
        let loss = |&(better, worse): &(u32, u32)| {
            let score = |at: u32| scores[self.compared[at as usize] as usize];
            (1.0 - (score(better) - score(worse))).max(0.0)
        };
        let primal = 0.5 * norm + cost * self.pairs.iter().map(loss).sum::<f64>();
        let dual = self.multipliers.iter().sum::<f64>() - 0.5 * norm;
        RankSvm { scores, multipliers: self.multipliers, primal, dual, steps: self.steps }
    }
}

fn not_converged(steps: usize, violation: f64, pairs: usize) -> Error {
    Error::NotConverged { what: "the ranking SVM", iterations: steps, residual: violation, dimension: pairs }
}
