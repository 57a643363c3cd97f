/** A separate API process: serves /v1 on a free port, which it reports to the parent. Ends with its parent. */
import 'reflect-metadata';

import { PostgresDatabase } from '../../../src/db/database.js';
import { PlaybackService } from '../../../src/domain/playback/playback.service.js';
import { listen } from '../../../src/api/http/server.js';
import { PUBLIC_URL, restApp } from '../../support/contract/restApp.js';
import { WAIT_MS } from '../../support/deadlines.js';

const { runtimeUrl, masterKey } = JSON.parse(process.argv[2]!) as { runtimeUrl: string; masterKey: string };
process.once('disconnect', () => process.exit());

const key = Buffer.from(masterKey, 'base64');
const db = await PostgresDatabase.connect({ url: runtimeUrl, maxConnections: 10, connectTimeoutMs: WAIT_MS });
const playback = await PlaybackService.open({ db, masterKey: key, publicUrl: PUBLIC_URL });
const server = await listen(restApp({ db, playback, masterKey: key }), '127.0.0.1', 0);
process.send!({ port: server.port });
