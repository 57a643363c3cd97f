import { spawnSync } from 'node:child_process';

import { describe, expect, it } from 'vitest';

const CHILD = new URL('./loggerExit.ts', import.meta.url).pathname;

describe('a process that ends', () => {
  it.each(['itself', 'exit', 'throw'])('has written each log line once, in order: %s', (way) => {
    const { stdout } = spawnSync(process.execPath, ['--import', 'tsx', CHILD, way], { encoding: 'utf8' });
    const lines = stdout
      .trimEnd()
      .split('\n')
      .map((line) => JSON.parse(line) as { n: number; msg: string });
    expect(lines.map(({ n }) => n)).toEqual(Array.from({ length: 1_000 }, (_, n) => n));
  });
});
