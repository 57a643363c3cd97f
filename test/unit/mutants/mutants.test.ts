import { existsSync, readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';

import { describe, expect, it } from 'vitest';

import { MUTANTS } from '../../mutants/index.js';
import { applied } from '../../mutants/mutant.js';

const ROOT = resolve(import.meta.dirname, '../../..');

describe('the list of mutants', () => {
  it('has a unique name for each mutant', () => {
    expect(new Set(MUTANTS.map(({ name }) => name)).size).toBe(MUTANTS.length);
  });

  it.each(MUTANTS)('has one place for "$name", and tests to run', (mutant) => {
    const source = readFileSync(join(ROOT, mutant.file), 'utf8');
    expect(applied(mutant, source)).not.toBe(source);
    expect(mutant.tests.filter((path) => !existsSync(join(ROOT, path)))).toEqual([]);
  });
});
