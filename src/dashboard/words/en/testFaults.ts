export const words = {
  label: 'Fault on purpose',
  note: 'See what your site does when this happens.',
  none: 'None',
  keys: {
    QUOTA_NEARLY_USED: 'Only one token is left today',
    TOKENS_EXPIRED: 'Its tokens have expired',
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
  dispute: 'Simulate a dispute',
  disputed: 'dispute.opened is in the event log',
  notDisputed: 'The dispute could not be simulated',
};
