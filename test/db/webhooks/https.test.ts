import { execFileSync } from 'node:child_process';
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

import { afterAll, beforeAll, describe, expect, it } from 'vitest';

import { HttpWebhookSender } from '../../../src/adapters/webhooks/httpSender.js';
import { parseNetworks } from '../../../src/adapters/webhooks/networks.js';
import type { WebhookResponse } from '../../../src/ports/webhookSender.js';
import { hasPrograms } from '../../support/programs.js';
import { type Certificate, HookServer } from '../../support/webhooks/hookServer.js';

const NAME = 'hooks.example';

/** Of a server that signs its own certificate, for `NAME`. */
async function ownCertificate(): Promise<Certificate> {
  const folder = await mkdtemp(join(tmpdir(), 'dhara-tls-'));
  const [key, cert] = [join(folder, 'key.pem'), join(folder, 'cert.pem')];
  const kind = ['-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:P-256', '-nodes'];
  const subject = ['-subj', `/CN=${NAME}`, '-addext', `subjectAltName=DNS:${NAME}`];
  execFileSync('openssl', ['req', '-x509', ...kind, ...subject, '-keyout', key, '-out', cert], { stdio: 'ignore' });
  const both = { key: await readFile(key, 'utf8'), cert: await readFile(cert, 'utf8') };
  await rm(folder, { recursive: true });
  return both;
}

describe.runIf(hasPrograms(['openssl'], 'openssl'))('a delivery by https', () => {
  let server: HookServer;
  let certificate: Certificate;
  beforeAll(async () => {
    certificate = await ownCertificate();
    server = await HookServer.start(0, certificate);
  });
  afterAll(() => server?.stop());

  /** To a server on loopback, whatever its name. */
  async function post(host: string, trusts: { ca?: string }, inside = '127.0.0.0/8'): Promise<WebhookResponse> {
    const sender = new HttpWebhookSender({
      allowsHttp: false,
      allowedNetworks: parseNetworks(inside),
      resolver: { resolve4: () => Promise.resolve(['127.0.0.1']), resolve6: () => Promise.reject(new Error('none')) },
      ...trusts,
    });
    const connection = sender.open();
    try {
      return await connection.post({ url: `https://${host}/`, headers: {}, body: '{}' }, AbortSignal.timeout(30_000));
    } finally {
      connection.close();
    }
  }

  it('arrives at a server whose certificate is valid for its name', async () => {
    const answer = await post(`${NAME}:${server.port}`, { ca: certificate.cert });
    expect(answer).toMatchObject({ status: 204, error: null });
    expect(server.received.splice(0)).toMatchObject([{ body: '{}', headers: { host: `${NAME}:${server.port}` } }]);
  });

  it('is refused for an untrusted certificate, and for one of another name', async () => {
    expect(await post(`${NAME}:${server.port}`, {})).toMatchObject({
      status: null,
      error: 'The certificate is not valid (DEPTH_ZERO_SELF_SIGNED_CERT)',
    });
    expect(await post(`other.example:${server.port}`, { ca: certificate.cert })).toMatchObject({
      status: null,
      error: 'The certificate is not valid (ERR_TLS_CERT_ALTNAME_INVALID)',
    });
    expect(server.received).toEqual([]);
  });

  it('is refused for an address inside, whatever its certificate', async () => {
    const answer = await post(`${NAME}:${server.port}`, { ca: certificate.cert }, '10.0.0.0/8');
    expect(answer).toMatchObject({ status: null, error: 'The address leads into a private network' });
    expect(server.received).toEqual([]);
  });

  it('fails where a server does not speak TLS', async () => {
    const plain = await HookServer.start();
    const answer = await post(`${NAME}:${plain.port}`, { ca: certificate.cert });
    await plain.stop();
    expect(answer).toMatchObject({ status: null, error: 'The server does not speak TLS on this port' });
    expect(plain.received).toEqual([]);
  });
});
