//! Builders: parameters are made by their defaults and one method per field, so that a field can be added without a change to those
//! who leave it alone.

/// Gives a type of parameters a method `with_…` for each field.
macro_rules! setters {
    ($type:ident: $($with:ident = $field:ident: $value:ty),+ $(,)?) => {
        impl $type {
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
