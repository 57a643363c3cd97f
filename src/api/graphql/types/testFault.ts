import { registerEnumType } from 'type-graphql';

export const TestVideoFault = {
  ENCODE_FAILS_AT_HALF: 'ENCODE_FAILS_AT_HALF',
  READY_AFTER_N_SECONDS: 'READY_AFTER_N_SECONDS',
} as const;
export type TestVideoFault = (typeof TestVideoFault)[keyof typeof TestVideoFault];
registerEnumType(TestVideoFault, {
  name: 'TestVideoFault',
  description: 'How a test video fails: at 50%, or by starting to process late.',
});

export const TestKeyFault = {
  QUOTA_NEARLY_USED: 'QUOTA_NEARLY_USED',
  TOKENS_EXPIRED: 'TOKENS_EXPIRED',
  TOKENS_LIVE_ON: 'TOKENS_LIVE_ON',
} as const;
export type TestKeyFault = (typeof TestKeyFault)[keyof typeof TestKeyFault];
registerEnumType(TestKeyFault, {
  name: 'TestKeyFault',
  description:
    'How a test key fails: only one token is left today, its tokens have expired when they are created, or they can be exchanged for an hour after their expiry.',
});

export const TestWebhookFault = { TWICE: 'TWICE', LATE: 'LATE', OUT_OF_ORDER: 'OUT_OF_ORDER' } as const;
export type TestWebhookFault = (typeof TestWebhookFault)[keyof typeof TestWebhookFault];
registerEnumType(TestWebhookFault, {
  name: 'TestWebhookFault',
  description:
    'How a test endpoint receives events: each twice, a minute late, or in batches of 30 seconds with the newest first.',
});
