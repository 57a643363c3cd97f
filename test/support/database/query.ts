import pg from 'pg';

/** Runs one statement on its own connection. @returns its rows */
export async function query<Row extends object>(url: string, sql: string, values?: unknown[]): Promise<Row[]> {
  const client = new pg.Client({ connectionString: url });
  // A connection may be cut off between the result and the end.
  client.on('error', () => undefined);
  await client.connect();
  try {
    return (await client.query<Row & pg.QueryResultRow>(sql, values)).rows;
  } finally {
    await client.end().catch(() => undefined);
  }
}
