import { afterAll, beforeAll, expect, it } from 'vitest';

import { parseVideoId } from '../../../src/domain/shared/ids.js';
import type { Client } from '../../support/graphql/client.js';
import { GraphqlService } from './service.js';

let service: GraphqlService;
let owner: Client;
let staff: Client;
let videoId: string;

beforeAll(async () => {
  service = await GraphqlService.start();
  owner = await service.signedIn('owner@example.com');
  staff = await service.signedIn('staff@example.com', 'support');
  videoId = (await owner.data(CREATE, { input: { filename: 'a.mp4', sizeBytes: 1000 } }))['createVideo'].video.id;
});
afterAll(() => service.stop());

const CREATE = 'mutation ($input: CreateVideoInput!) { createVideo(input: $input) { video { id title } } }';
const UPDATE = 'mutation ($id: ID!, $input: UpdateVideoInput!) { updateVideo(id: $id, input: $input) { id title } }';
const KEY = 'mutation ($name: String!) { createApiKey(name: $name) { apiKey { id name } } }';
const CHAPTERS = `mutation ($id: ID!, $chapters: [ChapterInput!]!) {
  setChapters(videoId: $id, chapters: $chapters) { id } }`;
const DETAILS = 'mutation ($details: BillingDetailsInput!) { setBillingDetails(details: $details) { legalName } }';
const SUSPEND = 'mutation ($id: ID!, $reason: String!) { suspendAccount(accountId: $id, reason: $reason) { id } }';

/** Every text that owners or staff write, with a mutation that takes it. */
const FIELDS: Record<string, (text: string) => Promise<string>> = {
  'the title of an upload': (title) => owner.code(CREATE, { input: { filename: 'a.mp4', sizeBytes: 1000, title } }),
  'a title': (title) => owner.code(UPDATE, { id: videoId, input: { title } }),
  'a description': (description) => owner.code(UPDATE, { id: videoId, input: { description } }),
  'a tag': (tag) => owner.code(UPDATE, { id: videoId, input: { tags: [tag] } }),
  'the name of a key': (name) => owner.code(KEY, { name }),
  'the title of a chapter': (title) => owner.code(CHAPTERS, { id: videoId, chapters: [{ startSeconds: 0, title }] }),
  'the name on invoices': (legalName) =>
    owner.code(DETAILS, { details: { legalName, addressLines: ['1 Road'], country: 'IN' } }),
  'the address on invoices': (address) =>
    owner.code(DETAILS, { details: { legalName: 'Ada', addressLines: [address], country: 'IN' } }),
  'a reason': (reason) => staff.code(SUSPEND, { id: owner.accountId, reason }),
};

it.each(Object.keys(FIELDS))('%s may not contain invisible characters', async (field) => {
  for (const text of ['a\u202Eb', 'a\u200Bb', 'pay\u200Dpal', 'a\u{E0041}', '\u3164', 'a\0b', 'a\u0378']) {
    expect({ text, code: await FIELDS[field]!(text) }).toEqual({ text, code: 'INVALID_INPUT' });
  }
});

it('a title keeps the joiners that scripts need, in NFC', async () => {
  for (const title of ['می‌خواهم', 'क्‍ष', '👨‍👩‍👧', 'Zoe\u0308']) {
    const { updateVideo } = await owner.data(UPDATE, { id: videoId, input: { title } });
    expect(updateVideo.title).toBe(title.normalize('NFC'));
  }
});

it('a file’s name becomes a readable title', async () => {
  const input = { filename: 'gpj\u202E\u200Bvideo.mp4', sizeBytes: 1000 };
  expect((await owner.data(CREATE, { input }))['createVideo'].video.title).toBe('gpj video');
});

it('texts stored before the check are still shown, and their tags can be removed', async () => {
  await service.rows(`update video set title = $2, tags = array['a' || chr(8203)] where id = $1`, [uuid(), 'a\u202Eb']);
  const read = 'query ($id: ID!) { video(id: $id) { title tags } }';
  expect((await owner.data(read, { id: videoId }))['video']).toEqual({ title: 'a\u202Eb', tags: ['a\u200B'] });
  await owner.data('mutation ($ids: [ID!]!, $remove: [String!]!) { changeVideoTags(ids: $ids, remove: $remove) }', {
    ids: [videoId],
    remove: ['a\u200B'],
  });
  expect((await owner.data(read, { id: videoId }))['video'].tags).toEqual([]);
});

function uuid(): string {
  return parseVideoId(videoId)!;
}
