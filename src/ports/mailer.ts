export interface Email {
  readonly to: string;
  readonly subject: string;
  readonly text: string;
  /** The same content as `text`. */
  readonly html?: string;
  /** Names the email in every attempt, such as `<…@example.com>`: mail servers and programs drop a second copy. */
  readonly messageId?: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly attachments?: readonly {
    readonly fileName: string;
    readonly mediaType: string;
    readonly content: Uint8Array;
  }[];
}

export interface Mailer {
  send(email: Email): Promise<void>;
}
