import type { Explanation } from '../../../domain/playback/explain/explanation.js';
import { videoIdOf } from '../../../domain/shared/ids.js';
import type { PlaybackExplanation } from '../types/playbackExplanation.js';

export function playbackExplanationView(explanation: Explanation): PlaybackExplanation {
  const { subject, summary, failedRule, rules, keyId, videoId, viewId } = explanation;
  return {
    subject,
    summary,
    failedRule,
    rules: rules.map(({ rule, outcome, text, code, facts }) => ({ rule, outcome, text, code, facts })),
    keyId,
    videoId: videoId && videoIdOf(videoId),
    viewId,
  };
}
