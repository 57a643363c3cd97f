/**
 * A separate process that takes uploads, for tests that kill or measure it: `tsx uploadProcess.ts <database> <dir>`,
 * with the options of an S3 store as JSON if uploads go there.
 */
import 'reflect-metadata';

import type { S3ObjectStoreOptions } from '../../../src/adapters/store/s3.js';
import { openBucket } from './bucket.js';
import { UploadNode } from './uploadNode.js';

const [databaseUrl, dir, s3] = process.argv.slice(2);
const keeping = s3 === undefined ? {} : await openBucket(JSON.parse(s3) as S3ObjectStoreOptions);
const node = await UploadNode.start({ databaseUrl: databaseUrl!, dir: dir!, ...keeping });
process.send!({ url: node.url });
process.once('disconnect', () => process.exit());
