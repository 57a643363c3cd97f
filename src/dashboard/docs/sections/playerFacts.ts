/** The player's tables: names as the element has them, and what they mean. */
type Pairs = readonly (readonly [name: string, meaning: string])[];

export const ATTRIBUTES: Pairs = [
  ['token', 'The playback token'],
  ['src', 'The address of an HLS playlist, instead of a token'],
  ['api', 'The origin of the service; by default where the script came from'],
  ['poster', 'A picture before it plays; by default the one of the video'],
  ['title', 'By default the title of the video'],
  ['autoplay', 'As on <video>; a browser may refuse to play sound by itself'],
  ['muted', 'As on <video>'],
  ['loop', 'As on <video>'],
  ['start-time', 'Where to start, in seconds'],
  ['preload', '"none" (default), "metadata" for title, poster and length at once, "auto" for the video as well'],
  ['captions', 'The language to show from the start, such as "en"'],
  ['audio', 'There are no pictures; found out by itself once it is loaded'],
  ['state', 'Set by the element: idle, loading, waiting (still processing), ready or error'],
  ['paused', 'Set by the element while it is paused'],
];

export const MEMBERS: Pairs = [
  ['play()', 'Exchanges the token where that has not happened, then plays; rejects as that of <video> does'],
  ['pause()', 'Pauses'],
  ['load()', 'Starts over with the token at hand'],
  ['tokenProvider', 'A function that resolves to a fresh token'],
  ['currentTime', 'Seconds; set before anything is loaded, it is where playback starts'],
  ['duration', 'Seconds; NaN until it is known'],
  ['volume', '0 to 1'],
  ['playbackRate', '1 is as filmed'],
  ['quality', "The height to play, such as 720, or 'auto'"],
  ['qualities', 'What there is to choose from, best first'],
  ['state', 'As the attribute'],
  ['manifest', 'What the token was exchanged for: title, length, poster'],
  ['video', 'The <video> inside, for whatever the element has nothing for'],
];

export const EVENTS: readonly (readonly [name: string, detail: string, when: string])[] = [
  ['error', '{ code, message }', 'Nothing plays; the viewer has been told already'],
  ['statechange', '{ state }', 'It loads, is ready, or has failed'],
  ['manifest', 'the manifest', 'The token was exchanged'],
  ['qualitychange', '{ quality, auto }', 'Another quality is on the screen, or wanted'],
  ['captionschange', '{ language }', 'Captions were switched; null for off'],
  ['dhara-token-needed', '{ reason, provide }', 'A token is missing or has expired, and there is no provider'],
];

export const PROPERTIES: Pairs = [
  ['--dhara-accent', 'Progress and the play button'],
  ['--dhara-on-accent', 'What stands on the accent'],
  ['--dhara-ink', 'Icons and text'],
  ['--dhara-surface', 'Menus and previews'],
  ['--dhara-background', 'Behind the video'],
  ['--dhara-track', 'The part of the bar that has not played'],
  ['--dhara-radius', 'Corners; 10px'],
  ['--dhara-button-size', '40px'],
  ['--dhara-font', 'System fonts'],
  ['--dhara-object-fit', 'contain'],
  ['--dhara-caption-size', 'Grows with the player'],
  ['--dhara-caption-ink', 'Captions'],
  ['--dhara-caption-background', 'Behind captions'],
];

export const PARTS: readonly string[] = [
  'video',
  'art',
  'captions',
  'cue',
  'spinner',
  'toast',
  'title',
  'big-play-button',
  'controls',
  'button',
  'play-button',
  'mute-button',
  'captions-button',
  'settings-button',
  'pip-button',
  'fullscreen-button',
  'chapter-button',
  'seek-bar',
  'volume-bar',
  'track',
  'progress',
  'thumb',
  'time',
  'preview',
  'menu',
  'menu-item',
  'message',
  'retry-button',
];

export const KEYS: Pairs = [
  ['Space, K', 'Play, pause'],
  ['← →', '5 seconds back or on'],
  ['J L', '10 seconds back or on'],
  ['↑ ↓', 'Volume'],
  ['M', 'Mute'],
  ['F', 'Full screen'],
  ['C', 'Captions'],
  ['0–9', 'Tenths of the video'],
  ['Home, End', 'Beginning, end'],
  ['< >', 'Slower, faster'],
];
