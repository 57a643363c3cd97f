/** Runs statements in ClickHouse's engine, and prints what the last one returns: `chdb/package.json`, folder, statements. */
import { createRequire } from 'node:module';
import { argv } from 'node:process';

const { Session } = createRequire(argv[2])('chdb');
const session = new Session(argv[3]);
let result = '';
for (const statement of JSON.parse(argv[4])) result = session.query(statement);
process.stdout.write(result);
session.cleanup();
