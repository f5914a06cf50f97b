//! The reached set and the abstract reachability graph (ARG) over it.
//!
//! States live in an arena and keep their numbers. A merge replaces a state in place: its parents, and those
//! of the state that was merged into it, are parents of the result. Reached states are stored in partitions
//! (see `partition`). A covered state stays in the graph, with an edge to the state that covers it, but it is
//! neither expanded nor used to cover.
//!
//! Coverage is sound for three reasons. A state is only covered by an older one. A covering state is itself
//! expanded: it is neither covered nor below a covered state. An operation that changes this (removal, cover
//! of a subtree) uncovers all states that relied on it.

use crate::cpa::{Cpa, Key};
use crate::moves::Move;
use crate::partition::{Partitions, Place};
use crate::rank::{Rank, Ranks};
use crate::waitlist::{Layer, Waitlist};
use summa_base::{IdVec, define_id};
use summa_cfa::{Cfa, NodeId};

define_id! {
    /// A state of the abstract reachability graph; younger ones have higher numbers.
    ArgId = "s";
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Status {
    /// In the reached set.
    Reached,
    Covered(ArgId),
    /// Below a covered state: kept, but it does not count while that lasts.
    Dormant,
    Removed,
}

#[derive(Debug)]
pub struct ArgNode<C: Cpa> {
    pub state: C::State,
    pub precision: C::Precision,
    pub node: NodeId,
    /// States from which one move leads here. The first is the way by which it was first reached.
    pub parents: Vec<(ArgId, Move)>,
    pub children: Vec<ArgId>,
    /// The states that this one covers.
    pub covers: Vec<ArgId>,
    pub status: Status,
    pub is_target: bool,
    pub rank: Rank,
    /// The state left the waitlist without being expanded: it must wait again when it counts again.
    is_pending: bool,
    place: Place,
}

/// `reached` and `waitlist` of the paper's algorithms.
#[derive(Debug)]
pub struct Reached<C: Cpa> {
    pub nodes: IdVec<ArgId, ArgNode<C>>,
    pub waitlist: Waitlist,
    pub roots: Vec<ArgId>,
    partitions: Partitions,
    ranks: Ranks,
    /// The key of the state that was looked at last: its memory is used again.
    key: Key,
}

impl<C: Cpa> Reached<C> {
    pub fn new(layers: Vec<Layer>) -> Self {
        Self::with_ranks(layers, Ranks::default())
    }

    /// For many sets over one program: what is known of its order is shared.
    pub fn with_ranks(layers: Vec<Layer>, ranks: Ranks) -> Self {
        Self {
            nodes: IdVec::new(),
            waitlist: Waitlist::new(layers),
            roots: Vec::new(),
            partitions: Partitions::default(),
            ranks,
            key: Key::new(),
        }
    }

    /// The set is complete: what only helps to grow it is given back. The graph stays.
    pub fn freeze(&mut self) {
        self.partitions = Partitions::default();
        self.key = Key::new();
    }

    // ---- growing ----

    /// An initial state, in both sets.
    pub fn add_root(
        &mut self,
        cfa: &Cfa,
        cpa: &C,
        node: NodeId,
        state: C::State,
        precision: C::Precision,
    ) -> ArgId {
        let rank = self.ranks.initial(cfa, node);
        let place = self.place(cpa, &state);
        let id = self.insert(cpa, node, state, precision, Vec::new(), rank, place);
        self.roots.push(id);
        self.enter(id);
        self.waitlist.push(id, &self.nodes[id].rank);
        id
    }

    /// The place of a state in the reached set.
    pub fn place(&mut self, cpa: &C, state: &C::State) -> Place {
        self.key.clear();
        cpa.key(state, &mut self.key);
        Place { partition: self.partitions.number(&self.key), signature: cpa.signature(state) }
    }

    /// A successor that is neither in the reached set nor waiting yet.
    #[expect(clippy::too_many_arguments, reason = "they are the parts of a node")]
    pub fn add_child(
        &mut self,
        cfa: &Cfa,
        cpa: &C,
        parent: ArgId,
        by: Move,
        state: C::State,
        precision: C::Precision,
        place: Place,
    ) -> ArgId {
        let rank = self.ranks.after(cfa, &self.nodes[parent].rank, by);
        let id = self.insert(cpa, by.to, state, precision, vec![(parent, by)], rank, place);
        self.nodes[parent].children.push(id);
        id
    }

    #[expect(clippy::too_many_arguments, reason = "they are the parts of a node")]
    fn insert(
        &mut self,
        cpa: &C,
        node: NodeId,
        state: C::State,
        precision: C::Precision,
        parents: Vec<(ArgId, Move)>,
        rank: Rank,
        place: Place,
    ) -> ArgId {
        let is_target = cpa.is_target(&state);
        self.nodes.push(ArgNode {
            state,
            precision,
            node,
            parents,
            children: Vec::new(),
            covers: Vec::new(),
            status: Status::Reached,
            is_target,
            rank,
            is_pending: false,
            place,
        })
    }

    /// Into the reached set, and waiting to be expanded.
    pub fn add(&mut self, id: ArgId) {
        self.nodes[id].status = Status::Reached;
        self.enter(id);
        self.waitlist.push(id, &self.nodes[id].rank);
    }

    fn enter(&mut self, id: ArgId) {
        self.partitions.insert(self.nodes[id].place, id);
    }

    fn exit(&mut self, id: ArgId) {
        self.partitions.remove(self.nodes[id].place, id);
        self.nodes[id].is_pending |= self.waitlist.remove(id, &self.nodes[id].rank);
    }

    /// One more way to a state that is there already.
    pub fn add_parent(&mut self, id: ArgId, parent: ArgId, by: Move) {
        if !self.nodes[id].parents.contains(&(parent, by)) {
            self.nodes[id].parents.push((parent, by));
        }
        if !self.nodes[parent].children.contains(&id) {
            self.nodes[parent].children.push(id);
        }
    }

    /// A merged state takes the place of a reached one and waits again.
    pub fn replace(&mut self, cpa: &C, id: ArgId, state: C::State, precision: C::Precision) {
        let place = self.place(cpa, &state);
        if place != self.nodes[id].place {
            self.partitions.remove(self.nodes[id].place, id);
            self.partitions.insert(place, id);
            self.nodes[id].place = place;
        }
        self.nodes[id].is_target = cpa.is_target(&state);
        self.nodes[id].state = state;
        self.nodes[id].precision = precision;
        self.waitlist.push(id, &self.nodes[id].rank);
    }

    // ---- looking ----

    /// The reached states that a state of this key can meet, oldest first.
    pub fn bucket(&self, key: &Key) -> &[ArgId] {
        self.partitions.of_key(key)
    }

    pub fn key(&self, id: ArgId) -> &Key {
        self.partitions.key(self.nodes[id].place.partition)
    }

    /// The reached states with which one of this place can be merged, oldest first: no other can.
    pub fn neighbours(&self, place: Place) -> &[ArgId] {
        self.partitions.mergeable(place)
    }

    /// The reached states that can cover a state of this place, the most promising first: no other can.
    pub fn candidates(&self, place: Place) -> impl Iterator<Item = ArgId> + '_ {
        self.partitions.candidates(place)
    }

    /// The reached states, oldest first.
    pub fn reached(&self) -> impl Iterator<Item = ArgId> + '_ {
        self.nodes.iter().filter(|(_, node)| node.status == Status::Reached).map(|(id, _)| id)
    }

    /// Everything in the graph, covered states included.
    pub fn alive(&self) -> impl Iterator<Item = ArgId> + '_ {
        self.nodes.iter().filter(|(_, node)| node.status != Status::Removed).map(|(id, _)| id)
    }

    /// The reached targets, oldest first.
    pub fn targets(&self) -> impl Iterator<Item = ArgId> + '_ {
        self.reached().filter(|&id| self.nodes[id].is_target)
    }

    /// One way from an initial state to this one: the states behind the first, each with the move that leads
    /// there.
    pub fn path_to(&self, id: ArgId) -> (ArgId, Vec<(Move, ArgId)>) {
        let (mut path, mut at) = (Vec::new(), id);
        // The first parent is older, or the state would not have been made: this ends.
        while let Some(&(parent, by)) = self.nodes[at].parents.first() {
            path.push((by, at));
            at = parent;
        }
        path.reverse();
        (at, path)
    }

    /// The state and all below it, each once, parents before children where the graph is a tree.
    pub fn subtree(&self, root: ArgId) -> Vec<ArgId> {
        let mut seen = summa_base::IdSet::new();
        let (mut found, mut todo) = (Vec::new(), vec![root]);
        while let Some(id) = todo.pop() {
            if self.nodes[id].status == Status::Removed || !seen.insert(id) {
                continue;
            }
            found.push(id);
            todo.extend(self.nodes[id].children.iter().rev());
        }
        found
    }

    // ---- coverage ----

    /// A state that is not in the reached set is covered by one that is.
    pub fn cover(&mut self, id: ArgId, by: ArgId) {
        self.exit(id);
        self.nodes[id].status = Status::Covered(by);
        self.nodes[by].covers.push(id);
    }

    /// A reached state with everything below it is covered: its subtree sleeps, and what that subtree covered
    /// is on its own again.
    pub fn cover_subtree(&mut self, id: ArgId, by: ArgId) {
        for below in self.subtree(id) {
            for covered in std::mem::take(&mut self.nodes[below].covers) {
                self.wake(covered);
            }
            if self.nodes[below].status == Status::Reached {
                self.exit(below);
                self.nodes[below].status = Status::Dormant;
            }
        }
        self.cover(id, by);
    }

    /// A state is no longer covered: it and what slept below it count again.
    pub fn uncover(&mut self, id: ArgId) {
        let Status::Covered(by) = self.nodes[id].status else { return };
        self.nodes[by].covers.retain(|&covered| covered != id);
        self.wake(id);
    }

    /// Takes a covered state back. Below it, states that were covered on their own stay so.
    fn wake(&mut self, id: ArgId) {
        if !matches!(self.nodes[id].status, Status::Covered(_)) {
            return;
        }
        self.nodes[id].status = Status::Dormant;
        let mut todo = vec![id];
        while let Some(at) = todo.pop() {
            if self.nodes[at].status != Status::Dormant {
                continue;
            }
            self.nodes[at].status = Status::Reached;
            self.enter(at);
            let was_pending = std::mem::take(&mut self.nodes[at].is_pending);
            if was_pending || self.nodes[at].children.is_empty() {
                self.waitlist.push(at, &self.nodes[at].rank);
            }
            todo.extend(self.nodes[at].children.iter().rev());
        }
    }

    /// A state was taken from the waitlist but not expanded, because it is covered: it waits again when it
    /// counts again.
    pub fn postpone(&mut self, id: ArgId) {
        self.nodes[id].is_pending = true;
    }

    // ---- removal ----

    /// Removes a state, all below it, and all that one of these covered. What is left without a successor it
    /// once had waits again; these states are returned.
    pub fn remove_subtree(&mut self, root: ArgId) -> Vec<ArgId> {
        let mut removed = Vec::new();
        let mut todo = vec![root];
        while let Some(next) = todo.pop() {
            let mut subtree = self.subtree(next);
            // The youngest first: partitions are ordered by age, and losing the last one is cheap.
            subtree.sort_unstable_by(|a, b| b.cmp(a));
            for id in subtree {
                self.exit(id);
                if let Status::Covered(by) = self.nodes[id].status {
                    self.nodes[by].covers.retain(|&covered| covered != id);
                }
                self.nodes[id].status = Status::Removed;
                todo.append(&mut self.nodes[id].covers);
                removed.push(id);
            }
        }
        let mut frontier = Vec::new();
        for &id in &removed {
            for (parent, _) in std::mem::take(&mut self.nodes[id].parents) {
                self.nodes[parent].children.retain(|&child| child != id);
                match self.nodes[parent].status {
                    Status::Reached => frontier.push(parent),
                    Status::Covered(_) | Status::Dormant => self.nodes[parent].is_pending = true,
                    Status::Removed => {}
                }
            }
            self.nodes[id].children.clear();
        }
        frontier.sort_unstable();
        frontier.dedup();
        for &parent in &frontier {
            self.waitlist.push(parent, &self.nodes[parent].rank);
        }
        self.roots.retain(|root| self.nodes[*root].status != Status::Removed);
        frontier
    }

    /// Removes a state and all below it that were shown to be empty. Its parents need not be expanded again;
    /// what the removed states covered counts again.
    pub fn prune(&mut self, root: ArgId) {
        let subtree = self.subtree(root);
        for &id in &subtree {
            self.exit(id);
            if let Status::Covered(by) = self.nodes[id].status {
                self.nodes[by].covers.retain(|&covered| covered != id);
            }
            self.nodes[id].status = Status::Removed;
            self.nodes[id].children.clear();
        }
        for &id in &subtree {
            for covered in std::mem::take(&mut self.nodes[id].covers) {
                self.wake(covered);
            }
            for (parent, _) in std::mem::take(&mut self.nodes[id].parents) {
                self.nodes[parent].children.retain(|&child| child != id);
            }
        }
        self.roots.retain(|root| self.nodes[*root].status != Status::Removed);
    }

    /// The state waits again, with another precision.
    pub fn requeue(&mut self, id: ArgId, precision: C::Precision) {
        self.nodes[id].precision = precision;
        self.waitlist.push(id, &self.nodes[id].rank);
    }
}
