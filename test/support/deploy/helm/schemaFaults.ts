import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';

import * as keda from '@kubernetes-models/keda/keda.sh/v1alpha1';
import * as monitoring from '@kubernetes-models/prometheus-operator/monitoring.coreos.com/v1';
import * as apps from 'kubernetes-models/apps/v1';
import * as autoscaling from 'kubernetes-models/autoscaling/v2';
import * as batch from 'kubernetes-models/batch/v1';
import * as networking from 'kubernetes-models/networking.k8s.io/v1';
import * as policy from 'kubernetes-models/policy/v1';
import * as core from 'kubernetes-models/v1';

import { REPOSITORY } from '../units.js';
import type { Manifest } from './renderChart.js';

type Model = new (data: never) => { validate(): void };

const GROUPS: Readonly<Record<string, object>> = {
  'apps/v1': apps,
  'autoscaling/v2': autoscaling,
  'batch/v1': batch,
  'keda.sh/v1alpha1': keda,
  'monitoring.coreos.com/v1': monitoring,
  'networking.k8s.io/v1': networking,
  'policy/v1': policy,
  v1: core,
};
/** Below these, names are free. */
const FREE = new Set(['labels', 'annotations', 'matchLabels', 'selector', 'requests', 'limits', 'metadata']);

/** What a cluster would refuse in the document, or silently ignore. */
export async function schemaFaults(manifest: Manifest): Promise<string[]> {
  const { apiVersion, kind } = manifest;
  const Found = (GROUPS[apiVersion] as Record<string, Model> | undefined)?.[kind];
  if (Found === undefined) return [`no schema of ${apiVersion} ${kind}`];
  const faults: string[] = [];
  try {
    new Found(manifest as never).validate();
  } catch (error) {
    faults.push(`${kind}: ${(error as Error).message}`);
  }
  const known = await (fieldNames ??= readFieldNames());
  for (const name of namesIn(manifest)) if (!known.has(name)) faults.push(`${kind}: no schema has a field ${name}`);
  return faults;
}

function namesIn(value: unknown): string[] {
  if (typeof value !== 'object' || value === null) return [];
  if (Array.isArray(value)) return value.flatMap(namesIn);
  return Object.entries(value).flatMap(([name, inner]) => [name, ...(FREE.has(name) ? [] : namesIn(inner))]);
}

let fieldNames: Promise<ReadonlySet<string>> | undefined;

/** The schemas allow any further field. So a field that no schema has is a mistake that they do not find. */
async function readFieldNames(): Promise<ReadonlySet<string>> {
  const names = new Set<string>();
  for (const owner of [
    'kubernetes-models',
    '@kubernetes-models/apimachinery',
    '@kubernetes-models/keda',
    '@kubernetes-models/prometheus-operator',
  ]) {
    const folder = join(REPOSITORY, 'node_modules', owner, '_schemas');
    for (const file of await readdir(folder)) {
      if (!file.endsWith('.js')) continue;
      const text = await readFile(join(folder, file), 'utf8');
      for (const [, name = ''] of text.matchAll(/\bdata\.(\w+)/g)) names.add(name);
    }
  }
  return names;
}
