/**
 * `npm run client:types` writes the types of `@dhara/client` from the OpenAPI document; with `--check` it only says whether
 * the file is stale.
 */
import { readFile, writeFile } from 'node:fs/promises';

import { typesText } from './clientTypes.js';
import { openApiDocument } from './openapi.js';

const TYPES_FILE = new URL('../../../client/generated/api.ts', import.meta.url);

const wanted = typesText(openApiDocument('https://video.example'));
if (!process.argv.includes('--check')) await writeFile(TYPES_FILE, wanted);
else if ((await readFile(TYPES_FILE, 'utf8').catch(() => '')) !== wanted) {
  process.stderr.write('The types of the client are stale: run `npm run client:types` and commit them.\n');
  process.exitCode = 1;
}
