//! The contract of an operation, and how one is written.

use super::*;

/// A result of an operation over the types of a backend.
pub type OutOf<P, T> = <<P as Op>::Out as Out>::Of<T>;

/// An operation.
pub trait Op: 'static {
    /// Its name.
    const NAME: Operation;
    /// The arguments of a method, one after the other.
    type Args<'a, T: Types>;
    /// The kind of its result.
    type Out: Out;

    /// Whether the arguments are right, for a backend with these capabilities.
    ///
    /// # Errors
    /// The arguments contradict each other, the contract or the capabilities.
    fn check<T: Types>(_args: &Self::Args<'_, T>, _on: &Capabilities) -> Result<()> {
        Ok(())
    }

    /// Shows tables, trees and domains.
    fn reads<T: Types>(_args: &Self::Args<'_, T>, _on: &mut impl Reads<T>) {}

    /// The size of its input, for its span.
    fn size<T: Types>(args: &Self::Args<'_, T>) -> Size {
        let mut size = Size::default();
        Self::reads(args, &mut size);
        size
    }

    /// Tells its results and its memory, and gives a result of things that stand for it.
    fn makes<T: Types, M: Makes<T>>(args: &Self::Args<'_, T>, on: &mut M) -> OutOf<Self, M::Made>;

    /// Its least work: of each request, if there are several. An operation of which latency is all costs nothing.
    fn costs<T: Types>(_args: &Self::Args<'_, T>) -> Vec<Cost> {
        vec![Cost::default()]
    }

    /// Does something to each table that it changes.
    ///
    /// # Errors
    /// The first of `each`.
    fn changes<T: Types>(
        _args: &mut Self::Args<'_, T>,
        _each: &mut dyn FnMut(&mut Columns<&mut T::Buffer>) -> Result<()>,
    ) -> Result<()> {
        Ok(())
    }

    /// Bytes that go to the device: data, a program, and arguments whose number depends on the statement.
    fn uploaded<T: Types>(_args: &Self::Args<'_, T>) -> usize {
        0
    }

    /// The number of requests, if there is a result for each.
    fn requests<T: Types>(_args: &Self::Args<'_, T>) -> Option<usize> {
        None
    }

    /// Calls of one request each, which have the same results.
    fn one_by_one<'a, T: Types>(_args: &Self::Args<'a, T>) -> Vec<Self::Args<'a, T>> {
        Vec::new()
    }

    /// Calls it on a backend, which has handles of other types.
    ///
    /// # Errors
    /// Errors of the backend; and a handle is another backend's.
    fn through<T: Types, O: Operations, H: Handles<T, O::T>>(
        args: &mut Self::Args<'_, T>,
        on: &O,
        see: &H,
    ) -> Result<OutOf<Self, O::T>>
    where
        O::T: Types<P = T::P>;

    /// Calls it on a backend.
    ///
    /// # Errors
    /// Errors of the backend.
    fn run<O: Operations>(args: &mut Self::Args<'_, O::T>, on: &O) -> Result<OutOf<Self, O::T>> {
        Self::through::<O::T, O, Same>(args, on, &Same)
    }

    /// How other operations make its result, on a backend that has no method for it.
    ///
    /// # Errors
    /// Errors of the backend; [`crate::ErrorKind::Unsupported`] where no others can make it, as here.
    fn by_others<O: Operations>(_args: Self::Args<'_, O::T>, _on: &O) -> Result<OutOf<Self, O::T>> {
        Err(absent(Self::NAME))
    }

    /// Calls it on a backend whose type is not known.
    #[doc(hidden)]
    fn erased<T: Types, D: DynOps<T> + ?Sized>(args: Self::Args<'_, T>, on: &D) -> Result<OutOf<Self, T>>;

    /// Its result for a hook, with the tables that it changed.
    fn outcome<'t, T: Types>(_args: &'t mut Self::Args<'_, T>, made: &'t mut OutOf<Self, T>) -> Outcome<'t, T> {
        Self::Out::outcome(made)
    }
}

