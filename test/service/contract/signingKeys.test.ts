import { expect, it } from 'vitest';

import { PlaybackService } from '../../../src/domain/playback/playback.service.js';
import { PUBLIC_URL, startRestService } from '../../support/contract/service.js';

it('many processes that start on an empty database share one signing key, which is stored encrypted', async () => {
  const own = await startRestService({ maxConnections: 10 });
  const { rows } = await own.db.pool.query<{ kid: string; encrypted_private_jwk: Buffer; public_jwk: object }>(
    'delete from playback_signing_key returning kid, encrypted_private_jwk, public_jwk',
  );
  expect(JSON.stringify(rows[0]!.public_jwk)).not.toContain('"d"');
  expect(rows[0]!.encrypted_private_jwk.toString('latin1')).not.toContain('OKP');
  const options = { db: own.db, masterKey: own.masterKey, publicUrl: PUBLIC_URL };
  for (let round = 0; round < 10; round += 1) {
    const services = await Promise.all(Array.from({ length: 6 }, () => PlaybackService.open(options)));
    const kids = services.map((one) => one.signingKeys.publicKeys().map((jwk) => jwk.kid));
    for (const one of services) one.close();
    expect(new Set(kids.flat()).size).toBe(1);
    if (round < 9) await own.db.pool.query('delete from playback_signing_key');
  }
  await expect(PlaybackService.open({ ...options, masterKey: Buffer.alloc(32) })).rejects.toThrow(/master key/);
  await own.stop();
});
