import { NativeSelect } from '@mantine/core';
import { useSearchParams } from 'react-router';
import { PageHead } from '../../parts/PageHead.js';
import { ACTION_FAMILIES } from '../words.js';
import { AuditList } from './AuditList.js';

export default function AuditLog() {
  const [parameters, setParameters] = useSearchParams();
  const action = parameters.get('action') ?? '';
  return (
    <>
      <PageHead title="Audit log" note="What staff did to any account, newest first. Nothing of it can be changed." />
      <AuditList
        accountId={null}
        action={action || null}
        filters={
          <NativeSelect
            size="xs"
            aria-label="What was done"
            value={action}
            data={ACTION_FAMILIES}
            onChange={(event) => setParameters(event.currentTarget.value ? { action: event.currentTarget.value } : {})}
          />
        }
      />
    </>
  );
}
