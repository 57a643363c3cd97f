import { decodeJwt, decodeProtectedHeader } from 'jose';

import { type Database, execute } from '../../../db/sql.js';
import { AppError } from '../../../errors.js';
import { NAMED_KEYS, type NamedKeyRow } from '../../accounts/keys/apiKey.sql.js';
import type { PageHeaders } from '../../accounts/allowedSites.js';
import { videoIdOf } from '../../shared/ids.js';
import { EXCHANGE_RULES } from '../exchangeRules.js';
import { FIND_VIEW, type ViewRow } from '../analytics/analytics.sql.js';
import { grantExpiry, verifyGrantByAny } from '../grants.js';
import type { GrantedTokens } from '../grantedTokens.js';
import type { ExplainedRow, PlayableVideos } from '../playableVideos.js';
import { invalidToken, type PlaybackClaims, type PlaybackTokens, type TokenFault } from '../playbackToken.js';
import { TOKEN_LIFETIME_SECONDS } from '../signingKeys.js';
import { secondsMovedSince } from '../testTokens.js';
import {
  concluded,
  dateOf,
  type ExplainedRule,
  type Explanation,
  notChecked,
  PLAYBACK_RULES,
  ruled,
} from './explanation.js';
import { type Subject, subjectOf } from './subject.js';
import { storyOfToken, storyOfView } from './viewStory.js';

export interface ExplainerDeps {
  readonly db: Database;
  readonly tokens: Pick<PlaybackTokens, 'check'>;
  readonly views: Pick<PlayableVideos, 'explain'>;
  /** The key's quota, as the token endpoint sees it. */
  readonly standing: (keyHash: Buffer) => Promise<GrantedTokens>;
  readonly publicUrl: string;
  /** `deriveKey(masterKey, 'playback-grant')` of the current master key and of earlier ones. */
  readonly grantKeys: readonly Uint8Array[];
}

const NOTHING = { keyId: null, videoId: null, viewId: null, story: null };
const NO_SUCH_VIEW = 'Single views are known from a few seconds after their exchange, and for 30 days.';
const MAX_FACT_LENGTH = 100;
const GROUPED = new Intl.NumberFormat('en-US');

/**
 * Explains to an account why something of its own plays or does not, with the rules of the token endpoint and the
 * exchange. Changes nothing, and counts no token.
 *
 * What belongs to another account is explained exactly like something made up, so nobody learns what exists.
 */
export class PlaybackExplainer {
  private readonly ownHost: string;

  constructor(private readonly deps: ExplainerDeps) {
    this.ownHost = new URL(deps.publicUrl).hostname;
  }

  /**
   * @param text a playback token; a view's id, or an address of its stream; a key's id, or the key as the dashboard shows
   *   it (`dk_live_4f7a…9c1e`)
   * @param site where it is to play, such as `example.com`; `null` leaves the allowed sites unchecked
   * @throws INVALID_INPUT if several keys begin so, or for a site that is none
   */
  async explain(accountId: string, text: string, site: string | null = null): Promise<Explanation> {
    const subject = subjectOf(text);
    if (subject.kind === 'token') return this.explainToken(accountId, subject.token, pageOf(site));
    if (subject.kind === 'unknown') {
      return unknown('This is not a playback token, a view’s id or an address of its stream, a key, or the id of one.');
    }
    if (subject.kind === 'misspeltKey') {
      return unknown('This key is incomplete or misspelt: its last characters do not match the rest.');
    }
    if (subject.kind === 'address') return this.explainAddress(accountId, subject, pageOf(site));
    const key = await this.findKey(accountId, subject);
    if (key) return this.explainKey(key);
    if (subject.kind !== 'id') return unknown('The account has no such key.');
    const view = await this.findView(accountId, subject.id, null);
    if (view) return this.explainView(accountId, view, pageOf(site));
    return unknown(`The account has no such key or view. ${NO_SUCH_VIEW}`);
  }

