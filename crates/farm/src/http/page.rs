//! The parts that are the same for everybody: the page, and the description of the API.

use axum::http::{HeaderName, header};

/// The API in the words of OpenAPI 3.1, as `GET /openapi.json` gives it.
pub const OPENAPI: &str = include_str!("openapi.json");

/// A file that is part of the program, which another version of it may replace.
type File = ([(HeaderName, &'static str); 2], &'static str);

const fn file(kind: &'static str, text: &'static str) -> File {
    ([(header::CONTENT_TYPE, kind), (header::CACHE_CONTROL, "no-cache")], text)
}

/// `GET /`
pub(super) async fn html() -> File {
    file("text/html; charset=utf-8", include_str!("page/page.html"))
}

/// `GET /page.css`
pub(super) async fn css() -> File {
    file("text/css; charset=utf-8", include_str!("page/page.css"))
}

/// `GET /page.js`
pub(super) async fn js() -> File {
    file("text/javascript; charset=utf-8", include_str!("page/page.js"))
}

/// `GET /openapi.json`
pub(super) async fn openapi() -> File {
    file("application/json", OPENAPI)
}
