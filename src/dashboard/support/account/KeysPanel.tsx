import { words } from '#words/supportAccount.js';
import { Badge, Code, Progress, Title } from '@mantine/core';
import { useEffect, useRef } from 'react';
import { useSearchParams } from 'react-router';
import { BarChart } from '../../charts/BarChart.js';
import type { StaffKeyFragment } from '../../generated/graphql.js';
import { showDay, showNumber } from '../../lib/format.js';
import { EmptyState } from '../../parts/States.js';
import classes from '../parts/console.module.css';
import type { StaffAccount } from './staffAccount.js';
import { axisDay, lastDays } from '../../lib/utcDays.js';
import keys from './KeysPanel.module.css';
import { QuotaForm } from './QuotaForm.js';

const CHART_DAYS = 30;
const SERIES = [{ label: words.keysPanel.tokens, tone: 'stream' }] as const;

/** The account's keys; the searched one comes first. */
export function KeysPanel({ account }: { account: StaffAccount }) {
  const [parameters] = useSearchParams();
  const wanted = parameters.get('key');
  const sorted = account.apiKeys.toSorted((a, b) => rank(a, wanted) - rank(b, wanted));

  return (
    <section className={`panel ${classes['list']}`} aria-labelledby="keys-title">
      <Title order={2} id="keys-title" className={keys['title']}>
        {words.keysPanel.apiKeys}
      </Title>
      {sorted.length === 0 ? (
        <EmptyState icon="key" title={words.keysPanel.noKeys} advice={words.keysPanel.ownerHasNoApi} />
      ) : null}
      {sorted.map((key) => (
        <KeyBlock key={key.id} accountId={account.id} apiKey={key} isWanted={key.prefix === wanted} />
      ))}
    </section>
  );
}

function rank({ prefix, revokedAt }: StaffKeyFragment, wanted: string | null): number {
  if (prefix === wanted) return 0;
  return revokedAt === null ? 1 : 2;
}

interface BlockProps {
  readonly accountId: string;
  readonly apiKey: StaffKeyFragment;
  readonly isWanted: boolean;
}

function KeyBlock({ accountId, apiKey, isWanted }: BlockProps) {
  const { name, prefix, last4, createdAt, revokedAt } = apiKey;
  const block = useRef<HTMLElement>(null);
  useEffect(() => {
    if (isWanted) block.current?.scrollIntoView({ block: 'nearest' });
  }, [isWanted]);

  return (
    <article
      ref={block}
      className={keys['key']}
      aria-label={words.keysPanel.key(name)}
      data-wanted={isWanted || undefined}
      data-revoked={revokedAt !== null || undefined}
    >
      <div className={classes['line']}>
        <b>{name}</b>
        <Code>
          {prefix}…{last4}
        </Code>
        {isWanted ? <Badge tt="none">{words.keysPanel.searched}</Badge> : null}
        {revokedAt === null ? null : (
          <Badge color="gray" tt="none">
            {words.keysPanel.revoked}
          </Badge>
        )}
        <span className={classes['soft']}>
          {revokedAt === null
            ? words.keysPanel.created(showDay(createdAt))
            : words.keysPanel.revokedOn(showDay(revokedAt))}
        </span>
      </div>
      {revokedAt === null ? (
        <>
          <Today apiKey={apiKey} />
          <QuotaForm accountId={accountId} apiKey={apiKey} />
        </>
      ) : null}
      {apiKey.usage.length > 0 ? <UsageChart apiKey={apiKey} /> : null}
    </article>
  );
}

function Today({ apiKey: { name, usedToday, dailyQuota } }: { apiKey: StaffKeyFragment }) {
  const share = dailyQuota === 0 ? 100 : Math.min(100, (usedToday / dailyQuota) * 100);
  const used = words.keysPanel.of(showNumber(usedToday), showNumber(dailyQuota));
  return (
    <div>
      <div className={`${keys['today']} num`}>
        <span>{words.keysPanel.tokensToday(<b>{used}</b>)}</span>
        <span className={classes['soft']}>
          {share >= 100 ? words.keysPanel.refused429Until00 : words.keysPanel.resets00}
        </span>
      </div>
      <Progress.Root size="sm">
        <Progress.Section
          value={share}
          color={share >= 100 ? 'red' : share >= 80 ? 'yellow' : 'stream'}
          aria-label={words.keysPanel.playbackTokensToday(name)}
          aria-valuetext={used}
        />
      </Progress.Root>
    </div>
  );
}

function UsageChart({ apiKey }: { apiKey: StaffKeyFragment }) {
  const usage = new Map(apiKey.usage.map((day) => [day.day, day]));
  return (
    <BarChart
      label={words.keysPanel.playbackTokensPerDay(apiKey.name)}
      unit={words.keysPanel.dayUtc}
      heightPx={120}
      series={SERIES}
      markLabel={words.keysPanel.quota}
      tick={showNumber}
      bars={lastDays(CHART_DAYS).map((day) => {
        const of = usage.get(day);
        return {
          key: day,
          label: showDay(day),
          axis: axisDay(day),
          parts: [{ value: of?.used ?? 0, text: showNumber(of?.used ?? 0) }],
          ...(of ? { mark: { value: of.dailyQuota, text: showNumber(of.dailyQuota) } } : {}),
        };
      })}
    />
  );
}
