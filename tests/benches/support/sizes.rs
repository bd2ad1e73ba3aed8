//! Sizes of databases and folders.

use std::path::Path;

/// The size in bytes of the database at this address.
pub async fn of_store(url: &str) -> u64 {
    if let Some(file) = url.strip_prefix("sqlite:") {
        return of_folder(Path::new(file).parent().expect("the file is in a folder"));
    }
    use sqlx::ConnectOptions;
    let options: sqlx_postgres::PgConnectOptions = url.parse().expect("the address is valid");
    let mut connection = options.connect().await.expect("the store is there");
    let bytes: i64 = sqlx::query_scalar("select pg_database_size(current_database())")
        .fetch_one(&mut connection)
        .await
        .expect("the store is there");
    u64::try_from(bytes).unwrap_or_default()
}

/// The total size in bytes of all files below a folder.
pub fn of_folder(folder: &Path) -> u64 {
    let entries = std::fs::read_dir(folder).expect("it is there");
    let sizes = entries.flatten().map(|entry| match entry.metadata() {
        Ok(data) if data.is_dir() => of_folder(&entry.path()),
        Ok(data) => data.len(),
        Err(_) => 0,
    });
    sizes.sum()
}

/// Bytes as MiB.
#[expect(clippy::cast_precision_loss, reason = "a size far below 2^52")]
pub fn mib(bytes: u64) -> f64 {
    bytes as f64 / f64::from(1 << 20)
}
