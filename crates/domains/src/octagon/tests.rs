//! Octagons against all solutions in a small cube.

use super::{Constraint, Name, Octagon};
use summa_base::Id;
use summa_c::tree::VarId;

fn x(i: usize) -> Name {
    Name::Now(VarId::from_index(i))
}

fn sum(i: usize, j: usize, bound: i128) -> Constraint {
    Constraint { terms: vec![(x(i), false), (x(j), false)], bound }
}

fn difference(i: usize, j: usize, bound: i128) -> Constraint {
    Constraint { terms: vec![(x(i), false), (x(j), true)], bound }
}

fn within(i: usize, lower: i128, upper: i128) -> [Constraint; 2] {
    [
        Constraint { terms: vec![(x(i), false)], bound: upper },
        Constraint { terms: vec![(x(i), true)], bound: -lower },
    ]
}

fn octagon(constraints: &[Constraint]) -> Octagon {
    Octagon::default().and(constraints).expect("there is a solution")
}

/// All solutions in a small square.
fn solutions(octagon: &Octagon, variables: usize) -> Vec<Vec<i128>> {
    let mut points = vec![vec![]];
    for _ in 0..variables {
        points = points
            .into_iter()
            .flat_map(|p: Vec<i128>| (-4..=4).map(move |v| [&p[..], &[v]].concat()))
            .collect();
    }
    let holds = |point: &Vec<i128>, constraint: &Constraint| {
        let value = |&(name, is_negative): &(Name, bool)| {
            let Name::Now(var) = name else { return 0 };
            if is_negative { -point[var.index()] } else { point[var.index()] }
        };
        constraint.terms.iter().map(value).sum::<i128>() <= constraint.bound
    };
    points.retain(|point| octagon.constraints().iter().all(|constraint| holds(point, constraint)));
    points
}

#[test]
fn bounds_follow_from_each_other() {
    let [_, at_least_one] = within(1, 1, 9);
    let known = octagon(&[sum(0, 1, 10), at_least_one]);
    assert_eq!(known.bound(&[(x(0), false)]), Some(9));
    assert_eq!(known.bound(&[(x(0), false), (x(1), false)]), Some(10));
    assert_eq!(known.bound(&[(x(0), false), (x(1), true)]), Some(8));
    assert_eq!(known.bound(&[(x(0), true)]), None);
}

#[test]
fn halves_are_rounded_and_contradictions_found() {
    // x + y ≤ 1 and x - y ≤ 0: x ≤ 0.
    assert_eq!(octagon(&[sum(0, 1, 1), difference(0, 1, 0)]).bound(&[(x(0), false)]), Some(0));
    let [upper, lower] = within(0, 3, 2);
    assert_eq!(Octagon::default().and([&upper, &lower]), None);
    // x + y = 1 and x = y have a solution, but not over the integers.
    let minus = Constraint { terms: vec![(x(0), true), (x(1), true)], bound: -1 };
    let parts = [sum(0, 1, 1), minus, difference(0, 1, 0), difference(1, 0, 0)];
    assert_eq!(Octagon::default().and(&parts), None);
}

/// A recursive call that moves one from n to m keeps their sum.
#[test]
fn what_is_passed_on_is_known() {
    let start = octagon(&[&within(0, 0, 7)[..], &within(1, 1, 7)[..]].concat());
    let next = start.shifted(x(0), 1).shifted(x(1), -1);
    assert_eq!(next.bound(&[(x(0), false), (x(1), false)]), Some(14));
    let widened = start.widen(&next);
    assert_eq!(widened.bound(&[(x(0), false), (x(1), false)]), Some(14));
    assert_eq!(widened.bound(&[(x(1), true)]), None);
    assert!(start.is_within(&widened) && next.is_within(&widened));
}

#[test]
fn operations_agree_with_solutions() {
    let mut state = 7u64;
    let mut random = move |limit: u64| {
        state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (state >> 33) % limit
    };
    let mut some = || -> Option<Octagon> {
        let mut all = Vec::new();
        for i in 0..3 {
            all.extend(within(i, -4, 4));
        }
        for _ in 0..3 {
            let (i, j) = (random(3) as usize, random(3) as usize);
            if i != j {
                let terms = vec![(x(i), random(2) == 0), (x(j), random(2) == 0)];
                all.push(Constraint { terms, bound: i128::from(random(7)) - 3 });
            }
        }
        Octagon::default().and(&all)
    };
    let mut compared = 0;
    for _ in 0..200 {
        let (Some(a), Some(b)) = (some(), some()) else { continue };
        let [pa, pb] = [&a, &b].map(|octagon| solutions(octagon, 3));
        assert!(!pa.is_empty() && !pb.is_empty(), "a closed octagon has a solution");
        let joined = solutions(&a.join(&b), 3);
        assert!(pa.iter().chain(&pb).all(|point| joined.contains(point)));
        let both: Vec<_> = pa.iter().filter(|point| pb.contains(point)).cloned().collect();
        assert_eq!(a.meet(&b).map_or(Vec::new(), |meet| solutions(&meet, 3)), both);
        assert_eq!(a.is_within(&b), pa.iter().all(|point| pb.contains(point)));
        // Every bound is reached.
        for constraint in a.constraints() {
            let value = |point: &Vec<i128>| {
                let term = |&(name, minus): &(Name, bool)| match name {
                    Name::Now(var) if minus => -point[var.index()],
                    Name::Now(var) => point[var.index()],
                    Name::Next(_) => 0,
                };
                constraint.terms.iter().map(term).sum::<i128>()
            };
            assert_eq!(pa.iter().map(value).max(), Some(constraint.bound));
        }
        let without = a.without(|name| name == x(1));
        let shadow: Vec<_> = solutions(&without, 3).into_iter().map(|p| (p[0], p[2])).collect();
        assert!(shadow.iter().all(|&(p, q)| pa.iter().any(|point| (point[0], point[2]) == (p, q))));
        compared += 1;
    }
    assert!(compared > 50, "{compared}");
}
