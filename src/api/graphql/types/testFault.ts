import { registerEnumType } from 'type-graphql';

export const TestVideoFault = {
  ENCODE_FAILS_AT_HALF: 'ENCODE_FAILS_AT_HALF',
  READY_AFTER_N_SECONDS: 'READY_AFTER_N_SECONDS',
} as const;
export type TestVideoFault = (typeof TestVideoFault)[keyof typeof TestVideoFault];
registerEnumType(TestVideoFault, {
  name: 'TestVideoFault',
  description: 'What is to happen to a test video: it fails at 50%, or its processing begins later.',
});

export const TestKeyFault = { QUOTA_NEARLY_USED: 'QUOTA_NEARLY_USED', TOKENS_EXPIRED: 'TOKENS_EXPIRED' } as const;
export type TestKeyFault = (typeof TestKeyFault)[keyof typeof TestKeyFault];
registerEnumType(TestKeyFault, {
  name: 'TestKeyFault',
  description:
    'What is to happen with a test key: one token of today is left, or its tokens have expired when they arrive.',
});

export const TestWebhookFault = { TWICE: 'TWICE', LATE: 'LATE', OUT_OF_ORDER: 'OUT_OF_ORDER' } as const;
export type TestWebhookFault = (typeof TestWebhookFault)[keyof typeof TestWebhookFault];
registerEnumType(TestWebhookFault, {
  name: 'TestWebhookFault',
  description:
    'How a test endpoint hears of events: each twice; a minute late; or those of 30 seconds together, the newest first.',
});
