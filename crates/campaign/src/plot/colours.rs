//! Test that the colours of series are distinguishable, also with colour vision deficiencies.
//!
//! Protanopia, deuteranopia and tritanopia are simulated in linear RGB by the matrices of Machado,
//! Oliveira, Fernandes, *A Physiologically-based Model for Simulation of Color Vision Deficiency*
//! (2009). The difference of two colours is their distance in CIELAB. Lines of a plot need about
//! ten times the just noticeable difference.

use super::svg::COLOURS;

const EYES: [(&str, [[f64; 3]; 3]); 4] = [
    (
        "normal",
        [[1.0, 0.0, 0.0], [0.0, 1.0, 0.0], [0.0, 0.0, 1.0]],
    ),
    (
        "protanopia",
        [
            [0.152286, 1.052583, -0.204868],
            [0.114503, 0.786281, 0.099216],
            [-0.003882, -0.048116, 1.051998],
        ],
    ),
    (
        "deuteranopia",
        [
            [0.367322, 0.860646, -0.227968],
            [0.280085, 0.672501, 0.047413],
            [-0.011820, 0.042940, 0.968881],
        ],
    ),
    (
        "tritanopia",
        [
            [1.255528, -0.076749, -0.178779],
            [-0.078411, 0.930809, 0.147602],
            [0.004733, 0.691367, 0.303900],
        ],
    ),
];

/// Converts `#rrggbb` to linear RGB.
fn linear(colour: &str) -> [f64; 3] {
    [1, 3, 5].map(|at| {
        let part = u8::from_str_radix(&colour[at..at + 2], 16).unwrap();
        let x = f64::from(part) / 255.0;
        if x <= 0.04045 {
            x / 12.92
        } else {
            ((x + 0.055) / 1.055).powf(2.4)
        }
    })
}

fn lab(rgb: [f64; 3]) -> [f64; 3] {
    let [r, g, b] = rgb.map(|x| x.clamp(0.0, 1.0));
    let x = (0.4124564 * r + 0.3575761 * g + 0.1804375 * b) / 0.95047;
    let y = 0.2126729 * r + 0.7151522 * g + 0.0721750 * b;
    let z = (0.0193339 * r + 0.1191920 * g + 0.9503041 * b) / 1.08883;
    let [x, y, z] = [x, y, z].map(|t| {
        if t > 216.0 / 24389.0 {
            t.cbrt()
        } else {
            t * 841.0 / 108.0 + 4.0 / 29.0
        }
    });
    [116.0 * y - 16.0, 500.0 * (x - y), 200.0 * (y - z)]
}

fn seen(colour: &str, eye: &[[f64; 3]; 3]) -> [f64; 3] {
    let rgb = linear(colour);
    lab(eye.map(|row| row.iter().zip(rgb).map(|(a, b)| a * b).sum()))
}

#[track_caller]
fn assert_distinguishable(colours: &[String]) {
    for (name, eye) in &EYES {
        for (i, a) in colours.iter().enumerate() {
            for b in &colours[..i] {
                let pairs = seen(a, eye).into_iter().zip(seen(b, eye));
                let distance = pairs.map(|(x, y)| (x - y).powi(2)).sum::<f64>().sqrt();
                assert!(distance > 25.0, "{a} and {b}, {name}: {distance:.1}");
            }
        }
    }
}

#[test]
fn series_are_distinguishable() {
    assert_distinguishable(&COLOURS.map(str::to_owned));
    // The colours of the page in light and dark mode.
    let css = include_str!("page.css");
    let mut lists = 0;
    for line in css.lines().filter(|line| line.contains("--s0:")) {
        let colours: Vec<String> = line
            .split(';')
            .filter_map(|rule| Some(rule.split_once(": ")?.1.to_owned()))
            .collect();
        assert_eq!(colours.len(), COLOURS.len());
        assert_distinguishable(&colours);
        lists += 1;
    }
    assert_eq!(lists, 2);
}
