import { z } from 'zod';

import { STATUSES } from './video.js';

/** `page` reads and skips all rows before it, so it is limited to this many rows. The cursor has no limit. */
export const MAX_PAGED_ROWS = 10_000;
const MAX_LIMIT = 100;
const MAX_TEXT_LENGTH = 200;
const SORTS = ['-createdAt', 'createdAt', 'title'] as const;

/** PostgreSQL's `text` cannot contain NUL. */
const text = () =>
  z
    .string()
    .max(MAX_TEXT_LENGTH)
    .regex(/^[^\0]*[^\s\0][^\0]*$/);

/** The query of `GET /v1/video`. */
export const listParameters = z.strictObject({
  limit: z.int().min(1).max(MAX_LIMIT).default(20).describe('Videos per page'),
  cursor: z
    .string()
    .min(1)
    .max(4096)
    .optional()
    .describe('`pagination.nextCursor` of the page before. Not with `page`'),
  page: z.int().min(1).max(MAX_PAGED_ROWS).optional().describe('From 1; `page` × `limit` is at most 10,000'),
  status: z.enum(STATUSES).optional().describe('Only videos in this state'),
  q: text().optional().describe('Words in the title, or their beginnings; all must be there'),
  tag: text().optional().describe('Only videos with exactly this tag'),
  sort: z.enum(SORTS).default('-createdAt').describe('`-` is newest first'),
});

export type ListParameters = z.infer<typeof listParameters>;

const TEXT_RULE = `must have 1 to ${MAX_TEXT_LENGTH} characters, at least one of them not a space, and no NUL`;

/** What each parameter must be, as the rest of a sentence that starts with its name. */
export const PARAMETER_RULES: Readonly<Record<keyof ListParameters, string>> = {
  limit: `must be a whole number from 1 to ${MAX_LIMIT}`,
  cursor: 'must be the nextCursor of a page of this list',
  page: `must be a whole number from 1 to ${MAX_PAGED_ROWS}`,
  status: `must be one of ${STATUSES.join(', ')}`,
  q: TEXT_RULE,
  tag: TEXT_RULE,
  sort: `must be one of ${SORTS.join(', ')}`,
};
