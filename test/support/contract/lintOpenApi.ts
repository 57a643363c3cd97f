/** One of the checks of `npm run check`: exits with 1 if a linter finds anything in the OpenAPI document. */
import { openApiDocument } from '../../../src/api/rest/docs/openapi.js';
import { openapiProblems } from './openapiProblems.js';

const problems = await openapiProblems(JSON.stringify(openApiDocument('https://video.dhara.test')));
for (const problem of problems) process.stdout.write(`${problem}\n`);
if (problems.length > 0) process.exitCode = 1;
