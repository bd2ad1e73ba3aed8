//! Executes statements of both drivers on pools and connections.

use std::time::Duration;

use futures_util::future::BoxFuture;
use futures_util::stream::{self, BoxStream};
use futures_util::{TryFutureExt, TryStreamExt};
use sqlx::{Database, Describe, Error, Execute, Executor, SqlStr};
use sqlx_postgres::Postgres;
use sqlx_sqlite::Sqlite;

use super::connection::PooledConnection;
use super::{Driver, Pool};

/// Implements statement execution for pools and connections of one driver. All rows are fetched before the first is
/// returned, so that the timeout covers the whole result. A generic implementation does not compile: resolving the
/// `Executor` bounds of the connection recurses without end.
macro_rules! execute_bounded {
    (
        $driver:ty,
        system: $system:literal,
        survives_cancellation: $survives:literal,
        reused_for: $reused_for:expr
    ) => {
        impl<'c> Executor<'c> for &'c mut PooledConnection<$driver> {
            type Database = $driver;

            fn fetch_many<'e, 'q: 'e, E>(
                self,
                query: E,
            ) -> BoxStream<'e, Result<Step<$driver>, Error>>
            where
                'c: 'e,
                E: 'q + Execute<'q, $driver>,
            {
                let steps = async move {
                    let (connection, timer) = self.parts()?;
                    let steps = connection.fetch_many(query).try_collect::<Vec<_>>();
                    Ok(stream::iter(timer.time(steps).await?.into_iter().map(Ok)))
                };
                Box::pin(steps.try_flatten_stream())
            }

            fn fetch_optional<'e, 'q: 'e, E>(
                self,
                query: E,
            ) -> BoxFuture<'e, Result<Option<<$driver as Database>::Row>, Error>>
            where
                'c: 'e,
                E: 'q + Execute<'q, $driver>,
            {
                Box::pin(async move {
                    let (connection, timer) = self.parts()?;
                    timer.time(connection.fetch_optional(query)).await
                })
            }

            fn prepare_with<'e>(
                self,
                sql: SqlStr,
                parameters: &'e [<$driver as Database>::TypeInfo],
            ) -> BoxFuture<'e, Result<<$driver as Database>::Statement, Error>>
            where
                'c: 'e,
            {
                Box::pin(async move {
                    let (connection, timer) = self.parts()?;
                    timer.time(connection.prepare_with(sql, parameters)).await
                })
            }

            fn describe<'e>(self, sql: SqlStr) -> BoxFuture<'e, Result<Describe<$driver>, Error>>
            where
                'c: 'e,
            {
                Box::pin(async move {
                    let (connection, timer) = self.parts()?;
                    timer.time(connection.describe(sql)).await
                })
            }
        }

        impl<'c> Executor<'c> for &'c Pool<$driver> {
            type Database = $driver;

            fn fetch_many<'e, 'q: 'e, E>(
                self,
                query: E,
            ) -> BoxStream<'e, Result<Step<$driver>, Error>>
            where
                'c: 'e,
                E: 'q + Execute<'q, $driver>,
            {
                let steps = async move {
                    let mut pooled = self.acquire().await?;
                    let steps: Vec<_> = pooled.fetch_many(query).try_collect().await?;
                    Ok(stream::iter(steps.into_iter().map(Ok)))
                };
                Box::pin(steps.try_flatten_stream())
            }

            fn fetch_optional<'e, 'q: 'e, E>(
                self,
                query: E,
            ) -> BoxFuture<'e, Result<Option<<$driver as Database>::Row>, Error>>
            where
                'c: 'e,
                E: 'q + Execute<'q, $driver>,
            {
                Box::pin(async move { self.acquire().await?.fetch_optional(query).await })
            }

            fn prepare_with<'e>(
                self,
                sql: SqlStr,
                parameters: &'e [<$driver as Database>::TypeInfo],
            ) -> BoxFuture<'e, Result<<$driver as Database>::Statement, Error>>
            where
                'c: 'e,
            {
                Box::pin(async move { self.acquire().await?.prepare_with(sql, parameters).await })
            }

            fn describe<'e>(self, sql: SqlStr) -> BoxFuture<'e, Result<Describe<$driver>, Error>>
            where
                'c: 'e,
            {
                Box::pin(async move { self.acquire().await?.describe(sql).await })
            }
        }

        impl Driver for $driver {
            const SURVIVES_CANCELLATION: bool = $survives;
            const REUSED_FOR: Option<Duration> = $reused_for;
            const SYSTEM: &'static str = $system;

            fn run(
                connection: &mut Self::Connection,
                sql: SqlStr,
            ) -> BoxFuture<'_, Result<(), Error>> {
                Box::pin(async move { sqlx::raw_sql(sql).execute(connection).await.map(drop) })
            }
        }
    };
}

// A connection is an open file: it does not end by itself.
execute_bounded!(Sqlite, system: "sqlite", survives_cancellation: true, reused_for: None);
execute_bounded!(
    Postgres,
    system: "postgresql",
    survives_cancellation: false,
    reused_for: Some(Duration::from_millis(100))
);

/// A row of a result, or the end of a statement.
type Step<D> = sqlx::Either<<D as Database>::QueryResult, <D as Database>::Row>;
