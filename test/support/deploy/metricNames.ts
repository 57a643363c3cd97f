import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';

import { load } from 'js-yaml';

import { REPOSITORY } from './units.js';

export interface Rule {
  readonly alert?: string;
  readonly record?: string;
  readonly expr: string;
  readonly annotations?: { readonly summary: string; readonly runbook_url: string };
}

const PROMETHEUS = join(REPOSITORY, 'deploy/prometheus');
const GRAFANA = join(REPOSITORY, 'deploy/grafana');

/** The rules in `deploy/prometheus`. */
export async function readRules(): Promise<Rule[]> {
  const text = await readFile(join(PROMETHEUS, 'dhara.rules.yaml'), 'utf8');
  return (load(text) as { groups: { rules: Rule[] }[] }).groups.flatMap((group) => group.rules);
}

/** The expressions of each dashboard in `deploy/grafana`, by its file name. */
export async function readDashboards(): Promise<Map<string, string[]>> {
  const files = (await readdir(GRAFANA)).filter((name) => name.endsWith('.json'));
  return new Map(
    await Promise.all(
      files.map(async (name): Promise<[string, string[]]> => {
        const { panels } = JSON.parse(await readFile(join(GRAFANA, name), 'utf8')) as {
          panels: { targets: { expr: string }[] }[];
        };
        return [name, panels.flatMap((panel) => panel.targets.map((target) => target.expr))];
      }),
    ),
  );
}

/** The names of metrics and recorded series in an expression. */
export function namesIn(expression: string): string[] {
  const bare = expression
    .replaceAll(/"[^"]*"/g, '')
    .replaceAll(/\{[^}]*\}|\[[^\]]*\]/g, '')
    .replaceAll(/\b(?:by|without|on|ignoring)\s*\([^)]*\)/g, '');
  return [...bare.matchAll(/\b[a-z_][\w:]*\b(?!\s*\()/gi)]
    .map(([name]) => name)
    .filter((name) => !['and', 'or', 'unless', 'by', 'on'].includes(name));
}

/** The names of all series that a page of metrics can have, with those of histograms. */
function exposedIn(page: string): Set<string> {
  const types = [...page.matchAll(/^# TYPE (\S+) (\S+)$/gm)];
  return new Set(
    types.flatMap(([, name = '', type]) =>
      type === 'histogram' ? [`${name}_bucket`, `${name}_sum`, `${name}_count`] : [name],
    ),
  );
}

/** What other programs show: Prometheus itself, and Patroni. */
const NOT_OURS = ['up', 'patroni_postgres_running'];

/** Names that rules and dashboards use although no program and no rule has them. */
export async function unknownNames(page: string): Promise<string[]> {
  const rules = await readRules();
  const known = new Set([...exposedIn(page), ...rules.flatMap(({ record }) => record ?? []), ...NOT_OURS]);
  const expressions = [...rules.map(({ expr }) => expr), ...[...(await readDashboards()).values()].flat()];
  return [...new Set(expressions.flatMap(namesIn))].filter((name) => !known.has(name));
}
