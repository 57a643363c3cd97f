/**
 * `npm run schema` writes schema.graphql from the resolvers; with `--check` it only reports whether the file is stale.
 */
import { readFile, writeFile } from 'node:fs/promises';
import { pathToFileURL } from 'node:url';

import { lexicographicSortSchema, printSchema } from 'graphql';

import { buildGraphqlSchema } from './schema.js';

const SCHEMA_FILE = new URL('../../../schema.graphql', import.meta.url);

/** The committed schema: sorted, so that moving a resolver changes nothing. */
export function schemaText(): string {
  return `${printSchema(lexicographicSortSchema(buildGraphqlSchema()))}\n`;
}

async function main(check: boolean): Promise<number> {
  const wanted = schemaText();
  if (!check) {
    await writeFile(SCHEMA_FILE, wanted);
    return 0;
  }
  const found = await readFile(SCHEMA_FILE, 'utf8').catch(() => '');
  if (found === wanted) return 0;
  process.stderr.write('schema.graphql is stale: run `npm run schema` and commit it.\n');
  return 1;
}

if (import.meta.url === pathToFileURL(process.argv[1] ?? '').href) {
  process.exitCode = await main(process.argv.includes('--check'));
}
