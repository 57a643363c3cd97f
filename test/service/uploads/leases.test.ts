import { afterAll, beforeAll, describe, expect, it } from 'vitest';

import { head, openPatch, patch } from '../../support/uploads/client.js';
import { UploadRig } from '../../support/uploads/rig.js';

let rig: UploadRig;
beforeAll(async () => {
  rig = await UploadRig.start();
});
afterAll(() => rig.stop());

describe('concurrent connections to one upload', () => {
  it('write one after the other, over all processes', async () => {
    const second = await rig.secondNode();
    try {
      for (let round = 0; round < 10; round += 1) {
        const size = 300_000;
        const { accountId, videoId, uploadId } = await rig.begun(size);
        const answers = await Promise.all(
          ['a', 'b', 'c', 'd'].map((letter, n) =>
            patch(`${(n % 2 ? rig.node : second).url}/uploads/${uploadId}`, accountId, 0, letter.repeat(size)),
          ),
        );
        expect(answers.filter(({ status }) => status === 204)).toHaveLength(1);
        expect(answers.every(({ status }) => [204, 409, 423].includes(status))).toBe(true);
        const text = (await rig.sourceOf(videoId)).toString();
        expect(text).toBe(text[0]!.repeat(size));
        expect(await rig.rows.measureJobs(videoId)).toBe(1);
      }
    } finally {
      await second.stop();
    }
  });

  it('yield to a newer one if the older one hangs', async () => {
    const second = await rig.secondNode();
    try {
      const { accountId, uploadId, url } = await rig.begun(10);
      const { req, answer } = openPatch(url, accountId, { offset: 0, contentLength: 10 });
      req.write('0123');
      await expect.poll(() => rig.node.staging.sizeBytes({ accountId, uploadId })).toBe(4);

      const resumed = await head(`${second.url}/uploads/${uploadId}`, accountId);

      expect(resumed.headers.get('upload-offset')).toBe('4');
      expect((await answer).status).toBe(204);
      expect((await patch(url, accountId, 4, '456789')).status).toBe(204);
    } finally {
      await second.stop();
    }
  });

  it('wait for a dead one until its lease expires, and no longer', async () => {
    const { accountId, uploadId, url } = await rig.begun(10);
    const [dead] = await rig.rows.query<{ until: string }>(
      `update upload set lease_token = gen_random_uuid(), leased_until = clock_timestamp() + interval '1 s'
       where id = $1 returning leased_until::text as until`,
      [uploadId],
    );
    expect((await patch(url, accountId, 0, '01234')).status).toBe(204);
    expect(await rig.rows.query('select clock_timestamp() > $1::timestamptz as over', [dead!.until])).toEqual([
      { over: true },
    ]);
  });
});
