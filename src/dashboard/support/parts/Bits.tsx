import { words } from '#words/support.js';
import { Anchor, Badge } from '@mantine/core';
import { Fragment, type ReactNode } from 'react';
import { Link } from 'react-router';
import { microsOf, showCredits } from '../../lib/credits.js';
import { showAge, showMoment } from '../../lib/format.js';
import { CopyField } from '../../parts/CopyField.js';
import type { Look } from '../states.js';
import classes from './console.module.css';

/** The nil account, for money without a known owner. */
const NOBODY = '00000000-0000-0000-0000-000000000000';

/** A link to the account's page, labelled with its email address. */
export function AccountLink({ id, email }: { id: string | null; email: string | null }) {
  if (id === null || id === NOBODY) return <span>{words.bits.noAccount}</span>;
  return (
    <Anchor component={Link} to={`/support/accounts/${id}`} inherit>
      {email ?? id}
    </Anchor>
  );
}

/** An email address, which breaks after “@” or “.” where it does not fit on a line. */
export function Email({ of }: { of: string }) {
  return of.split(/(?<=[@.])/).map((part, nth) => (
    <Fragment key={nth}>
      {part}
      <wbr />
    </Fragment>
  ));
}

export function StateBadge({ look }: { look: Look }) {
  return (
    <Badge color={look.color} tt="none" fw={600}>
      {look.label}
    </Badge>
  );
}

/** "5 minutes ago", with the exact time as a tooltip. */
export function Ago({ at }: { at: string }) {
  return (
    <time dateTime={at} title={showMoment(at)}>
      {showAge(at)}
    </time>
  );
}

/** Signed credits, colored by sign. */
export function SignedCredits({ credits }: { credits: string }) {
  const isUp = microsOf(credits) > 0n;
  return (
    <span className={`${classes['amount']} num`} data-up={isUp || undefined} data-down={!isUp || undefined}>
      {isUp ? '+' : ''}
      {showCredits(credits)}
    </span>
  );
}

/** A value to copy, too long to stand beside its name. */
export function Labelled({ label, value }: { label: string; value: string }) {
  return (
    <div>
      <div className={classes['label']}>{label}</div>
      <CopyField label={label} value={value} />
    </div>
  );
}

/** Name and value pairs; leaves out those without a value. */
export function Facts({ of }: { of: readonly (readonly [name: string, value: ReactNode])[] }) {
  return (
    <dl className={classes['facts']}>
      {of.map(([name, value]) =>
        value === null || value === undefined || value === '' ? null : (
          <FactPair key={name} name={name}>
            {value}
          </FactPair>
        ),
      )}
    </dl>
  );
}

function FactPair({ name, children }: { name: string; children: ReactNode }) {
  return (
    <>
      <dt>{name}</dt>
      <dd>{children}</dd>
    </>
  );
}
