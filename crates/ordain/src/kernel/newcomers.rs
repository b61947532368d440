//! Kernels over known items and newcomers together. With them, an item that was not there when the answers were given
//! gets a belief without learning anew.
//!
//! The belief about a newcomer is the conditional of a joint prior, so only that prior is needed. Restricted to the
//! known items it is their own prior, unchanged: earlier learning stays right and is not repeated. AXPGP (end of
//! section 2.2) calls the covariance between new and known items the key challenge and names Nyström's method and
//! similarity matching (Zhu, Lafferty, Ghahramani 2003). Part by part:
//!
//! - **Vectors** (attributes, rows of a relation) and **independent** parts: the same function of the newcomers'
//!   vectors. A known item's row of a relation stays as it is, without its links to newcomers.
//! - **Semi-supervised** parts: newcomers are no part of the graph of neighbours, so it warps them only through the known
//!   items (SSGP section 2.1, "applicable to any data points").
//! - **Graphs.** Enlarge the graph by the newcomers N. In the enlarged graph's prior `K⁺`, the newcomers given their
//!   known neighbours W are Gaussian,
//!
//!   `g_N = A g_W + e`, `A = K⁺_NW (K⁺_WW)⁻¹`, `e ~ N(0, R)`, `R = K⁺_NN - A K⁺_WN`,
//!
//!   and with the known items' own prior K this makes the joint prior
//!
//!   `[ K, K A' ; A K, A K A' + R ]`,
//!
//!   positive semidefinite since K and R are. These are Nyström's columns, with the neighbours as the landmarks.
//!   The graph is enlarged by one group of newcomers at a time, where no path of newcomers joins two groups, so that
//!   one group does not change the belief about another. A newcomer without links has no landmarks and the prior of
//!   an item by itself.
//!
//! For the **regularized Laplacian** only the newcomers' own part needs an inverse. Let `P = beta (D_N + I / iota² -
//! W_NN)` and `C = beta W_NO` (D_N holds the sums of the newcomers' weights, to known items and newcomers alike). The
//! enlarged precision has the newcomers' rows `[-C, P]`, so given *all* known items O they depend on their neighbours
//! alone:
//!
//! `A = P⁻¹ C = (D_N + I / iota² - W_NN)⁻¹ W_NO`, `R = P⁻¹`.
//!
//! A newcomer is the weighted average of its neighbours, drawn a little towards 0 by `1 / iota²`: similarity matching.
//! The other graph kernels have no such sparse precision. Plain averages would serve them worse: they ignore how weak a
//! link is, and do not say how far a newcomer may be from them. `tests/kernels/newcomers.rs` compares both with the
//! enlarged graph's own prior.

use rayon::prelude::*;

use super::draws::{PriorDraws, normals};
use super::graph::relation_vectors;
use super::laplacian::shift_of;
use super::spec::semi_supervised;
use super::sum::{check_weight, of_kernel, relation_at};
use super::{
    CommonCause, Diffusion, DirectedLaplacian, Graph, Kernel, KernelSpec, RelationSpec, Role, Shape, VectorKernel,
    Vectors, WeightedSum, neighbour_graph, positive,
};
use crate::data::{Link, Newcomers, Relation};
use crate::numeric::dense::{Cholesky, SemidefiniteFactor, add_scaled, dot, mirror_lower, multiply, transpose};
use crate::numeric::{Matrix, SparseMatrix, Stream};
use crate::{Error, Result};

/// The kernel of a project's specifications over its items and newcomers, around the mean that is known of them. On the
/// items alone it equals that of [`super::build`].
///
/// For parts over graphs it needs the prior columns of all neighbours of newcomers, and keeps one column per newcomer.
/// Such a part has no parameters of its own: this kernel is for conditioning, not for tuning.
///
/// # Errors
/// Like [`super::build`].
pub fn build_with_newcomers(specs: &[KernelSpec], newcomers: &Newcomers<'_>) -> Result<WeightedSum> {
    let mut parts = Vec::with_capacity(specs.len());
    for (number, spec) in specs.iter().enumerate() {
        check_weight(number, spec.weight)?;
        let part = joint_part(&spec.shape, newcomers).map_err(|error| of_kernel(number, error))?;
        parts.push((spec.weight, part));
    }
    WeightedSum::new(parts)?.with_prior_of(newcomers.items())
}

