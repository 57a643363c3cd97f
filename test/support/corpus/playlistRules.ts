import { APPLE_RULES } from './appleRules.js';
import { RFC_RULES } from './rfcRules.js';
import type { Rule } from './rule.js';
import type { Stream } from './stream.js';

/** Rules that apply and that we do not follow, with the reason. */
const NOT_FOLLOWED: Readonly<Record<string, string>> = {
  'Apple 1.13': 'keyframes come every 4 s, at segment boundaries; one every 2 s would cost a tenth of the bits',
  'Apple 7.5': 'segments last 4 s, so that playback starts and switches sooner than with 6 s',
  'Apple 9.9': 'a source no larger than the lowest rendition has only that one, because nothing is scaled up',
  'Apple 9.10': 'each size has one variant',
  'Apple 9.20': 'tvOS wants no audio-only variant, but other players use it on a slow connection',
};

export const RULES: readonly Rule[] = [...RFC_RULES, ...APPLE_RULES];

/** All faults of a stream, one line each, beginning with the rule's number. */
export function faultsOf(stream: Stream): string[] {
  return RULES.filter(({ id }) => !(id in NOT_FOLLOWED)).flatMap(({ id, says, faults }) =>
    faults(stream).map((fault) => `${id} (${says}): ${fault}`),
  );
}
