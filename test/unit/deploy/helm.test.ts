import { readFile } from 'node:fs/promises';
import { join } from 'node:path';

import { describe, expect, it } from 'vitest';

import { describeSettings, loadConfig } from '../../../src/config/config.js';
import { type Manifest, renderChart } from '../../support/deploy/helm/renderChart.js';
import { schemaFaults } from '../../support/deploy/helm/schemaFaults.js';
import { REPOSITORY } from '../../support/deploy/units.js';

/** Each branch of the templates is rendered by one of these. */
const VARIANTS = {
  'as it is': {},
  'with everything': {
    'serviceMonitor.enabled': true,
    'cloudnativepg.enabled': true,
    'worker.autoscaling.connectionSecret': 'dhara-queue',
    'data.existingClaim': 'dhara-data',
    'image.digest': `sha256:${'0'.repeat(64)}`,
    imagePullSecrets: [{ name: 'registry' }],
  },
  'with a plain HorizontalPodAutoscaler of workers': { 'worker.autoscaling.kind': 'cpu' },
  'with as little as possible': {
    'worker.autoscaling.kind': 'none',
    'api.autoscaling.enabled': false,
    'ingress.enabled': false,
    'networkPolicy.enabled': false,
  },
};

interface Container {
  readonly args: string[];
  readonly env: { readonly name: string; readonly value?: string }[];
  readonly ports?: { readonly name: string; readonly containerPort: number }[];
  readonly securityContext: Record<string, unknown>;
  readonly startupProbe?: unknown;
  readonly readinessProbe?: { readonly httpGet: { readonly path: string } };
  readonly livenessProbe?: { readonly httpGet?: { readonly path: string } };
  readonly lifecycle?: unknown;
}

interface Pod {
  readonly containers: Container[];
  readonly terminationGracePeriodSeconds?: number;
  readonly securityContext: Record<string, unknown>;
}

describe('the chart', () => {
  it.each(Object.entries(VARIANTS))('%s renders documents that the schemas allow', async (_name, changes) => {
    const manifests = await renderChart(changes);
    const faults = [];
    for (const manifest of manifests) {
      // npm carries no schema of CloudNativePG.
      if (manifest.kind !== 'Cluster') faults.push(...(await schemaFaults(manifest)));
    }
    expect(faults).toEqual([]);
    const names = manifests.map(({ kind, metadata }) => `${kind}/${metadata.name}`);
    expect(new Set(names).size).toBe(names.length);
  });

  it('would be found to have a wrong type, a missing field, or a field that does not exist', async () => {
    const budget = (spec: object): Manifest => ({
      apiVersion: 'policy/v1',
      kind: 'PodDisruptionBudget',
      metadata: { name: 'x' },
      spec,
    });
    expect(await schemaFaults(budget({ minAvailable: 1 }))).toEqual([]);
    expect(await schemaFaults(budget({ selector: 1 }))).not.toEqual([]);
    expect(await schemaFaults(budget({ minAvailible: 1 }))).toEqual([
      'PodDisruptionBudget: no schema has a field minAvailible',
    ]);
    const deployment = { ...budget({ template: {} }), apiVersion: 'apps/v1', kind: 'Deployment' };
    expect(await schemaFaults(deployment)).not.toEqual([]);
  });

  it('makes the documents that each choice asks for', async () => {
    const kinds = async (changes: object) =>
      (await renderChart({ ...changes })).map(({ kind, metadata }) => `${kind}/${metadata.name}`);
    const usual = await kinds({});
    expect(usual).toEqual(
      expect.arrayContaining([
        'Deployment/dhara-api',
        'HorizontalPodAutoscaler/dhara-api',
        'Deployment/dhara-worker',
        'ScaledObject/dhara-worker',
        'Job/dhara-migrate',
        'PodDisruptionBudget/dhara-api',
        'PodDisruptionBudget/dhara-worker',
        'NetworkPolicy/dhara-migrate',
        'Ingress/dhara-api',
      ]),
    );
    const plain = await kinds({ 'worker.autoscaling.kind': 'cpu' });
    expect(plain).toContain('HorizontalPodAutoscaler/dhara-worker');
    expect(plain).not.toContain('ScaledObject/dhara-worker');
    expect(await kinds(VARIANTS['with everything'])).toEqual(
      expect.arrayContaining(['Cluster/dhara-db', 'ServiceMonitor/dhara-worker', 'TriggerAuthentication/dhara-worker']),
    );
  });

  it('refuses a kind of autoscaling that does not exist, and seals that would not outlive a pod', async () => {
    await expect(renderChart({ 'worker.autoscaling.kind': 'kedda' })).rejects.toThrow('must be keda, cpu or none');
    await expect(renderChart({ 'seals.existingClaim': '' })).rejects.toThrow('must outlive pods');
  });

  it('migrates before an installation and an upgrade, and after the installation of its own database', async () => {
    const hook = async (changes: object) =>
      (await renderChart({ ...changes })).find(({ kind }) => kind === 'Job')?.metadata.annotations?.['helm.sh/hook'];
    expect(await hook({})).toBe('pre-install,pre-upgrade');
    expect(await hook({ 'cloudnativepg.enabled': true })).toBe('post-install,pre-upgrade');
  });
});

