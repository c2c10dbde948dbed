//! Where in a long list of members the one of a name is, so that arguments of many keys cost as much as they are long.
//!
//! Made once, when the first key is looked for, and no part of what a codec is: two with the same members are equal.

use std::hash::{Hash, Hasher};
use std::sync::OnceLock;

use super::MemberCodec;

/// Members that are looked through as they stand.
const FEW: usize = 16;

/// The members by both of their names.
#[derive(Debug, Clone, Default)]
pub(super) struct Index {
    pub(super) names: Order,
    pub(super) lowered: Order,
}

impl PartialEq for Index {
    fn eq(&self, _: &Self) -> bool {
        true
    }
}

impl Hash for Index {
    fn hash<H: Hasher>(&self, _: &mut H) {}
}

/// The places of the members in the order of a name.
#[derive(Debug, Clone, Default)]
pub(super) struct Order(OnceLock<Box<[usize]>>);

impl Order {
    /// The first member of this name; `by` is the name that it is an order of.
    pub(super) fn find<'m>(
        &self,
        members: &'m [MemberCodec],
        by: impl Fn(&'m MemberCodec) -> &'m String,
        name: &str,
    ) -> Option<&'m MemberCodec> {
        if members.len() <= FEW {
            return members.iter().find(|member| by(member) == name);
        }
        let name_at = |place: usize| members.get(place).map(|member| by(member).as_str());
        let order = self.0.get_or_init(|| {
            let mut order: Box<[usize]> = (0..members.len()).collect();
            order.sort_by_key(|place| name_at(*place));
            order
        });
        let first = order.partition_point(|place| name_at(*place) < Some(name));
        members.get(*order.get(first)?).filter(|member| by(member) == name)
    }
}
