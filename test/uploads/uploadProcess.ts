/**
 * A process of its own that takes uploads, for tests that kill it or weigh it: `tsx uploadProcess.ts <database> <dir>`,
 * with the options of an S3 store as JSON, where the films are to go there.
 */
import 'reflect-metadata';

import { S3ObjectStore, type S3ObjectStoreOptions } from '../../src/adapters/store/s3.js';
import { UploadNode } from './uploadNode.js';

const [databaseUrl, dir, s3] = process.argv.slice(2);
const store = s3 === undefined ? null : await S3ObjectStore.open(JSON.parse(s3) as S3ObjectStoreOptions);
const node = await UploadNode.start({ databaseUrl: databaseUrl!, dir: dir!, ...(store && { store }) });
process.send!({ url: node.url });
process.once('disconnect', () => process.exit());
