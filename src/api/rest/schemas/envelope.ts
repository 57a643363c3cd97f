import { z } from 'zod';

const instant = () => z.iso.datetime().describe('RFC 3339, UTC, with milliseconds');

/** The one shape of every error. `error.status` is the HTTP status. */
export const errorEnvelope = z.strictObject({
  success: z.literal(false),
  error: z.strictObject({
    code: z.string().describe('Stable and machine-readable'),
    message: z.string().describe('For people; may change'),
    status: z.int().describe('The HTTP status'),
  }),
});

/** The envelope around `data`. */
export function dataEnvelope<Data extends z.ZodType>(data: Data) {
  return z.strictObject({ success: z.literal(true), data });
}

/** The envelope around a page of a list. */
export function pageEnvelope<Item extends z.ZodType>(item: Item) {
  return z.strictObject({ success: z.literal(true), data: z.array(item), pagination });
}

export const pagination = z.strictObject({
  limit: z.int().min(1).max(100),
  total: z.int().min(0).nullable().describe('Exact; `null` with `q` or `tag`'),
  hasMore: z.boolean(),
  nextCursor: z.string().nullable().describe('The `cursor` of the next page; `null` at the end'),
  page: z.int().min(1).nullable().describe('`null` when walking by cursor'),
  totalPages: z.int().min(0).nullable().describe('Exact; `null` with `q` or `tag`'),
});

export type Pagination = z.infer<typeof pagination>;

export { instant };
