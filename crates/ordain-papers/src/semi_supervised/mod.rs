//! Semi-supervised beliefs: SSGP's two demonstrations.

pub mod boston;
pub mod spiral;

use ordain::kernel::{Form, KernelSpec, Over, Rho, Shape};

const PAPER: &str =
    "Chu, Ghahramani: Extensions of Gaussian processes for ranking: semi-supervised and active learning (SSGP)";

/// The neighbours of the graph, as in the paper.
const NEIGHBOURS: usize = 3;

/// The two priors that are compared.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Prior {
    /// The attributes alone.
    Supervised,
    /// Warped by the graph of neighbours.
    SemiSupervised,
}

impl Prior {
    const ALL: [Self; 2] = [Self::Supervised, Self::SemiSupervised];

    fn name(self) -> &'static str {
        match self {
            Self::Supervised => "supervised",
            Self::SemiSupervised => "semi-supervised",
        }
    }

    /// The paper's kernel (its eq. 2, `kappa_o exp(-kappa/2 |x - y|²)`) in our parameters.
    fn kernel(self, kappa_o: f64, kappa: f64) -> KernelSpec {
        let form = Form::SquaredExponential { kappa: kappa_o.sqrt(), rho: Rho::Shared(kappa.sqrt()) };
        let shape = match self {
            Self::Supervised => Shape::Vector { form, over: Over::Attributes },
            Self::SemiSupervised => Shape::SemiSupervised { form, neighbours: NEIGHBOURS, strength: 1.0 },
        };
        KernelSpec::new(1.0, shape)
    }
}
