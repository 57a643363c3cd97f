/** The player's tables: names as the element has them, and what they mean. */
type Pairs = readonly (readonly [name: string, meaning: string])[];

export const ATTRIBUTES: Pairs = [
  ['token', 'The playback token'],
  ['src', 'URL of an HLS playlist, instead of a token'],
  ['api', 'Origin of the service; defaults to the origin of the script'],
  ['poster', 'Picture shown before playback; defaults to the video’s poster'],
  ['title', 'Title; defaults to the video’s title'],
  ['autoplay', 'As on <video>; browsers may block autoplay with sound'],
  ['muted', 'As on <video>'],
  ['loop', 'As on <video>'],
  ['start-time', 'Where to start, in seconds'],
  ['preload', '"none" (default), "metadata" loads title, poster and length, "auto" also loads the video'],
  ['captions', 'Language of captions to turn on at the start, such as "en"'],
  ['audio', 'The video has no picture; detected after loading'],
  ['state', 'Set by the element: idle, loading, waiting (still processing), ready or error'],
  ['paused', 'Set by the element while it is paused'],
];

export const MEMBERS: Pairs = [
  ['play()', 'Exchanges the token if needed, then plays; rejects like play() of <video>'],
  ['pause()', 'Pauses'],
  ['load()', 'Starts over with the current token'],
  ['tokenProvider', 'A function that resolves to a fresh token'],
  ['currentTime', 'Seconds; if set before loading, playback starts there'],
  ['duration', 'Seconds; NaN until it is known'],
  ['volume', '0 to 1'],
  ['playbackRate', '1 is normal speed'],
  ['quality', "The height to play, such as 720, or 'auto'"],
  ['qualities', 'Available qualities, best first'],
  ['state', 'Same as the attribute'],
  ['manifest', 'Response to the token: title, length, poster'],
  ['video', 'The inner <video>, for anything else'],
];

export const EVENTS: readonly (readonly [name: string, detail: string, when: string])[] = [
  ['error', '{ code, message }', 'Playback failed; the viewer already sees a message'],
  ['statechange', '{ state }', 'The state changed'],
  ['manifest', 'the manifest', 'The token was exchanged'],
  ['qualitychange', '{ quality, auto }', 'The displayed or selected quality changed'],
  ['captionschange', '{ language }', 'Captions changed; null if off'],
  ['dhara-token-needed', '{ reason, provide }', 'A token is missing or has expired, and there is no provider'],
];

export const PROPERTIES: Pairs = [
  ['--dhara-accent', 'Progress and the play button'],
  ['--dhara-on-accent', 'Text and icons on the accent'],
  ['--dhara-ink', 'Icons and text'],
  ['--dhara-surface', 'Menus and previews'],
  ['--dhara-background', 'Behind the video'],
  ['--dhara-track', 'Unplayed part of the seek bar'],
  ['--dhara-radius', 'Corner radius; 10px'],
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
  ['← →', '5 seconds back, forward'],
  ['J L', '10 seconds back, forward'],
  ['↑ ↓', 'Volume'],
  ['M', 'Mute'],
  ['F', 'Full screen'],
  ['C', 'Captions'],
  ['0–9', 'Jump to 0–90%'],
  ['Home, End', 'Start, end'],
  ['< >', 'Slower, faster'],
];
