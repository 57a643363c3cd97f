import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';

import { describe, expect, it } from 'vitest';

import { watchMoney, watchPostings, watchReplica, watchTokens } from '../../../src/api/http/countedMetrics.js';
import { HttpMetrics } from '../../../src/api/http/metrics.js';
import { namesIn, readDashboards, readRules, unknownNames } from '../../support/deploy/metricNames.js';
import { REPOSITORY } from '../../support/deploy/units.js';

interface Dashboard {
  readonly uid: string;
  readonly panels: readonly { readonly id: number; readonly gridPos: { readonly x: number; readonly y: number } }[];
}

const BACKLOG = [{ kind: 'process-video', waiting: 3, active: 1, oldestSeconds: 12.5 }];

function allMetrics(backlog = () => Promise.resolve(BACKLOG)): HttpMetrics & { count: ReturnType<typeof watched> } {
  const metrics = new HttpMetrics();
  return Object.assign(metrics, { count: watched(metrics, backlog) });
}

function watched(metrics: HttpMetrics, backlog: () => Promise<typeof BACKLOG>) {
  metrics.watchCache(() => ({ hits: 1, misses: 2, bytes: 3 }));
  metrics.watchViews(() => ({ waitingViews: 1, waitingReports: 2, lostViews: 3, lostReports: 4, droppedLines: 5 }));
  watchReplica(metrics.registry, () => 0.5);
  metrics.watchPool(() => ({ totalCount: 20, idleCount: 5, waitingCount: 7 }));
  metrics.watchService({
    backlog,
    openAlerts: () => Promise.resolve([{ kind: 'clock.held', count: 2 }]),
    lastBackupAgeSeconds: () => Promise.resolve(3600),
  });
  watchTokens(metrics.registry, () => ({
    answers: new Map([
      ['minted', 5],
      ['RATE_LIMIT_EXCEEDED', 2],
    ]),
    statements: 3,
    requests: 9,
  }));
  watchMoney(metrics.registry, {
    escrowCredits: async () => (await backlog()).length * 12.5,
    nightLagSeconds: async () => (await backlog()).length * 60,
  });
  return {
    posting: watchPostings(metrics.registry),
    webhook: metrics.watchWebhooks(() => Promise.resolve({ lagSeconds: 0, failingEndpoints: 0, disabledEndpoints: 0 })),
    run: metrics.watchProcessing(),
    operation: metrics.watchOperations(),
  };
}

describe('the rules and dashboards', () => {
  it('name only metrics that the service has, and series that a rule records', async () => {
    expect(await unknownNames(await allMetrics().text())).toEqual([]);
  });

  it('would be found to name others', async () => {
    expect(await unknownNames(await new HttpMetrics().text())).toContain('dhara_queue_oldest_seconds');
    expect(namesIn('sum by (kind) (rate(a_total{x="b"}[5m])) / on (y) c:d unless e > 0.5')).toEqual([
      'a_total',
      'c:d',
      'e',
    ]);
  });

  it('have a page in the runbooks for each alert, and no other pages', async () => {
    const alerts = (await readRules()).filter(({ alert }) => alert !== undefined);
    expect(alerts.length).toBeGreaterThan(10);
    for (const { alert, annotations } of alerts) {
      expect(annotations?.runbook_url).toBe(`docs/runbooks/${alert}.md`);
      expect(await readFile(join(REPOSITORY, annotations!.runbook_url), 'utf8')).toMatch(`# ${alert}\n`);
    }
    const pages = await readdir(join(REPOSITORY, 'docs/runbooks'));
    expect(pages.toSorted()).toEqual(alerts.map(({ alert }) => `${alert}.md`).toSorted());
  });

  it('show something in every panel', async () => {
    const dashboards = await readDashboards();
    expect([...dashboards.keys()].toSorted()).toEqual([
      'dhara-money.json',
      'dhara-processes.json',
      'dhara-processing.json',
      'dhara-service.json',
    ]);
    for (const expressions of dashboards.values()) expect(expressions.flatMap(namesIn)).not.toEqual([]);
  });

  it('have an id and panels of their own in each dashboard', async () => {
    const folder = join(REPOSITORY, 'deploy/grafana');
    for (const name of await readdir(folder)) {
      const { uid, panels } = JSON.parse(await readFile(join(folder, name), 'utf8')) as Dashboard;
      expect(`${uid}.json`).toBe(name);
      expect(new Set(panels.map(({ id }) => id)).size, name).toBe(panels.length);
      expect(new Set(panels.map(({ gridPos: { x, y } }) => `${x},${y}`)).size, name).toBe(panels.length);
    }
  });
});

describe('the metrics of the service', () => {
  it('show the queue, open alerts, the pool, runs, operations, tokens, postings and money', async () => {
    const metrics = allMetrics();
    const run = { seconds: 30, videoSeconds: 60 };
    metrics.count.run({ ...run, outcome: 'ready', secondsSinceBought: 45 });
    metrics.count.run({ ...run, outcome: 'ready', secondsSinceBought: null });
    metrics.count.run({ ...run, outcome: 'UNUSABLE_SOURCE', secondsSinceBought: 45 });
    metrics.count.operation('videos', 'success', 12);
    metrics.count.posting('STORAGE', 'posted', 30);
    metrics.observe('GET', '/media/:grant', 200, 4, 1000);
    metrics.observe('GET', '/media/:grant', 206, 4, 500);
    const lines = (await metrics.text()).split('\n');
    expect(lines).toEqual(
      expect.arrayContaining([
        'dhara_queue_jobs{kind="process-video",state="waiting"} 3',
        'dhara_queue_jobs{kind="process-video",state="active"} 1',
        'dhara_queue_oldest_seconds{kind="process-video"} 12.5',
        'dhara_open_alerts{kind="clock.held"} 2',
        'dhara_backup_age_seconds{kind="snapshot"} 3600',
        'dhara_database_connections{state="idle"} 5',
        'dhara_database_connections{state="busy"} 15',
        'dhara_database_waiting 7',
        'dhara_processing_run_duration_seconds_count{outcome="ready"} 2',
        'dhara_processing_run_duration_seconds_count{outcome="UNUSABLE_SOURCE"} 1',
        'dhara_processing_speed_ratio_sum 4',
        'dhara_processing_speed_ratio_count 2',
        'dhara_video_ready_seconds_sum 45',
        'dhara_video_ready_seconds_count 1',
        'dhara_http_sent_bytes_total{route="/media/:grant"} 1500',
        'dhara_playback_tokens_total{outcome="minted"} 5',
        'dhara_playback_tokens_total{outcome="RATE_LIMIT_EXCEEDED"} 2',
        'dhara_quota_statements_total 3',
        'dhara_quota_statement_requests_total 9',
        'dhara_ledger_posting_duration_seconds_count{type="STORAGE",outcome="posted"} 1',
        'dhara_escrow_held_credits 12.5',
        'dhara_storage_night_lag_seconds 60',
        'dhara_graphql_operation_duration_seconds_count{field="videos",outcome="success"} 1',
      ]),
    );
  });

  it('are served without the queue if the database does not answer', async () => {
    const text = await allMetrics(() => Promise.reject(new Error('away'))).text();
    expect(text).not.toContain('dhara_queue_jobs{');
    expect(text).toContain('dhara_database_waiting 7');
    expect(text).toContain('dhara_escrow_held_credits Nan');
  });
});