fn joint_part(shape: &Shape, newcomers: &Newcomers<'_>) -> Result<Box<dyn Kernel>> {
    let everything = || shape.build(newcomers.items(), newcomers.relations());
    let known = || shape.build(newcomers.known(), newcomers.known_relations());
    let enlarged = |relation: &RelationSpec| Enlarged::new(newcomers, relation.relation, relation.role);
    let laws = match shape {
        Shape::Independent => return everything(),
        Shape::SemiSupervised { form, neighbours, strength } => {
            // Newcomers are no part of the graph: what is known of the others stays as it was.
            let graph = neighbour_graph(newcomers.known().attributes(), *neighbours)?;
            return Ok(Box::new(semi_supervised(newcomers.items(), form, &graph, *strength)?));
        }
        Shape::Vector { form, over } => {
            let Some(spec) = over.relation() else { return everything() };
            let rows = joint_rows(newcomers, &spec)?;
            return Ok(Box::new(VectorKernel::new(Vectors::from_rows(rows), form.clone())?));
        }
        Shape::RegularizedLaplacian { relation, beta, iota } => {
            let (enlarged, beta) = (enlarged(relation)?, positive("beta", *beta)?);
            let degrees = enlarged.graph.degrees();
            let largest = degrees[enlarged.known..].iter().copied().fold(0.0, f64::max);
            let shift = shift_of(*iota, largest)?;
            enlarged.laws(|part| averages(&enlarged.graph, &degrees, part, (beta, shift)))?
        }
        Shape::CommonCause { relation, causes } => {
            let enlarged = enlarged(relation)?;
            enlarged.laws(|part| landmarks(&CommonCause::new(&enlarged.with(part), *causes)?, part))?
        }
        Shape::Diffusion { relation, beta } => {
            let enlarged = enlarged(relation)?;
            enlarged.laws(|part| landmarks(&Diffusion::new(&enlarged.with(part), *beta)?, part))?
        }
        Shape::DirectedLaplacian { relation, beta, iota } => {
            let enlarged = Enlarged::new(newcomers, *relation, Role::Undirected)?;
            let links = relation_at(newcomers.relations(), *relation)?;
            enlarged.laws(|part| {
                let links = enlarged.links_with(links, part)?;
                landmarks(&DirectedLaplacian::new(links.items(), &links, *beta, *iota)?, part)
            })?
        }
    };
    Ok(Box::new(Joint::new(known()?, laws)?))
}

/// The rows of a relation as vectors. Rows of known items leave out newcomers.
fn joint_rows(newcomers: &Newcomers<'_>, spec: &RelationSpec) -> Result<SparseMatrix> {
    let known = newcomers.known().len();
    let targets = relation_at(newcomers.known_relations(), spec.relation)?.targets();
    let relation = relation_at(newcomers.relations(), spec.relation)?;
    let rows = relation_vectors(newcomers.items().len(), relation, spec.role)?;
    Ok(rows.filter(|row, column, _| row >= known || column < targets))
}

/// Newcomers joined by paths of newcomers, and their known neighbours; both ascending.
struct Part {
    /// The number of known items. The numbers of newcomers follow.
    known: usize,
    newcomers: Vec<u32>,
    neighbours: Vec<u32>,
}

/// The law of some newcomers, given known items.
struct Law {
    newcomers: Vec<u32>,
    neighbours: Vec<u32>,
    /// `A'`, `[neighbours, newcomers]`.
    coefficients: Matrix,
    /// `R`.
    residual: Matrix,
}

impl Law {
    fn new(part: &Part, coefficients: Matrix, residual: Matrix) -> Self {
        let (newcomers, neighbours) = (part.newcomers.clone(), part.neighbours.clone());
        Self { newcomers, neighbours, coefficients, residual }
    }
}

