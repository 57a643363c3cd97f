import type { Explanation } from '../../../domain/playback/explain/explanation.js';
import { videoIdOf } from '../../../domain/shared/ids.js';
import type { PlaybackExplanation } from '../types/playbackExplanation.js';

export function playbackExplanationView(explanation: Explanation): PlaybackExplanation {
  const { subject, summary, failedRule, rules, story, keyId, videoId, viewId } = explanation;
  return {
    subject,
    summary,
    failedRule,
    rules: rules.map(({ rule, outcome, text, code, facts }) => ({ rule, outcome, text, code, facts })),
    story: story && {
      summary: story.summary,
      steps: story.steps.map(({ step, at, text, facts }) => ({ step, at, text, facts })),
    },
    keyId,
    videoId: videoId && videoIdOf(videoId),
    viewId,
  };
}
