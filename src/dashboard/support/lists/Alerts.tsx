import { words } from '#words/support.js';
import { useMutation, useQuery } from '@apollo/client/react';
import { Badge, Switch } from '@mantine/core';
import { useState } from 'react';
import {
  StaffAlertsDocument,
  StaffResolveAlertDocument,
  StaffWaitingDocument,
  type StaffAlertFragment,
} from '../../generated/graphql.js';
import { PageHead } from '../../parts/PageHead.js';
import { AccountLink, Ago } from '../parts/Bits.js';
import classes from '../parts/console.module.css';
import { ReasonButton } from '../parts/ReasonButton.js';
import { PAGE, StaffList } from '../parts/StaffList.js';

export default function Alerts() {
  const [resolved, setResolved] = useState(false);
  const variables = { first: PAGE, resolved };
  const { data, error, refetch, fetchMore } = useQuery(StaffAlertsDocument, { variables });
  return (
    <>
      <PageHead title={words.alerts.alerts} note={words.alerts.problemsNeedPersonAlert} />
      <StaffList
        label={words.alerts.alerts}
        pages={data?.alerts}
        error={error}
        onRetry={() => void refetch()}
        onMore={(after) => fetchMore({ variables: { after } })}
        keyOf={(alert) => alert.id}
        keep={(alert) => resolved || alert.resolvedAt === null}
        render={(alert) => <AlertRow alert={alert} />}
        empty={{ icon: 'check', title: words.alerts.noAlerts, advice: words.alerts.thereNoOpenAlerts }}
        estimatePx={92}
        filters={
          <Switch
            size="sm"
            label={words.alerts.includeResolved}
            checked={resolved}
            onChange={(event) => setResolved(event.currentTarget.checked)}
          />
        }
      />
    </>
  );
}

function AlertRow({ alert }: { alert: StaffAlertFragment }) {
  const [resolve] = useMutation(StaffResolveAlertDocument, {
    refetchQueries: [StaffAlertsDocument, StaffWaitingDocument],
  });
  return (
    <>
      <div className={classes['what']}>
        <span className={classes['line']}>
          <b>{alert.kind}</b>
          {alert.times > 1 ? (
            <Badge color="gray" tt="none">
              {words.alerts.times(alert.times)}
            </Badge>
          ) : null}
          {alert.resolvedAt ? (
            <Badge color="teal" tt="none">
              {words.alerts.resolved}
            </Badge>
          ) : null}
          {alert.accountId ? <AccountLink id={alert.accountId} email={alert.accountEmail} /> : null}
        </span>
        <span className={classes['quote']}>{alert.message}</span>
        <span className={classes['soft']}>
          <span className={classes['mono']}>{alert.subject}</span>
          <span>{words.alerts.raised(<Ago at={alert.raisedAt} />)}</span>
          {alert.times > 1 ? <span>{words.alerts.last(<Ago at={alert.lastRaisedAt} />)}</span> : null}
        </span>
      </div>
      {alert.resolvedAt ? null : (
        <div className={classes['end']}>
          <ReasonButton
            verb={words.alerts.resolve}
            label={words.alerts.resolveOf(alert.kind, alert.subject)}
            title={words.alerts.resolveAlert}
            done={words.alerts.resolved}
            onConfirm={(reason) => resolve({ variables: { id: alert.id, reason } })}
          >
            {words.alerts.alertRaisedAgainIf(alert.message)}
          </ReasonButton>
        </div>
      )}
    </>
  );
}