/// A graph with its newcomers. Among the known items it is unchanged.
struct Enlarged {
    known: usize,
    graph: Graph,
    parts: Vec<Part>,
}

impl Enlarged {
    fn new(newcomers: &Newcomers<'_>, relation: usize, role: Role) -> Result<Self> {
        let (known, all) = (newcomers.known().len(), newcomers.items().len());
        let before = Graph::new(known, relation_at(newcomers.known_relations(), relation)?, role)?;
        let after = Graph::new(all, relation_at(newcomers.relations(), relation)?, role)?;
        // In a projection, a known item's link to a newcomer may join known items.
        let fresh = after.entries().filter(|&(i, j, _)| i as usize >= known || j as usize >= known);
        let entries: Vec<_> = before.entries().chain(fresh).collect();
        let graph = Graph::from_weights(SparseMatrix::from_entries(all, all, &entries)?);
        let parts = parts(&graph, known);
        Ok(Self { known, graph, parts })
    }

    /// The laws of all newcomers, part by part.
    fn laws(&self, law: impl Fn(&Part) -> Result<Law> + Sync + Send) -> Result<Vec<Law>> {
        self.parts.par_iter().map(law).collect()
    }

    /// The position of an item beside the known items and some newcomers.
    fn position(&self, part: &Part, item: u32) -> Option<u32> {
        if (item as usize) < self.known {
            return Some(item);
        }
        part.newcomers.binary_search(&item).ok().map(|at| (self.known + at) as u32)
    }

    /// The graph of the known items and some newcomers.
    fn with(&self, part: &Part) -> Graph {
        let place = |item| self.position(part, item);
        let entries: Vec<_> = self.graph.entries().filter_map(|(i, j, w)| Some((place(i)?, place(j)?, w))).collect();
        let size = self.known + part.newcomers.len();
        let weights = SparseMatrix::from_entries(size, size, &entries);
        Graph::from_weights(weights.unwrap_or_else(|_| unreachable!("positions are below the size")))
    }

    /// The links among the known items and some newcomers.
    fn links_with(&self, links: &Relation, part: &Part) -> Result<Relation> {
        let place = |link: &Link| {
            let (source, target) = (self.position(part, link.source)?, self.position(part, link.target)?);
            Some(Link { source, target, weight: link.weight })
        };
        Relation::new(self.known + part.newcomers.len(), links.links().iter().filter_map(place).collect())
    }
}

/// The newcomers, grouped by the paths among them.
fn parts(graph: &Graph, known: usize) -> Vec<Part> {
    let mut seen = vec![false; graph.len() - known];
    let mut out = Vec::new();
    for start in known..graph.len() {
        if std::mem::replace(&mut seen[start - known], true) {
            continue;
        }
        let mut part = Part { known, newcomers: vec![start as u32], neighbours: Vec::new() };
        let mut next = 0;
        while let Some(&item) = part.newcomers.get(next) {
            next += 1;
            for &other in graph.neighbours(item as usize).0 {
                match (other as usize).checked_sub(known) {
                    None => part.neighbours.push(other),
                    Some(newcomer) if !seen[newcomer] => {
                        seen[newcomer] = true;
                        part.newcomers.push(other);
                    }
                    Some(_) => {}
                }
            }
        }
        part.newcomers.sort_unstable();
        part.neighbours.sort_unstable();
        part.neighbours.dedup();
        out.push(part);
    }
    out
}

