/** Child process of logger.test.ts: logs a few lines and ends in the way that its argument names. */
import { createLogger } from '../../src/logger.js';

const logger = createLogger('info');
for (let n = 0; n < 1_000; n += 1) logger.info({ n }, 'line');
if (process.argv[2] === 'exit') process.exit(0);
if (process.argv[2] === 'throw') throw new Error('on purpose');
