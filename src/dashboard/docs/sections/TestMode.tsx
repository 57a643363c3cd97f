import { Link } from 'react-router';
import { Code } from '../parts/Code.js';
import { Note, Part, Section, Table } from '../parts/Text.js';
import { RECIPES } from './testModeSamples.js';

/** A command line, and the same in GraphQL. */
function Recipe({ of, command }: { of: keyof typeof RECIPES; command?: string }) {
  return (
    <>
      {command === undefined ? null : <Code title="Shell" code={command} />}
      <Code title="GraphQL" code={RECIPES[of]} />
    </>
  );
}

/** How developers test their site's handling of failures. */
export function TestMode() {
  return (
    <Section id="test-mode" title="Test mode">
      <p>
        Test mode is a place to try what your site does, without touching your videos, viewers or credits. It has its
        own videos, API keys, event log, webhook endpoints and analytics. Open it on the page{' '}
        <Link to="/keys">API keys</Link>; in GraphQL, send the header <code>x-dhara-mode: test</code>; in a shell, add{' '}
        <code>--test</code>, as in <code>dhara listen --test</code>. In <code>/v1</code>, use a key that begins with{' '}
        <code>dk_test_</code>. Nothing else changes.
      </p>
      <p>
        A test video has at most 60 seconds and 200 MB. It is processed in 480p with the word TEST on it, costs nothing,
        and is deleted after 7 days. Events of test mode have <code>livemode: false</code>.
      </p>
      <Part id="test-mode-faults" title="Faults on purpose" />
      <p>
        Choose a fault when you create a test video, key or webhook endpoint, in the dashboard’s test mode, in GraphQL
        or with <code>dhara fault</code>. It cannot be changed afterwards. The real worker, token endpoint and deliverer
        carry it out. In live mode every fault is refused.
      </p>
      <Part id="test-mode-failed-video" title="A video cannot be processed" />
      <Recipe of="a video cannot be processed" />
      <p>
        Upload a real file to <code>url</code>, or choose the fault on the upload page. Processing fails at 50%. Your
        endpoints receive <code>video.uploaded</code> and then <code>video.failed</code>, and the token endpoint
        responds with 409 <code>VIDEO_NOT_READY</code>.
      </p>
      <Part id="test-mode-slow-video" title="A video takes long" />
      <Recipe of="a video takes long" />
      <p>
        The video stays <code>queued</code> for 120 seconds (1 to 600), and is then processed as usual. Moving the clock
        shortens the wait.
      </p>
      <Part id="test-mode-quota" title="A key has used its quota" />
      <Recipe of="a key has used its quota" command="dhara fault quota-nearly-used" />
      <p>
        The first token is granted with <code>X-RateLimit-Remaining: 0</code> and writes <code>quota.reached</code>. The
        second request gets 429 with <code>Retry-After</code>.
      </p>
      <Part id="test-mode-expired" title="A token arrives too late, or a clock is wrong" />
      <Recipe of="a token arrives too late, or a clock is wrong" command="dhara fault tokens-expired" />
      <p>
        The key’s tokens have expired when they are created. Exchanging one fails with 401{' '}
        <code>PLAYBACK_TOKEN_EXPIRED</code>. Your page should ask your server for a new token, once.
      </p>
      <Part id="test-mode-long-tokens" title="A token works for longer than it says" />
      <Recipe of="a token works for longer than it says" command="dhara fault tokens-live-on" />
      <p>
        The key’s tokens can be exchanged for an hour after they say that they have expired. A page that trusts{' '}
        <code>expiresAt</code> still asks for a new one.
      </p>
      <Part id="test-mode-clock" title="Time passes" />
      <Recipe of="time passes" command="dhara fault clock-moved --by 1d" />
      <p>
        Moves the clock of your test mode only. Tokens expire, streams end about six hours after their token, keys get a
        new quota at midnight UTC, the test wallet is charged for storage, waiting videos are processed, waiting
        webhooks are due, endpoints that have failed for three days are disabled, and test videos that are a week old
        are deleted. Times in responses, events and webhooks stay those of the real clock. The page{' '}
        <Link to="/events">Events</Link> of test mode does it, too.
      </p>
      <Part id="test-mode-webhooks" title="A webhook comes twice, late, or out of order" />
      <Recipe
        of="a webhook comes twice, late, or out of order"
        command="dhara fault twice --url https://example.com/hooks"
      />
      <Table
        label="Faults of webhook endpoints"
        head={['Fault', 'What your endpoint sees']}
        rows={[
          [
            <code key="fault">TWICE</code>,
            <>
              Each event twice, with the same <code>webhook-id</code>
            </>,
          ],
          [<code key="fault">LATE</code>, 'Each event a minute after it happened'],
          [<code key="fault">OUT_OF_ORDER</code>, 'The events of each 30 seconds together, the newest first'],
        ]}
      />
      <Part id="test-mode-dispute" title="A payment is disputed" />
      <Recipe of="a payment is disputed" command="dhara fault payment-disputed" />
      <p>
        Disputes a simulated payment: the newest, or one of 500 credits. <code>dispute.opened</code> is written, and{' '}
        <code>testWallet</code> has the amount on hold, by the rules for real payments. No money moves.
      </p>
      <Part id="test-mode-dispute-end" title="A dispute ends" />
      <Recipe of="a dispute ends" command="dhara fault dispute-lost" />
      <p>
        The amount on hold is taken, or released with <code>WON</code> (<code>dhara fault dispute-won</code>). If the
        wallet had less than the disputed amount, the rest becomes <code>debt</code>.
      </p>
      <Note>
        An access token with the scope <code>manage</code> creates test keys, so a test of your own can ask for these
        faults. It cannot create live keys.
      </Note>
    </Section>
  );
}
