//! All domains by name: the one list from which configurations, products and stored states know them.
//!
//! A new domain is its file and one line in `domains!` below. The domain itself defines everything else:
//! [`Configured`] has its name, its settings and its construction, [`crate::says::Says`] its statements for
//! others. The macro ([`mod@sum`]) writes the sum type of the domains, of their states and of their
//! precisions. A domain of another crate needs no line here: a [`Registration`] of it is added to a
//! [`Registry`], and products hold it in a box ([`mod@open`]).

mod configured;
mod open;
mod sum;

pub use configured::{
    Adapted, Around, Configured, DomainBlockRefiner, DomainRefiner, Evidence, InvariantSource, Merge,
    NoSettings, Refiners, Settings, Setup, Summarised, Surroundings,
};
pub use open::{OpenPrecision, OpenState, Opened};

use configured::AnySettings;
use serde::Deserialize;
use std::any::Any;
use std::fmt;
use summa_cpa::Stop;
use toml::de::{Error, ValueDeserializer};

sum::domains! {
    Location(location::Location),
    Callstack(callstack::Callstack),
    Specification(specification::Specification),
    LoopBound(loop_bound::LoopBound),
    Value(value::Value),
    Interval(interval::Intervals),
    Sign(sign::SignDomain),
    Linear(linear::Linear),
    Octagon(octagon::Octagons),
    Predicate(predicate::Predicate),
}

/// A component of a product that was just made.
pub struct Made<'a> {
    pub domain: Domain<'a>,
    pub refiners: Refiners<'a>,
}

type Make = for<'a> fn(&dyn Any, &Setup<'a, '_>) -> Result<Made<'a>, Stop>;

/// What is known of a domain before one is made.
#[derive(Clone, Copy)]
pub struct Registration {
    pub name: &'static str,
    /// What its states say, in a part of a line.
    pub what: &'static str,
    /// The setting that lets something refine it.
    pub refinable: Option<&'static str>,
    /// Every exploration needs it.
    pub is_essential: bool,
    /// It cuts explorations off at a bound.
    pub is_bounded: bool,
    /// Configurations can have a section for it.
    pub has_section: bool,
    default: fn() -> Box<dyn AnySettings>,
    read: fn(ValueDeserializer<'_>) -> Result<Box<dyn AnySettings>, Error>,
    read_table: fn(toml::Table) -> Result<Box<dyn AnySettings>, Error>,
    make: Make,
}

impl fmt::Debug for Registration {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name)
    }
}

impl PartialEq for Registration {
    fn eq(&self, other: &Self) -> bool {
        self.name == other.name
    }
}

impl Registration {
    /// Of a domain; `make` makes it, and may choose its lifetime.
    #[doc(hidden)]
    pub const fn of<D: Configured<'static>>(make: Make) -> Self {
        Self {
            name: D::NAME,
            what: D::WHAT,
            refinable: D::REFINABLE,
            is_essential: D::IS_ESSENTIAL,
            is_bounded: D::IS_BOUNDED,
            has_section: D::Settings::HAS_KEYS,
            default: || Box::new(D::Settings::default()),
            read: |section| Ok(Box::new(D::Settings::deserialize(section)?)),
            read_table: |table| Ok(Box::new(D::Settings::deserialize(toml::Value::Table(table))?)),
            make,
        }
    }
}

/// The [`Registration`] of a domain that is no case of [`Domain`]: of a type that has a lifetime and
/// implements [`Configured`], [`crate::says::Says`], `Reducer` and `Storable`.
#[macro_export]
macro_rules! registration {
    ($domain:ident) => {
        $crate::registry::Registration::of::<$domain<'static>>(|settings, setup| {
            $crate::registry::opened::<$domain<'_>>(settings, setup)
        })
    };
}

