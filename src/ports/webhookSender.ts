/** What came of one request. */
export interface WebhookResponse {
  /** `null` if there was no response. */
  readonly status: number | null;
  /** Why there was no complete response, in a few words without internals; `null` if there was one. */
  readonly error: string | null;
  readonly durationMs: number;
  /** The first 2 KB of the body. */
  readonly body: string;
}

export interface WebhookRequest {
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
}

/** One endpoint's connection, which several requests may use. */
export interface WebhookConnection {
  /** Never rejects, never follows a redirect, and ends within the sender's timeout. Aborting counts as no response. */
  post(request: WebhookRequest, signal: AbortSignal): Promise<WebhookResponse>;
  close(): void;
}

/** The address is malformed, or leads into a private network. The message is for its owner. */
export class WebhookAddressError extends Error {
  override readonly name = 'WebhookAddressError';
}

/** Posts to addresses on the internet that strangers have chosen. */
export interface WebhookSender {
  /**
   * Resolves the name, too: a later answer may be another one, so `post` checks again what it connects to.
   *
   * @returns the address as it will be used
   * @throws WebhookAddressError
   */
  check(url: string): Promise<string>;
  open(): WebhookConnection;
}