/// Weighted averages: the law under a regularized Laplacian. `c³` for c newcomers in a part.
fn averages(graph: &Graph, degrees: &[f64], part: &Part, (beta, shift): (f64, f64)) -> Result<Law> {
    let size = part.newcomers.len();
    let mut precision = Matrix::zeros(size, size); // without beta
    let mut coefficients = Matrix::zeros(size, part.neighbours.len()); // A
    for (row, &newcomer) in part.newcomers.iter().enumerate() {
        precision[(row, row)] = degrees[newcomer as usize] + shift;
        let (others, weights) = graph.neighbours(newcomer as usize);
        for (other, weight) in others.iter().zip(weights) {
            match (part.newcomers.binary_search(other), part.neighbours.binary_search(other)) {
                (Ok(column), _) => precision[(row, column)] = -weight,
                (_, Ok(column)) => coefficients[(row, column)] = *weight,
                _ => unreachable!("a neighbour is in the part"),
            }
        }
    }
    let factor = Cholesky::factor(precision).map_err(|pivot| Error::NotPositiveDefinite {
        what: "the newcomers' part of a regularized Laplacian",
        pivot,
        dimension: size,
    })?;
    factor.solve_in_place(&mut coefficients);
    let mut residual = factor.inverse();
    residual.values_mut().iter_mut().for_each(|value| *value /= beta);
    Ok(Law::new(part, transpose(&coefficients), residual))
}

/// A landmark is left out if the others leave less than this fraction of the largest variance unexplained. It could
/// have told that much more about the newcomer. Coefficients are then at most one over the root of this, and `A K A'`
/// amplifies rounding at most by one over this.
const EXPLAINED: f64 = 1e-6;

/// Nyström's method with the neighbours as landmarks: the law under the kernel of the enlarged graph, where the part's
/// newcomers come after the known items. `w` columns and `w³` for w neighbours.
fn landmarks(kernel: &dyn Kernel, part: &Part) -> Result<Law> {
    let (size, count) = (part.newcomers.len(), part.neighbours.len());
    let mut among = Matrix::zeros(count, count); // K⁺_WW
    let mut column = vec![0.0; kernel.len()];
    for (at, &item) in part.neighbours.iter().enumerate() {
        kernel.column(item as usize, &mut column)?;
        among.column_mut(at).iter_mut().zip(&part.neighbours).for_each(|(out, &other)| *out = column[other as usize]);
    }
    let mut cross = Matrix::zeros(count, size); // K⁺_WN
    let mut residual = Matrix::zeros(size, size);
    for at in 0..size {
        kernel.column(part.known + at, &mut column)?;
        cross.column_mut(at).iter_mut().zip(&part.neighbours).for_each(|(out, &other)| *out = column[other as usize]);
        residual.column_mut(at).copy_from_slice(&column[part.known..]);
    }
    let factor = SemidefiniteFactor::up_to(&among, EXPLAINED);
    let half = factor.solve(cross.clone());
    for column in 0..size {
        for row in column..size {
            residual[(row, column)] -= dot(half.column(row), half.column(column));
        }
        // Rounding may leave a hair below zero where the neighbours explain everything.
        residual[(column, column)] = residual[(column, column)].max(0.0);
    }
    mirror_lower(&mut residual);
    Ok(Law::new(part, factor.divide(cross), residual))
}

/// A kernel of known items, with newcomers by their laws given known items.
struct Joint {
    known: Box<dyn Kernel>,
    /// `K A'`, `[known, newcomers]`.
    cross: Matrix,
    /// `A K A' + R`.
    own: Matrix,
    /// The rows of A.
    terms: Vec<Vec<(u32, f64)>>,
    /// `R`.
    residual: Matrix,
}

impl Joint {
    /// The laws together cover every newcomer once.
    fn new(known: Box<dyn Kernel>, laws: Vec<Law>) -> Result<Self> {
        let n = known.len();
        let count = laws.iter().map(|law| law.newcomers.len()).sum();
        let mut terms: Vec<Vec<(u32, f64)>> = vec![Vec::new(); count];
        let mut residual = Matrix::zeros(count, count);
        for law in &laws {
            for (at, &newcomer) in law.newcomers.iter().enumerate() {
                let coefficients = law.neighbours.iter().zip(law.coefficients.column(at));
                terms[newcomer as usize - n] = coefficients.map(|(&item, &value)| (item, value)).collect();
                for (&other, &value) in law.newcomers.iter().zip(law.residual.column(at)) {
                    residual[(other as usize - n, newcomer as usize - n)] = value;
                }
            }
        }
        let mut own = residual.clone();
        let cross = combine(known.as_ref(), &terms)?;
        for newcomer in 0..count {
            for (other, terms) in terms.iter().enumerate().skip(newcomer) {
                let along = cross.column(newcomer);
                own[(other, newcomer)] += terms.iter().map(|&(item, value)| value * along[item as usize]).sum::<f64>();
            }
        }
        mirror_lower(&mut own);
        Ok(Self { known, cross, own, terms, residual })
    }
}

