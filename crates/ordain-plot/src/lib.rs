//! Pictures and HTML reports, for the command, the papers' experiments and the bench.
//!
//! The charts are [`Lines`] (means with their standard errors), [`Dots`] (the same in named rows), [`Boxes`], [`Bars`],
//! [`Powers`] (lines over powers of ten), [`Contours`] (a function of two numbers) and [`Network`] (things and their links). Every chart
//! has a title and names of its axes. A chart of one series has no legend. A [`Canvas`] draws everything else, in the colours of [`palette`]. All are SVG. [`html`] has the pieces of
//! a page. In the dark, the page changes the colours of pictures.
//!
//! Only this crate uses `plotters`, and never in a signature.
//!
//! ```
//! use ordain::measure::Mean;
//! use ordain_plot::{Across, Lines, Range, Series, html};
//!
//! let points = vec![(10.0, Mean::of(&[0.5, 0.6])), (20.0, Mean::of(&[0.8, 0.9]))];
//! let series = vec![Series { title: "asked".into(), points }];
//! let (low, high) = Range::of(&series);
//! let up = Range::new("MAP", low, high);
//! let lines = Lines { title: "Asked pairs".into(), across: Across::UpTo("Answers".into(), 20), up, series };
//! let figure = html::figures([(lines.draw().as_str(), "MAP by answers.")]);
//! assert!(html::document("A report", "", &figure).contains("<svg"));
//! ```

mod bars;
mod boxes;
mod canvas;
mod contours;
mod dots;
pub mod html;
mod lines;
mod network;
pub mod palette;
mod powers;
mod range;
mod rows;

pub use bars::Bars;
pub use boxes::{Boxes, Quartiles};
pub use canvas::{Anchor, Canvas, picture};
pub use contours::Contours;
pub use dots::Dots;
pub use lines::{Across, Lines, Series};
pub use network::{Network, Node};
pub use palette::Colour;
pub use powers::{Powers, Stroke, Trend};
pub use range::Range;
