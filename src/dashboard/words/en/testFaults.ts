export const words = {
  label: 'Fault on purpose',
  note: 'Test how your site handles this.',
  none: 'None',
  keys: {
    QUOTA_NEARLY_USED: 'Only one token is left today',
    TOKENS_EXPIRED: 'Its tokens have expired',
    TOKENS_LIVE_ON: 'Its tokens work for an hour longer',
  },
  videos: {
    ENCODE_FAILS_AT_HALF: 'Processing fails at 50%',
    READY_AFTER_N_SECONDS: 'Processing begins later',
  },
  webhooks: {
    TWICE: 'Each event comes twice',
    LATE: 'Events come a minute late',
    OUT_OF_ORDER: 'Events come in the wrong order',
  },
  seconds: 'Seconds until processing begins',
  tools: 'Simulated time and payments',
  clock: (now: string) => `In test mode it is ${now}.`,
  clockNote: 'The clock of test mode',
  letPass: 'Let time pass',
  /** 6 minutes, an hour, a day, 3 days, 8 days. */
  steps: [
    '6 minutes: tokens expire',
    'An hour',
    'A day: quotas reset, storage is charged',
    '3 days: webhooks are given up',
    '8 days: test videos are deleted',
  ],
  move: 'Move the clock',
  moved: 'The clock was moved',
  wallet: (available: string, held: string, debt: string) =>
    `Credits available: ${available}, on hold: ${held}, debt: ${debt}`,
  walletNote: 'Simulated payments',
  dispute: 'Simulate a dispute',
  disputed: 'dispute.opened is in the event log',
  win: 'Win the dispute',
  lose: 'Lose the dispute',
  ended: { WON: 'The dispute is won', LOST: 'The dispute is lost' },
  failed: 'That could not be simulated',
};
