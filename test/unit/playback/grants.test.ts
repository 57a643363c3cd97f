import { randomBytes, randomUUID } from 'node:crypto';

import { describe, expect, it } from 'vitest';

import { createGrant, grantExpiry, verifyGrant, verifyGrantByAny } from '../../../src/domain/playback/grants.js';
import { deriveKey } from '../../../src/domain/shared/secrets/masterKey.js';

const key = deriveKey(randomBytes(32), 'playback-grant');
const now = 1_800_000_000;

function aGrant(): { accountId: string; videoId: string; viewId: string; expiresAtEpochSeconds: number } {
  return { accountId: randomUUID(), videoId: randomUUID(), viewId: randomUUID(), expiresAtEpochSeconds: now + 60 };
}

describe('grants', () => {
  it('are verified with the values they were created with, and are one stable path segment', () => {
    const grant = aGrant();
    const segment = createGrant(key, grant);

    expect(segment).toMatch(/^[A-Za-z0-9_-]{84}$/);
    expect(createGrant(key, { ...grant, videoId: grant.videoId.toUpperCase() })).toBe(segment);
    expect(verifyGrant(key, segment, grant.videoId, now)).toEqual({
      accountId: grant.accountId,
      viewId: grant.viewId,
      expiresAt: now + 60,
    });
  });

  it('open one video only, until they expire, with one key', () => {
    const grant = aGrant();
    const segment = createGrant(key, grant);

    expect(verifyGrant(key, segment, randomUUID(), now)).toBeNull();
    expect(verifyGrant(key, segment, grant.videoId, now + 59)).not.toBeNull();
    expect(verifyGrant(key, segment, grant.videoId, now + 60)).toBeNull();
    expect(verifyGrant(deriveKey(randomBytes(32), 'playback-grant'), segment, grant.videoId, now)).toBeNull();
  });

  it('are verified by the first of several keys that has signed them', () => {
    const grant = aGrant();
    const claims = { accountId: grant.accountId, viewId: grant.viewId, expiresAt: now + 60 };
    const other = deriveKey(randomBytes(32), 'playback-grant');
    for (const keys of [[key], [key, other], [other, key]]) {
      expect(verifyGrantByAny(keys, createGrant(key, grant), grant.videoId, now)).toEqual(claims);
    }
    expect(verifyGrantByAny([other], createGrant(key, grant), grant.videoId, now)).toBeNull();
  });

  it('are refused with any character changed, missing or added', () => {
    const grant = aGrant();
    const segment = createGrant(key, grant);

    for (let at = 0; at < segment.length; at += 1) {
      const forged = segment.slice(0, at) + (segment[at] === 'A' ? 'B' : 'A') + segment.slice(at + 1);
      expect(verifyGrant(key, forged, grant.videoId, now)).toBeNull();
    }
    for (const forged of ['', segment.slice(1), `${segment}A`, `${segment}=`, segment.replace(/.$/, '+')]) {
      expect(verifyGrant(key, forged, grant.videoId, now)).toBeNull();
    }
  });

  it('are valid for hours longer than the token and the video', () => {
    expect(grantExpiry(now + 300, 90_500)).toBeGreaterThan(now + 300 + 91 + 3600);
  });
});
