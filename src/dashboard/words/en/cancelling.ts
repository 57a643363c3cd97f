import { counted } from './counted.js';

/** Taking back processing that no worker has begun with. */
export const words = {
  cancel: 'Cancel processing',
  undo: 'Undo',
  progress: (done: number, total: number) => `Cancelling: ${done} of ${total}`,
  cancelled: (count: number) =>
    count === 1 ? 'Processing cancelled' : `Processing of ${counted(count, 'video')} cancelled`,
  cancelledSome: (done: number, total: number) => `${done} of ${total} cancelled`,
  none: 'Nothing was cancelled',
  creditsBack: 'The credits are back in your wallet.',
  continuing: (names: string) => `Not cancelled: ${names}. Processing that has begun continues.`,
  limited: (names: string) =>
    `Not cancelled: ${names}. Too many unprocessed videos. Process or delete some, then try again.`,
  over: (names: string) => `No longer in processing: ${names}.`,
  notCancelled: (names: string) => `Not cancelled: ${names}.`,
  couldNotCancel: (count: number) => (count === 1 ? 'Could not cancel processing' : 'Could not cancel all of them'),
  tryAgain: 'Try again',
};
