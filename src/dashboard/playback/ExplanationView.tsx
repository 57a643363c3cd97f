import { words } from '#words/playback.js';
import { Stack, Text } from '@mantine/core';
import type { ExplanationFragment } from '../generated/graphql.js';
import { showMoment } from '../lib/format.js';
import { Icon } from '../parts/Icon.js';
import classes from './Explanation.module.css';

type Rule = ExplanationFragment['rules'][number];

const ICON = { PASSED: 'check', FAILED: 'close', NOT_CHECKED: 'alert' } as const;
const TIME = /^\d{4}-\d\d-\d\dT[\d:.]+Z$/;

/** Every rule with its result and what it compared. */
export function ExplanationView({
  explanation: { subject, summary, failedRule, rules },
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
        {facts.length > 0 ? (
          <dl className={classes['facts']}>
            {facts.map(({ name, value }) => (
              <div key={name}>
                <dt>{factName(name)}</dt>
                <dd>{TIME.test(value) ? showMoment(value) : value}</dd>
              </div>
            ))}
          </dl>
        ) : null}
      </div>
    </li>
  );
}

/** The service may name facts that this page does not know yet. */
function factName(name: string): string {
  return (words.explanation.fact as Readonly<Record<string, string>>)[name] ?? name;
}