/// Sums of columns of a kernel, `[n, sums]`. Every column is computed once.
fn combine(kernel: &dyn Kernel, terms: &[Vec<(u32, f64)>]) -> Result<Matrix> {
    /// Columns held at a time. Fixed, so that sums have one order.
    const BATCH: usize = 64;
    let n = kernel.len();
    let mut items: Vec<u32> = terms.iter().flatten().map(|&(item, _)| item).collect();
    items.sort_unstable();
    items.dedup();
    let mut out = Matrix::zeros(n, terms.len());
    let mut columns = Matrix::zeros(n, BATCH.min(items.len()));
    for batch in items.chunks(BATCH) {
        let each = |(column, &item): (&mut [f64], &u32)| kernel.column(item as usize, column);
        columns.values_mut().par_chunks_exact_mut(n).zip(batch).try_for_each(each)?;
        out.values_mut().par_chunks_exact_mut(n).zip(terms).for_each(|(out, terms)| {
            for (item, value) in terms {
                if let Ok(at) = batch.binary_search(item) {
                    add_scaled(out, *value, columns.column(at));
                }
            }
        });
    }
    Ok(out)
}

/// A draw of the known items; newcomers are sums of these and of their own part.
struct Drawn<'a> {
    known: Box<dyn PriorDraws + 'a>,
    joint: &'a Joint,
    /// A root of the newcomers' own part.
    root: Matrix,
}

impl PriorDraws for Drawn<'_> {
    fn draw(&self, streams: &mut [Stream], out: &mut Matrix) -> Result<()> {
        let mut known = Matrix::zeros(self.joint.known.len(), out.columns());
        self.known.draw(streams, &mut known)?;
        let own = multiply(&self.root, &normals(self.root.columns(), streams));
        for (at, out) in out.columns_mut().enumerate() {
            let (known, own) = (known.column(at), own.column(at));
            let (first, newcomers) = out.split_at_mut(known.len());
            first.copy_from_slice(known);
            for ((newcomer, terms), own) in newcomers.iter_mut().zip(&self.joint.terms).zip(own) {
                *newcomer = own + terms.iter().map(|&(item, value)| value * known[item as usize]).sum::<f64>();
            }
        }
        Ok(())
    }
}

impl Kernel for Joint {
    fn prior_draws(&self) -> Result<Box<dyn PriorDraws + '_>> {
        let root = transpose(SemidefiniteFactor::new(&self.residual).transpose());
        Ok(Box::new(Drawn { known: self.known.prior_draws()?, joint: self, root }))
    }

    fn len(&self) -> usize {
        self.known.len() + self.own.rows()
    }

    fn diagonal(&self, out: &mut [f64]) -> Result<()> {
        let (known, newcomers) = out.split_at_mut(self.known.len());
        newcomers.copy_from_slice(&self.own.diagonal());
        self.known.diagonal(known)
    }

    fn has_exact_diagonal(&self) -> bool {
        self.known.has_exact_diagonal()
    }

    fn column(&self, item: usize, out: &mut [f64]) -> Result<()> {
        let n = self.known.len();
        let (known, newcomers) = out.split_at_mut(n);
        match item.checked_sub(n) {
            Some(newcomer) => {
                known.copy_from_slice(self.cross.column(newcomer));
                newcomers.copy_from_slice(self.own.column(newcomer));
            }
            None => {
                for (newcomer, value) in newcomers.iter_mut().enumerate() {
                    *value = self.cross[(item, newcomer)];
                }
                self.known.column(item, known)?;
            }
        }
        Ok(())
    }
}
