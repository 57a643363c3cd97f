import { z } from 'zod';

const days = (min: number, byDefault: number) => z.coerce.number().int().min(min).max(3650).default(byDefault);

/** How long data is kept that the books do not need. docs/operations.md has a table of all of it. */
export const RETENTION_SETTINGS = {
  EVENT_DAYS: days(7, 90).describe('days that events, webhook deliveries and their attempts are kept; at least 7'),
  VIEW_DAYS: days(2, 30).describe('days that single views, and what players reported of them, are kept; at least 2'),
  VIEW_HOUR_MONTHS: z.coerce
    .number()
    .int()
    .min(2)
    .max(120)
    .default(13)
    .describe('months that hourly counts of views are kept; daily counts stay'),
  EMAIL_DAYS: days(7, 90).describe('days that the text of emails to owners is kept after they were sent or given up'),
  QUOTE_DAYS: days(1, 30).describe('days that an expired quote without a purchase is kept'),
  JOB_HOURS: z.coerce
    .number()
    .int()
    .min(1)
    .max(24 * 30)
    .default(24)
    .describe('hours that finished jobs are kept; those of chunks and per-minute chores are kept for an hour'),
};
