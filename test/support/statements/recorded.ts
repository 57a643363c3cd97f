import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

import type * as SqlModule from '../../../src/db/sql.js';
import type { TypedStatement } from '../../../src/db/sql.js';

/** A statement that a module of the server has made. */
export interface RecordedStatement {
  readonly name: string;
  readonly text: string;
  readonly parameters: readonly string[];
  /** The file that made it, such as `domain/playback/mint.sql.ts`. */
  readonly file: string;
}

export const SRC = join(import.meta.dirname, '../../../src');

const recorded: RecordedStatement[] = [];

/**
 * `src/db/sql.ts`, with a `statement` that records. A test file uses it instead:
 *
 *     vi.mock('<path>/src/db/sql.js', async (original) => recording(await original()));
 */
export function recording(sql: typeof SqlModule): typeof SqlModule {
  function statement<Params extends object, Row extends object>(
    name: string,
    text: string,
  ): TypedStatement<Params, Row> {
    const made = sql.statement<Params, Row>(name, text);
    recorded.push({ name, text: made.text, parameters: made.parameters, file: callerFile() });
    return made;
  }
  return { ...sql, statement };
}

/** All statements made so far. */
export function recordedStatements(): readonly RecordedStatement[] {
  return recorded;
}

/** Files with statements, which are made when their modules load, save those of functions. */
export function filesWithStatements(): readonly string[] {
  return globSync('**/*.ts', { cwd: SRC, exclude: (path) => /^(client|dashboard|player|setup)$/.test(path) })
    .filter((file) => file !== 'db/sql.ts' && /\bstatement[<(]/.test(readFileSync(join(SRC, file), 'utf8')))
    .toSorted();
}

/** Makes the statements of all modules. */
export async function loadStatements(): Promise<void> {
  for (const file of filesWithStatements()) await import(join(SRC, file));
}

/** The file in `src` that has called `statement`, from the stack. */
function callerFile(): string {
  const at = (new Error().stack ?? '').split('\n').find((line) => line.includes(`${SRC}/`)) ?? '';
  return /^[^:)?]+/.exec(at.slice(at.indexOf(`${SRC}/`) + SRC.length + 1))?.[0] ?? '';
}
