import { words } from '#words/home.js';
import { Button } from '@mantine/core';
import { Link } from 'react-router';
import { useViewer } from '../session/viewer.js';
import { auth } from '../session/authClient.js';
import type { HomeQuery, VideoRowFragment } from '../generated/graphql.js';
import { microsOf, spendable } from '../lib/credits.js';
import { Changes } from '../parts/Changes.js';
import { Icon } from '../parts/Icon.js';
import { FormError } from '../parts/States.js';
import { showToast } from '../parts/toasts.js';
import { useAction } from '../parts/useAction.js';
import { isMoving } from '../lib/videoStates.js';
import classes from './FirstSteps.module.css';

interface Props {
  readonly wallet: HomeQuery['wallet'];
  /** Whether a viewer has ever watched a video. */
  readonly isWatched: boolean;
  /** The newest video that is ready; others may play already. */
  readonly readyId: string | undefined;
  /** The newest videos; undefined until they are known. */
  readonly videos: readonly VideoRowFragment[] | undefined;
}

interface Step {
  readonly title: string;
  readonly advice: string;
  readonly done: boolean;
  readonly to?: string;
  readonly verb: string;
}

/** The first steps of a new user, in order. They stay until a viewer has watched a video. */
export function FirstSteps({ wallet, isWatched, readyId, videos }: Props) {
  const { emailVerified, email } = useViewer();
  if (videos === undefined || isWatched) return null;

  const hasCredits = microsOf(spendable(wallet)) > 0n || wallet.everBooked.edges.length > 0;
  const playableId = readyId ?? videos.find(({ playableRungs }) => playableRungs.length > 0)?.id;
  const [newest] = videos;
  const steps: readonly Step[] = [
    {
      title: words.firstSteps.verifyEmail,
      advice: words.firstSteps.clickLinkEmail(email),
      done: emailVerified,
      verb: words.firstSteps.resendEmail,
    },
    {
      title: words.firstSteps.addCredits,
      advice: words.firstSteps.oneCreditOneRupee,
      done: hasCredits,
      to: '/wallet?add',
      verb: words.firstSteps.addCredits,
    },
    {
      title: words.firstSteps.uploadVideo,
      advice: words.firstSteps.straightFromPhoneCamera,
      done: videos.length > 0,
      to: '/upload',
      verb: words.firstSteps.upload,
    },
    {
      title: words.firstSteps.processVideo,
      advice: newest && isMoving(newest) ? words.firstSteps.beingProcessed : words.firstSteps.processedByItself,
      done: playableId !== undefined,
      to: newest ? `/videos/${newest.id}` : '/upload',
      verb: newest ? words.firstSteps.openVideo : words.firstSteps.upload,
    },
    {
      title: words.firstSteps.embedVideo,
      advice: words.firstSteps.copyCodeIntoPage,
      done: false,
      to: playableId ? `/videos/${playableId}/embed` : '/videos',
      verb: words.firstSteps.getCode,
    },
  ];
  const open = steps.filter(({ done }) => !done);

  return (
    <section className={`panel ${classes['steps']}`} aria-labelledby="steps-title">
      <div className={classes['head']}>
        <h2 id="steps-title">{words.firstSteps.firstSteps}</h2>
        <span className="num">{words.firstSteps.done(steps.length - open.length, steps.length)}</span>
      </div>
      <ol>
        {steps.map((step) => (
          <li key={step.title} data-done={step.done || undefined} data-next={step === open[0] || undefined}>
            <span className={classes['mark']}>
              {step.done ? <Icon name="check" size={14} /> : null}
              <span className="visually-hidden">{step.done ? words.firstSteps.doneStep : words.firstSteps.do}</span>
            </span>
            <div className={classes['words']}>
              <b>{step.title}</b>
              {step.done ? null : <span>{step.advice}</span>}
            </div>
            {step.done ? null : <Action step={step} email={email} isNext={step === open[0]} />}
          </li>
        ))}
      </ol>
    </section>
  );
}

function Action({ step, email, isNext }: { step: Step; email: string; isNext: boolean }) {
  const send = useAction(async () => {
    await auth.sendVerification(email);
    showToast({ kind: 'good', title: words.firstSteps.emailSent, message: email });
  });
  const look = { size: 'xs', variant: isNext ? 'filled' : 'default' } as const;
  if (step.to) {
    return (
      <Button component={Link} to={step.to} {...look}>
        {step.verb}
      </Button>
    );
  }
  return (
    <div>
      <Changes evenIfSuspended>
        <Button {...look} loading={send.busy} onClick={() => void send.run()}>
          {step.verb}
        </Button>
      </Changes>
      <FormError error={send.error} />
    </div>
  );
}
