import pg from 'pg';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';

import { createTestDatabase, type TestDatabase } from '../../support/database.js';
import { renderChart } from '../../support/deploy/helm/renderChart.js';

interface ScaledObject {
  readonly triggers: readonly { readonly metadata: { readonly query: string; readonly targetQueryValue: string } }[];
}

describe("the query by which KEDA scales workers, as the service's role", () => {
  let database: TestDatabase;
  let client: pg.Client;
  let query: string;

  beforeAll(async () => {
    database = await createTestDatabase();
    client = new pg.Client({ connectionString: database.runtimeUrl });
    await client.connect();
    const manifests = await renderChart({ 'worker.concurrency': 2, 'worker.autoscaling.waitSeconds': 60 });
    const { triggers } = manifests.find(({ kind }) => kind === 'ScaledObject')!['spec'] as ScaledObject;
    query = triggers[0]!.metadata.query;
    expect(triggers[0]!.metadata.targetQueryValue).toBe('60');
  });

  afterAll(async () => {
    await client?.end();
    await database?.drop();
  });

  beforeEach(() => client.query('delete from pgboss.job'));

  async function add(name: string, state: string, { age = 0, startsIn = 0 } = {}): Promise<void> {
    await client.query(
      `insert into pgboss.job (name, state, created_on, start_after)
       values ($1, $2::pgboss.job_state, now() - make_interval(secs => $3), now() + make_interval(secs => $4))`,
      [name, state, age, startsIn === 0 ? -age : startsIn],
    );
  }

  async function value(): Promise<unknown> {
    const { rows } = await client.query({ text: query, rowMode: 'array' });
    expect(rows).toHaveLength(1);
    expect(rows[0]).toHaveLength(1);
    return rows[0]?.[0];
  }

  it('answers 0 while nothing waits', async () => {
    expect(await value()).toBe(0);
  });

  it('answers how long the oldest job has waited, of those that may start', async () => {
    await add('process-video', 'created', { age: 100 });
    await add('measure-upload', 'retry', { age: 300 });
    await add('encode-chunk', 'created', { age: 900, startsIn: 60 });
    await add('process-video', 'completed', { age: 5000 });
    await add('sweep', 'created', { age: 5000 });
    expect(await value()).toBeGreaterThanOrEqual(300);
    expect(await value()).toBeLessThan(900);
  });

  it('keeps enough workers for the videos that are being processed', async () => {
    for (let job = 0; job < 5; job += 1) await add('process-video', 'active', { age: 5000 });
    expect(await value()).toBe(3 * 60);
  });
});
