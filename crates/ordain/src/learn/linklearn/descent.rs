//! One run of descent.

use rand::RngExt;
use rand::seq::SliceRandom;
use rayon::prelude::*;

use super::LinkLearnParams;
use super::loss::{Judged, Workspace};
use super::task::{Query, Task, Values};
use crate::learn::adam::Adam;
use crate::learn::ranker::Epoch;
use crate::numeric::Stream;
use crate::text::{Curve, Curves};
use crate::watch::Step;
use crate::{Error, Result, Watch};

/// Queries per step. One query is too few to say where to go; with 32, the values of the curves cost little beside the queries.
const BATCH: usize = 32;

/// Queries that one thread takes at a time.
const CHUNK: usize = 8;

/// The name of this work for a [`Watch`].
const TRAINING: &str = "learning from links";

/// One run of descent.
pub(super) struct Run<'a> {
    pub(super) params: &'a LinkLearnParams,
    pub(super) train: &'a Task,
    pub(super) validate: &'a Task,
    pub(super) rate: f64,
    /// This run's number, and the number of all runs.
    pub(super) at: usize,
    pub(super) of: usize,
    pub(super) watch: &'a Watch,
}

/// The outcome of a run.
pub(super) struct Found {
    pub(super) precision: f64,
    pub(super) curves: Curves,
    /// The pass that was best, from 0.
    pub(super) best: usize,
    pub(super) curve: Vec<Epoch>,
}

impl Run<'_> {
    pub(super) fn descend(&self, units: usize, mut stream: Stream) -> Result<Found> {
        let params = self.params;
        let mut curves = beginning(units, &mut stream);
        let size = 3 * (3 * units + 1);
        let mut adam = Adam::new(size, self.rate);
        let mut order: Vec<usize> = (0..self.train.queries().len()).collect();
        let mut found = Found { precision: f64::NEG_INFINITY, curves: curves.clone(), best: 0, curve: Vec::new() };
        self.say(0)?;
        for epoch in 0..params.epochs {
            order.shuffle(&mut stream);
            let mut precision = 0.0;
            for batch in order.chunks(BATCH) {
                precision += self.step(batch, &mut curves, &mut adam);
                self.say(epoch)?;
            }
            self.check(&curves, &adam)?;
            let train = precision / order.len() as f64;
            let validate = link_precision(self.validate, &self.validate.values(&curves));
            found.curve.push(Epoch { train, validate });
            self.say(epoch + 1)?;
            if validate > found.precision {
                found = Found { precision: validate, curves: curves.clone(), best: epoch, ..found };
            }
            if epoch - found.best >= params.patience {
                break;
            }
        }
        Ok(found)
    }

    /// Fails if steps were so long that curves left all bounds: scores that are no numbers would look perfect.
    fn check(&self, curves: &Curves, adam: &Adam) -> Result<()> {
        let sound = [&curves.tf, &curves.idf, &curves.length].iter().all(|curve| curve.is_sound());
        if sound && adam.is_finite() {
            return Ok(());
        }
        Err(Error::Parameter {
            name: "rate".into(),
            value: self.rate,
            expected: "a smaller number: curves overflow with it",
        })
    }

    fn say(&self, epoch: usize) -> Result<()> {
        let (done, of) = (self.at * self.params.epochs + epoch, self.of * self.params.epochs);
        self.watch.step(|| Step::new(TRAINING, done, of).detail(format!("run {} of {}", self.at + 1, self.of)))
    }

    /// A step along what a few queries ask for. Returns the sum of their average precisions before it.
    fn step(&self, batch: &[usize], curves: &mut Curves, adam: &mut Adam) -> f64 {
        let values = self.train.values(curves);
        let chunk = |queries: &[usize]| {
            let mut pulls = self.train.no_pulls();
            let mut precision = 0.0;
            let (mut scores, mut workspace) = (Vec::new(), Workspace::default());
            for &query in queries {
                let query = &self.train.queries()[query];
                self.train.score(query, &values, &mut scores);
                let judged = Judged { linked: &query.linked, own: query.own, scores: &scores };
                workspace.look(&judged);
                precision += workspace.average_precision(&judged);
                workspace.pull(self.params.loss, &judged);
                self.train.add_pulls(query, &values, &workspace.pulls, &mut pulls);
            }
            (pulls, precision)
        };
        let parts: Vec<(Values, f64)> = batch.par_chunks(CHUNK).map(chunk).collect();
        let mut pulls = self.train.no_pulls();
        let mut precision = 0.0;
        for (part, own) in &parts {
            pulls.add(part);
            precision += own;
        }
        let slopes: Vec<f64> = self.train.slopes(curves, &pulls).concat();
        let slopes: Vec<f64> = slopes.into_iter().map(|slope| slope / batch.len() as f64).collect();
        let mut numbers: Vec<f64> = [&curves.tf, &curves.idf, &curves.length].map(|curve| curve.numbers()).concat();
        adam.climb(&mut numbers, &slopes);
        let mut rest = numbers.as_slice();
        for curve in [&mut curves.tf, &mut curves.idf, &mut curves.length] {
            let (own, after) = rest.split_at(curve.numbers().len());
            curve.numbers_mut().copy_from_slice(own);
            rest = after;
        }
        precision
    }
}

/// Random curves, whose products are of the order of 1 for one shared word and far from flat.
pub(super) fn beginning(units: usize, stream: &mut Stream) -> Curves {
    let mut curve = |bias: f64| {
        let share = (units as f64).sqrt().recip();
        let mut numbers = Vec::with_capacity(3 * units + 1);
        for _ in 0..units {
            let [weight, shift, out] = [(); 3].map(|()| stream.random_range(-1.0..1.0));
            numbers.extend([weight, shift, share * out]);
        }
        numbers.push(bias);
        Curve::new(numbers).unwrap_or_else(|| unreachable!("these numbers are small"))
    };
    Curves { tf: curve(0.5), idf: curve(-1.0), length: curve(-1.0) }
}

/// The mean average precision of the links of a task.
pub(super) fn link_precision(task: &Task, values: &Values) -> f64 {
    let one = |(scores, workspace): &mut (Vec<f64>, Workspace), query: &Query| {
        task.score(query, values, scores);
        let judged = Judged { linked: &query.linked, own: query.own, scores };
        workspace.look(&judged);
        workspace.average_precision(&judged)
    };
    let all: Vec<f64> = task.queries().par_iter().map_init(Default::default, one).collect();
    all.iter().sum::<f64>() / all.len() as f64
}
