import { connect, createServer, type AddressInfo, type Socket } from 'node:net';

import { afterEach, expect, it } from 'vitest';

import { IdentityService, PASSWORD, totpCode } from '../../support/identity/service.js';

const GUESSES = 12;
let service: IdentityService | undefined;

afterEach(async () => {
  await service?.stop();
  service = undefined;
});

/** Twelve wrong passwords, with headers of twelve addresses. */
async function guesses(to: IdentityService): Promise<number[]> {
  const statuses: number[] = [];
  for (let n = 1; n <= GUESSES; n += 1) {
    const browser = to.browser({ 'x-forwarded-for': `203.0.113.${n}`, 'x-dhara-client-address': `198.51.100.${n}` });
    const reply = await browser.post('/sign-in/email', { email: 'ada@example.com', password: 'a guess at it' });
    statuses.push(reply.status);
  }
  return statuses;
}

it('sign-ins are limited by address, no matter which headers a client sends', async () => {
  service = await IdentityService.start();
  const statuses = await guesses(service);
  expect(statuses).toEqual([...Array<number>(10).fill(401), 429, 429]);

  const reply = await service.browser().post('/sign-in/email', { email: 'ada@example.com', password: PASSWORD });
  expect(reply.body).toMatchObject({ code: 'RATE_LIMIT_EXCEEDED' });
  expect(Number(reply.headers.get('retry-after'))).toBeGreaterThan(0);
});

it('addresses are taken from the proxy in front, if there is one', async () => {
  service = await IdentityService.start({ trustProxy: 1 });
  expect(await guesses(service)).toEqual(Array<number>(GUESSES).fill(401));
});

it('codes of the second factor are limited by account in a session that lacks it, from all addresses together', async () => {
  service = await IdentityService.start({ trustProxy: 1 });
  const browser = await service.signedIn();
  const uri = String((await browser.post('/two-factor/enable', { password: PASSWORD })).body['totpURI']);
  const send = async (n: number, code: string, from = browser) =>
    (await from.post('/two-factor/verify-totp', { code }, { 'x-forwarded-for': `203.0.113.${n}` })).status;
  expect(await send(1, totpCode(uri))).toBe(200);
  await service.rows('update auth."twoFactor" set "lastUsedStep" = 0');
  for (let n = 2; n <= 10; n += 1) expect(await send(n, 'no code')).toBe(401);
  expect(await send(11, totpCode(uri))).toBe(429);
  const elsewhere = { 'x-forwarded-for': '203.0.113.12' };
  expect((await browser.post('/two-factor/verify-backup-code', { code: 'no code' }, elsewhere)).status).toBe(429);

  // Its owner signs in again, and is not locked out.
  const later = service.browser();
  await later.post('/sign-in/email', { email: 'ada@example.com', password: PASSWORD }, elsewhere);
  expect(await send(13, totpCode(uri), later)).toBe(200);
});

it('identity returns 503 while the database is away, and works again when it is back', async () => {
  const line = await severableLine();
  service = await IdentityService.start({ runtimeUrl: line.through });
  const browser = await service.signedIn();
  expect((await browser.viewer()).status).toBe(200);

  line.cut();
  const viewer = await browser.viewer();
  expect([viewer.status, viewer.body]).toEqual([503, { code: 'SERVICE_UNAVAILABLE' }]);
  const signIn = await browser.post('/sign-in/email', { email: 'ada@example.com', password: PASSWORD });
  expect([signIn.status, signIn.body['code']]).toEqual([503, 'SERVICE_UNAVAILABLE']);

  line.mend();
  expect((await browser.viewer()).body['viewer']).toMatchObject({ email: 'ada@example.com' });
  await line.close();
});

/** A connection to the database that can be cut: open connections break, and new ones are refused. */
async function severableLine() {
  let target = new URL('postgres://unset');
  let whole = true;
  const open = new Set<Socket>();
  const server = createServer((near) => {
    if (!whole) {
      near.destroy();
      return;
    }
    const far = connect(Number(target.port), target.hostname);
    for (const socket of [near, far]) {
      open.add(socket);
      socket.on('error', () => socket.destroy());
      socket.on('close', () => open.delete(socket));
    }
    near.pipe(far).pipe(near);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const cut = () => {
    whole = false;
    for (const socket of open) socket.destroy();
  };
  return {
    through: (url: string): string => {
      target = new URL(url);
      const through = new URL(url);
      through.host = `127.0.0.1:${(server.address() as AddressInfo).port}`;
      return through.href;
    },
    cut,
    mend: () => {
      whole = true;
    },
    close: () => {
      cut();
      return new Promise((resolve) => server.close(resolve));
    },
  };
}
