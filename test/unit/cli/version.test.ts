import { readFileSync } from 'node:fs';
import { join } from 'node:path';

import { expect, it } from 'vitest';

import { REPOSITORY } from '../../support/deploy/units.js';
import { dhara } from '../../support/terminal.js';

it('dhara --version prints the version of package.json, even with settings that no service starts with', async () => {
  const { version } = JSON.parse(readFileSync(join(REPOSITORY, 'package.json'), 'utf8')) as { version: string };
  expect(await dhara(['--version'], { PORT: 'none' })).toEqual({ code: 0, out: `dhara ${version}\n`, err: '' });
});
