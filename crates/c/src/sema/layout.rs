//! Where the members of a struct or union lie: gcc's algorithm on x86 (System V), bit for bit.
//!
//! A plain member goes to the next multiple of its alignment. A bit-field goes to the next bit, unless it
//! would then touch more alignment units of its declared type than the type itself has: then it begins a new
//! unit. Packing takes away both rules. Zero-width bit-fields close the current unit and know no packing.
//! Named bit-fields give the record the alignment of their type; unnamed ones do not. A bit-field that
//! happens to fill a machine integer at a suitable place is treated as that integer, whatever the alignment
//! of its type.
//!
//! `#pragma pack(n)` limits the alignment of all members and lets bit-fields straddle. All sizes are checked:
//! an overflow gives `None`.

use crate::types::DataModel;

/// One member as the algorithm sees it.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Member {
    /// The size of its type, in bytes; 0 for a flexible array.
    pub(crate) size: u64,
    /// The alignment of its type in bytes, as in a struct (8-byte scalars have 4 on i386), or as set by a
    /// typedef.
    pub(crate) align: u64,
    /// `aligned(n)` or `_Alignas(n)` on the member itself.
    pub(crate) user_align: Option<u64>,
    /// The member or the whole record is `packed`.
    pub(crate) is_packed: bool,
    /// Width, for a bit-field.
    pub(crate) bits: Option<u32>,
    pub(crate) is_named: bool,
}

#[derive(Debug, PartialEq, Eq)]
pub(crate) struct Layout {
    /// First bit of each member.
    pub(crate) bit_offsets: Vec<u64>,
    /// The alignment of each member's place, in bytes.
    pub(crate) aligns: Vec<u64>,
    pub(crate) size: u64,
    pub(crate) align: u64,
}

/// Rules for all members of a record.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Rules {
    pub(crate) model: DataModel,
    pub(crate) is_union: bool,
    /// The alignment that `aligned(n)` on the record requests, or 1.
    pub(crate) least_align: u64,
    /// `#pragma pack(n)`.
    pub(crate) pack: Option<u64>,
}

/// Lays out a record.
pub(crate) fn layout(rules: Rules, members: &[Member]) -> Option<Layout> {
    let mut align = rules.least_align.max(1);
    let mut bit_offsets = Vec::with_capacity(members.len());
    let mut aligns = Vec::with_capacity(members.len());
    // The first free bit; in a union the length of the longest member.
    let mut end = 0u64;
    for member in members {
        let free = if rules.is_union { 0 } else { end };
        let desired = member.desired_align(free, rules);
        align = align.max(member.record_align(desired, rules));
        let start = if rules.is_union { 0 } else { member.place(free, desired, rules)? };
        bit_offsets.push(start);
        aligns.push(desired.unwrap_or(1));
        end = end.max(start.checked_add(member.bit_size()?)?);
    }
    let align_bits = align.checked_mul(8)?;
    let size = round_up(round_up(end, 8)?, align_bits)? / 8;
    Some(Layout { bit_offsets, aligns, size, align })
}

impl Member {
    fn bit_size(self) -> Option<u64> {
        match self.bits {
            Some(width) => Some(u64::from(width)),
            None => self.size.checked_mul(8),
        }
    }

    /// The bit where the member begins if `free` is the first free one.
    fn place(self, free: u64, desired_align: Option<u64>, rules: Rules) -> Option<u64> {
        let start = match desired_align {
            Some(align) => round_up(free, align.checked_mul(8)?)?,
            None => free,
        };
        let unit = self.align.checked_mul(8)?;
        match self.bits {
            Some(width) if self.machine_align(u64::from(width), free, rules.model).is_some() => Some(start),
            Some(width) if width > 0 && !self.is_packed && rules.pack.is_none() => {
                let touched = (start % unit).checked_add(u64::from(width))?.div_ceil(unit);
                if touched > self.size.checked_mul(8)? / unit { round_up(start, unit) } else { Some(start) }
            }
            _ => Some(start),
        }
    }

    /// The alignment of the member's offset in bytes. None: any bit will do.
    fn desired_align(self, free: u64, rules: Rules) -> Option<u64> {
        let natural = match self.bits {
            Some(0) => Some(self.align),
            Some(width) => self.machine_align(u64::from(width), free, rules.model),
            // An alignment asked for on the member wins over packing, even a smaller one than its type's.
            None if self.is_packed => Some(1),
            None => Some(self.align),
        };
        let desired = natural.max(self.user_align);
        match rules.pack {
            // Even a request on the member is limited, but not a zero-width bit-field.
            Some(limit) if self.bits != Some(0) => desired.map(|align| align.min(limit)),
            _ => desired,
        }
    }

    /// The alignment of a bit-field as wide as a machine integer, if `free` is a place for one.
    fn machine_align(self, width: u64, free: u64, model: DataModel) -> Option<u64> {
        let widest = if model == DataModel::Ilp32 { 64 } else { 128 };
        let is_machine_width = matches!(width, 8 | 16 | 32 | 64 | 128) && width <= widest;
        if !is_machine_width || !free.is_multiple_of(width) || self.is_packed && width > 8 {
            return None;
        }
        // i386 aligns 8-byte integers in structs to 4, unless an alignment is asked for.
        let most = if model == DataModel::Ilp32 && self.user_align.is_none() { 4 } else { 16 };
        Some((width / 8).min(most))
    }

    /// The alignment that the member requires of the record, in bytes.
    fn record_align(self, desired: Option<u64>, rules: Rules) -> u64 {
        let of_type = match (rules.pack, self.bits) {
            (_, None) => 1,
            (_, Some(_)) if !self.is_named => return 1,
            (Some(limit), Some(_)) => self.align.min(limit),
            (None, Some(_)) if self.is_packed => 1,
            (None, Some(_)) => self.align,
        };
        desired.unwrap_or(1).max(of_type)
    }
}

fn round_up(value: u64, multiple: u64) -> Option<u64> {
    value.checked_next_multiple_of(multiple.max(1))
}

#[cfg(test)]
mod tests {
    use super::*;

    const RULES: Rules = Rules { model: DataModel::Lp64, is_union: false, least_align: 1, pack: None };

    fn field(size: u64, align: u64) -> Member {
        Member { size, align, user_align: None, is_packed: false, bits: None, is_named: true }
    }

    fn bits(size: u64, width: u32) -> Member {
        Member { bits: Some(width), is_named: width > 0, ..field(size, size) }
    }

    fn offsets(members: &[Member]) -> (Vec<u64>, u64, u64) {
        let layout = layout(RULES, members).unwrap();
        (layout.bit_offsets, layout.size, layout.align)
    }

    #[test]
    fn members_are_aligned_and_the_size_padded() {
        assert_eq!(offsets(&[field(1, 1), field(4, 4), field(1, 1)]), (vec![0, 32, 64], 12, 4));
        assert_eq!(offsets(&[]), (vec![], 0, 1));
    }

    #[test]
    fn bit_fields_do_not_straddle_their_unit_unless_packed() {
        assert_eq!(offsets(&[bits(4, 30), bits(4, 3)]), (vec![0, 32], 8, 4));
        let packed = |width| Member { is_packed: true, ..bits(4, width) };
        assert_eq!(offsets(&[packed(30), packed(3)]), (vec![0, 30], 5, 1));
        assert_eq!(offsets(&[bits(1, 3), bits(4, 0), bits(1, 3)]), (vec![0, 32, 32], 5, 1));
    }

    #[test]
    fn sizes_that_do_not_fit_are_refused() {
        assert_eq!(layout(RULES, &[field(u64::MAX, 1), field(8, 8)]), None);
    }
}