  private async explainAddress(
    accountId: string,
    { grant, videoId }: Extract<Subject, { kind: 'address' }>,
    page: PageHeaders | null,
  ): Promise<Explanation> {
    // Also of a stream that has ended.
    const claims = verifyGrantByAny(this.deps.grantKeys, grant, videoId, 0);
    if (claims?.accountId !== accountId) {
      return unknown('This is no address of a stream of this account, or it was changed.');
    }
    const view = await this.findView(accountId, claims.viewId, null);
    return view ? this.explainView(accountId, view, page) : unknown(`The view is not known. ${NO_SUCH_VIEW}`);
  }

  /** What let the view begin, and what would stop it now. */
  private async explainView(accountId: string, view: ViewRow, page: PageHeaders | null): Promise<Explanation> {
    const expiresAt = view.minted_at + TOKEN_LIFETIME_SECONDS;
    const { id: viewId, video_id: videoId, key_id: keyId } = view;
    const testClockSeconds = view.test_clock_seconds;
    const claims = { accountId, viewId, videoId, keyId, expiresAt, testClockSeconds };
    const { row, ...facts } = await this.factsOf(claims);
    const { key } = facts;
    const signed = ruled('signature', null, {
      text: 'The token was signed by this service for this account, or it could not have been exchanged.',
      refused: '',
    });
    const rules = [signed, ...this.exchangeRules(claims, row, { ...facts, page, view })];
    return concluded(
      { subject: 'view', keyId: view.key_id, videoId: view.video_id, viewId: view.id, story: storyOfView(view, key) },
      rules,
      rules.some(({ outcome }) => outcome === 'not_checked')
        ? 'The stream of this view plays on an allowed site.'
        : 'The stream of this view plays.',
    );
  }

  private async factsOf(
    claims: PlaybackClaims,
  ): Promise<Omit<RuleFacts, 'page' | 'view'> & { readonly row: ExplainedRow }> {
    const found = await this.deps.views.explain(claims);
    if (!found) throw new AppError('ACCOUNT_NOT_FOUND', 'Account not found.');
    const moved = await secondsMovedSince(this.deps.db.sql, claims);
    const row = { ...found, now_epoch: found.now_epoch + moved };
    const { accountId, keyId } = claims;
    const key = keyId === null ? null : await this.findKey(accountId, { kind: 'id', id: keyId });
    return { row, key, standing: key && (await this.deps.standing(key.hash)) };
  }

  private async explainToken(accountId: string, token: string, page: PageHeaders | null): Promise<Explanation> {
    const checked = await this.deps.tokens.check(token);
    // To another account, a valid token is one that is not signed for it.
    const claims = typeof checked === 'object' && checked.accountId === accountId ? checked : null;
    const signature = this.signatureRule(token, claims ? null : typeof checked === 'object' ? 'notOurs' : checked);
    if (!claims) {
      const rest = PLAYBACK_RULES.slice(1).map((rule) => notChecked(rule, 'Only checked for a valid token.'));
      return concluded({ subject: 'token', ...NOTHING }, [signature, ...rest], '');
    }
    const { row, ...facts } = await this.factsOf(claims);
    const { key } = facts;
    const rules = [signature, ...this.exchangeRules(claims, row, { ...facts, page, view: null })];
    const mintedAt = claims.expiresAt - TOKEN_LIFETIME_SECONDS;
    const view = await this.findView(accountId, claims.viewId, mintedAt);
    const story = view ? storyOfView(view, key) : storyOfToken(dateOf(mintedAt));
    return concluded(
      { subject: 'token', keyId: claims.keyId, videoId: claims.videoId, viewId: claims.viewId, story },
      rules,
      rules.some(({ outcome }) => outcome === 'not_checked')
        ? 'The token can be exchanged on an allowed site, and the video plays there.'
        : 'The token can be exchanged, and the video plays.',
    );
  }

  private signatureRule(token: string, fault: TokenFault | null): ExplainedRule {
    const { kid, iss } = readOf(token);
    const facts = { keyId: kid, issuer: iss, expectedIssuer: this.deps.publicUrl };
    const refused = {
      malformed: 'This is not a playback token of this service, or it was cut short.',
      unknownKey: 'No signing key of this service has this id. It was replaced, or the token is from elsewhere.',
      notOurs: 'The token was not signed by this service for this account, or it was changed.',
    };
    return ruled('signature', fault && invalidToken(), {
      text: 'The token was signed by this service for this account.',
      refused: refused[fault ?? 'notOurs'],
      facts,
    });
  }

