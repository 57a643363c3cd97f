import { showNumber } from '../../lib/format.js';
import { counted } from './counted.js';
import { rich, type Wrap } from '../rich.js';

export const words = {
  create: {
    shownTitle: 'Your new key',
    title: 'Create a key',
    name: 'Name',
    nameNote: 'What it is for. Only you see it.',
    namePlaceholder: 'Website',
    limits:
      'Each account can have 20 keys. Playback tokens that revoked keys created today count against a new key until 00:00 UTC.',
    cancel: 'Cancel',
    submit: 'Create',
    shownNote: 'You won’t see it again. If you lose it, create a new key.',
    shownHeading: 'Copy it now',
    key: 'API key',
    tryIt: 'Try it:',
    curl: 'curl command',
    copied: 'I’ve copied it',
  },
  howTo: {
    title: 'Use a key',
    list: 'From your server, never from a web page, list your videos:',
    listCurl: 'curl command that lists videos',
    token: 'Create a token for each view. It opens one video, once, within five minutes.',
    tokenCurl: 'curl command that creates a playback token',
    player: (link: Wrap) => rich`The page then plays the video with the player. ${link('Read how in the docs')}.`,
  },
  card: {
    label: (name: string) => `Key ${name}`,
    revoked: 'Revoked',
    rename: (name: string) => `Rename ${name}`,
    createdOn: (day: string) => `created ${day}`,
    revokedOn: (day: string) => `revoked ${day}`,
    showDays: 'Show last 30 days',
    usage: (used: number, quota: number) => `${showNumber(used)} of ${showNumber(quota)}`,
    tokensToday: (usage: string) => `${usage} playback tokens today`,
    usedUp: 'used up until 00:00 UTC',
    resets: 'resets at 00:00 UTC',
    usageOf: (name: string) => `Playback tokens of ${name} today`,
    usedUpNote: 'Token requests fail with status 429 until then. Contact support to raise the quota.',
    revoke: 'Revoke',
    revokeNote: (name: string) =>
      `Requests with “${name}” are refused immediately. This cannot be undone. If you create another key today, it starts with this key’s used playback tokens.`,
    revokeTitle: 'Revoke this key?',
    revokedNotice: (name: string) => `${name} is revoked.`,
  },
  page: {
    create: 'Create a key',
    title: 'API keys',
    note: 'API keys let your server list videos and create playback tokens.',
    testNote: 'Test keys see your test videos only. They begin with dk_test_.',
    openTestMode: 'Open test mode',
    none: 'No API keys yet',
    noneAdvice: 'Create one key per program, so that you can revoke each on its own.',
    loading: 'Loading API keys',
  },
  rename: {
    name: 'Key name',
    save: 'Save',
    cancel: 'Cancel',
  },
  revoked: {
    title: 'Revoked',
    showOlder: 'Show older keys',
  },
  chart: {
    loading: 'Loading usage',
    none: 'No playback tokens in the last 30 days.',
    sum: (count: number) => `${counted(count, 'playback token')} in the last 30 days.`,
    label: (name: string) => `Playback tokens of ${name} per day`,
    day: 'Day',
    tokens: 'Playback tokens',
    quota: 'Quota',
  },
};