describe('each pod of the chart', () => {
  it('gets only settings that exist, and those that production needs', async () => {
    const known = new Set(
      describeSettings()
        .match(/^ {2}[A-Z0-9_]+/gm)
        ?.map((name) => name.trim()),
    );
    for (const { containers } of await pods()) {
      const { args, env } = containers[0]!;
      const names = env.map(({ name }) => name);
      expect(names.filter((name) => !known.has(name))).toEqual([]);
      expect(new Set(names).size).toBe(names.length);
      const given = Object.fromEntries(env.map(({ name, value }) => [name, value ?? secretOf(name)]));
      expect(() => loadConfig(given, { servesVisitors: args[0] === 'api' })).not.toThrow();
    }
  });

  it('runs a command that exists, and only the migration knows the role that owns the tables', async () => {
    const owners = (await pods()).map(({ containers: [container] }) => ({
      args: container?.args,
      owns: container?.env.some(({ name }) => name === 'DATABASE_MIGRATION_URL'),
    }));
    expect(owners).toEqual([
      { args: ['api'], owns: false },
      { args: ['migrate'], owns: true },
      { args: ['worker'], owns: false },
    ]);
  });

  it('is probed where the service answers, on the ports that it is told to listen on', async () => {
    const [api, , worker] = (await pods()).map(({ containers }) => containers[0]!);
    const port = (container: Container | undefined, name: string) =>
      container?.ports?.find((each) => each.name === name)?.containerPort;
    const setting = (container: Container | undefined, name: string) =>
      Number(container?.env.find((each) => each.name === name)?.value);
    expect(port(api, 'http')).toBe(setting(api, 'PORT'));
    expect(port(api, 'metrics')).toBe(setting(api, 'METRICS_PORT'));
    expect(port(worker, 'metrics')).toBe(setting(worker, 'METRICS_PORT'));
    const routes = await readFile(join(REPOSITORY, 'src/api/http/health.ts'), 'utf8');
    for (const probe of [api?.readinessProbe, api?.livenessProbe])
      expect(routes).toContain(`'${probe?.httpGet?.path}'`);
  });

  it('of a worker is probed by its only port, and is in no Service that could wait for it', async () => {
    const worker = (await pods()).map(({ containers }) => containers[0]!).find(({ args }) => args[0] === 'worker')!;
    const tcpSocket = { port: 'metrics' };
    expect(worker.startupProbe).toEqual({ tcpSocket, periodSeconds: 2, failureThreshold: 60 });
    expect(worker.livenessProbe).toEqual({ tcpSocket, periodSeconds: 20, timeoutSeconds: 5, failureThreshold: 6 });
    expect(worker.ports).toEqual([{ name: 'metrics', containerPort: 9464 }]);
    expect(worker).not.toHaveProperty('readinessProbe');
    const services = (await renderChart()).filter(({ kind }) => kind === 'Service');
    expect(services.map(({ metadata }) => metadata.name)).toEqual(['dhara-api']);
  });

  it('of the API leaves the load balancers before it is told to stop, with time to answer what it still has', async () => {
    const [api, , worker] = await pods();
    expect(api?.containers[0]?.lifecycle).toEqual({ preStop: { sleep: { seconds: 5 } } });
    // The five seconds, and ten for open requests.
    expect(api?.terminationGracePeriodSeconds).toBeGreaterThanOrEqual(15);
    expect(worker?.terminationGracePeriodSeconds).toBeGreaterThanOrEqual(10);
    const deployment = (await renderChart()).find(
      ({ kind, metadata }) => kind === 'Deployment' && metadata.name === 'dhara-api',
    );
    expect(deployment?.['spec']).toMatchObject({ strategy: { rollingUpdate: { maxUnavailable: 0, maxSurge: 1 } } });
  });

  it('is not root, has no capabilities, and writes only to its volumes', async () => {
    for (const pod of await pods()) {
      expect(pod.securityContext).toMatchObject({ runAsNonRoot: true, seccompProfile: { type: 'RuntimeDefault' } });
      expect(pod.containers[0]?.securityContext).toMatchObject({
        readOnlyRootFilesystem: true,
        allowPrivilegeEscalation: false,
        capabilities: { drop: ['ALL'] },
      });
    }
  });

  it('is opened for the ffmpeg sandbox only if it runs ffmpeg', async () => {
    const filters = (await pods()).map(({ containers: [container] }) => container?.securityContext['seccompProfile']);
    expect(filters).toEqual([{ type: 'Unconfined' }, undefined, { type: 'Unconfined' }]);
  });

  it('is watched under the names that the rules of Prometheus use', async () => {
    const rules = await readFile(join(REPOSITORY, 'deploy/prometheus/dhara.rules.yaml'), 'utf8');
    const monitors = (await renderChart({ 'serviceMonitor.enabled': true })).filter(
      ({ kind }) => kind === 'ServiceMonitor',
    );
    const jobs = monitors.map((monitor) => /"job","replacement":"([^"]+)"/.exec(JSON.stringify(monitor))?.[1]);
    expect(jobs).toEqual(['dhara-api', 'dhara-worker']);
    expect(rules).toContain('job="dhara-worker"');
    expect(rules).toContain('job=~"dhara-.*"');
  });
});

