/**
 * What each kind of email says about its occasion. The data of an email to an owner wait as JSON until it is sent, so a
 * kind that is sent at all may get further fields, but lose none.
 */
export interface EmailData {
  'address.confirm': { readonly link: string };
  'address.change': { readonly link: string };
  'password.reset': { readonly link: string };
  'signup.finish': { readonly link: string };
  'signup.known': object;

  'address.changed': { readonly email: string };
  'password.changed': { readonly at: string };
  'session.new': { readonly at: string; readonly device: string; readonly network: string | null };
  'two_factor.on': { readonly at: string };
  'two_factor.off': { readonly at: string };
  'key.created': { readonly name: string; readonly prefix: string; readonly last4: string };
  'access_token.created': {
    readonly name: string;
    readonly prefix: string;
    readonly last4: string;
    readonly scopes: readonly string[];
  };

  'account.closed': { readonly eraseAfter: string };
  'account.reopened': object;

  'topup.credited': { readonly topUpId: string; readonly amount: string };
  'refund.booked': { readonly topUpId: string; readonly refundId: string; readonly amount: string };
  'wallet.low': { readonly balance: string; readonly threshold: string };
  /** `automatic`: storage draws from Master when Cloud runs out. */
  'wallet.runway_short': { readonly daysLeft: number; readonly storedBytes: string; readonly automatic: boolean };
  'storage.arrears': {
    readonly day: string;
    readonly amount: string;
    readonly storedBytes: string;
    readonly automatic: boolean;
  };

  'video.ready': { readonly uuid: string; readonly title: string };
  /** Several that wait for the same owner: the first titles, and how many there are. */
  'videos.ready': { readonly titles: readonly string[]; readonly count: number };
  'video.failed': {
    readonly uuid: string;
    readonly title: string;
    readonly failure: { readonly message: string } | null;
  };
  'webhook.disabled': { readonly url: string; readonly reason: 'gone' | 'failing' };
}

export type EmailKind = keyof EmailData;

/** A document that belongs to an email, such as a receipt. */
export interface Enclosure {
  /** What the email says about it, such as its number and the amount paid. */
  readonly facts: readonly (readonly [label: string, value: string])[];
  readonly fileName: string;
  readonly mediaType: string;
  readonly content: Uint8Array;
}

export interface EmailContext {
  /** The recipient's name. They chose it themselves at sign-up, so it may be anything. */
  readonly name: string;
  /** Where one click switches off emails of this kind; `null` if they cannot be switched off. */
  readonly unsubscribeUrl: string | null;
  /** What the enclosed document says. */
  readonly facts: Enclosure['facts'];
}

export interface WrittenEmail {
  /** One line. */
  readonly subject: string;
  readonly text: string;
  readonly html: string;
}

export interface EmailWriter {
  write<Kind extends EmailKind>(kind: Kind, data: EmailData[Kind], context: EmailContext): WrittenEmail;
}
