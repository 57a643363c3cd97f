import { readFile } from 'node:fs/promises';
import { isBuiltin } from 'node:module';
import { dirname, join, resolve } from 'node:path';

import { expect, it } from 'vitest';

const PROGRAM = resolve('dist/cli/program.js');
/** As the bundler writes them: types in comments have other quotes. */
const IMPORTS = /^(?:import|export) (?:[^"\n]* from )?"([^"\n]+)";$|\bimport\("([^"\n]+)"\)/gm;
const BESIDE = /^\.\/([^/]+\.js)$/;

it('the built program loads files beside it, and packages only if they read files of their own', async () => {
  const [, built = ''] = /from '(.+)'/.exec(await readFile(PROGRAM, 'utf8')) ?? [];
  const folder = dirname(resolve(dirname(PROGRAM), built));
  const others = new Set<string>();
  const files = new Set(['program.js']);
  // Files that are added meanwhile come later.
  for (const name of files) {
    const code = await readFile(join(folder, name), 'utf8');
    for (const [, always, later] of code.matchAll(IMPORTS)) {
      const loaded = always ?? later ?? '';
      const beside = BESIDE.exec(loaded)?.[1];
      if (beside !== undefined) files.add(beside);
      else if (!isBuiltin(loaded)) others.add(loaded);
    }
  }
  expect([...others].toSorted()).toEqual(['class-validator', 'pdfkit', 'pino']);
  expect(files.size).toBeGreaterThan(20);
});
