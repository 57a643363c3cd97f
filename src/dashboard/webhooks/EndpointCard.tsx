import { words as all } from '#words/webhooks.js';
import { useMutation } from '@apollo/client/react';
import { Badge, Button, Group, Modal, Text } from '@mantine/core';
import { useState } from 'react';
import {
  DeleteWebhookEndpointDocument,
  RotateWebhookSecretDocument,
  SetWebhookEndpointEnabledDocument,
  TestWebhookEndpointDocument,
  WebhookDeliveriesDocument,
  type WebhookEndpointFieldsFragment,
  WebhookEndpointsDocument,
} from '../generated/graphql.js';
import { showDay, showMoment } from '../lib/format.js';
import { Changes } from '../parts/Changes.js';
import { ConfirmDialog } from '../parts/ConfirmDialog.js';
import { ShownOnce } from '../parts/ShownOnce.js';
import { FormError } from '../parts/States.js';
import { showToast } from '../parts/toasts.js';
import { useAction } from '../parts/useAction.js';
import { DeliveryLog } from './DeliveryLog.js';
import { EndpointDialog } from './EndpointDialog.js';
import { ReplayDialog } from './ReplayDialog.js';
import { EVENT_TYPES } from '../generated/eventTypes.js';
import classes from './Webhooks.module.css';

const words = all.card;
type Endpoint = WebhookEndpointFieldsFragment;
type Asking = 'edit' | 'replay' | 'rotate' | 'remove';

export function EndpointCard({ endpoint, isOpen }: { endpoint: Endpoint; isOpen: boolean }) {
  const [showsLog, setShowsLog] = useState(isOpen);
  const { eventTypes } = endpoint;
  const facts = [
    ...(endpoint.description === '' ? [] : [endpoint.description]),
    eventTypes === null ? words.allTypes : words.types(eventTypes.length),
    words.created(showDay(endpoint.createdAt)),
  ];
  return (
    <article className={`panel ${classes['card']}`} aria-label={words.label(endpoint.url)}>
      <div className={classes['head']}>
        <Text fw={600} className={classes['url']}>
          {endpoint.url}
        </Text>
        <StateBadge endpoint={endpoint} />
      </div>
      <Text size="sm" c="dimmed" title={eventTypes?.map((type) => EVENT_TYPES[type]).join(', ')}>
        {facts.join(' · ')}
      </Text>
      {endpoint.previousSecretEndsAt === null ? null : (
        <Text size="sm">{words.previousSecret(showMoment(endpoint.previousSecretEndsAt))}</Text>
      )}
      <Actions endpoint={endpoint} />
      <Group>
        <Button
          size="compact-sm"
          variant="subtle"
          ml={-8}
          aria-expanded={showsLog}
          onClick={() => setShowsLog(!showsLog)}
        >
          {showsLog ? words.hideLog : words.showLog}
        </Button>
      </Group>
      {showsLog ? <DeliveryLog endpointId={endpoint.id} isEnabled={endpoint.disabledReason === null} /> : null}
    </article>
  );
}

function StateBadge({ endpoint: { disabledReason, failingSince } }: { endpoint: Endpoint }) {
  if (disabledReason !== null) {
    return (
      <Badge color={disabledReason === 'OWNER' ? 'gray' : 'red'} tt="none" className={classes['state']}>
        {words.disabled[disabledReason]}
      </Badge>
    );
  }
  if (failingSince !== null) {
    return (
      <Badge color="yellow" tt="none" className={classes['state']}>
        {words.failing(showMoment(failingSince))}
      </Badge>
    );
  }
  return (
    <Badge color="teal" variant="light" tt="none" className={classes['state']}>
      {words.enabled}
    </Badge>
  );
}

function Actions({ endpoint }: { endpoint: Endpoint }) {
  const { id } = endpoint;
  const isEnabled = endpoint.disabledReason === null;
  const [asking, setAsking] = useState<Asking>();
  const [secret, setSecret] = useState<string>();
  const [setEnabled] = useMutation(SetWebhookEndpointEnabledDocument);
  const [sendTest] = useMutation(TestWebhookEndpointDocument, { refetchQueries: [WebhookDeliveriesDocument] });
  const [remove] = useMutation(DeleteWebhookEndpointDocument, { refetchQueries: [WebhookEndpointsDocument] });
  const [rotate] = useMutation(RotateWebhookSecretDocument);
  const close = () => setAsking(undefined);
  const test = useAction(async () => {
    await sendTest({ variables: { id } });
    showToast({ kind: 'good', title: words.testSent });
  });
  const toggle = useAction(async () => {
    await setEnabled({ variables: { id, enabled: !isEnabled } });
    showToast({ kind: 'good', title: isEnabled ? words.nowDisabled : words.nowEnabled });
  });

  return (
    <>
      <Changes>
        <Group gap="xs">
          {isEnabled ? (
            <Button size="compact-sm" variant="default" loading={test.busy} onClick={() => void test.run()}>
              {words.test}
            </Button>
          ) : null}
          {isEnabled ? (
            <Button size="compact-sm" variant="default" onClick={() => setAsking('replay')}>
              {words.replay}
            </Button>
          ) : null}
          <Button size="compact-sm" variant="default" onClick={() => setAsking('edit')}>
            {words.edit}
          </Button>
          <Button size="compact-sm" variant="default" onClick={() => setAsking('rotate')}>
            {words.rotate}
          </Button>
          <Button size="compact-sm" variant="default" loading={toggle.busy} onClick={() => void toggle.run()}>
            {isEnabled ? words.disable : words.enable}
          </Button>
          <Button size="compact-sm" variant="subtle" color="red" onClick={() => setAsking('remove')}>
            {words.remove}
          </Button>
        </Group>
      </Changes>
      <FormError error={test.error ?? toggle.error} />
      <EndpointDialog opened={asking === 'edit'} endpoint={endpoint} onClose={close} />
      <ReplayDialog opened={asking === 'replay'} endpointId={id} onClose={close} />
      <ConfirmDialog
        opened={asking === 'rotate'}
        title={words.rotateTitle}
        verb={words.rotateVerb}
        onClose={close}
        onConfirm={async () => {
          const { data } = await rotate({ variables: { id } });
          setSecret(data?.rotateWebhookSecret.secret);
        }}
      >
        {words.rotateNote}
      </ConfirmDialog>
      <Modal
        opened={secret !== undefined}
        onClose={() => setSecret(undefined)}
        title={all.secret.title}
        size="lg"
        closeOnClickOutside={false}
      >
        <ShownOnce secret={secret ?? ''} words={all.secret} onDone={() => setSecret(undefined)} />
      </Modal>
      <ConfirmDialog
        opened={asking === 'remove'}
        title={words.removeTitle}
        verb={words.remove}
        onClose={close}
        onConfirm={async () => {
          await remove({ variables: { id } });
          showToast({ kind: 'good', title: words.removed });
        }}
      >
        {words.removeNote}
      </ConfirmDialog>
    </>
  );
}
