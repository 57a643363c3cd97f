/** The recipes of docs/test-mode.md, by their headings there. */
export const RECIPES = {
  'a video cannot be processed': `mutation {
  createVideo(input: { filename: "a.mp4", sizeBytes: 123456, testFault: ENCODE_FAILS_AT_HALF }) {
    video { id }
    upload { url }
  }
}`,
  'a video takes long': `mutation {
  createVideo(input: { filename: "a.mp4", sizeBytes: 123456, testFault: READY_AFTER_N_SECONDS, testFaultSeconds: 120 }) {
    video { id }
    upload { url }
  }
}`,
  'a key has used its quota': `mutation {
  createApiKey(name: "nearly used", testFault: QUOTA_NEARLY_USED) { key }
}`,
  'a token arrives too late, or a clock is wrong': `mutation {
  createApiKey(name: "late", testFault: TOKENS_EXPIRED) { key }
}`,
  'a token works for longer than it says': `mutation {
  createApiKey(name: "long", testFault: TOKENS_LIVE_ON) { key }
}`,
  'time passes': `mutation {
  moveTestClock(seconds: 86400) { now movedSeconds }
}`,
  'a webhook comes twice, late, or out of order': `mutation {
  createWebhookEndpoint(url: "https://example.com/hooks", testFault: TWICE) { secret }
}`,
  'a payment is disputed': `mutation {
  simulatePaymentDispute { id amount dispute { id state } }
}`,
  'a dispute ends': `mutation ($paymentId: ID!) {
  endPaymentDispute(paymentId: $paymentId, outcome: LOST) { id dispute { state } }
}`,
} as const;
