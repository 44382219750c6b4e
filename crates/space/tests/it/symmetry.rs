//! Symmetries of nets: representatives, orbits and their sizes, on random nets and contest nets.

use crate::counted;
use lariat_budget::{Budget, RunContext};
use lariat_corpora::{Random, each_case, models};
use lariat_formats::{LoadedModel, ModelFormat, read};
use lariat_model::{Action, Arc, Deadlock, Domain, Event, EventId, System, VarId, Variable};
use lariat_reductions::symmetry::{
    CanonScratch, Colours, Permutation, Representatives, RoleGroup, Symmetry, Tokens, detect,
};
use lariat_space::explicit::{Explicit, Orbits, count, orbits};
use lariat_testkit::copies;
use lariat_testkit::symmetric::{Firing, Part, Spec};
use std::collections::{BTreeSet, HashSet};

fn symmetry(model: &LoadedModel) -> Symmetry<'_> {
    let coloured = model.coloured.as_deref();
    detect(&model.system, coloured, &Budget::unlimited()).unwrap()
}

/// The quotient of the state space.
fn quotient(model: &LoadedModel) -> Orbits {
    let space = Explicit::new(&model.system, Deadlock::Stutter);
    orbits(
        &space,
        &symmetry(model),
        RunContext::quiet(&Budget::unlimited()),
    )
}

/// Random nets, some coloured.
fn random(rng: &mut Random) -> LoadedModel {
    if rng.percent(50) {
        Spec::random(rng).model()
    } else {
        LoadedModel::new(ModelFormat::Pnml, copies::net(rng).0)
    }
}

/// The generators of a symmetry's group.
fn generators(symmetry: &Symmetry<'_>) -> Vec<Permutation> {
    match symmetry {
        Symmetry::Colours(colours) => of_colours(colours),
        Symmetry::Net(net) => net.chain().elements(net.vertices()).collect(),
    }
}

fn of_colours(symmetry: &Colours<'_>) -> Vec<Permutation> {
    let mut all = Vec::new();
    let mut first = 0;
    for part in symmetry.group().parts() {
        for block in part.blocks() {
            for pair in block.windows(2) {
                let mut to = symmetry.identity();
                to.swap((first + pair[0]) as usize, (first + pair[1]) as usize);
                all.push(to);
            }
        }
        let colours = part.colours();
        if let RoleGroup::Rotations { step, .. } = part {
            let mut to = symmetry.identity();
            for colour in 0..colours {
                to[(first + colour) as usize] = first + (colour + step) % colours;
            }
            all.push(to);
        }
        first += colours;
    }
    all
}

fn tokens(values: &[i64]) -> Tokens {
    let marked = (0..).zip(values.iter().copied());
    marked.filter(|(_, value)| *value != 0).collect()
}

fn values(tokens: &Tokens, len: usize) -> Vec<i64> {
    let mut values = vec![0; len];
    for (var, value) in tokens {
        values[*var as usize] = *value;
    }
    values
}

fn image(symmetry: &Symmetry<'_>, marking: &[i64], to: &[u32]) -> Vec<i64> {
    let mut image = marking.to_vec();
    for (var, value) in (0..).map(VarId).zip(marking) {
        image[symmetry.image_of_var(var, to).unwrap().index()] = *value;
    }
    image
}

/// All markings of an orbit, by brute force.
fn orbit(symmetry: &Symmetry<'_>, marking: &[i64]) -> BTreeSet<Vec<i64>> {
    let generators = generators(symmetry);
    let mut found = BTreeSet::from([marking.to_vec()]);
    let mut open = vec![marking.to_vec()];
    while let Some(marking) = open.pop() {
        for generator in &generators {
            let image = image(symmetry, &marking, generator);
            if found.insert(image.clone()) {
                open.push(image);
            }
        }
    }
    found
}

/// A circle of places, each with a token; a transition takes those of two neighbours, in either
/// order.
fn circle(size: u32) -> LoadedModel {
    let mut system = System {
        name: "circle".to_owned(),
        initial: vec![vec![1; size as usize].into()],
        ..System::default()
    };
    for i in 0..size {
        system.variables.push(Variable {
            name: format!("p{i}"),
            domain: Domain::Count { bound: None },
        });
        let mut both = [i, (i + 1) % size];
        both.sort_unstable();
        let arc = |var| Arc {
            var: VarId(var),
            need: 1,
            delta: -1,
        };
        system.events.push(Event {
            name: format!("t{i}"),
            action: Action::Net(both.map(arc).to_vec()),
        });
    }
    LoadedModel::new(ModelFormat::Pnml, system)
}

fn arcs(system: &System, event: EventId) -> &[Arc] {
    match &system.event(event).action {
        Action::Net(arcs) => arcs,
        _ => &[],
    }
}

