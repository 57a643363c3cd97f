export { Dhara, type CallOptions, type DharaOptions, type Result, type VideoPage } from './dhara.js';
export { DharaApiError, DharaConnectionError, DharaError, DharaTimeoutError } from './errors.js';
export type { RateLimit } from './rateLimit.js';
export { verifyWebhook, WebhookVerificationError, type VerifyOptions, type WebhookEvent } from './webhooks.js';
export type * from './generated/api.js';
export type * from './generated/events.js';
