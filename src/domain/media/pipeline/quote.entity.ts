import { defineEntity, p, type InferEntity } from '@mikro-orm/core';

/** One line of a quote, as shown: money in micro-credits, written as decimal text because JSON has no bigint. */
export interface QuoteLine {
  readonly item: 'processing' | 'branding' | 'encryption';
  readonly quality: string;
  readonly ratePerMinuteMicros: string;
  readonly amountMicros: string;
}

/** A binding price for processing one video: what it says is what is locked, until it expires. */
export const Quote = defineEntity({
  name: 'Quote',
  tableName: 'quote',
  properties: {
    accountId: p.uuid().primary(),
    id: p.uuid().primary(),
    videoId: p.uuid(),
    quality: p.string(),
    branding: p.boolean(),
    encryption: p.boolean(),
    durationMs: p.bigint('bigint'),
    lines: p.json().$type<QuoteLine[]>(),
    totalMicros: p.bigint('bigint'),
    createdAt: p.datetime(),
    expiresAt: p.datetime(),
  },
});
export type Quote = InferEntity<typeof Quote>;
