import { counted } from './counted.js';

/** The frame of the documentation. Its sections are whole documents (docs/sections). */
export const words = {
  title: 'Docs',
  apiReference: 'API reference',
  onThisPage: 'On this page',
  linkTo: (title: string) => `Link to: ${title}`,
  copy: 'Copy',
  copied: 'Copied',
  copyCode: (title: string) => `Copy: ${title}`,
  copiedCode: (title: string) => `${title}: copied`,
  topics: 'Topics',
  forOperators: 'For operators',
  search: {
    label: 'Search the docs',
    results: 'Results',
    count: (count: number, text: string) =>
      count === 0 ? `Nothing matches “${text}”.` : `${counted(count, 'result')} for “${text}”`,
    advice: 'Try fewer or shorter words.',
    clear: 'Clear search',
  },
  before: 'Previous',
  next: 'Next',
  otherChapters: 'Previous and next topic',
  noChapter: 'There is no such topic',
  noChapterAdvice: 'It may have another address now. Search the docs, or choose a topic.',
  chapters: {
    gettingStarted: { title: 'Getting started', note: 'From an empty account to a video that plays on your site.' },
    api: { title: 'The /v1 API', note: 'List videos, create playback tokens, and stay within the quota.' },
    player: { title: 'The player', note: 'Tokens, attributes, events, styling and captions.' },
    explain: { title: 'Explain playback', note: 'Why a token, a view or a key works or does not.' },
    analytics: { title: 'Analytics', note: 'What is counted, when, and what is not stored.' },
    pictures: { title: 'Posters and receipts', note: 'Still pictures, HDR, and how a rendition was made.' },
    money: { title: 'Money', note: 'Prices, storage, refunds and referrals.' },
    events: { title: 'Events', note: 'Events on your own server: types, schemas and examples.' },
    testMode: { title: 'Test mode', note: 'Test how your site handles failures.' },
    errors: { title: 'Error codes', note: 'What each code means, and whether to retry.' },
    webhooks: { title: 'Payment webhooks', note: 'How payments become credits, and which settings they need.' },
  },
};
