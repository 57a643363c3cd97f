import { readFileSync } from 'node:fs';
import { join } from 'node:path';

import pg from 'pg';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';

import { PostgresDatabase } from '../../../src/db/database.js';
import type * as SqlModule from '../../../src/db/sql.js';
import { createTestDatabase, type TestDatabase } from '../../support/database.js';
import {
  filesWithStatements,
  loadStatements,
  type RecordedStatement,
  recordedStatements,
  SRC,
} from '../../support/statements/recorded.js';
import { differences } from './compare.js';
import { declaredStatements, type Site } from './declared.js';
import { Describer } from './described.js';
import { readSamples, type ReturnedAs } from './kinds.js';
import { KNOWN } from './known.js';
import { makeOtherStatements } from './madeWhenAsked.js';
import { RIGHT, WRONG } from './wrong/wrong.js';

vi.mock('../../../src/db/sql.js', async (original) => {
  const { recording } = await import('../../support/statements/recorded.js');
  return recording(await original<typeof SqlModule>());
});

/** Whether a file's statements run on pools and connections that have pg's own parsers. */
const isForeign = (file: string) =>
  file === 'adapters/queue/pgBossQueue.ts' || readFileSync(join(SRC, file), 'utf8').includes('sqlOn(');

let database: TestDatabase;
let client: pg.Client;
let db: PostgresDatabase;
let describer: Describer;
let ours: ReturnedAs;
let plain: ReturnedAs;
let statements: readonly RecordedStatement[];
let sites: readonly Site[];
let wrongSites: readonly Site[];

beforeAll(async () => {
  database = await createTestDatabase();
  client = new pg.Client({ connectionString: database.migrationUrl });
  await client.connect();
  db = await PostgresDatabase.connect({ url: database.runtimeUrl, maxConnections: 1 });
  describer = await Describer.over(client);
  ours = await readSamples((text) => db.sql.query({ name: '', text }));
  plain = await readSamples(async (text) => (await client.query<Record<string, unknown>>(text)).rows);
  await loadStatements();
  await makeOtherStatements();
  const made = recordedStatements().filter(({ file }) => file !== '');
  statements = [...new Map(made.map((each) => [`${each.file} ${each.name} ${each.text}`, each])).values()];
  const wrong = join(import.meta.dirname, 'wrong');
  const all = declaredStatements({
    [join(SRC, '../tsconfig.json')]: filesWithStatements().map((file) => join(SRC, file)),
    [join(wrong, 'tsconfig.json')]: [join(wrong, 'wrong.ts')],
  });
  sites = all.filter(({ file }) => !file.startsWith('..'));
  wrongSites = all.filter(({ file }) => file.startsWith('..'));
});
afterAll(async () => {
  await db?.close();
  await client?.end();
  await database?.drop();
});

describe('statements', () => {
  it('declare the parameters and the rows that they have in the migrated database', async () => {
    const found: string[] = [];
    for (const statement of statements) {
      const { file, name } = statement;
      const site = siteOf(statement);
      if (typeof site === 'string') found.push(`src/${file} ${name}: ${site}`);
      else {
        const real = await describer.describe(statement);
        const returnedAs = isForeign(file) ? plain : ours;
        found.push(
          ...differences(statement, site, real, returnedAs).map((each) => `src/${file}:${site.line} ${name}: ${each}`),
        );
      }
    }
    const isKnown = (line: string) => KNOWN.some(({ lines }) => lines.test(line));
    expect(found.filter((line) => !isKnown(line))).toEqual([]);
    expect(KNOWN.filter(({ lines }) => !found.some((line) => lines.test(line)))).toEqual([]);
  });

  it('are all compared', () => {
    const compared = new Set(statements.map(siteOf));
    const others = sites.filter(
      (site) => !compared.has(site) && !(site.factory && (site.isOpen || site.name === null)),
    );
    expect(others.map(({ file, line }) => `src/${file}:${line}`)).toEqual([]);
    expect(statements.length).toBeGreaterThan(600);
  });

  it('have their own names', () => {
    const named = new Map<string, Set<string>>();
    for (const { name, text } of statements) named.set(name, (named.get(name) ?? new Set()).add(text));
    named.delete('');
    expect([...named].filter(([, texts]) => texts.size > 1).map(([name]) => name)).toEqual([]);
  });
});

describe('the comparison', () => {
  it.each(Object.entries(WRONG))('finds “%s”', async (difference, statement) => {
    expect(await found(statement)).toEqual([difference]);
  });

  it.each(RIGHT)('finds nothing wrong with $name', async (statement) => {
    expect(await found(statement)).toEqual([]);
  });

  async function found(statement: Pick<RecordedStatement, 'name' | 'text' | 'parameters'>): Promise<string[]> {
    const site = wrongSites.find(({ name }) => name === statement.name)!;
    return differences(statement, site, await describer.describe(statement), ours);
  }
});

/** Where a statement's types are declared, or why nobody knows. */
function siteOf({ file, name }: RecordedStatement): Site | string {
  const closed = sites.filter((site) => site.file === file && !site.isOpen);
  const exact = closed.filter((site) => site.name === name);
  const alike = closed.filter((site) => site.name instanceof RegExp && site.name.test(name));
  const others = closed.filter((site) => site.name === null);
  const [site, ...more] = exact.length > 0 ? exact : alike.length > 0 ? alike : others;
  if (!site) return 'its types are declared nowhere in this file';
  return more.length === 0
    ? site
    : `its types are declared at lines ${[site, ...more].map(({ line }) => line).join(', ')}`;
}
