import { afterAll, beforeAll, describe, expect, it } from 'vitest';

import { head, patch, send } from '../../support/uploads/client.js';
import { UploadRig } from '../../support/uploads/rig.js';
import { PUBLIC_URL } from '../../support/uploads/uploadNode.js';

let rig: UploadRig;
beforeAll(async () => {
  rig = await UploadRig.start();
});
afterAll(() => rig.stop());

describe('an upload', () => {
  it('requires a session', async () => {
    const { url } = await rig.begun(5);
    for (const method of ['HEAD', 'PATCH', 'DELETE']) {
      expect((await send(url, { method })).status).toBe(401);
    }
  });

  it('of another account gives the same error as an unknown one', async () => {
    const { url, videoId } = await rig.begun(5);
    const stranger = await rig.rows.account();
    const nothing = `${rig.node.url}/uploads/${'0'.repeat(40)}`;
    expect(await head(url, stranger)).toMatchObject({ status: 404 });
    const refused = await patch(url, stranger, 0, '01234');
    expect(refused).toMatchObject({ status: 404, text: (await patch(nothing, stranger, 0, '01234')).text });
    expect((await send(url, { method: 'DELETE', accountId: stranger })).status).toBe(404);
    expect((await rig.rows.videoState(videoId)).status).toBe('awaiting_upload');
  });

  it('is refused to a suspended account', async () => {
    const { accountId, url } = await rig.begun(5);
    const refused = await patch(url, `${accountId}-suspended`, 0, '01234');
    expect(refused.status).toBe(403);
    expect(JSON.parse(refused.text)).toMatchObject({ error: { code: 'ACCOUNT_SUSPENDED' } });
  });

  it.each([
    [{ origin: 'https://evil.example' }, 403],
    [{ 'sec-fetch-site': 'cross-site' }, 403],
    [{ 'sec-fetch-site': 'same-site' }, 403],
    [{ origin: 'null' }, 403],
    [{ origin: PUBLIC_URL }, 204],
    [{ 'sec-fetch-site': 'same-origin', origin: 'http://localhost:5173' }, 204],
    [{}, 204],
  ])('with the headers %j of a page returns %i', async (headers, status) => {
    const { accountId, uploadId, url } = await rig.begun(10);
    const tus = { 'upload-offset': '0', 'content-type': 'application/offset+octet-stream' };
    // Node's fetch sends the sec-fetch headers, which a browser would drop.
    const answer = await send(url, { method: 'PATCH', accountId, headers: { ...tus, ...headers }, body: '01234' });
    expect(answer.status).toBe(status);
    expect(await rig.node.staging.sizeBytes({ accountId, uploadId })).toBe(status === 204 ? 5 : null);
  });

  it.each(['..%2f..%2fetc%2fpasswd', '%2e%2e', 'x', `${'0'.repeat(40)}.info`, `${'0'.repeat(40)}%00`, '%zz'])(
    'is not found as %s',
    async (name) => {
      const accountId = await rig.rows.account();
      const answer = await patch(`${rig.node.url}/uploads/${name}`, accountId, 0, 'x');
      expect([400, 404]).toContain(answer.status);
      expect(answer.text).not.toContain(rig.dir);
    },
  );

  it('cannot be created, listed or read', async () => {
    const { accountId, url } = await rig.begun(5);
    for (const [method, target] of [
      ['POST', `${rig.node.url}/uploads`],
      ['GET', `${rig.node.url}/uploads`],
      ['GET', url],
      ['POST', url],
    ] as const) {
      const answer = await send(target, { method, accountId, headers: { 'upload-length': '5' } });
      expect(answer.status).toBe(405);
      expect(answer.headers.get('allow')).toBe('HEAD, PATCH, DELETE, OPTIONS');
    }
  });
});
