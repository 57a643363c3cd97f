import { words } from '#words/support.js';
import { NativeSelect } from '@mantine/core';
import { useSearchParams } from 'react-router';
import { PageHead } from '../../parts/PageHead.js';
import { ACTION_FAMILIES } from '../states.js';
import { AuditList } from './AuditList.js';

export default function AuditLog() {
  const [parameters, setParameters] = useSearchParams();
  const action = parameters.get('action') ?? '';
  return (
    <>
      <PageHead title={words.auditLog.auditTrail} note={words.auditLog.staffActionsOnAll} />
      <AuditList
        accountId={null}
        action={action || null}
        filters={
          <NativeSelect
            size="xs"
            aria-label={words.auditLog.kindAction}
            value={action}
            data={ACTION_FAMILIES}
            onChange={(event) => setParameters(event.currentTarget.value ? { action: event.currentTarget.value } : {})}
          />
        }
      />
    </>
  );
}
