import { Arg, Ctx, ID, Mutation, Query, Resolver } from 'type-graphql';

import { Access } from '../access.js';
import { accountIdIn, type GraphqlContext, viewerIn } from '../context.js';
import { PlaybackExplanation } from '../types/playbackExplanation.js';
import type { Explanation } from '../../../domain/playback/explain/explanation.js';
import { videoIdOf } from '../../../domain/shared/ids.js';

const SUBJECT = {
  description:
    'A playback token; the id of a view, or an address of its stream; the id of a key, or the key as the dashboard shows it (`dk_live_4f7a…9c1e`). Never the whole key.',
};
const SITE = { nullable: true, description: 'The site that should play it, such as `example.com`.' };

@Resolver()
export class ExplainPlaybackResolver {
  @Access('owner')
  @Query(() => PlaybackExplanation, {
    description:
      'Why a token or a view plays or does not, what happened to it, or whether a key can create tokens. Counts no token.',
  })
  async explainPlayback(
    @Ctx() context: GraphqlContext,
    @Arg('subject', () => String, SUBJECT) subject: string,
    @Arg('site', () => String, SITE) site: string | null | undefined,
  ): Promise<PlaybackExplanation> {
    return playbackExplanationView(
      await context.services.playback.explain(accountIdIn(context), subject, site ?? null),
    );
  }

  @Access('support')
  @Mutation(() => PlaybackExplanation, {
    description:
      '`explainPlayback` for another account. Explains only what belongs to that account, and leaves an audit entry.',
  })
  async explainPlaybackOf(
    @Ctx() context: GraphqlContext,
    @Arg('accountId', () => ID) accountId: string,
    @Arg('subject', () => String, SUBJECT) subject: string,
    @Arg('site', () => String, SITE) site: string | null | undefined,
    @Arg('reason', () => String) reason: string,
  ): Promise<PlaybackExplanation> {
    const order = { actorId: viewerIn(context).userId, accountId, reason, subject, site: site ?? null };
    return playbackExplanationView(await context.services.support.explainPlayback(order));
  }
}

function playbackExplanationView(explanation: Explanation): PlaybackExplanation {
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
