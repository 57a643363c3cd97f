import { afterAll, beforeAll, describe, expect, it } from 'vitest';

import { errorOf, head, openPatch, patch, tusUpload } from '../../support/uploads/client.js';
import { CuttableProxy } from '../../support/uploads/cuttableProxy.js';
import { UploadRig } from '../../support/uploads/rig.js';
import { UploadNode } from '../../support/uploads/uploadNode.js';

let rig: UploadRig;
let proxy: CuttableProxy;
let node: UploadNode;
beforeAll(async () => {
  rig = await UploadRig.start();
  proxy = await CuttableProxy.to(rig.database.runtimeUrl);
  node = await UploadNode.start({ databaseUrl: proxy.url, dir: rig.dir });
});
afterAll(async () => {
  proxy.mend();
  await node.stop();
  await proxy.close();
  await rig.stop();
});

describe('while the database is away', () => {
  it('requests get 503 with Retry-After', async () => {
    const { accountId, uploadId } = await rig.begun(5);
    const url = `${node.url}/uploads/${uploadId}`;
    proxy.cut();
    try {
      const refused = await patch(url, accountId, 0, '01234');
      expect(refused.status).toBe(503);
      expect(refused.headers.get('retry-after')).toBe('2');
      expect(JSON.parse(refused.text)).toMatchObject({ error: { code: 'SERVICE_UNAVAILABLE', status: 503 } });
      const failed = await tusUpload(url, Buffer.from('01234'), { accountId }).done.catch((error: unknown) => error);
      expect(() => errorOf(failed)).toThrow();
    } finally {
      proxy.mend();
    }
    expect((await patch(url, accountId, 0, '01234')).status).toBe(204);
  });

  it('the last bytes of a video arrive, and count when it is back', async () => {
    const { accountId, videoId, uploadId } = await rig.begun(10);
    const url = `${node.url}/uploads/${uploadId}`;
    const { req, answer } = openPatch(url, accountId, { offset: 0, contentLength: 10 });
    req.write('0123');
    await expect.poll(() => node.staging.sizeBytes({ accountId, uploadId })).toBe(4);
    proxy.cut();
    req.end('456789');
    expect((await answer).status).toBe(503);
    expect((await rig.rows.videoState(videoId)).status).toBe('uploading');
    proxy.mend();

    const resumed = await head(url, accountId);

    expect(resumed.headers.get('upload-offset')).toBe('10');
    expect((await rig.sourceOf(videoId)).toString()).toBe('0123456789');
    expect(await rig.rows.measureJobs(videoId)).toBe(1);
  });
});
