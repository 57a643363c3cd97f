import { Ajv2020 } from 'ajv/dist/2020.js';
import addFormats from 'ajv-formats';
import { expect, it } from 'vitest';

import { eventExample, eventSchema } from '../../src/domain/shared/events/eventSchemas.js';
import { ALL_EVENT_TYPES, EVENT_TYPES } from '../../src/domain/shared/events/eventTypes.js';
import { RENDITION_QUALITIES } from '../../src/ports/sourceProbe.js';
import { parseVideoId } from '../../src/domain/shared/ids.js';
import type { DharaEvent, VideoReadyEvent } from '../../src/client/index.js';

function validator(type: (typeof ALL_EVENT_TYPES)[number]) {
  const ajv = new Ajv2020({ allErrors: true });
  addFormats.default(ajv);
  return ajv.compile(eventSchema(type));
}

it.each(ALL_EVENT_TYPES)('the example of %s obeys its schema and its definition', (type) => {
  const example = eventExample(type);
  const validate = validator(type);

  expect(validate(example), JSON.stringify(validate.errors)).toBe(true);
  expect(EVENT_TYPES[type].data.safeParse(example['data']).error).toBeUndefined();
});

it.each(ALL_EVENT_TYPES)('the schema of %s refuses other types and missing fields, and allows new fields', (type) => {
  const validate = validator(type);
  const example = eventExample(type);
  const [field = ''] = Object.keys(example['data'] as object);

  expect(validate({ ...example, type: 'video.unknown' })).toBe(false);
  expect(validate({ ...example, data: { ...(example['data'] as object), [field]: undefined } })).toBe(false);
  expect(validate({ ...example, data: { ...(example['data'] as object), addedLater: 1 } })).toBe(true);
});

it.each(ALL_EVENT_TYPES.filter((type) => type.startsWith('video.')))(
  'the video of the example of %s can exist',
  (type) => {
    const data = eventExample(type)['data'] as VideoReadyEvent['data'];

    expect(parseVideoId(data.videoId)).toBe(data.uuid);
    expect(data.playableRungs).toEqual(
      RENDITION_QUALITIES.toReversed().filter((quality) => data.playableRungs.includes(quality)),
    );
    // Only these leave something that plays.
    expect(data.playableRungs.length > 0).toBe(['video.playable', 'video.ready', 'video.restored'].includes(type));
  },
);

it('the types of the client narrow by the type of an event', () => {
  const titleOf = (event: DharaEvent): string | undefined => {
    if (event.type === 'video.ready') return event.data.title;
    if (event.type === 'quota.changed') return `${event.data.name}: ${event.data.dailyQuota.toFixed(0)}`;
    return undefined;
  };

  expect(titleOf(eventExample('video.ready') as unknown as VideoReadyEvent)).toBe('Intro to sailing');
  expect(titleOf(eventExample('quota.changed') as unknown as DharaEvent)).toBe('Production: 5000');
});
