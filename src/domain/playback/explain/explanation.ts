import type { AppError, ErrorCode } from '../../../errors.js';

/** In the order in which a token and its exchange are checked. */
export const PLAYBACK_RULES = [
  'signature',
  'expiry',
  'key',
  'account',
  'quota',
  'site',
  'video',
  'rendition',
  'grant',
] as const;
export type PlaybackRule = (typeof PLAYBACK_RULES)[number];

export type RuleOutcome = 'passed' | 'failed' | 'not_checked';

/** Something that a rule compared, such as `used` and `800`. Times are RFC 3339 in UTC. */
export interface Fact {
  readonly name: string;
  readonly value: string;
}

export interface ExplainedRule {
  readonly rule: PlaybackRule;
  readonly outcome: RuleOutcome;
  /** A sentence that says why. */
  readonly text: string;
  /** The code with which the API refuses; `null` if it does not. */
  readonly code: ErrorCode | null;
  readonly facts: readonly Fact[];
}

/** In the order in which they are told. */
export const STORY_STEPS = [
  'minted',
  'not_exchanged',
  'exchanged',
  'not_reported',
  'first_frame',
  'no_first_frame',
  'watched',
  'stalled',
  'switched',
  'error',
  'ended',
  'last_report',
] as const;

export interface StoryStep {
  readonly step: (typeof STORY_STEPS)[number];
  /** `null` where players report no time of day. */
  readonly at: Date | null;
  readonly text: string;
  readonly facts: readonly Fact[];
}

/** What happened to one view, as far as its token's exchange and its player tell. */
export interface ViewStory {
  /** A sentence: how it went. */
  readonly summary: string;
  readonly steps: readonly StoryStep[];
}

export interface Explanation {
  /** `unknown` for what is not this account's, or nothing at all. */
  readonly subject: 'token' | 'view' | 'key' | 'unknown';
  /** A sentence: why it does not play, or that nothing stands in its way. */
  readonly summary: string;
  /** The first rule that fails; `null` if none does. */
  readonly failedRule: PlaybackRule | null;
  /** Those that apply, in order. Tokens and views have all of them. */
  readonly rules: readonly ExplainedRule[];
  /** What happened to the view; `null` if the subject is no token or view of the account. */
  readonly story: ViewStory | null;
  readonly keyId: string | null;
  /** UUID. */
  readonly videoId: string | null;
  readonly viewId: string | null;
}

type Facts = Readonly<Record<string, string | number | Date | null | undefined>>;

/** A rule that passes, with `text`, unless there is a refusal; then with `refused`. */
export function ruled(
  rule: PlaybackRule,
  refusal: Pick<AppError, 'code'> | null,
  { text, refused, facts = {} }: { text: string; refused: string; facts?: Facts },
): ExplainedRule {
  const outcome = refusal ? 'failed' : 'passed';
  return { rule, outcome, text: refusal ? refused : text, code: refusal?.code ?? null, facts: listed(facts) };
}

export function notChecked(rule: PlaybackRule, text: string, facts: Facts = {}): ExplainedRule {
  return { rule, outcome: 'not_checked', text, code: null, facts: listed(facts) };
}

/** What the rules say together. */
export function concluded(
  of: Pick<Explanation, 'subject' | 'keyId' | 'videoId' | 'viewId' | 'story'>,
  rules: readonly ExplainedRule[],
  allPass: string,
): Explanation {
  const failed = rules.find(({ outcome }) => outcome === 'failed');
  return { ...of, rules, failedRule: failed?.rule ?? null, summary: failed?.text ?? allPass };
}

/** A time of a row or a token, which are in epoch seconds. */
export function dateOf(epochSeconds: number): Date {
  return new Date(epochSeconds * 1_000);
}

/** One step of a story. */
export function told(step: StoryStep['step'], at: Date | null, text: string, facts: Facts = {}): StoryStep {
  return { step, at, text, facts: listed(facts) };
}

/** Without those that are not known. */
function listed(facts: Facts): Fact[] {
  return Object.entries(facts).flatMap(([name, value]) =>
    value === null || value === undefined
      ? []
      : [{ name, value: value instanceof Date ? value.toISOString() : String(value) }],
  );
}