describe('the network policies', () => {
  const DNS = [
    { port: 53, protocol: 'UDP' },
    { port: 53, protocol: 'TCP' },
  ];
  const from = (namespace: string) => [
    { namespaceSelector: { matchLabels: { 'kubernetes.io/metadata.name': namespace } } },
  ];
  const policies = async (changes: object = {}): Promise<Record<string, unknown>> =>
    Object.fromEntries(
      (await renderChart({ ...changes }))
        .filter(({ kind }) => kind === 'NetworkPolicy')
        .map(({ metadata, spec }) => [metadata.name, spec]),
    );
  const metrics = { from: from('monitoring'), ports: [{ port: 9464 }] };
  const outside = [{ ports: [...DNS, { port: 5432 }, { port: 443 }, { port: 465 }, { port: 587 }] }];
  const policyTypes = ['Ingress', 'Egress'];

  it('let the ingress controller reach the API, Prometheus the metrics, and each pod only what it needs', async () => {
    const found = await policies();
    expect(Object.keys(found).toSorted()).toEqual(['dhara-api', 'dhara-migrate', 'dhara-worker']);
    expect(found['dhara-api']).toMatchObject({ policyTypes, egress: outside });
    expect((found['dhara-api'] as { ingress: unknown }).ingress).toEqual([
      { from: from('ingress-nginx'), ports: [{ port: 4000 }] },
      metrics,
    ]);
    expect(found['dhara-worker']).toMatchObject({ policyTypes, egress: outside });
    expect((found['dhara-worker'] as { ingress: unknown }).ingress).toEqual([metrics]);
    expect(found['dhara-migrate']).toMatchObject({
      policyTypes,
      ingress: [],
      egress: [{ ports: [...DNS, { port: 5432 }] }],
    });
  });

  it('hold for the pods that are made, and name the ports that these listen on', async () => {
    const found = await policies();
    const labels = new Map<string, Record<string, string>>();
    for (const { kind, metadata, spec } of await renderChart()) {
      if (kind !== 'Deployment' && kind !== 'Job') continue;
      labels.set(
        metadata.name,
        (spec as { template: { metadata: { labels: Record<string, string> } } }).template.metadata.labels,
      );
    }
    expect([...labels.keys()].toSorted()).toEqual(Object.keys(found).toSorted());
    for (const [name, podLabels] of labels) {
      const { podSelector } = found[name] as { podSelector: { matchLabels: Record<string, string> } };
      expect(Object.keys(podSelector.matchLabels).length).toBeGreaterThan(0);
      expect(podLabels).toMatchObject(podSelector.matchLabels);
      const others = [...labels].filter(([other]) => other !== name);
      for (const [, other] of others) expect(other).not.toMatchObject(podSelector.matchLabels);
    }
    const [api] = await pods();
    expect(api?.containers[0]?.ports?.map(({ containerPort }) => containerPort)).toEqual([4000, 9464]);
  });

  it('follow the values', async () => {
    const found = await policies({
      'networkPolicy.databasePort': 6432,
      'networkPolicy.egressPorts': [3900],
      'networkPolicy.ingressNamespace': 'edge',
    });
    expect(found['dhara-worker']).toMatchObject({ egress: [{ ports: [...DNS, { port: 6432 }, { port: 3900 }] }] });
    expect(found['dhara-migrate']).toMatchObject({ egress: [{ ports: [...DNS, { port: 6432 }] }] });
    expect(JSON.stringify(found['dhara-api'])).toContain('"kubernetes.io/metadata.name":"edge"');
    expect(await policies({ 'networkPolicy.enabled': false })).toEqual({});
  });
});

async function pods(): Promise<Pod[]> {
  return (await renderChart()).flatMap(({ kind, ...manifest }) =>
    kind === 'Deployment' || kind === 'Job' ? [(manifest['spec'] as { template: { spec: Pod } }).template.spec] : [],
  );
}

function secretOf(name: string): string {
  if (name.startsWith('DATABASE_')) return 'postgres://dhara_app:secret@db/dhara';
  if (name === 'MASTER_KEY') return Buffer.alloc(32, 1).toString('base64');
  return name === 'SMTP_URL' ? 'smtps://mail.example.com' : 'secret';
}
