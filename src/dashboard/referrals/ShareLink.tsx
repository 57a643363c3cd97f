import { words } from '#words/referrals.js';
import { Button, Title } from '@mantine/core';
import { showCredits } from '../lib/credits.js';
import { CopyField } from '../parts/CopyField.js';
import { Icon } from '../parts/Icon.js';
import { showToast } from '../parts/toasts.js';
import classes from './ReferralsPage.module.css';

interface Props {
  readonly code: string;
  readonly link: string;
  readonly inviteeBonus: string;
}

/** The link and the code, to copy or to share through the device. */
export function ShareLink({ code, link, inviteeBonus }: Props) {
  const invitation = {
    title: words.share.subject,
    text: words.share.text(showCredits(inviteeBonus)),
    url: link,
  };
  const canShare = typeof navigator.share === 'function';

  async function share(): Promise<void> {
    try {
      await navigator.share(invitation);
    } catch (failure) {
      // Closing the device's own dialog is not a failure.
      if (failure instanceof DOMException && failure.name === 'AbortError') return;
      showToast({ title: words.share.failed, message: words.share.failedAdvice, kind: 'bad' });
    }
  }

  return (
    <section className={`panel ${classes['card']}`} aria-labelledby="share-title">
      <Title order={2} id="share-title">
        {words.share.link}
      </Title>
      <CopyField value={link} label={words.share.link} />
      <div className={classes['code']}>
        <span>{words.share.orCode}</span>
        <CopyField value={code} label={words.share.code} />
      </div>
      <div className={classes['ways']}>
        {canShare ? (
          <Button onClick={() => void share()} leftSection={<Icon name="open" size={17} />}>
            {words.share.share}
          </Button>
        ) : null}
        <Button
          component="a"
          variant="default"
          leftSection={<Icon name="mail" size={17} />}
          href={`mailto:?subject=${encodeURIComponent(invitation.title)}&body=${encodeURIComponent(`${invitation.text}\n\n${link}`)}`}
        >
          {words.share.email}
        </Button>
      </div>
    </section>
  );
}