/// [`Operations::perform`] of one operation of a backend whose type is not known.
#[doc(hidden)]
pub trait DynOp<O: Op, T: Types> {
    fn perform(&self, args: O::Args<'_, T>) -> Result<OutOf<O, T>>;
}

macro_rules! declared {
    ($($op:ident $name:ident),+; $($call:ident $method:ident),+; $($other:ident $file:ident),+) => {
        /// [`DynOp`] of all operations.
        #[doc(hidden)]
        pub trait DynOps<T: Types>: $(DynOp<crate::op::$op, T> +)+ $(DynOp<crate::op::$other, T> +)+ {}
    };
}

crate::__operations!(declared;);

/// Writes the `impl` of an [`Op`]: its name, the names and types of its arguments, the kind of its result, then
/// functions of the trait without their types, in which the arguments have these names.
macro_rules! op {
    (
        $(#[$doc:meta])+ $op:ident $args:tt -> $out:ty;
        $($function:ident $on:tt $body:block)+
    ) => {
        op!($(#[$doc])+ $op = $op $args -> $out; $($function $on $body)+);
    };
    (
        $(#[$doc:meta])+ $op:ident = $name:ident $args:tt -> $out:ty;
        $($function:ident $on:tt $body:block)+
    ) => {
        $(#[$doc])+
        #[derive(Debug)]
        pub enum $op {}

        impl Op for $op {
            const NAME: Operation = Operation::$name;
            type Args<'a, T: Types> = op_types!($args);
            type Out = $out;

            fn erased<T: Types, D: DynOps<T> + ?Sized>(args: Self::Args<'_, T>, on: &D) -> Result<OutOf<Self, T>> {
                DynOp::<Self, T>::perform(on, args)
            }

            $(op_function!($function, $args, $on, $body);)+
        }
    };
}

macro_rules! op_types {
    (($arg:ident: $ty:ty)) => {
        $ty
    };
    (($($arg:ident: $ty:ty),*)) => {
        ($($ty),*)
    };
}

macro_rules! op_names {
    ($of:ident, ($arg:ident: $ty:ty)) => {
        #[allow(unused_variables, reason = "a function has the names of all arguments")]
        let $arg = $of;
    };
    ($of:ident, ($($arg:ident: $ty:ty),*)) => {
        #[allow(unused_variables, reason = "a function has the names of all arguments")]
        let ($($arg),*) = $of;
    };
}

macro_rules! op_function {
    (@ $args:ident, $names:tt, $body:block, $($signature:tt)+) => {
        $($signature)+ {
            op_names!($args, $names);
            $body
        }
    };
    (check, $names:tt, ($on:tt), $body:block) => {
        op_function!(@ args, $names, $body,
            fn check<T: Types>(args: &Self::Args<'_, T>, $on: &Capabilities) -> Result<()>);
    };
    (reads, $names:tt, ($on:tt), $body:block) => {
        op_function!(@ args, $names, $body,
            fn reads<T: Types>(args: &Self::Args<'_, T>, $on: &mut impl Reads<T>));
    };
    (size, $names:tt, (), $body:block) => {
        op_function!(@ args, $names, $body, fn size<T: Types>(args: &Self::Args<'_, T>) -> Size);
    };
    (makes, $names:tt, ($on:tt), $body:block) => {
        op_function!(@ args, $names, $body,
            fn makes<T: Types, M: Makes<T>>(args: &Self::Args<'_, T>, $on: &mut M) -> OutOf<Self, M::Made>);
    };
    (cost, $names:tt, (), $body:block) => {
        op_function!(@ args, $names, { vec![$body] }, fn costs<T: Types>(args: &Self::Args<'_, T>) -> Vec<Cost>);
    };
    (cost, $names:tt, ($request:tt), $body:block) => {
        fn costs<T: Types>(args: &Self::Args<'_, T>) -> Vec<Cost> {
            args.iter().map(|$request| $body).collect()
        }
    };
    (costs, $names:tt, (), $body:block) => {
        op_function!(@ args, $names, $body, fn costs<T: Types>(args: &Self::Args<'_, T>) -> Vec<Cost>);
    };
    (changes, $names:tt, ($each:tt), $body:block) => {
        op_function!(@ args, $names, $body,
            fn changes<T: Types>(
                args: &mut Self::Args<'_, T>,
                $each: &mut dyn FnMut(&mut Columns<&mut T::Buffer>) -> Result<()>,
            ) -> Result<()>);
    };
    (uploaded, $names:tt, (), $body:block) => {
        op_function!(@ args, $names, $body, fn uploaded<T: Types>(args: &Self::Args<'_, T>) -> usize);
    };
    (requests, $names:tt, (), $body:block) => {
        fn requests<T: Types>(args: &Self::Args<'_, T>) -> Option<usize> {
            Some(args.len())
        }

        fn one_by_one<'a, T: Types>(args: &Self::Args<'a, T>) -> Vec<Self::Args<'a, T>> {
            args.chunks(1).collect()
        }
    };
    (through, $names:tt, ($on:tt, $see:tt), $body:block) => {
        op_function!(@ args, $names, $body,
            fn through<T: Types, O: Operations<T: Types<P = T::P>>, H: Handles<T, O::T>>(
                args: &mut Self::Args<'_, T>,
                $on: &O,
                $see: &H,
            ) -> Result<OutOf<Self, O::T>>);
    };
    (run, $names:tt, ($on:tt), $body:block) => {
        op_function!(@ args, $names, $body,
            fn run<O: Operations>(args: &mut Self::Args<'_, O::T>, $on: &O) -> Result<OutOf<Self, O::T>>);
    };
    (by_others, $names:tt, ($on:tt), $body:block) => {
        op_function!(@ args, $names, $body,
            fn by_others<O: Operations>(args: Self::Args<'_, O::T>, $on: &O) -> Result<OutOf<Self, O::T>>);
    };
    (outcome, $names:tt, ($made:tt), $body:block) => {
        op_function!(@ args, $names, $body,
            fn outcome<'t, T: Types>(
                args: &'t mut Self::Args<'_, T>,
                $made: &'t mut OutOf<Self, T>,
            ) -> Outcome<'t, T>);
    };
}

pub(super) use {op, op_function, op_names, op_types};
