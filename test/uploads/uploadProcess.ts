/** A process of its own that takes uploads, for tests that kill it or weigh it: `tsx uploadProcess.ts <database> <dir>`. */
import 'reflect-metadata';

import { UploadNode } from './uploadNode.js';

const [databaseUrl, dir] = process.argv.slice(2);
const node = await UploadNode.start({ databaseUrl: databaseUrl!, dir: dir! });
process.send!({ url: node.url });
process.once('disconnect', () => process.exit());
