import { Link } from 'react-router';
import { playerCode } from '../embedCode.js';
import classes from '../docs.module.css';
import { Code, CodeIn } from '../parts/Code.js';
import { Note, Section } from '../parts/Text.js';
import { tokenServer } from './samples.js';

export function GettingStarted() {
  const { origin } = location;
  return (
    <Section id="getting-started" title="Getting started">
      <p>
        You upload a video and pay once for processing, by the minute, from prepaid credits. Each time somebody watches,
        your server creates a playback token, and the player exchanges it for a stream. Other sites cannot link to your
        videos.
      </p>
      <ol className={classes['steps']}>
        <li className={classes['step']}>
          <h3>Open an account</h3>
          <p>
            <Link to="/sign-up">Sign up</Link> and open the link in the email. With a referral code, you both get bonus
            credits after your first top-up.
          </p>
        </li>
        <li className={classes['step']}>
          <h3>Top up</h3>
          <p>
            In the <Link to="/wallet">wallet</Link>, top up in rupees or dollars. One credit is one rupee. Credits
            arrive in Master, and processing and storage draw from it what they need.
          </p>
        </li>
        <li className={classes['step']}>
          <h3>Upload</h3>
          <p>
            Drop files on <Link to="/upload">Upload</Link>. Uploads resume after a lost connection or a closed tab.
            Choose quality and add-ons once for all files, or change them for a single file. After a file is analyzed,
            you see its exact price. Accept it, and the video is ready minutes later. Long videos play earlier: the
            lowest quality first, then the others as they finish.
          </p>
        </li>
        <li className={classes['step']}>
          <h3>Create tokens on your server</h3>
          <p>
            Create an <Link to="/keys">API key</Link> and keep it on your server: anyone who has it can create tokens in
            your name. Your server decides who may watch, and returns one token per view.
          </p>
          <CodeIn title="Creating a token" code={tokenServer(origin)} />
        </li>
        <li className={classes['step']}>
          <h3>Play</h3>
          <p>Put the player on your page. It requests a token from your server when somebody presses play.</p>
          <Code title="On your page" code={playerCode({ origin, videoId: 'vid_…', title: 'A walk along the river' })} />
        </li>
      </ol>
      <Note>
        To try a token without a page of your own, open <code>{`${origin}/watch#<token>`}</code>.
      </Note>
    </Section>
  );
}