/// Returns whether a permutation maps places to equal places, and transitions to transitions with
/// the images of their arcs.
fn is_symmetry(system: &System, symmetry: &Symmetry<'_>, to: &[u32]) -> bool {
    let image = |var: VarId| symmetry.image_of_var(var, to);
    let vars = (0..system.variables.len() as u32).map(VarId);
    let mut images: Vec<VarId> = vars.clone().filter_map(image).collect();
    let domain = |var: VarId| &system.variable(var).domain;
    let mut pairs = vars.zip(images.clone());
    if !pairs.all(|(var, image)| domain(var) == domain(image)) {
        return false;
    }
    images.sort_unstable();
    images.dedup();
    let keeps = |event: EventId| {
        let moved = |arc: &Arc| {
            let var = image(arc.var)?;
            Some(Arc { var, ..*arc })
        };
        let mut moved: Vec<Arc> = arcs(system, event).iter().filter_map(moved).collect();
        moved.sort_unstable_by_key(|arc| arc.var);
        let image = symmetry.image_of_event(event, to);
        image.is_some_and(|image| arcs(system, image) == moved)
    };
    let mut events = (0..system.events.len() as u32).map(EventId);
    images.len() == system.variables.len() && events.all(keeps)
}

/// Every reported symmetry is one: of random nets, and of circles, in which cells alone do not
/// determine the image of a place.
#[test]
fn symmetries_keep_arcs() {
    let check = |model: &LoadedModel| {
        let symmetry = symmetry(model);
        for generator in generators(&symmetry) {
            assert!(is_symmetry(&model.system, &symmetry, &generator));
        }
    };
    each_case(400, |rng| check(&random(rng)));
    for size in [5, 6, 7, 8, 12] {
        let model = circle(size);
        check(&model);
        let order = 10f64.powf(symmetry(&model).magnitude());
        assert!((order - 2.0 * f64::from(size)).abs() < 1e-6, "{order}");
    }
}

/// In a circle that can also be reflected, one pass does not always find the same marking for a
/// whole orbit; sums of orbit sizes need it.
#[test]
fn orbits_of_a_circle_are_counted_once() {
    for size in [6, 7, 8, 12] {
        let model = circle(size);
        let all = counted(&Explicit::new(&model.system, Deadlock::Stutter), "circle");
        let found = quotient(&model);
        let sum = (u128::from(all.states), u128::from(all.deadlocks));
        assert_eq!(found.states, Some(sum), "{size}");
        assert!(found.orbits < all.states);
    }
}

/// Random markings of random nets: the representative is in the orbit, is the image under the
/// returned permutation, and is the same for the whole orbit; the orbit has the reported size;
/// twins are twins.
#[test]
fn representatives_are_canonical_members_of_their_orbits() {
    let mut several = 0;
    each_case(150, |rng| {
        let model = random(rng);
        let symmetry = symmetry(&model);
        let canon = Representatives::of_all(&symmetry);
        let mut room = CanonScratch::default();
        for _ in 0..5 {
            let vars = model.system.variables.len();
            let marking: Vec<i64> = (0..vars).map(|_| [0, 0, 1, 2][rng.below(4)]).collect();
            let all = orbit(&symmetry, &marking);
            several += usize::from(all.len() > 1);
            let size = canon.orbit_size(&mut room, &tokens(&marking));
            assert_eq!(size, Some(all.len() as u128));
            let mut representatives = HashSet::new();
            for member in &all {
                let mut found = tokens(member);
                let changed = canon.canon(&mut room, &mut found);
                assert!(found.is_sorted());
                let found = values(&found, vars);
                assert!(all.contains(&found));
                assert!(changed || found == *member);
                let applied = canon.permutation(&room);
                assert_eq!(image(&symmetry, member, &applied), found);
                let mut least = tokens(member);
                canon.least(&mut room, &mut least);
                let least = values(&least, vars);
                assert!(all.contains(&least));
                representatives.insert(least);
            }
            assert_eq!(representatives.len(), 1, "{representatives:?}");
            assert!(!room.was_cut());
        }
    });
    println!("{several} orbits of several markings");
}

