import { Link } from 'react-router';
import classes from '../docs.module.css';
import { Code, CodeIn } from '../parts/Code.js';
import { Note, Section } from '../parts/Text.js';
import { playerPage, tokenServer } from './samples.js';

export function GettingStarted() {
  const { origin } = location;
  return (
    <Section id="getting-started" title="Getting started">
      <p>
        You upload a video and pay once for processing it, by the minute, out of credits you have topped up. Your own
        server asks for a playback token each time somebody watches; the player turns that token into a stream. Nobody
        else can link to your videos.
      </p>
      <ol className={classes['steps']}>
        <li className={classes['step']}>
          <h3>Open an account</h3>
          <p>
            <Link to="/sign-up">Sign up</Link> and open the link in the mail you get. With somebody’s referral code,
            both of you get bonus credits at your first top-up.
          </p>
        </li>
        <li className={classes['step']}>
          <h3>Top up</h3>
          <p>
            In the <Link to="/wallet">wallet</Link>, top up in rupees or dollars: one credit is one rupee. It arrives in
            Master; move what you want to spend on processing into Creative.
          </p>
        </li>
        <li className={classes['step']}>
          <h3>Upload</h3>
          <p>
            Drop files on <Link to="/upload">Upload</Link>. Uploads resume after a lost connection or a closed tab.
            Quality and add-ons are chosen once for all files, and for one by itself where it differs. Once a file is
            measured you see its exact price, and the sum of all; accept it, and the video is ready minutes later. A
            long one plays before: its smallest picture first, the others as soon as they are made.
          </p>
        </li>
        <li className={classes['step']}>
          <h3>Mint tokens on your server</h3>
          <p>
            Create an <Link to="/keys">API key</Link> and keep it on your server: whoever has it can mint tokens in your
            name. Your server decides who may watch, and hands out one token per view.
          </p>
          <CodeIn title="Minting a token" code={tokenServer(origin)} />
        </li>
        <li className={classes['step']}>
          <h3>Play</h3>
          <p>Put the player on your page. It asks your server for a token when somebody presses play.</p>
          <Code title="On your page" code={playerPage(origin)} />
        </li>
      </ol>
      <Note>
        To look at a token at once, without a page of your own, open <code>{`${origin}/watch#<token>`}</code>.
      </Note>
    </Section>
  );
}
