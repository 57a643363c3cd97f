import { Dhara } from '@dhara/client';

/** Where Dhara is, for this server and for browsers. */
export const dharaUrl = process.env.DHARA_URL ?? 'http://localhost:4000';

/** Only for code that runs on the server. A visitor is waiting, so it gives up earlier than the client's defaults. */
export const dhara = new Dhara({
  baseUrl: dharaUrl,
  apiKey: process.env.DHARA_KEY ?? '',
  timeoutMs: 5_000,
  maxRetries: 1,
});
