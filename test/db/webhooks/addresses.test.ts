import { getEventListeners } from 'node:events';
import { setTimeout as delay } from 'node:timers/promises';

import { afterAll, beforeAll, describe, expect, it } from 'vitest';

import { HttpWebhookSender, type NameResolver } from '../../../src/adapters/webhooks/httpSender.js';
import { isAllowedAddress, parseNetworks } from '../../../src/adapters/webhooks/networks.js';
import { WebhookAddressError } from '../../../src/ports/webhookSender.js';
import { HookServer } from '../../support/webhooks/hookServer.js';
import { WebhooksRig } from '../../support/webhooks/webhooksRig.js';

const PUBLIC_ADDRESS = '93.184.216.34';

/** Names that lead where a test says. */
class Names implements NameResolver {
  readonly v4 = new Map<string, string[]>();
  readonly v6 = new Map<string, string[]>();
  asked = 0;
  resolve4 = (name: string) => this.answer(this.v4, name);
  resolve6 = (name: string) => this.answer(this.v6, name);

  private answer(names: Map<string, string[]>, name: string): Promise<string[]> {
    this.asked += 1;
    const found = names.get(name);
    return found ? Promise.resolve(found) : Promise.reject(Object.assign(new Error(name), { code: 'ENOTFOUND' }));
  }
}

describe('an address', () => {
  it.each([
    PUBLIC_ADDRESS,
    '8.8.8.8',
    '172.15.0.1',
    '172.32.0.1',
    '100.63.0.1',
    '100.128.0.1',
    '2606:2800:220:1:248:1893:25c8:1946',
  ])('on the internet is allowed: %s', (address) => {
    expect(isAllowedAddress(address, [])).toBe(true);
  });

  it.each([
    '0.0.0.0',
    '0.1.2.3',
    '10.0.0.1',
    '100.64.0.1',
    '127.0.0.1',
    '127.255.255.254',
    '169.254.169.254',
    '172.16.0.1',
    '172.31.255.255',
    '192.0.0.1',
    '192.0.2.1',
    '192.31.196.1',
    '192.52.193.1',
    '192.88.99.1',
    '192.168.1.1',
    '198.18.0.1',
    '198.51.100.1',
    '203.0.113.1',
    '224.0.0.1',
    '240.0.0.1',
    '255.255.255.255',
    '::',
    '::1',
    '::ffff:127.0.0.1',
    '::ffff:8.8.8.8',
    '::127.0.0.1',
    '::8.8.8.8',
    '64:ff9b::7f00:1',
    '64:ff9b:1::7f00:1',
    '2002:7f00:1::',
    '2001::1',
    '2001:2::1',
    '2001:20::1',
    '2001:db8::1',
    '3fff::1',
    '5f00::1',
    '::ffff:0:127.0.0.1',
    'fc00::1',
    'fd12:3456::1',
    'fe80::1',
    'fe80::1%eth0',
    'fec0::1',
    'ff02::1',
    '100::1',
    '4000::1',
    'not an address',
  ])('inside, or of no use, is refused: %s', (address) => {
    expect(isAllowedAddress(address, [])).toBe(false);
  });

  it('of a network that the operator allows is allowed', () => {
    const networks = parseNetworks('10.1.0.0/16, fd00::/8');
    expect(['10.1.2.3', 'fd00::1'].map((address) => isAllowedAddress(address, networks))).toEqual([true, true]);
    expect(['10.2.0.1', 'fc00::1', '::ffff:10.1.2.3'].map((one) => isAllowedAddress(one, networks))).toEqual([
      false,
      false,
      false,
    ]);
  });
});

