import { Code } from '../parts/Code.js';
import { Note, Part, Section, Table } from '../parts/Text.js';
import { ATTRIBUTES, EVENTS, KEYS, MEMBERS, PARTS, PROPERTIES } from './playerFacts.js';

const THEME = `dhara-player {
  --dhara-accent: #e8590c;
  --dhara-radius: 0;
  aspect-ratio: 4 / 3;
}
dhara-player::part(big-play-button) { border-radius: 12px; }
dhara-player::part(pip-button) { display: none; }`;

const PROVIDER = `const player = document.querySelector('dhara-player');

// Asked only where the token at hand is missing or has expired. Reason: 'missing' or 'expired'.
player.tokenProvider = async (reason) => {
  const answer = await fetch('/token?video=vid_…');
  return answer.text();
};

player.addEventListener('error', ({ detail }) => console.warn(detail.code, detail.message));
player.addEventListener('ended', () => player.load());`;

const FRAME = (origin: string) => `<iframe
  src="${origin}/embed#token=eyJ…&muted"
  allow="autoplay; fullscreen; picture-in-picture"
  style="aspect-ratio: 16 / 9; width: 100%; border: 0"
></iframe>`;

const MESSAGES = `const frame = document.querySelector('iframe').contentWindow;

addEventListener('message', async ({ source, data }) => {
  if (source !== frame) return;
  if (data.dhara === 'token-needed') {
    // Within eight seconds, or the viewer is told that there is nothing to play.
    const token = await (await fetch('/token?video=vid_…')).text();
    frame.postMessage({ dhara: 'token', token }, '*');
  }
  if (data.dhara === 'state') console.log(data.state, data.currentTime);
});

frame.postMessage({ dhara: 'seek', seconds: 30 }, '*');   // also: play, pause, mute, state`;

const code = (text: string) => <code key={text}>{text}</code>;
const rowsOf = (pairs: readonly (readonly [string, string])[]) => pairs.map(([name, text]) => [code(name), text]);

export function Player() {
  const { origin } = location;
  return (
    <Section id="player" title="The player">
      <p>
        <code>{'<dhara-player>'}</code> is one tag that exchanges a token and plays: adaptive quality, speed, captions,
        chapters, pictures along the timeline, picture-in-picture, full screen, keyboard and touch. It works in every
        framework and without one, and importing it on a server does nothing.
      </p>
      <Code
        title="As a module"
        code={`<script type="module" src="${origin}/player/dhara-player.mjs"></script>
<dhara-player token="eyJ…" poster="/poster.jpg"></dhara-player>`}
      />
      <p>
        <code>/player/dhara-player.js</code> is the same for a plain <code>{'<script>'}</code>, and{' '}
        <code>/player/dhara-player.d.ts</code> has the types of both. A strict content security policy needs this
        service in <code>script-src</code>, <code>connect-src</code> and <code>img-src</code>, and <code>blob:</code> in{' '}
        <code>media-src</code>; for videos with captions <code>data:</code> as well.
      </p>
      <Part id="player-tokens" title="Tokens" />
      <p>
        A token lives for five minutes and is one view. It is exchanged when play is pressed, not when the page loads;
        the stream then lasts for the whole video. A page that stays open says how to get a fresh one:
      </p>
      <Code title="Token provider" code={PROVIDER} />
      <p>
        Without a provider, the event <code>dhara-token-needed</code> asks:{' '}
        <code>event.detail.provide(tokenOrPromise)</code> answers it.
      </p>
      <Part id="player-attributes" title="Attributes" />
      <Table label="Attributes of the player" head={['Attribute', 'Meaning']} rows={rowsOf(ATTRIBUTES)} />
      <Part id="player-texts" title="Captions and chapters" />
      <p>
        Text subtitles and chapters in your file are imported when it is processed. On the video’s page you can add an
        SRT or WebVTT file (UTF-8, at most 1 MB) for each of up to 20 tracks, replace, rename and remove them, say that
        one is forced or for the deaf and hard of hearing (SDH), and write down up to 200 chapters. The next view has
        them, without processing anything again. A file that breaks the rules is refused with the line that does. By
        GraphQL it is <code>uploadCaptions</code>, <code>updateCaptions</code>, <code>deleteCaptions</code> and{' '}
        <code>setChapters</code>.
      </p>
      <p>
        <code>{'<track kind="captions" src="…" srclang="en" label="English">'}</code> inside of the element adds texts
        of your own; subtitles and chapters, too.
      </p>
      <Part id="player-properties" title="Properties and methods" />
      <Table label="Properties and methods of the player" head={['Name', 'Meaning']} rows={rowsOf(MEMBERS)} />
      <Part id="player-events" title="Events" />
      <p>
        The events of <code>{'<video>'}</code> are repeated on the element. These are its own, with their{' '}
        <code>detail</code>; none bubbles.
      </p>
      <Table
        label="Events of the player"
        head={['Event', 'Detail', 'When']}
        rows={EVENTS.map(([name, detail, text]) => [code(name), code(detail), text])}
      />
      <Part id="player-looks" title="Looks" />
      <p>Colours and sizes by custom properties, everything else by parts.</p>
      <Code title="Your colours" code={THEME} />
      <Table label="Custom properties of the player" head={['Custom property', 'Meaning']} rows={rowsOf(PROPERTIES)} />
      <p>
        Parts:{' '}
        {PARTS.map((part, index) => (
          <span key={part}>
            {index > 0 ? ', ' : ''}
            {code(part)}
          </span>
        ))}
        .
      </p>
      <Part id="player-keyboard" title="Keyboard" />
      <Table label="Keys of the player" head={['Key', 'Does']} rows={KEYS.map(([key, text]) => [key, text])} />
      <Part id="player-iframe" title="In a frame" />
      <p>
        Where you cannot run a script. The fragment is never sent to any server; beside the token it takes the
        attributes above.
      </p>
      <Code title="Frame" code={FRAME(origin)} />
      <p>The page and the frame talk by messages:</p>
      <Code title="Messages to and from the frame" code={MESSAGES} />
      <Note>
        Under Settings you can name the sites your videos may play on. Elsewhere the player then says{' '}
        <code>DOMAIN_NOT_ALLOWED</code>.
      </Note>
    </Section>
  );
}
