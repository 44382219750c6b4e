//! Speed and memory of saturation on generated nets.
//!
//!     cargo bench -p lariat-dd --bench saturation -- slotted-ring 100
//!     cargo bench -p lariat-dd --bench saturation -- kanban 100 reversed
//!
//! Prints the states, CPU seconds of the saturation, nodes created, of the result and at the peak,
//! and bytes. Without arguments it runs the whole table, one line per net.

use lariat_budget::{Budget, Stop};
use lariat_corpora::bench::{arguments, cpu, resident};
use lariat_dd::{EventPart, Store};

/// Places with tokens, and transitions as `(place, consumed, produced)`.
#[derive(Default)]
struct Net {
    tokens: Vec<u32>,
    transitions: Vec<Vec<(usize, u32, u32)>>,
}

impl Net {
    fn place(&mut self, tokens: u32) -> usize {
        self.tokens.push(tokens);
        self.tokens.len() - 1
    }

    /// Adds a transition that takes a token from and puts one on each of these places.
    fn transition(&mut self, from: &[usize], to: &[usize]) {
        let mut arcs: Vec<(usize, u32, u32)> = from.iter().map(|&place| (place, 1, 0)).collect();
        for &place in to {
            match arcs.iter_mut().find(|arc| arc.0 == place) {
                Some(arc) => arc.2 += 1,
                None => arcs.push((place, 0, 1)),
            }
        }
        self.transitions.push(arcs);
    }

    /// Dining philosophers, six places each: fork, idle, waiting and having on both sides.
    fn philosophers(n: usize) -> Net {
        let mut net = Net::default();
        let seats: Vec<[usize; 6]> = (0..n)
            .map(|_| [1, 1, 0, 0, 0, 0].map(|tokens| net.place(tokens)))
            .collect();
        for i in 0..n {
            let [fork, idle, wait_left, has_left, wait_right, has_right] = seats[i];
            let other = seats[(i + 1) % n][0];
            net.transition(&[idle], &[wait_left, wait_right]);
            net.transition(&[wait_left, fork], &[has_left]);
            net.transition(&[wait_right, other], &[has_right]);
            net.transition(&[has_left, has_right], &[idle, fork, other]);
        }
        net
    }

    /// The slotted ring, eight places per node, the highest number first.
    fn slotted_ring(n: usize) -> Net {
        let mut net = Net::default();
        for _ in 0..n {
            for number in (1..=8).rev() {
                net.place((number == 3 || number == 5) as u32);
            }
        }
        let at = |node: usize, number: usize| node * 8 + (8 - number);
        for i in 0..n {
            let r = (i + n - 1) % n;
            net.transition(&[at(i, 6), at(i, 8)], &[at(i, 3), at(i, 5)]);
            net.transition(&[at(i, 5), at(r, 3)], &[at(i, 6), at(r, 2)]);
            net.transition(&[at(i, 4), at(i, 6)], &[at(i, 3), at(i, 7)]);
            net.transition(&[at(i, 7), at(r, 3)], &[at(i, 6), at(r, 1)]);
            net.transition(&[at(i, 1)], &[at(i, 4)]);
            net.transition(&[at(i, 1)], &[at(i, 2)]);
            net.transition(&[at(i, 2)], &[at(i, 4)]);
            net.transition(&[at(i, 2)], &[at(i, 8)]);
        }
        net
    }

    /// Kanban, sixteen places, `n` cards in each of the four cells.
    fn kanban(n: u32) -> Net {
        let mut net = Net::default();
        for place in 0..16 {
            net.place(if place % 4 == 0 { n } else { 0 });
        }
        let moves: [(&[usize], &[usize]); 16] = [
            (&[0], &[1]),
            (&[1], &[2]),
            (&[2], &[1]),
            (&[1], &[3]),
            (&[5], &[6]),
            (&[6], &[5]),
            (&[5], &[7]),
            (&[3, 4, 8], &[0, 5, 9]),
            (&[9], &[10]),
            (&[10], &[9]),
            (&[9], &[11]),
            (&[7, 11, 12], &[4, 8, 13]),
            (&[13], &[14]),
            (&[14], &[13]),
            (&[15], &[12]),
            (&[13], &[15]),
        ];
        for (from, to) in moves {
            net.transition(from, to);
        }
        net
    }

