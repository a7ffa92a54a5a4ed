//! What a person names is what is proven or verified.
