import { execFile } from 'node:child_process';
import { cp, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';

import { afterAll, beforeAll, describe, expect, it } from 'vitest';

import { typesText } from '../../../src/api/rest/docs/clientTypes.js';
import { openApiDocument } from '../../../src/api/rest/docs/openapi.js';

const ROOT = join(import.meta.dirname, '../../..');
const run = promisify(execFile);

/** A program that calls every method, and uses a part of each response. */
const PROGRAM = `
import { Dhara, type ErrorCode } from './client/index.js';

const dhara = new Dhara({ baseUrl: 'https://video.example', apiKey: 'dk_live_x' });
for await (const video of dhara.videos({ status: 'ready' })) {
  const title: string = video.title;
  const { data } = await dhara.createPlaybackToken(video.id);
  const seconds: number = data.expiresIn;
  const { data: manifest } = await dhara.getManifest(data.token);
  const stream: string = manifest.url;
  console.log(title, seconds, stream);
}
const { data: page, pagination } = await dhara.listVideos({ limit: 10, sort: '-createdAt' });
const total: number | null = pagination.total;
const { data: video } = await dhara.getVideo(page[0]!.id);
for (const { quality, bitrate } of video.renditions) console.log(total, quality.length, bitrate.toFixed());
const missing: ErrorCode = 'VIDEO_NOT_FOUND';
console.log(missing);
`;

let folder: string;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'dhara-client-types-'));
  await cp(join(ROOT, 'src/client'), join(folder, 'client'), { recursive: true });
  await writeFile(join(folder, 'program.ts'), PROGRAM);
  await writeFile(join(folder, 'package.json'), '{ "type": "module" }');
});
afterAll(() => rm(folder, { recursive: true, force: true }));

/** What the compiler says of the program when the contract is this document. */
async function complaints(document: string): Promise<string> {
  await writeFile(
    join(folder, 'client/generated/api.ts'),
    typesText(JSON.parse(document) as ReturnType<typeof openApiDocument>),
  );
  const args = ['--noEmit', '--strict', '--target', 'es2022', '--module', 'nodenext'];
  args.push('--lib', 'es2022,dom,dom.iterable,dom.asynciterable', '--types', '', 'program.ts');
  return run(join(ROOT, 'node_modules/.bin/tsc'), args, { cwd: folder }).then(
    () => '',
    ({ stdout }: { stdout: string }) => stdout,
  );
}

describe('a program that uses the client', () => {
  const contract = JSON.stringify(openApiDocument('https://video.example'));

  it('compiles with the contract as it is', async () => {
    expect(await complaints(contract)).toBe('');
  });

  it.each([
    ['a field has another name', /"expiresIn"/g, '"lifetime"', "'expiresIn' does not exist"],
    [
      'a field has another type',
      /"title":\{"type":"string"/g,
      '"title":{"type":"integer"',
      "'number' is not assignable",
    ],
    [
      'a field may be null',
      /"title":\{"type":"string"/g,
      '"title":{"type":["string","null"]',
      "'null' is not assignable",
    ],
    ['a state is gone', /"ready"/g, '"done"', `'"ready"' is not assignable`],
    ['a field of one video is gone', /"renditions"/g, '"ladder"', "'renditions' does not exist"],
    ['a field of a manifest has another name', /"url"/g, '"address"', "'url' does not exist"],
    ['a field of the pagination has another name', /"total"/g, '"count"', "'total' does not exist"],
    ['a parameter is gone', /"name":"sort"/g, '"name":"order"', "'sort' does not exist"],
    ['an error is gone', /VIDEO_NOT_FOUND/g, 'NO_SUCH_VIDEO', `'"VIDEO_NOT_FOUND"' is not assignable`],
  ])('does not compile when %s', async (_, from, to, complaint) => {
    const changed = contract.replace(from, to);
    expect(changed).not.toBe(contract);
    expect(await complaints(changed)).toContain(complaint);
  });
});
