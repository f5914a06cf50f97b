//! The branches before an index that may leave the member that it is applied to (see [`crate::members`]).

use super::Branches;
use crate::cfa::{ErrorKind, NodeKind, Op};
use crate::members::{Reach, reach};
use summa_c::tree::{BinaryOp, ExprId, PlaceId};

/// The reason why there is no verdict after such an index.
pub const LEAVES_MEMBER: &str = "an index that leaves the member of a struct, which is undefined (6.5.6)";

impl Branches<'_> {
    pub(super) fn index(&mut self, array: PlaceId, index: ExprId) {
        if !self.members_apart {
            return;
        }
        // Indices that are always outside, and arrays behind pointers, are left to points-to.
        let Reach::Asked(last) = reach(self.program, self.ranges, array, index).reach else { return };
        let node = self.draft.node(NodeKind::Plain, self.span);
        self.draft.terminal(node, Op::Unsupported { what: LEAVES_MEMBER.into() }, self.span);
        self.failing = Some(node);
        // The kind is that of an error, and this is none.
        self.fail_if(ErrorKind::Assertion, BinaryOp::Lt, index, 0);
        if let Some(last) = last {
            self.fail_if(ErrorKind::Assertion, BinaryOp::Gt, index, i128::from(last));
        }
    }
}
