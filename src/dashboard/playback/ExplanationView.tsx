import { words } from '#words/playback.js';
import { Stack, Text, Title } from '@mantine/core';
import { useId } from 'react';
import type { ExplanationFragment } from '../generated/graphql.js';
import { showMoment, showNumber, showSecond } from '../lib/format.js';
import { Icon } from '../parts/Icon.js';
import classes from './Explanation.module.css';

type Rule = ExplanationFragment['rules'][number];
type Story = NonNullable<ExplanationFragment['story']>;

const ICON = { PASSED: 'check', FAILED: 'close', NOT_CHECKED: 'alert' } as const;
const COUNTS: ReadonlySet<string> = new Set(['dailyQuota', 'used']);
const TIME = /^\d{4}-\d\d-\d\dT[\d:.]+Z$/;

/** Every rule with its result and what it compared, and what happened to the view. */
export function ExplanationView({
  explanation: { subject, summary, failedRule, rules, story },
}: {
  explanation: ExplanationFragment;
}) {
  const outcome = failedRule !== null || subject === 'UNKNOWN' ? 'FAILED' : 'PASSED';
  return (
    <Stack gap="sm">
      <div className={classes['summary']} data-outcome={outcome}>
        <Icon name={ICON[outcome]} size={18} />
        <Text component="span" fw={600}>
          {summary}
        </Text>
      </div>
      {rules.length > 0 ? (
        <ol className={classes['rules']} aria-label={words.explanation.rules}>
          {rules.map((rule) => (
            <RuleLine key={rule.rule} rule={rule} />
          ))}
        </ol>
      ) : null}
      {story ? <StoryView story={story} /> : null}
    </Stack>
  );
}

function StoryView({ story: { summary, steps } }: { story: Story }) {
  const titleId = useId();
  return (
    <Stack gap="xs" component="section" aria-labelledby={titleId}>
      <Title order={3} size="h5" id={titleId}>
        {words.explanation.story}
      </Title>
      <Text size="sm">{summary}</Text>
      <ol className={classes['rules']} aria-labelledby={titleId}>
        {steps.map(({ step, at, text, facts }, nth) => (
          // Errors may repeat, and steps never change their places.
          <li key={nth} className={classes['step']} data-step={step}>
            <Text size="sm" component="div">
              {text}
              {at === null ? null : (
                <time className={classes['outcome']} dateTime={at}>
                  {showSecond(at)}
                </time>
              )}
            </Text>
            <Facts facts={facts} />
          </li>
        ))}
      </ol>
    </Stack>
  );
}

function RuleLine({ rule: { rule, outcome, text, facts } }: { rule: Rule }) {
  return (
    <li className={classes['rule']} data-outcome={outcome}>
      <Icon name={ICON[outcome]} size={16} />
      <div>
        <Text size="sm" component="div">
          <b>{words.explanation.rule[rule]}</b>
          <span className={classes['outcome']}>{words.explanation.outcome[outcome]}</span>
        </Text>
        <Text size="sm" component="div">
          {text}
        </Text>
        <Facts facts={facts} />
      </div>
    </li>
  );
}

function Facts({ facts }: { facts: Rule['facts'] }) {
  if (facts.length === 0) return null;
  return (
    <dl className={classes['facts']}>
      {facts.map(({ name, value }) => (
        <div key={name}>
          <dt>{factName(name)}</dt>
          <dd>{showFact(name, value)}</dd>
        </div>
      ))}
    </dl>
  );
}

function showFact(name: string, value: string): string {
  if (COUNTS.has(name)) return showNumber(Number(value));
  return TIME.test(value) ? showMoment(value) : value;
}

/** The service may name facts that this page does not know yet. */
function factName(name: string): string {
  return (words.explanation.fact as Readonly<Record<string, string>>)[name] ?? name;
}
