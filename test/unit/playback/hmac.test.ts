import { createHmac, randomBytes } from 'node:crypto';

import { expect, it } from 'vitest';

import { hmacSha256 } from '../../../src/domain/playback/hmac.js';

it('hmacSha256 equals HMAC-SHA-256, for any message and more keys than it keeps', () => {
  for (let length = 0; length < 200; length += 1) {
    const key = randomBytes(length % 65);
    const message = randomBytes(length);
    expect(hmacSha256(key, message)).toEqual(createHmac('sha256', key).update(message).digest());
  }
});
