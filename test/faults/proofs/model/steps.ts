import { CLOSING_STEPS } from './closingSteps.js';
import { PAYMENT_STEPS } from './paymentSteps.js';
import { nthOf, type Step } from './step.js';
import { VIDEO_STEPS } from './videoSteps.js';
import { WALLET_STEPS } from './walletSteps.js';

/** Repeats any earlier step exactly: it must change nothing. */
const replay: Step = {
  can: ({ history }) => history.done.length > 0,
  run: ({ history, draw }) => Promise.resolve(nthOf(history.done, draw.pick)),
};

export const STEPS = {
  ...WALLET_STEPS,
  ...PAYMENT_STEPS,
  ...VIDEO_STEPS,
  ...CLOSING_STEPS,
  replay,
} as const satisfies Record<string, Step>;
export type StepName = keyof typeof STEPS;

/** How often each step is drawn, relative to the others. */
const WEIGHTS: Record<StepName, number> = {
  topUp: 4,
  allocate: 8,
  lock: 8,
  settlePart: 3,
  settleFull: 3,
  settleOver: 1,
  release: 2,
  expire: 2,
  storageNight: 5,
  automaticAllocation: 3,
  repayDebt: 4,
  adjustment: 4,
  refund: 3,
  refundArrives: 3,
  providerRefund: 1,
  partialRefund: 3,
  clawBack: 1,
  reinstate: 2,
  disputeOpen: 3,
  disputeWon: 2,
  disputeLost: 2,
  upload: 3,
  buy: 7,
  jobFails: 4,
  bin: 4,
  restore: 3,
  deleteForever: 4,
  emptyBin: 3,
  close: 2,
  closingPass: 4,
  reopen: 5,
  erase: 2,
  replay: 6,
};

export const DRAWN_STEPS = (Object.keys(STEPS) as StepName[]).flatMap((name) =>
  Array.from({ length: WEIGHTS[name] }, () => name),
);
