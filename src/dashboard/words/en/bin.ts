import { showNumber } from '../../lib/format.js';
import { counted } from './counted.js';
import type { ReactNode } from 'react';
import { rich } from '../rich.js';

/** Deleting videos, the bin, and actions on many videos. */
export const words = {
  toast: {
    deleting: (done: number, total: number) => `Deleting: ${done} of ${total}`,
    restoring: (done: number, total: number) => `Restoring: ${done} of ${total}`,
    deleted: (title: string) => `“${title}” deleted`,
    videosDeleted: (count: number) => `${counted(count, 'video')} deleted`,
    deletedSome: (done: number, total: number) => `${showNumber(done)} of ${counted(total, 'video')} deleted`,
    notDeleted: (names: string) => `Not deleted: ${names}.`,
    restoredSome: (done: number, total: number) => `${showNumber(done)} of ${counted(total, 'video')} restored`,
    notRestored: (names: string) => `Not restored: ${names}.`,
    emptying: (done: number, total: number) => `Emptying the bin: ${done} of ${total}`,
    emptied: (count: number) => `${counted(count, 'video')} deleted for good`,
    emptiedSome: (done: number, total: number) => `${showNumber(done)} of ${counted(total, 'video')} deleted for good`,
    couldNotEmpty: 'The bin could not be emptied',
    inBin: 'In the bin for 7 days.',
    undo: 'Undo',
    couldNotDelete: 'Could not delete it',
    couldNotDeleteAll: 'Could not delete all of them',
    couldNotRestore: 'Could not restore all of them',
    restored: (title: string) => `“${title}” restored`,
    notInBin: (title: string) => `“${title}” is not in the bin any more`,
    tryAgain: 'Try again',
  },
  /** Of actions on many videos. */
  batch: {
    stop: 'Stop',
    notConfirmed: (names: string) => `Not confirmed: ${names}.`,
    quoted: (title: string) => `“${title}”`,
    namedAndMore: (names: string, more: number) => `${names} and ${showNumber(more)} more`,
  },
  ask: {
    deleteOne: (title: string) => `Delete “${title}”?`,
    deleteVideos: (count: number) => `Delete ${counted(count, 'video')}?`,
    verb: 'Delete',
    staysInBin: (count: number) =>
      count === 1
        ? 'It stops playing within two seconds. You can restore it from the bin for 7 days. '
        : 'They stop playing within two seconds. You can restore them from the bin for 7 days. ',
    processingStops: (count: number, total: number) =>
      total === 1
        ? 'Its processing stops, and the credits are returned. '
        : `Processing of ${counted(count, 'video')} stops, and the credits are returned. `,
    testVideos: (count: number) => (count === 1 ? 'A test video is' : 'Test videos are') + ' deleted for good.',
    unfinished: (count: number) =>
      count === 1
        ? 'An unfinished upload is deleted for good.'
        : `${counted(count, 'unfinished upload')} are deleted for good.`,
  },
  page: {
    title: 'Bin',
    note: (count: number, size: string) =>
      `${counted(count, 'video')}, ${size}. Storage is charged until they are deleted for good.`,
    back: (icon: ReactNode) => rich`${icon} Videos`,
    label: 'Deleted videos',
    loading: 'Loading the bin',
    none: 'The bin is empty',
    noneAdvice: 'Deleted videos stay here for 7\u00a0days, and you can restore them.',
    goVideos: 'Go to videos',
    emptyBin: 'Empty bin',
    emptyTitle: 'Empty the bin?',
    emptyAdvice: (count: number) => `${counted(count, 'video')} will be deleted for good. This can’t be undone.`,
    restore: 'Restore',
    restoreOne: (title: string) => `Restore ${title}`,
    deleteNow: 'Delete now',
    deleteNowOne: (title: string) => `Delete now: ${title}`,
    deleteTitle: (title: string) => `Delete “${title}” for good?`,
    deleteAdvice: 'This can’t be undone.',
    deleted: (age: string) => `deleted ${age}`,
    daysLeft: (days: number) => (days <= 1 ? 'Less than a day left' : `${counted(days, 'day')} left`),
  },
};
