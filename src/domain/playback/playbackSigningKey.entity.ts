import { defineEntity, p, type InferEntity } from '@mikro-orm/core';

/** One key that signs playback tokens, sealed by the master key. */
export const PlaybackSigningKey = defineEntity({
  name: 'PlaybackSigningKey',
  tableName: 'playback_signing_key',
  properties: {
    kid: p.text().primary(),
    publicJwk: p.json().$type<unknown>(),
    encryptedPrivateJwk: p.blob(),
    createdAt: p.datetime(),
    signsFrom: p.datetime(),
    verifiesUntil: p.datetime().nullable(),
    masterKeyId: p.text().nullable(),
  },
});
export type PlaybackSigningKey = InferEntity<typeof PlaybackSigningKey>;
