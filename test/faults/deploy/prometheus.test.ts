import { spawnSync } from 'node:child_process';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

import { dump } from 'js-yaml';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';

import { findFreePort } from '../../support/freePort.js';
import { makeDemoDataDir } from '../../support/demoDataDir.js';
import { readDashboards, unknownNames } from '../../support/deploy/metricNames.js';
import { REPOSITORY } from '../../support/deploy/units.js';
import { Client } from '../../support/graphql/client.js';
import { makeClip } from '../../support/media.js';
import { ServiceProcess, signIn } from '../../support/service.js';
import { makeVideo } from '../../support/uploads/clip.js';

describe('promtool', () => {
  it.each([
    ['check', 'rules', 'dhara.rules.yaml'],
    ['test', 'rules', 'dhara.test.yaml'],
  ])('%s %s %s finds nothing wrong', (...args) => {
    const { status, output } = promtool(join(REPOSITORY, 'deploy/prometheus'), args);
    expect(status, output).toBe(0);
  });

  it('accepts every expression of the dashboards and every query of the objectives, and no broken one', async () => {
    const queries = await readQueries();
    expect(queries.length).toBeGreaterThan(2);
    const expressions = [...[...(await readDashboards()).values()].flat(), ...queries];
    expect(await faultsIn(expressions)).toBe('');
    expect(await faultsIn([...expressions, 'sum by (kind) rate(dhara_queue_jobs[5m])'])).toContain('could not parse');
  });
});

/** The queries in `docs/slo.md`. */
async function readQueries(): Promise<string[]> {
  const text = await readFile(join(REPOSITORY, 'docs/slo.md'), 'utf8');
  return [...text.matchAll(/^```\n([^]*?)^```$/gm)].map(([, query = '']) => query);
}

/** What promtool finds wrong with these expressions; none may have a variable of Grafana. */
async function faultsIn(expressions: readonly string[]): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'dhara-expressions-'));
  try {
    const rules = expressions.map((expr, index) => ({ record: `expression:${index}`, expr }));
    await writeFile(join(folder, 'rules.yaml'), dump({ groups: [{ name: 'expressions', rules }] }));
    const { status, output } = promtool(folder, ['check', 'rules', 'rules.yaml']);
    return status === 0 ? '' : output;
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

function promtool(cwd: string, args: string[]): { status: number | null; output: string } {
  const { status, stdout, stderr } = spawnSync('promtool', args, { cwd, encoding: 'utf8' });
  return { status, output: `${stdout}${stderr}` };
}

describe('the metrics of a running service', () => {
  let folder: Awaited<ReturnType<typeof makeDemoDataDir>>;
  let service: ServiceProcess;
  let page: () => Promise<string>;

  beforeAll(async () => {
    folder = await makeDemoDataDir();
    const [port, metricsPort] = [await findFreePort(), await findFreePort()];
    service = ServiceProcess.start(['all'], {
      DATA_DIR: folder.path,
      PORT: String(port),
      METRICS_PORT: String(metricsPort),
    });
    page = async () => (await fetch(`http://127.0.0.1:${metricsPort}/metrics`)).text();
    const demo = await service.demo();
    // The demo's own clip was processed before this start, so the metrics do not count it.
    const owner = new Client(demo.url, await signIn(demo));
    await makeVideo(service, owner, await makeClip(folder.path, { durationSeconds: 1 }));
  });

  afterAll(async () => {
    await service?.stop();
    await folder?.remove();
  });

  it('include every one that the rules and dashboards name, but for those of a replica, which it has not', async () => {
    const unknown = await unknownNames(await page());
    expect(unknown.filter((name) => !name.startsWith('dhara_replica_'))).toEqual([]);
  });

  it('count a video’s run and its queue', async () => {
    await expect.poll(page).toMatch(/^dhara_processing_run_duration_seconds_count\{outcome="ready"\} 1$/m);
    expect(await page()).toMatch(/^dhara_video_ready_seconds_bucket\{le="3600"\} 1$/m);
    expect(await page()).toMatch(/^dhara_video_ready_seconds_count 1$/m);
    expect(await page()).toMatch(/^dhara_queue_jobs\{kind="process-video",state="waiting"\} 0$/m);
    expect(await page()).toMatch(/^dhara_queue_oldest_seconds\{kind="process-video"\} 0$/m);
    expect(await page()).toMatch(/^dhara_database_connections\{state="idle"\} \d+$/m);
  });

  it('count GraphQL operations by a field of the schema, whatever the caller names', async () => {
    const demo = await service.demo();
    const cookie = await signIn(demo);
    for (const query of ['query Named { viewer { email } }', 'query Other { noSuchField }']) {
      await fetch(`${demo.url}/graphql`, {
        method: 'POST',
        headers: { 'content-type': 'application/json', cookie },
        body: JSON.stringify({ query }),
      });
    }
    const text = await page();
    expect(text).toMatch(
      /^dhara_graphql_operation_duration_seconds_count\{field="viewer",outcome="(?:success|error)"\} 1$/m,
    );
    expect(text).not.toMatch(/Named|Other|noSuchField/);
  });
});