describe('when it is saved, a URL', () => {
  const names = new Names();
  names.v4.set('hooks.example', [PUBLIC_ADDRESS]);
  names.v4.set('inside.example', ['10.0.0.1']);
  names.v4.set('inside.example.', ['10.0.0.1']);
  names.v4.set('mixed.example', [PUBLIC_ADDRESS, '127.0.0.1']);
  names.v6.set('mapped.example', ['::ffff:127.0.0.1']);
  names.v4.set('half.example', [PUBLIC_ADDRESS]);
  names.v6.set('half.example', ['::1']);
  const sender = new HttpWebhookSender({ allowsHttp: false, allowedNetworks: [], resolver: names });

  it('of a public server is taken, without a fragment', async () => {
    expect(await sender.check('https://hooks.example/a?b=c#d')).toBe('https://hooks.example/a?b=c');
    expect(await sender.check('https://HOOKS.example:8443')).toBe('https://hooks.example:8443/');
    // A backslash is a slash, so the name has ended.
    expect(await sender.check('https://hooks.example\\@127.0.0.1/')).toBe('https://hooks.example/@127.0.0.1/');
  });

  it('with a name in another script is taken as the name that is asked of DNS', async () => {
    names.v4.set('xn--bcher-kva.example', [PUBLIC_ADDRESS]);
    expect(await sender.check('https://bücher.example/hooks')).toBe('https://xn--bcher-kva.example/hooks');
  });

  it.each([
    'https://127.0.0.1/',
    'https://2130706433/',
    'https://0177.0.0.1/',
    'https://0x7f.1/',
    'https://0x7f000001/',
    'https://127.1/',
    'https://０/',
    'https://169.254.169.254/latest/meta-data',
    'https://[::1]/',
    'https://[::ffff:127.0.0.1]/',
    'https://[::ffff:7f00:1]/',
    'https://[64:ff9b::10.0.0.1]/',
    'https://[fd00::1]/',
    'https://[2002:7f00:1::]/',
    'https://[2001::7f00:1]/',
    'https://[fe80::1%25eth0]/',
    'https://127.0.0.1./',
    'https://017700000001/',
    'https://127.0.0.1:8443/',
    'https://127。0。0。1/',
    'https://⑫⑦.0.0.1/',
    'https:127.0.0.1',
    'https:\\\\127.0.0.1\\hooks',
    'https://hooks.example@127.0.0.1/',
    'https://localhost/',
    'https://LOCALHOST./',
    'https://app.localhost/',
    'https://inside.example/',
    'https://mixed.example/',
    'https://mapped.example/',
    'https://half.example/',
    'https://inside.example./',
    'https://INSIDE.example/',
    'https://ｉｎｓｉｄｅ.example/',
    'https://nowhere.example/',
    'https://hooks.example:65536/',
    'https://999.1.1.1/',
    'https://hooks.exa mple/',
    'http://hooks.example/',
    'ftp://hooks.example/',
    'https://user:pass@hooks.example/',
    'https://user@hooks.example/',
    `https://hooks.example/${'a'.repeat(2_000)}`,
    'hooks.example',
    '',
  ])('that leads inside, or is none, is refused: %s', async (url) => {
    await expect(sender.check(url)).rejects.toThrow(WebhookAddressError);
  });
});

describe('at a delivery', () => {
  const names = new Names();
  let rig: WebhooksRig;
  let server: HookServer;
  let accountId: string;
  beforeAll(async () => {
    rig = await WebhooksRig.start({ allowedNetworks: [], resolver: names });
    server = await HookServer.start();
    accountId = await rig.account();
  });
  afterAll(async () => {
    await rig.stop();
    await server.stop();
  });

  async function outcome(id: string) {
    await rig.service.test(accountId, id);
    const deliverer = rig.deliver();
    for (;;) {
      const [delivery] = await rig.service.deliveries(accountId, id, { first: 1, after: null, state: null });
      if (delivery!.attempts > 0) {
        await deliverer.stop();
        return delivery!;
      }
      await delay(10);
    }
  }

  it.each([
    ['IPv4', ['127.0.0.1'], []],
    ['IPv6', [], ['::1']],
    ['one of several', [PUBLIC_ADDRESS, '127.0.0.1'], []],
  ])('a name that has come to lead inside is refused: %s', async (_, v4, v6) => {
    names.v4.set('rebinding.example', [PUBLIC_ADDRESS]);
    names.v6.delete('rebinding.example');
    const { id } = await rig.endpoint(accountId, `http://rebinding.example:${server.port}/`);
    names.v4.set('rebinding.example', v4);
    if (v4.length === 0) names.v4.delete('rebinding.example');
    names.v6.set('rebinding.example', v6);
    expect(await outcome(id)).toMatchObject({
      lastStatus: null,
      lastError: 'The address leads into a private network',
    });
    expect(server.received).toEqual([]);
  });

  it('the address that was checked is the one that is connected to: the name is asked once', async () => {
    const open = new HttpWebhookSender({
      allowsHttp: true,
      allowedNetworks: parseNetworks('127.0.0.0/8'),
      resolver: names,
    });
    names.v4.set('once.example', ['127.0.0.1']);
    names.v6.delete('once.example');
    const connection = open.open();
    names.asked = 0;
    const request = { url: `http://once.example:${server.port}/`, headers: {}, body: '{}' };
    const stopping = new AbortController();
    const answer = await connection.post(request, stopping.signal);
    connection.close();
    expect(answer).toMatchObject({ status: 204, error: null });
    // Once for IPv4, once for IPv6.
    expect(names.asked).toBe(2);
    // One signal is there for all webhooks of a process: what each leaves on it would add up.
    expect(getEventListeners(stopping.signal, 'abort')).toEqual([]);
    server.received.length = 0;
  });

  it('an address inside that was written into the table is refused', async () => {
    names.v4.set('hooks.example', [PUBLIC_ADDRESS]);
    const { id } = await rig.endpoint(accountId, 'http://hooks.example/');
    for (const url of [`http://127.0.0.1:${server.port}/`, `http://[::1]:${server.port}/`]) {
      await rig.db.pool.query('update webhook_endpoint set url = $2, paused_until = now() where id = $1', [id, url]);
      expect((await outcome(id)).lastError).toBe('The address leads into a private network');
    }
    expect(server.received).toEqual([]);
  });
});
