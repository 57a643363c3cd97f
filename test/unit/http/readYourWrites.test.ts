import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';

import express from 'express';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';

import { ReadYourWrites } from '../../../src/api/http/readYourWrites.js';

const COOKIE = 'dhara_read_after';
const replica = { now: 100 as number | null, covered: 0 };
let yours: ReadYourWrites;

beforeEach(() => {
  Object.assign(replica, { now: 100, covered: 50 });
  yours = make();
});

function make(isSecure = true): ReadYourWrites {
  return new ReadYourWrites({
    replica: { position: () => replica.now, covers: (position) => replica.covered >= position },
    maxLagSeconds: 10,
    isSecure,
  });
}

const asking = (cookie?: string): Pick<IncomingMessage, 'headers'> => ({ headers: cookie ? { cookie } : {} });

describe('a session', () => {
  it('reads from the replica once that has what the session has written', () => {
    expect(yours.mayRead('a', asking())).toBe(true);
    expect(yours.mayRead('a', asking(`x=1; ${COOKIE}=50`))).toBe(true);
    expect(yours.mayRead('a', asking(`${COOKIE}=51; x=1`))).toBe(false);
    replica.covered = 51;
    expect(yours.mayRead('a', asking(`${COOKIE}=51`))).toBe(true);
  });

  it.each(['', 'x', '-1', '1e3', '9'.repeat(16), '0x1', '%31'])(
    'reads from the primary with a position that is none: %j',
    (text) => {
      expect(yours.mayRead('a', asking(`${COOKIE}=${text}`))).toBe(false);
    },
  );

  it('takes no other cookie for its position', () => {
    expect(yours.mayRead('a', asking(`my_${COOKIE}=999; ${COOKIE}s=999`))).toBe(true);
  });
});

describe('an account', () => {
  it('is read from the primary after a change by others, until the replica has it', () => {
    yours.changed('a');
    expect(yours.mayRead('a', asking())).toBe(false);
    expect(yours.mayRead('b', asking())).toBe(true);
    replica.covered = 100;
    expect(yours.mayRead('a', asking())).toBe(true);
  });

  it('is read from the primary after notices may have been missed, until the replica has all there was', () => {
    yours.missed();
    expect(yours.mayRead('a', asking())).toBe(false);
    replica.now = 120;
    yours.changed('b');
    replica.covered = 100;
    expect(yours.mayRead('a', asking())).toBe(true);
    expect(yours.mayRead('b', asking())).toBe(false);
  });

  it('is forgotten among too many only once the replica has its change; until then all are read from the primary', () => {
    for (let n = 0; n < 20_000; n += 1) yours.changed(`account ${n}`);
    // Too many to remember: nobody reads from the replica before it has all of them.
    expect(yours.mayRead('account 0', asking())).toBe(false);
    expect(yours.mayRead('somebody else', asking())).toBe(false);
    replica.covered = 100;
    expect(yours.mayRead('account 0', asking())).toBe(true);
    replica.now = 200;
    for (let n = 0; n < 19_999; n += 1) yours.changed(`account ${n}`);
    replica.covered = 200;
    yours.changed('one more');
    replica.covered = 150;
    // The replica had its change, so it was forgotten; a replica that goes backwards is never read.
    expect(yours.mayRead('account 1', asking())).toBe(true);
  });
});

describe('a response', () => {
  const app = express();
  const server = createServer(app);
  let ask: (method: string) => Promise<Response>;

  beforeAll(async () => {
    app.use((req, res, next) => yours.markWrites(req, res, next));
    app.use((_req, res: ServerResponse) => {
      res.setHeader('Set-Cookie', 'other=1');
      // A write that takes a while.
      replica.now = replica.now === null ? null : 123;
      res.writeHead(204, { 'x-a': 'b' }).end();
    });
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    const { port } = server.address() as AddressInfo;
    ask = (method) => fetch(`http://127.0.0.1:${port}/`, { method });
  });
  afterAll(() => server.close());

  it('to a write has the position after it, beside other cookies', async () => {
    const { headers } = await ask('PATCH');
    expect(headers.getSetCookie()).toEqual([
      'other=1',
      `${COOKIE}=123; Path=/graphql; HttpOnly; SameSite=Lax; Max-Age=15; Secure`,
    ]);
    expect(headers.get('x-a')).toBe('b');
    yours = make(false);
    expect((await ask('DELETE')).headers.getSetCookie()[1]).not.toContain('Secure');
  });

  it('has none for a read, and while the position is not known', async () => {
    expect((await ask('GET')).headers.getSetCookie()).toEqual(['other=1']);
    replica.now = null;
    expect((await ask('POST')).headers.getSetCookie()).toEqual(['other=1']);
  });
});