  private exchangeRules(
    claims: PlaybackClaims,
    row: ExplainedRow,
    { key, standing, page, view }: RuleFacts,
  ): ExplainedRule[] {
    const exchange = { claims, row, page: page ?? {}, ownHost: this.ownHost };
    const now = dateOf(row.now_epoch);
    const expiresAt = dateOf(claims.expiresAt);
    const grantEndsAt = dateOf(grantExpiry(claims.expiresAt, view?.duration_ms ?? Number(row.duration_ms ?? 0)));
    const hasVideo = EXCHANGE_RULES.video(exchange) === null;
    return [
      ruled('expiry', view ? null : EXCHANGE_RULES.expiry(exchange), {
        text: view
          ? 'The token was exchanged before it expired.'
          : `The token can be exchanged until ${secondOf(expiresAt)}.`,
        refused: `The token expired at ${secondOf(expiresAt)}. It must be exchanged within five minutes of its creation.`,
        facts: {
          createdAt: dateOf(claims.expiresAt - TOKEN_LIFETIME_SECONDS),
          exchangedAt: view?.exchanged_at && dateOf(view.exchanged_at),
          expiresAt,
          now: view ? null : now,
        },
      }),
      claims.keyId === null
        ? ruled('key', null, { text: 'The token was created in the dashboard, without a key.', refused: '' })
        : keyRule(key, view ? null : EXCHANGE_RULES.key(exchange), view !== null),
      accountRule(EXCHANGE_RULES.account(exchange), row.suspended_at),
      ruled('quota', null, {
        text:
          claims.keyId === null ? 'The token counts against no quota.' : 'The token was counted when it was created.',
        refused: '',
        facts: standing ? quotaFacts(standing) : {},
      }),
      page === null && row.allowed_domains.length > 0
        ? notChecked(
            'site',
            'The video plays only on the allowed sites. Name a site to check it.',
            siteFacts(row, page),
          )
        : ruled('site', EXCHANGE_RULES.site(exchange), {
            text: row.allowed_domains.length === 0 ? 'The video plays on every site.' : 'The site is allowed.',
            refused: 'The site is not one of the allowed sites.',
            facts: siteFacts(row, page),
          }),
      ruled('video', EXCHANGE_RULES.video(exchange), {
        text: 'The video exists.',
        refused: 'The video was deleted.',
        facts: { videoId: videoIdOf(claims.videoId), title: row.title },
      }),
      hasVideo
        ? ruled('rendition', EXCHANGE_RULES.rendition(exchange), {
            text: 'The video has renditions that play.',
            refused: `Nothing of the video plays yet: its status is ${row.status}.`,
            facts: { status: row.status, playable: row.playable_rungs?.join(', ') || null },
          })
        : notChecked('rendition', 'Only checked for a video that exists.'),
      hasVideo
        ? grantRule(grantEndsAt, now, view !== null)
        : notChecked('grant', 'Only checked for a video that exists.'),
    ];
  }

  private async explainKey(key: NamedKeyRow): Promise<Explanation> {
    const standing = await this.deps.standing(key.hash);
    const { limit, remaining, resetEpochSeconds } = standing.quota();
    const rules = [
      keyRule(key, standing.keyRefusal()),
      accountRule(standing.accountRefusal(), null),
      ruled('quota', standing.quotaRefusal(), {
        text: `The key can create ${GROUPED.format(remaining)} more of its ${GROUPED.format(limit)} tokens today.`,
        refused: `The key has used its ${GROUPED.format(limit)} tokens of today. It gets new ones at midnight UTC.`,
        facts: { ...quotaFacts(standing), resetsAt: dateOf(resetEpochSeconds + 1) },
      }),
    ];
    return concluded({ ...NOTHING, subject: 'key', keyId: key.id }, rules, 'The key can create playback tokens.');
  }

  private async findView(accountId: string, viewId: string, mintedAt: number | null): Promise<ViewRow | null> {
    return (await execute(this.deps.db.sql, FIND_VIEW, { accountId, viewId, mintedAt }))[0] ?? null;
  }

