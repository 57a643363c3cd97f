import { z } from 'zod';

import { STATUSES } from './video.js';

/** `page` reads and skips everything before it; beyond this many rows, the cursor is the way. */
export const MAX_PAGED_ROWS = 10_000;

/** PostgreSQL's text holds no NUL. */
const text = (max: number) =>
  z
    .string()
    .max(max)
    .regex(/^[^\0]*[^\s\0][^\0]*$/, 'must have a character that is not a space');

/** The query of `GET /v1/video`. */
export const listParameters = z.strictObject({
  limit: z.int().min(1).max(100).default(20).describe('Videos per page'),
  cursor: z
    .string()
    .min(1)
    .max(4096)
    .optional()
    .describe('`pagination.nextCursor` of the page before. Not with `page`'),
  page: z.int().min(1).max(MAX_PAGED_ROWS).optional().describe('From 1; `page` × `limit` is at most 10,000'),
  status: z.enum(STATUSES).optional().describe('Only videos in this state'),
  q: text(200).optional().describe('Words in the title, or their beginnings; all must be there'),
  tag: text(200).optional().describe('Only videos with exactly this tag'),
  sort: z.enum(['-createdAt', 'createdAt', 'title']).default('-createdAt').describe('`-` is newest first'),
});

export type ListParameters = z.infer<typeof listParameters>;
