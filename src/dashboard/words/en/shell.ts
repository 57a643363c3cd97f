import { rich, type Wrap } from '../rich.js';
import { counted } from './counted.js';

/** The frame of every page. */
export const words = {
  testMode: {
    title: 'Test mode',
    note: 'Nothing here is charged, and live keys don’t see it.',
    leave: 'Leave test mode',
  },
  uploadDock: {
    uploading: (count: number, percent: number) => `Uploading ${counted(count, 'file')} · ${percent}%`,
    allUploads: 'All uploads',
    interrupted: (count: number) => `${counted(count, 'upload')} interrupted`,
  },
  liveUpdates: {
    ready: (title: string) => `“${title}” is ready`,
    failed: (title: string) => `“${title}” failed`,
    readyPlay: 'It’s ready to play.',
    openSeeWhy: 'Open it to see why.',
    open: 'Open',
  },
  navigation: {
    home: 'Home',
    videos: 'Videos',
    upload: 'Upload',
    analytics: 'Analytics',
    apiKeys: 'API keys',
    events: 'Events',
    webhooks: 'Webhooks',
    wallet: 'Wallet',
    referrals: 'Referrals',
    settings: 'Settings',
    docs: 'Docs',
    support: 'Support',
    main: 'Main',
    more: 'More',
    processing: ' in processing',
  },
  accountMenu: {
    open: (name: string) => `Account of ${name}`,
  },
  shell: {
    skipContent: 'Skip to the content',
    dharaHome: 'Dhara: home',
    search: 'Search',
    searchKeys: 'Ctrl K',
    searchKeysOnApple: '⌘K',
    credits: (amount: string) => `${amount} credits`,
    debt: 'Debt',
    creditsLabel: 'Credits',
    sandboxNoRealMoney: (span: Wrap) => rich`Sandbox${span(' · no real money')}`,
    sandboxPaymentsNoReal: 'Sandbox payments: no real money moves.',
    whatTypedKeptWell: 'What you typed is kept. We’ll reconnect automatically.',
    noConnectionService: 'No connection to the service',
    accountReadOnlyCant: (button: Wrap) =>
      rich`Your account is read-only: you can’t upload, process or change anything. Contact support to find out why.${button('Settings')}`,
    accountSuspended: 'This account is suspended',
  },
};
