//! Sizes of databases and folders.

use std::path::Path;

/// The size in bytes of the database at this address. Without the write-ahead log, whose size is that of the largest
/// write since it was last truncated.
pub async fn of_store(url: &str) -> u64 {
    if let Some(file) = url.strip_prefix("sqlite:") {
        let folder = Path::new(file).parent().expect("the file is in a folder");
        return sum(folder, &|file| !file.to_string_lossy().ends_with("-wal"));
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
    sum(folder, &|_file| true)
}

/// The total size of the files below a folder that count.
fn sum(folder: &Path, counts: &dyn Fn(&Path) -> bool) -> u64 {
    let entries = std::fs::read_dir(folder).expect("it is there");
    let sizes = entries.flatten().map(|entry| match entry.metadata() {
        Ok(data) if data.is_dir() => sum(&entry.path(), counts),
        Ok(data) if counts(&entry.path()) => data.len(),
        Ok(_) | Err(_) => 0,
    });
    sizes.sum()
}

/// Bytes as MiB.
#[expect(clippy::cast_precision_loss, reason = "a size far below 2^52")]
pub fn mib(bytes: u64) -> f64 {
    bytes as f64 / f64::from(1 << 20)
}
