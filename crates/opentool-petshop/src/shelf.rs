//! The state of one shop and the rules that hold in it, without any HTTP.

use std::collections::{BTreeMap, HashSet};

use crate::order::{NewOrder, Order, OrderStatus};
use crate::pet::{NewPet, Pet, PetChange, Status};
use crate::problem::Problem;

/// More than this many pets, or orders, are not kept: the state lives in memory.
const MOST: usize = 10_000;

/// All pets and orders of a shop.
#[derive(Debug, Default)]
pub(crate) struct Shelf {
    pets: BTreeMap<i64, Pet>,
    orders: BTreeMap<i64, Placed>,
    last_pet: i64,
    last_order: i64,
}

/// An order as it was asked for.
#[derive(Debug)]
struct Placed {
    order: NewOrder,
    key: Option<String>,
}

/// How an order came about.
#[derive(Debug)]
pub(crate) enum Placement {
    /// It is new.
    New(Order),
    /// The same key placed it before.
    Known(Order),
}

impl Shelf {
    pub(crate) fn add_pet(&mut self, pet: NewPet) -> Result<Pet, Problem> {
        pet.check()?;
        if self.pets.len() >= MOST {
            return Err(Problem::conflict("the shop is full: remove a pet first"));
        }
        // Numbers of removed pets are not used again.
        self.last_pet = self.last_pet.saturating_add(1);
        let pet = Pet::new(self.last_pet, pet);
        self.pets.insert(pet.id, pet.clone());
        Ok(pet)
    }

    pub(crate) fn pet(&self, id: i64) -> Result<Pet, Problem> {
        let pet = self.pets.get(&id).ok_or_else(|| no_pet(id))?;
        Ok(shown(pet, self.orders.values().any(|placed| placed.order.pet_id == id)))
    }

    pub(crate) fn find(&self, wanted: impl Fn(&Pet) -> bool) -> Vec<Pet> {
        let ordered: HashSet<i64> = self.orders.values().map(|placed| placed.order.pet_id).collect();
        let found = self.pets.values().filter(|pet| wanted(pet));
        found.map(|pet| shown(pet, ordered.contains(&pet.id))).collect()
    }

    pub(crate) fn change_pet(&mut self, id: i64, change: PetChange) -> Result<Pet, Problem> {
        change.check()?;
        change.apply(self.pets.get_mut(&id).ok_or_else(|| no_pet(id))?);
        self.pet(id)
    }

    pub(crate) fn remove_pet(&mut self, id: i64) -> Result<(), Problem> {
        let pet = self.pet(id)?;
        if pet.reserved {
            return Err(Problem::conflict(format!(
                "pet {id} ({}) is reserved: cancel its order first (cancelOrder)",
                pet.name
            )));
        }
        self.pets.remove(&id);
        Ok(())
    }

    /// The number of pets of each state, none left out.
    pub(crate) fn inventory(&self) -> impl Iterator<Item = (&'static str, usize)> {
        Status::ALL
            .into_iter()
            .map(|status| (status.as_str(), self.pets.values().filter(|pet| pet.status == status).count()))
    }

    pub(crate) fn place_order(&mut self, order: NewOrder, key: Option<String>) -> Result<Placement, Problem> {
        order.check()?;
        let before = self.orders.iter().find(|(_, placed)| key.is_some() && placed.key == key);
        if let Some((&id, placed)) = before {
            return if placed.order == order {
                self.order(id).map(Placement::Known)
            } else {
                Err(Problem::conflict(format!(
                    "this Idempotency-Key placed order {id}, which is another one: use a new key"
                )))
            };
        }
        let pet = self.pet(order.pet_id)?;
        if pet.status == Status::Sold {
            return Err(Problem::conflict(format!("pet {} ({}) is sold: choose another", pet.id, pet.name)));
        }
        if pet.reserved {
            return Err(Problem::conflict(format!(
                "pet {} ({}) is reserved already: choose another",
                pet.id, pet.name
            )));
        }
        if self.orders.len() >= MOST {
            return Err(Problem::conflict("the order book is full: cancel an order first"));
        }
        self.last_order = self.last_order.saturating_add(1);
        self.orders.insert(self.last_order, Placed { order, key });
        self.order(self.last_order).map(Placement::New)
    }

    pub(crate) fn order(&self, id: i64) -> Result<Order, Problem> {
        let Placed { order, .. } = self.orders.get(&id).ok_or_else(|| {
            Problem::not_found(format!("there is no order {id}; it may have been cancelled"))
        })?;
        Ok(Order {
            id,
            pet_id: order.pet_id,
            status: self.order_status(order),
            pickup_date: order.pickup_date,
            note: order.note.clone(),
        })
    }

    pub(crate) fn cancel_order(&mut self, id: i64) -> Result<(), Problem> {
        if self.order(id)?.status == OrderStatus::Delivered {
            return Err(Problem::conflict(format!("order {id} was delivered and cannot be cancelled")));
        }
        self.orders.remove(&id);
        Ok(())
    }

    fn order_status(&self, order: &NewOrder) -> OrderStatus {
        OrderStatus::of(self.pets.get(&order.pet_id).map(|pet| pet.status))
    }
}

/// A pet as it is shown: an order reserves it until it is sold.
fn shown(pet: &Pet, ordered: bool) -> Pet {
    Pet { reserved: ordered && pet.status != Status::Sold, ..pet.clone() }
}

fn no_pet(id: i64) -> Problem {
    Problem::not_found(format!("there is no pet {id}; findPetsByStatus lists those that are there"))
}