/// Makes a domain that is no case of [`Domain`].
#[doc(hidden)]
pub fn opened<'a, D>(settings: &dyn Any, setup: &Setup<'a, '_>) -> Result<Made<'a>, Stop>
where
    D: Configured<'a> + open::Whole<'a>,
{
    let settings = settings_of::<D::Settings>(settings);
    let domain = Domain::Opened(open::boxed(D::NAME, D::make(settings, setup)?));
    Ok(Made { domain, refiners: D::refiners(settings, setup) })
}

/// The settings, which were made by the same registration.
fn settings_of<S: Settings>(settings: &dyn Any) -> &S {
    match settings.downcast_ref() {
        Some(settings) => settings,
        None => unreachable!("settings of another domain"),
    }
}

/// The domains that configurations can name.
#[derive(Clone, Debug)]
pub struct Registry {
    registrations: Vec<Registration>,
}

impl Default for Registry {
    /// Those of this crate.
    fn default() -> Self {
        Self { registrations: REGISTRATIONS.to_vec() }
    }
}

impl Registry {
    /// One more.
    #[must_use]
    pub fn with(mut self, registration: Registration) -> Self {
        self.registrations.retain(|known| *known != registration);
        self.registrations.push(registration);
        self
    }

    pub fn iter(&self) -> impl Iterator<Item = &Registration> {
        self.registrations.iter()
    }

    pub fn find(&self, name: &str) -> Option<Registration> {
        self.iter().find(|known| known.name == name).copied()
    }
}

/// A domain with its settings, as a configuration has it.
pub struct Chosen {
    pub registration: Registration,
    settings: Box<dyn AnySettings>,
    /// What the configuration says, if it does.
    given: Option<toml::Table>,
}

impl Chosen {
    /// With the settings of a section, if there is one.
    ///
    /// # Errors
    /// A key or a word that the domain does not know.
    pub fn new(
        registration: Registration,
        section: Option<toml::Spanned<toml::de::DeValue<'_>>>,
    ) -> Result<Self, Error> {
        let (settings, given) = match section {
            Some(section) => {
                let given = toml::Table::deserialize(ValueDeserializer::from(section.clone()))?;
                ((registration.read)(section.into())?, Some(given))
            }
            None => ((registration.default)(), None),
        };
        Ok(Self { registration, settings, given })
    }

    /// Changes one setting.
    ///
    /// # Errors
    /// A key or a word that the domain does not know.
    pub fn set(&mut self, key: &str, value: toml::Value) -> Result<(), Error> {
        let mut given = self.given.clone().unwrap_or_default();
        given.insert(key.to_owned(), value);
        self.settings = (self.registration.read_table)(given.clone())?;
        self.given = Some(given);
        Ok(())
    }

    /// # Errors
    /// What the domain needs is not to be had.
    pub fn make<'a>(&self, setup: &Setup<'a, '_>) -> Result<Made<'a>, Stop> {
        (self.registration.make)(self.settings.as_any(), setup)
    }

    /// What the domain says and how, in a line.
    pub fn explain(&self) -> String {
        let settings = self.settings.settings_explain();
        let what = self.registration.what;
        if settings.is_empty() { what.to_owned() } else { format!("{what}; {settings}") }
    }

    pub fn check(&self, around: &Around) -> Result<(), String> {
        self.settings.settings_check(around)
    }

    pub fn refinement(&self) -> Option<&'static str> {
        self.settings.settings_refinement()
    }

    pub fn decides_targets(&self) -> bool {
        self.settings.settings_decide_targets()
    }

    pub fn has_formulas(&self) -> bool {
        self.settings.settings_have_formulas()
    }
}

impl Clone for Chosen {
    fn clone(&self) -> Self {
        Self { registration: self.registration, settings: self.settings.copied(), given: self.given.clone() }
    }
}

impl PartialEq for Chosen {
    fn eq(&self, other: &Self) -> bool {
        self.registration == other.registration && self.settings.equals(&*other.settings)
    }
}

/// The name and all settings: what summaries of the domain depend on.
impl fmt::Debug for Chosen {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} {:?}", self.registration.name, self.settings)
    }
}
