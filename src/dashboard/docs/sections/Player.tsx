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

// Called only when the token is missing or has expired. Reason: 'missing' or 'expired'.
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
    // Answer within eight seconds; then the player shows an error.
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
        <code>{'<dhara-player>'}</code> is one tag that exchanges a token and plays the video, with adaptive quality,
        speed, captions, chapters, thumbnails, picture-in-picture, full screen, keyboard and touch. It works with any
        framework or none, and is safe to import on a server.
      </p>
      <Code
        title="As a module"
        code={`<script type="module" src="${origin}/player/dhara-player.mjs"></script>
<dhara-player token="eyJ…" poster="/poster.jpg"></dhara-player>`}
      />
      <p>
        <code>/player/dhara-player.js</code> is the same for a plain <code>{'<script>'}</code>, and{' '}
        <code>/player/dhara-player.d.ts</code> has the types of both. A strict content security policy must allow this
        service in <code>script-src</code>, <code>connect-src</code> and <code>img-src</code>, and <code>blob:</code> in{' '}
        <code>media-src</code>, and also <code>data:</code> for videos with captions.
      </p>
      <Part id="player-tokens" title="Tokens" />
      <p>
        A token is valid for five minutes and for one view. The player exchanges it when play is pressed, not when the
        page loads. The stream then lasts for the whole video. Set a provider so that the player can get a fresh token:
      </p>
      <Code title="Token provider" code={PROVIDER} />
      <p>
        Without a provider, the player fires <code>dhara-token-needed</code>. Respond with{' '}
        <code>event.detail.provide(tokenOrPromise)</code>.
      </p>
      <Part id="player-attributes" title="Attributes" />
      <Table label="Attributes of the player" head={['Attribute', 'Meaning']} rows={rowsOf(ATTRIBUTES)} />
      <Part id="player-captions" title="Captions and chapters" />
      <p>
        Text subtitles and chapters in your file are imported during processing. On the video’s page, you can add up to
        20 tracks as SRT or WebVTT (UTF-8, up to 1 MB each), replace, rename and remove them, mark them as forced or
        SDH, and add up to 200 chapters. Changes apply from the next view, without reprocessing. If a file is invalid,
        the error names the line. In GraphQL, use <code>uploadCaptions</code>, <code>updateCaptions</code>,{' '}
        <code>deleteCaptions</code> and <code>setChapters</code>.
      </p>
      <p>
        <code>{'<track kind="captions" src="…" srclang="en" label="English">'}</code> inside the element adds your own
        captions, subtitles or chapters.
      </p>
      <Part id="player-properties" title="Properties and methods" />
      <Table label="Properties and methods of the player" head={['Name', 'Meaning']} rows={rowsOf(MEMBERS)} />
      <Part id="player-events" title="Events" />
      <p>
        The events of <code>{'<video>'}</code> are repeated on the element. It also has these events with a{' '}
        <code>detail</code>. No event bubbles.
      </p>
      <Table
        label="Events of the player"
        head={['Event', 'Detail', 'When']}
        rows={EVENTS.map(([name, detail, text]) => [code(name), code(detail), text])}
      />
      <Part id="player-looks" title="Styling" />
      <p>Set colors and sizes with custom properties, and style everything else with parts.</p>
      <Code title="Your colors" code={THEME} />
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
      <Table label="Keys of the player" head={['Key', 'Action']} rows={KEYS.map(([key, text]) => [key, text])} />
      <Part id="player-iframe" title="In a frame" />
      <p>
        Use a frame where you can’t run scripts. The fragment is never sent to a server. It takes the token and the
        attributes above.
      </p>
      <Code title="Frame" code={FRAME(origin)} />
      <p>The page and the frame exchange messages:</p>
      <Code title="Messages to and from the frame" code={MESSAGES} />
      <Note>
        In Settings, you can limit the sites on which your videos may play. On other sites, the player shows{' '}
        <code>DOMAIN_NOT_ALLOWED</code>.
      </Note>
    </Section>
  );
}
