/** The frame of the documentation. Its sections are whole documents (docs/sections). */
export const words = {
  title: 'Docs',
  note: 'From an empty account to a video that plays on your site.',
  apiReference: 'API reference',
  onThisPage: 'On this page',
  linkTo: (title: string) => `Link to: ${title}`,
  copy: 'Copy',
  copied: 'Copied',
  copyCode: (title: string) => `Copy: ${title}`,
  copiedCode: (title: string) => `${title}: copied`,
  chapters: {
    gettingStarted: 'Getting started',
    api: 'The /v1 API',
    player: 'The player',
    explain: 'Explain playback',
    analytics: 'Analytics',
    pictures: 'Posters and receipts',
    money: 'Money',
    events: 'Events',
    webhooks: 'Payment webhooks',
    errors: 'Error codes',
  },
};
