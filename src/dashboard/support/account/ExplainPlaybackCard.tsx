import { words } from '#words/playback.js';
import { useMutation } from '@apollo/client/react';
import { Text, Title } from '@mantine/core';
import { useState } from 'react';
import {
  StaffAuditLogDocument,
  StaffExplainPlaybackDocument,
  type ExplanationFragment,
} from '../../generated/graphql.js';
import { ExplainForm } from '../../playback/ExplainForm.js';
import { ExplanationView } from '../../playback/ExplanationView.js';
import classes from '../parts/console.module.css';
import { ReasonDialog } from '../parts/ReasonDialog.js';

/** Explains an owner's token, view or key. Each look is in the audit trail. */
export function ExplainPlaybackCard({ accountId }: { accountId: string }) {
  const [subject, setSubject] = useState('');
  const [asked, setAsked] = useState<{ subject: string; site: string | null } | null>(null);
  const [answer, setAnswer] = useState<ExplanationFragment>();
  const [explain] = useMutation(StaffExplainPlaybackDocument, {
    refetchQueries: [StaffAuditLogDocument],
    fetchPolicy: 'no-cache',
  });

  return (
    <section className={`panel ${classes['card']}`} aria-labelledby="explain-title">
      <Title order={2} id="explain-title">
        {words.staff.title}
      </Title>
      <Text size="sm">{words.staff.note}</Text>
      <ExplainForm
        subject={subject}
        onSubject={(text) => {
          setSubject(text);
          setAnswer(undefined);
        }}
        busy={false}
        error={undefined}
        onExplain={(of, site) => setAsked({ subject: of, site })}
      />
      <ReasonDialog
        opened={asked !== null}
        title={words.staff.dialogTitle}
        verb={words.form.explain}
        onClose={() => setAsked(null)}
        onConfirm={async (reason) => {
          if (!asked) return;
          const { data } = await explain({ variables: { accountId, ...asked, reason } });
          setAnswer(data?.explainPlaybackOf);
        }}
      >
        {words.staff.consequence}
      </ReasonDialog>
      <div role="status">{answer ? <ExplanationView explanation={answer} /> : null}</div>
    </section>
  );
}