  private async findKey(
    accountId: string,
    subject: Extract<Subject, { kind: 'id' | 'key' | 'keyPrefix' }>,
  ): Promise<NamedKeyRow | null> {
    const [key, another] = await execute(this.deps.db.sql, NAMED_KEYS, {
      accountId,
      keyId: subject.kind === 'id' ? subject.id : null,
      hash: subject.kind === 'key' ? subject.hash : null,
      prefix: subject.kind === 'keyPrefix' ? subject.prefix : null,
      last4: subject.kind === 'keyPrefix' ? subject.last4 : null,
    });
    if (another) throw new AppError('INVALID_INPUT', 'Several of your keys match. Use the id of the key.');
    return key ?? null;
  }
}

/** What rules compare with, besides the token and its video. */
interface RuleFacts {
  readonly key: NamedKeyRow | null;
  readonly standing: GrantedTokens | null;
  readonly page: PageHeaders | null;
  /** If the token has been exchanged, and the question is about its view. */
  readonly view: ViewRow | null;
}

function unknown(summary: string): Explanation {
  return { subject: 'unknown', summary, failedRule: null, rules: [], ...NOTHING };
}

function keyRule(key: NamedKeyRow | null, refusal: AppError | null, isExchanged = false): ExplainedRule {
  return ruled('key', refusal, {
    text: isExchanged
      ? 'The key was in use when the token was exchanged. Revoking it later stops no view.'
      : 'The key is in use.',
    refused: key ? 'The key was revoked.' : 'The key no longer exists.',
    facts: key
      ? { name: key.name, key: `${key.prefix}…${key.last4}`, revokedAt: key.revoked_at && new Date(key.revoked_at) }
      : {},
  });
}

function accountRule(refusal: AppError | null, suspendedAt: string | null): ExplainedRule {
  return ruled('account', refusal, {
    text: 'The account is active.',
    refused: 'The account is suspended.',
    facts: { suspendedAt: suspendedAt && new Date(suspendedAt) },
  });
}

/** The exchange gives a grant. The API refuses an expired one with 404, whatever it opened. */
function grantRule(endsAt: Date, now: Date, isExchanged: boolean): ExplainedRule {
  return ruled('grant', now < endsAt ? null : new AppError('NOT_FOUND', 'File not found.'), {
    text: isExchanged
      ? `The stream plays until ${secondOf(endsAt)}.`
      : `A player that exchanges the token in time plays until ${secondOf(endsAt)}.`,
    refused: isExchanged
      ? `The stream ended at ${secondOf(endsAt)}. To play on, the player needs a new token.`
      : `The stream of this token ended at ${secondOf(endsAt)}.`,
    facts: { endsAt, now },
  });
}

/** "2026-11-29 18:04:09 UTC", for people to read. */
function secondOf(time: Date): string {
  return `${time.toISOString().slice(0, 19).replace('T', ' ')} UTC`;
}

function quotaFacts(standing: GrantedTokens): Record<string, number> {
  return { dailyQuota: standing.quota().limit, used: standing.used };
}

function siteFacts(row: ExplainedRow, page: PageHeaders | null): Record<string, string | null> {
  return { site: page?.origin ? new URL(page.origin).hostname : null, allowed: row.allowed_domains.join(', ') || null };
}

/** What the browser on this site would say. @throws INVALID_INPUT */
function pageOf(site: string | null): PageHeaders | null {
  const text = site?.trim() ?? '';
  if (text === '') return null;
  const url = URL.parse(text.includes('://') ? text : `https://${text}`);
  if (!url || url.hostname === '' || text.length > 300) {
    throw new AppError('INVALID_INPUT', 'A site is a domain, such as example.com.');
  }
  // `URL.origin` is opaque for apps, such as capacitor://localhost.
  return { origin: `${url.protocol}//${url.host}` };
}

/** What the token says of itself, which proves nothing. */
function readOf(token: string): { kid: string | null; iss: string | null } {
  const shown = (value: unknown) => (typeof value === 'string' ? value.slice(0, MAX_FACT_LENGTH) : null);
  try {
    return { kid: shown(decodeProtectedHeader(token).kid), iss: shown(decodeJwt(token).iss) };
  } catch {
    return { kid: null, iss: null };
  }
}
