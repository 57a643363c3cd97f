import { z } from 'zod';

import { dataEnvelope, errorEnvelope, pageEnvelope, pagination } from '../schemas/envelope.js';
import { manifest, manifestCaption, playbackToken } from '../schemas/playback.js';
import { audio, audioTrack, caption, rendition, video, videoDetail } from '../schemas/video.js';

/** Every body by the name it has in the OpenAPI document. */
const BODIES = {
  Error: errorEnvelope,
  Pagination: pagination,
  Video: video,
  VideoDetail: videoDetail,
  Rendition: rendition,
  Audio: audio,
  AudioTrack: audioTrack,
  Caption: caption,
  ManifestCaption: manifestCaption,
  PlaybackToken: playbackToken,
  Manifest: manifest,
  VideoList: pageEnvelope(video),
  VideoResponse: dataEnvelope(videoDetail),
  PlaybackTokenResponse: dataEnvelope(playbackToken),
  ManifestResponse: dataEnvelope(manifest),
} as const;

export type BodyName = keyof typeof BODIES;

/** JSON Schema 2020-12, which is OpenAPI 3.1's own. */
export type JsonSchema = Record<string, unknown>;

/** The bodies as `components.schemas`, referring to each other by name. */
export function componentSchemas(): Record<string, JsonSchema> {
  const registry = z.registry<{ id: string }>();
  for (const [id, schema] of Object.entries(BODIES)) registry.add(schema, { id });
  const { schemas } = z.toJSONSchema(registry, {
    uri: (id) => `#/components/schemas/${id}`,
    // Our bodies have no other fields, but clients must accept new ones.
    override: ({ jsonSchema }) => {
      if (jsonSchema.additionalProperties === false) delete jsonSchema.additionalProperties;
    },
  });
  return Object.fromEntries(Object.entries(schemas).map(([id, schema]) => [id, withoutIdentity(schema)]));
}

/** Drops ids and dialect: inside a document, a schema is identified by its place. */
function withoutIdentity({ $schema: _dialect, $id: _id, id: _name, ...schema }: JsonSchema): JsonSchema {
  return schema;
}

export function bodyRef(name: BodyName): { $ref: string } {
  return { $ref: `#/components/schemas/${name}` };
}
