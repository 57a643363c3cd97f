/** Prints the packages that the built server contains, as `npm pkg delete` takes them, for what needs the others only. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';

import { rootDir } from './paths.mjs';
import { UNBUNDLED } from './unbundled.mjs';

const { dependencies } = JSON.parse(readFileSync(join(rootDir, 'package.json'), 'utf8'));
for (const name of Object.keys(dependencies)) {
  if (!UNBUNDLED.includes(name)) console.log(`dependencies[${name}]`);
}
