import { Field, ID, ObjectType, registerEnumType } from 'type-graphql';

import { PLAYBACK_RULES, STORY_STEPS } from '../../../domain/playback/explain/explanation.js';
import { DateTime } from '../scalars/dateTime.js';

const enumOf = (values: readonly string[]): Record<string, string> =>
  Object.fromEntries(values.map((value) => [value.toUpperCase(), value]));

export const PlaybackRule = enumOf(PLAYBACK_RULES);
registerEnumType(PlaybackRule, {
  name: 'PlaybackRule',
  description: 'A rule that decides whether something plays.',
});

export const PlaybackRuleOutcome = enumOf(['passed', 'failed', 'not_checked']);
registerEnumType(PlaybackRuleOutcome, { name: 'PlaybackRuleOutcome' });

export const PlaybackSubject = enumOf(['token', 'view', 'key', 'unknown']);
registerEnumType(PlaybackSubject, {
  name: 'PlaybackSubject',
  description: 'What an explanation is about. UNKNOWN stands for everything that the account does not have.',
});

@ObjectType({ description: 'Something that a rule compared. Times are RFC 3339 in UTC.' })
export class PlaybackFact {
  @Field(() => String, { description: 'Such as `dailyQuota`.' })
  name!: string;

  @Field(() => String)
  value!: string;
}

@ObjectType()
export class PlaybackRuleResult {
  @Field(() => PlaybackRule)
  rule!: string;

  @Field(() => PlaybackRuleOutcome)
  outcome!: string;

  @Field(() => String, { description: 'A sentence that says why.' })
  text!: string;

  @Field(() => String, { nullable: true, description: 'The code with which the API refuses; null if it does not.' })
  code!: string | null;

  @Field(() => [PlaybackFact])
  facts!: readonly PlaybackFact[];
}

export const PlaybackStoryStep = enumOf(STORY_STEPS);
registerEnumType(PlaybackStoryStep, {
  name: 'PlaybackStoryStep',
  description: 'One step in the history of a view.',
});

@ObjectType()
export class PlaybackStoryEntry {
  @Field(() => PlaybackStoryStep)
  step!: string;

  @Field(() => DateTime, { nullable: true, description: 'Null if players report no time of day.' })
  at!: Date | null;

  @Field(() => String, { description: 'A sentence.' })
  text!: string;

  @Field(() => [PlaybackFact])
  facts!: readonly PlaybackFact[];
}

@ObjectType({ description: 'What happened to one view, from the exchange of its token and the reports of its player.' })
export class PlaybackStory {
  @Field(() => String, { description: 'A sentence: how it went.' })
  summary!: string;

  @Field(() => [PlaybackStoryEntry])
  steps!: readonly PlaybackStoryEntry[];
}

@ObjectType({ description: 'Why something plays or does not.' })
export class PlaybackExplanation {
  @Field(() => PlaybackSubject)
  subject!: string;

  @Field(() => String, { description: 'One sentence: why it does not play, or that nothing prevents it.' })
  summary!: string;

  @Field(() => PlaybackRule, { nullable: true, description: 'The first rule that fails; null if none does.' })
  failedRule!: string | null;

  @Field(() => [PlaybackRuleResult], { description: 'The rules that apply, in order.' })
  rules!: readonly PlaybackRuleResult[];

  @Field(() => PlaybackStory, {
    nullable: true,
    description: 'What happened to the view of the token; null if the subject is no token or view of the account.',
  })
  story!: PlaybackStory | null;

  @Field(() => ID, { nullable: true })
  keyId!: string | null;

  @Field(() => ID, { nullable: true, description: '`vid_…`' })
  videoId!: string | null;

  @Field(() => ID, { nullable: true, description: "The token's `jti`." })
  viewId!: string | null;
}
