//! Builders of parameters: every type has defaults and one method per field. A new field then needs no change by
//! callers who do not set it.

/// Gives a type of parameters a method `with_…` for each field.
macro_rules! setters {
    ($type:ident $(<$generic:ident>)?: $($with:ident = $field:ident: $value:ty),+ $(,)?) => {
        impl $(<$generic>)? $type $(<$generic>)? {
            $(
                #[doc = concat!("The same with another [`", stringify!($field), "`](", stringify!($type), "::", stringify!($field), ").")]
                #[must_use]
                pub fn $with(mut self, $field: $value) -> Self {
                    self.$field = $field;
                    self
                }
            )+
        }
    };
}

pub(crate) use setters;