/// The orbits of random nets add up to their states, if the initial marking is symmetric.
#[test]
fn orbits_add_up_to_states() {
    let mut added = 0;
    each_case(300, |rng: &mut Random| {
        let model = random(rng);
        let space = Explicit::new(&model.system, Deadlock::Stutter);
        let budget = Budget::unlimited().with_work(2_000);
        let all = count(&space, &[], RunContext::quiet(&budget));
        if all.stop.is_some() {
            return;
        }
        let found = quotient(&model);
        assert!(found.orbits <= all.states);
        assert_eq!(found.dead == 0, all.deadlocks == 0);
        assert_eq!(found.max_tokens, all.max_tokens);
        assert_eq!(found.max_tokens_in_place, all.max_tokens_in_place);
        if let Some((states, dead)) = found.states {
            assert_eq!((states, dead), (all.states.into(), all.deadlocks.into()));
            added += usize::from(found.orbits < all.states);
        }
    });
    println!("{added} sums of fewer orbits than states");
}

/// With more combinations of rotations than are tried, an orbit may have several representatives,
/// and their sizes must not be added up.
#[test]
fn orbits_without_canonical_representatives_are_not_added_up() {
    let next = |place: usize, class: usize| Firing {
        variables: vec![class],
        takes: vec![
            (place, vec![Part::Variable(0)]),
            (place, vec![Part::Successor(0)]),
            (2, Vec::new()),
        ],
        puts: vec![(place, vec![Part::Successor(0)])],
        ..Firing::default()
    };
    let all = |place: usize, colours: u64| (0..colours).map(move |c| (place, vec![c], 1));
    let spec = Spec {
        classes: vec![(13, true), (11, true)],
        places: vec![vec![0], vec![1], Vec::new()],
        transitions: vec![next(0, 0), next(1, 1)],
        initial: all(0, 13)
            .chain(all(1, 11))
            .chain([(2, Vec::new(), 3)])
            .collect(),
    };
    let model = spec.model();
    let order = 10f64.powf(symmetry(&model).magnitude());
    assert!((order - 143.0).abs() < 1e-6, "{order} symmetries");
    let states = counted(
        &Explicit::new(&model.system, Deadlock::Stutter),
        "rotations",
    )
    .states;
    let found = quotient(&model);
    assert!(found.symmetric && found.orbits < states);
    assert_eq!(found.states, None);
}

/// A single token that does not move: its images elsewhere in the circle are unreachable.
#[test]
fn orbits_of_an_asymmetric_initial_marking_are_not_added_up() {
    let mut model = circle(6);
    model.system.initial = vec![vec![1, 0, 0, 0, 0, 0].into()];
    let found = quotient(&model);
    assert!(!found.symmetric && found.orbits == 1);
    assert_eq!(found.states, None);
}

/// Of two colours one never occurs, and the other cannot be exchanged.
#[test]
fn unmarked_places_are_no_images() {
    let token = (0, vec![Part::Constant(0)]);
    let spec = Spec {
        classes: vec![(2, false)],
        places: vec![vec![0]],
        transitions: vec![Firing {
            takes: vec![token.clone()],
            puts: vec![token],
            ..Firing::default()
        }],
        initial: vec![(0, vec![0], 1)],
    };
    assert!(symmetry(&spec.model()).is_trivial());
}

/// Orbits of contest nets. Roles are finer than the sorts for which these numbers were computed
/// first, so there may be fewer.
#[test]
fn contest_nets_have_few_orbits() {
    let Some(mcc) = models("mcc") else {
        return;
    };
    let known: [(&str, u64, Option<u128>); 15] = [
        ("AirplaneLD-COL-0010", 591, Some(43463)),
        ("BART-COL-002", 8778, Some(17424)),
        ("CSRepetitions-COL-02", 352, Some(7424)),
        ("DatabaseWithMutex-COL-02", 43, Some(153)),
        ("DrinkVendingMachine-COL-02", 243, Some(1024)),
        ("LamportFastMutEx-COL-3", 3367, Some(19742)),
        ("Philosophers-COL-000005", 51, Some(243)),
        ("Philosophers-COL-000010", 5934, Some(59049)),
        ("PhilosophersDyn-COL-03", 60, Some(325)),
        ("PolyORBNT-COL-S05J20", 1403, None),
        ("QuasiCertifProtocol-COL-02", 275, Some(1029)),
        ("SafeBus-COL-03", 1550, Some(4650)),
        ("SharedMemory-COL-000005", 51, Some(1863)),
        ("Sudoku-COL-AN03", 2029, Some(11776)),
        ("UtilityControlRoom-COL-Z2T4N02", 559, Some(1092)),
    ];
    for (name, most, states) in known {
        let Ok(bytes) = std::fs::read(mcc.join(name).join("model.pnml")) else {
            continue;
        };
        let model = read(name, &bytes).unwrap();
        let found = quotient(&model);
        println!("{name}: {} orbits, states {:?}", found.orbits, found.states);
        assert!(found.orbits <= most, "{name}: {} orbits", found.orbits);
        if let (Some(states), Some((sum, _))) = (states, found.states) {
            assert_eq!(sum, states, "{name}");
        }
    }
}