    /// The flexible manufacturing system of Ciardo and Trivedi with `n` pallets of each kind and
    /// 3, 1 and 2 machines: parts 1, 2 and 3, and 12 that is assembled from the first two.
    fn fms(n: u32) -> Net {
        let mut net = Net::default();
        let [p1, p1_wait, p1_machine, m1, p1_done, p1_ship, p1_join] =
            [n, 0, 0, 3, 0, 0, 0].map(|tokens| net.place(tokens));
        let [p12, p12_wait, p12_machine, m3, p12_ship] =
            [0, 0, 0, 2, 0].map(|tokens| net.place(tokens));
        let [p2_join, p2_ship, p2_done, p2_machine, p2_wait, p2] =
            [0, 0, 0, 0, 0, n].map(|tokens| net.place(tokens));
        let [m2, p3_machine, p3_ship, p3] = [1, 0, 0, n].map(|tokens| net.place(tokens));
        net.transition(&[p1], &[p1_wait]);
        net.transition(&[p1_wait, m1], &[p1_machine]);
        net.transition(&[p1_machine], &[p1_done, m1]);
        net.transition(&[p1_done], &[p1_ship]);
        net.transition(&[p1_done], &[p1_join]);
        net.transition(&[p1_ship], &[p1]);
        net.transition(&[p2], &[p2_wait]);
        net.transition(&[p2_wait, m2], &[p2_machine]);
        net.transition(&[p2_machine], &[p2_done, m2]);
        net.transition(&[p2_done], &[p2_ship]);
        net.transition(&[p2_done], &[p2_join]);
        net.transition(&[p2_ship], &[p2]);
        net.transition(&[p1_join, p2_join], &[p12]);
        net.transition(&[p12], &[p12_wait]);
        net.transition(&[p12_wait, m3], &[p12_machine]);
        net.transition(&[p12_machine], &[p12_ship, m3]);
        net.transition(&[p12_ship], &[p1, p2]);
        net.transition(&[p3], &[p3_machine]);
        net.transition(&[p3_machine, m2], &[p3_ship, m2]);
        net.transition(&[p3_ship], &[p3]);
        net
    }

    fn named(name: &str, n: u32) -> Option<Net> {
        Some(match name {
            "philosophers" => Net::philosophers(n as usize),
            "slotted-ring" => Net::slotted_ring(n as usize),
            "kanban" => Net::kanban(n),
            "fms" => Net::fms(n),
            _ => return None,
        })
    }
}

fn run(name: &str, n: u32, reversed: bool) -> Result<(), Stop> {
    let Some(net) = Net::named(name, n) else {
        eprintln!("philosophers, slotted-ring, kanban or fms, not {name}");
        return Ok(());
    };
    let places = net.tokens.len();
    let level = |place: usize| if reversed { places - 1 - place } else { place };
    let budget = Budget::bytes(4 << 30);
    let begin = cpu();
    let mut store = Store::new(places, &budget)?;
    let mut events = Vec::new();
    for transition in &net.transitions {
        let parts: Vec<EventPart> = transition
            .iter()
            .map(|&(place, consumed, produced)| EventPart::Delta {
                level: level(place) as u32,
                need: consumed,
                delta: produced as i64 - consumed as i64,
            })
            .collect();
        events.extend(store.event(&parts)?);
    }
    let events = store.subset(events);
    let mut initial = net.tokens.clone();
    if reversed {
        initial.reverse();
    }
    let initial = store.singleton(&initial)?;
    let reached = store.saturate(&events, &initial)?;
    let seconds = cpu() - begin;
    let resident = resident();
    let figures = store.figures();
    let count = store.count(&reached).to_string();
    let states = match count.split_at_checked(4) {
        Some((head, tail)) => format!("{}.{}e{}", &head[..1], &head[1..], tail.len() + 3),
        None => count,
    };
    let hits = 100.0 * figures.hits as f64 / figures.lookups.max(1) as f64;
    let per_node = (figures.peak_bytes + figures.unique_bytes) as f64 / figures.peak as f64;
    println!(
        "{:24} states={states:12} cpu={seconds:.4}s created={} final={} peak={} collections={} \
         lookups={:.2}M hits={hits:.0}% bytes/node={per_node:.1} pool={:.1}MB unique={:.1}MB \
         cache={:.1}MB leased={:.1}MB resident={resident:.1}MB",
        format!("{name}-{n}{}", if reversed { " reversed" } else { "" }),
        figures.created,
        store.node_count(&reached),
        figures.peak,
        figures.collections,
        figures.lookups as f64 / 1e6,
        figures.pool_bytes as f64 / 1e6,
        figures.unique_bytes as f64 / 1e6,
        figures.cache_bytes as f64 / 1e6,
        budget.bytes_peak() as f64 / 1e6,
    );
    Ok(())
}

fn main() -> Result<(), Stop> {
    let arguments: Vec<String> = arguments().collect();
    match &arguments[..] {
        [name, n, rest @ ..] => match n.parse() {
            Ok(n) => run(name, n, rest.iter().any(|word| word == "reversed")),
            Err(_) => {
                eprintln!("a number, not {n}");
                Ok(())
            }
        },
        _ => {
            let table = [
                ("philosophers", &[1000, 5000][..]),
                ("slotted-ring", &[50, 100]),
                ("kanban", &[50, 100, 200]),
                ("fms", &[20, 50, 100]),
            ];
            for (name, sizes) in table {
                for &n in sizes {
                    run(name, n, name == "kanban")?;
                }
            }
            Ok(())
        }
    }
}
