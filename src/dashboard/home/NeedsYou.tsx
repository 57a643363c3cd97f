import { words } from '#words/needsYou.js';
import { Button } from '@mantine/core';
import { Link } from 'react-router';
import { useViewer } from '../session/viewer.js';
import { auth } from '../session/authClient.js';
import { Changes } from '../parts/Changes.js';
import { Icon } from '../parts/Icon.js';
import { FormError } from '../parts/States.js';
import { showToast } from '../parts/toasts.js';
import { useAction } from '../parts/useAction.js';
import classes from './HomePage.module.css';
import type { Needs } from './useNeeds.js';

interface Props {
  readonly needs: Needs;
  /** The email address is not verified, and no first step says so. */
  readonly asksForEmail: boolean;
}

/** What only the owner can decide or mend, each with the way to it. */
export default function NeedsYou({ needs, asksForEmail }: Props) {
  const { failed, moreFailed, open, short, disabled, failing, usedUp } = needs;
  return (
    <section className={`panel ${classes['card']}`} aria-labelledby="needs-title">
      <div className={classes['cardHead']}>
        <h2 id="needs-title">{words.needsYou}</h2>
      </div>
      <ul className={classes['needs']}>
        {asksForEmail ? <UnverifiedEmail /> : null}
        {failed.map(({ id, title, failure }) => (
          <Need key={id} to={`/videos/${id}`} title={words.failed(title)} note={failure?.message} />
        ))}
        {moreFailed > 0 ? <Need to="/videos?status=FAILED" title={words.moreFailed(moreFailed)} /> : null}
        {open.length > 0 ? (
          <Need to={onlyOf(open)} title={words.waitForApproval(open.length)} note={words.seePrice} />
        ) : null}
        {short.length > 0 ? (
          <Need to="/wallet?add" title={words.needCredits(short.length)} note={words.continueByThemselves} />
        ) : null}
        {disabled > 0 ? (
          <Need to="/webhook-endpoints" title={words.endpointsDisabled(disabled)} note={words.endpointsDisabledNote} />
        ) : null}
        {failing > 0 ? (
          <Need to="/webhook-endpoints" title={words.endpointsFailing(failing)} note={words.endpointsFailingNote} />
        ) : null}
        {usedUp > 0 ? <Need to="/keys" title={words.keysUsedUp(usedUp)} note={words.keysUsedUpNote} /> : null}
      </ul>
    </section>
  );
}

interface NeedProps {
  readonly to: string;
  readonly title: string;
  readonly note?: string | undefined;
}

function Need({ to, title, note }: NeedProps) {
  return (
    <li>
      <div>
        <Link to={to} className={classes['job']}>
          {title}
        </Link>
        {note ? <span className={classes['small']}>{note}</span> : null}
      </div>
      <Icon name="chevron" size={16} />
    </li>
  );
}

function UnverifiedEmail() {
  const { email } = useViewer();
  const send = useAction(async () => {
    await auth.sendVerification(email);
    showToast({ kind: 'good', title: words.emailSent, message: email });
  });
  return (
    <li data-with-button>
      <div>
        <b className={classes['job']}>{words.verifyEmail}</b>
        <span className={classes['small']}>{words.verifyEmailNote(email)}</span>
        <FormError error={send.error} />
      </div>
      <Changes evenIfSuspended>
        <Button size="xs" variant="default" loading={send.busy} onClick={() => void send.run()}>
          {words.resendEmail}
        </Button>
      </Changes>
    </li>
  );
}

/** The video itself if it is the only one, or the list. */
function onlyOf(videos: readonly { readonly id: string }[]): string {
  const [first, ...others] = videos;
  return first && others.length === 0 ? `/videos/${first.id}` : '/videos?status=UPLOADED';
}
