import { hashKey, shownKey } from '../../domain/accounts/keys/keyFormat.js';
import { IN_TEST_MODE, type Invocation, type OwnerCommand } from './command.js';

export const EXPLAIN = `query ($subject: String!, $site: String) {
  explainPlayback(subject: $subject, site: $site) {
    subject summary failedRule keyId videoId viewId
    rules { rule outcome text code facts { name value } }
    story { summary steps { step at text facts { name value } } }
  }
}`;

interface Explanation {
  readonly subject: string;
  readonly summary: string;
  readonly failedRule: string | null;
  readonly rules: readonly {
    readonly rule: string;
    readonly outcome: string;
    readonly text: string;
    readonly code: string | null;
    readonly facts: readonly Fact[];
  }[];
  readonly story: {
    readonly summary: string;
    readonly steps: readonly {
      readonly step: string;
      readonly at: string | null;
      readonly text: string;
      readonly facts: readonly Fact[];
    }[];
  } | null;
}

interface Fact {
  readonly name: string;
  readonly value: string;
}

export const explain: OwnerCommand = {
  name: 'explain',
  positionals: ['<token, view or key>'],
  options: { ...IN_TEST_MODE, site: { type: 'string' } },
  summary: 'explains why a token or a view plays or does not, or whether a key can create tokens [--site DOMAIN]',
  async run({ positionals: [asked = ''], options, output, api }: Invocation): Promise<void> {
    // A whole key stays on this machine.
    const subject = hashKey(asked) ? shownKey(asked) : asked;
    const variables = { subject, site: options['site'] ?? null };
    const { explainPlayback: found } = await (await api()).ask<{ explainPlayback: Explanation }>(EXPLAIN, variables);
    const rows = found.rules.map(({ rule, outcome, text, facts }) => [
      rule.toLowerCase(),
      outcome.toLowerCase().replace('_', ' '),
      text,
      compared(facts),
    ]);
    const together = ['together', found.failedRule === null ? 'passed' : 'failed', found.summary, ''];
    output.table(
      found,
      ['RULE', 'RESULT', 'WHY', 'COMPARED'],
      rows.length === 0 ? [] : [...rows, together],
      found.summary,
    );
    if (found.story && !options['json']) {
      output.line(null, '');
      output.table(null, ['STORY', 'AT (UTC)', 'WHAT', ''], storyRows(found.story), '');
    }
  },
};

function storyRows({ summary, steps }: NonNullable<Explanation['story']>): string[][] {
  const rows = steps.map(({ step, at, text, facts }) => [
    step.toLowerCase().replaceAll('_', ' '),
    at?.slice(0, 19).replace('T', ' ') ?? '-',
    text,
    compared(facts),
  ]);
  return [...rows, ['together', '-', summary, '']];
}

function compared(facts: readonly Fact[]): string {
  return facts.map(({ name, value }) => `${name} ${value}`).join(', ');
}
