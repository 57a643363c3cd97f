/**
 * What docs/operations.md says about ClickHouse, carried out by ClickHouse itself: chdb is its engine as a library. It
 * is some hundred megabytes, so it runs only with `TEST_FULL=1`.
 */
import { execFile } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { promisify } from 'node:util';

import { afterAll, beforeAll, describe, expect, it } from 'vitest';

import { NdjsonViewLines } from '../../../src/adapters/views/ndjsonViewLines.js';
import { viewLine } from '../../../src/domain/playback/analytics/viewLine.js';
import { measured, writtenView } from '../../support/analytics/watching.js';
import { IS_FULL } from '../../support/effort.js';
import { packagedProgram } from '../../support/runtimes.js';

const run = promisify(execFile);
const SCRIPT = resolve('test/faults/playback/clickhouse.mjs');

describe.runIf(IS_FULL)('views in ClickHouse, by docs/operations.md', () => {
  let dir: string;
  beforeAll(async () => {
    dir = await mkdtemp(join(tmpdir(), 'dhara-clickhouse-'));
  });
  afterAll(() => rm(dir, { recursive: true, force: true }));

  it('fit the table of the document, with the last line of each view', async () => {
    const file = join(dir, 'views.ndjson');
    const lines = NdjsonViewLines.open(file, (error) => {
      throw error;
    });
    const view = writtenView({ country: 'IN', measured: measured({ startupMs: null }) });
    const other = writtenView({ keyId: randomUUID(), audience: 'bot' });
    const reported = measured({
      seq: 2,
      ranges: [0, 10, 20, 30],
      errors: [{ code: 'NETWORK', atMs: 5 }],
      ended: true,
    });
    const last = viewLine({ ...view, measured: reported }, new Date('2026-03-14T13:00:02.500Z'));
    lines.write([view, other].map((one) => viewLine(one, new Date('2026-03-14T13:00:00.000Z'))));
    lines.write([last]);
    await lines.close();

    const rows = await askClickHouse(file, 'select * from views final order by keyId is null desc format JSONEachRow');
    const [kept, bot] = rows
      .trim()
      .split('\n')
      .map((row) => JSON.parse(row) as Record<string, unknown>);
    const time = (text: unknown) => new Date(`${String(text).replace(' ', 'T')}Z`).toISOString();
    expect({ ...kept, mintedAt: time(kept!['mintedAt']), writtenAt: time(kept!['writtenAt']) }).toEqual(last);
    expect(bot).toMatchObject({ viewId: other.viewId, keyId: other.keyId, country: '', audience: 'bot' });
  });

  /** The table and the way to load it are those of the document. */
  async function askClickHouse(file: string, question: string): Promise<string> {
    const text = await readFile('docs/operations.md', 'utf8');
    const table = /```sql\n(create table views [^`]+;)\n```/.exec(text)?.[1];
    const format = /Load it with `(format \w+)` and `(date_time_input_format = '\w+')`/.exec(text);
    const statements = [
      table!.replace(/;$/, ''),
      `insert into views from infile '${file}' settings ${format![2]} ${format![1]}`,
      question,
    ];
    const library = await packagedProgram('chdb', '3.4.0', 'package.json');
    const { stdout } = await run(process.execPath, [SCRIPT, library, join(dir, 'store'), JSON.stringify(statements)]);
    return stdout;
  }
});
