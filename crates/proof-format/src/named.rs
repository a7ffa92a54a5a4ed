//! Enums whose values have names, each from one table.

/// Declares an enum from a table of its values and their names: `ALL`, `name`, [`Display`](core::fmt::Display), and
/// behind `parse` the text of an error, [`FromStr`](core::str::FromStr). The text has two places: for the name that is
/// not known, and for all names.
#[macro_export]
macro_rules! named {
    (
        $(#[$meta:meta])*
        $vis:vis enum $Type:ident { $($(#[$of_value:meta])* $Value:ident = $name:literal,)+ }
        $(parse $error:literal)?
    ) => {
        $(#[$meta])*
        $vis enum $Type { $($(#[$of_value])* $Value,)+ }

        impl $Type {
            /// All of them, in order.
            pub const ALL: [Self; [$($name),+].len()] = [$(Self::$Value),+];

            /// Its name.
            pub const fn name(self) -> &'static str {
                match self {
                    $(Self::$Value => $name,)+
                }
            }
        }

        impl core::fmt::Display for $Type {
            fn fmt(&self, f: &mut core::fmt::Formatter<'_>) -> core::fmt::Result {
                f.write_str(self.name())
            }
        }

        $(impl core::str::FromStr for $Type {
            type Err = $crate::__alloc::string::String;

            fn from_str(name: &str) -> Result<Self, Self::Err> {
                let found = Self::ALL.into_iter().find(|one| one.name() == name);
                found.ok_or_else(|| $crate::__alloc::format!($error, $crate::text::excerpt(name), Self::ALL.map(Self::name).join(", ")))
            }
        })?
    };
}

/// Declares the suites of a protocol from one table: a row for each suite, with its name in files and options, then a
/// function for each column.
#[macro_export]
macro_rules! suites {
    (
        $(#[$meta:meta])*
        pub enum $Type:ident { $($(#[$of_suite:meta])* $Suite:ident = $name:literal { $($row:tt)+ })+ }
        $($(#[$of_column:meta])* $vis:vis $column:ident: $of:ty,)+
    ) => {
        $crate::named! {
            $(#[$meta])*
            #[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
            pub enum $Type { $($(#[$of_suite])* $Suite = $name,)+ }
            parse "no suite '{}' of this protocol: {}"
        }

        struct Row {
            $($column: $of,)+
        }

        impl $Type {
            const fn row(self) -> Row {
                match self {
                    $(Self::$Suite => Row { $($row)+ },)+
                }
            }

            $($(#[$of_column])* $vis const fn $column(self) -> $of {
                self.row().$column
            })+
        }
    };
}
