//! The colours of all pictures.
//!
//! The style sheet of reports repeats some of them, to change their values in the dark.

/// A colour and its opacity.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Colour {
    /// Red, green, blue.
    pub rgb: [u8; 3],
    /// From 0 (invisible) to 1 (covers everything below).
    pub opacity: f64,
}

impl Colour {
    /// An opaque colour.
    pub const fn new(red: u8, green: u8, blue: u8) -> Self {
        Self { rgb: [red, green, blue], opacity: 1.0 }
    }

    /// The same colour with this opacity.
    #[must_use]
    pub const fn faint(self, opacity: f64) -> Self {
        Self { opacity, ..self }
    }
}

/// The background.
pub const PAPER: Colour = Colour::new(255, 255, 255);

/// Text and axes.
pub const INK: Colour = Colour::new(34, 34, 34);

/// Lines behind the data.
pub const GRID: Colour = Colour::new(221, 221, 221);

/// Colours that colour-blind readers can tell apart (Okabe and Ito), and a grey.
const SERIES: [Colour; 7] = [
    Colour::new(0, 114, 178),
    Colour::new(0, 158, 115),
    Colour::new(213, 94, 0),
    Colour::new(204, 121, 167),
    Colour::new(230, 159, 0),
    Colour::new(86, 180, 233),
    Colour::new(128, 128, 128),
];

/// Greys and browns, for series that others are compared with.
const MUTED: [Colour; 7] = [
    Colour::new(90, 90, 90),
    Colour::new(140, 140, 140),
    Colour::new(170, 140, 60),
    Colour::new(120, 90, 60),
    Colour::new(160, 110, 110),
    Colour::new(110, 130, 150),
    Colour::new(150, 150, 110),
];

/// The colour of a series, by its position. The eighth has the colour of the first.
pub const fn series(position: usize) -> Colour {
    SERIES[position % SERIES.len()]
}

/// The colour of a series that others are compared with, by its position. The eighth has the colour of the first.
pub const fn muted(position: usize) -> Colour {
    MUTED[position % MUTED.len()]
}

/// From dark for 0 over blue-green to pale for 1.
pub fn shade(share: f64) -> Colour {
    const STOPS: [[f64; 3]; 3] = [[30.0, 36.0, 84.0], [38.0, 138.0, 141.0], [250.0, 238.0, 160.0]];
    let place = 2.0 * share.clamp(0.0, 1.0);
    let from = (place as usize).min(1);
    let part = place - from as f64;
    let [red, green, blue] =
        std::array::from_fn(|at| ((1.0 - part) * STOPS[from][at] + part * STOPS[from + 1][at]).round() as u8);
    Colour::new(red, green, blue)
}
